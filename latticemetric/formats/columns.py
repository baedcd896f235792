"""What a format does with score columns it has no place for: it refuses, and says how to go on."""

from __future__ import annotations

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.lattice import Column, Lattice
from latticemetric.nbest import NBest


def as_lattice(graph: Lattice | NBest) -> Lattice:
    """A lattice as it is; an n-best list as the lattice of its hypotheses."""
    return graph if isinstance(graph, Lattice) else graph.to_lattice()


def lattice_with_one_column(graph: Lattice | NBest, format_name: str) -> Lattice:
    """The graph as a lattice, if a format with one weight an arc can hold its scores."""
    lattice = as_lattice(graph)
    if len(lattice.scores) > 1:
        raise UsageError(
            f"{format_name} holds one score an arc, and this graph has {', '.join(lattice.scores)}",
            advice="add them up with --sum-scores",
        )
    return lattice


def summed(graph: Lattice | NBest, scales: dict[str, float] | None = None, name: str = "cost") -> Lattice:
    """The same lattice with a single score column: the model's cost under the scales."""
    from dataclasses import replace
    from types import MappingProxyType

    lattice = as_lattice(graph)
    cost = lattice.cost(scales)
    final = cost.final[lattice.final]
    for values in (cost.arc, final):
        values.flags.writeable = False
    if not (np.isfinite(cost.arc).all() and np.isfinite(final).all()):
        raise UsageError("the scaled scores add up to a number that is not finite")
    return replace(lattice, scores=MappingProxyType({name: Column(cost.arc, final)}))
