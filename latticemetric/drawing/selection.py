"""Which part of a large graph is drawn: what lies on its best paths, and the highlighted ways in any case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.forest import Forest
from latticemetric.forest_pruning import ForestMargins
from latticemetric.lattice import Floats, Lattice, Scales
from latticemetric.lattice_pruning import Margins

MOST_STATES = 60
"""How many states or nodes are drawn, unless the user says otherwise."""

_ARCS_A_STATE = 2

Numbers = npt.NDArray[np.int64]


class Selection(NamedTuple):
    """The arcs (or edges) that are drawn, and what a reader has to know about the others."""

    arcs: Numbers
    notes: tuple[str, ...]


def select_arcs(lattice: Lattice, kept: Sequence[int], most_states: int | None, scales: Scales | None) -> Selection:
    """The arcs of a lattice that are drawn.

    Args:
        lattice: The lattice.
        kept: Arcs that are drawn in any case.
        most_states: How many states are drawn, and twice as many arcs, save those of `kept`; `None` for all.
        scales: Weight of each score column in the cost that says which paths are best.
    """
    sizes = lattice.num_states, len(lattice.word)
    if _fits(sizes, most_states):
        return Selection(np.arange(len(lattice.word)), ())
    margins = Margins.of(lattice, scales)
    beams = _Beams(
        margins.arc,
        margins.kept,
        lambda arcs: (len(np.union1d(lattice.source[arcs], lattice.target[arcs])), len(arcs)),
    )
    return _selected(beams, kept, most_states, _Whole(sizes, ("states", "arcs", "paths")))


def select_edges(forest: Forest, kept: Sequence[int], most_nodes: int | None, scales: Scales | None) -> Selection:
    """The edges of a forest that are drawn; see `select_arcs`."""
    sizes = forest.num_nodes, len(forest.head)
    if _fits(sizes, most_nodes):
        return Selection(np.arange(len(forest.head)), ())
    margins = ForestMargins.of(forest, scales)
    beams = _Beams(
        margins.edge,
        margins.kept,
        lambda edges: (len(np.union1d(forest.head[edges], forest.tails.taken(edges).values)), len(edges)),
    )
    return _selected(beams, kept, most_nodes, _Whole(sizes, ("nodes", "edges", "derivations")))


class _Whole(NamedTuple):
    """The sizes of a whole graph, and what they are sizes of."""

    sizes: tuple[int, int]
    names: tuple[str, str, str]


class _Beams(NamedTuple):
    """The margins of a graph's arcs, what a beam keeps of them, and how many states and arcs some arcs are."""

    margins: Floats
    within: Callable[[float], Numbers]
    size: Callable[[Numbers], tuple[int, int]]


def _fits(sizes: tuple[int, int], most: int | None) -> bool:
    """Whether a graph of so many states and arcs can be drawn as it is."""
    if most is not None and most < 1:
        raise UsageError(f"{most} states are too few for a picture", advice="draw one at least")
    return most is None or (sizes[0] <= most and sizes[1] <= _ARCS_A_STATE * most)


def _selected(beams: _Beams, kept: Sequence[int], most: int | None, whole: _Whole) -> Selection:
    """What the widest beam keeps that fits, and what is kept in any case."""
    always = np.asarray(sorted(set(kept)), dtype=np.int64)

    def drawn(beam: float) -> Numbers:
        return np.union1d(beams.within(beam), always)

    arcs = drawn(_widest(np.unique(beams.margins.clip(min=0)), lambda beam: _fits(beams.size(drawn(beam)), most)))
    *names, paths = whole.names
    counts = [f"{n} of {of} {name}" for n, of, name in zip(beams.size(arcs), whole.sizes, names, strict=True)]
    return Selection(arcs, (f"Shown: {' and '.join(counts)}, those of the best {paths}.",))


def _widest(beams: Floats, fits: Callable[[float], bool]) -> float:
    """The largest of ascending beams that fits; the smallest, if none does: the best path is always drawn."""
    low, high = 0, len(beams)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(float(beams[middle])) else (low, middle)
    return float(beams[low])
