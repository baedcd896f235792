"""Words and their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError, UsageError

Words = npt.NDArray[np.int32]

EPSILON = 0
"""The number of no word at all."""

STAR = 2**31 - 1
"""The number of *any* word in metric automata; no word of a lattice may have it."""

UNKNOWN = -1
"""The code of a word outside the vocabulary; it equals no word of any lattice."""

_MOST_DIGITS = 10


class Vocabulary:
    """An immutable table of words and numbers; number 0 is ε.

    Attributes:
        is_given: Whether the numbers come from a file or the user; if not, they have no meaning outside of this table.
        is_embedded: Whether the table comes from the file of the graph itself; the user may not have it elsewhere.

    Examples:
        >>> vocabulary = Vocabulary.from_words(["to", "be", "or", "not"])
        >>> vocabulary.encode(["to", "be", "sure"]).tolist()
        [1, 2, -1]
        >>> vocabulary.decode([1, 2])
        ['to', 'be']
    """

    __slots__ = ("_highest", "_number", "_word", "is_embedded", "is_given")

    def __init__(self, words: Mapping[int, str]) -> None:
        """Take number → word. Two numbers may not share a word; ε may be spelled in any way."""
        self._word = {number: word for number, word in words.items() if number != EPSILON}
        self._number = {word: number for number, word in self._word.items()}
        self._highest = max(self._word, default=0)
        self.is_given = True
        self.is_embedded = False
        for number, word in self._word.items():
            if not 0 < number < STAR:
                raise InputError(f"word '{word}' has number {number}, outside 1 … {STAR - 1}")
            if self._number[word] != number:
                raise InputError(f"word '{word}' has two numbers, {number} and {self._number[word]}")

    @classmethod
    def from_words(cls, words: Iterable[str]) -> Vocabulary:
        """Number distinct words from 1 in order of appearance; a string is split at white space."""
        listed = split_words(words) if isinstance(words, str) else words
        vocabulary = cls(dict(enumerate(dict.fromkeys(listed), start=1)))
        vocabulary.is_given = False
        return vocabulary

    @classmethod
    def embedded(cls, words: Mapping[int, str]) -> Vocabulary:
        """Return the table of number → word from a graph's own file."""
        vocabulary = cls(words)
        vocabulary.is_embedded = True
        return vocabulary

    @staticmethod
    def numeric() -> Vocabulary:
        """Return the vocabulary of lattices whose words have numbers only: word 7 is spelled '7'."""
        return _NUMERIC

    @property
    def is_numeric(self) -> bool:
        """Whether numbers are their own spelling."""
        return False

    def number(self, word: str) -> int:
        """Return the number of a word, `UNKNOWN` where it has none."""
        return self._number.get(word, UNKNOWN)

    def word(self, number: int) -> str:
        """Return the spelling of a number; ε is the empty string."""
        if number == EPSILON:
            return ""
        try:
            return self._word[number]
        except KeyError:
            raise InputError(
                f"word number {number} is not in the symbol table",
                advice="give the table the graph was made with",
            ) from None

    def encode(self, words: Sequence[str]) -> Words:
        """Return the numbers of words; `UNKNOWN` for words outside. A string is split at white space."""
        words = split_words(words) if isinstance(words, str) else words
        return np.fromiter(map(self.number, words), dtype=np.int32, count=len(words))

    def decode(self, numbers: Iterable[int]) -> list[str]:
        """Return the spellings of numbers, without ε."""
        plain = numbers.tolist() if isinstance(numbers, np.ndarray) else map(int, numbers)
        return [self.word(number) for number in plain if number != EPSILON]

    def check(self, numbers: Words) -> None:
        """Refuse numbers that have no word."""
        if numbers.size == 0 or (numbers.min() >= 0 and numbers.max() <= self._highest == len(self._word)):
            return
        for number in set(numbers.tolist()):
            self.word(number)

    def items(self) -> Iterable[tuple[int, str]]:
        """Return number and word of each, ε excluded."""
        return self._word.items()

    def __len__(self) -> int:
        return len(self._word)

    def __contains__(self, word: object) -> bool:
        return word in self._number

    def __getstate__(self) -> tuple[dict[int, str], bool]:
        return self._word, self.is_given

    def __setstate__(self, state: tuple[dict[int, str], bool]) -> None:
        self._word, self.is_given = state
        self._number = {word: number for number, word in self._word.items()}
        self._highest = max(self._word, default=0)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Vocabulary) and self._word == other._word)

    def __hash__(self) -> int:
        return hash(frozenset(self._word.items()))

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words)"


class _NumericVocabulary(Vocabulary):
    """Spells every number as itself, and stores nothing."""

    __slots__ = ()

    @property
    def is_numeric(self) -> bool:
        return True

    def number(self, word: str) -> int:
        plain = word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS
        number = int(word) if plain else UNKNOWN
        return number if EPSILON < number < STAR and str(number) == word else UNKNOWN

    def word(self, number: int) -> str:
        return str(number) if number != EPSILON else ""

    def check(self, numbers: Words) -> None:
        if numbers.size and not 0 <= np.minimum.reduce(numbers) <= np.maximum.reduce(numbers) < STAR:
            raise InputError(f"a word number lies outside 0 … {STAR - 1}")

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.number(word) != UNKNOWN

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _NumericVocabulary)

    def __hash__(self) -> int:
        return hash(_NumericVocabulary)

    def __reduce__(self) -> str:
        return "_NUMERIC"

    def __repr__(self) -> str:
        return "Vocabulary.numeric()"


_NUMERIC = _NumericVocabulary({})


_FIELD = re.compile(r"[^ \t\n\r\f\v]+")
# To `str.split` these separate words, to C and to all of its decoders they do not.
_NO_SPACE = re.compile(r"[\x1c-\x1f]")


def split_words(text: str) -> list[str]:
    """Split a line at ASCII white space, as in lattices; a no-break space is part of a word."""
    return text.split() if text.isascii() and _NO_SPACE.search(text) is None else _FIELD.findall(text)


def word_set(words: Iterable[str], name: str) -> frozenset[str]:
    """Return words as a set; refuse a string, which would be a set of letters.

    Args:
        words: The words.
        name: Of the parameter, for the error.
    """
    if isinstance(words, str):
        raise UsageError(f"{name} is a string", advice=f"give a list of words: {split_words(words)}")
    return frozenset(words)
