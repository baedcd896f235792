"""Oracles of many graphs, and their totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from latticemetric.automata.reference import words_in
from latticemetric.batch.normalization import warn_of_forms
from latticemetric.batch.pairing import Pair
from latticemetric.errors import InputError, LatticeMetricError, placed
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.metrics.base import GraphReference
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.oracle import oracle
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle
from latticemetric.parallel.map import Run, answered

if TYPE_CHECKING:
    from latticemetric.batch.margins import Extremes, Wanted
    from latticemetric.batch.string_scores import Strings, StringScorer


class Confidences(NamedTuple):
    """The posterior of each word's arc."""

    oracle: tuple[float, ...]
    one_best: tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of one pair: an oracle, or a problem, or an oracle and a problem of what else was asked for.

    Attributes:
        name: The graph's id.
        oracle: The answer; `None` where there is none.
        problem: Why there is none, or not all that was asked for.
        missed: What counts for an answer that there is not: all words of the reference deleted.
        strings: Its words, for sentence metrics; only where some were asked for.
        sentence_scores: What they say of it alone; likewise.
        confidences: Of the oracle's and the 1-best's words; only where they were asked for.
        extremes: What else was asked for.
        where: File and line of what failed.
    """

    name: str
    oracle: Oracle | None
    problem: LatticeMetricError | None = None
    missed: RecognitionStatistics | None = None
    strings: Strings | None = None
    sentence_scores: dict[str, dict[str, float | None]] | None = None
    confidences: Confidences | None = None
    extremes: Extremes | None = None
    where: str = ""

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        if self.oracle is None:
            return {"id": self.name, "error": str(self.problem)}
        scores = {} if self.sentence_scores is None else {"sentence_scores": self.sentence_scores}
        extremes = {} if self.extremes is None else self.extremes.asdict()
        item = {"id": self.name, **self.oracle.asdict(), **scores, **extremes}
        if self.confidences is not None:
            item["confidences"] = list(self.confidences.oracle)
            item["one_best"]["confidences"] = list(self.confidences.one_best)
        return item


@dataclass(frozen=True)
class Totals:
    """Sums over outcomes. Frozen; they add up, so shards sum to the whole.

    Attributes:
        best: Statistics of the oracles.
        one_best: Statistics of the model's own best paths.
        lattices: Graphs that were searched.
        failed: Pairs that were not.
    """

    best: RecognitionStatistics
    one_best: RecognitionStatistics
    lattices: int
    failed: int

    @classmethod
    def zero(cls, order: int) -> Self:
        """Nothing counted."""
        return cls(RecognitionStatistics.zero(order), RecognitionStatistics.zero(order), 0, 0)

    @classmethod
    def of(cls, outcome: Outcome, order: int) -> Self:
        """One outcome's share."""
        if outcome.oracle is not None:
            return cls(outcome.oracle.statistics, outcome.oracle.one_best.statistics, 1, 0)
        missed = outcome.missed or RecognitionStatistics.zero(order)
        return cls(missed, missed, 0, 1)

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.best + other.best,
            self.one_best + other.one_best,
            self.lattices + other.lattices,
            self.failed + other.failed,
        )

    def asdict(self, metric: GRR, references: int | str) -> dict[str, Any]:
        """The corpus part of the JSON document."""
        best, one_best = (metric.corpus_score(s, references) for s in (self.best, self.one_best))
        counts = {name: self.best.asdict()[name] for name in ("matches", "substitutions", "deletions", "insertions")}
        return {
            "score": best.score,
            "numerator": best.numerator,
            "denominator": best.denominator,
            **counts,
            "one_best": {
                "score": one_best.score,
                "numerator": one_best.numerator,
                "denominator": one_best.denominator,
            },
            "lattices": self.lattices,
            "failed": self.failed,
        }


def oracles_of(
    pairs: Iterable[Pair],
    metric: GRR,
    run: Run,
    *,
    scales: Scales | None = None,
    engine: str = "auto",
    scorer: StringScorer | None = None,
    confidence: float | None = None,
    wanted: Wanted | None = None,
) -> Iterator[Outcome]:
    """Answers pairs, in their order.

    With a scorer, what was extracted is scored as well; with a `confidence`, words have those posteriors that costs
    times this number give. What else is `wanted` of a graph is found, too.

    Raises:
        InputError: A pair has a problem, unless failures are gone past: then it is an outcome.
        UsageError: A parameter makes no sense; that is never one graph's fault alone.
    """
    asked = _Question(metric, scales, engine, confidence, wanted, run.keep_going)
    return answered(partial(_outcome, asked, scorer), partial(_failed, asked, scorer), pairs, run)


