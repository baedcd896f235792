r"""Read and write words of NIST transcripts and their alternations: `{ um / uh / @ }`, `(word)`, `word;tag;tag`.

`@` means no word. `(word)` is optional. Inside braces, every brace and slash is markup; outside, a slash is part of a
word. An empty alternative at the end (`{ a / ah / }`) is ignored, as in sclite. Up to two tags (labels `tag1`, `tag2`)
may follow a word; `\;` is a semicolon; other backslashes are dropped, as in sclite.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.columns import lattice_to_write, refuse_final_labels
from latticemetric.formats.text.fields import encode_texts, labels_of_arcs
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import split_words

TAGS = ("tag1", "tag2")
DEEPEST = 32
NO_WORD = "@"

_SPACE = r" \t\n\r\f\v"
_OUTSIDE = re.compile(rf"[{_SPACE}]*(\{{|[^{_SPACE}]+)")
_INSIDE = re.compile(rf"[{_SPACE}]*([{{}}/]|[^{_SPACE}{{}}/]+)")
MARKUP = re.compile(r"[{}();@\\]")
_PLAIN_WORD = re.compile(r"[^\s{}/();@\\]+")
_SEPARATOR = re.compile(r"(?<!\\);")
_OPEN, _OR, _CLOSE = "{", "/", "}"


class Word(NamedTuple):
    """A word of a transcript; an empty text means no word."""

    text: str
    labels: Mapping[str, str]
    optional: bool


class GraphBuilder:
    """Builds a graph with alternations from left to right."""

    def __init__(self, time: float = 0.0) -> None:
        self._here = 0
        self._times = [time]
        self._same_as: list[int] = [0]
        self._arcs: list[tuple[int, int, str]] = []
        self._labels: dict[str, dict[int, str]] = {}
        self._forks: list[tuple[int, list[int]]] = []

    @property
    def depth(self) -> int:
        """The number of open alternations."""
        return len(self._forks)

    @property
    def is_empty(self) -> bool:
        """True if the current alternative has no words yet."""
        return self._here == self._forks[-1][0]

    def add(self, word: Word, time: float = 0.0) -> None:
        """Add a word that ends at `time`."""
        target = self._state(time)
        if word.optional:
            self._arcs.append((self._here, target, ""))
        for name, text in word.labels.items():
            self._labels.setdefault(name, {})[len(self._arcs)] = text
        self._arcs.append((self._here, target, word.text))
        self._here = target

    def pause(self, time: float) -> None:
        """Add an ε-arc that ends at `time`."""
        self.add(Word("", {}, optional=False), time)

    def open(self) -> None:
        """Begin an alternation and its first alternative."""
        self._forks.append((self._here, []))

    def alternative(self) -> None:
        """Begin the next alternative."""
        fork, ends = self._forks[-1]
        ends.append(self._here)
        self._here = fork

    @property
    def has_alternatives(self) -> bool:
        """True if the open alternation has an alternative before the current one."""
        return bool(self._forks[-1][1])

    def close(self, time: float = 0.0) -> None:
        """End the current alternation; ignore an empty last alternative, unless it is the only one."""
        if not (self.is_empty and self.has_alternatives):
            self.alternative()
        _, ends = self._forks.pop()
        self._here = self._state(time)
        for end in ends:
            self._same_as[end] = self._here

    def _state(self, time: float) -> int:
        self._times.append(time)
        self._same_as.append(len(self._same_as))
        return len(self._same_as) - 1

    def lattice(self, *, timed: bool = False) -> Lattice:
        """Return the graph."""
        state = self._same_as
        for number in reversed(range(len(state))):
            state[number] = state[state[number]]  # a later state is already resolved
        words, vocabulary = encode_texts((word for _, _, word in self._arcs), "", None)
        arcs = range(len(self._arcs))
        return Lattice.from_arcs(
            [source for source, _, _ in self._arcs],
            [state[target] for _, target, _ in self._arcs],
            words,
            final=[state[self._here]],
            vocabulary=vocabulary,
            times=self._times if timed else None,
            labels={
                name: labels_of_arcs([texts.get(arc, "") for arc in arcs])
                for name, texts in sorted(self._labels.items())
            },
        )


def parsed_word(text: str, where: str) -> Word:
    """Parse a word with its tags."""
    if not MARKUP.search(text):
        return Word(text, {}, optional=False)
    word, *tags = (part.replace("\\", "") for part in _SEPARATOR.split(text))
    if len(tags) > len(TAGS):
        raise FormatError(f"'{shortened(text, 40)}' has more than two tags; a semicolon in a word is \\;", where=where)
    labels = {name: tag for name, tag in zip(TAGS, tags, strict=False) if tag}
    if word == NO_WORD:
        return Word("", labels, optional=False)
    optional = word.startswith("(") and word.endswith(")") and len(word) > 1
    word = word[1:-1] if optional else word
    if not word or (optional and word == NO_WORD):
        raise FormatError(f"'{shortened(text, 40)}' has no word; write @ for none", where=where)
    return Word(word, labels, optional)


def parsed_transcript(text: str, where: str) -> Lattice:
    """Build the graph of a transcript."""
    if not MARKUP.search(text):
        words = split_words(text)
        arcs = np.arange(len(words), dtype=np.int32)
        numbers, vocabulary = encode_texts(words, "", None)
        return Lattice.from_arcs(arcs, arcs + 1, numbers, final=[len(words)], vocabulary=vocabulary)
    builder = GraphBuilder()
    at = 0
    # A slash is a mark only inside braces.
    while match := (_INSIDE if builder.depth else _OUTSIDE).match(text, at):
        part, at = match[1], match.end()
        if part == _OPEN:
            if builder.depth == DEEPEST:
                raise FormatError(f"alternations nest more than {DEEPEST} levels deep", where=where)
            builder.open()
        elif builder.depth and part in {_OR, _CLOSE}:
            if builder.is_empty and not (part == _CLOSE and builder.has_alternatives):
                raise FormatError("an alternative is empty", where=where, advice="write @ for no words")
            if part == _OR:
                builder.alternative()
            else:
                builder.close()
        elif "{" in part or "}" in part:
            raise FormatError(
                f"'{shortened(part, 40)}' has a brace outside an alternation",
                where=where,
                advice="write { a / b }, with spaces",
            )
        else:
            builder.add(parsed_word(part, where))
    if builder.depth:
        raise FormatError("an alternation is not closed", where=where, advice="write { a / b }")
    return builder.lattice()


# ---- Writing: graphs that consist of words in series and in parallel ----


@dataclass
class Fork:
    """An alternation; each alternative is a sequence of arc numbers and nested forks."""

    first: int  # the smallest number of the alternatives' first arcs
    branches: list[Series]  # in any order

    def in_order(self) -> list[Series]:
        """Return the alternatives, sorted by their first arcs."""
        return sorted(self.branches, key=_first)


Series = list["int | Fork"]


def _first(sequence: Series) -> int:
    item = sequence[0]
    return item.first if isinstance(item, Fork) else item


def require_words_only(graph: Graph, format_name: str, labels: set[str]) -> Lattice:
    """Return the graph as a lattice; refuse scores, and labels that are not in `labels`."""
    lattice = lattice_to_write(graph, format_name, labels, weights=True)
    if lattice.scores:
        raise UsageError(
            f"{format_name} holds no scores, but this graph has {shortened(', '.join(lattice.scores), 200)}",
            advice="write a format with scores",
        )
    refuse_final_labels(lattice, format_name)
    return lattice


def decomposed(lattice: Lattice, format_name: str) -> Series:
    """Decompose a graph into a sequence of arcs and forks; refuse a graph if this is not possible.

    Begin with an edge for each arc, and merge edges until one is left. Each edge holds the sequence of arcs and forks
    that it replaces.
    """
    last = lattice.num_states - 1
    states = np.arange(last + 1)
    is_chain = np.array_equal(lattice.source, states[:-1]) and np.array_equal(lattice.target, states[1:])
    if is_chain and lattice.final.tolist() == [last]:
        return list(range(last))
    out: list[dict[int, Series]] = [{} for _ in range(lattice.num_states)]
    into: list[set[int]] = [set() for _ in range(lattice.num_states)]

    def join(source: int, target: int, sequence: Series) -> bool:
        """Add an edge, or add an alternative to an existing edge; return True if the edge existed."""
        old = out[source].get(target)
        if old is None:
            out[source][target] = sequence
            into[target].add(source)
            return False
        forks = sorted((_as_fork(old), _as_fork(sequence)), key=lambda fork: len(fork.branches))
        forks[1].branches.extend(forks[0].branches)
        forks[1].first = min(fork.first for fork in forks)
        out[source][target] = [forks[1]]
        return True

    for arc, (source, target) in enumerate(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)):
        join(source, target, [arc])
    inner = last - 1  # the number of states between the first and the last that are not yet replaced
    pending = deque(range(1, last))
    while pending:
        state = pending.popleft()
        if not 0 < state < last or len(into[state]) != 1 or len(out[state]) != 1:
            continue
        inner -= 1
        before, (after, rest) = into[state].pop(), out[state].popitem()
        sequence = out[before].pop(state)
        sequence.extend(rest)
        into[after].remove(state)
        if join(before, after, sequence):
            pending.extend((before, after))
    if lattice.final.tolist() != [last] or inner > 0:
        raise UsageError(
            f"{format_name} holds only alternations, but the paths of this graph cross or end in several states",
            advice="write a format of lattices, e.g. openfst-text",
        )
    return out[0][last] if last else []


def _as_fork(sequence: Series) -> Fork:
    """Return the sequence's only fork, or a new fork with the sequence as its only alternative."""
    item = sequence[0]
    return item if len(sequence) == 1 and isinstance(item, Fork) else Fork(_first(sequence), [sequence])


