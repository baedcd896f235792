"""The OpenFst engine: compose the graph with the metric's automaton, prune all but the best paths, resolve ties.

A forest becomes a push-down transducer, which is unfolded before the composition. The unfolded forest does not share
nodes, so this engine is for small forests and for checks of the native engine. OpenFst could compose the push-down
transducer with the automaton (`pdt_compose`, then `pdt_shortestpath` or `pdt_expand` with a weight), but that search
has a bug: OpenFst 1.8 merges calls of a node with the same parenthesis from two states of the automaton
(`ParenSpec::operator==` compares `src_start` with itself). With this bug, OpenFst finds worse paths or no path, or ends
the process.

A derivation is a balanced path of the push-down transducer. Its inputs are the derivation's edges in preorder, numbered
from 1, and then the goal's number; its outputs are the words. (Iglesias, Allauzen, Byrne, de Gispert & Riley 2011,
"Hierarchical Phrase-based Translation Representations".)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.automata.recognition import Gains, MachinePath, Ratio, path_of_best_rate, recognition_automaton
from latticemetric.automata.reference import ReferenceGraph
from latticemetric.engine.search import BestDerivation, ForestSearch, Search
from latticemetric.engine.ties import resolve_ties
from latticemetric.errors import InputError, require_pynini
from latticemetric.lattice.fst_binary import FstArrays
from latticemetric.lattice.lattice import Floats, Lattice
from latticemetric.lattice.openfst import fst_from_arrays, fst_to_arrays
from latticemetric.memory import most_bytes, over_budget
from latticemetric.vocabulary import EPSILON, STAR, UNKNOWN, Words

_Numbers = npt.NDArray[np.integer]

_EXACT_FLOAT32 = 2**24  # 32-bit floats hold all integers up to this one

NUMERATOR = Ratio(0, 1)
"""The rate 0 / 1: a search at this rate maximises the numerator alone (see `path_of_best_rate`)."""


def _optimal_product(
    graph: Any, reference: ReferenceGraph, gains: Gains, worth: Sequence[int], steps: int
) -> FstArrays:
    """Compose a graph with the automaton, prune all but the best paths, and sort states in topological order.

    `graph` is a transducer. It writes a reference word as itself or as ★, and any other word as ★. Its paths have at
    most `steps` arcs with words. `worth` is the weight of each output label.
    """
    product = composed(graph, metric_machine(reference, gains, worth))
    # The weights of OpenFst are exact if 32-bit floats hold all sums. Otherwise, keep all paths within rounding errors.
    steps += len(reference.final)
    largest = max(map(abs, worth)) * steps
    product.prune(weight=0.0 if largest < _EXACT_FLOAT32 else 8.0 * steps * largest / _EXACT_FLOAT32)
    product.topsort()
    return fst_to_arrays(product)


def composed(graph: Any, metric: Any) -> Any:
    """Sort the arcs of a metric's automaton in place, and return the composition of a graph with it."""
    import pynini

    metric.arcsort("ilabel")
    return pynini.compose(graph, metric, connect=True)


def ratios_of_outputs(gains: Gains) -> list[Ratio]:
    """Return the gain and the denominator that each output label adds. A label stands for an edit and its size."""
    return [Ratio(gain, size) for size in range(gains.order + 1) for gain in gains.of_edits()]


def weights_of_outputs(gains: Gains, rate: Ratio) -> list[int]:
    """Return the weight of each output label, rate.total · gain − rate.gain · size; see `path_of_best_rate`."""
    return [rate.total * gain - rate.gain * size for gain, size in ratios_of_outputs(gains)]


def metric_machine(reference: ReferenceGraph, gains: Gains, worth: Sequence[int]) -> Any:
    """Return the metric's automaton. Its output labels stand for (edit, size), and give the exact gain of a path."""
    source, target, label, edit, size, final = recognition_automaton(reference, gains.order)
    output = edit + size * len(gains.of_edits())
    weight = -np.array(worth, dtype=np.float64)[output]
    return fst_from_arrays(FstArrays(0, np.where(final, 0.0, np.inf), source, target, label, output, weight))


# Bytes of a state and of an arc of the composed machine; estimates differ from the true memory by up to a fifth.
# Measured on chains and dense lattices, 40 to 200 words, orders 1 to 4.
_STATE_BYTES, _ARC_BYTES = 140, 42


