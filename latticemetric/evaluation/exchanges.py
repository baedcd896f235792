"""The null distribution of `permutation_test`: swap the scores of two metrics at random, and recompute a statistic.

Each unit has a random sign in each trial; −1 means that the trial swaps the scores of the unit. Some statistics, such
as accuracies, are computed from sums that are linear or quadratic in these signs. This is fast. All other statistics
are computed from the swapped scores of each trial.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats, pair_counts, pearson, ranks
from latticemetric.evaluation.intervals import ROUNDING
from latticemetric.evaluation.order_counts import ExchangedOrder, HumanOrder
from latticemetric.evaluation.pairwise import (
    PAIR_SUMS,
    Average,
    calibrated,
    check_pairs,
    check_pooled,
    distinct,
    of_rows,
    pairwise_p,
    rows_of,
    weights_of,
)
from latticemetric.evaluation.systems import snap_ties

Exchange = Literal["both", "systems", "items", "pairs"]
"""The unit that a trial swaps between two metrics:

- `both`: a single score (PERM-BOTH)
- `systems`: all scores of a system (PERM-SYSTEMS)
- `items`: all scores of an item
- `pairs`: the results of both metrics for a pair of scores; a result is 1 if the metric agrees with people, otherwise 0
  (accuracies and τ-23 only)
