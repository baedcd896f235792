"""Counts of points by their order in two variables, for many rows of points at once, without comparing all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from latticemetric.evaluation.coefficients import Counts, Floats, inversions, rank_ranges

_MOST_KEYS = 2**16  # to sort at once: half a megabyte stays near the processor


class HumanOrder:
    """The order of the human scores in rows of points; all rows have the same length."""

    def __init__(self, gold: Floats) -> None:
        self._first, last = rank_ranges(gold)
        self._next = last + 1

    def agreements(self, one: Floats, other: Floats, threshold: float) -> Counts:
        """For each point, count the points of its row on which metric and human scores agree.

        The point has its score of `one`; all points of the row, itself included, have theirs of `other`. Two scores
        tie if they differ by at most `threshold`, and a tie agrees only with a tie.
        """
        order = np.argsort(other, axis=-1, kind="stable")
        ordered = np.take_along_axis(other, order, axis=-1)
        below, up_to = _places(one, ordered, threshold, strict=True), _places(one, ordered, threshold, strict=False)
        counted = _PrefixCounts(np.take_along_axis(self._first, order, axis=-1))
        lower, upper = ([counted.of(place, bound) for bound in (self._first, self._next)] for place in (below, up_to))
        both_lower = lower[0]
        both_equal = upper[1] - upper[0] - lower[1] + lower[0]
        both_higher = one.shape[-1] - self._next - (up_to - upper[1])
        return np.asarray(both_lower + both_equal + both_higher)


class ExchangedOrder:
    """The order of human scores and of the scores of two metrics, which trials exchange point by point.

    Sort once for all trials: the points by human scores, and the scores of both metrics together.
    """

    def __init__(self, gold: Floats, first: Floats, second: Floats) -> None:
        n = self._size = gold.shape[-1]
        self._order = np.argsort(gold, axis=-1, kind="stable")
        people = np.take_along_axis(rank_ranges(gold)[0], self._order, axis=-1)
        codes = rank_ranges(np.concatenate([first, second], axis=-1))[0]
        sides = (np.take_along_axis(side, self._order, axis=-1) for side in (codes[:, :n], codes[:, n:]))
        kind = np.int32 if 2 * n * n < np.iinfo(np.int32).max else np.int64  # smaller integers are sorted faster
        self._people = people.astype(kind) * (2 * n)  # makes room for the rank of a metric's score
        self._keys = [self._people + side.astype(kind) for side in sides]
        self._pairs = n * (n - 1) // 2
        self._told_apart = self._pairs - _tied(np.diff(people, axis=-1) == 0)
        self._has_ties = bool((self._told_apart < self._pairs).any())

    def sums(self, takes_second: npt.NDArray[np.bool_]) -> tuple[Counts, Counts, Counts]:
        """Count pairs, given for each point (trial × row × point) which metric its score comes from.

        Return C − D (concordant minus discordant pairs), the number of pairs with different metric scores, and the
        number of different metric scores.
        """
        trials, rows, n = takes_second.shape
        at_once = max(1, _MOST_KEYS // max(1, rows * n))
        parts = [self._of_trials(takes_second[k : k + at_once]) for k in range(0, trials, at_once)]
        balance, untied, distinct = (np.concatenate(side) for side in zip(*parts, strict=True))
        return balance, untied, distinct

    def _of_trials(self, takes_second: npt.NDArray[np.bool_]) -> tuple[Counts, Counts, Counts]:
        taken = np.take_along_axis(takes_second, np.broadcast_to(self._order, takes_second.shape), axis=-1)
        keys = np.where(taken, self._keys[1], self._keys[0])
        if self._has_ties:
            keys.sort(axis=-1)  # by human scores, then by the metric's
        scores = keys - self._people
        discordant = inversions(scores.reshape(-1, self._size)).reshape(scores.shape[:-1])
        tied_both = _tied(np.diff(keys, axis=-1) == 0)
        rows, codes = scores.shape[0] * scores.shape[1], 2 * self._size
        of_codes = (np.arange(rows)[:, None] * codes + scores.reshape(rows, -1)).ravel()
        counts = np.bincount(of_codes, minlength=rows * codes).reshape(*scores.shape[:-1], codes)
        untied = self._pairs - (counts * (counts - 1)).sum(axis=-1) // 2
        balance = self._told_apart - self._pairs + untied + tied_both - 2 * discordant
        return balance, untied, (counts > 0).sum(axis=-1)


def _tied(is_equal: npt.NDArray[np.bool_]) -> Counts:
    """Count the pairs of equal values in sorted rows, given for each value but the last if the next one equals it."""
    place = np.arange(1, is_equal.shape[-1] + 1)
    return np.asarray((place - np.maximum.accumulate(np.where(is_equal, 0, place), axis=-1)).sum(axis=-1))


def _places(one: Floats, ordered: Floats, threshold: float, *, strict: bool) -> Counts:
    """For each score of `one`, count the ordered scores that are lower by more than the threshold.

    If not `strict`, count the scores that tie, too. Differences are rounded as elsewhere: the threshold is one of them.
    """
    low = np.zeros(one.shape, dtype=np.int64)
    high = np.full(one.shape, one.shape[-1], dtype=np.int64)
    for _ in range(one.shape[-1].bit_length()):
        middle = (low + high) // 2
        difference = one - np.take_along_axis(ordered, np.minimum(middle, one.shape[-1] - 1), axis=-1)
        is_counted = (difference > threshold if strict else difference >= -threshold) & (middle < high)
        low, high = np.where(is_counted, middle + 1, low), np.where(is_counted, high, middle)
    return low


class _PrefixCounts:
    """Counts the values below a bound among the first values of a row, in a wavelet matrix.

    A level per binary digit, highest first, keeps the number of zeros before each place, and moves values with the
    digit 0 before all others. Values are integers from 0 to below the length of a row.
    """

    def __init__(self, values: Counts) -> None:
        self._row = np.arange(len(values))[:, None] * values.shape[-1]
        self._levels: list[tuple[int, Counts]] = []
        flat = values.ravel()
        for digit in reversed(range(values.shape[-1].bit_length())):
            is_zero = (flat >> digit) & 1 == 0
            self._levels.append((digit, np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(is_zero)])))
            flat = np.concatenate([flat[is_zero], flat[~is_zero]])

    def of(self, places: Counts, bounds: Counts) -> Counts:
        """For each place and bound, count the values of the row before the place that are below the bound."""
        begin, end = np.broadcast_to(self._row, places.shape), self._row + places
        found = np.zeros(places.shape, dtype=np.int64)
        for digit, zeros in self._levels:
            is_one: npt.NDArray[np.bool_] = (bounds >> digit) & 1 == 1
            zeros_begin, zeros_end = zeros[begin], zeros[end]
            found += np.where(is_one, zeros_end - zeros_begin, 0)
            begin = np.where(is_one, zeros[-1] + begin - zeros_begin, zeros_begin)
            end = np.where(is_one, zeros[-1] + end - zeros_end, zeros_end)
        return found
