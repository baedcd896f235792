"""Pairwise agreement with human scores: variants of Kendall's τ, accuracies with ties, soft pairwise accuracy.

Human scores and metric scores are matrices with one row per system and one column per item. An item is a segment,
document or domain; scores of whole systems have a single column. Missing scores are NaN. Higher scores are better.
Definitions follow WMT's metrics tasks, and values equal those of mt-metrics-eval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats
from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats, PairCounts, pair_counts, pearson, spearman
from latticemetric.evaluation.intervals import ROUNDING, checked_resamples, checked_seed
from latticemetric.evaluation.systems import as_matrix, snap_matrix
from latticemetric.likeness import which_of

Average = Literal["none", "item", "system", "pooled"]
"""The ways to combine items and systems:

- `none`: correlate all scores at once
- `item`: average the correlations of the items
- `system`: average the correlations of the systems
- `pooled`: count the system pairs of all items together (accuracies and τ-23 only)
"""

Tau = Literal["b", "c", "23", "eq"]
"""Variants of Kendall's τ: τ-b (`b`), τ-c (`c`), and two variants of Deutsch et al. 2023 that count ties: a τ (`23`)
and an accuracy (`eq`).
"""

_MOST_PAIRS = 50_000_000


class Rows(NamedTuple):
    """Rows of human and metric scores, all of the same length. Each row gives one correlation."""

    gold: Floats  # human scores; one row per item or per system, or a single row
    metric: Floats  # metric scores, of the same shape
    entries: npt.NDArray[np.int64]  # the index of each score in the flattened matrix


def rows_of(gold: npt.ArrayLike, metric: npt.ArrayLike, average: Average = "none") -> list[Rows]:
    """Divide the scores into rows to correlate; return one `Rows` for each length of rows.

    Missing scores (NaN) and rows with fewer than two scores are left out.
    """
    if average not in get_args(Average):
        raise UsageError(
            f"correlations cannot be averaged by '{average}'", advice="choose none, item, system or pooled"
        )
    people, scores = as_matrix(gold, "human scores"), as_matrix(metric, "scores of the metric")
    if people.shape != scores.shape:
        raise UsageError(
            f"scores of the metric have shape {scores.shape}, but human scores have shape {people.shape}",
            advice="give the same systems and items, with NaN for missing scores",
        )
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
    """Return, for each of the `Rows`, the weight of one pair of scores. The weights of all pairs sum to 1."""
    pairs = [rows.gold.shape[-1] * (rows.gold.shape[-1] - 1) // 2 for rows in groups]
    number = sum(len(rows.gold) for rows in groups)
    if average == "pooled":
        return [1 / sum(len(rows.gold) * n for rows, n in zip(groups, pairs, strict=True))] * len(groups)
    return [1 / (number * n) for n in pairs]


def mean_of_rows(statistic: str, groups: Sequence[Rows], average: Average) -> float:
    """Return the mean of a statistic over rows; NaN if no row has a value.

    The mean leaves out rows where the statistic is NaN, such as constant rows. With `pooled`, the weight of a row is
    its number of pairs.
    """
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
    """Raise `UsageError` if `average` is `pooled`, but the statistic is not a sum over pairs."""
    if average == "pooled" and statistic not in PAIR_SUMS:
        raise UsageError(f"{statistic} is not a sum over pairs, so pairs cannot be pooled", advice="average by item")


# ---- Kendall's τ and accuracies ----


def tau(gold: npt.ArrayLike, metric: npt.ArrayLike, variant: Tau = "b", *, average: Average = "none") -> float:
    """Return a variant of Kendall's τ; NaN if it is undefined.

    C is the number of concordant pairs, and D the number of discordant pairs. Tied pairs have equal scores: T_h counts
    pairs that are tied only in the human scores, T_m only in the metric's scores, T_hm in both. The variants are:

    - `b`: (C − D) / √((C + D + T_h)(C + D + T_m))
    - `c`: 2 (C − D) / (n² (k − 1) / k) for n scores; k is the number of distinct human scores or of distinct metric
      scores, whichever is smaller
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
        raise UsageError(f"there is no variant '{variant}' of τ", advice=which_of(variant, get_args(Tau)))
    name = next(name for name, one in VARIANTS.items() if one == variant)
    return mean_of_rows(name, rows_of(gold, metric, average), average)


