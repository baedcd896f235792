"""Results of `latticemetric correlate` as the papers print them: metric × coefficient ± interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from latticemetric.cli.correlate_writing import CorrelationReport
from latticemetric.cli.display import harmless, shown, table
from latticemetric.evaluation.bootstrap import Interval
from latticemetric.evaluation.comparison import MetricComparison
from latticemetric.evaluation.correlation import Correlation
from latticemetric.evaluation.segment_level import SegmentCorrelation


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
    p, tested = _p_values(found.system_comparisons, report), _p_values(found.system_comparisons, report, williams=True)
    header = ["", "Pearson", "Spearman", "Kendall", f"p vs {report.baseline}", "Williams"]
    rows = [
        [_marked(name, report), *_coefficients(one.system), p[name], tested[name]]
        for name, one in found.metrics.items()
    ]
    yield from _with_reasons([header, *rows], [one.system.reason for one in found.metrics.values()])


def _differential_table(report: CorrelationReport) -> Iterator[str]:
    found = report.agreement.metrics
    number = next(iter(found.values())).differentials.correlation.points
    yield f"Pairs of systems: {number}"
    header = ["", "Pearson", "Spearman", "Kendall", "agreement"]
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
    header = ["", "Pearson", "Spearman", "Kendall", f"p vs {report.baseline}", "pooled", "Spearman", "Kendall"]
    rows = [
        [_marked(name, report), *_coefficients(one), p[name], *_coefficients(one.pooled)]
        for name, one in segments.items()
    ]
    yield from _with_reasons([header, *rows], [one.reason for one in segments.values()])


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
    yield from table(rows)


def _score_table(report: CorrelationReport) -> Iterator[str]:
    found = report.agreement
    yield "Scores of systems"
    rows = [["", "human", *(_marked(name, report) for name in found.metrics)]]
    columns = [found.human, *(one.scores for one in found.metrics.values())]
    for k, system in enumerate(found.systems):
        rows.append([harmless(system), *(_with_interval(column[k]) for column in columns)])
    yield from table(rows)


def _group_table(report: CorrelationReport) -> Iterator[str]:
    grouping = report.grouping
    assert grouping is not None
    by = "unigram score" if report.group_by == "unigram" else "human score"
    yield f"Groups by {by}; * of fewer than {grouping.smallest} segments"
    rows = [["group", "segments", "human", *(_marked(name, report) for name in grouping.every)]]
    for group in grouping.groups:
        size = f"{group.size}{' *' if group.small else '  '}"
        rows.append([f"{group.value:g}", size, shown(group.human), *map(shown, group.scores.values())])
    yield from table(rows)
    yield ""
    yield "Correlation over groups, and over those that are not small"
    header = ["", "Pearson", "Spearman", "Kendall", "large", "Spearman", "Kendall"]
    lines = [
        [_marked(name, report), *_coefficients(one), *_coefficients(grouping.large[name])]
        for name, one in grouping.every.items()
    ]
    reasons = [one.reason or _of_large(grouping.large[name].reason) for name, one in grouping.every.items()]
    yield from _with_reasons([header, *lines], reasons)


_TABLES: dict[str, Callable[[CorrelationReport], Iterator[str]]] = {
    "system": _system_table,
    "differentials": _differential_table,
    "segment": _segment_table,
    "by-system": _by_system_table,
    "scores": _score_table,
    "groups": _group_table,
}


def _of_large(reason: str | None) -> str | None:
    return reason and f"of large groups: {reason}"


def _marked(metric: str, report: CorrelationReport) -> str:
    return f"{metric} {'↑' if report.agreement.metrics[metric].higher_is_better else '↓'}"


def _coefficients(found: Correlation | SegmentCorrelation) -> list[str]:
    return [_with_interval(found.pearson), shown(found.spearman.value), shown(found.kendall.value)]


def _with_interval(found: Interval) -> str:
    return shown(found.value) if found.half_width is None else f"{shown(found.value)} ± {found.half_width:.4f}"


def _p_values(
    comparisons: Iterable[MetricComparison], report: CorrelationReport, *, williams: bool = False
) -> dict[str, str]:
    """The p-value of each metric against the baseline."""
    found = dict.fromkeys(report.agreement.metrics, "")
    for one in comparisons:
        if report.baseline not in (one.first, one.second):
            continue
        other = one.second if one.first == report.baseline else one.first
        p = one.williams.p if williams and one.williams else one.bootstrap.p if one.bootstrap else None
        found[other] = shown(p)
    return found


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
