"""The interface of metrics (additive statistics, scores, signature), and the types of texts and references.

`explain` shows the counts of one segment as text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from operator import add
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import require_text
from latticemetric.errors import UsageError
from latticemetric.frozen import Result
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.reference_checks import check_corpus, check_hypothesis, check_references
from latticemetric.metrics.signature import Signature
from latticemetric.vocabulary import listed_words

Text = str | Sequence[str]
"""A string, which is split at white space, or a sequence of words."""

References = str | Sequence[Text]
"""One reference as a string, or a list of references.

References that are single words must be lists of words: `[["the"], ["cold"]]`, not `["the", "cold"]`.
"""

GraphReference = Lattice | tuple[str, ...]
"""A reference: a tuple of words, or a graph. Each path of the graph is a correct reference."""

GraphText = Text | Lattice
"""A text, or a graph of alternative texts."""

GraphReferences = References | Lattice | Sequence[GraphText]
"""References that may be graphs: one reference, or a list of references."""

_GRAPHS_ADVICE = (
    "graphs as references need wer, wrr, N-grr, cer, N-gcr, mixed-er or sclite; graphs as hypotheses need sclite"
)


class Statistics(Protocol):
    """Immutable counts from which a score is computed. Counts of several segments can be added."""

    def __add__(self, other: Self) -> Self: ...

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        ...


S = TypeVar("S", bound=Statistics)

Table = npt.NDArray[np.float64]
"""Statistics with one row per segment (or sample), and one column for each name in the metric's `columns`."""


@dataclass(frozen=True)
class Tally:
    """Sums of a metric's columns, by name."""

    names: tuple[str, ...]
    sums: tuple[float, ...]

    @classmethod
    def zero(cls, names: tuple[str, ...]) -> Self:
        """Return zero counts."""
        return cls(names, (0.0,) * len(names))

    def __add__(self, other: Self) -> Self:
        if self.names != other.names:
            raise UsageError(
                "statistics of different metrics cannot be added", advice="add statistics of one metric only"
            )
        return type(self)(self.names, tuple(map(add, self.sums, other.sums)))

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {name: plain_sum(value) for name, value in zip(self.names, self.sums, strict=True)}


@dataclass(frozen=True, repr=False)
class CorpusScore(Result, Generic[S]):
    """A value over a whole test set.

    Attributes:
        score: The value; `None` if undefined.
        numerator: The summed numerator; `None` if the metric is not a ratio.
        denominator: The summed denominator; `None` if the metric is not a ratio.
        statistics: The summed statistics that give the score.
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


class Effects(NamedTuple):
    """The effect of each column of a table on the value of a metric, if the other columns stay as they are.

    A column that is neither in `up` nor in `down` may do both, but either never lowers or never raises the value as
    long as the others stay.

    Attributes:
        up: Columns that never lower the value when they rise.
        down: Columns that never raise the value when they rise.
        sizes: Columns for which this does not hold at 0, since nothing of this size counts.
    """

    up: frozenset[str] = frozenset()
    down: frozenset[str] = frozenset()
    sizes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, *, up: str = "", down: str = "", sizes: str = "", columns: Sequence[str]) -> Self:
        """Return the effects of columns whose names begin with one of these words."""
        return cls(
            *(frozenset(c for c in columns if c.startswith(tuple(words.split()))) for words in (up, down, sizes))
        )


class Metric(ABC, Generic[S]):
    """A metric of a hypothesis against one or several references.

    `table` returns one row of statistics per segment. `values` computes scores from sums of these rows. Corpus scores
    and resampling use these two methods.
    """

    higher_is_better: bool = True
    is_fraction: bool = True
    """False if the score is not a fraction and must not be shown in percent."""
    takes_graphs: bool = False
    """True if references may be graphs. The metric searches a graph without listing its strings."""
    takes_hypothesis_graphs: bool = False
    """True if hypotheses may be graphs, too."""
    weighs_by_references: bool = False
    """True if the row of a segment depends on the references of all segments of a table."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name on the command line."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `table`."""

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value; by default, nothing is known."""
        return Effects(sizes=frozenset(self.columns))

    def signature_for(self, references: int | str) -> Signature:
        """Return the signature: name, parameters and version.

        `references` is the number of references per segment, or `var` if it varies.
        """
        fields = {**self._parameters(), "refs": str(references), "case": "mixed", "tok": "none"}
        lists = {name: ",".join(sorted(words)) for name, words in self._word_sets().items() if words}
        return Signature(self.name, fields | lists)

    def _parameters(self) -> dict[str, str]:
        """Return the parameters that come first in the signature."""
        return {}

    def _word_sets(self) -> dict[str, frozenset[str]]:
        """Return the sets of words for the end of the signature, which leaves out empty sets."""
        return {}

    @property
    def signature(self) -> Signature:
        """The signature for one reference."""
        return self.signature_for(1)

    @abstractmethod
    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set, one row per segment."""

    def pair_tables(self, hypotheses: Sequence[Text], references: Sequence[Text]) -> Iterator[Table]:
        """Yield the statistics of all hypotheses against each reference: one table per reference.

        Metrics that can share work between pairs override this method.
        """
        for reference in references:
            yield self.table(hypotheses, [[reference]] * len(hypotheses))

    @abstractmethod
    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics; NaN if undefined.

        The rows lie along the last axis of `sums`.
        """

    @abstractmethod
    def statistics(self, hypothesis: Text, references: References) -> S:
        """Return the statistics of one hypothesis against its references."""

    @abstractmethod
    def score(self, hypothesis: Text, references: References) -> float | None:
        """Return the value for one hypothesis; `None` if undefined."""

    @abstractmethod
    def corpus(self, hypotheses: Sequence[Text], references: Sequence[References]) -> CorpusScore[S]:
        """Return the value for a test set, from summed statistics."""


