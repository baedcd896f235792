"""Unigram precision, recall, F1 and Fmean (Lavie, Sagae & Jayaraman 2004), with and without stemming."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.metrics.base import Effects, References, Table, TallyMetric, Text, check_flags
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import (
    Segments,
    best_references,
    compared_words,
    number_all,
    pair_matches,
)
from latticemetric.renamed import says_new_keywords

UnigramKind = Literal["precision", "recall", "f1", "fmean"]


@says_new_keywords
@dataclass(frozen=True)
class Unigram(TallyMetric):
    """Unigram precision P (matches per hypothesis word), recall R (matches per reference word), or a mean of both.

    F1 = 2PR / (P + R), Fmean = 10PR / (9P + R). All scores are 0 without matches. Each hypothesis is compared with its
    best reference (ties: the first).

    Args:
        kind: `precision`, `recall`, `f1` or `fmean`.
        stem: Compare Porter stems.

    Examples:
        >>> Unigram("recall").score("the president spoke", "the president then spoke")
        0.75
    """

    columns = ("matches", "words", "reference_words")

    kind: UnigramKind = "fmean"
    stem: bool = False

    def __post_init__(self) -> None:
        check_flags(stem=self.stem)
        if self.kind not in get_args(UnigramKind):
            raise UsageError(
                f"there is no unigram metric {self.kind!r}", advice=f"choose one of {', '.join(get_args(UnigramKind))}"
            )

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"{self.kind}-stem" if self.stem else self.kind

    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set: one row per segment, against the best reference of the segment."""
        test = Segments.of(hypotheses, references, stem=self.stem)
        pairs = test.one_reference_each()
        matches = pairs.matches(1)
        rows = np.column_stack([matches, pairs.hypotheses.lengths, test.references.lengths]).astype(np.float64)
        if len(test.owner) == len(rows) + 1:
            return rows
        return rows[best_references(self.values(rows), test.owner)]

    def pair_tables(self, hypotheses: Sequence[Text], references: Sequence[Text]) -> Iterator[Table]:
        """Yield the statistics of all hypotheses against each reference."""
        texts = ([compared_words(text, stem=self.stem) for text in side] for side in (hypotheses, references))
        said, expected, _ = number_all(*texts)
        for length, matches in zip(expected.lengths, pair_matches(said, expected, 1), strict=True):
            yield np.column_stack([matches, said.lengths, np.full(len(matches), length)]).astype(np.float64)

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return Effects.of(up="matches", down="words reference_words", columns=self.columns)

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics."""
        matches, words, reference_words = np.moveaxis(sums, -1, 0)
        # With P = m/|c| and R = m/|r|, F1 = 2m / (|c| + |r|) and Fmean = 10PR / (9P + R) = 10m / (|c| + 9|r|). There is
        # one division of whole numbers, so equal fractions give equal floats, and different fractions of segments give
        # different floats. So the choice of the best reference is exact.
        factor, size = {
            "precision": (1, words),
            "recall": (1, reference_words),
            "f1": (2, words + reference_words),
            "fmean": (10, words + 9 * reference_words),
        }[self.kind]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(matches > 0, factor * matches / size, 0.0)


for _kind in get_args(UnigramKind):
    register(_kind)(partial(Unigram, _kind))
    register(f"{_kind}-stem")(partial(Unigram, _kind, stem=True))
