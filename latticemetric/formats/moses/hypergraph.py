"""Hypergraphs of Moses, and target graphs of cdec: a node after the other, tails first; one forest a file.

Moses: `# target ||| features ||| source-covered`, the numbers of nodes and edges, then of each node the number of its
edges and a line an edge, `[0] the ||| LM0=-2.03 ||| 1`; lines with # before a number are comments. cdec writes the same
without the first line and without the third field. The last node is the goal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import IO

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.forest.forest import Forest
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import forest_to_write, texts_of, with_one_goal
from latticemetric.formats.forests.lines import SEPARATOR, EdgeLines, Lines, edge_lines
from latticemetric.formats.registry import Entry, Format, graph_name, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.vocabulary import Vocabulary

MOSES = "moses-hypergraph"
CDEC = "cdec-target-graph"
COVERED = "covered"
_HEADER = "# target ||| features ||| source-covered"
_FIELDS = ("target", "features")
_NO_WORDS = "|||"
_CDEC_HEAD = re.compile(rb"[0-9]+ [0-9]+[ \t]*\r?\n(?:#[^\n]*\n|0\r?\n)*[0-9]+[ \t]*\r?\n[^\n]*\|\|\|")
_COUNT = re.compile(r"0|[1-9][0-9]{0,8}")


def _sniff_moses(head: bytes) -> bool:
    return head.partition(b"\n")[0].rstrip() == _HEADER.encode()


def _sniff_cdec(head: bytes) -> bool:
    return _CDEC_HEAD.match(head) is not None


def _read(stream: Stream, _vocabulary: Vocabulary | None, *, headed: bool) -> Iterator[Entry]:
    build = partial(_parse, stream.read(), stream.name, headed=headed)
    yield Entry(graph_name(stream.stem), stream.name, build, naming="file")


def _parse(data: bytes, file: str, *, headed: bool) -> Forest:
    lines = Lines(data, file)
    if headed and lines.required("the header").rstrip() != _HEADER:
        raise FormatError("this is not the header of a hypergraph", where=lines.place(), advice=f"write {_HEADER}")
    what = "the numbers of nodes and edges"
    nodes, edges = lines.counts(lines.without_comments(what), 2, what)
    if nodes == 0:
        raise FormatError("the forest is empty: it has no node", where=lines.place())
    # cdec writes semicolons between features, or spaces, as its version is.
    body = EdgeLines(file, (*_FIELDS, COVERED)) if headed else EdgeLines(file, _FIELDS, semicolons=True)
    for node in range(nodes):
        what = f"the number of edges of node {node}"
        (count,) = lines.counts(lines.without_comments(what), 1, what)
        for _ in range(count):
            body.add(node, lines.required(f"an edge of node {node}"), lines.number)
        if count == 0 and not headed:
            # An axiom to cdec, which says nothing and costs nothing.
            body.add(node, _NO_WORDS, lines.number)
            edges += 1
    while (rest := lines.next()) is not None:
        if rest.strip():
            raise FormatError(f"the file goes on after its {nodes} nodes", where=lines.place())
    if len(body) != edges:
        raise FormatError(f"the file says that there are {edges} edges, and there are {len(body)}", where=file)
    return body.forest([nodes - 1], len(data))


def _write_moses(file: IO[bytes], _name: str, graph: Graph) -> None:
    forest = with_one_goal(forest_to_write(graph, MOSES, {COVERED}))
    covered = [_covered(text) for text in texts_of(forest.labels.get(COVERED), len(forest.head))]
    file.write(f"{_HEADER}\n".encode())
    _write_body(file, forest, MOSES, [f" {SEPARATOR} {number}" for number in covered])


def _covered(text: str) -> str:
    if text and not _COUNT.fullmatch(text):
        raise UsageError(
            f"'{shortened(text, 40)}' is no number of covered words", advice="leave labels out with --drop-labels"
        )
    return text or "0"


def _write_cdec(file: IO[bytes], _name: str, graph: Graph) -> None:
    forest = with_one_goal(forest_to_write(graph, CDEC))
    parted = [name for name in forest.scores if ";" in name]
    if parted:
        raise UsageError(
            f"cdec parts features at ; as in '{shortened(parted[0], 40)}'", advice="add the scores up with --sum-scores"
        )
    _write_body(file, forest, CDEC, [""] * len(forest.head))


def _write_body(file: IO[bytes], forest: Forest, format_name: str, ends: list[str]) -> None:
    require_unscaled(forest, format_name)
    file.write(f"{forest.num_nodes} {len(forest.head)}\n".encode())
    edges = zip(edge_lines(forest), ends, strict=True)
    for _, group in groupby(edges, key=lambda edge: edge[0][0]):
        lines = [line + end for (_, line), end in group]
        file.write("".join(f"{line}\n" for line in (len(lines), *lines)).encode("utf-8"))


register(Format(MOSES, (".hg",), _sniff_moses, partial(_read, headed=True), _write_moses, single=True))
register(Format(CDEC, (".target_graph",), _sniff_cdec, partial(_read, headed=False), _write_cdec, single=True))
