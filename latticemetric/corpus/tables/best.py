"""The 1-best of each graph, as `latticemetric best` writes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from latticemetric.corpus.tables.table import CTMTable, Record


class BestTable(CTMTable):
    """Lines of id and words; records also have costs, times and confidences."""

    kind = "best"
    columns = ("id", "hypothesis", "cost", "posterior", "confidences", "begin", "end", "scores", "error")

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield lines of id and words, as decoders write them; a graph that failed has no words."""
        return (self.looks.words_line(record["id"], record.get("hypothesis", "")) for record in records)
