"""Beams: what of a lattice lies near its best path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.lattice import Column, Labels, Lattice, Scales

ROUNDING = 2.0**-44
"""How far two sums of the same costs may be apart, by the largest of them: pruning drops no path for its rounding."""


class Pruned(NamedTuple):
    """What is left of a lattice, and which arcs of it those are."""

    lattice: Lattice
    arcs: npt.NDArray[np.int64]


def prune(lattice: Lattice, beam: float, scales: Scales | None = None) -> Pruned:
    """See `Lattice.pruned`; arcs keep their order."""
    if not beam >= 0:
        raise UsageError(f"the beam is {beam}, and not a cost from 0 on")
    cost = lattice.cost(scales)
    arc, ending = _native.through_costs(lattice.source, lattice.target, cost.arc, cost.final)
    closing = ending[lattice.final]
    most = closing.min() + beam + ROUNDING * max(np.abs(cost.arc).max(initial=0.0), np.abs(closing).max())
    finals = np.flatnonzero(closing <= most)
    arcs = _on_paths(lattice, np.flatnonzero(arc <= most), lattice.final[finals])
    left = Lattice.from_arcs(
        lattice.source[arcs],
        lattice.target[arcs],
        lattice.word[arcs],
        final=lattice.final[finals],
        scores={n: Column(c.arc[arcs], c.final[finals], c.scale) for n, c in lattice.scores.items()},
        vocabulary=lattice.vocabulary,
        times=lattice.times,
        labels={n: Labels(c.arc[arcs], c.final[finals], c.vocabulary) for n, c in lattice.labels.items()},
    )
    return Pruned(left, arcs)


def _on_paths(lattice: Lattice, arcs: npt.NDArray[np.int64], final: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Those that still lie on a path: an arc at the beam's very edge may have lost its neighbours to rounding."""
    is_final = np.zeros(lattice.num_states, dtype=np.uint8)
    is_final[final] = 1
    source, target = lattice.source[arcs], lattice.target[arcs]
    rank = _native.order_states(source, target, 0, is_final)[0]
    return arcs[(rank[source] >= 0) & (rank[target] >= 0)]
