"""What a report shows of each graph: the oracle, the 1-best and the MBR answer side by side, and how large it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from latticemetric.batch.mbr import MBRAnswer, MBRSettings, mbr_answer
from latticemetric.batch.pairing import Pair
from latticemetric.batch.pairs import built, missed, readable
from latticemetric.batch.run import Run, answer_each
from latticemetric.batch.sketches import Sketch, sketch
from latticemetric.batch.string_scores import StringScorer
from latticemetric.batch.sweep import Question, Score, Sweep, Swept, summed
from latticemetric.errors import InputError, LatticeMetricError, UsageError, placed
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Frozen
from latticemetric.graph import Graph, as_lattice_or_forest
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.metrics.base import GraphReference, Table, references_each
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.best_graphs import oracle_forest, oracle_lattice
from latticemetric.oracle_search.oracle import oracle
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle
from latticemetric.oracle_search.sweep import Points, reference_words, sweep_graph

Words = tuple[str, ...]

ORACLE, ONE_BEST, MBR = "oracle", "one_best", "mbr"
SIDES = (ORACLE, ONE_BEST, MBR)


@dataclass(frozen=True)
class ReviewSettings:
    """What is asked of each graph.

    Attributes:
        metric: What is measured.
        points: Beams, densities and n-best lists whose oracles are wanted, too.
        decoding: How MBR decodes; `None` where that is not wanted.
        scales: Weight of each score column in the model's cost.
        engine: What finds the oracles.
        scorer: Metrics of strings that are wanted, too.
        posterior_scale: What costs are multiplied by before they become probabilities.
        drawn: Whether graphs are to be drawn.
    """

    metric: GRR
    points: Points
    decoding: MBRSettings | None = None
    scales: Scales | None = None
    engine: str = "auto"
    scorer: StringScorer | None = None
    posterior_scale: float = 1.0
    drawn: bool = True

    def __post_init__(self) -> None:
        if not math.isfinite(self.posterior_scale):
            raise UsageError(f"the posterior scale is {self.posterior_scale}, not a finite number")


@dataclass(frozen=True)
class Size:
    """How large a graph is.

    Attributes:
        kind: `lattice` or `forest`.
        states: States, or nodes.
        arcs: Arcs, or edges.
        paths: Complete paths, or derivations, exactly; `None` if they are more than is counted.
    """

    kind: str
    states: int
    arcs: int
    paths: int | None


@dataclass(frozen=True)
class Review:
    """What became of one pair.

    Attributes:
        name: The graph's id.
        references: What its references say; each reading of those that are graphs.
        swept: What is kept of it at each point, the 1-best first and the whole graph last.
        oracle: The best path; `None` where there is a problem.
        mbr: The MBR answer; `None` where there is none.
        mbr_problem: Why there is none, where it was asked for.
        best_paths: How many paths (or derivations) score as well as the oracle, which is one of them; `None` likewise.
        size: How large the graph is.
        scores: By metric of strings and side: of the answers to this graph alone.
        sketch: The graph, to be drawn; `None` where that is not wanted.
        problem: Why there is no answer at all.
        where: File and line of what failed.
    """

    name: str
    references: tuple[Words, ...]
    swept: Swept
    oracle: Oracle | None = None
    mbr: MBRAnswer | None = None
    mbr_problem: LatticeMetricError | None = None
    best_paths: int | None = None
    size: Size | None = None
    scores: dict[str, dict[str, float | None]] | None = None
    sketch: Sketch | None = None
    problem: LatticeMetricError | None = None
    where: str = ""

    def words(self, side: str) -> Words:
        """What one side says; a graph that failed says nothing."""
        if self.oracle is None:
            return ()
        answer = {ORACLE: self.oracle, ONE_BEST: self.oracle.one_best, MBR: self.mbr}[side]
        return () if answer is None else answer.words


def reviews_of(pairs: Iterable[Pair], asked: ReviewSettings, run: Run) -> Iterator[Review]:
    """Reviews pairs, in their order.

    Raises:
        InputError: A pair has a problem, unless failures are gone past: then it is a review of nothing.
        UsageError: A parameter makes no sense.
    """
    return answer_each(partial(_review_pair, asked), partial(_failed, asked), pairs, run)


def _review_pair(asked: ReviewSettings, pair: Pair) -> Review:
    graph, references = built(pair)
    assert pair.entry is not None
    with placed(pair.entry.place):
        return review(asked, pair.name, graph, references)


def _failed(asked: ReviewSettings, pair: Pair, error: InputError) -> Review:
    said = tuple(readable(pair)) if pair.references else ()
    length = reference_words(said, asked.metric) if said else None
    swept = Swept(pair.name, length, missed=missed(pair, asked.metric), problem=error, where=pair.where)
    return Review(pair.name, said, swept, problem=error, where=pair.where)


def review_graph(asked: ReviewSettings, question: Question) -> Review:
    """The same of a graph that a program has."""
    return review(asked, question.name, question.graph, question.references)


def review(asked: ReviewSettings, name: str, given: Graph, references: Sequence[GraphReference]) -> Review:
    """All that is shown of one graph."""
    metric, scales = asked.metric, asked.scales
    graph = as_lattice_or_forest(given, scales)
    best = oracle(graph, references, metric, scales=scales, engine=asked.engine)
    answer, problem = _decoded(graph, references, asked)
    said = strings_of_references(references)
    kept = sweep_graph(graph, said, metric, asked.points, scales)
    found = Review(
        name,
        said,
        Swept(name, reference_words(said, metric), tuple(kept), references=len(references)),
        oracle=best,
        mbr=answer,
        mbr_problem=problem,
        best_paths=_best_paths(graph, references, metric),
        size=_size(graph),
        sketch=_sketch(graph, best, answer, asked),
    )
    return found if asked.scorer is None else _scored(found, asked.scorer)


def _sketch(graph: Lattice | Forest, best: Oracle, answer: MBRAnswer | None, asked: ReviewSettings) -> Sketch | None:
    """The graph with its ways: of an MBR answer that is on no path, the nearest one's."""
    if not asked.drawn:
        return None
    ways = {"oracle": best.edges or best.arcs, "1-best": best.one_best.edges or best.one_best.arcs}
    if answer is not None:
        ways["mbr"] = answer.arcs
    return sketch(graph, ways, scale=asked.posterior_scale, scales=asked.scales)


