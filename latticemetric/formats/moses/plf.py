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
from latticemetric.formats.text.fields import parsed_natively, refuse_word
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.vocabulary import Vocabulary

_EPSILON_WORD = "*EPS*"
_EMPTY = b"()"


def _sniff(head: bytes) -> bool:
    return re.match(rb"\s*\(\s*(\)\s*(\n|$)|\(\s*(\(\s*['\"]|\)\s*[,)]))", head) is not None


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for line in stream.byte_lines():
        # A decoder that fails writes a blank line. Count it, so that later lattices keep their references.
        text = line if line.strip() else _EMPTY
        yield Entry(str(stream.line), stream.place(), partial(_parse, text, stream.name, stream.line - 1))


def _parse(line: bytes, file: str, lines_before: int) -> Lattice:
    parts = parsed_natively(_native.parse_plf, line, file, lines_before)
    # Compute 0 − score, not −score, so that no cost becomes −0.
    scores = {name: Column(0.0 - values, np.zeros(1)) for name, values in parts["scores"].items()}
    return Lattice.from_arcs(
        parts["source"],
        parts["target"],
        parts["word"],
        final=[parts["end"]],
        scores=scores,
        vocabulary=Vocabulary.from_words(parts["words"]),
        copy=False,
    )


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    lattice = lattice_to_write(graph, "plf")
    # Final states before the last state, or with costs, get ε-arcs to a new end.
    arcs = closed_arcs(lattice, new_end=not ends_in_last_state(lattice))
    items: list[list[str]] = [[] for _ in range(arcs.states - 1)]
    for row, (source, target, number) in enumerate(zip(arcs.source, arcs.target, arcs.word, strict=True)):
        word = lattice.vocabulary.word(number)
        refuse_word(word, _EPSILON_WORD)
        costs = {name: column[row] for name, column in arcs.costs.items()}
        if list(costs) in (["score"], [f"score_{k}" for k in range(len(costs))]):
            fields = [repr(0.0 - cost) for cost in costs.values()]
        else:
            fields = ["{" + "".join(f"'{_escaped(name)}':{0.0 - cost!r}," for name, cost in costs.items()) + "}"]
        quoted = f"'{_escaped(word or _EPSILON_WORD)}'"
        items[source].append("(" + ",".join([quoted, *fields, str(target - source)]) + ")")
    line = "".join("(" + "".join(f"{arc}," for arc in item) + ")," for item in items)
    file.write(f"({line})\n".encode())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")


register(Format("plf", (".plf",), _sniff, _read, _write, has_ids=False, sparse=ANY_NAME))
