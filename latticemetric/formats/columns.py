"""What a format does with score columns it has no place for: it refuses, and says how to go on."""

from __future__ import annotations

from latticemetric.errors import UsageError
from latticemetric.lattice import Column, Lattice
from latticemetric.nbest import NBest


def as_lattice(graph: Lattice | NBest) -> Lattice:
    """A lattice as it is; an n-best list as the lattice of its hypotheses, with all scores."""
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


def require_unscaled(lattice: Lattice, format_name: str) -> None:
    """Refuses columns that do not count as they are, where a format cannot say so."""
    weighed = [name for name, column in lattice.scores.items() if column.scale != 1]
    if weighed:
        raise UsageError(
            f"{format_name} cannot say that {', '.join(weighed)} have a weight other than 1",
            advice="add the scores up with --sum-scores",
        )


def require_labels(lattice: Lattice, format_name: str, known: set[str]) -> None:
    """Refuses labels that a format has no place for."""
    lost = set(lattice.labels) - known
    if lost:
        raise UsageError(
            f"{format_name} has no place for the labels {', '.join(sorted(lost))}",
            advice="leave them out with --drop-labels",
        )


def without_labels(graph: Lattice | NBest) -> Lattice:
    """The same lattice without labels."""
    from dataclasses import replace
    from types import MappingProxyType

    return replace(as_lattice(graph), labels=MappingProxyType({}))


def summed(graph: Lattice | NBest, scales: dict[str, float] | None = None, name: str = "cost") -> Lattice:
    """The same lattice with a single score column: the model's cost under the scales."""
    from dataclasses import replace
    from types import MappingProxyType

    lattice = graph if isinstance(graph, Lattice) else graph.to_lattice(keep=scales or ())
    cost = lattice.cost(scales)
    final = cost.final[lattice.final]
    for values in (cost.arc, final):
        values.flags.writeable = False
    return replace(lattice, scores=MappingProxyType({name: Column(cost.arc, final)}))
