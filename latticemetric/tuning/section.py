"""Lines and planes in the space of the weights that vary, on which a search is exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from latticemetric.tuning.regions import Range

Point = tuple[Fraction, ...]
"""A value of each weight that varies."""

# Lines end on a grid of so many points, so that their ends are no long fractions.
_STEPS = 10**6


@dataclass(frozen=True)
class Section:
    """A line or a plane: the weights `origin + x * directions[0] + y * directions[1]`.

    Attributes:
        origin: The weights where x and y are 0.
        directions: By how much each weight changes with x, and with y.
        ranges: The ranges of x and y.
    """

    origin: Point
    directions: tuple[Point, ...]
    ranges: tuple[Range, ...]

    @classmethod
    def of_columns(cls, at: Point, ranges: Sequence[Range], *columns: int) -> Section:
        """Return the line or plane through a point on which the weights of these columns vary: they are x and y."""
        origin = tuple(Fraction(0) if k in columns else value for k, value in enumerate(at))
        directions = tuple(tuple(Fraction(k == column) for k in range(len(at))) for column in columns)
        return cls(origin, directions, tuple(ranges[column] for column in columns))

    @classmethod
    def along(cls, at: Point, direction: Point, ranges: Sequence[Range]) -> Section | None:
        """Return the line through a point in a direction, as far as the ranges go; `None` if it has no length."""
        low, high = [], []
        for value, step, one in zip(at, direction, ranges, strict=True):
            if step:
                ends = sorted([(one.low - value) / step, (one.high - value) / step])
                low.append(ends[0])
                high.append(ends[1])
        first, last = Fraction(math.ceil(max(low) * _STEPS), _STEPS), Fraction(math.floor(min(high) * _STEPS), _STEPS)
        return (
            cls(at, (direction,), (replace(ranges[0], low=first, high=last, is_inverse=False),))
            if first < last
            else None
        )

    def point(self, coordinates: Sequence[Fraction]) -> Point:
        """Return the weights at coordinates."""
        return tuple(
            start
            + sum((c * direction[k] for c, direction in zip(coordinates, self.directions, strict=True)), Fraction(0))
            for k, start in enumerate(self.origin)
        )
