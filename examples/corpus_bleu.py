"""Compare the BLEU of a corpus oracle with that of the 1-bests and of the sentences' own oracles.

    python corpus_bleu.py LATTICES REFERENCES

References are lines that begin with the ids of the graphs, which may be lattices, forests or n-best lists.
"""

import sys

import latticemetric as lm


def main(graph_file: str, reference_file: str) -> None:
    """Print three scores, and the sentences with the most headroom."""
    best = lm.Corpus.read(graph_file, reference_file).oracle(lm.BLEU(order=3))
    totals = best.totals
    for label, found in (("1-best", totals["one_best"]), ("4-GRR oracles", totals["start"]), ("BLEU oracle", totals)):
        print(f"{label:<14} {found['score']:.4f}")
    for answer in sorted(best, key=lambda answer: -answer.value.headroom)[:3]:
        print(f"{answer.name} {answer.value.headroom:.4f} {' '.join(answer.value.words)}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
