"""Compute the expected rates of many graphs, with their oracles and 1-bests, and exact totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add
from typing import Any, NamedTuple, Self

from latticemetric.corpus.pairing import Pair, missed
from latticemetric.errors import LatticeMetricError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.metrics.base import GraphReference, GraphReferences
from latticemetric.metrics.character_rates import SpelledRate
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.oracle import oracle
from latticemetric.oracle_search.scored_path import Oracle, ScoredPath
from latticemetric.posterior.expected import MOST_STATES, Expected, expected
from latticemetric.posterior.unfolding import MOST_STATES as MOST_STACKS
from latticemetric.posterior.unfolding import unfold


@dataclass(frozen=True)
class ExpectationAnswer:
    """The answer for one pair: the expectation and the oracle (with the 1-best), or the error.

    Attributes:
        name: The id of the pair.
        missed: The statistics to count for a pair that failed: all words of the reference are deleted.
        where: The file and line of the graph.
    """

    name: str
    expected: Expected | None
    oracle: Oracle | None
    problem: LatticeMetricError | None = None
    missed: RecognitionStatistics | None = None
    where: str = ""

    @property
    def value(self) -> Expected | None:
        """The expectation; `None` if the graph failed."""
        return self.expected

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            id (str): The id of the pair.
            expected (float | None): The expected rate of a path; an estimate by samples if not `exact`; `None` if the
                references have no words.
            distribution (list[tuple] | None): Pairs `[numerator, probability]`, ascending; `None` if not `exact`.
            one_best (Rate): `hypothesis`, `score`, `numerator` and `denominator` of the model's 1-best.
            oracle (Rate): The same of the oracle.
        """
        if self.expected is None or self.oracle is None:
            return {"id": self.name, "error": str(self.problem)}
        paths = {"one_best": _summary(self.oracle.one_best), "oracle": _summary(self.oracle)}
        return {"id": self.name, **self.expected.asdict(), **paths}


def _summary(path: ScoredPath) -> dict[str, Any]:
    names = ("score", "numerator", "denominator")
    return {"hypothesis": " ".join(path.words), **{name: getattr(path, name) for name in names}}


class ExpectationSearch(NamedTuple):
    """Settings of the expectation of each graph; see `expected`."""

    rate: GRR
    posterior_scale: float = 1.0
    weights: Weights | None = None
    gradient: bool = False
    most_states: int = MOST_STATES

    def of_graph(
        self, pair: Pair, graph: Graph, references: Sequence[GraphReference], *, keep_going: bool
    ) -> ExpectationAnswer:
        """Compute the expectation of one graph."""
        del keep_going  # there is no answer in part
        found = expected(
            graph,
            references,
            self.rate,
            posterior_scale=self.posterior_scale,
            weights=self.weights,
            gradient=self.gradient,
            most_states=self.most_states,
        )
        return ExpectationAnswer(pair.name, found, self._oracle(graph, references), where=pair.where)

    def _oracle(self, graph: Graph, references: GraphReferences) -> Oracle:
        """Return the oracle, with the 1-best; rates by characters search the lattice into which a forest unfolds."""
        unfolded = None
        if isinstance(graph, Forest) and isinstance(self.rate, SpelledRate):
            unfolded = unfold(graph, MOST_STACKS)
        if unfolded is None or not isinstance(graph, Forest):
            return oracle(graph, references, self.rate, weights=self.weights)
        found = oracle(unfolded.lattice, references, self.rate, weights=self.weights)
        # Of derivations with equal costs, the numbers of edges decide, not those of arcs.
        path = graph.best_path(self.weights, ignore=self.rate.ignore)
        alone = Lattice.from_strings([graph.words(path)], costs=[graph.cost_of(path, self.weights)])
        return replace(found, one_best=oracle(alone, references, self.rate).one_best)

    def failed(self, pair: Pair, error: LatticeMetricError) -> ExpectationAnswer:
        """Return the answer for a pair that failed."""
        return ExpectationAnswer(pair.name, None, None, error, missed(pair, self.rate), pair.where)


