"""Search for the best weights of three and more columns: exact on lines and planes, in turn.

The result need not be the best of all weights. But on each line along one column through it, no weights are better.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from latticemetric.display.progress import progress_bar
from latticemetric.lattice.columns import Floats
from latticemetric.metrics.base import Table
from latticemetric.tuning.costs import CostTable
from latticemetric.tuning.merits import ROUNDING, Merits
from latticemetric.tuning.regions import Range
from latticemetric.tuning.scored_strings import ScoredStrings
from latticemetric.tuning.search import CLEAR, ExactSearch, Found
from latticemetric.tuning.section import Point, Section

# A random direction changes each weight by a multiple of this share of its range.
_SHARES = 20
# Planes that may have more cells are left out.
_MOST_CELLS = 200_000
_FEWEST_DIGITS, _MOST_DIGITS = 2, 9


@dataclass(frozen=True)
class Space:
    """The weights of some graphs: where to search, and how.

    Attributes:
        table: The costs of the graphs.
        strings: The statistics of strings.
        ranges: The ranges of the weights.
        decoded: Returns the statistics of graphs at some weights, by an ordinary search; graphs are given by number.
    """

    table: CostTable
    strings: ScoredStrings
    ranges: Sequence[Range]
    decoded: Callable[[Point, Sequence[int]], Table]


@dataclass(frozen=True)
class Summit:
    """Weights from where no line along one column leads to better ones.

    Attributes:
        weights: The weights.
        merit: Their merit.
        lines: The search along each column.
    """

    weights: Point
    merit: float
    lines: tuple[ExactSearch, ...]

    def found(self, ranges: Sequence[Range], counts: Floats) -> Found:
        """Return the summit with a region in which no string changes.

        A path that is the cheapest at several points is the cheapest between them, too. So no string changes between
        the ends of the intervals in which none changes along each column.
        """
        ends = [line.range_at((weight,)) for line, weight in zip(self.lines, self.weights, strict=True)]
        corners = np.array([[float(weight) for weight in self.weights]] * (2 * len(ends)))
        shares = []
        for k, ((low, high), weight, one) in enumerate(zip(ends, self.weights, ranges, strict=True)):
            corners[2 * k, k], corners[2 * k + 1, k] = low, high
            shares.append(min(high - float(weight), float(weight) - low) / float(one.width))
        margin = 1 / sum(1 / share for share in shares) if min(shares) > 0 else 0.0
        ties = 1 + sum(line.best(counts).ties - 1 for line in self.lines)
        return Found(self.weights, self.merit, margin, corners, ties)


class Climbs:
    """The search for the best weights of three and more columns.

    Attributes:
        is_exact: False: other weights may be better.
    """

    is_exact = False

    def __init__(self, space: Space, start: Point, *, restarts: int, seed: int, watched: bool = False) -> None:
        """Climb nowhere yet.

        Args:
            space: Where to search.
            start: The weights to start from; if they are not in the ranges, the nearest that are.
            restarts: How many times to start from random weights, too.
            seed: The seed of random weights and directions.
            watched: True to show a progress bar that counts lines and planes.
        """
        self._space, self._start = space, moved_into(start, space.ranges)
        self._restarts, self._seed, self._watched = restarts, seed, watched
        self._lines: tuple[ExactSearch, ...] = ()

    def best(self, counts: Floats) -> Found:
        """Return the best weights that were found: none are better along any one column.

        A later start wins if it leads to better weights.
        """
        chance = random.Random(self._seed)  # noqa: S311
        starts = [self._start, *(_random_point(self._space.ranges, chance) for _ in range(self._restarts))]
        summits = [self._summit(start, chance, counts, planes=True) for start in starts]
        best = max(summits, key=lambda summit: summit.merit)
        self._lines = best.lines
        return best.found(self._space.ranges, counts)

    def best_without(self, counts: Floats) -> Point:
        """Return the best weights if some graphs do not count: from the start, on lines only."""
        chance = random.Random(self._seed)  # noqa: S311
        return self._summit(self._start, chance, counts, planes=False).weights

    def _summit(self, start: Point, chance: random.Random, counts: Floats, *, planes: bool) -> Summit:
        bar = progress_bar(None, "lines") if self._watched else None
        with nullcontext() if bar is None else bar:
            return _Climb(self._space, start, chance, counts, bar).summit(planes=planes)

    def resampled(self, counts: Floats) -> tuple[list[float], float]:
        """Return the best weights on the lines along each column, through the best of all graphs; and their merit."""
        return max((line.resampled(counts) for line in self._lines), key=lambda found: found[1])

    def rows_at(self, weights: Point) -> Table:
        """Return the statistics of each graph's best string at some weights."""
        return self._space.decoded(weights, range(len(self._space.table.graphs)))


