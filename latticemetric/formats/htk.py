"""Read and write HTK lattices (SLF 1.0 and 1.1), words on nodes or on links; see docs/formats/htk-slf.md.

Scores are log-likelihoods to the header's `base` (default e; 0 means probabilities); costs are −score · ln base. A
link gets the word, scores and labels of the node where the link ends (if the header says `dir=b`: where the link
begins), unless the link has its own. If the header has a `wdpenalty`, the column `words` counts words, and the penalty
is the weight of this column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, UsageError, placed, shortened
from latticemetric.formats.columns import ClosedArcs, closed_arcs, ends_in_last_state, lattice_to_write
from latticemetric.formats.marks import MARK, SENTENCE_MARKS, encode_without_marks, mark_labels, note_marks
from latticemetric.formats.registry import Entry, Format, graph_name, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import (
    Part,
    encode_column,
    is_number,
    parsed_natively,
    require_no_word,
    words_part,
)
from latticemetric.frozen import FrozenDict
from latticemetric.graph import Graph
from latticemetric.lattice.columns import frozen
from latticemetric.lattice.lattice import Column, Floats, Labels, Lattice
from latticemetric.lattice.validation import Columns
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, numbered_words, utf8_texts

_NO_WORDS = ("!NULL", "!ENTER", "!EXIT")
_MARKS = (*SENTENCE_MARKS, "!SENT_START", "!SENT_END")
_TEXTS = ["W", "v", "d", "s", "i", "p", "L"]
_PLACES = {"I", "J", "S", "E", "t", "W", "line"}
_COLUMN_NAMES = {"a": "acoustic", "l": "lm", "r": "pronunciation"}
# The weights of scores that are not in the header. HTK and SRILM take these, and SRILM leaves such weights out.
_SCALES = {
    "a": ("acscale", 1.0),
    "l": ("lmscale", 1.0),
    "n": ("ngscale", 1.0),
    "r": ("prscale", 1.0),
    "ds": ("duscale", 0.0),
}
_WORD_COUNT = "words"
_LONG_NAMES = {
    "VERSION": "V",
    "UTTERANCE": "U",
    "NODES": "N",
    "LINKS": "L",
    "WORD": "W",
    "START": "S",
    "END": "E",
    "time": "t",
    "var": "v",
    "div": "d",
    "states": "s",
    "acoustic": "a",
    "language": "l",
    "ngram": "n",
}
_FIELD_NAMES = {name: field for field, name in _COLUMN_NAMES.items()}
_ALL_TEXTS = [*_TEXTS, *(name for name, field in _LONG_NAMES.items() if field in _TEXTS)]
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

_FIRST_FIELD = re.compile(
    rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*\s*"
    rb"(?:VERSION|V|UTTERANCE|U|SUBLAT|base|dir|start|end|lmname|vocab|hmms|(?:ac|lm|ng|pr|t)scale|wdpenalty|N|NODES)=\S"
)
_UTTERANCE = re.compile(
    rb"^(?:[^#\n]*[ \t])?(?:UTTERANCE|U)=(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[^\s\"']\S*)", re.MULTILINE
)
_BODY = re.compile(rb"^\s*[IJ]=", re.MULTILINE)

_QUOTED = re.compile(r"[\s\\]|\0[\"']")
_ESCAPE = re.compile(rb"\\(?:([0-3][0-7]{2})|(.))", re.DOTALL)

# SRILM's octal numbers: \0 and the digits of a byte, whose sign it extends to 32 bits if the byte is no ASCII.
_SRILM_ESCAPE = re.compile(rb"\\(?:0(?:37777777([67][0-7]{2})|([0-7])(?![0-7]))|.)", re.DOTALL)

_Header = Mapping[str, tuple[str, int]]
_Table = Mapping[str, Any]


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    data = _with_octal_bytes(stream.read())
    body = _BODY.search(data)
    match = _UTTERANCE.search(data, 0, body.start() if body else len(data))
    utterance = _unquoted(match[1]).decode("utf-8", "replace") if match else ""
    build = partial(_parse, data, stream.name, vocabulary)
    yield Entry(utterance or graph_name(stream.stem), stream.name, build, naming="own" if utterance else "file")


def _parse(data: bytes, file: str, table: Vocabulary | None) -> Lattice:
    if (read := _native.read_slf(data)) is not None:
        with placed(file):
            return _usual_lattice(read, table)
    parts = parsed_natively(partial(_native.parse_slf, texts=_ALL_TEXTS), data, file)
    header = {_LONG_NAMES.get(name, name): (value, line) for name, value, line in parts["header"]}
    nodes, links = (_by_short_names(parts[kind], file) for kind in ("nodes", "links"))
    with placed(file):
        return _Reader(header, nodes, links, file).lattice(table)


def _usual_lattice(read: tuple[Any, ...], table: Vocabulary | None) -> Lattice:
    """Build a lattice from the sorted columns that `_native.read_slf` returns."""
    states, source, target, texts, final, scores, penalty, times, (variant, variants) = read
    words, vocabulary, marks = encode_without_marks(texts, "", _MARKS, table)
    if table is not None:
        vocabulary.check(words)
    nothing = np.zeros(1)
    columns = {_COLUMN_NAMES.get(field, field): Column(cost, nothing, weight) for field, weight, cost in scores}
    if penalty:
        is_counted = ((words != EPSILON) | (marks[0] != EPSILON)).astype(np.float64)
        columns[_WORD_COUNT] = Column(is_counted, nothing, penalty)
    labels = {} if variant is None else _labels({"v": (variant, variants)})
    return Lattice.of_valid(
        Columns(
            states, source, target, frozen(words), final, FrozenDict(columns), vocabulary, times,
            FrozenDict(labels | mark_labels(marks)),
        )
    )  # fmt: skip


def _by_short_names(columns: _Table, file: str) -> _Table:
    """Return the columns of all lines by their short names; a column has the values of both names of its field."""
    found: dict[str, Any] = {}
    for name, column in columns.items():
        field = _LONG_NAMES.get(name, name)
        other = found.get(field)
        if other is not None:
            if isinstance(other, tuple) != isinstance(column, tuple):
                raise FormatError(f"{field} is a number on some lines, but a text on others, as {name}", where=file)
            if (twice := np.flatnonzero(_is_given(other) & _is_given(column))).size:
                raise FormatError(f"{field} appears twice, also as {name}", where=f"{file}:{columns['line'][twice[0]]}")
            column = _filled(other, column)  # noqa: PLW2901  both names
        found[field] = column
    return found


def _is_given(column: Any) -> npt.NDArray[np.bool_]:
    """Return True for each line that has a value of a column."""
    return np.asarray(column[0] != EPSILON if isinstance(column, tuple) else ~np.isnan(column))


class _Reader:
    """Builds a lattice from a parsed file."""

    def __init__(self, header: _Header, nodes: _Table, links: _Table, file: str) -> None:
        self._header, self._links, self._file = header, links, file
        if "I" not in nodes and {"S", "E"} <= links.keys():
            # HTK leaves out lines of nodes that have neither words nor times.
            numbers = np.unique([self._numbers(links, field) for field in ("S", "E")])
            nodes = {"I": numbers, "line": np.zeros(len(numbers), dtype=np.int64)}
        self._nodes = nodes
        for name, field, rows, noun in (("N", "I", nodes, "nodes"), ("L", "J", links, "links")):
            if field not in rows:
                raise FormatError(f"the file has no lines with {field}=", advice="a lattice needs nodes and links")
            if name in header and self._number(name, 0.0) != len(rows["line"]):
                raise FormatError(
                    f"the header says {name}={header[name][0]}, but the number of {noun} is {len(rows['line'])}",
                    advice="the file may be cut short: copy or write it again",
                )
        if "L" in nodes:
            what = "a node stands for a sub-lattice (L=), and its words are not read"
            raise FormatError(what, where=self._place(nodes, int(np.flatnonzero(nodes["L"][0])[0])))
        self._require_numbers()
        self._names, self._source, self._target = self._states()
        self._by_state = {field: column for field, column in nodes.items() if field not in {"I", "line"}}
        if self._names is not nodes["I"]:
            order = np.argsort(nodes["I"], kind="stable")
            self._by_state = {field: _taken(column, order) for field, column in self._by_state.items()}

    def lattice(self, table: Vocabulary | None) -> Lattice:
        start, end = self._ends()
        start, end = self._with_outermost_word(start, end)
        words, vocabulary, marks = self._words(table)
        fields = self._fields()
        is_counted = words != EPSILON
        if marks:
            is_counted |= marks[MARK].arc != EPSILON
        return Lattice.from_arcs(
            self._source,
            self._target,
            words,
            final=[end],
            start=start,
            scores=self._scores(fields, is_counted),
            vocabulary=vocabulary,
            times=self._times(),
            labels=_labels(fields) | marks,
            copy=False,
        )

    def _with_outermost_word(self, start: int, end: int) -> tuple[int, int]:
        """Add a link for the word of the start node; return the new start and the end.

        No link ends in the start node, so no other link has this word. With `dir=b`, add a link for the word of the
        end node instead: no link begins in the end node.
        """
        if "W" not in self._by_state:
            return start, end
        outermost, new = end if self._is_backward else start, len(self._names)
        ids, texts = self._by_state["W"]
        if not ids[outermost] or texts[ids[outermost] - 1] in _NO_WORDS:
            return start, end
        ends = (outermost, new) if self._is_backward else (new, outermost)
        self._source = np.append(self._source, ends[0]).astype(np.int32)
        self._target = np.append(self._target, ends[1]).astype(np.int32)
        self._links = {field: _lengthened(column) for field, column in self._links.items() if field != "line"}
        if "t" in self._by_state:
            self._by_state["t"] = np.append(self._by_state["t"], self._by_state["t"][outermost])
        return (start, new) if self._is_backward else (new, end)

    def _times(self) -> Floats | None:
        """Return the times of the nodes; return `None` if a node has no time."""
        times: Any = self._by_state.get("t")
        return None if times is None or np.isnan(times).any() else times * self._number("tscale", 1.0)

    def _fields(self) -> dict[str, Any]:
        """Return the scores and labels of the links; take missing values from the nodes in `_with_word`."""
        fields = {field: column for field, column in self._links.items() if field not in _PLACES}
        for field, column in self._by_state.items():
            if field in _PLACES:
                continue
            own = fields.get(field)
            if own is not None and isinstance(own, tuple) != isinstance(column, tuple):
                raise FormatError(f"{field} is a number on links, but a text on nodes, or the other way round")
            fields[field] = _filled(own, _taken(column, self._with_word))
        return fields

    @property
    def _is_backward(self) -> bool:
        return "dir" in self._header and self._header["dir"][0].startswith("b")

    @property
    def _with_word(self) -> Words:
        """For each link, the node that has the link's word, unless the link itself has a word."""
        return self._source if self._is_backward else self._target

    def _require_numbers(self) -> None:
        """Raise an error if a field for times or scores holds a text; otherwise, the field would become a label."""
        scaled = {field for field in {*self._links, *self._nodes} if f"{field}scale" in self._header}
        scores = {*_SCALES, *scaled}
        for rows, fields in ((self._nodes, {"t", *scores}), (self._links, scores)):
            for field in fields:
                if isinstance(column := rows.get(field), tuple):
                    ids, texts = column
                    is_text = [bool(number) and not is_number(texts[number - 1]) for number in ids.tolist()]
                    row = is_text.index(True) if True in is_text else 0
                    text = shortened(texts[ids[row] - 1], 40)
                    raise FormatError(f"{field} is '{text}', not a number", where=self._place(rows, row))

    def _place(self, rows: _Table, row: int) -> str:
        return f"{self._file}:{rows['line'][row]}"

    def _number(self, name: str, default: float) -> float:
        if name not in self._header:
            return default
        value, line = self._header[name]
        if not is_number(value):
            raise FormatError(f"{name} is '{shortened(value, 40)}', not a number", where=f"{self._file}:{line}")
        return float(value)

    def _states(self) -> tuple[npt.NDArray[Any], Words, Words]:
        """Return the sorted node numbers; then the source and the target of each link, as indices of these numbers."""
        names = self._numbers(self._nodes, "I")
        if not (names[1:] > names[:-1]).all():
            names, counts = np.unique(names, return_counts=True)
            if (counts > 1).any():
                raise FormatError(f"node {names[counts > 1][0]:.0f} appears twice")
        ends = []
        for field in ("S", "E"):
            numbers = self._numbers(self._links, field)
            has_no_gaps = names[-1] == len(names) - 1
            places = numbers.astype(np.int32) if has_no_gaps else np.searchsorted(names, numbers)
            states = np.minimum(places, len(names) - 1)
            if (is_unknown := names[states] != numbers).any():
                row = int(is_unknown.argmax())
                raise FormatError(f"{field}={numbers[row]:.0f} is not a node", where=self._place(self._links, row))
            ends.append(states.astype(np.int32))
        return names, ends[0], ends[1]

    def _numbers(self, rows: _Table, field: str) -> npt.NDArray[Any]:
        column = rows.get(field)
        if not isinstance(column, np.ndarray):
            raise FormatError(f"{field} must be a number on each line" if column is not None else f"{field} is missing")
        if column.dtype == np.int32:  # whole numbers, which the parser has checked
            return column
        bad = np.flatnonzero(~((column >= 0) & (column == np.floor(column)) & (column < 2**31 - 1)))
        if bad.size:
            what = f"{field} is not a whole number from 0 to {2**31 - 2}"
            raise FormatError(what, where=self._place(rows, int(bad[0])))
        return column

    def _words(self, table: Vocabulary | None) -> tuple[Words, Vocabulary, dict[str, Labels]]:
        """Return the word of each link, the vocabulary, and the label of marks, if there are any."""
        numbers = dict.fromkeys(_NO_WORDS, EPSILON)
        words = np.full(len(self._source), EPSILON, dtype=np.int32)
        for rows, is_node in ((self._by_state, True), (self._links, False)):
            if "W" in rows:
                ids, texts = rows["W"]
                known = [numbers.setdefault(text, len(numbers) - len(_NO_WORDS) + 1) for text in texts]
                new = np.array([EPSILON, *known], dtype=np.int32)
                values = new[ids[self._with_word] if is_node else ids]
                words = np.where(values != EPSILON, values, words).astype(np.int32)
        texts = list(numbers)[len(_NO_WORDS) :]
        if numbers.keys().isdisjoint(_MARKS):
            return *encode_column((words, texts), table), {}
        words, vocabulary, marks = encode_without_marks((words, texts), "", _MARKS, table)
        return words, vocabulary, mark_labels(marks)

    def _ends(self) -> tuple[int, int]:
        ends = []
        for name, other in (("start", self._target), ("end", self._source)):
            if name in self._header:
                candidates = np.flatnonzero(self._names == self._number(name, -1.0))
            else:
                is_free = np.ones(len(self._names), dtype=np.bool_)
                is_free[other] = False
                candidates = np.flatnonzero(is_free)
            if len(candidates) != 1:
                raise FormatError(
                    f"{len(candidates)} nodes could be the {name} of the lattice", advice=f"add {name}= to the header"
                )
            ends.append(int(candidates[0]))
        return ends[0], ends[1]

    def _scores(self, fields: _Table, is_counted: npt.NDArray[np.bool_]) -> dict[str, Column]:
        """Return the score columns; `wdpenalty` counts the links in `is_counted`."""
        base = self._number("base", math.e)
        if base < 0 or base == 1:
            raise FormatError(f"base is {base}", advice="use 0 or a number above 0, but not 1")
        columns = {}
        for field, values in fields.items():
            if isinstance(values, tuple):
                continue
            header, default = _SCALES.get(field, (f"{field}scale", 0.0))
            cost = _costs(np.where(np.isnan(values), 1.0 if base == 0 else 0.0, values), base)
            columns[_COLUMN_NAMES.get(field, field)] = Column(cost, np.zeros(1), self._number(header, default))
        penalty = self._number("wdpenalty", 0.0)
        if penalty:
            weight = float(_costs(np.array([penalty]), base)[0])
            columns[_WORD_COUNT] = Column(is_counted.astype(np.float64), np.zeros(1), weight)
        return columns


