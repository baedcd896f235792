"""Results of all graphs together, which print and write the table of the command line."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from latticemetric.arguments import path_text
from latticemetric.display.frames import Tabular
from latticemetric.frozen import Result
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.corpus.tables.table import Table


class TabledResult(Result, Tabular):
    """Base class of results of all graphs together; a subclass names its table.

    The table is imported by name, so that the modules of results do not depend on the tables, which know the results.
    """

    _table_name: ClassVar[str]
    """The module in `corpus.tables`, and the class."""

    def to_records(self) -> list[dict[str, Any]]:
        """Return the records of the table, as JSON lines have them."""
        return list(self._table().records())

    def _frame(self) -> list[dict[str, Any]]:
        return list(self._table().frame())

    @says_new_keywords
    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002  as in `read`
        """Write the result to a file, as the command line does.

        Args:
            path: The file; `.gz` and similar suffixes compress it.
            format: `text`, `tsv`, `json`, `jsonl`, `parquet` or `arrow`; by default, the suffix of the file chooses it.
        """
        from latticemetric.corpus.tables.files import write_table

        write_table(self._table(), path_text(path), format)

    def __str__(self) -> str:
        table = self._table()
        return "\n".join([*table.text(), *table.summary()])

    def _table(self) -> Table:
        module, name = self._table_name.split(".")
        table: Table = getattr(import_module(f"{__package__}.tables.{module}"), name)(self)
        return table
