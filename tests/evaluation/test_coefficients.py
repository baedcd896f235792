"""Correlation coefficients: what definitions written out give, and what scipy gives."""

import math
import statistics
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latticemetric import UsageError
from latticemetric.evaluation import kendall, pearson, spearman
from latticemetric.evaluation.coefficients import differences, fitted_line, inversions, moments, pearson_of, ranks
from latticemetric.evaluation.significance import two_sided_p

COEFFICIENTS = [pearson, spearman, kendall]

# Few values, so that there are ties.
SAMPLES = st.lists(st.tuples(st.integers(-2, 2), st.integers(-3, 3)), max_size=9)
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def sides(points):
    return np.array([x for x, _ in points], float), np.array([y for _, y in points], float)


def defined(points):
    return len({x for x, _ in points}) > 1 and len({y for _, y in points}) > 1


def by_definition(coefficient, points):
    """The coefficient from its definition; NaN where that divides by zero."""
    if not defined(points):
        return math.nan
    x, y = zip(*points, strict=True)
    if coefficient is pearson:
        return statistics.correlation(x, y)
    if coefficient is spearman:
        return statistics.correlation(*(list(map(mean_rank(side), side)) for side in (x, y)))
    pairs = [(points[i], points[j]) for i in range(len(points)) for j in range(i)]
    same = sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in pairs)
    other = sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in pairs)
    differ = [sum(a[k] != b[k] for a, b in pairs) for k in range(2)]
    return (same - other) / math.sqrt(differ[0] * differ[1])


def mean_rank(side):
    return lambda value: sum(other < value for other in side) + (sum(other == value for other in side) + 1) / 2


@given(SAMPLES)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_coefficients_are_what_their_definitions_say(coefficient, points):
    found = float(coefficient(*sides(points)))
    assert found == pytest.approx(by_definition(coefficient, points), abs=1e-12, nan_ok=True)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=40))
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_coefficients_are_those_of_scipy(coefficient, points):
    stats = pytest.importorskip("scipy.stats")
    peers = {pearson: stats.pearsonr, spearman: stats.spearmanr, kendall: stats.kendalltau}
    x, y = sides(points)
    if not defined(points) or min(np.ptp(x) / np.abs(x).max(), np.ptp(y) / np.abs(y).max()) < 1e-6:
        return  # undefined, or so close to it that rounding decides
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of values that are nearly constant
        expected = peers[coefficient](x, y)[0]
    assert float(coefficient(x, y)) == pytest.approx(expected, abs=1e-8)