def _labels(fields: _Table) -> dict[str, Labels]:
    labels = {}
    for field, column in fields.items():
        if isinstance(column, tuple):
            side = Vocabulary.from_words(column[1])
            labels[field] = Labels(np.ascontiguousarray(column[0]), np.zeros(1, dtype=np.int32), side)
    return labels


def _taken(column: Any, rows: npt.NDArray[np.integer[Any]]) -> Any:
    """Return the values of a column at `rows`."""
    return (column[0][rows], column[1]) if isinstance(column, tuple) else column[rows]


def _lengthened(column: Any) -> Any:
    """Return a column with one additional row; this row has no value."""
    if isinstance(column, tuple):
        return np.append(column[0], EPSILON).astype(np.int32), column[1]
    return np.append(column, np.nan)


def _filled(column: Any | None, other: Any) -> Any:
    """Return a column; take its missing values from the column `other`."""
    if column is None:
        return other
    if not isinstance(column, tuple):
        return np.where(np.isnan(column), other, column)
    numbers = {text: number for number, text in enumerate(column[1], start=1)}
    new = np.array([EPSILON, *(numbers.setdefault(text, len(numbers) + 1) for text in other[1])], dtype=np.int32)
    return np.where(column[0] != EPSILON, column[0], new[other[0]]).astype(np.int32), list(numbers)


