"""Beams: what of a forest lies near its best derivation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError, UsageError
from latticemetric.forest import Forest
from latticemetric.forest_arrays import native_arrays
from latticemetric.lattice import Column, Labels, Scales
from latticemetric.lattice_pruning import ROUNDING


class PrunedForest(NamedTuple):
    """What is left of a forest, and which edges of it those are."""

    forest: Forest
    edges: npt.NDArray[np.int64]


def prune_forest(forest: Forest, beam: float, scales: Scales | None = None) -> PrunedForest:
    """See `Forest.pruned`; edges keep their order."""
    if not beam >= 0:
        raise UsageError(f"the beam is {beam}, and not a cost from 0 on")
    cost = forest.cost(scales)
    edge, ending = _native.forest_through_costs(**native_arrays(forest, cost))
    closing = ending[forest.goals]
    if not (np.isfinite(edge).all() and np.isfinite(closing).all()):
        raise InputError("the costs are too large to be added up", advice="choose smaller scales")
    most = closing.min() + beam + ROUNDING * max(np.abs(cost.arc).max(initial=0.0), np.abs(closing).max())
    goals = np.flatnonzero(closing <= most)
    edges = _in_derivations(forest, np.flatnonzero(edge <= most), forest.goals[goals])
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


def _in_derivations(
    forest: Forest, edges: npt.NDArray[np.int64], goals: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Those that a derivation still uses: an edge at the beam's very edge may have lost its neighbours to rounding."""
    is_goal = np.zeros(forest.num_nodes, dtype=np.uint8)
    is_goal[goals] = 1
    tails = forest.tails.taken(edges)
    return edges[_native.order_forest(forest.head[edges], tails.begin, tails.values, is_goal)[1]]
