"""Write a table to a file, in the format of a name or of the file's suffix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from latticemetric.corpus.tables.formats import FORMATS, PARTS, format_for, lines_of
from latticemetric.errors import UsageError, shortened
from latticemetric.formats.streams.output import atomic_output

if TYPE_CHECKING:
    from latticemetric.corpus.tables.table import Table


def write_table(table: Table, path: str, name: str | None) -> None:
    """Write a table to a file in the format of this name or, by default, of the file's suffix."""
    parts = [*PARTS, *(part for part in ("ctm", "trn") if hasattr(table, part))]
    if name is None:
        chosen = format_for(path, parts) or FORMATS["text"]
    else:
        known = [one.name for one in FORMATS.values() if one.needs in parts]
        if name not in known:
            raise UsageError(f"there is no format '{shortened(name)}' here", advice=f"choose one of {', '.join(known)}")
        chosen = FORMATS[name]
    chosen.require()
    with atomic_output(path) as file:
        if chosen.write is not None:
            chosen.write(table, file)
            return
        for line in lines_of(table, chosen.name):
            file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
        if chosen.name == "text" and not table.is_for_programs:
            file.writelines(f"{line}\n".encode() for line in table.summary())
