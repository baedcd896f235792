"""Merged documents of shards, as `latticemetric merge` writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from latticemetric.corpus.merging import merged_items, merged_lines, merged_totals
from latticemetric.corpus.tables.table import Record, Table

if TYPE_CHECKING:
    from latticemetric.corpus.merging import ShardDocument


class MergedTable(Table):
    """The document of a run without shards, from the documents of all its shards. Its text is the JSON document."""

    columns = ()

    def __init__(self, documents: Sequence[ShardDocument]) -> None:
        self._documents = documents

    def text(self) -> Iterator[str]:
        """Yield the lines of the document."""
        return self.document()

    def document(self) -> Iterator[str]:
        """Yield the lines of the document; items are copied unchanged, one at a time."""
        return merged_lines(self._documents)

    def records(self) -> Iterator[Record]:
        """Yield the items of the document."""
        return map(json.loads, merged_items(self._documents))

    def totals(self) -> Record:
        """Return the numbers of all graphs."""
        return merged_totals(self._documents)

    @property
    def is_for_programs(self) -> bool:
        """True: the text is JSON."""
        return True
