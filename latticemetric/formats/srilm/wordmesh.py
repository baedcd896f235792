"""Read and write SRILM's word meshes (confusion networks): `numaligns`, `posterior`, `align 0 the 0.75 a 0.25` ….

The column `posterior` is −ln of the posteriors, without normalization. Words of posterior 0 are impossible, so they are
left out. `*DELETE*` is ε. `info` (times, scores, phones) and `hyps` become labels, unchanged; the times of states come
from `info`. A line `name` begins the next mesh of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.columns import lattice_to_write, only_column
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream, warn
from latticemetric.formats.text.blocks import named_blocks
from latticemetric.formats.text.confusion import columns_to_write, cost_of, probability_to_write
from latticemetric.formats.text.fields import (
    is_number,
    labels_of_arcs,
    number,
    numbered_lines,
    require_id,
    spelled_texts,
    whole,
    word_to_write,
)
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.vocabulary import Vocabulary, split_words

_DELETE = "*DELETE*"
_TEXTS = ("hyps", "info")
_INFO_NUMBERS = 4
_FEWEST_INFO_FIELDS = 6


def check_text(name: str, text: str, place: str | None) -> None:
    """Refuse a text that cannot be in a line `hyps` or `info`."""
    fields = split_words(text)
    if name == "hyps":
        good = all(re.fullmatch("-?[0-9]+", field) for field in fields)
    else:
        good = len(fields) >= _FEWEST_INFO_FIELDS and all(map(is_number, fields[:_INFO_NUMBERS]))
    if not good or " ".join(fields) != text:
        raise FormatError(f"'{shortened(text, 40)}' cannot be in a line '{name}'", where=place)


_FIRST_LINES = re.compile(rb"(?:\s*name[ \t]+[^\s]+[ \t\r]*\n)?\s*numaligns[ \t]+[0-9]+[ \t\r]*(?:\n|$)")
_NAME_LINE = re.compile(rb"[ \t]*name[ \t]")


class _Word(NamedTuple):
    """Hold a word of a position, and its posterior."""

    text: str
    posterior: float


class _Mesh:
    """Collect the lines of a mesh."""

    def __init__(self) -> None:
        self.expected: int | None = None
        self.positions: dict[int, list[_Word]] = {}
        self.references: dict[int, str] = {}
        self.texts: dict[tuple[str, int, str], str] = {}
        self.places: dict[tuple[str, int, str], str] = {}


def _sniff(head: bytes) -> bool:
    return _FIRST_LINES.match(head) is not None


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return named_blocks(stream, _NAME_LINE, partial(_parse, table=vocabulary))


def _parse(data: bytes, file: str, lines_before: int, table: Vocabulary | None) -> Lattice:
    mesh = _Mesh()
    for place, fields in numbered_lines(data, file, lines_before):
        handler = _LINES.get(fields[0])
        if handler is None:
            raise FormatError(f"'{shortened(fields[0], 40)}' is not a keyword of a word mesh", where=place)
        handler(mesh, fields, place)
    if mesh.expected is None:
        raise FormatError("the mesh has no line 'numaligns'", where=f"{file}:{lines_before + 1}")
    if len(mesh.positions) != mesh.expected:
        raise FormatError(
            f"'numaligns' is {mesh.expected}, but the mesh has {len(mesh.positions)} lines 'align'",
            where=f"{file}:{lines_before + 1}",
        )
    for key, place in mesh.places.items():
        if all(word.text != key[2] for word in mesh.positions[key[1]]):
            raise FormatError(f"'{shortened(key[2], 40)}' is not a word of position {key[1]}", where=place)
    _warn_of_lost_words(mesh, f"{file}:{lines_before + 1}")
    return _lattice(mesh, table)


def _lattice(mesh: _Mesh, table: Vocabulary | None) -> Lattice:
    rows = [(k, word) for k in range(len(mesh.positions)) for word in mesh.positions[k] if word.posterior]
    words, vocabulary = spelled_texts((word.text for _, word in rows), _DELETE, table)
    labels = {}
    for name in _TEXTS:
        texts = [mesh.texts.get((name, k, word.text), "") for k, word in rows]
        if any(texts):
            labels[name] = labels_of_arcs(texts)
    source = np.array([k for k, _ in rows], dtype=np.int32)
    return Lattice.from_arcs(
        source,
        source + 1,
        words,
        final=[len(mesh.positions)],
        scores={"posterior": Column(np.array([cost_of(word.posterior) for _, word in rows]), np.zeros(1))},
        vocabulary=vocabulary,
        times=_times(mesh),
        labels=labels,
        copy=False,
    )


def _warn_of_lost_words(mesh: _Mesh, place: str) -> None:
    """Warn of words of posterior 0, except those that come from the reference."""
    lost = [(k, w.text) for k, words in mesh.positions.items() for w in words if not w.posterior]
    if unexplained := [text for k, text in lost if mesh.references.get(k) != text]:
        warn(place, f"left out words of posterior 0: {shortened(', '.join(unexplained))}")


def _times(mesh: _Mesh) -> list[float] | None:
    """Return the begin of each position and the last end, from the likeliest word with `info`; times never decrease."""
    times: list[float] = []
    end = 0.0
    for k in range(len(mesh.positions)):
        informed = [w for w in mesh.positions[k] if w.posterior and ("info", k, w.text) in mesh.texts]
        best = max(informed, key=lambda word: word.posterior, default=None)
        start = end
        if best is not None:
            start, duration = (float(t) for t in split_words(mesh.texts["info", k, best.text])[:2])
            start = max(start, times[-1]) if times else start
            end = max(start, start + duration)
        times.append(start)
    return [*times, end] if any(name == "info" for name, _, _ in mesh.texts) else None


# ---- The lines of a mesh, by their keywords ----


def _expect(mesh: _Mesh, fields: list[str], place: str) -> None:
    if mesh.expected is not None:
        raise FormatError("'numaligns' appears twice", where=place, advice="begin another mesh with a line 'name'")
    mesh.expected = whole(_only(fields, place), "the number of positions", place)


def _only(fields: list[str], place: str) -> str:
    if len(fields) != 2:  # noqa: PLR2004  the keyword and its value
        raise FormatError(f"'{fields[0]}' has {len(fields) - 1} values, not one", where=place)
    return fields[1]


def _position(mesh: _Mesh, fields: list[str], place: str, values: int) -> int:
    if len(fields) <= values:
        raise FormatError(f"'{fields[0]}' has only {len(fields) - 1} values", where=place)
    position = whole(fields[1], "the position", place)
    if mesh.expected is None or position >= mesh.expected:
        raise FormatError(f"position {position} is not below 'numaligns'", where=place)
    return position


def _align(mesh: _Mesh, fields: list[str], place: str) -> None:
    position = _position(mesh, fields, place, 3)
    if position in mesh.positions:
        raise FormatError(f"position {position} appears twice", where=place)
    if len(fields) % 2:
        raise FormatError("the last word has no posterior", where=place)
    words = [_Word(text, number(value, place)) for text, value in zip(fields[2::2], fields[3::2], strict=True)]
    seen: set[str] = set()
    for word in words:
        if word.posterior < 0:
            raise InputError(f"the posterior of '{shortened(word.text, 40)}' is below 0", where=place)
        if word.text in seen:
            raise FormatError(f"'{shortened(word.text, 40)}' appears twice in position {position}", where=place)
        seen.add(word.text)
    if not any(word.posterior for word in words):
        raise InputError(f"all words of position {position} have posterior 0", where=place)
    mesh.positions[position] = words


def _reference(mesh: _Mesh, fields: list[str], place: str) -> None:
    position = _position(mesh, fields, place, 2)
    mesh.references[position] = fields[2]


def _text(mesh: _Mesh, fields: list[str], place: str) -> None:
    position = _position(mesh, fields, place, 2)
    if position not in mesh.positions:
        raise FormatError(f"'{fields[0]}' of position {position} comes before the position's words", where=place)
    key = (fields[0], position, fields[2])
    if key in mesh.texts:
        raise FormatError(f"'{fields[0]}' of '{shortened(fields[2], 40)}' appears twice", where=place)
    text = " ".join(fields[3:])
    check_text(fields[0], text, place)
    if text:
        mesh.texts[key] = text
        mesh.places[key] = place


def _posterior(mesh: _Mesh, fields: list[str], place: str) -> None:
    """Check that a sum of posteriors is a number; its value is not used."""
    if len(fields) > 2:  # noqa: PLR2004  a position before the value
        _position(mesh, fields, place, 2)
        fields = fields[1:]
    number(_only(fields, place), place)


def _name(_mesh: _Mesh, fields: list[str], place: str) -> None:
    _only(fields, place)


_LINES = {
    "name": _name,
    "numaligns": _expect,
    "posterior": _posterior,
    "transposterior": _posterior,
    "align": _align,
    "reference": _reference,
    "hyps": _text,
    "info": _text,
    "time": _posterior,
}


# ---- Writing ----


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    """Write one mesh."""
    lattice = lattice_to_write(graph, "wordmesh", _TEXTS, one_score=True)
    require_id(name, "the name of a mesh")
    columns = columns_to_write(lattice, "wordmesh")
    costs = only_column(lattice).arc.tolist()
    lines = [f"name {name}", f"numaligns {len(columns)}", "posterior 1"]
    for k, rows in enumerate(columns):
        words = [word_to_write(lattice.vocabulary, int(lattice.word[row]), _DELETE) for row in rows]
        if len(set(words)) < len(words):
            twice = next(word for word in words if words.count(word) > 1)
            raise InputError(
                f"'{shortened(twice, 40)}' appears twice between states {k} and {k + 1}, but a mesh holds it once",
                advice="write another format",
            )
        posteriors = [probability_to_write(costs[row]) for row in rows]
        lines.append(" ".join([f"align {k}", *(f"{w} {p}" for w, p in zip(words, posteriors, strict=True))]))
        lines += [f"{label} {k} {words[rows.index(row)]} {text}" for label, row, text in _texts(lattice, rows)]
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


def _texts(lattice: Lattice, rows: list[int]) -> Iterator[tuple[str, int, str]]:
    for name in _TEXTS:
        if side := lattice.labels.get(name):
            for row in rows:
                if text := side.vocabulary.word(int(side.arc[row])):
                    check_text(name, text, None)
                    yield name, row, text


register(Format("wordmesh", (".mesh", ".wlat"), _sniff, _read, _write))
