"""The 1-best of each graph, as `latticemetric best` writes it."""

from __future__ import annotations

from collections.abc import Iterator

from latticemetric.corpus.tables.cells import named_scores
from latticemetric.corpus.tables.table import CTMTable, values


class BestTable(CTMTable):
    """Lines of id and words; records also have costs, times and confidences."""

    columns = ("id", "hypothesis", "cost", "posterior", "confidences", "begin", "end", "scores", "error")

    def text(self) -> Iterator[str]:
        """Yield lines of id and words, as decoders write them; a graph that failed has no words."""
        for answer in self.answers:
            yield self.looks.words_line(answer.name, "" if answer.problem is not None else " ".join(answer.value.words))

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per graph; begin and end times are lists."""
        for record in self.records():
            times = record.pop("times", None) or []
            record |= {"begin": [begin for begin, _ in times], "end": [end for _, end in times]}
            record["scores"] = named_scores(record.get("scores", {}))
            yield values(record, self.columns)
