"""Find hope, fear and worst strings, by metric and model cost together (Chiang 2012).

All three maximise an `Objective`. Hope maximises weight · metric − cost, fear maximises −weight · metric − cost. In
margin training, hope is the target and fear is the rival. The worst string maximises −metric; costs only decide ties.
If lower rates are better, the metric is 1 − rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from latticemetric.arguments import real_number, whole_number
from latticemetric.automata.recognition import Gains, ngram_total
from latticemetric.engine.native import MOST_STEPS, hope_derivations
from latticemetric.engine.ties import TieKey
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Steps, Weights
from latticemetric.lattice.n_best import number_of_strings
from latticemetric.lattice.pruning import PruningMargins, prune
from latticemetric.metrics.base import GraphReferences, listed_references
from latticemetric.metrics.character_rates import SpelledRate
from latticemetric.metrics.recognition import GRR, as_recognition_rate
from latticemetric.metrics.reference_checks import check_references
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import SearchResult
from latticemetric.oracle_search.search_space import ForestSpace, LatticeSpace, ListSpace, SearchSpace
from latticemetric.renamed import says_new_keywords

On = Literal["rate", "numerator"]

DEFAULT_CAP = 200_000
MOST_LISTED = 10_000


@dataclass(frozen=True, repr=False)
class Hope(SearchResult):
    """The best path or derivation by metric and model cost: the target of margin training.

    Attributes:
        value: weight · rate − cost or weight · numerator − cost, depending on `on`; for error rates, 1 − rate counts.
        one_best: The model's 1-best, scored in the same way.
        exact: True if no path has a larger value (up to the rounding of 64-bit sums), except paths of strings that
            `hopes` lists before this one.
        signature: The metric, its parameters and the version.
    """

    value: float

    _OWN = ("value",)


@dataclass(frozen=True, repr=False)
class Fear(SearchResult):
    """The string with the largest −weight · metric − cost: the rival of margin training.

    Attributes:
        value: −weight · rate − cost or −weight · numerator − cost, depending on `on`; for error rates, 1 − rate counts.
        bound: An upper bound of the values of all strings, except strings that `fears` lists before this one; equal to
            `value` if `exact`.
        one_best: The model's 1-best, scored in the same way.
        exact: True if no string has a larger value than `value` (up to the rounding of 64-bit sums), except strings
            that `fears` lists before this one.
        signature: The metric, its parameters and the version.
    """

    value: float
    bound: float

    _OWN = ("value", "bound")


@dataclass(frozen=True, repr=False)
class Worst(SearchResult):
    """The string with the worst score.

    Attributes:
        bound: A bound of the worst possible score; equal to `score` if `exact`.
        one_best: The model's 1-best, scored in the same way.
        exact: True if the graph has no string with a worse score.
        signature: The metric, its parameters and the version.
    """

    bound: float | None

    _OWN = ("bound",)


@says_new_keywords
def hope(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "wer",
    *,
    weight: float = 1.0,
    on: On = "rate",
    weights: Weights | None = None,
) -> Hope:
    """Return the path or derivation with the largest weight · metric − model cost.

    Ties are resolved by the tie rule (`latticemetric.engine.ties`).

    Args:
        graph: A lattice, a forest, or an n-best list.
        references: One reference as a string, or several; the best value over them counts.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.
        weight: Weight of the metric against the cost; 0 gives the model's 1-best.
        on: What to multiply by the weight: the metric's `rate` or its `numerator`.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y z"], costs=[5.0, 3.0, 1.0])
        >>> [hope(lattice, "a b c", "wrr", weight=w).words for w in (1.0, 6.0, 10.0)]
        [('x', 'y', 'z'), ('a', 'x', 'c'), ('a', 'b', 'c')]
    """
    if not isinstance(graph, Forest):
        return hopes(graph, references, metric, n=1, weight=weight, on=on, weights=weights)[0]
    rate, strings, signature = _checked(references, metric)
    objective = Objective.of(rate, strings, weight, on, penalize=False)
    space = ForestSpace(graph, rate, weights)
    searches = [space.search_for(reference) for reference in objective.references]
    derivations = hope_derivations(searches, objective.gain_shares, space.cost)
    gained = zip(derivations, objective.starts, objective.shares, strict=True)
    values = [derivation.value + start * share for derivation, start, share in gained]
    number = min(range(len(values)), key=lambda k: (-values[k], space.tie_key(derivations[k].edges)))
    best = derivations[number]
    weighted = objective.weighted(space.reported(best.edges))
    path = space.scored(best.edges, [weighted.reference])
    return Hope(
        **vars(path),
        value=objective.value(weighted, path.cost),
        one_best=space.scored(space.one_best(), strings),
        exact=best.exact,
        signature=signature,
    )


@says_new_keywords
def hopes(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "wer",
    *,
    n: int = 10,
    weight: float = 1.0,
    on: On = "rate",
    weights: Weights | None = None,
) -> list[Hope]:
    """Return the `n` strings with the largest weight · metric − model cost: distinct strings, best first.

    The result has the cheapest path of each string. Ties are resolved by the tie rule (`latticemetric.engine.ties`). A
    forest that `to_lattice` cannot convert may have at most 10,000 strings.

    Args:
        graph: A lattice, an n-best list, or a forest. A forest that `to_lattice` can convert is searched as a lattice;
            then results have the arcs of that lattice.
        references: One reference as a string, or several; the best value over them counts.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.
        n: Number of strings.
        weight: Weight of the metric against the cost.
        on: What to multiply by the weight: the metric's `rate` or its `numerator`.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y z"], costs=[5.0, 3.0, 1.0])
        >>> [(best.words, round(best.value, 4)) for best in hopes(lattice, "a b c", "wrr", n=2, weight=6.0)]
        [(('a', 'x', 'c'), 1.0), (('a', 'b', 'c'), 1.0)]
    """
    found = _answers(graph, references, metric, n=n, weight=weight, on=on, weights=weights, cap=None, penalize=False)
    return [Hope(**fields) for fields, _ in found]


@says_new_keywords
def fear(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "wer",
    *,
    weight: float = 1.0,
    on: On = "rate",
    weights: Weights | None = None,
    cap: int = DEFAULT_CAP,
) -> Fear:
    """Return the string with the largest −weight · metric − model cost.

    The metric of a string is the best over all references and alignments. Ties are resolved by the tie rule
    (`latticemetric.engine.ties`).

    Args:
        graph: A lattice, an n-best list, or a forest; see `fears`.
        references: One reference as a string, or several.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.
        weight: Weight of the metric against the cost; 0 gives the model's 1-best.
        on: What to multiply by the weight: the metric's `rate` or its `numerator`.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.
        cap: Stop the search after this number of string prefixes, and return the best string so far, with `exact=False`
            and a `bound`.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y z"], costs=[0.5, 1.0, 4.0])
        >>> [fear(lattice, "a b c", "wrr", weight=w).words for w in (1.0, 3.0, 9.0)]
        [('a', 'b', 'c'), ('a', 'x', 'c'), ('x', 'y', 'z')]
    """
    return fears(graph, references, metric, n=1, weight=weight, on=on, weights=weights, cap=cap)[0]


@says_new_keywords
def fears(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "wer",
    *,
    n: int = 10,
    weight: float = 1.0,
    on: On = "rate",
    weights: Weights | None = None,
    cap: int = DEFAULT_CAP,
) -> list[Fear]:
    """Return the `n` strings with the largest −weight · metric − model cost: distinct strings, largest first.

    The result has the cheapest path of each string. A forest that `to_lattice` cannot convert may have at most 10,000
    strings.

    Args:
        graph: A lattice, an n-best list, or a forest. A forest that `to_lattice` can convert is searched as a lattice;
            then results have the arcs of that lattice.
        references: One reference as a string, or several.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.
        n: Number of strings.
        weight: Weight of the metric against the cost.
        on: What to multiply by the weight: the metric's `rate` or its `numerator`.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.
        cap: Stop the search after this number of string prefixes; the remaining results are the best strings so far.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y z"], costs=[0.5, 1.0, 4.0])
        >>> [(best.words, best.value) for best in fears(lattice, "a b c", "wrr", n=2, weight=3.0)]
        [(('a', 'x', 'c'), -3.0), (('a', 'b', 'c'), -3.5)]
    """
    found = _answers(graph, references, metric, n=n, weight=weight, on=on, weights=weights, cap=cap, penalize=True)
    return [
        Fear(**fields, bound=fields["value"] if loss is None else max(fields["value"], _rounded_up(-loss)))
        for fields, loss in found
    ]


def _answers(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR,
    *,
    n: int,
    weight: float,
    on: On,
    weights: Weights | None,
    cap: int | None,
    penalize: bool,
) -> Iterator[tuple[dict[str, Any], Fraction | None]]:
    """For each of the best strings, yield the fields of its answer, and `StringByObjective.bound`."""
    rate, strings, signature = _checked(references, metric)
    objective = Objective.of(rate, strings, weight, on, penalize=penalize)
    space, best = strings_by_objective(graph, objective, weights, n, cap)
    common = {"one_best": space.scored(space.one_best(), strings), "signature": signature}
    for string in best:
        path = space.scored(string.path, [string.weighted.reference])
        value, exact = objective.value(string.weighted, path.cost), string.bound is None
        yield {**vars(path), "value": value, "exact": exact, **common}, string.bound


@says_new_keywords
def worst(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "wer",
    *,
    weights: Weights | None = None,
    cap: int = DEFAULT_CAP,
) -> Worst:
    """Return the worst-scoring string of a graph; the score of a string is its best score over all references.

    Ties are resolved by the tie rule (`latticemetric.engine.ties`).

    Args:
        graph: A lattice, an n-best list, or a forest. A forest that `to_lattice` can convert is searched as a lattice;
            then the result has the arcs of that lattice. Other forests may have at most 10,000 strings.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.
        cap: Stop the search after this number of string prefixes, and return the worst string so far, with
            `exact=False` and a `bound`.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y a b c"], costs=[2.0, 1.0, 3.0])
        >>> answer = worst(lattice, "a b c", "wer")
        >>> answer.words, answer.score, answer.exact
        (('x', 'y', 'a', 'b', 'c'), 0.6666666666666666, True)
    """
    rate, strings, signature = _checked(references, metric)
    objective = Objective.of(rate, strings, penalize=True, costs_count=False)
    space, (string,) = strings_by_objective(graph, objective, weights, 1, cap)
    path = space.scored(string.path, strings)
    bound = path.score
    if string.bound is not None and bound is not None:  # round away from the score, so that it stays a bound
        bound = -_rounded_up(-string.bound) if rate.higher_is_better else _rounded_up(1 - string.bound)
    return Worst(
        **vars(path),
        bound=bound,
        one_best=space.scored(space.one_best(), strings),
        exact=string.bound is None,
        signature=signature,
    )


def _checked(references: GraphReferences, metric: str | GRR) -> tuple[GRR, tuple[tuple[str, ...], ...], str]:
    """Return the metric as a recognition rate, the strings of all references, and the signature."""
    rate = as_recognition_rate(metric)
    check_references(references)
    return rate, strings_of_references(references), rate.signature_text(len(listed_references(references)))


def _rounded_up(value: Fraction) -> float:
    """Return the smallest 64-bit float that is at least `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


class WeightedMetric(NamedTuple):
    """The weighted metric of a string against its best reference, and this reference (ties: the first)."""

    value: Fraction
    reference: tuple[str, ...]


@dataclass(frozen=True)
class Objective:
    """A recognition rate, weighted against the model's cost.

    Attributes:
        metric: The recognition rate.
        references: The references; each string is compared with its best reference.
        gains: The gains of the search: those of the metric, or a multiple, so that `starts` are integers.
        shares: For each reference, the factor that turns a gain plus its start into the weighted metric.
        starts: For each reference, the number to add to each gain, from the offset of the rate.
        costs_count: True if costs are part of the value, False if they only decide ties.
        penalize: True for fear and worst, which subtract the metric.
    """

    metric: GRR
    references: tuple[tuple[str, ...], ...]
    gains: Gains
    shares: tuple[Fraction, ...]
    starts: tuple[int, ...]
    costs_count: bool
    penalize: bool

    @classmethod
    def of(
        cls,
        metric: GRR,
        references: Sequence[tuple[str, ...]],
        weight: float = 1.0,
        on: str = "rate",
        *,
        penalize: bool,
        costs_count: bool = True,
    ) -> Objective:
        """Return the objective that weighs the metric's rate or numerator against costs."""
        number = real_number(weight, f"the weight of {'fear' if penalize else 'hope'} is {weight}", "give a number ≥ 0")
        given: object = weight
        exact = given if isinstance(given, Fraction) else Fraction(number)
        if on not in {"rate", "numerator"}:
            raise UsageError(f"'{on}' cannot be weighed against costs", advice="choose rate or numerator")
        if on == "rate":
            # References without words have no rate: use them only if no reference has words.
            references = [reference for reference in references if metric.counted(reference)] or references
        totals = [ngram_total(len(metric.counted(reference)), metric.order) for reference in references]
        offset, scale = metric.rate_map.merit()
        start = offset * metric.gains.unit / scale  # of one word or n-gram, as a gain
        gains = metric.gains.times(start.denominator)
        shares = tuple(exact * scale / (gains.unit * ((total or 1) if on == "rate" else 1)) for total in totals)
        starts = tuple(start.numerator * total for total in totals)
        return cls(metric, tuple(references), gains, shares, starts, costs_count, penalize)

    @property
    def gain_shares(self) -> list[Fraction]:
        """For each reference, the factor of gains in the unit of the metric."""
        return [share * (self.gains.unit // self.metric.gains.unit) for share in self.shares]

    def weighted(self, words: Sequence[str]) -> WeightedMetric:
        """Return the weighted metric of a string against its best reference."""
        gains = [self.metric.gain(self.metric.statistics(words, [reference])) for reference in self.references]
        gained = zip(gains, self.gain_shares, self.starts, self.shares, strict=True)
        values = [gain * of_gain + start * share for gain, of_gain, start, share in gained]
        best = values.index(max(values))
        return WeightedMetric(values[best], self.references[best])

    def bounds(self, words: int) -> tuple[Fraction, Fraction]:
        """Return a lower and an upper bound of the weighted metric of strings of at most this number of words."""
        order, unit, alpha, beta = self.gains
        lengths = [len(self.metric.counted(reference)) for reference in self.references]
        # Each word may be inserted, and each reference word deleted; negative penalties are rewards.
        least = [-words * max(0, alpha) - length * max(0, beta) for length in lengths]
        most = [
            unit * ngram_total(length, order) + words * max(0, -alpha) + length * max(0, -beta) for length in lengths
        ]
        lower, upper = (
            max(share * (gain + start) for share, gain, start in zip(self.shares, gains, self.starts, strict=True))
            for gains in (least, most)
        )
        return lower, upper

    def value(self, weighted: WeightedMetric, cost: float) -> float:
        """Return the value to maximise: weighted metric (negated for fear and worst) minus cost, if costs count."""
        value = (-weighted.value if self.penalize else weighted.value) - (Fraction(cost) if self.costs_count else 0)
        try:
            return float(value)
        except OverflowError:
            raise InputError("the weight is too large for 64-bit numbers", advice="choose a smaller weight") from None


class StringByObjective(NamedTuple):
    """The cheapest path of a string, and the string's weighted metric.

    A string's loss is its negated objective. `bound` is `None` if only strings listed before this one can have smaller
    losses. Otherwise, the search stopped early, and strings that it did not find may have smaller losses; `bound` is a
    lower bound of these losses.
    """

    path: Steps
    weighted: WeightedMetric
    bound: Fraction | None


def strings_by_objective(
    graph: Graph, objective: Objective, weights: Weights | None, n: int, cap: int | None = None
) -> tuple[SearchSpace, list[StringByObjective]]:
    """Return the search space, and the `n` best strings by an objective.

    With a `cap`, the search stops after this number of string prefixes, and strings may have a `bound`.

    Raises:
        InputError: There is no cap, and the search does not fit into memory.
    """
    n = number_of_strings(n)
    if cap is not None:
        message, advice = f"cap is {cap!r}, not a number of string prefixes", f"give a whole number, 1 … {MOST_STEPS}"
        cap = whole_number(cap, message, advice, most=MOST_STEPS)
    try:
        lattice = graph.to_lattice() if isinstance(graph, Forest) else as_lattice(graph, weights)
    except InputError:
        if not isinstance(graph, Forest) or isinstance(objective.metric, SpelledRate):
            raise
        forest = ForestSpace(graph, objective.metric, weights)
        return forest, _best_of(forest, _all_paths(forest), objective, n)
    if lattice.ranked:
        listed = ListSpace(lattice, objective.metric, weights)
        return listed, _best_of(listed, listed.strings().values(), objective, n)
    space = LatticeSpace(lattice, objective.metric, weights)
    found = _StringSearch(space, objective, weights, n, cap or MOST_STEPS).strings()
    if cap is None and any(string.bound is not None for string in found):
        raise InputError(
            "the search for strings does not fit into memory", advice="ask for fewer strings, or prune the graph"
        )
    return space, found


# The search rounds costs whose sum may be as large as this to multiples of 2⁻²¹ or more.
_LARGE_SUM = 2.0**40
# The factor between successive beams.
_WIDER = 2.0**20


@dataclass(frozen=True)
class _StringSearch:
    """A search of a lattice for the `n` best strings by an objective, which stops after a number of steps.

    The native search rounds all costs to multiples of the same unit. Decoders write costs like 1e30 for what is
    impossible, and one such cost would make the others 0. If there are very large costs, this search looks within a
    beam first, and widens it.
    """

    space: LatticeSpace
    objective: Objective
    weights: Weights | None
    n: int
    steps: int

    def strings(self) -> list[StringByObjective]:
        """Return the strings."""
        cost, lattice = self.space.cost, self.space.graph
        largest = max(float(np.abs(part).max(initial=0.0)) for part in (cost.arc, cost.final[lattice.final]))
        if self.space.spelling is not None or largest * lattice.num_states < _LARGE_SUM:
            return self._within(None)
        return self._by_value() if self.objective.costs_count else [self._worst()]

    def _by_value(self) -> list[StringByObjective]:
        """Return the strings, where costs count: widen the beam until no path beyond it can have one of them."""
        space, penalize = self.space, self.objective.penalize
        metric = self.objective.weighted(space.reported(space.one_best())).value
        least, most = self.objective.bounds(space.graph.max_words())
        one_best = Fraction(space.tie_key(space.one_best()).cost)
        try:  # no path beyond the first beam has a larger value than the 1-best
            first = _rounded_up(metric - least if penalize else most - metric)
        except OverflowError:
            return self._within(None)
        order = _preference(space, self.objective)
        known: dict[tuple[str, ...], StringByObjective] = {}
        for beam in self._beams(first):
            found = self._within(beam)
            if self.n == 1:
                return found
            if any(string.bound is not None for string in found):
                return self._within(None)
            # A narrow beam has the smallest rounding: keep the paths that it found.
            known = {space.reported(string.path): string for string in found} | known
            best = sorted(known.values(), key=order)[: self.n]
            beyond = one_best + Fraction(beam) + (least if penalize else -most)
            if len(best) == self.n and order(best[-1])[0] < beyond:
                break
        return best

    def _worst(self) -> StringByObjective:
        """Return the string, where costs only decide ties: the cheapest of those with the same metric."""
        (found,) = self._within(None)
        for beam in self._beams(_WIDER):
            (near,) = self._within(beam)
            if near.weighted.value <= found.weighted.value:
                return near._replace(bound=found.bound)
        return found

    def _beams(self, first: float) -> Iterator[float]:
        """Yield wider and wider beams; the last has all paths, and each has paths that the one before did not have."""
        margins = PruningMargins.of(self.space.graph, self.weights)
        further = np.concatenate([margins.arc, margins.final])
        beam = first
        while True:
            yield beam
            further = further[further > margins.limit(beam)]
            if not further.size:
                return
            beam = max(beam * _WIDER, float(further.min()))

    def _within(self, beam: float | None) -> list[StringByObjective]:
        """Return the best strings of the paths within a beam; `None` for all paths."""
        space, arcs = self.space, None
        if beam is not None:
            reachable, arcs = prune(space.graph, beam, self.weights)
            space = LatticeSpace(reachable, space.metric, self.weights)
        found = space.strings_by_loss(
            space.cost,
            self.objective.references,
            shares=self.objective.shares,
            starts=self.objective.starts,
            gains=self.objective.gains,
            costs_count=self.objective.costs_count,
            penalize=self.objective.penalize,
            most=self.n,
            steps=self.steps,
        )
        paths = [string.arcs if arcs is None else arcs[string.arcs] for string in found]
        weighted = [self.objective.weighted(self.space.reported(path)) for path in paths]
        return [StringByObjective(p, w, s.bound) for p, w, s in zip(paths, weighted, found, strict=True)]


def _all_paths(space: ForestSpace) -> list[Steps]:
    """Return the best derivation of each string of a forest that is not a lattice."""
    listed = space.graph.n_best(MOST_LISTED + 1, space.cost, ignore=space.metric.ignore)
    if len(listed) > MOST_LISTED:
        raise InputError(
            f"the forest has more than {MOST_LISTED} strings, too many to compare one by one",
            advice="prune the forest, or give a lattice: it may have any number of strings",
        )
    return listed


def _best_of(space: SearchSpace, paths: Iterable[Steps], objective: Objective, n: int) -> list[StringByObjective]:
    """Return the `n` strings with the largest objective; the strings are given by their paths."""
    strings = [StringByObjective(path, objective.weighted(space.reported(path)), None) for path in paths]
    return sorted(strings, key=_preference(space, objective))[:n]


def _preference(space: SearchSpace, objective: Objective) -> Callable[[StringByObjective], tuple[Fraction, TieKey]]:
    """Return a sort key of strings, the best first: the exact loss, then the tie rule."""

    def order(string: StringByObjective) -> tuple[Fraction, TieKey]:
        key = space.tie_key(string.path)
        loss = string.weighted.value if objective.penalize else -string.weighted.value
        return loss + (Fraction(key.cost) if objective.costs_count else 0), key

    return order