@dataclass(frozen=True)
class ExpectationTotals:
    """Exact sums over answers, independent of their order.

    Attributes:
        numerator: The sum of expected numerators; `None` if one is unknown.
        denominator: The sum of expected denominators.
        low: The sum of the lower bounds of numerators.
        high: The sum of the upper bounds of numerators.
        variance: The sum of the variances of numerators (paths of different graphs are independent).
        one_best: The sum of the numerators and the sum of the denominators of the 1-bests.
        oracle: The sum of the numerators and the sum of the denominators of the oracles.
        lattices: Number of graphs that were searched.
        inexact: Number of graphs whose expectation is not exact.
        failed: Number of graphs that failed; the words of their references count as deletions.
    """

    numerator: Fraction | None = Fraction()
    denominator: Fraction | None = Fraction()
    low: Fraction | None = Fraction()
    high: Fraction | None = Fraction()
    variance: Fraction | None = Fraction()
    one_best: tuple[Fraction, Fraction] = (Fraction(), Fraction())
    oracle: tuple[Fraction, Fraction] = (Fraction(), Fraction())
    lattices: int = 0
    inexact: int = 0
    failed: int = 0

    @classmethod
    def of(cls, answer: ExpectationAnswer, metric: GRR) -> Self:
        """Return the totals of one answer."""
        if answer.expected is None or answer.oracle is None:
            counts = answer.missed or RecognitionStatistics.zero(metric.order)
            errors, words = metric.exact_numerator(counts), Fraction(metric.denominator(counts))
            lost = errors, words
            return cls(errors, words, errors, errors, Fraction(), one_best=lost, oracle=lost, failed=1)
        found, best = answer.expected, answer.oracle
        size = found.denominator
        low, high = (found.numerator,) * 2 if found.exact else (_times(found.low, size), _times(found.high, size))
        return cls(
            _exact(found.numerator),
            _exact(size),
            _exact(low),
            _exact(high),
            _exact(_variance(found)),
            one_best=_ratio(best.one_best, metric),
            oracle=_ratio(best, metric),
            lattices=1,
            inexact=int(not found.exact),
        )

    def __add__(self, other: Self) -> Self:
        sums = {name: _sum(value, getattr(other, name)) for name, value in vars(self).items()}
        return type(self)(**sums)

    def asdict(self) -> dict[str, Any]:
        """Return the fields of `corpus` in the JSON document.

        Each rate is the sum of numerators, divided by the sum of denominators.
        """
        size = self.denominator

        def rate(value: Fraction | None, power: int = 1) -> float | None:
            return float(value / size**power) if value is not None and size else None

        bounds = sorted(bound for bound in (rate(self.low), rate(self.high)) if bound is not None)
        low, high = bounds if len(bounds) == 2 else (None, None)  # noqa: PLR2004  both are known
        paths = {
            name: {"score": float(n / d) if d else None, "numerator": _plain(n), "denominator": _plain(d)}
            for name, (n, d) in (("one_best", self.one_best), ("oracle", self.oracle))
        }
        return {
            "expected": rate(self.numerator),
            "numerator": _plain(self.numerator),
            "denominator": _plain(size),
            "variance": rate(self.variance, 2),
            "low": low,
            "high": high,
            "exact": not self.inexact,
            **paths,
            "lattices": self.lattices,
            "inexact": self.inexact,
            "failed": self.failed,
        }

    def state(self) -> dict[str, Any]:
        """Return the totals as plain values for JSON; `merged` reads them."""
        return {"expected": {name: _written(value) for name, value in vars(self).items()}}

    @classmethod
    def merged(cls, states: Iterable[Mapping[str, Any]]) -> Self:
        """Add up the values that `state` returned for each shard; return the totals of all shards."""
        read = ({name: _read(value) for name, value in state["expected"].items()} for state in states)
        return sum((cls(**values) for values in read), cls())


def _ratio(path: ScoredPath, metric: GRR) -> tuple[Fraction, Fraction]:
    return metric.exact_numerator(path.statistics), Fraction(path.denominator)


def _variance(found: Expected) -> float | None:
    """Return the variance of the numerator."""
    if found.distribution is None or found.numerator is None:
        return None
    mean = found.numerator
    return sum(probability * (value - mean) ** 2 for value, probability in found.distribution.items())


def _times(rate: float | None, size: float | None) -> float | None:
    return None if rate is None or size is None else rate * size


def _exact(value: float | None) -> Fraction | None:
    return None if value is None else Fraction(value)


def _plain(value: Fraction | None) -> int | float | None:
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(value)


def _sum(one: Any, other: Any) -> Any:
    if isinstance(one, tuple):
        return tuple(map(add, one, other))
    return None if one is None or other is None else one + other


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        return [str(part) for part in value]
    return str(value) if isinstance(value, Fraction) else value


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(Fraction, value))
    return Fraction(value) if isinstance(value, str) else value
