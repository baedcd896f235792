"""The minimum Bayes risk (MBR) answer of a graph, scored against its reference like oracles and 1-bests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.mbr_decoding.mbr import mbr, mbr_metric
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.base import GraphReference, Metric
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.oracle import oracle

AUTO = "auto"
"""By word errors; for forests, which cannot be searched by word errors, by n-grams."""


@dataclass(frozen=True)
class MBRSettings:
    """Settings to decode a graph for minimum Bayes risk.

    Attributes:
        method: `auto`, or a method of `mbr`.
        prune: Prune graphs first to this cost above the best path.
        samples: For metrics, the number of paths to draw; `None` for all paths.
        seed: The seed of the samples.
    """

    method: str | Metric[Any] = AUTO
    prune: float | None = None
    samples: int | None = None
    seed: int = 0

    @classmethod
    def of(cls, method: str | Metric[Any], *, prune: float | None, samples: int | None, seed: int) -> Self:
        """Make settings for a method, or for the metric of that name.

        Raises:
            UsageError: The method is unknown, or it takes no samples.
        """
        named = method if method in (AUTO, "wer", "ngram") else mbr_metric(method)
        if samples is not None and isinstance(named, str):
            raise UsageError(f"MBR by '{named}' takes no samples", advice="name a metric, like '4-grr'")
        return cls(named, prune, samples, seed)

    def named(self, graph: Lattice | Forest) -> str | Metric[Any]:
        """Return the method for one graph."""
        if self.method != AUTO:
            return self.method
        return "ngram" if isinstance(graph, Forest) else "wer"


@dataclass(frozen=True)
class MBRAnswer:
    """The MBR answer and its score.

    Attributes:
        words: The words, without ignored ones.
        score: The metric's value; `None` if the reference has no words.
        numerator: Its numerator.
        denominator: Its denominator.
        statistics: Matches, substitutions, deletions, insertions.
        alignment: The alignment with the reference that gives the best score.
        method: The risk that was minimized: `wer`, `ngram`, or a metric's name.
        confidences: The probability of each word, including ignored ones.
        arcs: Arcs (in forests: edges) of the path with these words, or of the nearest path.
        distance: Word errors between that path and the words: answers by word errors may be on no path.
    """

    words: tuple[str, ...]
    score: float | None
    numerator: int | float
    denominator: int | float
    statistics: RecognitionStatistics
    alignment: Alignment
    method: str
    confidences: tuple[float, ...]
    arcs: tuple[int, ...]
    distance: int


def mbr_answer(
    graph: Lattice | Forest,
    references: Sequence[GraphReference],
    metric: GRR,
    settings: MBRSettings,
    *,
    scale: float,
    scales: Scales | None,
) -> MBRAnswer:
    """Decode one graph for minimum Bayes risk, and score the answer.

    Args:
        graph: The graph.
        references: Its references.
        metric: The metric of the score.
        settings: The settings of decoding.
        scale: Factor on costs before they become probabilities.
        scales: Weight of each score column in the model's cost.

    Raises:
        InputError: The method cannot decode the graph: a forest by word errors, or too many n-grams.
    """
    method: Any = settings.named(graph)
    drawn: dict[str, Any] = {} if settings.samples is None else {"samples": settings.samples, "seed": settings.seed}
    answer: Any = mbr(graph, method, scale=scale, prune=settings.prune, scales=scales, **drawn)
    words = tuple(word for word in answer.words if word not in metric.ignore)
    scored = metric.evaluate(words, references)
    arcs, distance = _path(graph, answer, scales)
    return MBRAnswer(
        words=words,
        score=metric.value(scored.statistics),
        numerator=metric.numerator(scored.statistics),
        denominator=metric.denominator(scored.statistics),
        statistics=scored.statistics,
        alignment=scored.alignment,
        method=method if isinstance(method, str) else method.name,
        confidences=answer.confidences,
        arcs=arcs,
        distance=distance,
    )


def _path(graph: Lattice | Forest, answer: Any, scales: Scales | None) -> tuple[tuple[int, ...], int]:
    """Return the path of the answer; for methods that return only words, the nearest path and its word errors."""
    own = getattr(answer, "edges", ()) or getattr(answer, "arcs", ())
    if own:
        return own, 0
    nearest = oracle(graph, [answer.words], "wer", scales=scales)
    return nearest.edges or nearest.arcs, nearest.statistics.errors
