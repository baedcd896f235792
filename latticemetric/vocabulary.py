"""Map words to numbers and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import require_text, whole_number
from latticemetric.errors import InputError, UsageError, shortened

Words = npt.NDArray[np.int32]

Spelling = Callable[[list[str]], list[str]]
"""A function that returns words as a format writes them: with quotes, for example."""

EPSILON = 0
"""The number of ε (no word)."""

STAR = 2**31 - 1
"""The number of ★ (any word) in metric automata; no word of a lattice has this number."""

UNKNOWN = -1
"""The number for words outside the vocabulary; no word of a lattice has this number."""

_MOST_DIGITS = 10


class Vocabulary:
    """An immutable table of words and numbers; number 0 is ε.

    Attributes:
        is_given: True if the numbers come from a file or from the user. Otherwise, they have no meaning outside this
            table.
        is_embedded: True if the table was read from the file of a graph; the user may have no other copy of the table.

    Examples:
        >>> vocabulary = Vocabulary.from_words(["to", "be", "or", "not"])
        >>> vocabulary.encode(["to", "be", "sure"]).tolist()
        [1, 2, -1]
        >>> vocabulary.decode([1, 2])
        ['to', 'be']
    """

    __slots__ = (
        "_highest", "_listed", "_number", "_spaced", "_symbols", "_tables", "_word", "epsilon", "is_embedded",
        "is_given",
    )  # fmt: skip

    _word: dict[int, str]
    _number: dict[str, int]
    _listed: list[str] | None
    _spaced: frozenset[int]
    _symbols: _native.SymbolTable | None
    _tables: dict[tuple[str, Spelling], _native.Utf8Texts | None]

    def __init__(self, words: Mapping[int, str]) -> None:
        """Map numbers to words. Numbers must have different words; number 0 (ε) may have any spelling."""
        words = _checked_table(words)
        self._listed = None
        self._word = {number: word for number, word in words.items() if number != EPSILON}
        self._number = {word: number for number, word in self._word.items()}
        self._highest = max(self._word, default=0)
        self.is_given = True
        self.is_embedded = False
        self.epsilon = words.get(EPSILON, "")
        for number, word in self._word.items():
            if not 0 < number < STAR:
                raise InputError(f"word '{word}' has number {number}, outside 1 … {STAR - 1}")
            if self._number[word] != number:
                raise InputError(f"word '{word}' has two numbers, {number} and {self._number[word]}")

    @classmethod
    def from_words(cls, words: Iterable[str]) -> Vocabulary:
        """Number distinct words from 1 in order of appearance; a string is split at white space."""
        return cls.of_distinct(list(dict.fromkeys(_strings(words))))

    @classmethod
    def of_distinct(cls, words: list[str]) -> Vocabulary:
        """Number strings that are known to be distinct from 1."""
        vocabulary = cls.__new__(cls)
        vocabulary.__setstate__((words, False, False, ""))
        return vocabulary

    @classmethod
    def embedded(cls, words: Mapping[int, str]) -> Vocabulary:
        """Build a vocabulary from a table (number → word) that was stored in a graph's file."""
        vocabulary = cls(words)
        vocabulary.is_embedded = True
        return vocabulary

    @staticmethod
    def numeric() -> Vocabulary:
        """Return the vocabulary for graphs that have only word numbers: the word of number 7 is '7'."""
        return _NUMERIC

    @property
    def is_numeric(self) -> bool:
        """True if words are only numbers: the word of number 7 is `7`."""
        return False

    @property
    def spaced(self) -> frozenset[int]:
        """The numbers of words with white space inside; see `spaced_words`."""
        try:
            return self._spaced
        except AttributeError:  # find them once per table, since many graphs share it
            self._spaced = frozenset(map(self._number.__getitem__, spaced_words(self._word.values())))
            return self._spaced

    def table(self, epsilon: str, spelling: Spelling) -> _native.Utf8Texts | None:
        """Return the text of each number in files: `epsilon` for 0, and the words as `spelling` writes them.

        Return `None` if numbers have gaps, or if a word cannot be written as UTF-8.
        """
        try:
            tables = self._tables
        except AttributeError:  # keep the tables, since many graphs share a vocabulary
            tables = self._tables = {}
        if (epsilon, spelling) not in tables:
            tables[epsilon, spelling] = self._table(epsilon, spelling)
        return tables[epsilon, spelling]

    @property
    def symbols(self) -> _native.SymbolTable | None:
        """The table for kernels that read graphs; `None` if numbers have gaps, or a word is empty or has white space.

        It has the words of the table only: `None`, too, if a word cannot be written as UTF-8.
        """
        try:
            return self._symbols
        except AttributeError:  # make it once, since many graphs share a vocabulary
            texts = None if self.spaced or "" in self._number else self.table("", list)
            self._symbols = None if texts is None else _native.SymbolTable(texts)
            return self._symbols

    def _table(self, epsilon: str, spelling: Spelling) -> _native.Utf8Texts | None:
        if self._highest != len(self._word):
            return None
        words = list(map(self._word.__getitem__, range(1, self._highest + 1)))
        try:
            return utf8_texts([epsilon, *spelling(words)])
        except UnicodeEncodeError:
            return None

    def number(self, word: str) -> int:
        """Return the number of a word; `UNKNOWN` (−1) if the word is not in the vocabulary."""
        return self._number.get(word, UNKNOWN)

    def word(self, number: int) -> str:
        """Return the word of a number; ε is the empty string."""
        if number == EPSILON:
            return ""
        try:
            return self._word[number]
        except KeyError:
            raise InputError(
                f"word number {number} is not in the symbol table",
                advice="give the symbol table of this graph",
            ) from None

    def words(self, numbers: Words) -> list[str]:
        """Return the word of each number; ε is the empty string."""
        return [self.word(number) for number in numbers.tolist()]

    def encode(self, words: Iterable[str]) -> Words:
        """Return the number of each word; `UNKNOWN` (−1) for unknown words. A string is split at white space."""
        words = _strings(words)
        return np.fromiter(map(self.number, words), dtype=np.int32, count=len(words))

    def decode(self, numbers: Iterable[int]) -> list[str]:
        """Return the words of numbers, without ε."""
        numbers, listed = _plain(numbers), self._listed
        if listed is None:
            return [self.word(number) for number in numbers if number != EPSILON]
        return [
            listed[number - 1] if 0 < number <= len(listed) else self.word(number)
            for number in numbers
            if number != EPSILON
        ]

    def check(self, numbers: Words) -> None:
        """Raise an error if a number has no word."""
        if numbers.size == 0 or (numbers.min() >= 0 and numbers.max() <= self._highest == len(self._word)):
            return
        for number in set(numbers.tolist()):
            self.word(number)

    def items(self) -> Iterable[tuple[int, str]]:
        """Return the (number, word) pairs, without ε."""
        return self._word.items()

    def __len__(self) -> int:
        return len(self._word)

    def __contains__(self, word: object) -> bool:
        return word in self._number

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name == "_word":
                self._word = dict(enumerate(self._listed, start=1))
                return self._word
            if name == "_number":
                self._number = {word: number for number, word in self._word.items()}
                return self._number
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __getstate__(self) -> tuple[Any, ...]:
        return self._word, self.is_given, self.is_embedded, self.epsilon

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        words, self.is_given, self.is_embedded, self.epsilon = state
        if isinstance(words, list):
            self._listed, self._highest = words, len(words)  # the tables are built when they are used
        else:
            self._listed, self._word, self._highest = None, words, max(words, default=0)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Vocabulary) and self._word == other._word)

    def __hash__(self) -> int:
        return hash(frozenset(self._word.items()))

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words)"