class _Question(NamedTuple):
    """What is asked of each pair."""

    metric: GRR
    scales: Scales | None
    engine: str
    confidence: float | None
    wanted: Wanted | None
    keep_going: bool


def _outcome(asked: _Question, scorer: StringScorer | None, pair: Pair) -> Outcome:
    return _scored(_answer(pair, asked), pair, scorer)


def _failed(asked: _Question, scorer: StringScorer | None, pair: Pair, error: InputError) -> Outcome:
    return _scored(Outcome(pair.name, None, error, missed(pair, asked.metric), where=pair.where), pair, scorer)


def _answer(pair: Pair, asked: _Question) -> Outcome:
    graph, references = built(pair)
    assert pair.entry is not None
    with placed(pair.entry.place):
        found = oracle(graph, references, asked.metric, scales=asked.scales, engine=asked.engine)
        extremes = _extremes(graph, references, asked)
        problem = None if extremes is None else extremes.problem
        return Outcome(
            pair.name,
            found,
            problem=problem and problem.at(pair.place),
            missed=missed(pair, asked.metric) if problem is not None else None,
            confidences=None
            if asked.confidence is None
            else _confidences(graph, found, asked.confidence, asked.scales),
            extremes=extremes,
            where=pair.where,
        )


def _confidences(graph: Graph, found: Oracle, scale: float, scales: Scales | None) -> Confidences:
    from latticemetric.posterior.posteriors import Posteriors, posteriors

    distribution = posteriors(graph, scale=scale, scales=scales)
    if not isinstance(distribution, Posteriors):
        raise InputError("confidences are those of words in lattices; this is a forest", advice="leave them out")
    return Confidences(distribution.confidences(found), distribution.confidences(found.one_best))


def built(pair: Pair) -> tuple[Graph, list[GraphReference]]:
    """The graph of a pair, and what its references say.

    Raises:
        InputError: A side is missing, or cannot be used.
    """
    if pair.problem is not None:
        raise pair.problem
    assert pair.entry is not None
    with placed(pair.entry.place):
        graph = pair.entry.build()
        references = pair.said()
        _check_spelling(graph, references)
    warn_of_forms(pair, graph)
    return graph, references


def _extremes(graph: Graph, references: Sequence[GraphReference], asked: _Question) -> Extremes | None:
    """What is wanted beside the oracle; what finds it is imported only then."""
    if asked.wanted is None:
        return None
    from latticemetric.batch.margins import extremes_of

    return extremes_of(graph, references, asked.metric, asked.wanted, asked.scales, keep_going=asked.keep_going)


def _check_spelling(graph: Graph, references: Sequence[GraphReference]) -> None:
    """Words against numbers never match: that is a forgotten symbol table, not a bad lattice."""
    vocabulary = getattr(graph, "vocabulary", None)  # n-best lists have none: they spell their words
    if vocabulary is None or not vocabulary.is_numeric or _says_nothing(graph):
        return
    words = [word for reference in references for word in words_in(reference)]
    if words and not any(word in vocabulary for word in words):
        raise InputError(
            "the graph's words are numbers, and its reference has none",
            advice="give --symbols, the table of its words",
        )


def _says_nothing(graph: Graph) -> bool:
    """Check whether a lattice has no words: it does not show how its words would be written."""
    return isinstance(graph, Lattice) and not graph.word.any()


def missed(pair: Pair, metric: GRR) -> RecognitionStatistics | None:
    """A missing graph says nothing: its reference's words count as deletions."""
    return metric.statistics("", pair.said()) if pair.references else None


def readable(pair: Pair) -> Sequence[tuple[str, ...]]:
    """What a failed pair's references may say; the first of it where that is too much, and may be why it failed."""
    try:
        return strings_of_references(pair.said())
    except InputError:
        return [reference.words for reference in pair.references]


def _scored(outcome: Outcome, pair: Pair, scorer: StringScorer | None) -> Outcome:
    """The same with its words, and with what the sentence metrics say of them."""
    if scorer is None or not pair.references:
        return outcome
    references = strings_of_references(pair.said()) if outcome.oracle is not None else readable(pair)
    strings = scorer.strings(outcome.oracle, references)
    scores = scorer.sentence(strings) if scorer.each and outcome.oracle is not None else None
    return replace(outcome, strings=strings, sentence_scores=scores)
