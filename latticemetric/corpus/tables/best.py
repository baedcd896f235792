"""The 1-best of each graph, as `latticemetric best` writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from latticemetric.corpus.tables.ready_lines import Lines, ReadyLines, where_written
from latticemetric.corpus.tables.table import CTMTable, Record, as_json, as_tsv
from latticemetric.display.record_columns import json_lines, lines_of

if TYPE_CHECKING:
    from latticemetric.corpus.best_columns import FoundBest


class BestTable(CTMTable):
    """Lines of id and words; records also have costs, times and confidences."""

    kind = "best"
    columns = ("id", "hypothesis", "cost", "posterior", "confidences", "begin", "end", "scores", "error")

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield lines of id and words, as decoders write them; a graph that failed has no words."""
        return (self.looks.words_line(record["id"], record.get("hypothesis", "")) for record in records)

    def text(self) -> Iterator[str]:
        """Yield the lines of text output."""
        if self.looks.terminal:
            return self.lines_of(self.records())
        return self._lines(_as_text, self.lines_of)

    def json_lines(self) -> Iterator[str]:
        """Yield the lines of JSON lines."""
        return self._lines(_as_json_lines, lambda records: map(as_json, records))

    def items(self) -> Iterator[str]:
        """Yield the items of the JSON document."""
        return self.json_lines()

    def tsv_lines(self) -> Iterator[str]:
        """Yield the lines of TSV: the titles of columns, then the rows."""
        yield as_tsv(self.columns)
        yield from self._lines(_as_tsv_lines, lambda records: map(as_tsv, self.rows_of(records)))

    def _lines(
        self, of_found: Callable[[FoundBest], Lines], of_records: Callable[[Iterable[Record]], Iterable[str]]
    ) -> Iterator[str]:
        """Yield the lines of answers that were found together, and of the records of all others."""
        if self._documents is not None:
            yield from of_records(self.records())
            return
        ready = ReadyLines(of_found)
        for answer in self.answers:
            line = None
            if (row := answer.row) is not None:
                (line,) = ready.of(row.found, range(row.number, row.number + 1))
            yield from of_records(self.named_records(answer)) if line is None else (line,)


def _as_json_lines(found: FoundBest) -> Lines:
    """Return 1-bests as lines of JSON."""
    fields = {"id": found.names, **found.fields()}
    return where_written(found.is_written, lambda: json_lines(len(found), fields))


def _as_tsv_lines(found: FoundBest) -> Lines:
    """Return 1-bests as lines of TSV, with `columns`; there are no times and no errors."""
    fields = found.fields()
    parts = [("tsv", found.names), b"\t", ("tsv", *fields["hypothesis"])]
    for name in ("cost", "posterior"):
        parts += [b"\t", ("real", fields[name], b"")]
    parts += [b"\t", ("list", *fields["confidences"], b" "), b"\t\t\t"]
    for before, (name, costs) in zip((b"", b" "), fields["scores"].items(), strict=True):
        parts += [before + f"{name}=".encode(), ("real", costs, b"")]
    return where_written(found.is_written, lambda: lines_of(len(found), [*parts, b"\t"]))


def _as_text(found: FoundBest) -> Lines:
    """Return lines of id and words; those without words have no space."""
    words = found.fields()["hypothesis"]
    parts = [("text", found.names), b" ", ("text", *words)]
    return where_written(np.diff(words.begin) > 0, lambda: lines_of(len(found), parts))
