"""The words of confusion networks, as `latticemetric consensus` writes them."""

from __future__ import annotations

from collections.abc import Iterator

from latticemetric.corpus.tables.table import CTMTable


class ConsensusTable(CTMTable):
    """Lines of id and words, with the confidence of each word."""

    columns = ("id", "hypothesis", "bayes_risk", "confidences", "error")

    def text(self) -> Iterator[str]:
        """Yield lines of id and words, each word with its confidence; a graph that failed has no words."""
        for answer in self.answers:
            if answer.problem is not None:
                yield self.looks.words_line(answer.name, "")
                continue
            pairs = zip(answer.value.words, answer.value.confidences, strict=True)
            words = " ".join(f"{word}:{confidence:.3f}" for word, confidence in pairs)
            yield self.looks.words_line(answer.name, words)
