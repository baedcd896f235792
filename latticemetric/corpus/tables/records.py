"""Records of each graph: the named values that a function of somebody's own returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.cells import aligned, shown
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import AnswerTable, Record, values

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.shards import ShardRun


class RecordTable(AnswerTable):
    """A record for each graph, with these names as columns of TSV and text."""

    kind, name = "records", "graphs"
    columns: Sequence[str] = ()

    def __init__(
        self, names: Sequence[str], answers: Iterable[Answer], shard: ShardRun | None = None, *, looks: Looks = AS_FILE
    ) -> None:
        super().__init__(answers, shard, looks=looks)
        self._names = names
        self.columns = ("id", *names, "error")

    def settings(self) -> Record:
        """Return the names of the columns."""
        return {"names": list(self._names)}

    def records_of(self, answer: Answer) -> Iterator[Record]:
        """Yield the record of a graph."""
        yield answer.value

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield the lines of a table; a failed graph has its error in place of its values."""
        titles = self.columns[:-1]
        rows = [list(titles)]
        for record in records:
            cells = values(record, titles) if "error" not in record else [record["id"], record["error"]]
            rows.append([*map(_cell, cells), *[""] * (len(titles) - len(cells))])
        yield from aligned(rows, left=range(len(titles)))


def _cell(value: Any) -> str:
    return shown(" ".join(map(str, value)) if isinstance(value, list) else value)
