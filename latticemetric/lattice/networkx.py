"""Convert lattices to NetworkX graphs, and NetworkX graphs to lattices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from latticemetric.errors import InputError
from latticemetric.lattice.columns import Column
from latticemetric.vocabulary import EPSILON, Vocabulary

if TYPE_CHECKING:
    from latticemetric.lattice.lattice import Lattice

AnyLattice = TypeVar("AnyLattice", bound="Lattice")


def lattice_to_networkx(lattice: Lattice) -> Any:
    """Return the lattice as a NetworkX graph; see `Lattice.to_networkx`."""
    import networkx as nx

    graph = nx.MultiDiGraph(start=0, scales={name: column.scale for name, column in lattice.scores.items()})
    for state in range(lattice.num_states):
        graph.add_node(state, **({} if lattice.times is None else {"time": float(lattice.times[state])}))
    for row, state in enumerate(lattice.final.tolist()):
        graph.nodes[state]["final"] = {name: float(c.final[row]) for name, c in lattice.scores.items()}
    for arc, (here, there) in enumerate(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)):
        scores = {name: float(column.arc[arc]) for name, column in lattice.scores.items()}
        graph.add_edge(here, there, key=arc, word=lattice.vocabulary.word(int(lattice.word[arc])), scores=scores)
    return graph


def lattice_from_networkx(cls: type[AnyLattice], graph: Any) -> AnyLattice:
    """Build a lattice from a NetworkX graph; see `Lattice.from_networkx`.

    The graph has an attribute `start`; each final node has a mapping `final` of scores (may be empty); each edge has
    a `word` (empty for ε) and a mapping `scores`; a node may have a `time`. Nodes may be any hashable objects.
    """
    if not hasattr(graph, "is_directed"):
        raise InputError(f"{type(graph).__name__} is not a NetworkX graph")
    if "start" not in graph.graph:
        raise InputError("the graph has no start", advice="set graph.graph['start'] to a node")
    if not graph.is_directed():
        raise InputError("the graph is undirected", advice="a lattice is a directed graph")
    number = {node: k for k, node in enumerate(graph.nodes)}
    if graph.graph["start"] not in number:
        raise InputError(f"the start, {graph.graph['start']!r}, is not a node of the graph")
    edges = (
        list(graph.edges(keys=True, data=True))
        if graph.is_multigraph()
        else [(u, v, k, data) for k, (u, v, data) in enumerate(graph.edges(data=True))]
    )
    if all(isinstance(key, int) for _, _, key, _ in edges):
        edges.sort(key=lambda edge: (number[edge[0]], edge[2]))
    finals = [node for node in graph.nodes if "final" in graph.nodes[node]]
    for node in finals:
        if not isinstance(graph.nodes[node]["final"], Mapping):
            raise InputError(f"'final' of node {node!r} is not a mapping of scores", advice="set it to {} for none")
    names = dict.fromkeys(name for *_, data in edges for name in data.get("scores", {}))
    names |= dict.fromkeys(name for node in finals for name in graph.nodes[node]["final"])
    scales = graph.graph.get("scales", {})
    vocabulary = Vocabulary.from_words(word for *_, data in edges if (word := data.get("word", "")))
    times = [graph.nodes[node].get("time") for node in graph.nodes]
    return cls.from_arcs(
        [number[u] for u, *_ in edges],
        [number[v] for _, v, *_ in edges],
        [vocabulary.number(word) if (word := data.get("word", "")) else EPSILON for *_, data in edges],
        final=[number[node] for node in finals],
        start=number[graph.graph["start"]],
        scores={
            name: Column(
                np.array([data.get("scores", {}).get(name, 0.0) for *_, data in edges], dtype=np.float64),
                np.array([graph.nodes[node]["final"].get(name, 0.0) for node in finals], dtype=np.float64),
                scales.get(name, 1.0),
            )
            for name in names
        },
        vocabulary=vocabulary,
        times=None if not times or any(t is None for t in times) else times,
    )
