"""Compare the BLEU of a corpus oracle with that of the 1-bests and of the sentences' own oracles.

    python corpus_bleu.py LATTICES REFERENCES

References are lines that begin with the ids of the graphs, which may be lattices, forests or n-best lists.
"""

import sys
from pathlib import Path

import latticemetric as lm


def main(graph_file: str, reference_file: str) -> None:
    """Print three scores, and the sentences with the most headroom."""
    lines = (line.partition(" ") for line in Path(reference_file).read_text(encoding="utf-8").splitlines())
    text = {name: words for name, _, words in lines}
    graphs = dict(lm.read(graph_file))
    best = lm.corpus_oracle(graphs.values(), [text[name] for name in graphs], lm.BLEU(order=3))
    for label, found in (("1-best", best.one_best), ("4-GRR oracles", best.start), ("BLEU oracle", best.corpus)):
        print(f"{label:<14} {found.score:.4f}")
    by_headroom = sorted(zip(graphs, best.paths, strict=True), key=lambda pair: -pair[1].headroom)
    for name, path in by_headroom[:3]:
        print(f"{name} {path.headroom:.4f} {' '.join(path.words)}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
