"""Test if one metric agrees with people better than another: permutation tests, clusters, ranks over tasks.

A trial exchanges the standardised scores of two metrics at random places and computes both statistics again (Deutsch,
Dror & Roth 2021): at each score on its own (PERM-BOTH), for all scores of a system (PERM-SYSTEMS), or of an item.
Scores are matrices, one row per system and one column per item; higher is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats, pearson
from latticemetric.evaluation.intervals import ROUNDING, checked_resamples, checked_seed, or_none
from latticemetric.evaluation.pairwise import (
    Average,
    agreement_on,
    averaged,
    calibrated,
    check_pairs,
    complete_segments,
    of_rows,
    pairwise_p,
    rows_of,
)
from latticemetric.evaluation.systems import as_matrix, snap_ties
from latticemetric.frozen import Frozen, Record

Exchange = Literal["both", "systems", "items"]
"""The unit that a trial exchanges: a single score (PERM-BOTH), a system (PERM-SYSTEMS) or an item."""

_MOST_CELLS = 2**21  # the most scores of hybrids to hold at once: 16 MB


@dataclass(frozen=True)
class MetricTest(Record):
    """A permutation test of two metrics.

    Attributes:
        difference: The second metric's statistic minus the first's; `None` if one is undefined.
        p: Two-sided p-value, (c + 1) / (R + 1), where c counts the trials whose absolute difference is undefined or at
            least as large as the observed one; `None` if that is undefined.
        p_better: One-sided p-value for the second metric being better: the share of trials whose difference is at least
            the observed one, as in mt-metrics-eval; `None` if that is undefined.
        trials: R, the number of trials.
    """

    difference: float | None
    p: float | None
    p_better: float | None
    trials: int


def permutation_test(
    statistic: str,
    gold: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    average: Average = "none",
    exchange: Exchange = "both",
    trials: int = 1000,
    seed: int = 0,
) -> MetricTest:
    """Test if two metrics differ in a statistic of agreement with people.

    Accuracies and τ-23 are sums over pairs, so that their difference is a linear function of what is exchanged, and
    trials cost next to nothing. With `acc-t`, each metric keeps its calibrated threshold; a score of one metric and one
    of the other are a tie if they differ by at most the mean of the two thresholds. Soft
    pairwise accuracy computes the p-values of a trial from the normal limit of the permutation test; `pairwise_p` runs
    the test itself.

    Args:
        statistic: One of `STATISTICS`.
        gold: Human scores, one row per system; NaN if missing.
        first: Scores of one metric.
        second: Scores of the other metric.
        average: `none`, `item` or `system`.
        exchange: `both`, `systems` or `items`.
        trials: The number of trials.
        seed: The same seed exchanges the same scores.

    Examples:
        >>> people = [[1], [2], [3], [4], [5]]
        >>> permutation_test(
        ...     "acc-eq", people, [[3], [1], [5], [2], [4]], people, exchange="systems"
        ... ).difference.__round__(3)
        0.4
    """
    people, one, other = (as_matrix(side, "scores") for side in (gold, first, second))
    if statistic == "spa":
        people, one, other = complete_segments(people, one, other)
    sides = Sides.of(people, one, other)
    signs = Signs(people.shape, exchange, checked_resamples(trials), checked_seed(seed))
    return _tested(*exchanged_differences(statistic, sides, average, signs))


class Sides(NamedTuple):
    """Human scores and the standardised scores of two metrics; if one of the three is missing, all three are NaN."""

    gold: Floats
    first: Floats
    second: Floats

    @classmethod
    def of(cls, gold: Floats, first: Floats, second: Floats) -> Sides:
        """Standardise scores; those of the two metrics that differ only by rounding become equal."""
        there = ~(np.isnan(gold) | np.isnan(first) | np.isnan(second))
        both = np.stack([_standardised(np.where(there, side, np.nan)) for side in (first, second)])
        return cls(np.where(there, gold, np.nan), *snap_ties(both.ravel()).reshape(both.shape))


def exchanged_differences(statistic: str, sides: Sides, average: Average, signs: Signs) -> tuple[float, Floats]:
    """Return the difference of the statistics (second minus first), and that of each trial."""
    if statistic in {"acc-eq", "acc-t", "tau-23"}:
        return _linear_draws(statistic, sides, average, signs)
    if statistic == "spa":
        return _soft_draws(sides, signs)
    return _hybrid_draws(statistic, sides, average, signs)


def _tested(observed: float, drawn: Floats) -> MetricTest:
    if math.isnan(observed):
        return MetricTest(None, None, None, len(drawn))
    smaller = int(np.count_nonzero(np.abs(drawn) < abs(observed) - ROUNDING))
    p = (len(drawn) - smaller + 1) / (len(drawn) + 1)
    return MetricTest(observed, p, float((drawn >= observed - ROUNDING).mean()), len(drawn))


def _standardised(values: Floats) -> Floats:
    """Give the scores zero mean and unit variance, so that two metrics can exchange them."""
    there = values[~np.isnan(values)]
    spread = there.std() if len(there) else 0.0
    return np.asarray((values - there.mean()) / spread if spread > 0 else values * 0.0, dtype=np.float64)


@dataclass(frozen=True)
class Signs:
    """The draws of a test: +1 where a score stays, −1 where it is exchanged."""

    shape: tuple[int, int]
    exchange: Exchange
    trials: int
    seed: int

    def __post_init__(self) -> None:
        if self.exchange not in get_args(Exchange):
            raise UsageError(f"there is no exchange of '{self.exchange}'", advice="choose both, systems or items")

    def units(self) -> npt.NDArray[np.int64]:
        """Return, for each score, the number of what is exchanged with it."""
        systems, items = np.indices(self.shape)
        units = {"both": systems * self.shape[1] + items, "systems": systems, "items": items}
        return units[self.exchange].ravel()

    def draw(self, cells: int = 1) -> Iterator[Floats]:
        """Yield signs of the units, one row per trial, in blocks in which a trial takes `cells` more scores."""
        generator = np.random.default_rng(self.seed)
        number = int(self.units().max(initial=-1)) + 1
        rows = max(1, _MOST_CELLS // max(1, number, cells))
        for begin in range(0, self.trials, rows):
            size = min(rows, self.trials - begin)
            yield generator.integers(0, 2, (size, number), dtype=np.int8).astype(np.float64) * 2 - 1


# ---- Statistics that are sums over pairs ----


def _linear_draws(statistic: str, scores: Sides, average: Average, signs: Signs) -> tuple[float, Floats]:
    """Return the observed difference of an accuracy, and that of each trial.

    A pair of scores contributes f(s, s'), which changes its sign with both signs: it is α s + β s'.
    """
    gold, first, second = scores
    thresholds = [0.0, 0.0]
    if statistic == "acc-t":
        thresholds = [calibrated(gold, side, average=average).threshold for side in (first, second)]
    groups = rows_of(gold, first, average)
    check_pairs(groups)
    number = sum(len(rows.gold) for rows in groups)
    if not number:
        return math.nan, np.zeros(signs.trials)
    weights = np.zeros(gold.size)  # of the sign of each score
    for rows in groups:
        n = rows.gold.shape[-1]
        share = (2 if statistic == "tau-23" else 1) / (number * (n * (n - 1) // 2))
        sides = first.ravel()[rows.entries], second.ravel()[rows.entries]
        for one in range(n - 1):
            order = np.sign(rows.gold[:, [one]] - rows.gold[:, one + 1 :])

            def agreed(a: int, b: int, one: int = one, order: Floats = order, sides: Any = sides) -> Floats:
                """Return 1 for each pair that agrees with people, if its scores come from the metrics a and b."""
                difference = sides[a][:, [one]] - sides[b][:, one + 1 :]
                tied = np.abs(difference) <= (thresholds[a] + thresholds[b]) / 2
                return np.asarray(np.where(tied, 0.0, np.sign(difference)) == order, dtype=np.float64)

            same, mixed = agreed(1, 1) - agreed(0, 0), agreed(1, 0) - agreed(0, 1)
            weights[rows.entries[:, one]] += share * ((same + mixed) / 2).sum(axis=1)
            np.add.at(weights, rows.entries[:, one + 1 :], share * (same - mixed) / 2)
    by_unit = np.bincount(signs.units(), weights)
    return float(by_unit.sum()), np.concatenate([block @ by_unit for block in signs.draw()])


# ---- Soft pairwise accuracy ----


def _soft_draws(sides: Sides, signs: Signs) -> tuple[float, Floats]:
    gold, first, second = sides
    if gold.shape[0] < 2 or not gold.shape[1]:  # noqa: PLR2004  a pair
        return math.nan, np.zeros(signs.trials)
    above = np.triu_indices(len(gold), 1)
    people = pairwise_p(gold, seed=signs.seed)[above]

    def accuracy(scores: Floats) -> Floats:
        """Return 1 − the mean distance to people's p-values, for each matrix."""
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
    """Return the probability that a standard normal variable is at least so large (Abramowitz & Stegun 1964, 7.1.26).

    The error is below 1e-7, far below the noise of a permutation test.
    """
    x = np.abs(values) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * x)
    terms = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    tail = sum(c * t ** (k + 1) for k, c in enumerate(terms)) * np.exp(-(x**2)) / 2
    return np.where(values >= 0, tail, 1 - tail)


