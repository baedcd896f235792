"""Diagrams: vertices, links, highlighted paths and their styles, without positions.

Lattices, forests, automata, networks and trees become diagrams before they are drawn. Diagrams keep texts unchanged;
backends escape them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats
from latticemetric.errors import UsageError
from latticemetric.lattice.lattice import Column

HighlightedPaths = Mapping[str, Sequence[int]]
"""The arcs of each highlighted path by its name, such as `oracle`; in a forest, the edges of each derivation."""

CIRCLE, END, BOX, ROUND, GOAL, WORD = "circle", "end", "box", "round", "goal", "word"
"""Shapes of vertices. `end` and `goal` have two rings, `round` and `goal` have round corners, `word` has no outline."""

BOXES = frozenset({BOX, ROUND, GOAL, WORD})

LATTICE, FOREST, AUTOMATON, NETWORK, TREE = "lattice", "forest", "automaton", "network", "tree"
"""Kinds of diagrams."""


@dataclass(frozen=True)
class Vertex:
    """A vertex of a diagram.

    Attributes:
        text: The text in the vertex.
        shape: `circle`, `end`, `box`, `round`, `goal` or `word`.
        detail: The small text under the vertex.
        paths: The numbers of the highlighted paths through the vertex.
    """

    text: str
    shape: str = CIRCLE
    detail: str = ""
    paths: tuple[int, ...] = ()


@dataclass(frozen=True)
class Link:
    """An arrow from one vertex to another.

    Attributes:
        source: The vertex where the link begins.
        target: The vertex where the link ends.
        label: The text on the link.
        detail: The small text under the label.
        paths: The numbers of the highlighted paths through the link.
        shade: The shade of a band that shows the expected rate of the link: an index in `SHADES`. `None` if there is no
            band.
    """

    source: int
    target: int
    label: str = ""
    detail: str = ""
    paths: tuple[int, ...] = ()
    shade: int | None = None


@dataclass(frozen=True)
class Diagram:
    """A graph to draw. It has no cycles except self-loops, at most one per vertex.

    Attributes:
        kind: `lattice`, `forest`, `automaton`, `network` or `tree`.
        title: A description in a few words.
        vertices: The vertices.
        links: The links. Links that leave the same vertex are in the order in which they are drawn.
        paths: Names of the highlighted paths (in a forest: derivations).
        captions: The texts of the legend, as (name, text). A name that is not in `paths` gets its own row.
        omissions: Notes on omitted parts.
        notes: Notes on the meaning of numbers and signs.
        shading: The legend's text that explains the shades; empty if no link has a shade.
    """

    kind: str
    title: str
    vertices: tuple[Vertex, ...]
    links: tuple[Link, ...]
    paths: tuple[str, ...] = ()
    captions: tuple[tuple[str, str], ...] = ()
    omissions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    shading: str = ""

    def legend(self) -> list[tuple[int | None, str, str]]:
        """Return the rows of the legend: the number of the path (`None` for other rows), the name and the caption."""
        captions = dict(self.captions)
        others = [(None, name, caption) for name, caption in self.captions if name not in self.paths]
        return [*others, *((number, name, captions.get(name, "")) for number, name in enumerate(self.paths))]


# ---- Details: posteriors and scores of arcs or edges, written beside their words ----


def detail_writer(
    number: int,
    posteriors: npt.ArrayLike | None,
    rates: npt.ArrayLike | None,
    columns: Mapping[str, Column],
    scores: Sequence[str],
) -> Callable[[int], str]:
    """Return a function that returns the details of an arc or edge: posterior, expected rate and `scores`, as one text.

    `number` is the number of arcs or edges; `columns` are the score columns of the graph.
    """
    values, expected = _one_each(posteriors, number, "posteriors"), _one_each(rates, number, "rates")
    for name in scores:
        if name not in columns:
            known = ", ".join(columns) or "none"
            raise UsageError(f"there is no score column '{name}'", advice=f"the columns here are: {known}")

    def written(arc: int) -> str:
        parts = [] if values is None else [probability(float(values[arc]))]
        if expected is not None and not np.isnan(expected[arc]):
            parts.append(f"rate {_rate(expected[arc])}")
        return ", ".join([*parts, *(f"{name} {columns[name].arc[arc]:.4g}" for name in scores)])

    return written


def _one_each(values: npt.ArrayLike | None, number: int, name: str) -> npt.NDArray[np.float64] | None:
    """Return values as an array, or `None` if there are none; raise an error unless there is one value per arc."""
    if values is None:
        return None
    found = floats(values, name)
    if found.shape != (number,):
        raise UsageError(f"there are {found.size} {name}, but {number} arcs", advice="give one per arc")
    return found


def probability(value: float) -> str:
    """Return a probability as text with two decimals; small positive probabilities become `<0.01`, not `0.00`."""
    rounded = f"{min(value, 1.0):.2f}"
    return "<0.01" if value > 0 and rounded == "0.00" else rounded


# ---- Shades: the expected rates of arcs as colours ----

SHADE_COLOUR = "#a044c4"
"""The colour of shades: purple. No path has this colour, and it is visible on light and dark backgrounds."""

SHADES = (0.1, 0.28, 0.46, 0.64, 0.85)
"""Opacities of shades, from the lowest expected rate to the highest."""

SHADE_WIDTH = 10.0
"""The width of shades, in pixels."""


def shades_of(rates: npt.ArrayLike | None, arcs: npt.NDArray[np.integer]) -> tuple[dict[int, int], str]:
    """Return the shades (indices in `SHADES`) of the arcs or edges `arcs` that have a rate, and the legend's text.

    `rates` has the expected rate of every arc or edge of the graph, or NaN. If no arc or edge in `arcs` has a rate,
    return an empty dictionary and an empty text.
    """
    every = np.empty(0) if rates is None else np.asarray(rates, dtype=np.float64)
    known = {arc: float(every[arc]) for arc in arcs.tolist() if every.size and not np.isnan(every[arc])}
    if not known:
        return {}, ""
    low, high = min(known.values()), max(known.values())
    step = (high - low) / len(SHADES) or 1.0
    shades = {arc: min(int((rate - low) / step), len(SHADES) - 1) for arc, rate in known.items()}
    return shades, f"expected rate, from {_rate(low)} to {_rate(high)}"


def _rate(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00")


# ---- Highlighted paths ----


def checked_paths(paths: HighlightedPaths | None, number: int, thing: str) -> dict[str, tuple[int, ...]]:
    """Return the paths as tuples of integers; raise an error if the graph lacks one of their arcs or edges.

    `number` is the number of arcs or edges of the graph; `thing` is `arc` or `edge`, for the error.
    """
    checked = {name: tuple(map(int, arcs)) for name, arcs in (paths or {}).items()}
    for name, arcs in checked.items():
        for arc in arcs:
            if not 0 <= arc < number:
                raise UsageError(
                    f"'{name}' takes {thing} {arc}, but the graph has no {thing} {arc}",
                    advice="highlight paths of the same graph",
                )
    return checked


def paths_through(
    paths: Mapping[str, Sequence[int]], ends: Mapping[int, Sequence[int]] | None = None
) -> dict[int, tuple[int, ...]]:
    """Return the numbers of the paths through each arc or edge.

    If `ends` has the states or nodes of each arc or edge, return the numbers of the paths through each state or node
    instead.
    """
    found: dict[int, tuple[int, ...]] = {}
    for number, arcs in enumerate(paths.values()):
        for thing in dict.fromkeys(arcs if ends is None else (end for arc in arcs for end in ends[arc])):
            found[thing] = (*found.get(thing, ()), number)
    return found


# ---- Styles of paths: each has its own dashes and width as well as its colour ----
#
# Colours are from Okabe and Ito's palette for colour-blind readers, made darker or lighter for the background.


class PathStyle(NamedTuple):
    """The style of a path's line."""

    light: str  # the colour on a light background
    dark: str  # the colour on a dark background
    width: float
    dashes: tuple[float, ...]  # lengths of dashes and gaps; empty for an unbroken line
    mark: str  # the sign of the path in text drawings


_KNOWN = {
    "oracle": PathStyle("#0072b2", "#56b4e9", 3.2, (), "="),
    "1-best": PathStyle("#d55e00", "#f0954a", 2.2, (7.0, 4.0), "*"),
    "mbr": PathStyle("#007a5e", "#2bc4a0", 2.2, (1.5, 3.5), "+"),
    "consensus": PathStyle("#007a5e", "#2bc4a0", 3.2, (), "="),
}
_OTHERS = (
    PathStyle("#a34a80", "#dd94bf", 2.2, (10.0, 3.0, 2.0, 3.0), "#"),
    PathStyle("#7a6a00", "#e0d24a", 2.2, (4.0, 2.0), "%"),
    PathStyle("#4a4a4a", "#c4c4c4", 3.2, (12.0, 5.0), "@"),
)


def path_styles(paths: Sequence[str]) -> list[PathStyle]:
    """Return the style of each path: known names have a fixed style, other names get the next one of `_OTHERS`."""
    others = [path for path in paths if path not in _KNOWN]
    return [_KNOWN.get(path) or _OTHERS[others.index(path) % len(_OTHERS)] for path in paths]
