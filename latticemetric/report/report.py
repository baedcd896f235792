"""What a report says: reviews of many graphs, gathered."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from latticemetric.batch.decoded import Decoded
from latticemetric.batch.review import MBR, ONE_BEST, ORACLE, Review, Reviewing, ReviewTotals, SideTotal
from latticemetric.batch.sketches import Sketch
from latticemetric.batch.sweep import Sweep
from latticemetric.drawing.text_width import visible
from latticemetric.evaluation.intervals import Interval, bootstrap, paired_bootstrap
from latticemetric.frozen import cached_property
from latticemetric.metrics.alignment import INSERTION, Alignment
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.report.figures import paths

# ---- What a page knows of each utterance, as plain values ----

# As far as numbers in scripts reach: what is only sorted by goes no further.
_FURTHEST = 2**53
_COUNTS = ("matches", "substitutions", "deletions", "insertions")


def utterance(review: Review) -> dict[str, Any]:
    """One utterance, for JSON, without its drawing.

    References are lists of words; a side's `words` are all that it says, its alignment is `edits` with the words of
    both sides that are counted.
    """
    common: dict[str, Any] = {"id": visible(review.name), "references": [_shown(words) for words in review.references]}
    if review.oracle is None:
        return {**common, "error": visible(str(review.problem))}
    best, size = review.oracle, review.size
    assert size is not None
    sides = {ORACLE: _side(best), ONE_BEST: _side(best.one_best)}
    if review.mbr is not None:
        sides[MBR] = _side(review.mbr) | {"method": review.mbr.method, "apart": review.mbr.apart}
    item = {
        **common,
        "length": review.swept.length,
        "headroom": headroom(review),
        "density": density(review),
        "kind": size.kind,
        "states": size.states,
        "arcs": size.arcs,
        "paths": paths(size.paths),
        "best_paths": [min(review.best_paths or _FURTHEST, _FURTHEST), paths(review.best_paths)],
        "exact": best.exact,
        "sides": sides,
    }
    if review.mbr_problem is not None:
        item["mbr_problem"] = visible(str(review.mbr_problem))
    return item if review.scores is None else {**item, "scores": review.scores}


def headroom(review: Review) -> float | None:
    """How far the oracle and the 1-best of one graph are apart."""
    if review.oracle is None or review.oracle.score is None or review.oracle.one_best.score is None:
        return None
    return abs(review.oracle.score - review.oracle.one_best.score)


def density(review: Review) -> float | None:
    """Arcs with words for each word of the reference, as sweeps count them; of lattices."""
    whole = review.swept.kept[-1].word_arcs if review.swept.kept else None
    return whole / review.swept.length if whole is not None and review.swept.length else None


def _side(path: ScoredPath | Decoded) -> dict[str, Any]:
    counts = path.statistics.asdict()
    said = {
        "score": path.score,
        "fraction": [path.numerator, path.denominator],
        "counts": [counts[name] for name in _COUNTS],
        "words": _shown(path.words),
        **_aligned(path.alignment, path.words),
    }
    return {**said, "cost": path.cost} if isinstance(path, ScoredPath) else said


def _aligned(alignment: Alignment, words: tuple[str, ...]) -> dict[str, Any]:
    """Edits, and the reference words where another one or none was said; `said` only where not all words count."""
    expected = [r or "" for edit, r, c in alignment.steps() if edit != INSERTION and r != c]
    said = {} if alignment.candidate == words else {"said": _shown(alignment.candidate)}
    return {"edits": alignment.edits, "expected": _shown(expected), **said}


def _shown(words: list[str] | tuple[str, ...]) -> list[str]:
    return [visible(word) for word in words]


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
        """Take in reviews, one at a time in memory."""
        for review in reviews:
            self._add(review)

    def sketches(self) -> dict[int, Sketch]:
        """Return the graphs to be drawn, by the places of their utterances."""
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
        """Return the first of those with as much headroom stay."""
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
