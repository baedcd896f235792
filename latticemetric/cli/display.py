"""Numbers and words as people read them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

import click

from latticemetric.errors import harmless
from latticemetric.metrics.alignment import display_width

_ID_WIDTH = 12


def shown(value: float | str | bool | None) -> str:
    """A value for a table: figures to four places, undefined ones as a dash."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}"
    return harmless(str(value))


def say(text: str) -> None:
    """Writes to standard error; where nobody hears it, results are no worse."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(text, err=True)


def tsv_field(value: object) -> str:
    """A field of a tab-separated line: undefined is empty, tabs and line ends are escaped."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def named(name: str) -> str:
    """An id at the beginning of a line; what follows the shorter ones stands below each other."""
    text = harmless(name)
    return text + " " * (_ID_WIDTH - display_width(text))


def table(rows: Sequence[Sequence[str]], *, left: Iterable[int] = (0,)) -> list[str]:
    """Lines of a table with aligned columns; numbers to the right, the columns named in `left` to the left."""
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    flush = set(left)

    def cell(text: str, column: int) -> str:
        space = " " * (widths[column] - display_width(text))
        return text + space if column in flush else space + text

    return ["  ".join(cell(text, column) for column, text in enumerate(row)).rstrip() for row in rows]
