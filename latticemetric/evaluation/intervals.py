"""Bootstrap over segments: intervals of a corpus value, and of the difference of two systems.

A resample has the size of the test set; its segments are drawn with replacement. The metric computes the value of a
resample from the sum of the statistics of its segments. For NIST, the weights of n-grams come from all references;
resamples keep the weights of the whole test set. Sums are computed by matrix products in bounded memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import real_number, whole_number
from latticemetric.errors import UsageError
from latticemetric.frozen import Record
from latticemetric.metrics.base import Table

Values = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""Values at most this far apart count as equal, since the order of a sum may change its last bits."""

# A matrix of weights has at most _MOST_CELLS cells (32 MB). It is filled in parts of at most _CELLS_AT_ONCE cells,
# which fit into the cache. Products use the whole matrix: many small products would wait too often for BLAS's threads
# on a busy machine.
_MOST_CELLS = 2**22
_CELLS_AT_ONCE = 2**16

# More resamples would not change visible digits.
_MOST_RESAMPLES = 10**6


class TabledMetric(Protocol):
    """The part of a metric that resampling needs."""

    def values(self, sums: Table) -> Values:
        """Return the score of each row of summed statistics; NaN if undefined."""
        ...


@dataclass(frozen=True)
class Interval(Record):
    """A value and the percentile interval of its resamples.

    Attributes:
        value: The value of the whole test set; `None` if undefined.
        low: The interval's lower end; `None` if `value` is undefined, or if no resample has a value.
        high: The interval's upper end; `None` if `low` is `None`.
        half_width: Half the difference of the two ends; `None` if `low` is `None`.
        confidence: The share of resamples inside the interval.
        resamples: The number of resamples.
        undefined: The number of resamples without a value; the interval leaves them out.
    """

    value: float | None
    low: float | None
    high: float | None
    half_width: float | None
    confidence: float
    resamples: int
    undefined: int


@dataclass(frozen=True)
class PairedBootstrap(Record):
    """The difference of two systems on the same resamples (Koehn 2004, section 5).

    Attributes:
        difference: The interval of the second system's value minus the first's.
        p: Two-sided p-value, 2 (c + 1) / (R + 1), at most 1. R is the number of resamples. c is the number of resamples
            whose difference is undefined, or does not have the sign of the observed difference. p is 1 if the systems
            are equal on the whole test set, and `None` if their difference is undefined there.
    """

    difference: Interval
    p: float | None