# ---- Other statistics ----


def _hybrid_draws(statistic: str, scores: Sides, average: Average, signs: Signs) -> tuple[float, Floats]:
    """Compute the statistic of the exchanged scores of every trial."""
    gold, first, second = scores
    groups = rows_of(gold, first, average)
    units = signs.units()

    def mean(values: list[Floats]) -> Floats:
        flat = np.concatenate([np.zeros((len(values[0]), 0)), *values], axis=1)
        there = ~np.isnan(flat)
        with np.errstate(invalid="ignore"):
            found: Floats = np.where(there, flat, 0.0).sum(axis=1) / there.sum(axis=1)
        return found

    if not groups:
        return math.nan, np.zeros(signs.trials)

    def values(one: Floats, other: Floats, keeps: npt.NDArray[np.bool_]) -> Floats:
        found = []
        for rows in groups:
            kept = keeps[:, units[rows.entries]]
            sides = one.ravel()[rows.entries], other.ravel()[rows.entries]
            found.append(of_rows(statistic, np.where(kept, *sides), np.broadcast_to(rows.gold, kept.shape)))
        return mean(found)

    nothing = np.ones((1, int(units.max()) + 1), dtype=bool)
    observed = float((values(second, first, nothing) - values(first, second, nothing))[0])
    if statistic == "pearson" and len(groups) == 1 and len(groups[0].gold) == 1:
        (rows,) = groups
        row = Sides(rows.gold[0], first.ravel()[rows.entries[0]], second.ravel()[rows.entries[0]])
        return observed, _pearson_draws(row, units[rows.entries[0]], signs)
    drawn = []
    for block in signs.draw(4 * gold.size):
        keeps = block > 0
        drawn.append(values(second, first, keeps) - values(first, second, keeps))
    return observed, np.concatenate(drawn)


