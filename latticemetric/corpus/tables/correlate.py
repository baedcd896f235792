"""Correlations, as `latticemetric correlate` writes them: metric × coefficient ± interval, as papers print them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from latticemetric.corpus.tables.cells import aligned, counted, resampled, shown, with_interval
from latticemetric.corpus.tables.ranks import rank_lines, rank_rows
from latticemetric.corpus.tables.table import Record, Table, as_json
from latticemetric.errors import harmless
from latticemetric.evaluation.agreement import NO_HUMAN_SCORE, NO_SCORE, NO_SEGMENTS, Agreement, MetricComparison
from latticemetric.evaluation.correlation import Correlation, SegmentCorrelation
from latticemetric.evaluation.grouping import Grouping
from latticemetric.evaluation.intervals import Interval
from latticemetric.evaluation.metric_tests import RankTable

_Row = list[object]
_HEADINGS = ("Pearson", "Spearman", "Kendall")


@dataclass(frozen=True)
class CorrelationTable(Table):
    """Correlations as tables, TSV and JSON."""

    test_set: str
    agreement: Agreement
    grouping: Grouping | None
    group_by: str | None
    notes: tuple[str, ...]
    signatures: dict[str, str]
    references: int
    baseline: str
    tables: tuple[str, ...]
    ranks: RankTable | None

    columns = ("table", "metric", "system", "coefficient", "value", "low", "high", "half_width", "points", "reason")

    def records(self) -> Iterator[Record]:
        """Yield one record per coefficient or score."""
        groups = () if self.grouping is None else _group_rows(self.grouping)
        ranks = () if self.ranks is None else rank_rows(self.ranks)
        for row in chain(_rows(self.agreement), groups, ranks):
            yield dict(zip(self.columns, row, strict=True))

    def document(self) -> Iterator[str]:
        """Yield the JSON document.

        Fields:
            test_set (str): The folder or table, as given.
            references (int): Number of references per segment.
            groups (Grouping | None): Groups of segments, with `--group-by`.
            ranks (RankTable | None): Ranks of metrics, with `--ranks`.
            notes (list[str]): Notes on systems left out and on missing judgments.
            signatures (Mapping): By metric: parameters, preparation of the strings, version.
            by (str): `unigram` or `human`.
        """
        groups = {"by": self.group_by, **self.grouping.asdict()} if self.grouping else None
        document = {
            "test_set": self.test_set,
            **self.agreement.asdict(),
            "references": self.references,
            "groups": groups,
            "ranks": self.ranks.asdict() if self.ranks else None,
            "notes": list(self.notes),
            "signatures": self.signatures,
        }
        yield as_json(document)

    def text(self) -> Iterator[str]:
        """Yield the tables of `--tables`, then the groups, if there are any."""
        tables = {
            "system": self._system_table,
            "differentials": self._differential_table,
            "segment": self._segment_table,
            "by-system": self._by_system_table,
            "scores": self._score_table,
            "groups": self._group_table,
            "ranks": self._rank_table,
        }
        added = [name for name, found in (("groups", self.grouping), ("ranks", self.ranks)) if found]
        for k, name in enumerate([*self.tables, *added]):
            if k:
                yield ""
            yield from tables[name]()

    def summary(self) -> list[str]:
        """Return notes, sizes, the resampling settings and signatures."""
        agreement = self.agreement
        sizes = f"{counted(len(agreement.human_segments[0]), 'segment')}, {counted(self.references, 'reference')}"
        if agreement.resamples:
            sizes += f"; {resampled(agreement.confidence, agreement.resamples, agreement.seed)}"
        return ["", *map(harmless, self.notes), sizes, *map(harmless, self.signatures.values())]

    def _system_table(self) -> Iterator[str]:
        yield f"Systems: {len(self.agreement.systems)}"
        p, williams = self._p_values(self.agreement.system_comparisons), self._williams()
        yield from self._metric_table(
            [*_HEADINGS, *p.heading, *williams.heading],
            {
                name: (
                    [*_coefficients(one.system), *p.cells[name], *williams.cells[name]],
                    one.system.reason or williams.reasons.get(name) or p.reasons.get(name),
                )
                for name, one in self.agreement.metrics.items()
            },
        )

    def _differential_table(self) -> Iterator[str]:
        differentials = {name: one.differentials for name, one in self.agreement.metrics.items()}
        yield f"Pairs of systems: {next(iter(differentials.values())).correlation.points}"
        yield from self._metric_table(
            [*_HEADINGS, "agreement"],
            {
                name: ([*_coefficients(one.correlation), _interval_cell(one.agreement)], one.correlation.reason)
                for name, one in differentials.items()
            },
        )

    def _segment_table(self) -> Iterator[str]:
        segments = self._segments()
        if not segments:
            yield "Segments: none has a human score"
            return
        judged = max(one.pooled.points for one in segments.values())
        yield f"Segments: {judged} with human scores; mean over systems, and pooled"
        p = self._p_values(self.agreement.segment_comparisons)
        rows = {}
        for name, one in segments.items():
            without = f"without {', '.join(one.left_out)}: undefined there" if one.left_out else None
            cells = [*_coefficients(one), *p.cells[name], *_coefficients(one.pooled)]
            rows[name] = (cells, one.reason or p.reasons.get(name) or without)
        yield from self._metric_table([*_HEADINGS, *p.heading, "pooled", "Spearman", "Kendall"], rows)

    def _by_system_table(self) -> Iterator[str]:
        segments = self._segments()
        if not segments:
            yield "Segments: none has a human score"
            return
        yield "Segments of each system: Pearson"
        rows, reasons = [["", *map(self._with_arrow, segments)]], list[str | None]()
        for system in self.agreement.systems:
            own = {name: one.systems[system] for name, one in segments.items()}
            rows.append([harmless(system), *(_interval_cell(one.pearson) for one in own.values())])
            reasons.append(next((f"{name}: {one.reason}" for name, one in own.items() if one.reason), None))
        rows.append(["average", *(_interval_cell(one.pearson) for one in segments.values())])
        yield from _with_reasons(rows, [*reasons, None])

    def _score_table(self) -> Iterator[str]:
        yield "Scores of systems"
        columns = {"human": self.agreement.human}
        columns |= {name: one.scores for name, one in self.agreement.metrics.items()}
        rows, reasons = [["", "human", *map(self._with_arrow, self.agreement.metrics)]], list[str | None]()
        for k, system in enumerate(self.agreement.systems):
            rows.append([harmless(system), *(_interval_cell(column[k]) for column in columns.values())])
            undefined = ", ".join(name for name, column in columns.items() if column[k].value is None)
            reasons.append(undefined and f"undefined: {undefined}")
        yield from _with_reasons(rows, reasons)

    def _group_table(self) -> Iterator[str]:
        grouping = self.grouping
        assert grouping is not None
        by = "unigram score" if self.group_by == "unigram" else "human score"
        yield f"Groups by {by}; * of fewer than {grouping.smallest} segments"
        rows = [["group", "segments", "human", *map(self._with_arrow, grouping.every)]]
        for group in grouping.groups:
            size = f"{group.size}{' *' if group.small else '  '}"
            rows.append([f"{group.value:g}", size, shown(group.human), *map(shown, group.scores.values())])
        yield from _with_reasons(rows, [group.reason for group in grouping.groups])
        yield ""
        yield "Correlation over all groups, and over groups not marked with *"
        lines = {}
        for name, one in grouping.every.items():
            large = grouping.large[name]
            of_large = large.reason and f"of groups not marked: {large.reason}"
            lines[name] = ([*_coefficients(one), *_coefficients(large)], one.reason or of_large)
        yield from self._metric_table([*_HEADINGS, "large", "Spearman", "Kendall"], lines)

    def _rank_table(self) -> Iterator[str]:
        assert self.ranks is not None
        return rank_lines(self.ranks)

    def _segments(self) -> dict[str, SegmentCorrelation]:
        """Return the correlations over segments, if segments have human scores."""
        return {name: one.segment for name, one in self.agreement.metrics.items() if one.segment is not None}

    def _metric_table(self, headings: Sequence[str], rows: Mapping[str, tuple[list[str], str | None]]) -> Iterator[str]:
        """Yield a table with one row per metric; add the reason if a value is undefined."""
        marked = ([self._with_arrow(name), *cells] for name, (cells, _) in rows.items())
        return _with_reasons([["", *headings], *marked], [reason for _, reason in rows.values()])

    def _with_arrow(self, metric: str) -> str:
        return f"{metric} {'↑' if self.agreement.metrics[metric].higher_is_better else '↓'}"

    def _p_values(self, comparisons: Sequence[MetricComparison]) -> _Column:
        """Return p-values of the paired bootstrap against the baseline.

        The column is empty if there are no resamples, or if the baseline is the only metric.
        """
        compared = self._against_baseline(comparisons)
        values = {name: one.bootstrap.p for name, one in compared.items() if one.bootstrap}
        reasons = {name: f"p: {self.baseline} has no correlation" for name, p in values.items() if p is None}
        return self._column(f"p vs {self.baseline}", values, reasons)

    def _williams(self) -> _Column:
        """Return p-values of Williams' test against the baseline; none if there are too few systems."""
        compared = self._against_baseline(self.agreement.system_comparisons)
        tests = {name: one.williams for name, one in compared.items() if one.williams is not None}
        has_degrees = any(test.degrees >= 1 for test in tests.values())
        values = {name: test.p for name, test in tests.items()} if has_degrees else {}
        reasons = {name: f"Williams: {test.reason}" for name, test in tests.items() if test.reason and has_degrees}
        return self._column("Williams", values, reasons)

    def _column(self, title: str, values: Mapping[str, float | None], reasons: Mapping[str, str]) -> _Column:
        blank = [""] if values else []
        cells = {name: [shown(values[name])] if name in values else blank for name in self.agreement.metrics}
        return _Column([title] if values else [], cells, reasons)

    def _against_baseline(self, comparisons: Sequence[MetricComparison]) -> dict[str, MetricComparison]:
        """Return the comparisons with the baseline, by the name of the other metric."""
        return {
            one.second if one.first == self.baseline else one.first: one
            for one in comparisons
            if self.baseline in (one.first, one.second)
        }


