"""Everything in a graph that scores best, as a lattice or as a forest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import check_references
from latticemetric.oracle_search.oracle import as_recognition_rate
from latticemetric.oracle_search.reference_strings import readings_of
from latticemetric.oracle_search.searched_forest import SearchedForest, SearchedLatticeForest, as_searched_forest

# ---- Everything in a graph that scores best, as a forest ----


def oracle_forest(graph: Graph, references: GraphReferences, metric: str | GRR = "4-grr") -> Forest:
    """The derivations whose words score best, and no others, each of them once.

    Nodes are those of the graph, apart from one another where best derivations need it; edges keep their scores and
    labels.

    Args:
        graph: A forest; a lattice or an n-best list is taken as one.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.

    Examples:
        >>> forest = Forest.from_edges([0, 0, 1, 1], [[], [], [0], [0]], [[5], [6], [-1, 7], [7, -1]], goals=[1])
        >>> best = oracle_forest(forest, "8 7", "wrr")
        >>> [derivation.words for derivation in best.derivations()]
        [('5', '7'), ('6', '7')]
    """
    chosen = as_recognition_rate(metric)
    searched = as_searched_forest(graph, chosen, None)
    return searched.best_of(best_references(searched, references))


def best_references(searched: SearchedForest, references: GraphReferences) -> list[tuple[str, ...]]:
    """The counted words of those references that the best rate is reached against, each of them once."""
    check_references(references)
    listed = readings_of(references)
    promised = [searched.best(reference, "auto").promised for reference in listed]
    best = [reference for reference, merit in zip(listed, promised, strict=True) if merit == max(promised)]
    return list(dict.fromkeys(map(tuple, map(searched.metric.counted, best))))


# ---- Everything in a lattice that scores best, as a lattice ----


def oracle_lattice(graph: Graph, references: GraphReferences, metric: str | GRR = "4-grr") -> Lattice:
    """The paths whose words score best, and no others, each of them once.

    States are those of the lattice, apart from one another where best paths need it, and no more of them than that
    takes. Arcs keep their scores and labels, states their times.

    Args:
        graph: A lattice, an n-best list, or a forest that is a lattice. For other forests there is `oracle_forest`.
        references: One reference as a string, or several; the best rate over them counts, and what reaches it against
            any of them is kept.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.

    Examples:
        >>> lattice = Lattice.from_strings(["a b", "b a", "b b", "c"], costs=[1.0, 2.0, 3.0, 0.0])
        >>> [(path.words, path.cost) for path in oracle_lattice(lattice, "a b a", "wrr").paths()]
        [(('a', 'b'), 1.0), (('b', 'a'), 2.0)]
    """
    check_references(references)
    lattice = graph.to_lattice() if isinstance(graph, Forest) else as_lattice(graph)
    searched = SearchedLatticeForest(lattice, as_recognition_rate(metric), None)
    best = searched.best_edges(best_references(searched, references))
    arcs = searched.arc_of[best.edge]
    tails = best.tails.values  # of all edges but the start's, which has none
    states = _merged(
        zip(tails.tolist(), arcs[arcs >= 0].tolist(), best.head[arcs >= 0].tolist(), strict=True), best.goals, lattice
    )
    return _laid_out(states, lattice)


class _State(NamedTuple):
    """A state of the result: what it is in the lattice, whether paths end there, and its arcs with their targets."""

    origin: int
    is_final: bool
    onward: tuple[tuple[int, int], ...]


def _merged(arcs: Iterable[tuple[int, int, int]], goals: npt.NDArray[np.int32], lattice: Lattice) -> dict[_State, int]:
    """States with the same future are one. The start, which is node 0, is the last one.

    Args:
        arcs: Source node, arc of the lattice, target node; targets come after their sources.
        goals: Nodes where best paths end.
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
    return number


def _laid_out(states: dict[_State, int], lattice: Lattice) -> Lattice:
    rows = [(number, target, arc) for state, number in states.items() for arc, target in state.onward]
    source, target, arc = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    final = [number for state, number in states.items() if state.is_final]
    goal = np.searchsorted(lattice.final, [state.origin for state in states if state.is_final])
    origin = [state.origin for state in states]
    return Lattice.from_arcs(
        source,
        target,
        lattice.word[arc],
        start=len(states) - 1,
        final=final,
        scores={n: Column(c.arc[arc], c.final[goal], c.scale) for n, c in lattice.scores.items()},
        vocabulary=lattice.vocabulary,
        times=None if lattice.times is None else lattice.times[origin],
        labels={n: Labels(x.arc[arc], x.final[goal], x.vocabulary) for n, x in lattice.labels.items()},
    )
