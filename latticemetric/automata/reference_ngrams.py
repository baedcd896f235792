"""The n-grams of references as a trie: what a string can match, and how often that counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from latticemetric.vocabulary import EPSILON, Words

_EMPTY = 0


@dataclass(frozen=True, eq=False)
class ReferenceNgrams:
    """A trie with a row an n-gram; row 0 is the empty one.

    Attributes:
        order: Words of the longest n-grams.
        parent: The row of an n-gram without its last word; −1 for the empty one.
        word: The number of its last word.
        length: Its words.
        most: How often it stands in the reference that has it most often: more matches do not count.
    """

    order: int
    parent: Words
    word: Words
    length: npt.NDArray[np.int64]
    most: npt.NDArray[np.int64]
    _rows: dict[tuple[int, int], int]

    @classmethod
    def of(cls, references: Sequence[Words], order: int) -> Self:
        """Those of some references; words without a number, which no graph says, are in none of them."""
        rows: dict[tuple[int, int], int] = {}

        def added(row: int, word: int) -> int:
            return rows.setdefault((row, word), len(rows) + 1)

        counted = [Counter(_rows_in(reference, order, added)) for reference in references]
        parent = np.array([-1, *(row for row, _ in rows)], dtype=np.int32)
        length = np.zeros(len(parent), dtype=np.int64)
        most = np.zeros(len(parent), dtype=np.int64)
        for row in range(1, len(parent)):
            length[row] = length[parent[row]] + 1
            most[row] = max(count[row] for count in counted)
        return cls(order, parent, np.array([EPSILON, *(word for _, word in rows)], dtype=np.int32), length, most, rows)

    def counts_in(self, words: Words) -> npt.NDArray[np.int64]:
        """How often each of them stands in a string."""
        rows = list(_rows_in(words, self.order, lambda row, word: self._rows.get((row, word), _EMPTY)))
        return np.bincount(np.array(rows, dtype=np.int64), minlength=len(self.parent))


def _rows_in(words: Words, order: int, follow: Callable[[int, int], int]) -> Iterator[int]:
    """The rows of the n-grams of a string, each as often as it stands there."""
    numbers = words.tolist()
    for first in range(len(numbers)):
        row = _EMPTY
        for number in numbers[first : first + order]:
            row = follow(row, number) if number > EPSILON else _EMPTY
            if row == _EMPTY:
                break
            yield row
