"""The general road: compose the lattice with the metric's automaton in OpenFst, prune to the optimum.

OpenFst finds which part of the product reaches the best value; ties in it are resolved here, in exact arithmetic:
OpenFst's weights are 32-bit floats and know one value only.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from latticemetric.automata.recognition import RecognitionAutomaton, recognition_automaton
from latticemetric.engine.search import Found, Search
from latticemetric.errors import require_pynini
from latticemetric.fst_layout import FstArrays
from latticemetric.interchange import fst_from_arrays, fst_to_arrays
from latticemetric.vocabulary import EPSILON, STAR

_EXACT_FLOAT32 = 2**24


def best_path(search: Search) -> Found:
    """The best path of a lattice under a recognition rate."""
    require_pynini()
    import pynini

    automaton = recognition_automaton(search.reference, search.gains.order)
    metric = fst_from_arrays(_metric_machine(automaton, search))
    metric.arcsort("ilabel")
    product = pynini.compose(fst_from_arrays(_lattice_machine(search)), metric, connect=True)
    product.prune(weight=_rounding_slack(search))
    product.topsort()
    return _resolve_ties(fst_to_arrays(product), search)


def _lattice_machine(search: Search) -> FstArrays:
    """The lattice as a transducer from arc numbers to words and ★.

    Arc a has input a + 1, so that the product remembers it. A word of the reference is met as itself and as ★,
    any other word only as ★: the automaton stays small whatever the vocabulary. Ending in the k-th final state is an
    arc of its own, numbered after all others, so that its cost is seen too.
    """
    lattice = search.lattice
    arcs, end = len(lattice.word), lattice.num_states
    everything = np.arange(arcs, dtype=np.int32)
    counts = search.label != EPSILON
    twice = np.flatnonzero(np.isin(search.label, search.reference) & counts).astype(np.int32)
    number = np.concatenate([everything, twice])
    ending = np.arange(len(lattice.final), dtype=np.int32)
    source = np.concatenate([lattice.source[number], lattice.final])
    output = np.concatenate([np.where(counts, STAR, EPSILON), search.label[twice], np.full(len(ending), EPSILON)])
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


def _metric_machine(automaton: RecognitionAutomaton, search: Search) -> FstArrays:
    """The automaton with edit codes as its output side, so that gains can be read off a path exactly."""
    gain = np.array(search.gains.of_edits(), dtype=np.float64)
    final = np.full(automaton.states, np.inf)
    final[automaton.first_final :] = 0.0
    weight = -gain[automaton.edit]
    return FstArrays(0, final, automaton.source, automaton.target, automaton.label, automaton.edit, weight)


def _rounding_slack(search: Search) -> float:
    """How far from OpenFst's best a true best path can be: nothing where all sums are whole 32-bit floats."""
    gains = search.gains
    steps = search.lattice.num_states + len(search.reference)
    largest = (gains.order * gains.unit + abs(gains.alpha) + abs(gains.beta)) * steps
    return 0.0 if largest < _EXACT_FLOAT32 else 8.0 * steps * largest / _EXACT_FLOAT32


class _Price(NamedTuple):
    """What is still to come from a state of the product, in the order of the tie rule."""

    loss: int
    cost: float
    words: int


class _Step(NamedTuple):
    """An arc of the product: the lattice arc it takes (`_ENDING`: it ends there), or none, and where it leads."""

    arc: int | None
    target: int
    loss: int
    cost: float
    words: int

    def before(self, rest: _Price) -> _Price:
        return _Price(self.loss + rest.loss, self.cost + rest.cost, self.words + rest.words)


_ENDING = -1


def _resolve_ties(product: FstArrays, search: Search) -> Found:
    steps = _steps(product, search)
    to_go: dict[int, _Price] = {int(s): _Price(0, 0.0, 0) for s in np.flatnonzero(np.isfinite(product.final))}
    for state in reversed(range(len(product.final))):
        prices = [step.before(to_go[step.target]) for step in steps[state]]
        if prices:
            to_go[state] = min(prices)
    return Found(_smallest_arcs(steps, to_go, product.start), -to_go[product.start].loss)


def _steps(product: FstArrays, search: Search) -> dict[int, list[_Step]]:
    gain = search.gains.of_edits()
    arcs = len(search.lattice.word)
    arc_cost = search.cost.arc.tolist()
    final_cost = search.cost.final[search.lattice.final].tolist()
    is_word = search.is_word.tolist()
    steps: dict[int, list[_Step]] = defaultdict(list)
    columns = (product.source, product.target, product.input, product.output)
    for source, target, label, edit in zip(*(column.tolist() for column in columns), strict=True):
        arc = label - 1
        if label == EPSILON:
            step = _Step(None, target, -gain[edit], 0.0, 0)
        elif arc < arcs:
            step = _Step(arc, target, -gain[edit], arc_cost[arc], is_word[arc])
        else:
            step = _Step(_ENDING, target, -gain[edit], final_cost[arc - arcs], 0)
        steps[source].append(step)
    return steps


def _smallest_arcs(steps: dict[int, list[_Step]], to_go: dict[int, _Price], start: int) -> Any:
    """The lexicographically smallest lattice path among the best paths of the product.

    One lattice path has many alignments, hence many states of the product after the same arcs: all of them that can
    still end at the best price are kept, and the smallest arc that any of them takes comes next.
    """
    path: list[int] = []
    here = _with_deletions({start}, steps, to_go)
    while True:
        cheapest = min(to_go[state][1:] for state in here)
        onward: dict[int, set[int]] = defaultdict(set)
        for state in here:
            if to_go[state][1:] == cheapest:
                for step in _best_steps(state, steps, to_go):
                    if step.arc is not None:
                        onward[step.arc].add(step.target)
        if not onward or (arc := min(onward)) == _ENDING:
            return np.array(path, dtype=np.int64)
        path.append(arc)
        here = _with_deletions(onward[arc], steps, to_go)


def _best_steps(state: int, steps: dict[int, list[_Step]], to_go: dict[int, _Price]) -> list[_Step]:
    return [step for step in steps[state] if step.before(to_go[step.target]) == to_go[state]]


def _with_deletions(states: set[int], steps: dict[int, list[_Step]], to_go: dict[int, _Price]) -> set[int]:
    reached, pending = set(states), list(states)
    while pending:
        for step in _best_steps(pending.pop(), steps, to_go):
            if step.arc is None and step.target not in reached:
                reached.add(step.target)
                pending.append(step.target)
    return reached
