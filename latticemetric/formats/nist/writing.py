"""From graphs back to transcripts with alternations: a graph that is series and parallels of words, nothing else."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.formats.columns import as_lattice, require_labels
from latticemetric.formats.nist.words import DEEPEST, NO_WORD, TAGS
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import split_words


@dataclass
class Fork:
    """Alternatives: each a sequence of arc numbers and further forks.

    Attributes:
        first: The smallest of the arcs that they begin with.
        branches: The alternatives, in any order.
    """

    first: int
    branches: list[Sequence]

    def in_order(self) -> list[Sequence]:
        """The alternatives in the order of their first arcs."""
        return sorted(self.branches, key=_first)


Sequence = list["int | Fork"]


class _Mark(Enum):
    OPEN = "{"
    OR = "/"
    CLOSE = "}"


def _first(sequence: Sequence) -> int:
    item = sequence[0]
    return item.first if isinstance(item, Fork) else item


def require_words_only(graph: Graph, format_name: str, labels: set[str]) -> Lattice:
    """The graph as a lattice, if it has no scores and no labels but those."""
    lattice = as_lattice(graph)
    if lattice.scores:
        raise UsageError(
            f"{format_name} holds no scores, and this graph has {shortened(', '.join(lattice.scores), 200)}",
            advice="write a format that does",
        )
    require_labels(lattice, format_name, labels)
    if any(side.final.any() for side in lattice.labels.values()):
        raise UsageError(
            f"{format_name} has no place for labels of final states", advice="leave them out with --drop-labels"
        )
    return lattice


def decomposed(lattice: Lattice, format_name: str) -> Sequence:
    """The sequence of arcs and forks that a graph is."""
    last = lattice.num_states - 1
    whole = _Reduction(lattice).whole() if lattice.final.tolist() == [last] else None
    if whole is None:
        raise UsageError(
            f"{format_name} holds alternations only, and this graph is none: its paths cross, or end in several states",
            advice="write a format of lattices, e.g. openfst-text",
        )
    return whole


class _Reduction:
    """A graph that shrinks to one edge, if it is series and parallels: each edge is a sequence of what it was."""

    def __init__(self, lattice: Lattice) -> None:
        self._last = lattice.num_states - 1
        self._out: list[dict[int, Sequence]] = [{} for _ in range(lattice.num_states)]
        self._into: list[set[int]] = [set() for _ in range(lattice.num_states)]
        for arc, (source, target) in enumerate(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)):
            self._join(source, target, [arc])

    def whole(self) -> Sequence | None:
        """The only edge that is left; nothing if there are more."""
        if self._last == 0:
            return []
        left = self._last - 1
        pending = deque(range(1, self._last))
        while pending:
            state = pending.popleft()
            if not 0 < state < self._last or len(self._into[state]) != 1 or len(self._out[state]) != 1:
                continue
            left -= 1
            before, (after, rest) = self._into[state].pop(), self._out[state].popitem()
            sequence = self._out[before].pop(state)
            sequence.extend(rest)
            self._into[after].remove(state)
            if self._join(before, after, sequence):
                pending.extend((before, after))
        return self._out[0][self._last] if left == 0 else None

    def _join(self, source: int, target: int, sequence: Sequence) -> bool:
        """Adds an edge; whether there was one already, to which it became an alternative."""
        old = self._out[source].get(target)
        if old is None:
            self._out[source][target] = sequence
            self._into[target].add(source)
            return False
        forks = sorted((_as_fork(old), _as_fork(sequence)), key=lambda fork: len(fork.branches))
        forks[1].branches.extend(forks[0].branches)
        forks[1].first = min(fork.first for fork in forks)
        self._out[source][target] = [forks[1]]
        return True


def _as_fork(sequence: Sequence) -> Fork:
    """A sequence as alternatives: those that it is, or itself alone."""
    item = sequence[0]
    return item if len(sequence) == 1 and isinstance(item, Fork) else Fork(_first(sequence), [sequence])


class Speller:
    """Arcs of a lattice as words of a transcript."""

    def __init__(self, lattice: Lattice, format_name: str) -> None:
        self._format = format_name
        self._words = [lattice.vocabulary.word(number) for number in lattice.word.tolist()]
        self._labels = labels_of(lattice)

    def is_epsilon(self, arc: int) -> bool:
        """Whether an arc has neither word nor labels."""
        return not self._words[arc] and not any(texts[arc] for texts in self._labels.values())

    def option(self, fork: Fork) -> int | None:
        """The arc of a word that may be left out, if the fork is no more than that."""
        branches = fork.in_order()
        if [len(branch) for branch in branches] != [1, 1]:
            return None
        skip, arc = branches[0][0], branches[1][0]
        if isinstance(skip, Fork) or isinstance(arc, Fork):
            return None
        return arc if self.is_epsilon(skip) and self._words[arc] not in ("", NO_WORD) else None

    def word(self, arc: int, *, inside: bool = False, optional: bool = False) -> str:
        """A word with its tags, refused where it would be read back as something else."""
        word = self._words[arc]
        texts = [word, *(self._labels[name][arc] if name in self._labels else "" for name in TAGS)]
        for text in texts:
            if text and (split_words(text) != [text] or re.search(r"[\\{}/]" if inside else r"[\\{}]", text)):
                self._refuse(text)
        if word == NO_WORD or (not optional and len(word) > 1 and word[0] == "(" and word[-1] == ")"):
            self._refuse(word)
        texts[0] = f"({word})" if optional else word or NO_WORD
        while not texts[-1]:
            texts.pop()
        return ";".join(text.replace(";", "\\;") for text in texts)

    def transcript(self, sequence: Sequence, *, like_trn: bool = True) -> str:
        """A sequence with its alternations, on one line.

        Args:
            sequence: What is said.
            like_trn: Whether the line may end in brackets, as those of trn do.
        """
        tokens, depth = [], 0
        pending: list[int | Fork | _Mark] = list(reversed(sequence))
        while pending:
            item = pending.pop()
            if isinstance(item, _Mark):
                depth += (item is _Mark.OPEN) - (item is _Mark.CLOSE)
                if depth > DEEPEST:
                    raise UsageError(f"alternations nest more than {DEEPEST} deep", advice="write a format of lattices")
                tokens.append(item.value)
            elif not isinstance(item, Fork):
                tokens.append(self.word(item, inside=depth > 0))
            elif (arc := self.option(item)) is not None and (like_trn or pending):
                tokens.append(self.word(arc, inside=depth > 0, optional=True))
            else:
                pending.append(_Mark.CLOSE)
                for branch in reversed(item.in_order()):
                    pending.extend((*reversed(branch), _Mark.OR))
                pending[-1] = _Mark.OPEN
        return " ".join(tokens)

    def _refuse(self, text: str) -> None:
        raise InputError(
            f"{shortened(text)!r} would be read back from {self._format} as something else",
            advice="write another format",
        )


def labels_of(lattice: Lattice) -> Mapping[str, list[str]]:
    """The text of each arc in each label column."""
    return {name: [side.vocabulary.word(n) for n in side.arc.tolist()] for name, side in lattice.labels.items()}
