"""What minimum Bayes risk says of a graph, scored against its reference as oracles and 1-bests are."""

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
"""By word errors, as consensus networks are read; by n-grams where the graph is a forest, which has no such search."""


@dataclass(frozen=True)
class MBRSettings:
    """How a graph is decoded for minimum Bayes risk.

    Attributes:
        method: `auto`, or what `mbr` takes.
        prune: The cost above the best path that graphs are pruned to first; `None` for all of them.
        samples: Of metrics: how many paths are drawn; `None` for all paths.
        seed: Of the samples.
    """

    method: str | Metric[Any] = AUTO
    prune: float | None = None
    samples: int | None = None
    seed: int = 0

    @classmethod
    def of(cls, method: str | Metric[Any], *, prune: float | None, samples: int | None, seed: int) -> Self:
        """MBRSettings by a method, or by the metric of that name.

        Raises:
            UsageError: There is no such method, or it knows no samples.
        """
        named = method if method in (AUTO, "wer", "ngram") else mbr_metric(method)
        if samples is not None and isinstance(named, str):
            raise UsageError(f"MBR by '{named}' takes no samples", advice="name a metric, like '4-grr'")
        return cls(named, prune, samples, seed)

    def named(self, graph: Lattice | Forest) -> str | Metric[Any]:
        """The method for one graph."""
        if self.method != AUTO:
            return self.method
        return "ngram" if isinstance(graph, Forest) else "wer"


@dataclass(frozen=True)
class MBRAnswer:
    """The answer, scored.

    Attributes:
        words: The words, without ignored ones.
        score: The metric's value; `None` where the reference has no words.
        numerator: Its numerator.
        denominator: Its denominator.
        statistics: Matches, substitutions, deletions, insertions.
        alignment: With the reference that it scores best against.
        method: What was minimised: `wer`, `ngram`, or a metric's name.
        confidences: The probability of each word, ignored ones among them.
        arcs: Arcs (of forests: edges) of the path that says it, or of the one that is nearest to it.
        distance: Word errors between that path and the words: answers by word errors need not be on any path.
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
    """What one graph should have said, and how it scores.

    Args:
        graph: The graph.
        references: Its references.
        metric: What it is scored by.
        settings: How it is decoded.
        scale: What costs are multiplied by before they become probabilities.
        scales: Weight of each score column in the model's cost.

    Raises:
        InputError: The graph cannot be decoded so: a forest that is no lattice by word errors, too many n-grams.
    """
    method: Any = settings.named(graph)
    drawn: dict[str, Any] = {} if settings.samples is None else {"samples": settings.samples, "seed": settings.seed}
    answer: Any = mbr(graph, method, scale=scale, prune=settings.prune, scales=scales, **drawn)
    words = tuple(word for word in answer.words if word not in metric.ignore)
    found = metric.evaluate(words, references)
    arcs, distance = _path(graph, answer, scales)
    return MBRAnswer(
        words=words,
        score=metric.value(found.statistics),
        numerator=metric.numerator(found.statistics),
        denominator=metric.denominator(found.statistics),
        statistics=found.statistics,
        alignment=found.alignment,
        method=method if isinstance(method, str) else method.name,
        confidences=answer.confidences,
        arcs=arcs,
        distance=distance,
    )


def _path(graph: Lattice | Forest, answer: Any, scales: Scales | None) -> tuple[tuple[int, ...], int]:
    """Where the graph says it: some methods answer a path, others words."""
    own = getattr(answer, "edges", ()) or getattr(answer, "arcs", ())
    if own:
        return own, 0
    nearest = oracle(graph, [answer.words], "wer", scales=scales)
    return nearest.edges or nearest.arcs, nearest.statistics.errors
