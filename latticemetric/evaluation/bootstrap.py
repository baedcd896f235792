"""Bootstrap over segments: the interval of a corpus value, and of the difference of two systems.

Segments are drawn with replacement, as many as there are; statistics of the drawn ones are summed, and the sums become
a value as those of the whole test set do. What a metric takes from all references at once (NIST's weights) stays as it
is in the whole set.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.evaluation.resampling import ROUNDING, TabledMetric, Values, resampled_sums
from latticemetric.metrics.base import Table


@dataclass(frozen=True)
class Interval:
    """A value and the percentile interval of its resamples.

    Attributes:
        value: Of the whole test set; `None` where it is undefined.
        low: The interval's lower end; `None` where no resample has a value.
        high: Its upper end.
        half_width: Half of what lies between.
        confidence: The share of resamples inside.
        resamples: How many were drawn.
        undefined: How many of them have no value, and are left out.
    """

    value: float | None
    low: float | None
    high: float | None
    half_width: float | None
    confidence: float
    resamples: int
    undefined: int

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class PairedBootstrap:
    """How two systems differ on the same resamples (Koehn 2004, section 5).

    Attributes:
        difference: The interval of the second system's value minus the first's.
        p: One-sided: of the resamples, and the test set itself as one more, the share that does not show the sign of
            the observed difference. (c + 1) / (R + 1), where c counts resamples in which the order is the other way
            round, the two are equal, or a value is undefined. 1 where the systems are equal on the whole test set;
            `None` where their difference is undefined.
    """

    difference: Interval
    p: float | None

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def bootstrap(
    metric: TabledMetric, table: Table, *, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> Interval:
    """The percentile interval of a corpus value.

    Args:
        metric: Turns sums into values.
        table: Statistics, a row a segment.
        resamples: How many test sets are drawn.
        seed: The same seed draws the same segments.
        confidence: The share of resamples that the interval holds.

    Examples:
        >>> from latticemetric import WER
        >>> wer = WER()
        >>> table = wer.table(["a b", "x y", "a c"], ["a b", "x", "b c"])
        >>> found = bootstrap(wer, table, seed=1)
        >>> found.value, found.low, found.high
        (0.4, 0.0, 1.0)
    """
    (sums,) = resampled_sums([table], resamples, seed)
    return interval(value_of(metric, table), metric.values(sums), confidence)


def paired_bootstrap(
    metric: TabledMetric,
    first: Table,
    second: Table,
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedBootstrap:
    """The second system's value minus the first's, on the same resamples of the same segments.

    Args:
        metric: Turns sums into values.
        first: Statistics of one system, the baseline, a row a segment.
        second: Statistics of the other, on the same segments.
        resamples: How many test sets are drawn.
        seed: The same seed draws the same segments.
        confidence: The share of resamples that the interval holds.
    """
    sums = resampled_sums([first, second], resamples, seed)
    observed = value_of(metric, second) - value_of(metric, first)
    return paired(observed, metric.values(sums[1]) - metric.values(sums[0]), confidence)


def interval(value: float, samples: Values, confidence: float) -> Interval:
    """The percentile interval of resampled values; NaN is undefined."""
    tail = (1 - checked_confidence(confidence)) / 2
    defined = samples[~np.isnan(samples)]
    undefined = len(samples) - len(defined)
    if not len(defined) or np.isnan(value):
        return Interval(_or_none(value), None, None, None, confidence, len(samples), undefined)
    low, high = map(float, np.quantile(defined, [tail, 1 - tail]))
    return Interval(float(value), low, high, (high - low) / 2, confidence, len(samples), undefined)


def paired(observed: float, differences: Values, confidence: float) -> PairedBootstrap:
    """The interval of resampled differences, and how many of them show what was observed."""
    found = interval(observed, differences, confidence)
    if np.isnan(observed):
        return PairedBootstrap(found, None)
    shown = int(np.count_nonzero(differences * np.sign(observed) > ROUNDING)) if abs(observed) > ROUNDING else 0
    return PairedBootstrap(found, (len(differences) - shown + 1) / (len(differences) + 1))


def value_of(metric: TabledMetric, table: Table) -> float:
    """The value of a whole test set; NaN where it is undefined."""
    return float(metric.values(table.sum(axis=0)))


def checked_confidence(confidence: float) -> float:
    """A share of resamples, inside of 0 and 1."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence}", advice="give a share like 0.95")
    return confidence


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
