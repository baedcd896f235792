"""What a report says: reviews of many graphs, gathered."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from latticemetric.batch.review_totals import ReviewTotals, SideTotal
from latticemetric.batch.reviews import Review, Reviewing
from latticemetric.batch.sketches import Sketch
from latticemetric.batch.sweep_totals import Sweep
from latticemetric.caching import cached_property
from latticemetric.drawing.letters import visible
from latticemetric.evaluation.bootstrap import Interval, bootstrap, paired_bootstrap
from latticemetric.report.utterances import density, headroom, utterance

_LENGTHS = 5


@dataclass(frozen=True)
class Showing:
    """How a report is made.

    Attributes:
        title: What it is called.
        most_graphs: How many graphs are drawn, those with the most headroom; the others are only listed.
        resamples: How many test sets are drawn for intervals.
        seed: The same seed draws the same ones.
        confidence: The share of resamples inside an interval.
        settings: What else is told of how it was made, name by name.
    """

    title: str = "lattices"
    most_graphs: int = 100
    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95
    settings: tuple[tuple[str, str], ...] = ()

    def interval(self, metric: Any, table: Any) -> Interval:
        """Of a corpus value."""
        found = bootstrap(metric, table, resamples=self.resamples, seed=self.seed, confidence=self.confidence)
        return _of_several(found, len(table))


class Failure(NamedTuple):
    """A graph that could not be answered, with file and line, and why."""

    name: str
    where: str
    reason: str


@dataclass
class Report:
    """Gathers reviews, of which the graphs with the most headroom keep their drawings.

    Attributes:
        asked: What was asked of each graph.
        showing: How the report is made.
        totals: What all of them come to.
        utterances: What is shown of each, for JSON.
        failures: Those without an answer.
    """

    asked: Reviewing
    showing: Showing
    totals: ReviewTotals
    utterances: list[dict[str, Any]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    rates: dict[str, list[float]] = field(default_factory=dict)
    densities: list[tuple[float, float]] = field(default_factory=list)
    sketched: int = 0
    _sketches: list[tuple[float, int, Sketch]] = field(default_factory=list)

    def add_all(self, reviews: Iterable[Review]) -> None:
        """Takes in reviews, one at a time in memory."""
        for review in reviews:
            self._add(review)

    def sketches(self) -> dict[int, Sketch]:
        """The graphs to be drawn, by the places of their utterances."""
        return {-place: one for _, place, one in sorted(self._sketches, key=lambda kept: -kept[1])}

    @cached_property
    def sides(self) -> list[SideTotal]:
        """The corpora, once all reviews are there."""
        return self.totals.sides()

    @cached_property
    def sweep(self) -> Sweep:
        """What was swept over, and bins of lengths; likewise."""
        return self.totals.sweep(_borders(self.totals.lengths()))

    @cached_property
    def headroom(self) -> Interval:
        """How far oracles are above the 1-bests (or below), with its interval on the same resamples; likewise."""
        tables = {side.side: side.table for side in self.sides}
        showing = self.showing
        found = paired_bootstrap(
            self.asked.metric,
            tables["one_best"],
            tables["oracle"],
            resamples=showing.resamples,
            seed=showing.seed,
            confidence=showing.confidence,
        ).difference
        return _of_several(found, len(tables["oracle"]))

    def _add(self, review: Review) -> None:
        place = len(self.utterances)
        item = utterance(review)
        self.totals.add(review)
        self.utterances.append(item)
        if review.problem is not None:
            self.failures.append(Failure(item["id"], visible(review.where), item["error"]))
        for side, answer in item.get("sides", {}).items():
            if answer["score"] is not None:
                self.rates.setdefault(side, []).append(answer["score"])
        gap, dense = headroom(review), density(review)
        if gap is not None and dense is not None:
            self.densities.append((dense, gap))
        if review.sketch is not None:
            self._keep(gap or 0.0, place, review.sketch)

    def _keep(self, gap: float, place: int, sketch: Sketch) -> None:
        """The first of those with as much headroom stay."""
        self.sketched += 1
        heapq.heappush(self._sketches, (gap, -place, sketch))
        if len(self._sketches) > self.showing.most_graphs:
            heapq.heappop(self._sketches)


def _of_several(found: Interval, graphs: int) -> Interval:
    """One graph says nothing of how much others would differ from it."""
    return found if graphs > 1 else replace(found, low=None, high=None, half_width=None)


def _borders(lengths: Sequence[float]) -> list[float]:
    """Where bins of about as many utterances each end; none where all are equally long."""
    ordered = sorted(lengths)
    if not ordered or ordered[0] == ordered[-1]:
        return []
    ends = [ordered[round(k * len(ordered) / _LENGTHS) - 1] for k in range(1, _LENGTHS) if len(ordered) >= _LENGTHS]
    return sorted({float(int(end)) for end in ends} - {ordered[-1]})
