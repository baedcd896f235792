"""What text formats with an arc a line have in common when they are written."""

from __future__ import annotations

from collections.abc import Sequence

from latticemetric.errors import InputError
from latticemetric.formats.texts.fields import refuse_word, require_field
from latticemetric.vocabulary import EPSILON, STAR, Vocabulary

_EPSILON_SYMBOLS = ("<eps>", "<epsilon>", "ε")

_MOST_DIGITS = 10


def is_word_number(text: str) -> bool:
    """Whether a word is written as a number: 0, 12, but not 012."""
    plain = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return plain and (text == "0" or text[0] != "0") and int(text) < STAR


def words_to_write(vocabulary: Vocabulary, numbers: Sequence[int]) -> list[str]:
    """Words as fields of lines, refused where they would be read back as something else."""
    words = [_word_to_write(vocabulary, number) for number in numbers]
    if not vocabulary.is_numeric and "0" in words and all(map(is_word_number, words)):
        raise InputError(
            "all words are numbers and one of them is 0, which would be read back as no word at all",
            advice="write another format",
        )
    return words


def _word_to_write(vocabulary: Vocabulary, number: int) -> str:
    if number == EPSILON:
        return "0" if vocabulary.is_numeric else "<eps>"
    word = vocabulary.word(number)
    refuse_word(word, *_EPSILON_SYMBOLS)
    return require_field(word, "word")
