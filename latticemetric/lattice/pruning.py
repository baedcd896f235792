"""Beam pruning: keep the part of a lattice near its best path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import is_beyond_floats, is_finite, real_number
from latticemetric.errors import InputError, UsageError
from latticemetric.lattice.columns import Floats, Weights, taken

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays

AnyLattice = TypeVar("AnyLattice", bound="LatticeArrays")

ROUNDING = 2.0**-44
"""The largest rounding error of a sum of costs, divided by the largest cost."""


def rounding_within(beam: float, *parts: tuple[Floats, Floats]) -> float:
    """Return the largest rounding error of the margins within a beam.

    Each part is a pair of arrays of the same length: margins, and absolute costs. A cost counts only if its margin is
    within the beam: some decoders write 1e30 for what is impossible.
    """
    slack = math.inf
    # Each round leaves out the costs that are beyond the beam even with the rounding error of the round before.
    while (less := ROUNDING * max(float(costs.max(initial=0.0)) for _, costs in parts)) < slack:
        slack = less
        near = [margins <= beam + slack for margins, _ in parts]
        parts = tuple((margins[n], costs[n]) for n, (margins, costs) in zip(near, parts, strict=True))
    return slack


def within_beam(costs: Floats, beam: float) -> npt.NDArray[np.bool_]:
    """Return True for each cost that is at most `beam` above the least cost, up to rounding."""
    margins: Floats = costs - costs.min()
    beam = checked_beam(beam)
    kept: npt.NDArray[np.bool_] = margins <= beam + rounding_within(beam, (margins, np.abs(costs)))
    return kept


@dataclass(frozen=True, eq=False)
class PruningMargins(Generic[AnyLattice]):
    """The margin of each arc and final state: the cost of the best path that uses it, minus the best cost.

    A path uses a final state if it ends in this state. Margins do not depend on the beam. `arc_size` has the absolute
    cost of each arc; `final_size` has the absolute cost of the best path to each final state.
    """

    lattice: AnyLattice
    arc: Floats
    final: Floats
    arc_size: Floats
    final_size: Floats

    @classmethod
    def of(cls, lattice: AnyLattice, weights: Weights | None = None) -> PruningMargins[AnyLattice]:
        """Compute the margins, with costs weighted by `weights`."""
        cost = lattice.cost(weights)
        arc, ending = _native.best_costs_through_arcs(lattice.native(cost))
        closing = ending[lattice.final]
        best = closing.min()
        return PruningMargins(lattice, arc - best, closing - best, np.abs(cost.arc), np.abs(closing))

    def slack(self, beam: float) -> float:
        """Return the largest rounding error of the margins within a beam."""
        return rounding_within(beam, (self.arc, self.arc_size), (self.final, self.final_size))

    def limit(self, beam: float) -> float:
        """Return the largest margin that counts as within the beam: the beam and the largest rounding error."""
        beam = checked_beam(beam)
        return beam + self.slack(beam)

    def kept(self, beam: float) -> npt.NDArray[np.int64]:
        """Return the arcs of paths within the beam, in ascending order."""
        return self._arcs(self.limit(beam))

    def _arcs(self, limit: float) -> npt.NDArray[np.int64]:
        lattice = self.lattice
        is_final = np.zeros(lattice.num_states, dtype=np.uint8)
        is_final[lattice.final[self.final <= limit]] = 1
        arcs = np.flatnonzero(self.arc <= limit)
        # Rounding may cut off the neighbours of an arc at the limit of the beam: keep only arcs on complete paths.
        source, target = lattice.source[arcs], lattice.target[arcs]
        rank = _native.order_states(source, target, 0, is_final)[0]
        return arcs[(rank[source] >= 0) & (rank[target] >= 0)]

    def within(self, beam: float) -> tuple[AnyLattice, npt.NDArray[np.int64]]:
        """Return the part of the lattice within the beam, and the numbers of its arcs in the original lattice."""
        limit = self.limit(beam)
        lattice, arcs, ends = self.lattice, self._arcs(limit), np.flatnonzero(self.final <= limit)
        left = type(lattice).from_arcs(
            lattice.source[arcs],
            lattice.target[arcs],
            lattice.word[arcs],
            final=lattice.final[ends],
            scores=taken(lattice.scores, arcs, ends),
            vocabulary=lattice.vocabulary,
            times=lattice.times,
            labels=taken(lattice.labels, arcs, ends),
        )
        return replace(left, ranked=lattice.ranked), arcs

    def hold(self, path: Sequence[int], beam: float) -> bool:
        """Check whether the beam keeps this complete path."""
        lattice = self.lattice
        end = int(lattice.target[path[-1]]) if len(path) else 0
        ending = self.final[np.searchsorted(lattice.final, end)]
        return bool(max(ending, self.arc[list(path)].max(initial=0.0)) <= self.limit(beam))

    def beam_of(self, limit: int, counted: npt.NDArray[np.bool_]) -> float:
        """Return the widest beam that keeps at most `limit` of the arcs that are marked in `counted`.

        Return 0 if the best path alone has more marked arcs, and infinity if the whole lattice has at most `limit`.
        """
        margins = np.sort(self.arc[counted])
        # The beam also drops arcs with the same margin (up to rounding) as the first arc that does not fit.
        if limit >= len(margins):
            return math.inf
        first = float(margins[limit])
        return max(0.0, first - 2 * self.slack(first))


def prune(lattice: AnyLattice, beam: float, weights: Weights | None = None) -> tuple[AnyLattice, npt.NDArray[np.int64]]:
    """Return the pruned lattice, and the numbers of its arcs in the original lattice. See `Lattice.pruned`."""
    return PruningMargins.of(lattice, weights).within(beam)


def checked_beam(beam: float) -> float:
    """Return the beam; raise an error if it is negative or NaN."""
    if not (is_finite(beam) or is_beyond_floats(beam)) or beam < 0:
        raise UsageError(f"the beam is {beam!r}, but it must be a cost of at least 0")
    return math.inf if is_beyond_floats(beam) else float(beam)


_MOST_ARCS = 2**62


def chosen_beam(
    lattice: LatticeArrays, beam: float | None, weights: Weights | None, *, density: float | None, nbest: int | None
) -> float:
    """Return the beam for the limit that is given: `beam`, `density` or `nbest`. See `Lattice.pruned`.

    Give exactly one of the three limits; the others must be `None`.
    """
    require_one(beam=beam, density=density, nbest=nbest)
    if nbest is not None:
        return beam_of_strings([lattice.cost_of(path, weights) for path in lattice.n_best(nbest, weights)])
    if density is None:
        assert beam is not None
        return checked_beam(beam)
    advice = "give a number above 0: the number of arcs with a word, divided by the number of words of the 1-best"
    density = real_number(density, f"the density is {density!r}", advice, least=math.ulp(0))
    is_word = lattice.is_word() > 0
    words = int(is_word[lattice.best_path(weights)].sum())
    if not words:
        raise InputError("the 1-best has no words, so the lattice has no density", advice="prune by a beam")
    # Allow for rounding: a product that should be a whole number must not lose an arc.
    return PruningMargins.of(lattice, weights).beam_of(int(min(density * words + 1e-9, _MOST_ARCS)), is_word)


def require_one(**given: float | None) -> None:
    """Raise an error unless exactly one of these parameters is given (not `None`)."""
    if sum(value is not None for value in given.values()) != 1:
        raise UsageError("pruning needs exactly one limit", advice=f"give one of {', '.join(given)}")


def beam_of_strings(costs: Sequence[float]) -> float:
    """Return the narrowest beam that keeps all paths with these costs; costs are in ascending order."""
    return max(0.0, costs[-1] - costs[0])