"""

_MOST_CELLS = 2**21  # the largest number of swapped scores to hold at once: 16 MB
_MOST_SYSTEMS = 40  # up to this number of systems, all pairs of a row are held at once


class Sides(NamedTuple):
    """Human scores, and standardised scores of two metrics; all three are NaN if one of the three is missing."""

    gold: Floats
    first: Floats
    second: Floats

    @classmethod
    def of(cls, gold: Floats, first: Floats, second: Floats) -> Sides:
        """Standardise the scores of both metrics. Scores become equal if they differ only by rounding."""
        there = ~(np.isnan(gold) | np.isnan(first) | np.isnan(second))
        both = np.stack([_standardised(np.where(there, side, np.nan)) for side in (first, second)])
        return cls(np.where(there, gold, np.nan), *snap_ties(both.ravel()).reshape(both.shape))


def exchanged_differences(statistic: str, sides: Sides, average: Average, signs: Signs) -> tuple[float, Floats]:
    """Return the observed difference of a statistic (second metric minus first), and its difference in each trial."""
    check_pooled(statistic, average)
    if statistic in PAIR_SUMS:
        draws = _pair_draws if signs.exchange == "pairs" else _linear_draws
        return draws(statistic, sides, average, signs)
    if signs.exchange == "pairs":
        raise UsageError(
            f"{statistic} is not a sum over pairs, so pairs cannot be exchanged", advice="choose exchange='both'"
        )
    if statistic == "spa":
        return _soft_draws(sides, signs)
    return _hybrid_draws(statistic, sides, average, signs)


def _standardised(values: Floats) -> Floats:
    """Give the scores mean 0 and variance 1, so that two metrics can swap them."""
    there = values[~np.isnan(values)]
    if not len(there):
        return values
    # Squares of very small values would become 0, and those of very large ones infinite.
    exponent = -np.frexp(np.abs(there).max())[1]
    values, there = np.ldexp(values, exponent), np.ldexp(there, exponent)
    spread = there.std()
    return np.asarray((values - there.mean()) / spread if spread > 0 else values * 0.0, dtype=np.float64)


@dataclass(frozen=True)
class Signs:
    """The random signs of a test: +1 keeps a score, −1 swaps it."""

    shape: tuple[int, int]
    exchange: Exchange
    trials: int
    seed: int

    def __post_init__(self) -> None:
        if self.exchange not in get_args(Exchange):
            raise UsageError(f"there is no exchange '{self.exchange}'", advice="choose both, systems, items or pairs")

    def units(self) -> npt.NDArray[np.int64]:
        """Return, for each score, the number of its unit. A trial swaps all scores of a unit together."""
        systems, items = np.indices(self.shape)
        units = {"both": systems * self.shape[1] + items, "systems": systems, "items": items}
        return units[self.exchange].ravel()

    def draw(self, cells: int = 1) -> Iterator[Floats]:
        """Yield blocks of random signs: one row per trial, one column per unit.

        `cells` is the number of scores that the caller holds per trial; a larger number gives smaller blocks.
        """
        generator = np.random.default_rng(self.seed)
        number = int(self.units().max(initial=-1)) + 1
        rows = max(1, _MOST_CELLS // max(1, number, cells))
        for begin in range(0, self.trials, rows):
            size = min(rows, self.trials - begin)
            yield generator.integers(0, 2, (size, number), dtype=np.int8).astype(np.float64) * 2 - 1


# ---- Statistics that are sums over pairs ----


def _linear_draws(statistic: str, scores: Sides, average: Average, signs: Signs) -> tuple[float, Floats]:
    """Return the observed difference of an accuracy, and its difference in each trial.

    A pair of scores with the signs s and s' adds α s + β s' to the difference.
    """
    gold, first, second = scores
    thresholds = _thresholds(statistic, scores, average)
    groups = rows_of(gold, first, average)
    if not groups:
        return math.nan, np.zeros(signs.trials)
    weights = np.zeros(gold.size)  # the weight of each score's sign
    for rows, weight in zip(groups, weights_of(groups, average), strict=True):
        sides = first.ravel()[rows.entries], second.ravel()[rows.entries]
        people = HumanOrder(rows.gold)
        # With +1, a score comes from the second metric before the exchange. Points agree with themselves, too: this
        # adds as much to one side as to the other.
        gains = sum(
            (1 if a else -1) * people.agreements(sides[a], sides[b], (thresholds[a] + thresholds[b]) / 2)
            for a, b in product((0, 1), repeat=2)
        )
        share = (2 if statistic == "tau-23" else 1) * weight
        weights[rows.entries] = share / 2 * gains
    by_unit = np.bincount(signs.units(), weights)
    return float(by_unit.sum()), np.concatenate([block @ by_unit for block in signs.draw()])


def _thresholds(statistic: str, scores: Sides, average: Average) -> list[float]:
    """Return, for each of the two metrics, the largest difference of scores that counts as a tie."""
    if statistic != "acc-t":
        return [0.0, 0.0]
    return [calibrated(scores.gold, side, average=average).threshold for side in scores[1:]]


def _pair_draws(statistic: str, scores: Sides, average: Average, signs: Signs) -> tuple[float, Floats]:
    """Return the observed difference of an accuracy, and its difference in each trial.

    For each pair of scores independently, a trial swaps the results of both metrics with probability 1/2. A metric's
    result is 1 if it agrees with people on the pair, otherwise 0.
    """
    groups = rows_of(scores.gold, scores.first, average)
    check_pairs(groups)
    if not groups:
        return math.nan, np.zeros(signs.trials)
    thresholds = _thresholds(statistic, scores, average)
    generator = np.random.default_rng(signs.seed)
    observed, drawn = 0.0, np.zeros(signs.trials)
    for rows, weight in zip(groups, weights_of(groups, average), strict=True):
        sides = [side.ravel()[rows.entries] for side in scores[1:]]
        balance = differing = 0
        for one in range(rows.gold.shape[-1] - 1):
            order = np.sign(rows.gold[:, [one]] - rows.gold[:, one + 1 :])
            apart = [side[:, [one]] - side[:, one + 1 :] for side in sides]
            agreed = [
                np.where(np.abs(d) <= threshold, 0.0, np.sign(d)) == order
                for d, threshold in zip(apart, thresholds, strict=True)
            ]
            balance += int(agreed[1].sum()) - int(agreed[0].sum())
            differing += int((agreed[0] != agreed[1]).sum())
        share = (2 if statistic == "tau-23" else 1) * weight
        observed += share * balance
        drawn += share * (2 * generator.binomial(differing, 0.5, signs.trials) - differing)
    return observed, drawn


# ---- Soft pairwise accuracy ----


def _soft_draws(sides: Sides, signs: Signs) -> tuple[float, Floats]:
    gold, first, second = sides
    if gold.shape[0] < 2 or not gold.shape[1]:  # noqa: PLR2004  a pair
        return math.nan, np.zeros(signs.trials)
    above = np.triu_indices(len(gold), 1)
    people = pairwise_p(gold, seed=signs.seed)[above]

    def accuracy(scores: Floats) -> Floats:
        """Return 1 minus the mean distance between metric and human p-values, for each matrix of scores."""
        totals, gram = scores.sum(axis=-1), scores @ scores.swapaxes(-1, -2)
        own = np.diagonal(gram, axis1=-2, axis2=-1)
        i, j = above
        # Under exchange of segments, a sum of differences has mean 0 and this variance.
        spread = np.sqrt(np.maximum(own[..., i] + own[..., j] - 2 * gram[..., i, j], 0.0))
        difference = totals[..., i] - totals[..., j]
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(spread > ROUNDING, _normal_above(difference / spread), 1.0)
        found: Floats = 1 - np.abs(people - p).mean(axis=-1)
        return found

    units, drawn = signs.units(), []
    for block in signs.draw(4 * gold.size):
        keeps = (block > 0)[:, units].reshape(-1, *gold.shape)
        drawn.append(accuracy(np.where(keeps, second, first)) - accuracy(np.where(keeps, first, second)))
    return float(accuracy(second) - accuracy(first)), np.concatenate(drawn)


def _normal_above(values: Floats) -> Floats:
    """Return, for each value, the probability that a standard normal variable is larger.

    The approximation is formula 7.1.26 of Abramowitz & Stegun 1964; its error is below 1e-7, far below the noise of a
    permutation test.
    """
    x = np.abs(values) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * x)
    terms = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    with np.errstate(under="ignore"):
        tail = sum(c * t ** (k + 1) for k, c in enumerate(terms)) * np.exp(-(x**2)) / 2
    return np.where(values >= 0, tail, 1 - tail)


# ---- Other statistics ----


def _hybrid_draws(statistic: str, scores: Sides, average: Average, signs: Signs) -> tuple[float, Floats]:
    """Compute a statistic from swapped scores; return its observed difference, and the difference in each trial."""
    gold, first, second = scores
    groups = rows_of(gold, first, average)
    if not groups:
        return math.nan, np.zeros(signs.trials)
    units = signs.units()
    sides = [(rows.gold, first.ravel()[rows.entries], second.ravel()[rows.entries]) for rows in groups]

    def difference(values: list[tuple[Floats, Floats]]) -> Floats:
        """Return, for each trial, the mean of the first side minus the mean of the second, without undefined values."""
        hybrids = [np.concatenate(side, axis=1) for side in zip(*values, strict=True)]
        with np.errstate(invalid="ignore"):
            means = [np.where(np.isnan(v), 0.0, v).sum(axis=1) / (~np.isnan(v)).sum(axis=1) for v in hybrids]
        return np.asarray(means[0] - means[1], dtype=np.float64)

    whole = [_exchanged(statistic, *side)(np.ones((1, *side[0].shape))) for side in sides]
    observed = float(difference(whole)[0])
    if statistic == "pearson" and len(groups) == 1 and len(groups[0].gold) == 1:
        row = Sides(*(side[0] for side in sides[0]))
        return observed, _pearson_draws(row, units[groups[0].entries[0]], signs)
    fast = {
        "kendall": _tau_b_values,
        "tau-c": _tau_c_values,
        "spearman": _spearman_values,
        "pearson": _pearson_values,
    }
    is_small = max(rows.gold.shape[-1] for rows in groups) <= _MOST_SYSTEMS
    if statistic in fast and (is_small or statistic != "spearman"):
        computed = [fast[statistic](*side) for side in sides]
    else:
        computed = [_exchanged(statistic, *side) for side in sides]
    by_pairs = statistic in {"kendall", "tau-c"} and is_small
    cells = sum(rows.gold.size * (rows.gold.shape[-1] if by_pairs else 4) for rows in groups)
    drawn = [
        difference([of(block[:, units[rows.entries]]) for of, rows in zip(computed, groups, strict=True)])
        for block in signs.draw(cells)
    ]
    return observed, np.concatenate(drawn)


_Hybrids = Callable[[Floats], tuple[Floats, Floats]]
"""A function of signs (trial × row × score) that returns two arrays of statistics (trial × row).