class TallyMetric(Metric[Tally]):
    """A metric whose statistics are the sums of its table's columns."""

    def statistics(self, hypothesis: Text, references: References) -> Tally:
        """Return the statistics of one hypothesis against its references."""
        check_hypothesis(hypothesis)
        check_references(references)
        return Tally(self.columns, tuple(self.table([hypothesis], [references])[0].tolist()))

    def score(self, hypothesis: Text, references: References) -> float | None:
        """Return the value for one hypothesis; `None` if undefined."""
        return self.value(self.statistics(hypothesis, references))

    def value(self, statistics: Tally) -> float | None:
        """Return the value of summed statistics; `None` if undefined."""
        found = float(self.values(np.array(statistics.sums)))
        return None if np.isnan(found) else found

    def corpus(self, hypotheses: Sequence[Text], references: Sequence[References]) -> CorpusScore[Tally]:
        """Return the value for a test set, from summed statistics."""
        check_corpus(hypotheses, references)
        total = Tally(self.columns, tuple(self.table(hypotheses, references).sum(axis=0).tolist()))
        signature = str(self.signature_for(references_each(references)))
        return CorpusScore(self.value(total), None, None, total, signature)


def require_as_many(hypotheses: Sequence[object], references: Sequence[object]) -> None:
    """Raise `UsageError` if the numbers of hypotheses and of their references differ."""
    if len(hypotheses) != len(references):
        raise UsageError(
            f"there are {len(hypotheses)} hypotheses and {len(references)} references",
            advice="give one reference, or one list of references, for each hypothesis",
        )


def paired(hypotheses: Sequence[Text], references: Sequence[References]) -> list[Sequence[Text]]:
    """Return the list of references of each hypothesis.

    Raise `UsageError` if `hypotheses` and `references` have different lengths, or if a hypothesis has no reference.
    """
    require_as_many(hypotheses, references)
    return list(map(listed_references, references))


def references_each(references: Sequence[GraphReferences]) -> int | str:
    """Return the number of references per segment, for a signature; `var` if it varies."""
    return number_each([1 if isinstance(several, str | Lattice) else len(several) for several in references])


def common_number(numbers: Iterable[int | str]) -> int | str:
    """Return the common value of all numbers, one of which may be `var`; `var` if they differ, 1 if there are none."""
    found = set(numbers)
    if not found:
        return 1
    return found.pop() if len(found) == 1 else "var"


