"""BLEU (Papineni et al. 2002) and BLEU-SBP (Chiang et al. 2008; Chiang & DeNeefe 2008, eq. 1–4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import real_number
from latticemetric.errors import UsageError
from latticemetric.metrics.base import Effects, References, Table, TallyMetric, Text, check_flags, plain_sum
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import (
    Segments,
    checked_order,
    compared_words,
    matched_ngrams,
    number_all,
    pair_matches,
)

EffectiveLength = Literal["shortest", "closest", "average"]
Smoothing = Literal["none", "floor", "add-k", "exp"]

# The default values of sacrebleu.
_DEFAULT_VALUES = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}


@dataclass(frozen=True, kw_only=True)
class BLEU(TallyMetric):
    """BLEU: the geometric mean of clipped n-gram precisions, with a brevity penalty, Π_k pr_k^{1/n} · bp.

    Args:
        order: n, the length of the longest n-grams.
        effective_length: The reference length to use: the `shortest`, the `closest` to the hypothesis (ties: the
            shorter), or the `average`.
        smoothing: How to replace a precision of 0, as in sacrebleu: `floor`, `add-k` or `exp`; `none` keeps the 0.
        smoothing_value: The constant of `floor` (default: 0.1) or `add-k` (default: 1).
        effective_order: Ignore n-grams longer than the hypotheses; useful for single sentences.
        stem: Compare Porter stems.

    Examples:
        >>> BLEU(order=2).score("the president then spoke", ["the president spoke", "then the president spoke"])
        0.5773502691896257
        >>> str(BLEU().signature)
        'bleu|order:4|length:shortest|smooth:none|refs:1|case:mixed|tok:none|v:...'
    """

    order: int = 4
    effective_length: EffectiveLength = "shortest"
    smoothing: Smoothing = "none"
    smoothing_value: float | None = None
    effective_order: bool = False
    stem: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", checked_order(self.order))
        check_flags(effective_order=self.effective_order, stem=self.stem)
        for name, known in (("effective_length", EffectiveLength), ("smoothing", Smoothing)):
            if getattr(self, name) not in get_args(known):
                choices = ", ".join(get_args(known))
                raise UsageError(f"{name} is {getattr(self, name)!r}", advice=f"choose one of {choices}")
        if self.smoothing_value is not None:
            what = f"smoothing_value {self.smoothing_value} is not possible with the smoothing {self.smoothing}"
            advice = "give a number above 0, with floor or add-k"
            value = real_number(self.smoothing_value, what, advice)
            if not (value and _DEFAULT_VALUES[self.smoothing]):
                raise UsageError(what, advice=advice)
            object.__setattr__(self, "smoothing_value", value)

    @property
    def name(self) -> str:
        """The name on the command line."""
        return "bleu-stem" if self.stem else "bleu"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        The columns are: matches by order, n-grams by order, number of words, effective reference length, and the
        smaller of these two lengths.
        """
        orders = range(1, self.order + 1)
        counts = [f"{name}_{k}" for name in ("matches", "ngrams") for k in orders]
        return (*counts, "words", "reference_words", "covered_words")

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return Effects.of(
            up="matches words covered_words", down="ngrams reference_words", sizes="ngrams", columns=self.columns
        )

    def _parameters(self) -> dict[str, str]:
        smoothing = self.smoothing + (f"[{plain_sum(float(self._value))}]" if self._value else "")
        fields = {"order": str(self.order), "length": self.effective_length, "smooth": smoothing}
        return fields | ({"eff": "yes"} if self.effective_order else {})

    @property
    def _value(self) -> float:
        return _DEFAULT_VALUES[self.smoothing] if self.smoothing_value is None else self.smoothing_value

    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set, one row per segment."""
        test = Segments.of(hypotheses, references, stem=self.stem)
        words, effective = test.hypotheses.lengths, self._effective_lengths(test)
        ngrams = test.hypotheses.ngrams(self.order)
        columns = [test.matches(self.order), ngrams, words, effective, np.minimum(words, effective)]
        return np.column_stack(columns).astype(np.float64)

    def pair_tables(self, hypotheses: Sequence[Text], references: Sequence[Text]) -> Iterator[Table]:
        """Yield the statistics of all hypotheses against each reference: one table per reference."""
        texts = ([compared_words(text, stem=self.stem) for text in side] for side in (hypotheses, references))
        said, expected, _ = number_all(*texts)
        words, ngrams = said.lengths, said.ngrams(self.order)
        for length, matches in zip(expected.lengths, pair_matches(said, expected, self.order), strict=True):
            effective = np.full(len(words), length)
            columns = [matches, ngrams, words, effective, np.minimum(words, effective)]
            yield np.column_stack(columns).astype(np.float64)

    def _effective_lengths(self, test: Segments) -> npt.NDArray[Any]:
        lengths, begin = test.references.lengths, test.owner[:-1]
        if not len(begin):
            return np.zeros(0)
        if self.effective_length == "shortest":
            return np.minimum.reduceat(lengths, begin)
        if self.effective_length == "average":
            return np.add.reduceat(lengths, begin) / np.diff(test.owner)
        distance = np.abs(lengths - np.repeat(test.hypotheses.lengths, np.diff(test.owner)))
        # Compare distances, then lengths: of two equally close lengths, take the shorter.
        base = int(lengths.max(initial=0)) + 1
        return np.minimum.reduceat(distance * base + lengths, begin) % base

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics."""
        n = self.order
        matches, ngrams = sums[..., :n].copy(), sums[..., n : 2 * n].copy()
        hopeless = ~matches.any(axis=-1)  # no matches before smoothing: the score is 0, as in sacrebleu
        if self.smoothing == "add-k":
            matches[..., 1:] += self._value
            ngrams[..., 1:] += self._value
        # n-grams longer than all hypotheses have no precision.
        known = np.cumprod(ngrams > 0, axis=-1).astype(bool)
        missed = known & (matches == 0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            if self.smoothing == "floor":
                matches[missed] = self._value
            elif self.smoothing == "exp":
                matches[missed] = (0.5 ** np.cumsum(missed, axis=-1))[missed]
            logarithms = np.where(known, np.log(matches / ngrams), 0.0 if self.effective_order else -np.inf)
            orders = np.maximum(1, known.sum(axis=-1)) if self.effective_order else n
            score = np.exp(logarithms.sum(axis=-1) / orders) * self._brevity_penalty(sums)
        found: npt.NDArray[np.float64] = np.where(hopeless, 0.0, score)
        return found

    def _brevity_penalty(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return φ(min{1, Σ|c| / Σρ}), φ(x) = exp(1 − 1/x)."""
        return _phi(np.minimum(sums[..., -3], sums[..., -2]), sums[..., -2])

    def explain(self, hypothesis: Text, references: References) -> str:
        """Return the matching n-grams by order."""
        return matched_ngrams(hypothesis, references, self.order, stem=self.stem)


class BLEUSBP(BLEU):
    """BLEU with a strict brevity penalty (Chiang & DeNeefe 2008, eq. 4).

    A sentence that is too long does not compensate for a sentence that is too short.

    Examples:
        >>> BLEUSBP().corpus(["a b c d e f", "a b c d"], ["a b c d", "a b c d e f"]).score < 1
        True
    """

    @property
    def name(self) -> str:
        """The name on the command line."""
        return "bleu-sbp-stem" if self.stem else "bleu-sbp"

    def _brevity_penalty(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return φ(Σ min{|c|, ρ} / Σρ)."""
        return _phi(sums[..., -1], sums[..., -2])


def _phi(covered: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return exp(1 − wanted / covered): 0 if `covered` is 0, 1 if `wanted` is 0."""
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        return np.where(wanted > 0, np.exp(1 - wanted / covered), 1.0)


register("bleu")(BLEU)
register("bleu-sbp")(BLEUSBP)
register("bleu-stem")(partial(BLEU, stem=True))
register("bleu-sbp-stem")(partial(BLEUSBP, stem=True))
