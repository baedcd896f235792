"""Compute the exact expected rate of a graph's paths: its value, variance, distribution and gradient.

The kernel (`kernels/expectation/`) follows all paths together. A state of this search is a state of the lattice with a
column of edit distances or gains for each reference; see docs/theory/expected.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import (
    checked_posterior_scale,
    floats,
    is_beyond_floats,
    real_number,
    whole_number,
)
from latticemetric.automata.recognition import Gains, ngram_total, require_short
from latticemetric.automata.spelling import SpelledLattice, UnitNumbers, spelled_lattice
from latticemetric.cached import cached_property
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Frozen, Result
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Floats, Weights, is_any_of
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import small_enough
from latticemetric.metrics.base import GraphReferences, listed_references
from latticemetric.metrics.character_rates import SpelledRate
from latticemetric.metrics.recognition import GRR, as_recognition_rate
from latticemetric.metrics.recognition_statistics import RateMap, RecognitionStatistics
from latticemetric.metrics.reference_checks import check_references
from latticemetric.metrics.segments import count_segments
from latticemetric.nbest import NBest
from latticemetric.oracle_search.oracle import oracle
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.posterior.posteriors import ForestPosteriors, posteriors, step_probabilities
from latticemetric.posterior.unfolding import MOST_STATES as MOST_STACKS
from latticemetric.posterior.unfolding import Unfolded, unfold
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, UNKNOWN, Words

MOST_STATES = 2_000_000
_MOST_STATES = 2**62  # more than any search has; kernels take 64 bits
# If a search needs more states, the kernel starts again, and merges equivalent states; −1: the kernel sets this limit.
FEW_STATES = -1
_SAMPLES = 100_000
_FOREST_SAMPLES = 1_000
_SEED = 1
# The most bytes of the kernel's table of bounds; a larger table takes more time than it saves.
TABLE_BYTES = 2**29
# Distributions are polynomials with one term per multiple of 1 / unit, unless the unit of gains is larger than this.
_FINEST_POLYNOMIAL = 1000
_NO_WORD = -1
# Gradients are not divided by smaller posteriors: the quotients would consist of rounding errors.
_LEAST_WEIGHT = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Expected(Result, Frozen):
    """The expectation of a rate over the paths (or derivations) of a graph.

    Attributes:
        value: The expected rate; `None` if the references have no words. If not `exact`, it is estimated from samples.
        numerator: The expected numerator of the rate: errors for WER, else the gain. `None` if the result is not
            `exact` and there are references of different lengths.
        denominator: The expected denominator; for one reference, the number of its words or n-grams. `None` if
            `numerator` is `None`.
        variance: The variance of the rate of a path; `None` if not `exact`.
        distribution: The probability of each numerator (number of errors, or gain), in ascending order; `None` if not
            `exact`, or not computed.
        low: A proven lower bound of the value; the value itself if `exact`.
        high: A proven upper bound of the value; the value itself if `exact`.
        exact: True if the value is exact (up to rounding).
        standard_error: The standard error of the estimate; `None` if `exact`.
        gradient: ∂ value / ∂ cost of each arc (in a forest: edge; in an n-best list: hypothesis). `None` if not
            `exact`, or not computed.
        final_gradient: ∂ value / ∂ cost of ending in each final state or goal; `None` if `gradient` is `None`.
        states: The number of states of the search (product of graph and references); 0 if not `exact`. For an n-best
            list, the number of its distinct strings.
        signature: The metric, its parameters and the version.
    """

    value: float | None
    numerator: float | None
    denominator: float | None
    variance: float | None
    distribution: Mapping[float, float] | None
    low: float | None
    high: float | None
    exact: bool
    standard_error: float | None
    gradient: Floats | None
    final_gradient: Floats | None
    states: int
    signature: str

    @says_new_keywords
    def through(self, posteriors: npt.ArrayLike, posterior_scale: float = 1.0) -> Floats:
        """Return the expected rate of the paths through each arc (in a forest: edge), from the gradient.

        The gradient of an arc is scale · posterior · (rate of all paths − rate of the paths through the arc). Arcs with
        scale · posterior < 1e-6 get NaN.

        Args:
            posteriors: The posterior of each arc at the same `posterior_scale`: `posteriors(graph).arc` (in a forest:
                `edge`).
            posterior_scale: Factor of the costs, as in `expected`.

        Raises:
            UsageError: There is no gradient.

        Examples:
            >>> lattice = Lattice.from_strings(["a b", "a c", "d"], costs=[0.0, 0.0, 0.0])
            >>> found = expected(lattice, "a b", gradient=True)
            >>> print(found.through([1 / 3] * 5).round(6))
            [0.  0.5 1.  0.  0.5]
        """
        if self.gradient is None or self.value is None:
            raise UsageError(
                "there is no gradient", advice="call `expected` with gradient=True; only exact results have a gradient"
            )
        advice = "give one per arc: posteriors(graph).arc (in a forest: edge)"
        weights = checked_posterior_scale(posterior_scale) * floats(posteriors, "posteriors", advice)
        if weights.shape != self.gradient.shape:
            raise UsageError(
                f"there are {weights.size} posteriors, but {self.gradient.size} arcs", advice="give one per arc"
            )
        known = weights >= _LEAST_WEIGHT
        changes: Floats = np.divide(self.gradient, weights, where=known, out=np.full(weights.shape, np.nan))
        return self.value - changes

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON, without gradients. The distribution is a list of pairs."""
        pairs = None if self.distribution is None else [[k, p] for k, p in self.distribution.items()]
        names = ("numerator", "denominator", "variance", "low", "high", "exact", "standard_error")
        return {"expected": self.value, **{name: getattr(self, name) for name in names}, "distribution": pairs}


