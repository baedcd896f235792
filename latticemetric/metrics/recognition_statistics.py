"""What recognition rates count on strings: matches of each length, substitutions, deletions, insertions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import Any, Self

from latticemetric.alignment import DELETION, INSERTION, SUBSTITUTION

_OTHER_THAN_MATCHES = str.maketrans(dict.fromkeys(SUBSTITUTION + DELETION + INSERTION, " "))


@dataclass(frozen=True)
class RecognitionStatistics:
    """Counts of an optimal alignment.

    Attributes:
        matches: k-gram matches M_1 … M_n.
        substitutions: Reference words that another word stands for.
        deletions: Reference words that nothing stands for.
        insertions: Candidate words that stand for nothing.
        reference_ngrams: Sizes of the reference's k-gram multisets, |g_1(r)| … |g_n(r)|.
    """

    matches: tuple[int, ...]
    substitutions: int
    deletions: int
    insertions: int
    reference_ngrams: tuple[int, ...]

    @classmethod
    def zero(cls, order: int) -> Self:
        """Nothing counted."""
        return cls((0,) * order, 0, 0, 0, (0,) * order)

    @classmethod
    def of_edits(cls, edits: str, order: int) -> Self:
        """Counts of an alignment, a letter an edit: C (match), S, D, I."""
        # A run of n matches holds n − k + 1 matching k-grams.
        runs = [len(run) for run in edits.translate(_OTHER_THAN_MATCHES).split()]
        matches = [0] * order
        for k in range(order):
            if not runs:
                break
            matches[k] = sum(runs)
            runs = [run - 1 for run in runs if run > 1]
        insertions = edits.count(INSERTION)
        words = len(edits) - insertions
        sizes = range(words, max(0, words - order), -1)
        return cls(
            tuple(matches),
            edits.count(SUBSTITUTION),
            edits.count(DELETION),
            insertions,
            (*sizes, *(0,) * (order - len(sizes))),
        )

    @classmethod
    def of_row(cls, row: Sequence[int]) -> Self:
        """Of a row of the metric's table."""
        order = (len(row) - 3) // 2
        substitutions, deletions, insertions = row[order : order + 3]
        return cls(tuple(row[:order]), substitutions, deletions, insertions, tuple(row[order + 3 :]))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            tuple(map(add, self.matches, other.matches)),
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
            tuple(map(add, self.reference_ngrams, other.reference_ngrams)),
        )

    @property
    def errors(self) -> int:
        """Substitutions, deletions and insertions together."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def reference_words(self) -> int:
        """|r|."""
        return self.matches[0] + self.substitutions + self.deletions

    @property
    def candidate_words(self) -> int:
        """|c|."""
        return self.matches[0] + self.substitutions + self.insertions

    def row(self) -> list[int]:
        """As a row of the metric's table."""
        return [*self.matches, self.substitutions, self.deletions, self.insertions, *self.reference_ngrams]

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "matches": self.matches[0],
            "ngram_matches": list(self.matches),
            "substitutions": self.substitutions,
            "deletions": self.deletions,
            "insertions": self.insertions,
            "reference_words": self.reference_words,
            "candidate_words": self.candidate_words,
        }