def tau_of_rows(metric: Floats, gold: Floats, variant: Tau) -> Floats:
    """Return a variant of τ for each row (along the last axis); NaN if undefined."""
    counts = pair_counts(metric, gold)
    if variant in {"23", "eq"}:
        return _with_ties(counts, variant)
    balance = (counts.concordant - counts.discordant).astype(np.float64)
    untied = counts.concordant + counts.discordant
    # The numbers of pairs with different scores, by the metric and by people.
    in_metric, in_gold = untied + counts.tied_second, untied + counts.tied_first
    with np.errstate(divide="ignore", invalid="ignore"):
        if variant == "b":
            found = balance / np.sqrt(in_metric.astype(np.float64) * in_gold)
        else:
            n = metric.shape[-1]
            classes = np.minimum(distinct(metric), distinct(gold))
            found = 2 * balance / (n**2 * (classes - 1) / classes)
    is_defined = (in_metric > 0) & (in_gold > 0)
    return np.asarray(np.where(is_defined, found, np.nan), dtype=np.float64)


def _with_ties(counts: PairCounts, variant: str) -> Floats:
    right = counts.concordant + counts.tied_both
    every = right + counts.discordant + counts.tied_first + counts.tied_second
    return np.asarray((right if variant == "eq" else 2 * right - every) / every, dtype=np.float64)


def distinct(values: Floats) -> Floats:
    """Count the different values of each row."""
    ordered = np.sort(values, axis=-1)
    return np.asarray(1.0 + (np.diff(ordered, axis=-1) != 0).sum(axis=-1), dtype=np.float64)


def kendall_like(
    gold: npt.ArrayLike, metric: npt.ArrayLike, threshold: float = 25.0, *, average: Average = "item"
) -> float:
    """Return the τ of WMT's tasks until 2020; NaN if no pair counts.

    A pair counts if its human scores differ by at least `threshold`. τ = (C − D) / (C + D) for C concordant and D
    discordant pairs. A pair with equal metric scores is discordant. All pairs of all items have the same weight.

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
    """For each of `n` points except the last, yield its index, and the indices of all later points."""
    for one in range(n - 1):
        yield one, np.arange(one + 1, n)


class Calibrated(NamedTuple):
    """An accuracy (or τ) with the tie threshold that makes it largest.

    Attributes:
        value: The accuracy, or τ.
        threshold: Metric scores tie if they differ by at most this number. If several thresholds give the best value,
            `threshold` is the smallest.
    """

    value: float
    threshold: float


def calibrated(
    gold: npt.ArrayLike, metric: npt.ArrayLike, variant: Tau = "eq", *, average: Average = "item"
) -> Calibrated:
    """Return the accuracy (or τ) with the best tie threshold: acc*eq of Deutsch et al. 2023.

    Args:
        gold: Human scores, one row per system.
        metric: Scores of the metric.
        variant: `eq`, the accuracy, or `23`, the τ.
        average: `none`, `item`, `system` or `pooled`.

    Raises:
        UsageError: There are more than 50 million pairs.

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
    sides = [_threshold_pairs(rows) for rows in groups]
    # The value grows only where pairs that people tie become ties of the metric, too.
    distance = np.unique(np.concatenate([np.zeros(1), *(side.tied for side in sides)]))
    values = np.zeros(len(distance))
    for side, weight in zip(sides, weights_of(groups, average), strict=True):
        gained, lost = (np.searchsorted(pairs, distance, side="right") for pairs in (side.tied, side.ordered))
        values += weight * (side.agreed + gained - lost)
    best = int(np.argmax(values >= values.max() - ROUNDING))
    value = float(values[best])
    return Calibrated(value if variant == "eq" else 2 * value - 1, float(distance[best]))


