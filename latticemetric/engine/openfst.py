"""The general road for lattices: compose with the metric's automaton in OpenFst, prune to the optimum, resolve ties."""

from __future__ import annotations

import numpy as np

from latticemetric.automata.ratio import Ratio, Reached, best_ratio
from latticemetric.automata.reference_graph import ReferenceGraph
from latticemetric.engine.composition import NUMERATOR, optimal_product, steps_of, worths
from latticemetric.engine.memory import require_memory
from latticemetric.engine.search import Found, Search
from latticemetric.engine.tie_resolution import ProductLabels, resolve_ties
from latticemetric.errors import require_pynini
from latticemetric.fst_layout import FstArrays
from latticemetric.interchange import fst_from_arrays
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import EPSILON, STAR, Words

# Measured on chains and dense lattices, 40 to 200 words, orders 1 to 4: within a fifth.
_STATE_BYTES, _ARC_BYTES = 140, 42


def best_path(search: Search) -> Found:
    """The best path of a lattice under a recognition rate."""
    reference = search.reference
    if isinstance(reference, ReferenceGraph):
        found = best_ratio(lambda rate: _best_at(search, reference, rate), search.gains)
    else:
        found = _best_at(search, ReferenceGraph.of_words(reference, search.gains.order), NUMERATOR)
    return Found(found.arcs, *found.ratio)


def _best_at(search: Search, reference: ReferenceGraph, rate: Ratio) -> Reached:
    """The best path at a rate."""
    require_pynini()
    require_memory(_product_bytes(search.lattice, reference))
    machine = fst_from_arrays(lattice_machine(search.lattice, search.label, reference.word))
    product = optimal_product(machine, reference, search.gains, rate, search.lattice.num_states)
    labels = ProductLabels(
        cost=search.cost.arc.tolist(),
        words=search.is_word.tolist(),
        ending_cost=search.cost.final[search.lattice.final].tolist(),
        worth=worths(search.gains, rate),
    )
    arcs, outputs = resolve_ties(product, labels)
    steps = steps_of(search.gains)
    gains, sizes = ([steps[output][k] for output in outputs] for k in (0, 1))
    return Reached(arcs, Ratio(sum(gains), sum(sizes)))


def _product_bytes(lattice: Lattice, reference: ReferenceGraph) -> int:
    """About what composition takes: nearly every state of the lattice meets every position of the reference."""
    positions = len(reference.final)
    return positions * (_STATE_BYTES * lattice.num_states + _ARC_BYTES * len(lattice.word))


def lattice_machine(lattice: Lattice, label: Words, known: Words) -> FstArrays:
    """The lattice as a transducer from arc numbers to words and ★.

    Arc a has input a + 1, so that the product remembers it. A word that the automaton knows is met as itself and as ★,
    any other word only as ★: the automaton stays small whatever the vocabulary. Ending in the k-th final state is an
    arc of its own, numbered after all others, so that its cost is seen too.
    """
    arcs, end = len(lattice.word), lattice.num_states
    everything = np.arange(arcs, dtype=np.int32)
    counts = label != EPSILON
    twice = np.flatnonzero(np.isin(label, known) & counts).astype(np.int32)
    number = np.concatenate([everything, twice])
    ending = np.arange(len(lattice.final), dtype=np.int32)
    source = np.concatenate([lattice.source[number], lattice.final])
    output = np.concatenate([np.where(counts, STAR, EPSILON), label[twice], np.full(len(ending), EPSILON)])
    by_source = np.argsort(source, kind="stable")
    final = np.full(end + 1, np.inf)
    final[end] = 0.0
    return FstArrays(
        start=0,
        final=final,
        source=source[by_source],
        target=np.concatenate([lattice.target[number], np.full(len(ending), end, dtype=np.int32)])[by_source],
        input=np.concatenate([number + 1, arcs + 1 + ending])[by_source].astype(np.int32),
        output=output[by_source].astype(np.int32),
        weight=np.zeros(len(source)),
    )
