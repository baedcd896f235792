"""Parse JSON strictly, with errors that name file, line and field."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, placed, shortened
from latticemetric.formats.registry import Entry, unbuildable
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import parsed_natively, require_finite

Objects = Callable[[list[tuple[str, Any]]], Any]
"""A function that builds an object from its pairs of keys and values."""

_MOST_DIGITS = 300
_SPACES = " \t\n\r"
_SPACE = re.compile(rf"[{_SPACES}]*")


def parsed_json(data: bytes, file: str, line: int | None = None, objects: Objects = tuple) -> Any:
    """Parse a JSON text, or one line of a file. Arrays become lists.

    `objects` converts the list of an object's pairs: `tuple` keeps the pairs; `object_of` makes a dict, and refuses
    duplicate keys.
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
            return _decoder(objects).decode(text)
        except json.JSONDecodeError as error:
            raise FormatError(
                f"this is not JSON ({error.msg.lower()}, column {error.colno})",
                where=f"{file}:{first + error.lineno - 1}",
                advice=None if line is None else "write one whole object per line",
            ) from None
        except RecursionError:
            raise FormatError("the JSON is nested too deeply") from None


def array_elements(stream: Stream) -> Iterator[tuple[int, Any]]:
    """Read a file that is one JSON array; yield the line and the value of each element, one in memory at a time.

    Objects become dicts (see `object_of`).

    Raises:
        FormatError: The file is not one JSON array. Elements before the error are yielded first.
    """
    text = _Text(stream)
    text.skip("[", "the file is not a JSON array")
    if text.peek() == "]":
        text.skip("]", "")
    else:
        separator = ","
        while separator == ",":
            text.peek()
            line = text.line
            yield line, text.element()
            separator = "]" if text.peek() == "]" else ","
            text.skip(separator, "after an element of the array, a comma or ] is missing")
    if text.peek():
        raise FormatError("there is more text after the JSON array", where=stream.place(text.line))


def object_members(stream: Stream) -> Iterator[tuple[int, str, Any]]:
    """Read a file of one JSON object, or of several one after the other; yield line, key and value of each member.

    One value is in memory at a time.

    Raises:
        FormatError: This is not JSON, or a key appears twice. Members before the error are yielded first.
    """
    text, seen = _Text(stream), set[str]()
    while text.peek() == "{" or not seen:
        text.skip("{", "the file is not a JSON object")
        separator = "}" if text.peek() == "}" else ","
        while separator == ",":
            text.peek()
            line, key = text.line, text.element()
            if not isinstance(key, str):
                raise FormatError("a key is not a text", where=stream.place(line))
            if key in seen:
                raise FormatError(f"key '{shortened(key, 40)}' appears twice", where=stream.place(line))
            seen.add(key)
            text.skip(":", "after a key, a colon is missing")
            text.peek()
            yield line, key, text.element()
            separator = "}" if text.peek() == "}" else ","
            if separator == ",":
                text.skip(",", "after a member of the object, a comma or } is missing")
        text.skip("}", "")
        if not seen:
            break
    if text.peek():
        raise FormatError("there is more text after the JSON object", where=stream.place(text.line))


_PIECE = 2**16
_LONGEST_ATOM = 2 * _MOST_DIGITS  # a number, a literal or an escape


class _Text:
    """A parser of the text of a stream, which is read in pieces; `line` is the line of the next character."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder("utf-8")()
        self._text, self._at, self.line, self._ended = "", 0, 1, False
        self._parse = _decoder(object_of).raw_decode

    def peek(self) -> str:
        """Skip white space; return the next character, or an empty string at the end."""
        while True:
            if self._at < len(self._text):
                character = self._text[self._at]
                if character not in _SPACES:
                    return character
                rest = _SPACE.match(self._text, self._at)
                assert rest is not None
                self._move(rest.end())
                continue
            if not self._read(_PIECE):
                return ""

    def skip(self, character: str, problem: str) -> None:
        """Skip white space, then this character; raise the error `problem` if it is not the next character."""
        if self.peek() != character:
            raise FormatError(problem, where=self._stream.place(self.line))
        self._move(self._at + 1)

    def element(self) -> Any:
        """Parse the next value; read more text until it is complete."""
        size = _PIECE
        while True:
            try:
                value, end = self._parse(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._is_cut(error) and self._read(size := 2 * size):  # doubling makes the time linear
                    continue
                line = self.line + self._text.count("\n", self._at, error.pos)
                raise FormatError(
                    f"this is not JSON ({error.msg.lower()}, column {error.colno})", where=self._stream.place(line)
                ) from None
            except RecursionError:
                raise FormatError("the JSON is nested too deeply", where=self._stream.place(self.line)) from None
            except InputError as error:
                raise (error if error.where else error.at(self._stream.place(self.line))) from None
            self._move(end)
            return value

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        """Check whether a value is incomplete: a string is not closed, or the error is near the end of the text."""
        return error.msg.startswith("Unterminated string") or error.pos > len(self._text) - _LONGEST_ATOM

    def _move(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to

    def _read(self, size: int) -> bool:
        """Read more text, and drop the text that is already parsed; return False at the end of the file."""
        if self._ended:
            return False
        data = self._stream.read_some(size)
        self._ended = not data
        try:
            more = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            line = self.line + self._text.count("\n", self._at) + data.count(b"\n", 0, error.start)
            raise FormatError(
                "the text is not UTF-8", where=self._stream.place(line), advice="convert the file with iconv"
            ) from None
        self._text, self._at = self._text[self._at :] + more, 0
        return True


def parsed_json_natively(parse: Callable[[bytes], Any], data: bytes, file: str, line: int | None = None) -> Any:
    """Call a native parser on a JSON text, or on one line of a file; add file and line to its errors."""
    try:
        return parsed_natively(parse, data, file, (line or 1) - 1)
    except _native.NotJsonError as error:
        # Parse again in Python: its error says where and what the problem is.
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
        raise FormatError(f"the number {shortened(text, 20)} has {len(text)} digits, more than {_MOST_DIGITS}")
    return int(text)


_STRICT: dict[str, Any] = {
    "parse_constant": _constant,
    "parse_int": _int,
    "parse_float": lambda number: require_finite(float(number), number, ""),
}


@lru_cache
def _decoder(objects: Objects) -> json.JSONDecoder:
    """Return the strict parser; it is cached, since making one takes as long as parsing a short line."""
    return json.JSONDecoder(object_pairs_hook=objects, **_STRICT)


def text_of(value: object, what: str, place: str) -> str:
    """Return the value if it is a text; refuse a lone surrogate, which is half a character. `what` names the value."""
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
    """Describe a JSON value in a few words, for errors."""
    if isinstance(value, tuple):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return shortened(json.dumps(value), 40)


def quoted(text: str) -> str:
    """Write a text as JSON."""
    return json.dumps(text, ensure_ascii=False)


def blank_lines(stream: Stream, lines: Iterable[int]) -> Iterator[Entry]:
    """Yield an entry with an error for each blank line; `lines` are the numbers of these lines.

    Call this only if line numbers are the ids of graphs. A blank line then has an id, but no graph.
    """
    for line in lines:
        place = stream.place(line)
        what = "the line is blank, but without ids, graphs and references are paired by line number"
        advice = "remove the line here and in the references"
        yield Entry(str(line), place, unbuildable(FormatError(what, where=place, advice=advice)))