class _NumericVocabulary(Vocabulary):
    """A vocabulary in which each number is its own word; it stores no table."""

    __slots__ = ()

    @property
    def is_numeric(self) -> bool:
        return True

    def number(self, word: str) -> int:
        return _number_spelled(word)

    def encode(self, words: Iterable[str]) -> Words:
        words = _strings(words)
        return np.fromiter(map(_number_spelled, words), dtype=np.int32, count=len(words))  # faster than a method

    def word(self, number: int) -> str:
        return str(number) if number != EPSILON else ""

    def table(self, *_: Any) -> None:
        return None

    def decode(self, numbers: Iterable[int]) -> list[str]:
        return [str(number) for number in _plain(numbers) if number != EPSILON]

    def check(self, numbers: Words) -> None:
        if not numbers.size:
            return
        # Most arrays have the form that native code takes.
        is_plain = numbers.dtype == np.int32 and numbers.ndim == 1 and numbers.flags.aligned
        if not (_native.are_numbers(numbers) if is_plain else 0 <= numbers.min() <= numbers.max() < STAR):
            low, high = numbers.min(), numbers.max()
            raise InputError(f"word number {low if low < 0 else high} is outside 0 … {STAR - 1}")

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


class PartialVocabulary(Vocabulary):
    """A symbol table that may lack numbers: the word of such a number is its digits.

    If the digits are the word of another number, `#` stands before them: `#7`.

    Only readers use it; `complete` gives a graph a plain table.
    """

    __slots__ = ("_plain",)

    _plain: Vocabulary

    def number(self, word: str) -> int:
        """Return the number of a word; digits that the table lacks are their own number."""
        number = self._number.get(word)
        if number is not None:
            return number
        spelled = _number_spelled(word.lstrip("#"))
        return spelled if spelled != UNKNOWN and self.word(spelled) == word else UNKNOWN

    def word(self, number: int) -> str:
        """Return the word of a number, or its digits if the table lacks it; ε is the empty string."""
        if number == EPSILON:
            return ""
        word = self._word.get(number)
        if word is None:
            word = str(number)
            while word in self._number:
                word = f"#{word}"
        return word

    def check(self, numbers: Words) -> None:
        """Raise an error if a number is no word number at all."""
        Vocabulary.numeric().check(numbers)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.number(word) != UNKNOWN

    def has(self, number: int) -> bool:
        """Return True if the table has this number, or if it is ε."""
        return number == EPSILON or number in self._word

    def complete(self, numbers: Iterable[Words]) -> tuple[Vocabulary, list[int]]:
        """Return a plain table of the words with these numbers, and the numbers that the symbol table lacks.

        Raises:
            InputError: The symbol table has none of these numbers.
        """
        used = {number for part in numbers for number in part.tolist() if number > EPSILON}
        lacking = sorted(number for number in used if number not in self._word)
        if not lacking:
            return self._as_plain(), []
        if len(lacking) == len(used):
            what = f"word number {lacking[0]} is not in the symbol table"
            raise InputError(what, advice="give the symbol table of this graph")
        return Vocabulary({EPSILON: self.epsilon} | {number: self.word(number) for number in sorted(used)}), lacking

    def _as_plain(self) -> Vocabulary:
        """Return the same table as a `Vocabulary`, made once."""
        try:
            return self._plain
        except AttributeError:
            self._plain = Vocabulary.__new__(Vocabulary)
            self._plain.__setstate__(self.__getstate__())
            return self._plain


