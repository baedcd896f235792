"""The n best strings or paths of each graph, as `latticemetric nbest` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.cells import IdColumn, shown, spoken
from latticemetric.corpus.tables.table import AnswerTable, Record, each_of, split_text

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer


class NBestTable(AnswerTable):
    """One line or row per string or path."""

    kind = "nbest"
    columns = ("id", "rank", "hypothesis", "cost", "scores", "arcs", "edges", "error")

    def records_of(self, answer: Answer) -> Iterator[Record]:
        """Yield one record, with the strings or paths in the field `paths`.

        The field is not named `nbest`, since readers of n-best lists in JSON expect log probabilities there, not costs.
        """
        yield answer.value.asdict()

    def each_row(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield one record per string or path; for a graph that failed, one."""
        return each_of(records, "paths")

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield a line for each string or path: id, rank, cost and words."""
        column = IdColumn()
        for record in records:
            name = column(record["id"])
            if "error" in record:
                yield f"{name}  failed"
                continue
            for row in record["paths"]:
                words = spoken(split_text(row["hypothesis"]))
                yield f"{name}  {row['rank']:>4}  {shown(row['cost']):>10}  {words}"
