"""Read and write forests with one edge per line: hypergraphs of Moses and Joshua, target graphs of cdec.

A file holds one forest. An edge is `[3] the [7] ||| LM0=-2.5 TM=-1`. `[k]` means the words of node k. Features are log
probabilities (or other values that the model multiplies with its weights): costs are the negated values. The file has
no weights, so each feature has scale 1.

Moses: `# target ||| features ||| source-covered`, the numbers of nodes and edges, then for each node the number of its
edges and one line per edge, `[0] the ||| LM0=-2.03 ||| 1`; lines with # before a number are comments. Tails come
first, the last node is the goal. cdec writes the same without the first line and without the third field.

Joshua: `# target ||| features`, the numbers of nodes and edges, then the nodes. Above the edges of a node is the
node's number (in Moses: the number of its edges). Numbers rise from 1. Joshua does not write its goal; the tails of the
goal are the nodes that no edge uses.
"""

from __future__ import annotations

import io
import re
import sys
from array import array
from collections.abc import Iterator
from itertools import groupby
from typing import IO

import numpy as np

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import (
    Features,
    features_of,
    forest_to_write,
    goals_have_values,
    plain_field,
    spelling_of,
    texts_of,
    with_one_goal,
)
from latticemetric.formats.registry import Format, only_graph, register
from latticemetric.formats.streams.stream import decoded_line
from latticemetric.formats.text.fields import labels_of_arcs
from latticemetric.graph import Graph
from latticemetric.vocabulary import Vocabulary, split_words

_MOSES = "moses-hypergraph"
_CDEC = "cdec-target-graph"
_JOSHUA = "joshua-hypergraph"

_MOSES_HEADER = "# target ||| features ||| source-covered"
_JOSHUA_HEADER = "# target ||| features"
_FIELDS = ("target", "features")
_COVERED = "covered"
_NO_WORDS = "|||"
_CDEC_HEAD = re.compile(rb"[0-9]+ [0-9]+[ \t]*\r?\n(?:#[^\n]*\n|0\r?\n)*[0-9]+[ \t]*\r?\n[^\n]*\|\|\|")
_PLAIN_COUNT = re.compile(r"0|[1-9][0-9]{0,8}")
_SEPARATOR = "|||"
_TAIL = re.compile(r"\[([0-9]+)\]")
_COUNT = re.compile(r"[0-9]{1,9}")
_MOST_DIGITS = 9


class _Lines:
    """Read the lines of a text one by one, and count them."""

    def __init__(self, data: bytes, file: str) -> None:
        self._lines, self._file = io.BytesIO(data), file
        self.number = 0

    def next(self) -> str | None:
        """Return the next line without its end; `None` at the end."""
        data = self._lines.readline()
        if not data:
            return None
        self.number += 1
        return decoded_line(data, self.place()).rstrip("\r\n")

    def required(self, what: str) -> str:
        """Return the next line; raise an error at the end."""
        line = self.next()
        if line is None:
            raise FormatError(f"expected {what}, found the end of the file", where=self.place())
        return line

    def without_comments(self, what: str) -> str:
        """Return the next line that is not a comment; raise an error at the end."""
        while (line := self.required(what)).startswith("#"):
            pass
        return line

    def header(self, expected: str) -> None:
        """Read the first line; it must be the `expected` header."""
        if self.required("the header").rstrip() != expected:
            raise FormatError(
                "this is not the header of a hypergraph",
                where=self.place(),
                advice=f"the first line must be {expected}",
            )

    def counts(self, text: str, number: int, what: str) -> list[int]:
        """Read `number` whole numbers from a line."""
        fields = split_words(text)
        if len(fields) != number or not all(map(_COUNT.fullmatch, fields)):
            raise FormatError(f"expected {what}, found '{shortened(text, 40)}'", where=self.place())
        return list(map(int, fields))

    def place(self) -> str:
        """Return file and line."""
        return f"{self._file}:{self.number}"


