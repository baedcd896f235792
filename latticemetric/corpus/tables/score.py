"""Scores of texts, as `latticemetric score` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from latticemetric.corpus.tables.cells import aligned, counted, resampled, shown, with_interval
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, Table, json_document, values
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.evaluation.error_analysis import ErrorAnalysis, ErrorDetails
    from latticemetric.evaluation.scoring import SystemScore, Tabled
    from latticemetric.metrics.base import GraphText, Metric

    Texts = Sequence[Sequence[GraphText]]
    Analysed = tuple[Tabled, ErrorAnalysis]


_COLUMNS = ("system", "metric", "score", "low", "high", "half_width", "undefined")
_COMPARISON_COLUMNS = ("difference", "low", "high", "half_width", "p_bootstrap", "p_randomisation")
_P_VALUES = {"p_bootstrap": "  p, bootstrap", "p_randomisation": "  p, randomisation"}


@dataclass(frozen=True)
class ScoreTable(Table):
    """Scores of systems by several metrics."""

    tabled: Sequence[Sequence[Tabled]]
    systems: Sequence[str]
    ids: Sequence[str]
    references: int
    resampling: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    short_signature: bool = False
    looks: Looks = AS_FILE

    has_intervals: ClassVar[bool] = False

    def shown(self, metric: Metric[Any], value: float | None, half_width: float | None = None, sign: str = "") -> str:
        """Return a score of a metric; a fraction as a rate."""
        return (self.looks.rate if metric.is_fraction else with_interval)(value, half_width, sign)

    def title(self, metric: Metric[Any]) -> str:
        """Return the title of the column of a metric."""
        return self.looks.rate_title(metric.name) if metric.is_fraction else metric.name

    def head(self) -> Record:
        """Return the first fields of the JSON document.

        Fields:
            baseline (str): The first system.
            segments (int): Number of segments in the test set.
            references (int): Number of references per segment.
        """
        return {"baseline": self.systems[0], "segments": len(self.ids), "references": self.references}

    def summary(self) -> list[str]:
        """Return notes, sizes, the resampling settings and signatures."""
        sizes = [f"{counted(len(self.ids), 'segment')}, {counted(self.references, 'reference')}"]
        if self.has_intervals and self.resampling["resamples"]:
            sizes.append(resampled(**self.resampling))
        if self.has_intervals and len(self.tabled) > 1:
            sizes.append(f"* best; differences from {harmless(self.systems[0])}")
        signatures = (one.signature.format(short=self.short_signature) for one in self.tabled[0])
        return ["", *self.notes, *self._inexact(), "; ".join(sizes), *map(harmless, signatures)]

    def _inexact(self) -> Iterator[str]:
        """Yield a note for each metric and system with alignments that may not be the best (METEOR)."""
        for one in chain.from_iterable(self.tabled):
            if number := one.sums().get("inexact"):
                what = f"{one.metric.name} of {counted(int(number), 'segment')} not exact"
                yield harmless(f"{one.system}: {what}: a better alignment may exist")


class CorpusScoreTable(ScoreTable):
    """A score of each system and metric, with intervals and comparisons."""

    has_intervals = True

    def _scores(self) -> list[list[SystemScore]]:
        from latticemetric.evaluation.scoring import corpus_scores

        return corpus_scores(self.tabled, **self.resampling)

    def text(self) -> Iterator[str]:
        """Yield the table of scores and differences, then `%WER` lines."""
        scores = self._scores()
        blank = "  " if len(scores) > 1 else ""
        metrics = [score.tabled.metric for score in scores[0]]
        arrows = ("↑" if metric.higher_is_better else "↓" for metric in metrics)
        rows = [["", *(f"{self.title(metric)} {arrow}{blank}" for metric, arrow in zip(metrics, arrows, strict=True))]]
        best = []
        for metric, column in zip(metrics, zip(*scores, strict=True), strict=True):
            known = (one.score for one in column if one.score is not None)
            best.append((max if metric.higher_is_better else min)(known, default=None))
        for name, row in zip(self.systems, scores, strict=True):
            is_best = (one.score is not None and one.score == top for one, top in zip(row, best, strict=True))
            marks = [" *" if blank and found else blank for found in is_best]
            halves = [one.interval.half_width if one.interval else None for one in row]
            cells = [
                self.shown(metric, one.score, half) for metric, one, half in zip(metrics, row, halves, strict=True)
            ]
            rows.append([harmless(name), *(cell + mark for cell, mark in zip(cells, marks, strict=True))])
            if row[0].comparison is None:
                continue
            items = [score.comparison.asdict() for score in row if score.comparison]
            differences = (
                self.shown(metric, item["difference"], item["half_width"], sign="+")
                for metric, item in zip(metrics, items, strict=True)
            )
            rows.append(["  difference", *(f"{difference}  " for difference in differences)])
            if row[0].comparison.bootstrap is not None:
                rows += [[label, *(f"{shown(item[name])}  " for item in items)] for name, label in _P_VALUES.items()]
        yield from aligned(rows)
        yield from self._error_lines()

    def _error_lines(self) -> Iterator[str]:
        """Yield `%WER` and `%CER` lines, for the scripts of other programs."""
        for one in chain.from_iterable(self.tabled):
            owner = harmless(one.system) if len(self.tabled) > 1 else ""
            if (line := one.error_line(owner)) is not None:
                yield line

    def records(self) -> list[Record]:
        """Return a record for each system and metric."""
        scores = chain.from_iterable(self._scores())
        return [score.asdict(short_signature=self.short_signature) for score in scores]

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        prefixed = [n if n.startswith(("p_", "difference")) else f"difference_{n}" for n in _COMPARISON_COLUMNS]
        return [*_COLUMNS, *prefixed, "signature"]

    def rows(self) -> Iterator[list[object]]:
        """Yield a row for each system and metric."""
        for record in self.records():
            comparison = values(record["comparison"] or {}, _COMPARISON_COLUMNS)
            yield [*values(record, _COLUMNS), *comparison, record["signature"]]

    def document(self) -> Iterator[str]:
        """Yield the JSON document.

        Fields:
            resamples (int): Number of resamples, and of trials of the randomisation test.
            seed (int): The seed of resamples and trials.
            confidence (float): Share of resamples inside an interval.
            scores (list[SystemScore]): The scores, system by system, in the order of the metrics.
        """
        head = {**self.head(), **self.resampling}
        return json_document(head, {"scores": self.records()}, streamed=False)


_DETAIL_COLUMNS = ("system", "metric", "group", "kind", "reference", "hypothesis", "count")
_GROUP_HEAD = ("words", "correct", "subst.", "del.", "ins.", "errors")


@dataclass(frozen=True)
class ErrorTable(Table):
    """Scores, with the words of the errors."""

    columns = _DETAIL_COLUMNS

    scores: ScoreTable
    analyses: Sequence[Analysed]
    most: int

    def text(self) -> Iterator[str]:
        """Yield the table of scores, then the errors of each system and metric."""
        looks = self.scores.looks
        yield from self.scores.text()
        for one, analysis in self.analyses:
            yield ""
            yield f"{harmless(one.system)}: errors of {one.metric.name}"
            if analysis.groups:
                rows = [_group_row(name, details, looks) for name, details in sorted(analysis.groups.items())]
                head = ["", *_GROUP_HEAD, looks.rate_title("rate"), "segments wrong"]
                yield from aligned([head, *rows, _group_row("all", analysis.total, looks)])
            for title, kinds, times, items in analysis.total.lists(self.most) if self.most else ():
                if not kinds:
                    continue
                yield f"{title}: {times} in all, {kinds} different"
                yield from aligned([[f"  {times}", harmless(words)] for words, times in items], left=(1,))

    def records(self) -> Iterator[Record]:
        """Yield the errors of each system and metric (counts and words): over all segments, then over each group."""
        for one, analysis in self.analyses:
            for group, details in {"": analysis.total, **analysis.groups}.items():
                yield {
                    "system": one.system,
                    "metric": one.metric.name,
                    "group": group or None,
                    **details.asdict(self.most),
                }

    def rows(self) -> Iterator[list[object]]:
        """Yield a row for each count, pair of words and word."""
        for record in self.records():
            who = [record["system"], record["metric"], record["group"]]
            for name in ("words", "correct", "substitutions", "deletions", "insertions", "segments", "wrong_segments"):
                yield [*who, name, None, None, record[name]]
            for pair in record["confusion_pairs"]:
                yield [*who, "confusion", pair["reference"], pair["hypothesis"], pair["count"]]
            for kind, side in (("inserted", "hypothesis"), ("deleted", "reference"), ("substituted", "reference")):
                for item in record[f"{kind}_words"]:
                    words = {side: item["word"]}
                    yield [*who, kind, words.get("reference"), words.get("hypothesis"), item["count"]]

    def document(self) -> Iterator[str]:
        """Yield the JSON document: the scores, then the errors."""
        head = {**self.scores.head(), **self.scores.resampling}
        return json_document(head, {"scores": self.scores.records(), "details": self.records()}, streamed=False)

    def summary(self) -> list[str]:
        """Return the summary of the scores."""
        return self.scores.summary()


def _group_row(name: str, details: ErrorDetails, looks: Looks) -> list[str]:
    inserted, deleted, replaced = details.edits
    sizes = (details.words, details.words - deleted - replaced, replaced, deleted, inserted, details.errors)
    segments = f"{details.wrong_segments} / {details.segments}"
    return [harmless(name), *map(str, sizes), looks.rate(details.rate), segments]


class SentenceScoreTable(ScoreTable):
    """A score of each segment, system and metric."""

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        return ["segment", "system", *(one.metric.name for one in self.tabled[0])]

    def records(self) -> Iterator[Record]:
        """Yield a record for each segment and system.

        Fields:
            segment (str): Its id, or its number from 1 if files have no ids.
            system (str): The file, as given.
            scores (Mapping): By metric, a number or null.
        """
        names = [one.metric.name for one in self.tabled[0]]
        scores = [list(zip(*(one.sentences() for one in row), strict=True)) for row in self.tabled]
        for segment, each in zip(self.ids, zip(*scores, strict=True), strict=True):
            for system, numbers in zip(self.systems, each, strict=True):
                yield {"segment": segment, "system": system, "scores": dict(zip(names, numbers, strict=True))}

    def rows(self) -> Iterator[list[Any]]:
        """Yield a row for each segment and system."""
        return ([one["segment"], one["system"], *one["scores"].values()] for one in self.records())

    def text(self) -> list[str]:
        """Return a table; it names systems if there are several."""
        metrics = [one.metric for one in self.tabled[0]]
        rows: list[list[str]] = [["segment", "system", *map(self.title, metrics)]]
        for segment, system, *scores in self.rows():
            cells = (self.shown(metric, score) for metric, score in zip(metrics, scores, strict=True))
            rows.append([shown(segment), shown(system), *cells])
        if len(self.tabled) > 1:
            return aligned(rows, left=(0, 1))
        return aligned([[row[0], *row[2:]] for row in rows])

    def document(self) -> Iterator[str]:
        """Yield the JSON document.

        Fields:
            signatures (Mapping): By metric, its signature.
            sentences (list): The sentences, segment by segment; `jsonl` has one per line.
        """
        signatures = {one.metric.name: one.signature.format(short=self.short_signature) for one in self.tabled[0]}
        return json_document({**self.head(), "signatures": signatures}, {"sentences": self.records()}, streamed=False)


def explanation_lines(table: ScoreTable, texts: Mapping[str, tuple[Texts, Texts]], at: int) -> Iterator[str]:
    """Yield the counts of each metric on one segment, for each system.

    Args:
        table: The scores.
        texts: The outputs of all systems and the references of each segment, as each metric compares them.
        at: The position of the segment.
    """
    from latticemetric.metrics.base import explain

    for number, row in enumerate(table.tabled):
        for one in row:
            outputs, expected = texts[one.metric.name]
            drawing = explain(one.metric, outputs[number][at], list(expected[at])) or "(this metric shows no counts)"
            yield f"{harmless(one.system)}: {one.metric.name} {_lone_score(one, at, table.looks)}"
            yield from (f"    {harmless(line)}" for line in drawing.split("\n"))
            yield ""


def _lone_score(one: Tabled, at: int, looks: Looks) -> str:
    value = one.sentences()[at]
    return looks.lone_rate(value) if one.metric.is_fraction else shown(value)
