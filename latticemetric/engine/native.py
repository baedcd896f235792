"""The fast road: the recognition rate's automaton fused with the search, in C++.

Lattices: `kernels/recognition_search.cpp`; forests: `kernels/forest_search.cpp`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from latticemetric import _native
from latticemetric.engine.search import ForestSearch, Found, FoundDerivation, Search
from latticemetric.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


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


def best_derivation(search: ForestSearch) -> FoundDerivation:
    """The best derivation of a forest under a recognition rate."""
    edges, gain, _ = _searched(search, hope=0.0)
    return FoundDerivation(edges, gain)


def hope_derivation(search: ForestSearch, scale: float) -> tuple[npt.NDArray[np.int64], float]:
    """The derivation of the largest `scale` * gain − cost, and that value; `scale` is positive."""
    edges, _, value = _searched(search, hope=scale)
    return edges, value


def _searched(search: ForestSearch, hope: float) -> tuple[npt.NDArray[np.int64], int, float]:
    forest = search.forest
    try:
        edges, high, low, value = _native.search_forest(
            forest.head,
            forest.tails.begin,
            forest.tails.values,
            search.said.begin,
            search.said.values,
            search.cost.arc,
            search.words,
            search.cost.final,
            search.reference,
            *search.gains,
            hope=hope,
            most_bytes=_memory() // 2,
        )
    except _native.TooLarge as error:
        raise InputError(str(error), advice="prune the forest, or shorten the reference") from None
    return edges, (high << 64) + low, value


def _memory() -> int:
    """The machine's memory in bytes; 8 GiB where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 2**33