@np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
@says_new_keywords
def expected(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "wer",
    *,
    posterior_scale: float = 1.0,
    weights: Weights | None = None,
    gradient: bool = False,
    distribution: bool = True,
    most_states: int = MOST_STATES,
    seconds: float | None = None,
) -> Expected:
    """Compute the expected rate of a graph's paths; a path has the probability exp(−scale · cost), normalised.

    The result is exact if the search needs at most `most_states` and `seconds`. Otherwise the value is an estimate:
    `exact` is False, and `low` and `high` are proven bounds.

    Args:
        graph: A lattice, an n-best list, or a forest.
        references: One reference or several, as strings or as lattices with few strings. The rate of a path is its best
            rate over all references.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.
        posterior_scale: Factor of the costs, before they become probabilities; below 1, it flattens the distribution.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.
        gradient: True to also compute the gradient of the value.
        distribution: False to skip the distribution, to save time.
        most_states: The largest number of states of the search, in the product of graph and references.
        seconds: Time limit of the search for the exact value; by default, there is none.

    Raises:
        InputError: The costs are too large to be added up, or a reference graph has too many strings.

    Examples:
        >>> from math import log
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x"], costs=[-log(0.5), -log(0.3), -log(0.2)])
        >>> found = expected(lattice, "a b c", "wer", gradient=True)
        >>> round(found.value, 6), round(found.variance, 6), found.exact
        (0.3, 0.143333, True)
        >>> {errors: round(probability, 6) for errors, probability in found.distribution.items()}
        {0: 0.5, 1: 0.3, 3: 0.2}
        >>> found.gradient[:3].round(6).tolist()
        [0.15, -0.01, -0.14]
    """
    check_references(references)
    rate = as_recognition_rate(metric)
    most_states, most_seconds = checked_effort(most_states, seconds)
    listed = CountedReferences.of(rate, references)
    settings = _Settings(
        checked_posterior_scale(posterior_scale),
        weights,
        gradient,
        distribution,
        most_states,
        most_seconds,
    )
    if isinstance(graph, Forest):
        found = _of_forest(graph, references, rate, listed, settings)
    else:
        found = _of_lattice(as_lattice(graph, weights), rate, listed, settings)
        if isinstance(graph, NBest) and found.gradient is not None:
            # Each hypothesis is a chain of arcs; its first arc has its cost, and these arcs come first.
            found = replace(found, gradient=found.gradient[: len(graph)])
    return found


