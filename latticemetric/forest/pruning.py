"""Beam pruning: keep the part of a forest near its best derivation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.lattice.columns import Floats, Weights, taken
from latticemetric.lattice.pruning import checked_beam, rounding_within

if TYPE_CHECKING:
    from latticemetric.forest.arrays import ForestArrays

AnyForest = TypeVar("AnyForest", bound="ForestArrays")


@dataclass(frozen=True, eq=False)
class ForestMargins(Generic[AnyForest]):
    """The margin of each edge and goal: the cost of the best derivation that uses it, minus the best cost.

    Margins do not depend on the beam. `edge_size` has the absolute cost of each edge; `goal_size` has the
    absolute cost of the best derivation of each goal.
    """

    forest: AnyForest
    edge: Floats
    goal: Floats
    edge_size: Floats
    goal_size: Floats

    @classmethod
    def of(cls, forest: AnyForest, weights: Weights | None = None) -> ForestMargins[AnyForest]:
        """Compute the margins, with costs weighted by `weights`."""
        cost = forest.cost(weights)
        edge, ending = _native.best_costs_through_edges(forest.native(cost))
        closing = ending[forest.goals]
        if not (np.isfinite(edge).all() and np.isfinite(closing).all()):
            raise InputError("the costs are too large to be added up", advice="choose smaller weights")
        best = closing.min()
        return ForestMargins(forest, edge - best, closing - best, np.abs(cost.arc), np.abs(closing))

    def limit(self, beam: float) -> float:
        """Return the largest margin that counts as within the beam: the beam and the largest rounding error."""
        beam = checked_beam(beam)
        return beam + rounding_within(beam, (self.edge, self.edge_size), (self.goal, self.goal_size))

    def kept(self, beam: float) -> npt.NDArray[np.int64]:
        """Return the edges of derivations within the beam, in ascending order."""
        return self._edges(self.limit(beam))

    def _edges(self, limit: float) -> npt.NDArray[np.int64]:
        forest = self.forest
        is_goal = np.zeros(forest.num_nodes, dtype=np.uint8)
        is_goal[forest.goals[self.goal <= limit]] = 1
        edges = np.flatnonzero(self.edge <= limit)
        # Rounding may cut off the neighbours of an edge at the limit of the beam: keep only edges of derivations.
        tails = forest.tails.taken(edges)
        return edges[_native.order_forest(forest.head[edges], tails.begin, tails.values, is_goal)[1]]

    def within(self, beam: float) -> tuple[AnyForest, npt.NDArray[np.int64]]:
        """Return the part of the forest within the beam, and the numbers of its edges in the original forest."""
        limit = self.limit(beam)
        forest, edges, goals = self.forest, self._edges(limit), np.flatnonzero(self.goal <= limit)
        left = type(forest).from_edges(
            forest.head[edges],
            forest.tails.taken(edges),
            forest.target.taken(edges),
            goals=forest.goals[goals],
            scores=taken(forest.scores, edges, goals),
            vocabulary=forest.vocabulary,
            labels=taken(forest.labels, edges, goals),
            node_labels=forest.node_labels,
        )
        return left, edges


def prune_forest(
    forest: AnyForest, beam: float, weights: Weights | None = None
) -> tuple[AnyForest, npt.NDArray[np.int64]]:
    """Return the pruned forest, and the numbers of its edges in the original forest. See `Forest.pruned`."""
    return ForestMargins.of(forest, weights).within(beam)