@lru_cache(maxsize=2**14)
def _number_spelled(word: str) -> int:
    """Return the number that a word spells in decimal digits, without leading zeros; otherwise `UNKNOWN`."""
    is_plain = word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS
    number = int(word) if is_plain else UNKNOWN
    return number if EPSILON < number < STAR and str(number) == word else UNKNOWN


def _strings(words: Iterable[str]) -> Sequence[str]:
    """Return words as a list or a tuple; raise `UsageError` if one is not a string."""
    if isinstance(words, str):
        return split_words(words)
    if not isinstance(words, Iterable):
        raise UsageError(f"the words are a {type(words).__name__}", advice="give a list of strings")
    if isinstance(words, np.ndarray):
        words = words.tolist()
    listed = words if isinstance(words, list | tuple) else list(words)
    require_strings(listed, "the list")
    return listed


def _checked_table(given: Mapping[int, str]) -> Mapping[int, str]:
    """Check that an argument maps integers to strings, and return it with Python's integers."""
    words: Any = given
    if not isinstance(words, Mapping):
        advice = "give a mapping from numbers to words, or call Vocabulary.from_words"
        raise UsageError(f"the words of a vocabulary are a {type(words).__name__}", advice=advice)
    if not set(map(type, words)) <= {int}:
        advice = "give integers"
        words = {
            whole_number(number, f"number {number!r} of word {word!r} is not an integer", advice, least=-STAR): word
            for number, word in words.items()
        }
    require_strings(words.values(), "the vocabulary")
    return cast("Mapping[int, str]", words)