def _costs(scores: Floats, base: float) -> Floats:
    if base == 0:
        if (scores <= 0).any():
            raise InputError(
                "a score is ≤ 0, but base=0 in the header means probabilities",
                advice="if the scores are logarithms, change base=",
            )
        return 0.0 - np.log(scores)
    return 0.0 - scores * math.log(base)


# ---- Writing ----


class _Written(NamedTuple):
    """A score column to write: its field, the name of its weight in the header, its weight, and its scores."""

    field: str
    header: str
    weight: float
    scores: Floats


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    """Write one lattice with words on links; add a new last state, unless the last state is the only final state."""
    lattice = lattice_to_write(graph, "htk-slf", {MARK, *_TEXTS} - {"W", "L"}, weights=True)
    note_marks(lattice, "htk-slf", _MARKS.__contains__)
    arcs = closed_arcs(lattice, new_end=lattice.num_states == 1 or not ends_in_last_state(lattice))
    columns, penalty = _written_columns(lattice, arcs)
    header = ["VERSION=1.1", f"UTTERANCE={_quoted(name)}"]
    header += [f"{c.header}={c.weight!r}" for c in columns if c.weight != _SCALES.get(c.field, ("", 0.0))[1]]
    header += [] if penalty is None else [f"wdpenalty={penalty!r}"]
    header += ["start=0", f"end={arcs.states - 1}", f"N={arcs.states} L={len(arcs.word)}", ""]
    require_no_word(lattice.vocabulary, lattice.word, *_NO_WORDS)
    file.write("\n".join(header).encode("utf-8") + _nodes(lattice, arcs.states) + _links(lattice, arcs, columns))


