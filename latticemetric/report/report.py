"""Collect reviews of many graphs into a report, with totals, rates and drawings."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from latticemetric.batch.review import Review, ReviewSettings, ReviewTotals, SideTotal, Sketch
from latticemetric.batch.sweep import Sweep
from latticemetric.display import visible
from latticemetric.evaluation.intervals import Interval, bootstrap, paired_bootstrap
from latticemetric.frozen import cached_property
from latticemetric.report.data import density, headroom, utterance

_LENGTHS = 5


@dataclass(frozen=True)
class ReportOptions:
    """Parameters of a report.

    Attributes:
        title: The report's title.
        most_graphs: The number of graphs to draw: those with the most headroom. The others are only listed.
        resamples: The number of resamples for intervals.
        seed: The same seed draws the same resamples.
        confidence: The share of resamples inside an interval.
        settings: More names and values for the section about the report's settings.
    """

    title: str = "lattices"
    most_graphs: int = 100
    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95
    settings: tuple[tuple[str, str], ...] = ()

    def interval(self, metric: Any, table: Any) -> Interval:
        """Return the interval of a corpus value."""
        return _of_several(bootstrap(metric, table, **self.resampling), len(table))

    @property
    def resampling(self) -> dict[str, Any]:
        """The parameters of intervals."""
        return {"resamples": self.resamples, "seed": self.seed, "confidence": self.confidence}


class Failure(NamedTuple):
    """A graph without an answer, with its file, line and reason."""

    name: str
    where: str
    reason: str


@dataclass
class Report:
    """Collects reviews; keeps the drawings of the graphs with the most headroom.

    Attributes:
        review: The settings of each graph's review.
        options: The report's parameters.
        totals: The sums of all reviews.
        utterances: The data of each utterance, for JSON.
        failures: Graphs without an answer.
    """

    review: ReviewSettings
    options: ReportOptions
    totals: ReviewTotals
    utterances: list[dict[str, Any]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    rates: dict[str, list[float]] = field(default_factory=dict)
    densities: list[tuple[float, float]] = field(default_factory=list)
    sketched: int = 0
    _sketches: list[tuple[float, int, Sketch]] = field(default_factory=list)

    def add_all(self, reviews: Iterable[Review]) -> None:
        """Add reviews, one at a time in memory."""
        for review in reviews:
            self._add(review)

    def sketches(self) -> dict[int, Sketch]:
        """Return the graphs to draw, by the index of their utterance."""
        return {-place: one for _, place, one in sorted(self._sketches, key=lambda kept: -kept[1])}

    @cached_property
    def sides(self) -> list[SideTotal]:
        """The corpus values; valid after all reviews are added."""
        return self.totals.sides()

    @cached_property
    def sweep(self) -> Sweep:
        """The sweep and the bins of lengths; valid after all reviews are added."""
        return self.totals.sweep(_borders(self.totals.lengths()))

    @cached_property
    def headroom(self) -> Interval:
        """The oracles' rate minus that of the 1-bests, with its interval on the same resamples."""
        tables = {side.side: side.table for side in self.sides}
        found = paired_bootstrap(
            self.review.metric, tables["one_best"], tables["oracle"], **self.options.resampling
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
        """Keep a drawing while it is among those with the most headroom (ties: the first)."""
        self.sketched += 1
        heapq.heappush(self._sketches, (gap, -place, sketch))
        if len(self._sketches) > self.options.most_graphs:
            heapq.heappop(self._sketches)


def _of_several(found: Interval, graphs: int) -> Interval:
    """Remove the interval if there is only one graph, since it says nothing about other graphs."""
    return found if graphs > 1 else replace(found, low=None, high=None, half_width=None)


def _borders(lengths: Sequence[float]) -> list[float]:
    """Return the ends of bins with about the same number of utterances; none if all lengths are equal."""
    ordered = sorted(lengths)
    if not ordered or ordered[0] == ordered[-1]:
        return []
    ends = [ordered[round(k * len(ordered) / _LENGTHS) - 1] for k in range(1, _LENGTHS) if len(ordered) >= _LENGTHS]
    return sorted({float(int(end)) for end in ends} - {ordered[-1]})
