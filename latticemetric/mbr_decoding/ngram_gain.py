"""What a string gains by its n-grams: the linear approximation of log BLEU in MBR (Tromble et al. 2008)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from latticemetric.engine.ngrams import ExactGains
from latticemetric.errors import UsageError
from latticemetric.posterior.ngrams import NgramPosteriors

_HIGHEST_ORDER = 254


@dataclass(frozen=True)
class GainParameters:
    """How strings gain: θ₀ a word, θₙ · posterior for each time that an n-gram stands in them.

    θ₀ = −1/T − word_penalty and θₙ = 1 / (order · T · p · rⁿ⁻¹), as in Tromble et al. 2008, section 4.

    Attributes:
        scale: What costs are multiplied by before they become probabilities.
        T: Words of a hypothesis on which the gain is standing; the larger, the less words cost.
        p: Average precision of unigrams.
        r: How much less precise each order is than the one before.
        order: Words of the longest n-grams.
        word_penalty: A further cost of each word.
    """

    scale: float = 1.0
    T: float = 10.0
    p: float = 0.85
    r: float = 0.72
    order: int = 4
    word_penalty: float = 0.0

    def __post_init__(self) -> None:
        if not math.isfinite(self.scale):
            raise UsageError(f"the scale is {self.scale}, not a finite number")
        if not math.isfinite(self.word_penalty):
            raise UsageError(f"the word penalty is {self.word_penalty}, not a finite number")
        for name in ("T", "p", "r"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} is {value}, and not a number above 0")
        if not (isinstance(self.order, int | np.integer) and 1 <= self.order <= _HIGHEST_ORDER):
            raise UsageError(f"the order is {self.order}", advice=f"choose one of 1 … {_HIGHEST_ORDER}")
        if not math.isfinite(sum(self.factors)):
            raise UsageError(
                f"T = {self.T}, p = {self.p}, r = {self.r} at order {self.order} make infinite gains",
                advice="choose larger ones",
            )

    @property
    def of_word(self) -> float:
        """θ₀, with the penalty."""
        return -1 / self.T - self.word_penalty

    @property
    def factors(self) -> list[float]:
        """θ₁ … of the orders."""
        try:
            return [1 / (self.order * self.T * self.p * self.r**n) for n in range(self.order)]
        except (OverflowError, ZeroDivisionError):
            return [math.inf]

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def of_string(self, words: Sequence[str], posteriors: NgramPosteriors) -> float:
        """What a string gains."""
        factor, rows = [0.0, *self.factors], posteriors.rows_in(words)
        lengths, probable = posteriors.lengths[rows].tolist(), posteriors.posterior[rows].tolist()
        gains = [factor[length] * posterior for length, posterior in zip(lengths, probable, strict=True)]
        return math.fsum([self.of_word * len(words), *gains])


def exact_ngram_gains(posteriors: NgramPosteriors, parameters: GainParameters, longest: int) -> ExactGains:
    """The gains of n-grams, to be added up along a path.

    Args:
        posteriors: Of the evidence.
        parameters: How strings gain.
        longest: No path has more words.
    """
    factor = np.array([0.0, *parameters.factors])
    largest = max(longest, 1) * (math.fsum(parameters.factors) + abs(parameters.of_word))
    if not math.isfinite(largest):
        raise UsageError("gains are too large to be added up", advice="choose larger T, p or r, or a smaller penalty")
    return ExactGains.of(factor[posteriors.lengths] * posteriors.posterior, parameters.of_word, largest)
