"""Oracles of n-best lists by k, and scores of corrected texts, as `latticemetric lists` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.by_metric import joined_notes, sections, with_metrics
from latticemetric.corpus.tables.cells import aligned, counted, resampled, shown
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, Table, as_json, json_document

if TYPE_CHECKING:
    from latticemetric.corpus.list_results import Corrections, Edits, OracleAtK, OracleAtKByMetric


_BY_METRIC = ("lists", "ranks", "compositional")


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
        return sections([self.oracles(), *self.corrections()])

    def oracles(self) -> Iterator[str]:
        """Yield the table of the oracles by k."""
        title = self.looks.rate_title(self._curve.metric)
        rows = [["k", title, "", self.looks.rate_title("recoverable"), "distinct", "best here"]]
        for point, record in zip(self._curve.points, self._curve.to_records(), strict=True):
            half_width = None if point.interval is None else point.interval.half_width
            fraction = f"{shown(point.numerator)}/{point.denominator}"
            score, recoverable = self.looks.rate(point.score, half_width), self.looks.rate(point.recoverable)
            cells = [str(point.k), score, fraction, recoverable]
            rows.append([*cells, f"{point.distinct:.2f}", str(record["best_here"])])
        yield from aligned(rows)

    def corrections(self) -> Iterator[Iterator[str]]:
        """Yield the lines about the corrected texts, if there are any."""
        if self._curve.corrections is not None:
            yield _correction_lines(self._curve.corrections, self.looks)

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


class ListsTable(Table):
    """The oracles by several metrics, one after the other, and the results of the corrected texts."""

    columns = ("metric", *ListTable.columns)

    def __init__(self, found: OracleAtKByMetric, *, looks: Looks = AS_FILE) -> None:
        self._found, self.looks = found, looks
        self._tables = [ListTable(curve, looks=looks) for curve in found.curves]

    def text(self) -> Iterator[str]:
        """Yield the table of the oracles by each metric, then the results of the corrected texts."""
        oracles = (one.oracles() for one in self._tables)
        return sections(chain(oracles, *(one.corrections() for one in self._tables)))

    def records(self) -> Iterator[Record]:
        """Yield a record for each k, metric by metric.

        Fields:
            metric (str): The metric that the oracles optimize.
        """
        return with_metrics({name: one.to_records() for name, one in self._found.items()})

    def document(self) -> Iterator[str]:
        """Yield the JSON document.

        Fields:
            signatures (dict[str, str]): The signature of each metric.
            lists (dict[str, int]): The number of lists, by metric.
            ranks (dict[str, list[int]]): By metric: the numbers of lists whose best hypothesis has rank 1, 2, …
            compositional (dict[str, int | None]): By metric: the number of reference words in no hypothesis.
        """
        totals = self._found.totals
        head: Record = {"signatures": {name: one.pop("signature") for name, one in totals.items()}}
        head |= {field: {name: one[field] for name, one in totals.items()} for field in _BY_METRIC}
        judged = next((one["corrections"] for one in totals.values() if "corrections" in one), None)
        end = "]}" if judged is None else f'], "corrections": {as_json(judged)}}}'
        return json_document(head, {"points": self.records()}, lambda: end, streamed=False)

    def summary(self) -> Sequence[str]:
        """Return the numbers of lists, the resampling settings and the signatures."""
        return joined_notes([one.summary() for one in self._tables])


def table_of(found: OracleAtKByMetric, *, looks: Looks = AS_FILE) -> Table:
    """Return the table of the oracles by one or several metrics."""
    return ListsTable(found, looks=looks) if len(found) > 1 else ListTable(found.curves[0], looks=looks)


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
