"""Tests of metrics against each other: every trial by definition, rates of false alarms, clusters and ranks."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latticemetric import UsageError
from latticemetric.evaluation.exchanges import Sides, Signs, exchanged_differences
from latticemetric.evaluation.metric_tests import MetricTask, of_groups, permutation_test, rank_metrics
from latticemetric.evaluation.pairwise import STATISTICS, agreement_on, calibrated, of_rows, pairwise_p

NAN = math.nan


def matrices(number):
    """Matrices of one shape, with ties; some scores are missing."""
    score = st.one_of(st.integers(0, 4).map(float), st.integers(0, 4).map(float), st.just(NAN))
    return st.tuples(st.integers(2, 4), st.integers(1, 4)).flatmap(
        lambda shape: st.tuples(
            *[st.lists(score, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]) for _ in range(number)]
        ).map(lambda flat: [np.array(values).reshape(shape) for values in flat])
    )


def hybrids(sides, unit_signs, exchange):
    """Exchange scores, one by one."""
    one, other = sides.first.copy(), sides.second.copy()
    systems, items = one.shape
    for s in range(systems):
        for t in range(items):
            unit = {"both": s * items + t, "systems": s, "items": t}[exchange]
            if unit_signs[unit] < 0:
                one[s, t], other[s, t] = other[s, t], one[s, t]
    return one, other


@pytest.mark.parametrize("exchange", ["both", "systems", "items"])
@given(
    data=matrices(3),
    statistic=st.sampled_from(["pearson", "spearman", "kendall", "tau-c", "tau-23", "acc-eq"]),
    average=st.sampled_from(["none", "item", "system"]),
    seed=st.integers(0, 99),
)
def test_every_trial_has_the_difference_of_the_exchanged_scores(exchange, data, statistic, average, seed):
    sides = Sides.of(*data)
    signs = Signs(sides.gold.shape, exchange, 12, seed)
    observed, drawn = exchanged_differences(statistic, sides, average, signs)

    def difference(one, other):
        before, after = (agreement_on(statistic, sides.gold, side, average=average) for side in (one, other))
        return after - before

    assert observed == pytest.approx(difference(sides.first, sides.second), abs=1e-9, nan_ok=True)
    rows = np.concatenate(list(signs.draw()))
    assert rows.shape[0] == len(drawn) == 12
    if math.isnan(observed):
        return
    for row, value in zip(rows, drawn, strict=True):
        expected = difference(*hybrids(sides, row, exchange))
        assert value == pytest.approx(expected, abs=1e-7, nan_ok=True)


@pytest.mark.parametrize("statistic", ["acc-eq", "tau-23"])
def test_many_scores_are_tested_at_once(statistic):
    # 200 million pairs. In all of them, the first metric agrees with people, and the second does not.
    people = np.arange(20_000.0)[:, None]
    found = permutation_test(statistic, people, -people, people, exchange="systems", trials=20)
    assert found.difference == pytest.approx(1 if statistic == "acc-eq" else 2)
    assert found.p == pytest.approx(1 / 21)


@pytest.mark.parametrize("statistic", ["kendall", "tau-c", "spearman", "pearson"])
def test_trials_on_short_rows_sort_no_scores(statistic, monkeypatch):
    sorted_rows = []

    def counted(name, metric, gold):
        sorted_rows.append(metric.size // metric.shape[-1])
        return of_rows(name, metric, gold)

    monkeypatch.setattr("latticemetric.evaluation.exchanges.of_rows", counted)
    data = np.random.default_rng(0).integers(0, 9, (3, 6, 50)).astype(float)
    exchanged_differences(statistic, Sides.of(*data), "item", Signs(data[0].shape, "both", 100, 0))
    assert sum(sorted_rows) <= 2 * 50  # the observed values of both metrics


@given(data=matrices(3), statistic=st.sampled_from(["tau-23", "acc-eq"]), seed=st.integers(0, 99))
def test_pooled_pairs_are_counted_alike(data, statistic, seed):
    sides = Sides.of(*data)
    signs = Signs(sides.gold.shape, "both", 12, seed)
    observed, drawn = exchanged_differences(statistic, sides, "pooled", signs)

    def value(side):
        counts = []
        for gold, scores in zip(sides.gold.T, side.T, strict=True):
            there = [k for k, cell in enumerate(gold) if not math.isnan(cell)]
            counts += [np.sign(gold[i] - gold[j]) == np.sign(scores[i] - scores[j]) for i, j in combinations(there, 2)]
        agreed = np.mean(counts) if counts else NAN
        return agreed if statistic == "acc-eq" else 2 * agreed - 1

    first, second = (
        agreement_on(statistic, sides.gold, side, average="pooled") for side in (sides.first, sides.second)
    )
    assert (first, second) == pytest.approx((value(sides.first), value(sides.second)), nan_ok=True)
    assert observed == pytest.approx(second - first, nan_ok=True, abs=1e-9)
    if math.isnan(observed):
        return
    for row, drawn_value in zip(np.concatenate(list(signs.draw())), drawn, strict=True):
        one, other = hybrids(sides, row, "both")
        assert drawn_value == pytest.approx(value(other) - value(one), abs=1e-7)


@given(
    data=matrices(3),
    statistic=st.sampled_from(["tau-23", "acc-eq", "acc-t"]),
    average=st.sampled_from(["none", "item"]),
)
def test_verdicts_on_pairs_are_exchanged_by_themselves(data, statistic, average):
    sides = Sides.of(*data)
    observed, drawn = exchanged_differences(statistic, sides, average, Signs(sides.gold.shape, "pairs", 400, 1))
    values = [agreement_on(statistic, sides.gold, side, average=average) for side in (sides.first, sides.second)]
    assert observed == pytest.approx(values[1] - values[0], abs=1e-9, nan_ok=True)
    if math.isnan(observed):
        return
    # Each pair on which the metrics differ moves the difference by its weight, up or down alike.
    rows = [list(zip(*cells, strict=True)) for cells in zip(*(side.T for side in sides), strict=True)]
    rows = [[cells for row in rows for cells in row]] if average == "none" else rows
    rows = [row for row in ([cells for cells in row if not math.isnan(cells[0])] for row in rows) if len(row) > 1]
    at = [calibrated(sides.gold, s, average=average).threshold if statistic == "acc-t" else 0 for s in sides[1:]]
    weights = []
    for row in rows:
        pairs = list(combinations(row, 2))
        for (g, *m), (h, *n) in pairs:
            verdicts = [
                (0 if abs(a - b) <= t else np.sign(a - b)) == np.sign(g - h) for a, b, t in zip(m, n, at, strict=True)
            ]
            if verdicts[0] != verdicts[1]:
                weights.append((2 if statistic == "tau-23" else 1) / len(pairs) / len(rows))
    assert np.abs(drawn).max() <= sum(weights) + 1e-9
    spread = math.sqrt(sum(w**2 for w in weights))
    assert drawn.std() == pytest.approx(spread, abs=0.25 * spread + 1e-12)
    assert abs(drawn.mean()) <= 5 * spread / math.sqrt(400) + 1e-12


def test_only_sums_over_pairs_are_pooled_and_exchanged_by_pairs():
    with pytest.raises(UsageError, match="pearson is not a sum over pairs, so pairs cannot be pooled"):
        agreement_on("pearson", [[1], [2]], [[1], [2]], average="pooled")
    with pytest.raises(UsageError, match="spa is not a sum over pairs, so pairs cannot be exchanged"):
        permutation_test("spa", [[1, 2], [2, 3]], [[1, 2], [2, 1]], [[1, 1], [2, 3]], exchange="pairs")
    with pytest.raises(UsageError, match="no language pairs"):
        MetricTask.pooled("accuracy", [])
    with pytest.raises(UsageError, match="different metrics"):
        MetricTask.pooled("accuracy", [([1, 2], {"a": [1, 2]}), ([1, 2], {"b": [1, 2]})])


def test_trials_of_soft_accuracy_use_the_limit_of_the_permutation_test():
    generator = np.random.default_rng(3)
    gold = generator.normal(size=(4, 300)) + np.arange(4)[:, None] / 12
    sides = Sides.of(gold, gold + generator.normal(size=(4, 300)), gold + 3 * generator.normal(size=(4, 300)))
    signs = Signs(sides.gold.shape, "both", 3, 5)
    observed, drawn = exchanged_differences("spa", sides, "none", signs)
    above = np.triu_indices(4, 1)
    people = pairwise_p(gold, trials=20_000)[above]

    def accuracy(scores):
        return 1 - np.abs(people - pairwise_p(scores, trials=20_000)[above]).mean()

    assert observed == pytest.approx(accuracy(sides.second) - accuracy(sides.first), abs=0.02)
    for row, value in zip(np.concatenate(list(signs.draw())), drawn, strict=True):
        one, other = hybrids(sides, row, "both")
        assert value == pytest.approx(accuracy(other) - accuracy(one), abs=0.02)


def test_a_pair_of_both_metrics_is_a_tie_up_to_the_mean_threshold():
    gold = np.array([[1.0, 2.0], [1.0, 1.0], [3.0, 0.0]])
    sides = Sides.of(gold, np.array([[1, 2], [1.2, 1], [3, 0.0]]), np.array([[0, 5], [2, 5.5], [9, 0.0]]))
    limits = [calibrated(gold, side).threshold for side in (sides.first, sides.second)]
    assert min(limits) > 0
    signs = Signs(gold.shape, "both", 20, 0)
    observed, drawn = exchanged_differences("acc-t", sides, "item", signs)
    values = [calibrated(gold, side).value for side in (sides.first, sides.second)]
    assert observed == pytest.approx(values[1] - values[0])
    for row, value in zip(np.concatenate(list(signs.draw())), drawn, strict=True):
        stays = row.reshape(gold.shape) > 0
        total = 0.0
        for item in range(2):
            for i, j in combinations(range(3), 2):
                for sign in (1, -1):  # the second hybrid, minus the first
                    own = [(1 if stays[k, item] else 0) if sign > 0 else (0 if stays[k, item] else 1) for k in (i, j)]
                    gap = sides[1 + own[0]][i, item] - sides[1 + own[1]][j, item]
                    order = 0.0 if abs(gap) <= (limits[own[0]] + limits[own[1]]) / 2 else np.sign(gap)
                    total += sign * (order == np.sign(gold[i, item] - gold[j, item]))
        assert value == pytest.approx(total / 6)


def test_p_values_count_trials():
    generator = np.random.default_rng(0)
    gold = generator.normal(size=(5, 8))
    first, second = gold + generator.normal(size=(5, 8)), gold + 2 * generator.normal(size=(5, 8))
    found = permutation_test("pearson", gold, first, second, trials=99, seed=4)
    sides = Sides.of(gold, first, second)
    observed, drawn = exchanged_differences("pearson", sides, "none", Signs((5, 8), "both", 99, 4))
    assert found.difference == observed
    assert found.p == (1 + sum(abs(value) >= abs(observed) for value in drawn)) / 100
    assert found.p_better == sum(value >= observed for value in drawn) / 99
    scaled = permutation_test("pearson", gold, 10 + 3 * first, second - 7, trials=99, seed=4)
    assert (scaled.p, scaled.difference) == (found.p, pytest.approx(found.difference))
    swapped = permutation_test("pearson", gold, second, first, trials=99, seed=4)
    assert swapped.p == pytest.approx(found.p)
    assert swapped.difference == pytest.approx(-found.difference)


def test_equal_metrics_have_p_one_and_undefined_ones_none():
    gold = np.arange(6.0).reshape(3, 2)
    for statistic in STATISTICS:
        assert permutation_test(statistic, gold, gold, gold, trials=20).p == 1
    constant = permutation_test("pearson", gold, gold * 0, gold, trials=20)
    assert (constant.difference, constant.p, constant.p_better) == (None, None, None)
    assert permutation_test("acc-eq", [[1.0]], [[1.0]], [[2.0]], trials=5).p is None


# Two metrics with the same noise: whatever a trial exchanges does not matter.
NULLS = [
    ("pearson", "none", "both"),
    ("pearson", "none", "systems"),
    ("acc-eq", "item", "both"),
    ("acc-t", "item", "both"),
    ("acc-t", "item", "items"),
    ("kendall", "none", "both"),
    ("spa", "none", "both"),
    ("spa", "none", "items"),
]


def false_alarms(statistic, average, exchange, *, pairs, seed=0, trials=199):
    """The share of pairs of equally good metrics with p ≤ .05."""
    generator = np.random.default_rng(seed)
    alarms = 0
    for pair in range(pairs):
        shape = (12, 1) if exchange == "systems" else (5, 12) if statistic == "kendall" else (6, 20)
        gold = generator.normal(size=shape) + np.linspace(0, 1, shape[0])[:, None]
        first, second = (gold + generator.normal(size=shape) for _ in range(2))
        if statistic in {"acc-eq", "acc-t"}:
            gold, first, second = (side.round(1) for side in (gold, first, second))
        found = permutation_test(
            statistic, gold, first, second, average=average, exchange=exchange, trials=trials, seed=seed + pair
        )
        alarms += found.p <= 0.05
    return alarms / pairs


@pytest.mark.parametrize("statistic", ["pearson", "kendall", "acc-eq", "acc-t", "spa"])
@pytest.mark.parametrize("factor", [1e-200, 1e160])
def test_the_unit_of_a_metric_changes_no_test(statistic, factor):
    random = np.random.default_rng(0)
    gold, one, other = (random.normal(size=(5, 8)) for _ in range(3))
    expected = permutation_test(statistic, gold, one, gold + other, trials=50)
    found = permutation_test(statistic, gold, one, (gold + other) * factor, trials=50)
    assert found.difference == pytest.approx(expected.difference)
    assert (found.p, found.p_better) == (expected.p, expected.p_better)


@pytest.mark.parametrize(("statistic", "average", "exchange"), NULLS)
def test_equally_good_metrics_differ_one_time_in_twenty(statistic, average, exchange):
    # Of 150 pairs: .05 ± three deviations.
    assert false_alarms(statistic, average, exchange, pairs=150) <= 0.104


def test_better_metrics_are_found():
    generator = np.random.default_rng(1)
    gold = generator.normal(size=(8, 100))
    good, bad = gold + generator.normal(size=(8, 100)), gold + 3 * generator.normal(size=(8, 100))
    for statistic in STATISTICS:
        average = "none" if statistic in {"pearson", "spa"} else "item"
        found = permutation_test(statistic, gold, bad, good, average=average, trials=200)
        assert found.difference > 0
        assert found.p <= 0.05 or statistic == "spa"


# --- Clusters and ranks


def test_a_new_rank_begins_below_a_significantly_better_metric():
    generator = np.random.default_rng(2)
    gold = generator.normal(size=(6, 200))
    metrics = {f"m{noise}": gold + noise * generator.normal(size=gold.shape) for noise in (1.0, 4.0, 1.01, 4.1)}
    task = MetricTask("toy", "acc-eq", gold, metrics, average="item")
    table = rank_metrics([task, of_groups(task, ["a", "b"] * 100, "documents")], trials=200)
    found = table.tasks["toy"]
    assert list(found.values) == sorted(
        metrics, key=lambda name: -agreement_on("acc-eq", gold, metrics[name], average="item")
    )
    # By definition: a metric has the next rank if one of the ranks's metrics above it is significantly better.
    expected, rank, cluster = {}, 1, []
    for name in found.values:
        if any(found.tests[above, name].p <= 0.05 for above in cluster):
            rank, cluster = rank + 1, []
        cluster.append(name)
        expected[name] = rank
    assert dict(found.ranks) == expected
    assert max(expected.values()) > 1
    for name in metrics:
        ranks = [table.tasks[task].ranks[name] for task in ("toy", "documents")]
        assert table.average_rank[name] == sum(ranks) / 2
    document = table.asdict()["tasks"]["toy"]
    assert document["ranks"] == expected
    assert {(one["better"], one["worse"]): one["p"] for one in document["tests"]} == {
        pair: test.p for pair, test in found.tests.items()
    }


def test_metrics_without_a_value_share_the_last_rank():
    gold = np.arange(5.0).reshape(5, 1)
    metrics = {"constant": gold * 0, "good": gold, "bad": gold[::-1], "missing": gold * np.nan}
    found = rank_metrics([MetricTask("toy", "pearson", gold, metrics, exchange="systems")], trials=20).tasks["toy"]
    assert dict(found.ranks) == {"good": 1, "bad": 1, "constant": 2, "missing": 2}
    only = rank_metrics([MetricTask("toy", "pearson", gold, {"constant": gold * 0})], trials=20)
    assert dict(only.average_rank) == {"constant": 1}


def test_ranking_needs_the_same_metrics_everywhere():
    gold = np.arange(4.0).reshape(4, 1)
    one = MetricTask("one", "pearson", gold, {"a": gold})
    with pytest.raises(UsageError, match="task two has other metrics than one"):
        rank_metrics([one, MetricTask("two", "pearson", gold, {"b": gold})])
    with pytest.raises(UsageError, match="two tasks have the same name"):
        rank_metrics([one, one])
    with pytest.raises(UsageError, match="there are no tasks"):
        rank_metrics([])
    with pytest.raises(UsageError, match="no exchange 'words'"):
        permutation_test("pearson", gold, gold, gold, exchange="words")
    with pytest.raises(UsageError, match="no statistic 'r'"):
        permutation_test("r", gold, gold, gold)


@pytest.mark.parametrize("statistic", ["kendall", "tau-c"])
@pytest.mark.parametrize("average", ["none", "item"])
@pytest.mark.parametrize("levels", [2, 12, 100_000])
def test_trials_on_long_rows_sort_human_scores_once(statistic, average, levels, monkeypatch):
    data = np.random.default_rng(levels).integers(0, levels, (3, 60, 2)).astype(float)
    data[1, 7, 1] = NAN
    sides = Sides.of(*data)
    signs = Signs(sides.gold.shape, "both", 30, 1)
    with monkeypatch.context() as patch:
        patch.setattr("latticemetric.evaluation.order_counts._MOST_KEYS", 500)  # several blocks
        _, drawn = exchanged_differences(statistic, sides, average, signs)
    for row, value in zip(np.concatenate(list(signs.draw())), drawn, strict=True):
        one, other = (
            agreement_on(statistic, sides.gold, side, average=average) for side in hybrids(sides, row, "both")
        )
        assert value == pytest.approx(other - one, abs=1e-12)
    sorted_rows = []

    def counted(name, metric, gold):
        sorted_rows.append(metric.size // metric.shape[-1])
        return of_rows(name, metric, gold)

    monkeypatch.setattr("latticemetric.evaluation.exchanges.of_rows", counted)
    exchanged_differences(statistic, sides, average, signs)
    assert sum(sorted_rows) <= 2 * 2  # the observed values of both metrics