def search_lattice(search: Search) -> MachinePath:
    """Return the best path of a lattice under a recognition rate."""
    if search.spelling is not None:
        in_units, spelled = search.in_units()
        best = search_lattice(in_units)
        return best._replace(arcs=spelled.arcs_of(best.arcs))
    reference = search.reference
    if isinstance(reference, ReferenceGraph):
        return path_of_best_rate(lambda rate: _best_path_at(search, reference, rate), search.gains)
    return _best_path_at(search, ReferenceGraph.of_words(reference, search.gains.order), NUMERATOR)


def _best_path_at(search: Search, reference: ReferenceGraph, rate: Ratio) -> MachinePath:
    require_pynini()
    lattice = search.lattice
    require_memory_to_compose(lattice, len(reference.final))
    worth = weights_of_outputs(search.gains, rate)
    machine = fst_from_arrays(lattice_machine(lattice, search.label, reference.word))
    product = _optimal_product(machine, reference, search.gains, worth, lattice.num_states)
    arcs, outputs = resolve_ties(product, search.cost, search.is_word, lattice.final, worth)
    ratios = ratios_of_outputs(search.gains)
    gains, sizes = ([ratios[output][k] for output in outputs] for k in (0, 1))
    return MachinePath(arcs, Ratio(sum(gains), sum(sizes)))


def require_memory_to_compose(lattice: Lattice, states: int) -> None:
    """Raise `InputError` if there is too little memory to compose a lattice with the automaton of a reference.

    Call this before the composition: OpenFst ends the process if memory runs out. The composed machine has nearly one
    state for each pair (state of the lattice, state of the automaton). `states` is the number of states of the
    automaton.
    """
    most = most_bytes()
    if states * (_STATE_BYTES * lattice.num_states + _ARC_BYTES * len(lattice.word)) > most:
        raise over_budget(most)


def lattice_machine(lattice: Lattice, label: Words, known: Words) -> FstArrays:
    """Return the lattice as a transducer, without costs, from arc numbers to words and ★.

    Arc a has the input label a + 1, since 0 is ε. So the composed machine keeps the number of each arc. A word in
    `known` (the words of the automaton) is written as itself and as ★, any other word only as ★. So the automaton is
    small for any vocabulary. From each final state, a further arc leads to the end; its input label comes after the
    labels of all arcs.
    """
    arcs, end = len(lattice.word), lattice.num_states
    counts = label != EPSILON
    twice = np.flatnonzero(np.isin(label, known) & counts)
    number = np.concatenate([np.arange(arcs), twice])
    ending = np.arange(len(lattice.final))
    return sorted_machine(
        np.append(np.full(end, np.inf), 0.0),
        np.concatenate([lattice.source[number], lattice.final]),
        np.concatenate([lattice.target[number], np.full(len(ending), end)]),
        (
            np.concatenate([number + 1, arcs + 1 + ending]),
            np.concatenate([np.where(counts, STAR, EPSILON), label[twice], np.full(len(ending), EPSILON)]),
        ),
    )


def sorted_machine(
    final: Floats, source: _Numbers, target: _Numbers, labels: tuple[_Numbers, _Numbers], weight: Floats | None = None
) -> FstArrays:
    """Return a machine with start 0 and arcs sorted by source; `labels` are the arcs' inputs and outputs."""
    weight = np.zeros(len(source)) if weight is None else weight
    by_source = np.argsort(source, kind="stable")
    columns = (source, target, *labels)
    source, target, inputs, outputs = (column[by_source].astype(np.int32) for column in columns)
    return FstArrays(0, final, source, target, inputs, outputs, weight[by_source])


_MOST_STATES = 6_000_000  # states of the composed machine: about 15 seconds and two gigabytes
_MOST_TIES = 1_000_000  # arcs of the best paths: some seconds in Python


def search_forest(search: ForestSearch) -> BestDerivation:
    """Return the best derivation of a forest under a recognition rate."""
    require_pynini()
    import pynini

    machines, gains = forest_machines(search), search.gains
    most_states = _MOST_STATES // ((len(search.reference) + 1) * gains.order)
    if machines.unfolded_states(most_states) > most_states:
        raise _too_large("it unfolds into too many states")
    unfolded = pynini.pdt_expand(*machines.pushdown_transducer())
    reference, worth = ReferenceGraph.of_words(machines.reference, gains.order), weights_of_outputs(gains, NUMERATOR)
    product = _optimal_product(unfolded, reference, gains, worth, search.forest.max_words())
    if len(product.source) > _MOST_TIES:
        raise _too_large("too many derivations have the best score")
    edges, outputs = resolve_ties(product, search.cost, search.words, search.forest.goals, worth)
    return BestDerivation(edges, sum(worth[output] for output in outputs))


