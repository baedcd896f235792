"""What reviews of many graphs come to: a corpus for each side, and what it is made from, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latticemetric.batch.reviews import MBR, ONE_BEST, ORACLE, Review, Reviewing
from latticemetric.batch.sweep_totals import Score, Sweep, Swept, summed
from latticemetric.frozen import Frozen
from latticemetric.metrics.base import Table, references_each
from latticemetric.metrics.recognition_statistics import RecognitionStatistics


@dataclass(frozen=True, eq=False)
class SideTotal(Frozen):
    """One side of a test set: the oracles, the 1-bests, or the MBR answers.

    Attributes:
        side: Which.
        total: The metric's value, and the summed statistics that it is made from.
        scores: What metrics of strings say of it, by their names.
        table: Statistics, a row a graph, as `bootstrap` takes them; all sides have the same rows.
    """

    side: str
    total: Score
    scores: dict[str, float | None]
    table: Table = field(repr=False, compare=False)


@dataclass
class ReviewTotals:
    """Collects reviews.

    Attributes:
        asked: What was asked of each graph.
        references: How many references each graph has; `None` for what they do have.
        normalize: The grammar that both sides went through, for signatures.
    """

    asked: Reviewing
    references: int | str | None = None
    normalize: str | None = None
    lattices: int = 0
    failed: int = 0
    undecoded: int = 0
    methods: set[str] = field(default_factory=set)
    _swept: list[Swept] = field(default_factory=list)
    _rows: dict[str, list[list[int]]] = field(default_factory=lambda: {ORACLE: [], ONE_BEST: [], MBR: []})
    _strings: list[dict[str, Any]] = field(default_factory=list)

    def add(self, review: Review) -> None:
        """Takes in one more."""
        self._swept.append(review.swept)
        self.lattices += review.oracle is not None
        self.failed += review.oracle is None
        self.undecoded += review.mbr_problem is not None
        if review.mbr is not None:
            self.methods.add(review.mbr.method)
        for side, statistics in _statistics(review):
            self._rows[side].append(statistics.row())
        if self.asked.scorer is not None and review.references:
            kept = tuple(map(self.asked.scorer.kept, review.references))
            self._strings.append({side: review.words(side) for side in self._rows} | {"references": kept})

    @property
    def decoded(self) -> bool:
        """Whether there is an MBR answer to each graph that was searched: a corpus of some is none of all."""
        return self.asked.decoding is not None and not self.undecoded and self.lattices > 0

    def sides(self) -> list[SideTotal]:
        """The corpora, the oracles' first."""
        return [self._side(side) for side in (ORACLE, MBR, ONE_BEST) if side != MBR or self.decoded]

    def sweep(self, borders: Sequence[float]) -> Sweep:
        """What each point keeps of all graphs, and bins of lengths that end at these borders."""
        asked = self.asked
        return summed(self._swept, asked.metric, asked.points, borders, self.references, rewritten_by=self.normalize)

    def lengths(self) -> list[float]:
        """The words of each graph's reference."""
        return [swept.length for swept in self._swept if swept.length is not None]

    def signatures(self) -> dict[str, str]:
        """Of the metrics of strings, by name."""
        scorer, number = self.asked.scorer, references_each([list(row["references"]) for row in self._strings])
        metrics = () if scorer is None else scorer.metrics
        return {m.name: str(scorer.signed(m.signature_for(number))) for m in metrics if scorer is not None}

    def _side(self, side: str) -> SideTotal:
        metric = self.asked.metric
        table = np.array(self._rows[side], dtype=np.float64).reshape(-1, len(metric.columns))
        total = RecognitionStatistics.of_row(table.sum(axis=0).astype(int).tolist())
        return SideTotal(side, metric.corpus_score(total, self.references or 1), self._scores(side), table)

    def _scores(self, side: str) -> dict[str, float | None]:
        scorer = self.asked.scorer
        if scorer is None:
            return {}
        references = [list(row["references"]) for row in self._strings]
        said = [row[side] for row in self._strings]
        return {metric.name: metric.corpus(said, references).score for metric in scorer.metrics}


def _statistics(review: Review) -> Iterable[tuple[str, RecognitionStatistics]]:
    """What counts of each side: of a graph that failed, that all its reference's words are deleted."""
    if review.oracle is None:
        missed = review.swept.missed
        return [] if missed is None else [(side, missed) for side in (ORACLE, ONE_BEST, MBR)]
    sides = [(ORACLE, review.oracle.statistics), (ONE_BEST, review.oracle.one_best.statistics)]
    return sides if review.mbr is None else [*sides, (MBR, review.mbr.statistics)]