def _pearson_draws(row: Sides, units: npt.NDArray[np.int64], signs: Signs) -> Floats:
    """Return the difference of Pearson's r in each trial: its sums are linear in the signs."""
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


# ---- Clusters and ranks ----


@dataclass(frozen=True, eq=False)
class MetricTask(Frozen):
    """A task on which metrics are ranked: a language pair (or several) with a statistic.

    Attributes:
        name: The name, such as `en-de spa`.
        statistic: One of `STATISTICS`.
        gold: Human scores, one row per system.
        metrics: Scores of each metric, by name; higher is better.
        average: `none`, `item` or `system`.
        exchange: The units that a trial exchanges: single scores (`both`), `systems` or `items`.
        weight: The weight of the task in averages.
    """

    name: str
    statistic: str
    gold: Floats
    metrics: Mapping[str, Floats]
    average: Average = "none"
    exchange: Exchange = "both"
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class TaskRanks(Frozen):
    """The ranks of metrics on a task.

    Attributes:
        values: The statistic of each metric; the best metric comes first. `None` if it is undefined: then it is last.
        ranks: The rank of each metric. No metric of a rank, a cluster, is significantly worse than another of it.
        tests: For each pair of metrics (better, worse), the test of their difference.
    """

    values: Mapping[str, float | None]
    ranks: Mapping[str, int]
    tests: Mapping[tuple[str, str], MetricTest]


@dataclass(frozen=True, eq=False)
class RankTable(Frozen):
    """Ranks of metrics over tasks.

    Attributes:
        tasks: The ranks on each task, by its name.
        average_rank: The weighted mean of each metric's ranks; the best metric comes first.
        average_value: The weighted mean of each metric's values; `None` if one is undefined.
        significance: The level at which metrics differ.
    """

    tasks: Mapping[str, TaskRanks]
    average_rank: Mapping[str, float]
    average_value: Mapping[str, float | None]
    significance: float

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        tasks = {
            name: {
                "values": dict(found.values),
                "ranks": dict(found.ranks),
                "tests": [
                    {"better": one, "worse": other, **test.asdict()} for (one, other), test in found.tests.items()
                ],
            }
            for name, found in self.tasks.items()
        }
        averages = {name: {"rank": rank, "value": self.average_value[name]} for name, rank in self.average_rank.items()}
        return {"significance": self.significance, "tasks": tasks, "metrics": averages}


