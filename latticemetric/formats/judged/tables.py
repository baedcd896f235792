"""Tab-separated tables with a header, and numbers in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.streams.stream import open_stream
from latticemetric.formats.text.fields import is_number


def read_rows(path: str, needed: Sequence[str], separator: str | None = "\t") -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of a table, each with its place; fields by the header's names.

    Args:
        path: The file; compressed or not. Nothing is quoted in it.
        needed: Columns that there have to be.
        separator: Between fields; `None` for white space.

    Raises:
        FormatError: A column is missing, or a row has another number of fields than the header.
    """
    with open_stream(path) as stream:
        lines = stream.lines()
        first = next(lines, None)
        if first is None:
            raise FormatError("the table is empty", where=path, advice=f"its header needs {', '.join(needed)}")
        header = first.split(separator)
        _check_header(header, needed, stream.place())
        for line in lines:
            if not line.strip():
                continue
            fields = line.split(separator)
            if len(fields) != len(header):
                raise FormatError(
                    f"the row has {len(fields)} fields, and the header {len(header)}",
                    where=stream.place(),
                    advice="separate fields by one tab" if separator else "no field may hold white space",
                )
            yield stream.place(), dict(zip(header, fields, strict=True))


def number(field: str, column: str, place: str) -> float:
    """A score; NaN where the field is empty or says NA: nobody gave one.

    Raises:
        FormatError: It is no number.
    """
    text = field.strip()
    if text in {"", "NA"}:
        return math.nan
    if not is_number(text):
        raise FormatError(
            f"{column} is '{shortened(text)}', which is no number",
            where=place,
            advice="leave it empty if there is none",
        )
    return float(text)


def score_columns(rows: Sequence[tuple[str, Mapping[str, str]]], others: Sequence[str], path: str) -> list[str]:
    """The columns of a table that are none of the others.

    Raises:
        FormatError: There is none, or there are no rows.
    """
    if not rows:
        raise FormatError("the table has no rows", where=path)
    columns = [name for name in rows[0][1] if name not in others]
    if not columns:
        raise FormatError("the table has no column of scores", where=path, advice="add one, such as 'score'")
    return columns


def numbers(row: Mapping[str, str], columns: Sequence[str], place: str) -> list[float]:
    """The scores of a row."""
    return [number(row[name], name, place) for name in columns]


def _check_header(header: Sequence[str], needed: Sequence[str], place: str) -> None:
    missing = [name for name in needed if name not in header]
    if missing:
        raise FormatError(
            f"the header has no column '{missing[0]}'", where=place, advice=f"its columns are {', '.join(header)}"
        )
    twice = [name for k, name in enumerate(header) if name in header[:k]]
    if twice:
        raise FormatError(f"two columns are called '{twice[0]}'", where=place)
