"""Highlighted ways: whether they are ways of the graph, and what they pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from latticemetric.drawing.diagram import Ways
from latticemetric.errors import UsageError

Passing = dict[int, tuple[int, ...]]
"""Of each arc, state, edge or node the numbers of the ways that pass it, where there are any."""


def checked_ways(ways: Ways | None, number: int, thing: str) -> dict[str, tuple[int, ...]]:
    """The ways, if their arcs (or edges) are numbers of some that are there."""
    found = {name: tuple(map(int, arcs)) for name, arcs in (ways or {}).items()}
    for name, arcs in found.items():
        for arc in arcs:
            if not 0 <= arc < number:
                raise UsageError(
                    f"'{name}' takes {thing} {arc}, which is not there", advice="highlight ways of the same graph"
                )
    return found


def passing(ways: Mapping[str, Sequence[int]]) -> Passing:
    """The ways that pass each of the arcs (or edges)."""
    return _by_thing(ways.values())


def passing_ends(ways: Mapping[str, Sequence[int]], ends: Sequence[Sequence[int]]) -> Passing:
    """The ways that pass each state (or node), if `ends` are those of every arc (or edge)."""
    return _by_thing([end for arc in arcs for end in ends[arc]] for arcs in ways.values())


def _by_thing(ways: Iterable[Sequence[int]]) -> Passing:
    found: Passing = {}
    for number, things in enumerate(ways):
        for thing in dict.fromkeys(things):
            found[thing] = (*found.get(thing, ()), number)
    return found
