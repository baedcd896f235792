"""What every metric promises: statistics that add up, scores made from them, and a signature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeVar

from latticemetric.errors import UsageError
from latticemetric.signature import Signature
from latticemetric.vocabulary import split_words

Text = str | Sequence[str]
"""A string that is split at white space, or its words."""

References = str | Sequence[Text]
"""One reference as a plain string, or a list of references."""


class Statistics(Protocol):
    """Counts that a score is made from. Frozen; sums of them are statistics again."""

    def __add__(self, other: Self) -> Self: ...

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        ...


S = TypeVar("S", bound=Statistics)


@dataclass(frozen=True)
class CorpusScore(Generic[S]):
    """A value over a whole test set.

    Attributes:
        score: The value; `None` where it is undefined.
        numerator: Its numerator, summed.
        denominator: Its denominator, summed.
        statistics: What it was made from.
        signature: The metric, its parameters and the version.
    """

    score: float | None
    numerator: int | float
    denominator: int | float
    statistics: S
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        values = {"score": self.score, "numerator": self.numerator, "denominator": self.denominator}
        return {**values, "statistics": self.statistics.asdict(), "signature": self.signature}


class Metric(ABC, Generic[S]):
    """A metric of a candidate against one or several references."""

    higher_is_better: bool = True

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """Name, parameters, version; for one reference."""

    @abstractmethod
    def statistics(self, candidate: Text, references: References) -> S:
        """Counts of one candidate against its references."""

    @abstractmethod
    def score(self, candidate: Text, references: References) -> float | None:
        """The value for one candidate; `None` where it is undefined."""

    @abstractmethod
    def corpus(self, candidates: Sequence[Text], references: Sequence[References]) -> CorpusScore[S]:
        """The value for a test set, made from summed statistics."""


def words_of(text: Text) -> tuple[str, ...]:
    """The words of a string or of a list of words."""
    return tuple(split_words(text)) if isinstance(text, str) else tuple(text)


def references_of(references: References) -> tuple[tuple[str, ...], ...]:
    """The words of each reference; a plain string is one reference."""
    if isinstance(references, str):
        return (words_of(references),)
    if not references:
        raise UsageError("a candidate has no reference", advice="give at least one; it may be empty")
    return tuple(words_of(reference) for reference in references)


def plain_number(value: Fraction) -> int | float:
    """An exact value as the plainest Python number."""
    return int(value) if value.denominator == 1 else float(value)
