"""Agreement on pairs: variants of Kendall's τ, accuracies with ties (calibrated or not), soft pairwise accuracy.

Scores are matrices, one row per system and one column per item (a segment, document or domain; or one column for whole
systems), NaN where one is missing; higher is better in both. The definitions are those of WMT's metrics tasks, so that
values equal those of mt-metrics-eval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats, PairCounts, pair_counts, pearson, spearman
from latticemetric.evaluation.intervals import ROUNDING, checked_resamples, checked_seed
from latticemetric.evaluation.systems import as_matrix

Average = Literal["none", "item", "system", "pooled"]
"""Correlate all scores at once (`none`); average the correlations of each `item` or of each `system`; or count the
system pairs of all items together (`pooled`, for accuracies and τ-23).
"""

Tau = Literal["b", "c", "23", "eq"]
"""τ-b and τ-c; the τ (`23`) and the accuracy (`eq`) of Deutsch et al. 2023, which count ties."""

_MOST_PAIRS = 50_000_000


class Rows(NamedTuple):
    """Rows of scores of equal length, each of which is one sample of a correlation."""

    gold: Floats  # one row per item or system, or one row
    metric: Floats
    entries: npt.NDArray[np.int64]  # where each score stands in the flat matrix


def rows_of(gold: npt.ArrayLike, metric: npt.ArrayLike, average: Average = "none") -> list[Rows]:
    """Divide the scores into rows to correlate, without missing scores and without rows of fewer than two.

    Rows of equal length are in one array.
    """
    if average not in get_args(Average):
        raise UsageError(f"correlations are not averaged by '{average}'", advice="choose none, item, system or pooled")
    people, scores = as_matrix(gold, "human scores"), as_matrix(metric, "scores of the metric")
    if people.shape != scores.shape:
        raise UsageError(f"scores of the metric have shape {scores.shape}, but human scores {people.shape}")
    entries = np.arange(people.size).reshape(people.shape)
    divided = {"none": entries.reshape(1, -1), "system": entries}.get(average, entries.T)
    there = ~(np.isnan(people) | np.isnan(scores)).ravel()
    by_length: dict[int, list[npt.NDArray[np.int64]]] = {}
    for row in divided:
        kept = row[there[row]]
        if len(kept) > 1:
            by_length.setdefault(len(kept), []).append(kept)
    return [Rows(people.ravel()[rows], scores.ravel()[rows], rows) for rows in map(np.stack, by_length.values())]


def weights_of(groups: Sequence[Rows], average: Average) -> list[float]:
    """Return the weight of each pair of scores in each array of rows; the weights of all pairs sum to 1."""
    pairs = [rows.gold.shape[-1] * (rows.gold.shape[-1] - 1) // 2 for rows in groups]
    number = sum(len(rows.gold) for rows in groups)
    if average == "pooled":
        return [1 / sum(len(rows.gold) * n for rows, n in zip(groups, pairs, strict=True))] * len(groups)
    return [1 / (number * n) for n in pairs]


def mean_of_rows(statistic: str, groups: Sequence[Rows], average: Average) -> float:
    """Return the mean of a statistic over rows, without rows where it is NaN (constant rows, for example)."""
    check_pooled(statistic, average)
    values = [of_rows(statistic, rows.metric, rows.gold) for rows in groups]
    sizes = [np.full(len(rows.gold), rows.gold.shape[-1] * (rows.gold.shape[-1] - 1) / 2) for rows in groups]
    flat = np.concatenate([np.zeros(0), *values])
    there = ~np.isnan(flat)
    if not there.any():
        return float("nan")
    weights = np.concatenate(sizes)[there] if average == "pooled" else None
    return float(np.average(flat[there], weights=weights))


def check_pooled(statistic: str, average: Average) -> None:
    """Raise an error if a statistic does not allow pooling the pairs of several items."""
    if average == "pooled" and statistic not in PAIR_SUMS:
        raise UsageError(f"{statistic} is not a sum over pairs, so pairs cannot be pooled", advice="average by item")


# ---- Kendall's τ and accuracies ----


def tau(gold: npt.ArrayLike, metric: npt.ArrayLike, variant: Tau = "b", *, average: Average = "none") -> float:
    """Return a variant of Kendall's τ; NaN if it is undefined.

    C is the number of concordant pairs, D of discordant pairs, T_h of pairs that only people tie, T_m of pairs that
    only the metric ties, T_hm of pairs that both tie. The variants are:

    - `b`: (C − D) / √((C + D + T_h)(C + D + T_m))
    - `c`: 2 (C − D) / (n² (k − 1) / k), of n scores; k is the smaller number of distinct scores
    - `23`: (C + T_hm − D − T_h − T_m) / (number of all pairs)
    - `eq`: (C + T_hm) / (number of all pairs), an accuracy

    Args:
        gold: Human scores, one row per system.
        metric: Scores of the metric.
        variant: `b`, `c`, `23` or `eq`.
        average: `none`, `item`, `system` or `pooled`.

    Examples:
        >>> people, metric = [[1, 2, 3], [2, 2, 1]], [[0.1, 0.3, 0.5], [0.2, 0.3, 0.6]]
        >>> [round(tau(people, metric, variant, average="item"), 3) for variant in ("b", "23", "eq")]
        [0.0, 0.333, 0.667]
    """
    if variant not in get_args(Tau):
        raise UsageError(f"there is no variant '{variant}' of τ", advice=f"choose among {', '.join(get_args(Tau))}")
    name = next(name for name, one in VARIANTS.items() if one == variant)
    return mean_of_rows(name, rows_of(gold, metric, average), average)


def tau_of_rows(metric: Floats, gold: Floats, variant: Tau) -> Floats:
    """Return a variant of τ of each row, along the last axis."""
    counts = pair_counts(metric, gold)
    if variant in {"23", "eq"}:
        return _with_ties(counts, variant)
    balance = (counts.concordant - counts.discordant).astype(np.float64)
    untied = counts.concordant + counts.discordant
    in_metric, in_gold = untied + counts.tied_second, untied + counts.tied_first  # pairs that differ
    with np.errstate(divide="ignore", invalid="ignore"):
        if variant == "b":
            found = balance / np.sqrt(in_metric.astype(np.float64) * in_gold)
        else:
            n = metric.shape[-1]
            classes = np.minimum(_distinct(metric), _distinct(gold))
            found = 2 * balance / (n**2 * (classes - 1) / classes)
    is_defined = (in_metric > 0) & (in_gold > 0)
    return np.asarray(np.where(is_defined, found, np.nan), dtype=np.float64)


def _with_ties(counts: PairCounts, variant: str) -> Floats:
    right = counts.concordant + counts.tied_both
    every = right + counts.discordant + counts.tied_first + counts.tied_second
    return np.asarray((right if variant == "eq" else 2 * right - every) / every, dtype=np.float64)


def _distinct(values: Floats) -> Floats:
    ordered = np.sort(values, axis=-1)
    return np.asarray(1.0 + (np.diff(ordered, axis=-1) != 0).sum(axis=-1), dtype=np.float64)


def kendall_like(
    gold: npt.ArrayLike, metric: npt.ArrayLike, threshold: float = 25.0, *, average: Average = "item"
) -> float:
    """Return the τ of WMT's tasks until 2020, over pairs whose human scores differ by at least `threshold`.

    τ = (C − D) / (C + D), where a tie of the metric is discordant. An item weighs as much as it has pairs.

    Examples:
        >>> kendall_like([[90], [50], [40]], [[0.5], [0.4], [0.4]])
        1.0
    """
    right = every = 0
    for rows in rows_of(gold, metric, average):
        for one, other in _pairs(rows.gold.shape[-1]):
            difference = rows.gold[:, [one]] - rows.gold[:, other]
            counted = np.abs(difference) >= threshold
            agreed = np.sign(difference) * np.sign(rows.metric[:, [one]] - rows.metric[:, other]) > 0
            right += int((counted & agreed).sum())
            every += int(counted.sum())
    return (2 * right - every) / every if every else float("nan")


def _pairs(n: int) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    """Yield each point with all later points."""
    for one in range(n - 1):
        yield one, np.arange(one + 1, n)


class Calibrated(NamedTuple):
    """An accuracy with calibrated ties.

    Attributes:
        value: The accuracy, or τ.
        threshold: Differences of the metric up to this count as ties; the smallest threshold with the best value.
    """

    value: float
    threshold: float


def calibrated(
    gold: npt.ArrayLike, metric: npt.ArrayLike, variant: Tau = "eq", *, average: Average = "item"
) -> Calibrated:
    """Return the accuracy with tie calibration, acc*eq (Deutsch et al. 2023), over all thresholds.

    Args:
        gold: Human scores, one row per system.
        metric: Scores of the metric.
        variant: `eq`, the accuracy, or `23`, the τ.
        average: `none`, `item`, `system` or `pooled`.

    Raises:
        UsageError: There are too many pairs (50 million).

    Examples:
        >>> calibrated([[1], [1], [5]], [[0.30], [0.31], [0.9]])
        Calibrated(value=1.0, threshold=0.010000000000000009)
    """
    if variant not in {"23", "eq"}:
        raise UsageError(f"ties cannot be calibrated for τ-{variant}", advice="choose eq or 23")
    groups = rows_of(gold, metric, average)
    if not groups:
        return Calibrated(float("nan"), 0.0)
    check_pairs(groups)
    start, distances, gains = 0.0, [np.zeros(1)], [np.zeros(1)]
    for rows, weight in zip(groups, weights_of(groups, average), strict=True):
        for one, other in _pairs(rows.gold.shape[-1]):
            people = np.sign(rows.gold[:, one, None] - rows.gold[:, other])
            scores = rows.metric[:, one, None] - rows.metric[:, other]
            agreed = people == np.sign(scores)
            start += weight * int(agreed.sum())
            # What a tie adds: 1 if people see a tie and the metric did not, −1 if both agreed without a tie.
            distances.append(np.abs(scores).ravel())
            gains.append((weight * ((people == 0).astype(np.float64) - agreed)).ravel())
    distance = np.concatenate(distances)
    order = np.argsort(distance, kind="stable")
    distance, values = distance[order], start + np.cumsum(np.concatenate(gains)[order])
    # All pairs of one distance become ties at once.
    last = np.append(distance[1:] != distance[:-1], True)
    distance, values = distance[last], values[last]
    best = int(np.argmax(values >= values.max() - ROUNDING))
    value = float(values[best])
    return Calibrated(value if variant == "eq" else 2 * value - 1, float(distance[best]))


def check_pairs(groups: Sequence[Rows]) -> None:
    """Raise an error if the rows have more pairs than can be listed."""
    if (size := sum(rows.gold.size * (rows.gold.shape[-1] - 1) // 2 for rows in groups)) > _MOST_PAIRS:
        raise UsageError(f"{size} pairs are too many to calibrate or test", advice="average by item or by system")


# ---- Pairs of systems ----


class PairwiseAccuracy(NamedTuple):
    """Agreement of a metric with human scores on the order of pairs of systems (Kocmi et al. 2021).

    Attributes:
        agreed: The number of pairs in the same order; a tie agrees only with a tie.
        pairs: The number of pairs.
    """

    agreed: int
    pairs: int

    @property
    def value(self) -> float:
        """The share of pairs in the same order; NaN without pairs."""
        return self.agreed / self.pairs if self.pairs else float("nan")


def pairwise_accuracy(tasks: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]) -> PairwiseAccuracy:
    """Return the pairwise accuracy over the system pairs of several tasks, such as language pairs.

    Args:
        tasks: For each task, the human scores of its systems and the metric's.

    Examples:
        >>> pairwise_accuracy([([1, 2, 3], [0.1, 0.3, 0.2]), ([5, 4], [0.5, 0.4])])
        PairwiseAccuracy(agreed=3, pairs=4)
    """
    agreed = pairs = 0
    for gold, metric in tasks:
        people, scores = (np.asarray(side, dtype=np.float64).reshape(-1, 1) for side in (gold, metric))
        for rows in rows_of(people, scores):
            counts = pair_counts(rows.metric, rows.gold)
            agreed += int((counts.concordant + counts.tied_both).sum())
            pairs += int(sum(count.sum() for count in counts))
    return PairwiseAccuracy(agreed, pairs)


def pairwise_p(scores: npt.ArrayLike, *, trials: int = 1000, seed: int = 0) -> Floats:
    """Return one-sided p-values of paired permutation tests that each system is better than each other one.

    A trial swaps two systems' scores in random segments; all pairs use the same trials. p is the share of trials whose
    difference is at least the observed one (as in mt-metrics-eval, not (c + 1) / (R + 1)).

    Args:
        scores: Scores of segments, one row per system, without NaN.
        trials: The number of trials.
        seed: The same seed exchanges the same segments.

    Returns:
        A matrix: at [i, j] for i < j, the p-value of system i being better than j; NaN elsewhere.
    """
    values = as_matrix(scores, "scores")
    values = values - values.mean()  # keeps sums small, and no difference changes
    systems, segments = values.shape
    generator = np.random.default_rng(checked_seed(seed))
    sums = np.empty((checked_resamples(trials), systems))
    rows = max(1, 2**22 // segments)
    for begin in range(0, trials, rows):
        size = min(rows, trials - begin)
        signs = generator.integers(0, 2, (size, segments), dtype=np.int8).astype(np.float64) * 2 - 1
        sums[begin : begin + size] = signs @ values.T
    found = np.full((systems, systems), np.nan)
    slack = ROUNDING * np.abs(values).sum(axis=1).max(initial=0.0)
    totals = values.sum(axis=1)
    for i in range(systems - 1):
        drawn, observed = sums[:, [i]] - sums[:, i + 1 :], totals[i] - totals[i + 1 :]
        found[i, i + 1 :] = (drawn >= observed - slack).mean(axis=0)
    return found


def soft_pairwise_accuracy(gold: npt.ArrayLike, metric: npt.ArrayLike, *, trials: int = 1000, seed: int = 0) -> float:
    """Return soft pairwise accuracy (Thompson, Mathur, Deutsch & Khayrallah 2024).

    It is 1 − the mean distance, over pairs of systems, of two p-values from `pairwise_p`: by human and by metric
    scores. Only segments with all scores of all systems count.

    Args:
        gold: Human scores of segments, one row per system; NaN if missing.
        metric: The metric's scores of segments.
        trials: The number of trials of each permutation test.
        seed: The same seed exchanges the same segments.

    Examples:
        >>> people, metric = [[5, 4, 4, 5, 3], [1, 2, 4, 2, 3]], [[0.5, 0.3, 0.4, 0.6, 0.1], [0.4, 0.3, 0.5, 0.1, 0.1]]
        >>> 0.7 < soft_pairwise_accuracy(people, metric) < 1
        True
    """
    people, scores = complete_segments(gold, metric)
    if people.shape[0] < 2 or not people.shape[1]:  # noqa: PLR2004  a pair
        return float("nan")
    above = np.triu_indices(len(people), 1)
    sides = [pairwise_p(side, trials=trials, seed=seed)[above] for side in (people, scores)]
    return float(1 - np.abs(sides[0] - sides[1]).mean())


def complete_segments(gold: npt.ArrayLike, *metrics: npt.ArrayLike) -> list[Floats]:
    """Return the columns of all matrices where no score is missing in any of them."""
    sides = [as_matrix(side, "scores") for side in (gold, *metrics)]
    if len({side.shape for side in sides}) > 1:
        raise UsageError(f"scores have shapes {' and '.join(sorted({str(side.shape) for side in sides}))}")
    there = ~np.isnan(np.stack(sides)).any(axis=(0, 1))
    return [side[:, there] for side in sides]


# ---- Documents and domains ----


def averaged(scores: npt.ArrayLike, groups: Sequence[str]) -> tuple[Floats, tuple[str, ...]]:
    """Average segments by document or by domain; return the matrix, one column per group, and the groups' names.

    Args:
        scores: Scores of segments, one row per system; averages omit missing ones (NaN).
        groups: The group of each segment, in any order.

    Examples:
        >>> matrix, names = averaged([[1, 3, 5], [2, 2, float("nan")]], ["a", "a", "b"])
        >>> names, matrix.tolist()
        (('a', 'b'), [[2.0, 5.0], [2.0, nan]])
    """
    values = as_matrix(scores, "scores")
    if len(groups) != values.shape[1]:
        raise UsageError(f"there are {len(groups)} names of groups for {values.shape[1]} segments")
    names = tuple(dict.fromkeys(groups))
    member = (np.array(groups)[:, None] == np.array(names)[None, :]).astype(np.float64)
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        found: Floats = (np.where(there, values, 0.0) @ member) / (there @ member)
    return found, names


# ---- Statistics by name ----

STATISTICS = ("pearson", "spearman", "kendall", "tau-c", "tau-23", "acc-eq", "acc-t", "spa")
"""Names for `agreement_on`: coefficients, τ variants, accuracies (acc-t: with tie calibration), soft accuracy."""

PAIR_SUMS = frozenset({"acc-eq", "acc-t", "tau-23"})
"""Statistics that are sums over pairs of scores, so that pairs can be pooled and exchanged."""

VARIANTS: dict[str, Tau] = {"kendall": "b", "tau-c": "c", "tau-23": "23", "acc-eq": "eq"}


def agreement_on(
    statistic: str, gold: npt.ArrayLike, metric: npt.ArrayLike, *, average: Average = "none", seed: int = 0
) -> float:
    """Return the statistic with that name; NaN if it is undefined.

    Args:
        statistic: One of `STATISTICS`.
        gold: Human scores, one row per system.
        metric: Scores of the metric; higher is better.
        average: `none`, `item`, `system` or `pooled`; soft pairwise accuracy ignores it.
        seed: The seed of the permutations of `spa`.

    Examples:
        >>> agreement_on("acc-eq", [[1], [2], [3]], [[0.1], [0.3], [0.2]]).__round__(3)
        0.667
    """
    if statistic == "spa":
        return soft_pairwise_accuracy(gold, metric, seed=seed)
    if statistic == "acc-t":
        return calibrated(gold, metric, average=average).value
    return mean_of_rows(statistic, rows_of(gold, metric, average), average)


def of_rows(statistic: str, metric: Floats, gold: Floats) -> Floats:
    """Return a coefficient of each row, along the last axis."""
    if statistic in VARIANTS:
        return tau_of_rows(metric, gold, VARIANTS[statistic])
    if statistic not in {"pearson", "spearman"}:
        raise UsageError(f"there is no statistic '{statistic}'", advice=f"choose among {', '.join(STATISTICS)}")
    return (pearson if statistic == "pearson" else spearman)(metric, gold)
