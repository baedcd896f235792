"""What oracles of many graphs add up to; sums of shards add up to those of the whole, to the last bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self

from latticemetric.batch.outcomes import Outcome, Totals
from latticemetric.batch.sweep import metric_of, metric_state
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.registry import make_metric

if TYPE_CHECKING:
    from latticemetric.batch.margins import ExtremeTotals, Wanted
    from latticemetric.batch.string_scores import StringScorer, StringTotals

State = dict[str, Any]


class OracleSums:
    """Sums over outcomes: of oracles and 1-bests, of extremes, and of what sentence metrics need.

    Args:
        metric: What was measured.
        references: How many references each graph has.
        scorer: What scores strings, if anything does.
        wanted: What was asked for beside oracles, if anything was.
    """

    def __init__(
        self, metric: GRR, references: int, scorer: StringScorer | None = None, wanted: Wanted | None = None
    ) -> None:
        self.metric, self.references, self.wanted = metric, references, wanted
        self.totals: Totals = Totals.zero(metric.order)
        self.strings: StringTotals | None = scorer.totals() if scorer is not None else None
        self.extremes: ExtremeTotals | None = None
        if wanted is not None:
            from latticemetric.batch.margins import ExtremeTotals

            self.extremes = ExtremeTotals.zero(wanted, metric.order)

    def add(self, outcome: Outcome) -> None:
        """Takes in one outcome."""
        self.totals += type(self.totals).of(outcome, self.metric.order)
        if self.strings is not None:
            self.strings.add(outcome.strings)
        if self.extremes is not None:
            self.extremes = self.extremes.plus(outcome.extremes, outcome.missed)

    def counted(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Pass outcomes on, and add them."""
        for outcome in outcomes:
            self.add(outcome)
            yield outcome

    def corpus(self) -> dict[str, Any]:
        """The corpus part of the JSON document."""
        corpus = self.totals.asdict(self.metric, self.references)
        if self.extremes is not None:
            corpus |= self.extremes.asdict(self.metric, self.references)
        if self.strings is not None:
            corpus["scores"] = self.strings.asdict()
        return corpus

    def state(self) -> State:
        """All of it in plain values, for JSON: what `merged` goes on from."""
        totals = self.totals
        state: State = {
            "metric": metric_state(self.metric),
            "references": self.references,
            "best": totals.best.row(),
            "one_best": totals.one_best.row(),
            "lattices": totals.lattices,
            "failed": totals.failed,
        }
        if self.wanted is not None and self.extremes is not None:
            state |= {"wanted": asdict(self.wanted), "extremes": self.extremes.state()}
        if self.strings is not None:
            state |= self.strings.state()
        return state

    @classmethod
    def merged(cls, states: Sequence[State]) -> Self:
        """The sums of shards that take turns, in the order of the shards."""
        first = states[0]
        sums = cls(metric_of(first["metric"]), first["references"], _scorer(first), _wanted(first))
        for state in states:
            best, one_best = (RecognitionStatistics.of_row(state[name]) for name in ("best", "one_best"))
            sums.totals += Totals(best, one_best, state["lattices"], state["failed"])
            if sums.extremes is not None:
                sums.extremes = sums.extremes.plus_state(state["extremes"])
        if sums.strings is not None:
            for turn in zip_longest(*(state["strings"] for state in states), fillvalue=None):
                sums.strings.add_states(turn)
        return sums


def _scorer(state: Mapping[str, Any]) -> StringScorer | None:
    if "scorer" not in state:
        return None
    from latticemetric.batch.string_scores import StringScorer

    told = state["scorer"]
    metrics = tuple(make_metric(name) for name in told["metrics"])
    return StringScorer(metrics, frozenset(told["ignore"]), normalize=told["normalize"])


def _wanted(state: Mapping[str, Any]) -> Wanted | None:
    if "wanted" not in state:
        return None
    from latticemetric.batch.margins import Wanted

    told = state["wanted"]
    return Wanted(**told | {name: tuple(told[name]) for name in ("hope", "fear")})
