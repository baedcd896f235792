"""What is to be drawn, before it has a place: vertices, links between them, and ways through them.

Everything that is drawn is made one of these first: lattices, forests, automata, networks. Texts are data of others:
they stay what they are here, and whoever writes them makes them harmless.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