def _nodes(lattice: Lattice, states: int) -> bytes:
    number: Part = np.arange(states, dtype=np.int32)
    if lattice.times is None:
        return _native.write_rows(states, [b"I=", number, b"\n"])
    times = lattice.times if len(lattice.times) == states else np.append(lattice.times, lattice.times.max())
    return _native.write_rows(states, [b"I=", number, b" t=", times, b"\n"])


def _links(lattice: Lattice, arcs: ClosedArcs, columns: list[_Written]) -> bytes:
    number: Part = np.arange(len(arcs.word), dtype=np.int32)
    parts = [b"J=", number, b" S=", arcs.source, b" E=", arcs.target, b" W=", _words_part(lattice.vocabulary, arcs)]
    for label, (numbers, texts) in arcs.labels.items():
        if label != MARK:
            parts.append((*words_part(texts, numbers, "", _all_quoted), f" {label}=".encode()))
    for column in columns:
        parts += [f" {column.field}=".encode(), column.scores]
    return _native.write_rows(len(arcs.word), [*parts, b"\n"])


def _words_part(vocabulary: Vocabulary, arcs: ClosedArcs) -> Part:
    """Return the words and marks of links as a part of lines."""
    if MARK not in arcs.labels:
        return words_part(vocabulary, arcs.word, _NO_WORDS[0], _all_quoted)
    numbers, marks = arcs.labels[MARK]
    words, place = numbered_words(arcs.word)
    used, mark = numbered_words(numbers)
    texts = [_NO_WORDS[0], *vocabulary.words(words), *marks.words(used)]
    is_mark = (place == EPSILON) & (mark != EPSILON)
    return np.where(is_mark, mark + len(words), place).astype(np.int32), utf8_texts(_all_quoted(texts))


