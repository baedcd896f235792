"""Significance tests: approximate randomisation, Williams' test of two correlations, Student's t.

Approximate randomisation (Noreen 1989; Riezler & Maxwell 2005) swaps the outputs of two systems in random segments, and
computes the difference again. If the systems are equally good, swaps do not change the distribution of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats, real_number
from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import pearson
from latticemetric.evaluation.intervals import (
    ROUNDING,
    TabledMetric,
    Values,
    checked_seed,
    chunks,
    shared_length,
    value_of,
    weighted_sums,
)
from latticemetric.frozen import Record
from latticemetric.metrics.base import Table


def checked_level(alpha: float) -> float:
    """Return the level of significance; raise `UsageError` if it is not between 0 and 1."""
    message, advice = f"the significance level {alpha!r} is not between 0 and 1", "give a level like 0.05"
    return real_number(alpha, message, advice, least=math.ulp(0), most=math.nextafter(1, 0))


# ---- Approximate randomisation ----


@dataclass(frozen=True)
class Randomisation(Record):
    """The result of a randomisation test.

    Attributes:
        difference: The second system's value minus the first's; `None` if undefined.
        p: Two-sided p-value, (c + 1) / (R + 1). c is the number of trials whose difference is undefined, or at least as
            large as the observed one (in absolute value). `None` if the observed difference is undefined.
        trials: R, the number of trials.
        undefined: The number of trials with an undefined difference.
    """

    difference: float | None
    p: float | None
    trials: int
    undefined: int


def randomisation_test(
    metric: TabledMetric, first: Table, second: Table, *, trials: int = 1000, seed: int = 0
) -> Randomisation:
    """Test whether two systems differ significantly, by approximate randomisation.

    Args:
        metric: The metric, which turns sums into values.
        first: Statistics of the first system, one row per segment.
        second: Statistics of the second system, on the same segments.
        trials: The number of trials.
        seed: The same seed swaps the same segments.

    Examples:
        >>> from latticemetric import WER
        >>> wer = WER()
        >>> table = wer.table(["a b", "x y", "a c"], ["a b", "x", "b c"])
        >>> randomisation_test(wer, table, table).p
        1.0
    """
    ((one, other),) = swapped_sums([(first, second)], trials, seed)
    observed = value_of(metric, second) - value_of(metric, first)
    return randomisation_of(observed, metric.values(other) - metric.values(one))


def randomisation_of(observed: float, differences: Values) -> Randomisation:
    """Return the result of a randomisation test.

    `observed` is the difference of the systems on the test set; `differences` has one difference per trial. NaN means
    undefined.
    """
    undefined = int(np.count_nonzero(np.isnan(differences)))
    if np.isnan(observed):
        return Randomisation(None, None, len(differences), undefined)
    smaller = int(np.count_nonzero(np.abs(differences) < abs(observed) - ROUNDING))
    p = (len(differences) - smaller + 1) / (len(differences) + 1)
    return Randomisation(float(observed), p, len(differences), undefined)


def swapped_sums(pairs: Sequence[tuple[Table, Table]], trials: int, seed: int) -> list[tuple[Table, Table]]:
    """Return, for each pair of tables, the sums of both tables after swaps: one sum per trial.

    A trial swaps each segment with probability 1/2. All pairs use the same trials.
    """
    moved = moving_sums([table for pair in pairs for table in pair], trials, seed)
    each = zip(pairs, moved[::2], moved[1::2], strict=True)
    return [exchanged_sums(*pair, leaving, coming) for pair, leaving, coming in each]


def moving_sums(tables: Sequence[Table], trials: int, seed: int) -> list[Table]:
    """Return, for each table, the sum of the rows of swapped segments: one sum per trial.

    A trial swaps each segment with probability 1/2. All tables use the same trials, so the sums of any two tables can
    be exchanged (`exchanged_sums`). There is one sum per table, not one per pair of tables.
    """
    segments = shared_length(tables)
    generator = np.random.default_rng(checked_seed(seed))
    drawn = ((generator.random((rows, segments)) < 1 / 2).astype(np.float64) for rows in chunks(segments, trials))
    return weighted_sums(tables, drawn)


def exchanged_sums(first: Table, second: Table, leaving: Table, coming: Table) -> tuple[Table, Table]:
    """Return the sums of two tables after the swaps of each trial.

    `leaving` is the sum of the rows that move from `first` to `second`, one sum per trial. `coming` is the sum of the
    rows that move from `second` to `first`.
    """
    return first.sum(axis=0) - leaving + coming, second.sum(axis=0) - coming + leaving


# ---- Williams' test ----

_FEWEST_POINTS = 4
_SAME = 1e-12


@dataclass(frozen=True)
class Williams(Record):
    """Williams' test of two correlations that share a variable (Williams 1959; Graham & Baldwin 2014).

    Attributes:
        t: The statistic; positive if the second correlation is larger. `None` if undefined.
        degrees: The degrees of freedom of `t`: number of systems minus 3.
        p: The two-sided p-value; `None` if undefined.
        reason: Why the test is undefined; `None` if it is defined.
    """

    t: float | None
    degrees: int
    p: float | None
    reason: str | None


def williams(first: npt.ArrayLike, second: npt.ArrayLike, human: npt.ArrayLike) -> Williams:
    """Test whether two metrics correlate differently with human scores.

    Args:
        first: The first metric's scores, one per point.
        second: The second metric's scores.
        human: The human scores.

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
    # The determinant of the 3 × 3 correlation matrix.
    rest = 1 - with_first**2 - with_second**2 - between**2 + 2 * with_first * with_second * between
    mean = (with_first + with_second) / 2
    variance = 2 * max(0.0, rest) * (number - 1) / (number - 3) + mean**2 * (1 - between) ** 3
    if variance < _SAME:
        return Williams(None, degrees, None, "the two metrics are the same up to scale")
    t = (with_second - with_first) * math.sqrt((number - 1) * (1 + between) / variance)
    return Williams(t, degrees, two_sided_p(t, degrees), None)


