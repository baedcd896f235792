"""Lattices where each string has one path: OpenFst removes ε and minimizes, our own kernel determinizes.

OpenFst's determinization may need exponentially many states, and ends the process when memory does. Ours is held to a
budget, as all kernels are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from latticemetric import _native
from latticemetric.errors import require_pynini
from latticemetric.fst_layout import FstArrays
from latticemetric.interchange import fst_from_arrays, fst_to_arrays, lattice_from_arrays, lattice_to_arrays
from latticemetric.lattice import Lattice, Scales

# Residual costs this close count as the same. By OpenFst's default, 2**-10, costs would come back shifted by 1e-3.
_DELTA = 2.0**-14


def determinize(lattice: Lattice, scales: Scales | None = None) -> Lattice:
    """See `Lattice.determinized`: ε-removal, determinization in the tropical semiring, minimization (Mohri 1997)."""
    require_pynini()
    arrays = lattice_to_arrays(lattice, scales, symbols=False)
    fst = fst_from_arrays(replace(arrays, input=lattice.word))
    fst.rmepsilon()
    fst.topsort()
    fst = fst_from_arrays(_determinized(fst))
    fst.minimize(delta=_DELTA)
    column = next(iter(lattice.scores)) if len(lattice.scores) == 1 else "cost"
    return lattice_from_arrays(fst_to_arrays(fst), lattice.vocabulary, column)


def _determinized(fst: Any) -> FstArrays:
    machine = fst_to_arrays(fst)
    source, target, word, cost, final = _native.determinize(
        machine.source, machine.target, machine.output, machine.weight, machine.final, machine.start, _DELTA
    )
    return FstArrays(0, final, source, target, word, word, cost)
