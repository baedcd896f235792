"""The fast road: the recognition rate's automaton fused with the search, in C++.

`kernels/recognition_search.cpp` where the reference is a string, `kernels/reference_graph_search.cpp` where it is a
graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.automata.ratio import Ratio, Reached, best_ratio
from latticemetric.automata.recognition import ngram_total
from latticemetric.automata.reference_graph import ReferenceGraph
from latticemetric.automata.reference_search import reached_by
from latticemetric.engine.search import Found, Search


def best_path(search: Search) -> Found:
    """The best path of a lattice under a recognition rate."""
    reference = search.reference
    if isinstance(reference, ReferenceGraph):
        found = best_ratio(lambda rate: _best_at(search, reference, rate), search.gains)
        return Found(found.arcs, *found.ratio)
    arcs, high, low = _native.search_lattice(**_question(search), reference=reference, **search.gains._asdict())
    return Found(arcs, (high << 64) + low, ngram_total(len(reference), search.gains.order))


def _best_at(search: Search, reference: ReferenceGraph, rate: Ratio) -> Reached:
    sizes = np.zeros(len(search.label), dtype=np.int32)
    return reached_by(_question(search), sizes, reference, search.gains, rate)


def _question(search: Search) -> dict[str, Any]:
    lattice, cost = search.lattice, search.cost
    return {
        "source": lattice.source,
        "target": lattice.target,
        "label": search.label,
        "is_word": search.is_word,
        "cost": cost.arc,
        "final_cost": cost.final,
    }