@dataclass(frozen=True)
class PairedCorrelationTable(Table):
    """Correlations of each language pair, and ranks of metrics over all pairs."""

    test_set: str
    pairs: dict[str, CorrelationTable]
    ranks: RankTable
    notes: tuple[str, ...]

    columns = ("pair", *CorrelationTable.columns)

    def records(self) -> Iterator[Record]:
        """Yield one record per coefficient or score; `pair` is empty in records over all pairs."""
        for pair, one in self.pairs.items():
            yield from ({"pair": pair, **record} for record in one.records())
        for row in rank_rows(self.ranks):
            yield {"pair": "", **dict(zip(CorrelationTable.columns, row, strict=True))}

    def document(self) -> Iterator[str]:
        """Yield the JSON document."""
        pairs = {pair: json.loads("".join(one.document())) for pair, one in self.pairs.items()}
        yield as_json(
            {"test_set": self.test_set, "pairs": pairs, "ranks": self.ranks.asdict(), "notes": list(self.notes)}
        )

    def text(self) -> Iterator[str]:
        """Yield the tables of each language pair, then the ranks over all pairs."""
        for pair, one in self.pairs.items():
            yield f"== {harmless(pair)}"
            yield from one.text()
            yield ""
        yield f"== {', '.join(map(harmless, self.pairs))}"
        yield from rank_lines(self.ranks)

    def summary(self) -> list[str]:
        """Return the notes of each language pair, then, once, the notes that all pairs share."""
        own = {pair: one.summary()[1:] for pair, one in self.pairs.items()}
        common = [line for line in next(iter(own.values())) if all(line in lines for lines in own.values())]
        each = ((f"{pair}: {line}" for line in lines if line not in common) for pair, lines in own.items())
        return ["", *chain.from_iterable(each), *map(harmless, self.notes), *common]