def checked_effort(most_states: int, seconds: float | None) -> tuple[int, float]:
    """Return the limits of a search, as kernels take them: numbers of states and seconds (`None`: no limit).

    Raises:
        UsageError: A limit is not valid.
    """
    states = whole_number(most_states, f"the search is limited to {most_states!r} states", "give a whole number ≥ 1")
    if seconds is None or is_beyond_floats(seconds):
        return min(states, _MOST_STATES), math.inf
    message = f"the search is limited to {seconds!r} seconds"
    return min(states, _MOST_STATES), float(real_number(seconds, message, "give a number ≥ 0"))


class _Settings(NamedTuple):
    posterior_scale: float
    weights: Weights | None
    gradient: bool
    distribution: bool
    most_states: int
    seconds: float


@dataclass(frozen=True)
class CountedReferences:
    """The distinct references of a search. References without words are left out if another reference has words.

    The kernel computes costs: edit distances if the gains allow it (as for WER and WRR), otherwise negative gains. It
    divides each cost by the size of its reference; `rate` converts the mean of these quotients to a rate. A reference
    without words has no rate.

    Attributes:
        words: For each reference, the words that the metric counts.
        totals: The denominator of each reference: its number of words or n-grams.
        gains: The parameters of the metric.
        rate_map: The map from gains to rates.
        bounds: Bounds of all rates.
        number: The number of given references; a graph counts as one.
    """

    words: tuple[tuple[str, ...], ...]
    totals: tuple[int, ...]
    gains: Gains
    rate_map: RateMap
    bounds: tuple[float, float]
    number: int

    @classmethod
    def of(cls, metric: GRR, references: GraphReferences) -> Self:
        """Return the distinct references of a graph; the given references are already checked."""
        words = list(dict.fromkeys(metric.counted(reference) for reference in strings_of_references(references)))
        words = [reference for reference in words if reference] or words[:1]
        totals = tuple(ngram_total(len(reference), metric.order) for reference in words)
        number = len(listed_references(references))
        return cls(tuple(words), totals, metric.gains, metric.rate_map, metric.bounds, number)

    @property
    def is_defined(self) -> bool:
        """True if a reference has words, so that there is a rate."""
        return self.totals[0] > 0

    @property
    def sizes(self) -> list[int]:
        """The divisors of costs: the totals, with 1 for a reference without words."""
        return [max(1, total) for total in self.totals]

    @property
    def by_edits(self) -> bool:
        """True if costs are edit distances."""
        return self.gains.are_edits

    @cached_property
    def _line(self) -> tuple[float, int, int]:
        """The rate as a function of the mean q of cost / size: its value at 0, and the quotient before q."""
        offset, scale = self.rate_map.offset, self.rate_map.scale
        at_zero, slope = (offset + scale, -scale) if self.by_edits else (offset, -scale / self.gains.unit)
        return float(at_zero), slope.numerator, slope.denominator

    def rate(self, mean: float) -> float:
        """Return the rate, given the mean of cost / size."""
        at_zero, above, below = self._line
        return at_zero + above * mean / below

    def possible(self, bound: float) -> float:
        """Return a bound of the rate; if rounding moved it beyond all possible rates, the limit of these."""
        low, high = self.bounds
        return min(max(low, bound), high)

    @property
    def slope(self) -> float:
        """The derivative of the rate with respect to the mean of cost / size."""
        _, above, below = self._line
        return above / below

    def numerator(self, cost: int, reference: int) -> float:
        """Return the numerator of the rate (if whole, as `int`), given a cost and the index of the reference."""
        return self.rate_map.numerator(self._gain(cost, self.totals[reference]), self.totals[reference])

    def mean_numerator(self, mean: float) -> float:
        """Return the mean numerator, given the mean of cost / size against references of the same size."""
        at_zero, above, below = self._line
        return at_zero * self.totals[0] + above * (mean * self.sizes[0]) / below

    def _gain(self, cost: int, total: int) -> int:
        return (total - cost) * self.gains.unit if self.by_edits else -cost

    def costs(self, strings: Sequence[tuple[str, ...]], gains: Gains) -> list[tuple[int, int]]:
        """Return the cost of each string against its best reference (ties: the first), and this reference's index."""
        rows = count_segments(strings, [self.words] * len(strings), gains)[0].tolist()
        several, found = len(self.words), []
        for first in range(0, len(rows), several):
            costs = [self._cost(RecognitionStatistics.of_columns(row)) for row in rows[first : first + several]]
            best = min(range(several), key=lambda k: Fraction(costs[k], self.sizes[k])) if several > 1 else 0
            found.append((costs[best], best))
        return found

    def _cost(self, counts: RecognitionStatistics) -> int:
        if self.by_edits:
            return counts.errors
        _, unit, alpha, beta = self.gains
        return counts.insertions * alpha + counts.deletions * beta - sum(counts.matches) * unit

    def arcs(
        self, lattice: Lattice, silent: Collection[str], numbers_of: UnitNumbers | None
    ) -> tuple[Words, list[list[int]], int]:
        """Return the class of each arc's word, the classes of each reference's words, and the number n.

        Reference words in the lattice's vocabulary have the classes 0, 1, … n − 1, other reference words have n + 1.
        Arcs whose word is in no reference have n. Arcs without a word, or with a word in `silent`, have −1.
        """
        require_short(sum(map(len, self.words)))
        encode = lattice.vocabulary.encode if numbers_of is None else numbers_of.encode
        numbers = [encode(reference).tolist() for reference in self.words]
        known = {n: k for k, n in enumerate(dict.fromkeys(n for one in numbers for n in one if n != UNKNOWN))}
        label, place = np.unique(lattice.word, return_inverse=True)
        is_silent = label == EPSILON
        if silent:
            is_silent |= is_any_of(label, silent, lattice.vocabulary)
        kinds = [_NO_WORD if s else known.get(n, len(known)) for n, s in zip(label.tolist(), is_silent, strict=True)]
        references = [[known.get(n, len(known) + 1) for n in one] for one in numbers]
        return np.array(kinds, dtype=np.int32)[place], references, len(known)