def bootstrap(
    metric: TabledMetric, table: Table, *, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> Interval:
    """Return the percentile interval of a corpus value.

    Args:
        metric: The metric, which turns sums into values.
        table: Statistics, one row per segment.
        resamples: The number of test sets to draw.
        seed: The same seed draws the same segments.
        confidence: The share of resamples inside the interval.

    Examples:
        >>> from latticemetric import WER
        >>> wer = WER()
        >>> table = wer.table(["a b", "x y", "a c"], ["a b", "x", "b c"])
        >>> found = bootstrap(wer, table, seed=1)
        >>> found.value, found.low, found.high
        (0.4, 0.0, 1.0)
    """
    (sums,) = resampled_sums([table], resamples, seed)
    return interval_of(value_of(metric, table), metric.values(sums), confidence)


def paired_bootstrap(
    metric: TabledMetric,
    first: Table,
    second: Table,
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedBootstrap:
    """Compare two systems on the same resamples of segments: the second system's value minus the first's.

    Args:
        metric: The metric, which turns sums into values.
        first: Statistics of the baseline, one row per segment.
        second: Statistics of the other system.
        resamples: The number of test sets to draw.
        seed: The same seed draws the same segments.
        confidence: The share of resamples inside the interval.
    """
    sums = resampled_sums([first, second], resamples, seed)
    observed = value_of(metric, second) - value_of(metric, first)
    return paired_bootstrap_of(observed, metric.values(sums[1]) - metric.values(sums[0]), confidence)


def interval_of(value: float, samples: Values, confidence: float) -> Interval:
    """Return the percentile interval of resampled values; NaN means undefined."""
    message, advice = f"confidence {confidence!r} is not between 0 and 1", "give a share like 0.95"
    confidence = real_number(confidence, message, advice, least=math.ulp(0), most=math.nextafter(1, 0))
    defined = samples[~np.isnan(samples)]
    undefined = len(samples) - len(defined)
    if not len(defined) or np.isnan(value):
        return Interval(or_none(value), None, None, None, confidence, len(samples), undefined)
    tail = (1 - confidence) / 2
    low, high = map(float, np.quantile(defined, [tail, 1 - tail]))
    return Interval(float(value), low, high, (high - low) / 2, confidence, len(samples), undefined)


def paired_bootstrap_of(observed: float, differences: Values, confidence: float) -> PairedBootstrap:
    """Return the interval and the p-value of a difference, from its resamples."""
    found = interval_of(observed, differences, confidence)
    if np.isnan(observed):
        return PairedBootstrap(found, None)
    shown = int(np.count_nonzero(differences * np.sign(observed) > ROUNDING)) if abs(observed) > ROUNDING else 0
    return PairedBootstrap(found, min(1.0, 2 * (len(differences) - shown + 1) / (len(differences) + 1)))


def difference_columns(found: PairedBootstrap | None) -> dict[str, float | None]:
    """Return the interval and the p-value of a difference, for JSON; all `None` without resamples.

    Fields:
        low (float | None): The lower end of the interval of the difference.
        high (float | None): The upper end.
        half_width (float | None): Half of the interval's width.
        p_bootstrap (float | None): Two-sided p-value by paired bootstrap; `None` without resamples or difference.
    """
    if found is None:
        return dict.fromkeys(("low", "high", "half_width", "p_bootstrap"))
    ends = found.difference
    return {"low": ends.low, "high": ends.high, "half_width": ends.half_width, "p_bootstrap": found.p}


def value_of(metric: TabledMetric, table: Table) -> float:
    """Return the value of a whole test set; NaN if undefined."""
    return float(metric.values(table.sum(axis=0)))


def or_none(value: float) -> float | None:
    """Return the value, or `None` for NaN."""
    return None if np.isnan(value) else float(value)


# ---- Resampling ----


def resample_counts(segments: int, resamples: int, seed: int) -> Iterator[Table]:
    """Yield matrices of counts: how often each resample (row) draws each segment (column).

    Each row is a multinomial sample of size `segments`. The size of the matrices is bounded; the bound does not change
    the counts.
    """
    generator = np.random.default_rng(checked_seed(seed))
    for rows in chunks(segments, resamples):
        if not segments:
            yield np.zeros((rows, 0))
            continue
        counts, step = np.empty((rows, segments)), max(1, _CELLS_AT_ONCE // segments)
        for first in range(0, rows, step):
            part = counts[first : first + step]
            drawn = generator.integers(0, segments, size=part.shape)
            drawn += segments * np.arange(len(part))[:, None]
            part[:] = np.bincount(drawn.ravel(), minlength=part.size).reshape(part.shape)
        yield counts


def resampled_sums(tables: Sequence[Table], resamples: int, seed: int) -> list[Table]:
    """Return, for each table, the sum of its drawn rows: one sum per resample. All tables use the same resamples."""
    return weighted_sums(tables, resample_counts(shared_length(tables), resamples, seed))


def weighted_sums(tables: Sequence[Table], weights: Iterable[Table]) -> list[Table]:
    """Return, for each table, the weighted sums of its rows: one sum for each row of the `weights` matrices."""
    joined = np.hstack(tables)
    sums = np.vstack([matrix @ joined for matrix in weights])
    return np.split(sums, np.cumsum([table.shape[1] for table in tables])[:-1], axis=1)


def shared_length(tables: Sequence[Table]) -> int:
    """Return the number of segments, which must be the same in all tables."""
    lengths = {len(table) for table in tables} or {0}
    if len(lengths) > 1:
        raise UsageError(
            f"tables of {' and '.join(map(str, sorted(lengths)))} segments cannot be paired",
            advice="give tables of the same segments",
        )
    return lengths.pop()


def chunks(segments: int, resamples: int) -> Iterator[int]:
    """Divide the resamples into blocks of bounded size; yield the number of resamples in each."""
    most = max(1, _MOST_CELLS // max(1, segments))
    for begin in range(0, checked_resamples(resamples), most):
        yield min(most, resamples - begin)


def checked_resamples(number: int) -> int:
    """Return a number of resamples; raise `UsageError` if it is below 1 or above one million."""
    advice = f"draw a whole number from 1 to {_MOST_RESAMPLES}, usually 1000"
    return whole_number(number, f"cannot draw {number!r} resamples", advice, most=_MOST_RESAMPLES)


def checked_seed(seed: int) -> int:
    """Return a seed; raise `UsageError` unless it is a whole number of at least 0, since NumPy accepts no others."""
    return whole_number(seed, f"the seed is {seed!r}", "give a whole number from 0", least=0)
