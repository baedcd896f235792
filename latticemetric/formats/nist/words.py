r"""Words of NIST transcripts and their alternations: `{ um / uh / @ }`, `(word)`, `word;tag;tag`.

`@` is no word. `(word)` may be left out. Braces and slashes count inside of braces wherever they stand; outside, a
slash is part of a word. An empty alternative at the end (`{ a / ah / }`) is none, as in sclite. A word may be followed
by two tags (labels `tag1`, `tag2`); `\;` is a semicolon, and other backslashes vanish, as in sclite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from latticemetric.errors import FormatError, shortened
from latticemetric.lattice import Labels, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, split_words

TAGS = ("tag1", "tag2")
DEEPEST = 32
NO_WORD = "@"

_SPACE = r" \t\n\r\f\v"
_OUTSIDE = re.compile(rf"[{_SPACE}]*(\{{|[^{_SPACE}]+)")
_INSIDE = re.compile(rf"[{_SPACE}]*([{{}}/]|[^{_SPACE}{{}}/]+)")
_MARKUP = re.compile(r"[{}();@\\]")
_SEPARATOR = re.compile(r"(?<!\\);")
_OPEN, _OR, _CLOSE = _MARKS = ("{", "/", "}")
_DEEPER = {_OPEN: 1, _OR: 0, _CLOSE: -1}


class Word(NamedTuple):
    """A word of a transcript; the empty one is no word."""

    text: str
    labels: Mapping[str, str]
    optional: bool


class Builder:
    """A graph that grows from left to right, with alternations."""

    def __init__(self, time: float = 0.0) -> None:
        self._here = 0
        self._times = [time]
        self._same_as: list[int] = [0]
        self._arcs: list[tuple[int, int, str]] = []
        self._labels: dict[str, dict[int, str]] = {}
        self._forks: list[tuple[int, list[int]]] = []

    @property
    def depth(self) -> int:
        """How many alternations are open."""
        return len(self._forks)

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands in the alternative yet."""
        return self._here == self._forks[-1][0]

    def add(self, word: Word, time: float = 0.0) -> None:
        """A word, which ends at some time."""
        target = self._state(time)
        if word.optional:
            self._arcs.append((self._here, target, ""))
        for name, text in word.labels.items():
            self._labels.setdefault(name, {})[len(self._arcs)] = text
        self._arcs.append((self._here, target, word.text))
        self._here = target

    def pause(self, time: float) -> None:
        """No word, until some time."""
        self.add(Word("", {}, optional=False), time)

    def open(self) -> None:
        """An alternation begins, and its first alternative."""
        self._forks.append((self._here, []))

    def alternative(self) -> None:
        """The next alternative begins."""
        fork, ends = self._forks[-1]
        ends.append(self._here)
        self._here = fork

    @property
    def has_alternatives(self) -> bool:
        """Check whether the alternation has an alternative before this one."""
        return bool(self._forks[-1][1])

    def close(self, time: float = 0.0) -> None:
        """The alternation ends; an empty alternative behind others is none."""
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
        """What has grown."""
        state = self._same_as
        for number in reversed(range(len(state))):
            state[number] = state[state[number]]  # the later one is resolved already
        numbers: dict[str, int] = {"": EPSILON}
        words = [numbers.setdefault(word, len(numbers)) for _, _, word in self._arcs]
        labels = {}
        for name, texts in sorted(self._labels.items()):
            side = Vocabulary.from_words(texts.values())
            column = np.zeros(len(self._arcs), dtype=np.int32)
            column[list(texts)] = side.encode(list(texts.values()))
            labels[name] = Labels(column, np.zeros(1, dtype=np.int32), side)
        return Lattice.from_arcs(
            [source for source, _, _ in self._arcs],
            [state[target] for _, target, _ in self._arcs],
            words,
            final=[state[self._here]],
            vocabulary=Vocabulary.from_words(word for word in numbers if word),
            times=self._times if timed else None,
            labels=labels,
        )


def parsed_word(text: str, where: str) -> Word:
    """A word with its tags, optional or not."""
    if not _MARKUP.search(text):
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
        raise FormatError(f"'{shortened(text, 40)}' holds no word; write @ for none", where=where)
    return Word(word, labels, optional)


def plain_words(text: str) -> tuple[str, ...] | None:
    """The words of a transcript without any markup; nothing where there is some."""
    return None if _MARKUP.search(text) else tuple(split_words(text))


def parsed_transcript(text: str, where: str) -> Lattice:
    """The graph of a transcript."""
    builder = Builder()
    for part, is_mark in _parts(text):
        if is_mark:
            _fork(builder, part, where)
        elif "{" in part or "}" in part:
            raise FormatError(
                f"'{shortened(part, 40)}' holds a brace outside of an alternation",
                where=where,
                advice="write { a / b }, with spaces",
            )
        else:
            builder.add(parsed_word(part, where))
    if builder.depth:
        raise FormatError("an alternation is not closed", where=where, advice="write { a / b }")
    return builder.lattice()


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Words, and the marks of alternations; which of the two a slash is depends on where it stands."""
    at = depth = 0
    while match := (_INSIDE if depth else _OUTSIDE).match(text, at):
        part, at = match[1], match.end()
        is_mark = part in _MARKS if depth else part == _OPEN
        yield part, is_mark
        if is_mark:
            depth += _DEEPER[part]


def _fork(builder: Builder, mark: str, where: str) -> None:
    if mark == _OPEN:
        if builder.depth == DEEPEST:
            raise FormatError(f"alternations nest more than {DEEPEST} deep", where=where)
        builder.open()
    elif builder.is_empty and not (mark == _CLOSE and builder.has_alternatives):
        raise FormatError("an alternative is empty", where=where, advice="write @ for no words")
    elif mark == _OR:
        builder.alternative()
    else:
        builder.close()
