"""Build diagrams of lattices, forests, confusion networks and derivation trees."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.drawing.diagram import (
    BOX,
    CIRCLE,
    END,
    FOREST,
    GOAL,
    LATTICE,
    NETWORK,
    ROUND,
    TREE,
    WORD,
    Diagram,
    HighlightedPaths,
    Link,
    Vertex,
    checked_paths,
    detail_writer,
    paths_through,
    paths_through_ends,
    probability,
)
from latticemetric.drawing.selection import MOST_STATES, Bounds, select_arcs, select_edges
from latticemetric.errors import shortened
from latticemetric.forest.forest import CATEGORY, Forest
from latticemetric.forest.trees import DerivationTree
from latticemetric.lattice.lattice import Lattice, Scales

# ---- Lattices: states become circles, arcs become links with words ----

EPSILON_LABEL = "ε"


def lattice_diagram(
    lattice: Lattice,
    paths: HighlightedPaths | None = None,
    *,
    title: str = "lattice",
    posteriors: npt.ArrayLike | None = None,
    scores: Sequence[str] = (),
    times: bool = True,
    most_states: int | None = MOST_STATES,
    beam: float | None = None,
    scales: Scales | None = None,
) -> Diagram:
    """Return the diagram of a lattice, or of the best part of a large one, with highlighted paths; see `draw`."""
    highlighted = checked_paths(paths, len(lattice.word), "arc")
    kept = [arc for arcs in highlighted.values() for arc in arcs]
    arcs, omissions = select_arcs(lattice, kept, Bounds(most_states, beam), scales)
    states = np.unique(np.concatenate([[0], lattice.source[arcs], lattice.target[arcs]])).astype(int).tolist()
    place = {state: number for number, state in enumerate(states)}
    on_arc = paths_through(highlighted)
    on_state = paths_through_ends(highlighted, list(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)))
    written = detail_writer(len(lattice.word), posteriors, lattice.scores, scores)
    links = tuple(
        Link(
            place[int(lattice.source[arc])],
            place[int(lattice.target[arc])],
            lattice.vocabulary.word(int(lattice.word[arc])) or EPSILON_LABEL,
            written(arc),
            on_arc.get(arc, ()),
        )
        for arc in arcs.tolist()
    )
    finals = set(lattice.final.tolist())
    seconds = lattice.times if times else None
    vertices = tuple(
        Vertex(
            str(state),
            END if state in finals else CIRCLE,
            "" if seconds is None else f"{seconds[state]:.2f} s",
            on_state.get(state, ()),
        )
        for state in states
    )
    return Diagram(LATTICE, title, vertices, links, tuple(highlighted), omissions=omissions)


# ---- Forests: links from each node to the rules that derive it, and from each rule to its tails, in their order ----

_LONGEST_RULE = 48
_TAILS_NOTE = "A box is a rule: its words, and [k] where those of its k-th tail stand."


def forest_diagram(
    forest: Forest,
    paths: HighlightedPaths | None = None,
    *,
    title: str = "forest",
    posteriors: npt.ArrayLike | None = None,
    scores: Sequence[str] = (),
    most_states: int | None = MOST_STATES,
    beam: float | None = None,
    scales: Scales | None = None,
) -> Diagram:
    """Return the diagram of a forest, or of the best part of a large one, with highlighted derivations; see `draw`."""
    highlighted = checked_paths(paths, len(forest.head), "edge")
    kept = [edge for edges in highlighted.values() for edge in edges]
    edges, omissions = select_edges(forest, kept, Bounds(most_states, beam), scales)
    numbers, heads = edges.tolist(), forest.head[edges].tolist()
    tails = [forest.tails.row(edge) for edge in numbers]
    on_edge = paths_through(highlighted)
    nodes = _nodes(forest, sorted({*heads, *(tail for row in tails for tail in row)}, reverse=True), highlighted)
    place = {node: number for number, node in enumerate(nodes)}
    written = detail_writer(len(forest.head), posteriors, forest.scores, scores)
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


def _links(box: int, head: int, tails: Sequence[int], paths: tuple[int, ...]) -> Iterator[Link]:
    """Link a node to a rule, and the rule to its tails; number the tails if there are several."""
    yield Link(head, box, paths=paths)
    for number, tail in enumerate(tails, start=1):
        yield Link(box, tail, str(number) if len(tails) > 1 else "", paths=paths)


def _nodes(forest: Forest, nodes: Sequence[int], paths: dict[str, tuple[int, ...]]) -> dict[int, Vertex]:
    """Make the vertex of each node; name it by its category, if any, and its number."""
    side = forest.node_labels.get(CATEGORY)
    goals = set(forest.goals.tolist())
    taken = {edge for edges in paths.values() for edge in edges}
    ends = [[int(head), *forest.tails.row(e)] if e in taken else [] for e, head in enumerate(forest.head.tolist())]
    on_node = paths_through_ends(paths, ends)

    def named(node: int) -> str:
        category = "" if side is None else side.vocabulary.word(int(side.node[node]))
        return f"{category} {node}" if category else str(node)

    return {n: Vertex(named(n), GOAL if n in goals else ROUND, paths=on_node.get(n, ())) for n in nodes}


def rule(forest: Forest, edge: int) -> str:
    """Write an edge's target side: its words, and [k] for its k-th tail."""
    parts = (f"[{-symbol}]" if symbol < 0 else forest.vocabulary.word(symbol) for symbol in forest.target.row(edge))
    return shortened(" ".join(parts), _LONGEST_RULE) or EPSILON_LABEL


