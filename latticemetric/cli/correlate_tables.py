"""Results of `latticemetric correlate`: tables as papers print them (metric × coefficient ± interval), TSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from latticemetric.cli.results import Record, Results, as_json, counted, shown, table, with_interval
from latticemetric.errors import harmless
from latticemetric.evaluation.agreement import NO_HUMAN_SCORE, NO_SCORE, NO_SEGMENTS, Agreement, MetricComparison
from latticemetric.evaluation.correlation import Correlation, SegmentCorrelation
from latticemetric.evaluation.grouping import Grouping
from latticemetric.evaluation.intervals import Interval

_Row = list[object]
_HEADINGS = ("Pearson", "Spearman", "Kendall")


@dataclass(frozen=True)
class Correlations(Results):
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

    columns = ("table", "metric", "system", "coefficient", "value", "low", "high", "half_width", "points", "reason")

    def records(self) -> Iterator[Record]:
        """Yield one record per coefficient or score."""
        groups = () if self.grouping is None else _group_rows(self.grouping)
        for row in chain(_rows(self.agreement), groups):
            yield dict(zip(self.columns, row, strict=True))

    def document(self) -> Iterator[str]:
        """Yield the document."""
        groups = {"by": self.group_by, **self.grouping.asdict()} if self.grouping else None
        document = {
            "test_set": self.test_set,
            **self.agreement.asdict(),
            "references": self.references,
            "groups": groups,
            "notes": list(self.notes),
            "signatures": self.signatures,
        }
        yield as_json(document)

    def text(self) -> Iterator[str]:
        """Yield the tables of `--tables`, and groups if there are any."""
        tables = {
            "system": self._system_table,
            "differentials": self._differential_table,
            "segment": self._segment_table,
            "by-system": self._by_system_table,
            "scores": self._score_table,
            "groups": self._group_table,
        }
        for k, name in enumerate([*self.tables, *(["groups"] if self.grouping else [])]):
            if k:
                yield ""
            yield from tables[name]()

    def summary(self) -> list[str]:
        """Return notes, sizes, the resampling settings and signatures."""
        agreement = self.agreement
        sizes = f"{counted(len(agreement.human_segments[0]), 'segment')}, {counted(self.references, 'reference')}"
        if agreement.resamples:
            drawn = f"± {100 * agreement.confidence:g} % of {agreement.resamples} resamples, seed {agreement.seed}"
            sizes += f"; {drawn}"
        return ["", *map(harmless, self.notes), sizes, *map(harmless, self.signatures.values())]

    def _system_table(self) -> Iterator[str]:
        agreement = self.agreement
        yield f"Systems: {len(agreement.systems)}"
        p, tested = self._p_values(agreement.system_comparisons), self._williams()
        header = ["", *_HEADINGS, *p.heading, *tested.heading]
        rows = [
            [self._marked(name), *_coefficients(one.system), *p.cells[name], *tested.cells[name]]
            for name, one in agreement.metrics.items()
        ]
        reasons = [
            one.system.reason or tested.reasons.get(name) or p.reasons.get(name)
            for name, one in agreement.metrics.items()
        ]
        yield from _with_reasons([header, *rows], reasons)

    def _differential_table(self) -> Iterator[str]:
        metrics = self.agreement.metrics
        number = next(iter(metrics.values())).differentials.correlation.points
        yield f"Pairs of systems: {number}"
        header = ["", *_HEADINGS, "agreement"]
        rows = [
            [
                self._marked(name),
                *_coefficients(one.differentials.correlation),
                _interval_cell(one.differentials.agreement),
            ]
            for name, one in metrics.items()
        ]
        yield from _with_reasons([header, *rows], [one.differentials.correlation.reason for one in metrics.values()])

    def _segment_table(self) -> Iterator[str]:
        agreement = self.agreement
        segments = {name: one.segment for name, one in agreement.metrics.items() if one.segment is not None}
        if not segments:
            yield "Segments: none was judged"
            return
        judged = max(one.pooled.points for one in segments.values())
        yield f"Segments: {judged} judged; on average over systems, and pooled"
        p = self._p_values(agreement.segment_comparisons)
        header = ["", *_HEADINGS, *p.heading, "pooled", "Spearman", "Kendall"]
        rows = [
            [self._marked(name), *_coefficients(one), *p.cells[name], *_coefficients(one.pooled)]
            for name, one in segments.items()
        ]
        reasons = [one.reason or p.reasons.get(name) or _without(one.left_out) for name, one in segments.items()]
        yield from _with_reasons([header, *rows], reasons)

    def _by_system_table(self) -> Iterator[str]:
        segments = {name: one.segment for name, one in self.agreement.metrics.items() if one.segment is not None}
        if not segments:
            yield "Segments: none was judged"
            return
        yield "Segments of each system: Pearson"
        rows = [["", *(self._marked(name) for name in segments)]]
        rows += [
            [harmless(system), *(_interval_cell(one.systems[system].pearson) for one in segments.values())]
            for system in self.agreement.systems
        ]
        rows.append(["average", *(_interval_cell(one.pearson) for one in segments.values())])
        reasons = [_first_reason(segments, system) for system in self.agreement.systems]
        yield from _with_reasons(rows, [*reasons, None])

    def _score_table(self) -> Iterator[str]:
        agreement = self.agreement
        yield "Scores of systems"
        rows = [["", "human", *(self._marked(name) for name in agreement.metrics)]]
        columns = [agreement.human, *(one.scores for one in agreement.metrics.values())]
        for k, system in enumerate(agreement.systems):
            rows.append([harmless(system), *(_interval_cell(column[k]) for column in columns)])
        names = ["human", *agreement.metrics]
        undefined = [
            ", ".join(name for name, column in zip(names, columns, strict=True) if column[k].value is None)
            for k in range(len(agreement.systems))
        ]
        yield from _with_reasons(rows, [names and f"undefined: {names}" for names in undefined])

    def _group_table(self) -> Iterator[str]:
        grouping = self.grouping
        assert grouping is not None
        by = "unigram score" if self.group_by == "unigram" else "human score"
        yield f"Groups by {by}; * of fewer than {grouping.smallest} segments"
        rows = [["group", "segments", "human", *(self._marked(name) for name in grouping.every)]]
        for group in grouping.groups:
            size = f"{group.size}{' *' if group.small else '  '}"
            rows.append([f"{group.value:g}", size, shown(group.human), *map(shown, group.scores.values())])
        yield from _with_reasons(rows, [group.reason for group in grouping.groups])
        yield ""
        yield "Correlation over groups, and over those that are not small"
        header = ["", *_HEADINGS, "large", "Spearman", "Kendall"]
        lines = [
            [self._marked(name), *_coefficients(one), *_coefficients(grouping.large[name])]
            for name, one in grouping.every.items()
        ]
        reasons = [one.reason or _of_large(grouping.large[name].reason) for name, one in grouping.every.items()]
        yield from _with_reasons([header, *lines], reasons)

    def _marked(self, metric: str) -> str:
        return f"{metric} {'↑' if self.agreement.metrics[metric].higher_is_better else '↓'}"

    def _p_values(self, comparisons: Sequence[MetricComparison]) -> _Column:
        """Return p-values of the paired bootstrap against the baseline; no column without resamples or comparisons."""
        if not self.agreement.resamples or not comparisons:
            return _Column([], {name: [] for name in self.agreement.metrics}, {})
        compared = self._against_baseline(comparisons)
        p_values = {name: one.bootstrap.p for name, one in compared.items() if one.bootstrap}
        cells = {name: [""] for name in self.agreement.metrics} | {name: [shown(p)] for name, p in p_values.items()}
        reasons = {name: f"p: {self.baseline} has no correlation" for name, p in p_values.items() if p is None}
        return _Column([f"p vs {self.baseline}"], cells, reasons)

    def _williams(self) -> _Column:
        """Return p-values of Williams' test against the baseline; no column if there are too few systems."""
        compared = self._against_baseline(self.agreement.system_comparisons)
        tests = {name: one.williams for name, one in compared.items() if one.williams is not None}
        if all(test.degrees < 1 for test in tests.values()):
            return _Column([], {name: [] for name in self.agreement.metrics}, {})
        cells = {name: [""] for name in self.agreement.metrics} | {
            name: [shown(test.p)] for name, test in tests.items()
        }
        reasons = {name: f"Williams: {test.reason}" for name, test in tests.items() if test.reason}
        return _Column(["Williams"], cells, reasons)

    def _against_baseline(self, comparisons: Sequence[MetricComparison]) -> dict[str, MetricComparison]:
        """Return the comparison of each other metric with the baseline."""
        return {
            one.second if one.first == self.baseline else one.first: one
            for one in comparisons
            if self.baseline in (one.first, one.second)
        }


