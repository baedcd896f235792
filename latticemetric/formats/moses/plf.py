"""Read and write the Python lattice format (Moses, cdec): `((('tal',-0.73,1),('tarde',-0.82,2),),(('ves',-2.1,1),),)`.

Item i of a line holds the arcs that leave node i: word, log probabilities (or a mapping from names to log
probabilities), and the distance to the target node. The line is parsed, never evaluated; nesting has a fixed depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.formats.columns import closed_arcs, ends_in_last_state, lattice_to_write
from latticemetric.formats.registry import ANY_NAME, Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import parsed_natively, require_no_word, words_part
from latticemetric.graph import Graph
from latticemetric.lattice.columns import frozen
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.lattice.validation import Columns, validated
from latticemetric.vocabulary import Vocabulary, utf8_texts

_EPSILON_WORD = "*EPS*"
_EMPTY = b"()"
_NO_COST = frozen(np.zeros(1))
_ESCAPED = re.compile(r"[\\'\n]")


def _sniff(head: bytes) -> bool:
    return re.match(rb"\s*\(\s*(\)\s*(\n|$)|\(\s*(\(\s*['\"]|\)\s*[,)]))", head) is not None


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for line in stream.byte_lines():
        # A decoder that fails writes a blank line. Count it, so that later lattices keep their references.
        text = line if line.strip() else _EMPTY
        yield Entry(str(stream.line), stream.place(), partial(_parse, text, stream.name, stream.line - 1))


def _parse(line: bytes, file: str, lines_before: int) -> Lattice:
    parts = parsed_natively(_native.parse_plf, line, file, lines_before)
    parsed = Columns(
        num_states=0,
        source=parts["source"],
        target=parts["target"],
        word=parts["word"],
        final=np.array([parts["end"]], dtype=np.int32),
        scores={name: Column(frozen(costs), _NO_COST) for name, costs in parts["costs"].items()},
        vocabulary=Vocabulary.from_words(parts["words"]),
        times=None,
        labels={},
    )
    # The arrays of the parser need no conversion, which `from_arcs` would begin with.
    return Lattice(*validated(parsed, 0, copy=False))


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    lattice = lattice_to_write(graph, "plf")
    # Final states before the last state, or with costs, get ε-arcs to a new end.
    arcs = closed_arcs(lattice, new_end=not ends_in_last_state(lattice))
    require_no_word(lattice.vocabulary, lattice.word, _EPSILON_WORD)
    in_order = np.argsort(arcs.source, kind="stable")
    source, target, word = (column[in_order] for column in (arcs.source, arcs.target, arcs.word))
    scores = [0.0 - costs[in_order] for costs in arcs.costs.values()]
    if list(arcs.costs) in (["score"], [f"score_{k}" for k in range(len(scores))]):
        fields = [part for values in scores for part in (values, b",")]
    else:
        names = [f"'{name}':".encode() for name in _escaped(list(arcs.costs))]
        named = [part for name, values in zip(names, scores, strict=True) for part in (name, values, b",")]
        fields = [b"{", *named, b"},"]
    begins = (np.diff(source, prepend=source[:1]) > 0).astype(np.int32)
    quoted = [b"('", words_part(lattice.vocabulary, word, _EPSILON_WORD, _escaped), b"',"]
    rows = _native.write_rows(len(word), [(begins, _BETWEEN_ITEMS), *quoted, *fields, target - source, b"),"])
    file.write(b"((" + rows + b"),)\n" if len(word) else b"()\n")


_BETWEEN_ITEMS = utf8_texts(["", "),("])  # for an arc of the same node as the arc before, and for others


def _escaped(texts: list[str]) -> list[str]:
    if not _ESCAPED.search("".join(texts)):
        return texts
    return [text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") for text in texts]


register(Format("plf", (".plf",), _sniff, _read, _write, has_ids=False, sparse=ANY_NAME))
