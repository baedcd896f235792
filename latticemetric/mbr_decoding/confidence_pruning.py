"""MBR with confidence-based pruning: drop hypotheses that are worse on a few references (Cheng & Vlachos 2023).

The search uses references in random order; probable references tend to come early. Each round doubles the number of
references used so far. After a round, the search compares each hypothesis with the best hypothesis so far, on resamples
of these references. It drops hypotheses that win too few resamples, and hypotheses that cannot become the best. The
expected score of the answer is exact: it is the mean over all references.

A dropped hypothesis has no score on some references. The answer is certified if every dropped hypothesis is worse, even
with the best possible score on these references. Otherwise, the probability of a wrong answer is estimated: Student's
distribution gives the probability that a dropped hypothesis is better than the answer. The estimate is the sum of these
probabilities, over all dropped hypotheses that could be better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.mbr_decoding.utility import Scorer

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

_FIRST_REFERENCES = 16
_RESAMPLES = 500
_MOST_PAIRS = 100_000_000
_BETA_TERMS = 300  # terms of the continued fraction; ν degrees of freedom need about √ν terms

# Expected scores count as equal if they differ by less than this fraction of the mean absolute score, a rounding error.
TIE = 1e-12


@dataclass(frozen=True)
class PairPruning:
    """The number of pairs that confidence-based pruning scored, and the certainty of its answer.

    Attributes:
        confidence: A hypothesis was dropped if it could not become the best, or if it won at most the share
            1 − confidence of the resamples. If confidence is 1, only the first reason applies.
        pairs: Number of pairs that were scored.
        all_pairs: Number of pairs of hypotheses and references.
        dropped: Number of hypotheses that were not compared with all references.
        certified: True if no dropped hypothesis can reach the answer's expected score.
        risk: Estimated probability that a dropped hypothesis has a better expected score; 0 if certified.
    """

    confidence: float
    pairs: int
    all_pairs: int
    dropped: int
    certified: bool
    risk: float

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class PrunedScores:
    """The expected scores of hypotheses; NaN for dropped hypotheses.

    Attributes:
        scores: The expected score of each hypothesis.
        sizes: The mean absolute score of each hypothesis.
        undefined: The total probability of references without a defined score.
        exact: False if a search of METEOR's alignments was stopped early.
        pruning: The cost and certainty of the pruning.
    """

    scores: Floats
    sizes: Floats
    undefined: float
    exact: bool
    pruning: PairPruning


def pruned_scores(scorer: Scorer, weights: Floats, hypotheses: int, confidence: float, seed: int) -> PrunedScores:
    """Return the expected scores of the hypotheses that were not dropped. The best hypothesis is the answer of MBR.

    Args:
        scorer: Scores hypotheses against references.
        weights: The probability of each reference.
        hypotheses: The number of hypotheses.
        confidence: See `PairPruning`.
        seed: The seed of the order of references, and of resamples.
    """
    if hypotheses * len(weights) > _MOST_PAIRS:
        raise UsageError(
            f"there are {hypotheses:,} hypotheses and {len(weights):,} references, too many for pruning",
            advice=f"keep at most {_MOST_PAIRS:,} pairs: draw fewer samples",
        )
    return _Search(scorer, weights, hypotheses, seed).run(confidence)


class _Search:
    def __init__(self, scorer: Scorer, weights: Floats, hypotheses: int, seed: int) -> None:
        self._scorer, self._weights = scorer, weights.copy()
        self._sign = 1.0 if scorer.higher_is_better else -1.0
        low, high = scorer.limits
        self._best_merit = high if scorer.higher_is_better else -low
        # Merits are scores, negated if lower is better; NaN if not computed yet.
        self._merits = np.full((hypotheses, len(weights)), np.nan)
        self._random = np.random.default_rng(seed)
        # Weighted sampling without replacement (Efraimidis & Spirakis 2006).
        with np.errstate(divide="ignore", over="ignore"):
            keys = self._random.exponential(size=len(weights)) / weights
        self._order = np.argsort(keys, kind="stable")
        self._undefined, self._exact = 0.0, True

    def run(self, confidence: float) -> PrunedScores:
        references = len(self._weights)
        alive: Numbers = np.arange(len(self._merits))
        end = 0
        for end in _rounds(references):
            seen = self._order[:end]
            self._score(alive, seen)
            known = self._merits[np.ix_(alive, seen)]
            leader = int(np.argmax(known @ self._weights[seen]))
            self._score(alive[[leader]], self._order)
            if end == references:
                break
            is_kept = ~self._cannot_win(alive, self._total(alive[leader]))
            if confidence < 1:
                is_kept &= self._win_shares(known, leader, self._weights[seen]) > 1 - confidence
            is_kept[leader] = True
            alive = alive[is_kept]
            if len(alive) == 1:
                break
        return self._result(confidence)

    def _score(self, hypotheses: Numbers, references: Numbers) -> None:
        """Score the pairs that have no score yet. If the scores of a reference are undefined, set its weight to 0."""
        missing = np.isnan(self._merits[np.ix_(hypotheses, references)])
        for lacking in np.unique(missing, axis=0):  # score hypotheses together if they lack the same references
            if not lacking.any():
                continue
            own = hypotheses[(missing == lacking).all(axis=1)]
            new = references[lacking]
            for reference, row in zip(new, self._scorer.rows(own.tolist(), new.tolist()), strict=True):
                undefined = np.isnan(row.scores)
                if undefined.any() and not undefined.all():
                    raise UsageError(
                        f"{self._scorer.name} is undefined for some hypotheses only",
                        advice="leave pruning_confidence out",
                    )
                if undefined.any():
                    self._undefined += float(self._weights[reference])
                    self._weights[reference] = 0.0
                self._merits[own, reference] = np.where(undefined, 0.0, self._sign * row.scores)
                self._exact &= row.exact

    def _total(self, hypothesis: int) -> float:
        """Return the expected merit of a hypothesis that was compared with all references, times the sum of weights."""
        return math.fsum(self._weights * self._merits[hypothesis])

    def _cannot_win(self, hypotheses: Numbers, total: float) -> Flags:
        """Return True for each hypothesis that cannot reach the merit `total`, even with the best missing scores."""
        if not math.isfinite(self._best_merit):
            return np.zeros(len(hypotheses), dtype=np.bool_)
        most = np.where(np.isnan(self._merits[hypotheses]), self._best_merit, self._merits[hypotheses]) @ self._weights
        # Rounding errors of these sums are far below this difference.
        found: Flags = most < total - TIE * max(1.0, abs(total))
        return found

    def _win_shares(self, merits: Floats, leader: int, weights: Floats) -> Floats:
        """Return, for each hypothesis, the share of resamples in which the leader is not better."""
        size = merits.shape[1]
        drawn = self._random.multinomial(size, np.full(size, 1 / size), size=_RESAMPLES) * weights
        totals = drawn @ merits.T
        shares: Floats = (totals >= totals[:, [leader]]).mean(axis=0)
        return shares

    def _result(self, confidence: float) -> PrunedScores:
        known = ~np.isnan(self._merits)
        complete = known.all(axis=1)
        defined = math.fsum(self._weights)
        scores, sizes = np.full((2, len(known)), np.nan)
        if defined > 0:
            for k in np.flatnonzero(complete).tolist():
                scores[k] = self._sign * self._total(k) / defined
                sizes[k] = float(self._weights @ np.abs(self._merits[k])) / defined
        dropped: Numbers = np.flatnonzero(~complete)
        certified, risk = True, 0.0
        if len(dropped):
            best = int(np.flatnonzero(complete)[np.argmax(self._sign * scores[complete])])
            open_ones = dropped[~self._cannot_win(dropped, self._total(best))]
            certified = not len(open_ones)
            risk = min(1.0, math.fsum(self._risk(int(k), best, known[k]) for k in open_ones))
        pruning = PairPruning(confidence, int(known.sum()), known.size, len(dropped), certified, risk)
        return PrunedScores(scores, sizes, self._undefined, self._exact, pruning)

    def _risk(self, hypothesis: int, best: int, known: Flags) -> float:
        """Estimate the probability that a hypothesis has at least the expected merit of the best hypothesis.

        The estimate assumes that differences of merit on unused references have the distribution of the differences on
        used references. With equal weights, the variance of the sum of all differences has the finite population
        correction.
        """
        seen = known & (self._weights > 0)
        differences = self._merits[best, seen] - self._merits[hypothesis, seen]
        size = len(differences)
        if size < 2:  # noqa: PLR2004  one difference has no variance
            return 1.0
        unseen = self._weights[~known]
        rest, mean = math.fsum(unseen), float(differences.mean())
        expected = math.fsum(self._weights[seen] * differences) + rest * mean
        deviation = float(differences.std(ddof=1)) * math.sqrt(math.fsum(unseen**2) + rest**2 / size)
        if deviation == 0:
            return 0.0 if expected > 0 else 1.0
        return student_tail(expected / deviation, size - 1)


def _rounds(references: int) -> Iterator[int]:
    """Yield the number of references used after each round; the last is the number of all references."""
    size = _FIRST_REFERENCES
    while size < references:
        yield size
        size *= 2
    yield references


def student_tail(t: float, freedom: int) -> float:
    """Return the probability that Student's t with ν = `freedom` is larger than `t`.

    For t ≥ 0, it is ½ I_x(ν/2, ½) with x = ν / (ν + t²).

    Examples:
        >>> round(student_tail(2.0, 10), 6), student_tail(0.0, 3)
        (0.036694, 0.5)
    """
    if t < 0:
        return 1.0 - student_tail(-t, freedom)
    half, square = freedom / 2, t * t
    if square < 3:  # noqa: PLR2004  here, 1 − I_(1−x)(b, a) = I_x(a, b) converges faster
        return 0.5 - 0.5 * _incomplete_beta(0.5, half, square / (freedom + square))
    return 0.5 * _incomplete_beta(half, 0.5, freedom / (freedom + square))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) by its continued fraction (DLMF 8.17.22)."""
    if x <= 0:
        return 0.0
    fraction = 1.0
    for k in range(_BETA_TERMS, 0, -1):
        m = k // 2
        if k % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        fraction = 1.0 + term / fraction
    logarithm = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(logarithm) / (a * fraction)
