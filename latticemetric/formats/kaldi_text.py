"""Kaldi text archives of lattices: an id, its arcs, a blank line; again and again.

Compact: `source target word graph,acoustic,transitions` with transition ids joined by `_`; a final state has
`graph,acoustic,transitions`. Non-compact: `source target transition word graph,acoustic`. Costs, the acoustic one
unscaled; a weight that is left out is one (no cost). The graph cost is the column `lm`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.errors import FormatError, UsageError
from latticemetric.formats.columns import as_lattice, require_labels, require_unscaled
from latticemetric.formats.parsing import blocks, parsed, spelled
from latticemetric.formats.registry import Entry, Format, Graph, register
from latticemetric.formats.stream import Piece, Stream
from latticemetric.formats.text_arcs import words_to_write
from latticemetric.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import Vocabulary, split_words

_TRANSITIONS = "transitions"
_COLUMNS = ("lm", "acoustic")
_ID = rb"\s*[^\s|][^\n|]*\n"
_ARC = rb"\d+[ \t]+\d+[ \t]+\S+([ \t]+[^\s,]+)?([ \t]+[^\s,]+,\S*)?[ \t]*\r?(\n|$)"
_END = rb"\d+([ \t]+[^\s,]+,\S*)?[ \t]*\r?(\n|$)"
_ID_THEN_NOTHING = rb"\s*[^\s|(]+[ \t\r]*\n[ \t\r]*\n"
_ID_THEN_LATTICE = re.compile(_ID + rb"(?:" + _ARC + rb"|" + _END + rb")|" + _ID_THEN_NOTHING)
_ARC_OR_FINAL = re.compile(rb"\s*\d+[ \t]+\S|\s*#")  # ids may hold a space, but not after a number


def _sniff(head: bytes) -> bool:
    return not _ARC_OR_FINAL.match(head) and _ID_THEN_LATTICE.match(head) is not None


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for lines_before, block in blocks(stream):
        first = block.first_line
        place = stream.place(lines_before + 1)
        if _ARC_OR_FINAL.match(first):
            raise FormatError(
                "an arc where the id of a lattice belongs", where=place, advice="ids stand on their own line"
            )
        try:
            name = first.strip().decode("utf-8")
        except UnicodeDecodeError:
            raise FormatError("the id is not UTF-8", where=place, advice="convert the file with iconv") from None
        yield Entry(name, place, partial(_parse, block, stream.name, lines_before, vocabulary), naming="own")


def _parse(block: Piece, file: str, lines_before: int, table: Vocabulary | None) -> Lattice:
    columns = parsed(_native.parse_kaldi, block.data, file, lines_before)
    words, vocabulary = spelled(columns["word"], table)
    if not len(columns["source"]) and not len(columns["final"]):
        raise FormatError("the lattice is empty: it has no states")
    labels = {}
    if columns["transition_texts"]:
        side = Vocabulary.from_words(columns["transition_texts"])
        labels[_TRANSITIONS] = Labels(columns["transitions"], columns["final_transitions"], side)
    return Lattice.from_arcs(
        columns["source"],
        columns["target"],
        words,
        final=columns["final"],
        start=columns["start"],
        scores={name: Column(columns[f"cost{k}"], columns[f"final_cost{k}"]) for k, name in enumerate(_COLUMNS)},
        vocabulary=vocabulary,
        labels=labels,
        copy=False,
    )


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice = as_lattice(graph)
    if split_words(name) != [name]:
        raise UsageError(f"'{name}' cannot be an id in a Kaldi archive", advice="ids have no white space")
    require_unscaled(lattice, "kaldi")
    require_labels(lattice, "kaldi", {_TRANSITIONS})
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
