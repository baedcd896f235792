"""The native engine: search lattices and forests in C++.

The searches compose a graph with the automaton of a recognition rate on the fly. Kernels:

- `search/lattice_search.cpp`: lattices, with references that are strings; reference graphs, with strings
- `search/reference_graph_search.cpp`: lattices, with references that are graphs
- `search/spelled_search.cpp`: lattices, by character errors
- `search/loss_augmented_search.cpp`: the best strings of lattices, by metric alone or by metric and cost
- `forests/tables.hpp`: forests
- `ngrams/search.cpp`: gains of single n-grams

Searches that weigh a metric against costs convert both to integers, so that their sums are exact in any order.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.recognition import (
    Gains,
    MachinePath,
    Ratio,
    best_path_at,
    best_reading,
    ngram_total,
    path_of_best_rate,
    require_short,
)
from latticemetric.automata.reference import ReferenceGraph
from latticemetric.automata.spelling import SpelledLattice, Spelling
from latticemetric.engine.search import BestDerivation, ForestSearch, Search
from latticemetric.errors import InputError
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest
from latticemetric.lattice.lattice import Costs, Floats, Lattice, Steps
from latticemetric.lattice.n_best import TOO_MANY_NGRAMS, few_strings, small_enough
from latticemetric.memory import most_bytes
from latticemetric.vocabulary import EPSILON, Words


def best_path(lattice: Lattice, cost: Costs, word_counts: npt.NDArray[np.uint8]) -> Steps:
    """Return the cheapest path of a lattice; for ties, see `latticemetric.engine.ties`."""
    return _native.best_path(lattice.native(cost, is_word=word_counts))


def search_lattice(search: Search) -> MachinePath:
    """Return the best path of a lattice under a recognition rate."""
    if search.spelling is not None:
        return _search_spelled(search, search.spelling)
    graph, reference = search.lattice.native(search.cost, search.label, search.is_word), search.reference
    if isinstance(reference, ReferenceGraph):
        if _is_one_path(search.lattice):
            words = search.label[search.label != EPSILON]
            return MachinePath(np.arange(len(search.label)), best_reading(reference, words, search.gains).ratio)
        return path_of_best_rate(partial(best_path_at, graph, reference.native(), search.gains), search.gains)
    arcs, gain = _native.search_lattice(graph, reference, search.gains)
    return MachinePath(arcs, Ratio(gain, ngram_total(len(reference), search.gains.order)))


def _is_one_path(lattice: Lattice) -> bool:
    """Return True if a lattice has no branches, as a transcript has none."""
    states = np.arange(lattice.num_states)
    return (
        np.array_equal(lattice.source, states[:-1])
        and np.array_equal(lattice.target, states[1:])
        and lattice.final.tolist() == [lattice.num_states - 1]
    )


# The longest reference, in units, for `spelled_search.cpp`, which computes whole columns. For longer references, a
# search of the lattice of units needs less memory, since it computes only a band of each column.
_MOST_UNITS = 4096


def _search_spelled(search: Search, spelling: Spelling) -> MachinePath:
    """Return the best path of a lattice whose words consist of units (such as characters).

    If gains are edit distances, the kernel `search/spelled_search.cpp` splits words into units during the search. For
    other rates, and for references that are graphs or very long, this function searches a lattice of units.
    """
    reference, gains = search.reference, search.gains
    if isinstance(reference, ReferenceGraph) or not gains.are_edits or len(reference) > _MOST_UNITS:
        in_units, spelled = search.in_units()
        best = search_lattice(in_units)
        return best._replace(arcs=spelled.arcs_of(best.arcs))
    graph = search.lattice.native(search.cost, spelling.label, search.is_word)
    arcs, errors = _native.search_spelled_lattice(graph, spelling.begin, spelling.units, spelling.separator, reference)
    return MachinePath(arcs, Ratio((len(reference) - errors) * gains.unit, len(reference)))


class BestArcs(NamedTuple):
    """All best paths as a lattice with start state 0. Several states may stand for one state of the searched lattice.

    Attributes:
        state: For each state, the state of the searched lattice.
        ends: 1 for each state where a best path ends.
        source: For each arc, its source state.
        target: For each arc, its target state.
        arc: For each arc, the arc of the searched lattice.
    """

    state: npt.NDArray[np.int32]
    ends: npt.NDArray[np.uint8]
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    arc: npt.NDArray[np.int64]


def best_arcs(search: Search, references: Sequence[Words]) -> BestArcs:
    """Return all paths that are best, by gain, against at least one reference; each path appears once."""
    if search.spelling is not None:
        in_units, spelled = search.in_units()
        return _best_arcs_of_words(best_arcs(in_units, references), spelled)
    for reference in references:
        require_short(len(reference), search.gains.order)
    numbers = [reference.tolist() for reference in references]
    graph = search.lattice.native(search.cost, search.label, search.is_word)
    return BestArcs(*_native.best_lattice(graph, numbers, search.gains))


def _best_arcs_of_words(best: BestArcs, spelled: SpelledLattice) -> BestArcs:
    """Convert the best paths of a lattice of units to paths of words: join the arcs of each word."""
    state = spelled.state[best.state]
    is_own = (state >= 0).tolist()  # a state of the lattice, and not within a word
    onward: dict[int, list[int]] = defaultdict(list)
    rows = list(zip(best.source.tolist(), best.target.tolist(), spelled.arc[best.arc].tolist(), strict=True))
    for source, target, _ in rows:
        if not is_own[source]:
            onward[source].append(target)
    joined = []
    for source, target, arc in rows:
        ends = [target] if is_own[source] else []
        while ends:
            end = ends.pop()
            if is_own[end]:
                joined.append((source, end, arc))
            else:
                ends += onward[end]
    number = np.cumsum(is_own) - 1
    source, target, arc = np.array(joined, dtype=np.int64).reshape(-1, 3).T
    own = np.flatnonzero(is_own)
    return BestArcs(
        state=state[own].astype(np.int32),
        ends=best.ends[own],
        source=number[source].astype(np.int32),
        target=number[target].astype(np.int32),
        arc=arc,
    )


_MOST_STRINGS = 2**60  # no search finds more
MOST_ITEMS = 2**60  # no search has more


def search_forest(search: ForestSearch) -> BestDerivation:
    """Return the best derivation of a forest under a recognition rate."""
    with small_enough():
        return BestDerivation(*_native.search_forest(_forest(search), search.reference, search.gains, most_bytes()))


class HopeDerivation(NamedTuple):
    """The derivation with the largest value, which is weighted gain − cost.

    `exact` is True if no cost was rounded.
    """

    edges: npt.NDArray[np.int64]
    value: Fraction
    exact: bool


def hope_derivations(
    searches: Sequence[ForestSearch], shares: Sequence[Fraction], model_cost: Costs
) -> list[HopeDerivation]:
    """Return, for each reference, the derivation with the largest share · gain − model cost.

    Args:
        searches: One search per reference, all of the same forest. The costs of the searches only decide ties, and may
            be rounded.
        shares: For each reference, the factor of its gains, at least 0. Gains are integers; see `Gains`.
        model_cost: The costs to subtract.
    """
    forest, cost = searches[0].forest, _finite(model_cost)
    whole, unit = _whole_costs(cost, _exponent_above(_native.largest_cost(forest.native(cost))))
    exact = all(bool((w.astype(np.float64) * float(unit) == c).all()) for w, c in zip(whole, cost, strict=True))
    target = searches[0].target
    lengths = target.counts(target.values > EPSILON).astype(np.float64)
    words = _largest_sum(forest, Costs(lengths, np.zeros(len(cost.final))))
    gain_weights, cost_weight, value_unit = _whole_weights(
        shares,
        unit,
        largest_sum=_largest_sum(forest, Costs(whole[0].astype(np.float64), whole[1].astype(np.float64))),
        largest_gain=_largest_gain(searches[0].gains, [search.reference for search in searches], words),
    )
    derivations = []
    for search, weight in zip(searches, gain_weights, strict=True):
        with small_enough():
            edges, value = _native.search_forest_for_hope(
                _forest(search), search.reference, search.gains, *whole, weight, cost_weight, most_bytes()
            )
        derivations.append(HopeDerivation(edges, value * value_unit, exact))
    return derivations


def _largest_sum(forest: Forest, cost: Costs) -> int:
    """Return an upper bound of the absolute cost of any part of a derivation."""
    largest = _native.largest_cost(forest.native(cost))
    if not math.isfinite(largest):
        raise InputError(
            "derivations are too long to be searched: they use shared nodes too often", advice="prune the forest"
        )
    return int(largest) + 1 if largest else 0


def _largest_gain(gains: Gains, references: Sequence[Words], words: int) -> int:
    """Return an upper bound of the absolute gain of any part of an alignment.

    `words` is an upper bound of the number of words on a path or in a derivation.
    """
    longest = max(map(len, references))
    return (longest + 1) * (gains.order * gains.unit + abs(gains.beta)) + (words + 1) * abs(gains.alpha)


def search_strings(search: ForestSearch, shown: Ragged, most: int) -> list[BestDerivation]:
    """Return the best derivation of each of the best strings, in descending order of gain.

    `most` is the largest number of strings. `shown` has the words of each edge's target side, without ignored words.
    Strings are distinct if they differ in the words of `shown`.
    """
    count = min(most, _MOST_STRINGS)
    with small_enough():
        edges, begin, gains = _native.best_strings(
            _forest(search),
            shown_begin=shown.begin,
            shown=shown.values,
            reference=search.reference,
            gains=search.gains,
            most=count,
            few=few_strings(count),
            most_bytes=most_bytes(),
        )
    return list(map(BestDerivation, np.split(edges, begin[1:-1]), gains))


class BestEdges(NamedTuple):
    """All best derivations as a forest. Several nodes may stand for one node of the searched forest.

    Attributes:
        head: For each edge, its head node.
        edge: For each edge, the edge of the searched forest.
        tails: For each edge, its tail nodes.
        goals: The goal nodes.
        goal: For each goal, its number (from 0) among the goals of the searched forest.
        node: For each node, the node of the searched forest.
    """

    head: npt.NDArray[np.int32]
    edge: npt.NDArray[np.int64]
    tails: Ragged
    goals: npt.NDArray[np.int32]
    goal: npt.NDArray[np.int64]
    node: npt.NDArray[np.int64]


def best_edges(search: ForestSearch, references: Sequence[Words]) -> BestEdges:
    """Return all derivations that are best, by gain, against at least one reference; each one appears once."""
    forest = search.forest
    with small_enough():
        head, edge, tail_begin, tail, goals, goal_of = _native.best_forest(
            _forest(search), [reference.tolist() for reference in references], search.gains, most_bytes()
        )
    node_of = np.zeros(int(head.max()) + 1, dtype=np.int64)
    node_of[head] = forest.head[edge]
    return BestEdges(head, edge, Ragged(tail_begin, tail), goals, np.searchsorted(forest.goals, goal_of), node_of)


def _forest(search: ForestSearch) -> _native.Forest:
    return search.forest.native(search.cost, search.target, search.words)


MOST_STEPS = 2**30 - 1
_MOST_BYTES = 2**30
_MOST_GAIN = 2**62


class StringLoss(NamedTuple):
    """A string with a small loss: its cheapest path, and the loss.

    `bound` is `None` if all strings with smaller losses come before this one in the list. Otherwise, the search stopped
    early, and may have missed strings with smaller losses; no missed string has a loss below `bound`.
    """

    arcs: npt.NDArray[np.int64]
    loss: Fraction
    bound: Fraction | None


def search_loss_augmented(
    lattice: Lattice,
    model_cost: Costs,
    *,
    label: Words,
    shown: Words,
    references: Sequence[Words],
    shares: Sequence[Fraction],
    starts: Sequence[int],
    gains: Gains,
    costs_count: bool,
    penalize: bool,
    most: int,
    steps: int = MOST_STEPS,
    memory: int | None = None,
) -> list[StringLoss]:
    """Return the strings with the smallest losses, in ascending order. The loss of a string is cost − gain.

    Args:
        lattice: The lattice.
        model_cost: The model's costs of the lattice.
        label: The word that the metric counts on each arc; ε if the arc has no word, an ignored word or a wildcard.
        shown: The word of each arc in the result; ε for ignored words. Two strings are distinct if these words differ.
        references: For each reference, the numbers of the words that the metric counts.
        shares: For each reference, the factor of its gains. Gains are integers; see `Gains`.
        starts: For each reference, the number to add to its gains.
        gains: The metric's parameters.
        costs_count: True if costs are part of the loss. If False, they only decide ties.
        penalize: True to add gains to the loss, instead of subtracting them.
        most: The largest number of strings to return.
        steps: The search stops after this number of string prefixes.
        memory: The search stops after it has used this number of bytes; by default, 1 GB.
    """
    require_short(sum(map(len, references)) + len(references) - 1, gains.order)  # of all, in one column
    cost = _finite(model_cost)
    largest = max(float(np.abs(costs).max(initial=0)) for costs in cost)
    whole, unit = _whole_costs(cost, _exponent_above(largest) + lattice.num_states.bit_length())
    largest_sum = max(int(np.abs(costs).max(initial=0)) for costs in whole) * lattice.num_states
    largest_gain = _largest_gain(gains, references, lattice.num_states) + max(map(abs, starts))
    if largest_gain > _MOST_GAIN:
        raise InputError("the gains are too large to be added up", advice="give alpha and beta with fewer digits")
    gain_weights, cost_weight, value_unit = _whole_weights(
        shares, unit if costs_count else Fraction(0), largest_sum=largest_sum, largest_gain=largest_gain
    )
    with small_enough():
        paths, exact, losses, bound = _native.loss_augmented_strings(
            lattice.native(model_cost, label),
            shown,
            *whole,
            [reference.tolist() for reference in references],
            gain_weights,
            cost_weight,
            penalize,
            gains,
            most=min(most, _MOST_STRINGS),
            most_steps=min(steps, MOST_STEPS),
            most_bytes=_MOST_BYTES if memory is None else memory,
            starts=list(starts),
        )
    limit = bound * value_unit
    found = zip(paths, losses, strict=True)
    strings = [(np.array(path, dtype=np.int64), loss * value_unit) for path, loss in found]
    return [StringLoss(*one, None if k < exact else limit) for k, one in enumerate(strings)]


_COST_BITS = 61  # bits of the largest sum of costs, as an integer
_VALUE_BITS = 123  # bits of the largest value (gains minus costs), as an integer


def _finite(cost: Costs) -> Costs:
    """Return the costs, with final cost 0 instead of infinity for states that are not final."""
    return Costs(cost.arc, np.where(np.isfinite(cost.final), cost.final, 0.0))


def _exponent_above(largest: float) -> int:
    """Return the exponent of the smallest power of two above `largest`."""
    if not math.isfinite(largest):
        raise InputError("the costs are too large to be added up", advice="prune the graph, or scale the costs down")
    return math.frexp(largest)[1]


def _whole_costs(
    cost: Costs, sum_exponent: int
) -> tuple[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], Fraction]:
    """Convert finite costs (of arcs or edges, and of ends) to integers; return the integers and their unit.

    A cost is its integer times the unit. Costs are rounded only if 61 bits cannot hold their sums, which are at most
    2 ** `sum_exponent` in absolute value.
    """
    exponent = sum_exponent - _COST_BITS
    arc, final = (np.round(np.ldexp(costs, -exponent)).astype(np.int64) for costs in cost)
    used = int(np.bitwise_or.reduce(np.concatenate([arc, final])))
    spare = (used & -used).bit_length() - 1 if used else 0
    return (arc >> spare, final >> spare), Fraction(2) ** (exponent + spare)


def _whole_weights(
    shares: Sequence[Fraction], cost_share: Fraction, *, largest_sum: int, largest_gain: int
) -> tuple[list[int], int, Fraction]:
    """Return the weights of gains (one per reference) and of costs as integers, and the unit of values.

    The value of a path is the weighted gain minus the weighted cost. Weights are rounded only if values may not fit
    into 128 bits. `largest_sum` is an upper bound of the absolute cost of a path; `largest_gain` is an upper bound of
    the absolute gain.
    """
    exact = [*shares, cost_share if largest_sum else Fraction(0)]  # the weight of costs of 0 needs no bits
    unit = Fraction(1, math.lcm(*(weight.denominator for weight in exact)))
    *gains, cost = (int(weight / unit) for weight in exact)
    largest = cost * largest_sum + 2 * max(gains) * largest_gain
    unit *= 2 ** max(0, largest.bit_length() - _VALUE_BITS)
    *gains, cost = (round(weight / unit) for weight in exact)
    return gains, cost, unit


# ---- Gains by n-grams of references, or by their posteriors ----

# Gains are rounded to multiples of a unit, since 64-bit floats add integers below 2**53 exactly. So strings with the
# same n-grams tie, and also strings whose posteriors differ only by rounding. The unit is at most 2**-41 of the largest
# possible gain of a path.
_GAIN_BITS = 42


class ExactGains(NamedTuple):
    """Gains whose sum along any path is exact: `ngram` has the gain of each n-gram, `word` is the gain of any word."""

    ngram: Floats
    word: float

    @classmethod
    def of(cls, ngram: Floats, word: float, largest: float) -> Self:
        """Round gains, so that their sums are exact; `largest` is an upper bound of the absolute gain of a path."""
        unit = unit_of_gains(largest)
        return cls(np.round(ngram / unit) * unit, round(word / unit) * unit)


def unit_of_gains(largest: float) -> float:
    """Return the unit of rounded gains; `largest` is an upper bound of the absolute gain of a path."""
    return math.ldexp(1.0, max(math.frexp(largest)[1] - _GAIN_BITS, -1000))


class _Ngrams(Protocol):
    """A trie with one row per n-gram: `parent` is the row of the n-gram without its last word, `word` the last word."""

    @property
    def order(self) -> int: ...
    @property
    def parent(self) -> Words: ...
    @property
    def word(self) -> Words: ...


def path_of_ngrams(lattice: _native.Lattice, ngrams: _Ngrams, gains: ExactGains) -> tuple[npt.NDArray[np.int64], bool]:
    """Return the arcs of the path with the largest gain of n-grams; for ties, see `latticemetric.engine.ties`.

    The second value is True if the numbers of arcs may have decided between paths. The labels of the lattice are words
    by their numbers in `ngrams`. Costs and words only decide ties.
    """
    with small_enough(TOO_MANY_NGRAMS):
        return _native.search_ngrams(lattice, ngrams.parent, ngrams.word, *gains)


class FoundDerivation(NamedTuple):
    """The derivation with the largest gain that a search found.

    No derivation gains more than `bound`. If `exact` is False, the search stopped early, and another derivation may be
    better.
    """

    edges: npt.NDArray[np.int64]
    bound: float
    exact: bool


def derivation_of_ngrams(
    forest: _native.Forest,
    own: Words,
    known: Words,
    ngrams: _Ngrams,
    gains: ExactGains,
    *,
    most_items: int = MOST_ITEMS,
    seconds: float = math.inf,
) -> FoundDerivation:
    """Find the derivation with the largest gain of n-grams; for ties, see `latticemetric.engine.ties`.

    `own` and `known` list the words that occur both in the forest and in the n-grams. `own` has their numbers in the
    forest, in ascending order. `known` has their numbers in the n-grams, in the same order.

    The search stops after `most_items` or `seconds`.
    """
    with small_enough(TOO_MANY_NGRAMS):
        found = _native.search_forest_ngrams(
            forest,
            own=own,
            known=known,
            parent=ngrams.parent,
            ending=ngrams.word,
            gain=gains.ngram,
            word_gain=gains.word,
            order=ngrams.order,
            most_items=min(most_items, MOST_ITEMS),
            seconds=seconds,
            most_bytes=most_bytes(),
        )
    return FoundDerivation(*found)
