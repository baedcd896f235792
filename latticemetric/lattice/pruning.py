"""Beams: what of a lattice lies near its best path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.lattice.lattice import Column, Floats, Labels, Lattice, Scales

ROUNDING = 2.0**-44
"""How far two sums of the same costs may be apart, by the largest of them: pruning drops no path for its rounding."""


class Pruned(NamedTuple):
    """What is left of a lattice, and which arcs of it those are."""

    lattice: Lattice
    arcs: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Margins:
    """How much more than the best path of all the best path through each part of a lattice costs.

    All beams of a lattice are read from them; narrower ones keep part of what wider ones keep.

    Attributes:
        lattice: The lattice.
        arc: Of each arc.
        final: Of ending in each final state.
        slack: How far from the truth rounding may have put them.
    """

    lattice: Lattice
    arc: Floats
    final: Floats
    slack: float

    @classmethod
    def of(cls, lattice: Lattice, scales: Scales | None = None) -> Margins:
        """The margins under the costs of some scales."""
        cost = lattice.cost(scales)
        arc, ending = _native.through_costs(lattice.source, lattice.target, cost.arc, cost.final)
        closing = ending[lattice.final]
        best = closing.min()
        largest = max(np.abs(cost.arc).max(initial=0.0), np.abs(closing).max())
        return cls(lattice, arc - best, closing - best, float(ROUNDING * largest))

    def kept(self, beam: float) -> npt.NDArray[np.int64]:
        """The arcs of paths within a beam, in their order."""
        finals = self.lattice.final[self._ends(checked_beam(beam))]
        return _on_paths(self.lattice, np.flatnonzero(self.arc <= beam + self.slack), finals)

    def within(self, beam: float) -> Pruned:
        """What is left of the lattice."""
        lattice, arcs, ends = self.lattice, self.kept(beam), self._ends(beam)
        left = Lattice.from_arcs(
            lattice.source[arcs],
            lattice.target[arcs],
            lattice.word[arcs],
            final=lattice.final[ends],
            scores={n: Column(c.arc[arcs], c.final[ends], c.scale) for n, c in lattice.scores.items()},
            vocabulary=lattice.vocabulary,
            times=lattice.times,
            labels={n: Labels(c.arc[arcs], c.final[ends], c.vocabulary) for n, c in lattice.labels.items()},
        )
        return Pruned(replace(left, ranked=lattice.ranked), arcs)

    def hold(self, path: Sequence[int], beam: float) -> bool:
        """Whether a complete path is among what a beam keeps."""
        lattice = self.lattice
        end = int(lattice.target[path[-1]]) if len(path) else 0
        ending = self.final[np.searchsorted(lattice.final, end)]
        return bool(max(ending, self.arc[list(path)].max(initial=0.0)) <= beam + self.slack)

    def beam_of(self, most: int, counted: npt.NDArray[np.bool_]) -> float:
        """The widest beam that keeps at most so many of some arcs; 0 where the best path alone has more."""
        margins = np.sort(self.arc[counted])
        # What is as near as the first one too many goes with it, as far as rounding can tell.
        return math.inf if most >= len(margins) else max(0.0, float(margins[most]) - 2 * self.slack)

    def _ends(self, beam: float) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.final <= beam + self.slack)


def prune(lattice: Lattice, beam: float, scales: Scales | None = None) -> Pruned:
    """See `Lattice.pruned`; arcs keep their order."""
    return Margins.of(lattice, scales).within(checked_beam(beam))


def checked_beam(beam: float) -> float:
    """A cost that is no less than nothing."""
    if not beam >= 0:
        raise UsageError(f"the beam is {beam}, and not a cost from 0 on")
    return beam


def _on_paths(lattice: Lattice, arcs: npt.NDArray[np.int64], final: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Those that still lie on a path: an arc at the beam's very edge may have lost its neighbours to rounding."""
    is_final = np.zeros(lattice.num_states, dtype=np.uint8)
    is_final[final] = 1
    source, target = lattice.source[arcs], lattice.target[arcs]
    rank = _native.order_states(source, target, 0, is_final)[0]
    return arcs[(rank[source] >= 0) & (rank[target] >= 0)]
