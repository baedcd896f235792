"""The word error rate of classes of words: numbers, names, sums of money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from latticemetric.errors import UsageError
from latticemetric.metrics.base import Text, words_of
from latticemetric.metrics.recognition import WER


@dataclass(frozen=True)
class ClassErrors:
    """Hold the errors of the reference words of a class.

    Attributes:
        words: Reference words of the class.
        substitutions: Those that are other words in the candidate.
        deletions: Those that the candidate lacks.
        insertions: Words inserted between two words of the class.
    """

    words: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0

    def __add__(self, other: ClassErrors) -> ClassErrors:
        return ClassErrors(
            self.words + other.words,
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
        )

    @property
    def rate(self) -> float | None:
        """Errors divided by words; `None` without words."""
        return (self.substitutions + self.deletions + self.insertions) / self.words if self.words else None


_ONE = {
    "C": ClassErrors(words=1),
    "S": ClassErrors(words=1, substitutions=1),
    "D": ClassErrors(words=1, deletions=1),
    "I": ClassErrors(insertions=1),
}


def errors_by_class(candidate: Text, reference: Text, classes: Sequence[str]) -> dict[str, ClassErrors]:
    """Return the word errors of each class of reference words, in the alignment of WER.

    An inserted word belongs to a class if the reference words before and after it do; else to the class `""`.

    Args:
        candidate: A string or its words.
        reference: A string or its words.
        classes: The class of each reference word; `""` for none.

    Examples:
        >>> found = errors_by_class("we made for teen dollars", "we made fourteen dollars", ["", "", "MONEY", "MONEY"])
        >>> found["MONEY"], found["MONEY"].rate
        (ClassErrors(words=2, substitutions=1, deletions=0, insertions=1), 1.0)
        >>> found[""].rate
        0.0
    """
    if len(classes) != len(words_of(reference)):
        raise UsageError(
            f"there are {len(classes)} classes for {len(words_of(reference))} reference words",
            advice="give one for each word",
        )
    found: dict[str, ClassErrors] = {}
    at = 0
    for edit in WER().align(candidate, reference).edits:
        if edit == "I":
            inside = 0 < at < len(classes) and classes[at - 1] == classes[at]
            kind = classes[at] if inside else ""
        else:
            kind = classes[at]
            at += 1
        found[kind] = found.get(kind, ClassErrors()) + _ONE[edit]
    return found
