"""What text formats of forests with an edge a line have in common: `[3] the [7] ||| LM0=-2.5 TM=-1 ||| …`.

`[k]` stands for the words of node k. Features are log probabilities (or whatever the model multiplies with its
weights), so that costs are the negated values; their weights stand elsewhere, so that each counts with scale 1.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest
from latticemetric.formats.forests.fields import Features, Texts, features_of, plain_field, spelling_of
from latticemetric.formats.streams.stream import decoded_line
from latticemetric.vocabulary import Vocabulary, split_words

SEPARATOR = "|||"
_TAIL = re.compile(r"\[([0-9]+)\]")
_COUNT = re.compile(r"[0-9]{1,9}")
_MOST_DIGITS = 9

_Numbers = npt.NDArray[np.int64]


class Lines:
    """The lines of a text, one after the other, with their number."""

    def __init__(self, data: bytes, file: str) -> None:
        self._lines, self._file = io.BytesIO(data), file
        self.number = 0

    def next(self) -> str | None:
        """The next line without its end; `None` at the end."""
        data = self._lines.readline()
        if not data:
            return None
        self.number += 1
        return decoded_line(data, self.place()).rstrip("\r\n")

    def required(self, what: str) -> str:
        """The next line, which must be there."""
        line = self.next()
        if line is None:
            raise FormatError(f"the file ends where {what} should stand", where=self.place())
        return line

    def without_comments(self, what: str) -> str:
        """The next line that is no comment, which must be there."""
        while (line := self.required(what)).startswith("#"):
            pass
        return line

    def counts(self, text: str, number: int, what: str) -> list[int]:
        """Some whole numbers on a line."""
        fields = split_words(text)
        if len(fields) != number or not all(map(_COUNT.fullmatch, fields)):
            raise FormatError(f"'{shortened(text, 40)}' stands where {what} should stand", where=self.place())
        return list(map(int, fields))

    def place(self) -> str:
        """File and line."""
        return f"{self._file}:{self.number}"


class EdgeLines:
    """Edges on their way to a forest. Nodes are numbered as in the file.

    Args:
        file: Where they stand.
        fields: What an edge's line holds.
        semicolons: Whether features may have one between them, too.
    """

    def __init__(self, file: str, fields: tuple[str, ...], *, semicolons: bool = False) -> None:
        self._file, self._fields, self._semicolons = file, fields, semicolons
        self._symbols: dict[str, int] = {}
        self._words: list[str] = []
        self._head, self._line, self._length, self._values = array("q"), array("q"), array("q"), array("q")
        self._features = Features()
        self._covered = Texts()

    def __len__(self) -> int:
        return len(self._head)

    def add(self, head: int, text: str, line: int) -> None:
        """Takes one line."""
        fields = text.split(SEPARATOR)
        if len(fields) != len(self._fields):
            raise FormatError(
                f"the edge has {len(fields)} fields between |||, not {len(self._fields)}",
                where=f"{self._file}:{line}",
                advice=f"an edge is {' ||| '.join(self._fields)}",
            )
        row = [self._symbols.get(symbol) or self._new(symbol, line) for symbol in split_words(fields[0])]
        features = fields[1].replace(";", " ") if self._semicolons else fields[1]
        self._features.add_fields(len(self._head), split_words(features), self._file, line)
        if len(fields) > 2:  # noqa: PLR2004
            self._cover(fields[2].strip(), line)
        self._head.append(head)
        self._line.append(line)
        self._length.append(len(row))
        self._values.extend(row)

    def _new(self, symbol: str, line: int) -> int:
        """The number of a word, or of a node: −1 − its number."""
        match = _TAIL.fullmatch(symbol)
        if match is None:
            self._words.append(symbol)
            self._symbols[symbol] = len(self._words)
        else:
            if len(match[1]) > _MOST_DIGITS:
                raise FormatError(f"{shortened(symbol, 40)} is no node", where=f"{self._file}:{line}")
            self._symbols[symbol] = -1 - int(match[1])
        return self._symbols[symbol]

    def _cover(self, text: str, line: int) -> None:
        if not _COUNT.fullmatch(text):
            raise FormatError(f"'{shortened(text, 40)}' is no number of covered words", where=f"{self._file}:{line}")
        self._covered.add(str(int(text)) if int(text) else "")

    def forest(self, goals: list[int] | None, size: int) -> Forest:
        """All together. Without goals, they are the nodes that no edge uses."""
        edges = len(self._head)
        head, lengths, values = (np.array(part, dtype=np.int64) for part in (self._head, self._length, self._values))
        row = np.repeat(np.arange(edges), lengths)
        at = np.flatnonzero(values < 0)
        owner, tails = row[at], -1 - values[at]
        # Where nodes are numbers of edges, one without edges is there too: a dead end.
        self._check_tails(tails, owner, head, only_written=goals is None)
        begin = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=edges))])
        values[at] = begin[owner] - np.arange(len(at)) - 1
        ends = np.setdiff1d(head, tails).tolist() if goals is None else goals
        columns = self._features.columns(edges, size, lambda edge: f"{self._file}:{self._line[edge]}", len(ends))
        return Forest.from_edges(
            head,
            Ragged(begin.astype(np.int64), tails.astype(np.int32)),
            Ragged(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), values.astype(np.int32)),
            goals=ends,
            scores=columns,
            vocabulary=Vocabulary.from_words(self._words),
            labels={"covered": self._covered.of_edges()} if self._covered else None,
        )

    def _check_tails(self, tails: _Numbers, owner: _Numbers, head: _Numbers, *, only_written: bool) -> None:
        """Nodes stand below those that use them."""
        below = tails < head[owner]
        wrong = np.flatnonzero(~(below & np.isin(tails, head) if only_written else below))
        if len(wrong):
            edge = int(owner[wrong[0]])
            raise FormatError(
                f"[{tails[wrong[0]]}] is no node above the line",
                where=f"{self._file}:{self._line[edge]}",
                advice="a node stands in the file before those that use it",
            )


def edge_lines(forest: Forest, first: int = 0) -> Iterator[tuple[int, str]]:
    """Head, and `target ||| features`, of each edge; nodes are numbered from `first`."""
    names = {name: _feature_name(name) for name in forest.scores}
    spelling = spelling_of(forest, _word)
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), features_of(forest), strict=True)
    for head, tails, target, features in rows:
        symbols = [spelling[t] if t > 0 else f"[{tails[-t - 1] + first}]" for t in target]
        values = [f"{names[name]}={value!r}" for name, value in features]
        yield head, f"{' '.join(symbols)} {SEPARATOR} {' '.join(values)}"


def _word(text: str) -> str:
    if text.startswith("[") and text.endswith("]"):
        raise InputError(
            f"the word '{shortened(text, 40)}' would be read back as a node", advice="write another format"
        )
    return plain_field(text, "the word")


def _feature_name(name: str) -> str:
    try:
        return plain_field(name, "the feature")
    except InputError as error:
        raise UsageError(error.what, advice="add the scores up with --sum-scores") from None