class _Searched(NamedTuple):
    """The searched lattice, with the probabilities of its steps. Its arcs have words or, for `SpelledRate`, units."""

    lattice: Lattice
    transition: Floats
    ending: Floats
    counted: tuple[Words, list[list[int]], int]
    spelled: SpelledLattice | None


def _searched(lattice: Lattice, metric: GRR, listed: CountedReferences, settings: _Settings) -> _Searched:
    steps = step_probabilities(lattice, settings.posterior_scale, settings.weights)
    if not isinstance(metric, SpelledRate):
        counted = listed.arcs(lattice, metric.ignore | metric.wildcard, None)
        return _Searched(lattice, steps.transition, steps.ending, counted, None)
    spelling = metric.spelling(lattice)
    spelled = spelled_lattice(lattice, spelling)
    counted = listed.arcs(spelled.lattice, (), spelling.numbers)
    transition, ending = spelled.of_arcs(steps.transition, 1.0), spelled.of_states(steps.ending)
    return _Searched(spelled.lattice, transition, ending, counted, spelled)


class _ExpectedCost(NamedTuple):
    """The result of the kernel, with the fields of `Expectation` in `expectation/expectation.hpp`."""

    exact: bool
    states: int
    mean: float
    variance: float
    low: float
    high: float
    error: float
    samples: int
    cost: npt.NDArray[np.int64]
    reference: npt.NDArray[np.int32]
    probability: Floats
    arc: Floats
    ending: Floats


