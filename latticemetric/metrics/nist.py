"""NIST (Doddington 2002), as in mteval: information-weighted n-gram precisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from latticemetric.metrics.base import Effects, References, Table, TallyMetric, Text, check_flags
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import Segments, checked_order, matched_ngrams

_STEEPNESS = math.log(2) / math.log(1.5) ** 2  # b: a hypothesis with 2/3 of the reference length gets half the score


@dataclass(frozen=True, kw_only=True)
class NIST(TallyMetric):
    """The NIST score, Σ_n (matched information / n-grams) · exp(−b ln²ρ).

    ρ is the ratio of hypothesis words to reference words, at most 1. The information of an n-gram depends on all
    references of the test set, so statistics can be added only within one test set.

    Args:
        order: The length of the longest n-grams.
        stem: Compare Porter stems.

    Examples:
        >>> round(NIST().corpus(["a b c"], [["a b c", "a d"]]).score, 4)
        2.4886
    """

    is_fraction = False

    order: int = 5
    stem: bool = False

    weighs_by_references = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", checked_order(self.order))
        check_flags(stem=self.stem)

    @property
    def name(self) -> str:
        """The name on the command line."""
        return "nist-stem" if self.stem else "nist"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        The columns are: matched information by order, n-grams by order, words, mean number of reference words.
        """
        counts = [f"{name}_{k}" for name in ("information", "ngrams") for k in range(1, self.order + 1)]
        return (*counts, "words", "reference_words")

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return Effects.of(
            up="information words", down="ngrams reference_words", sizes="reference_words", columns=self.columns
        )

    def _parameters(self) -> dict[str, str]:
        return {"order": str(self.order)}

    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set, one row per segment."""
        test = Segments.of(hypotheses, references, across=True, stem=self.stem)
        information = test.information(self.order)
        begin = test.owner[:-1]
        total = np.add.reduceat(test.references.lengths, begin) if len(begin) else np.zeros(0)
        average = total / np.diff(test.owner)
        return np.column_stack([information, test.hypotheses.ngrams(self.order), test.hypotheses.lengths, average])

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics."""
        n = self.order
        precisions = (sums[..., :n] / np.maximum(1, sums[..., n : 2 * n])).sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            ratio = sums[..., -2] / sums[..., -1]
            penalty = np.where(ratio < 1, np.exp(-_STEEPNESS * np.log(ratio) ** 2), 1.0)
        found: npt.NDArray[np.float64] = precisions * penalty
        return found

    def explain(self, hypothesis: Text, references: References) -> str:
        """Return the matching n-grams by order."""
        return matched_ngrams(hypothesis, references, self.order, stem=self.stem)


register("nist")(NIST)
register("nist-stem")(partial(NIST, stem=True))
