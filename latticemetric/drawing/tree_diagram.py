"""Derivation trees as diagrams: nodes above their children, words as leaves."""

from __future__ import annotations

from collections import deque
from typing import Any

from latticemetric.derivation_tree import DerivationTree
from latticemetric.drawing.diagram import ROUND, TREE, WORD, Diagram, Link, Vertex

MOST_VERTICES = 400
"""Of a tree: more are cut off below, saying so."""


def tree_diagram(
    tree: DerivationTree, *, title: str = "derivation tree", most_vertices: int | None = MOST_VERTICES
) -> Diagram:
    """A derivation, level by level as far as there is room."""
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
