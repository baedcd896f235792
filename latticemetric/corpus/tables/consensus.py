"""The words of confusion networks, as `latticemetric consensus` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from latticemetric.corpus.tables.table import CTMTable, Record, words_of


class ConsensusTable(CTMTable):
    """Lines of id and words, with the confidence of each word."""

    kind = "consensus"
    columns = ("id", "hypothesis", "bayes_risk", "confidences", "begin", "end", "error")

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield lines of id and words, each word with its confidence; a graph that failed has no words."""
        for record in records:
            pairs = () if "error" in record else zip(words_of(record), record["confidences"], strict=True)
            words = " ".join(f"{word}:{confidence:.3f}" for word, confidence in pairs)
            yield self.looks.words_line(record["id"], words)
