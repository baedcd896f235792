"""Sketches of graphs, to be drawn: the part to show, paths through it, and details of each arc."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from latticemetric.drawing.diagram import Diagram, HighlightedPaths
from latticemetric.drawing.graphs import forest_diagram, lattice_diagram
from latticemetric.drawing.selection import Bounds, select_arcs
from latticemetric.errors import InputError, shortened
from latticemetric.forest.forest import Forest
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.posterior.posteriors import posteriors

_MORE_STATES = 30  # are drawn at most, besides those of highlighted paths
_LONGEST_LABEL = 24


@dataclass(frozen=True)
class DrawnArc:
    """The details of an arc or an edge.

    Attributes:
        text: Its words.
        cost: The model's cost.
        posterior: The probability of using it; `None` if costs are too large to compute it.
        scores: The cost of each score column.
    """

    text: str
    cost: float
    posterior: float | None
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Sketch:
    """A graph, or the best part of a large one, before it is laid out.

    Attributes:
        diagram: Its vertices and links.
        arcs: Details of each link in a lattice, or of each edge in a forest (its last vertices).
    """

    diagram: Diagram
    arcs: tuple[DrawnArc, ...]


def sketch(graph: Lattice | Forest, paths: HighlightedPaths, *, scale: float, scales: Scales | None) -> Sketch:
    """Sketch a graph; always include the arcs of highlighted paths."""
    kept = [arc for arcs in paths.values() for arc in arcs]
    most = _MORE_STATES + _passed(graph, kept)
    probability = _posteriors(graph, scale, scales)
    numbers = select_arcs(graph, kept, Bounds(most, None), scales).arcs
    if isinstance(graph, Forest):
        diagram = forest_diagram(graph, paths, posteriors=probability, most_states=most, scales=scales)
    else:
        diagram = lattice_diagram(graph, paths, posteriors=probability, most_states=most, scales=scales)
    return Sketch(_short(diagram), tuple(_details(graph, numbers, probability, scales)))


def _passed(graph: Lattice | Forest, kept: Sequence[int]) -> int:
    """Count the states or nodes on highlighted paths."""
    if isinstance(graph, Forest):
        return len(np.unique(graph.head[list(kept)]))
    return len(np.union1d(graph.source[list(kept)], graph.target[list(kept)]))


def _details(
    graph: Lattice | Forest, numbers: npt.NDArray[np.int64], probability: list[float] | None, scales: Scales | None
) -> list[DrawnArc]:
    cost = graph.cost(scales).arc
    return [
        DrawnArc(
            _text(graph, arc),
            float(cost[arc]),
            None if probability is None else probability[arc],
            {name: float(column.arc[arc]) for name, column in graph.scores.items()},
        )
        for arc in numbers.tolist()
    ]


def _text(graph: Lattice | Forest, arc: int) -> str:
    """Return the word of an arc, or the words of an edge with [k] for its k-th tail."""
    spelled = graph.vocabulary.word
    if isinstance(graph, Forest):
        return " ".join(f"[{-symbol}]" if symbol < 0 else spelled(symbol) for symbol in graph.target.row(arc))
    return spelled(int(graph.word[arc]))


def _posteriors(graph: Lattice | Forest, scale: float, scales: Scales | None) -> list[float] | None:
    try:
        distribution = posteriors(graph, scale=scale, scales=scales)
    except InputError:
        return None
    values: list[float] = getattr(distribution, "edge" if isinstance(graph, Forest) else "arc").tolist()
    return values


def _short(diagram: Diagram) -> Diagram:
    """Shorten labels; the details of a link keep the whole word."""
    links = tuple(replace(link, label=shortened(link.label, _LONGEST_LABEL)) for link in diagram.links)
    return replace(diagram, links=links)
