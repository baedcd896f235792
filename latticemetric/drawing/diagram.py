"""What is to be drawn, before it has a place: vertices, links between them, ways through them, and their looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.lattice.lattice import Column

# ---- What is to be drawn, before it has a place: vertices, links between them, and ways through them ----
#
# Everything that is drawn is made one of these first: lattices, forests, automata, networks. Texts are data of others:
# they stay what they are here, and whoever writes them makes them harmless.

Ways = Mapping[str, Sequence[int]]
"""Names of highlighted ways, like `oracle`, each with the arcs (or edges) that it takes."""

CIRCLE, END, BOX, ROUND, GOAL, WORD = "circle", "end", "box", "round", "goal", "word"
"""Shapes: `end` and `goal` have two rings; `round` and `goal` are boxes with round corners; a `word` has no outline."""

BOXES = frozenset({BOX, ROUND, GOAL, WORD})

LATTICE, FOREST, AUTOMATON, NETWORK, TREE = "lattice", "forest", "automaton", "network", "tree"
"""Kinds of diagrams."""


@dataclass(frozen=True)
class Vertex:
    """A thing that links lead to.

    Attributes:
        text: What is written in it.
        shape: One of the shapes.
        detail: What is written under it, small.
        ways: Those that pass it, by their numbers in the diagram.
    """

    text: str
    shape: str = CIRCLE
    detail: str = ""
    ways: tuple[int, ...] = ()


@dataclass(frozen=True)
class Link:
    """An arrow.

    Attributes:
        source: The vertex where it begins.
        target: Where it ends.
        label: What is written on it.
        detail: What is written under it, small.
        ways: Those that take it, by their numbers in the diagram.
    """

    source: int
    target: int
    label: str = ""
    detail: str = ""
    ways: tuple[int, ...] = ()


@dataclass(frozen=True)
class Diagram:
    """A graph to be drawn; it has no cycles save links from a vertex to itself, one at most.

    Attributes:
        kind: One of the kinds.
        title: What it is, in a few words.
        vertices: Its vertices.
        links: Its links, those of a vertex in the order in which they should be drawn.
        ways: Names of the highlighted ways.
        captions: What the legend says of ways, by their names, in its order; other names are rows of their own.
        omissions: What is left out.
        notes: What else a reader has to know: what numbers stand for.
    """

    kind: str
    title: str
    vertices: tuple[Vertex, ...]
    links: tuple[Link, ...]
    ways: tuple[str, ...] = ()
    captions: tuple[tuple[str, str], ...] = ()
    omissions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def legend(self) -> list[tuple[int | None, str, str]]:
        """Rows of the legend: a way's number (none for what is no way), its name and its caption."""
        said = dict(self.captions)
        others = [(None, name, caption) for name, caption in self.captions if name not in self.ways]
        return [*others, *((number, name, said.get(name, "")) for number, name in enumerate(self.ways))]


# ---- Numbers that are written beside words: posteriors and scores of arcs or edges ----


def details(
    number: int, posteriors: npt.ArrayLike | None, columns: Mapping[str, Column], scores: Sequence[str]
) -> Callable[[int], str]:
    """What writes the numbers of an arc.

    Args:
        number: How many arcs (or edges) there are.
        posteriors: The probability of each, if it is to be written.
        columns: The graph's score columns.
        scores: The names of those that are to be written.
    """
    values = None if posteriors is None else np.asarray(posteriors, dtype=np.float64)
    if values is not None and values.shape != (number,):
        raise UsageError(f"there are {values.size} posteriors for {number} arcs", advice="give one for each")
    for name in scores:
        if name not in columns:
            known = ", ".join(columns) or "none"
            raise UsageError(f"there is no score column '{name}'", advice=f"the columns here are: {known}")

    def written(arc: int) -> str:
        parts = [] if values is None else [probability(float(values[arc]))]
        return ", ".join([*parts, *(f"{name} {columns[name].arc[arc]:.4g}" for name in scores)])

    return written


def probability(value: float) -> str:
    """Return a probability as it is written in a picture; what is little is never written as nothing."""
    rounded = f"{min(value, 1.0):.2f}"
    return "<0.01" if value > 0 and rounded == "0.00" else rounded


# ---- Highlighted ways: whether they are ways of the graph, and what they pass ----

Passing = dict[int, tuple[int, ...]]
"""Of each arc, state, edge or node the numbers of the ways that pass it, where there are any."""


def checked_ways(ways: Ways | None, number: int, thing: str) -> dict[str, tuple[int, ...]]:
    """Return the ways, if their arcs (or edges) are numbers of some that are there."""
    found = {name: tuple(map(int, arcs)) for name, arcs in (ways or {}).items()}
    for name, arcs in found.items():
        for arc in arcs:
            if not 0 <= arc < number:
                raise UsageError(
                    f"'{name}' takes {thing} {arc}, which is not there", advice="highlight ways of the same graph"
                )
    return found


def passing(ways: Mapping[str, Sequence[int]]) -> Passing:
    """Return the ways that pass each of the arcs (or edges)."""
    return _by_thing(ways.values())


def passing_ends(ways: Mapping[str, Sequence[int]], ends: Sequence[Sequence[int]]) -> Passing:
    """Return the ways that pass each state (or node), if `ends` are those of every arc (or edge)."""
    return _by_thing([end for arc in arcs for end in ends[arc]] for arcs in ways.values())


def _by_thing(ways: Iterable[Sequence[int]]) -> Passing:
    found: Passing = {}
    for number, things in enumerate(ways):
        for thing in dict.fromkeys(things):
            found[thing] = (*found.get(thing, ()), number)
    return found


# ---- How highlighted ways look: each by its dashes and width as well as by its colour ----
#
# Colours are those of Okabe and Ito's palette, which the colour-blind tell apart; darker or lighter as the ground asks.


class Look(NamedTuple):
    """A way's look.

    Attributes:
        light: Its colour on light ground.
        dark: Its colour on dark ground.
        width: Of its line.
        dashes: Lengths of dashes and gaps; none for an unbroken line.
        mark: What stands for it where there are letters only.
    """

    light: str
    dark: str
    width: float
    dashes: tuple[float, ...]
    mark: str


_KNOWN = {
    "oracle": Look("#0072b2", "#56b4e9", 3.2, (), "="),
    "1-best": Look("#d55e00", "#f0954a", 2.2, (7.0, 4.0), "*"),
    "mbr": Look("#007a5e", "#2bc4a0", 2.2, (1.5, 3.5), "+"),
    "consensus": Look("#007a5e", "#2bc4a0", 3.2, (), "="),
}
_OTHERS = (
    Look("#a34a80", "#dd94bf", 2.2, (10.0, 3.0, 2.0, 3.0), "#"),
    Look("#7a6a00", "#e0d24a", 2.2, (4.0, 2.0), "%"),
    Look("#4a4a4a", "#c4c4c4", 3.2, (12.0, 5.0), "@"),
)


def looks_of(ways: Sequence[str]) -> list[Look]:
    """Return the look of each way: its own where the name is known, else the next of the others."""
    others = [way for way in ways if way not in _KNOWN]
    return [_KNOWN.get(way) or _OTHERS[others.index(way) % len(_OTHERS)] for way in ways]