class _ThresholdPairs(NamedTuple):
    """Pairs of scores whose agreement depends on the tie threshold.

    Attributes:
        agreed: The number of pairs that agree if only equal scores tie.
        tied: The differences of the metric's scores where only the human scores tie, in ascending order.
        ordered: The same for pairs that metric and people order alike.
    """

    agreed: int
    tied: Floats
    ordered: Floats


def _threshold_pairs(rows: Rows) -> _ThresholdPairs:
    agreed, tied, ordered = 0, [np.zeros(0)], [np.zeros(0)]
    for one, other in _pairs(rows.gold.shape[-1]):
        people = np.sign(rows.gold[:, one, None] - rows.gold[:, other])
        scores = rows.metric[:, one, None] - rows.metric[:, other]
        is_agreed, distance = people == np.sign(scores), np.abs(scores)
        agreed += int(is_agreed.sum())
        tied.append(distance[(people == 0) & ~is_agreed])
        ordered.append(distance[(people != 0) & is_agreed])
    return _ThresholdPairs(agreed, np.sort(np.concatenate(tied)), np.sort(np.concatenate(ordered)))


def check_pairs(groups: Sequence[Rows]) -> None:
    """Raise `UsageError` if the rows have more than 50 million pairs."""
    if (size := sum(rows.gold.size * (rows.gold.shape[-1] - 1) // 2 for rows in groups)) > _MOST_PAIRS:
        raise UsageError(f"{size} pairs are too many to calibrate or test", advice="average by item or by system")


# ---- Pairs of systems ----


class PairwiseAccuracy(NamedTuple):
    """Agreement of a metric with human scores on the order of pairs of systems (Kocmi et al. 2021).

    Attributes:
        agreed: The number of pairs with the same order in metric and human scores. A tie agrees only with a tie.
        pairs: The number of pairs.
    """

    agreed: int
    pairs: int

    @property
    def value(self) -> float:
        """The share of pairs with the same order in metric and human scores; NaN without pairs."""
        return self.agreed / self.pairs if self.pairs else float("nan")


def pairwise_accuracy(tasks: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]) -> PairwiseAccuracy:
    """Return the pairwise accuracy over the system pairs of several tasks, such as language pairs.

    Args:
        tasks: For each task, a tuple of human scores and metric scores; both have one score per system.

    Examples:
        >>> pairwise_accuracy([([1, 2, 3], [0.1, 0.3, 0.2]), ([5, 4], [0.5, 0.4])])
        PairwiseAccuracy(agreed=3, pairs=4)
    """
    agreed = pairs = 0
    for gold, metric in tasks:
        people, scores = (floats(side, "the scores of a task").reshape(-1, 1) for side in (gold, metric))
        for rows in rows_of(people, scores):
            counts = pair_counts(rows.metric, rows.gold)
            agreed += int((counts.concordant + counts.tied_both).sum())
            pairs += int(sum(count.sum() for count in counts))
    return PairwiseAccuracy(agreed, pairs)


def pairwise_p(scores: npt.ArrayLike, *, trials: int = 1000, seed: int = 0) -> Floats:
    """Return one-sided p-values of paired permutation tests, for all pairs of systems.

    A trial swaps the scores of both systems in random segments. All pairs use the same trials. As in mt-metrics-eval,
    p is c / R: the share of the R trials whose difference is at least the observed one.

    Args:
        scores: Scores of segments, one row per system, without NaN.
        trials: The number of trials.
        seed: The same seed swaps the same segments.

    Returns:
        A square matrix. For i < j, entry [i, j] is the p-value for "system i is better than system j"; the other
        entries are NaN.
    """
    values = as_matrix(scores, "scores")
    values = values - values.mean()  # keeps sums small, and changes no difference
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

    For each pair of systems, `pairwise_p` gives two p-values: one from human scores, one from metric scores. The result
    is 1 minus the mean absolute difference of the two p-values. Segments with a missing score do not count. The result
    is NaN if there are fewer than two systems, or if no segment has all scores.

    Args:
        gold: Human scores of segments, one row per system; NaN if missing.
        metric: The metric's scores of segments.
        trials: The number of trials of each permutation test.
        seed: The same seed swaps the same segments.

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
    """Return the matrices without the segments (columns) where any matrix has a missing score."""
    sides = [as_matrix(side, "scores") for side in (gold, *metrics)]
    if len({side.shape for side in sides}) > 1:
        raise UsageError(
            f"scores have different shapes: {' and '.join(sorted({str(side.shape) for side in sides}))}",
            advice="give the same systems and segments, with NaN for missing scores",
        )
    there = ~np.isnan(np.stack(sides)).any(axis=(0, 1))
    return [side[:, there] for side in sides]


# ---- Documents and domains ----


def averaged(scores: npt.ArrayLike, groups: Sequence[str]) -> tuple[Floats, tuple[str, ...]]:
    """Average scores of segments by document or by domain.

    Args:
        scores: Scores of segments, one row per system. Averages leave out missing scores (NaN).
        groups: The name of the group (document or domain) of each segment.

    Returns:
        The averages, one row per system and one column per group; and the names of the groups, in order of first
        appearance. An average is NaN if all its scores are missing. Averages that differ only by rounding are equal.

    Examples:
        >>> matrix, names = averaged([[1, 3, 5], [2, 2, float("nan")]], ["a", "a", "b"])
        >>> names, matrix.tolist()
        (('a', 'b'), [[2.0, 5.0], [2.0, nan]])
    """
    values = as_matrix(scores, "scores")
    if len(groups) != values.shape[1]:
        raise UsageError(
            f"there are {len(groups)} names of groups for {values.shape[1]} segments", advice="give one per segment"
        )
    number = {name: place for place, name in enumerate(dict.fromkeys(groups))}
    member = np.array([number[name] for name in groups], dtype=np.int64)
    found = np.full((len(values), len(number)), np.nan)
    for row, given in zip(found, values, strict=True):
        there = ~np.isnan(given)
        sums, sizes = (np.bincount(member[there], side, len(number)) for side in (given[there], None))
        np.divide(sums, sizes, out=row, where=sizes > 0)
    return snap_matrix(found, each=True), tuple(number)


# ---- Statistics by name ----

STATISTICS = ("pearson", "spearman", "kendall", "tau-c", "tau-23", "acc-eq", "acc-t", "spa")
"""Names of statistics for `agreement_on`.

`kendall` is τ-b. `acc-eq` is the accuracy with ties, and `acc-t` the accuracy with tie calibration. `spa` is soft
pairwise accuracy.
"""

PAIR_SUMS = frozenset({"acc-eq", "acc-t", "tau-23"})
"""Statistics that are sums over pairs of scores. These pairs can be pooled, and swapped one by one."""

VARIANTS: dict[str, Tau] = {"kendall": "b", "tau-c": "c", "tau-23": "23", "acc-eq": "eq"}


def agreement_on(
    statistic: str, gold: npt.ArrayLike, metric: npt.ArrayLike, *, average: Average = "none", seed: int = 0
) -> float:
    """Return the agreement of metric and human scores, by a named statistic; NaN if it is undefined.

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
    """Return a coefficient, given by its name, for each row (along the last axis); NaN if undefined."""
    if statistic in VARIANTS:
        return tau_of_rows(metric, gold, VARIANTS[statistic])
    if statistic not in {"pearson", "spearman"}:
        raise UsageError(f"there is no statistic '{statistic}'", advice=which_of(statistic, STATISTICS))
    return (pearson if statistic == "pearson" else spearman)(metric, gold)
