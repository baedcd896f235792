"""Which slot of a column stands above which: few crossings, by barycentres (Sugiyama, Tagawa & Toda 1981)."""

from __future__ import annotations

import itertools
from bisect import bisect_right, insort
from collections.abc import Sequence

from latticemetric.drawing.slots import Slots

_SWEEPS = 12
_SWAPS = 8

Columns = list[list[int]]


def ordered_columns(slots: Slots) -> Columns:
    """The slots of each column from above; the best order that some sweeps to and fro have met."""
    columns = _first_order(slots)
    best, fewest = [list(column) for column in columns], crossings(slots, columns)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        _sweep(slots, columns, forth=sweep % 2 == 0)
        _swap(slots, columns)
        found = crossings(slots, columns)
        if found < fewest:
            best, fewest = [list(column) for column in columns], found
    return best


def _first_order(slots: Slots) -> Columns:
    """As a walk that goes on before it goes back meets them: what belongs together stands together."""
    columns: Columns = [[] for _ in range(1 + max(slots.column))]
    met = [False] * len(slots.column)
    starts = [slot for slot, left in enumerate(slots.left) if not left]
    pending = list(reversed(starts))
    while pending:
        slot = pending.pop()
        if not met[slot]:
            met[slot] = True
            columns[slots.column[slot]].append(slot)
            pending.extend(reversed(slots.right[slot]))
    return columns


def _sweep(slots: Slots, columns: Columns, *, forth: bool) -> None:
    """Sorts each column by the mean places of its neighbours in the one before."""
    neighbours = slots.left if forth else slots.right
    for place in range(len(columns)) if forth else reversed(range(len(columns))):
        beside = place - 1 if forth else place + 1
        if not 0 <= beside < len(columns):
            continue
        rank = {slot: number for number, slot in enumerate(columns[beside])}
        own = {slot: number for number, slot in enumerate(columns[place])}
        columns[place].sort(key=lambda slot: (_mean([rank[n] for n in neighbours[slot]], own[slot]), own[slot]))


def _swap(slots: Slots, columns: Columns) -> None:
    """Exchanges what stands next to each other as long as fewer lines cross then."""
    rank = {slot: number for column in columns for number, slot in enumerate(column)}
    for _ in range(_SWAPS):
        swapped = False
        for column in columns:
            for place in range(len(column) - 1):
                above, below = column[place], column[place + 1]
                if _gain(slots, rank, above, below) > 0:
                    column[place], column[place + 1] = below, above
                    rank[above], rank[below] = rank[below], rank[above]
                    swapped = True
        if not swapped:
            break


def _gain(slots: Slots, rank: dict[int, int], above: int, below: int) -> int:
    """How many crossings fewer there are if two neighbours change places."""
    gain = 0
    for side in (slots.left, slots.right):
        for first in side[above]:
            for second in side[below]:
                gain += (rank[first] > rank[second]) - (rank[first] < rank[second])
    return gain


def _mean(places: Sequence[int], otherwise: int) -> float:
    return sum(places) / len(places) if places else otherwise


def crossings(slots: Slots, columns: Columns) -> int:
    """How many pairs of lines cross."""
    total = 0
    for left, right in itertools.pairwise(columns):
        rank = {slot: number for number, slot in enumerate(right)}
        reached: list[int] = []
        for slot in left:
            ends = sorted(rank[neighbour] for neighbour in slots.right[slot])
            total += sum(len(reached) - bisect_right(reached, end) for end in ends)
            for end in ends:
                insort(reached, end)
    return total
