"""A rule: a transducer of bytes, run word by word.

A rule rewrites texts: words in UTF-8 with single spaces between them. A graph has many texts, so the rule is not run
on each of them but on the words of arcs, from the states that it can be in before them. The steps of each word are
found once and kept: where a rule looks at no more than a word, that is all the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from latticemetric.errors import InputError
from latticemetric.lattice.fst_binary import FstArrays

_SPACE = ord(" ")
_WHITE = frozenset(b" \t\n\r\f\v")
# The most outputs of a word, over all ways that the rule reads it.
MOST_WAYS = 10_000

BEFORE = -1
"""The state of a rule before the first word."""

AFTER = -2
"""The state of a rule after the last word."""


class Step(NamedTuple):
    """A way to take a word: the rule's state after it, the bytes written, and the sum of the rule's weights."""

    state: int
    output: bytes
    cost: float


class _Move(NamedTuple):
    byte: int
    output: bytes
    cost: float
    target: int


class Rule:
    """A byte transducer that lists the moves of a state when it first needs them.

    A word is taken with a space behind it. Behind the last word that space is no part of the text: the rule is over,
    and the space closes its output, so that every word of the output ends with white space.
    """

    def __init__(self, machine: FstArrays, where: str) -> None:
        """Take the machine; `where` is its name in errors."""
        self.where = where
        self._machine = machine
        self._begin = np.searchsorted(machine.source, np.arange(len(machine.final) + 1)).tolist()
        self._moves: dict[int, dict[int, list[_Move]]] = {}
        self._steps: dict[tuple[int, str], tuple[Step, ...]] = {}
        self._sets: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        self.is_weighted = bool(machine.weight.any() or machine.final[np.isfinite(machine.final)].any())
        self._check()

    def steps(self, state: int, word: str) -> tuple[Step, ...]:
        """Return the ways to take a word and the space behind it; none where the rule rejects it."""
        key = state, word
        if key not in self._steps:
            self._steps[key] = tuple(self._taken(state, word))
        return self._steps[key]

    def states_after(self, states: frozenset[int], word: str) -> frozenset[int]:
        """Return the states of the rule after a word, from any of some states; none if it rejects the word."""
        key = states, word
        if key not in self._sets:
            self._sets[key] = frozenset(step.state for state in states for step in self.steps(state, word))
        return self._sets[key]

    def _check(self) -> None:
        machine = self._machine
        if machine.start < 0:
            raise InputError("the rule is empty: it accepts nothing", where=self.where)
        if machine.input_symbols is not None or machine.output_symbols is not None:
            raise InputError("the rule rewrites symbols of a table", where=self.where, advice="compile it over bytes")
        for side in (machine.input, machine.output):
            if len(side) and not 0 <= side.min() <= side.max() <= 0xFF:  # noqa: PLR2004  a byte
                label = side[(side < 0) | (side > 0xFF)][0]  # noqa: PLR2004
                raise InputError(
                    f"the rule has label {label}, which is no byte",
                    where=self.where,
                    advice="compile it over bytes: token_type='byte', and no generated symbols like [this]",
                )

    def _taken(self, state: int, word: str) -> Iterator[Step]:
        if state == AFTER:
            return
        begin = self._machine.start if state == BEFORE else state
        ways = self._closed({(begin, b""): 0.0}, word)
        for byte in word.encode("utf-8", "surrogatepass"):
            ways = self._advanced(ways, byte, word) if byte else {}
        for (at, output), cost in ways.items():
            end = float(self._machine.final[at])
            if end != np.inf:
                yield Step(AFTER, output + b" ", cost + end)
        yield from (Step(at, out, cost) for (at, out), cost in self._advanced(ways, _SPACE, word).items())

    def _advanced(self, ways: dict[tuple[int, bytes], float], byte: int, word: str) -> dict[tuple[int, bytes], float]:
        reached: dict[tuple[int, bytes], float] = {}
        for (at, output), cost in ways.items():
            for move in self._moves_from(at).get(byte, ()):
                _keep(reached, (move.target, output + move.output), cost + move.cost)
        return self._closed(reached, word)

    def _closed(self, ways: dict[tuple[int, bytes], float], word: str) -> dict[tuple[int, bytes], float]:
        """Add all that the rule writes without reading."""
        pending, done = list(ways), 0
        while pending:
            done += 1
            at, output = pending.pop()
            for move in self._moves_from(at).get(0, ()):
                way = move.target, output + move.output
                if _keep(ways, way, ways[at, output] + move.cost):
                    pending.append(way)
            if done > MOST_WAYS:
                raise InputError(
                    f"the rule turns '{word}' into more than {MOST_WAYS} things, or writes without end",
                    where=self.where,
                    advice="see that no cycle of the rule writes without reading",
                )
        return ways

    def _moves_from(self, state: int) -> dict[int, list[_Move]]:
        if state not in self._moves:
            rows = slice(self._begin[state], self._begin[state + 1])
            columns = (self._machine.input, self._machine.output, self._machine.weight, self._machine.target)
            moves: dict[int, list[_Move]] = {}
            for byte, output, cost, target in zip(*(column[rows].tolist() for column in columns), strict=True):
                moves.setdefault(byte, []).append(_Move(byte, bytes([output]) if output else b"", cost, target))
            self._moves[state] = moves
        return self._moves[state]


def _keep(ways: dict[tuple[int, bytes], float], way: tuple[int, bytes], cost: float) -> bool:
    """Keep the cheapest cost of a way; return whether this one is."""
    if cost < ways.get(way, np.inf):
        ways[way] = cost
        return True
    return False


def split_output(pending: bytes, output: bytes) -> tuple[list[bytes], bytes]:
    """Return the words that are complete, and the beginning of the next one."""
    words, begun = [], bytearray(pending)
    for byte in output:
        if byte not in _WHITE:
            begun.append(byte)
        elif begun:
            words.append(bytes(begun))
            begun.clear()
    return words, bytes(begun)
