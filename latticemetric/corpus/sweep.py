"""Prune many graphs to several sizes, and find their oracles at each size; group graphs by reference length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, pairwise, zip_longest
from typing import Any, NamedTuple, Self

import numpy as np

from latticemetric.arguments import is_finite, require_numbers, single_number
from latticemetric.corpus.oracles import State, metric_of, metric_state
from latticemetric.corpus.pairing import Pair, missed, readable
from latticemetric.errors import InputError, LatticeMetricError, UsageError
from latticemetric.frozen import Frozen
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Weights
from latticemetric.metrics.base import CorpusScore, GraphReference, Table, common_number
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.points import Points, SweepPoint
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.sweep import PointOracle, reference_words, sweep_graph

Score = CorpusScore[RecognitionStatistics]

_COUNTS = ("matches", "substitutions", "deletions", "insertions")


@dataclass(frozen=True)
class Swept:
    """The oracles of one graph at each point of a sweep (beam, density or n-best size), or the error.

    Attributes:
        name: The graph's id.
        length: Number of words of the reference; `None` without a reference.
        kept: The oracle of the pruned graph at each point; empty if the graph failed.
        references: Number of references.
        missed: Statistics to count if the graph failed: all reference words are deleted.
        problem: The error; `None` if the graph did not fail.
        where: The file and line of the error.
    """

    name: str
    length: float | None = None
    kept: tuple[PointOracle, ...] = ()
    references: int | str = 1
    missed: RecognitionStatistics | None = None
    problem: LatticeMetricError | None = None
    where: str = ""

    @property
    def value(self) -> Self | None:
        """The answer itself; `None` if the graph failed."""
        return self if self.kept else None

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
        lost: Number of graphs whose oracle is worse than without pruning.
        arcs: Mean number of arcs kept per graph; `None` for the 1-best, n-best lists and forests.
        density: Number of kept arcs that have a word, divided by the number of reference words; `None` for the 1-best,
            n-best lists and forests.
        strings: Mean number of strings per n-best list; `None` for other points.
        table: Statistics for `bootstrap`: one row per graph.
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
        """Return plain values, for JSON.

        Fields:
            numerator (float): The numerator of `score`.
            denominator (float): The denominator of `score`.
            matches (int): Summed counts, as the next three fields.
            substitutions (int): Reference words replaced by another word.
            deletions (int): Reference words without a counterpart.
            insertions (int): Hypothesis words without a counterpart.
        """
        sizes = {name: getattr(self, name) for name in ("lost", "arcs", "density", "strings")}
        counts = self.total.statistics.asdict()
        return {"kind": self.kind, "at": self.at, **_plain(self.total), **{n: counts[n] for n in _COUNTS}, **sizes}


@dataclass(frozen=True)
class LengthBin:
    """The oracle and the 1-best of the graphs in a range of reference lengths.

    Attributes:
        above: Lengths (in words) are greater than this; `None` for the first bin.
        up_to: Lengths (in words) are at most this; `None` for the last bin.
        graphs: Number of graphs, with those that failed.
        oracle: The oracle of whole graphs.
        one_best: The 1-bests.
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
        """The absolute difference between the scores of oracle and 1-best."""
        if self.oracle.score is None or self.one_best.score is None:
            return None
        return abs(self.oracle.score - self.one_best.score)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            kind (str): `length`.
            score (float | None): The value of the oracles of whole graphs.
            numerator (float): The numerator of `score`.
            denominator (float): The denominator of `score`.
            one_best (Score): `score`, `numerator` and `denominator` of the 1-bests.
        """
        borders = {"kind": "length", "above": self.above, "up_to": self.up_to, "graphs": self.graphs}
        return {**borders, **_plain(self.oracle), "one_best": _plain(self.one_best), "headroom": self.headroom}


@dataclass(frozen=True)
class Sweep:
    """The oracles of a test set, by point of the sweep and by reference length.

    Attributes:
        rows: The 1-best, the pruned graphs, and the whole graphs.
        lengths: Bins by the number of reference words, the shortest references first.
        graphs: Number of graphs that were searched.
        failed: Number of pairs that failed; all words of their references count as deleted at every point.
        signature: The metric, its parameters, the number of references, and the version.
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
    """Return the upper ends of bins of reference lengths in ascending order, without duplicates.

    Raises:
        UsageError: An end is negative or not finite.
    """
    require_numbers(lengths, "by_length")
    borders = list(map(single_number, lengths))
    for border in borders:
        if not is_finite(border) or border < 0:
            raise UsageError(
                f"a bin of reference lengths ends at {border!r}", advice="give numbers of words, like 5,10,20"
            )
    return tuple(int(border) if border == int(border) else float(border) for border in sorted(set(borders)))


