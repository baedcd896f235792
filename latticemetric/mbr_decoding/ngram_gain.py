"""The gain of a string by its n-grams: the linear approximation of log BLEU in MBR (Tromble et al. 2008)."""

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
    """The parameters of gains: θ₀ for each word, θₙ · posterior for each occurrence of an n-gram.

    θ₀ = −1/T − word_penalty and θₙ = 1 / (order · T · p · rⁿ⁻¹), as in Tromble et al. 2008, section 4.

    Attributes:
        scale: Factor of the costs, before they become probabilities.
        T: Number of words of the hypothesis around which log BLEU is linearised; a larger T makes words cheaper.
        p: Average precision of unigrams.
        r: Ratio of the precision of each order to that of the order before.
        order: The longest n-grams.
        word_penalty: An additional cost of each word.
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
        """The gain of a word: θ₀, with the penalty."""
        return -1 / self.T - self.word_penalty

    @property
    def factors(self) -> list[float]:
        """The gains of n-grams: θ₁, θ₂, … up to `order`."""
        try:
            return [1 / (self.order * self.T * self.p * self.r**n) for n in range(self.order)]
        except (OverflowError, ZeroDivisionError):
            return [math.inf]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)

    def of_string(self, words: Sequence[str], posteriors: NgramPosteriors) -> float:
        """Return the gain of a string."""
        factor, rows = [0.0, *self.factors], posteriors.rows_in(words)
        lengths, probable = posteriors.lengths[rows].tolist(), posteriors.posterior[rows].tolist()
        gains = [factor[length] * posterior for length, posterior in zip(lengths, probable, strict=True)]
        return math.fsum([self.of_word * len(words), *gains])

    def of_ngrams(self, posteriors: NgramPosteriors, max_words: int) -> ExactGains:
        """Return the gain of each n-gram and of a word, rounded so that sums along any path are exact.

        Args:
            posteriors: The posteriors of the evidence.
            max_words: The number of words of the longest string.
        """
        factor = np.array([0.0, *self.factors])
        largest = max(max_words, 1) * (math.fsum(self.factors) + abs(self.of_word))
        if not math.isfinite(largest):
            raise UsageError(
                "gains are too large to be added up", advice="choose larger T, p or r, or a smaller penalty"
            )
        return ExactGains.of(factor[posteriors.lengths] * posteriors.posterior, self.of_word, largest)
