"""The OpenFst engine: compose with the metric's automaton, prune to the optimum, resolve ties.

A forest becomes a push-down transducer, which OpenFst unfolds first. The unfolded forest no longer shares nodes, so
this is for small forests and for checks of the native engine. OpenFst can also search the folded product
(`pdt_compose`, then `pdt_shortestpath` or `pdt_expand` with a weight), but not correctly. OpenFst 1.8 merges calls of
a node with the same parenthesis from two states of the automaton (`ParenSpec::operator==` compares `src_start` with
itself). It then finds worse paths, or none, or ends the process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latticemetric.automata.ratio import Ratio, Reached, best_ratio
from latticemetric.automata.recognition import Gains, RecognitionAutomaton, recognition_automaton
from latticemetric.automata.reference import ReferenceGraph
from latticemetric.engine.pushdown import forest_machines, longest_output
from latticemetric.engine.search import BestDerivation, BestPath, ForestSearch, Search, require_memory
from latticemetric.engine.ties import ProductLabels, resolve_ties
from latticemetric.errors import InputError, require_pynini
from latticemetric.lattice.fst_binary import FstArrays
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.openfst import fst_from_arrays, fst_to_arrays
from latticemetric.vocabulary import EPSILON, STAR, Words

_EXACT_FLOAT32 = 2**24

NUMERATOR = Ratio(0, 1)
"""The rate for which only the numerator counts."""


def optimal_product(graph: Any, reference: ReferenceGraph, gains: Gains, rate: Ratio, steps: int) -> FstArrays:
    """Return the paths of the product with the best gain · rate.total − rate.gain · denominator.

    States are in topological order; `worths` returns the worth of each output.

    Args:
        graph: A transducer whose output is words of the reference (each also as ★), and ★ for other words.
        reference: The reference's counted words, as numbers.
        gains: The metric's parameters.
        rate: The weight of the denominator.
        steps: The largest number of arcs with words on a path of the graph.
    """
    worth = worths(gains, rate)
    metric = fst_from_arrays(_metric_machine(recognition_automaton(reference, gains.order), gains, worth))
    product = composed(graph, metric)
    product.prune(weight=_rounding_slack(steps + len(reference.final), worth))
    product.topsort()
    return fst_to_arrays(product)


def composed(graph: Any, metric: Any) -> Any:
    """Sort the arcs of an automaton and return its product with a graph."""
    import pynini

    metric.arcsort("ilabel")
    return pynini.compose(graph, metric, connect=True)


def steps_of(gains: Gains) -> list[Ratio]:
    """Return the gain of each output of a product, with its part of the denominator: each edit code with each size."""
    return [Ratio(gain, size) for size in range(gains.order + 1) for gain in gains.of_edits()]


def worths(gains: Gains, rate: Ratio) -> list[int]:
    """Return the worth of each output of a product at a rate."""
    return [rate.total * gain - rate.gain * size for gain, size in steps_of(gains)]


def _metric_machine(automaton: RecognitionAutomaton, gains: Gains, worth: Sequence[int]) -> FstArrays:
    """Return the automaton with (edit, size) as its output side, so that the outputs of a path give its exact gain."""
    output = automaton.edit + automaton.size * len(gains.of_edits())
    final = np.where(automaton.final, 0.0, np.inf)
    weight = -np.array(worth, dtype=np.float64)[output]
    return FstArrays(0, final, automaton.source, automaton.target, automaton.label, output, weight)


def _rounding_slack(steps: int, worth: Sequence[int]) -> float:
    """Return the largest distance of a best path from OpenFst's best: 0 if 32-bit floats hold all sums exactly."""
    largest = max(map(abs, worth)) * steps
    return 0.0 if largest < _EXACT_FLOAT32 else 8.0 * steps * largest / _EXACT_FLOAT32


# Measured on chains and dense lattices, 40 to 200 words, orders 1 to 4: the estimate is within a fifth.
_STATE_BYTES, _ARC_BYTES = 140, 42


def search_lattice(search: Search) -> BestPath:
    """Return the best path of a lattice under a recognition rate."""
    reference = search.reference
    if isinstance(reference, ReferenceGraph):
        best = best_ratio(lambda rate: _best_at(search, reference, rate), search.gains)
    else:
        best = _best_at(search, ReferenceGraph.of_words(reference, search.gains.order), NUMERATOR)
    return BestPath(best.arcs, *best.ratio)


def _best_at(search: Search, reference: ReferenceGraph, rate: Ratio) -> Reached:
    """Return the best path at this rate."""
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
    """Estimate the bytes of composition: nearly every lattice state meets every position of the reference."""
    positions = len(reference.final)
    return positions * (_STATE_BYTES * lattice.num_states + _ARC_BYTES * len(lattice.word))


def lattice_machine(lattice: Lattice, label: Words, known: Words) -> FstArrays:
    """Return the lattice as a transducer from arc numbers to words and ★.

    Arc a has input a + 1, so that the product stores it. If the automaton knows a word, its arc is read as the word and
    as ★; otherwise only as ★, so that the automaton stays small for any vocabulary. Ending in the k-th final state is
    a separate arc, numbered after all others, so that its cost is included.
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


_MOST_STATES = 6_000_000  # of the product: about 15 seconds and two gigabytes
_MOST_TIES = 1_000_000  # arcs of the product's optimal part: some seconds of Python


def search_forest(search: ForestSearch) -> BestDerivation:
    """Return the best derivation of a forest under a recognition rate.

    Raises:
        InputError: The forest is too large to be unfolded.
    """
    require_pynini()
    import pynini

    machines = forest_machines(search)
    most_states = _MOST_STATES // ((len(search.reference) + 1) * search.gains.order)
    if machines.unfolded_states(most_states) > most_states:
        raise _too_large("it unfolds into too many states")
    unfolded = pynini.pdt_expand(*machines.pushdown_transducer())
    gains = search.gains
    reference = ReferenceGraph.of_words(machines.reference, gains.order)
    product = optimal_product(unfolded, reference, gains, NUMERATOR, longest_output(search))
    if len(product.source) > _MOST_TIES:
        raise _too_large("too many derivations are equally good")
    worth = worths(gains, NUMERATOR)
    labels = ProductLabels(
        cost=search.cost.arc.tolist(),
        words=search.words.tolist(),
        ending_cost=search.cost.final[search.forest.goals].tolist(),
        worth=worth,
    )
    edges, outputs = resolve_ties(product, labels)
    return BestDerivation(edges, sum(worth[output] for output in outputs))


def _too_large(why: str) -> InputError:
    return InputError(f"the forest is too large for the openfst engine: {why}", advice="use the native engine")
