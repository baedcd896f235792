"""Convert several lattices to and from one flat array, k2's vector of Fsas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.lattice.columns import Scales
from latticemetric.lattice.k2 import K2Arrays, lattice_of_machine, lattice_to_k2, machines_of
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import Vocabulary


def lattices_from_k2(
    arcs: Any, scores: Any = None, *, aux_labels: Any = None, vocabulary: Vocabulary | None = None
) -> list[Lattice]:
    """Build one lattice per Fsa from the arrays of a k2 vector of Fsas, or of a single Fsa; see `Lattice.from_k2`.

    Args:
        arcs: The k2 tensor of an Fsa or of a vector of Fsas (`fsa.as_dict()["arcs"]`).
        scores: The score of each arc; by default, the score in `arcs`.
        aux_labels: The words of all arcs, if the labels are not the words.
        vocabulary: Maps word numbers to words.

    Examples:
        >>> vector = lattices_to_k2([Lattice.from_strings(["4 5", "4"]), Lattice.from_strings(["6"])])
        >>> [len(list(lattice.paths())) for lattice in lattices_from_k2(vector.arcs)]
        [2, 1]
    """
    return [lattice_of_machine(Lattice, one) for one in machines_of(arcs, scores, aux_labels, vocabulary)]


def lattices_to_k2(lattices: Iterable[Lattice], scales: Scales | None = None) -> K2Arrays:
    """Return lattices as the arrays of a k2 vector of Fsas; see `Lattice.to_k2`.

    Build the vector with `k2.Fsa(torch.from_numpy(result.arcs))`.
    """
    if isinstance(lattices, Lattice) or not isinstance(lattices, Iterable):
        raise UsageError(f"lattices is a {type(lattices).__name__}", advice="give a list of lattices")
    several: list[Any] = list(lattices)
    for one in several:
        if not isinstance(one, Lattice):
            what = f"a {type(one).__name__} is given in place of a lattice"
            raise UsageError(what, advice="give a list of lattices; NBest.to_lattice makes one of an n-best list")
    found = [lattice_to_k2(lattice, scales) for lattice in several]
    states = np.cumsum([0, *(lattice.num_states + 1 for lattice in several)])
    arcs = np.cumsum([0, *(len(one.arcs) for one in found)])
    parts = [np.array([len(found), 0]), states, arcs, *(one.arcs.ravel() for one in found)]
    aux = None
    if any(one.aux_labels is not None for one in found):
        sides = [one.arcs[:, 2] if one.aux_labels is None else one.aux_labels for one in found]
        aux = np.concatenate(sides).astype(np.int32)
    return K2Arrays(np.concatenate(parts).astype(np.int32), aux)
