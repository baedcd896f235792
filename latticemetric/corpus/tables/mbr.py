"""Answers by minimum Bayes risk, as `latticemetric mbr` writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.cells import aligned, counted, shown
from latticemetric.corpus.tables.table import CTMTable, Record, spaced_words
from latticemetric.errors import UsageError
from latticemetric.mbr_decoding.settings import ByNgrams

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer


_NGRAM_COLUMNS = [name for name in ByNgrams.fields if name not in ("beam", "determinize", "most_items", "seconds")]


class MBRTable(CTMTable):
    """The answers of each graph, one record per setting."""

    kind = "mbr"
    columns: Sequence[str] = (
        "id", "hypothesis", "gain", "gain_bound", "exact", "risk", "cost", "confidences", "begin", "end",
        "one_best", *_NGRAM_COLUMNS, "error"
    )  # fmt: skip

    def __init__(self, *arguments: Any, signature: str | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._signature = signature
        self._gaps: list[float] = []
        self._limits: set[str] = set()

    def noted(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records of each graph, and note the gains that are not exact."""
        for record in records:
            if "gain_bound" in record and not record["exact"]:
                self._gaps.append(record["gain_bound"] - record["gain"])
                self._limits.add("most_items=…" if record["seconds"] is None else "most_items=… or seconds=…")
            yield record

    def records_of(self, answer: Answer) -> Iterator[Record]:
        """Yield a record for each setting."""
        several = answer.value if isinstance(answer.value, tuple) else (answer.value,)
        for found in several:
            record = found.asdict() | spaced_words(found.words)
            if self._signature is not None:
                record["signature"] = self._signature
            yield record

    def settings(self) -> Record:
        """Return the number of records of each graph."""
        return {"records_each": self._records_each}

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield lines of id and words, as decoders write them; a graph that failed has no words."""
        return (self.looks.words_line(record["id"], record.get("hypothesis", "")) for record in records)

    def ctm(self) -> Iterator[str]:
        """Yield the lines of CTM of one setting."""
        if self._records_each > 1:
            raise UsageError("ctm holds one setting, but there are several", advice="choose another format")
        return super().ctm()

    @property
    def is_for_programs(self) -> bool:
        """True, since the text is ids and words."""
        return True

    def summary(self) -> list[str]:
        """Return a line on gains that are not exact, if there are any."""
        if not self._gaps:
            return []
        number, gap = counted(len(self._gaps), "answer"), shown(max(self._gaps))
        return [
            f"{number} not exact: other strings may gain up to {gap} more; raise {max(self._limits)}, or prune (beam=…)"
        ]


class ExactRiskTable(MBRTable):
    """Answers by exact risk, compared with the answers by the upper bound."""

    kind = "exact-risk"
    columns = (
        "id", "hypothesis", "risk", "low", "high", "exact", "expected_words", "expected_wer", "confidences",
        "begin", "end", "one_best", "one_best_risk", "word_mbr", "word_mbr_risk", "word_mbr_bound", "improvement",
        "candidates", "error"
    )  # fmt: skip

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._found: list[Record] = []

    def noted(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records of each graph, and add up their risks."""
        for record in super().noted(records):
            if "error" not in record:
                self._found.append({name: record[name] for name in (*_RISKS.values(), "expected_words", "exact")})
            yield record

    def summary(self) -> list[str]:
        """Return the total expected errors of answers by exact risk, of answers by the upper bound, and of 1-bests."""
        found = self._found
        words = math.fsum(record["expected_words"] for record in found)
        least = math.fsum(record["risk"] for record in found)
        rows = [["", "expected errors", self.looks.rate_title("expected wer"), "more"]]
        for label, name in _RISKS.items():
            risk = math.fsum(record[name] for record in found)
            more = "" if name == "risk" else f"{risk - least:.4f}"
            rows.append([label, f"{risk:.4f}", self.looks.rate(risk / words if words else None), more])
        better = sum(record["risk"] < record["word_mbr_risk"] for record in found)
        lines = ["", *aligned(rows), f"{counted(len(found), 'graph')}, {better} better than by the upper bound"]
        inexact = sum(not record["exact"] for record in found)
        return [*lines, f"{counted(inexact, 'graph')} not exact: interval only"] if inexact else lines


_RISKS = {"by exact risk": "risk", "by upper bound": "word_mbr_risk", "1-best": "one_best_risk"}
