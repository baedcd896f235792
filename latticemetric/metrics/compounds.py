"""Word error rate that allows joined words, like kaldialign's `merge_compounds`: `ice cream` equals `icecream`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError, UsageError
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.base import References, Table, Text, paired, references_of, which_reference, words_of
from latticemetric.metrics.error_rates import TallyErrorRate
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import Counts, number_all

_MOST_WORDS = (1 << 20) - 1


@register("compound-wer")
@dataclass(frozen=True)
class CompoundWER(TallyErrorRate):
    """The word error rate with free joining of words, (S + D + I) / |r|. Lower is better.

    Adjacent words of one text (hypothesis or reference) match a word of the other text at no cost if they spell this
    word when joined without spaces. The number of errors is the minimum over all alignments. Insertions, deletions and
    substitutions are counted in the alignment that kaldialign (`merge_compounds=True`) chooses. |r| is the number of
    words of the reference before any joining.

    Examples:
        >>> CompoundWER().score("I like icecream", "I like ice cream")
        0.0
        >>> CompoundWER().score("the week end in ice land", "a weekend in iceland")
        0.25
        >>> CompoundWER().statistics("the week end in ice land", "a weekend in iceland").sums
        (1.0, 0.0, 0.0, 4.0)
    """

    name = "compound-wer"
    columns = ("substitutions", "deletions", "insertions", "reference_words")

    def numerator(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the number of errors of each row of summed statistics."""
        errors: npt.NDArray[np.float64] = sums[..., :3].sum(axis=-1)
        return errors

    def denominator(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the number of reference words of each row of summed statistics."""
        words: npt.NDArray[np.float64] = sums[..., 3]
        return words

    def align(self, hypothesis: Text, reference: Text) -> Alignment:  # noqa: ARG002
        """Raise `UsageError`, since an alignment cannot show joined words."""
        raise UsageError("compound-wer has no alignment to show", advice="use wer, or read the counts")

    def explain(self, hypothesis: Text, references: References) -> str:
        """Return the counts against the best reference, as text."""
        listed = references_of(references)
        rows, owner = self._counts([hypothesis], [listed])
        best = int(self._best(rows, owner)[0])
        counts = ", ".join(f"{name} {count:.0f}" for name, count in zip(self.columns, rows[best], strict=True))
        return f"{counts}{which_reference(best, len(listed))}"

    def _counts(self, hypotheses: Sequence[Text], references: Sequence[References]) -> tuple[Table, Counts]:
        listed = [[words_of(one) for one in several] for several in paired(hypotheses, references)]
        said, expected = list(map(words_of, hypotheses)), [words for several in listed for words in several]
        for words in (*said, *expected):
            if len(words) > _MOST_WORDS:
                raise InputError(
                    f"compound-wer supports texts of at most {_MOST_WORDS} words, but a text has {len(words)}",
                    advice="cut the text into segments",
                )
        owner = np.array([0, *accumulate(map(len, listed))], dtype=np.int64)
        hypothesis_words, reference_words, known = number_all(said, expected)
        joiner = _Joiner({word: number for number, word in enumerate(known)})
        a, b = (joiner.joined(side) for side in (said, expected))
        counts = _native.count_compounds(
            *hypothesis_words,
            *reference_words,
            owner,
            a.begin,
            a.end,
            a.length,
            a.word,
            b.begin,
            b.end,
            b.length,
            b.word,
        )
        sizes = [len(words) for words in expected]
        return np.column_stack([counts, sizes]).astype(np.float64).reshape(-1, len(self.columns)), owner


class _JoinedWords(NamedTuple):
    """For each of several strings, the runs of adjacent words that form a known word when joined.

    `end`, `length` and `word` have one row per run; the rows of string s begin at `begin[s]`.
    """

    begin: npt.NDArray[np.int64]  # the first row of each string
    end: npt.NDArray[np.int32]  # the position in the string after the last word to join
    length: npt.NDArray[np.int32]  # the number of words to join
    word: npt.NDArray[np.int32]  # the number of the joined word


class _Joiner:
    """Finds runs of adjacent words that form a known word (a key of `number`) when joined."""

    def __init__(self, number: dict[str, int]) -> None:
        self._number = number
        lengths = sorted(set(map(len, number)))
        self._longest = lengths[-1] if lengths else 0
        self._lengths = set(lengths)
        # Keep only endings with the length of a known word, since a long word has very many endings.
        self._endings = {word[-size:] for word in number for size in lengths[: bisect_left(lengths, len(word))]}
        self._last = self._endings.intersection(number)

    def joined(self, strings: Sequence[Sequence[str]]) -> _JoinedWords:
        """Return all runs of each string that form a known word when joined."""
        rows = [list(self._rows(words)) for words in strings]
        begin = np.array([0, *accumulate(map(len, rows))], dtype=np.int64)
        table = np.array(list(chain.from_iterable(rows)), dtype=np.int32).reshape(-1, 3)
        ends, lengths, words = (np.ascontiguousarray(column) for column in table.T)
        return _JoinedWords(begin, ends, lengths, words)

    def _rows(self, words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        for end, text in enumerate(words, start=1):
            if text not in self._last:
                continue
            joined = text
            for length in range(2, end + 1):
                joined = words[end - length] + joined
                size = len(joined)
                if size > self._longest:
                    break
                if (made := self._number.get(joined)) is not None:
                    yield end, length, made
                if joined not in self._endings and size in self._lengths:
                    break  # no known word ends with `joined`
