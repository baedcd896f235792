"""The results of a sweep: what graphs come to together, point by point and length by length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from latticemetric.errors import LatticeMetricError, UsageError
from latticemetric.frozen import Frozen
from latticemetric.metrics.base import CorpusScore, Table, number_each
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.questions.oracles.sweep import Kept, Point, Points

Score = CorpusScore[RecognitionStatistics]

_COUNTS = ("matches", "substitutions", "deletions", "insertions")


@dataclass(frozen=True)
class Swept:
    """What became of one graph.

    Attributes:
        name: The graph's id.
        length: Words of its reference; `None` where it has none.
        kept: What each point keeps of it; nothing where there is a problem.
        references: How many references it has.
        missed: What it counts as where there is a problem: all its reference's words deleted.
        problem: Why there is no answer.
        where: File and line of what failed.
    """

    name: str
    length: float | None = None
    kept: tuple[Kept, ...] = ()
    references: int = 1
    missed: RecognitionStatistics | None = None
    problem: LatticeMetricError | None = None
    where: str = ""

    def statistics(self, point: int) -> RecognitionStatistics | None:
        """Those that count at a point; `None` where there is no reference."""
        return self.kept[point].statistics if self.kept else self.missed


@dataclass(frozen=True, eq=False)
class SweepRow(Frozen):
    """The oracle of a test set where so much of each graph is kept.

    Attributes:
        kind: `one_best`, `beam`, `density`, `nbest` or `whole`.
        at: The beam, the density, or n; `None` of the 1-best and of whole graphs.
        total: The metric's value, and the summed statistics that it is made from.
        lost: Graphs whose best is worse than that of the whole graph.
        arcs: Arcs that are kept of a graph, on average; `None` where that means nothing, as of n-best lists.
        density: Kept arcs with words, for each word of the references; likewise.
        strings: Strings of an n-best list, on average; `None` of other points.
        table: Statistics, a row a graph, as `bootstrap` takes them.
    """

    kind: str
    at: float | None
    total: Score
    lost: int
    arcs: float | None
    density: float | None
    strings: float | None
    table: Table = field(repr=False, compare=False)

    @property
    def score(self) -> float | None:
        """The metric's value."""
        return self.total.score

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        sizes = {name: getattr(self, name) for name in ("lost", "arcs", "density", "strings")}
        counts = self.total.statistics.asdict()
        return {"kind": self.kind, "at": self.at, **_plain(self.total), **{n: counts[n] for n in _COUNTS}, **sizes}


@dataclass(frozen=True)
class LengthBin:
    """The oracle and the 1-best of those graphs whose references have so many words.

    Attributes:
        above: They have more words than this; `None` of the first bin.
        up_to: And not more than this; `None` of the last bin.
        graphs: How many there are.
        oracle: The oracle of whole graphs.
        one_best: The model's own best paths.
    """

    above: float | None
    up_to: float | None
    graphs: int
    oracle: Score
    one_best: Score

    @property
    def label(self) -> str:
        """The bin, as people write it."""
        if self.up_to is None:
            return f"> {self.above:g}"
        least = 0 if self.above is None else math.floor(self.above) + 1
        return f"{least:g}" if least == self.up_to else f"{least:g}–{self.up_to:g}"

    @property
    def headroom(self) -> float | None:
        """How far the two are apart."""
        if self.oracle.score is None or self.one_best.score is None:
            return None
        return abs(self.oracle.score - self.one_best.score)

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        borders = {"kind": "length", "above": self.above, "up_to": self.up_to, "graphs": self.graphs}
        return {**borders, **_plain(self.oracle), "one_best": _plain(self.one_best), "headroom": self.headroom}


@dataclass(frozen=True)
class Sweep:
    """How the oracle changes with what is kept of graphs, and with the length of references.

    Attributes:
        rows: The 1-best, the points that were asked for, and the whole graphs.
        lengths: Bins by the words of the reference, the shortest first.
        graphs: Graphs that were searched.
        failed: Pairs that were not; their references' words count as deleted at every point.
        signature: The metric, its parameters and the version.
    """

    rows: tuple[SweepRow, ...]
    lengths: tuple[LengthBin, ...]
    graphs: int
    failed: int
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "signature": self.signature,
            "graphs": self.graphs,
            "failed": self.failed,
            "rows": [row.asdict() for row in self.rows],
            "lengths": [one.asdict() for one in self.lengths],
        }


