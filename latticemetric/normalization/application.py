"""Apply a rule to a lattice: rewrite its texts, keep all scores.

The lattice is composed with the rule word by word. A state of the result is a lattice state, a rule state and the bytes
of an incomplete word. The scores of each lattice arc are kept. If the arc's word becomes several words, the arc of the
first word gets the scores. If the arc's word becomes no word, or only the beginning of a word (`air port` →
`airport`), an arc without a word gets the scores. So the sum of each column along a path does not change.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError, shortened
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.normalization.rule import AFTER, BEFORE, Rewriter, split_output
from latticemetric.vocabulary import EPSILON, Vocabulary

_MOST_SETS = 1_000_000

_Set = frozenset[int]
# For each pair of a lattice state and a set of rule states: the pair before it, and the word that leads from there to
# this pair; `None` for the first pair.
_Trail = dict[tuple[int, _Set], tuple[tuple[int, _Set], str] | None]


def arcs_from(lattice: Lattice) -> list[list[tuple[int, int, str]]]:
    """Return a list for each state: the number, target and word of each arc that leaves the state."""
    arcs: list[list[tuple[int, int, str]]] = [[] for _ in range(lattice.num_states)]
    columns = (lattice.source, lattice.target, lattice.word)
    for arc, (source, target, word) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        arcs[source].append((arc, target, lattice.vocabulary.word(word)))
    return arcs


def useful_states(rule: Rewriter, lattice: Lattice) -> list[set[int]]:
    """Return the rule states that are possible at each lattice state when the rule accepts a text of the lattice."""
    arcs, finals = arcs_from(lattice), set(lattice.final.tolist())
    useful: list[set[int]] = [set() for _ in arcs]
    useful[0].add(BEFORE)
    for states, leaving in zip(useful, arcs, strict=True):
        for _, target, word in leaving:
            useful[target].update(rule.states_after(frozenset(states), word) if word else states)
    for state, states in reversed(list(enumerate(useful))):
        ends = {BEFORE, AFTER} if state in finals else set()
        for at in states - ends:
            if not any(
                at in useful[target] if not word else any(step.state in useful[target] for step in rule.steps(at, word))
                for _, target, word in arcs[state]
            ):
                states.discard(at)
    return useful


def check_accepted(rule: Rewriter, lattice: Lattice) -> None:
    """Raise `InputError` if the rule rejects a text of the lattice.

    The rule is determinized on the fly: each prefix of a text leads to a set of rule states.
    """
    arcs, finals = arcs_from(lattice), set(lattice.final.tolist())
    here: list[list[_Set]] = [[] for _ in range(lattice.num_states)]
    start = frozenset((BEFORE,))
    here[0].append(start)
    trail: _Trail = {(0, start): None}
    for state, sets in enumerate(here):
        for states in sets:
            if not states or (state in finals and states.isdisjoint((BEFORE, AFTER))):
                words = []
                node = (state, states)
                while (step := trail[node]) is not None:
                    node, word = step
                    words.append(word)
                text = shortened(" ".join(word for word in reversed(words) if word))
                beginning = "" if states else ", the beginning of a text"
                advice = "let the rule copy all bytes that it does not rewrite"
                raise InputError(f"the rule rejects '{text}'{beginning}", where=rule.where, advice=advice)
            for _, target, word in arcs[state]:
                following = rule.states_after(states, word) if word else states
                if (target, following) not in trail:
                    trail[target, following] = (state, states), word
                    here[target].append(following)
        if len(trail) > _MOST_SETS:
            raise InputError(
                f"the rule can read the graph in more than {_MOST_SETS} ways",
                where=rule.where,
                advice="prune the graph, or use n-best lists",
            )


COLUMN = "grammar"
"""The name of the score column with the weights of rules."""

_NOWHERE = -1


def apply_rule(rule: Rewriter, lattice: Lattice) -> Lattice:
    """Rewrite the texts of a lattice.

    If the rule rewrites a text to several texts, each of these becomes a path. Scores are kept. Weights of the rule are
    costs, and are added to the column `grammar`.

    Raises:
        InputError: The rule rejects a text of the lattice, or the lattice has word numbers instead of words.
    """
    if lattice.vocabulary.is_numeric and lattice.word.any():
        raise InputError(
            "grammars need words, but the graph has word numbers", advice="give a symbol table with symbols=…"
        )
    check_accepted(rule, lattice)
    return _Composition(rule, lattice).run()


class _CompositionState(NamedTuple):
    """A state of the result: a lattice state, a rule state, and the bytes of an incomplete word."""

    state: int
    rule: int
    begun: bytes


class _Composition:
    """The composition of a rule with a lattice whose states are in topological order."""

    def __init__(self, rule: Rewriter, lattice: Lattice) -> None:
        self._rule, self._lattice = rule, lattice
        self._times = [0.0] * lattice.num_states if lattice.times is None else lattice.times.tolist()
        self._useful = useful_states(rule, lattice)
        self._known: list[dict[_CompositionState, int]] = [{} for _ in range(lattice.num_states)]
        # Columns of the result: the times of states; and for each arc (source, target, word), lattice arc, and cost.
        self._new_times: list[float] = []
        self._arcs: list[tuple[int, int, int]] = []
        self._origin: list[int] = []
        self._cost: list[float] = []
        self._words = {"": EPSILON}

    def run(self) -> Lattice:
        """Return the result of the composition."""
        lattice = self._lattice
        rows = {end: row for row, end in enumerate(lattice.final.tolist())}
        arcs = arcs_from(lattice)
        final: dict[int, int] = {}
        self._state_number(_CompositionState(0, BEFORE, b""))
        for state, known in enumerate(self._known):
            for at, number in known.items():
                for arc, target, word in arcs[state]:
                    self._add_arcs_of(at, number, arc, target, word)
                if state in rows and at.rule in (BEFORE, AFTER):
                    final[number] = rows[state]
            known.clear()
        origin, ends = np.array(self._origin, dtype=np.int64), np.array(list(final.values()), dtype=np.int64)
        scores = {
            n: Column(_values_of_origin(c.arc, origin), c.final[ends], c.weight) for n, c in lattice.scores.items()
        }
        if self._rule.is_weighted:
            before = scores.get(COLUMN, Column(np.zeros(len(origin)), np.zeros(len(ends))))
            scores[COLUMN] = Column(before.arc + np.array(self._cost), before.final, before.weight)
        sides = lattice.labels.items()
        columns = np.array(self._arcs, dtype=np.int64).reshape(-1, 3).T
        return Lattice.from_arcs(
            *columns,
            final=list(final),
            scores=scores,
            vocabulary=Vocabulary.from_words(word for word in self._words if word),
            times=None if lattice.times is None else self._new_times,
            labels={
                n: Labels(_values_of_origin(side.arc, origin), side.final[ends], side.vocabulary) for n, side in sides
            },
        )

    def _add_state(self, time: float) -> int:
        self._new_times.append(time)
        return len(self._new_times) - 1

    def _add_arc(self, source: int, target: int, word: str, origin: int, cost: float) -> None:
        self._arcs.append((source, target, self._words.setdefault(word, len(self._words))))
        self._origin.append(origin)
        self._cost.append(cost)

    def _state_number(self, at: _CompositionState) -> int:
        known = self._known[at.state]
        if at not in known:
            known[at] = self._add_state(self._times[at.state])
        return known[at]

    def _add_arcs_of(self, at: _CompositionState, number: int, arc: int, target: int, word: str) -> None:
        """Add the arcs of the result for a lattice arc that leaves the state `at`, which has the number `number`.

        Each step of the rule adds one arc for each word that the step completes. A step that completes no word adds one
        arc without a word.
        """
        if not word:
            if at.rule in self._useful[target]:
                self._add_arc(number, self._state_number(at._replace(state=target)), "", arc, 0.0)
            return
        begin, end = self._times[at.state], self._times[target]
        for step in self._rule.steps(at.rule, word):
            if step.state not in self._useful[target]:
                continue
            words, begun = split_output(at.begun, step.output)
            goal = self._state_number(_CompositionState(target, step.state, begun))
            here, origin, cost = number, arc, step.cost  # the first arc has the scores
            for place, written in enumerate(words or [b""], start=1):
                last = place >= len(words)
                there = goal if last else self._add_state(float(begin + place / len(words) * (end - begin)))
                try:
                    text = written.decode("utf-8", "surrogatepass")
                except UnicodeDecodeError:
                    where = self._rule.where
                    advice = "let the rule write whole characters"
                    raise InputError(
                        f"the rule writes {written!r}, which is not UTF-8", where=where, advice=advice
                    ) from None
                self._add_arc(here, there, text, origin, cost)
                here, origin, cost = there, _NOWHERE, 0.0


def _values_of_origin(values: npt.NDArray[Any], origin: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Return, for each arc of the result, the value of its lattice arc; 0 for arcs without a lattice arc."""
    return np.append(values, values.dtype.type(0))[origin]
