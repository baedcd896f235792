"""Repeated sampling: the number of samples that a metric needs to detect small differences of error rates.

A sample is a labelling of the test set with a given share of errors (Logacheva et al. 2016, section 3.2). To make a
sample, start from the gold tags. Take a random segment, and replace its gold tags by the tags of a system that has
errors in this segment. Repeat this with other segments until there are enough errors. Algorithm 1 and table 2 of the
paper compare metrics by the numbers of samples that the metrics need.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import ceil, floor
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import Values, checked_resamples, checked_seed, shared_length
from latticemetric.evaluation.significance import checked_level, t_statistic, two_sided_ps
from latticemetric.evaluation.word_tags.metrics import COMPARED, TagColumn, TagMetric
from latticemetric.frozen import freeze
from latticemetric.metrics.base import Table

# The error rates of Logacheva et al. 2016: 30 %, 30.01 %, 30.05 %, 30.1 %, 30.2 %.
_FIRST_RATE, _STEP, _STEPS = 0.3, 0.0001, (0, 1, 5, 10, 20)
_TOLERANCE = 1e-6

RATE_DIGITS = 9
"""Differences of error rates are rounded to this number of decimals, since 0.301 − 0.3 is inexact in floating point."""


class ErrorSource:
    """The segments where systems make errors. Samples are drawn from these segments.

    Args:
        gold: The table of the gold tags, compared with themselves: `tag_table(gold, gold)`.
        systems: Tables of real systems, of the same segments.
    """

    def __init__(self, gold: Table, systems: Sequence[Table]) -> None:
        if not systems:
            raise UsageError("there are no systems to draw errors from", advice="give at least one")
        shared_length([gold, *systems])
        self.gold = gold.sum(axis=0)
        self.tags = int(self.gold[TagColumn.TRUE_BAD : TagColumn.TRUE_OK + 1].sum())
        errors = np.stack([system[:, TagColumn.FALSE_BAD] + system[:, TagColumn.FALSE_OK] for system in systems])
        kept = np.flatnonzero(errors.any(axis=0))
        if not len(kept):
            raise UsageError("the systems make no errors", advice="repeated sampling needs systems with errors")
        self.errors = errors[:, kept]
        # All pairs of a segment and a system that makes errors in it.
        segment, system = np.nonzero(self.errors.T)
        self._segment = segment.astype(np.int32)
        self._errors = self.errors[system, segment].astype(np.int64)
        self._gains = np.ascontiguousarray(np.stack([(table - gold)[kept] for table in systems])[system, segment])

    @property
    def reached(self) -> float:
        """The largest error rate that every sample can reach."""
        return float(np.where(self.errors > 0, self.errors, np.inf).min(axis=0).sum()) / self.tags

    def check(self, rates: Sequence[float]) -> None:
        """Raise `UsageError` if some samples cannot reach a rate, or if two rates give equal numbers of errors."""
        for rate in rates:
            if not 0 < rate <= self.reached:
                raise UsageError(
                    f"samples from these systems reach error rates up to {self.reached:.4f}, not {rate:g}",
                    advice="choose lower rates; only their differences matter",
                )
        for one, other in pairwise(rates):
            if (errors := self.least_errors(one)) == self.least_errors(other):
                raise UsageError(
                    f"error rates of {one:g} and {other:g} both mean {errors} errors in {self.tags} tags",
                    advice=f"choose rates that differ by at least {1 / self.tags:.2g}",
                )

    def least_errors(self, rate: float) -> int:
        """Return the smallest number of errors with which a sample reaches an error rate."""
        # The product may be slightly above a whole number by a rounding error.
        return ceil(rate * self.tags - _TOLERANCE)

    def default_rates(self) -> tuple[float, ...]:
        """Return the error rates of Logacheva et al. 2016, changed if necessary.

        If the paper's steps are less than one tag, larger steps are used. If the systems have too few errors, the first
        rate is the highest possible whole per cent, but at least one step.
        """
        step = _STEP * ceil(1 / (_STEP * self.tags) - _TOLERANCE)
        highest = floor(100 * (self.reached - _STEPS[-1] * step)) / 100
        first = max(step, min(_FIRST_RATE, highest))
        return tuple(round(first + k * step, RATE_DIGITS) for k in _STEPS)

    def draw(self, rate: float, samples: int, generator: np.random.Generator) -> Table:
        """Draw samples with an error rate; return the summed statistics of each sample.

        For each sample, shuffle all pairs of a segment and a system that makes errors in this segment. The sample uses
        the first pair of each segment, until it has enough errors (`least_errors`).
        """
        seed = int(generator.integers(2**63))
        gains = _native.draw_errors(self._segment, self._errors, self._gains, self.least_errors(rate), samples, seed)
        return np.asarray(self.gold + gains)


# ---- Repeated sampling ----

SAMPLE_SIZES = (100, 200, 500, 1000, 2000, 5000, 10000)

ROUNDS = 10
"""The default number of rounds at the largest size. The result of a single round would depend on chance."""

_MOST_SAMPLES = 10**7
# The largest number of statistics of samples to hold at once: 8 MB.
_MOST_CELLS = 2**20


@dataclass(frozen=True)
class SamplingTest:
    """A test of a metric on samples of two error rates.

    Attributes:
        metric: The metric's name.
        first: One error rate.
        second: The other error rate.
        p: For each number of samples, the mean p-value over rounds (unpaired two-sided t-tests).
        needed: The smallest number of samples with p below the corrected level; `None` if no tried number is enough.
    """

    metric: str
    first: float
    second: float
    p: Mapping[int, float]
    needed: int | None

    def __post_init__(self) -> None:
        freeze(self, "p")

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**vars(self), "p": [{"samples": size, "p": p} for size, p in self.p.items()]}


@dataclass(frozen=True)
class RepeatedSampling:
    """The result of repeated sampling.

    Attributes:
        tests: A test for each metric and pair of error rates.
        sizes: The numbers of samples tried.
        rounds: The number of rounds for each size; their p-values are averaged.
        level: The significance level of one test: `significance` / number of pairs (Bonferroni).
    """

    tests: tuple[SamplingTest, ...]
    sizes: tuple[int, ...]
    rounds: tuple[int, ...]
    level: float

    def needed(self) -> dict[str, dict[float, int | None]]:
        """Return, for each metric, the number of samples needed for each difference of error rates (table 2).

        If several pairs have the same difference, the largest number counts. `None` means that no tried number was
        enough. The metric that needs the fewest samples comes first.
        """
        found: dict[str, dict[float, int | None]] = {}
        for test in sorted(self.tests, key=lambda test: test.second - test.first):
            row = found.setdefault(test.metric, {})
            difference = round(test.second - test.first, RATE_DIGITS)
            several = (row.get(difference, 0), test.needed)
            row[difference] = None if None in several else max(n for n in several if n is not None)
        order = list(dict.fromkeys(test.metric for test in self.tests))
        beyond = 2 * max(self.sizes)
        effort = {name: sum(beyond if n is None else n for n in found[name].values()) for name in order}
        return {name: found[name] for name in sorted(order, key=lambda name: effort[name])}

    def more_discriminative(self, first: str, second: str, rates: tuple[float, float]) -> str | None:
        """Return the metric that detects a difference of error rates with fewer samples (algorithm 1).

        Take the smallest number of samples at which exactly one metric detects the difference, and return this metric.
        Return `None` if there is no such number.
        """
        of_pair = {test.metric: test for test in self.tests if {test.first, test.second} == set(rates)}
        for name in (first, second):
            if name not in of_pair:
                raise UsageError(
                    f"'{name}' was not tested at error rates {rates[0]:g} and {rates[1]:g}",
                    advice="choose a metric and error rates of `tests`",
                )
        for size in self.sizes:
            shown = [name for name in (first, second) if of_pair[name].p[size] < self.level]
            if len(shown) == 1:
                return shown[0]
        return None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            sizes (list): Objects with `samples` and `rounds`, the number of rounds over which p is averaged.
            needed (Mapping): By metric, first the metric that needs the fewest samples: objects with `difference` (of
                error rates) and `samples` (integer, or null: more than were tried).
            tests (list): Objects with `metric`, `first` and `second` (error rates), `p` (objects with `samples` and
                `p`), `needed` (integer or null).
        """
        table = {
            metric: [{"difference": difference, "samples": needed} for difference, needed in row.items()]
            for metric, row in self.needed().items()
        }
        sizes = [{"samples": size, "rounds": number} for size, number in zip(self.sizes, self.rounds, strict=True)]
        return {"level": self.level, "sizes": sizes, "needed": table, "tests": [test.asdict() for test in self.tests]}


