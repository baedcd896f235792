"""How many words the longest string of a graph has: what bounds the sums of gains along it."""

from __future__ import annotations

import numpy as np

from latticemetric import _native
from latticemetric.forest import Forest
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import EPSILON

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
