"""One correlation with its intervals; and why there is none, where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from latticemetric.evaluation.bootstrap import Interval, interval
from latticemetric.evaluation.coefficients import COEFFICIENTS, Floats
from latticemetric.evaluation.resampling import Values


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
