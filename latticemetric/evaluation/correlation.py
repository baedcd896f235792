"""Correlate a metric with human scores; the points are systems, pairs of systems, segments, or groups of segments.

With resamples, coefficients have confidence intervals; over segments and groups, only Pearson's r has an interval. If a
coefficient is undefined, the result gives the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from latticemetric.evaluation.coefficients import COEFFICIENTS, Floats, differences, moments, pearson_of
from latticemetric.evaluation.intervals import Interval, Values, interval_of
from latticemetric.evaluation.systems import snap_ties
from latticemetric.frozen import freeze
from latticemetric.metrics.base import Table


class PointNames(NamedTuple):
    """Words that name the points of a correlation in messages."""

    noun: str  # for one point, like `system`
    nouns: str  # for several points, like `systems`
    names: Sequence[str] = ()  # the name of each point; empty if points have no names
    value: str = "score"  # the word for the value of a point: `score` or `difference`


@dataclass(frozen=True)
class Correlation:
    """The correlation coefficients of one set of points.

    Attributes:
        points: Number of systems, pairs of systems, judged segments or groups.
        pearson: Product-moment correlation.
        spearman: Rank correlation.
        kendall: τ-b.
        reason: Why the coefficients are undefined; `None` if they are defined.
    """

    points: int
    pearson: Interval
    spearman: Interval
    kendall: Interval
    reason: str | None

    def asdict(self, *, rank_intervals: bool = True) -> dict[str, Any]:
        """Return plain values, for JSON; `interval` is the interval of Pearson's r.

        Args:
            rank_intervals: Keep the intervals of Spearman's and Kendall's coefficients, if there are any.

        Fields:
            pearson (float | None): Pearson's r.
            interval (Interval | None): Its interval; `None` without resamples.
            spearman (float | None): Spearman's ρ.
            spearman_interval (Interval | None): Likewise; not over segments and groups.
            kendall (float | None): Kendall's τ-b.
            kendall_interval (Interval | None): Likewise; not over segments and groups.
        """
        values = {
            "pearson": self.pearson.value,
            "interval": bounds(self.pearson),
            "spearman": self.spearman.value,
            "spearman_interval": bounds(self.spearman),
            "kendall": self.kendall.value,
            "kendall_interval": bounds(self.kendall),
            "points": self.points,
            "reason": self.reason,
        }
        return {name: value for name, value in values.items() if rank_intervals or not name.endswith("_interval")}


def bounds(found: Interval) -> dict[str, Any] | None:
    """Return the ends of an interval, for JSON; `None` without resamples."""
    if not found.resamples:
        return None
    return {name: getattr(found, name) for name in ("low", "high", "half_width", "undefined")}


def correlation(
    metric: Floats, human: Floats, samples: tuple[Floats, Floats], points: PointNames, confidence: float
) -> tuple[Correlation, Values]:
    """Return the coefficients of the points, and Pearson's r in each resample.

    `samples` are the metric's scores and the human scores of the points, one row per resample.
    """
    resampled = {name: coefficient(*samples) for name, coefficient in COEFFICIENTS.items()}
    return _of_points(metric, human, resampled, points, confidence), resampled["pearson"]


def plain_correlation(
    metric: Floats, human: Floats, pearson: Values, points: PointNames, confidence: float
) -> Correlation:
    """Return the coefficients of the points that have both scores (not NaN).

    `pearson` is Pearson's r in each resample. The other coefficients have no intervals.
    """
    there = ~(np.isnan(metric) | np.isnan(human))
    resampled = {name: pearson if name == "pearson" else pearson[:0] for name in COEFFICIENTS}
    found = _of_points(metric[there], human[there], resampled, points, confidence)
    if not there.any() and not np.isnan(human).all():
        return replace(found, reason=f"the metric is undefined for all {points.nouns}")
    return found


def _of_points(
    metric: Floats, human: Floats, resampled: Mapping[str, Values], points: PointNames, confidence: float
) -> Correlation:
    """Return the coefficients of the points, with intervals from resampled coefficients."""
    intervals = {
        name: interval_of(float(coefficient(metric, human)), resampled[name], confidence)
        for name, coefficient in COEFFICIENTS.items()
    }
    return Correlation(len(metric), **intervals, reason=_why_undefined(metric, human, points))


def _why_undefined(metric: Floats, human: Floats, points: PointNames) -> str | None:
    if len(metric) == 0:
        return f"there is no {points.noun}"
    for values, missing in ((metric, "the metric is undefined for"), (human, "there is no human score of")):
        if len(at := np.flatnonzero(np.isnan(values))):
            more = f" and {len(at) - 1} more" if len(at) > 1 else ""
            name = points.names[at[0]] if points.names else f"{points.noun} {at[0] + 1}"
            return f"{missing} {name}{more}"
    if len(metric) == 1:
        return f"there is one {points.noun}, and a correlation needs two"
    if metric.min() == metric.max():
        return f"the metric gives all {points.nouns} the same {points.value}"
    if human.min() == human.max():
        return f"people give all {points.nouns} the same {points.value}"
    return None


# ---- Pairs of systems ----


@dataclass(frozen=True)
class Differentials:
    """Agreement on differences between systems, over all pairs (Coughlin 2003, section 2.1.1).

    Attributes:
        correlation: The correlation of differences. A difference is the value of the earlier system minus the value of
            the later system.
        agreement: The share of pairs with the same order in metric and human scores. A tie agrees only with a tie.
    """

    correlation: Correlation
    agreement: Interval

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            agreement (float | None): The share of pairs that the metric and the judges put in the same order. A tie
                agrees only with a tie.
            agreement_interval (Interval | None): Its interval.
        """
        agreement = {"agreement": self.agreement.value, "agreement_interval": bounds(self.agreement)}
        return {**self.correlation.asdict(), **agreement}


