"""OpenFst text (AT&T): `source target input [output] [weight]`, final `state [weight]`; costs.

The first line's source is the start. The fourth of four fields may be an output label or a weight: it is a weight
where some line has only three fields, or where it is a number on every such line and either not a whole one
everywhere or beside an input that is no number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.formats.columns import lattice_with_one_column
from latticemetric.formats.openfst_binary import graph_name
from latticemetric.formats.parsing import parsed, spelled
from latticemetric.formats.registry import Entry, Format, Graph, register
from latticemetric.formats.stream import Stream
from latticemetric.formats.text_arcs import words_to_write
from latticemetric.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import Vocabulary


def _sniff(head: bytes) -> bool:
    for line in head.split(b"\n")[:1]:
        fields = line.split()
        return len(fields) in {3, 4, 5} and fields[0].isdigit() and fields[1].isdigit() and b"|||" not in line
    return False


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    data = stream.read()
    yield Entry(graph_name(stream.stem), stream.name, lambda: _parse(data, stream.name, vocabulary))


def _parse(data: bytes, file: str, table: Vocabulary | None) -> Lattice:
    machine = parsed(_native.parse_openfst, data, file)
    words, vocabulary = spelled(machine["word"], table)
    final = machine["final"]
    labels = {}
    if machine["input"] is not None:
        inputs, side = spelled(machine["input"], table if vocabulary is table else None)
        if side != vocabulary or not np.array_equal(inputs, words):
            labels["input"] = Labels(inputs, np.zeros(len(final), dtype=np.int32), side)
    return Lattice.from_arcs(
        machine["source"],
        machine["target"],
        words,
        final=final,
        start=machine["start"],
        scores={"weight": Column(machine["cost0"], machine["final_cost0"])} if machine["weighted"] else {},
        vocabulary=vocabulary,
        labels=labels,
    )


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
