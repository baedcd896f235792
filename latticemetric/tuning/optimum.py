"""The best weights for many graphs together, along a line or in a plane: exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.lattice.columns import Floats
from latticemetric.metrics.base import Table
from latticemetric.tuning.cells import LineCells, PlaneCells
from latticemetric.tuning.merits import ROUNDING, Merits
from latticemetric.tuning.regions import middle_of_polygon

_MOST_BOXES = 5_000_000
_MOST_FACES = 1000


class Line:
    """The best strings of all graphs along a line of weights, and their statistics.

    Attributes:
        ends: The weights where a string changes, ascending; then the end of the range. All weights are in units.
    """

    def __init__(self, segments: Sequence[LineCells], rows: Sequence[Table], merits: Merits, low: float) -> None:
        self.merits = merits
        self._low, high = low, float(segments[0].ends[-1])
        self._each = [one.ends[:-1] for one in segments]
        self._rows = rows
        at = np.concatenate(self._each)
        graph = np.repeat(np.arange(len(segments)), [len(ends) for ends in self._each])
        order = np.argsort(at, kind="stable")
        at, self._graph = at[order], graph[order]
        self._changes = np.concatenate([np.diff(row, axis=0) for row in rows])[order]
        self._last = np.flatnonzero(np.diff(at, append=np.inf) > 0)
        self.ends: Floats = np.append(at[self._last], high)
        self._first = np.array([row[0] for row in rows])
        self._ranges = np.column_stack([np.append(low, self.ends[:-1]), self.ends])
        self._widths = self._ranges[:, 1] - self._ranges[:, 0]

    def best(
        self, counts: Floats, least_margin: float, preferred: Sequence[Fraction] | None = None
    ) -> tuple[float, Floats, int]:
        """Return the largest merit, the widest range of weights that has it, and the number of such ranges.

        Args:
            counts: How many times each graph counts.
            least_margin: Leave out narrower ranges: those whose half is a smaller share of the whole.
            preferred: The range of this weight comes first, if it has the largest merit.
        """
        found = self.merits.of(self._sums(counts))
        ranges, widths = self._ranges, self._widths
        is_wide = widths >= 2 * least_margin * (self.ends[-1] - self._low)
        if not is_wide.any():
            raise no_region(least_margin)
        merit = float(found[is_wide].max())
        # Neighbours of the same merit stay apart: strings change between them.
        best = np.flatnonzero(is_wide & (found >= merit - ROUNDING))
        widest = best[np.argmax(widths[best])]
        if preferred is not None:
            weight = float(preferred[0])
            around = best[(ranges[best, 0] <= weight) & (weight <= ranges[best, 1])]
            widest = around[0] if len(around) else widest
        return merit, ranges[widest][:, None], len(best)

    def range_at(self, weight: float) -> tuple[float, float]:
        """Return the range around a weight in which no string changes."""
        place = int(np.searchsorted(self.ends[:-1], weight))
        return float(self.ends[place - 1]) if place else self._low, float(self.ends[place])

    @property
    def sizes(self) -> list[int]:
        """The number of segments of each graph."""
        return [len(ends) + 1 for ends in self._each]

    def sums_of_ranges(self) -> Table:
        """Return the summed statistics of all graphs in each range of weights, from the lowest on."""
        return self._sums(np.ones(len(self._each)))

    def _sums(self, counts: Floats) -> Table:
        """Return the summed statistics of each interval."""
        return _native.line_sums(self._changes, self._graph, self._last, counts @ self._first, counts)

    def rows_at(self, point: Sequence[Fraction]) -> Table:
        """Return the statistics of each graph at a weight inside an interval."""
        places = [int(np.searchsorted(ends, float(point[0]))) for ends in self._each]
        return np.array([row[place] for row, place in zip(self._rows, places, strict=True)])


class Plane:
    """The best strings of all graphs in a box of weights, and their statistics. All weights are in units."""

    def __init__(self, cells: Sequence[PlaneCells], rows: Sequence[Table], merits: Merits, box: Sequence[int]) -> None:
        self.merits = merits
        self._rows, self._box = rows, box
        self._overlay = _native.Overlay(list(box), rows[0].shape[1])
        for one, row in zip(cells, rows, strict=True):
            self._overlay.add(one.native, np.ascontiguousarray(row))

    def best(
        self, counts: Floats, least_margin: float, preferred: Sequence[Fraction] | None = None
    ) -> tuple[float, Floats, int]:
        """Return the largest merit, the corners of a region that has it, and the number of faces that were found.

        Args:
            counts: How many times each graph counts.
            least_margin: Leave out smaller regions, in shares of the box.
            preferred: The region around these weights comes first, if it has the largest merit.
        """
        merit, bound, _, faces = self._overlay.best(
            counts,
            self.merits.bounds,
            ROUNDING,
            all_faces=False,
            most_faces=_MOST_FACES,
            least_margin=least_margin,
            most_boxes=_MOST_BOXES,
        )
        if bound > merit + ROUNDING:
            raise InputError("the search for the best weights takes too long", advice="vary weights less")
        if not faces:
            raise no_region(least_margin)
        around = self._region_around(preferred, counts, merit, least_margin)
        return merit, max((corners for _, corners in faces), key=_area) if around is None else around, len(faces)

    @property
    def sizes(self) -> list[int]:
        """The number of cells of each graph."""
        return list(map(len, self._rows))

    def _region_around(
        self, point: Sequence[Fraction] | None, counts: Floats, merit: float, least_margin: float
    ) -> Floats | None:
        """Return the corners of the region around a point, if it has the merit and the margin."""
        if point is None:
            return None
        if float(self.merits.of((counts @ self.rows_at(point))[None])[0]) < merit - ROUNDING:
            return None
        corners = self._overlay.region(*_over_unit(point))
        low_x, high_x, low_y, high_y, unit = self._box
        size = np.array([high_x - low_x, high_y - low_y]) / unit
        return corners if len(corners) and middle_of_polygon(corners / size)[1] >= least_margin else None

    def sums_on_grid(self, part: Sequence[int], n: int) -> Table:
        """Return the summed statistics of all graphs at the middle of each of n × n parts of a box in this one.

        The second weight changes fastest.
        """
        sums: Table = self._overlay.sums(list(part), n)
        return sums.reshape(n, n, -1).transpose(1, 0, 2).reshape(n * n, -1)

    def borders(self, most: int) -> Floats:
        """Return both ends of each border where statistics change; `most` of them if there are more."""
        found: Floats = self._overlay.borders(most)
        return found

    def rows_at(self, point: Sequence[Fraction]) -> Table:
        """Return the statistics of each graph at weights inside a cell."""
        cells = self._overlay.at(*_over_unit(point))
        return np.array([row[cell] for row, cell in zip(self._rows, cells.tolist(), strict=True)])


def no_region(least_margin: float) -> InputError:
    """Return the error if strings change everywhere sooner than the margin."""
    what = f"no weights have a margin of {least_margin:g}"
    return InputError(what, advice="ask for a smaller one")


def _over_unit(point: Sequence[Fraction]) -> tuple[int, int, int]:
    """Return the coordinates of a point as whole numbers, and their common denominator."""
    unit = math.lcm(*(value.denominator for value in point))
    x, y = (int(value * unit) for value in point)
    return x, y, unit


def _area(corners: Floats) -> float:
    x, y = corners.T
    return float(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))) / 2
