"""A test set with words as numbers, and the n-grams that hypotheses and references share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import chain, count
from operator import or_
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import whole_number
from latticemetric.automata.recognition import Gains
from latticemetric.metrics.base import References, Text, no_reference, paired, references_of, require_as_many, words_of
from latticemetric.nbest import ListColumns

Counts = npt.NDArray[np.int64]
WordNumbers = npt.NDArray[np.int32]


_HIGHEST_ORDER = 254


def checked_order(order: int, what: str = "n-grams") -> int:
    """Return an order; raise `UsageError` if it is not a whole number from 1 to 254. `what` names the n-grams."""
    message, advice = f"order {order} is not possible for {what}", f"choose 1 … {_HIGHEST_ORDER}"
    return whole_number(order, message, advice, most=_HIGHEST_ORDER)


class NumberedStrings(NamedTuple):
    """Several strings of word numbers in one array; string s is `words[begin[s] : begin[s + 1]]`."""

    words: WordNumbers
    begin: Counts

    @property
    def lengths(self) -> Counts:
        """The number of words of each string."""
        return np.diff(self.begin)

    def part(self, first: int, end: int) -> NumberedStrings:
        """Return the strings from `first` up to, but not including, `end`."""
        begin = self.begin[first : end + 1]
        return NumberedStrings(self.words[begin[0] : begin[-1]], begin - begin[0])

    def repeated(self, string: int, times: int) -> NumberedStrings:
        """Return `times` copies of the string with index `string`."""
        (words, _), length = self.part(string, string + 1), int(self.lengths[string])
        return NumberedStrings(np.tile(words, times), np.arange(times + 1, dtype=np.int64) * length)

    def ngrams(self, order: int) -> Counts:
        """Count the n-grams of each string, one column per order."""
        counts: Counts = np.maximum(0, self.lengths[:, None] - np.arange(order))
        return counts


def compared_words(text: Text, *, stem: bool) -> tuple[str, ...]:
    """Return the words of a text, or their stems."""
    words = words_of(text)
    if not stem:
        return words
    from latticemetric.metrics.preparation import porter_stem

    return tuple(map(porter_stem, words))


def number_all(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> tuple[NumberedStrings, NumberedStrings, list[str]]:
    """Return hypotheses and references as word numbers, and the list of words.

    Equal words have equal numbers. A number is an index of the list.
    """
    numbers: dict[str, int] = defaultdict(count().__next__)
    said, expected = (numbered_strings(side, numbers.__getitem__) for side in (hypotheses, references))
    return said, expected, list(numbers)


# The largest number of counts that are in memory at once.
_COUNTS_AT_ONCE = 1 << 22


def pair_matches(hypotheses: NumberedStrings, references: NumberedStrings, order: int) -> Iterator[Counts]:
    """Yield one array per reference: for each hypothesis, the clipped numbers of matching n-grams.

    An array has one row per hypothesis, and one column per order.

    Examples:
        >>> hypotheses, references, _ = number_all([["a", "b", "a"], ["b"]], [["b", "a", "b"]])
        >>> [matches.tolist() for matches in pair_matches(hypotheses, references, 2)]
        [[[2, 2], [1, 0]]]
    """
    index = _native.NgramIndex(*hypotheses, order)
    size = max(1, _COUNTS_AT_ONCE // max(1, order * len(hypotheses.lengths)))
    for first in range(0, len(references.lengths), size):
        part = references.part(first, min(first + size, len(references.lengths)))
        for matches in index.matches(*part):
            yield matches.T


def numbered_strings(strings: Sequence[Sequence[str]], number: Callable[[str], int]) -> NumberedStrings:
    """Return strings as word numbers; the function `number` returns the number of a word."""
    begin = np.cumsum([0, *map(len, strings)], dtype=np.int64)
    words = map(number, chain.from_iterable(strings))
    return NumberedStrings(np.fromiter(words, dtype=np.int32, count=int(begin[-1])), begin)


class Segments(NamedTuple):
    """Hypotheses and references as word numbers; segment s has the references `owner[s]` to `owner[s + 1] − 1`."""

    hypotheses: NumberedStrings
    references: NumberedStrings
    owner: Counts

    @classmethod
    def of(
        cls, hypotheses: Sequence[Text], references: Sequence[References], *, across: bool = False, stem: bool = False
    ) -> Segments:
        """Number the words of a test set; with `stem`, number their Porter stems.

        With `across` or `stem`, equal words have the same number in all segments, which is slower. Otherwise, numbers
        can be compared only within a segment.
        """
        (*arrays, words), spelled = _native_count(_native.number_segments, hypotheses, references, across or stem)
        numbers, begin, expected, expected_begin, owner = arrays
        _require_references(owner)
        if stem:
            from latticemetric.metrics.preparation import porter_stem

            of_stem: dict[str, int] = defaultdict(count().__next__)
            texts = words if spelled is None else [spelled[int(number)] for number in words]
            stems = np.fromiter((of_stem[porter_stem(word)] for word in texts), dtype=np.int32, count=len(texts))
            numbers, expected = stems[numbers], stems[expected]
        return cls(NumberedStrings(numbers, begin), NumberedStrings(expected, expected_begin), owner)

    def one_reference_each(self) -> Segments:
        """Return a test set with one segment for each pair of a hypothesis and one of its references."""
        repeats = np.diff(self.owner)
        lengths = np.repeat(self.hypotheses.lengths, repeats)
        begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        within = np.arange(begin[-1]) - np.repeat(begin[:-1], lengths)
        words = self.hypotheses.words[np.repeat(np.repeat(self.hypotheses.begin[:-1], repeats), lengths) + within]
        return Segments(NumberedStrings(words, begin), self.references, np.arange(len(lengths) + 1, dtype=np.int64))

    def matches(self, order: int) -> Counts:
        """Count clipped n-gram matches, one row per segment and one column per order."""
        return _native.match_ngrams(*self.hypotheses, *self.references, self.owner, order)

    def information(self, order: int) -> npt.NDArray[np.float64]:
        """Sum the information (as in NIST) of clipped n-gram matches, one row per segment and one column per order.

        A word must have the same number in all segments.
        """
        return _native.weigh_ngrams(*self.hypotheses, *self.references, self.owner, order)


def count_segments(hypotheses: Sequence[Text], references: Sequence[References], gains: Gains) -> tuple[Counts, Counts]:
    """Return the counts of a recognition rate, one row per pair of hypothesis and reference; and an array `owner`.

    Segment s has the rows `owner[s]` to `owner[s + 1] − 1`.
    """
    (counts, owner), _ = _native_count(_native.count_segments, hypotheses, references, gains)
    _require_references(owner)
    return counts, owner


class ListCounts(NamedTuple):
    """Counts of n-best lists.

    Attributes:
        rows: The counts of a recognition rate: one row for each pair of a hypothesis and a reference of its list.
        is_new: For each hypothesis, 1 if no earlier hypothesis of its list has the same words, otherwise 0.
        missing: For each list, the number of words of its references that are in no hypothesis.
    """

    rows: Counts
    is_new: npt.NDArray[np.uint8]
    missing: Counts


def count_lists(lists: ListColumns, gains: Gains) -> ListCounts:
    """Return the counts of n-best lists: each hypothesis against each reference of its list."""
    try:
        return ListCounts(*_native.count_lists(*lists, gains))
    except (TypeError, UnicodeEncodeError):  # as in `_native_count`
        numbers: dict[str, int] = {}
        sides = cast("tuple[Sequence[Text], Sequence[Text]]", (lists.texts, lists.references))
        texts, references = ([_spelled(text, numbers) for text in side] for side in sides)
        return ListCounts(*_native.count_lists(texts, lists.begin, references, lists.owner, gains))


def _spelled(text: Text, numbers: dict[str, int]) -> list[str]:
    """Return the words of a text as numbers in decimal; equal words have equal numbers."""
    return [str(numbers.setdefault(word, len(numbers))) for word in words_of(text)]


def _native_count(
    counting: Callable[..., Any], hypotheses: Sequence[Text], references: Sequence[References], *more: Any
) -> tuple[Any, list[str] | None]:
    """Call a native function with a test set; return its result, and `None` or a list of words.

    The native reader refuses words that UTF-8 cannot encode, and sequences other than lists and tuples. In these cases,
    call the function again with a number in place of each word, and return the words in the order of their numbers.
    """
    require_as_many(hypotheses, references)
    said, expected = (s if isinstance(s, list | tuple) else list(s) for s in (hypotheses, references))
    try:
        return counting(said, expected, *more), None
    except (TypeError, UnicodeEncodeError):
        numbers: dict[str, int] = {}
        spelled = [[_spelled(text, numbers) for text in several] for several in paired(hypotheses, references)]
        return counting([_spelled(text, numbers) for text in hypotheses], spelled, *more), list(numbers)


def _require_references(owner: Counts) -> None:
    is_one = len(owner) == 2  # noqa: PLR2004  one segment needs no arrays
    if not owner[-1] if is_one else (owner[1:] == owner[:-1]).any():
        raise no_reference()


def best_references(merits: npt.NDArray[np.float64], owner: Counts) -> Counts:
    """Return, for each segment, the index in `merits` of the reference with the largest merit (ties: the first)."""
    begin = owner[:-1]
    best = np.repeat(np.maximum.reduceat(merits, begin), np.diff(owner))
    numbers: Counts = np.arange(len(merits))
    return np.minimum.reduceat(np.where(merits == best, numbers, len(numbers)), begin)


# ---- Matching n-grams as text ----


def matched_ngrams(hypothesis: Text, references: References, order: int, *, stem: bool = False) -> str:
    """Return a hypothesis's n-grams that its references contain, as text: one line per order, with clipped counts."""
    words = compared_words(hypothesis, stem=stem)
    listed = [compared_words(reference, stem=stem) for reference in references_of(references)]
    lines = []
    for n in range(1, order + 1):
        allowed = reduce(or_, (_ngrams_of(reference, n) for reference in listed))
        found = _ngrams_of(words, n)
        matched = {gram: min(times, allowed[gram]) for gram, times in found.items() if allowed[gram]}
        shown = ", ".join(" ".join(gram) + (f" ×{times}" if times > 1 else "") for gram, times in matched.items())
        lines.append(f"{n}-grams {sum(matched.values())}/{sum(found.values())}" + (f": {shown}" if shown else ""))
    return "\n".join(lines)


def _ngrams_of(words: tuple[str, ...], n: int) -> Counter[tuple[str, ...]]:
    return Counter(words[k : k + n] for k in range(len(words) - n + 1))
