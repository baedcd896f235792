"""MBR with any metric: find the string of best expected score, with each string of the evidence as a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isnan
from typing import Any, NamedTuple

import numpy as np

from latticemetric.engine.ties import TieKey
from latticemetric.errors import InputError, UsageError
from latticemetric.graph import Graph, scales_of_each
from latticemetric.lattice.lattice import Floats, Scales
from latticemetric.mbr_decoding.strings import Selection, StringDistribution, string_distribution
from latticemetric.metrics.base import Metric
from latticemetric.metrics.pairs import score_rows


class ExpectedScores(NamedTuple):
    """The expected score of each candidate, with each string of the evidence as the reference.

    Attributes:
        scores: The expected score, given that a score is defined; NaN if none is.
        undefined: The probability that the score is undefined.
        exact: True if no alignment was cut short.
    """

    scores: Floats
    undefined: Floats
    exact: bool


def expected_scores(
    metric: Metric[Any], candidates: Sequence[tuple[str, ...]], evidence: StringDistribution
) -> ExpectedScores:
    """Compute the expected score of each candidate, to about 10⁻¹⁵ of the mean absolute score."""
    probable = np.flatnonzero(evidence.probability)
    rows = score_rows(metric, candidates, [evidence.strings[k] for k in probable.tolist()])
    # For each candidate: its expected score, and the probabilities that its score is defined and undefined.
    total = _CompensatedSum((3, len(candidates)))
    exact = True
    for probability, row in zip(evidence.probability[probable].tolist(), rows, strict=True):
        known = ~np.isnan(row.scores)
        scored = np.where(known, row.scores, 0.0)
        total.add(probability * np.array([scored, known, ~known]))
        exact &= row.exact
    scored, defined, undefined = total.value
    with np.errstate(invalid="ignore"):
        return ExpectedScores(scored / defined, undefined, exact)


class _CompensatedSum:
    """A sum of many arrays that keeps track of its rounding (Knuth's two-sum, Ogita, Rump & Oishi 2005)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._sum, self._lost = np.zeros(shape), np.zeros(shape)

    def add(self, values: Floats) -> None:
        total = self._sum + values
        added = total - self._sum
        self._lost += (self._sum - (total - added)) + (values - added)
        self._sum = total

    @property
    def value(self) -> Floats:
        return self._sum + self._lost


# Expected scores count as equal if their difference is below this share of the largest one: it is rounding.
_TIE = 1e-12


class RankedString(NamedTuple):
    """One of the candidate strings.

    Attributes:
        words: Its words.
        score: Its expected score; `None` if it has no score against any string of the evidence.
        cost: The model's cost of its cheapest path.
        probability: Its probability in the evidence.
    """

    words: tuple[str, ...]
    score: float | None
    cost: float
    probability: float


@dataclass(frozen=True)
class MetricMBR:
    """The result of MBR with a metric.

    Attributes:
        words: The string of best expected score.
        score: Its expected score: Σ probability · metric over the evidence's strings, each as the only reference.
        higher_is_better: True if the score is a gain, False if it is a risk.
        cost: The model's cost of the string.
        confidences: For each word, the probability that the evidence has it, at any position.
        one_best: The candidate string of least cost.
        ranked: All candidate strings, best first.
        evidence_strings: Number of distinct strings of the evidence.
        effective_size: 1 / Σ probability²: the number of strings if all have the same probability.
        undefined: The probability of strings against which the result has no score; they do not count.
        exact: True if all strings were listed. The score is an estimate if paths were sampled, or METEOR's alignments
            were cut short.
        scale: The factor of costs.
        samples: Number of sampled paths; `None` if all were listed.
        seed: The seed of the samples; `None` if all paths were listed.
        beam: The beam of the pruning; `None` if the graphs were not pruned.
        signature: The metric, its parameters and the version.
    """

    words: tuple[str, ...]
    score: float
    higher_is_better: bool
    cost: float
    confidences: tuple[float, ...]
    one_best: tuple[str, ...]
    ranked: tuple[RankedString, ...]
    evidence_strings: int
    effective_size: float
    undefined: float
    exact: bool
    scale: float
    samples: int | None
    seed: int | None
    beam: float | None
    signature: str

    @property
    def gain(self) -> float | None:
        """The expected score if higher scores of the metric are better, else `None`."""
        return self.score if self.higher_is_better else None

    @property
    def risk(self) -> float | None:
        """The expected score if the metric counts errors, else `None`."""
        return None if self.higher_is_better else self.score

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON, without the ranking."""
        return {
            "hypothesis": " ".join(self.words),
            "gain" if self.higher_is_better else "risk": self.score,
            "cost": self.cost,
            "confidences": list(self.confidences),
            "one_best": " ".join(self.one_best),
            "hypotheses": len(self.ranked),
            "evidence_strings": self.evidence_strings,
            "effective_size": self.effective_size,
            "undefined": self.undefined,
            "exact": self.exact,
            "scale": self.scale,
            "samples": self.samples,
            "seed": self.seed,
            "prune": self.beam,
            "signature": self.signature,
        }


def metric_mbr(
    graph: Graph,
    metric: Metric[Any],
    selection: Selection,
    *,
    hypotheses: Graph | None = None,
    evidence: Graph | None = None,
    scales: Scales | None = None,
) -> MetricMBR:
    """Rank the strings of a graph by their expected score; see `mbr`."""
    if hypotheses is not None and evidence is not None:
        raise UsageError("the graph has no effect beside hypotheses and evidence", advice="give one of the two")
    hypotheses = graph if hypotheses is None else hypotheses
    evidence = graph if evidence is None else evidence
    own, others = scales_of_each(scales, hypotheses, evidence)
    believed = string_distribution(evidence, selection, others)
    candidates = believed if hypotheses is evidence else string_distribution(hypotheses, selection, own)
    expected = expected_scores(metric, candidates.strings, believed)
    if np.isnan(expected.scores).all():
        raise InputError(f"{metric.name} is undefined against all strings of the evidence")
    ranking = _ranking(expected.scores, candidates, higher_is_better=metric.higher_is_better)
    ranked = _ranked(ranking, candidates, believed, expected.scores)
    best = ranking[0]
    is_sampled = selection.samples is not None
    return MetricMBR(
        words=candidates.strings[best],
        score=float(expected.scores[best]),
        higher_is_better=metric.higher_is_better,
        cost=float(candidates.cost[best]),
        confidences=_confidences(candidates.strings[best], believed),
        one_best=min(ranked, key=lambda string: TieKey(string.cost, len(string.words), string.words)).words,
        ranked=ranked,
        evidence_strings=len(believed.strings),
        effective_size=float(1 / (believed.probability**2).sum()),
        undefined=float(expected.undefined[best]),
        exact=expected.exact and not is_sampled,
        scale=selection.scale,
        samples=selection.samples,
        seed=selection.seed if is_sampled else None,
        beam=selection.prune,
        signature=str(metric.signature),
    )


def _ranking(scores: Floats, candidates: StringDistribution, *, higher_is_better: bool) -> list[int]:
    """Sort the strings by score, then by the tie rule; strings without a score come last."""
    merit = np.where(np.isnan(scores), -np.inf, scores if higher_is_better else -scores)
    order = np.argsort(-merit, kind="stable")
    least_difference = _TIE * np.nanmax(np.abs(scores))
    place = np.empty(len(order), dtype=np.int64)
    with np.errstate(invalid="ignore"):
        place[order] = np.cumsum(np.diff(merit[order], prepend=merit[order[0]]) < -least_difference)
    places, cost, strings = place.tolist(), candidates.cost.tolist(), candidates.strings
    return sorted(range(len(places)), key=lambda k: (places[k], TieKey(cost[k], len(strings[k]), strings[k])))


def _ranked(
    ranking: list[int], candidates: StringDistribution, believed: StringDistribution, scores: Floats
) -> tuple[RankedString, ...]:
    probability = dict(zip(believed.strings, believed.probability.tolist(), strict=True))
    values = [None if isnan(score) else score for score in scores.tolist()]
    cost, strings = candidates.cost.tolist(), candidates.strings
    return tuple(RankedString(strings[k], values[k], cost[k], probability.get(strings[k], 0.0)) for k in ranking)


def _confidences(words: tuple[str, ...], evidence: StringDistribution) -> tuple[float, ...]:
    probabilities: dict[str, list[float]] = {word: [] for word in words}
    for string, probability in zip(evidence.strings, evidence.probability.tolist(), strict=True):
        for word in probabilities.keys() & set(string):
            probabilities[word].append(probability)
    return tuple(min(fsum(probabilities[word]), 1.0) for word in words)
