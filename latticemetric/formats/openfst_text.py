"""OpenFst text (AT&T): `source target input [output] [weight]`, final `state [weight]`; costs.

The first line's source is the start. The fourth of four fields may be an output label or a weight: it is a weight
where some line has only three fields, or where it is a number on every such line and either not a whole one
everywhere or beside an input that is no number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import FormatError
from latticemetric.formats.columns import lattice_with_one_column
from latticemetric.formats.openfst_binary import graph_name
from latticemetric.formats.registry import Entry, Format, Graph, register
from latticemetric.formats.stream import Stream
from latticemetric.formats.text_arcs import (
    is_word_number,
    number_words,
    score,
    state_number,
    words_to_write,
)
from latticemetric.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import Vocabulary

_LONGEST_LINE = 5
_FINAL_FIELDS = 2


class _Line(NamedTuple):
    number: int
    fields: list[str]


def _sniff(head: bytes) -> bool:
    for line in head.split(b"\n")[:1]:
        fields = line.split()
        return len(fields) in {3, 4, 5} and fields[0].isdigit() and fields[1].isdigit() and b"|||" not in line
    return False


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    lines = [_Line(stream.line, fields) for line in stream.lines() if (fields := line.split())]
    if lines:
        yield Entry(graph_name(stream.stem), stream.name, lambda: _parse(lines, stream, vocabulary))


def _parse(lines: Sequence[_Line], stream: Stream, table: Vocabulary | None) -> Lattice:
    arcs = [line for line in lines if len(line.fields) > _FINAL_FIELDS]
    has_output, has_weight = _dialect(arcs)
    for line in arcs:
        if len(line.fields) > _LONGEST_LINE - (not has_output):
            raise FormatError(f"an arc has {len(line.fields)} fields", where=stream.place(line.number))
    weight_at = 4 if has_output else 3
    inputs = [line.fields[2] for line in arcs]
    outputs = [line.fields[3] for line in arcs] if has_output else inputs
    words, vocabulary = number_words(outputs, table)
    ends, end_costs = _finals(lines, stream)
    labels = {}
    if outputs != inputs:
        numbers, side = number_words(inputs, None)
        labels["input"] = Labels(np.array(numbers, dtype=np.int32), np.zeros(len(ends), dtype=np.int32), side)
    costs = [
        score(line.fields[weight_at], stream.place(line.number)) if len(line.fields) > weight_at else 0.0
        for line in arcs
    ]
    weighted = has_weight or any(end_costs)
    places = [stream.place(line.number) for line in arcs]
    return Lattice.from_arcs(
        [state_number(line.fields[0], place) for line, place in zip(arcs, places, strict=True)],
        [state_number(line.fields[1], place) for line, place in zip(arcs, places, strict=True)],
        words,
        final=ends,
        start=state_number(lines[0].fields[0], stream.place(lines[0].number)),
        scores={"weight": Column(np.array(costs), np.array(end_costs))} if weighted else {},
        vocabulary=vocabulary,
        labels=labels,
    )


def _finals(lines: Sequence[_Line], stream: Stream) -> tuple[list[int], list[float]]:
    ends: list[int] = []
    costs: list[float] = []
    for line in lines:
        if len(line.fields) <= _FINAL_FIELDS and line.fields[1:] != ["Infinity"]:
            place = stream.place(line.number)
            ends.append(state_number(line.fields[0], place))
            costs.append(score(line.fields[1], place) if len(line.fields) == _FINAL_FIELDS else 0.0)
    return ends, costs


def _dialect(arcs: Sequence[_Line]) -> tuple[bool, bool]:
    """Whether arcs have an output label, and whether any of them has a weight."""
    lengths = {len(line.fields) for line in arcs}
    if max(lengths, default=3) >= _LONGEST_LINE:
        return True, True
    if 4 not in lengths:  # noqa: PLR2004  fields
        return False, False
    if 3 in lengths:  # noqa: PLR2004  fields
        return False, True
    weights = all(_is_number(line.fields[3]) for line in arcs)
    whole = all(is_word_number(line.fields[3]) for line in arcs)
    symbols = not all(is_word_number(line.fields[2]) for line in arcs)
    is_weight = weights and (not whole or symbols)
    return not is_weight, is_weight


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    lattice = lattice_with_one_column(graph, "openfst-text")
    outputs = words_to_write(lattice.vocabulary, lattice.word.tolist())
    side = lattice.labels.get("input")
    inputs = words_to_write(side.vocabulary, side.arc.tolist()) if side else outputs
    cost = lattice.cost()
    rows = zip(lattice.source.tolist(), lattice.target.tolist(), inputs, outputs, cost.arc.tolist(), strict=True)
    weighted = bool(lattice.scores)
    lines = [f"{s}\t{t}\t{i}\t{o}" + (f"\t{w!r}" if weighted else "") for s, t, i, o, w in rows]
    final = [(state, cost.final[state].item()) for state in lattice.final.tolist()]
    lines += [f"{state}\t{weight!r}" if weighted else f"{state}" for state, weight in final]
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


register(Format("openfst-text", (".fst.txt", ".att", ".txt"), _sniff, _read, _write, single=True))