def _too_large(why: str) -> InputError:
    return InputError(f"the forest is too large for the openfst engine: {why}", advice="use the native engine")


class _Machine:
    """A machine to which paths are added: state 0 is its start, state 1 its end."""

    def __init__(self) -> None:
        self.states = 2
        self.arcs: list[tuple[int, int, int, int]] = []  # source, target, input, output

    def add_chain(self, steps: Sequence[Sequence[tuple[int, int]]]) -> None:
        """Add a path from start to end; each step is a list of parallel arcs, given as (input, output)."""
        places = [0, *range(self.states, self.states + len(steps) - 1), 1]
        self.states += len(steps) - 1
        for source, target, step in zip(places, places[1:], steps, strict=False):
            self.arcs += [(source, target, *label) for label in step]

    def fst(self) -> Any:
        source, target, inputs, outputs = np.array(sorted(self.arcs), dtype=np.int32).T
        final = np.full(self.states, np.inf)
        final[1] = 0.0
        return fst_from_arrays(FstArrays(0, final, source, target, inputs, outputs, np.zeros(len(source))))


@dataclass(frozen=True)
class ForestMachines:
    """One machine per node of a forest, and a last machine that calls the machines of the goals.

    A machine outputs words and calls. A reference word is written as itself and as ★, any other word only as ★. Words
    have numbers below `first_call`. The label `first_call` calls machine 0, the next label machine 1, and so on; each
    machine calls only earlier machines. Labels from `free_label` on are unused.
    """

    machines: list[_Machine]
    first_call: int
    free_label: int
    reference: Words

    def pushdown_transducer(self) -> tuple[Any, Any]:
        """Return the push-down transducer of the forest: a `pynini.Fst` and its `PdtParentheses`."""
        import pynini

        called = [(number, machine.fst()) for number, machine in enumerate(self.machines, start=self.first_call)]
        fst, parentheses = pynini.pdt_replace(called[::-1], start_paren_labels=self.free_label)
        return fst, parentheses

    def unfolded_states(self, enough: int) -> int:
        """Count the states of the unfolded forest.

        Each call has its own copy of a machine; calls that return to the same state share a copy. Copies are counted
        only up to `enough` + 1, since their number may be astronomical.
        """
        copies = [0] * len(self.machines)
        copies[-1] = 1
        for number in reversed(range(len(self.machines))):
            arcs = self.machines[number].arcs
            for _, called in {(target, output - self.first_call) for _, target, _, output in arcs}:
                if 0 <= called < len(self.machines):
                    copies[called] = min(copies[called] + copies[number], enough + 1)
        return sum(count * machine.states for count, machine in zip(copies, self.machines, strict=True))


def forest_machines(search: ForestSearch) -> ForestMachines:
    """Return the machines of a forest. Each edge is a path: it reads the edge's number, and writes words and calls."""
    forest = search.forest
    known = np.unique(search.reference[search.reference != UNKNOWN]).tolist()
    number_of = {word: number for number, word in enumerate(known, start=1)}
    first_call = len(known) + 1
    machines = [_Machine() for _ in range(forest.num_nodes + 1)]
    rows = zip(forest.head.tolist(), forest.tails.rows(), search.target.rows(), strict=True)
    for edge, (head, tails, target) in enumerate(rows):
        steps = [[(edge + 1, EPSILON)]]
        for symbol in target:
            outputs = (first_call + tails[-symbol - 1],) if symbol < 0 else (STAR, number_of.get(symbol))
            steps.append([(EPSILON, output) for output in outputs if output is not None])
        machines[head].add_chain(steps)
    edges = len(forest.head)
    for ending, goal in enumerate(forest.goals.tolist(), start=edges + 1):
        machines[-1].add_chain([[(EPSILON, first_call + goal)], [(ending, EPSILON)]])
    free_label = max(edges + len(forest.goals) + 1, first_call + len(machines))
    reference = [number_of.get(word, UNKNOWN) for word in search.reference.tolist()]
    return ForestMachines(machines, first_call, free_label, np.array(reference, dtype=np.int32))
