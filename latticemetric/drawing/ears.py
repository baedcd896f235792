"""A graph as a line and its ears: a main path, then stretches that leave what is drawn already and come back to it.

What a terminal can draw: the main path is the first row, each ear lies in one row below.
"""

from __future__ import annotations

from dataclasses import dataclass

from latticemetric.drawing.diagram import END, Diagram


@dataclass(frozen=True)
class Ear:
    """A stretch of links, each of which begins where the one before ends.

    Attributes:
        links: Their numbers.
        first: The vertex where it begins.
        last: The vertex where it ends.
        closed: Whether that one lies on another stretch; if not, the ear ends with it.
    """

    links: tuple[int, ...]
    first: int
    last: int
    closed: bool = True


def main_path(diagram: Diagram) -> tuple[int, ...]:
    """The links of the first highlighted way, if they lead from the start to an end, else of the longest path."""
    chosen = [number for number, link in enumerate(diagram.links) if 0 in link.ways]
    at = 0
    for number in chosen:
        if diagram.links[number].source != at:
            return _longest(diagram)
        at = diagram.links[number].target
    return tuple(chosen) if diagram.vertices[at].shape == END else _longest(diagram)


def _longest(diagram: Diagram) -> tuple[int, ...]:
    """The path of most links; of equal ones the first."""
    longest = [0] * len(diagram.vertices)
    onward: list[int] = [-1] * len(diagram.vertices)
    for number in reversed(range(len(diagram.links))):
        link = diagram.links[number]
        if longest[link.target] + 1 >= longest[link.source]:
            longest[link.source], onward[link.source] = longest[link.target] + 1, number
    path, at = [], 0
    while onward[at] >= 0:
        path.append(onward[at])
        at = diagram.links[path[-1]].target
    return tuple(path)


def ears(diagram: Diagram, main: tuple[int, ...]) -> list[Ear]:
    """What is left beside the main path: every other link is in one ear, every other vertex on one."""
    placed = {0, *(diagram.links[number].target for number in main)}
    left: list[list[int]] = [[] for _ in diagram.vertices]
    for number, link in enumerate(diagram.links):
        if number not in set(main):
            left[link.source].append(number)
    found = []
    # Sources come before targets: whatever is left of a vertex begins at one that is placed by now.
    for first in range(len(diagram.vertices)):
        while left[first]:
            ear, closed = [left[first].pop(0)], True
            while (at := diagram.links[ear[-1]].target) not in placed:
                placed.add(at)
                if not left[at]:
                    closed = False
                    break
                ear.append(left[at].pop(0))
            found.append(Ear(tuple(ear), first, at, closed))
    return found


def rows_of(found: list[Ear]) -> dict[Ear, int]:
    """The row of each ear, from 1 on: short ones nearest to the main path, none over another."""
    taken: list[list[tuple[int, int]]] = []
    rows = {}
    for ear in sorted(found, key=lambda ear: (ear.last - ear.first, ear.first)):
        row = next((r for r, spans in enumerate(taken) if all(_apart(ear, span) for span in spans)), len(taken))
        if row == len(taken):
            taken.append([])
        taken[row].append((ear.first, ear.last + (not ear.closed)))
        rows[ear] = row + 1
    return rows


def _apart(ear: Ear, span: tuple[int, int]) -> bool:
    return ear.last + (not ear.closed) <= span[0] or span[1] <= ear.first
