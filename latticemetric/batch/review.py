"""Review graphs for reports: oracle, 1-best and MBR answer side by side, sweep, size and drawing."""

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
from latticemetric.batch.sweep import ReferencedGraph, Score, Sweep, Swept, summed
from latticemetric.errors import InputError, LatticeMetricError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Frozen
from latticemetric.graph import Graph, as_lattice_or_forest
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.metrics.base import GraphReference, Table, references_each
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.oracle import oracle, oracle_forest, oracle_lattice
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle
from latticemetric.oracle_search.sweep import Points, reference_words, sweep_graph

Words = tuple[str, ...]

ORACLE, ONE_BEST, MBR = "oracle", "one_best", "mbr"
SIDES = (ORACLE, ONE_BEST, MBR)


@dataclass(frozen=True)
class ReviewSettings:
    """The settings of reviews.

    Attributes:
        metric: The metric of oracles.
        points: Beams, densities and n-best lists to sweep over.
        decoding: The settings of MBR; `None` for no MBR.
        scales: Weight of each score column in the model's cost.
        engine: The engine that searches oracles.
        scorer: Further metrics, of strings.
        posterior_scale: Factor on costs before they become probabilities.
        drawn: True to draw graphs.
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
    """The size of a graph.

    Attributes:
        kind: `lattice` or `forest`.
        states: States, or nodes.
        arcs: Arcs, or edges.
        paths: Exact number of complete paths, or derivations; `None` if there are too many to count.
    """

    kind: str
    states: int
    arcs: int
    paths: int | None


@dataclass(frozen=True)
class Review:
    """The review of one pair.

    Attributes:
        name: The graph's id.
        references: All strings of its references.
        swept: The sweep, from the 1-best to the whole graph.
        oracle: The best path; `None` if there is a problem.
        mbr: The MBR answer, or `None`.
        mbr_problem: The reason why MBR failed.
        best_paths: Number of paths (or derivations) with the oracle's score, including the oracle.
        size: The size of the graph.
        scores: Scores of this graph alone, by string metric and side.
        sketch: The drawing; `None` if graphs are not drawn.
        problem: The reason why the pair failed.
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
        """Return the words of one side; none if the graph failed."""
        if self.oracle is None:
            return ()
        answer = {ORACLE: self.oracle, ONE_BEST: self.oracle.one_best, MBR: self.mbr}[side]
        return () if answer is None else answer.words


def reviews_of(pairs: Iterable[Pair], settings: ReviewSettings, run: Run) -> Iterator[Review]:
    """Review pairs, in order.

    Raises:
        InputError: A pair has a problem, and the run does not keep going. (Else the problem is in the review.)
        UsageError: A parameter is invalid.
    """
    return answer_each(partial(_review_pair, settings), partial(_failed, settings), pairs, run)


def _review_pair(settings: ReviewSettings, pair: Pair) -> Review:
    with built(pair) as (graph, references):
        return review(settings, pair.name, graph, references)


def _failed(settings: ReviewSettings, pair: Pair, error: InputError) -> Review:
    strings = tuple(readable(pair)) if pair.references else ()
    length = reference_words(strings, settings.metric) if strings else None
    swept = Swept(pair.name, length, missed=missed(pair, settings.metric), problem=error, where=pair.where)
    return Review(pair.name, strings, swept, problem=error, where=pair.where)


def review_graph(settings: ReviewSettings, given: ReferencedGraph) -> Review:
    """Review a graph that is in memory."""
    return review(settings, given.name, given.graph, given.references)


def review(settings: ReviewSettings, name: str, given: Graph, references: Sequence[GraphReference]) -> Review:
    """Review one graph."""
    metric, scales = settings.metric, settings.scales
    graph = as_lattice_or_forest(given, scales)
    best = oracle(graph, references, metric, scales=scales, engine=settings.engine)
    answer, problem = _decoded(graph, references, settings)
    strings = strings_of_references(references)
    kept = sweep_graph(graph, strings, metric, settings.points, scales)
    found = Review(
        name,
        strings,
        Swept(name, reference_words(strings, metric), tuple(kept), references=len(references)),
        oracle=best,
        mbr=answer,
        mbr_problem=problem,
        best_paths=_best_paths(graph, references, metric),
        size=_size(graph),
        sketch=_sketch(graph, best, answer, settings),
    )
    return found if settings.scorer is None else _scored(found, settings.scorer)


def _sketch(graph: Lattice | Forest, best: Oracle, answer: MBRAnswer | None, settings: ReviewSettings) -> Sketch | None:
    """Sketch the graph with its paths; for an MBR answer that is on no path, the nearest one."""
    if not settings.drawn:
        return None
    ways = {"oracle": best.edges or best.arcs, "1-best": best.one_best.edges or best.one_best.arcs}
    if answer is not None:
        ways["mbr"] = answer.arcs
    return sketch(graph, ways, scale=settings.posterior_scale, scales=settings.scales)


