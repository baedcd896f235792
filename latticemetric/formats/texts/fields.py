"""What text formats with fields between white space have in common: lines, strict numbers, words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.files.stream import decoded_line
from latticemetric.vocabulary import EPSILON, Vocabulary, split_words

# Digits are read in one way only: a pattern that can part them in two takes for ever on a long run of them.
NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"

_NUMBER = re.compile(NUMBER)
_WHOLE = re.compile(r"-?[0-9]{1,10}")
_LONGEST = 1000


def numbered_lines(data: bytes, file: str, lines_before: int = 0) -> Iterator[tuple[str, list[str]]]:
    """The fields of the lines of a text that are not blank, each line with its place."""
    # Not splitlines: it would go through all lines before the first is read.
    begin, line = 0, lines_before
    while begin < len(data):
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        text, line, begin = data[begin:end], line + 1, end + 1
        place = f"{file}:{line}"
        if fields := split_words(decoded_line(text, place)):
            yield place, fields


def is_number(text: str) -> bool:
    """Whether a field is a finite number in ASCII digits."""
    return len(text) <= _LONGEST and _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def number(text: str, place: str) -> float:
    """A field as a finite number."""
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
            raise _not_finite(text, place)
        raise FormatError(f"'{shortened(text, 40)}' is not a number", where=place)
    return require_finite(float(text), text, place)


def require_finite(value: float, text: str, place: str) -> float:
    """The same value, if it is finite."""
    if not math.isfinite(value):
        raise _not_finite(text, place)
    return value


def _not_finite(text: str, place: str) -> InputError:
    what = f"score '{shortened(text, 40)}' is not finite"
    return InputError(what, where=place, advice="leave out what cannot be taken")


def whole(text: str, what: str, place: str, lowest: int = 0) -> int:
    """A field as a whole number."""
    value = int(text) if _WHOLE.fullmatch(text) else None
    if value is None or not lowest <= value < 2**31 - 1:
        raise FormatError(f"{what} is '{shortened(text, 40)}', not a whole number from {lowest}", where=place)
    return value


def require_field(text: str, what: str) -> str:
    """Refuses a text that would not be one field when it is read back."""
    if split_words(text) != [text]:
        raise InputError(
            f"{what} {shortened(text, 40)!r} is empty or holds white space, which this format cannot write",
            advice="write another format, e.g. jsonl-nbest or htk-slf",
        )
    return text


def require_id(name: str, what: str) -> str:
    """Refuses a name that would not be one field when it is read back."""
    if split_words(name) != [name]:
        raise UsageError(f"'{shortened(name)}' cannot be {what}", advice="rename it: no white space, not empty")
    return name


def word_to_write(vocabulary: Vocabulary, number: int, nothing: str) -> str:
    """A word as a field, where one text means that there is none."""
    if number == EPSILON:
        return nothing
    word = vocabulary.word(number)
    refuse_word(word, nothing)
    return require_field(word, "word")


def refuse_word(word: str, *nothing: str) -> None:
    """Refuses a word that a format takes for none."""
    if word in nothing:
        raise InputError(
            f"the word '{shortened(word, 40)}' would be read back as no word at all", advice="write another format"
        )
