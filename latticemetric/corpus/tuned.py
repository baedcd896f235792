"""The result of tuning on a development set, with every decoder."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latticemetric.corpus.tabled_result import TabledResult
from latticemetric.evaluation.intervals import Interval
from latticemetric.lattice.columns import Floats
from latticemetric.metrics.base import Metric, Table
from latticemetric.tuning.search import counts_without


@dataclass(frozen=True, repr=False)
class Tuned(TabledResult):
    """The best setting on a development set.

    Attributes:
        best: The setting with the best score.
        default: The setting before tuning.
        held_out: The score to expect on new graphs, by cross-validation: each fold is decoded with the setting that is
            best on the other folds. `None` without folds.
        gain: Score of the best setting minus score of the default, on resamples that are tuned anew: the interval shows
            how much of the gain is luck. `None` without resamples.
        exact: True if no setting in the ranges has a better score.
        graphs: Number of graphs.
        signature: The metric, its parameters and the version.
        metric: The metric.
    """

    best: Any
    default: Any
    held_out: float | None
    gain: Interval | None
    exact: bool
    graphs: int
    signature: str
    metric: Metric[Any] = field(compare=False)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            exact (bool): True if no setting in the ranges has a better score.
        """
        return {
            "signature": self.signature,
            "graphs": self.graphs,
            "exact": self.exact,
            "best": self.best.asdict(),
            "default": self.default.asdict(),
            "held_out": self.held_out,
            "gain": None if self.gain is None else self.gain.asdict(),
        }


def merit_of(metric: Metric[Any], value: float) -> float:
    """Return a value of a metric, negated if smaller is better; −∞ if it is undefined."""
    return -math.inf if math.isnan(value) else value if metric.higher_is_better else -value


_FEWEST_FOLDS = 2


def held_out_table(graphs: int, folds: int, tuned_on: Callable[[Floats], Table]) -> Table | None:
    """Return the statistics of each graph, decoded with the setting that is best on the other folds.

    Args:
        graphs: The number of graphs; graph *i* is in fold *i* modulo `folds`.
        folds: The number of folds; with less than two, or with one graph, return `None`.
        tuned_on: A function that tunes on graphs, given how many times each graph counts, and returns the statistics of
            all graphs with the best setting.
    """
    folds = min(folds, graphs)
    if folds < _FEWEST_FOLDS:
        return None
    rows: Table | None = None
    for fold in range(folds):
        counts = counts_without(fold, folds, graphs)
        found = tuned_on(counts)
        rows = found if rows is None else np.where(counts[:, None] == 0, found, rows)
    return rows
