"""Build a push-down transducer of a packed forest, from machines that call one another.

A derivation is a balanced path. Its input side is the derivation's edges in preorder, numbered from 1, followed by
the goal's number; its output side is the words. (Iglesias, Allauzen, Byrne, de Gispert & Riley 2011,
"Hierarchical Phrase-based Translation Representations".)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latticemetric.engine.search import ForestSearch
from latticemetric.lattice.fst_binary import FstArrays
from latticemetric.lattice.openfst import fst_from_arrays
from latticemetric.vocabulary import EPSILON, STAR, UNKNOWN, Words

_Label = tuple[int, int]  # input and output


class _Machine:
    """A machine under construction: state 0 is its start, state 1 its end."""

    def __init__(self) -> None:
        self.states = 2
        self.arcs: list[tuple[int, int, int, int]] = []  # source, target, input, output

    def add_chain(self, steps: Sequence[Sequence[_Label]]) -> None:
        """Add a path from start to end, with one or more parallel arcs for each step."""
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
    """One machine per node, and a last one that calls the goals.

    Words are renumbered here so that calls can have the numbers after them. A word of the reference is written as
    itself and as ★, any other word only as ★.

    Attributes:
        machines: The machines; each calls only machines before it.
        first_call: The output label that calls machine 0; the labels of the other machines follow.
        free_label: The first label that is not used; all labels after it are free, too.
        reference: The reference in these numbers.
    """

    machines: list[_Machine]
    first_call: int
    free_label: int
    reference: Words

    def pushdown_transducer(self) -> tuple[Any, Any]:
        """Return a `pynini.Fst` and its `PdtParentheses`."""
        import pynini

        called = [(self.first_call + number, machine.fst()) for number, machine in enumerate(self.machines)]
        fst, parentheses = pynini.pdt_replace(called[::-1], start_paren_labels=self.free_label)
        return fst, parentheses

    def unfolded_states(self, enough: int) -> int:
        """Count the states without parentheses: one copy of a machine for each return position of its calls.

        Stop counting above `enough`, since the number may be astronomical.
        """
        copies = [0] * len(self.machines)
        copies[-1] = 1
        for number in reversed(range(len(self.machines))):
            arcs = self.machines[number].arcs
            for _, output in {(target, output) for _, target, _, output in arcs if self._is_call(output)}:
                called = output - self.first_call
                copies[called] = min(copies[called] + copies[number], enough + 1)
        return sum(count * machine.states for count, machine in zip(copies, self.machines, strict=True))

    def _is_call(self, output: int) -> bool:
        return self.first_call <= output < self.first_call + len(self.machines)


def forest_machines(search: ForestSearch) -> ForestMachines:
    """Build the machines of a forest: each edge reads its own number, writes its words and calls its tails."""
    forest = search.forest
    known = np.unique(search.reference[search.reference != UNKNOWN]).tolist()
    number_of = {word: number for number, word in enumerate(known, start=1)}
    first_call = len(known) + 1
    machines = [_Machine() for _ in range(forest.num_nodes + 1)]
    rows = zip(forest.head.tolist(), forest.tails.rows(), search.target.rows(), strict=True)
    for edge, (head, tails, target) in enumerate(rows):
        calls = [first_call + tail for tail in tails]
        machines[head].add_chain([[(edge + 1, EPSILON)], *(_labels(symbol, calls, number_of) for symbol in target)])
    edges = len(forest.head)
    for ending, goal in enumerate(forest.goals.tolist(), start=edges + 1):
        machines[-1].add_chain([[(EPSILON, first_call + goal)], [(ending, EPSILON)]])
    free_label = max(edges + len(forest.goals) + 1, first_call + len(machines))
    reference = [number_of.get(word, UNKNOWN) for word in search.reference.tolist()]
    return ForestMachines(machines, first_call, free_label, np.array(reference, dtype=np.int32))


def _labels(symbol: int, calls: list[int], number_of: dict[int, int]) -> list[_Label]:
    if symbol < 0:
        return [(EPSILON, calls[-symbol - 1])]
    return [(EPSILON, number) for number in (STAR, number_of.get(symbol)) if number is not None]


def longest_output(search: ForestSearch) -> int:
    """Return the number of words of the longest derivation."""
    forest = search.forest
    longest: list[int] = [0] * forest.num_nodes
    goals: list[int] = forest.goals.tolist()
    rows = zip(forest.head.tolist(), forest.tails.rows(), search.target.lengths().tolist(), strict=True)
    for head, tails, length in rows:
        longest[head] = max(longest[head], length - len(tails) + sum(longest[tail] for tail in tails))
    return max(longest[goal] for goal in goals)
