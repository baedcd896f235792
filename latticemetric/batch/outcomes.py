"""Oracles of many graphs, and their totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from latticemetric.batch.pairing import Pair
from latticemetric.batch.pairs import built, missed, readable
from latticemetric.batch.run import Run, answer_each
from latticemetric.errors import InputError, LatticeMetricError, placed
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Scales
from latticemetric.metrics.base import GraphReference
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.oracle import oracle
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle

if TYPE_CHECKING:
    from latticemetric.batch.margins import MarginOptions, Margins
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
        margins: What else was asked for.
        where: File and line of what failed.
    """

    name: str
    oracle: Oracle | None
    problem: LatticeMetricError | None = None
    missed: RecognitionStatistics | None = None
    strings: Strings | None = None
    sentence_scores: dict[str, dict[str, float | None]] | None = None
    confidences: Confidences | None = None
    margins: Margins | None = None
    where: str = ""

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        if self.oracle is None:
            return {"id": self.name, "error": str(self.problem)}
        scores = {} if self.sentence_scores is None else {"sentence_scores": self.sentence_scores}
        margins = {} if self.margins is None else self.margins.asdict()
        item = {"id": self.name, **self.oracle.asdict(), **scores, **margins}
        if self.confidences is not None:
            item["confidences"] = list(self.confidences.oracle)
            item["one_best"]["confidences"] = list(self.confidences.one_best)
        return item


def oracles_of(
    pairs: Iterable[Pair],
    metric: GRR,
    run: Run,
    *,
    scales: Scales | None = None,
    engine: str = "auto",
    scorer: StringScorer | None = None,
    confidence: float | None = None,
    wanted: MarginOptions | None = None,
) -> Iterator[Outcome]:
    """Answers pairs, in their order.

    With a scorer, what was extracted is scored as well; with a `confidence`, words have those posteriors that costs
    times this number give. What else is `wanted` of a graph is found, too.

    Raises:
        InputError: A pair has a problem, unless failures are gone past: then it is an outcome.
        UsageError: A parameter makes no sense; that is never one graph's fault alone.
    """
    asked = _Question(metric, scales, engine, confidence, wanted, run.keep_going)
    return answer_each(partial(_outcome, asked, scorer), partial(_failed, asked, scorer), pairs, run)


class _Question(NamedTuple):
    """What is asked of each pair."""

    metric: GRR
    scales: Scales | None
    engine: str
    confidence: float | None
    wanted: MarginOptions | None
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
        margins = _margins(graph, references, asked)
        problem = None if margins is None else margins.problem
        return Outcome(
            pair.name,
            found,
            problem=problem and problem.at(pair.place),
            missed=missed(pair, asked.metric) if problem is not None else None,
            confidences=None
            if asked.confidence is None
            else _confidences(graph, found, asked.confidence, asked.scales),
            margins=margins,
            where=pair.where,
        )


def _confidences(graph: Graph, found: Oracle, scale: float, scales: Scales | None) -> Confidences:
    from latticemetric.posterior.posteriors import Posteriors, posteriors

    distribution = posteriors(graph, scale=scale, scales=scales)
    if not isinstance(distribution, Posteriors):
        raise InputError("confidences are those of words in lattices; this is a forest", advice="leave them out")
    return Confidences(distribution.confidences(found), distribution.confidences(found.one_best))


def _margins(graph: Graph, references: Sequence[GraphReference], asked: _Question) -> Margins | None:
    """What is wanted beside the oracle; what finds it is imported only then."""
    if asked.wanted is None:
        return None
    from latticemetric.batch.margins import margins_of

    return margins_of(graph, references, asked.metric, asked.wanted, asked.scales, keep_going=asked.keep_going)


def _scored(outcome: Outcome, pair: Pair, scorer: StringScorer | None) -> Outcome:
    """The same with its words, and with what the sentence metrics say of them."""
    if scorer is None or not pair.references:
        return outcome
    references = strings_of_references(pair.said()) if outcome.oracle is not None else readable(pair)
    strings = scorer.strings(outcome.oracle, references)
    scores = scorer.sentence(strings) if scorer.each and outcome.oracle is not None else None
    return replace(outcome, strings=strings, sentence_scores=scores)
