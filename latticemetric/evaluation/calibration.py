"""Calibration: comparison of probabilities with frequencies of events, and of expected errors with real errors.

Resamples draw whole groups (utterances), since the words of an utterance depend on each other.

- NCE, normalized cross entropy (Siu, Gish & Richardson 1997), as NIST's sclite computes it. It is 1 if all
  probabilities are 0 or 1 and right. It is 0 if they are no better than one constant, the share of events that
  happened. It is negative if they are worse.
- Brier score (Brier 1950): the mean of (probability − outcome)²; 0 is best.
- ECE, expected calibration error: the mean distance between probability and frequency, over bins; 0 is best.
- AUC: draw one event that happened and one that did not; AUC is the chance that the first has the larger probability.
  Ties count half.

Probabilities that differ only by rounding are ties. One that is below the end of a bin only by rounding is in the next
bin: a word that 4 of 10 samples have gets 0.3999999999999999, as 1 minus the probability of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats, refuse_unused, whole_number
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import ROUNDING, Interval, interval_of, resample_counts, weighted_sums
from latticemetric.evaluation.systems import snap_ties
from latticemetric.frozen import Record
from latticemetric.metrics.base import Table

Values = npt.NDArray[np.float64]

LEAST_PROBABILITY = 1e-7
"""Probabilities are clipped to [LEAST_PROBABILITY, 1 − LEAST_PROBABILITY], as in sclite: no logarithm is infinite."""

BINS = 10
_MOST_BINS = 1000
_MOST_CELLS = 2**22


class Resampling(NamedTuple):
    """Settings of intervals: number of resamples (0: no intervals), seed, and confidence level."""

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def weights(self, groups: int) -> Iterator[Table]:
        """Yield matrices of counts: how often each resample (row) draws each group (column)."""
        return resample_counts(groups, self.resamples, self.seed) if self.resamples else iter(())

    def sums(self, table: Table) -> Table:
        """Return, for each resample, the sum of the drawn rows of a table."""
        return weighted_sums([table], self.weights(len(table)))[0] if self.resamples else table[:0]

    def interval(self, value: float, samples: Values) -> Interval:
        """Return a value with its percentile interval."""
        return interval_of(value, samples, self.confidence)


@dataclass(frozen=True)
class ReliabilityBin(Record):
    """A bin of a reliability diagram.

    Attributes:
        low: For probabilities, the lower end of the bin; for expected errors, the smallest value in the bin.
        high: For probabilities, the upper end of the bin; for expected errors, the largest value in the bin.
        count: The number of events or utterances in the bin.
        predicted: The mean probability of the events, or the mean of the expected errors of the utterances; `None` if
            the bin is empty.
        observed: The share of events that happened, or the mean number of errors per utterance.
    """

    low: float
    high: float
    count: int
    predicted: float | None
    observed: Interval


@dataclass(frozen=True)
class EventCalibration(Record):
    """The quality of probabilities of events.

    Attributes:
        count: The number of events.
        happened: The number of events that happened.
        mean: The mean probability; `None` without events.
        nce: Normalized cross entropy; undefined if all events happened, or if no event happened.
        ece: Expected calibration error over the bins.
        brier: Brier score.
        auc: Area under the ROC curve; undefined if all events happened, or if no event happened.
        bins: The reliability diagram: bins of equal width from 0 to 1.
    """

    count: int
    happened: int
    mean: float | None
    nce: Interval
    ece: Interval
    brier: Interval
    auc: Interval
    bins: tuple[ReliabilityBin, ...]


@dataclass(frozen=True)
class ErrorCalibration(Record):
    """Expected errors, compared with real errors.

    Attributes:
        utterances: The number of utterances.
        expected: Expected errors per reference word: the expected word error rate.
        rate: Errors per reference word: the word error rate.
        difference: `expected` minus `rate`; positive if the model expects too many errors.
        ece: Expected calibration error. For each bin, take the distance between the sum of expected errors and the sum
            of errors; add up these distances, and divide by the number of reference words.
        squared_error: The mean of (expected errors − errors)² over utterances.
        bins: The reliability diagram: bins by expected errors, with about equal numbers of utterances.
    """

    utterances: int
    expected: Interval
    rate: Interval
    difference: Interval
    ece: Interval
    squared_error: Interval
    bins: tuple[ReliabilityBin, ...]


# ---- Events, such as "the word is right" or "the whole utterance is right" ----


def event_calibration(
    probability: npt.ArrayLike,
    happened: npt.ArrayLike,
    groups: npt.ArrayLike | None = None,
    *,
    bins: int = BINS,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> EventCalibration:
    """Compare the probabilities of events with their outcomes.

    Args:
        probability: The probability of each event.
        happened: For each event, True if it happened.
        groups: The group (number or name) of each event; events of a group are resampled together. If events are words,
            give the utterance of each word. By default, each event is a group of its own.
        bins: The number of bins of the reliability diagram.
        resamples: The number of resamples for intervals; 0: no intervals.
        seed: The same seed draws the same groups.
        confidence: The share of resamples inside an interval.

    Examples:
        >>> found = event_calibration([0.9, 0.8, 0.6, 0.3], [True, True, False, False], bins=2, resamples=0)
        >>> round(found.nce.value, 3), round(found.ece.value, 3), round(found.brier.value, 3), found.auc.value
        (0.422, 0.15, 0.125, 1.0)
        >>> [(one.low, one.high, one.count, one.observed.value) for one in found.bins]
        [(0.0, 0.5, 1, 0.0), (0.5, 1.0, 3, 0.6666666666666666)]
    """
    if not resamples:
        refuse_unused(event_calibration, "without resamples", seed=seed, confidence=confidence)
    p, outcomes = _checked(probability, happened, "probabilities")
    right = _are_true(outcomes)
    if ((p < 0) | (p > 1)).any():
        raise UsageError("a probability is not between 0 and 1", advice="give no percentages or logarithms")
    group = np.arange(len(p)) if groups is None else _numbered(groups, len(p))
    drawn = Resampling(resamples, seed, confidence)
    table = event_table(p, right, group, _checked_bins(bins))
    sums = np.vstack([table.sum(axis=0), drawn.sums(table)])
    weights = chain([np.ones((1, len(table)))], drawn.weights(len(table)))
    areas = _areas(snap_ties(p, each=True), right, group, weights)

    def interval(values: Values) -> Interval:
        return drawn.interval(float(values[0]), values[1:])

    binned = sums[:, _SUMS:].reshape(len(sums), bins, 3)
    rows = []
    for number in range(bins):
        count, believed, _ = binned[0, number]
        mean = float(believed / count) if count else None
        observed = interval(_ratio(binned[:, number, 2], binned[:, number, 0]))
        rows.append(ReliabilityBin(number / bins, (number + 1) / bins, int(count), mean, observed))
    return EventCalibration(
        count=len(p),
        happened=int(right.sum()),
        mean=float(p.mean()) if len(p) else None,
        nce=interval(cross_entropies(sums)),
        ece=interval(_ratio(np.abs(binned[..., 1] - binned[..., 2]).sum(axis=1), sums[:, 0])),
        brier=interval(_ratio(sums[:, 3], sums[:, 0])),
        auc=interval(areas),
        bins=tuple(rows),
    )


_SUMS = 4


def log_probabilities(probability: Values, right: npt.NDArray[np.bool_]) -> Values:
    """Return the log2 probability of each outcome. `right` is True for each event that happened."""
    inside = np.clip(probability, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    logarithms: Values = np.log2(np.where(right, inside, 1 - inside))
    return logarithms


def event_table(probability: Values, right: npt.NDArray[np.bool_], group: npt.NDArray[np.int64], bins: int) -> Table:
    """Return sums of events, one row per group.

    The first columns are: number of events, number of events that happened, sum of the log2 probabilities of the
    outcomes, sum of (probability − outcome)². Three columns per bin follow: number of events, sum of probabilities,
    number of events that happened.
    """
    groups = int(group.max()) + 1 if len(group) else 0
    table = np.zeros((groups, _SUMS + 3 * bins))
    sides = np.ones_like(probability), right, log_probabilities(probability, right), (probability - right) ** 2
    for column, values in enumerate(sides):
        np.add.at(table[:, column], group, values)
    first = _SUMS + 3 * np.searchsorted(np.arange(1, bins) / bins - ROUNDING, probability, side="right")
    for column, values in enumerate((np.ones_like(probability), probability, right)):
        np.add.at(table, (group, first + column), values)
    return table


def cross_entropies(sums: Table) -> Values:
    """Return the normalized cross entropy of each row of sums from `event_table`; NaN if undefined."""
    count, right, logarithm = sums[:, 0], sums[:, 1], sums[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = right / count
        most = -right * np.log2(share) - (count - right) * np.log2(1 - share)
        values: Values = (most + logarithm) / most
    return values


def _areas(
    probability: Values, right: npt.NDArray[np.bool_], group: npt.NDArray[np.int64], weights: Iterator[Table]
) -> Values:
    """Return areas under the ROC curve, one for each row of group weights; NaN if undefined."""
    if not len(probability):
        return np.array([np.nan for matrix in weights for _ in matrix])
    order = np.argsort(probability, kind="stable")
    ascending, happened, owner = probability[order], right[order], group[order]
    first = np.flatnonzero(np.diff(ascending, prepend=-1.0))  # the first of each run of equal probabilities
    rows_at_once = max(1, _MOST_CELLS // len(order))
    areas = []
    for matrix in weights:
        for begin in range(0, len(matrix), rows_at_once):
            weight = matrix[begin : begin + rows_at_once][:, owner]
            above = np.add.reduceat(weight * happened, first, axis=1)
            below = np.add.reduceat(weight * ~happened, first, axis=1)
            won = (above * (below.cumsum(axis=1) - below / 2)).sum(axis=1)
            areas.append(_ratio(won, above.sum(axis=1) * below.sum(axis=1)))
    return np.concatenate([np.zeros(0), *areas])


# ---- Expected numbers of errors ----


def error_calibration(
    expected: npt.ArrayLike,
    errors: npt.ArrayLike,
    words: npt.ArrayLike,
    *,
    bins: int = BINS,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> ErrorCalibration:
    """Compare expected errors of utterances with their real errors.

    Args:
        expected: The expected number of errors of each utterance.
        errors: The number of errors of each utterance.
        words: The number of reference words of each utterance.
        bins: The number of bins of the reliability diagram. Utterances with equal expected errors share a bin.
        resamples: The number of resamples for intervals; 0: no intervals.
        seed: The same seed draws the same utterances.
        confidence: The share of resamples inside an interval.

    Examples:
        >>> found = error_calibration([0.5, 1.5, 2.0], [0, 2, 2], [4, 5, 6], bins=1, resamples=0)
        >>> round(found.expected.value, 4), round(found.rate.value, 4), round(found.difference.value, 4)
        (0.2667, 0.2667, 0.0)
        >>> round(found.squared_error.value, 4)
        0.1667
    """
    if not resamples:
        refuse_unused(error_calibration, "without resamples", seed=seed, confidence=confidence)
    means, counts, sizes = _checked_utterances(expected, errors, words)
    drawn, number = Resampling(resamples, seed, confidence), _checked_bins(bins)
    tied = snap_ties(means, each=True)
    rank = np.searchsorted(np.sort(tied), tied)
    place = rank * number // max(1, len(means))
    table = np.zeros((len(means), 5 + 3 * number))
    table[:, :5] = np.column_stack([np.ones_like(means), means, counts, sizes, (means - counts) ** 2])
    for column, values in enumerate((np.ones_like(means), means, counts)):
        table[np.arange(len(means)), 5 + 3 * place + column] = values
    sums = np.vstack([table.sum(axis=0), drawn.sums(table)])
    binned = sums[:, 5:].reshape(len(sums), number, 3)

    def interval(numerator: Values, denominator: Values) -> Interval:
        values = _ratio(numerator, denominator)
        return drawn.interval(float(values[0]), values[1:])

    rows = []
    for one in np.unique(place).tolist():
        inside, (count, believed, _) = means[place == one], binned[0, one]
        observed = interval(binned[:, one, 2], binned[:, one, 0])
        rows.append(
            ReliabilityBin(float(inside.min()), float(inside.max()), int(count), float(believed / count), observed)
        )
    return ErrorCalibration(
        utterances=len(means),
        expected=interval(sums[:, 1], sums[:, 3]),
        rate=interval(sums[:, 2], sums[:, 3]),
        difference=interval(sums[:, 1] - sums[:, 2], sums[:, 3]),
        ece=interval(np.abs(binned[..., 1] - binned[..., 2]).sum(axis=1), sums[:, 3]),
        squared_error=interval(sums[:, 4], sums[:, 0]),
        bins=tuple(rows),
    )


# ---- Shared functions ----


def _ratio(numerator: Values, denominator: Values) -> Values:
    """Return ratios; NaN where the denominator is 0."""
    quotient: Values = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def _checked(values: npt.ArrayLike, outcomes: npt.ArrayLike, what: str) -> tuple[Values, Values]:
    numbers, outcome = floats(values, what), floats(outcomes, "outcomes", "give one number, or True or False, each")
    if numbers.ndim != 1 or numbers.shape != outcome.shape:
        raise UsageError(
            f"{what} have shape {numbers.shape}, but outcomes have shape {outcome.shape}",
            advice="give two flat arrays of equal length",
        )
    if not np.isfinite(numbers).all() or not np.isfinite(outcome).all():
        raise UsageError(f"some {what} or outcomes are not finite numbers", advice="remove NaN and infinite values")
    return numbers, outcome


def _checked_utterances(
    expected: npt.ArrayLike, errors: npt.ArrayLike, words: npt.ArrayLike
) -> tuple[Values, Values, Values]:
    means, counts = _checked(expected, errors, "expected errors")
    sizes, _ = _checked(words, errors, "numbers of words")
    if (counts < 0).any() or (sizes < 0).any():
        raise UsageError("a number of errors or words is below 0", advice="give the counts of each utterance")
    return means, counts, sizes


def _are_true(outcomes: Values) -> npt.NDArray[np.bool_]:
    """Return 0 and 1 as False and True; raise `UsageError` for other numbers."""
    true: npt.NDArray[np.bool_] = outcomes == 1
    wrong = outcomes[~true & (outcomes != 0)]
    if len(wrong):
        raise UsageError(f"an outcome is {wrong[0]:g}, not True or False", advice="give True, or 1, for what happened")
    return true


def _numbered(groups: npt.ArrayLike, events: int) -> npt.NDArray[np.int64]:
    """Number the groups from 0; return the number of each event's group."""
    given = np.asarray(groups)
    if given.shape != (events,):
        raise UsageError(f"groups have shape {given.shape}, not ({events},)", advice="give one group per event")
    return np.unique(given, return_inverse=True)[1].astype(np.int64)


def _checked_bins(bins: int) -> int:
    advice = f"give a whole number from 1 to {_MOST_BINS}"
    return whole_number(bins, f"the number of bins is {bins!r}", advice, most=_MOST_BINS)
