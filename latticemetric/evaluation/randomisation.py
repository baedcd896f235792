"""Approximate randomisation (Noreen 1989; Riezler & Maxwell 2005): could the difference of two systems be chance?

If the systems were the same, it would not matter which of them an answer came from: segments change sides at random,
and the difference is made again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from latticemetric.evaluation.bootstrap import value_of
from latticemetric.evaluation.resampling import ROUNDING, TabledMetric, Values, swapped_sums
from latticemetric.metrics.base import Table


@dataclass(frozen=True)
class Randomisation:
    """The result of a randomisation test.

    Attributes:
        difference: The second system's value minus the first's; `None` where it is undefined.
        p: Two-sided: (c + 1) / (R + 1), where c counts the trials whose difference is at least as large, whatever its
            sign. A trial in which it is undefined counts so too. `None` where the observed difference is undefined.
        trials: R, how many there were.
        undefined: In how many of them the difference is undefined.
    """

    difference: float | None
    p: float | None
    trials: int
    undefined: int

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def randomisation_test(
    metric: TabledMetric, first: Table, second: Table, *, trials: int = 1000, seed: int = 0
) -> Randomisation:
    """Whether two systems differ by more than chance.

    Args:
        metric: Turns sums into values.
        first: Statistics of one system, a row a segment.
        second: Statistics of the other, on the same segments.
        trials: How often segments change sides.
        seed: The same seed swaps the same segments.

    Examples:
        >>> from latticemetric import WER
        >>> wer = WER()
        >>> table = wer.table(["a b", "x y", "a c"], ["a b", "x", "b c"])
        >>> randomisation_test(wer, table, table).p
        1.0
    """
    ((one, other),) = swapped_sums([(first, second)], trials, seed)
    observed = value_of(metric, second) - value_of(metric, first)
    return randomised(observed, metric.values(other) - metric.values(one))


def randomised(observed: float, differences: Values) -> Randomisation:
    """What the differences of the trials say about the observed one."""
    undefined = int(np.count_nonzero(np.isnan(differences)))
    if np.isnan(observed):
        return Randomisation(None, None, len(differences), undefined)
    smaller = int(np.count_nonzero(np.abs(differences) < abs(observed) - ROUNDING))
    return Randomisation(
        float(observed), (len(differences) - smaller + 1) / (len(differences) + 1), len(differences), undefined
    )
