"""Counts of inserted, deleted and confused words, as in sclite's `dtl` and Kaldi's `wer_details`.

A metric such as `WER` aligns each segment once, with its best reference. The counts come from these alignments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

from latticemetric.display.frames import Tabular
from latticemetric.display.text import error_line, shown_unit
from latticemetric.errors import UsageError
from latticemetric.frozen import Frozen, Result
from latticemetric.metrics.alignment import DELETION, INSERTION, MATCH, Alignment
from latticemetric.metrics.base import (
    GraphReferences,
    GraphText,
    Metric,
    best_of_references,
    graphs_of,
    require_as_many,
)
from latticemetric.metrics.classes import classes_along, edit_classes, only_graph
from latticemetric.metrics.recognition import GRR, WER
from latticemetric.metrics.reference_checks import check_corpus
from latticemetric.renamed import says_new_keywords

_Step = tuple[str, str | None, str | None]
Pair = tuple[str, str]
"""A reference word, and the hypothesis word aligned with it."""

NO_CLASS = "(no class)"
"""The name of the group of words without a class."""


@dataclass(frozen=True, eq=False, repr=False)
class ErrorDetails(Result, Frozen):
    """Counts of the words in alignments, by edit. Counts of several test sets can be added.

    Attributes:
        correct: For each reference word, the number of correct recognitions.
        confusions: For each pair (reference word, hypothesis word), the number of confusions.
        insertions: For each hypothesis word, the number of insertions.
        deletions: For each reference word, the number of deletions.
        segments: The number of segments.
        wrong_segments: The number of segments with errors.
    """

    correct: Mapping[str, int]
    confusions: Mapping[Pair, int]
    insertions: Mapping[str, int]
    deletions: Mapping[str, int]
    segments: int
    wrong_segments: int

    @classmethod
    def zero(cls) -> Self:
        """Return zero counts."""
        return cls({}, {}, {}, {}, 0, 0)

    @classmethod
    def of(cls, alignments: Iterable[Alignment]) -> Self:
        """Count the words of alignments.

        Examples:
            >>> details = ErrorDetails.of([WER().align("the cats sat", "a cat sat down")])
            >>> dict(details.confusions), dict(details.deletions), details.errors, details.words
            ({('a', 'the'): 1, ('cat', 'cats'): 1}, {'down': 1}, 3, 4)
        """
        listed = list(alignments)
        wrong = sum(alignment.edits.count(MATCH) < len(alignment.edits) for alignment in listed)
        return cls._of_steps(chain.from_iterable(each.steps() for each in listed), len(listed), wrong)

    @classmethod
    def _of_steps(cls, steps: Iterable[_Step], segments: int, wrong: int) -> Self:
        correct, insertions, deletions = (Counter[str]() for _ in range(3))
        confusions = Counter[Pair]()
        for edit, expected, said in steps:
            if edit == INSERTION:
                insertions[said or ""] += 1
            elif edit == DELETION:
                deletions[expected or ""] += 1
            elif edit == MATCH:
                correct[expected or ""] += 1
            else:
                confusions[expected or "", said or ""] += 1
        return cls(dict(correct), dict(confusions), dict(insertions), dict(deletions), segments, wrong)

    @classmethod
    def by_class(cls, alignments: Iterable[tuple[Alignment, Sequence[str]]]) -> dict[str, Self]:
        """Count the words of alignments by the class of each reference word.

        Each alignment comes with the classes of its reference words. The class `""` is named `(no class)`. For the
        class of an inserted word, see `edit_classes`. A segment counts once for each of its classes.
        """
        found: dict[str, Self] = {}
        for alignment, classes in alignments:
            steps: dict[str, list[_Step]] = {}
            for step, kind in zip(alignment.steps(), edit_classes(alignment.edits, classes), strict=True):
                steps.setdefault(kind or NO_CLASS, []).append(step)
            for kind, own in steps.items():
                wrong = any(edit != MATCH for edit, _, _ in own)
                found[kind] = found.get(kind, cls.zero()) + cls._of_steps(own, 1, wrong)
        return found

    def __add__(self, other: Self) -> Self:
        return type(self)(
            dict(Counter(self.correct) + Counter(other.correct)),
            dict(Counter(self.confusions) + Counter(other.confusions)),
            dict(Counter(self.insertions) + Counter(other.insertions)),
            dict(Counter(self.deletions) + Counter(other.deletions)),
            self.segments + other.segments,
            self.wrong_segments + other.wrong_segments,
        )

    @property
    def substitutions(self) -> dict[str, int]:
        """For each reference word, the number of substitutions."""
        counts = Counter[str]()
        for (expected, _), times in self.confusions.items():
            counts[expected] += times
        return dict(counts)

    @property
    def misrecognitions(self) -> dict[str, int]:
        """For each hypothesis word, the number of substitutions (sclite: falsely recognized)."""
        counts = Counter[str]()
        for (_, said), times in self.confusions.items():
            counts[said] += times
        return dict(counts)

    @property
    def edits(self) -> tuple[int, int, int]:
        """The numbers of insertions, deletions and substitutions, in this order."""
        inserted, deleted, replaced = (
            sum(counts.values()) for counts in (self.insertions, self.deletions, self.confusions)
        )
        return inserted, deleted, replaced

    @property
    def errors(self) -> int:
        """The number of errors."""
        return sum(self.edits)

    @property
    def words(self) -> int:
        """The number of words of the references."""
        _, deleted, replaced = self.edits
        return sum(self.correct.values()) + deleted + replaced

    @property
    def rate(self) -> float | None:
        """Errors per reference word; `None` without reference words."""
        return self.errors / self.words if self.words else None

    @says_new_keywords
    def line(self, name: str = "WER") -> str | None:
        """Return the line `%WER 27.17 [ 25 / 92, 8 ins, 15 del, 2 sub ]`; `None` if the references have no words.

        `name` is the name of the rate in the line: for errors of characters, give `CER`.
        """
        return error_line(name, self.errors, self.words, self.edits) if self.words else None

    def __repr__(self) -> str:
        inserted, deleted, replaced = self.edits
        counts = f"{self.errors} errors in {self.words}: {inserted} ins, {deleted} del, {replaced} sub"
        return f"ErrorDetails({counts}, {self.segments} segments)"

    def numbers(self) -> dict[str, int | float | None]:
        """Return the numbers of segments, words and errors, by name."""
        inserted, deleted, replaced = self.edits
        return {
            "segments": self.segments,
            "wrong_segments": self.wrong_segments,
            "words": self.words,
            "correct": sum(self.correct.values()),
            "substitutions": replaced,
            "deletions": deleted,
            "insertions": inserted,
            "errors": self.errors,
            "rate": self.rate,
        }

    def asdict(self, most: int | None = None) -> dict[str, Any]:
        """Return plain values, for JSON. Lists have the most frequent items first; `most` limits their length."""
        counts = self.numbers()
        pairs = [
            {"reference": expected, "hypothesis": said, "count": times}
            for (expected, said), times in most_frequent(self.confusions, most)
        ]
        words = {
            f"{name}_words": [{"word": word, "count": times} for word, times in most_frequent(counted, most)]
            for name, counted in self._by_word().items()
        }
        return {**counts, "confusion_pairs": pairs, **words}

    def _by_word(self) -> dict[str, Mapping[str, int]]:
        return {
            "inserted": self.insertions,
            "deleted": self.deletions,
            "substituted": self.substitutions,
            "misrecognized": self.misrecognitions,
        }

    @says_new_keywords
    def lists(self, most: int | None = None) -> Iterator[tuple[str, int, int, list[tuple[str, int]]]]:
        """Yield a tuple for each list of words or of word pairs.

        The tuple has the title of the list, the number of distinct items, the total count, and the items with their
        counts, the most frequent first. `most` limits the number of items; `None`: no limit.
        """
        titled: list[tuple[str, dict[Any, int], bool]] = [("confusion pairs", dict(self.confusions), True)]
        titled += [(f"{name} words", dict(counted), False) for name, counted in self._by_word().items()]
        for title, counted, is_pair in titled:
            items = [
                (" → ".join(map(shown_unit, key)) if is_pair else shown_unit(key), times)
                for key, times in most_frequent(counted, most)
            ]
            yield title, len(counted), sum(counted.values()), items


def most_frequent(counted: Mapping[Any, int], most: int | None) -> list[tuple[Any, int]]:
    """Return keys with their counts, the most frequent first; ties are in alphabetical order.

    `most` limits the number of keys; `None`: no limit.
    """
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:most]


@dataclass(frozen=True, eq=False, repr=False)
class ErrorAnalysis(Result, Tabular, Frozen):
    """The errors of a test set: in total, and by group (speaker or file) or class of words.

    Attributes:
        total: The errors of all segments.
        groups: The errors of each group; empty if there are no groups.
    """

    total: ErrorDetails
    groups: Mapping[str, ErrorDetails]

    def __repr__(self) -> str:
        return f"ErrorAnalysis({self.total!r}, {len(self.groups)} groups)"

    def to_records(self) -> list[dict[str, Any]]:
        """Return the numbers of errors: one record per group, and one for all segments (`group` is `None`).

        Examples:
            >>> analysis = error_analysis(["a b", "a"], ["a c", "a"], groups=["ann", "bob"])
            >>> [(record["group"], record["errors"], record["words"]) for record in analysis.to_records()]
            [('ann', 1, 2), ('bob', 0, 1), (None, 1, 3)]
        """
        rows = [*self.groups.items(), (None, self.total)]
        return [{"group": name, **details.numbers()} for name, details in rows]

    def asdict(self, most: int | None = None) -> dict[str, Any]:
        """Return plain values, for JSON. Lists have the most frequent items first; `most` limits their length."""
        groups = [{"group": name, **details.asdict(most)} for name, details in self.groups.items()]
        return {"total": self.total.asdict(most), "groups": groups}


@says_new_keywords
def error_analysis(
    hypotheses: Sequence[GraphText],
    references: Sequence[GraphReferences],
    metric: Metric[Any] | None = None,
    *,
    groups: Sequence[str | Sequence[str]] | None = None,
    classes: bool = False,
) -> ErrorAnalysis:
    """Count which words are inserted, deleted and confused.

    Args:
        hypotheses: The hypotheses, one per segment.
        references: The references of each segment. Errors are counted against the reference with the best score.
        metric: A metric that aligns: `WER` (the default), `Sclite`, `CER` for characters, …
        groups: The group of each segment, such as its speaker or file; or its groups, such as its labels.
        classes: True to group words by class, instead of grouping segments. Each reference must be a graph with classes
            on its arcs (see `nlp_reference`).

    Examples:
        >>> analysis = error_analysis(["a b", "a c"], ["a c", "a d"], groups=["ann", "bob"])
        >>> analysis.total.line()
        '%WER 50.00 [ 2 / 4, 0 ins, 0 del, 2 sub ]'
        >>> {name: dict(details.confusions) for name, details in analysis.groups.items()}
        {'ann': {('c', 'b'): 1}, 'bob': {('d', 'c'): 1}}
        >>> analysis = error_analysis(["a b", "a c"], ["a c", "a d"], groups=[["all", "noisy"], ["all"]])
        >>> {name: details.errors for name, details in analysis.groups.items()}
        {'all': 2, 'noisy': 1}
    """
    check_corpus(hypotheses, references)
    require_as_many(hypotheses, references)
    groups = None if groups is None else list(groups)
    if groups is not None and len(groups) != len(hypotheses):
        raise UsageError(
            f"there are {len(hypotheses)} segments, but {len(groups)} groups", advice="give one per segment"
        )
    chosen = WER() if metric is None else metric
    if not can_analyse(chosen):
        raise UsageError(
            f"{chosen.name} does not align words", advice="analyse the errors of wer, cer, mixed-er or sclite"
        )
    if classes:
        return _by_class(hypotheses, references, chosen)
    alignments = [_alignment(chosen, *both) for both in zip(hypotheses, references, strict=True)]
    listed: dict[str, list[Alignment]] = {}
    for names, alignment in zip(groups or (), alignments, strict=groups is not None):
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            listed.setdefault(name, []).append(alignment)
    return ErrorAnalysis(ErrorDetails.of(alignments), {name: ErrorDetails.of(own) for name, own in listed.items()})


def can_analyse(metric: Metric[Any]) -> bool:
    """Check whether a metric aligns words (or characters) and counts substitutions, deletions and insertions."""
    return callable(getattr(metric, "align", None)) and {"substitutions", "deletions", "insertions"} <= set(
        metric.columns
    )


def _alignment(metric: Any, hypothesis: GraphText, references: GraphReferences) -> Alignment:
    listed = graphs_of(references)  # words, since a list of single words would be ambiguous
    if isinstance(metric, GRR):
        return metric.evaluate(hypothesis, listed).alignment  # type: ignore[arg-type]  # only Sclite takes graphs
    found: Alignment = metric.align(hypothesis, listed[best_of_references(metric, hypothesis, listed)])
    return found


def _by_class(
    hypotheses: Sequence[GraphText], references: Sequence[GraphReferences], metric: Metric[Any]
) -> ErrorAnalysis:
    """Count errors by the class of reference words."""
    alignments = []
    for hypothesis, several in zip(hypotheses, references, strict=True):
        graph = only_graph(several)
        alignment = _alignment(metric, hypothesis, several)
        if not alignment.of_words:
            raise UsageError(f"{metric.name} aligns characters, which have no classes", advice="use wer or sclite")
        alignments.append((alignment, classes_along(graph, alignment.reference)))
    return ErrorAnalysis(ErrorDetails.of(each for each, _ in alignments), ErrorDetails.by_class(alignments))
