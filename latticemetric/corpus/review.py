"""Compute all results of a graph for a report: oracle, 1-best, MBR answer, sweep, size and drawing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from latticemetric.arguments import checked_posterior_scale
from latticemetric.corpus.pairing import Pair, built, missed, readable
from latticemetric.corpus.run import Run, answer_each
from latticemetric.corpus.string_scores import StringScorer
from latticemetric.corpus.sweep import ReferencedGraph, Swept, failed_sweep
from latticemetric.drawing.diagram import Diagram, HighlightedPaths
from latticemetric.drawing.graphs import forest_diagram, lattice_diagram
from latticemetric.drawing.selection import Bounds, select_arcs
from latticemetric.errors import InputError, LatticeMetricError, UsageError, shortened
from latticemetric.forest.forest import Forest
from latticemetric.graph import as_lattice_or_forest
from latticemetric.lattice.columns import Floats
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.mbr_decoding.mbr import mbr
from latticemetric.mbr_decoding.settings import decided_by, metric_of
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.base import GraphReference, Metric
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.oracle import oracle, oracle_forest, oracle_lattice
from latticemetric.oracle_search.points import Points
from latticemetric.oracle_search.scored_path import Oracle
from latticemetric.oracle_search.sweep import reference_words, sweep_graph
from latticemetric.posterior.expected import Expected, expected
from latticemetric.posterior.posteriors import posteriors
from latticemetric.segment_id import SegmentId

Words = tuple[str, ...]

ORACLE, ONE_BEST, MBR = "oracle", "one_best", "mbr"
SIDES = (ORACLE, ONE_BEST, MBR)
StatisticsOfSides = dict[str, RecognitionStatistics]

_MORE_STATES = 30  # largest number of states to draw besides those of highlighted paths
_LONGEST_LABEL = 24

AUTO = "auto"
"""The MBR method that decodes forests by n-grams, and other graphs by word errors."""


@dataclass(frozen=True)
class MBRSettings:
    """Settings to decode a graph for minimum Bayes risk; see `mbr`."""

    method: str | Metric[Any] = AUTO
    beam: float | None = None
    samples: int | None = None
    seed: int = 0

    @classmethod
    def of(cls, method: str | Metric[Any], *, beam: float | None, samples: int | None, seed: int) -> Self:
        """Return the settings for `auto`, `wer`, `ngram` or a metric; raise `UsageError` for another name."""
        named = method if method in (AUTO, "wer", "ngram") else metric_of(method)
        if samples is not None and isinstance(named, str):
            raise UsageError(
                f"MBR by '{named}' does not use samples", advice="choose a metric, like '4-grr', or leave samples out"
            )
        return cls(named, beam, samples, seed)


@dataclass(frozen=True)
class ReviewSettings:
    """The settings of reviews.

    Attributes:
        metric: The recognition rate of oracles.
        further: Further rates; each has its own oracles, of which only statistics are kept.
        points: Beams, densities and n-best sizes of the sweep.
        decoding: The settings of MBR; `None` for no MBR.
        weights: Weight of each score column in the model's cost.
        engine: Name of the search engine.
        scorer: Scorer for further string metrics; `None` for none.
        posterior_scale: Factor of the costs in posteriors; a factor below 1 flattens the distribution.
        drawn: True to draw the graph.
        expected: True to also compute the expected rate.
    """

    metric: GRR
    points: Points
    further: tuple[GRR, ...] = ()
    decoding: MBRSettings | None = None
    weights: Weights | None = None
    engine: str = "auto"
    scorer: StringScorer | None = None
    posterior_scale: float = 1.0
    drawn: bool = True
    expected: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "posterior_scale", checked_posterior_scale(self.posterior_scale))

    @property
    def metrics(self) -> tuple[GRR, ...]:
        """All rates, the metric first."""
        return (self.metric, *self.further)


@dataclass(frozen=True)
class MBRAnswer:
    """The MBR answer of a graph, scored against its reference like oracles and 1-bests.

    Attributes:
        words: The words, without ignored words.
        decoded: The words, with ignored words.
        score: The metric's value; `None` if the reference has no words.
        alignment: The alignment with the reference that gives the best score.
        method: The method of MBR: `wer`, `ngram`, or a metric's name.
        confidences: The probability of each word; ignored words are included.
        arcs: Arcs (in forests: edges) of a path with the answer's words. If no path has these words: arcs of the path
            with the fewest word errors against the answer.
        distance: Number of word errors of this path against the answer; 0 if the path has the answer's words.
    """

    words: tuple[str, ...]
    decoded: tuple[str, ...]
    score: float | None
    numerator: int | float
    denominator: int | float
    statistics: RecognitionStatistics
    alignment: Alignment
    method: str
    confidences: tuple[float, ...]
    arcs: tuple[int, ...]
    distance: int


@dataclass(frozen=True)
class Size:
    """The size of a lattice (states, arcs, paths) or of a forest (nodes, edges, derivations).

    `paths` is `None` if the number of paths has more than about ten thousand digits.
    """

    kind: str
    states: int
    arcs: int
    paths: int | None


@dataclass(frozen=True)
class DrawnArc:
    """The details of an arc or an edge in a drawing.

    Attributes:
        text: The word of the arc, or the right-hand side of the edge.
        cost: The model's cost of the arc or edge.
        posterior: The posterior of the arc or edge; `None` if costs are too large to compute posteriors.
        scores: The value of the arc or edge in each score column.
        expected: The expected rate of the paths that use the arc or edge; `None` if unknown.
    """

    text: str
    cost: float
    posterior: float | None
    scores: Mapping[str, float]
    expected: float | None = None


@dataclass(frozen=True)
class Sketch:
    """A drawing of a graph, or of the best part of a large graph, before layout.

    For a lattice, `arcs` has the details of each arc, in the order of `diagram.links`. For a forest, `arcs` has the
    details of each edge, in the order of the last items of `diagram.vertices`: edges are drawn as boxes.
    """

    diagram: Diagram
    arcs: tuple[DrawnArc, ...]


@dataclass(frozen=True)
class Review:
    """All results of one pair.

    Attributes:
        references: All strings of the references.
        swept: The oracle at each point of the sweep, from the 1-best to the whole graph.
        mbr_problem: The error of MBR, if it failed.
        best_paths: Number of paths (or derivations) with the oracle's score, including the oracle.
        further: The statistics of each side by each further metric; empty without references.
        scores: Sentence scores, by string metric and side (oracle, 1-best, MBR).
        expected: The expected rate of the graph's paths, if computed.
        problem: The error, if the pair failed; then there is no oracle.
        where: The file and line of the error.
        segment: The parts of the id, if the reference has them (a segment of an STM, a channel of a CTM).
    """

    name: str
    references: tuple[Words, ...]
    swept: Swept
    oracle: Oracle | None = None
    mbr: MBRAnswer | None = None
    mbr_problem: LatticeMetricError | None = None
    best_paths: int | None = None
    size: Size | None = None
    further: tuple[StatisticsOfSides, ...] = ()
    scores: dict[str, dict[str, float | None]] | None = None
    sketch: Sketch | None = None
    expected: Expected | None = None
    problem: LatticeMetricError | None = None
    where: str = ""
    segment: SegmentId | None = None

    @property
    def value(self) -> Self | None:
        """The review itself; `None` if the pair failed."""
        return None if self.oracle is None else self

    @property
    def statistics(self) -> tuple[StatisticsOfSides, ...]:
        """The statistics of each side by each metric; empty without references."""
        if self.oracle is None:
            return () if self.swept.missed is None else (dict.fromkeys(SIDES, self.swept.missed), *self.further)
        sides = {ORACLE: self.oracle.statistics, ONE_BEST: self.oracle.one_best.statistics}
        return (sides if self.mbr is None else {**sides, MBR: self.mbr.statistics}, *self.further)

    def words(self, side: str) -> Words:
        """Return the words of one side (oracle, 1-best or MBR); empty if the graph failed."""
        if self.oracle is None:
            return ()
        answer = {ORACLE: self.oracle, ONE_BEST: self.oracle.one_best, MBR: self.mbr}[side]
        return () if answer is None else answer.words


def reviews_of(lattices: Iterable[Pair], settings: ReviewSettings, run: Run) -> Iterator[Review]:
    """Yield the results of each lattice, in order; see `answer_each`."""
    return answer_each(partial(_review_pair, settings), partial(_failed, settings), lattices, run)


def _review_pair(settings: ReviewSettings, pair: Pair) -> Review:
    not_counted = frozenset[str]().union(*(metric.ignore | metric.wildcard for metric in settings.metrics))
    with built(pair, not_counted) as (graph, references):
        review = review_graph(settings, ReferencedGraph(pair.name, graph, references))
    return replace(review, segment=pair.segment)


def _failed(settings: ReviewSettings, pair: Pair, error: InputError) -> Review:
    strings = tuple(readable(pair)) if pair.references else ()
    swept = failed_sweep(settings.metric, pair, error)
    lost = [missed(pair, metric) for metric in settings.further]
    further = tuple(dict.fromkeys(SIDES, one) for one in lost if one is not None)
    return Review(pair.name, strings, swept, further=further, problem=error, where=pair.where, segment=pair.segment)


def review_graph(settings: ReviewSettings, given: ReferencedGraph) -> Review:
    """Compute all results of a graph that is already in memory."""
    references, metric, weights = given.references, settings.metric, settings.weights
    graph = as_lattice_or_forest(given.graph, weights)
    best = oracle(graph, references, metric, weights=weights, engine=settings.engine)
    answer: MBRAnswer | None = None
    problem: LatticeMetricError | None = None
    try:
        answer = None if settings.decoding is None else _mbr_answer(graph, references, settings, settings.decoding)
    except InputError as error:  # a graph that is too large for MBR is still reviewed
        problem = error
    strings = given.strings
    kept = sweep_graph(graph, strings, metric, settings.points, weights)
    rate = None
    if settings.expected:
        rate = expected(
            graph,
            references,
            metric,
            posterior_scale=settings.posterior_scale,
            weights=weights,
            gradient=settings.drawn,
            distribution=True,
        )
    drawing = None
    if settings.drawn:
        paths = {"oracle": best.edges or best.arcs, "1-best": best.one_best.edges or best.one_best.arcs}
        if answer is not None:
            paths["mbr"] = answer.arcs
        drawing = _sketch(graph, paths, rate, posterior_scale=settings.posterior_scale, weights=weights)
    review = Review(
        given.name,
        strings,
        Swept(given.name, reference_words(strings, metric), tuple(kept), references=len(references)),
        oracle=best,
        mbr=answer,
        mbr_problem=problem,
        best_paths=_best_paths(graph, references, metric),
        size=_size(graph),
        further=tuple(_statistics_by(metric, graph, references, answer, settings) for metric in settings.further),
        sketch=drawing,
        expected=rate,
    )
    return review if settings.scorer is None else replace(review, scores=_string_scores(review, settings.scorer))


def _best_paths(graph: Lattice | Forest, references: Sequence[GraphReference], metric: GRR) -> int | None:
    """Return the number of paths (or derivations) with the oracle's score."""
    if isinstance(graph, Forest):
        return oracle_forest(graph, references, metric).statistics().derivations
    return oracle_lattice(graph, references, metric).statistics().paths


