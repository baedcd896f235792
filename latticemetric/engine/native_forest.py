"""The fast road for forests: tables of what each node can gain, in C++ (`kernels/forest_tables.hpp`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.engine.memory import small_enough
from latticemetric.engine.search import ForestSearch, FoundDerivation, StringSearch
from latticemetric.forest import Forest, NodeLabels, Ragged
from latticemetric.forest_arrays import native_arrays
from latticemetric.lattice import Column, Labels
from latticemetric.memory import most_bytes
from latticemetric.vocabulary import Words

_MOST_STRINGS = 2**60  # what no search reaches


def best_derivation(search: ForestSearch) -> FoundDerivation:
    """The best derivation of a forest under a recognition rate."""
    edges, gain, _ = _searched(search, hope=0.0)
    return FoundDerivation(edges, gain)


def hope_derivation(search: ForestSearch, scale: float) -> tuple[npt.NDArray[np.int64], float]:
    """The derivation of the largest `scale` * gain − cost, and that value; `scale` is positive."""
    edges, _, value = _searched(search, hope=scale)
    return edges, value


def best_strings(search: StringSearch, most: int) -> list[FoundDerivation]:
    """The best derivations of the best strings, at most so many."""
    asked, count = search.search, min(most, _MOST_STRINGS)
    with small_enough():
        edges, begin, high, low = _native.best_strings(
            **_question(asked),
            shown_begin=search.shown.begin,
            shown=search.shown.values,
            rank=search.rank,
            reference=asked.reference,
            most=count,
            few=few_strings(count),
        )
    gains = [(above << 64) + below for above, below in zip(high.tolist(), low.tolist(), strict=True)]
    return [FoundDerivation(*found) for found in zip(np.split(edges, begin[1:-1]), gains, strict=True)]


def few_strings(most: int) -> int:
    """So many strings are listed and ranked faster than the best of them are searched for."""
    return max(10 * most, 1000)


class BestEdges(NamedTuple):
    """All best derivations: a node of them is a node of the forest with what a derivation has to know of it.

    Attributes:
        head: Node of each edge.
        edge: Which edge of the forest each one is.
        tails: Nodes of its tails.
        goals: Nodes where derivations end.
        goal: Which goal of the forest each of them is, counted from 0.
        node: Which node of the forest each node is.
    """

    head: npt.NDArray[np.int32]
    edge: npt.NDArray[np.int64]
    tails: Ragged
    goals: npt.NDArray[np.int32]
    goal: npt.NDArray[np.int64]
    node: npt.NDArray[np.int64]


def best_edges(search: ForestSearch, references: Sequence[Words]) -> BestEdges:
    """All derivations that gain most against any of some references, each of them once."""
    forest = search.forest
    listed = [reference.tolist() for reference in references]
    with small_enough():
        head, edge, tail_begin, tail, goals, goal_of = _native.best_forest(**_question(search), references=listed)
    node_of = np.zeros(int(head.max()) + 1, dtype=np.int64)
    node_of[head] = forest.head[edge]
    return BestEdges(head, edge, Ragged(tail_begin, tail), goals, np.searchsorted(forest.goals, goal_of), node_of)


def best_forest(search: ForestSearch, references: Sequence[Words]) -> Forest:
    """The best derivations as a forest."""
    forest = search.forest
    head, edge, tails, goals, goal, node = best_edges(search, references)
    return Forest.from_edges(
        head,
        tails,
        forest.target.taken(edge),
        goals=goals,
        scores={n: Column(c.arc[edge], c.final[goal], c.scale) for n, c in forest.scores.items()},
        vocabulary=forest.vocabulary,
        labels={n: Labels(x.arc[edge], x.final[goal], x.vocabulary) for n, x in forest.labels.items()},
        node_labels={n: NodeLabels(x.node[node], x.vocabulary) for n, x in forest.node_labels.items()},
    )


def _searched(search: ForestSearch, hope: float) -> tuple[npt.NDArray[np.int64], int, float]:
    with small_enough():
        edges, high, low, value = _native.search_forest(**_question(search), reference=search.reference, hope=hope)
    return edges, (high << 64) + low, value


def _question(search: ForestSearch) -> dict[str, Any]:
    return {
        **native_arrays(search.forest, search.cost, search.said, search.words),
        "most_bytes": most_bytes(),
        **search.gains._asdict(),
    }
