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
from latticemetric.formats.text.fields import (
    Part,
    encode_column,
    is_word_number,
    parsed_natively,
    require_words,
    words_part,
)
from latticemetric.graph import Graph
from latticemetric.lattice.columns import frozen
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import Vocabulary, Words, distinct_words

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
    require_words(lattice.vocabulary, lattice.word)
    output = _labels(lattice.vocabulary, lattice.word)
    input_labels = output
    if side := lattice.labels.get("input"):
        require_words(side.vocabulary, side.arc)
        input_labels = _labels(side.vocabulary, side.arc)
    if not lattice.scores and any(map(_looks_like_a_weight, lattice.vocabulary.decode(distinct_words(lattice.word)))):
        raise InputError(
            "words look like weights; in a machine without weights, they would be read back as weights",
            advice="write openfst",
        )
    column = only_column(lattice)
    arc, final = ([b"\t", weight] if lattice.scores else [] for weight in (column.arc, column.final))
    tab = b"\t"
    arcs = [lattice.source, tab, lattice.target, tab, input_labels, tab, output, *arc, b"\n"]
    file.write(_native.write_rows(len(lattice.word), arcs))
    file.write(_native.write_rows(len(lattice.final), [lattice.final, *final, b"\n"]))


def _labels(vocabulary: Vocabulary, numbers: Words) -> Part:
    """Return the labels of arcs as a part of lines."""
    return words_part(vocabulary, numbers, "0" if vocabulary.is_numeric else "<eps>")


def _looks_like_a_weight(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return not is_word_number(word)


register(Format("openfst-text", (".fst.txt", ".att", ".txt"), _sniff, _read, _write, single=True))