def _written_columns(lattice: Lattice, arcs: ClosedArcs) -> tuple[list[_Written], float | None]:
    """Return the score columns, and the `wdpenalty`; `None` if no column counts words."""
    columns, penalty = [], None
    is_word, is_mark = lattice.word != EPSILON, np.zeros(len(lattice.word), dtype=np.bool_)
    if MARK in lattice.labels:
        is_mark = lattice.labels[MARK].arc != EPSILON
    for name, column in lattice.scores.items():
        counts = (is_word | is_mark).astype(np.float64)
        if name == _WORD_COUNT and np.array_equal(column.arc, counts) and not column.final.any():
            penalty = 0.0 - column.weight
            continue
        field = _FIELD_NAMES.get(name, name)
        taken = field in {*_PLACES, *_TEXTS, *_LONG_NAMES} or (field in _COLUMN_NAMES and field == name)
        if not _FIELD_NAME.fullmatch(field) or taken:
            raise UsageError(
                f"an htk-slf field cannot have the name '{shortened(name)}'",
                advice="add the scores up with Corpus.converted(sum_scores=True)",
            )
        header = _SCALES.get(field, (f"{field}scale", 0.0))[0]
        columns.append(_Written(field, header, column.weight, 0.0 - arcs.costs[name]))
    return columns, penalty