def rank_metrics(
    tasks: Sequence[MetricTask],
    *,
    trials: int = 1000,
    seed: int = 0,
    significance: float = 0.05,
    one_sided: bool = False,
) -> RankTable:
    """Rank metrics on tasks by clusters of significance, and average the ranks (Freitag et al. 2022).

    From the best metric down, a new rank begins where a metric is significantly worse than one of the current rank.

    Args:
        tasks: The tasks; all need the same metrics.
        trials: The number of trials of each test.
        seed: The same seed exchanges the same scores.
        significance: The level. Values are not corrected for their number.
        one_sided: Use one-sided p-values, as WMT's tables do. The order of two metrics comes from the same data: under
            the null, such a test errs twice as often as its level says.

    Examples:
        >>> people = [[1.0], [2.0], [3.0], [4.0]]
        >>> metrics = {"mine": [[0.1], [0.2], [0.4], [0.3]], "worse": [[0.4], [0.2], [0.3], [0.1]]}
        >>> table = rank_metrics([MetricTask("toy", "acc-eq", people, metrics, exchange="systems")])
        >>> dict(table.average_rank)
        {'mine': 1.0, 'worse': 1.0}
    """
    if not tasks:
        raise UsageError("there are no tasks to rank metrics on")
    if not 0 < significance < 1:
        raise UsageError(f"a level of significance of {significance} is not between 0 and 1", advice="give 0.05")
    names = list(tasks[0].metrics)
    for task in tasks:
        if set(task.metrics) != set(names) or not names:
            raise UsageError(f"task {task.name} has other metrics than {tasks[0].name}", advice="give the same ones")
    found = {task.name: _ranked(task, trials, seed, significance, one_sided=one_sided) for task in tasks}
    if len(found) < len(tasks):
        raise UsageError("two tasks have the same name")
    total = sum(task.weight for task in tasks)
    average_rank = {name: sum(task.weight * found[task.name].ranks[name] for task in tasks) / total for name in names}
    average_value = {}
    for name in names:
        values = [found[task.name].values[name] for task in tasks]
        weighted = sum(task.weight * (math.nan if v is None else v) for task, v in zip(tasks, values, strict=True))
        average_value[name] = or_none(weighted / total)
    order = sorted(names, key=lambda name: (average_rank[name], -(average_value[name] or 0.0), name))
    ranked = {name: average_rank[name] for name in order}
    return RankTable(found, ranked, average_value, significance)


def _ranked(task: MetricTask, trials: int, seed: int, significance: float, *, one_sided: bool) -> TaskRanks:
    values = {
        name: or_none(agreement_on(task.statistic, task.gold, scores, average=task.average, seed=seed))
        for name, scores in task.metrics.items()
    }
    order = sorted(values, key=lambda name: -math.inf if (v := values[name]) is None else v, reverse=True)
    tests = {
        (one, other): permutation_test(
            task.statistic,
            task.gold,
            task.metrics[other],
            task.metrics[one],
            average=task.average,
            exchange=task.exchange,
            trials=trials,
            seed=seed,
        )
        for one, other in combinations(order, 2)
    }
    ranks: dict[str, int] = {}
    rank, cluster = 1, list[str]()
    for name in order:
        p = [test.p_better if one_sided else test.p for one in cluster if (test := tests[one, name])]
        if any(value is not None and value <= significance for value in p):
            rank, cluster = rank + 1, []
        cluster.append(name)
        ranks[name] = rank
    return TaskRanks({name: values[name] for name in order}, ranks, tests)


def of_groups(task: MetricTask, groups: Sequence[str], name: str | None = None) -> MetricTask:
    """Return the task on documents or domains: scores of segments averaged by `groups`, the group of each segment."""
    gold, _ = averaged(task.gold, groups)
    metrics = {metric: averaged(scores, groups)[0] for metric, scores in task.metrics.items()}
    return MetricTask(name or task.name, task.statistic, gold, metrics, task.average, task.exchange, task.weight)