def repeated_sampling(
    gold: Table,
    systems: Sequence[Table],
    metrics: Sequence[TagMetric] = COMPARED,
    *,
    error_rates: Sequence[float] | None = None,
    sizes: Sequence[int] = SAMPLE_SIZES,
    rounds: int = ROUNDS,
    alpha: float = 0.05,
    seed: int = 0,
) -> RepeatedSampling:
    """Sample labellings with given shares of errors, and test which metrics detect the differences.

    Args:
        gold: The table of the gold tags, compared with themselves: `tag_table(gold, gold)`.
        systems: Tables of real systems, of the same segments.
        metrics: The metrics to compare; default: the six metrics of Logacheva et al. 2016.
        error_rates: Shares of wrong tags. Default: 30 %, 30.01 %, 30.05 %, 30.1 % and 30.2 %, as in Logacheva et al.
            2016. If the systems have too few errors, the default rates start at a lower whole per cent. If 0.01 % is
            less than one tag, the steps between the default rates are larger.
        sizes: Numbers of samples to try.
        rounds: The number of rounds for the largest size. Smaller sizes run more rounds on the same samples.
        alpha: The family-wise significance level of all pairs of error rates.
        seed: The same seed draws the same samples.
    """
    source = ErrorSource(gold, systems)
    rates = _checked(source.default_rates() if error_rates is None else error_rates, "error rates")
    numbers = tuple(map(int, _checked(sizes, "numbers of samples")))
    if numbers[0] < 2:  # noqa: PLR2004  a variance needs two
        raise UsageError(f"a t-test cannot use {numbers[0]} samples", advice="give at least 2, usually 100 or more")
    source.check(rates)
    number = checked_resamples(rounds) * numbers[-1]
    if number > _MOST_SAMPLES:
        raise UsageError(
            f"{rounds} rounds of {numbers[-1]} samples are too many for one error rate",
            advice=f"draw at most {_MOST_SAMPLES} in all rounds together",
        )
    generators = np.random.default_rng(checked_seed(seed)).spawn(len(rates))
    with ThreadPoolExecutor(min(len(rates), os.cpu_count() or 1)) as pool:  # the draws release the GIL
        drawn = list(pool.map(lambda rate, own: _values(source, rate, number, metrics, own), rates, generators))
    level = checked_level(alpha) / (len(rates) * (len(rates) - 1) // 2)
    pairs = [(metric.name, *two) for metric in metrics for two in combinations(range(len(rates)), 2)]
    p = [dict[int, float]() for _ in pairs]
    for size in numbers:  # split the samples into rounds of `size`, and run a t-test on each
        sides = [{name: v[: number // size * size].reshape(-1, size) for name, v in one.items()} for one in drawn]
        t = np.stack([t_statistic(sides[first][name], sides[second][name]) for name, first, second in pairs])
        for found, mean in zip(p, two_sided_ps(t, 2 * size - 2).mean(axis=1).tolist(), strict=True):
            found[size] = mean
    tests = []
    for (name, first, second), found in zip(pairs, p, strict=True):
        needed = next((size for size in numbers if found[size] < level), None)
        tests.append(SamplingTest(name, rates[first], rates[second], found, needed))
    return RepeatedSampling(tuple(tests), numbers, tuple(number // size for size in numbers), level)


def _values(
    source: ErrorSource, rate: float, number: int, metrics: Sequence[TagMetric], generator: np.random.Generator
) -> Mapping[str, Values]:
    """Draw `number` samples, and return each metric's values."""
    most = max(1, _MOST_CELLS // len(source.gold))
    pieces: dict[str, list[Values]] = {metric.name: [] for metric in metrics}
    for begin in range(0, number, most):
        sums = source.draw(rate, min(most, number - begin), generator)
        for metric in metrics:
            pieces[metric.name].append(metric.values(sums))
    return {name: np.concatenate(several) for name, several in pieces.items()}


def _checked(numbers: Sequence[float], what: str) -> tuple[float, ...]:
    """Return the distinct numbers in increasing order; raise an error if there are too few."""
    found = tuple(sorted(set(numbers)))
    if not found or (what == "error rates" and len(found) < 2):  # noqa: PLR2004  a difference needs two
        raise UsageError(f"there are too few {what}", advice="give at least two error rates and one number of samples")
    return found
