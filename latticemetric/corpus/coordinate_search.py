"""Search for the best point of a grid, then for better points around it, by steps along one axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import TypeVar

from latticemetric.arguments import MOST_HALVINGS, whole_number
from latticemetric.errors import UsageError

Point = tuple[float, ...]
Key = TypeVar("Key")
Merits = Callable[[Sequence[Point]], list[float]]

# A step must gain more than this: smaller differences may be rounding errors.
_ROUNDING = 1e-12
_PLACES = 10


def coordinate_search(
    axes: Mapping[str, Sequence[float]], merits: Merits, halvings: int, is_possible: Callable[[Point], bool]
) -> dict[Point, float]:
    """Search for the point with the largest merit; return the merits of all points tried, in order.

    `best_of` gives the best point of the result.

    First try the grid, with the last axis fastest. Then try steps along each axis with several values. The first step
    is half of the mean distance between neighbouring values; each round halves the steps. A round tries all steps from
    the best point so far, axis by axis, down and up, until no step is better.

    Args:
        axes: The values of each axis; an axis with a single value is fixed.
        merits: A function that returns the merits of new, distinct points; larger is better.
        halvings: Number of rounds; 0 tries the grid only.
        is_possible: A function that returns True if a point outside of the grid is valid.
    """
    message, advice = f"the number of halvings is {halvings!r}", f"give a whole number from 0 to {MOST_HALVINGS}"
    halvings = whole_number(halvings, message, advice, least=0, most=MOST_HALVINGS)
    ascending = {name: sorted(set(map(float, values))) for name, values in axes.items()}
    for name, values in ascending.items():
        if not values:
            raise UsageError(f"{name} has no values", advice="give at least one")
    grid = list(product(*ascending.values()))
    tried = dict(zip(grid, merits(grid), strict=True))
    distances = [
        math.fsum(after - before for before, after in pairwise(values)) / max(1, len(values) - 1)
        for values in ascending.values()
    ]
    for number in range(1, halvings + 1):
        best = None
        while best != (best := best_of(tried)):
            around = [p for p in _neighbours(best, distances, 2.0**-number) if p not in tried and is_possible(p)]
            tried |= zip(around, merits(around) if around else (), strict=True)
    return tried


def best_of(tried: Mapping[Key, float]) -> Key:
    """Return the key with the largest merit; if merits are equal, the first key."""
    best, largest = next(iter(tried)), -math.inf
    for point, merit in tried.items():
        if merit > largest + _ROUNDING:
            best, largest = point, merit
    return best


def _neighbours(point: Point, distances: Sequence[float], share: float) -> Iterator[Point]:
    for axis, distance in enumerate(distances):
        for sign in (-1, 1) if distance else ():
            value = round(point[axis] + sign * share * distance, _PLACES)
            yield (*point[:axis], value, *point[axis + 1 :])
