"""Posteriors of each graph, as `latticemetric posteriors` lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import AnswerTable, Record, each_of
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.shards import ShardRun


COLUMNS = {
    "words": ["word", "posterior"],
    "ngrams": ["ngram", "order", "posterior"],
    "arcs": ["arc", "source", "target", "word", "posterior", "begin", "end"],
    "edges": ["edge", "head", "target", "posterior"],
    "summary": ["log_total", "entropy"],
}
"""The columns of each kind of listing, without the id of the graph and the error."""


class PosteriorTable(AnswerTable):
    """One line or row per word, n-gram, arc or edge, or one per graph (`of` is `summary`)."""

    kind = "posteriors"

    def __init__(
        self,
        answers: Iterable[Answer],
        shard: ShardRun | None = None,
        *,
        of: str,
        looks: Looks = AS_FILE,
    ) -> None:
        super().__init__(answers, shard, looks=looks)
        self._of = of

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        return ["id", *COLUMNS[self._of], "error"]

    def settings(self) -> Record:
        """Return the kind of listing."""
        return {"of": self._of}

    def each_row(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield one record per word, n-gram, arc or edge; for a summary or a failed graph, one per graph."""
        return each_of(records, self._of)

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield a line for each word, n-gram, arc or edge, the most probable first."""
        for record in records:
            name = harmless(record["id"])
            if "error" in record:
                yield f"{name} failed"
                continue
            if self._of == "summary":
                yield f"{name} log total {record['log_total']:.4f}, entropy {record['entropy']:.4f}"
            for row in record.get(self._of, ()):
                yield f"{name} {row['posterior']:.4f} {harmless(_described(row))}"


def _described(row: Record) -> str:
    """Return the words of a row; for an arc, also its states and times; for an edge, also its head."""
    if "edge" in row:
        return f"{row['head']} {row['target'] or 'ε'}"
    if "arc" not in row:
        return str(row["ngram"] if "ngram" in row else row["word"])
    times = "" if row["begin"] is None else f" {row['begin']:.2f} {row['end']:.2f}"
    return f"{row['source']} {row['target']}{times} {row['word'] or 'ε'}"
