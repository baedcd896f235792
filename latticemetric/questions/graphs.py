"""Which graphs can stand for which."""

from __future__ import annotations

from latticemetric.errors import UsageError
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Lattice, Scales


def as_lattice(graph: Graph, scales: Scales | None = None) -> Lattice:
    """The graph itself, or the lattice it stands for: of an n-best list, with the scores that count."""
    if isinstance(graph, Lattice):
        return graph
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        return graph.to_lattice(keep=scales or ())
    if not hasattr(graph, "to_lattice"):
        raise UsageError(f"{type(graph).__name__} is no lattice, n-best list or forest", advice="see Lattice.from_…")
    return graph.to_lattice()
