"""Read and write OpenFst's text (AT&T): arcs `source target input [output] [weight]`, final states `state [weight]`.

Weights are costs. The source of the first line is the start. If no arc has five fields, the fourth fields are weights
in these cases:

- Some arc has only three fields.
- The fourth fields are numbers, and some are not whole.
- The fourth fields are numbers, and some input label is not a number.

Otherwise, they are output labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.formats.columns import lattice_to_write, only_column, refuse_final_labels
from latticemetric.formats.registry import Entry, Format, only_graph, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import encode_column, is_word_number, parsed_natively, words_to_write
from latticemetric.graph import Graph
from latticemetric.lattice.columns import frozen
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import Vocabulary

_FIRST_ARC = re.compile(
    rb"\s*\d+[ \t]+\d+[ \t]+(?!\|\|\|)\S+([ \t]+(?!\|\|\|)\S+([ \t]+[-+0-9.iIn]\S*)?)?[ \t]*\r?(\n|$)"
)
_ONE_STATE = re.compile(rb"\s*\d+([ \t]+[-+0-9.eE]+)?\s*")


def _sniff(head: bytes) -> bool:
    if not _FIRST_ARC.match(head):
        return _ONE_STATE.fullmatch(head) is not None
    if all(line.rstrip().endswith(b")") for line in (head.lstrip().partition(b"\n")[0], head)):
        return False  # trn: the first and the last line end in ids; the last line of a machine is a final state
    if b"-1" not in head:
        return True
    from latticemetric.formats.openfst.k2 import looks_like_k2

    return not looks_like_k2(head)


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return only_graph(stream, _parse, vocabulary)


def _parse(data: bytes, file: str, table: Vocabulary | None) -> Lattice:
    machine = parsed_natively(_native.parse_openfst, data, file)
    words, vocabulary = encode_column(machine["word"], table)
    final = machine["final"]
    labels = {}
    given, outputs = machine["input"], machine["word"]
    if given is not None and (given[1] != outputs[1] or not np.array_equal(given[0], outputs[0])):
        # The symbol table is for words, the output labels. Input labels may be phones or transition ids.
        inputs, side = encode_column(given, None)
        labels["input"] = Labels(inputs, np.zeros(len(final), dtype=np.int32), side)
    weight = Column(frozen(machine["cost0"]), frozen(machine["final_cost0"]))
    return Lattice.from_arcs(
        machine["source"],
        machine["target"],
        words,
        final=final,
        start=machine["start"],
        scores={"weight": weight} if machine["weighted"] else {},
        vocabulary=vocabulary,
        labels=labels,
        copy=False,
    )


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    lattice = lattice_to_write(graph, "openfst-text", {"input"}, one_score=True)
    refuse_final_labels(lattice, "openfst-text")
    outputs = words_to_write(lattice.vocabulary, lattice.word.tolist())
    side = lattice.labels.get("input")
    inputs = words_to_write(side.vocabulary, side.arc.tolist()) if side else outputs
    if not lattice.scores and any(map(_looks_like_a_weight, outputs)):
        raise InputError(
            "words look like weights; in a machine without weights, they would be read back as weights",
            advice="write openfst",
        )
    column = only_column(lattice)
    rows = zip(lattice.source.tolist(), lattice.target.tolist(), inputs, outputs, column.arc.tolist(), strict=True)
    weighted = bool(lattice.scores)
    lines = [f"{s}\t{t}\t{i}\t{o}" + (f"\t{w!r}" if weighted else "") for s, t, i, o, w in rows]
    final = zip(lattice.final.tolist(), column.final.tolist(), strict=True)
    lines += [f"{state}\t{weight!r}" if weighted else f"{state}" for state, weight in final]
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


def _looks_like_a_weight(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return not is_word_number(word)


register(Format("openfst-text", (".fst.txt", ".att", ".txt"), _sniff, _read, _write, single=True))
