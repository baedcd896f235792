"""What the NIST formats (trn, STM, CTM) have in common: lines, comments, times, and ids made of fields."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Context, Decimal

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.nist.sniffing import LONGEST_NUMBER, TIME
from latticemetric.formats.streams.stream import Stream
from latticemetric.vocabulary import split_words

_COMMENT = ";;"
_STARS = "**"
_EXACT = Context(prec=1000, traps=[])
_ESCAPES = {",": "%2C", "%": "%25"}


def records(stream: Stream) -> Iterator[str]:
    """The lines that are neither blank nor comments."""
    for line in stream.lines():
        if not line.isspace() and line and not is_comment(line):
            yield line


def is_comment(line: str) -> bool:
    """Whether a line is a comment; to NIST's tools, one that begins with ** is one too."""
    return line.lstrip(" \t").startswith(_COMMENT) or line.startswith(_STARS)


def seconds(text: str, what: str, where: str) -> Decimal:
    """A time, exactly."""
    if len(text) > LONGEST_NUMBER or not TIME.fullmatch(text) or not math.isfinite(float(text)):
        raise FormatError(f"the {what} '{shortened(text, 40)}' is not a number of seconds", where=where)
    return Decimal(text)


def after(begin: Decimal, duration: Decimal) -> Decimal:
    """When something ends."""
    return _EXACT.add(begin, duration)


def between(begin: Decimal, end: Decimal) -> Decimal:
    """How long something takes."""
    return _EXACT.subtract(end, begin)


def exactly(time: float) -> Decimal:
    """The shortest decimal that is read as that time."""
    return Decimal(repr(time + 0.0))


def spelled(time: Decimal) -> str:
    """A time in digits, without an exponent."""
    return f"{time:f}"


def joined(fields: list[str]) -> str:
    """An id made of fields, comma-separated; a comma in one of them is %2C, a per cent sign %25."""
    return ",".join(re.sub("[,%]", lambda match: _ESCAPES[match[0]], field) for field in fields)


def parted(name: str, count: int) -> list[str] | None:
    """The fields that an id was made of, if it was made of so many."""
    parts = name.split(",")
    fields = [part.replace("%2C", ",").replace("%25", "%") for part in parts]
    return fields if len(parts) == count and joined(fields) == name and all(map(_is_field, fields)) else None


def _is_field(text: str) -> bool:
    return split_words(text) == [text]


def require_field(text: str, format_name: str) -> str:
    """The same text, if it can begin a line of its own."""
    if not _is_field(text) or is_comment(text):
        raise UsageError(f"'{shortened(text)}' cannot begin a line of {format_name}", advice="ids have no white space")
    return text
