"""Determinize lattices (`kernels/graphs/determinization.cpp`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from latticemetric import _native
from latticemetric.lattice.columns import Column, Weights
from latticemetric.lattice.n_best import small_enough

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays

AnyLattice = TypeVar("AnyLattice", bound="LatticeArrays")

# Costs are rounded to multiples of this number, so that states that nearly agree become one. OpenFst's default, 2**-10,
# is 16 times larger.
_UNIT = 2.0**-14


def determinize(lattice: AnyLattice, weights: Weights | None = None) -> AnyLattice:
    """Return the smallest lattice without ε and with one path per string; see `Lattice.determinized`."""
    with small_enough():
        source, target, word, cost, final_cost = _native.determinize(
            lattice.native(lattice.cost(weights), lattice.word), _UNIT
        )
    name = next(iter(lattice.scores)) if len(lattice.scores) == 1 else "cost"
    final = np.flatnonzero(np.isfinite(final_cost)).astype(np.int32)
    return type(lattice).from_arcs(
        source,
        target,
        word,
        final=final,
        scores={name: Column(cost, final_cost[final])},
        vocabulary=lattice.vocabulary,
        copy=False,
    )
