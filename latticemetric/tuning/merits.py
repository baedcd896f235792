"""The merit of summed statistics: the value of a metric, negated if smaller is better; and its bounds."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.lattice.columns import Floats
from latticemetric.metrics.base import Metric, Table

# Values of a metric that differ by less may differ by rounding only.
ROUNDING = 1e-12
_MOST_UNCLEAR = 6


class Merits:
    """The merits of a metric.

    Attributes:
        metric: The metric.
        sign: 1 if higher values are better, -1 if smaller ones are.
    """

    def __init__(self, metric: Metric[Any]) -> None:
        self.metric = metric
        self.sign = 1 if metric.higher_is_better else -1
        effects, columns = metric.effects, metric.columns
        better = effects.up if metric.higher_is_better else effects.down
        clear = effects.up | effects.down
        self._better_high = np.array([name in better for name in columns])
        self._unclear = [k for k, name in enumerate(columns) if name not in clear]
        self._sizes = [k for k, name in enumerate(columns) if name in effects.sizes]

    def of(self, sums: Table) -> Floats:
        """Return the merit of each row of sums; −∞ if the metric's value is undefined."""
        values = self.sign * self.metric.values(sums)
        found: Floats = np.where(np.isnan(values), -np.inf, values)
        return found

    def bounds(self, low: Table, high: Table) -> Floats:
        """Return for each pair of rows a merit that no sums between them exceed.

        A merit rises or falls with each column, if the others stay as they are. So it is the largest at a corner;
        except where a size may be 0: nothing is known there.
        """
        if np.array_equal(low, high):
            return self.of(low)
        best = np.where(self._better_high, high, low)
        differ = [k for k in self._unclear if not np.array_equal(low[:, k], high[:, k])]
        if len(differ) > _MOST_UNCLEAR:
            raise UsageError(f"{self.metric.name} has too many statistics to be tuned", advice="choose another metric")
        maybe_empty = (low[:, self._sizes] == 0) & (high[:, self._sizes] > 0)
        found = np.where(maybe_empty.any(axis=1), np.inf, -np.inf)
        for sides in product((low, high), repeat=len(differ)):
            for column, side in zip(differ, sides, strict=True):
                best[:, column] = side[:, column]
            found = np.maximum(found, self.of(best))
        return found

    def values(self, merits: Floats) -> Floats:
        """Return the metric's values of merits; NaN if they are undefined."""
        found: Floats = np.where(np.isinf(merits), np.nan, self.sign * merits)
        return found

    def value(self, merit: float) -> float | None:
        """Return the metric's value of a merit; `None` if it is undefined."""
        return None if np.isinf(merit) else self.sign * merit
