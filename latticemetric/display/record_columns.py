"""Columns of the records of many graphs, and their lines as JSON and as TSV, written by a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from latticemetric import _native

Integers: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"


class TextColumn(NamedTuple):
    """Texts in UTF-8, one after the other, and their beginnings."""

    texts: bytes
    begin: Integers

    def strings(self) -> list[str]:
        """Return the texts."""
        if self.texts.isascii():
            text = self.texts.decode("ascii")
            return [text[first:end] for first, end in pairwise(self.begin.tolist())]
        return [self.texts[first:end].decode("utf-8") for first, end in pairwise(self.begin.tolist())]

    def at(self, row: int) -> str:
        """Return the text of a record."""
        begin, end = self.begin[row : row + 2].tolist()
        return self.texts[begin:end].decode("utf-8")


class ListColumn(NamedTuple):
    """Lists of numbers, one after the other, and their beginnings."""

    values: Integers | Floats
    begin: Integers

    def at(self, row: int) -> list[Any]:
        """Return the list of a record."""
        begin, end = self.begin[row : row + 2].tolist()
        found: list[Any] = self.values[begin:end].tolist()
        return found


class WholeColumn(NamedTuple):
    """Numbers that are integers where they are whole."""

    values: Floats


Column: TypeAlias = (
    "Integers | Floats | TextColumn | ListColumn | WholeColumn | list[str] | bool | dict[str, Any] | None"
)
"""A value for each record: integers, floats (NaN for `None`), texts or lists; the same for all; or columns by name."""


def json_lines(number: int, fields: Mapping[str, Column]) -> TextColumn:
    """Return records as lines of JSON, as `json.dumps` writes them without ASCII escapes."""
    return lines_of(number, _of_object(fields))


def tsv_lines(number: int, columns: Iterable[Column]) -> TextColumn:
    """Return records as lines of TSV; `None` is an empty field."""
    parts: list[Any] = []
    for position, column in enumerate(columns):
        parts += [b"\t"] * (position > 0) + [_value(column, "tsv", b"")]
    return lines_of(number, parts)


def decimals(values: Floats, places: int, unit: bytes = b"") -> list[Any]:
    """Return the parts of lines that are numbers with these decimal places, and a unit."""
    return [("decimal", values, places, b""), unit]


def right_aligned(number: int, parts: Sequence[Any], width: int) -> tuple[Any, ...]:
    """Return a part of lines that has these parts, in at least `width` columns."""
    return ("text", *lines_of(number, parts), width)


def _of_object(fields: Mapping[str, Column]) -> list[Any]:
    """Return the parts of lines that are an object of JSON."""
    parts: list[Any] = []
    before = "{"
    for name, column in fields.items():
        begin, end = _around(column)
        parts.append(f'{before}"{name}": {begin}'.encode())
        parts += _of_object(column) if isinstance(column, dict) else [_value(column, "json", b"null")]
        parts.append(end)
        before = ", "
    return [*parts, b"}"]


def _around(column: Column) -> tuple[str, bytes]:
    """Return what stands before and behind the values of a column in JSON."""
    if isinstance(column, TextColumn | list):
        return '"', b'"'
    return ("[", b"]") if isinstance(column, ListColumn) else ("", b"")


def _value(column: Column, escape: str, null: bytes) -> Any:
    """Return the part of lines that has the values of a column."""
    part: Any = null
    match column:
        case None:
            pass
        case bool():
            part = str(column).lower().encode()
        case TextColumn():
            part = (escape, *column)
        case list():
            part = (escape, column)
        case ListColumn():
            part = ("list", *column, b", " if escape == "json" else b" ")
        case WholeColumn():
            part = ("whole", column.values, null)
        case np.ndarray() if column.dtype == np.float64:
            part = ("real", column, null)
        case np.ndarray():
            part = ("integers", np.ascontiguousarray(column, dtype=np.int64))
        case _:
            raise AssertionError(f"no line has {column!r}")
    return part


def lines_of(number: int, parts: Iterable[Any]) -> TextColumn:
    """Return the lines with these parts; join constants that follow each other."""
    found: list[Any] = []
    for part in parts:
        if isinstance(part, bytes) and found and isinstance(found[-1], bytes):
            found[-1] += part
        elif part:
            found.append(part)
    return TextColumn(*_native.write_lines(number, found))
