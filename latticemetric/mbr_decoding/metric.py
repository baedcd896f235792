"""MBR under any metric: the string of largest expected score against all strings of the evidence, each a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isnan
from typing import Any, NamedTuple

import numpy as np

from latticemetric.errors import InputError, UsageError
from latticemetric.graph import Graph, divided
from latticemetric.lattice.lattice import Floats, Scales
from latticemetric.mbr_decoding.strings import Choice, WeighedStrings, weighed_strings
from latticemetric.metrics.base import Metric
from latticemetric.metrics.pairs import score_rows

# ---- The expected scores of strings, each string of the evidence being the reference with its probability ----


class ExpectedScores(NamedTuple):
    """Of each candidate.

    Attributes:
        scores: The expected score, given that there is a score; NaN where there is none at all.
        undefined: The probability that there is none.
        exact: Whether no alignment was cut short.
    """

    scores: Floats
    undefined: Floats
    exact: bool


def expected_scores(
    metric: Metric[Any], candidates: Sequence[tuple[str, ...]], evidence: WeighedStrings
) -> ExpectedScores:
    """The expected score of each candidate, off by no more than some 10⁻¹⁵ of the mean size of its scores."""
    believed = np.flatnonzero(evidence.probability)
    rows = score_rows(metric, candidates, [evidence.strings[k] for k in believed.tolist()])
    # Of each candidate: what it is expected to score, the probability that it scores, and that it does not.
    total = _CompensatedSum((3, len(candidates)))
    exact = True
    for probability, row in zip(evidence.probability[believed].tolist(), rows, strict=True):
        known = ~np.isnan(row.scores)
        scored = np.where(known, row.scores, 0.0)
        total.add(probability * np.array([scored, known, ~known]))
        exact &= row.exact
    scored, defined, undefined = total.value
    with np.errstate(invalid="ignore"):
        return ExpectedScores(scored / defined, undefined, exact)


class _CompensatedSum:
    """A sum of many arrays that keeps what rounding takes from it (Knuth's two-sum, Ogita, Rump & Oishi 2005)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._sum, self._lost = np.zeros(shape), np.zeros(shape)

    def add(self, values: Floats) -> None:
        total = self._sum + values
        taken = total - self._sum
        self._lost += (self._sum - (total - taken)) + (values - taken)
        self._sum = total

    @property
    def value(self) -> Floats:
        return self._sum + self._lost


# Expected scores that lie closer than this share of the largest one are equal: they are off by rounding.
_TIE = 1e-12


class RankedString(NamedTuple):
    """One of the strings to choose from.

    Attributes:
        words: Its words.
        score: Its expected score; `None` where it has a score against no string of the evidence.
        cost: The model's least cost of it.
        probability: How probable the evidence says it is.
    """

    words: tuple[str, ...]
    score: float | None
    cost: float
    probability: float


@dataclass(frozen=True)
class MetricMBR:
    """The answer of MBR under a metric.

    Attributes:
        words: The string of best expected score.
        score: Its expected score: Σ probability · metric over the strings of the evidence, each the only reference.
        higher_is_better: Whether the score is a gain, or a risk.
        cost: The model's cost of it.
        confidences: Of each word of the answer: how probable it is that the evidence says it, somewhere.
        one_best: The string of least cost, of those to choose from.
        ranked: All strings to choose from, the best first.
        evidence_strings: How many distinct strings the evidence has.
        effective_size: As many strings of the same probability would say as much: 1 / Σ probability².
        undefined: The probability of strings that the answer has no score against; the others share it out.
        exact: Whether all strings were there, to choose and to believe; where paths are drawn, or METEOR's alignments
            cut short, the score is an estimate.
        scale: What costs were multiplied by.
        samples: How many paths were drawn; `None` where all were listed.
        seed: Of what was drawn; `None` likewise.
        beam: The cost that graphs were pruned to, above their best paths; `None` where they were not.
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
        """The expected score, of a metric whose scores are better the higher they are; else `None`."""
        return self.score if self.higher_is_better else None

    @property
    def risk(self) -> float | None:
        """The expected score, of a metric that counts errors; else `None`."""
        return None if self.higher_is_better else self.score

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON; without the ranking."""
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
    choice: Choice,
    *,
    hypotheses: Graph | None = None,
    evidence: Graph | None = None,
    scales: Scales | None = None,
) -> MetricMBR:
    """Ranks the strings of a graph by their expected score; see `mbr`."""
    if hypotheses is not None and evidence is not None:
        raise UsageError("the graph is no use beside both hypotheses and evidence", advice="give one of the two")
    said_by = graph if hypotheses is None else hypotheses
    weighed_by = graph if evidence is None else evidence
    own, others = divided(scales, said_by, weighed_by)
    believed = weighed_strings(weighed_by, choice, others)
    said = believed if said_by is weighed_by else weighed_strings(said_by, choice, own)
    expected = expected_scores(metric, said.strings, believed)
    if np.isnan(expected.scores).all():
        raise InputError(f"{metric.name} is undefined against all strings of the evidence")
    ranking = _ranking(expected.scores, said, higher_is_better=metric.higher_is_better)
    ranked = _ranked(ranking, said, believed, expected.scores)
    best = ranking[0]
    drawn = choice.samples is not None
    return MetricMBR(
        words=said.strings[best],
        score=float(expected.scores[best]),
        higher_is_better=metric.higher_is_better,
        cost=float(said.cost[best]),
        confidences=_confidences(said.strings[best], believed),
        one_best=min(ranked, key=lambda string: (string.cost, len(string.words), string.words)).words,
        ranked=ranked,
        evidence_strings=len(believed.strings),
        effective_size=float(1 / (believed.probability**2).sum()),
        undefined=float(expected.undefined[best]),
        exact=expected.exact and not drawn,
        scale=choice.scale,
        samples=choice.samples,
        seed=choice.seed if drawn else None,
        beam=choice.prune,
        signature=str(metric.signature),
    )


def _ranking(scores: Floats, said: WeighedStrings, *, higher_is_better: bool) -> list[int]:
    """The strings in order: best score, least cost, fewest words, the alphabet; those without a score come last."""
    merit = np.where(np.isnan(scores), -np.inf, scores if higher_is_better else -scores)
    order = np.argsort(-merit, kind="stable")
    apart = _TIE * np.nanmax(np.abs(scores))
    place = np.empty(len(order), dtype=np.int64)
    with np.errstate(invalid="ignore"):
        place[order] = np.cumsum(np.diff(merit[order], prepend=merit[order[0]]) < -apart)
    places, cost = place.tolist(), said.cost.tolist()
    return sorted(range(len(places)), key=lambda k: (places[k], cost[k], len(said.strings[k]), said.strings[k]))


def _ranked(
    ranking: list[int], said: WeighedStrings, believed: WeighedStrings, scores: Floats
) -> tuple[RankedString, ...]:
    probability = dict(zip(believed.strings, believed.probability.tolist(), strict=True))
    values = [None if isnan(score) else score for score in scores.tolist()]
    cost = said.cost.tolist()
    return tuple(
        RankedString(said.strings[k], values[k], cost[k], probability.get(said.strings[k], 0.0)) for k in ranking
    )


def _confidences(words: tuple[str, ...], evidence: WeighedStrings) -> tuple[float, ...]:
    said_by: dict[str, list[float]] = {word: [] for word in words}
    for string, probability in zip(evidence.strings, evidence.probability.tolist(), strict=True):
        for word in said_by.keys() & set(string):
            said_by[word].append(probability)
    return tuple(min(fsum(said_by[word]), 1.0) for word in words)
