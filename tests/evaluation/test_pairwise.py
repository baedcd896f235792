"""Agreement on pairs, against loops written from the definitions."""

import math
import tracemalloc
from functools import reduce
from itertools import chain, combinations, product
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latticemetric import UsageError
from latticemetric.evaluation.pairwise import (
    PairwiseAccuracy,
    agreement_on,
    averaged,
    calibrated,
    kendall_like,
    pairwise_accuracy,
    pairwise_p,
    soft_pairwise_accuracy,
    tau,
)

NAN = math.nan
score = st.one_of(*[st.integers(0, 5).map(float)] * 4, st.just(NAN))
matrices = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(
        *[st.lists(st.lists(score, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])] * 2
    )
)
averages = st.sampled_from(["none", "item", "system"])


def rows(gold, metric, average):
    """The pairs of scores that belong together, without missing ones."""
    if average == "none":
        gold, metric = [[*chain(*gold)]], [[*chain(*metric)]]
    if average == "item":
        gold, metric = list(zip(*gold, strict=True)), list(zip(*metric, strict=True))
    for g, m in zip(gold, metric, strict=True):
        points = [p for p in zip(g, m, strict=True) if not math.isnan(p[0] + p[1])]
        if len(points) > 1:
            yield points


def sign(x):
    return (x > 0) - (x < 0)


def counted(points, threshold=0.0):
    """C, D, pairs tied only by people, only by the metric, by both."""
    counts = [0] * 5
    for (g, m), (h, n) in combinations(points, 2):
        people, scores = sign(g - h), 0 if abs(m - n) <= threshold else sign(m - n)
        counts[4 if people == scores == 0 else 2 if people == 0 else 3 if scores == 0 else int(people != scores)] += 1
    return counts


def value(points, variant, threshold=0.0):
    c, d, h, m, both = counted(points, threshold)
    if variant in {"23", "eq"}:
        return (c + both - (d + h + m) * (variant == "23")) / (c + d + h + m + both)
    if c + d + h == 0 or c + d + m == 0:
        return NAN
    if variant == "b":
        return (c - d) / math.sqrt((c + d + h) * (c + d + m))
    k = min(len({g for g, _ in points}), len({n for _, n in points}))
    return 2 * (c - d) / (len(points) ** 2 * (k - 1) / k)


def mean(values):
    defined = [v for v in values if not math.isnan(v)]
    return sum(defined) / len(defined) if defined else NAN


@given(matrices, averages, st.sampled_from(["b", "c", "23", "eq"]))
def test_variants_of_tau_are_as_defined(sides, average, variant):
    expected = mean([value(points, variant) for points in rows(*sides, average)])
    assert tau(*sides, variant, average=average) == pytest.approx(expected, nan_ok=True)


@given(matrices, averages, st.sampled_from([0.0, 1.0, 2.5]))
def test_kendall_like_is_as_defined(sides, average, threshold):
    right = every = 0
    for points in rows(*sides, average):
        for (g, m), (h, n) in combinations(points, 2):
            if abs(g - h) >= threshold:
                right += (g > h and m > n) or (g < h and m < n)
                every += 1
    expected = (2 * right - every) / every if every else NAN
    assert kendall_like(*sides, threshold, average=average) == pytest.approx(expected, nan_ok=True)


@given(matrices, averages, st.sampled_from(["23", "eq"]))
def test_calibration_tries_every_threshold(sides, average, variant):
    parts = list(rows(*sides, average))
    found = calibrated(*sides, variant, average=average)
    if not parts:
        assert math.isnan(found.value)
        return
    thresholds = sorted({0.0, *(abs(m - n) for p in parts for (_, m), (_, n) in combinations(p, 2))})
    values = [mean([value(points, variant, at) for points in parts]) for at in thresholds]
    assert found.value == pytest.approx(max(values))
    assert found.threshold == next(at for at, v in zip(thresholds, values, strict=True) if v >= max(values) - 1e-9)


def test_calibration_holds_few_numbers_per_pair():
    generator = np.random.default_rng(0)
    people, metric = generator.integers(0, 20, (2, 2000, 1)).astype(float)
    tracemalloc.start()
    try:
        calibrated(people, metric, average="none")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 * 2000 * 1999 / 2


