"""The native engine: a recognition rate's automaton fused with the search, in C++, for lattices and forests."""

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
from latticemetric.engine.search import ForestSearch, Found, FoundDerivation, Search, StringSearch
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

# ---- The fast road: the recognition rate's automaton fused with the search, in C++ ----
#
# `kernels/recognition_search.cpp` where the reference is a string, `kernels/reference_graph_search.cpp` where it is a
# graph.


def best_path(search: Search) -> Found:
    """The best path of a lattice under a recognition rate."""
    reference = search.reference
    if isinstance(reference, ReferenceGraph):
        found = best_ratio(lambda rate: _best_at(search, reference, rate), search.gains)
        return Found(found.arcs, *found.ratio)
    arcs, high, low = _native.search_lattice(**_question(search), reference=reference, **search.gains._asdict())
    return Found(arcs, (high << 64) + low, ngram_total(len(reference), search.gains.order))


def _best_at(search: Search, reference: ReferenceGraph, rate: Ratio) -> Reached:
    sizes = np.zeros(len(search.label), dtype=np.int32)
    return reached_by(_question(search), sizes, reference, search.gains, rate)


def _question(search: Search) -> dict[str, Any]:
    lattice, cost = search.lattice, search.cost
    return {
        "source": lattice.source,
        "target": lattice.target,
        "label": search.label,
        "is_word": search.is_word,
        "cost": cost.arc,
        "final_cost": cost.final,
    }


# ---- The fast road for forests: tables of what each node can gain, in C++ (`kernels/forest_tables.hpp`) ----

_MOST_STRINGS = 2**60  # what no search reaches


def best_derivation(search: ForestSearch) -> FoundDerivation:
    """The best derivation of a forest under a recognition rate."""
    with small_enough():
        edges, high, low = _native.search_forest(**_forest_question(search), reference=search.reference)
    return FoundDerivation(edges, joined(high, low))


class HopeDerivation(NamedTuple):
    """The best derivation by gain and cost together.

    Attributes:
        edges: Its edges, as in `Derivation`.
        value: Its weighed gain less its cost, in the costs that were compared.
        exact: Whether those are the costs of the search.
    """

    edges: npt.NDArray[np.int64]
    value: Fraction
    exact: bool


