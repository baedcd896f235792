"""Run a rule (a byte transducer) word by word.

A rule rewrites texts: words in UTF-8, separated by single spaces. A graph may have too many texts to rewrite one by
one. So the rule reads the words of arcs. Before a word, the rule may be in several states; it reads the word from each
of these states. The steps of each word are computed once and cached: a rule that depends only on single words runs once
per distinct word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from latticemetric.errors import InputError
from latticemetric.lattice.fst_binary import FstArrays

_SPACE = ord(" ")
_WHITE = frozenset(b" \t\n\r\f\v")
# The maximum number of outputs that a rule may have for one word.
MOST_WAYS = 10_000

BEFORE = -1
"""The state of a rule before the first word."""

AFTER = -2
"""The state of a rule after the last word."""


_Ways = dict[tuple[int, bytes], float]
"""The ways to read some bytes, with their costs. A way is the state after these bytes, and the bytes written."""


class Step(NamedTuple):
    """One way to read a word: the rule's state after the word, the bytes written, and the sum of weights."""

    state: int
    output: bytes
    cost: float


class _Move(NamedTuple):
    """A transition of the transducer, which reads a byte (0 for none) and writes one byte or none."""

    byte: int
    output: bytes
    cost: float
    target: int


class Rewriter(ABC):
    """Rewrites texts word by word; caches the steps of each word from each state.

    A word is read together with the space after it. But no space follows the last word of a text. After this word, the
    state is `AFTER`, and a space is added to the output, so that the last output word, too, ends with white space.
    """

    def __init__(self, where: str, *, is_weighted: bool = False) -> None:
        """Store `where`, the name of the rules in errors, and `is_weighted`: True if steps may have costs."""
        self.where = where
        self.is_weighted = is_weighted
        self._steps: dict[tuple[int, str], tuple[Step, ...]] = {}
        self._sets: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def steps(self, state: int, word: str) -> tuple[Step, ...]:
        """Return the ways to read a word and the space after it; none if the rule rejects the word."""
        key = state, word
        if key not in self._steps:
            self._steps[key] = tuple(self._compute_steps(state, word))
        return self._steps[key]

    def states_after(self, states: frozenset[int], word: str) -> frozenset[int]:
        """Return the rule's possible states after it reads a word from any of `states`; none if it rejects the word."""
        key = states, word
        if key not in self._sets:
            self._sets[key] = frozenset(step.state for state in states for step in self.steps(state, word))
        return self._sets[key]

    def sole_text(self, words: Sequence[str]) -> tuple[str, ...] | None:
        """Rewrite a text; `None` if the rule has weights, rejects the text, or rewrites it in several ways.

        This is much faster than the composition with a lattice.
        """
        if self.is_weighted:
            return None
        sets = [frozenset((BEFORE,))]
        for word in words:
            sets.append(self.states_after(sets[-1], word))
        ends = sets.pop() & {BEFORE, AFTER}
        outputs = []
        for states, word in zip(reversed(sets), reversed(words), strict=True):
            into = [(state, step) for state in states for step in self.steps(state, word) if step.state in ends]
            if len(into) != 1:
                return None
            [(state, step)] = into
            ends = frozenset((state,))
            outputs.append(step.output)
        written, begun = split_output(b"", b"".join(reversed(outputs)))
        try:
            return None if begun or not ends else tuple(word.decode("utf-8", "surrogatepass") for word in written)
        except UnicodeDecodeError:
            return None

    @abstractmethod
    def _compute_steps(self, state: int, word: str) -> Iterator[Step]:
        """Yield the ways to read a word: as the last word of a text (new state: `AFTER`), and as an earlier word."""


class Rule(Rewriter):
    """A rule that is a byte transducer; the transitions of a state are listed on demand."""

    def __init__(self, machine: FstArrays, where: str) -> None:
        """Store the machine; `where` names it in errors.

        Raises:
            InputError: The machine is empty, or its labels are not bytes.
        """
        weighted = bool(machine.weight.any() or machine.final[np.isfinite(machine.final)].any())
        super().__init__(where, is_weighted=weighted)
        self._machine = machine
        self._begin = np.searchsorted(machine.source, np.arange(len(machine.final) + 1)).tolist()
        self._moves: dict[int, dict[int, list[_Move]]] = {}
        if machine.start < 0:
            raise InputError(
                "the rule is empty: it accepts nothing", where=where, advice="correct it, and compile it again"
            )
        if machine.input_symbols is not None or machine.output_symbols is not None:
            raise InputError(
                "the rule is compiled over the symbols of a table, not over bytes",
                where=where,
                advice="compile it over bytes",
            )
        for side in (machine.input, machine.output):
            if len(side) and not 0 <= side.min() <= side.max() <= 0xFF:  # noqa: PLR2004  a byte
                label = side[(side < 0) | (side > 0xFF)][0]  # noqa: PLR2004
                raise InputError(
                    f"the rule has label {label}, which is not a byte",
                    where=where,
                    advice="compile it over bytes: token_type='byte', and no generated symbols like [this]",
                )

    def __reduce__(self) -> tuple[type[Rule], tuple[FstArrays, str]]:
        """Pickle the machine without cached steps, since workers see other words."""
        return Rule, (self._machine, self.where)

    def _compute_steps(self, state: int, word: str) -> Iterator[Step]:
        if state == AFTER:
            return
        begin = self._machine.start if state == BEFORE else state
        ways = self._with_silent_moves({(begin, b""): 0.0}, word)
        for byte in word.encode("utf-8", "surrogatepass"):
            ways = self._with_silent_moves(self._ways_over(ways, byte), word) if byte else {}
        for (at, output), cost in ways.items():
            end = float(self._machine.final[at])
            if end != np.inf:
                yield Step(AFTER, output + b" ", cost + end)
        # Silent moves after the space belong to the next word. If they belonged to both words, a text would have
        # several paths.
        yield from (Step(at, out, cost) for (at, out), cost in self._ways_over(ways, _SPACE).items())

    def _ways_over(self, ways: _Ways, byte: int) -> _Ways:
        """Return the continuations of `ways` by moves that read this byte."""
        reached: _Ways = {}
        for (at, output), cost in ways.items():
            for move in self._moves_from(at).get(byte, ()):
                way = move.target, output + move.output
                if cost + move.cost < reached.get(way, np.inf):
                    reached[way] = cost + move.cost
        return reached

    def _with_silent_moves(self, ways: _Ways, word: str) -> _Ways:
        """Add to `ways` all their continuations by moves that read no byte; return `ways`."""
        pending, done = list(ways), 0
        while pending:
            done += 1
            at, output = pending.pop()
            for move in self._moves_from(at).get(0, ()):
                way = move.target, output + move.output
                cost = ways[at, output] + move.cost
                if cost < ways.get(way, np.inf):
                    ways[way] = cost
                    pending.append(way)
            if done > MOST_WAYS:
                raise InputError(
                    f"the rule rewrites '{word}' to more than {MOST_WAYS} outputs, or to endless outputs",
                    where=self.where,
                    advice="remove cycles of the rule that write without reading",
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


def split_output(pending: bytes, output: bytes) -> tuple[list[bytes], bytes]:
    """Return two values: the list of complete words of `pending` + `output`, and the incomplete word at the end."""
    words, begun = [], bytearray(pending)
    for byte in output:
        if byte not in _WHITE:
            begun.append(byte)
        elif begun:
            words.append(bytes(begun))
            begun.clear()
    return words, bytes(begun)
