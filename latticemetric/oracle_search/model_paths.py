"""What the model itself likes best: its best path, its best strings, its longest string."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.forest.forest import Forest
from latticemetric.lattice.lattice import Costs, Lattice
from latticemetric.vocabulary import EPSILON

# ---- The model's own best path of a lattice, and the ranks of an n-best list ----

Arcs = npt.NDArray[np.int64]


def one_best(lattice: Lattice, cost: Costs, is_word: npt.NDArray[np.uint8] | None = None) -> Arcs:
    """The path of least cost; ties: fewest words, then smallest arcs. In n-best lists the first path wins ties.

    Args:
        lattice: A lattice.
        cost: The model's cost.
        is_word: Which arcs count as words; by default all but ε.
    """
    if lattice.ranked:
        # Arcs of a list are in its order, so that smallest arcs are the first path.
        is_word = np.zeros(len(lattice.word), dtype=np.uint8)
    elif is_word is None:
        is_word = (lattice.word != EPSILON).astype(np.uint8)
    path: Arcs = _native.best_path(lattice.source, lattice.target, cost.arc, is_word, cost.final)
    return path


def ranked_paths(lattice: Lattice, cost: Costs) -> list[Arcs]:
    """The paths of an n-best list, the cheapest first; those that cost the same in the order of the list."""
    following = {int(source): arc for arc, source in enumerate(lattice.source.tolist()) if source}
    paths = []
    for first in np.flatnonzero(lattice.source == 0).tolist():
        path = [first]
        while (arc := following.get(int(lattice.target[path[-1]]))) is not None:
            path.append(arc)
        paths.append(np.array(path, dtype=np.int64))
    return sorted(paths, key=lambda path: lattice.cost_of(path, cost))


# ---- How many words the longest string of a graph has: what bounds the sums of gains along it ----

_MANY = 2**60  # shared nodes can make strings longer than anything can be


def longest_string(graph: Lattice | Forest) -> int:
    """Its words."""
    if isinstance(graph, Forest):
        longest = graph.statistics().longest
        return _MANY if longest is None else min(longest, _MANY)
    is_word = (graph.word != EPSILON).astype(np.uint8)
    ends = np.full(graph.num_states, np.inf)
    ends[graph.final] = 0.0
    path = _native.best_path(graph.source, graph.target, -is_word.astype(np.float64), is_word, ends)
    return int(is_word[path].sum())