# ---- Student's t ----


def t_statistic(first: npt.ArrayLike, second: npt.ArrayLike) -> Values:
    """Return Student's t of two independent samples of the same size, along the last axis.

    If neither sample varies, return 0 for equal means, otherwise an infinite value.
    """
    one, other = (floats(side, "the samples") for side in (first, second))
    difference = one.mean(axis=-1) - other.mean(axis=-1)
    variance = (one.var(axis=-1, ddof=1) + other.var(axis=-1, ddof=1)) / one.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0.0, difference / np.sqrt(variance))


def two_sided_p(t: float, degrees: int) -> float:
    """Return the two-sided p-value of t: the probability of a value at least as far from 0 as t.

    The p-value is a finite sum, since degrees of freedom are whole numbers (Abramowitz & Stegun 1964, 26.7.3 and
    26.7.4).

    Examples:
        >>> round(two_sided_p(12.706, 1), 3), round(two_sided_p(2.228, 10), 3)
        (0.05, 0.05)
    """
    return float(two_sided_ps(np.array([t], dtype=np.float64), degrees)[0])


def two_sided_ps(t: Values, degrees: int) -> Values:
    """Return the two-sided p-value of each t; see `two_sided_p`."""
    if degrees < 1:
        raise UsageError(f"there are {degrees} degrees of freedom", advice="a t-test needs at least one")
    angle = np.arctan(np.abs(t) / math.sqrt(degrees))
    squared = np.cos(angle) ** 2
    odd = degrees % 2
    # Each term is the previous one times cos²θ times (k − 1) / k.
    term, total = np.cos(angle) if odd else np.ones(t.shape), np.zeros(t.shape)
    for k in range(3 if odd else 2, degrees + 1, 2):
        total += term
        term *= squared * ((k - 1) / k)
    inside = 2 / math.pi * (angle + np.sin(angle) * total) if odd else np.sin(angle) * total
    return np.clip(1 - inside, 0.0, 1.0)
