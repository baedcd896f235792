"""Read and write k2's text of an Fsa: lines `source target label [aux label …] score`, then the final state.

Scores are log probabilities. Arcs into the final state have the label −1; their source states become final states with
costs. Words are the first aux labels or, without aux labels, the labels. See docs/formats/k2.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.columns import lattice_to_write, only_column, require_labels
from latticemetric.formats.registry import Entry, Format, graph_name, register
from latticemetric.formats.streams.stream import HEAD_SIZE, Stream
from latticemetric.formats.text.fields import (
    complete_lines,
    encode_column,
    is_number,
    is_word_number,
    number,
    numbered_lines,
    whole_number,
)
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary

_INPUT = "input"
_END = -1
_FEWEST_FIELDS = 4
_PREFIX = re.compile(rb"\s*(?:k2\.FsaVec:\s*)?(?:k2\.Fsa|FsaVec\[[0-9]+\]): ")
_TITLE = re.compile(rb"\s*k2\.FsaVec:\s*")
_TRAILER = b"properties_str = "
_ARC = re.compile(rb"[ \t]*[0-9]+(?:[ \t]+-?[0-9]+){2,}[ \t]+[-+0-9.eE]+[ \t\r]*")
_LAST = re.compile(rb"[ \t]*[0-9]+[ \t\r]*")


class _Arc(NamedTuple):
    source: int
    target: int
    labels: list[int]  # the aux labels, then the label; the first element is the word
    score: float


def looks_like_k2(head: bytes) -> bool:
    """Check whether a file begins with a title of k2, or has arcs as k2 writes them.

    The arcs with the label −1, and no others, must lead into the state with the highest number. This state must be
    alone on the last line, if `head` includes that line.
    """
    if _PREFIX.match(head):
        return True
    if b"-1" not in head:
        return False
    ends: set[int] = set()
    others: set[int] = set()
    last: int | None = None
    for line in filter(bytes.strip, complete_lines(head).split(b"\n")):
        if last is not None:
            break  # the first machine of several is enough
        if _ARC.fullmatch(line):
            fields = line.split()
            (ends if fields[2] == b"-1" else others).add(int(fields[1][:10]))
            others.add(int(fields[0][:10]))
        elif _LAST.fullmatch(line):
            last = int(line.strip()[:10])
        else:
            return False
    return len(ends) == 1 and max(ends) > max(others) and (ends == {last} or len(head) >= HEAD_SIZE)


def _may_be_k2(head: bytes) -> bool:
    """Check whether a long file, whose end is not in `head`, begins with arcs whose scores are 0 or negative."""
    if len(head) < HEAD_SIZE or b" -" not in head:
        return False
    source, lowest = 0, 0.0
    for line in head[: head.rfind(b"\n")].split(b"\n"):
        fields = line.split()
        if not _ARC.fullmatch(line) or int(fields[0][:10]) < source or not is_number(fields[-1].decode()):
            return False
        source, score = int(fields[0][:10]), float(fields[-1])
        if score > 0:
            return False
        lowest = min(lowest, score)
    return lowest < 0


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    machines = _machines(stream)
    pending = next(machines, None)
    position = 0
    while pending is not None:
        lines_before, data = pending
        pending = next(machines, None)
        position += 1
        alone = position == 1 and pending is None
        name = graph_name(stream.stem) if alone else str(position)
        build = partial(_parse, data, stream.name, lines_before, vocabulary)
        yield Entry(name, stream.place(lines_before + 1), build, naming="file" if alone else "position")


def _machines(stream: Stream) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of each machine, and the number of lines before it."""
    block: list[bytes] = []
    first, in_trailer = 0, False
    for line in stream.byte_lines():
        match = _PREFIX.match(line)
        if in_trailer and not match:
            continue
        in_trailer = not block and line.startswith(_TRAILER)
        if in_trailer or _TITLE.fullmatch(line) or (not block and not line.strip()):
            continue
        first = first if block else stream.line - 1
        block.append(line[match.end() :] if match else line)
        if len(line.split()) == 1 or (match and len(block[-1].split()) == 1):
            yield first, b"".join(block)
            block = []
    if block:
        what = "the Fsa is cut short: the line of its final state is missing"
        raise FormatError(what, where=stream.place(), advice="copy or write the file again")