def _plain(numbers: Iterable[int]) -> Iterable[int]:
    """Convert NumPy numbers to Python integers; raise `UsageError` if they are not a list of integers."""
    if isinstance(numbers, np.ndarray):
        return cast("list[int]", numbers.tolist())
    try:
        return [index(number) for number in numbers]
    except TypeError:
        raise UsageError("the numbers of words are not a list of integers", advice="give numbers like [1, 2]") from None


def distinct_words(symbols: Words) -> Words:
    """Return the distinct word numbers among symbols in ascending order, without ε and numbers below 0."""
    # `np.unique` would first import `numpy.ma`, which takes 10 ms in every process.
    words = np.sort(symbols[symbols > EPSILON])
    return words[np.diff(words, prepend=np.int32(EPSILON)) > 0]


def utf8_texts(texts: Sequence[str]) -> _native.Utf8Texts:
    """Return texts as a table for native code."""
    joined = "".join(texts)
    rows: Sequence[str | bytes] = texts if joined.isascii() else [text.encode("utf-8") for text in texts]
    begin = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)), out=begin[1:])
    return _native.Utf8Texts(np.frombuffer(joined.encode("utf-8"), dtype=np.uint8), begin)


def numbered_words(word: Words) -> tuple[Words, Words]:
    """Return the distinct word numbers of arcs, and, for each arc, the position of its word number among these.

    Positions begin at 1; an arc with ε has position 0.
    """
    highest = int(np.maximum.reduce(word, initial=EPSILON))
    if highest > 4 * len(word) + 2**20:  # a table of all numbers would be too large
        distinct, place = np.unique(np.append(word, np.int32(EPSILON)), return_inverse=True)
        return distinct[1:], place[:-1].astype(np.int32)
    is_used = np.zeros(highest + 1, dtype=np.bool_)
    is_used[word] = True
    is_used[EPSILON] = False
    return np.flatnonzero(is_used).astype(np.int32), (np.cumsum(is_used, dtype=np.int32) * is_used)[word]


_FIELD = re.compile(r"[^ \t\n\r\f\v]+")
_SPACE = re.compile(r"[ \t\n\r\f\v]")


def split_words(text: str) -> list[str]:
    """Split a line into words at ASCII white space; a no-break space is part of a word."""
    # `str.split` also splits at these four control characters; decoders written in C do not.
    is_plain = text.isascii() and not ("\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text)
    return text.split() if is_plain else _FIELD.findall(text)


def spaced_words(words: Collection[str]) -> list[str]:
    """Return the words that hold ASCII white space; a line of text has no such words."""
    return [] if _SPACE.search("\0".join(words)) is None else [word for word in words if _SPACE.search(word)]


def listed_words(text: str | Iterable[str], what: str = "a text") -> tuple[str, ...]:
    """Return the words of a string or of an iterable of words; an empty string in it is no word.

    Raises:
        UsageError: The text, or a word, is something else. `what` is the name of the text in the message.
    """
    if isinstance(text, str):
        return tuple(split_words(text))
    require_text(text, what)
    words = tuple(text.tolist() if isinstance(text, np.ndarray) else text)
    require_strings(words, what)
    return tuple(filter(None, words)) if "" in words else words


def require_strings(words: Collection[Any], what: str) -> None:
    """Raise `UsageError` if a word is not a string; `what` is the name of the words in the message."""
    try:
        "".join(words)  # faster than a loop
    except TypeError:
        number, word = next((number, word) for number, word in enumerate(words, 1) if not isinstance(word, str))
        shown = shortened(repr(word), 40)
        raise UsageError(f"word {number} of {what} is {shown}, not a string", advice="give a list of strings") from None


def word_set(words: Iterable[str], name: str) -> frozenset[str]:
    """Return words as a set; raise an error for a single string, since it would become a set of letters."""
    if isinstance(words, str):
        raise UsageError(f"{name} is a string", advice=f"give a list of words: {split_words(words)}")
    if isinstance(words, bytes | bytearray | Mapping) or not isinstance(words, Iterable):
        raise UsageError(f"{name} is a {type(words).__name__}", advice="give a list of words")
    if not isinstance(words, frozenset):
        words = listed_words(list(words), name)
    return frozenset(words)


_NUMERIC = _NumericVocabulary({})
