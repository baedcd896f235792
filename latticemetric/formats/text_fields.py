"""What text formats with fields between white space have in common when they are read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.vocabulary import split_words

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"-?[0-9]{1,10}")
_LONGEST = 400


def numbered_lines(data: bytes, file: str, lines_before: int = 0) -> Iterator[tuple[str, list[str]]]:
    """The fields of the lines of a text that are not blank, each line with its place."""
    # Not splitlines: it would go through all lines before the first is read.
    begin, line = 0, lines_before
    while begin < len(data):
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        text, line, begin = data[begin:end], line + 1, end + 1
        place = f"{file}:{line}"
        try:
            fields = split_words(text.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise FormatError(
                f"byte {error.start + 1} of the line is not UTF-8", where=place, advice="convert the file with iconv"
            ) from None
        if fields:
            yield place, fields


def is_number(text: str) -> bool:
    """Whether a field is a finite number in ASCII digits."""
    return len(text) <= _LONGEST and _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def number(text: str, place: str) -> float:
    """A field as a finite number."""
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
            raise InputError(f"score '{text}' is not finite", where=place)
        raise FormatError(f"'{shortened(text, 40)}' is not a number", where=place)
    value = float(text)
    if not math.isfinite(value):
        raise InputError(f"score '{shortened(text, 40)}' is not finite", where=place)
    return value


def whole(text: str, what: str, place: str, lowest: int = 0) -> int:
    """A field as a whole number."""
    value = int(text) if _WHOLE.fullmatch(text) else None
    if value is None or not lowest <= value < 2**31 - 1:
        raise FormatError(f"{what} is '{shortened(text, 40)}', not a whole number from {lowest}", where=place)
    return value


def require_field(text: str, what: str) -> str:
    """Refuses a text that would not be one field when it is read back."""
    if split_words(text) != [text]:
        raise InputError(f"{what} {text[:40]!r} holds white space, which this format cannot write")
    return text
