"""Read and write Moses confusion networks (`-inputtype 1`): one column per line, like `the 0.75 a 0.2 *EPS* 0.05`.

The reader infers the number of probabilities per word. Costs are −ln p and, as in Moses, lie between 0 and 100: a
probability above 1 counts as 1, and probability 0 costs 100.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.columns import columns_to_write, cost_of, lattice_to_write, probability_to_write
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Piece, Stream
from latticemetric.formats.text.blocks import blocks
from latticemetric.formats.text.fields import (
    complete_lines,
    encode_numbered,
    encode_texts,
    is_number,
    number,
    numbered_lines,
    word_to_write,
)
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.vocabulary import Vocabulary, split_words

_EPSILON_WORD = "*EPS*"
_HIGHEST_COST = 100.0
_OTHERS = re.compile(rb"\s*(?:[0-9]+[ \t]+[0-9]+[ \t]|(?:name|numaligns|k2\.Fsa(?:Vec)?:)[ \t])")
_ONE_NUMBER = re.compile(rb"\s*[0-9]+[ \t]+[-+0-9.eE]+\s*")


class _Scores:
    """Infers the number of scores per word from the lines. The answer may be ambiguous if words look like scores."""

    def __init__(self) -> None:
        self._possible: set[int] | None = None
        self._likely: set[int] = set()

    def narrow(self, fields: list[str]) -> bool:
        """Rule out each number of scores per word that does not fit this line; return True if at least one is left."""
        numeric = [is_number(field) for field in fields]
        decimal = [is_one and not field.isdigit() for field, is_one in zip(fields, numeric, strict=True)]
        if self._possible is None:
            divisors = [d for d in range(1, int(len(fields) ** 0.5) + 1) if len(fields) % d == 0]
            self._possible = {d - 1 for small in divisors for d in (small, len(fields) // small) if d > 1}
            self._likely = self._possible
        self._possible = {
            k
            for k in self._possible
            if len(numeric) % (k + 1) == 0 and all(all(numeric[place :: k + 1]) for place in range(1, k + 1))
        }
        self._likely = {k for k in self._likely & self._possible if not any(decimal[:: k + 1])}
        return bool(self._possible)

    def number(self, *, surely: bool = False) -> int:
        """Return the number of scores per word.

        Several numbers may fit the lines. Return the lowest number with which no word looks like a probability. If
        there is no such number, return the lowest number that fits or, with `surely`, 0.
        """
        return min(self._likely or (() if surely else self._possible or ()), default=0)


def _sniff(head: bytes) -> bool:
    if _OTHERS.match(head) or _ONE_NUMBER.fullmatch(head):
        return False
    scores = _Scores()
    lines: list[list[str]] = []
    for line in complete_lines(head).lstrip(b" \t\r\n").decode("utf-8", "replace").split("\n"):
        fields = split_words(line)
        if not fields:
            break
        if not scores.narrow(fields):
            return False
        lines.append(fields)
    width = scores.number(surely=True) + 1
    values = [value for fields in lines for k in range(1, width) for value in fields[k::width]]
    # If all numbers are whole, they are probably counts, not probabilities.
    return any("." in value for value in values) and all(0 <= float(value) <= 1 for value in values)


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for position, (lines_before, block) in enumerate(blocks(stream), start=1):
        place = stream.place(lines_before + 1)
        yield Entry(str(position), place, partial(_parse, block, stream.name, lines_before, vocabulary))


def _parse(block: Piece, file: str, lines_before: int, table: Vocabulary | None) -> Lattice:
    if (read := _native.read_moses_network(block.whole, block.begin, block.end)) is not None:
        positions, source, texts, cost = read
        words, vocabulary = encode_numbered(texts, _EPSILON_WORD, table)
        costs = [cost]
    else:
        lines, width = _read_lines(block.data, file, lines_before)
        positions = len(lines)
        source = np.array([k for k, (_, row) in enumerate(lines) for _ in row[::width]], dtype=np.int32)
        words, vocabulary = encode_texts((text for _, row in lines for text in row[::width]), _EPSILON_WORD, table)
        costs = [
            np.array([_cost(text, place) for place, row in lines for text in row[k::width]]) for k in range(1, width)
        ]
    return Lattice.from_arcs(
        source,
        source + 1,
        words,
        final=[positions],
        scores={name: Column(cost, np.zeros(1)) for name, cost in zip(_names(len(costs)), costs, strict=True)},
        vocabulary=vocabulary,
        copy=False,
    )


def _read_lines(data: bytes, file: str, lines_before: int) -> tuple[list[tuple[str, list[str]]], int]:
    """Split any network into lines; return the place and the fields of each, and the number of fields of a word."""
    scores = _Scores()
    lines: list[tuple[str, list[str]]] = []
    for place, fields in numbered_lines(data, file, lines_before):
        lines.append((place, fields))
        if not scores.narrow(fields):
            raise FormatError(
                "each word of the line must be followed by the same number of probabilities",
                where=place,
                advice="write a column as 'word probability word probability'",
            )
    if not lines:
        raise FormatError("the network has no columns", where=f"{file}:{lines_before + 1}")
    return lines, scores.number() + 1


def _names(scores: int) -> list[str]:
    return ["score"] if scores == 1 else [f"score_{k}" for k in range(scores)]


def _cost(text: str, place: str) -> float:
    probability = number(text, place)
    if probability < 0:
        raise InputError(
            f"the probability {shortened(text, 40)} is below 0",
            where=place,
            advice="write probabilities, not logarithms",
        )
    return min(cost_of(min(probability, 1.0)), _HIGHEST_COST) if probability else _HIGHEST_COST


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    lattice = lattice_to_write(graph, "moses-cn")
    if len(lattice.scores) > 1 and list(lattice.scores) != _names(len(lattice.scores)):
        raise UsageError(
            f"moses-cn cannot store the score names {', '.join(lattice.scores)}",
            advice="add them up with Corpus.converted(sum_scores=True)",
        )
    columns = columns_to_write(lattice, "moses-cn")
    if not columns:
        raise InputError("moses-cn cannot hold a confusion network without words", advice="write another format")
    costs = [column.arc.tolist() for column in lattice.scores.values()] or [[0.0] * len(lattice.word)]
    check = _Scores()
    lines = []
    for rows in columns:
        fields = []
        for row in rows:
            fields.append(word_to_write(lattice.vocabulary, int(lattice.word[row]), _EPSILON_WORD))
            for cost in costs:
                if not 0 <= cost[row] <= _HIGHEST_COST:
                    raise InputError(
                        f"the cost {cost[row]!r} is outside the range of Moses, 0 to 100",
                        advice="write another format",
                    )
                fields.append(probability_to_write(cost[row]) if cost[row] < _HIGHEST_COST else "0.0")
        check.narrow(fields)
        lines.append(fields)
    text = "".join(" ".join(fields) + "\n" for fields in lines) + "\n"
    if check.number() != len(costs) or _ONE_NUMBER.fullmatch(text.encode()):
        raise InputError("words that are numbers would be read back as scores", advice="write another format")
    file.write(text.encode("utf-8"))


register(Format("moses-cn", (".cn",), _sniff, _read, _write, has_ids=False))
