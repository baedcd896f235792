"""Read and write SRILM's probabilistic finite-state grammars (PFSG): words on nodes; a file may hold several.

The score of a transition is ln p · 10000.5; its cost is −score / 10000.5, computed in decimal arithmetic. The arcs that
end in a node have the node's word; `NULL` is ε.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Context, Decimal
from functools import partial
from typing import IO, Any

import numpy as np

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.columns import ends_in_last_state, lattice_to_write, only_column, word_nodes
from latticemetric.formats.marks import SENTENCE_MARKS, encode_without_marks, mark_labels, note_marks
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.blocks import named_blocks
from latticemetric.formats.text.fields import (
    Part,
    number,
    numbered_lines,
    numbered_texts,
    require_fields,
    require_id,
    whole_number,
    words_part,
)
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Floats, States
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, utf8_texts

_NULL = "NULL"
_UNIT = Decimal("10000.5")
_EXACTLY = Context(prec=30)
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_DURATION = re.compile(r"\(duration=[^()]*\)$")
_FIRST_LINES = re.compile(rb"(?:[ \t\r]*(?:##[^\n]*)?\n)*[ \t]*name[ \t]+[^\s]+[ \t\r]*\n\s*nodes[ \t]+[0-9]")


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for entry in named_blocks(stream, partial(_parse, table=vocabulary)):
        yield entry._replace(name=_DURATION.sub("", entry.name))


def _parse(data: bytes, file: str, lines_before: int, table: Vocabulary | None) -> Lattice:
    read = _native.read_pfsg(data) or _read_lines(data, file, lines_before)
    initial, source, target, cost = read["initial"], read["source"], read["target"], read["score"]
    of_node, vocabulary, marks = encode_without_marks(read["texts"], _NULL, SENTENCE_MARKS, table)
    start = initial
    if of_node[initial] != EPSILON or marks[0][initial]:
        # No transition ends in the initial node: add an arc that carries the word of this node.
        start = len(of_node)
        source, target, cost = np.append(source, start), np.append(target, initial), np.append(cost, 0.0)
    return Lattice.from_arcs(
        source,
        target,
        of_node[target],
        final=[read["final"]],
        start=start,
        scores={"weight": Column(cost, np.zeros(1))},
        vocabulary=vocabulary,
        labels=mark_labels((marks[0][target], marks[1])),
        copy=False,
    )


def _read_lines(data: bytes, file: str, lines_before: int) -> dict[str, Any]:
    """Read a file that is not usual, and say what is wrong with it; return what `_native.read_pfsg` returns."""
    numbered = numbered_lines(data, file, lines_before)
    lines = ((place, fields) for place, fields in numbered if not fields[0].startswith("##"))
    _keyword(lines, "name", 1, file)
    place, (count, *texts) = _keyword(lines, "nodes", None, file)
    if whole_number(count, "the number of nodes", place, 1) != len(texts):
        raise FormatError(f"the line gives {count} nodes, but has words for {len(texts)}", where=place)
    initial, final = (_node(*_keyword(lines, what, 1, file), len(texts)) for what in ("initial", "final"))
    place, (count,) = _keyword(lines, "transitions", 1, file)
    expected = whole_number(count, "the number of transitions", place)
    rows = []
    for place_of_arc, fields in lines:
        if len(fields) != 3:  # noqa: PLR2004  from, to and score
            raise FormatError(f"a transition has 3 fields, but this line has {len(fields)}", where=place_of_arc)
        ends = _node(place_of_arc, fields, len(texts)), _node(place_of_arc, fields[1:], len(texts))
        rows.append((*ends, _cost(fields[2], place_of_arc)))
    if len(rows) != expected:
        raise FormatError(f"the line gives {count} transitions, but the file has {len(rows)}", where=place)
    source, target = (np.array([row[k] for row in rows], dtype=np.int32) for k in range(2))
    score = np.array([cost for *_, cost in rows])
    return {
        "texts": numbered_texts(texts), "initial": initial, "final": final,
        "source": source, "target": target, "score": score,
    }  # fmt: skip


def _keyword(lines: Iterator[tuple[str, list[str]]], word: str, values: int | None, file: str) -> tuple[str, list[str]]:
    """Return the place and the fields of the next line, which must begin with the keyword `word`."""
    place, fields = next(lines, (file, []))
    if not fields:
        raise FormatError(
            f"the PFSG is cut short: it has no line '{word}'", where=place, advice="copy or write the file again"
        )
    if fields[0] != word or len(fields) == 1 or (values is not None and len(fields) != 1 + values):
        shown = shortened(" ".join(fields), 40)
        raise FormatError(f"expected the line '{word}', found '{shown}'", where=place)
    return place, fields[1:]


def _node(place: str, fields: list[str], nodes: int) -> int:
    node = whole_number(fields[0], "the node", place)
    if node >= nodes:
        raise FormatError(f"node {node} does not exist: nodes have numbers from 0 to {nodes - 1}", where=place)
    return node


def _cost(text: str, place: str) -> float:
    if _WHOLE.fullmatch(text):
        return 0.0 - 2 * int(text) / 20001  # integers are divided exactly, and the quotient is rounded once
    if not number(text, place):
        return 0.0
    return 0.0 - float(_EXACTLY.divide(Decimal(text), _UNIT))


def _score(cost: float) -> str:
    """Return a score from which readers get the same cost: if possible, a whole number, as in SRILM."""
    score = 0.0 - cost * float(_UNIT)
    if abs(score) >= 2**1023:
        raise InputError(f"the cost {cost!r} is too large for a PFSG", advice="write another format")
    for text in (str(round(score)), repr(score)):
        if _cost(text, "") == cost:
            return text
    return str(_EXACTLY.multiply(Decimal(0.0 - cost), _UNIT))


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice = lattice_to_write(graph, "pfsg", one_score=True)
    note_marks(lattice, "pfsg", SENTENCE_MARKS.__contains__)
    if _DURATION.search(require_id(name, "the name of a PFSG")):
        raise UsageError(
            f"'{shortened(name)}' cannot be the name of a PFSG: readers remove (duration=…) from its end",
            advice="rename it",
        )
    states, last = lattice.num_states, lattice.num_states - 1
    column, single = only_column(lattice), ends_in_last_state(lattice)
    # SRILM drops the words of the initial and the final node, so these nodes have none.
    nodes = word_nodes(states, lattice.target, lattice.source, lattice.word, bare={0, last} if single else {0})
    require_fields(lattice.vocabulary, nodes.word, _NULL)
    words = nodes.word if single else np.append(nodes.word, np.int32(EPSILON))
    end = len(words) - 1
    texts = _native.write_rows(len(words), [b" ", words_part(lattice.vocabulary, words, _NULL)])
    ends = 0 if single else len(lattice.final)
    rows = len(lattice.word) + len(nodes.state) - states + ends
    transitions = _transitions(lattice.source, nodes.of_arc, _scores(column.arc))
    transitions += _transitions(*nodes.joints(states), b"0")
    if ends:
        transitions += _transitions(lattice.final, np.full(ends, end, dtype=np.int32), _scores(column.final))
    header = [f"name {name}\nnodes {len(words)}".encode(), texts]
    header += [f"\ninitial 0\nfinal {last if single else end}\ntransitions {rows}\n".encode()]
    file.write(b"".join([*header, transitions, b"\n"]))


def _transitions(source: States, target: States, score: Part) -> bytes:
    return _native.write_rows(len(source), [source, b" ", target, b" ", score, b"\n"])


def _scores(costs: Floats) -> Part:
    """Return the scores of costs as a part of rows."""
    numbers = np.arange(len(costs), dtype=np.int32)
    if (written := _native.pfsg_scores(np.ascontiguousarray(costs))) is None:
        return numbers, utf8_texts([_score(cost) for cost in costs.tolist()])
    texts, end = written
    return numbers, _native.Utf8Texts(np.frombuffer(texts, dtype=np.uint8), np.append(0, end))


register(Format("pfsg", (".pfsg",), lambda head: _FIRST_LINES.match(head) is not None, _read, _write))
