"""Read and write SRILM's word meshes (confusion networks): `numaligns`, `posterior`, `align 0 the 0.75 a 0.25` ….

The column `posterior` has the costs −ln(posterior). Words with posterior 0 are left out. `*DELETE*` is ε. The texts of
`info` (times, scores, phones) and `hyps` become labels, unchanged. A line `name` begins the next mesh of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.columns import columns_to_write, cost_of, lattice_to_write, only_column, probability_to_write
from latticemetric.formats.marks import MARK, SENTENCE_MARKS, encode_without_marks, mark_labels, note_marks
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream, warn
from latticemetric.formats.text.blocks import named_blocks
from latticemetric.formats.text.fields import (
    is_number,
    labels_of_arcs,
    number,
    numbered_lines,
    numbered_texts,
    require_id,
    whole_number,
    word_to_write,
)
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import Vocabulary, split_words

_DELETE = "*DELETE*"
_TEXTS = ("hyps", "info")
_INFO_NUMBERS = 4
_FEWEST_INFO_FIELDS = 6
_FIRST_LINES = re.compile(rb"(?:\s*name[ \t]+[^\s]+[ \t\r]*\n)?\s*numaligns[ \t]+[0-9]+[ \t\r]*(?:\n|$)")


class _Mesh:
    """The lines of a mesh read so far."""

    def __init__(self) -> None:
        self.expected: int | None = None
        self.positions: dict[int, dict[str, float]] = {}  # the posterior of each word
        self.references: dict[int, str] = {}
        self.texts: dict[tuple[str, int, str], tuple[str, str]] = {}  # text and place, by keyword, position and word

    def add(self, fields: list[str], place: str) -> None:
        match fields[0]:
            case "name":
                _only_value(fields, place)
            case "numaligns":
                if self.expected is not None:
                    raise FormatError(
                        "'numaligns' appears twice", where=place, advice="begin another mesh with a line 'name'"
                    )
                self.expected = whole_number(_only_value(fields, place), "the number of positions", place)
            case "posterior" | "transposterior" | "time":
                # Check that the value is a number, perhaps after a position. The value is not used.
                if len(fields) > 2:  # noqa: PLR2004  a position before the value
                    self._position(fields, place, 2)
                    fields = fields[1:]
                number(_only_value(fields, place), place)
            case "reference":
                position = self._position(fields, place, 2)
                self.references[position] = fields[2]
            case "align":
                self._add_words(fields, place)
            case "hyps" | "info":
                self._add_text(fields, place)
            case keyword:
                raise FormatError(f"'{shortened(keyword, 40)}' is not a keyword of a word mesh", where=place)

    def _position(self, fields: list[str], place: str, values: int) -> int:
        if len(fields) <= values:
            raise FormatError(f"'{fields[0]}' has only {len(fields) - 1} values", where=place)
        position = whole_number(fields[1], "the position", place)
        if self.expected is None:
            raise FormatError("there is no line 'numaligns' before this line", where=place)
        if position >= self.expected:
            raise FormatError(f"position {position} is too large: 'numaligns' is {self.expected}", where=place)
        return position

    def _add_words(self, fields: list[str], place: str) -> None:
        position = self._position(fields, place, 3)
        if position in self.positions:
            raise FormatError(f"position {position} appears twice", where=place)
        if len(fields) % 2:
            raise FormatError("the last word has no posterior", where=place)
        posteriors = [number(text, place) for text in fields[3::2]]
        words: dict[str, float] = {}
        for word, posterior in zip(fields[2::2], posteriors, strict=True):
            if posterior < 0:
                raise InputError(f"the posterior of '{shortened(word, 40)}' is below 0", where=place)
            if word in words:
                raise FormatError(f"'{shortened(word, 40)}' appears twice in position {position}", where=place)
            words[word] = posterior
        if not any(posteriors):
            raise InputError(f"all words of position {position} have posterior 0", where=place)
        self.positions[position] = words

    def _add_text(self, fields: list[str], place: str) -> None:
        position = self._position(fields, place, 2)
        if position not in self.positions:
            raise FormatError(f"'{fields[0]}' of position {position} comes before the position's words", where=place)
        key = (fields[0], position, fields[2])
        if key in self.texts:
            raise FormatError(f"'{fields[0]}' of '{shortened(fields[2], 40)}' appears twice", where=place)
        text = " ".join(fields[3:])
        _check_text(fields[0], text, place)
        if text:
            self.texts[key] = (text, place)

    def times(self) -> list[float] | None:
        """Return the begin of each position, then the end of the last position; `None` if no word has `info`.

        A position has the times of its most probable word with `info`. Times never decrease.
        """
        times: list[float] = []
        end = 0.0
        for k in range(len(self.positions)):
            start = end
            informed = {w: p for w, p in self.positions[k].items() if p and ("info", k, w) in self.texts}
            if informed:
                text, _ = self.texts["info", k, max(informed, key=informed.__getitem__)]
                start, duration = map(float, split_words(text)[:2])
                start = max(start, times[-1]) if times else start
                end = max(start, start + duration)
            times.append(start)
        return [*times, end] if any(name == "info" for name, _, _ in self.texts) else None


def _only_value(fields: list[str], place: str) -> str:
    if len(fields) != 2:  # noqa: PLR2004  the keyword and its value
        raise FormatError(f"'{fields[0]}' has {len(fields) - 1} values, not one", where=place)
    return fields[1]


def _check_text(name: str, text: str, place: str | None) -> None:
    """Raise an error if a text is not valid in a line that begins with `name`, which is `hyps` or `info`."""
    fields = split_words(text)
    if name == "hyps":
        good = all(re.fullmatch("-?[0-9]+", field) for field in fields)
    else:
        good = len(fields) >= _FEWEST_INFO_FIELDS and all(map(is_number, fields[:_INFO_NUMBERS]))
    if not good or " ".join(fields) != text:
        raise FormatError(f"'{shortened(text, 40)}' is not valid in the line '{name}'", where=place)


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return named_blocks(stream, partial(_parse, table=vocabulary))


def _parse(data: bytes, file: str, lines_before: int, table: Vocabulary | None) -> Lattice:
    if (read := _native.read_mesh(data, 0, len(data))) is not None:
        times, labels = None, {}
        positions, source, texts, cost = read
    else:
        mesh, rows = _read_lines(data, file, lines_before)
        positions, times, labels = len(mesh.positions), mesh.times(), _text_labels(mesh, rows)
        source, texts = np.array([k for k, _, _ in rows], dtype=np.int32), numbered_texts(word for _, word, _ in rows)
        cost = np.array([cost_of(p) for _, _, p in rows])
    words, vocabulary, marks = encode_without_marks(texts, _DELETE, SENTENCE_MARKS, table)
    return Lattice.from_arcs(
        source,
        source + 1,
        words,
        final=[positions],
        scores={"posterior": Column(cost, np.zeros(1))},
        vocabulary=vocabulary,
        times=times,
        labels=mark_labels(marks) | labels,
        copy=False,
    )


def _read_lines(data: bytes, file: str, lines_before: int) -> tuple[_Mesh, list[tuple[int, str, float]]]:
    """Read any mesh, and say what is wrong with it; return its lines, and each position, word and posterior above 0."""
    mesh = _Mesh()
    for place, fields in numbered_lines(data, file, lines_before):
        mesh.add(fields, place)
    where = f"{file}:{lines_before + 1}"
    if mesh.expected is None:
        raise FormatError("the mesh has no line 'numaligns'", where=where)
    if len(mesh.positions) != mesh.expected:
        raise FormatError(
            f"'numaligns' is {mesh.expected}, but the mesh has {len(mesh.positions)} lines 'align'", where=where
        )
    for (_, k, word), (_, place) in mesh.texts.items():
        if word not in mesh.positions[k]:
            raise FormatError(f"'{shortened(word, 40)}' is not a word of position {k}", where=place)
    rows = [(k, word, p) for k in range(len(mesh.positions)) for word, p in mesh.positions[k].items()]
    # Words of posterior 0 may come from the reference.
    if lost := [word for k, word, p in rows if not p and mesh.references.get(k) != word]:
        warn(where, f"left out words of posterior 0: {shortened(', '.join(lost))}")
    return mesh, [row for row in rows if row[2]]


def _text_labels(mesh: _Mesh, rows: list[tuple[int, str, float]]) -> dict[str, Labels]:
    labels = {}
    for name in _TEXTS:
        texts = [mesh.texts.get((name, k, word), ("", ""))[0] for k, word, _ in rows]
        if any(texts):
            labels[name] = labels_of_arcs(texts)
    return labels


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice = lattice_to_write(graph, "wordmesh", (*_TEXTS, MARK), one_score=True)
    note_marks(lattice, "wordmesh", SENTENCE_MARKS.__contains__)
    require_id(name, "the name of a mesh")
    columns = columns_to_write(lattice, "wordmesh")
    costs, numbers = only_column(lattice).arc.tolist(), lattice.word.tolist()
    side = lattice.labels.get(MARK)
    marks = [""] * len(lattice.word) if side is None else side.vocabulary.words(side.arc)
    text_of = cache(partial(word_to_write, lattice.vocabulary))
    lines = [f"name {name}", f"numaligns {len(columns)}", "posterior 1"]
    for k, rows in enumerate(columns):
        words = [marks[row] or text_of(numbers[row], _DELETE) for row in rows]
        if len(set(words)) < len(words):
            twice = next(word for word in words if words.count(word) > 1)
            raise InputError(
                f"'{shortened(twice, 40)}' appears twice between states {k} and {k + 1}, but a mesh holds it only once",
                advice="write another format",
            )
        posteriors = [probability_to_write(costs[row]) for row in rows]
        lines.append(" ".join([f"align {k}", *(f"{w} {p}" for w, p in zip(words, posteriors, strict=True))]))
        for label in filter(lattice.labels.__contains__, _TEXTS):
            side = lattice.labels[label]
            for row, word in zip(rows, words, strict=True):
                if text := side.vocabulary.word(int(side.arc[row])):
                    _check_text(label, text, None)
                    lines.append(f"{label} {k} {word} {text}")
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


register(Format("wordmesh", (".mesh", ".wlat"), lambda head: _FIRST_LINES.match(head) is not None, _read, _write))
