"""One correlation with its intervals, over systems, segments or differences; or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from latticemetric.evaluation.bootstrap import Interval, interval
from latticemetric.evaluation.coefficients import COEFFICIENTS, Floats, differences, moments, pearson_of
from latticemetric.evaluation.resampling import Values
from latticemetric.evaluation.systems import tied
from latticemetric.metrics.base import Table

# ---- One correlation with its intervals; and why there is none, where there is none ----


@dataclass(frozen=True)
class Correlation:
    """Coefficients of the same points.

    Attributes:
        points: How many points there are.
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

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON; `interval` is Pearson's."""
        return {
            "pearson": self.pearson.value,
            "interval": bounds(self.pearson),
            "spearman": self.spearman.value,
            "spearman_interval": bounds(self.spearman),
            "kendall": self.kendall.value,
            "kendall_interval": bounds(self.kendall),
            "points": self.points,
            "reason": self.reason,
        }


class Points(NamedTuple):
    """What is correlated.

    Attributes:
        noun: What a point is: `system`.
        nouns: What several are.
        names: What each is called; may be empty.
        value: What is said of a point: `score` or `difference`.
    """

    noun: str
    nouns: str
    names: Sequence[str] = ()
    value: str = "score"


def bounds(found: Interval) -> dict[str, Any] | None:
    """The ends of an interval, for JSON; `None` where nothing was resampled."""
    if not found.resamples:
        return None
    return {name: getattr(found, name) for name in ("low", "high", "half_width", "undefined")}


def correlation(
    metric: Floats, human: Floats, samples: tuple[Floats, Floats], points: Points, confidence: float
) -> tuple[Correlation, Values]:
    """The coefficients of some points, and Pearson's in each resample.

    Args:
        metric: A value a point.
        human: Likewise.
        samples: The same in each resample, a row a resample.
        points: What they are.
        confidence: The share of resamples that intervals hold.
    """
    values = {name: float(coefficient(metric, human)) for name, coefficient in COEFFICIENTS.items()}
    resampled = {name: coefficient(*samples) for name, coefficient in COEFFICIENTS.items()}
    intervals = {name: interval(values[name], resampled[name], confidence) for name in COEFFICIENTS}
    found = Correlation(len(metric), **intervals, reason=why_undefined(metric, human, points))
    return found, resampled["pearson"]


def plain_correlation(metric: Floats, human: Floats, pearson: Values, points: Points, confidence: float) -> Correlation:
    """The coefficients of many points; of resamples, only Pearson's is known.

    Args:
        metric: A value a point; NaN leaves the point out.
        human: Likewise.
        pearson: Pearson's coefficient in each resample.
        points: What they are.
        confidence: The share of resamples that intervals hold.
    """
    there = ~(np.isnan(metric) | np.isnan(human))
    x, y = metric[there], human[there]
    intervals = {
        name: interval(float(coefficient(x, y)), pearson if name == "pearson" else pearson[:0], confidence)
        for name, coefficient in COEFFICIENTS.items()
    }
    if not len(x) and not np.isnan(human).all():
        return Correlation(0, **intervals, reason=f"the metric is undefined for all {points.nouns}")
    return Correlation(len(x), **intervals, reason=why_undefined(x, y, points))


def why_undefined(metric: Floats, human: Floats, points: Points) -> str | None:
    """What keeps a correlation from being defined, in words; `None` where nothing does."""
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


# ---- Correlation of differences between systems, and how often metric and people prefer the same one ----


@dataclass(frozen=True)
class Differentials:
    """How differences of systems agree, over all pairs of systems (Coughlin 2003, section 2.1.1).

    Attributes:
        correlation: Of the differences, the first system's value minus the second's, in the order of the systems.
        agreement: The share of pairs that the metric and people put in the same order; a tie is an order too.
    """

    correlation: Correlation
    agreement: Interval

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
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
    """Compares all pairs of systems.

    Args:
        metric: A value a system.
        human: Likewise.
        samples: The same in each resample, a row a resample.
        systems: Names of the systems.
        sign: −1 where less is better: of use to `agreement` only.
        confidence: The share of resamples that intervals hold.
    """
    names = [f"{one} and {other}" for one, other in combinations(systems, 2)]
    points = Points("pair of systems", "pairs of systems", names, "difference")
    x, y, xs, ys = map(differences, (metric, human, *samples))
    one, other, *resampled = (
        tied(pairs, of) for pairs, of in zip((x, y, xs, ys), (metric, human, *samples), strict=True)
    )
    found, _ = correlation(one, other, (resampled[0], resampled[1]), points, confidence)
    return Differentials(found, interval(float(_agreeing(sign * x, y)), _agreeing(sign * xs, ys), confidence))


def _agreeing(metric: Floats, human: Floats) -> Values:
    """The share of differences of the same sign; NaN where one is missing or there is none."""
    if not metric.shape[-1]:
        return np.full(metric.shape[:-1], np.nan)
    missing = np.isnan(metric).any(axis=-1) | np.isnan(human).any(axis=-1)
    return np.where(missing, np.nan, (np.sign(metric) == np.sign(human)).mean(axis=-1))


# ---- Correlation over segments: inside each system, on average over systems, and over the pool of all ----
#
# In a resample, Pearson's coefficient comes from sums of moments, as a metric's value comes from sums of statistics.
# Ranks would have to be made again in each, so that Spearman's and Kendall's have no intervals here.

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
