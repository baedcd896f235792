"""The best point of a grid, then better ones around it: coordinate steps that get shorter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import TypeVar

from latticemetric.errors import UsageError

Point = tuple[float, ...]
Key = TypeVar("Key")
Merits = Callable[[Sequence[Point]], list[float]]

# Merits this close are equal: a step has to be worth more than rounding.
_ROUNDING = 1e-12
_PLACES = 10


def coordinate_search(
    axes: Mapping[str, Sequence[float]], merits: Merits, halvings: int, is_possible: Callable[[Point], bool]
) -> dict[Point, float]:
    """All points that were tried, in this order, with their merits; `best_of` them is the answer.

    The grid comes first, its last axis fastest. A step along an axis of several values is half of their mean distance
    at first, and half as long in each round that follows. In a round all steps from the best point so far are tried,
    axis by axis, down and up; it ends when none is better.

    Args:
        axes: The values of each axis; one of a single value is not searched.
        merits: The merit of each of some points, all distinct and new; larger is better.
        halvings: How many rounds there are; 0 leaves it at the grid.
        is_possible: Whether there is such a point, outside of the grid.
    """
    if halvings < 0:
        raise UsageError(f"{halvings} rounds of steps", advice="give 0 or more")
    grid = list(dict.fromkeys(product(*(sorted(set(map(float, values))) for values in axes.values()))))
    if not grid:
        empty = next(name for name, values in axes.items() if not len(values))
        raise UsageError(f"{empty} has no values to choose from")
    tried = dict(zip(grid, merits(grid), strict=True))
    steps = [_mean_distance(sorted(set(map(float, values)))) for values in axes.values()]
    for number in range(1, halvings + 1):
        best = None
        while best != (best := best_of(tried)):
            around = [p for p in _around(best, steps, 2.0**-number) if p not in tried and is_possible(p)]
            tried |= zip(around, merits(around) if around else (), strict=True)
    return tried


def best_of(tried: Mapping[Key, float]) -> Key:
    """The point (or what else is tried) of largest merit; of equal ones, the one that was tried first."""
    best, largest = next(iter(tried)), -math.inf
    for point, merit in tried.items():
        if merit > largest + _ROUNDING:
            best, largest = point, merit
    return best


def _mean_distance(values: Sequence[float]) -> float:
    distances = [after - before for before, after in pairwise(values)]
    return math.fsum(distances) / len(distances) if distances else 0.0


def _around(point: Point, distances: Sequence[float], share: float) -> Iterator[Point]:
    for axis, distance in enumerate(distances):
        for sign in (-1, 1) if distance else ():
            value = round(point[axis] + sign * share * distance, _PLACES)
            yield (*point[:axis], value, *point[axis + 1 :])