class _Column(NamedTuple):
    """A column of p-values, or no column.

    Attributes:
        heading: Its heading; empty if there is no column.
        cells: The cell of each metric; empty if there is no column.
        reasons: For a metric without a value, the reason.
    """

    heading: list[str]
    cells: dict[str, list[str]]
    reasons: dict[str, str]


def _first_reason(segments: Mapping[str, SegmentCorrelation], system: str) -> str | None:
    """Return the reason of the first metric that is undefined for a system."""
    reasons = {name: one.systems[system].reason for name, one in segments.items()}
    return next((f"{name}: {reason}" for name, reason in reasons.items() if reason), None)


def _without(systems: Sequence[str]) -> str | None:
    return f"without {', '.join(systems)}, where it is undefined" if systems else None


def _of_large(reason: str | None) -> str | None:
    return reason and f"of large groups: {reason}"


def _coefficients(one: Correlation | SegmentCorrelation) -> list[str]:
    return [_interval_cell(one.pearson), shown(one.spearman.value), shown(one.kendall.value)]


def _interval_cell(interval: Interval) -> str:
    return with_interval(interval.value, interval.half_width)


def _with_reasons(rows: Sequence[list[str]], reasons: Sequence[str | None]) -> Iterator[str]:
    """Yield a table; append to a row the reason why a value is undefined."""
    header, *lines = table(rows)
    yield header
    for line, reason in zip(lines, reasons, strict=True):
        yield f"{line}  ({harmless(reason)})" if reason else line