def _size(graph: Lattice | Forest) -> Size:
    if isinstance(graph, Forest):
        forest = graph.statistics()
        return Size("forest", forest.nodes, forest.edges, forest.derivations)
    lattice = graph.statistics()
    return Size("lattice", lattice.states, lattice.arcs, lattice.paths)


def _string_scores(review: Review, scorer: StringScorer) -> dict[str, dict[str, float | None]]:
    """Return the sentence scores of each side, by string metric."""
    counted: list[Any] = list(map(scorer.kept, review.references))
    sides = [side for side in SIDES if side != MBR or review.mbr is not None]
    return {
        metric.name: {side: metric.score(review.words(side), counted) for side in sides} for metric in scorer.metrics
    }


def _statistics_by(
    metric: GRR,
    graph: Lattice | Forest,
    references: Sequence[GraphReference],
    answer: MBRAnswer | None,
    settings: ReviewSettings,
) -> StatisticsOfSides:
    """Return the statistics of the metric's own oracle, of the 1-best, and of the MBR answer."""
    best = oracle(graph, references, metric, weights=settings.weights, engine=settings.engine)
    sides = {ORACLE: best.statistics, ONE_BEST: best.one_best.statistics}
    return sides if answer is None else {**sides, MBR: metric.evaluate(answer.decoded, references).statistics}


