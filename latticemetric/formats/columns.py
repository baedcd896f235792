"""What a format does with score columns it has no place for: it refuses, and says how to go on."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from latticemetric.errors import InputError, UsageError
from latticemetric.formats.streams.stream import warn
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Lattice

if TYPE_CHECKING:
    from latticemetric.forest.forest import Forest
    from latticemetric.nbest import NBest

_MOST_CELLS_A_BYTE = 16


def as_lattice(graph: Graph) -> Lattice:
    """A lattice as it is; an n-best list as that of its hypotheses, with all scores; a forest if it is one."""
    if isinstance(graph, Lattice):
        return graph
    lost = getattr(graph, "node_labels", None)
    if lost:
        raise UsageError(
            f"lattices have no place for what the forest says of its nodes ({', '.join(lost)})",
            advice="leave it out with --drop-labels",
        )
    lattice: Lattice = graph.to_lattice()
    has_scores = any(column.arc.any() for column in lattice.scores.values())
    if lattice.ranked and not has_scores and (lattice.source == 0).sum() > 1:
        _warn_of_rank()
    return lattice


@cache
def _warn_of_rank() -> None:
    """Say once that a list without scores loses the order of its hypotheses."""
    warn("lists without scores", "their order, which is their rank, has no place in a lattice")


def as_forest(graph: Graph) -> Forest:
    """A forest as it is; a lattice, or an n-best list as its lattice, as a forest of the same strings."""
    from latticemetric.forest.forest import Forest

    return graph if isinstance(graph, Forest) else Forest.from_lattice(as_lattice(graph))


def lattice_with_one_column(graph: Graph, format_name: str) -> Lattice:
    """The graph as a lattice, if a format with one weight an arc can hold its scores."""
    lattice = as_lattice(graph)
    if len(lattice.scores) > 1:
        raise UsageError(
            f"{format_name} holds one score an arc, and this graph has {', '.join(lattice.scores)}",
            advice="add them up with --sum-scores",
        )
    return lattice


def require_unscaled(lattice: Lattice | Forest, format_name: str) -> None:
    """Refuses columns that do not count as they are, where a format cannot say so."""
    weighed = [name for name, column in lattice.scores.items() if column.scale != 1]
    if weighed:
        raise UsageError(
            f"{format_name} cannot say that {', '.join(weighed)} have a weight other than 1",
            advice="add the scores up with --sum-scores",
        )


def require_labels(lattice: Lattice | Forest, format_name: str, known: set[str]) -> None:
    """Refuses labels that a format has no place for."""
    lost = set(lattice.labels) - known
    if lost:
        raise UsageError(
            f"{format_name} has no place for the labels {', '.join(sorted(lost))}",
            advice="leave them out with --drop-labels",
        )


def require_dense(columns: int, rows: int, size: int) -> None:
    """Refuses features that so few rows have that their columns would be far larger than the text they stand in."""
    if columns * rows > _MOST_CELLS_A_BYTE * size + 1000:
        raise InputError(
            f"{columns} features of {rows} arcs are too sparse to be kept as columns",
            advice="leave out the features that few arcs have",
        )


def without_labels(graph: Graph) -> Graph:
    """The same graph without labels."""
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        return graph
    nothing: MappingProxyType[str, Any] = MappingProxyType({})
    if isinstance(graph, Lattice):
        return replace(graph, labels=nothing)
    return replace(graph, labels=nothing, node_labels=nothing)


def summed(graph: Graph, scales: dict[str, float] | None = None, name: str = "cost") -> Graph:
    """The same graph with a single score: the model's cost under the scales."""
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        return _summed_list(graph, scales or {}, name)
    cost = graph.cost(scales)
    ends = graph.final if isinstance(graph, Lattice) else graph.goals
    final = cost.final[ends]
    for values in (cost.arc, final):
        values.flags.writeable = False
    return replace(graph, scores=MappingProxyType({name: Column(cost.arc, final)}))


def _summed_list(graph: NBest, scales: dict[str, float], name: str) -> NBest:
    from latticemetric.nbest import Hypothesis, NBest

    known = graph.score_names()
    for scaled in scales:
        if scaled not in known:
            raise InputError(
                f"there is no score column '{scaled}' to scale", advice=f"the columns here are: {', '.join(known)}"
            )
    weights = {**dict.fromkeys(known, 1.0), **graph.scales, **scales}
    hypotheses = tuple(
        Hypothesis(h.words, {name: math.fsum(weights[score] * cost for score, cost in h.scores.items())})
        for h in graph.hypotheses
    )
    return NBest(hypotheses, {})