def _rows(agreement: Agreement) -> Iterator[_Row]:
    for system, human in zip(agreement.systems, agreement.human, strict=True):
        yield _score_row("human", system, human, NO_HUMAN_SCORE)
    for metric, one in agreement.metrics.items():
        for system, score in zip(agreement.systems, one.scores, strict=True):
            yield _score_row(metric, system, score, NO_SCORE)
    for metric, one in agreement.metrics.items():
        yield from _coefficient_rows("system", metric, "", one.system)
        yield from _coefficient_rows("differentials", metric, "", one.differentials.correlation)
        pairs = one.differentials.correlation
        share = one.differentials.agreement
        reason = pairs.reason if share.value is None else None
        yield _row(("differentials", metric, "", "agreement"), share, pairs.points, reason)
        if one.segment is None:
            yield ["segment", metric, "average", "pearson", None, None, None, None, 0, NO_SEGMENTS]
            continue
        for system, own in one.segment.systems.items():
            yield from _coefficient_rows("segment", metric, system, own)
        yield from _coefficient_rows("segment", metric, "average", one.segment)
        yield from _coefficient_rows("segment", metric, "pooled", one.segment.pooled)


def _group_rows(grouping: Grouping) -> Iterator[_Row]:
    """Yield the rows of groups. The system column has the group's value; in correlations, `every` or `large`."""
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
        yield _row((name, metric, system, coefficient), getattr(one, coefficient), points, one.reason)


def _score_row(metric: str, system: str, interval: Interval, why_not: str) -> _Row:
    reason = why_not if interval.value is None else None
    return _row(("scores", metric, system, "score"), interval, reason=reason)


def _row(
    place: tuple[str, str, str, str], interval: Interval, points: int | None = None, reason: str | None = None
) -> _Row:
    return [*place, interval.value, interval.low, interval.high, interval.half_width, points, reason]