def _mbr_answer(
    graph: Lattice | Forest, references: Sequence[GraphReference], settings: ReviewSettings, decoding: MBRSettings
) -> MBRAnswer:
    """Decode one graph for minimum Bayes risk, and score the answer."""
    method: Any = decoding.method
    if method == AUTO:
        method = "ngram" if isinstance(graph, Forest) else "wer"
    metric, weights = settings.metric, settings.weights
    drawn: dict[str, Any] = {} if decoding.samples is None else {"samples": decoding.samples, "seed": decoding.seed}
    by = decided_by(method, {"posterior_scale": settings.posterior_scale, "beam": decoding.beam, **drawn})
    answer: Any = mbr(graph, by, weights=weights)
    words = tuple(word for word in answer.words if word not in metric.ignore)
    scored = metric.evaluate(words, references)
    score, numerator, denominator = metric.parts(scored.statistics)
    arcs, distance = getattr(answer, "edges", ()) or getattr(answer, "arcs", ()), 0
    if not arcs:  # methods that return only words
        nearest = oracle(graph, [answer.words], "wer", weights=weights)
        arcs, distance = nearest.edges or nearest.arcs, nearest.statistics.errors
    return MBRAnswer(
        words=words,
        decoded=answer.words,
        score=score,
        numerator=numerator,
        denominator=denominator,
        statistics=scored.statistics,
        alignment=scored.alignment,
        method=method if isinstance(method, str) else method.name,
        confidences=answer.confidences,
        arcs=arcs,
        distance=distance,
    )