def test_p_values_are_those_of_all_exchanges():
    scores = np.array([[3.0, 1, 4, 1, 5], [2, 7, 1, 8, 2], [8, 1, 8, 2, 8]])
    found = pairwise_p(scores, trials=40_000, seed=2)
    for i, j in combinations(range(3), 2):
        d = scores[i] - scores[j]
        exact = np.mean([np.dot(signs, d) >= d.sum() for signs in product((1, -1), repeat=5)])
        assert found[i, j] == pytest.approx(exact, abs=0.012)
    assert np.isnan(found[np.tril_indices(3)]).all()


def test_soft_accuracy_is_one_minus_the_mean_distance_of_p_values():
    generator = np.random.default_rng(0)
    people, metric = generator.normal(size=(2, 4, 30))
    above = np.triu_indices(4, 1)
    distance = np.abs(pairwise_p(people, seed=3)[above] - pairwise_p(metric, seed=3)[above])
    assert soft_pairwise_accuracy(people, metric, seed=3) == pytest.approx(1 - distance.mean())
    people[2, 7] = NAN  # the segment counts for no system
    kept = [k for k in range(30) if k != 7]
    assert soft_pairwise_accuracy(people, metric) == soft_pairwise_accuracy(people[:, kept], metric[:, kept])
    assert soft_pairwise_accuracy(people, people) == 1
    assert math.isnan(soft_pairwise_accuracy(people[:1], metric[:1]))


def test_pairs_of_several_tasks_are_pooled():
    tasks = [([1, 2, 3], [0.1, 0.3, 0.2]), ([5, 4, NAN], [0.5, 0.4, 0.9]), ([1, 1], [2, 2])]
    assert pairwise_accuracy(tasks) == PairwiseAccuracy(4, 5)
    assert pairwise_accuracy(tasks).value == 0.8
    assert math.isnan(pairwise_accuracy([]).value)
    columns = np.array([[1, 5, 1], [2, 4, 1], [3, NAN, NAN]]), np.array([[0.1, 0.5, 2], [0.3, 0.4, 2], [0.2, 0.9, NAN]])
    assert tau(*columns, "eq", average="pooled") == 0.8
    assert tau(*columns, "eq", average="item") == pytest.approx((2 / 3 + 2) / 3)
    assert calibrated(*columns, average="pooled").value == pytest.approx(0.8)


def test_groups_average_what_was_scored():
    matrix, names = averaged([[1, 3, 5, NAN], [2, 2, NAN, NAN]], ["b", "a", "b", "a"])
    assert names == ("b", "a")
    assert np.array_equal(matrix, [[3, 3], [2, 2]])
    with pytest.raises(UsageError, match="2 names of groups for 1 segments"):
        averaged([[1.0]], ["a", "b"])


def test_averages_of_many_documents_take_linear_time_and_memory():
    documents = [f"document {number // 2}" for number in range(200_000)]
    matrix, names = averaged([list(range(200_000))], documents)
    assert (len(names), matrix.shape) == (100_000, (1, 100_000))
    assert matrix[0, -1] == 199_998.5


def test_averages_of_the_same_scores_in_another_order_are_equal():
    orders = [[0.1, 0.2, 0.3, 0.1, 0.7], [0.3, 0.7, 0.1, 0.2, 0.1], [0.7, 0.1, 0.1, 0.2, 0.3]]
    assert len({reduce(add, order) for order in orders}) > 1  # sum() of Python 3.12 rounds once
    matrix, _ = averaged(orders, ["a"] * 5)
    assert matrix[0] == matrix[1] == matrix[2]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(UsageError, match="no statistic 'r'"):
        agreement_on("r", [[1], [2]], [[1], [2]])
    with pytest.raises(UsageError, match="averaged by 'word'"):
        tau([[1], [2]], [[1], [2]], average="word")
    with pytest.raises(UsageError, match="have shape"):
        tau([[1], [2]], [[1, 2]])
    with pytest.raises(UsageError, match="too many to calibrate or test"):
        calibrated(np.arange(12_000.0)[:, None], np.arange(12_000.0)[:, None], average="none")
    with pytest.raises(UsageError, match="cannot be calibrated"):
        calibrated([[1], [2]], [[1], [2]], "b")
