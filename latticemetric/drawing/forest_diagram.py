"""Forests as diagrams: from each node to the rules that derive it, and from each rule to its tails, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy.typing as npt

from latticemetric.drawing.details import details
from latticemetric.drawing.diagram import BOX, FOREST, GOAL, ROUND, Diagram, Link, Vertex, Ways
from latticemetric.drawing.highlights import checked_ways, passing, passing_ends
from latticemetric.drawing.selection import MOST_STATES, Bounds, select_edges
from latticemetric.errors import shortened
from latticemetric.forest import CATEGORY, Forest
from latticemetric.lattice import Scales

_LONGEST_RULE = 48
_TAILS_NOTE = "A box is a rule: its words, and [k] where those of its k-th tail stand."


def forest_diagram(
    forest: Forest,
    ways: Ways | None = None,
    *,
    title: str = "forest",
    posteriors: npt.ArrayLike | None = None,
    scores: Sequence[str] = (),
    most_states: int | None = MOST_STATES,
    beam: float | None = None,
    scales: Scales | None = None,
) -> Diagram:
    """A forest, or the best part of a large one, with some derivations of it; see `drawings.draw`."""
    highlighted = checked_ways(ways, len(forest.head), "edge")
    kept = [edge for edges in highlighted.values() for edge in edges]
    edges, omissions = select_edges(forest, kept, Bounds(most_states, beam), scales)
    numbers, heads = edges.tolist(), forest.head[edges].tolist()
    tails = [forest.tails.row(edge) for edge in numbers]
    on_edge = passing(highlighted)
    nodes = _nodes(forest, sorted({*heads, *(tail for row in tails for tail in row)}, reverse=True), highlighted)
    place = {node: number for number, node in enumerate(nodes)}
    written = details(len(forest.head), posteriors, forest.scores, scores)
    rules = [Vertex(rule(forest, edge), BOX, written(edge), on_edge.get(edge, ())) for edge in numbers]
    return Diagram(
        FOREST,
        title,
        (*nodes.values(), *rules),
        tuple(
            link
            for box, (edge, head, row) in enumerate(zip(numbers, heads, tails, strict=True), start=len(nodes))
            for link in _links(box, place[head], [place[tail] for tail in row], on_edge.get(edge, ()))
        ),
        tuple(highlighted),
        omissions=omissions,
        notes=(_TAILS_NOTE,) if any(tails) else (),
    )


def _links(box: int, head: int, tails: Sequence[int], ways: tuple[int, ...]) -> Iterator[Link]:
    """From a node to a rule, and from the rule to its tails, numbered where there are several."""
    yield Link(head, box, ways=ways)
    for number, tail in enumerate(tails, start=1):
        yield Link(box, tail, str(number) if len(tails) > 1 else "", ways=ways)


def _nodes(forest: Forest, nodes: Sequence[int], ways: dict[str, tuple[int, ...]]) -> dict[int, Vertex]:
    """Each node by its category, where it has one, else by its number."""
    side = forest.node_labels.get(CATEGORY)
    goals = set(forest.goals.tolist())
    taken = {edge for edges in ways.values() for edge in edges}
    ends = [[int(head), *forest.tails.row(e)] if e in taken else [] for e, head in enumerate(forest.head.tolist())]
    on_node = passing_ends(ways, ends)

    def named(node: int) -> str:
        category = "" if side is None else side.vocabulary.word(int(side.node[node]))
        return f"{category} {node}" if category else str(node)

    return {n: Vertex(named(n), GOAL if n in goals else ROUND, ways=on_node.get(n, ())) for n in nodes}


def rule(forest: Forest, edge: int) -> str:
    """What an edge says: its words, and [k] where those of its k-th tail stand."""
    said = (f"[{-symbol}]" if symbol < 0 else forest.vocabulary.word(symbol) for symbol in forest.target.row(edge))
    return shortened(" ".join(said), _LONGEST_RULE) or "ε"
