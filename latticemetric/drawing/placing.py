"""How high the slots of ordered columns stand: near their neighbours, and never in each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from latticemetric.drawing.ordering import Columns
from latticemetric.drawing.slots import Slots

_SWEEPS = 24
_GAP = 3.0


def heights(slots: Slots, columns: Columns) -> list[float]:
    """The line of each slot.

    Every column in turn takes the places that are nearest to its neighbours' (least squares), exactly, given that its
    order stays and that nothing overlaps.
    """
    found = [0.0] * len(slots.column)
    for column in columns:
        _place(slots, column, [0.0] * len(column), [1.0] * len(column), found)
    for sweep in range(_SWEEPS):
        forth = sweep % 2 == 0
        # At first from one side, so that what is far away is heard of; then between both.
        sides = [slots.left if forth else slots.right] if sweep < _SWEEPS // 2 else [slots.left, slots.right]
        for column in columns if forth else reversed(columns):
            wanted, weights = zip(*(_wanted(slots, slot, sides, found) for slot in column), strict=True)
            _place(slots, column, wanted, weights, found)
    top = min(line - up for line, up in zip(found, slots.up, strict=True))
    return [line - top for line in found]


def _wanted(slots: Slots, slot: int, sides: Sequence[list[list[int]]], found: Sequence[float]) -> tuple[float, float]:
    """Where a slot would like to be, and how much."""
    pairs = [(found[n], slots.stiffness[n] * slots.stiffness[slot]) for side in sides for n in side[slot]]
    weight = sum(w for _, w in pairs)
    return (sum(y * w for y, w in pairs) / weight, weight) if pairs else (found[slot], 0.01)


def _place(
    slots: Slots, column: Sequence[int], wanted: Sequence[float], weights: Sequence[float], found: list[float]
) -> None:
    """The nearest places that keep the distances: isotonic regression of what is left when they are taken away."""
    offset = [0.0]
    for above, below in itertools.pairwise(column):
        offset.append(offset[-1] + slots.down[above] + _GAP + slots.up[below])
    pools: list[tuple[float, float, int]] = []
    for place, own, distance in zip(wanted, weights, offset, strict=True):
        mean, weight, size = place - distance, own, 1
        while pools and pools[-1][0] > mean:
            before, heavy, many = pools.pop()
            mean = (before * heavy + mean * weight) / (heavy + weight)
            weight, size = weight + heavy, size + many
        pools.append((mean, weight, size))
    means = (mean for mean, _, size in pools for _ in range(size))
    for slot, mean, distance in zip(column, means, offset, strict=True):
        found[slot] = mean + distance
