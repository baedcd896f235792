"""A test set as numbers, and the n-grams that candidates and references share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import reduce
from itertools import chain, count
from operator import or_
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.metrics.base import References, Text, number_words, paired, references_of, words_of

Counts = npt.NDArray[np.int64]


class Strings(NamedTuple):
    """Words as numbers, string after string; string s is `words[begin[s] : begin[s + 1]]`."""

    words: npt.NDArray[np.int32]
    begin: Counts

    @property
    def lengths(self) -> Counts:
        """Words of each string."""
        return np.diff(self.begin)


class Segments(NamedTuple):
    """Candidates, and the references of each: those of segment s are strings `owner[s] … owner[s + 1] − 1`."""

    candidates: Strings
    references: Strings
    owner: Counts

    @classmethod
    def of(cls, candidates: Sequence[Text], references: Sequence[References], *, stem: bool = False) -> Segments:
        """Numbers the words (or their stems) of a test set."""
        listed = paired(candidates, references)
        owner = np.cumsum([0, *map(len, listed)], dtype=np.int64)
        flat, begin, words = number_words([*candidates, *chain.from_iterable(listed)])
        if stem:
            flat = _stem_numbers(words)[flat]
        end = begin[len(candidates)]
        return cls(
            Strings(flat[:end], begin[: len(candidates) + 1]),
            Strings(flat[end:], begin[len(candidates) :] - end),
            owner,
        )

    def one_reference_each(self) -> Segments:
        """Every candidate beside each of its references, as segments of their own."""
        repeats = np.diff(self.owner)
        lengths = np.repeat(self.candidates.lengths, repeats)
        begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        within = np.arange(begin[-1]) - np.repeat(begin[:-1], lengths)
        words = self.candidates.words[np.repeat(np.repeat(self.candidates.begin[:-1], repeats), lengths) + within]
        return Segments(Strings(words, begin), self.references, np.arange(len(lengths) + 1, dtype=np.int64))

    def matches(self, order: int) -> tuple[Counts, npt.NDArray[np.float64]]:
        """Clipped n-gram matches, a row a segment and a column an order; the same weighed by information."""
        return _native.match_ngrams(*self.candidates, *self.references, self.owner, order)

    def ngrams(self, order: int) -> Counts:
        """How many n-grams each candidate has, a column an order."""
        counts: Counts = np.maximum(0, self.candidates.lengths[:, None] - np.arange(order))
        return counts


def _stem_numbers(words: Sequence[str]) -> npt.NDArray[np.int32]:
    """The number of the stem of each word."""
    from latticemetric.metrics.stemming import porter_stem

    of_stem: dict[str, int] = defaultdict(count().__next__)
    return np.fromiter((of_stem[porter_stem(word)] for word in words), dtype=np.int32, count=len(words))


def matched_ngrams(candidate: Text, references: References, order: int, *, stem: bool = False) -> str:
    """The n-grams of a candidate that its references hold, a line an order, each as often as it counts."""
    from latticemetric.metrics.stemming import porter_stem

    def prepared(text: Text) -> tuple[str, ...]:
        words = words_of(text)
        return tuple(map(porter_stem, words)) if stem else words

    words, listed = prepared(candidate), [prepared(reference) for reference in references_of(references)]
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