class _Column(NamedTuple):
    """A column of p-values: its heading (maybe empty), the cell of each metric, and reasons for undefined values."""

    heading: list[str]
    cells: Mapping[str, list[str]]
    reasons: Mapping[str, str]


def _coefficients(one: Correlation | SegmentCorrelation) -> list[str]:
    return [_interval_cell(one.pearson), shown(one.spearman.value), shown(one.kendall.value)]


def _interval_cell(interval: Interval) -> str:
    return with_interval(interval.value, interval.half_width)


def _with_reasons(rows: Sequence[list[str]], reasons: Sequence[str | None]) -> Iterator[str]:
    """Yield a table; append the reason to rows with an undefined value."""
    header, *lines = aligned(rows)
    yield header
    for line, reason in zip(lines, reasons, strict=True):
        yield f"{line}  ({harmless(reason)})" if reason else line


def _rows(agreement: Agreement) -> Iterator[_Row]:
    for system, human in zip(agreement.systems, agreement.human, strict=True):
        reason = NO_HUMAN_SCORE if human.value is None else None
        yield ["scores", "human", system, "score", *_numbers(human), None, reason]
    for metric, one in agreement.metrics.items():
        for system, score in zip(agreement.systems, one.scores, strict=True):
            reason = NO_SCORE if score.value is None else None
            yield ["scores", metric, system, "score", *_numbers(score), None, reason]
    for metric, one in agreement.metrics.items():
        pairs = one.differentials.correlation
        yield from _coefficient_rows("system", metric, "", one.system)
        yield from _coefficient_rows("differentials", metric, "", pairs)
        share = one.differentials.agreement
        reason = pairs.reason if share.value is None else None
        yield ["differentials", metric, "", "agreement", *_numbers(share), pairs.points, reason]
        if one.segment is None:
            yield ["segment", metric, "average", "pearson", None, None, None, None, 0, NO_SEGMENTS]
            continue
        for system, own in one.segment.systems.items():
            yield from _coefficient_rows("segment", metric, system, own)
        yield from _coefficient_rows("segment", metric, "average", one.segment)
        yield from _coefficient_rows("segment", metric, "pooled", one.segment.pooled)


def _group_rows(grouping: Grouping) -> Iterator[_Row]:
    """Yield the TSV rows of groups: the scores of each group, then the correlations over groups.

    In rows of scores, the column `system` holds the value that defines the group. In rows of correlations, it holds
    `every` (over all groups) or `large` (over large groups only).
    """
    for group in grouping.groups:
        for metric, value in {"human": group.human, **group.scores}.items():
            reason = group.reason if value is None else None
            yield ["groups", metric, f"{group.value:g}", "score", value, None, None, None, group.size, reason]
    for metric, every in grouping.every.items():
        yield from _coefficient_rows("groups", metric, "every", every)
        yield from _coefficient_rows("groups", metric, "large", grouping.large[metric])


def _coefficient_rows(name: str, metric: str, system: str, one: Correlation | SegmentCorrelation) -> Iterator[_Row]:
    points = one.pooled.points if isinstance(one, SegmentCorrelation) else one.points
    for coefficient in ("pearson", "spearman", "kendall"):
        interval = getattr(one, coefficient)
        yield [name, metric, system, coefficient, *_numbers(interval), points, one.reason]


def _numbers(interval: Interval) -> list[float | None]:
    return [interval.value, interval.low, interval.high, interval.half_width]