def _decoded(
    graph: Lattice | Forest, references: Sequence[GraphReference], asked: ReviewSettings
) -> tuple[MBRAnswer | None, LatticeMetricError | None]:
    """The MBR answer; what one graph is too large for is no reason to show nothing of it."""
    if asked.decoding is None:
        return None, None
    try:
        answer = mbr_answer(
            graph, references, asked.metric, asked.decoding, scale=asked.posterior_scale, scales=asked.scales
        )
    except InputError as error:
        return None, error
    return answer, None


def _best_paths(graph: Lattice | Forest, references: Sequence[GraphReference], metric: GRR) -> int | None:
    if isinstance(graph, Forest):
        return oracle_forest(graph, references, metric).statistics().derivations
    return oracle_lattice(graph, references, metric).statistics().paths


def _size(graph: Lattice | Forest) -> Size:
    if isinstance(graph, Forest):
        forest = graph.statistics()
        return Size("forest", forest.nodes, forest.edges, forest.derivations)
    lattice = graph.statistics()
    return Size("lattice", lattice.states, lattice.arcs, lattice.paths)


def _scored(found: Review, scorer: StringScorer) -> Review:
    """The same with what metrics of strings say of each side."""
    references: list[Any] = [scorer.kept(words) for words in found.references]
    sides = [side for side in SIDES if side != MBR or found.mbr is not None]
    scores = {
        metric.name: {side: metric.score(found.words(side), references) for side in sides} for metric in scorer.metrics
    }
    return replace(found, scores=scores)


# ---- What reviews of many graphs come to: a corpus for each side, and what it is made from, row by row ----


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

    asked: ReviewSettings
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
