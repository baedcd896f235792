"""Parse JSON strictly, with errors that name file, line and field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, placed, shortened
from latticemetric.formats.registry import Entry, unbuildable
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import parsed_natively, require_finite

Pairs = tuple[tuple[str, Any], ...]
"""A JSON object as pairs; keys may repeat."""

_MOST_DIGITS = 300


def parsed_json(
    data: bytes, file: str, line: int | None = None, objects: Callable[[list[tuple[str, Any]]], Any] = tuple
) -> Any:
    """Parse a JSON text, or the one on a line of a file: objects as tuples of pairs, arrays as lists.

    `objects` builds an object from its pairs; use `object_of` to refuse duplicate keys.
    """
    first = line or 1
    try:
        text = data.decode("utf-8").rstrip()
    except UnicodeDecodeError as error:
        number = first + data.count(b"\n", 0, error.start)
        raise FormatError(
            f"byte {error.start + 1} is not UTF-8", where=f"{file}:{number}", advice="convert the file with iconv"
        ) from None
    with placed(file if line is None else f"{file}:{line}"):
        try:
            return json.loads(
                text,
                object_pairs_hook=objects,
                parse_constant=_constant,
                parse_int=_int,
                parse_float=lambda number: require_finite(float(number), number, ""),
            )
        except json.JSONDecodeError as error:
            raise FormatError(
                f"this is not JSON ({error.msg.lower()}, column {error.colno})",
                where=f"{file}:{first + error.lineno - 1}",
                advice=None if line is None else "write one whole object per line",
            ) from None
        except RecursionError:
            raise FormatError("the JSON is nested too deeply") from None


def parsed_json_natively(parse: Callable[[bytes], Any], data: bytes, file: str, line: int | None = None) -> Any:
    """Call a native parser of a JSON text, or of the one on a line of a file; add file and line to its errors."""
    try:
        return parsed_natively(parse, data, file, (line or 1) - 1)
    except _native.NotJsonError as error:
        # This parser finds the place, and says what is wrong there.
        parsed_json(data, file, line)
        raise FormatError(str(error), where=file if line is None else f"{file}:{line}") from None


def object_of(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Build a dict from pairs; refuse duplicate keys."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise FormatError(f"key '{shortened(key, 40)}' appears twice in an object")
            seen.add(key)
    return fields


def _constant(text: str) -> float:
    raise InputError(f"score '{text}' is not finite")


def _int(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise FormatError(f"the number {shortened(text, 20)} has {len(text)} digits")
    return int(text)


def text_of(value: object, what: str, place: str) -> str:
    """Return a text; refuse half characters (surrogates)."""
    if not isinstance(value, str):
        raise FormatError(f"{what} is {shown(value)}, not a text", where=place)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise FormatError(
            f"{what} {shortened(value, 40)!r} holds half a character (a surrogate)", where=place
        ) from None
    return value


def shown(value: object) -> str:
    """Return a JSON value for display in errors."""
    if isinstance(value, tuple):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return shortened(json.dumps(value), 40)


def quoted(text: str) -> str:
    """Write a text as JSON."""
    return json.dumps(text, ensure_ascii=False)


def blank_lines(stream: Stream, lines: Iterable[int]) -> Iterator[Entry]:
    """Yield an entry that cannot be built for each blank line, in a file whose line numbers are ids."""
    for line in lines:
        place = stream.place(line)
        what = "the line is blank, but lines without ids are paired by line number"
        advice = "remove the line here and in the references"
        yield Entry(str(line), place, unbuildable(FormatError(what, where=place, advice=advice)))
