"""Coughlin 2003: metrics agree with people if there are enough segments, and over the whole range of quality.

    python coughlin_2003.py [TESTSET [PAIR [PLOT]]]

First, Pearson's r over systems for test sets of more and more segments, drawn at random. Then segments of all systems
are grouped by their unigram score, and each group is scored as a test set (her sections 2.2 and 2.3).
"""

import sys

import numpy as np
from test_set import HARVEST, read, verdict

import latticemetric as lm
from latticemetric.evaluation import group_segments, pearson, system_tables

METRICS = ("bleu", "nist", "wer")
DRAWS = 200
HIGH = 0.9


def main(path: str = HARVEST, pair: str | None = None, plot: str | None = None) -> None:
    """Print both tables, and what becomes of the claims."""
    test = read(path, pair)
    tables = system_tables(test.outputs, test.references, [lm.make_metric(name) for name in (*METRICS, "f1")])
    segments = test.human.shape[1]
    whole = np.nanmean(test.human, axis=1) if test.whole is None else test.whole
    sizes = sorted({max(2, segments // share) for share in (16, 8, 4, 2, 1)})
    generator = np.random.default_rng(0)
    sign = {name: 1 if tables[name].higher_is_better else -1 for name in METRICS}
    means: dict[str, list[float]] = {name: [] for name in METRICS}
    print("segments", *METRICS, sep="\t")
    for size in sizes:
        drawn = [generator.choice(segments, size, replace=False) for _ in range(DRAWS)]
        for name in METRICS:
            values = [tables[name].of_sums(tables[name].tables[:, rows].sum(axis=1)) for rows in drawn]
            means[name].append(sign[name] * float(np.nanmean(pearson(np.array(values), whole))))
        print(size, *(f"{means[name][-1]:.4f}" for name in METRICS), sep="\t")
    groups = group_segments(
        {name: tables[name] for name in METRICS}, test.human, tables["f1"].of_segments(), smallest=segments
    )
    print("group", "segments", "human", *METRICS, sep="\t")
    for group in groups.groups:
        scores = ("-" if (score := group.scores[name]) is None else f"{score:.4f}" for name in METRICS)
        print(f"{group.value:g}", group.size, f"{group.human:.4f}", *scores, sep="\t")
    over = {name: sign[name] * float(groups.every[name].pearson.value or 0) for name in METRICS}
    print("r over groups", *(f"{name} {r:.4f}" for name, r in over.items()))
    grows = all(row[-1] >= row[0] for row in means.values())
    verdict("more segments give a higher correlation of systems", holds=grows)
    verdict("groups over the whole range of quality correlate above 0.9", holds=min(over.values()) > HIGH)
    if plot:
        from latticemetric.corpus.report.plots import plot_grouping

        plot_grouping(groups, plot)


if __name__ == "__main__":
    main(*sys.argv[1:])
