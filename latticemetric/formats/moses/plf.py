"""Read and write the Python lattice format (Moses, cdec): one lattice per line.

A line is `((('tal',-0.73,1),('tarde',-0.82,2),),(('ves',-2.1,1),),)`. Item i holds the arcs that leave node i; an arc
has its word, its scores (log probabilities; or a mapping of named scores; or none) and the number of nodes that it goes
forward. The end is the node after the last item. `()` or a blank line is the lattice of the empty string. The line is
parsed, never evaluated; nesting has a fixed depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.formats.columns import ends_in_last_state, lattice_to_write
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import parsed_natively, refuse_word
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.vocabulary import Vocabulary

_EPSILON_WORD = "*EPS*"
_EMPTY = b"()"


def _sniff(head: bytes) -> bool:
    line = head.lstrip()
    return re.match(rb"\(\s*\)\s*(\n|$)|\(\s*\(\s*(\(\s*['\"]|\)\s*[,)])", line) is not None


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for line in stream.byte_lines():
        # A decoder that fails writes a blank line. Count it, so that later lattices keep their references.
        text = line if line.strip() else _EMPTY
        yield Entry(str(stream.line), stream.place(), partial(_parse, text, stream.name, stream.line - 1))


def _parse(line: bytes, file: str, lines_before: int) -> Lattice:
    parts = parsed_natively(_native.parse_plf, line, file, lines_before)
    # 0 − score, not −score: so no cost becomes −0.
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
    plain = ends_in_last_state(lattice)
    end = lattice.num_states - plain
    items: list[list[str]] = [[] for _ in range(end)]
    columns = {name: column.arc.tolist() for name, column in lattice.scores.items()}
    for arc, (source, target) in enumerate(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)):
        word = lattice.vocabulary.word(int(lattice.word[arc]))
        refuse_word(word, _EPSILON_WORD)
        items[source].append(
            _arc_to_write(word or _EPSILON_WORD, {n: c[arc] for n, c in columns.items()}, target - source)
        )
    if not plain:
        for row, state in enumerate(lattice.final.tolist()):
            costs = {name: float(column.final[row]) for name, column in lattice.scores.items()}
            items[state].append(_arc_to_write(_EPSILON_WORD, costs, end - state))
    line = "".join("(" + "".join(f"{arc}," for arc in item) + ")," for item in items)
    file.write(f"({line})\n".encode())


def _arc_to_write(word: str, costs: dict[str, float], distance: int) -> str:
    escaped = _escaped(word)
    positional = list(costs) in (["score"], [f"score_{k}" for k in range(len(costs))])
    values = [(name, 0.0 - cost) for name, cost in costs.items()]
    if positional:
        fields = [repr(value) for _, value in values]
    else:
        names = [(_escaped(name), value) for name, value in values]
        fields = ["{" + "".join(f"'{name}':{value!r}," for name, value in names) + "}"] if names else []
    return "(" + ",".join([f"'{escaped}'", *fields, str(distance)]) + ")"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")


register(Format("plf", (".plf",), _sniff, _read, _write))
