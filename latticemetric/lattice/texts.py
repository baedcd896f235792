"""Label texts, stored as rows of one buffer and decoded on demand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.vocabulary import EPSILON, Spelling, Vocabulary, Words, utf8_texts


class Texts(Vocabulary):
    """A table of texts: the text with number n is row n − 1. Several numbers may have the same text.

    Attributes:
        begin: The index in `values` where each row begins; the last entry is the length of `values`.
        values: The rows, one after the other: UTF-8 bytes, or ids (32-bit integers). In the text of a row of ids, `_`
            separates the ids.

    Examples:
        >>> texts = Texts(np.array([0, 2, 3]), np.array([14, 15, 9], dtype=np.int32))
        >>> texts.decode([1, 2, 1])
        ['14_15', '9', '14_15']
    """

    __slots__ = ("begin", "values")

    def __init__(self, begin: npt.NDArray[np.int64], values: npt.NDArray[Any]) -> None:
        """Keep read-only views of the arrays."""
        self.begin, self.values = begin.view(), values.view()
        for array in (self.begin, self.values):
            array.flags.writeable = False
        self._listed = None
        self.is_given = self.is_embedded = False
        self.epsilon = ""

    @property
    def are_ids(self) -> bool:
        """True if the values are ids, not UTF-8."""
        return bool(self.values.dtype == np.int32)

    def word(self, number: int) -> str:
        """Return the text of a number; 0 is the empty text."""
        if number == EPSILON:
            return ""
        if not 0 < number <= len(self):
            raise InputError(f"label number {number} is outside 1 … {len(self)}")
        row = self.values[self.begin[number - 1] : self.begin[number]]
        return "_".join(map(str, row.tolist())) if self.are_ids else row.tobytes().decode("utf-8")

    def words(self, numbers: Words) -> list[str]:
        """Return the text of each number; 0 is the empty text."""
        is_text = numbers != EPSILON
        begin, values = _native.take_rows(self.begin, self.values, numbers[is_text].astype(np.int64) - 1)
        if self.are_ids:
            begin, values = _native.join_rows(begin, values)
        ends, data = iter(begin.tolist()), values.tobytes()
        first = next(ends)
        texts = []
        for is_one in is_text.tolist():
            last = next(ends) if is_one else first
            texts.append(data[first:last].decode("utf-8"))
            first = last
        return texts

    def _table(self, epsilon: str, spelling: Spelling) -> _native.Utf8Texts:
        if spelling is not list:
            return utf8_texts([epsilon, *spelling(self.words(np.arange(1, len(self) + 1, dtype=np.int32)))])
        begin, values = _native.join_rows(self.begin, self.values) if self.are_ids else (self.begin, self.values)
        first = np.frombuffer(epsilon.encode("utf-8"), dtype=np.uint8)
        return _native.Utf8Texts(np.concatenate([first, values]), np.append(np.int64(0), begin + len(first)))

    def only(self, *columns: Words) -> tuple[Texts, tuple[Words, ...]]:
        """Return a table with only the texts whose numbers are in `columns`, and the columns with new numbers."""
        is_used = np.zeros(len(self) + 1, dtype=np.bool_)
        for numbers in columns:
            is_used[numbers] = True
        if is_used[1:].all():
            return self, columns
        is_used[EPSILON] = False
        number = np.cumsum(is_used, dtype=np.int32)
        rows = _native.take_rows(self.begin, self.values, np.flatnonzero(is_used) - 1)
        return Texts(*rows), tuple(number[numbers] for numbers in columns)

    def check(self, numbers: Words) -> None:
        """Raise an error if a number has no text."""
        for number in (numbers.min(initial=0), numbers.max(initial=0)):
            if not 0 <= number <= len(self):
                raise InputError(f"label number {number} is outside 0 … {len(self)}")

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Texts) and self.are_ids == other.are_ids:
            return np.array_equal(self.begin, other.begin) and np.array_equal(self.values, other.values)
        return super().__eq__(other)

    __hash__ = Vocabulary.__hash__

    def __getstate__(self) -> tuple[Any, ...]:
        return self.begin, self.values

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        Texts.__init__(self, *state)

    def __repr__(self) -> str:
        return f"Texts({len(self)} labels)"

    def __getattr__(self, name: str) -> Any:
        # The tables of a vocabulary are built at the first access, e.g. to look up the number of a word.
        if name not in {"_word", "_number"}:
            raise AttributeError(name)
        texts = self.words(np.arange(1, len(self) + 1, dtype=np.int32))
        self._word = dict(enumerate(texts, start=1))
        self._number = {word: number for number, word in reversed(self._word.items())}
        return getattr(self, name)
