"""Hypergraphs of Joshua: `# target ||| features`, the numbers of nodes and edges, then the nodes; one forest a file.

A node is its number, where Moses has the number of its edges, and a line an edge, `the [2] ||| lm_0=-4.251 tm_pt_0=0`.
Numbers rise from 1. Joshua's goal is not written: the nodes that no edge uses are what stands below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import IO

import numpy as np

from latticemetric.errors import FormatError
from latticemetric.forest.forest import Forest
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import forest_to_write, goals_say_something, with_one_goal
from latticemetric.formats.forests.lines import SEPARATOR, EdgeLines, Lines, edge_lines
from latticemetric.formats.registry import Entry, Format, graph_name, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.vocabulary import Vocabulary

NAME = "joshua-hypergraph"
_HEADER = "# target ||| features"


def _sniff(head: bytes) -> bool:
    return head.partition(b"\n")[0].rstrip() == _HEADER.encode()


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    build = partial(_parse, stream.read(), stream.name)
    yield Entry(graph_name(stream.stem), stream.name, build, naming="file")


def _parse(data: bytes, file: str) -> Forest:
    lines = Lines(data, file)
    if lines.required("the header").rstrip() != _HEADER:
        raise FormatError("this is not the header of a hypergraph", where=lines.place(), advice=f"write {_HEADER}")
    what = "the numbers of nodes and edges"
    expected = lines.counts(lines.required(what), 2, what)
    body = EdgeLines(file, ("target", "features"))
    found, node, last = [0, 0], 0, "edge"
    while (line := lines.next()) is not None:
        if SEPARATOR in line and node:
            body.add(node, line, lines.number)
            last = "edge"
        elif line.strip():
            node, last = _next_node(lines, line, node, last), "node"
            found[0] += 1
    if last == "node":
        raise FormatError(f"node {node} has no edges", where=lines.place())
    found[1] = len(body)
    for what, wanted, there in zip(("nodes", "edges"), expected, found, strict=True):
        if wanted != there:
            raise FormatError(f"the file says that there are {wanted} {what}, and there are {there}", where=file)
    return body.forest(None, len(data))


def _next_node(lines: Lines, line: str, node: int, last: str) -> int:
    (number,) = lines.counts(line, 1, "the number of a node")
    if last == "node":
        raise FormatError(f"node {node} has no edges", where=lines.place())
    if number <= node:
        raise FormatError(
            f"node {number} stands after node {node}",
            where=lines.place(),
            advice="numbers rise from 1; if these are numbers of edges, read it with --from cdec-target-graph",
        )
    return number


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    forest = forest_to_write(graph, NAME)
    require_unscaled(forest, NAME)
    if goals_say_something(forest) or np.isin(forest.goals, forest.tails.values).any():
        forest = with_one_goal(forest)
    file.write(f"{_HEADER}\n{forest.num_nodes} {len(forest.head)}\n".encode())
    node = -1
    for head, line in edge_lines(forest, first=1):
        start = f"{head + 1}\n" if head != node else ""
        node = head
        file.write(f"{start}{line}\n".encode())


register(Format(NAME, (".joshua.hg",), _sniff, _read, _write, single=True))
