"""Lattices where each string has one path, by way of OpenFst."""

from __future__ import annotations

from dataclasses import replace

from latticemetric.errors import require_pynini
from latticemetric.interchange import fst_from_arrays, fst_to_arrays, lattice_from_arrays, lattice_to_arrays
from latticemetric.lattice import Lattice, Scales

# Residual costs this close count as the same. By OpenFst's default, 2**-10, costs would come back shifted by 1e-3.
_DELTA = 2.0**-14


def determinize(lattice: Lattice, scales: Scales | None = None) -> Lattice:
    """See `Lattice.determinized`: ε-removal, determinization in the tropical semiring, minimization (Mohri 1997)."""
    require_pynini()
    import pynini

    arrays = lattice_to_arrays(lattice, scales, symbols=False)
    fst = fst_from_arrays(replace(arrays, input=lattice.word))
    fst.rmepsilon()
    fst = pynini.determinize(fst, delta=_DELTA)
    fst.minimize(delta=_DELTA)
    column = next(iter(lattice.scores)) if len(lattice.scores) == 1 else "cost"
    return lattice_from_arrays(fst_to_arrays(fst), lattice.vocabulary, column)
