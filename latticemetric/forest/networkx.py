"""Convert forests to bipartite NetworkX graphs, whose vertices are nodes and edges; see `Forest.to_networkx`."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from latticemetric.errors import InputError, shortened
from latticemetric.forest.columns import NodeLabels, numbered
from latticemetric.lattice.columns import Column, Labels
from latticemetric.vocabulary import Vocabulary

if TYPE_CHECKING:
    from latticemetric.forest.forest import Forest

AnyForest = TypeVar("AnyForest", bound="Forest")

_NODE, _EDGE = 0, 1


def forest_to_networkx(forest: Forest) -> Any:
    """Return the forest as a bipartite NetworkX graph; see `Forest.to_networkx`."""
    import networkx as nx

    graph = nx.DiGraph(scales={name: column.scale for name, column in forest.scores.items()})
    sides = forest.node_labels.items()
    for node in range(forest.num_nodes):
        labels = {name: side.vocabulary.word(int(side.node[node])) for name, side in sides}
        graph.add_node(("node", node), bipartite=_NODE, labels=labels)
    for row, node in enumerate(forest.goals.tolist()):
        goal = graph.nodes["node", node]
        goal["goal"] = {name: float(column.final[row]) for name, column in forest.scores.items()}
        goal["goal_labels"] = {n: side.vocabulary.word(int(side.final[row])) for n, side in forest.labels.items()}
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), strict=True)
    for edge, (head, tails, target) in enumerate(rows):
        graph.add_node(
            ("edge", edge),
            bipartite=_EDGE,
            target=tuple(forest.vocabulary.word(t) if t > 0 else t for t in target),
            scores={name: float(column.arc[edge]) for name, column in forest.scores.items()},
            labels={name: side.vocabulary.word(int(side.arc[edge])) for name, side in forest.labels.items()},
        )
        for tail in dict.fromkeys(tails):
            places = tuple(place for place, node in enumerate(tails, start=1) if node == tail)
            graph.add_edge(("node", tail), ("edge", edge), tails=places)
        graph.add_edge(("edge", edge), ("node", head))
    return graph


def forest_from_networkx(cls: type[AnyForest], graph: Any) -> AnyForest:
    """Build a forest from a NetworkX graph; see `Forest.from_networkx`."""
    if not hasattr(graph, "is_directed"):
        raise InputError(f"{type(graph).__name__} is not a NetworkX graph")
    if not graph.is_directed():
        raise InputError("the graph is undirected", advice="arcs go from tails to edges, and from edges to heads")
    sides = {vertex: _side(data, vertex) for vertex, data in graph.nodes(data=True)}
    for begin, end in graph.edges():
        if sides[begin] == sides[end]:
            both = "nodes" if sides[begin] == _NODE else "edges"
            raise InputError(
                f"an arc leads from {_shown(begin)} to {_shown(end)}, and both are {both}",
                advice="an arc joins a node and an edge",
            )
    nodes = {vertex: number for number, vertex in enumerate(v for v, side in sides.items() if side == _NODE)}
    edges = [vertex for vertex, side in sides.items() if side == _EDGE]
    goals = [vertex for vertex in nodes if "goal" in graph.nodes[vertex]]
    if not goals:
        raise InputError("no vertex is a goal", advice="set 'goal' of a node to its scores, or to {} for none")
    heads = [nodes[_head(graph, edge)] for edge in edges]
    tails = [[nodes[tail] for tail in _tails(graph, edge)] for edge in edges]
    targets = [_target(graph, edge, len(row)) for edge, row in zip(edges, tails, strict=True)]
    vocabulary = Vocabulary.from_words(symbol for row in targets for symbol in row if isinstance(symbol, str))
    names = list(nodes)
    return cls.from_edges(
        heads,
        tails,
        [[vocabulary.number(symbol) if isinstance(symbol, str) else symbol for symbol in row] for row in targets],
        goals=[nodes[goal] for goal in goals],
        scores=_columns(graph, edges, goals),
        vocabulary=vocabulary,
        labels=_labels(graph, edges, goals),
        node_labels={name: NodeLabels.from_texts(row) for name, row in _texts(graph, names, "labels").items()},
        node_name=lambda node: f"node {_shown(names[node])}",
    )


def _side(data: Mapping[str, Any], vertex: Hashable) -> int:
    side = data.get("bipartite")
    if not isinstance(side, int) or side not in (_NODE, _EDGE):
        raise InputError(
            "'bipartite' is missing" if side is None else f"'bipartite' is {_shown(side)}",
            where=f"vertex {_shown(vertex)}",
            advice=f"it is {_NODE} for a node and {_EDGE} for an edge",
        )
    return int(side)


def _head(graph: Any, edge: Hashable) -> Hashable:
    heads: list[Hashable] = [head for _, head in graph.out_edges(edge)]
    if len(heads) != 1:
        raise InputError(
            f"it has {len(heads)} heads", where=_at(edge), advice="an arc leads from each edge to its head"
        )
    return heads[0]


def _tails(graph: Any, edge: Hashable) -> list[Hashable]:
    """Return the tails of an edge, in the order of its arcs' `tails`."""
    tail_at: dict[int, Hashable] = {}
    for tail, _, data in graph.in_edges(edge, data=True):
        places = data.get("tails")
        if not isinstance(places, tuple | list) or not places or any(type(place) is not int for place in places):
            raise InputError(
                f"the arc from {_shown(tail)} has {_shown(places)} for 'tails'",
                where=_at(edge),
                advice="list the places, from 1, at which the node is a tail",
            )
        for place in places:
            if place in tail_at:
                raise InputError(f"it has two tails {place}", where=_at(edge))
            tail_at[place] = tail
    for place in range(1, len(tail_at) + 1):
        if place not in tail_at:
            raise InputError(f"it has {len(tail_at)} tails, and none is tail {place}", where=_at(edge))
    return [tail_at[place] for place in sorted(tail_at)]