def _plain(score: Score) -> dict[str, Any]:
    return {"score": score.score, "numerator": score.numerator, "denominator": score.denominator}


def checked_borders(lengths: Iterable[float]) -> tuple[float, ...]:
    """Where bins end, ascending, each once."""
    borders = sorted(set(lengths))
    for border in borders:
        if not 0 <= border < math.inf:
            raise UsageError(f"a bin of lengths ends at {border}", advice="give numbers of words, like 5,10,20")
    return tuple(int(border) if border == int(border) else border for border in borders)


def summed(
    found: Iterable[Swept],
    metric: GRR,
    points: Points,
    borders: Sequence[float],
    references: int | str | None = None,
    *,
    rewritten_by: str | None = None,
) -> Sweep:
    """The totals of many graphs.

    Args:
        found: What became of each.
        metric: What was measured.
        points: What was swept over.
        borders: Where bins of lengths end; no bins without any.
        references: How many references each graph has, for the signature; without it, what they do have.
        rewritten_by: The grammar that both sides went through, for the signature.
    """
    all_swept = list(found)
    totals = _Totals([one for one in all_swept if one.length is not None], metric, references)
    answered = [one for one in all_swept if one.problem is None]
    return Sweep(
        rows=tuple(totals.row(number, point) for number, point in enumerate(points.listed())),
        lengths=tuple(totals.bins(borders)),
        graphs=len(answered),
        failed=len(all_swept) - len(answered),
        signature=str(metric.signature_for(totals.references).also(norm=rewritten_by)),
    )


class _Totals:
    """Sums over graphs that have a reference."""

    def __init__(self, swept: Sequence[Swept], metric: GRR, references: int | str | None) -> None:
        self._swept, self._metric = swept, metric
        self._answered = [one for one in swept if one.kept]
        own = number_each([one.references for one in self._answered])
        self.references = own if references is None else references

    def row(self, number: int, point: Point) -> SweepRow:
        kept = [one.kept[number] for one in self._answered]
        arcs, word_arcs, strings = (
            _sum([getattr(one, name) for one in kept]) for name in ("arcs", "word_arcs", "strings")
        )
        words = sum(one.length or 0 for one in self._answered)
        return SweepRow(
            *point,
            total=self._score(self._swept, number),
            lost=sum(self._is_worse(one, number) for one in self._answered),
            arcs=None if arcs is None else arcs / len(kept),
            density=None if word_arcs is None or not words else word_arcs / words,
            strings=None if strings is None else strings / len(kept),
            table=self._table(number),
        )

    def bins(self, borders: Sequence[float]) -> list[LengthBin]:
        if not borders:
            return []
        return [self._bin(*ends) for ends in pairwise([None, *borders, None])]

    def _bin(self, above: float | None, up_to: float | None) -> LengthBin:
        low, high = -math.inf if above is None else above, math.inf if up_to is None else up_to
        among = [one for one in self._swept if one.length is not None and low < one.length <= high]
        return LengthBin(above, up_to, len(among), self._score(among, -1), self._score(among, 0))

    def _score(self, swept: Sequence[Swept], number: int) -> Score:
        total = RecognitionStatistics.zero(self._metric.order)
        for one in swept:
            total += one.statistics(number) or RecognitionStatistics.zero(self._metric.order)
        return self._metric.corpus_score(total, self.references)

    def _is_worse(self, one: Swept, number: int) -> bool:
        here, whole = (self._metric.merit(one.kept[k].statistics) for k in (number, -1))
        return here < whole

    def _table(self, number: int) -> Table:
        rows = [statistics.row() for one in self._swept if (statistics := one.statistics(number)) is not None]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self._metric.columns))


def _sum(values: Sequence[int | None]) -> int | None:
    """The sum; nothing where a value means nothing."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