# ---- Confusion networks: alternative words in one place, the most probable first ----

Bin = Sequence[tuple[str, float]]
"""Words and their posteriors, the most probable first; the empty string stands for no word."""

BEST = "consensus"
"""The name of the path of the best words."""


def network_diagram(
    bins: Sequence[Bin], *, title: str = "confusion network", least: float = 0.01, most_states: int | None = None
) -> Diagram:
    """Build the diagram of a confusion network. Leave out improbable words, and bins in which no word is left.

    Args:
        bins: The bins.
        title: A description in a few words.
        least: Leave out words with smaller posteriors, except the best of each bin.
        most_states: The largest number of states; `None` for all.
    """
    kept = [[pair for rank, pair in enumerate(words) if rank == 0 or pair[1] >= least] for words in bins]
    spoken = [words for words in kept if any(word for word, _ in words)]
    drawn = spoken if most_states is None else spoken[: max(1, most_states - 1)]
    links = tuple(
        Link(place, place + 1, word or EPSILON_LABEL, probability(posterior), (0,) if rank == 0 else ())
        for place, words in enumerate(drawn)
        for rank, (word, posterior) in enumerate(words)
    )
    vertices = tuple(
        Vertex(str(place), END if place == len(drawn) else CIRCLE, paths=(0,) if drawn else ())
        for place in range(len(drawn) + 1)
    )
    omissions = _omissions(sum(map(len, bins)) - sum(map(len, spoken)), least, len(drawn), len(spoken))
    return Diagram(NETWORK, title, vertices, links, (BEST,), omissions=omissions)


def _omissions(words: int, least: float, drawn: int, bins: int) -> tuple[str, ...]:
    found = []
    if drawn < bins:
        found.append(f"Shown: {drawn} of {bins} bins, the first ones.")
    if words:
        found.append(f"{words} entries are left out: posteriors below {least:g}, and bins that hold nothing else.")
    return tuple(found)


# ---- Derivation trees: nodes above their children, words as leaves ----

MOST_VERTICES = 400
"""The default size of a tree; vertices below are left out, and a note says so."""


def tree_diagram(
    tree: DerivationTree, *, title: str = "derivation tree", most_vertices: int | None = MOST_VERTICES
) -> Diagram:
    """Build the diagram of a derivation, top level first; leave out children from about `most_vertices` vertices on."""
    vertices: list[Vertex] = []
    links: list[Link] = []
    pending: deque[tuple[Any, int]] = deque([(tree.asdict(), -1)])
    room = float("inf") if most_vertices is None else most_vertices
    left_out = 0
    while pending:
        node, parent = pending.popleft()
        place = len(vertices)
        if isinstance(node, str):
            vertices.append(Vertex(node, WORD))
        else:
            vertices.append(Vertex(node["label"], ROUND))
            if place + len(pending) + len(node["children"]) < room:
                pending.extend((child, place) for child in node["children"])
            elif node["children"]:
                left_out += 1
                pending.append(("…", place))
        if parent >= 0:
            links.append(Link(parent, place))
    omissions = (
        (f"…: the children of {left_out} {'node' if left_out == 1 else 'nodes'} are left out.",) if left_out else ()
    )
    return Diagram(TREE, title, tuple(vertices), tuple(links), omissions=omissions)