def _parse(data: bytes, file: str, lines_before: int, table: Vocabulary | None) -> Lattice:
    rows = list(numbered_lines(data, file, lines_before))
    last, end = rows.pop() if rows else (f"{file}:{lines_before + 1}", [""])
    final = whole_number(end[0], "the final state", last)
    if not rows:
        raise FormatError("the Fsa has no arcs", where=last)
    arcs: list[_Arc] = []
    width = max(len(rows[0][1]), _FEWEST_FIELDS)
    for place, fields in rows:
        if any(field.startswith("[") for field in fields):
            raise FormatError(
                "a ragged attribute (several labels per arc) cannot be read",
                where=place,
                advice="use k2.expand_ragged_attributes before writing",
            )
        if len(fields) != width:
            raise FormatError(f"the arc has {len(fields)} fields, not {width}", where=place)
        source, target = (whole_number(field, "the state", place) for field in fields[:2])
        label, *aux = (whole_number(field, "the label", place, _END) for field in fields[2:-1])
        arc = _Arc(source, target, [*aux, label], number(fields[-1], place))
        if arcs and arc.source < arcs[-1].source:
            raise FormatError(
                "the arcs are not sorted by their source states", where=place, advice="sort the lines by source state"
            )
        if max(arc.source + 1, arc.target) > final:
            raise FormatError(f"the arc leaves the final state {final}, or leads to a state after it", where=place)
        if (arc.target == final) != (arc.labels[-1] == _END):
            raise FormatError("arcs into the final state, and only these, must have the label -1", where=place)
        arcs.append(arc)
    return _lattice(arcs, final, table)


def _lattice(arcs: list[_Arc], final: int, table: Vocabulary | None) -> Lattice:
    ends = [arc for arc in arcs if arc.target == final]
    if len({arc.source for arc in ends}) == len(ends) and not any(max(arc.labels[:-1], default=0) > 0 for arc in ends):
        arcs = [arc for arc in arcs if arc.target != final]
        states, final_costs = [arc.source for arc in ends], [0.0 - arc.score for arc in ends]
    else:
        # Keep arcs into the final state if one of them has a word, or a state has several of them.
        states, final_costs = [final], [0.0]
    width = len((arcs or ends)[0].labels)
    columns = np.array([arc.labels for arc in arcs], dtype=np.int64).reshape(len(arcs), width)
    columns = np.maximum(columns, EPSILON).astype(np.int32)
    words, vocabulary = encode_column((np.ascontiguousarray(columns[:, 0]), None), table)
    sides = {_INPUT: columns[:, -1], **{f"aux{k + 1}": columns[:, k] for k in range(1, width - 1)}}
    labels = {}
    for name, values in sides.items() if width > 1 else ():
        if values.any() and not (name == _INPUT and np.array_equal(values, columns[:, 0])):
            nothing = np.zeros(len(states), dtype=np.int32)
            labels[name] = Labels(np.ascontiguousarray(values), nothing, Vocabulary.numeric())
    return Lattice.from_arcs(
        [arc.source for arc in arcs],
        [arc.target for arc in arcs],
        words,
        final=states,
        scores={"score": Column(np.array([0.0 - arc.score for arc in arcs]), np.array(final_costs))},
        vocabulary=vocabulary,
        labels=labels,
        copy=False,
    )


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    lattice = lattice_to_write(graph, "k2", None, one_score=True, empty_words=True)
    sides = [_numbers(lattice.vocabulary, lattice.word.tolist(), "word")]
    # The input side, and all further aux labels.
    names = [_INPUT, *(f"aux{k}" for k in range(2, 2 + len(set(lattice.labels) - {_INPUT})))]
    require_labels(lattice, "k2", names)
    for name in names if lattice.labels else ():
        side = lattice.labels.get(name)
        if side is not None and side.final.any():
            raise InputError(
                f"k2 cannot store the labels '{name}' of final states",
                advice="leave them out with Corpus.converted(drop_labels=True)",
            )
        sides.append(_numbers(side.vocabulary, side.arc.tolist(), "label") if side else ["0"] * len(lattice.word))
    # The label comes first, then the words, then further labels.
    sides = [sides[1], sides[0], *sides[2:]] if len(sides) > 1 else sides
    column = only_column(lattice)
    ends = dict(zip(lattice.final.tolist(), column.final.tolist(), strict=True))
    lines: list[list[str]] = [[] for _ in range(lattice.num_states)]
    rows = zip(
        lattice.source.tolist(), lattice.target.tolist(), zip(*sides, strict=True), column.arc.tolist(), strict=True
    )
    for source, target, labels, cost in rows:
        lines[source].append(f"{source} {target} {' '.join(labels)} {0.0 - cost!r}")
    for state, cost in ends.items():
        lines[state].append(f"{state} {lattice.num_states} {' '.join(['-1'] * len(sides))} {0.0 - cost!r}")
    text = "\n".join([*(line for of_state in lines for line in of_state), str(lattice.num_states)])
    file.write(f"{text}\n".encode())


def _numbers(vocabulary: Vocabulary, numbers: list[int], what: str) -> list[str]:
    texts = [vocabulary.word(n) if n != EPSILON else "0" for n in numbers]
    for text, n in zip(texts, numbers, strict=True):
        if n != EPSILON and (text == "0" or not is_word_number(text)):
            raise InputError(
                f"k2 holds numbers, but the {what} '{shortened(text, 40)}' is not a number",
                advice="read the graph with its numbers, without symbols=…",
            )
    return texts


register(
    Format("k2", (".k2.txt", ".k2"), lambda head: looks_like_k2(head) or _may_be_k2(head), _read, _write, single=True)
)