def hope_derivations(
    searches: Sequence[ForestSearch], shares: Sequence[Fraction], model_cost: Costs
) -> list[HopeDerivation]:
    """For each reference the derivation of the largest share * gain − cost, in whole numbers.

    Args:
        searches: The same forest with each reference.
        shares: What a unit of gain weighs, a reference; not negative.
        model_cost: The costs that gains are weighed against. Those of the searches, which may be rounded, decide ties.
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
    found = zip(searches, weights.gains, strict=True)
    return [_hope(search, costs, weights, weight, is_exact=is_exact) for search, weight in found]


def _hope(
    search: ForestSearch, costs: WholeCosts, weights: WholeWeights, weight: int, *, is_exact: bool
) -> HopeDerivation:
    with small_enough():
        edges, high, low = _native.search_forest_for_hope(
            **_forest_question(search),
            reference=search.reference,
            whole_cost=costs.arc,
            whole_goal_cost=costs.final,
            gain_weight=halves(weight),
            cost_weight=halves(weights.cost),
        )
    return HopeDerivation(edges, joined(high, low) * weights.unit, is_exact)


def _largest_sum(forest: Forest, cost: Costs) -> int:
    """No sum of costs along a derivation, or a part of it, is larger in size."""
    largest = _native.largest_cost(**forest.hypergraph(cost))
    if not math.isfinite(largest):
        raise InputError("derivations are too long to be searched: nodes share their parts too often")
    return int(largest) + 1


def _largest_gain(search: ForestSearch) -> int:
    """No gain, nor that of any part of an alignment, is larger in size."""
    order, unit, alpha, beta = search.gains
    said = search.said.only(search.said.values > EPSILON).lengths().astype(np.float64)
    words = _largest_sum(search.forest, Costs(said, np.zeros(len(search.cost.final))))
    return (len(search.reference) + 1) * (order * unit + abs(beta)) + (words + 1) * abs(alpha)


def best_strings(search: StringSearch, most: int) -> list[FoundDerivation]:
    """The best derivations of the best strings, at most so many."""
    asked, count = search.search, min(most, _MOST_STRINGS)
    with small_enough():
        edges, begin, high, low = _native.best_strings(
            **_forest_question(asked),
            shown_begin=search.shown.begin,
            shown=search.shown.values,
            rank=search.rank,
            reference=asked.reference,
            most=count,
            few=few_strings(count),
        )
    gains = map(joined, high.tolist(), low.tolist())
    return [FoundDerivation(*found) for found in zip(np.split(edges, begin[1:-1]), gains, strict=True)]


class BestEdges(NamedTuple):
    """All best derivations: a node of them is a node of the forest with what a derivation has to know of it.

    Attributes:
        head: Node of each edge.
        edge: Which edge of the forest each one is.
        tails: Nodes of its tails.
        goals: Nodes where derivations end.
        goal: Which goal of the forest each of them is, counted from 0.
        node: Which node of the forest each node is.
    """

    head: npt.NDArray[np.int32]
    edge: npt.NDArray[np.int64]
    tails: Ragged
    goals: npt.NDArray[np.int32]
    goal: npt.NDArray[np.int64]
    node: npt.NDArray[np.int64]


def best_edges(search: ForestSearch, references: Sequence[Words]) -> BestEdges:
    """All derivations that gain most against any of some references, each of them once."""
    forest = search.forest
    listed = [reference.tolist() for reference in references]
    with small_enough():
        head, edge, tail_begin, tail, goals, goal_of = _native.best_forest(
            **_forest_question(search), references=listed
        )
    node_of = np.zeros(int(head.max()) + 1, dtype=np.int64)
    node_of[head] = forest.head[edge]
    return BestEdges(head, edge, Ragged(tail_begin, tail), goals, np.searchsorted(forest.goals, goal_of), node_of)


def _forest_question(search: ForestSearch) -> dict[str, Any]:
    return {
        **search.forest.hypergraph(search.cost, search.said, search.words),
        "most_bytes": most_bytes(),
        **search.gains._asdict(),
    }


# ---- Strings of a lattice by metric and cost together, in C++ (`kernels/weighed_strings.cpp`) ----

MOST_STEPS = 2**30 - 1
_MOST_BYTES = 2**30


@dataclass(frozen=True)
class LossSearch:
    """One lattice, some references, and the weights of their gains against costs.

    Attributes:
        lattice: The lattice.
        label: What each arc counts as: a word number, or ε for ε, ignored words and wildcards.
        shown: What each arc says in the result, which is what makes strings different; ε for ignored words.
        cost: The model's cost.
        references: Counted words of each reference, as numbers.
        shares: What a unit of gain against each of them weighs.
        costs_count: Whether costs are part of the loss, or only decide among strings of equal loss.
        penalize: True where gains add to the loss; else they are subtracted.
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


class FoundStrings(NamedTuple):
    """The strings of least loss, in order.

    Attributes:
        paths: The arcs of each one's cheapest path.
        exact: So many of the first are known to be the best.
        bound: No other string has a smaller loss; of no meaning where all are exact.
    """

    paths: list[npt.NDArray[np.int64]]
    exact: int
    bound: Fraction


def strings_of_least_loss(search: LossSearch, most: int, steps: int) -> FoundStrings:
    """Distinct strings, at most so many; no more are known to be exact than `steps` prefixes tell."""
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
    return FoundStrings([np.array(path, dtype=np.int64) for path in paths], exact, joined(high, low) * weights.unit)


def _largest_string_gain(search: LossSearch) -> int:
    """No gain, nor that of any part of an alignment, is larger in size."""
    order, unit, alpha, beta = search.gains
    words = max(map(len, search.references)) + 1
    return words * (order * unit + abs(beta)) + (search.lattice.num_states + 1) * abs(alpha)
