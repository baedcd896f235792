"""Banerjee & Lavie 2005: METEOR agrees with people better with each further stage, and better than its parts.

    python banerjee_lavie_2005.py [TESTSET [PAIR [PLOT]]]

Correlates metrics with human scores of segments, within each system and then averaged (their tables 1 to 3). Synonyms
need WordNet; without it, that line is left out.
"""

import sys

from test_set import HARVEST, read, verdict

import latticemetric as lm
from latticemetric.errors import MissingDependencyError
from latticemetric.evaluation import correlate
from latticemetric.evaluation.systems import SystemTables, system_tables

STAGES = ("exact", "exact,porter", "exact,porter,wn-synonymy")


def main(path: str = HARVEST, pair: str | None = None, plot: str | None = None) -> None:
    """Print the average of Pearson's r over systems, and what becomes of the claims."""
    test = read(path, pair)
    tables: dict[str, SystemTables] = {}
    for name in ("bleu", "precision", "recall", "f1", "fmean"):
        tables |= system_tables(test.outputs, test.references, [lm.make_metric(name)])
    for label, metric in [*((stages, lm.METEOR(stages)) for stages in STAGES), ("no penalty", lm.METEOR(penalty=0))]:
        try:
            found = system_tables(test.outputs, test.references, [metric])
        except MissingDependencyError as error:
            print(f"meteor, {label}: left out, because {error}")
            continue
        tables[f"meteor {label}"] = found["meteor"]
    agreement = correlate(tables, test.human, systems=test.systems)
    r = {name: one.segment.pearson for name, one in agreement.metrics.items() if one.segment}
    for name, one in r.items():
        print(f"{name:<32} {one.value:.4f} ± {one.half_width:.4f}")
    stages = [r[f"meteor {name}"].value for name in STAGES if f"meteor {name}" in r]
    verdict("recall correlates better than precision", holds=r["recall"].value > r["precision"].value)
    verdict("METEOR correlates better than BLEU", holds=stages[0] > r["bleu"].value)
    verdict("the penalty helps: METEOR's first stage is better than Fmean", holds=stages[0] > r["fmean"].value)
    verdict("each further stage helps", holds=stages == sorted(stages))
    if plot:
        from latticemetric.corpus.report.plots import plot_agreement

        plot_agreement(agreement, plot, level="segment")


if __name__ == "__main__":
    main(*sys.argv[1:])