def _target(graph: Any, edge: Hashable, arity: int) -> list[str | int]:
    """Return the target side of an edge: its words, and each tail once."""
    target = graph.nodes[edge].get("target")
    if not isinstance(target, tuple | list):
        raise InputError(
            "'target' is missing" if target is None else f"'target' is {_shown(target)}",
            where=_at(edge),
            advice="list the words, with −k where the words of the k-th tail stand",
        )
    for symbol in target:
        if not isinstance(symbol, str) and (type(symbol) is not int or not -arity <= symbol < 0):
            raise InputError(
                f"'target' holds {_shown(symbol)}, and the edge has {arity} tails",
                where=_at(edge),
                advice="words are texts, tails −1, −2, …",
            )
    for place in range(1, arity + 1):
        if (times := target.count(-place)) != 1:
            raise InputError(
                f"'target' uses tail {place} {'never' if not times else f'{times} times'}", where=_at(edge)
            )
    return [symbol for symbol in target if symbol != ""]


def _columns(graph: Any, edges: list[Hashable], goals: list[Hashable]) -> dict[str, Column]:
    scales = _numbers(graph.graph.get("scales", {}), "scales", "the graph")
    arcs = [_numbers(graph.nodes[edge].get("scores", {}), "scores", _at(edge)) for edge in edges]
    ends = [_numbers(graph.nodes[goal]["goal"], "goal", f"node {_shown(goal)}") for goal in goals]
    names = dict.fromkeys(name for row in (scales, *arcs, *ends) for name in row)

    def values(rows: list[dict[str, float]], name: str) -> Any:
        return np.array([row.get(name, 0.0) for row in rows], dtype=np.float64)

    return {name: Column(values(arcs, name), values(ends, name), scales.get(name, 1.0)) for name in names}


def _numbers(value: object, what: str, where: str) -> dict[str, float]:
    for name, number in _mapping(value, what, where):
        if isinstance(number, bool) or not isinstance(number, Real) or not math.isfinite(number):
            raise InputError(f"'{name}' of '{what}' is {_shown(number)}, not a finite number", where=where)
    return {name: float(number) for name, number in _mapping(value, what, where)}


def _labels(graph: Any, edges: list[Hashable], goals: list[Hashable]) -> dict[str, Labels]:
    of_edges, of_goals = _texts(graph, edges, "labels"), _texts(graph, goals, "goal_labels")
    labels = {}
    for name in of_edges | of_goals:
        texts = of_edges.get(name, [""] * len(edges)) + of_goals.get(name, [""] * len(goals))
        rows, vocabulary = numbered(texts)
        labels[name] = Labels(rows[: len(edges)], rows[len(edges) :], vocabulary)
    return labels


def _texts(graph: Any, vertices: list[Hashable], what: str) -> dict[str, list[str]]:
    """Return the texts of these vertices by name; a missing text is empty."""
    rows = [dict(_mapping(graph.nodes[vertex].get(what, {}), what, f"vertex {_shown(vertex)}")) for vertex in vertices]
    for vertex, row in zip(vertices, rows, strict=True):
        for name, text in row.items():
            if not isinstance(text, str):
                raise InputError(
                    f"'{name}' of '{what}' is {_shown(text)}, not a text", where=f"vertex {_shown(vertex)}"
                )
    return {name: [row.get(name, "") for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def _mapping(value: object, what: str, where: str) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InputError(f"'{what}' is {_shown(value)}", where=where, advice="it maps names, and is {} for none")
    return list(value.items())


def _at(edge: Hashable) -> str:
    return f"edge {_shown(edge)}"


def _shown(part: object) -> str:
    return shortened(repr(part), 40)
