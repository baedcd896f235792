"""Prepare graphs for writing: refuse scores and labels that a format cannot hold."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latticemetric.errors import InputError, UsageError
from latticemetric.formats.streams.stream import warn
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import EPSILON

if TYPE_CHECKING:
    from latticemetric.forest.forest import Forest

_MOST_CELLS_A_BYTE = 16


def lattice_to_write(
    graph: Graph,
    format_name: str,
    labels: Collection[str] | None = (),
    *,
    one_score: bool = False,
    weights: bool = False,
) -> Lattice:
    """Return the graph as a lattice; refuse scores and labels that the format cannot hold.

    Args:
        graph: A lattice, an n-best list (its hypotheses become a lattice), or a forest that is a lattice.
        format_name: The format's name, for errors.
        labels: The labels that the format can hold; `None` for any.
        one_score: True if the format holds at most one score per arc.
        weights: True if the format can give scores a weight other than 1.
    """
    lattice = to_lattice(graph)
    if one_score and len(lattice.scores) > 1:
        raise UsageError(
            f"{format_name} holds one score per arc, and this graph has {', '.join(lattice.scores)}",
            advice="add them up with --sum-scores",
        )
    if not weights:
        require_unscaled(lattice, format_name)
    if labels is not None:
        require_labels(lattice, format_name, labels)
    return lattice


def to_lattice(graph: Graph) -> Lattice:
    """Return the graph as a lattice with all scores; warn if an n-best list without scores loses its order."""
    if isinstance(graph, Lattice):
        return graph
    if lost := getattr(graph, "node_labels", None):
        raise UsageError(
            f"lattices have no place for the labels of the forest's nodes ({', '.join(lost)})",
            advice="leave them out with --drop-labels",
        )
    lattice: Lattice = graph.to_lattice()
    has_scores = any(column.arc.any() for column in lattice.scores.values())
    if lattice.ranked and not has_scores and (lattice.source == 0).sum() > 1:
        _warn_of_rank()
    return lattice


@cache
def _warn_of_rank() -> None:
    """Warn once that an n-best list without scores loses the order of its hypotheses."""
    warn("lists without scores", "a lattice cannot keep the order (rank) of their hypotheses")


def require_unscaled(graph: Lattice | Forest, format_name: str) -> None:
    """Refuse score columns with a weight other than 1."""
    if weighed := [name for name, column in graph.scores.items() if column.scale != 1]:
        raise UsageError(
            f"{format_name} cannot say that {', '.join(weighed)} have a weight other than 1",
            advice="add the scores up with --sum-scores",
        )


def require_labels(graph: Lattice | Forest, format_name: str, known: Collection[str]) -> None:
    """Refuse labels other than the known ones."""
    if lost := set(graph.labels) - set(known):
        raise UsageError(
            f"{format_name} has no place for the labels {', '.join(sorted(lost))}",
            advice="leave them out with --drop-labels",
        )


def require_bare_ends(lattice: Lattice, format_name: str) -> None:
    """Refuse labels of final states."""
    if any(side.final.any() for side in lattice.labels.values()):
        raise UsageError(
            f"{format_name} has no place for labels of final states", advice="leave them out with --drop-labels"
        )


def require_dense(columns: int, rows: int, size: int) -> None:
    """Refuse sparse features if their columns would be far larger than the text, which has `size` bytes."""
    if columns * rows > _MOST_CELLS_A_BYTE * size + 1000:
        raise InputError(
            f"{columns} features of {rows} arcs are too sparse to be kept as columns",
            advice="leave out the features that few arcs have",
        )


def only_column(lattice: Lattice) -> Column:
    """Return the first score column; return zeros if the lattice has none."""
    nothing = Column(np.zeros(len(lattice.word)), np.zeros(len(lattice.final)))
    return next(iter(lattice.scores.values()), nothing)


def ends_in_last_state(lattice: Lattice) -> bool:
    """Check that the last state is the only final state, and that it has no costs or labels."""
    sides: list[Column | Labels] = [*lattice.scores.values(), *lattice.labels.values()]
    return lattice.final.tolist() == [lattice.num_states - 1] and not any(side.final.any() for side in sides)


class ClosedArcs(NamedTuple):
    """Hold the arcs of a lattice for formats without costs and labels of final states; labels are numbers of texts."""

    states: int
    source: list[int]
    target: list[int]
    word: list[int]
    costs: dict[str, list[float]]
    labels: dict[str, list[int]]


def closed_arcs(lattice: Lattice, *, new_end: bool) -> ClosedArcs:
    """Return the arcs; with `new_end`, more arcs carry costs and labels from the final states to one more state."""
    ends = lattice.final if new_end else lattice.final[:0]

    def values(side: Column | Labels) -> list[Any]:
        with_ends: list[Any] = np.concatenate([side.arc, side.final[: len(ends)]]).tolist()
        return with_ends

    return ClosedArcs(
        lattice.num_states + new_end,
        [*lattice.source.tolist(), *ends.tolist()],
        [*lattice.target.tolist(), *[lattice.num_states] * len(ends)],
        [*lattice.word.tolist(), *[EPSILON] * len(ends)],
        {name: values(column) for name, column in lattice.scores.items()},
        {name: values(side) for name, side in lattice.labels.items()},
    )


def without_labels(graph: Graph) -> Graph:
    """Return the graph without labels."""
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        return graph
    nothing: MappingProxyType[str, Any] = MappingProxyType({})
    if isinstance(graph, Lattice):
        return replace(graph, labels=nothing)
    return replace(graph, labels=nothing, node_labels=nothing)


def summed(graph: Graph, scales: dict[str, float] | None = None, name: str = "cost") -> Graph:
    """Return the graph with a single score, `name`: the model's cost under `scales`."""
    from latticemetric.nbest import Hypothesis, NBest

    if isinstance(graph, NBest):
        known, given = graph.score_names(), scales or {}
        if unknown := [scaled for scaled in given if scaled not in known]:
            raise InputError(
                f"there is no score column '{unknown[0]}' to scale", advice=f"the columns here are: {', '.join(known)}"
            )
        weights = {**dict.fromkeys(known, 1.0), **graph.scales, **given}
        costs = [math.fsum(weights[score] * cost for score, cost in h.scores.items()) for h in graph.hypotheses]
        return NBest(
            tuple(Hypothesis(h.words, {name: cost}) for h, cost in zip(graph.hypotheses, costs, strict=True)), {}
        )
    cost = graph.cost(scales)
    ends = graph.final if isinstance(graph, Lattice) else graph.goals
    final = cost.final[ends]
    for values in (cost.arc, final):
        values.flags.writeable = False
    return replace(graph, scores=MappingProxyType({name: Column(cost.arc, final)}))
