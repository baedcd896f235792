"""Search for the best weights of one or two columns: exact over all paths of all graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.lattice.columns import Floats
from latticemetric.metrics.base import Metric, References, Table
from latticemetric.tuning.cells import String, cells_of, segments_of
from latticemetric.tuning.merits import Merits
from latticemetric.tuning.optimum import Line, Plane, rows_of
from latticemetric.tuning.regions import Range, middle_of, short_decimals
from latticemetric.tuning.units import CostParts, Units

# Regions that are smaller cannot be met by weights in doubles.
_FINEST = 1e-9


@dataclass(frozen=True)
class Found:
    """The best weights for some of the graphs.

    Attributes:
        weights: The weights, in the order of their ranges.
        merit: The merit there; no weights in the ranges have a larger one.
        margin: How far each weight may change, all at once, and no string changes: a share of its range.
        corners: The corners of the region in which no string changes; of one weight, the two ends.
        ties: The number of regions that were found with this merit.
    """

    weights: tuple[Fraction, ...]
    merit: float
    margin: float
    corners: Floats
    ties: int


class ExactSearch:
    """The best strings of all graphs for all weights in one or two ranges."""

    def __init__(
        self,
        parts: Sequence[CostParts],
        references: Sequence[References],
        metric: Metric[Any],
        ranges: Sequence[Range],
        *,
        counted: Callable[[String], String],
        least_margin: float,
    ) -> None:
        """Search each graph for all weights, and score its strings.

        Args:
            parts: The costs of the graphs, in parts.
            references: The references of each graph.
            metric: The metric.
            ranges: The ranges of the weights: one or two.
            counted: Returns the words of a string that count.
            least_margin: Find weights that may change by this share of their ranges, all at once, and no string
                changes.
        """
        self._least_margin = max(least_margin, _FINEST)
        self.ranges, self.metric, self.merits = ranges, metric, Merits(metric)
        self.units = Units.of(parts)
        box = self.units.box([(one.low, one.high) for one in ranges])
        self._found: Line | Plane
        if len(ranges) == 1:
            segments = [segments_of(one, self.units, box) for one in parts]
            rows = rows_of([list(map(counted, one.strings)) for one in segments], references, metric)
            self._found = Line(segments, rows, self.merits, box[0] / box[2])
        else:
            cells = [cells_of(one, self.units, box) for one in parts]
            rows = rows_of([list(map(counted, one.strings)) for one in cells], references, metric)
            self._found = Plane(cells, rows, self.merits, box)

    def best(self, counts: Floats) -> Found:
        """Return the best weights, if each graph counts so many times."""
        merit, corners, ties = self._found.best(counts, self._least_margin)
        scale = [float(self.units.weight(number, Fraction(1))) for number in range(len(self.ranges))]
        corners = corners * scale
        middle, margin = middle_of(corners, self.ranges)
        return Found(short_decimals(middle, margin, self.ranges), merit, margin, corners, ties)

    def rows_at(self, weights: Sequence[Fraction]) -> Table:
        """Return the statistics of each graph's best string at these weights."""
        for weight, one in zip(weights, self.ranges, strict=True):
            if not one.low <= weight <= one.high:
                what = f"the weight {float(weight)} of '{one.name}' is not in its range"
                raise UsageError(what, advice=f"give a number from {float(one.low)} to {float(one.high)}")
        rows: Table = self._found.rows_at([self.units.value(number, weight) for number, weight in enumerate(weights)])
        return rows

    def score_at(self, weights: Sequence[Fraction]) -> float | None:
        """Return the metric's value at these weights; where strings change, that of either side."""
        return self.merits.value(float(self.merits.of(self.rows_at(weights).sum(axis=0)[None])[0]))

    # ---- Maps: the metric's value for all weights ----

    def grid(self, n: int, part: Sequence[Range] | None = None) -> Floats:
        """Return the metric's values at the middle of `n` equal parts of each range; NaN where they are undefined.

        Args:
            n: The number of parts of each range.
            part: Ranges inside of those of the search; by default, the same.
        """
        within = self.ranges if part is None else part
        if isinstance(self._found, Line):
            ends, values = self.steps()
            (one,) = within
            middles = [float(one.low + one.width * Fraction(2 * k + 1, 2 * n)) for k in range(n)]
            return values[np.minimum(np.searchsorted(ends, middles), len(values) - 1)]
        sums = self._found.sums_on_grid(self.units.box([(one.low, one.high) for one in within]), n)
        return self.merits.values(self.merits.of(sums)).reshape(n, n)

    def steps(self) -> tuple[Floats, Floats]:
        """Return the weights where strings change along a line, then its end; and the metric's value before each."""
        assert isinstance(self._found, Line)
        ends = self._found.ends * float(self.units.weight(0, Fraction(1)))
        return ends, self.merits.values(self.merits.of(self._found.sums_of_ranges()))

    def borders(self, most: int) -> Floats:
        """Return both ends of each line in a plane where the score of a graph changes; `most` of them if more."""
        assert isinstance(self._found, Plane)
        scale = [float(self.units.weight(number, Fraction(1))) for number in range(2)]
        return self._found.borders(most) * scale


def counts_without(fold: int, folds: int, graphs: int) -> Floats:
    """Return 0 for each graph of a fold, and 1 for each other graph; graph i is in fold i modulo `folds`."""
    counts: Floats = (np.arange(graphs) % folds != fold).astype(np.float64)
    return counts