def _expected_cost(searched: _Searched, listed: CountedReferences, settings: _Settings) -> _ExpectedCost:
    gains, (word, references, classes) = listed.gains, searched.counted
    try:
        with small_enough():
            answer = _native.expected_cost(
                searched.lattice.source,
                searched.lattice.target,
                word,
                searched.transition,
                searched.ending,
                references=references,
                sizes=listed.sizes,
                classes=classes,
                gains=gains._replace(order=0 if listed.by_edits else gains.order),
                outcomes=settings.distribution or len(set(listed.sizes)) > 1,
                gradient=settings.gradient,
                keeps_bases=settings.distribution and gains.unit > _FINEST_POLYNOMIAL,
                few_states=FEW_STATES,
                most_states=settings.most_states,
                seconds=settings.seconds,
                table_bytes=TABLE_BYTES,
                samples=_SAMPLES,
                seed=_SEED,
            )
    except OverflowError as problem:
        raise InputError(str(problem), advice="give alpha and beta with fewer digits") from None
    return _ExpectedCost(*answer)


def _expected_cost_of_list(
    nbest: Lattice, metric: GRR, listed: CountedReferences, settings: _Settings
) -> _ExpectedCost:
    """Return the expected cost of an n-best list: each string is aligned alone, in little time and memory."""
    steps = step_probabilities(nbest, settings.posterior_scale, settings.weights)
    numbers = np.unique(nbest.word[nbest.word != EPSILON])
    spelling = dict(zip(numbers.tolist(), nbest.vocabulary.decode(numbers), strict=True))
    target, word, chains = nbest.target.tolist(), nbest.word.tolist(), _chains(nbest)
    strings = [metric.counted([spelling[word[arc]] for arc in arcs if word[arc] != EPSILON]) for arcs in chains]
    distinct = list(dict.fromkeys(strings))
    cost_of = dict(zip(distinct, listed.costs(distinct, metric.gains), strict=True))
    costs = [cost_of[string] for string in strings]
    quotient = np.array([cost / listed.sizes[reference] for cost, reference in costs])
    share = steps.transition[: len(chains)]  # the first arc of a chain decides; all others are sure
    mean = math.fsum(share * quotient)
    variance = math.fsum(share * (quotient - mean) ** 2)
    excess = share * (quotient - mean)
    arc = np.zeros(len(nbest.word))
    arc[list(chain.from_iterable(chains))] = np.repeat(excess, list(map(len, chains)))
    last = [target[arcs[-1]] for arcs in chains]
    ending = np.bincount(last, weights=excess, minlength=nbest.num_states).astype(np.float64)
    return _ExpectedCost(
        exact=True,
        states=len(distinct),
        mean=mean,
        variance=variance,
        low=mean,
        high=mean,
        error=0.0,
        samples=0,
        cost=np.array([cost for cost, _ in costs]),
        reference=np.array([reference for _, reference in costs], dtype=np.int32),
        probability=share,
        arc=arc,
        ending=ending,
    )


def _chains(nbest: Lattice) -> list[list[int]]:
    """Return the arcs of each hypothesis of an n-best list; the first arcs are the arcs of the start, in order."""
    source, target = nbest.source.tolist(), nbest.target.tolist()
    following = {state: arc for arc, state in enumerate(source) if state}
    chains = []
    for first in range(source.count(0)):
        arcs = [first]
        while (arc := following.get(target[arcs[-1]])) is not None:
            arcs.append(arc)
        chains.append(arcs)
    return chains


