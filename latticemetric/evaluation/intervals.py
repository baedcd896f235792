"""Bootstrap over segments: resampling, the interval of a corpus value, and that of the difference of two systems.

Segments are drawn with replacement, as many as there are; statistics of the drawn ones are summed, and the sums become
a value as those of the whole test set do. What a metric takes from all references at once (NIST's weights) stays as it
is in the whole set. Sums are products of matrices, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.metrics.base import Table

Values = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""Values this close are equal: sums made in another order may differ in their last bits, and a tie has to be one."""

# Cells of a matrix of weights: 32 MB.
_MOST_CELLS = 2**22

# More resamples change no digit that anybody reads.
_MOST_RESAMPLES = 10**6


class TabledMetric(Protocol):
    """A metric as resampling needs it."""

    def values(self, sums: Table) -> Values:
        """Return the score of each row of summed statistics; NaN where it is undefined."""
        ...


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
        """Return plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class PairedBootstrap:
    """The difference of two systems on the same resamples (Koehn 2004, section 5).

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
        """Return plain values, for JSON."""
        return asdict(self)


def bootstrap(
    metric: TabledMetric, table: Table, *, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> Interval:
    """Return the percentile interval of a corpus value.

    Args:
        metric: Turns sums into values.
        table: Statistics, a row a segment.
        resamples: How many test sets to draw.
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
    """Compare two systems on the same resamples of the same segments: the second one's value minus the first's.

    Args:
        metric: Turns sums into values.
        first: Statistics of the baseline, a row a segment.
        second: Statistics of the other system.
        resamples: How many test sets to draw.
        seed: The same seed draws the same segments.
        confidence: The share of resamples that the interval holds.
    """
    sums = resampled_sums([first, second], resamples, seed)
    observed = value_of(metric, second) - value_of(metric, first)
    return paired_bootstrap_of(observed, metric.values(sums[1]) - metric.values(sums[0]), confidence)


def interval_of(value: float, samples: Values, confidence: float) -> Interval:
    """Return the percentile interval of resampled values; NaN is undefined."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence}", advice="give a share like 0.95")
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
    return PairedBootstrap(found, (len(differences) - shown + 1) / (len(differences) + 1))


def difference_columns(found: PairedBootstrap | None) -> dict[str, float | None]:
    """Return the interval of a difference and its p-value, for JSON; `None` everywhere where nothing was resampled."""
    ends = ("low", "high", "half_width")
    return {
        **{name: getattr(found.difference, name) if found else None for name in ends},
        "p_bootstrap": found.p if found else None,
    }


def value_of(metric: TabledMetric, table: Table) -> float:
    """Return the value of a whole test set; NaN where it is undefined."""
    return float(metric.values(table.sum(axis=0)))


def or_none(value: float) -> float | None:
    """Return a value; `None` for NaN."""
    return None if np.isnan(value) else float(value)


# ---- Resampling ----


def resample_counts(segments: int, resamples: int, seed: int) -> Iterator[Table]:
    """Count how often each resample draws each segment: a row a resample, in matrices of bounded size.

    Each row is a multinomial sample of as many segments as there are. How rows are cut into matrices does not change
    them.
    """
    generator = np.random.default_rng(checked_seed(seed))
    for rows in chunks(segments, resamples):
        if not segments:
            yield np.zeros((rows, 0))
            continue
        drawn = generator.integers(0, segments, size=(rows, segments))
        drawn += segments * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * segments)
        yield counts.reshape(rows, segments).astype(np.float64)


def resampled_sums(tables: Sequence[Table], resamples: int, seed: int) -> list[Table]:
    """Sum each table's rows in each resample, a row a resample; all tables share their resamples."""
    return weighted_sums(tables, resample_counts(shared_length(tables), resamples, seed))


def weighted_sums(tables: Sequence[Table], weights: Iterable[Table]) -> list[Table]:
    """Sum each table's rows, weighted by each row of some matrices."""
    blocks = [[matrix @ table for table in tables] for matrix in weights]
    return [np.vstack(several) for several in zip(*blocks, strict=True)]


def shared_length(tables: Sequence[Table]) -> int:
    """Return the number of segments that all tables have."""
    lengths = {len(table) for table in tables} or {0}
    if len(lengths) > 1:
        raise UsageError(f"tables of {' and '.join(map(str, sorted(lengths)))} segments cannot be paired")
    return lengths.pop()


def chunks(segments: int, resamples: int) -> Iterator[int]:
    """Cut resamples into numbers of rows whose matrices are of bounded size."""
    most = max(1, _MOST_CELLS // max(1, segments))
    for begin in range(0, checked_resamples(resamples), most):
        yield min(most, resamples - begin)


def checked_resamples(number: int) -> int:
    """Return a number of resamples, if it is one."""
    if number < 1:
        raise UsageError(f"{number} resamples", advice="draw one at least, usually 1000")
    if number > _MOST_RESAMPLES:
        raise UsageError(f"{number} resamples", advice=f"draw up to {_MOST_RESAMPLES}, usually 1000")
    return number


def checked_seed(seed: int) -> int:
    """Return a seed, which NumPy wants to be no negative number."""
    if seed < 0:
        raise UsageError(f"seed {seed} is negative", advice="give 0 or more")
    return seed