class Speller:
    """Writes arcs of a lattice as words of a transcript."""

    def __init__(self, lattice: Lattice, format_name: str) -> None:
        self._format = format_name
        self.series = decomposed(lattice, format_name)
        self._words = [lattice.vocabulary.word(number) for number in lattice.word.tolist()]
        self._labels = labels_of(lattice)

    def is_epsilon(self, arc: int) -> bool:
        """Check whether an arc has neither a word nor labels."""
        return not self._words[arc] and not any(texts[arc] for texts in self._labels.values())

    def optional_word(self, fork: Fork) -> int | None:
        """Return the arc of the optional word if a fork has only an ε-arc and a word; otherwise, return `None`."""
        branches = fork.in_order()
        if [len(branch) for branch in branches] != [1, 1]:
            return None
        skip, arc = branches[0][0], branches[1][0]
        if isinstance(skip, Fork) or isinstance(arc, Fork):
            return None
        return arc if self.is_epsilon(skip) and self._words[arc] not in ("", NO_WORD) else None

    def word(self, arc: int, *, inside: bool = False, optional: bool = False) -> str:
        """Return a word with its tags, as text; refuse a word that would be read back differently."""
        word = self._words[arc]
        if not optional and not self._labels and _PLAIN_WORD.fullmatch(word):
            return word
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

    def transcript(self, *, like_trn: bool) -> str:
        """Return the graph as one line; write an optional word at its end as `(word)` only if `like_trn` is true."""
        tokens, depth = [], 0
        pending: list[int | Fork | str] = list(reversed(self.series))
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                depth += (item == _OPEN) - (item == _CLOSE)
                if depth > DEEPEST:
                    raise UsageError(
                        f"alternations nest more than {DEEPEST} levels deep", advice="write a format of lattices"
                    )
                tokens.append(item)
            elif not isinstance(item, Fork):
                tokens.append(self.word(item, inside=depth > 0))
            elif (arc := self.optional_word(item)) is not None and (like_trn or pending):
                tokens.append(self.word(arc, inside=depth > 0, optional=True))
            else:
                pending.append(_CLOSE)
                for branch in reversed(item.in_order()):
                    pending.extend((*reversed(branch), _OR))
                pending[-1] = _OPEN
        return " ".join(tokens)

    def _refuse(self, text: str) -> None:
        raise InputError(
            f"{shortened(text)!r} would not be read back unchanged from {self._format}",
            advice="write another format",
        )


def labels_of(lattice: Lattice) -> Mapping[str, list[str]]:
    """Return the texts of the arcs' labels: for each name of a label, a list with one text per arc."""
    return {name: side.vocabulary.words(side.arc) for name, side in lattice.labels.items()}
