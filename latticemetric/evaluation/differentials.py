"""Correlation of differences between systems, and how often metric and people prefer the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from latticemetric.evaluation.bootstrap import Interval, interval
from latticemetric.evaluation.coefficients import Floats, differences
from latticemetric.evaluation.correlation import Correlation, Points, bounds, correlation
from latticemetric.evaluation.resampling import Values
from latticemetric.evaluation.systems import tied


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
