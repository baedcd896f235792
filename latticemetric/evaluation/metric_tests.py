"""Significance tests of two metrics' agreement with human scores: permutation tests, clusters, ranks.

A trial swaps standardised scores of two metrics at random, and computes the statistic of each metric again (Deutsch,
Dror & Roth 2021). The unit to swap is a single score (PERM-BOTH), all scores of a system (PERM-SYSTEMS), or all scores
of an item. The tests in WMT's tables since 2023 swap results, not scores: for each pair of scores, the result of a
metric is 1 if the metric agrees with people, otherwise 0. They assume that pairs are independent. Scores are matrices
with one row per system and one column per item; higher scores are better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats
from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats
from latticemetric.evaluation.exchanges import Exchange, Sides, Signs, exchanged_differences
from latticemetric.evaluation.intervals import ROUNDING, checked_resamples, checked_seed, or_none
from latticemetric.evaluation.pairwise import Average, agreement_on, averaged, complete_segments
from latticemetric.evaluation.significance import checked_level, randomisation_of
from latticemetric.evaluation.systems import as_matrix
from latticemetric.frozen import Frozen, Record


@dataclass(frozen=True)
class MetricTest(Record):
    """A permutation test of two metrics.

    Attributes:
        difference: The second metric's statistic minus the first's; `None` if one is undefined.
        p: Two-sided p-value, (c + 1) / (R + 1). c is the number of trials whose difference is undefined, or at least as
            large as the observed one (in absolute value). `None` if the observed difference is undefined.
        p_better: One-sided p-value for "the second metric is better": the share of trials whose difference is at least
            the observed one, as in mt-metrics-eval. `None` if the observed difference is undefined.
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
    """Test whether two metrics differ in a statistic of agreement with human scores.

    Accuracies and τ-23 are sums over pairs, so their trials are fast. With `acc-t`, each metric keeps its calibrated
    threshold; two scores of different metrics tie if they differ by at most the mean of both thresholds. With `spa`
    (soft pairwise accuracy), trials approximate the p-values of the metrics by a normal distribution, whereas
    `pairwise_p` runs a permutation test.

    Args:
        statistic: One of `STATISTICS`.
        gold: Human scores, one row per system; NaN if missing.
        first: Scores of one metric.
        second: Scores of the other metric.
        average: `none`, `item`, `system` or `pooled`.
        exchange: The unit to swap: single scores (`both`), all scores of `systems` or of `items`, or `pairs` of scores.
        trials: The number of trials.
        seed: The same seed swaps the same scores.

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
    observed, drawn = exchanged_differences(statistic, sides, average, signs)
    tested = randomisation_of(observed, drawn)
    better = None if tested.p is None else float((drawn >= observed - ROUNDING).mean())
    return MetricTest(tested.difference, tested.p, better, tested.trials)


# ---- Clusters and ranks ----


@dataclass(frozen=True, eq=False)
class MetricTask(Frozen):
    """A task on which metrics are ranked: a statistic on one or several language pairs.

    Attributes:
        name: The name, such as `en-de spa`.
        statistic: One of `STATISTICS`.
        gold: Human scores, one row per system.
        metrics: Scores of each metric, by name; higher is better.
        average: `none`, `item`, `system` or `pooled`.
        exchange: The units that a trial swaps: single scores (`both`), `systems`, `items` or `pairs` of scores.
        weight: The weight of the task in averages.
    """

    name: str
    statistic: str
    gold: Floats
    metrics: Mapping[str, Floats]
    average: Average = "none"
    exchange: Exchange = "both"
    weight: float = 1.0

    @classmethod
    def pooled(cls, name: str, tasks: Sequence[tuple[npt.ArrayLike, Mapping[str, npt.ArrayLike]]]) -> MetricTask:
        """Return a task with pairwise accuracy over the system pairs of several language pairs.

        Each score is the score of a whole system. Two systems form a pair if they have the same language pair. Trials
        swap single scores.

        Args:
            name: The name of the task.
            tasks: For each language pair, a tuple: the human scores of the systems, and a mapping from metrics to
                scores of these systems.

        Examples:
            >>> czech, german = ([1, 2, 3], {"mine": [0.1, 0.3, 0.2]}), ([5, 4], {"mine": [0.5, 0.4]})
            >>> dict(rank_metrics([MetricTask.pooled("accuracy", [czech, german])]).tasks["accuracy"].values)
            {'mine': 0.75}
        """

        def column_each(vectors: Sequence[npt.ArrayLike]) -> Floats:
            columns = [floats(vector, "the scores of a task").ravel() for vector in vectors]
            longest = max(map(len, columns), default=0)
            padded = [np.pad(column, (0, longest - len(column)), constant_values=np.nan) for column in columns]
            return np.stack(padded, axis=1)

        if not tasks:
            raise UsageError("there are no language pairs to pool", advice="give at least one")
        metrics = tasks[0][1]
        if any(set(scores) != set(metrics) for _, scores in tasks):
            raise UsageError(
                "language pairs have different metrics", advice="give the same metrics for each language pair"
            )
        gold = column_each([people for people, _ in tasks])
        scores = {metric: column_each([scores[metric] for _, scores in tasks]) for metric in metrics}
        return cls(name, "acc-eq", gold, scores, "pooled")


@dataclass(frozen=True, eq=False)
class TaskRanks(Frozen):
    """The ranks of metrics on a task.

    Attributes:
        values: The statistic of each metric, best first; undefined values (`None`) are last.
        ranks: The rank of each metric, from 1. Metrics share a rank if none is significantly worse than another;
            metrics with undefined values share the last rank.
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
        significance: The significance level of the tests.
    """

    tasks: Mapping[str, TaskRanks]
    average_rank: Mapping[str, float]
    average_value: Mapping[str, float | None]
    significance: float

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            tasks (Mapping[str, TaskRanks]): By statistic and level, the ranks on it.
            tests (list[MetricTest]): The tests of all pairs.
            better (str): Of a test, the metric with the higher value.
            worse (str): The other one.
            difference (float | None): The value of `better` minus that of `worse`, as the trials compute it (for
                `spa`: by the normal approximation).
            p (float | None): Two-sided p-value.
            p_better (float | None): One-sided p-value for "`better` is better than `worse`".
            metrics (Mapping): By metric, best first: `rank`, the average over tasks, and `value`, the average of its
                values or null.
        """
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

    Metrics are ranked from best to worst. A metric starts a new rank if it is significantly worse than at least one
    metric of the current rank. Metrics with undefined values share a rank below all others.

    Args:
        tasks: The tasks; all need the same metrics.
        trials: The number of trials of each test.
        seed: The same seed swaps the same scores.
        significance: The significance level, not corrected for multiple tests.
        one_sided: Use one-sided p-values, as WMT's tables do. If two metrics are equally good, one-sided tests find a
            difference about twice as often as the level allows. The reason: the better metric is chosen with the data
            of the test.

    Examples:
        >>> people = [[1.0], [2.0], [3.0], [4.0]]
        >>> metrics = {"mine": [[0.1], [0.2], [0.4], [0.3]], "worse": [[0.4], [0.2], [0.3], [0.1]]}
        >>> table = rank_metrics([MetricTask("toy", "acc-eq", people, metrics, exchange="systems")])
        >>> dict(table.average_rank)
        {'mine': 1.0, 'worse': 1.0}
    """
    if not tasks:
        raise UsageError("there are no tasks to rank metrics on", advice="give at least one")
    significance = checked_level(significance)
    names = list(tasks[0].metrics)
    for task in tasks:
        if set(task.metrics) != set(names) or not names:
            raise UsageError(
                f"task {task.name} has other metrics than {tasks[0].name}", advice="give the same metrics for all tasks"
            )
    found = {task.name: _ranked(task, trials, seed, significance, one_sided=one_sided) for task in tasks}
    if len(found) < len(tasks):
        raise UsageError("two tasks have the same name", advice="give each task its own name")
    total = sum(task.weight for task in tasks)
    average_rank = {name: sum(task.weight * found[task.name].ranks[name] for task in tasks) / total for name in names}
    average_value = {}
    for name in names:
        values = [found[task.name].values[name] for task in tasks]
        weighted = sum(task.weight * (math.nan if v is None else v) for task, v in zip(tasks, values, strict=True))
        average_value[name] = or_none(weighted / total)

    def rank(name: str) -> tuple[float, float, str]:
        value = average_value[name]
        return average_rank[name], math.inf if value is None else -value, name  # without a value: last

    order = sorted(names, key=rank)
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
        begins_undefined = values[name] is None and any(values[one] is not None for one in cluster)
        if begins_undefined or any(value is not None and value <= significance for value in p):
            rank, cluster = rank + 1, []
        cluster.append(name)
        ranks[name] = rank
    return TaskRanks({name: values[name] for name in order}, ranks, tests)


def of_groups(task: MetricTask, groups: Sequence[str], name: str | None = None) -> MetricTask:
    """Return the task with scores averaged by document or domain.

    Args:
        task: A task on segments.
        groups: The name of the group (document or domain) of each segment.
        name: The name of the new task; default: the old name.
    """
    gold, _ = averaged(task.gold, groups)
    metrics = {metric: averaged(scores, groups)[0] for metric, scores in task.metrics.items()}
    return MetricTask(name or task.name, task.statistic, gold, metrics, task.average, task.exchange, task.weight)
