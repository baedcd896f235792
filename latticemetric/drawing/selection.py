"""Select the part of a large graph to draw: its best paths, and all highlighted paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest
from latticemetric.forest.pruning import ForestMargins
from latticemetric.lattice.lattice import Floats, Lattice, Scales
from latticemetric.lattice.pruning import Margins, checked_beam

MOST_STATES = 60
"""The default number of states or nodes to draw."""

_ARCS_A_STATE = 2

Numbers = npt.NDArray[np.int64]


class Selection(NamedTuple):
    """The arcs (or edges) to draw, and notes on the others."""

    arcs: Numbers
    omissions: tuple[str, ...]


class Bounds(NamedTuple):
    """The size of the part to draw, besides highlighted paths.

    Attributes:
        most: The largest number of states or nodes; twice as large for arcs or edges. `None` for all.
        beam: The largest cost of paths above that of the best one; `None` for all.
    """

    most: int | None
    beam: float | None

    def fit(self, sizes: tuple[int, int]) -> bool:
        """Check that the numbers of states and arcs are within the limits."""
        if self.most is not None and self.most < 1:
            raise UsageError(f"{self.most} states are too few for a picture", advice="draw at least one")
        return self.most is None or (sizes[0] <= self.most and sizes[1] <= _ARCS_A_STATE * self.most)


def select_arcs(lattice: Lattice, kept: Sequence[int], bounds: Bounds, scales: Scales | None) -> Selection:
    """Select the arcs of a lattice to draw.

    Args:
        lattice: The lattice.
        kept: Arcs to draw in any case.
        bounds: The size of the part to draw.
        scales: Weight of each score column in the path cost.
    """
    _check_scales(lattice, scales)
    sizes = lattice.num_states, len(lattice.word)
    if bounds.beam is None and bounds.fit(sizes):
        return Selection(np.arange(len(lattice.word)), ())
    margins = Margins.of(lattice, scales)
    beams = _Beams(
        margins.arc,
        margins.kept,
        lambda arcs: (len(np.union1d(lattice.source[arcs], lattice.target[arcs])), len(arcs)),
    )
    return _selected(beams, kept, bounds, _Whole(sizes, ("states", "arcs", "paths")))


def select_edges(forest: Forest, kept: Sequence[int], bounds: Bounds, scales: Scales | None) -> Selection:
    """Select the edges of a forest to draw; see `select_arcs`."""
    _check_scales(forest, scales)
    sizes = forest.num_nodes, len(forest.head)
    if bounds.beam is None and bounds.fit(sizes):
        return Selection(np.arange(len(forest.head)), ())
    margins = ForestMargins.of(forest, scales)
    beams = _Beams(
        margins.edge,
        margins.kept,
        lambda edges: (len(np.union1d(forest.head[edges], forest.tails.taken(edges).values)), len(edges)),
    )
    return _selected(beams, kept, bounds, _Whole(sizes, ("nodes", "edges", "derivations")))


def _check_scales(graph: Lattice | Forest, scales: Scales | None) -> None:
    """Raise an error if the graph lacks a column of `scales`, even if nothing is left out."""
    if scales:
        graph.cost(scales)


class _Whole(NamedTuple):
    """The numbers of states and arcs of a whole graph, and the nouns for states, arcs and paths."""

    sizes: tuple[int, int]
    names: tuple[str, str, str]


class _Beams(NamedTuple):
    """The margins of a graph's arcs; functions that return the arcs in a beam, and count states and arcs."""

    margins: Floats
    within: Callable[[float], Numbers]
    size: Callable[[Numbers], tuple[int, int]]


def _selected(beams: _Beams, kept: Sequence[int], bounds: Bounds, whole: _Whole) -> Selection:
    """Select the arcs within the widest beam that fits, and the `kept` ones."""
    always = np.asarray(sorted(set(kept)), dtype=np.int64)

    def drawn(beam: float) -> Numbers:
        return np.union1d(beams.within(beam), always)

    widest = checked_beam(np.inf if bounds.beam is None else bounds.beam)
    steps = np.unique(beams.margins.clip(min=0, max=widest))
    arcs = drawn(_widest(steps, lambda beam: bounds.fit(beams.size(drawn(beam)))))
    if len(arcs) == whole.sizes[1]:
        return Selection(arcs, ())
    *names, paths = whole.names
    counts = [f"{n} of {of} {name}" for n, of, name in zip(beams.size(arcs), whole.sizes, names, strict=True)]
    return Selection(arcs, (f"Shown: {' and '.join(counts)}, those of the best {paths}.",))


def _widest(beams: Floats, fits: Callable[[float], bool]) -> float:
    """Return the largest of the ascending beams that fits, or else the smallest, which keeps the best path."""
    low, high = 0, len(beams)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(float(beams[middle])) else (low, middle)
    return float(beams[low])
