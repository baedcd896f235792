"""The native engine: search in C++, fused with a recognition rate's automaton, for lattices and forests.

The kernels are `recognition_search.cpp` for references that are strings, `reference_graph_search.cpp` for graphs,
`forest_tables.hpp` for forests, and `weighed_strings.cpp` for strings by both metric and cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.ratio import Ratio, Reached, best_ratio, reached_by
from latticemetric.automata.recognition import Gains, ngram_total
from latticemetric.automata.reference import ReferenceGraph
from latticemetric.engine.search import BestDerivation, BestPath, ForestSearch, Search, StringSearch
from latticemetric.engine.whole_numbers import (
    WholeCosts,
    WholeWeights,
    exponent_above,
    finite_costs,
    halves,
    joined,
    largest_cost,
    whole_costs,
    whole_weights,
)
from latticemetric.errors import InputError
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest
from latticemetric.lattice.lattice import Costs, Lattice
from latticemetric.lattice.n_best import few_strings, small_enough
from latticemetric.memory import most_bytes
from latticemetric.vocabulary import EPSILON, Words


def search_lattice(search: Search) -> BestPath:
    """Return the best path of a lattice under a recognition rate."""
    reference = search.reference
    if isinstance(reference, ReferenceGraph):
        best = best_ratio(lambda rate: _best_at(search, reference, rate), search.gains)
        return BestPath(best.arcs, *best.ratio)
    arcs, high, low = _native.search_lattice(**_columns(search), reference=reference, **search.gains._asdict())
    return BestPath(arcs, (high << 64) + low, ngram_total(len(reference), search.gains.order))


def _best_at(search: Search, reference: ReferenceGraph, rate: Ratio) -> Reached:
    sizes = np.zeros(len(search.label), dtype=np.int32)
    return reached_by(_columns(search), sizes, reference, search.gains, rate)


def _columns(search: Search) -> dict[str, Any]:
    lattice, cost = search.lattice, search.cost
    return {
        "source": lattice.source,
        "target": lattice.target,
        "label": search.label,
        "is_word": search.is_word,
        "cost": cost.arc,
        "final_cost": cost.final,
    }


_MOST_STRINGS = 2**60  # more than any search finds


def search_forest(search: ForestSearch) -> BestDerivation:
    """Return the best derivation of a forest under a recognition rate."""
    with small_enough():
        edges, high, low = _native.search_forest(**_forest_columns(search), reference=search.reference)
    return BestDerivation(edges, joined(high, low))


class HopeDerivation(NamedTuple):
    """The best derivation by both gain and cost.

    Attributes:
        edges: Its edges, as in `Derivation`.
        value: Its weighted gain minus its cost, by the whole-number costs.
        exact: True if no cost was rounded to whole numbers.
    """

    edges: npt.NDArray[np.int64]
    value: Fraction
    exact: bool


def hope_derivations(
    searches: Sequence[ForestSearch], shares: Sequence[Fraction], model_cost: Costs
) -> list[HopeDerivation]:
    """Return, for each reference, the derivation with the largest share * gain − cost, in whole numbers.

    Args:
        searches: The same forest with each reference.
        shares: The weight of one unit of gain, for each reference; not negative.
        model_cost: The costs that are subtracted from gains. The searches' own costs may be rounded; they decide ties.
    """
    forest, cost = searches[0].forest, finite_costs(model_cost)
    costs = whole_costs(cost, exponent_above(_native.largest_cost(**forest.hypergraph(cost))))
    weights = whole_weights(
        shares,
        costs.unit,
        largest_sum=_largest_sum(forest, Costs(costs.arc.astype(np.float64), costs.final.astype(np.float64))),
        largest_gain=max(map(_largest_gain, searches)),
    )
    is_exact = costs.is_exact(model_cost)
    pairs = zip(searches, weights.gains, strict=True)
    return [_hope(search, costs, weights, weight, is_exact=is_exact) for search, weight in pairs]


def _hope(
    search: ForestSearch, costs: WholeCosts, weights: WholeWeights, weight: int, *, is_exact: bool
) -> HopeDerivation:
    with small_enough():
        edges, high, low = _native.search_forest_for_hope(
            **_forest_columns(search),
            reference=search.reference,
            whole_cost=costs.arc,
            whole_goal_cost=costs.final,
            gain_weight=halves(weight),
            cost_weight=halves(weights.cost),
        )
    return HopeDerivation(edges, joined(high, low) * weights.unit, is_exact)


def _largest_sum(forest: Forest, cost: Costs) -> int:
    """Return an upper bound of the absolute sum of costs along a derivation, or any part of it."""
    largest = _native.largest_cost(**forest.hypergraph(cost))
    if not math.isfinite(largest):
        raise InputError("derivations are too long to be searched: nodes share their parts too often")
    return int(largest) + 1


def _largest_gain(search: ForestSearch) -> int:
    """Return an upper bound of the absolute gain of an alignment, or of any part of it."""
    order, unit, alpha, beta = search.gains
    lengths = search.target.only(search.target.values > EPSILON).lengths().astype(np.float64)
    words = _largest_sum(search.forest, Costs(lengths, np.zeros(len(search.cost.final))))
    return (len(search.reference) + 1) * (order * unit + abs(beta)) + (words + 1) * abs(alpha)


def search_strings(search: StringSearch, most: int) -> list[BestDerivation]:
    """Return the best derivation of each of the best strings, for at most `most` strings."""
    forest_search, count = search.search, min(most, _MOST_STRINGS)
    with small_enough():
        edges, begin, high, low = _native.best_strings(
            **_forest_columns(forest_search),
            shown_begin=search.shown.begin,
            shown=search.shown.values,
            rank=search.rank,
            reference=forest_search.reference,
            most=count,
            few=few_strings(count),
        )
    gains = map(joined, high.tolist(), low.tolist())
    return list(map(BestDerivation, np.split(edges, begin[1:-1]), gains))


class BestEdges(NamedTuple):
    """All best derivations, as a graph: each of its nodes is a forest node in one state of the search.

    Attributes:
        head: Node of each edge.
        edge: The forest's edge of each edge.
        tails: The nodes of each edge's tails.
        goals: Nodes in which derivations end.
        goal: The forest's goal of each of these nodes, counted from 0.
        node: The forest's node of each node.
    """

    head: npt.NDArray[np.int32]
    edge: npt.NDArray[np.int64]
    tails: Ragged
    goals: npt.NDArray[np.int32]
    goal: npt.NDArray[np.int64]
    node: npt.NDArray[np.int64]


def best_edges(search: ForestSearch, references: Sequence[Words]) -> BestEdges:
    """Return all derivations with the largest gain against any of the references, each of them once."""
    forest = search.forest
    with small_enough():
        head, edge, tail_begin, tail, goals, goal_of = _native.best_forest(
            **_forest_columns(search), references=[reference.tolist() for reference in references]
        )
    node_of = np.zeros(int(head.max()) + 1, dtype=np.int64)
    node_of[head] = forest.head[edge]
    return BestEdges(head, edge, Ragged(tail_begin, tail), goals, np.searchsorted(forest.goals, goal_of), node_of)


def _forest_columns(search: ForestSearch) -> dict[str, Any]:
    return {
        **search.forest.hypergraph(search.cost, search.target, search.words),
        "most_bytes": most_bytes(),
        **search.gains._asdict(),
    }


MOST_STEPS = 2**30 - 1
_MOST_BYTES = 2**30


@dataclass(frozen=True)
class LossAugmentedSearch:
    """One lattice, some references, and the weights of gains and costs.

    Attributes:
        lattice: The lattice.
        label: The word as which each arc is counted; ε for ε, ignored words and wildcards.
        shown: The word of each arc in the result, which distinguishes strings; ε for ignored words.
        cost: The model's cost.
        references: Counted words of each reference, as numbers.
        shares: The weight of one unit of gain against each of them.
        costs_count: True if costs are part of the loss; if False, they only decide ties.
        penalize: True if gains add to the loss; if False, they are subtracted.
        gains: The metric's parameters.
    """

    lattice: Lattice
    label: Words
    shown: Words
    cost: Costs
    references: Sequence[Words]
    shares: Sequence[Fraction]
    costs_count: bool
    penalize: bool
    gains: Gains


class LossAugmentedStrings(NamedTuple):
    """The strings of least loss, in order.

    Attributes:
        paths: The arcs of the cheapest path of each string.
        exact: The number of strings, from the first on, that are known to be the best.
        bound: No other string has a smaller loss than this; not used if all strings are exact.
    """

    paths: list[npt.NDArray[np.int64]]
    exact: int
    bound: Fraction


def search_loss_augmented(search: LossAugmentedSearch, most: int, steps: int) -> LossAugmentedStrings:
    """Return the best distinct strings, at most `most`; stop the search after `steps` prefixes."""
    lattice = search.lattice
    cost = finite_costs(search.cost)
    costs = whole_costs(cost, exponent_above(largest_cost(cost)) + lattice.num_states.bit_length())
    weights = whole_weights(
        search.shares,
        costs.unit if search.costs_count else Fraction(0),
        largest_sum=costs.largest() * lattice.num_states,
        largest_gain=_largest_string_gain(search),
    )
    with small_enough():
        paths, exact, high, low = _native.weighed_strings(
            lattice.source,
            lattice.target,
            search.label,
            search.shown,
            costs.arc,
            costs.final,
            np.isfinite(search.cost.final).astype(np.uint8),
            [reference.tolist() for reference in search.references],
            [halves(weight) for weight in weights.gains],
            halves(weights.cost),
            search.penalize,
            *search.gains,
            most=most,
            most_steps=min(steps, MOST_STEPS),
            most_bytes=_MOST_BYTES,
        )
    return LossAugmentedStrings(
        [np.array(path, dtype=np.int64) for path in paths], exact, joined(high, low) * weights.unit
    )


def _largest_string_gain(search: LossAugmentedSearch) -> int:
    """Return an upper bound of the absolute gain of an alignment, or of any part of it."""
    order, unit, alpha, beta = search.gains
    words = max(map(len, search.references)) + 1
    return words * (order * unit + abs(beta)) + (search.lattice.num_states + 1) * abs(alpha)
