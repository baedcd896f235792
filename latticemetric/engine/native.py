"""The fast road: the recognition rate's automaton fused with the search, in C++ (`kernels/recognition_search.cpp`)."""

from __future__ import annotations

from latticemetric import _native
from latticemetric.engine.search import Found, Search


def best_path(search: Search) -> Found:
    """The best path of a lattice under a recognition rate."""
    lattice, cost = search.lattice, search.cost
    arcs, high, low = _native.search_lattice(
        lattice.source,
        lattice.target,
        search.label,
        search.is_word,
        cost.arc,
        cost.final,
        search.reference,
        *search.gains,
    )
    return Found(arcs, (high << 64) + low)
