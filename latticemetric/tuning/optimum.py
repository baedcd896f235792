"""The best weights for many graphs together, along a line or in a plane: exact."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.lattice.columns import Floats
from latticemetric.metrics.base import Metric, References, Table
from latticemetric.tuning.cells import LineCells, PlaneCells, String
from latticemetric.tuning.merits import ROUNDING, Merits

_MOST_BOXES = 5_000_000
_MOST_FACES = 1000


def rows_of(strings: Sequence[Sequence[String]], references: Sequence[References], metric: Metric[Any]) -> list[Table]:
    """Return the statistics of the strings of each graph, a row a string; equal strings are scored once."""
    distinct = [list(dict.fromkeys(several)) for several in strings]
    found: list[dict[String, Floats]] = [{} for _ in strings]
    for batch in _batches(distinct, metric):
        table = metric.table([text for _, text in batch], [references[number] for number, _ in batch])
        for (number, text), row in zip(batch, table, strict=True):
            found[number][text] = row
    return [np.array([rows[text] for text in several]) for rows, several in zip(found, strings, strict=True)]


def _batches(distinct: Sequence[Sequence[String]], metric: Metric[Any]) -> Iterable[list[tuple[int, String]]]:
    """Yield strings to be scored together: all; or one of each graph, if each row depends on all references."""
    if not metric.weighs_by_references:
        yield [(number, text) for number, texts in enumerate(distinct) for text in texts]
        return
    for turn in range(max(map(len, distinct), default=0)):
        yield [(number, texts[min(turn, len(texts) - 1)]) for number, texts in enumerate(distinct)]


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

    def best(self, counts: Floats, least_margin: float) -> tuple[float, Floats, int]:
        """Return the largest merit, the widest range of weights that has it, and the number of such ranges.

        Args:
            counts: How many times each graph counts.
            least_margin: Leave out narrower ranges: those whose half is a smaller share of the whole.
        """
        found = self.merits.of(self._sums(counts))
        ranges = np.column_stack([np.append(self._low, self.ends[:-1]), self.ends])
        widths = ranges[:, 1] - ranges[:, 0]
        is_wide = widths >= 2 * least_margin * (self.ends[-1] - self._low)
        if not is_wide.any():
            raise no_region(least_margin)
        merit = float(found[is_wide].max())
        # Neighbours of the same merit stay apart: strings change between them.
        best = np.flatnonzero(is_wide & (found >= merit - ROUNDING))
        return merit, ranges[best[np.argmax(widths[best])]][:, None], len(best)

    def sums_of_ranges(self) -> Table:
        """Return the summed statistics of all graphs in each range of weights, from the lowest on."""
        return self._sums(np.ones(len(self._each)))

    def _sums(self, counts: Floats) -> Table:
        """Return the summed statistics of each interval."""
        along = np.cumsum(self._changes * counts[self._graph, None], axis=0)
        start = counts @ self._first
        return np.concatenate([start[None], start + along[self._last]])

    def rows_at(self, point: Sequence[Fraction]) -> Table:
        """Return the statistics of each graph at a weight inside an interval."""
        places = [int(np.searchsorted(ends, float(point[0]))) for ends in self._each]
        return np.array([row[place] for row, place in zip(self._rows, places, strict=True)])


class Plane:
    """The best strings of all graphs in a box of weights, and their statistics. All weights are in units."""

    def __init__(self, cells: Sequence[PlaneCells], rows: Sequence[Table], merits: Merits, box: Sequence[int]) -> None:
        self.merits = merits
        self._rows = rows
        self._overlay = _native.Overlay(list(box), rows[0].shape[1])
        for one, row in zip(cells, rows, strict=True):
            self._overlay.add(one.native, np.ascontiguousarray(row))

    def best(self, counts: Floats, least_margin: float) -> tuple[float, Floats, int]:
        """Return the largest merit, the corners of a region that has it, and the number of faces that were found.

        Args:
            counts: How many times each graph counts.
            least_margin: Leave out smaller regions, in shares of the box.
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
        return merit, max((corners for _, corners in faces), key=_area), len(faces)

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
        unit = math.lcm(*(value.denominator for value in point))
        x, y = (int(value * unit) for value in point)
        cells = self._overlay.at(x, y, unit)
        return np.array([row[cell] for row, cell in zip(self._rows, cells.tolist(), strict=True)])


def no_region(least_margin: float) -> InputError:
    """Return the error if strings change everywhere sooner than the margin."""
    what = f"no weights have a margin of {least_margin:g}"
    return InputError(what, advice="ask for a smaller one")


def _area(corners: Floats) -> float:
    x, y = corners.T
    return float(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))) / 2
