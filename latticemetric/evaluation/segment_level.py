"""Correlation over segments: inside each system, on average over systems, and over the pool of all.

In a resample, Pearson's coefficient comes from sums of moments, as a metric's value comes from sums of statistics.
Ranks would have to be made again in each, so that Spearman's and Kendall's have no intervals here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latticemetric.evaluation.bootstrap import Interval, interval
from latticemetric.evaluation.coefficients import COEFFICIENTS, Floats, moments, pearson_of
from latticemetric.evaluation.correlation import Correlation, Points, bounds, plain_correlation
from latticemetric.evaluation.resampling import Values
from latticemetric.metrics.base import Table

_MOMENTS = 6


@dataclass(frozen=True)
class SegmentCorrelation:
    """How a metric agrees with people on single segments.

    Attributes:
        pearson: The mean of the systems' coefficients (Banerjee & Lavie 2005, section 3.3), of those that are defined.
        spearman: Likewise.
        kendall: Likewise.
        systems: Each system's own.
        pooled: Over the segments of all systems.
        reason: Why the means are undefined; `None` where they are defined.
    """

    pearson: Interval
    spearman: Interval
    kendall: Interval
    systems: Mapping[str, Correlation]
    pooled: Correlation
    reason: str | None

    @property
    def left_out(self) -> list[str]:
        """The systems that the means are not of, as their own coefficients are undefined."""
        return [name for name, one in self.systems.items() if one.reason is not None]

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON; `interval` is Pearson's."""
        return {
            "pearson": self.pearson.value,
            "interval": bounds(self.pearson),
            "spearman": self.spearman.value,
            "kendall": self.kendall.value,
            "points": sum(one.points for one in self.systems.values()),
            "left_out": self.left_out,
            "reason": self.reason,
            "pooled": _without_rank_intervals(self.pooled),
            "systems": {name: _without_rank_intervals(one) for name, one in self.systems.items()},
        }


def moment_tables(metric: Floats, human: Floats) -> tuple[Table, Table]:
    """Rows to be resampled, a row a segment: each system's moments side by side, and those of the pool.

    Args:
        metric: A value a segment, a row a system; NaN where it is undefined.
        human: Likewise.
    """
    within = np.concatenate([moments(x, y) for x, y in zip(metric, human, strict=True)], axis=-1)
    return within, moments(metric, human).sum(axis=0)


def segment_correlation(
    metric: Floats, human: Floats, sums: tuple[Table, Table], systems: Sequence[str], confidence: float
) -> tuple[SegmentCorrelation, Values]:
    """The coefficients, and the mean of Pearson's in each resample.

    Args:
        metric: A value a segment, a row a system; NaN where it is undefined.
        human: Likewise.
        sums: Of the rows of `moment_tables` in each resample.
        systems: Names of the systems.
        confidence: The share of resamples that intervals hold.
    """
    within = pearson_of(sums[0].reshape(-1, len(systems), _MOMENTS))
    points = Points("judged segment", "judged segments")
    each = {
        name: plain_correlation(x, y, samples, points, confidence)
        for name, x, y, samples in zip(systems, metric, human, within.T, strict=True)
    }
    pooled = plain_correlation(metric.ravel(), human.ravel(), pearson_of(sums[1]), points, confidence)
    samples = _mean_of_defined(within)
    means = {
        name: interval(
            float(_mean_of_defined(_coefficients(each, name))),
            samples if name == "pearson" else samples[:0],
            confidence,
        )
        for name in COEFFICIENTS
    }
    return SegmentCorrelation(**means, systems=each, pooled=pooled, reason=_why_no_mean(each)), samples


def _why_no_mean(systems: Mapping[str, Correlation]) -> str | None:
    reasons = {name: one.reason for name, one in systems.items()}
    if None in reasons.values():
        return None
    name, reason = next(iter(reasons.items()))
    return f"it is undefined in every system; in {name}, {reason}"


def _coefficients(systems: Mapping[str, Correlation], name: str) -> Floats:
    values = [getattr(one, name).value for one in systems.values()]
    return np.array([np.nan if value is None else value for value in values])


def _mean_of_defined(values: Floats) -> Floats:
    """The mean along the last axis of what is not NaN; NaN where there is nothing."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(there, values, 0.0).sum(axis=-1) / there.sum(axis=-1)
    return found


def _without_rank_intervals(found: Correlation) -> dict[str, Any]:
    return {name: value for name, value in found.asdict().items() if not name.endswith("_interval")}
