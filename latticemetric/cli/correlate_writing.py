"""Results of `latticemetric correlate` as TSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from latticemetric.cli.display import tsv_field
from latticemetric.evaluation.agreement import NO_HUMAN_SCORE, NO_SCORE, NO_SEGMENTS, Agreement
from latticemetric.evaluation.correlation import Correlation, SegmentCorrelation
from latticemetric.evaluation.grouping import Grouping
from latticemetric.evaluation.intervals import Interval


@dataclass(frozen=True)
class CorrelationReport:
    """What was found, and what is to be shown of it."""

    test_set: str
    agreement: Agreement
    grouping: Grouping | None
    group_by: str | None
    notes: tuple[str, ...]
    signatures: dict[str, str]
    references: int
    baseline: str
    tables: tuple[str, ...]


def json_lines(report: CorrelationReport) -> Iterator[str]:
    """One document."""
    document = {
        "test_set": report.test_set,
        **report.agreement.asdict(),
        "references": report.references,
        "groups": {"by": report.group_by, **report.grouping.asdict()} if report.grouping else None,
        "notes": list(report.notes),
        "signatures": report.signatures,
    }
    yield json.dumps(document, ensure_ascii=False, allow_nan=False)


_TSV = ("table", "metric", "system", "coefficient", "value", "low", "high", "half_width", "points", "reason")


def tsv_lines(report: CorrelationReport) -> Iterator[str]:
    """A header, and a line a coefficient or score."""
    yield "\t".join(_TSV)
    for row in (*_rows(report.agreement), *_group_rows(report.grouping)):
        yield "\t".join(map(tsv_field, row))


def _rows(found: Agreement) -> Iterator[list[Any]]:
    for system, human in zip(found.systems, found.human, strict=True):
        yield _score_row("human", system, human, NO_HUMAN_SCORE)
    for metric, one in found.metrics.items():
        for system, score in zip(found.systems, one.scores, strict=True):
            yield _score_row(metric, system, score, NO_SCORE)
    for metric, one in found.metrics.items():
        yield from _coefficient_rows("system", metric, "", one.system)
        yield from _coefficient_rows("differentials", metric, "", one.differentials.correlation)
        pairs = one.differentials.correlation
        agreement = one.differentials.agreement
        reason = pairs.reason if agreement.value is None else None
        yield _row(("differentials", metric, "", "agreement"), agreement, pairs.points, reason)
        if one.segment is None:
            yield ["segment", metric, "average", "pearson", None, None, None, None, 0, NO_SEGMENTS]
            continue
        for system, own in one.segment.systems.items():
            yield from _coefficient_rows("segment", metric, system, own)
        yield from _coefficient_rows("segment", metric, "average", one.segment)
        yield from _coefficient_rows("segment", metric, "pooled", one.segment.pooled)


def _group_rows(grouping: Grouping | None) -> Iterator[list[Any]]:
    """Where other tables have a system: the value of a group, or which groups are correlated."""
    if grouping is None:
        return
    for group in grouping.groups:
        for metric, value in {"human": group.human, **group.scores}.items():
            reason = group.reason if value is None else None
            yield ["groups", metric, f"{group.value:g}", "score", value, None, None, None, group.size, reason]
    for metric, found in grouping.every.items():
        yield from _coefficient_rows("groups", metric, "every", found)
        yield from _coefficient_rows("groups", metric, "large", grouping.large[metric])


def _coefficient_rows(
    name: str, metric: str, system: str, found: Correlation | SegmentCorrelation
) -> Iterator[list[Any]]:
    points = found.pooled.points if isinstance(found, SegmentCorrelation) else found.points
    for coefficient in ("pearson", "spearman", "kendall"):
        yield _row((name, metric, system, coefficient), getattr(found, coefficient), points, found.reason)


def _score_row(metric: str, system: str, found: Interval, why_not: str) -> list[Any]:
    reason = why_not if found.value is None else None
    return _row(("scores", metric, system, "score"), found, reason=reason)


def _row(
    place: tuple[str, str, str, str], found: Interval, points: int | None = None, reason: str | None = None
) -> list[Any]:
    return [*place, found.value, found.low, found.high, found.half_width, points, reason]
