"""Kaldi text archives of lattices: an id, its arcs, a blank line; again and again.

Compact: `source target word graph,acoustic,transitions` with transition ids joined by `_`; a final state has
`graph,acoustic,transitions`. Non-compact: `source target transition word graph,acoustic`. Costs, the acoustic one
unscaled; a weight that is left out is one (no cost). The graph cost is the column `lm`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import FormatError, UsageError
from latticemetric.formats.columns import as_lattice
from latticemetric.formats.registry import Entry, Format, Graph, register
from latticemetric.formats.stream import Stream
from latticemetric.formats.text_arcs import number_words, score, state_number, words_to_write
from latticemetric.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

_TRANSITIONS = "transitions"
_COLUMNS = ("lm", "acoustic")
_FINAL_FIELDS = 2
_ID_THEN_ARC = re.compile(rb"\s*\S+[ \t]*\r?\n\d+[ \t]+\d+[ \t]+\S+([ \t]+\S+)?([ \t]+-?[\d.einf+-]+,\S*)?[ \t]*\r?\n")
_ID_THEN_END = re.compile(rb"\s*\S+[ \t]*\r?\n\d+([ \t]+-?[\d.e+-]+,\S*)?[ \t]*\r?\n\s*$")
_ID_THEN_NOTHING = re.compile(rb"\S+[ \t]*\r?\n[ \t]*\r?\n")


class _Row(NamedTuple):
    """An arc or a final state; an arc's fields are already brought to the compact shape."""

    place: str
    states: list[str]
    word: str
    weight: str
    transitions: str


def _sniff(head: bytes) -> bool:
    if b"|||" in head[:1000]:
        return False
    return any(shape.match(head) for shape in (_ID_THEN_ARC, _ID_THEN_END, _ID_THEN_NOTHING))


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    block: list[tuple[int, str]] = []
    for line in stream.lines():
        if line.strip():
            block.append((stream.line, line))
        elif block:
            yield _entry(block, stream, vocabulary)
            block = []
    if block:
        yield _entry(block, stream, vocabulary)


def _entry(block: list[tuple[int, str]], stream: Stream, vocabulary: Vocabulary | None) -> Entry:
    number, name = block[0]
    if len(name.split()) != 1:
        raise FormatError(f"'{name[:60]}' is not an utterance id alone on its line", where=stream.place(number))
    lines = block[1:]
    return Entry(name.strip(), stream.place(number), lambda: _parse(lines, stream, vocabulary), named=True)


def _parse(lines: Sequence[tuple[int, str]], stream: Stream, table: Vocabulary | None) -> Lattice:
    rows = [_row(stream.place(number), line.split()) for number, line in lines]
    arcs = [row for row in rows if len(row.states) > 1]
    ends = [row for row in rows if len(row.states) == 1]
    words, vocabulary = number_words([row.word for row in arcs], table)
    if not arcs and not ends:
        raise FormatError("the lattice is empty: it has no states")
    columns = zip(*(_weights(row) for row in [*arcs, *ends]), strict=True)
    scores = {
        name: Column(np.array(values[: len(arcs)]), np.array(values[len(arcs) :]))
        for name, values in zip(_COLUMNS, columns, strict=True)
    }
    labels = {}
    if any(row.transitions for row in rows):
        side = Vocabulary.from_words(row.transitions for row in rows if row.transitions)
        labels[_TRANSITIONS] = Labels(_label_numbers(arcs, side), _label_numbers(ends, side), side)
    first = rows[0]
    return Lattice.from_arcs(
        [state_number(row.states[0], row.place) for row in arcs],
        [state_number(row.states[1], row.place) for row in arcs],
        words,
        final=[state_number(row.states[0], row.place) for row in ends],
        start=state_number(first.states[0], first.place),
        scores=scores,
        vocabulary=vocabulary,
        labels=labels,
    )


def _label_numbers(rows: Sequence[_Row], side: Vocabulary) -> Words:
    numbers = [side.number(row.transitions) if row.transitions else EPSILON for row in rows]
    return np.array(numbers, dtype=np.int32)


def _row(place: str, fields: list[str]) -> _Row:
    if len(fields) <= _FINAL_FIELDS:
        weight, transitions = _split_weight(fields[1] if len(fields) == _FINAL_FIELDS else "")
        return _Row(place, fields[:1], "", weight, transitions)
    if len(fields) > 5 or (len(fields) == 5 and "," not in fields[4]):  # noqa: PLR2004  fields
        raise FormatError(f"{len(fields)} fields are neither an arc nor a final state", where=place)
    if len(fields) == 5 or (len(fields) == 4 and "," not in fields[3]):  # noqa: PLR2004  fields
        # Non-compact: the transition id stands before the word.
        weight = fields[4] if len(fields) == 5 else ""  # noqa: PLR2004  fields
        return _Row(place, fields[:2], fields[3], weight, "" if fields[2] == "0" else fields[2])
    weight, transitions = _split_weight(fields[3] if len(fields) == 4 else "")  # noqa: PLR2004  fields
    return _Row(place, fields[:2], fields[2], weight, transitions)


def _split_weight(text: str) -> tuple[str, str]:
    graph_and_acoustic, comma, transitions = text.rpartition(",")
    return (graph_and_acoustic, transitions) if comma and "," in graph_and_acoustic else (text, "")


def _weights(row: _Row) -> tuple[float, float]:
    if not row.weight:
        return 0.0, 0.0
    parts = row.weight.split(",")
    if len(parts) != len(_COLUMNS):
        raise FormatError(
            f"'{row.weight}' is not a graph and an acoustic cost",
            where=row.place,
            advice="they look like 1.5,-20.25",
        )
    return score(parts[0], row.place), score(parts[1], row.place)


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice = as_lattice(graph)
    if not name or name.split() != [name]:
        raise UsageError(f"'{name}' cannot be an id in a Kaldi archive", advice="ids have no white space")
    columns = _columns(lattice)
    words = words_to_write(lattice.vocabulary, lattice.word.tolist())
    side = lattice.labels.get(_TRANSITIONS)
    lines = [f"{name} "]
    for part, states in (("arc", [lattice.source, lattice.target]), ("final", [lattice.final])):
        numbers = zip(*(column.tolist() for column in states), strict=True)
        weights = zip(*(getattr(column, part).tolist() for column in columns), strict=True)
        spelled = [side.vocabulary.word(n) for n in getattr(side, part).tolist()] if side else None
        for row, (state, (graph_cost, acoustic)) in enumerate(zip(numbers, weights, strict=True)):
            word = [words[row]] if part == "arc" else []
            weight = f"{graph_cost!r},{acoustic!r},{spelled[row] if spelled else ''}"
            lines.append(" ".join([*map(str, state), *word, weight]))
    file.write(("\n".join(lines) + "\n\n").encode("utf-8"))


def _columns(lattice: Lattice) -> list[Column]:
    zero = Column(np.zeros(len(lattice.word)), np.zeros(len(lattice.final)))
    names = set(lattice.scores)
    if names <= set(_COLUMNS):
        return [lattice.scores.get(name, zero) for name in _COLUMNS]
    if len(names) == 1:
        return [next(iter(lattice.scores.values())), zero]
    raise UsageError(
        f"kaldi holds the scores lm and acoustic, and this graph has {', '.join(lattice.scores)}",
        advice="add them up with --sum-scores",
    )


register(Format("kaldi", (".lat", ".ark.txt", ".lat.txt", ".kaldi"), _sniff, _read, _write))