class _EdgeLines:
    """Collect edges from lines with these `fields`. With `semicolons`, features may be separated by semicolons, too.

    Nodes keep the numbers of the file.
    """

    def __init__(self, file: str, fields: tuple[str, ...], *, semicolons: bool = False) -> None:
        self._file, self._fields, self._semicolons = file, fields, semicolons
        self._symbols: dict[str, int] = {}
        self._words: list[str] = []
        self._head, self._line, self._length, self._values = array("q"), array("q"), array("q"), array("q")
        self._features = Features()
        self._covered: list[str] = []

    def __len__(self) -> int:
        return len(self._head)

    def add(self, head: int, text: str, line: int) -> None:
        """Add the edge of a line."""
        fields = text.split(_SEPARATOR)
        if len(fields) != len(self._fields):
            raise FormatError(
                f"the edge has {len(fields)} fields between |||, not {len(self._fields)}",
                where=f"{self._file}:{line}",
                advice=f"an edge is {' ||| '.join(self._fields)}",
            )
        row = [self._symbols.get(symbol) or self._new(symbol, line) for symbol in split_words(fields[0])]
        features = fields[1].replace(";", " ") if self._semicolons else fields[1]
        self._features.add_fields(len(self._head), split_words(features), self._file, line)
        if len(fields) > 2:  # noqa: PLR2004
            covered = fields[2].strip()
            if not _COUNT.fullmatch(covered):
                what = f"'{shortened(covered, 40)}' is not a number of covered words"
                raise FormatError(what, where=f"{self._file}:{line}")
            self._covered.append(sys.intern(str(int(covered))) if int(covered) else "")
        self._head.append(head)
        self._line.append(line)
        self._length.append(len(row))
        self._values.extend(row)

    def _new(self, symbol: str, line: int) -> int:
        """Return the number of a new word, or −1 − k for node k."""
        match = _TAIL.fullmatch(symbol)
        if match is None:
            self._words.append(symbol)
            self._symbols[symbol] = len(self._words)
        else:
            if len(match[1]) > _MOST_DIGITS:
                raise FormatError(f"{shortened(symbol, 40)} is not a node", where=f"{self._file}:{line}")
            self._symbols[symbol] = -1 - int(match[1])
        return self._symbols[symbol]

    def forest(self, goals: list[int] | None, size: int) -> Forest:
        """Build the forest; if `goals` is `None`, the goals are the nodes that no edge uses."""
        edges = len(self._head)
        head, lengths, values = (np.array(part, dtype=np.int64) for part in (self._head, self._length, self._values))
        row = np.repeat(np.arange(edges), lengths)
        at = np.flatnonzero(values < 0)
        owner, tails = row[at], -1 - values[at]
        is_node = tails < head[owner]
        if goals is None:  # if goals are given (Moses, cdec), a node may have no edges: it is a dead end
            is_node &= np.isin(tails, head)
        if len(wrong := np.flatnonzero(~is_node)):
            raise FormatError(
                f"[{tails[wrong[0]]}] is not a node above this line",
                where=f"{self._file}:{self._line[int(owner[wrong[0]])]}",
                advice="write each node before the nodes that use it",
            )
        begin = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=edges))])
        values[at] = begin[owner] - np.arange(len(at)) - 1
        ends = np.setdiff1d(head, tails).tolist() if goals is None else goals
        columns = self._features.columns(edges, size, lambda edge: f"{self._file}:{self._line[edge]}", len(ends))
        return Forest.from_edges(
            head,
            Ragged(begin.astype(np.int64), tails.astype(np.int32)),
            Ragged(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), values.astype(np.int32)),
            goals=ends,
            scores=columns,
            vocabulary=Vocabulary.from_words(self._words),
            labels={_COVERED: labels_of_arcs(self._covered)} if any(self._covered) else None,
        )


