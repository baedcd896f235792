"""Sweep oracles of many graphs over the part of each graph that is kept, and by the length of references."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple, Self

import numpy as np

from latticemetric.batch.pairing import Pair
from latticemetric.batch.pairs import built, missed, readable
from latticemetric.batch.run import Run, answer_each, graph_packing
from latticemetric.batch.totals import metric_of, metric_state
from latticemetric.errors import InputError, LatticeMetricError, UsageError
from latticemetric.frozen import Frozen
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Scales
from latticemetric.metrics.base import CorpusScore, GraphReferences, Table, number_each
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.reference_checks import checked_corpus
from latticemetric.oracle_search.oracle import as_recognition_rate
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.sweep import Kept, Point, Points, reference_words, sweep_graph
from latticemetric.parallel.map import Workers, map_in_order

Score = CorpusScore[RecognitionStatistics]

_COUNTS = ("matches", "substitutions", "deletions", "insertions")


@dataclass(frozen=True)
class Swept:
    """The sweep of one graph.

    Attributes:
        name: The graph's id.
        length: Number of words of the reference; `None` without a reference.
        kept: The oracle of the part kept at each point; empty if there is a problem.
        references: Number of references.
        missed: Statistics used if there is a problem: all words of the reference deleted.
        problem: The reason why the graph failed.
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
        """Return the statistics at a point; `None` without a reference."""
        return self.kept[point].statistics if self.kept else self.missed


@dataclass(frozen=True, eq=False)
class SweepRow(Frozen):
    """The oracle of a test set at one point of a sweep.

    Attributes:
        kind: `one_best`, `beam`, `density`, `nbest` or `whole`.
        at: The beam, the density, or n; `None` for the 1-best and for whole graphs.
        total: The metric's value and the summed statistics.
        lost: Number of graphs whose oracle is worse than that of the whole graph.
        arcs: Mean number of arcs kept per graph; `None` if arcs do not apply, as for n-best lists.
        density: Kept arcs with words, per word of the references; `None` likewise.
        strings: Mean number of strings per n-best list; `None` for other points.
        table: Statistics for `bootstrap`, one row per graph.
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
        """Return plain values, for JSON."""
        sizes = {name: getattr(self, name) for name in ("lost", "arcs", "density", "strings")}
        counts = self.total.statistics.asdict()
        return {"kind": self.kind, "at": self.at, **_plain(self.total), **{n: counts[n] for n in _COUNTS}, **sizes}


@dataclass(frozen=True)
class LengthBin:
    """The oracle and the 1-best of the graphs whose reference lengths are in a range.

    Attributes:
        above: Lengths are above this; `None` for the first bin.
        up_to: Lengths are up to this; `None` for the last bin.
        graphs: Number of graphs.
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
        """The range as text."""
        if self.up_to is None:
            return f"> {self.above:g}"
        least = 0 if self.above is None else math.floor(self.above) + 1
        return f"{least:g}" if least == self.up_to else f"{least:g}–{self.up_to:g}"

    @property
    def headroom(self) -> float | None:
        """The difference between the oracle and the 1-best."""
        if self.oracle.score is None or self.one_best.score is None:
            return None
        return abs(self.oracle.score - self.one_best.score)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        borders = {"kind": "length", "above": self.above, "up_to": self.up_to, "graphs": self.graphs}
        return {**borders, **_plain(self.oracle), "one_best": _plain(self.one_best), "headroom": self.headroom}


@dataclass(frozen=True)
class Sweep:
    """The oracles of a test set, point by point and length by length.

    Attributes:
        rows: The 1-best, the points, and the whole graphs.
        lengths: Bins by the number of reference words, the shortest first.
        graphs: Number of graphs that were searched.
        failed: Number of pairs that failed; all words of their references count as deleted at every point.
        signature: The metric, its parameters and the version.
    """

    rows: tuple[SweepRow, ...]
    lengths: tuple[LengthBin, ...]
    graphs: int
    failed: int
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
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
    """Return the ends of bins in ascending order, without duplicates."""
    borders = sorted(set(lengths))
    for border in borders:
        if not 0 <= border < math.inf:
            raise UsageError(f"a bin of lengths ends at {border}", advice="give numbers of words, like 5,10,20")
    return tuple(int(border) if border == int(border) else border for border in borders)


