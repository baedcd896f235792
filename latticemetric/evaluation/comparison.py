"""Does one metric agree with people better than another? Paired bootstrap, and Williams' test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.evaluation.bootstrap import PairedBootstrap, paired
from latticemetric.evaluation.coefficients import Floats, pearson, two_sided_p
from latticemetric.evaluation.resampling import Values

_FEWEST_POINTS = 4
_SAME = 1e-12


@dataclass(frozen=True)
class Williams:
    """Williams' test of two correlations that share a variable (Williams 1959; Graham & Baldwin 2014).

    Attributes:
        t: The statistic; above 0 where the second correlation is the larger one. `None` where it is undefined.
        degrees: Its degrees of freedom.
        p: Two-sided; `None` where it is undefined.
        reason: Why it is; `None` where it is not.
    """

    t: float | None
    degrees: int
    p: float | None
    reason: str | None

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"t": self.t, "degrees": self.degrees, "p": self.p, "reason": self.reason}


@dataclass(frozen=True)
class MetricComparison:
    """Two metrics' Pearson coefficients with the same human scores.

    Where lower is better, a metric's coefficient is taken with its sign changed.

    Attributes:
        first: A metric.
        second: Another.
        bootstrap: The second one's coefficient minus the first one's, and its p-value; `None` without resamples.
        difference: The same difference; `None` where one is undefined.
        williams: Williams' test over systems; `None` for segments, which are no independent points.
    """

    first: str
    second: str
    difference: float | None
    bootstrap: PairedBootstrap | None
    williams: Williams | None

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        found = self.bootstrap.difference if self.bootstrap else None
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "low": found and found.low,
            "high": found and found.high,
            "half_width": found and found.half_width,
            "p_bootstrap": self.bootstrap and self.bootstrap.p,
            "williams": self.williams.asdict() if self.williams else None,
        }


class Strength(NamedTuple):
    """A metric's coefficient, positive where it agrees with people.

    Attributes:
        value: Of the test set; NaN where it is undefined.
        samples: In each resample.
        scores: Of the points, more being better; `None` where they are not to be tested.
    """

    value: float
    samples: Values
    scores: Floats | None


def compare_all(
    strengths: Mapping[str, Strength], human: Floats | None, confidence: float
) -> tuple[MetricComparison, ...]:
    """Each metric with each one after it."""
    return tuple(_compared(first, second, strengths, human, confidence) for first, second in combinations(strengths, 2))


def williams(first: npt.ArrayLike, second: npt.ArrayLike, human: npt.ArrayLike) -> Williams:
    """Whether the second metric's scores correlate with people's otherwise than the first one's.

    Args:
        first: A value a point.
        second: Another metric's.
        human: People's.

    Examples:
        >>> people = [1, 2, 3, 4, 5, 6]
        >>> round(williams([6, 1, 4, 2, 5, 3], [1, 3, 2, 5, 4, 6], people).p, 4)
        0.1483
    """
    number = len(np.asarray(human))
    degrees = max(0, number - 3)
    if number < _FEWEST_POINTS:
        return Williams(None, degrees, None, f"Williams' test needs {_FEWEST_POINTS} systems")
    with_first, with_second, between = (
        float(pearson(x, y)) for x, y in ((first, human), (second, human), (first, second))
    )
    if math.isnan(with_first + with_second + between):
        return Williams(None, degrees, None, "a correlation is undefined")
    # The determinant of the matrix of the three correlations.
    rest = 1 - with_first**2 - with_second**2 - between**2 + 2 * with_first * with_second * between
    mean = (with_first + with_second) / 2
    variance = 2 * max(0.0, rest) * (number - 1) / (number - 3) + mean**2 * (1 - between) ** 3
    if variance < _SAME:
        return Williams(None, degrees, None, "the two metrics are the same up to scale")
    t = (with_second - with_first) * math.sqrt((number - 1) * (1 + between) / variance)
    return Williams(t, degrees, two_sided_p(t, degrees), None)


def _compared(
    first: str, second: str, strengths: Mapping[str, Strength], human: Floats | None, confidence: float
) -> MetricComparison:
    one, other = strengths[first], strengths[second]
    observed = other.value - one.value
    resampled = paired(observed, other.samples - one.samples, confidence) if len(one.samples) else None
    tested = None
    if human is not None and one.scores is not None and other.scores is not None:
        tested = williams(one.scores, other.scores, human)
    return MetricComparison(first, second, None if math.isnan(observed) else observed, resampled, tested)
