"""Return all best paths of a graph as a lattice, and all best derivations as a forest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.engine.native import BestEdges, best_edges
from latticemetric.forest.forest import Forest, NodeLabels
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import taken
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import check_references
from latticemetric.oracle_search.oracle import as_recognition_rate
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.search_space import ForestSpace, LatticeAsForest, as_forest_space


def oracle_forest(graph: Graph, references: GraphReferences, metric: str | GRR = "4-grr") -> Forest:
    """Return a forest of the derivations whose words score best: only these, each of them once.

    Nodes of the graph are split if best derivations need it; edges keep their scores and labels.

    Args:
        graph: A forest; a lattice or an n-best list is converted to a forest.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.

    Examples:
        >>> forest = Forest.from_edges([0, 0, 1, 1], [[], [], [0], [0]], [[5], [6], [-1, 7], [7, -1]], goals=[1])
        >>> best = oracle_forest(forest, "8 7", "wrr")
        >>> [derivation.words for derivation in best.derivations()]
        [('5', '7'), ('6', '7')]
    """
    space = as_forest_space(graph, as_recognition_rate(metric), None)
    best = _best_edges(space, references)
    forest, edge = space.graph, best.edge
    return Forest.from_edges(
        best.head,
        best.tails,
        forest.target.taken(edge),
        goals=best.goals,
        scores=taken(forest.scores, edge, best.goal),
        vocabulary=forest.vocabulary,
        labels=taken(forest.labels, edge, best.goal),
        node_labels={n: NodeLabels(x.node[best.node], x.vocabulary) for n, x in forest.node_labels.items()},
    )


def _best_edges(space: ForestSpace, references: GraphReferences) -> BestEdges:
    """Return all derivations with the best rate against any of the references."""
    check_references(references)
    strings = strings_of_references(references)
    promised = [space.best(reference).promised for reference in strings]
    best = [reference for reference, merit in zip(strings, promised, strict=True) if merit == max(promised)]
    counted = list(dict.fromkeys(map(tuple, map(space.metric.counted, best))))
    return best_edges(space.search_for(counted[0]), [space.encoded(reference) for reference in counted])


def oracle_lattice(graph: Graph, references: GraphReferences, metric: str | GRR = "4-grr") -> Lattice:
    """Return a lattice of the paths whose words score best: only these, each of them once.

    States of the lattice are split only if best paths need it. Arcs keep their scores and labels, states their
    times.

    Args:
        graph: A lattice, an n-best list, or a forest in the form of a lattice. For other forests, use `oracle_forest`.
        references: One reference as a string, or several; the best rate over them counts. The lattice has all paths
            that reach it against any of them.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.

    Examples:
        >>> lattice = Lattice.from_strings(["a b", "b a", "b b", "c"], costs=[1.0, 2.0, 3.0, 0.0])
        >>> [(path.words, path.cost) for path in oracle_lattice(lattice, "a b a", "wrr").paths()]
        [(('a', 'b'), 1.0), (('b', 'a'), 2.0)]
    """
    lattice = graph.to_lattice() if isinstance(graph, Forest) else as_lattice(graph)
    space = LatticeAsForest(lattice, as_recognition_rate(metric), None)
    best = _best_edges(space, references)
    arcs = space.arc_of[best.edge]
    tails = best.tails.values  # of all edges except the start's, which has no tail
    onward = zip(tails.tolist(), arcs[arcs >= 0].tolist(), best.head[arcs >= 0].tolist(), strict=True)
    states = _merged(onward, best.goals, lattice)
    rows = [(number, target, arc) for number, state in enumerate(states) for arc, target in state.onward]
    source, target, arc = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    origin = [state.origin for state in states]
    goal = np.searchsorted(lattice.final, [state.origin for state in states if state.is_final])
    return Lattice.from_arcs(
        source,
        target,
        lattice.word[arc],
        start=len(states) - 1,
        final=[number for number, state in enumerate(states) if state.is_final],
        scores=taken(lattice.scores, arc, goal),
        vocabulary=lattice.vocabulary,
        times=None if lattice.times is None else lattice.times[origin],
        labels=taken(lattice.labels, arc, goal),
    )


class _State(NamedTuple):
    """A state of the result: its state in the lattice, True if paths end there, and its arcs with their targets."""

    origin: int
    is_final: bool
    onward: tuple[tuple[int, int], ...]


def _merged(arcs: Iterable[tuple[int, int, int]], goals: npt.NDArray[np.int32], lattice: Lattice) -> list[_State]:
    """Merge states with the same future; the start, node 0, comes last.

    Args:
        arcs: (source node, arc of the lattice, target node); targets come after their sources.
        goals: Nodes in which best paths end.
        lattice: The lattice.
    """
    onward: dict[int, list[tuple[int, int]]] = {0: []}
    origin = {0: 0}
    for source, arc, target in arcs:
        onward.setdefault(source, []).append((arc, target))
        origin[target] = int(lattice.target[arc])
    ends = set(goals.tolist())
    number: dict[_State, int] = {}
    number_of: dict[int, int] = {}
    for node in sorted(origin, reverse=True):
        further = tuple((arc, number_of[target]) for arc, target in onward.get(node, ()) if target in number_of)
        if further or node in ends:  # others are dead ends
            state = _State(origin[node], node in ends, further)
            number_of[node] = number.setdefault(state, len(number))
    return list(number)
