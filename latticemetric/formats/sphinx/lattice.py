"""Sphinx-3 and PocketSphinx lattices: `Frames`, `Nodes`, `Initial`, `Final`, `Edges` … `End`; one lattice a file.

The word of a node starts in its frame, and belongs to the arcs that leave it; the final node gets an arc of its own to
the end. An edge has the acoustic log-likelihood of its first node's word to the base `-logbase` of the header: the
column `acoustic` is −score · ln base. `word(2)` is the word with the label `v` (pronunciation variant) 2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.files.stream import Stream
from latticemetric.formats.registry import Entry, Format, graph_name, register
from latticemetric.formats.sphinx.lattice_writing import BASES, FRAME_RATE, NO_WORD, VARIANT, VARIANTS, write
from latticemetric.formats.texts.fields import number, numbered_lines, whole
from latticemetric.formats.texts.parsing import labels_of_arcs, spelled_texts
from latticemetric.lattice import Column, Lattice
from latticemetric.vocabulary import Vocabulary

_FIRST_LINES = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*Frames[ \t]+[-+0-9.eE]+[ \t\r]*(?:\n|$)")
_NODE_FIELDS = 5
_EDGE_FIELDS = 3

_Lines = Iterator[tuple[str, list[str]]]


class _Node(NamedTuple):
    """A node as it stands in the file."""

    word: str
    frame: float


class _Header(NamedTuple):
    """What comments say."""

    log_of_base: float
    frames_per_second: float


def _sniff(head: bytes) -> bool:
    return _FIRST_LINES.match(head) is not None


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    build = partial(_parse, stream.read(), stream.name, vocabulary)
    yield Entry(graph_name(stream.stem), stream.name, build, naming="file")


def _parse(data: bytes, file: str, table: Vocabulary | None) -> Lattice:
    header = _header(data, file)
    lines = ((place, fields) for place, fields in numbered_lines(data, file) if not fields[0].startswith("#"))
    place, fields = _keyword(lines, "Frames", file)
    frames = number(fields[1], place)
    nodes, names, (place, fields) = _nodes(lines, file)
    initial = _named(names, _value(place, fields, "Initial"), place)
    place, fields = _keyword(lines, "Final", file)
    final = _named(names, fields[1], place)
    place, fields = _keyword(lines, "BestSegAscr", file)
    for _ in range(whole(fields[1], "the number of segments", place)):
        if not next(lines, None):
            raise _cut_short(file)
    source, target, cost = _edges(lines, names, header.log_of_base, file)
    # The last word is heard from the final node to the end.
    source, target, cost = [*source, final], [*target, len(nodes)], [*cost, 0.0]
    return _lattice(nodes, (source, target, cost), initial, _times(nodes, frames, header), table)


def _lattice(
    nodes: list[_Node],
    arcs: tuple[list[int], list[int], list[float]],
    initial: int,
    times: list[float] | None,
    table: Vocabulary | None,
) -> Lattice:
    source, target, cost = arcs
    split = [VARIANT.fullmatch(node.word) for node in nodes]
    bare = [match[1] if match else node.word for match, node in zip(split, nodes, strict=True)]
    of_node, vocabulary = spelled_texts(bare, NO_WORD, table)
    variants = [match[2] if match else "" for match in split]
    labels = {VARIANTS: labels_of_arcs([variants[node] for node in source])} if any(split) else {}
    return Lattice.from_arcs(
        source,
        target,
        of_node[source],
        final=[len(nodes)],
        start=initial,
        scores={"acoustic": Column(np.array(cost), np.zeros(1))},
        vocabulary=vocabulary,
        times=times,
        labels=labels,
        copy=False,
    )


def _times(nodes: list[_Node], frames: float, header: _Header) -> list[float] | None:
    """Seconds at each node and at the end; none where all stands in a single frame."""
    if frames == 1 and not any(node.frame for node in nodes):
        return None
    return [frame / header.frames_per_second for frame in (*(node.frame for node in nodes), frames)]


def _header(data: bytes, file: str) -> _Header:
    base, rate = BASES[0], FRAME_RATE
    for place, fields in numbered_lines(data, file):
        if not fields[0].startswith("#"):
            break
        if fields[1:2] == ["-logbase"]:
            base = _positive(fields, place)
            if base == 1:
                raise FormatError("-logbase is 1", where=place, advice="a base is above 0 and not 1")
        elif fields[1:2] == ["-frate"]:
            rate = _positive(fields, place)
    return _Header(math.log(base), rate)


def _positive(fields: list[str], place: str) -> float:
    value = number(fields[2], place) if len(fields) > 2 else 0.0  # noqa: PLR2004  the mark, the name, the value
    if value <= 0:
        raise FormatError(f"{fields[1]} is not a number above 0", where=place)
    return value


def _keyword(lines: _Lines, word: str, file: str) -> tuple[str, list[str]]:
    place, fields = next(lines, (file, [""]))
    if fields == [""]:
        raise _cut_short(file)
    _value(place, fields, word)
    return place, fields


def _value(place: str, fields: list[str], word: str) -> str:
    """The field after a keyword."""
    if fields[0] != word or len(fields) == 1:
        shown = shortened(" ".join(fields), 40)
        raise FormatError(f"'{shown}' stands where '{word}' and a number belong", where=place)
    return fields[1]


def _cut_short(file: str) -> FormatError:
    return FormatError("the lattice is cut short: it has no line 'End'", where=file)


def _nodes(lines: _Lines, file: str) -> tuple[list[_Node], dict[int, int], tuple[str, list[str]]]:
    """The nodes, their places by their numbers, and the line after them."""
    where, fields = _keyword(lines, "Nodes", file)
    count = whole(fields[1], "the number of nodes", where, 1)
    nodes: list[_Node] = []
    names: dict[int, int] = {}
    for place, fields in lines:
        if fields[0] == "Initial":
            if len(nodes) != count:
                raise FormatError(f"the line says {count} nodes, and there are {len(nodes)}", where=where)
            return nodes, names, (place, fields)
        # PocketSphinx appends a number of its own behind a semicolon.
        if len(fields) != _NODE_FIELDS and fields[_NODE_FIELDS : _NODE_FIELDS + 1] != [";"]:
            raise FormatError(f"a node has {_NODE_FIELDS} fields, and this line has {len(fields)}", where=place)
        name = whole(fields[0], "the node", place)
        if name in names:
            raise FormatError(f"node {name} stands twice", where=place)
        names[name] = len(nodes)
        frame, *_ = (number(field, place) for field in fields[2:_NODE_FIELDS])
        nodes.append(_Node(fields[1], frame))
    raise _cut_short(file)


def _named(names: dict[int, int], text: str, place: str) -> int:
    name = whole(text, "the node", place)
    if name not in names:
        raise FormatError(f"there is no node {name}", where=place)
    return names[name]


def _edges(
    lines: _Lines, names: dict[int, int], log_of_base: float, file: str
) -> tuple[list[int], list[int], list[float]]:
    place, fields = next(lines, (file, [""]))
    if fields[0] != "Edges":
        raise _cut_short(file) if fields == [""] else FormatError("'Edges' is missing here", where=place)
    if len(fields) > 1 and "TO-NODEID" not in fields[2:3]:
        raise FormatError("edges without the nodes that they lead to cannot be read", where=place)
    source: list[int] = []
    target: list[int] = []
    cost: list[float] = []
    for place, fields in lines:
        if fields == ["End"]:
            if (after := next(lines, None)) is not None:
                raise FormatError("there is more after 'End'", where=after[0], advice="a file holds one lattice")
            return source, target, cost
        if len(fields) != _EDGE_FIELDS:
            raise FormatError(f"an edge has {_EDGE_FIELDS} fields, and this line has {len(fields)}", where=place)
        source.append(_named(names, fields[0], place))
        target.append(_named(names, fields[1], place))
        cost.append(0.0 - number(fields[2], place) * log_of_base)
    raise _cut_short(file)


register(Format("sphinx", (".sphinx.lat", ".sphinx"), _sniff, _read, write, single=True))