def summed(
    swept: Iterable[Swept],
    metric: GRR,
    points: Points,
    borders: Sequence[float],
    references: int | str | None = None,
    *,
    rewritten_by: str | None = None,
) -> Sweep:
    """Sum up the sweeps of many graphs.

    Args:
        swept: The sweep of each graph.
        metric: The metric.
        points: The points of the sweep.
        borders: The ends of bins of lengths; empty for no bins.
        references: Number of references per graph, for the signature; by default, counted.
        rewritten_by: The grammar that rewrote both sides, for the signature.
    """
    all_swept = list(swept)
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
    """Return the sum; `None` if a value is missing."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def sweep(
    graphs: Iterable[Graph | tuple[str, Graph]],
    references: Iterable[GraphReferences],
    metric: str | GRR = "4-grr",
    *,
    beams: Iterable[float] = (),
    densities: Iterable[float] = (),
    nbest: Iterable[int] = (),
    by_length: Iterable[float] = (),
    scales: Scales | None = None,
    workers: Workers = 1,
) -> Sweep:
    """Search the oracles of a test set at several beams, densities and n-best sizes, and by reference length.

    Args:
        graphs: Lattices, n-best lists, or (without beams and densities) forests; or (name, graph) pairs, as `read`
            yields them.
        references: The references of each graph: one string, or several.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        beams: Largest costs above the best path; costlier paths of a lattice are left out.
        densities: Largest numbers of arcs with words per reference word; the beam is chosen for each lattice.
        nbest: Numbers of cheapest strings to keep, all different.
        by_length: The longest reference of each bin; a last bin has all longer references.
        scales: Weight of each score column in the model's cost; other columns keep their own.
        workers: Number of graphs searched at once, or a Dask client whose workers search them.

    Raises:
        UsageError: A number is invalid, or the numbers of graphs and references differ.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a x c", "a y z", "a b c"], costs=[1.0, 2.0, 3.0])
        >>> for row in sweep([lattice], ["a b c"], "wer", beams=[1], nbest=[1, 2, 3]).rows:
        ...     print(row.kind, row.at, row.score, row.density)
        one_best None 0.3333333333333333 None
        beam 1.0 0.3333333333333333 2.0
        nbest 1 0.3333333333333333 None
        nbest 2 0.3333333333333333 None
        nbest 3 0.0 None
        whole None 0.0 3.0
    """
    rate = as_recognition_rate(metric)
    points, borders = Points.of(beams, densities, nbest), checked_borders(by_length)
    answer = partial(_swept, rate, points, scales)
    swept = map_in_order(answer, graphs_with_references(graphs, references), workers, packing=graph_packing)
    return summed(swept, rate, points, borders)


def swept_pairs(
    pairs: Iterable[Pair], metric: GRR, points: Points, run: Run, *, scales: Scales | None = None
) -> Iterator[Swept]:
    """Sweep over pairs, in order.

    Raises:
        InputError: A pair has a problem, and the run does not keep going. (Else the problem is in its sweep.)
        UsageError: A parameter is invalid.
    """
    return answer_each(partial(_swept_pair, metric, points, scales), partial(_failed, metric), pairs, run)


def _swept_pair(metric: GRR, points: Points, scales: Scales | None, pair: Pair) -> Swept:
    with built(pair) as (graph, references):
        return _swept(metric, points, scales, ReferencedGraph(pair.name, graph, strings_of_references(references)))


def _failed(metric: GRR, pair: Pair, error: InputError) -> Swept:
    if not pair.references:
        return Swept(pair.name, problem=error, where=pair.where)
    length = reference_words(readable(pair), metric)
    return Swept(pair.name, length, missed=missed(pair, metric), problem=error, where=pair.where)


class ReferencedGraph(NamedTuple):
    """A graph with all strings of its references."""

    name: str
    graph: Graph
    references: tuple[tuple[str, ...], ...]


def _swept(metric: GRR, points: Points, scales: Scales | None, given: ReferencedGraph) -> Swept:
    kept = sweep_graph(given.graph, given.references, metric, points, scales)
    length = reference_words(given.references, metric)
    return Swept(given.name, length, tuple(kept), references=len(given.references))


def graphs_with_references(
    graphs: Iterable[Graph | tuple[str, Graph]], references: Iterable[GraphReferences]
) -> Iterator[ReferencedGraph]:
    """Pair graphs with their references; number the graphs that have no name."""
    pairs = enumerate(zip_longest(graphs, checked_corpus(references)), start=1)  # neither of them yields None
    for number, (given, expected) in pairs:
        if given is None or expected is None:
            fewer, more = ("graphs", "references") if given is None else ("references", "graphs")
            raise UsageError(f"there are {number - 1} {fewer}, but more {more}", advice="give the same number of both")
        name, graph = given if isinstance(given, tuple) else (str(number), given)
        yield ReferencedGraph(name, graph, strings_of_references(expected))


# Documents of shards have the sweep of each graph, since intervals need the single graphs in their order.

State = dict[str, Any]


@dataclass(frozen=True)
class SweepSettings:
    """The settings of a sweep over many graphs.

    Attributes:
        metric: The metric.
        points: The points.
        borders: The ends of bins of reference lengths.
        references: Number of references per graph.
        rewritten_by: The grammar that rewrote both sides.
    """

    metric: GRR
    points: Points
    borders: tuple[float, ...]
    references: int
    rewritten_by: str | None = None

    def sweep(self, swept: Iterable[Swept]) -> Sweep:
        """Sum up the sweeps of many graphs."""
        return summed(swept, self.metric, self.points, self.borders, self.references, rewritten_by=self.rewritten_by)

    def state(self) -> State:
        """Return plain values, for JSON."""
        return {
            "metric": metric_state(self.metric),
            "points": asdict(self.points),
            "borders": self.borders,
            "references": self.references,
            "rewritten_by": self.rewritten_by,
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the settings from the values of `state`."""
        return cls(
            metric_of(state["metric"]),
            Points.of(**state["points"]),
            tuple(state["borders"]),
            state["references"],
            state["rewritten_by"],
        )


def swept_states(swept: Iterable[Swept]) -> list[State]:
    """Return the sweep of each graph in plain values, for JSON."""
    return [_state(one) for one in swept]


def swept_in_turn(shards: Sequence[Sequence[State]]) -> Iterator[Swept]:
    """Yield the sweeps of all shards in order: the first of each, the second of each, and so on."""
    for turn in zip_longest(*shards):
        yield from (_of_state(state) for state in turn if state is not None)


def _state(one: Swept) -> State:
    kept = [[kept.statistics.row(), kept.arcs, kept.word_arcs, kept.strings] for kept in one.kept]
    missed = None if one.missed is None else one.missed.row()
    return {"name": one.name, "length": one.length, "references": one.references, "kept": kept, "missed": missed}


def _of_state(state: State) -> Swept:
    kept = tuple(Kept(RecognitionStatistics.of_row(row), *sizes) for row, *sizes in state["kept"])
    return Swept(
        name=state["name"],
        length=state["length"],
        kept=kept,
        references=state["references"],
        missed=None if state["missed"] is None else RecognitionStatistics.of_row(state["missed"]),
        problem=None if kept else InputError("it failed in its shard"),
    )
