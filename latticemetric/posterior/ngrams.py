"""Posteriors of n-grams: the probability that a path or a derivation has an n-gram at least once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.frozen import Frozen, cached_property
from latticemetric.lattice.columns import Floats, frozen
from latticemetric.vocabulary import Vocabulary, Words

_EMPTY, _NONE = 0, -1
_WORD_BITS = 32
_MOST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class NgramPosteriors(Mapping[tuple[str, ...], float], Frozen):
    """A mapping of n-grams (tuples of words) to their posteriors, for all n-grams of the graph of up to `order` words.

    The arrays are a trie with one row per n-gram. Row 0 is the empty n-gram, which is not in the mapping.

    Attributes:
        order: The longest n-grams.
        vocabulary: Spelling of the word numbers.
        parent: The row of each n-gram without its last word; −1 for the empty n-gram.
        word: The number of the last word of each n-gram.
        posterior: The probability that a path or derivation has the n-gram at least once.
    """

    order: int
    vocabulary: Vocabulary
    parent: Words
    word: Words
    posterior: Floats

    def words(self) -> dict[str, float]:
        """Return the posteriors of single words."""
        rows = self.parent == _EMPTY
        spelled = self.vocabulary.decode(self.word[rows])
        return dict(zip(spelled, self.posterior[rows].tolist(), strict=True))

    def of_length(self, length: int) -> dict[tuple[str, ...], float]:
        """Return the posteriors of n-grams with `length` words."""
        return {words: posterior for words, posterior in self.items() if len(words) == length}

    @cached_property
    def lengths(self) -> Words:
        """The number of words of the n-gram of each row."""
        lengths = np.zeros(len(self.parent), dtype=np.int32)
        at = self.parent.copy()
        while (inner := at >= _EMPTY).any():
            lengths[inner] += 1
            at[inner] = self.parent[at[inner]]
        return frozen(lengths)

    def rows_in(self, words: Sequence[str]) -> list[int]:
        """Return the row of each n-gram of a string, once per occurrence."""
        numbers, rows = self.vocabulary.encode(words).tolist(), []
        for first in range(len(numbers)):
            row = _EMPTY
            for number in numbers[first : first + self.order]:
                row = self._child(row, number)
                if row == _NONE:
                    break
                rows.append(row)
        return rows

    def __getitem__(self, words: tuple[str, ...]) -> float:
        row = _EMPTY
        for number in self.vocabulary.encode(words).tolist():
            row = self._child(row, number)
        if row in {_EMPTY, _NONE}:
            raise KeyError(words)
        return float(self.posterior[row])

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._spelled)

    def __len__(self) -> int:
        return len(self.parent) - 1

    def _child(self, row: int, number: int) -> int:
        """Return the row of an n-gram extended by one word."""
        keys, rows = self._sorted
        key = row << _WORD_BITS | max(number, 0)
        at = int(np.searchsorted(keys, key))
        return int(rows[at]) if row != _NONE and number > 0 and at < len(keys) and keys[at] == key else _NONE

    @cached_property
    def _sorted(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Sorted keys of (parent, word), and their rows: faster to build than a dictionary of millions of n-grams."""
        keys = self.parent.astype(np.int64) << _WORD_BITS | self.word
        rows = np.argsort(keys)
        return frozen(keys[rows]), frozen(rows)

    @cached_property
    def _spelled(self) -> list[tuple[str, ...]]:
        """The n-grams, short ones first; n-grams of the same length are in alphabetical order."""
        spelled: list[tuple[str, ...]] = [()]
        rows = zip(self.parent[1:].tolist(), self.vocabulary.decode(self.word[1:]), strict=True)
        for parent, word in rows:
            spelled.append((*spelled[parent], word))
        return sorted(spelled[1:], key=lambda ngram: (len(ngram), ngram))

    def __repr__(self) -> str:
        return f"NgramPosteriors({len(self)} n-grams up to order {self.order})"


def check_ngram_order(order: int) -> None:
    """Raise an error unless n-grams up to this order can be counted."""
    if not (isinstance(order, int | np.integer) and 1 <= order <= _MOST):
        raise UsageError(f"n-grams of order {order} cannot be counted", advice="choose an order from 1 on")
