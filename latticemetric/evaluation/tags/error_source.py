"""Labellings with a given share of errors, all of them made by real systems (Logacheva et al. 2016, section 3.2).

Segments in which some system errs are drawn, with that system's tags, until there are enough errors; the others have
gold tags.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.evaluation.resampling import Values, shared_length
from latticemetric.evaluation.tags.tag_statistics import Column
from latticemetric.metrics.base import Table

# The paper's error rates: 30 %, 30.01 %, 30.05 %, 30.1 %, 30.2 %.
_FIRST_RATE, _STEP, _STEPS = 0.3, 0.0001, (0, 1, 5, 10, 20)
_TOLERANCE = 1e-6

RATE_DIGITS = 9
"""Shares of errors differ before this decimal: 0.301 - 0.3 is no exact number."""


class ErrorSource:
    """What samples are drawn from: the segments in which some system errs."""

    def __init__(self, gold: Table, systems: Sequence[Table]) -> None:
        if not systems:
            raise UsageError("there are no systems to draw errors from")
        shared_length([gold, *systems])
        self.gold = gold.sum(axis=0)
        self.tags = int(self.gold[Column.TRUE_BAD : Column.TRUE_OK + 1].sum())
        errors = np.stack([system[:, Column.FALSE_BAD] + system[:, Column.FALSE_OK] for system in systems])
        kept = np.flatnonzero(errors.any(axis=0))
        if not len(kept):
            raise UsageError("the systems make no errors", advice="repeated sampling needs some to draw from")
        self.segments = np.arange(len(kept))
        self.errors = errors[:, kept]
        self.gains = np.stack([(system - gold)[kept] for system in systems])
        self.choices = (self.errors > 0).sum(axis=0)
        # The systems that err in a segment, before those that do not.
        self.order = np.argsort(self.errors == 0, axis=0, kind="stable")

    @property
    def reached(self) -> float:
        """The share of errors that every draw reaches."""
        return float(np.where(self.errors > 0, self.errors, np.inf).min(axis=0).sum()) / self.tags

    def check(self, rates: Sequence[float]) -> None:
        """Refuses shares of errors that some draw might not reach, or that are the same number of errors."""
        for rate in rates:
            if not 0 < rate <= self.reached:
                raise UsageError(
                    f"an error rate of {rate:g}: draws from these systems are sure to reach {self.reached:.4f} only",
                    advice="choose lower ones; what counts is how little they differ",
                )
        for one, other in pairwise(rates):
            if self.least_errors(one) == self.least_errors(other):
                errors = self.least_errors(one)
                raise UsageError(
                    f"error rates of {one:g} and {other:g} are {errors} errors both, of {self.tags} tags",
                    advice=f"choose rates that differ by {1 / self.tags:.2g} at least",
                )

    def least_errors(self, rate: float) -> int:
        """The number of errors at which a sample has enough."""
        # A product that should be whole may lie a little above it.
        return ceil(rate * self.tags - _TOLERANCE)

    def default_rates(self) -> tuple[float, ...]:
        """The paper's error rates.

        Steps are made of as many hundredths of a per cent as one tag needs, and all begins at the highest whole per
        cent from which they are reached.
        """
        step = _STEP * ceil(1 / (_STEP * self.tags) - _TOLERANCE)
        highest = floor(100 * (self.reached - _STEPS[-1] * step)) / 100
        first = max(step, min(_FIRST_RATE, highest))
        return tuple(round(first + k * step, RATE_DIGITS) for k in _STEPS)

    def draw(self, rate: float, samples: int, generator: np.random.Generator) -> Table:
        """Summed statistics of some samples.

        All pairs of a segment and a system that errs in it are put in random order, and the first pair of each segment
        counts: with k such systems, the first of k arrivals at rate 1 is one at rate k, from any of them.
        """
        arrival = generator.standard_exponential((samples, len(self.segments))) / self.choices
        turn = (generator.random(arrival.shape) * self.choices).astype(np.int64)
        system = self.order[turn, self.segments]
        taken = arrival <= self._last(arrival, self.errors[system, self.segments], rate)[:, None]
        # A sample takes one segment at least, so that none of these sums is empty.
        _, segment = np.nonzero(taken)
        begin = np.cumsum(taken.sum(axis=1)) - taken.sum(axis=1)
        return np.asarray(self.gold + np.add.reduceat(self.gains[system[taken], segment], begin, axis=0))

    def _last(self, arrival: Values, errors: Values, rate: float) -> Values:
        """When each sample has enough errors."""
        order = np.argsort(arrival, axis=1)
        reached = np.cumsum(np.take_along_axis(errors, order, axis=1), axis=1)
        at = np.argmax(reached >= self.least_errors(rate), axis=1)
        last = np.take_along_axis(order, at[:, None], axis=1)
        return np.take_along_axis(arrival, last, axis=1)[:, 0]