def _unquoted(text: bytes) -> bytes:
    """Return a value without its quotes and escapes; an escape of three digits is a byte in octal."""
    inside = text[1:-1] if text[:1] in (b'"', b"'") else text
    return _ESCAPE.sub(lambda escape: bytes([int(escape[1], 8)]) if escape[1] else escape[2], inside)


def _with_octal_bytes(data: bytes) -> bytes:
    """Write the octal numbers of SRILM's option -htk-quotes with three digits, as HTK does."""

    def rewritten(escape: re.Match[bytes]) -> bytes:
        digits = escape[1] or escape[2]
        return escape[0] if digits is None else b"\\%03o" % (int(digits, 8) & 0xFF)

    return _SRILM_ESCAPE.sub(rewritten, data) if b"\\0" in data else data


def _all_quoted(texts: list[str]) -> list[str]:
    """Return values as `_quoted` does; an empty one stays empty."""
    if not _QUOTED.search("\0" + "\0".join(texts)):
        return texts
    return [text and _quoted(text) for text in texts]


def _quoted(text: str) -> str:
    """Return a value without quotes and escapes, if possible: SRILM reads them as parts of a word by default."""
    if text and text[0] not in "\"'" and not re.search(r"[\s\\]", text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", r"\012").replace("\r", r"\015") + '"'


register(Format("htk-slf", (".slf",), lambda head: bool(_FIRST_FIELD.match(head)), _read, _write, single=True))
