"""The formats of results. An entry of `FORMATS` has the name, the suffixes and the writer, and serves every verb.

Nothing here imports the tables: `--help` lists the formats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import IO, TYPE_CHECKING, Any

from latticemetric.errors import UsageError, shortened

if TYPE_CHECKING:
    from latticemetric.corpus.tables.table import Table


class ResultFormat:
    """A format of results: of lines, or binary.

    Attributes:
        name: The name that `--format` takes.
        needs: The part of a table that is written: `text`, `rows`, `document`, `records`, `ctm` or `trn`.
        lines: The function that yields the lines of a table; `None` for binary formats.
        write: The function that writes a table to a binary file; `None` for formats of lines.
        suffixes: The suffixes of files in this format; by default, the name.
        require: A function that raises an error if a package is missing.
    """

    def __init__(
        self,
        name: str,
        needs: str,
        lines: Callable[[Any], Iterable[str]] | None = None,
        *,
        write: Callable[[Table, IO[bytes]], None] | None = None,
        suffixes: tuple[str, ...] = (),
        require: Callable[[], object] = lambda: None,
    ) -> None:
        self.name, self.needs, self.lines, self.write = name, needs, lines, write
        self.suffixes, self.require = suffixes or (name,), require


def _binary(name: str, *suffixes: str) -> ResultFormat:
    def write(table: Table, file: IO[bytes]) -> None:
        from latticemetric.display.frames import write_table

        write_table(table.frame(), file, name)

    return ResultFormat(name, "records", write=write, suffixes=suffixes, require=_require_arrow)


def _require_arrow() -> object:
    from latticemetric.display.cells import require_arrow

    return require_arrow()


FORMATS = {
    one.name: one
    for one in (
        ResultFormat("text", "text", lambda table: table.text(), suffixes=("txt", "text")),
        ResultFormat("tsv", "rows", lambda table: table.tsv_lines()),
        ResultFormat("json", "document", lambda table: table.document()),
        ResultFormat("jsonl", "records", lambda table: table.json_lines(), suffixes=("jsonl", "ndjson")),
        ResultFormat("ctm", "ctm", lambda table: table.ctm()),
        ResultFormat("trn", "trn", lambda table: table.trn()),
        _binary("parquet"),
        _binary("arrow", "arrow", "feather"),
    )
}
PARTS = ("text", "rows", "document", "records")
"""The parts that a table has: all other parts are of few tables."""


def parts_of(table: Table) -> list[str]:
    """Return the parts that a table has."""
    return [*PARTS, *(part for part in ("ctm", "trn") if hasattr(table, part))]


def check_format(table: Table, name: str) -> ResultFormat:
    """Return the format of this name; refuse one that needs a part that the table lacks."""
    parts = parts_of(table)
    known = [one.name for one in FORMATS.values() if one.needs in parts]
    if name not in known:
        from latticemetric.likeness import which_of

        raise UsageError(f"there is no format '{shortened(name)}' here", advice=which_of(name, known))
    return FORMATS[name]


def formats_of(parts: Collection[str]) -> list[str]:
    """Return the names of the formats of lines for tables with these parts."""
    return [name for name, one in FORMATS.items() if one.needs in parts and one.lines is not None]


# Suffixes of tables that other programs write. Text in a file of such a name would not be what it says.
_OTHERS = frozenset({"csv", "db", "h5", "hdf5", "ods", "orc", "pickle", "pkl", "sqlite", "xls", "xlsx"})


def format_for(path: str, parts: Collection[str]) -> ResultFormat | None:
    """Return the format that the suffix of a path names, for tables with these parts; `None` if it names none."""
    from latticemetric.formats.streams.compression import without_compression

    suffix = without_compression(path).rpartition(".")[2].lower()
    if suffix in _OTHERS:
        names = ", ".join(one.name for one in FORMATS.values() if one.needs in parts)
        raise UsageError(f"no table can be written as .{suffix}", where=path, advice=f"choose one of {names}")
    return next((one for one in FORMATS.values() if suffix in one.suffixes and one.needs in parts), None)


def lines_of(table: Table, name: str) -> Iterable[str]:
    """Yield the lines of a table in a format of lines."""
    lines = FORMATS[name].lines
    if lines is None:
        raise UsageError(f"{name} has no lines", advice="write it to a file")
    return lines(table)