def _of_lattice(lattice: Lattice, metric: GRR, listed: CountedReferences, settings: _Settings) -> Expected:
    spelled = None
    if lattice.ranked and len(lattice.word):
        cost = _expected_cost_of_list(lattice, metric, listed, settings)
    else:
        searched = _searched(lattice, metric, listed, settings)
        cost, spelled = _expected_cost(searched, listed, settings), searched.spelled
    exact, slope = cost.exact, listed.slope
    bounds = sorted((listed.rate(cost.low), listed.rate(cost.high)))
    if not exact:
        bounds = [listed.possible(bound) for bound in bounds]
    found = Expected(
        value=listed.rate(cost.mean) if listed.is_defined else None,
        numerator=None,
        denominator=None,
        variance=cost.variance * slope**2 if exact and listed.is_defined else None,
        distribution=None,
        low=bounds[0] if listed.is_defined else None,
        high=bounds[1] if listed.is_defined else None,
        exact=exact,
        standard_error=None if exact else cost.error * abs(slope),
        gradient=None,
        final_gradient=None,
        states=cost.states,
        signature=metric.signature_text(listed.number),
    )
    if exact and settings.gradient and listed.is_defined:
        arc, end = cost.arc, cost.ending
        if spelled is not None:
            arc = spelled.sums_of_arcs(arc, len(lattice.word))
            end = spelled.sums_of_states(end, lattice.num_states)
        factor = -settings.posterior_scale * slope
        found = replace(found, gradient=factor * arc + 0.0, final_gradient=factor * end[lattice.final] + 0.0)
    outcomes = list(zip(cost.cost.tolist(), cost.reference.tolist(), cost.probability.tolist(), strict=True))
    found = _with_counts(found, listed, cost.mean, outcomes)
    if exact and settings.distribution:
        return replace(found, distribution=_distribution(outcomes, listed))
    return found


def _distribution(outcomes: Iterable[_Outcome], listed: CountedReferences) -> dict[float, float]:
    """Return the probability of each numerator: the sum over the outcomes that have it."""
    shares: dict[float, list[float]] = {}
    for numerator, share in sorted((listed.numerator(cost, k), share) for cost, k, share in outcomes):
        shares.setdefault(numerator, []).append(share)
    return {numerator: math.fsum(several) for numerator, several in shares.items()}


_Outcome = tuple[int, int, float]
"""A cost, the index of the best reference, and the probability of the paths with this cost and reference."""


def _with_counts(found: Expected, listed: CountedReferences, mean: float, outcomes: Sequence[_Outcome]) -> Expected:
    """Return the result with its expected numerator and denominator, if they are known."""
    if len(set(listed.totals)) == 1:
        return replace(found, numerator=listed.mean_numerator(mean), denominator=float(listed.totals[0]))
    if not found.exact:
        return found
    return replace(
        found,
        numerator=math.fsum(listed.numerator(cost, k) * share for cost, k, share in outcomes),
        denominator=math.fsum(listed.totals[k] * share for _, k, share in outcomes),
    )


# ---- Forests ----


def _of_forest(
    forest: Forest, references: GraphReferences, metric: GRR, listed: CountedReferences, settings: _Settings
) -> Expected:
    """Compute the exact expectation over a forest's derivations; if these are too many, an estimate with bounds.

    For the bounds, the forest is pruned by a beam, and the rate of the remaining derivations is computed. For
    one bound, all other derivations have the worst possible rate; for the other bound, the best possible rate.
    """
    unfolded = unfold(forest, MOST_STACKS)
    if unfolded is not None:
        found = _of_lattice(unfolded.lattice, metric, listed, settings)
        return _by_edge(found, unfolded, forest)
    if isinstance(metric, SpelledRate):  # its units are not counted on edges
        raise InputError(
            f"the forest has too many derivations for {metric.name}", advice="prune it, or use wer, wrr or N-grr"
        )
    whole = posteriors(forest, posterior_scale=settings.posterior_scale, weights=settings.weights)
    if not listed.is_defined:
        return _without_rate(whole, metric, listed)
    best = oracle(forest, references, metric, weights=settings.weights).score
    assert best is not None
    worst = _worst_rate(listed, forest.max_words())
    low, high = sorted((best, worst))
    plain = settings._replace(gradient=False, distribution=False)
    beam = _WIDEST_BEAM
    while beam >= _NARROWEST_BEAM:
        pruned = forest.pruned(beam, settings.weights)
        unfolded = unfold(pruned, MOST_STACKS)
        if unfolded is not None:
            part = posteriors(pruned, posterior_scale=settings.posterior_scale, weights=settings.weights)
            kept = min(1.0, math.exp(part.log_total - whole.log_total))
            inner = _of_lattice(unfolded.lattice, metric, listed, plain)
            assert inner.low is not None
            assert inner.high is not None
            low, high = (kept * one + (1 - kept) * other for one, other in ((inner.low, low), (inner.high, high)))
            break
        beam /= 2
    slack = _ROUNDING + 4 * sys.float_info.epsilon * abs(whole.log_total)
    low, high = listed.possible(low - slack), listed.possible(high + slack)
    sampled = whole.sample(_FOREST_SAMPLES, _SEED)
    strings = [forest.words(path) for path in sampled]
    scores = metric.values(metric.table(strings, [listed.words] * len(strings)))
    total = float(listed.totals[0]) if len(set(listed.totals)) == 1 else None
    value = float(np.clip(scores.mean(), low, high))
    return _of_large_forest(
        metric,
        listed,
        value=value,
        numerator=None if total is None else value * total,
        denominator=total,
        low=low,
        high=high,
        standard_error=float(scores.std(ddof=1) / math.sqrt(len(scores))),
    )


