"""Results of `latticemetric correlate` as the papers print them: metric × coefficient ± interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from latticemetric.cli.correlate_writing import CorrelationReport
from latticemetric.cli.display import shown, table
from latticemetric.errors import harmless
from latticemetric.evaluation.agreement import MetricComparison
from latticemetric.evaluation.correlation import Correlation, SegmentCorrelation
from latticemetric.evaluation.intervals import Interval


def text_lines(report: CorrelationReport) -> Iterator[str]:
    """The tables that were asked for."""
    names = [*report.tables, *(["groups"] if report.grouping else [])]
    for k, name in enumerate(names):
        if k:
            yield ""
        yield from _TABLES[name](report)


def _system_table(report: CorrelationReport) -> Iterator[str]:
    found = report.agreement
    yield f"Systems: {len(found.systems)}"
    p, tested = _p_values(found.system_comparisons, report), _williams(report)
    header = ["", *_HEADINGS, *p.heading, *tested.heading]
    rows = [
        [_marked(name, report), *_coefficients(one.system), *p.cells[name], *tested.cells[name]]
        for name, one in found.metrics.items()
    ]
    reasons = [
        one.system.reason or tested.reasons.get(name) or p.reasons.get(name) for name, one in found.metrics.items()
    ]
    yield from _with_reasons([header, *rows], reasons)


def _differential_table(report: CorrelationReport) -> Iterator[str]:
    found = report.agreement.metrics
    number = next(iter(found.values())).differentials.correlation.points
    yield f"Pairs of systems: {number}"
    header = ["", *_HEADINGS, "agreement"]
    rows = [
        [
            _marked(name, report),
            *_coefficients(one.differentials.correlation),
            _with_interval(one.differentials.agreement),
        ]
        for name, one in found.items()
    ]
    yield from _with_reasons([header, *rows], [one.differentials.correlation.reason for one in found.values()])


def _segment_table(report: CorrelationReport) -> Iterator[str]:
    found = report.agreement
    segments = {name: one.segment for name, one in found.metrics.items() if one.segment is not None}
    if not segments:
        yield "Segments: none was judged"
        return
    yield f"Segments: {max(one.pooled.points for one in segments.values())} judged; on average over systems, and pooled"
    p = _p_values(found.segment_comparisons, report)
    header = ["", *_HEADINGS, *p.heading, "pooled", "Spearman", "Kendall"]
    rows = [
        [_marked(name, report), *_coefficients(one), *p.cells[name], *_coefficients(one.pooled)]
        for name, one in segments.items()
    ]
    reasons = [one.reason or p.reasons.get(name) or _without(one.left_out) for name, one in segments.items()]
    yield from _with_reasons([header, *rows], reasons)


def _by_system_table(report: CorrelationReport) -> Iterator[str]:
    segments = {name: one.segment for name, one in report.agreement.metrics.items() if one.segment is not None}
    if not segments:
        yield "Segments: none was judged"
        return
    yield "Segments of each system: Pearson"
    rows = [["", *(_marked(name, report) for name in segments)]]
    rows += [
        [harmless(system), *(_with_interval(one.systems[system].pearson) for one in segments.values())]
        for system in report.agreement.systems
    ]
    rows.append(["average", *(_with_interval(one.pearson) for one in segments.values())])
    reasons = [_first_reason(segments, system) for system in report.agreement.systems]
    yield from _with_reasons(rows, [*reasons, None])


def _score_table(report: CorrelationReport) -> Iterator[str]:
    found = report.agreement
    yield "Scores of systems"
    rows = [["", "human", *(_marked(name, report) for name in found.metrics)]]
    columns = [found.human, *(one.scores for one in found.metrics.values())]
    for k, system in enumerate(found.systems):
        rows.append([harmless(system), *(_with_interval(column[k]) for column in columns)])
    names = ["human", *found.metrics]
    undefined = [
        ", ".join(name for name, column in zip(names, columns, strict=True) if column[k].value is None)
        for k in range(len(found.systems))
    ]
    yield from _with_reasons(rows, [names and f"undefined: {names}" for names in undefined])


def _group_table(report: CorrelationReport) -> Iterator[str]:
    grouping = report.grouping
    assert grouping is not None
    by = "unigram score" if report.group_by == "unigram" else "human score"
    yield f"Groups by {by}; * of fewer than {grouping.smallest} segments"
    rows = [["group", "segments", "human", *(_marked(name, report) for name in grouping.every)]]
    for group in grouping.groups:
        size = f"{group.size}{' *' if group.small else '  '}"
        rows.append([f"{group.value:g}", size, shown(group.human), *map(shown, group.scores.values())])
    yield from _with_reasons(rows, [group.reason for group in grouping.groups])
    yield ""
    yield "Correlation over groups, and over those that are not small"
    header = ["", *_HEADINGS, "large", "Spearman", "Kendall"]
    lines = [
        [_marked(name, report), *_coefficients(one), *_coefficients(grouping.large[name])]
        for name, one in grouping.every.items()
    ]
    reasons = [one.reason or _of_large(grouping.large[name].reason) for name, one in grouping.every.items()]
    yield from _with_reasons([header, *lines], reasons)


_HEADINGS = ("Pearson", "Spearman", "Kendall")

_TABLES: dict[str, Callable[[CorrelationReport], Iterator[str]]] = {
    "system": _system_table,
    "differentials": _differential_table,
    "segment": _segment_table,
    "by-system": _by_system_table,
    "scores": _score_table,
    "groups": _group_table,
}


def _first_reason(segments: Mapping[str, SegmentCorrelation], system: str) -> str | None:
    """Why the first metric that is undefined in a system is so."""
    reasons = {name: one.systems[system].reason for name, one in segments.items()}
    return next((f"{name}: {reason}" for name, reason in reasons.items() if reason), None)


def _without(systems: Sequence[str]) -> str | None:
    return f"without {', '.join(systems)}, where it is undefined" if systems else None


def _of_large(reason: str | None) -> str | None:
    return reason and f"of large groups: {reason}"


def _marked(metric: str, report: CorrelationReport) -> str:
    return f"{metric} {'↑' if report.agreement.metrics[metric].higher_is_better else '↓'}"


def _coefficients(found: Correlation | SegmentCorrelation) -> list[str]:
    return [_with_interval(found.pearson), shown(found.spearman.value), shown(found.kendall.value)]


def _with_interval(found: Interval) -> str:
    return shown(found.value) if found.half_width is None else f"{shown(found.value)} ± {found.half_width:.4f}"


class _Column(NamedTuple):
    """A column of p-values, which need not be there.

    Attributes:
        heading: Its heading, or nothing.
        cells: By metric, a cell or nothing.
        reasons: By metric, why there is no value.
    """

    heading: list[str]
    cells: dict[str, list[str]]
    reasons: dict[str, str]


def _p_values(comparisons: Sequence[MetricComparison], report: CorrelationReport) -> _Column:
    """P-values of the paired bootstrap against the baseline, if anything was resampled and there is anything else."""
    if not report.agreement.resamples or not comparisons:
        return _Column([], {name: [] for name in report.agreement.metrics}, {})
    compared = _against_baseline(comparisons, report)
    found = {name: one.bootstrap.p for name, one in compared.items() if one.bootstrap}
    cells = {name: [""] for name in report.agreement.metrics} | {name: [shown(p)] for name, p in found.items()}
    reasons = {name: f"p: {report.baseline} has no correlation" for name, p in found.items() if p is None}
    return _Column([f"p vs {report.baseline}"], cells, reasons)


def _williams(report: CorrelationReport) -> _Column:
    """P-values of Williams' test against the baseline, if there are systems enough for one."""
    compared = _against_baseline(report.agreement.system_comparisons, report)
    tests = {name: one.williams for name, one in compared.items() if one.williams is not None}
    if all(test.degrees < 1 for test in tests.values()):
        return _Column([], {name: [] for name in report.agreement.metrics}, {})
    cells = {name: [""] for name in report.agreement.metrics} | {name: [shown(test.p)] for name, test in tests.items()}
    reasons = {name: f"Williams: {test.reason}" for name, test in tests.items() if test.reason}
    return _Column(["Williams"], cells, reasons)


def _against_baseline(
    comparisons: Sequence[MetricComparison], report: CorrelationReport
) -> dict[str, MetricComparison]:
    """The comparison of each other metric with the baseline."""
    return {
        one.second if one.first == report.baseline else one.first: one
        for one in comparisons
        if report.baseline in (one.first, one.second)
    }


def _with_reasons(rows: Sequence[list[str]], reasons: Sequence[str | None]) -> Iterator[str]:
    """A table, and behind a row why something in it is undefined."""
    header, *lines = table(rows)
    yield header
    for line, reason in zip(lines, reasons, strict=True):
        yield f"{line}  ({harmless(reason)})" if reason else line


def footer(report: CorrelationReport) -> list[str]:
    """What a reader of the tables has to know."""
    found = report.agreement
    sizes = f"{_number(len(found.human_segments[0]), 'segment')}, {_number(report.references, 'reference')}"
    if found.resamples:
        sizes += f"; ± {100 * found.confidence:g} % of {found.resamples} resamples, seed {found.seed}"
    return ["", *map(harmless, report.notes), sizes, *map(harmless, report.signatures.values())]


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
