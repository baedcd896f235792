"""Search the oracles of many graphs, and optionally confidences, margins and sentence scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from latticemetric.batch.pairing import Pair
from latticemetric.batch.pairs import built, missed, readable
from latticemetric.batch.run import Run, answer_each
from latticemetric.errors import InputError, LatticeMetricError
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
    """The result of one pair: an oracle or a problem. An oracle may come with a problem of its margins.

    Attributes:
        name: The graph's id.
        oracle: The oracle; `None` if the pair failed.
        problem: The reason why the pair, or some of its margins, failed.
        missed: Counts used when there is no answer: all words of the reference deleted.
        strings: The words of the pair, if there are sentence metrics.
        sentence_scores: The scores of this pair by sentence metrics, if there are any.
        confidences: Confidences of the oracle's and the 1-best's words, if wanted.
        margins: The margins, if wanted.
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
        """Return plain values, for JSON."""
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
    """Search the oracles of pairs, in order.

    With `scorer`, also score oracles and 1-bests. With `confidence` (a factor on costs), also compute posteriors of
    words. With `wanted`, also search these margins.

    Raises:
        InputError: A pair has a problem, and the run does not keep going. (Else the problem is in the outcome.)
        UsageError: A parameter is invalid, for all graphs.
    """
    settings = _Settings(metric, scales, engine, confidence, wanted, run.keep_going)
    return answer_each(partial(_outcome, settings, scorer), partial(_failed, settings, scorer), pairs, run)


class _Settings(NamedTuple):
    """The searches in each pair."""

    metric: GRR
    scales: Scales | None
    engine: str
    confidence: float | None
    wanted: MarginOptions | None
    keep_going: bool


def _outcome(settings: _Settings, scorer: StringScorer | None, pair: Pair) -> Outcome:
    return _scored(_answer(pair, settings), pair, scorer)


def _failed(settings: _Settings, scorer: StringScorer | None, pair: Pair, error: InputError) -> Outcome:
    return _scored(Outcome(pair.name, None, error, missed(pair, settings.metric), where=pair.where), pair, scorer)


def _answer(pair: Pair, settings: _Settings) -> Outcome:
    with built(pair) as (graph, references):
        found = oracle(graph, references, settings.metric, scales=settings.scales, engine=settings.engine)
        margins = _margins(graph, references, settings)
        problem = None if margins is None else margins.problem
        return Outcome(
            pair.name,
            found,
            problem=problem and problem.at(pair.place),
            missed=missed(pair, settings.metric) if problem is not None else None,
            confidences=None
            if settings.confidence is None
            else _confidences(graph, found, settings.confidence, settings.scales),
            margins=margins,
            where=pair.where,
        )


def _confidences(graph: Graph, found: Oracle, scale: float, scales: Scales | None) -> Confidences:
    from latticemetric.posterior.posteriors import Posteriors, posteriors

    distribution = posteriors(graph, scale=scale, scales=scales)
    if not isinstance(distribution, Posteriors):
        raise InputError("confidences need a lattice, but this graph is a forest", advice="leave them out")
    return Confidences(distribution.confidences(found), distribution.confidences(found.one_best))


def _margins(graph: Graph, references: Sequence[GraphReference], settings: _Settings) -> Margins | None:
    """Search the margins, importing the search only if they are wanted."""
    if settings.wanted is None:
        return None
    from latticemetric.batch.margins import margins_of

    return margins_of(
        graph, references, settings.metric, settings.wanted, settings.scales, keep_going=settings.keep_going
    )


def _scored(outcome: Outcome, pair: Pair, scorer: StringScorer | None) -> Outcome:
    """Add the words, and their scores by the sentence metrics."""
    if scorer is None or not pair.references:
        return outcome
    references = strings_of_references(pair.graph_references()) if outcome.oracle is not None else readable(pair)
    strings = scorer.strings(outcome.oracle, references)
    scores = scorer.sentence(strings) if scorer.each and outcome.oracle is not None else None
    return replace(outcome, strings=strings, sentence_scores=scores)
