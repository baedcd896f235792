"""Select the part of a large graph to draw: its best paths and all highlighted paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.forest.forest import Forest
from latticemetric.forest.pruning import ForestMargins
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.lattice.pruning import PruningMargins, checked_beam

MOST_STATES = 60
"""The default number of states or nodes to draw."""

_ARCS_A_STATE = 2
# The largest number of paths to draw if all of them cost the same.
_MOST_PATHS = 30

Numbers = npt.NDArray[np.int64]


class Selection(NamedTuple):
    """The arcs (or edges) to draw, and notes on omitted parts."""

    arcs: Numbers
    omissions: tuple[str, ...]


class Bounds(NamedTuple):
    """Limits of the part of a graph to draw; `None` means no limit. Highlighted paths are always drawn."""

    most: int | None  # the largest number of states or nodes; the limit for arcs or edges is twice this number
    beam: float | None  # the largest cost above the cost of the best path

    def fit(self, sizes: tuple[int, int]) -> bool:
        """Check whether a graph with these numbers of states and arcs (or nodes and edges) is small enough to draw."""
        return self.most is None or (sizes[0] <= self.most and sizes[1] <= _ARCS_A_STATE * self.most)


def select_arcs(
    graph: Lattice | Forest, kept: Sequence[int], bounds: Bounds, weights: Weights | None = None
) -> Selection:
    """Select the arcs of a lattice (or the edges of a forest) to draw.

    Select the arcs within the widest beam that fits into `bounds`, and always the arcs in `kept`. `weights` are the
    weights of the score columns in path costs.
    """
    if weights:
        graph.cost(weights)  # raises an error if the graph lacks a column, even if nothing is left out
    if isinstance(graph, Lattice):
        whole, nouns = (graph.num_states, len(graph.word)), ("states", "arcs", "paths")
    else:
        whole, nouns = (graph.num_nodes, len(graph.head)), ("nodes", "edges", "derivations")
    if bounds.beam is None and bounds.fit(whole):
        return Selection(np.arange(whole[1]), ())
    margins = PruningMargins.of(graph, weights) if isinstance(graph, Lattice) else ForestMargins.of(graph, weights)
    of_arcs = margins.arc if isinstance(margins, PruningMargins) else margins.edge
    always = np.asarray(sorted(set(kept)), dtype=np.int64)

    def drawn(beam: float) -> Numbers:
        return np.union1d(margins.kept(beam), always)

    def sizes(arcs: Numbers) -> tuple[int, int]:
        if isinstance(graph, Lattice):
            return len(np.union1d(graph.source[arcs], graph.target[arcs])), len(arcs)
        return len(np.union1d(graph.head[arcs], graph.tails.taken(arcs).values)), len(arcs)

    # Find the largest beam that fits.
    beams = np.unique(of_arcs.clip(min=0, max=checked_beam(np.inf if bounds.beam is None else bounds.beam)))
    low, high = 0, len(beams)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bounds.fit(sizes(drawn(float(beams[middle])))) else (low, middle)
    arcs = drawn(float(beams[low]))
    if not bounds.fit(sizes(arcs)):  # the paths with the best cost have too many arcs
        arcs = _of_best_paths(graph, always, weights, lambda some: bounds.fit(sizes(some)))
    if len(arcs) == whole[1]:
        return Selection(arcs, ())
    counts = [f"{n} of {of} {noun}" for n, of, noun in zip(sizes(arcs), whole, nouns[:2], strict=True)]
    return Selection(arcs, (f"Shown: {' and '.join(counts)}, those of the best {nouns[2]}.",))


def _of_best_paths(
    graph: Lattice | Forest, always: Numbers, weights: Weights | None, fits: Callable[[Numbers], bool]
) -> Numbers:
    """Return the arcs in `always`, the arcs of the best path, and those of the next best paths while all fit."""
    first, *others = graph.n_best(_MOST_PATHS, weights, paths=True)
    arcs = np.union1d(always, first)
    for path in others:
        more = np.union1d(arcs, path)
        if not fits(more):
            break
        arcs = more
    return arcs