def number_each(numbers: Sequence[int] | npt.NDArray[np.int64]) -> int | str:
    """Return the common value of all `numbers`; `var` if they differ, 1 if there are none."""
    counts = np.asarray(numbers)
    if not counts.size:
        return 1
    return int(counts[0]) if counts.min() == counts.max() else "var"


def words_of(text: Text) -> tuple[str, ...]:
    """Return the words of a string or of a list of words."""
    if isinstance(text, Lattice):
        raise UsageError("expected a string, but found a graph or a text with alternatives", advice=_GRAPHS_ADVICE)
    return listed_words(text)


def references_of(references: References) -> tuple[tuple[str, ...], ...]:
    """Return the words of each reference; a plain string is one reference."""
    return tuple(map(words_of, listed_references(references)))


def graphs_of(references: GraphReferences) -> tuple[GraphReference, ...]:
    """Return each reference as a graph or as words."""
    return tuple(r if isinstance(r, Lattice) else words_of(r) for r in listed_references(references))


def require_hypothesis(text: object, what: str) -> None:
    """Raise `UsageError` if `text` is not a string, a list of words or a graph; the message calls it `what`."""
    if not isinstance(text, Lattice):
        require_text(text, what)


def listed_references(references: Any) -> Sequence[Any]:
    """Return references as a list; raise `UsageError` if there are none."""
    listed: Sequence[Any] = (references,) if isinstance(references, (str, Lattice)) else references
    require_text(listed, "the reference")
    if not len(listed):
        raise no_reference()
    return listed


def no_reference() -> UsageError:
    """Return the error for a hypothesis without references."""
    return UsageError("a hypothesis has no reference", advice="give at least one reference; it may be empty")


def which_reference(number: int, references: int) -> str:
    """Return text such as `, against reference 2 of 3`; an empty string if there is one reference.

    `number` counts from 0, the text counts from 1.
    """
    return f", against reference {number + 1} of {references}" if references > 1 else ""


@runtime_checkable
class Explaining(Protocol):
    """A metric that can explain its counts."""

    def explain(self, hypothesis: Any, references: Any, /) -> str: ...  # noqa: D102  as above


@runtime_checkable
class Aligning(Protocol):
    """A metric that can align a hypothesis with one reference. The alignment explains the metric's counts."""

    def score(self, hypothesis: Any, references: Any, /) -> float | None: ...  # noqa: D102

    def align(self, hypothesis: Any, reference: Any, /) -> object: ...  # noqa: D102


def explain(metric: Any, hypothesis: Any, references: GraphReferences) -> str | None:
    """Return a metric's counts for one hypothesis as text for a terminal.

    If the metric cannot explain its counts, return the alignment of the hypothesis with the best reference (ties: the
    first). If the metric cannot align either, return `None`.
    """
    if isinstance(metric, Explaining):
        return str(metric.explain(hypothesis, references))
    if not isinstance(metric, Aligning):
        return None
    listed = graphs_of(references)
    best = best_of_references(metric, hypothesis, listed)
    return f"{metric.align(hypothesis, listed[best])}{which_reference(best, len(listed))}"


def best_of_references(metric: Any, hypothesis: Any, references: Sequence[GraphReference]) -> int:
    """Return the index of the reference with the best score (ties: the first)."""
    if len(references) == 1:
        return 0
    sign = 1 if getattr(metric, "higher_is_better", True) else -1
    scores = [metric.score(hypothesis, [reference]) for reference in references]
    return max(range(len(references)), key=lambda k: -inf if (score := scores[k]) is None else sign * score)


def check_flags(**flags: object) -> None:
    """Raise `UsageError` if a flag is not True or False, since Python treats every non-empty string as True."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise UsageError(f"{name} is {value!r}", advice="give True or False (yes or no on the command line)")


def plain_sum(value: float) -> int | float:
    """Return a sum as an `int` if it is whole, else as a `float`."""
    return int(value) if value.is_integer() else value


def plain_number(value: Fraction) -> int | float:
    """Return the fraction as an `int` if it is whole, else as a `float`."""
    return int(value) if value.denominator == 1 else float(value)
