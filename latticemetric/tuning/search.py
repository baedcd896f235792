"""Search for the best weights on a line or in a plane: exact over all paths of all graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from latticemetric.display.progress import progress
from latticemetric.errors import UsageError
from latticemetric.lattice.columns import Floats
from latticemetric.metrics.base import Table
from latticemetric.tuning.cells import cells_of, segments_of
from latticemetric.tuning.costs import CostTable
from latticemetric.tuning.merits import Merits
from latticemetric.tuning.optimum import Line, Plane
from latticemetric.tuning.regions import Range, margin_at, middle_of, short_decimals
from latticemetric.tuning.scored_strings import ScoredStrings
from latticemetric.tuning.section import Point, Section

# Regions that are smaller cannot be met by weights in doubles.
_FINEST = 1e-9
CLEAR = 1e-6
"""In regions of a smaller margin, costs of paths differ so little that ordinary searches, whose sums are rounded, may
confuse them."""


@dataclass(frozen=True)
class Found:
    """The best weights for some of the graphs.

    Attributes:
        weights: The weights, in the order of their ranges.
        merit: The merit there; no weights on the line, or in the plane, have a larger one.
        margin: How far each weight may change, all at once, and no string changes: a share of its range.
        corners: The corners of a region in which no string changes; of one weight, the two ends.
        ties: The number of regions that were found with this merit.
    """

    weights: Point
    merit: float
    margin: float
    corners: Floats
    ties: int


class ExactSearch:
    """The best strings of graphs for all weights on a line or in a plane."""

    def __init__(
        self,
        table: CostTable,
        strings: ScoredStrings,
        section: Section,
        *,
        least_margin: float = 0,
        preferred: Sequence[Fraction] | None = None,
        chosen: Sequence[int] | None = None,
        watched: bool = False,
    ) -> None:
        """Search graphs for all weights, and score their strings.

        Args:
            table: The costs of the graphs.
            strings: The statistics of strings.
            section: The line or plane.
            least_margin: Find weights that may change by this share of their ranges, all at once, and no string
                changes.
            preferred: Of regions that are equally good, the one around these coordinates comes first.
            chosen: The numbers of the graphs; by default, all.
            watched: True to show a progress bar of a plane; a line takes no time.
        """
        self._least_margin = max(least_margin, _FINEST)
        self.section, self.merits = section, Merits(strings.metric)
        self.costs = costs = table.on(section)
        self.is_exact = costs.is_exact
        self._preferred = None if preferred is None or not self._has(preferred) else costs.in_units(preferred)
        numbers = range(len(table.graphs)) if chosen is None else chosen
        self._found: Line | Plane
        if len(section.directions) == 1:
            segments = segments_of(table, costs, numbers)
            rows = strings.rows([one.strings for one in segments], numbers)
            self._found = Line(segments, rows, self.merits, costs.box[0] / costs.box[2])
        else:
            each = progress(numbers, len(numbers), "graphs searched") if watched else numbers
            cells = [cells_of(table, costs, number) for number in each]
            rows = strings.rows([one.strings for one in cells], numbers)
            self._found = Plane(cells, rows, self.merits, costs.box)

    def best(self, counts: Floats) -> Found:
        """Return the best weights, if each graph counts so many times."""
        merit, corners, ties = self._found.best(counts, self._least_margin, self._preferred)
        corners = corners * [float(scale) for scale in self.costs.scales]
        middle, most = middle_of(corners, self.section.ranges)
        distance = max(0.0, min(most / 2, most - self._least_margin))
        coordinates = short_decimals(middle, distance, self.section.ranges)
        margin = max(most - distance, margin_at(coordinates, corners, self.section.ranges))
        return Found(self.section.point(coordinates), merit, margin, corners, ties)

    def best_without(self, counts: Floats) -> Point:
        """Return the best weights if some graphs do not count."""
        return self.best(counts).weights

    def resampled(self, counts: Floats) -> tuple[list[float], float]:
        """Return the best weights, not rounded, if each graph counts so many times; and their merit."""
        merit, corners, _ = self._found.best(counts, self._least_margin, self._preferred)
        middle, _ = middle_of(corners * [float(scale) for scale in self.costs.scales], self.section.ranges)
        weights = np.array([float(value) for value in self.section.origin])
        for coordinate, direction in zip(middle, self.section.directions, strict=True):
            weights += coordinate * np.array([float(step) for step in direction])
        return weights.tolist(), merit

    def range_at(self, coordinates: Sequence[Fraction]) -> tuple[float, float]:
        """Return the range around a coordinate on a line in which no string changes."""
        assert isinstance(self._found, Line)
        (scale,) = map(float, self.costs.scales)
        low, high = self._found.range_at(float(self.costs.in_units(coordinates)[0]))
        return scale * low, scale * high

    @property
    def sizes(self) -> list[int]:
        """The number of segments or cells of each graph."""
        return self._found.sizes

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The ranges of the coordinates."""
        return self.section.ranges

    def _has(self, coordinates: Sequence[Fraction]) -> bool:
        return all(one.low <= value <= one.high for value, one in zip(coordinates, self.section.ranges, strict=True))

    def rows_at(self, coordinates: Sequence[Fraction]) -> Table:
        """Return the statistics of each graph's best string at these coordinates."""
        for value, one in zip(coordinates, self.section.ranges, strict=True):
            if not one.low <= value <= one.high:
                what = f"the weight {float(value)} of '{one.name}' is not in its range"
                raise UsageError(what, advice=f"give a number from {float(one.low)} to {float(one.high)}")
        rows: Table = self._found.rows_at(self.costs.in_units(coordinates))
        return rows

    def score_at(self, coordinates: Sequence[Fraction]) -> float | None:
        """Return the metric's value at these coordinates; where strings change, that of either side."""
        return self.merits.value(float(self.merits.of(self.rows_at(coordinates).sum(axis=0)[None])[0]))

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
        sums = self._found.sums_on_grid(self.costs.box_of(within), n)
        return self.merits.values(self.merits.of(sums)).reshape(n, n)

    def steps(self) -> tuple[Floats, Floats]:
        """Return the weights where strings change along a line, then its end; and the metric's value before each."""
        assert isinstance(self._found, Line)
        ends = self._found.ends * float(self.costs.scales[0])
        return ends, self.merits.values(self.merits.of(self._found.sums_of_ranges()))

    def borders(self, most: int) -> Floats:
        """Return both ends of each line in a plane where the score of a graph changes; `most` of them if more."""
        assert isinstance(self._found, Plane)
        ends: Floats = self._found.borders(most) * [float(scale) for scale in self.costs.scales]
        return ends


def counts_without(fold: int, folds: int, graphs: int) -> Floats:
    """Return 0 for each graph of a fold, and 1 for each other graph; graph i is in fold i modulo `folds`."""
    counts: Floats = (np.arange(graphs) % folds != fold).astype(np.float64)
    return counts