@dataclass(frozen=True)
class SweepSettings:
    """The settings of a sweep over many graphs.

    Attributes:
        metric: The recognition rate.
        points: The sizes to which graphs are pruned.
        borders: The upper ends of bins of reference lengths; empty for no bins.
        references: Number of references per graph, for the signature; `None` to count them.
        rewritten_by: The grammar applied to graphs and references, for the signature.
    """

    metric: GRR
    points: Points
    borders: tuple[float, ...] = ()
    references: int | str | None = None
    rewritten_by: str | None = None

    def sweep(self, swept: Iterable[Swept]) -> Sweep:
        """Sum up the sweeps of many graphs."""
        all_swept, references = list(swept), self.references
        if references is None:
            references = common_number(one.references for one in all_swept if one.kept)
        scored = [one for one in all_swept if one.length is not None]
        failed = sum(one.problem is not None for one in all_swept)

        def score(some: Sequence[Swept], number: int) -> Score:
            counts = (one.statistics(number) for one in some)
            zero = RecognitionStatistics.zero(self.metric.order)
            return self.metric.corpus_score(sum(filter(None, counts), zero), references)

        bins = []
        for above, up_to in pairwise([None, *self.borders, None]) if self.borders else ():
            low, high = -math.inf if above is None else above, math.inf if up_to is None else up_to
            among = [one for one in scored if one.length is not None and low < one.length <= high]
            bins.append(LengthBin(above, up_to, len(among), oracle=score(among, -1), one_best=score(among, 0)))
        return Sweep(
            rows=tuple(
                self._row(number, point, scored, score(scored, number))
                for number, point in enumerate(self.points.listed())
            ),
            lengths=tuple(bins),
            graphs=len(all_swept) - failed,
            failed=failed,
            signature=str(self.metric.signature_for(references).also(norm=self.rewritten_by)),
        )

    def _row(self, number: int, point: SweepPoint, scored: Sequence[Swept], total: Score) -> SweepRow:
        answered = [one for one in scored if one.kept]
        kept = [one.kept[number] for one in answered]
        arcs, word_arcs, strings = (
            None if not kept or None in sizes else sum(sizes)
            for sizes in ([getattr(one, name) for one in kept] for name in ("arcs", "word_arcs", "strings"))
        )
        words = sum(one.length or 0 for one in answered)
        merit = self.metric.merit
        rows = [statistics.as_columns() for one in scored if (statistics := one.statistics(number)) is not None]
        return SweepRow(
            *point,
            total=total,
            lost=sum(merit(one.kept[number].statistics) < merit(one.kept[-1].statistics) for one in answered),
            arcs=None if arcs is None else arcs / len(kept),
            density=None if word_arcs is None or not words else word_arcs / words,
            strings=None if strings is None else strings / len(kept),
            table=np.array(rows, dtype=np.float64).reshape(len(rows), len(self.metric.columns)),
        )

    def state(self) -> State:
        """Return the settings as plain values for JSON; `of_state` reads them."""
        return {
            "metric": metric_state(self.metric),
            "points": asdict(self.points),
            "borders": self.borders,
            "references": self.references,
            "rewritten_by": self.rewritten_by,
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the settings from the values that `state` returned."""
        metric, points = metric_of(state["metric"]), Points.of(**state["points"])
        return cls(metric, points, tuple(state["borders"]), state["references"], state["rewritten_by"])


class SweepSearch(NamedTuple):
    """The oracles of a graph by one rate, at each size."""

    rate: GRR
    points: Points
    weights: Weights | None = None

    def of_graph(self, pair: Pair, graph: Graph, references: Sequence[GraphReference], *, keep_going: bool) -> Swept:
        """Find the oracles of a graph."""
        del keep_going  # there is no answer in part
        strings = strings_of_references(references)
        kept = sweep_graph(graph, strings, self.rate, self.points, self.weights)
        length = reference_words(strings, self.rate)
        return Swept(pair.name, length, tuple(kept), references=len(references))

    def failed(self, pair: Pair, error: LatticeMetricError) -> Swept:
        """Return the result for a pair that failed with `error`."""
        return failed_sweep(self.rate, pair, error)


def failed_sweep(metric: GRR, pair: Pair, error: LatticeMetricError) -> Swept:
    """Return the result for a pair that failed with `error`."""
    length = reference_words(readable(pair), metric) if pair.references else None
    return Swept(pair.name, length, missed=missed(pair, metric), problem=error, where=pair.where)


class ReferencedGraph(NamedTuple):
    """A graph with its references."""

    name: str
    graph: Graph
    references: Sequence[GraphReference]

    @property
    def strings(self) -> tuple[tuple[str, ...], ...]:
        """All strings of the references."""
        return strings_of_references(self.references)


# The document of a shard has the oracles of every graph, in order, and not only sums: intervals resample graphs.


def swept_states(swept: Iterable[Swept]) -> list[State]:
    """Return the sweep of each graph in plain values, for JSON."""
    return [
        {
            "name": one.name,
            "length": one.length,
            "references": one.references,
            "kept": [[kept.statistics.as_columns(), kept.arcs, kept.word_arcs, kept.strings] for kept in one.kept],
            "missed": None if one.missed is None else one.missed.as_columns(),
        }
        for one in swept
    ]


def swept_in_turn(shards: Sequence[Sequence[State]]) -> Iterator[Swept]:
    """Yield the sweeps of all shards in order: the first graph of each, then the second of each, and so on."""
    for state in chain.from_iterable(zip_longest(*shards)):
        if state is None:
            continue
        kept = tuple(PointOracle(RecognitionStatistics.of_columns(row), *sizes) for row, *sizes in state["kept"])
        missed = None if state["missed"] is None else RecognitionStatistics.of_columns(state["missed"])
        problem = None if kept else InputError("the graph failed in its shard", advice="see the shard's document")
        yield Swept(state["name"], state["length"], kept, state["references"], missed, problem)
