"""Is a better oracle score a better output by other metrics? 1-bests, MBR outputs and oracles of one test set, judged.

    python judging_oracles.py LATTICES REFERENCES [JUDGE]

References are lines that begin with the ids of the graphs. JUDGE is the metric in the place of people (default: chrf).
Prints the score of each output under each metric, and how well the metrics agree with the judge over outputs and
segments. An oracle is best under its own metric by construction: what it gains under the others is the question.
"""

import sys
from pathlib import Path

import latticemetric as lm
from latticemetric.evaluation import correlate, system_tables

METRICS = ("wer", "4-grr", "bleu-sbp", "f1")


def main(graph_file: str, reference_file: str, judge: str = "chrf") -> None:
    """Print both tables."""
    lines = (line.partition(" ") for line in Path(reference_file).read_text(encoding="utf-8").splitlines())
    text = {name: words for name, _, words in lines}
    graphs = dict(lm.read(graph_file))
    references = [text[name] for name in graphs]
    oracles = {
        name: [lm.oracle(graph, text[key], name) for key, graph in graphs.items()] for name in ("wer", "4-grr", "2-grr")
    }
    outputs = {"1-best": [found.one_best.words for found in oracles["wer"]]}
    outputs["mbr"] = [lm.mbr(graph).words for graph in graphs.values()]
    outputs |= {f"{name} oracle": [found.words for found in several] for name, several in oracles.items()}
    by_bleu = lm.Corpus(graphs, references).oracle("bleu")
    outputs["bleu oracle"] = [answer.value.words for answer in by_bleu]
    metrics = [lm.make_metric(name) for name in (*METRICS, judge)]
    tables = system_tables(list(outputs.values()), references, metrics)
    people = tables.pop(judge)
    sign = 1 if people.higher_is_better else -1
    found = correlate(
        tables, sign * people.of_segments(), system_human=sign * people.of_systems(), systems=list(outputs), resamples=0
    )
    print("output", *METRICS, judge, sep="\t")
    for k, name in enumerate(outputs):
        scores = [float(one.of_systems()[k]) for one in (*tables.values(), people)]
        print(name, *(f"{score:.4f}" for score in scores), sep="\t")
    for metric, one in found.metrics.items():
        pooled = one.segment.pooled.pearson.value if one.segment else None
        values = (one.system.pearson.value, one.differentials.agreement.value, pooled)
        systems, pairs, segments = ("-" if value is None else f"{value:.4f}" for value in values)
        print(f"{metric} with {judge}: r over outputs {systems}, pairs in order {pairs}, r over segments {segments}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