def _of_large_forest(metric: GRR, listed: CountedReferences, **known: Any) -> Expected:
    """Return a result with these fields; variance, distribution and gradients are unknown."""
    unknown: dict[str, Any] = dict.fromkeys(("variance", "distribution", "gradient", "final_gradient"))
    return Expected(**known, **unknown, exact=False, states=0, signature=metric.signature_text(listed.number))


def _without_rate(whole: ForestPosteriors, metric: GRR, listed: CountedReferences) -> Expected:
    """Return the expectation for references without words: there is no rate, and each word is an insertion.

    The numerator is a sum over edges, so it is exact for any forest. There is no variance and no distribution.
    """
    forest = whole.forest
    is_word = forest.target.values > EPSILON
    silent = metric.ignore | metric.wildcard
    if silent:
        is_word &= ~is_any_of(forest.target.values, silent, forest.vocabulary)
    before = np.concatenate([[0], np.cumsum(is_word)])
    words = whole.expected(np.diff(before[forest.target.begin]))
    numerator = words * float(-metric.rate_map.scale * Fraction(listed.gains.alpha, listed.gains.unit))
    return _of_large_forest(
        metric, listed, value=None, numerator=numerator, denominator=0.0, low=None, high=None, standard_error=0.0
    )


_WIDEST_BEAM, _NARROWEST_BEAM = 64.0, 0.125
_ROUNDING = 1e-9  # rounding errors of sums; those of logarithms of probabilities come on top


def _worst_rate(listed: CountedReferences, longest: int) -> float:
    """Return a bound of the worst rate that a string with up to `longest` words has against its best reference."""
    _, unit, alpha, beta = listed.gains
    worst = []
    for reference, total in zip(listed.words, listed.totals, strict=True):
        size = len(reference)
        # The worst string has no matches. It substitutes words where possible, if this gains more than to insert and
        # delete them. The gain of its other words is linear in its length, with a bend at the length of the reference,
        # so three lengths are enough.
        gains = [
            max(-alpha * max(0, words - size) - beta * max(0, size - words), -alpha * words - beta * size)
            for words in (0, min(size, longest), longest)
        ]
        worst.append(Fraction(min(gains), unit * total))
    return float(listed.rate_map.rate(max(worst)))


def _by_edge(found: Expected, unfolded: Unfolded, forest: Forest) -> Expected:
    """Return the result with the gradient of each edge and goal, summed over its arcs and final states."""
    if found.gradient is None or found.final_gradient is None:
        return found
    edges = len(forest.head)
    sums = unfolded.sums(found.gradient, found.final_gradient, edges + len(forest.goals))
    return replace(found, gradient=sums[:edges], final_gradient=sums[edges:])
