"""The interface of metrics: statistics that add up, scores made from them, a signature; texts and references."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.reference_checks import check_candidate, check_corpus, check_references
from latticemetric.signature import Signature
from latticemetric.vocabulary import split_words

Text = str | Sequence[str]
"""A string that is split at white space, or its words."""

References = str | Sequence[Text]
"""One reference as a plain string, or a list of references. Several of one word each are lists of words."""

GraphReference = Lattice | tuple[str, ...]
"""A reference that may be a graph: all of its paths are right."""

GraphText = Text | Lattice
"""A text that may be a graph of alternatives."""

GraphReferences = References | Lattice | Sequence[GraphText]
"""References, some of which may be graphs, as recognition rates take them."""

_GRAPHS_ADVICE = "references of wer, wrr, N-grr and sclite may be graphs, and candidates of sclite"


class Statistics(Protocol):
    """Counts that a score is made from. Frozen; sums of them are statistics again."""

    def __add__(self, other: Self) -> Self: ...

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        ...


S = TypeVar("S", bound=Statistics)

NO_REFERENCE = UsageError("a candidate has no reference", advice="give at least one; it may be empty")

Table = npt.NDArray[np.float64]
"""Statistics as numbers, a row a segment (or a sample), the metric's columns side by side."""


@dataclass(frozen=True)
class Tally:
    """Sums of a metric's columns, by their names."""

    names: tuple[str, ...]
    sums: tuple[float, ...]

    @classmethod
    def zero(cls, names: tuple[str, ...]) -> Self:
        """Return zero counts."""
        return cls(names, (0.0,) * len(names))

    def __add__(self, other: Self) -> Self:
        if self.names != other.names:
            raise UsageError("statistics of different metrics do not add up")
        return type(self)(self.names, tuple(map(add, self.sums, other.sums)))

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {name: plain_sum(value) for name, value in zip(self.names, self.sums, strict=True)}


@dataclass(frozen=True)
class CorpusScore(Generic[S]):
    """A value over a whole test set.

    Attributes:
        score: The value; `None` where it is undefined.
        numerator: Summed; `None` where the metric is no ratio.
        denominator: Likewise.
        statistics: The summed statistics that it was made from.
        signature: The metric, its parameters and the version.
    """

    score: float | None
    numerator: int | float | None
    denominator: int | float | None
    statistics: S
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        values = {"score": self.score, "numerator": self.numerator, "denominator": self.denominator}
        return {**values, "statistics": self.statistics.asdict(), "signature": self.signature}


class Metric(ABC, Generic[S]):
    """A metric of a candidate against one or several references.

    Sums and resamples go through `table` and `values`: a test set becomes one row of numbers a segment, and any sums of
    rows become scores, all at once.
    """

    higher_is_better: bool = True
    takes_graphs: bool = False
    """True where references may be graphs, whose strings are not listed."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name on the command line."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of its tables' columns."""

    @abstractmethod
    def signature_for(self, references: int | str) -> Signature:
        """Return name, parameters and version, for a value made with so many references."""

    @property
    def signature(self) -> Signature:
        """The signature for one reference."""
        return self.signature_for(1)

    @abstractmethod
    def table(self, candidates: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set, a row a segment."""

    @abstractmethod
    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics (the last axis); NaN where it is undefined."""

    @abstractmethod
    def statistics(self, candidate: Text, references: References) -> S:
        """Count of one candidate against its references."""

    @abstractmethod
    def score(self, candidate: Text, references: References) -> float | None:
        """Return the value for one candidate; `None` where it is undefined."""

    @abstractmethod
    def corpus(self, candidates: Sequence[Text], references: Sequence[References]) -> CorpusScore[S]:
        """Return the value for a test set, made from summed statistics."""


class TallyMetric(Metric[Tally]):
    """A metric whose statistics are the sums of its table's columns."""

    def statistics(self, candidate: Text, references: References) -> Tally:
        """Count of one candidate against its references."""
        check_candidate(candidate)
        check_references(references)
        return Tally(self.columns, tuple(self.table([candidate], [references])[0].tolist()))

    def score(self, candidate: Text, references: References) -> float | None:
        """Return the value for one candidate; `None` where it is undefined."""
        return self.value(self.statistics(candidate, references))

    def value(self, statistics: Tally) -> float | None:
        """Return the value of summed statistics; `None` where it is undefined."""
        found = float(self.values(np.array(statistics.sums)))
        return None if np.isnan(found) else found

    def corpus(self, candidates: Sequence[Text], references: Sequence[References]) -> CorpusScore[Tally]:
        """Return the value for a test set, made from summed statistics."""
        check_corpus(candidates, references)
        total = Tally(self.columns, tuple(self.table(candidates, references).sum(axis=0).tolist()))
        signature = str(self.signature_for(references_each(references)))
        return CorpusScore(self.value(total), None, None, total, signature)


def require_as_many(candidates: Sequence[object], references: Sequence[object]) -> None:
    """Refuse candidates and references that differ in number."""
    if len(candidates) != len(references):
        raise UsageError(f"there are {len(candidates)} candidates and {len(references)} references")


def paired(candidates: Sequence[Text], references: Sequence[References]) -> list[Sequence[Text]]:
    """Return the references of each candidate.

    Raises:
        UsageError: They differ in number, or a candidate has none.
    """
    require_as_many(candidates, references)
    listed = [(several,) if isinstance(several, str | Lattice) else several for several in references]
    if not all(map(len, listed)):
        raise NO_REFERENCE
    return listed


def references_each(references: Sequence[GraphReferences]) -> int | str:
    """Return the number of references of each segment, for a signature: `var` where it varies."""
    return number_each([1 if isinstance(several, str | Lattice) else len(several) for several in references])


def number_each(numbers: Sequence[int] | npt.NDArray[np.int64]) -> int | str:
    """Return the number that all of these are, 1 where there are none, else `var`."""
    counts = np.asarray(numbers)
    if not counts.size:
        return 1
    return int(counts[0]) if counts.min() == counts.max() else "var"


def words_of(text: Text) -> tuple[str, ...]:
    """Return the words of a string or of a list of words."""
    if isinstance(text, Lattice):
        raise UsageError("a graph, or a text with alternatives, stands where a string is needed", advice=_GRAPHS_ADVICE)
    return tuple(split_words(text)) if isinstance(text, str) else tuple(text)


def references_of(references: References) -> tuple[tuple[str, ...], ...]:
    """Return the words of each reference; a plain string is one reference."""
    if isinstance(references, str | Lattice):
        return (words_of(references),)
    if not references:
        raise NO_REFERENCE
    return tuple(words_of(reference) for reference in references)


def graphs_of(references: GraphReferences) -> tuple[GraphReference, ...]:
    """Return each reference as a graph or as its words."""
    if isinstance(references, Lattice):
        return (references,)
    if isinstance(references, str):
        return references_of(references)
    if not references:
        raise NO_REFERENCE
    return tuple(r if isinstance(r, Lattice) else words_of(r) for r in references)


def plain_sum(value: float) -> int | float:
    """Return a sum as a whole number, if it is one."""
    return int(value) if value.is_integer() else value


def plain_number(value: Fraction) -> int | float:
    """Return an exact value as the plainest Python number."""
    return int(value) if value.denominator == 1 else float(value)