@given(st.lists(SAMPLES.filter(lambda points: len(points) == 5), min_size=1, max_size=4))
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_many_samples_at_once_are_each_alone(coefficient, samples):
    x, y = (np.array(side) for side in zip(*map(sides, samples), strict=True))
    together = coefficient(x.reshape(1, -1, 5), y.reshape(1, -1, 5))
    assert together.shape == (1, len(samples))
    alone = [float(coefficient(*pair)) for pair in zip(x, y, strict=True)]
    assert together[0].tolist() == pytest.approx(alone, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_where_they_are_undefined(coefficient):
    for x, y in ([[], []], [[1], [2]], [[1, 1], [1, 2]], [[1, 2], [3, 3]], [[0.1] * 3, [1, 2, 3]]):
        assert math.isnan(coefficient(x, y))
    assert math.isnan(coefficient([1, 2, math.nan], [1, 2, 3]))
    assert coefficient(np.zeros((0, 4)), np.zeros((0, 4))).shape == (0,)
    assert coefficient(np.zeros((3, 1)), np.zeros((3, 1))).shape == (3,)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_perfect_agreement_is_one_at_any_scale(coefficient):
    x = np.array([1.0, 2, 4, 7])
    for scale in (1e-200, 1e-20, 1, 1e20, 1e200):
        assert coefficient(x, scale * x) == pytest.approx(1, abs=1e-12)
        assert coefficient(x, -scale * x) == pytest.approx(-1, abs=1e-12)


@pytest.mark.parametrize("arguments", [([1, 2], [1, 2, 3]), (1, 2)])
def test_sides_that_do_not_fit_are_refused(arguments):
    with pytest.raises(UsageError, match="cannot be correlated; give two arrays of equal length"):
        pearson(*arguments)


def test_kendall_of_many_points_is_quick_and_right():
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(0)
    x = generator.normal(size=30_000).round(2)
    y = x + generator.normal(size=30_000)
    begin = time.process_time()
    found = float(kendall(x, y))
    assert time.process_time() - begin < 5  # comparing all pairs would take far longer
    assert found == pytest.approx(stats.kendalltau(x, y)[0], abs=1e-12)


def test_ranks_keep_what_is_missing():
    assert ranks(np.array([3.0, math.nan, 1, 3])).tolist() == pytest.approx([2.5, math.nan, 1, 2.5], nan_ok=True)


@given(st.lists(NUMBERS, max_size=6))
def test_differences_are_those_of_all_pairs(values):
    expected = [values[i] - values[j] for i in range(len(values)) for j in range(i + 1, len(values))]
    assert differences(np.array(values, float)).tolist() == expected


@given(SAMPLES, st.lists(st.integers(0, 3), min_size=9, max_size=9))
def test_sums_of_moments_give_the_coefficient_of_the_points_drawn(points, counts):
    drawn = [point for point, times in zip(points, counts, strict=False) for _ in range(times)]
    rows = moments(*sides(points))
    found = pearson_of((np.array(counts[: len(points)], float)[:, None] * rows).sum(axis=0))
    if defined(points):
        assert float(found) == pytest.approx(by_definition(pearson, drawn), abs=1e-9, nan_ok=True)
    else:
        assert math.isnan(found)


def test_moments_of_a_large_constant_with_small_changes_are_exact_enough():
    x = 1e6 + np.array([1.0, 2, 3, 5]) * 1e-3
    y = np.array([2.0, 1, 4, 4])
    assert float(pearson_of(moments(x, y).sum(axis=0))) == pytest.approx(statistics.correlation(x, y), abs=1e-6)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_moments_take_very_small_and_very_large_values(size):
    x, y = np.array([3.0, 1, 2, 5]), np.array([1.0, 2, 4, 3])
    expected = statistics.correlation(x, y)
    assert float(pearson_of(moments(x * size, y).sum(axis=0))) == pytest.approx(expected)
    assert float(pearson_of(moments(y, x * size).sum(axis=0))) == pytest.approx(expected)


def test_moments_leave_out_what_is_missing():
    x, y = np.array([1.0, 2, math.nan, 4]), np.array([2.0, 1, 3, math.nan])
    assert moments(x, y)[2:].tolist() == [[0.0] * 6] * 2
    assert float(pearson_of(moments(x, y).sum(axis=0))) == pytest.approx(-1)


@given(SAMPLES)
def test_no_line_has_smaller_squares_than_the_fitted_one(points):
    x, y = sides(points)
    line = fitted_line(x, y)
    assert (line is None) == (len(set(x)) < 2)
    if line:
        expected = np.polyfit(x, y, 1)
        assert line == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 8, 9, 29, 30, 501])
def test_the_tail_of_students_t_is_that_of_scipy(degrees):
    stats = pytest.importorskip("scipy.stats")
    for t in np.linspace(-8, 8, 33):
        assert two_sided_p(t, degrees) == pytest.approx(2 * stats.t.sf(abs(t), degrees), abs=1e-13)


def test_a_t_test_without_degrees_of_freedom_is_refused():
    with pytest.raises(UsageError, match="0 degrees of freedom"):
        two_sided_p(1.0, 0)


@pytest.mark.parametrize("length", [0, 1, 2, 48, 49, 64, 65, 255, 1000])
@pytest.mark.parametrize("values", [2, 30, 10_000])
def test_inversions_are_counted_in_rows_of_all_lengths(length, values):
    ranked = np.random.default_rng(length).integers(0, max(1, min(values, 2 * length)), (3, length))
    ranked[2] = np.sort(ranked[2])[::-1]
    above = np.triu(ranked[:, :, None] > ranked[:, None, :], 1)
    assert inversions(ranked).tolist() == above.sum(axis=(1, 2)).tolist()