def _decoded(
    graph: Lattice | Forest, references: Sequence[GraphReference], settings: ReviewSettings
) -> tuple[MBRAnswer | None, LatticeMetricError | None]:
    """Return the MBR answer, or the reason why there is none: a graph that is too large for MBR is still reviewed."""
    if settings.decoding is None:
        return None, None
    try:
        answer = mbr_answer(
            graph,
            references,
            settings.metric,
            settings.decoding,
            scale=settings.posterior_scale,
            scales=settings.scales,
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
    """Add the scores of each side by string metrics."""
    references: list[Any] = [scorer.kept(words) for words in found.references]
    sides = [side for side in SIDES if side != MBR or found.mbr is not None]
    scores = {
        metric.name: {side: metric.score(found.words(side), references) for side in sides} for metric in scorer.metrics
    }
    return replace(found, scores=scores)


@dataclass(frozen=True, eq=False)
class SideTotal(Frozen):
    """One side of a test set: the oracles, the 1-bests, or the MBR answers.

    Attributes:
        side: Its name.
        total: The metric's value and the summed statistics.
        scores: The scores by string metrics, by metric name.
        table: Statistics for `bootstrap`, one row per graph; all sides have the same rows.
    """

    side: str
    total: Score
    scores: dict[str, float | None]
    table: Table = field(repr=False, compare=False)


@dataclass
class ReviewTotals:
    """Totals of reviews.

    Attributes:
        settings: The settings of the reviews.
        references: Number of references per graph; `None` to count them.
        normalize: The grammar that rewrote both sides, for signatures.
    """

    settings: ReviewSettings
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
        """Add a review."""
        self._swept.append(review.swept)
        self.lattices += review.oracle is not None
        self.failed += review.oracle is None
        self.undecoded += review.mbr_problem is not None
        if review.mbr is not None:
            self.methods.add(review.mbr.method)
        for side, statistics in _statistics(review):
            self._rows[side].append(statistics.row())
        if self.settings.scorer is not None and review.references:
            kept = tuple(map(self.settings.scorer.kept, review.references))
            self._strings.append({side: review.words(side) for side in self._rows} | {"references": kept})

    @property
    def decoded(self) -> bool:
        """True if all searched graphs have an MBR answer; corpus totals need all of them."""
        return self.settings.decoding is not None and not self.undecoded and self.lattices > 0

    def sides(self) -> list[SideTotal]:
        """Return the totals of each side, the oracles first."""
        return [self._side(side) for side in (ORACLE, MBR, ONE_BEST) if side != MBR or self.decoded]

    def sweep(self, borders: Sequence[float]) -> Sweep:
        """Return the sweep over all graphs, with bins of lengths that end at `borders`."""
        settings = self.settings
        return summed(
            self._swept, settings.metric, settings.points, borders, self.references, rewritten_by=self.normalize
        )

    def lengths(self) -> list[float]:
        """Return the length of each graph's reference."""
        return [swept.length for swept in self._swept if swept.length is not None]

    def signatures(self) -> dict[str, str]:
        """Return the signatures of the string metrics, by name."""
        scorer, number = self.settings.scorer, references_each([list(row["references"]) for row in self._strings])
        metrics = () if scorer is None else scorer.metrics
        return {m.name: str(scorer.signed(m.signature_for(number))) for m in metrics if scorer is not None}

    def _side(self, side: str) -> SideTotal:
        metric = self.settings.metric
        table = np.array(self._rows[side], dtype=np.float64).reshape(-1, len(metric.columns))
        total = RecognitionStatistics.of_row(table.sum(axis=0).astype(int).tolist())
        return SideTotal(side, metric.corpus_score(total, self.references or 1), self._scores(side), table)

    def _scores(self, side: str) -> dict[str, float | None]:
        scorer = self.settings.scorer
        if scorer is None:
            return {}
        references = [list(row["references"]) for row in self._strings]
        strings = [row[side] for row in self._strings]
        return {metric.name: metric.corpus(strings, references).score for metric in scorer.metrics}


def _statistics(review: Review) -> Iterable[tuple[str, RecognitionStatistics]]:
    """Return the statistics of each side; if the graph failed, all words of its reference count as deleted."""
    if review.oracle is None:
        missed = review.swept.missed
        return [] if missed is None else [(side, missed) for side in (ORACLE, ONE_BEST, MBR)]
    sides = [(ORACLE, review.oracle.statistics), (ONE_BEST, review.oracle.one_best.statistics)]
    return sides if review.mbr is None else [*sides, (MBR, review.mbr.statistics)]
