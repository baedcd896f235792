"""Write a table to a file, in the format of a name or of the file's suffix."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.formats import FORMATS, check_format, format_for, lines_of, parts_of
from latticemetric.formats.streams.output import atomic_output

if TYPE_CHECKING:
    from latticemetric.corpus.tables.table import Table


_AT_ONCE = 256  # lines


def write_table(table: Table, path: str, name: str | None) -> None:
    """Write a table to a file in the format of this name or, by default, of the file's suffix."""
    chosen = check_format(table, name) if name is not None else format_for(path, parts_of(table)) or FORMATS["text"]
    chosen.require()
    with atomic_output(path) as file:
        if chosen.write is not None:
            chosen.write(table, file)
            return
        lines = iter(lines_of(table, chosen.name))
        while several := list(islice(lines, _AT_ONCE)):
            file.write("".join(f"{line}\n" for line in several).encode("utf-8", "backslashreplace"))
        if chosen.name == "text" and not table.is_for_programs:
            file.writelines(f"{line}\n".encode() for line in table.summary())