def _edge_lines(forest: Forest, first: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the head and `target ||| features` of each edge; number nodes from `first`."""
    names = {name: _feature_name(name) for name in forest.scores}
    spelling = spelling_of(forest, _word)
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), features_of(forest), strict=True)
    for head, tails, target, features in rows:
        symbols = [spelling[t] if t > 0 else f"[{tails[-t - 1] + first}]" for t in target]
        values = [f"{names[name]}={value!r}" for name, value in features]
        yield head, f"{' '.join(symbols)} {_SEPARATOR} {' '.join(values)}"


def _word(text: str) -> str:
    if text.startswith("[") and text.endswith("]"):
        raise InputError(
            f"the word '{shortened(text, 40)}' would be read back as a node", advice="write another format"
        )
    return plain_field(text, "the word")


def _feature_name(name: str) -> str:
    try:
        return plain_field(name, "the feature")
    except InputError as error:
        raise UsageError(error.what, advice="add the scores up with --sum-scores") from None


# ---- Moses and cdec ----


def _first_line(head: bytes) -> bytes:
    return head.partition(b"\n")[0].rstrip()


def _parse(data: bytes, file: str, format_name: str) -> Forest:
    is_moses = format_name == _MOSES
    lines = _Lines(data, file)
    if is_moses:
        lines.header(_MOSES_HEADER)
    what = "the numbers of nodes and edges"
    nodes, edges = lines.counts(lines.without_comments(what), 2, what)
    if nodes == 0:
        raise FormatError("the forest is empty: it has no node", where=lines.place())
    # Some versions of cdec write semicolons between features, others spaces.
    body = _EdgeLines(file, (*_FIELDS, _COVERED)) if is_moses else _EdgeLines(file, _FIELDS, semicolons=True)
    for node in range(nodes):
        what = f"the number of edges of node {node}"
        (count,) = lines.counts(lines.without_comments(what), 1, what)
        for _ in range(count):
            body.add(node, lines.required(f"an edge of node {node}"), lines.number)
        if count == 0 and not is_moses:
            # cdec treats it as an axiom, without words and costs.
            body.add(node, _NO_WORDS, lines.number)
            edges += 1
    while (rest := lines.next()) is not None:
        if rest.strip():
            raise FormatError(f"there are more lines after the {nodes} nodes of the header", where=lines.place())
    if len(body) != edges:
        raise FormatError(f"the header gives {edges} edges, but the file has {len(body)}", where=file)
    return body.forest([nodes - 1], len(data))


def _write_moses(file: IO[bytes], _name: str, graph: Graph) -> None:
    forest = with_one_goal(forest_to_write(graph, _MOSES, {_COVERED}))
    covered = [text or "0" for text in texts_of(forest.labels.get(_COVERED), len(forest.head))]
    if wrong := [text for text in covered if not _PLAIN_COUNT.fullmatch(text)]:
        raise UsageError(
            f"'{shortened(wrong[0], 40)}' is not a number of covered words",
            advice="leave labels out with --drop-labels",
        )
    file.write(f"{_MOSES_HEADER}\n".encode())
    _write_body(file, forest, _MOSES, [f" {_SEPARATOR} {number}" for number in covered])


def _write_cdec(file: IO[bytes], _name: str, graph: Graph) -> None:
    forest = with_one_goal(forest_to_write(graph, _CDEC))
    if split := [name for name in forest.scores if ";" in name]:
        raise UsageError(
            f"cdec would split the feature '{shortened(split[0], 40)}' at ;",
            advice="add the scores up with --sum-scores",
        )
    _write_body(file, forest, _CDEC, [""] * len(forest.head))


def _write_body(file: IO[bytes], forest: Forest, format_name: str, ends: list[str]) -> None:
    require_unscaled(forest, format_name)
    file.write(f"{forest.num_nodes} {len(forest.head)}\n".encode())
    edges = zip(_edge_lines(forest), ends, strict=True)
    for _, group in groupby(edges, key=lambda edge: edge[0][0]):
        lines = [line + end for (_, line), end in group]
        file.write("".join(f"{line}\n" for line in (len(lines), *lines)).encode("utf-8"))


# ---- Joshua ----


def _parse_joshua(data: bytes, file: str) -> Forest:
    lines = _Lines(data, file)
    lines.header(_JOSHUA_HEADER)
    what = "the numbers of nodes and edges"
    expected = lines.counts(lines.required(what), 2, what)
    body = _EdgeLines(file, _FIELDS)
    nodes, node, last = 0, 0, "edge"
    while (line := lines.next()) is not None:
        if _SEPARATOR in line and node:
            body.add(node, line, lines.number)
            last = "edge"
        elif line.strip():
            node, last = _next_node(lines, line, node, last), "node"
            nodes += 1
    if last == "node":
        raise FormatError(f"node {node} has no edges", where=lines.place())
    for what, wanted, there in zip(("nodes", "edges"), expected, (nodes, len(body)), strict=True):
        if wanted != there:
            raise FormatError(f"the header gives {wanted} {what}, but the file has {there}", where=file)
    return body.forest(None, len(data))


def _next_node(lines: _Lines, line: str, node: int, last: str) -> int:
    (number,) = lines.counts(line, 1, "the number of a node")
    if last == "node":
        raise FormatError(f"node {node} has no edges", where=lines.place())
    if number <= node:
        raise FormatError(
            f"node {number} comes after node {node}",
            where=lines.place(),
            advice="node numbers rise from 1; if these are numbers of edges, use --from cdec-target-graph",
        )
    return number


def _write_joshua(file: IO[bytes], _name: str, graph: Graph) -> None:
    forest = forest_to_write(graph, _JOSHUA)
    require_unscaled(forest, _JOSHUA)
    if goals_have_values(forest) or np.isin(forest.goals, forest.tails.values).any():
        forest = with_one_goal(forest)
    file.write(f"{_JOSHUA_HEADER}\n{forest.num_nodes} {len(forest.head)}\n".encode())
    node = -1
    for head, line in _edge_lines(forest, first=1):
        start = f"{head + 1}\n" if head != node else ""
        node = head
        file.write(f"{start}{line}\n".encode())


register(
    Format(
        _JOSHUA,
        (".joshua.hg",),
        lambda head: _first_line(head) == _JOSHUA_HEADER.encode(),
        lambda stream, _: only_graph(stream, _parse_joshua),
        _write_joshua,
        single=True,
    )
)
register(
    Format(
        _MOSES,
        (".hg",),
        lambda head: _first_line(head) == _MOSES_HEADER.encode(),
        lambda stream, _: only_graph(stream, _parse, _MOSES),
        _write_moses,
        single=True,
    )
)
register(
    Format(
        _CDEC,
        (".target_graph",),
        lambda head: bool(_CDEC_HEAD.match(head)),
        lambda stream, _: only_graph(stream, _parse, _CDEC),
        _write_cdec,
        single=True,
    )
)