class _Climb:
    """A walk to ever better weights."""

    def __init__(self, space: Space, start: Point, chance: random.Random, counts: Floats, bar: Any) -> None:
        self._space, self._chance, self._bar = space, chance, bar
        self._chosen = np.flatnonzero(counts).tolist()
        self._counts = counts[counts > 0]
        self._merits = Merits(space.strings.metric)
        self._point = start
        self._rows = space.decoded(start, self._chosen)
        self._merit = self._merit_of(self._rows)
        self._lines: dict[int, ExactSearch] = {}  # through the point, by column

    def summit(self, *, planes: bool) -> Summit:
        """Return the weights where nothing that is tried leads to better ones."""
        self._climb_on_lines()
        while planes and self._climbs_on_a_plane():
            self._climb_on_lines()
        return Summit(self._point, self._merit, tuple(self._lines[k] for k in range(len(self._point))))

    def _climb_on_lines(self) -> None:
        """Try lines along columns and random directions in turn, until a whole round leads to nothing better."""
        columns = [*range(len(self._point)), *[-1] * len(self._point)]
        self._chance.shuffle(columns)
        in_vain, number = 0, 0
        while in_vain < len(columns):
            column = columns[number % len(columns)]
            climbs = self._climbs_along(column) if column >= 0 else self._climbs_at_random()
            in_vain = 1 if climbs else in_vain + 1
            number += 1

    def _climbs_along(self, column: int) -> bool:
        section = Section.of_columns(self._point, self._space.ranges, column)
        line = self._lines.get(column) or self._search(section)
        climbs = self._climbs(line)
        self._lines[column] = line
        return climbs

    def _climbs_at_random(self) -> bool:
        direction = tuple(one.width * self._chance.randint(-_SHARES, _SHARES) / _SHARES for one in self._space.ranges)
        section = Section.along(self._point, direction, self._space.ranges)
        return section is not None and self._climbs(self._search(section), shorten=True)

    def _climbs_on_a_plane(self) -> bool:
        columns = list(range(len(self._point)))
        self._chance.shuffle(columns)
        for one, other in zip(columns, columns[1:] + columns[:1], strict=True):
            if np.dot(self._lines[one].sizes, self._lines[other].sizes) > _MOST_CELLS:
                continue
            section = Section.of_columns(self._point, self._space.ranges, one, other)
            if self._climbs(self._search(section)):
                return True
        return False

    def _search(self, section: Section) -> ExactSearch:
        if self._bar is not None:
            self._bar.update()
        return ExactSearch(self._space.table, self._space.strings, section, chosen=self._chosen)

    def _climbs(self, search: ExactSearch, *, shorten: bool = False) -> bool:
        """Go to the best weights of a line or plane if they are better, and an ordinary search confirms it."""
        found = search.best(self._counts)
        if found.merit <= self._merit + ROUNDING:
            return False
        rows = self._space.decoded(found.weights, self._chosen)
        merit = self._merit_of(rows)
        if merit < found.merit - ROUNDING and found.margin > CLEAR and search.is_exact:
            raise AssertionError(f"other strings are the best at {found.weights}: this is a bug")
        if merit <= self._merit + ROUNDING:
            return False
        self._point, self._merit, self._rows = found.weights, merit, rows
        if shorten:
            self._point = self._shortened(found.weights)
        self._lines = {}
        return True

    def _shortened(self, point: Point) -> Point:
        """Return a point with the same strings and fewer digits."""
        for digits in range(_FEWEST_DIGITS, _MOST_DIGITS + 1):
            rounded = tuple(
                _rounded(weight, one, digits) for weight, one in zip(point, self._space.ranges, strict=True)
            )
            near = moved_into(rounded, self._space.ranges)
            if np.array_equal(self._space.decoded(near, self._chosen), self._rows):
                return near
        return point

    def _merit_of(self, rows: Table) -> float:
        return float(self._merits.of((self._counts @ rows)[None])[0])


def _rounded(value: Fraction, within: Range, digits: int) -> Fraction:
    step = Fraction(10) ** (math.floor(math.log10(within.width)) - digits)
    return round(value / step) * step


def moved_into(point: Point, ranges: Sequence[Range]) -> Point:
    """Return the nearest point in the ranges."""
    return tuple(min(max(value, one.low), one.high) for value, one in zip(point, ranges, strict=True))


def _random_point(ranges: Sequence[Range], chance: random.Random) -> Point:
    return tuple(one.low + one.width * Fraction(chance.randint(1, 999), 1000) for one in ranges)
