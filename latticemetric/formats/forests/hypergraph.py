"""Read and write forests with one edge per line: hypergraphs of Moses and Joshua, target graphs of cdec.

A file holds one forest. An edge is `[3] the [7] ||| LM0=-2.5 TM=-1`; `[k]` means the words of node k. Features are log
probabilities (or other values that the model multiplies by its weights); costs are the negated values. The file has no
weights, so each feature has weight 1.

Moses: `# target ||| features ||| source-covered`, the numbers of nodes and edges, then for each node the number of its
edges and one line per edge, `[0] the ||| LM0=-2.03 ||| 1`. A line that begins with # in place of a number is a comment.
The tails of an edge come before its head, and the last node is the goal. cdec writes the same format, but without the
first line and the third field.

Joshua: `# target ||| features`, the numbers of nodes and edges, then the nodes. The line before the edges of a node has
the number of the node, not the number of its edges as in Moses. Node numbers begin at 1 and increase. Joshua does not
write its goal node, only the tails of the goal. These are the nodes that no edge has as a tail; they become goals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest.forest import Forest
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import (
    features_of,
    forest_of,
    forest_to_write,
    goals_have_values,
    plain_field,
    spelling_of,
    texts_of,
    with_one_goal,
)
from latticemetric.formats.registry import ANY_NAME, Format, only_graph, register
from latticemetric.formats.text.fields import parsed_natively
from latticemetric.graph import Graph

_MOSES = "moses-hypergraph"
_CDEC = "cdec-target-graph"
_JOSHUA = "joshua-hypergraph"

_MOSES_HEADER = "# target ||| features ||| source-covered"
_JOSHUA_HEADER = "# target ||| features"
_COVERED = "covered"
_CDEC_HEAD = re.compile(rb"[0-9]+ [0-9]+[ \t]*\r?\n(?:#[^\n]*\n|0\r?\n)*[0-9]+[ \t]*\r?\n[^\n]*\|\|\|")
_PLAIN_COUNT = re.compile(r"0|[1-9][0-9]{0,8}")
_SEPARATOR = "|||"

_Write = Callable[[IO[bytes], str, Graph], None]


def _edge_lines(forest: Forest, first: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the head and `target ||| features` of each edge; node numbers start at `first`."""
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
        raise UsageError(error.what, advice="add the scores up with Corpus.converted(sum_scores=True)") from None


# ---- Moses and cdec ----


def _begins_with(line: str, head: bytes) -> bool:
    return head.partition(b"\n")[0].rstrip() == line.encode()


def _parse(data: bytes, file: str, parser: str) -> Forest:
    # Take the name of the parser: a native function cannot be sent to another process.
    return forest_of(parsed_natively(getattr(_native, parser), data, file))


def _write_moses(file: IO[bytes], _name: str, graph: Graph) -> None:
    forest = with_one_goal(forest_to_write(graph, _MOSES, {_COVERED}))
    covered = [text or "0" for text in texts_of(forest.labels.get(_COVERED), len(forest.head))]
    if wrong := [text for text in covered if not _PLAIN_COUNT.fullmatch(text)]:
        raise UsageError(
            f"'{shortened(wrong[0], 40)}' is not a number of covered words",
            advice="leave labels out with Corpus.converted(drop_labels=True)",
        )
    file.write(f"{_MOSES_HEADER}\n".encode())
    _write_body(file, forest, _MOSES, [f" {_SEPARATOR} {number}" for number in covered])


def _write_cdec(file: IO[bytes], _name: str, graph: Graph) -> None:
    forest = with_one_goal(forest_to_write(graph, _CDEC))
    if split := [name for name in forest.scores if ";" in name]:
        raise UsageError(
            f"cdec would split the feature '{shortened(split[0], 40)}' at ;",
            advice="add the scores up with Corpus.converted(sum_scores=True)",
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


def _register(name: str, suffix: str, parser: str, sniff: Callable[[bytes], bool], write: _Write) -> None:
    register(
        Format(
            name,
            (suffix,),
            sniff,
            lambda stream, _: only_graph(stream, _parse, parser),
            write,
            single=True,
            sparse=ANY_NAME,
        )
    )


_register(_JOSHUA, ".joshua.hg", "parse_joshua_hypergraph", partial(_begins_with, _JOSHUA_HEADER), _write_joshua)
_register(_MOSES, ".hg", "parse_moses_hypergraph", partial(_begins_with, _MOSES_HEADER), _write_moses)
_register(_CDEC, ".target_graph", "parse_target_graph", lambda head: bool(_CDEC_HEAD.match(head)), _write_cdec)
