"""Totals of the oracles of many graphs. Totals of shards add up exactly to those of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self

from latticemetric.batch.outcomes import Outcome
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.registry import make_metric

if TYPE_CHECKING:
    from latticemetric.batch.margins import MarginOptions, MarginTotals
    from latticemetric.batch.string_scores import StringScorer, StringTotals

State = dict[str, Any]


@dataclass(frozen=True)
class Totals:
    """Statistics of oracles and 1-bests; totals can be added.

    Attributes:
        best: Statistics of the oracles.
        one_best: Statistics of the model's own best paths.
        lattices: Number of graphs that were searched.
        failed: Number of pairs that failed.
    """

    best: RecognitionStatistics
    one_best: RecognitionStatistics
    lattices: int
    failed: int

    @classmethod
    def zero(cls, order: int) -> Self:
        """Return empty sums."""
        return cls(RecognitionStatistics.zero(order), RecognitionStatistics.zero(order), 0, 0)

    @classmethod
    def of(cls, outcome: Outcome, order: int) -> Self:
        """Return the totals of one outcome."""
        if outcome.oracle is not None:
            return cls(outcome.oracle.statistics, outcome.oracle.one_best.statistics, 1, 0)
        missed = outcome.missed or RecognitionStatistics.zero(order)
        return cls(missed, missed, 0, 1)

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.best + other.best,
            self.one_best + other.one_best,
            self.lattices + other.lattices,
            self.failed + other.failed,
        )

    def asdict(self, metric: GRR, references: int | str) -> dict[str, Any]:
        """Return the corpus part of the JSON document."""
        best, one_best = (metric.corpus_score(s, references) for s in (self.best, self.one_best))
        counts = {name: self.best.asdict()[name] for name in ("matches", "substitutions", "deletions", "insertions")}
        return {
            "score": best.score,
            "numerator": best.numerator,
            "denominator": best.denominator,
            **counts,
            "one_best": {
                "score": one_best.score,
                "numerator": one_best.numerator,
                "denominator": one_best.denominator,
            },
            "lattices": self.lattices,
            "failed": self.failed,
        }


class OracleSums:
    """Sums over outcomes: oracles and 1-bests, margins, and strings for sentence metrics.

    Args:
        metric: The metric.
        references: Number of references per graph.
        scorer: The sentence metrics, if any.
        wanted: The margins, if any.
    """

    def __init__(
        self, metric: GRR, references: int, scorer: StringScorer | None = None, wanted: MarginOptions | None = None
    ) -> None:
        self.metric, self.references, self.wanted = metric, references, wanted
        self.totals: Totals = Totals.zero(metric.order)
        self.strings: StringTotals | None = scorer.totals() if scorer is not None else None
        self.margins: MarginTotals | None = None
        if wanted is not None:
            from latticemetric.batch.margins import MarginTotals

            self.margins = MarginTotals.zero(wanted, metric.order)

    def add(self, outcome: Outcome) -> None:
        """Add one outcome."""
        self.totals += type(self.totals).of(outcome, self.metric.order)
        if self.strings is not None:
            self.strings.add(outcome.strings)
        if self.margins is not None:
            self.margins = self.margins.plus(outcome.margins, outcome.missed)

    def counted(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes, and add them."""
        for outcome in outcomes:
            self.add(outcome)
            yield outcome

    def corpus(self) -> dict[str, Any]:
        """Return the corpus part of the JSON document."""
        corpus = self.totals.asdict(self.metric, self.references)
        if self.margins is not None:
            corpus |= self.margins.asdict(self.metric, self.references)
        if self.strings is not None:
            corpus["scores"] = self.strings.asdict()
        return corpus

    def state(self) -> State:
        """Return plain values for JSON and for `merged`."""
        totals = self.totals
        state: State = {
            "metric": metric_state(self.metric),
            "references": self.references,
            "best": totals.best.row(),
            "one_best": totals.one_best.row(),
            "lattices": totals.lattices,
            "failed": totals.failed,
        }
        if self.wanted is not None and self.margins is not None:
            state |= {"wanted": asdict(self.wanted), "extremes": self.margins.state()}
        if self.strings is not None:
            state |= self.strings.state()
        return state

    @classmethod
    def merged(cls, states: Sequence[State]) -> Self:
        """Return the sums of all shards, from the values of `state` in the order of the shards."""
        first = states[0]
        sums = cls(metric_of(first["metric"]), first["references"], _scorer(first), _wanted(first))
        for state in states:
            best, one_best = (RecognitionStatistics.of_row(state[name]) for name in ("best", "one_best"))
            sums.totals += Totals(best, one_best, state["lattices"], state["failed"])
            if sums.margins is not None:
                sums.margins = sums.margins.plus_state(state["extremes"])
        if sums.strings is not None:
            for turn in zip_longest(*(state["strings"] for state in states), fillvalue=None):
                sums.strings.add_states(turn)
        return sums


def _scorer(state: Mapping[str, Any]) -> StringScorer | None:
    if "scorer" not in state:
        return None
    from latticemetric.batch.string_scores import StringScorer

    scorer = state["scorer"]
    metrics = tuple(make_metric(name) for name in scorer["metrics"])
    return StringScorer(metrics, frozenset(scorer["ignore"]), normalize=scorer["normalize"])


def _wanted(state: Mapping[str, Any]) -> MarginOptions | None:
    if "wanted" not in state:
        return None
    from latticemetric.batch.margins import MarginOptions

    wanted = state["wanted"]
    return MarginOptions(**wanted | {name: tuple(wanted[name]) for name in ("hope", "fear")})


def metric_state(metric: GRR) -> dict[str, Any]:
    """Return the name and the parameters of a metric, for JSON."""
    penalties = {"alpha": str(Fraction(metric.alpha)), "beta": str(Fraction(metric.beta))}
    words = {"ignore": sorted(metric.ignore), "wildcard": sorted(metric.wildcard)}
    given = {name: value for name, value in words.items() if value}
    return {"spec": metric.name, "parameters": {**(penalties if type(metric) is GRR else {}), **given}}


def metric_of(state: Mapping[str, Any]) -> GRR:
    """Return the metric from the values of `metric_state`."""
    metric = make_metric(state["spec"], **state["parameters"])
    assert isinstance(metric, GRR)
    return metric
