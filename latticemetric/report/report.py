"""Reports: reviews of many graphs, gathered with their totals, rates and drawings."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from latticemetric.batch.review import Review, ReviewSettings, ReviewTotals, SideTotal
from latticemetric.batch.sketches import Sketch
from latticemetric.batch.sweep import Sweep
from latticemetric.drawing.text_width import visible
from latticemetric.evaluation.intervals import Interval, bootstrap, paired_bootstrap
from latticemetric.frozen import cached_property
from latticemetric.report.data import density, headroom, utterance

_LENGTHS = 5


@dataclass(frozen=True)
class Showing:
    """Parameters of a report.

    Attributes:
        title: Its title.
        most_graphs: The number of graphs to draw, those with the most headroom; the others are only listed.
        resamples: The number of resamples for intervals.
        seed: The same seed draws the same resamples.
        confidence: The share of resamples inside an interval.
        settings: Further names and values for the section on how the report was made.
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
    """A graph that could not be answered, with file and line, and why."""

    name: str
    where: str
    reason: str


@dataclass
class Report:
    """Gathers reviews, of which the graphs with the most headroom keep their drawings.

    Attributes:
        asked: The review to make of each graph.
        showing: Parameters.
        totals: The sums of all reviews.
        utterances: The data of each, for JSON.
        failures: Graphs without an answer.
    """

    asked: ReviewSettings
    showing: Showing
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
        """Return the graphs to be drawn, by the places of their utterances."""
        return {-place: one for _, place, one in sorted(self._sketches, key=lambda kept: -kept[1])}

    @cached_property
    def sides(self) -> list[SideTotal]:
        """The corpus values, once all reviews are there."""
        return self.totals.sides()

    @cached_property
    def sweep(self) -> Sweep:
        """The sweep, and bins of lengths; likewise."""
        return self.totals.sweep(_borders(self.totals.lengths()))

    @cached_property
    def headroom(self) -> Interval:
        """The oracles' rate minus that of the 1-bests, with its interval on the same resamples; likewise."""
        tables = {side.side: side.table for side in self.sides}
        found = paired_bootstrap(
            self.asked.metric, tables["one_best"], tables["oracle"], **self.showing.resampling
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
        """Keep a drawing while it is among those with the most headroom; of equal ones the first stay."""
        self.sketched += 1
        heapq.heappush(self._sketches, (gap, -place, sketch))
        if len(self._sketches) > self.showing.most_graphs:
            heapq.heappop(self._sketches)


def _of_several(found: Interval, graphs: int) -> Interval:
    """Leave the interval out for one graph: others might differ from it by any amount."""
    return found if graphs > 1 else replace(found, low=None, high=None, half_width=None)


def _borders(lengths: Sequence[float]) -> list[float]:
    """Return the ends of bins with about as many utterances each; none where all are equally long."""
    ordered = sorted(lengths)
    if not ordered or ordered[0] == ordered[-1]:
        return []
    ends = [ordered[round(k * len(ordered) / _LENGTHS) - 1] for k in range(1, _LENGTHS) if len(ordered) >= _LENGTHS]
    return sorted({float(int(end)) for end in ends} - {ordered[-1]})