def differentials(
    metric: Floats,
    human: Floats,
    samples: tuple[Floats, Floats],
    systems: Sequence[str],
    *,
    sign: float,
    confidence: float,
) -> Differentials:
    """Compare metric and human scores over the differences of all pairs of systems.

    `sign` is −1 if lower scores of the metric are better, otherwise 1; only `agreement` uses it. `samples` are the
    metric's scores and the human scores of the systems, one row per resample.
    """
    names = [f"{one} and {other}" for one, other in combinations(systems, 2)]
    points = PointNames("pair of systems", "pairs of systems", names, "difference")
    x, y, xs, ys = map(differences, (metric, human, *samples))
    one, other, *resampled = (
        snap_ties(pairs, of) for pairs, of in zip((x, y, xs, ys), (metric, human, *samples), strict=True)
    )
    found, _ = correlation(one, other, (resampled[0], resampled[1]), points, confidence)
    return Differentials(found, interval_of(float(_agreeing(sign * x, y)), _agreeing(sign * xs, ys), confidence))


def _agreeing(metric: Floats, human: Floats) -> Values:
    """Return the share of differences with equal signs; NaN if a difference is missing, or there are no differences."""
    if not metric.shape[-1]:
        return np.full(metric.shape[:-1], np.nan)
    missing = np.isnan(metric).any(axis=-1) | np.isnan(human).any(axis=-1)
    return np.where(missing, np.nan, (np.sign(metric) == np.sign(human)).mean(axis=-1))


# ---- Segments: correlations within each system, their mean over systems, and over the segments of all systems ----
#
# In a resample, Pearson's coefficient comes from sums of moments, as a metric's value comes from sums of statistics.
# Spearman's and Kendall's coefficients have no intervals here, since each resample would need new ranks.

_MOMENTS = 6


@dataclass(frozen=True)
class SegmentCorrelation:
    """Agreement of a metric with human scores of single segments.

    Attributes:
        pearson: The mean of Pearson's r over systems where it is defined (Banerjee & Lavie 2005, section 3.3).
        spearman: The mean of Spearman's ρ over systems where it is defined.
        kendall: The mean of Kendall's τ-b over systems where it is defined.
        systems: The correlation within each system.
        pooled: The correlation over the segments of all systems.
        reason: Why the means are undefined; `None` if they are defined.
    """

    pearson: Interval
    spearman: Interval
    kendall: Interval
    systems: Mapping[str, Correlation]
    pooled: Correlation
    reason: str | None

    def __post_init__(self) -> None:
        freeze(self, "systems")

    @property
    def left_out(self) -> list[str]:
        """Names of the systems whose coefficients are undefined. The means leave these systems out."""
        return [name for name, one in self.systems.items() if one.reason is not None]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON; `interval` is the interval of Pearson's r.

        Fields:
            pearson (float | None): The mean of Pearson's r over systems where it is defined.
            interval (Interval | None): Its interval.
            spearman (float | None): The same mean of Spearman's ρ.
            kendall (float | None): The same mean of Kendall's τ-b.
            points (int): Judged segments of all systems.
        """
        return {
            "pearson": self.pearson.value,
            "interval": bounds(self.pearson),
            "spearman": self.spearman.value,
            "kendall": self.kendall.value,
            "points": sum(one.points for one in self.systems.values()),
            "left_out": self.left_out,
            "reason": self.reason,
            "pooled": self.pooled.asdict(rank_intervals=False),
            "systems": {name: one.asdict(rank_intervals=False) for name, one in self.systems.items()},
        }


def moment_tables(metric: Floats, human: Floats) -> tuple[Table, Table]:
    """Return two tables with one row per segment.

    The first table has the moments of all systems, side by side; the second has the sums of the moments over systems.
    """
    within = np.concatenate([moments(x, y) for x, y in zip(metric, human, strict=True)], axis=-1)
    return within, moments(metric, human).sum(axis=0)


def segment_correlation(
    metric: Floats, human: Floats, sums: tuple[Table, Table], systems: Sequence[str], confidence: float
) -> tuple[SegmentCorrelation, Values]:
    """Return the correlation over segments, and the mean of Pearson's r over systems in each resample.

    `metric` and `human` have one row per system and one column per segment. `sums` are the sums of both tables of
    `moment_tables`, one row per resample.
    """
    within = pearson_of(sums[0].reshape(-1, len(systems), _MOMENTS))
    points = PointNames("judged segment", "judged segments")
    each = {
        name: plain_correlation(x, y, samples, points, confidence)
        for name, x, y, samples in zip(systems, metric, human, within.T, strict=True)
    }
    pooled = plain_correlation(metric.ravel(), human.ravel(), pearson_of(sums[1]), points, confidence)
    samples = _mean_of_defined(within)
    means = {}
    for name in COEFFICIENTS:
        values = np.array([getattr(one, name).value for one in each.values()], dtype=np.float64)  # None becomes NaN
        resampled = samples if name == "pearson" else samples[:0]
        means[name] = interval_of(float(_mean_of_defined(values)), resampled, confidence)
    reason = None
    if None not in (reasons := [one.reason for one in each.values()]):
        reason = f"the correlation is undefined in every system; in {systems[0]}, {reasons[0]}"
    return SegmentCorrelation(**means, systems=each, pooled=pooled, reason=reason), samples


def _mean_of_defined(values: Floats) -> Floats:
    """Return the mean along the last axis, ignoring NaN; return NaN if all values are NaN."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(there, values, 0.0).sum(axis=-1) / there.sum(axis=-1)
    return found