def _sketch(
    graph: Lattice | Forest,
    paths: HighlightedPaths,
    rate: Expected | None,
    *,
    posterior_scale: float,
    weights: Weights | None,
) -> Sketch:
    """Return a drawing of the graph, or of its best part with all arcs of the highlighted paths."""
    kept = [arc for arcs in paths.values() for arc in arcs]
    probability: list[float] | None = None
    with contextlib.suppress(InputError):
        distribution = posteriors(graph, posterior_scale=posterior_scale, weights=weights)
        probability = getattr(distribution, "edge" if isinstance(graph, Forest) else "arc").tolist()
    through: Floats | None = None
    if rate is not None and rate.gradient is not None and probability is not None:
        through = rate.through(probability, posterior_scale)
    if isinstance(graph, Forest):
        most = _MORE_STATES + len(np.unique(graph.head[kept]))
        diagram = forest_diagram(graph, paths, posteriors=probability, most_drawn=most, weights=weights)
    else:
        most = _MORE_STATES + len(np.union1d(graph.source[kept], graph.target[kept]))
        diagram = lattice_diagram(graph, paths, posteriors=probability, most_drawn=most, weights=weights)
    numbers = select_arcs(graph, kept, Bounds(most, None), weights).arcs
    cost = graph.cost(weights).arc
    arcs = tuple(
        DrawnArc(
            _text(graph, arc),
            float(cost[arc]),
            None if probability is None else probability[arc],
            {name: float(column.arc[arc]) for name, column in graph.scores.items()},
            None if through is None or np.isnan(through[arc]) else float(through[arc]),
        )
        for arc in numbers.tolist()
    )
    # Shorten the labels in the drawing; the details in `arcs` keep the whole word.
    links = tuple(replace(link, label=shortened(link.label, _LONGEST_LABEL)) for link in diagram.links)
    return Sketch(replace(diagram, links=links), arcs)


def _text(graph: Lattice | Forest, arc: int) -> str:
    """Return the word of an arc; for an edge, return the right-hand side, with [k] in place of the k-th tail."""
    spelled = graph.vocabulary.word
    if isinstance(graph, Forest):
        return " ".join(f"[{-symbol}]" if symbol < 0 else spelled(symbol) for symbol in graph.target.row(arc))
    return spelled(int(graph.word[arc]))