The first array is for scores taken from the second metric where the sign is +1, and from the first metric where it is
−1. The second array is for the opposite choice.
"""


def _exchanged(statistic: str, gold: Floats, first: Floats, second: Floats) -> _Hybrids:
    """Return a function that computes the statistic from swapped scores."""

    def values(signs: Floats) -> tuple[Floats, Floats]:
        keeps, people = signs > 0, np.broadcast_to(gold, signs.shape)
        sides = (second, first), (first, second)
        one, other = (of_rows(statistic, np.where(keeps, *side), people) for side in sides)
        return one, other

    return values


def _tau_b_values(gold: Floats, first: Floats, second: Floats) -> _Hybrids:
    """Return a function that computes τ-b."""
    told_apart = pair_counts(gold, gold).concordant
    is_small = gold.shape[-1] <= _MOST_SYSTEMS
    sums = (_pair_sums if is_small else _ordered_sums)(gold, first, second)

    def values(signs: Floats) -> tuple[Floats, Floats]:
        found = []
        for balance, in_metric, *_ in sums(signs):
            pairs = in_metric * told_apart
            with np.errstate(divide="ignore", invalid="ignore"):
                found.append(np.where(pairs > 0, balance / np.sqrt(pairs), np.nan))
        return found[0], found[1]

    return values


def _ordered_sums(
    gold: Floats, first: Floats, second: Floats
) -> Callable[[Floats], tuple[tuple[Floats, Floats, Floats], tuple[Floats, Floats, Floats]]]:
    """Return a function like that of `_pair_sums`, for long rows; it also counts the different scores of the metric."""
    order = ExchangedOrder(gold, first, second)

    def values(signs: Floats) -> tuple[tuple[Floats, Floats, Floats], tuple[Floats, Floats, Floats]]:
        keeps = signs > 0
        one, other = ([np.asarray(s, dtype=np.float64) for s in order.sums(side)] for side in (keeps, ~keeps))
        return (one[0], one[1], one[2]), (other[0], other[1], other[2])

    return values


def _tau_c_values(gold: Floats, first: Floats, second: Floats) -> _Hybrids:
    """Return a function that computes τ-c."""
    n = gold.shape[-1]
    if n > _MOST_SYSTEMS:
        return _tau_c_of_long_rows(gold, first, second)
    in_gold, sums = distinct(gold), _pair_sums(gold, first, second)
    # Equal numbers replace equal scores of both metrics.
    order = ranks(np.concatenate([first, second], axis=-1)).astype(np.int8)
    codes = order[:, :n], order[:, n:]
    has_ties = bool((np.diff(np.sort(order, axis=-1), axis=-1) == 0).any())

    def values(signs: Floats) -> tuple[Floats, Floats]:
        found = []
        for side, (balance, in_metric) in zip((codes[::-1], codes), sums(signs), strict=True):
            classes = in_gold
            if has_ties:
                scores = np.where(signs > 0, *side)
                repeated = sum((scores[..., :one] == scores[..., [one]]).any(axis=-1) for one in range(1, n))
                classes = np.minimum(in_gold, n - repeated)
            with np.errstate(divide="ignore", invalid="ignore"):
                tau_c = 2 * balance / (n**2 * (classes - 1) / classes)
            found.append(np.where((in_metric > 0) & (in_gold > 1), tau_c, np.nan))
        return found[0], found[1]

    return values


def _tau_c_of_long_rows(gold: Floats, first: Floats, second: Floats) -> _Hybrids:
    """Return a function that computes τ-c from sorted scores."""
    n, in_gold, sums = gold.shape[-1], distinct(gold), _ordered_sums(gold, first, second)

    def values(signs: Floats) -> tuple[Floats, Floats]:
        found = []
        for balance, in_metric, in_scores in sums(signs):
            classes = np.minimum(in_gold, in_scores)
            with np.errstate(divide="ignore", invalid="ignore"):
                tau_c = 2 * balance / (n**2 * (classes - 1) / classes)
            found.append(np.where((in_metric > 0) & (in_gold > 1), tau_c, np.nan))
        return found[0], found[1]

    return values


def _pair_sums(
    gold: Floats, first: Floats, second: Floats
) -> Callable[[Floats], tuple[tuple[Floats, Floats], tuple[Floats, Floats]]]:
    """Return a function that computes two sums over pairs for each choice of swapped scores, as in `_Hybrids`.

    The sums are C − D (concordant minus discordant pairs), and the number of pairs with different metric scores. A pair
    of scores with the signs s and s' adds c + α s + β s' + γ s s' to each sum. All numbers are multiples of ¼, which
    32-bit floats hold exactly.
    """
    i, j = np.triu_indices(gold.shape[-1], 1)
    order = np.sign(gold[:, i] - gold[:, j])
    # What a pair adds to both sums, for each choice of metrics for its two scores.
    apart = [[np.sign(one[:, i] - other[:, j]) for other in (second, first)] for one in (second, first)]
    both = np.array([[np.stack([order * a, np.abs(a)], axis=-1) for a in row] for row in apart])
    constant, quadratic = (both[0, 0] + both[1, 1] + sign * (both[0, 1] + both[1, 0]) for sign in (1, -1))
    linear = np.zeros((gold.shape[-1], len(gold), 2))  # the first axis is the score, for np.add.at
    for place, sign in ((i, 1), (j, -1)):
        moves = both[0, 0] - both[1, 1] + sign * (both[0, 1] - both[1, 0])
        np.add.at(linear, place, moves.swapaxes(0, 1))
    of_pairs, of_places = (np.asarray(side / 4, dtype=np.float32) for side in (quadratic, linear.swapaxes(0, 1)))
    still = constant.sum(axis=1)[:, None] / 4

    def values(signs: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        by_row = np.ascontiguousarray(signs.transpose(1, 0, 2), dtype=np.float32)
        products = [by_row[..., [one]] * by_row[..., one + 1 :] for one in range(by_row.shape[-1] - 1)]
        even = still + np.concatenate(products, axis=-1) @ of_pairs
        odd = by_row @ of_places
        one, other = ((sums[..., 0].T, sums[..., 1].T) for sums in (even + odd, even - odd))
        return one, other

    return values


def _spearman_values(gold: Floats, first: Floats, second: Floats) -> _Hybrids:
    """Return a function that computes Spearman's ρ.

    Ranks come from comparisons, which are faster than sorting for short rows.
    """
    n = gold.shape[-1]
    people = (ranks(gold) - (n + 1) / 2).astype(np.float32)  # multiples of ½: 32-bit floats hold all sums exactly
    spread = (people**2).sum(axis=-1).astype(np.float64)
    # Ranks among the scores of both metrics replace the scores; equal scores have equal ranks.
    order = ranks(np.concatenate([first, second], axis=-1)).astype(np.int8)
    codes = order[:, :n], order[:, n:]

    def hybrids(signs: Floats) -> tuple[Floats, Floats]:
        found = []
        for side in (codes[::-1], codes):
            scores = np.where(signs > 0, *side)
            centred = np.zeros(scores.shape, dtype=np.int8)  # 2 × (rank − mean rank)
            for one in range(n):
                centred += (scores > scores[..., [one]]).view(np.int8)
                centred -= (scores < scores[..., [one]]).view(np.int8)
            values = centred.astype(np.float32)
            squares = np.einsum("tri,tri->tr", values, values) * spread
            with np.errstate(divide="ignore", invalid="ignore"):
                r = np.einsum("tri,ri->tr", values, people) / np.sqrt(squares)
            found.append(np.where(squares > 0, r, np.nan))
        return found[0], found[1]

    return hybrids


def _pearson_values(gold: Floats, first: Floats, second: Floats) -> _Hybrids:
    """Return a function that computes Pearson's r of each row, from sums that are linear in the signs."""
    n = gold.shape[-1]
    centre = (first + second).mean(axis=-1, keepdims=True) / 2
    people = gold - gold.mean(axis=-1, keepdims=True)
    spread = np.where(np.isnan(pearson(gold, gold)), np.nan, gold.std(axis=-1))[:, None]
    columns = [np.stack([side, side**2, side * people], axis=-1) for side in (first - centre, second - centre)]
    middle, shift = (columns[0] + columns[1]).sum(axis=1)[:, None] / 2, (columns[1] - columns[0]) / 2

    def values(signs: Floats) -> tuple[Floats, Floats]:
        moved = signs.transpose(1, 0, 2) @ shift
        found = []
        for sums in (middle + moved, middle - moved):
            x, xx, xy = np.moveaxis(sums / n, -1, 0)
            variance = xx - x**2
            with np.errstate(divide="ignore", invalid="ignore"):
                r = xy / (np.sqrt(np.maximum(variance, 0.0)) * spread)
            found.append(np.where(variance > ROUNDING * xx, r, np.nan).T)
        return found[0], found[1]

    return values


def _pearson_draws(row: Sides, units: npt.NDArray[np.int64], signs: Signs) -> Floats:
    """Return the difference of Pearson's r in each trial, for a single row; sums are linear in the signs."""
    gold = row.gold
    if math.isnan(float(pearson(gold, gold))):
        return np.full(signs.trials, np.nan)
    people = (gold - gold.mean()) / gold.std()
    columns = [np.column_stack([side, side**2, side * people]) for side in row[1:]]
    half, shift = (columns[0] + columns[1]) / 2, (columns[1] - columns[0]) / 2
    by_unit = np.column_stack([np.bincount(units, column) for column in shift.T])
    middle, n = half.sum(axis=0), len(gold)

    def r(sums: Floats) -> Floats:
        x, xx, xy = (sums / n).T
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(xx - x**2 > ROUNDING, xy / np.sqrt(np.maximum(xx - x**2, 0.0)), np.nan)

    drawn = []
    for block in signs.draw():
        moved = block[:, : len(by_unit)] @ by_unit
        drawn.append(r(middle + moved) - r(middle - moved))
    return np.concatenate(drawn)
