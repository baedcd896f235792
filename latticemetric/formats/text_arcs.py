"""What text formats with an arc a line have in common: numbers with their place, words that may be numbers."""

from __future__ import annotations

from collections.abc import Sequence

from latticemetric.errors import FormatError, InputError
from latticemetric.vocabulary import EPSILON, STAR, Vocabulary

EPSILON_SYMBOLS = frozenset({"<eps>", "<epsilon>", "ε"})

_MOST_DIGITS = 10


def state_number(text: str, where: str) -> int:
    """A state, as a non-negative integer of at most ten digits."""
    if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        return int(text)
    raise FormatError(f"'{text[:40]}' is not a state number", where=where)


def score(text: str, where: str) -> float:
    """A finite number."""
    try:
        value = float(text) if "_" not in text else None
    except ValueError:
        value = None
    if value is None:
        raise FormatError(f"'{text[:40]}' is not a number", where=where)
    if value != value or value in {float("inf"), float("-inf")}:  # noqa: PLR0124  NaN differs from itself
        raise InputError(f"score '{text}' is not finite", where=where, advice="leave out arcs that cannot be taken")
    return value


def is_word_number(text: str) -> bool:
    """Whether a word is written as a number: 0, 12, but not 012."""
    plain = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return plain and (text == "0" or text[0] != "0") and int(text) < STAR


def number_words(words: Sequence[str], table: Vocabulary | None) -> tuple[list[int], Vocabulary]:
    """Numbers for a graph's words, and their vocabulary.

    Words that are all written as numbers are numbers, 0 is ε, and a table spells them. Otherwise they are symbols:
    of the table where there is one, else numbered in order of appearance.
    """
    if all(map(is_word_number, words)):
        return [int(word) for word in words], table or Vocabulary.numeric()
    if table is None:
        vocabulary = Vocabulary.from_words(word for word in words if word not in EPSILON_SYMBOLS)
    else:
        vocabulary = table
        for word in words:
            if word not in EPSILON_SYMBOLS and word not in table:
                raise InputError(f"'{word[:40]}' is not in the symbol table", advice="give the table of this graph")
    return [EPSILON if word in EPSILON_SYMBOLS else vocabulary.number(word) for word in words], vocabulary


def word_to_write(vocabulary: Vocabulary, number: int) -> str:
    """A word as one field of a line."""
    if number == EPSILON:
        return "0" if vocabulary.is_numeric else "<eps>"
    word = vocabulary.word(number)
    if not word or word.split() != [word]:
        raise InputError(f"word {word!r} holds white space, which this format cannot write")
    if word in EPSILON_SYMBOLS:
        raise InputError(f"the word '{word}' would be read back as no word at all")
    return word


def words_to_write(vocabulary: Vocabulary, numbers: Sequence[int]) -> list[str]:
    """Words as fields of lines, refused where all of them would be read back as other numbers."""
    words = [word_to_write(vocabulary, number) for number in numbers]
    if not vocabulary.is_numeric and "0" in words and all(map(is_word_number, words)):
        raise InputError(
            "all words are numbers and one of them is 0, which would be read back as no word at all",
            advice="write another format",
        )
    return words
