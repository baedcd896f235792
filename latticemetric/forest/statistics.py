"""Compute the size of a forest exactly: nodes, edges, derivations, lengths, arity."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from latticemetric.errors import InputError
from latticemetric.lattice.statistics import MANY, counted, written
from latticemetric.vocabulary import EPSILON, distinct_words

if TYPE_CHECKING:
    from latticemetric.forest.arrays import ForestArrays

_LONGEST = 2**62


@dataclass(frozen=True)
class ForestStatistics:
    """The size of a forest.

    Attributes:
        nodes: Number of nodes.
        edges: Number of edges.
        goals: Number of goals.
        derivations: Exact number of complete derivations; `None` if the number has more than about ten thousand digits.
        shortest: Number of words of the shortest derivation; `None` for 2⁶² words or more.
        longest: Number of words of the longest derivation; `None` for 2⁶² words or more.
        arity: Largest number of tails of an edge.
        height: Largest number of edges on a path from a goal to a leaf.
        vocabulary: Number of distinct words.
        scores: Names of the score columns.
        best_cost: Cost of the 1-best under the default weights.
    """

    nodes: int
    edges: int
    goals: int
    derivations: int | None
    shortest: int | None
    longest: int | None
    arity: int
    height: int
    vocabulary: int
    scores: tuple[str, ...]
    best_cost: float

    def __repr__(self) -> str:
        return written(self)

    def asdict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of plain values, for JSON."""
        return asdict(self) | {"scores": list(self.scores)}


def forest_statistics(forest: ForestArrays) -> ForestStatistics:
    """Return the size of a forest, measured in one pass over its edges, from the leaves to the goals."""
    nodes = forest.num_nodes
    derivations, height, longest = ([0] * nodes for _ in range(3))
    shortest = [_LONGEST] * nodes
    best = [math.inf] * nodes
    words = np.add.reduceat(np.append(forest.target.values > EPSILON, 0), forest.target.begin[:-1])
    words = np.where(forest.target.lengths() > 0, words, 0).tolist()
    cost = forest.cost()
    edge_cost = cost.arc.tolist()
    for edge, (head, tails) in enumerate(zip(forest.head.tolist(), forest.tails.rows(), strict=True)):
        own, ways = words[edge], 1
        for tail in tails:
            ways = min(ways * derivations[tail], MANY)
        derivations[head] = min(derivations[head] + ways, MANY)
        shortest[head] = min(shortest[head], own + sum([shortest[tail] for tail in tails]), _LONGEST)
        longest[head] = min(max(longest[head], own + sum([longest[tail] for tail in tails])), _LONGEST)
        height[head] = max(height[head], 1 + max([height[tail] for tail in tails], default=0))
        best[head] = min(best[head], edge_cost[edge] + sum([best[tail] for tail in tails]))
    goals = forest.goals.tolist()
    least, most = min(shortest[goal] for goal in goals), max(longest[goal] for goal in goals)
    best_cost = min(best[goal] + float(cost.final[goal]) for goal in goals)
    if not math.isfinite(best_cost):
        raise InputError("the costs are too large to be added up", advice="choose smaller weights")
    return ForestStatistics(
        nodes=nodes,
        edges=len(forest.head),
        goals=len(goals),
        derivations=counted(sum(derivations[goal] for goal in goals)),
        shortest=least if least < _LONGEST else None,
        longest=most if most < _LONGEST else None,
        arity=int(forest.tails.lengths().max(initial=0)),
        height=max(height[goal] for goal in goals),
        vocabulary=len(distinct_words(forest.target.values)),
        scores=tuple(forest.scores),
        best_cost=best_cost,
    )
