"""Lavie, Sagae & Jayaraman 2004: recall agrees with people better than precision, and stemming helps.

    python lavie_2004.py [TESTSET [PAIR [PLOT]]]

Correlates unigram precision, recall, F1 and Fmean, with and without stems, with human scores of systems (their tables
1 and 2), beside BLEU and NIST.
"""

import sys

from test_set import HARVEST, read, verdict

import latticemetric as lm
from latticemetric.evaluation import correlate, system_tables

KINDS = ("precision", "recall", "f1", "fmean")


def main(path: str = HARVEST, pair: str | None = None, plot: str | None = None) -> None:
    """Print Pearson's r of each metric over systems, with its interval, and what becomes of the claims."""
    test = read(path, pair)
    names = ["bleu", "nist", *KINDS, *(f"{kind}-stem" for kind in KINDS)]
    tables = system_tables(test.outputs, test.references, [lm.make_metric(name) for name in names])
    found = correlate(tables, test.human, system_human=test.whole, systems=test.systems)
    r = {name: found.metrics[name].system.pearson for name in names}
    for name, one in r.items():
        print(f"{name:<15} {one.value:.4f} ± {one.half_width:.4f}")
    verdict("recall correlates better than precision", holds=r["recall"].value > r["precision"].value)
    best = max(r[kind].value for kind in ("f1", "fmean"))
    verdict("a mean of both correlates better than BLEU", holds=best > r["bleu"].value)
    better = sum(r[f"{kind}-stem"].value > r[kind].value for kind in KINDS)
    verdict(f"stemming helps ({better} of {len(KINDS)} metrics)", holds=better > len(KINDS) / 2)
    if plot:
        from latticemetric.corpus.report.plots import plot_agreement

        plot_agreement(found, plot)


if __name__ == "__main__":
    main(*sys.argv[1:])
