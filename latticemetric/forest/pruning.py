"""Beams: what of a forest lies near its best derivation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.forest.forest import Forest
from latticemetric.forest.ragged import native_arrays
from latticemetric.lattice.lattice import Column, Floats, Labels, Scales
from latticemetric.lattice.pruning import ROUNDING, checked_beam


class PrunedForest(NamedTuple):
    """What is left of a forest, and which edges of it those are."""

    forest: Forest
    edges: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ForestMargins:
    """How much more than the best derivation of all the best one with each part of a forest costs.

    All beams of a forest are read from them; narrower ones keep part of what wider ones keep.

    Attributes:
        forest: The forest.
        edge: Of each edge.
        goal: Of ending in each goal.
        slack: How far from the truth rounding may have put them.
    """

    forest: Forest
    edge: Floats
    goal: Floats
    slack: float

    @classmethod
    def of(cls, forest: Forest, scales: Scales | None = None) -> ForestMargins:
        """The margins under the costs of some scales."""
        cost = forest.cost(scales)
        edge, ending = _native.forest_through_costs(**native_arrays(forest, cost))
        closing = ending[forest.goals]
        if not (np.isfinite(edge).all() and np.isfinite(closing).all()):
            raise InputError("the costs are too large to be added up", advice="choose smaller scales")
        best = closing.min()
        largest = max(np.abs(cost.arc).max(initial=0.0), np.abs(closing).max())
        return cls(forest, edge - best, closing - best, float(ROUNDING * largest))

    def kept(self, beam: float) -> npt.NDArray[np.int64]:
        """The edges of derivations within a beam, in their order."""
        goals = self.forest.goals[self._goals(checked_beam(beam))]
        return _in_derivations(self.forest, np.flatnonzero(self.edge <= beam + self.slack), goals)

    def within(self, beam: float) -> PrunedForest:
        """What is left of the forest."""
        forest, edges, goals = self.forest, self.kept(beam), self._goals(beam)
        left = Forest.from_edges(
            forest.head[edges],
            forest.tails.taken(edges),
            forest.target.taken(edges),
            goals=forest.goals[goals],
            scores={n: Column(c.arc[edges], c.final[goals], c.scale) for n, c in forest.scores.items()},
            vocabulary=forest.vocabulary,
            labels={n: Labels(x.arc[edges], x.final[goals], x.vocabulary) for n, x in forest.labels.items()},
            node_labels=forest.node_labels,
        )
        return PrunedForest(left, edges)

    def _goals(self, beam: float) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.goal <= beam + self.slack)


def prune_forest(forest: Forest, beam: float, scales: Scales | None = None) -> PrunedForest:
    """See `Forest.pruned`; edges keep their order."""
    return ForestMargins.of(forest, scales).within(checked_beam(beam))


def _in_derivations(
    forest: Forest, edges: npt.NDArray[np.int64], goals: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Those that a derivation still uses: an edge at the beam's very edge may have lost its neighbours to rounding."""
    is_goal = np.zeros(forest.num_nodes, dtype=np.uint8)
    is_goal[goals] = 1
    tails = forest.tails.taken(edges)
    return edges[_native.order_forest(forest.head[edges], tails.begin, tails.values, is_goal)[1]]
