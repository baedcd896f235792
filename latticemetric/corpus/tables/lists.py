"""Oracles of n-best lists by k, and scores of corrected texts, as `latticemetric lists` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.cells import aligned, counted, resampled, shown
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, Table, as_json

if TYPE_CHECKING:
    from latticemetric.corpus.list_results import Corrections, Edits, OracleAtK


class ListTable(Table):
    """The oracles by k, and the results of the corrected texts."""

    columns = (
        "k", "score", "numerator", "denominator", "matches", "substitutions", "deletions", "insertions",
        "low", "high", "recoverable", "distinct", "best_here"
    )  # fmt: skip

    def __init__(self, curve: OracleAtK, *, looks: Looks = AS_FILE) -> None:
        self._curve, self.looks = curve, looks

    def text(self) -> Iterator[str]:
        """Yield the table of the oracles by k, then the results of the corrected texts."""
        name = self._curve.signature.partition("|")[0]
        rows = [["k", self.looks.rate_title(name), "", self.looks.rate_title("recoverable"), "distinct", "best here"]]
        for point, record in zip(self._curve.points, self._curve.to_records(), strict=True):
            half_width = None if point.interval is None else point.interval.half_width
            fraction = f"{shown(point.numerator)}/{point.denominator}"
            score, recoverable = self.looks.rate(point.score, half_width), self.looks.rate(point.recoverable)
            cells = [str(point.k), score, fraction, recoverable]
            rows.append([*cells, f"{point.distinct:.2f}", str(record["best_here"])])
        yield from aligned(rows)
        if self._curve.corrections is not None:
            yield ""
            yield from _correction_lines(self._curve.corrections, self.looks)

    def records(self) -> list[Record]:
        """Return a record for each k."""
        return self._curve.to_records()

    def document(self) -> Iterator[str]:
        """Yield the JSON document.

        Fields:
            corrections (Corrections): With `--corrected`: scores of the corrected texts.
        """
        yield as_json(self._curve.asdict())

    def summary(self) -> Sequence[str]:
        """Return the number of lists, the number of reference words in no hypothesis, resampling and signature."""
        notes = [counted(self._curve.lists, "list")]
        if self._curve.compositional is not None:
            notes.append(f"{counted(self._curve.compositional, 'reference word')} in no hypothesis")
        first = self._curve.points[0].interval
        if first is not None:
            notes.append(resampled(first.confidence, first.resamples, self._curve.seed))
        return ["", "; ".join(notes), self._curve.signature]


def _correction_lines(judged: Corrections, looks: Looks) -> Iterator[str]:
    from latticemetric.corpus.list_results import SYSTEMS

    rows = [["", looks.rate_title("wer"), ""]]
    rows += [
        [SYSTEMS[row["system"]], looks.rate(row["wer"]), f"{row['errors']}/{judged.reference_words}"]
        for row in judged.to_records()
    ]
    yield from aligned(rows)
    yield ""
    yield f"share of the headroom recovered (RIR): {looks.lone_rate(judged.recovered)}"
    yield f"utterances: {_edits(judged.utterances, looks)}, {judged.utterances.neutral} neutral"
    yield f"words: {_edits(judged.words, looks)}, {judged.words.missed} missed"
    words = judged.hallucinations
    what = f"{words.novel} new, {words.repeated} repeated; {words.passed_through} errors kept from the lists"
    what += f", {words.generative} right words from outside the lists"
    yield f"hallucinated words: {looks.lone_rate(words.rate)} ({what})"


def _edits(edits: Edits, looks: Looks) -> str:
    harmful = edits.harmful_rate
    share = "" if harmful is None else f" (harmful edit rate {looks.lone_rate(harmful)})"
    return f"{edits.helpful} helpful, {edits.harmful} harmful{share}"
