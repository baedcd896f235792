"""Correlation of a metric with people, with intervals: over points, over pairs of systems, over segments.

Where a coefficient is undefined, a reason says why.
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
from latticemetric.metrics.base import Table


class Points(NamedTuple):
    """The points of a correlation, in words.

    Attributes:
        noun: One point: `system`.
        nouns: Several points.
        names: The name of each; may be empty.
        value: What a point has: `score` or `difference`.
    """

    noun: str
    nouns: str
    names: Sequence[str] = ()
    value: str = "score"


@dataclass(frozen=True)
class Correlation:
    """Coefficients of the same points.

    Attributes:
        points: The number of points.
        pearson: Product-moment correlation.
        spearman: Rank correlation.
        kendall: τ-b.
        reason: Why they are undefined; `None` where they are defined.
    """

    points: int
    pearson: Interval
    spearman: Interval
    kendall: Interval
    reason: str | None

    def asdict(self, *, rank_intervals: bool = True) -> dict[str, Any]:
        """Return plain values, for JSON; `interval` is Pearson's.

        Args:
            rank_intervals: Keep those of Spearman's and Kendall's coefficients, which not every correlation has.
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
    """Return the ends of an interval, for JSON; `None` where nothing was resampled."""
    if not found.resamples:
        return None
    return {name: getattr(found, name) for name in ("low", "high", "half_width", "undefined")}


def correlation(
    metric: Floats, human: Floats, samples: tuple[Floats, Floats], points: Points, confidence: float
) -> tuple[Correlation, Values]:
    """Return the coefficients of some points, and Pearson's in each resample.

    Args:
        metric: A value a point.
        human: Likewise.
        samples: The same in each resample, a row a resample.
        points: What they are.
        confidence: The share of resamples that intervals hold.
    """
    resampled = {name: coefficient(*samples) for name, coefficient in COEFFICIENTS.items()}
    return _of_points(metric, human, resampled, points, confidence), resampled["pearson"]


def plain_correlation(metric: Floats, human: Floats, pearson: Values, points: Points, confidence: float) -> Correlation:
    """Return the coefficients of many points, of which only Pearson's has an interval; NaN leaves a point out.

    Args:
        metric: A value a point.
        human: Likewise.
        pearson: Pearson's coefficient in each resample.
        points: What they are.
        confidence: The share of resamples that intervals hold.
    """
    there = ~(np.isnan(metric) | np.isnan(human))
    resampled = {name: pearson if name == "pearson" else pearson[:0] for name in COEFFICIENTS}
    found = _of_points(metric[there], human[there], resampled, points, confidence)
    if not there.any() and not np.isnan(human).all():
        return replace(found, reason=f"the metric is undefined for all {points.nouns}")
    return found


def _of_points(
    metric: Floats, human: Floats, resampled: Mapping[str, Values], points: Points, confidence: float
) -> Correlation:
    intervals = {
        name: interval_of(float(coefficient(metric, human)), resampled[name], confidence)
        for name, coefficient in COEFFICIENTS.items()
    }
    return Correlation(len(metric), **intervals, reason=_why_undefined(metric, human, points))


def _why_undefined(metric: Floats, human: Floats, points: Points) -> str | None:
    if len(metric) == 0:
        return f"there is no {points.noun}"
    for values, missing in ((metric, "the metric is undefined for"), (human, "there is no human score of")):
        at = np.flatnonzero(np.isnan(values))
        if len(at):
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
    """Agreement on differences of systems, over all pairs of systems (Coughlin 2003, section 2.1.1).

    Attributes:
        correlation: Of the differences, the first system's value minus the second's, in the order of the systems.
        agreement: The share of pairs that the metric and people put in the same order; a tie is an order too.
    """

    correlation: Correlation
    agreement: Interval

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
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
    """Compare all pairs of systems.

    Args:
        metric: A value a system.
        human: Likewise.
        samples: The same in each resample, a row a resample.
        systems: Names of the systems.
        sign: −1 where less is better: only `agreement` uses it.
        confidence: The share of resamples that intervals hold.
    """
    names = [f"{one} and {other}" for one, other in combinations(systems, 2)]
    points = Points("pair of systems", "pairs of systems", names, "difference")
    x, y, xs, ys = map(differences, (metric, human, *samples))
    one, other, *resampled = (
        snap_ties(pairs, of) for pairs, of in zip((x, y, xs, ys), (metric, human, *samples), strict=True)
    )
    found, _ = correlation(one, other, (resampled[0], resampled[1]), points, confidence)
    return Differentials(found, interval_of(float(_agreeing(sign * x, y)), _agreeing(sign * xs, ys), confidence))


def _agreeing(metric: Floats, human: Floats) -> Values:
    """Return the share of differences of the same sign; NaN where one is missing or there is none."""
    if not metric.shape[-1]:
        return np.full(metric.shape[:-1], np.nan)
    missing = np.isnan(metric).any(axis=-1) | np.isnan(human).any(axis=-1)
    return np.where(missing, np.nan, (np.sign(metric) == np.sign(human)).mean(axis=-1))


# ---- Segments: inside each system, on average over systems, and over the pool of all ----
#
# In a resample, Pearson's coefficient comes from sums of moments, as a metric's value comes from sums of statistics.
# Ranks would have to be made again in each, so that Spearman's and Kendall's have no intervals here.

_MOMENTS = 6


@dataclass(frozen=True)
class SegmentCorrelation:
    """Agreement of a metric with people on single segments.

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
        """The systems left out of the means, as their own coefficients are undefined."""
        return [name for name, one in self.systems.items() if one.reason is not None]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON; `interval` is Pearson's."""
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
    """Return rows to be resampled, a row a segment: each system's moments side by side, and those of the pool.

    Args:
        metric: A value a segment, a row a system; NaN where it is undefined.
        human: Likewise.
    """
    within = np.concatenate([moments(x, y) for x, y in zip(metric, human, strict=True)], axis=-1)
    return within, moments(metric, human).sum(axis=0)


def segment_correlation(
    metric: Floats, human: Floats, sums: tuple[Table, Table], systems: Sequence[str], confidence: float
) -> tuple[SegmentCorrelation, Values]:
    """Return the coefficients, and the mean of Pearson's in each resample.

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
    means = {}
    for name in COEFFICIENTS:
        values = np.array([getattr(one, name).value for one in each.values()], dtype=np.float64)  # None becomes NaN
        resampled = samples if name == "pearson" else samples[:0]
        means[name] = interval_of(float(_mean_of_defined(values)), resampled, confidence)
    return SegmentCorrelation(**means, systems=each, pooled=pooled, reason=_why_no_mean(each)), samples


def _why_no_mean(systems: Mapping[str, Correlation]) -> str | None:
    reasons = {name: one.reason for name, one in systems.items()}
    if None in reasons.values():
        return None
    name, reason = next(iter(reasons.items()))
    return f"it is undefined in every system; in {name}, {reason}"


def _mean_of_defined(values: Floats) -> Floats:
    """Return the mean along the last axis of what is not NaN; NaN where nothing is."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(there, values, 0.0).sum(axis=-1) / there.sum(axis=-1)
    return found
