"""Whether metrics agree with people: against loops over the same resamples, and against what chance gives."""

import json
import math
import statistics
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric import Judgments, UsageError, make_metric
from latticemetric.evaluation import correlate, group_segments, human_scores, system_tables, williams
from latticemetric.evaluation.agreement import Strength, compare_all
from latticemetric.evaluation.intervals import resample_counts
from latticemetric.evaluation.systems import snap_ties

REFERENCES = ["a b c d", "b c d e", "a", "e d c b a", "c c b", "a b", "d e a", "b c a d"]
OUTPUTS = [
    ["a b c d", "b c d", "a", "e d c a b", "c", "a b", "d e", "b b a d"],
    ["a c d", "c b d", "b", "e c a b", "d c", "a", "e d", "b c a"],
    ["d", "e", "a", "b", "c c", "b a", "a", "d c"],
    ["a b c", "b c d e", "e", "e d c b", "c c b a", "a", "d e a", "a"],
]
NAN = math.nan
HUMAN = [[5, 4, 5, 4, NAN, 5, 4, 3], [4, 2, 1, 3, 2, 4, 2, 4], [1, 1, 5, 1, 3, 2, 2, 1], [4, 5, 2, 4, 4, NAN, 5, 1]]
METRICS = ["bleu", "nist", "wer", "f1", "meteor"]


def exact(name):
    return make_metric(name, **({"stages": "exact"} if name == "meteor" else {}))


def agreement(names=METRICS, human=HUMAN, **options):
    tables = system_tables(OUTPUTS, REFERENCES, list(map(exact, names)))
    return correlate(tables, human, **{"resamples": 60, "seed": 3, **options})


def rows(seed, resamples=60, segments=8):
    """The segments that each resample draws."""
    for counts in resample_counts(segments, resamples, seed):
        for row in counts.astype(int):
            yield [k for k, times in enumerate(row) for _ in range(times)]


def correlation(x, y):
    """Pearson's r of what is there on both sides; NaN where it is undefined."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if not (math.isnan(a) or math.isnan(b))]
    if any(len({round(pair[side], 12) for pair in pairs}) < 2 for side in range(2)):
        return NAN
    return statistics.correlation(*zip(*pairs, strict=True))


def mean(values):
    there = [value for value in values if not math.isnan(value)]
    return sum(there) / len(there) if there else NAN


def scores_of(metric, output, drawn):
    """A metric's value for drawn segments; NIST keeps the weights of the whole set."""
    if metric.name == "nist":
        return float(metric.values(metric.table(output, REFERENCES)[drawn].sum(axis=0)))
    return metric.corpus([output[k] for k in drawn], [REFERENCES[k] for k in drawn]).score


def quantiles(values):
    return np.quantile([value for value in values if not math.isnan(value)], [0.025, 0.975])


def assert_interval(found, value, samples):
    if math.isnan(value):
        assert (found.value, found.low, found.high) == (None, None, None)
        return
    assert found.value == pytest.approx(value, abs=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(quantiles(samples)), abs=1e-9)
    assert found.half_width == pytest.approx((found.high - found.low) / 2)
    assert found.undefined == sum(map(math.isnan, samples))


# --- Against a loop


@pytest.mark.parametrize("name", METRICS)
def test_systems_and_their_pairs_are_those_of_a_loop(name):
    metric = exact(name)

    def measured(drawn):
        return [scores_of(metric, output, drawn) for output in OUTPUTS], [mean(own[k] for k in drawn) for own in HUMAN]

    def paired(values):
        return [a - b for a, b in combinations(values, 2)]

    def agreeing(x, y):
        sign = -1 if name == "wer" else 1
        same = [
            np.sign(round(sign * a, 12)) == np.sign(round(b, 12)) for a, b in zip(paired(x), paired(y), strict=True)
        ]
        return sum(same) / len(same)

    found = agreement([name]).metrics[name]
    x, y = measured(range(8))
    samples = [measured(drawn) for drawn in rows(3)]
    assert [one.value for one in found.scores] == pytest.approx(x, abs=1e-12)
    for k, one in enumerate(found.scores):
        assert_interval(one, x[k], [xs[k] for xs, _ in samples])
    assert_interval(found.system.pearson, correlation(x, y), [correlation(xs, ys) for xs, ys in samples])
    differentials = found.differentials
    expected = [correlation(paired(xs), paired(ys)) for xs, ys in samples]
    assert_interval(differentials.correlation.pearson, correlation(paired(x), paired(y)), expected)
    assert_interval(differentials.agreement, agreeing(x, y), [agreeing(xs, ys) for xs, ys in samples])
    assert (found.system.points, differentials.correlation.points) == (4, 6)


@pytest.mark.parametrize("name", METRICS)
def test_segments_are_those_of_a_loop(name):
    metric = exact(name)
    cells = [metric.values(metric.table(output, REFERENCES)).tolist() for output in OUTPUTS]

    def within(drawn):
        return [
            correlation([own[k] for k in drawn], [people[k] for k in drawn])
            for own, people in zip(cells, HUMAN, strict=True)
        ]

    def pooled(drawn):
        return correlation(*([own[k] for own in side for k in drawn] for side in (cells, HUMAN)))

    found = agreement([name]).metrics[name].segment
    samples = list(rows(3))
    assert_interval(found.pooled.pearson, pooled(range(8)), [pooled(drawn) for drawn in samples])
    assert_interval(found.pearson, mean(within(range(8))), [mean(within(drawn)) for drawn in samples])
    for k, (system, one) in enumerate(found.systems.items()):
        assert system == str(k + 1)
        assert_interval(one.pearson, within(range(8))[k], [within(drawn)[k] for drawn in samples])
    assert found.pooled.points == 30
    assert (found.spearman.low, found.pooled.kendall.low) == (None, None)


def test_rank_coefficients_of_segments_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    found = agreement(["f1"]).metrics["f1"]
    x, y = found.segment_scores, np.array(HUMAN)
    there = ~np.isnan(y)
    assert found.segment.pooled.spearman.value == pytest.approx(stats.spearmanr(x[there], y[there])[0])
    assert found.segment.pooled.kendall.value == pytest.approx(stats.kendalltau(x[there], y[there])[0])
    own = [stats.kendalltau(a[t], b[t])[0] for a, b, t in zip(x, y, there, strict=True)]
    assert found.segment.kendall.value == pytest.approx(np.mean(own))


@given(st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=2, max_size=4), st.randoms())
def test_scores_of_any_metric_are_means_of_their_segments(people, random):
    # Means that differ do so by far more than rounding, which `correlation` takes for no difference.
    metric = [[round(random.random(), 6) if random.random() < 0.9 else NAN for _ in own] for own in people]
    found = correlate({"mine": metric}, people, resamples=0)
    x, y = [mean(own) for own in metric], [mean(own) for own in people]
    expected = NAN if any(map(math.isnan, x)) else correlation(x, y)
    value = found.metrics["mine"].system.pearson.value
    assert (NAN if value is None else value) == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert (value is None) == (found.metrics["mine"].system.reason is not None)
    json.dumps(found.asdict(), allow_nan=False)


def test_how_many_work_at_it_changes_nothing():
    assert agreement(workers=1).asdict() == agreement(workers=3).asdict()
    tables = [system_tables(OUTPUTS, REFERENCES, list(map(exact, METRICS)), workers=n) for n in (1, 3)]
    for name in METRICS:
        assert (tables[0][name].tables == tables[1][name].tables).all()


def test_the_same_seed_gives_the_same_and_another_another():
    assert agreement(seed=5).asdict() == agreement(seed=5).asdict()
    one, other = (agreement(seed=seed).metrics["bleu"].system.pearson for seed in (5, 6))
    assert one.value == other.value
    assert one.low != other.low


def test_a_metric_is_resampled_alike_whatever_goes_with_it():
    assert agreement(["wer"]).metrics["wer"].system == agreement(METRICS).metrics["wer"].system


def test_scores_of_whole_systems_stay_as_they_are():
    found = agreement(["f1"], system_human=[4.0, 3, 2, 1])
    assert [(one.value, one.low, one.high) for one in found.human] == [(k, k, k) for k in (4, 3, 2, 1)]
    x = [one.value for one in found.metrics["f1"].scores]
    assert found.metrics["f1"].system.pearson.value == pytest.approx(statistics.correlation(x, [4, 3, 2, 1]))


def test_where_lower_is_better_pairs_agree_all_the_same():
    people = [[3.0, 3], [2, 2], [1, 1]]
    tables = system_tables([["a b", "c"], ["a x", "c"], ["x y", "z"]], ["a b", "c"], [lm.WER(), lm.WRR()])
    found = correlate(tables, people, resamples=0).metrics
    assert found["wer"].system.pearson.value == pytest.approx(-found["wrr"].system.pearson.value)
    assert found["wer"].differentials.agreement.value == found["wrr"].differentials.agreement.value == 1


def test_a_tie_of_both_agrees_and_of_one_does_not():
    found = correlate({"m": [[1.0], [1], [2], [3]]}, [[5.0], [5], [6], [6]], resamples=0).metrics["m"]
    assert found.differentials.agreement.value == 5 / 6


def test_systems_that_only_rounding_tells_apart_are_tied():
    one, other = 0.1 + 0.2, 0.3
    assert one != other
    values = np.array([[one, other, 1.0], [math.nan, other, one]])
    assert snap_ties(values).tolist()[0] == [0.3, 0.3, 1.0]
    assert snap_ties(values)[1][1] == snap_ties(values)[1][2]
    assert math.isnan(snap_ties(values)[1][0])
    assert snap_ties(np.array([1e-300, 2e-300])).tolist() == [1e-300, 2e-300]


def test_segments_that_only_rounding_tells_apart_are_tied():
    # Three judges: 5/3 + 3/3 and 4/3 + 4/3.
    said = [("x", k, judge, each[n]) for k, each in enumerate(SAME_SUMS) for n, judge in enumerate("abc")]
    assert 5 / 3 + 3 / 3 != 4 / 3 + 4 / 3
    human = human_scores(judgments(said, ("adequacy", "fluency"), ["x"], 4)).segment
    assert human[0, 0] == human[0, 1]
    metric = {"m": [[0.1, 0.2, 0.5, 0.4]]}
    found, whole = (correlate(metric, sums, resamples=0).metrics["m"].segment for sums in (human, [[8, 8, 15, 24]]))
    for side in ((found, whole), (found.pooled, whole.pooled), (found.systems["1"], whole.systems["1"])):
        assert side[0].kendall == side[1].kendall
        assert side[0].spearman.value == pytest.approx(side[1].spearman.value)


# Adequacy and fluency by three judges, for each segment.
SAME_SUMS = [
    [(3, 1), (1, 1), (1, 1)],
    [(2, 2), (1, 1), (1, 1)],
    [(3, 2), (3, 2), (3, 2)],
    [(4, 4), (4, 4), (4, 4)],
]


def test_segments_with_the_same_bleu_are_tied():
    # Precisions 2/3 · 1/2 and 5/6 · 2/5: both products are 1/3.
    outputs, references = ["c d c", "c d c d a d", "a b", "c"], ["b d c", "c a a d d c", "a b", "a"]
    bleu = lm.BLEU(order=2)
    cells = bleu.values(bleu.table(outputs, references)).tolist()
    assert cells[0] != cells[1] == pytest.approx(cells[0])
    people = [[2, 2, 3, 1]]
    found = correlate(system_tables([outputs], references, [bleu]), people, resamples=0).metrics["bleu"].segment
    assert found.kendall.value == found.pooled.kendall.value == pytest.approx(1)


def test_means_that_are_zero_but_for_rounding_are_tied():
    # Standardised scores: 0.1 + 0.2 − 0.3 is 0, and so is 0.3 − 0.2 − 0.1.
    people = [[0.1, 0.2, -0.3], [0.3, -0.2, -0.1], [0.0, 0.0, 0.0]]
    assert len({sum(row) for row in people}) > 1
    found = correlate({"m": [[1, 2, 3], [2, 3, 4], [3, 4, 5]]}, people, resamples=0).metrics["m"]
    assert found.system.pearson.value is None
    assert found.system.reason == "people give all systems the same score"
    turned = correlate({"m": people}, [[1, 2, 3], [2, 3, 4], [3, 4, 5]], resamples=0).metrics["m"]
    assert turned.system.reason == "the metric gives all systems the same score"


def test_a_very_large_score_of_a_segment_makes_no_ties():
    metric = {"perplexity": [[1e15, 3.0, 2.0, 5.0]]}
    found = correlate(metric, [[4, 2, 1, 3]], resamples=0).metrics["perplexity"].segment
    assert found.spearman.value == pytest.approx(1)


def test_differences_that_only_rounding_tells_apart_are_tied():
    people = [1, 3, 2, 5]
    whole, tenths = ([[k * unit] for k in (1, 2, 3, 4)] for unit in (1, 0.1))
    assert 0.3 - 0.2 != 0.2 - 0.1
    found = [correlate({"m": scores}, [[k] for k in people], resamples=0).metrics["m"] for scores in (whole, tenths)]
    assert found[0].differentials.correlation.kendall == found[1].differentials.correlation.kendall
    assert found[0].differentials.correlation.spearman.value == found[1].differentials.correlation.spearman.value


# --- Where little is defined


def reasons(scores, human, **options):
    found = correlate({"m": scores}, human, resamples=10, **options).metrics["m"]
    return found.system, found.differentials, found.segment


def test_one_system_has_no_correlation_over_systems():
    system, differentials, segment = reasons([[1.0, 2, 3]], [[1.0, 3, 2]])
    assert (system.pearson.value, system.reason) == (None, "there is one system, and a correlation needs two")
    assert differentials.correlation.reason == "there is no pair of systems"
    assert differentials.agreement.value is None
    assert segment.pearson.value == pytest.approx(0.5)


def test_two_systems_have_one_pair():
    system, differentials, _ = reasons([[1.0, 2], [3, 4]], [[1.0, 3], [4, 4]])
    assert system.pearson.value == 1
    assert differentials.correlation.reason == "there is one pair of systems, and a correlation needs two"
    assert differentials.agreement.value == 1


@pytest.mark.parametrize(
    ("scores", "human", "reason"),
    [
        ([[1.0, 2], [2, 1]], [[1.0, 2], [3, 4]], "the metric gives all systems the same score"),
        ([[1.0, 2], [2, 3]], [[1.0, 2], [2, 1]], "people give all systems the same score"),
        ([[1.0, 2], [NAN, NAN]], [[1.0, 2], [2, 1]], "the metric is undefined for two"),
        ([[1.0, 2], [2, 3]], [[NAN, NAN], [2, 1]], "there is no human score of one"),
        ([[1.0, 2], [2, 3]], [[NAN, NAN], [NAN, NAN]], "there is no human score of one and 1 more"),
    ],
)
def test_what_is_undefined_says_why(scores, human, reason):
    system, differentials, _ = reasons(scores, human, systems=["one", "two"])
    assert (system.pearson.value, system.spearman.value, system.kendall.value) == (None, None, None)
    assert system.reason == reason
    assert differentials.correlation.reason


def assert_explained(value):
    """Whatever is null in a document stands beside a reason, or is an interval that was not asked for."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if inner is None and name in {"pearson", "spearman", "kendall", "agreement", "score"}:
                assert value["reason"], value
            assert_explained(inner)
    elif isinstance(value, list):
        for inner in value:
            assert_explained(inner)


@given(
    st.lists(st.lists(st.sampled_from([0, 1, NAN]), min_size=3, max_size=3), min_size=1, max_size=3),
    st.lists(st.sampled_from([0, 1, NAN]), min_size=9, max_size=9),
)
def test_nothing_is_null_without_a_reason(people, scores):
    metric = [scores[3 * k : 3 * k + 3] for k in range(len(people))]
    document = correlate({"m": metric, "same": people}, people, resamples=5).asdict()
    json.dumps(document, allow_nan=False)
    assert_explained(document)


def test_segments_that_nobody_judged_have_no_correlation():
    found = correlate({"m": [[1.0, 2], [3, 3]]}, np.full((2, 2), NAN), system_human=[1, 2], resamples=5)
    assert found.metrics["m"].segment is None
    assert found.asdict()["segment"]["m"] == {"pearson": None, "reason": "there are no human scores of segments"}
    assert found.segment_comparisons == ()


def test_a_metric_that_is_undefined_everywhere_is_not_taken_for_missing_judgments():
    found = correlate({"mine": [[math.nan] * 3]}, [[1, 2, 3]], resamples=5).metrics["mine"].segment
    assert found.pooled.reason == "the metric is undefined for all judged segments"
    assert found.systems["1"].reason == found.pooled.reason


def test_a_constant_system_is_left_out_of_the_mean_and_named():
    found = correlate({"m": [[1.0, 2, 4], [3, 3, 3]]}, [[1.0, 2, 3], [1, 2, 3]], resamples=20).metrics["m"].segment
    assert found.systems["2"].reason == "the metric gives all judged segments the same score"
    assert found.left_out == ["2"]
    assert found.pearson.value == found.systems["1"].pearson.value
    none = correlate({"m": [[3.0, 3, 3]]}, [[1.0, 2, 3]], resamples=20).metrics["m"].segment
    assert (none.pearson.value, none.pearson.low) == (None, None)
    assert (
        none.reason
        == "the correlation is undefined in every system; in 1, the metric gives all judged segments the same score"
    )


@pytest.mark.parametrize(
    ("scores", "human", "options", "message"),
    [
        ({}, [[1]], {}, "there is no metric to correlate"),
        (
            {"m": [[1, 2]]},
            [[1, 2], [3, 4]],
            {},
            "m has scores of 1 systems × 2 segments, but there are human scores of",
        ),
        ({"m": [1, 2]}, [[1, 2]], {}, r"scores have shape \(2,\), not two dimensions; give an array of sys"),
        ({"m": [[1, math.inf]]}, [[1, 2]], {}, "some scores are infinite; use NaN"),
        ({"m": [[]]}, [[]], {}, r"scores have shape \(1, 0\); give at least one system"),
        ({"m": [[1]]}, [[1]], {"systems": ["a", "b"]}, "systems has 2 names, but there are human scores for 1 sys"),
        ({"m": [[1]]}, [[1]], {"system_human": [1, 2]}, r"system_human has shape \(2,\), not \(1,\); give one"),
        ({"m": [[1]]}, [[1]], {"system_human": [math.inf]}, "system_human has infinite values; use NaN"),
        ({"m": [[1]]}, [[1]], {"resamples": -1}, "-1 resamples"),
        ({"m": [[1]]}, [[1]], {"confidence": 2}, "confidence 2"),
    ],
)
def test_what_does_not_fit_is_refused(scores, human, options, message):
    with pytest.raises(UsageError, match=message):
        correlate(scores, human, **options)


# --- What chance gives


QUALITY, BIAS = np.linspace(-3, 3, 6), np.array([0.9, -1.2, 0.6, 1.5, -0.9, -0.6])
# Segments vary around their system by a part that people and metric share and by one of their own, of variance 1 each.
TRUTH = {
    "system": statistics.correlation(QUALITY, QUALITY + BIAS),
    "segment": 1 / 2,
    "pooled": (1 + np.cov(QUALITY, QUALITY + BIAS, ddof=0)[0, 1])
    / math.sqrt((2 + np.var(QUALITY)) * (2 + np.var(QUALITY + BIAS))),
}
CAMPAIGNS = 100


@pytest.fixture(scope="module", params=[0.95, 0.8])
def held(request):
    """A confidence, and at each level how often its intervals hold the truth, over simulated campaigns."""
    generator = np.random.default_rng(17)
    found = dict.fromkeys(TRUTH, 0)
    for seed in range(CAMPAIGNS):
        shared, own, other = generator.normal(size=(3, 6, 150))
        people = shared + own + QUALITY[:, None]
        metric = shared + other + (QUALITY + BIAS)[:, None]
        options = {"resamples": 200, "seed": seed, "confidence": request.param}
        one = correlate({"m": metric}, people, **options).metrics["m"]
        levels = {"system": one.system, "segment": one.segment, "pooled": one.segment.pooled}
        for level, correlated in levels.items():
            found[level] += correlated.pearson.low <= TRUTH[level] <= correlated.pearson.high
    return request.param, found


@pytest.mark.parametrize("level", TRUTH)
def test_intervals_hold_the_truth_as_often_as_they_claim(held, level):
    confidence, found = held
    # A quantile between order statistics k and k + 1 of R has (k + 1) / (R + 1) below it on average.
    expected = 1 - 2 * ((1 - confidence) / 2 * 199 + 1) / 201
    slack = 3 * math.sqrt(expected * (1 - expected) / CAMPAIGNS)
    assert found[level] / CAMPAIGNS == pytest.approx(expected, abs=slack)


def test_an_interval_of_systems_shrinks_with_the_root_of_segments():
    generator = np.random.default_rng(3)
    widths = []
    for segments in (200, 3200):
        quality = np.linspace(0, 3, 6)[:, None]
        people, metric = (quality + generator.normal(size=(6, segments)) for _ in range(2))
        widths.append(correlate({"m": metric}, people, resamples=400).metrics["m"].system.pearson.half_width)
    assert widths[0] / widths[1] > 2.5


# --- Which metric agrees better


def williams_by_definition(first, second, human):
    """From the matrix of the three correlations; t by its density, integrated."""
    matrix = np.corrcoef([human, first, second])
    n, (a, b, c) = len(human), (matrix[0, 1], matrix[0, 2], matrix[1, 2])
    t = (b - a) * math.sqrt(
        (n - 1) * (1 + c) / (2 * np.linalg.det(matrix) * (n - 1) / (n - 3) + (a + b) ** 2 / 4 * (1 - c) ** 3)
    )
    grid = np.linspace(0, abs(t), 20_001)
    density = (1 + grid**2 / (n - 3)) ** (-(n - 2) / 2)
    scale = math.gamma((n - 2) / 2) / math.sqrt((n - 3) * math.pi) / math.gamma((n - 3) / 2)
    return t, 1 - 2 * scale * float(np.sum((density[1:] + density[:-1]) / 2 * np.diff(grid)))


@pytest.mark.parametrize("number", [4, 5, 8, 15])
def test_williams_test_is_what_its_definition_says(number):
    generator = np.random.default_rng(number)
    for _ in range(20):
        human = generator.normal(size=number)
        first, second = (human + generator.normal(size=number) for _ in range(2))
        found = williams(first, second, human)
        t, p = williams_by_definition(first, second, human)
        assert (found.t, found.p) == (pytest.approx(t), pytest.approx(p, abs=1e-6))
        assert williams(second, first, human).t == pytest.approx(-t)


def test_williams_test_of_equal_metrics_is_spread_over_the_unit_interval():
    generator = np.random.default_rng(2)
    found = []
    for _ in range(400):
        human = generator.normal(size=12)
        found.append(williams(human + generator.normal(size=12), human + generator.normal(size=12), human).p)
    assert np.mean(np.array(found) < 0.1) == pytest.approx(0.1, abs=0.05)
    assert np.mean(found) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([1, 2, 3], [1, 3, 2], "Williams' test needs 4 systems"),
        ([1, 1, 1, 1], [1, 3, 2, 4], "a correlation is undefined"),
        ([1, 3, 2, 5], [2, 6, 4, 10], "the two metrics are the same up to scale"),
    ],
)
def test_williams_test_says_why_it_is_undefined(first, second, reason):
    found = williams(first, second, [1, 2, 4, 3][: len(first)])
    assert (found.t, found.p, found.reason) == (None, None, reason)


def test_comparisons_are_those_of_a_loop():
    found = agreement(["bleu", "wer"])
    (one,) = found.system_comparisons
    bleu, wer = (exact(name) for name in ("bleu", "wer"))

    def difference(drawn):
        people = [mean(own[k] for k in drawn) for own in HUMAN]
        rates = [[scores_of(metric, output, drawn) for output in OUTPUTS] for metric in (bleu, wer)]
        return -correlation(rates[1], people) - correlation(rates[0], people)

    observed = difference(range(8))
    samples = [difference(drawn) for drawn in rows(3)]
    assert (one.first, one.second) == ("bleu", "wer")
    assert one.difference == pytest.approx(observed)
    against = sum(not sample * np.sign(observed) > 1e-12 for sample in samples)
    assert one.bootstrap.p == min(1, 2 * (against + 1) / 61)
    people = [one.value for one in found.human]
    scores = [[sign * s.value for s in found.metrics[name].scores] for name, sign in (("bleu", 1), ("wer", -1))]
    assert one.williams == williams(*map(np.array, scores), np.array(people))


def test_every_metric_is_compared_with_each_one_after_it():
    found = agreement(METRICS)
    pairs = [(one.first, one.second) for one in found.system_comparisons]
    assert pairs == [(one.first, one.second) for one in found.segment_comparisons] == list(combinations(METRICS, 2))
    assert all(one.williams is None for one in found.segment_comparisons)


def test_a_clearly_better_metric_is_found_and_equal_ones_are_not():
    generator = np.random.default_rng(0)
    people = generator.normal(size=(5, 400)) + np.arange(5)[:, None]
    scores = {
        "good": people + 0.3 * generator.normal(size=people.shape),
        "bad": generator.normal(size=people.shape) + np.array([[0.0], [3], [1], [2], [0]]),
        "good again": people + 0.3 * generator.normal(size=people.shape),
    }
    found = {(one.first, one.second): one for one in correlate(scores, people).segment_comparisons}
    assert found["good", "bad"].bootstrap.p == 2 / 1001
    assert found["good", "good again"].bootstrap.p > 0.05


def test_without_resamples_there_are_differences_only():
    (one,) = agreement(["bleu", "f1"], resamples=0).system_comparisons
    assert one.bootstrap is None
    assert one.asdict()["p_bootstrap"] is None
    assert one.difference is not None
    strengths = {name: Strength(NAN, np.zeros(0), None) for name in "ab"}
    assert compare_all(strengths, None, 0.95)[0].difference is None


# --- Groups


def test_groups_are_those_of_a_loop():
    metric, people = lm.BLEU(order=2), np.array(HUMAN)
    by = np.array([[0.04, 0.05, 0.14, 0.15, 0.9, 0.05, 0.35, NAN], [0.9, 0.85, 0.5, 0.14, 0.1, 0.2, 0.2, 0.21]] * 2)
    tables = system_tables(OUTPUTS, REFERENCES, [metric])
    found = group_segments(tables, people, by, smallest=5, resamples=60, seed=3)
    members = {}
    for s, k in np.ndindex(people.shape):
        if not math.isnan(people[s, k]) and not math.isnan(by[s, k]):
            members.setdefault(math.floor(by[s, k] * 10 + 0.5 + 1e-9) / 10, []).append((s, k))

    def value(cells):
        if not cells:
            return NAN, NAN
        score = metric.corpus([OUTPUTS[s][k] for s, k in cells], [REFERENCES[k] for _, k in cells]).score
        return score, mean(people[s, k] for s, k in cells)

    def over(groups, drawn):
        cells = [[(s, k) for k in drawn for s, own in group if own == k] for group in groups]
        return correlation(*zip(*map(value, cells), strict=True))

    assert [(group.value, group.size) for group in found.groups] == [(v, len(members[v])) for v in sorted(members)]
    for group in found.groups:
        score, human = value(members[group.value])
        assert (group.scores["bleu"], group.human) == (pytest.approx(score), pytest.approx(human))
        assert group.small == (group.size < 5)
    groups = [members[group.value] for group in found.groups]
    assert_interval(found.every["bleu"].pearson, over(groups, range(8)), [over(groups, drawn) for drawn in rows(3)])
    large = [group for group in groups if len(group) >= 5]
    assert len(large) < len(groups)
    assert found.large["bleu"].pearson.value == pytest.approx(over(large, range(8)))


def test_halves_go_up_and_group_values_are_plain():
    by = [[0.05, 0.15, 0.25, 0.35, 0.3]]
    found = group_segments({"m": by}, by, by, resamples=0)
    assert [group.value for group in found.groups] == [0.1, 0.2, 0.3, 0.4]
    assert [
        group.value
        for group in group_segments(
            {"m": by}, [[-1.5, -0.5, 0.5, 1.5, 3]], [[-1.5, -0.5, 0.5, 1.5, 3]], width=1, resamples=0
        ).groups
    ] == [-1, 0, 1, 2, 3]


def test_a_group_whose_metric_is_undefined_says_so():
    tables = system_tables([["a", "b", "c", "d"]], ["a", "", "x", "d"], [lm.WER()])
    found = group_segments(tables, [[1.0, 2, 3, 4]], [[1.0, 2, 3, 4]], width=1, resamples=20)
    assert [group.scores["wer"] for group in found.groups] == [0, None, 1, 0]
    assert found.groups[1].reason == "undefined for these segments: wer"
    assert found.every["wer"].points == 3
    assert_explained(found.asdict()["metrics"])
    assert found.large["wer"].reason == "there is no group"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width": 0}, "the width of groups is 0; give a width above 0"),
        ({"width": 1e-6}, "which are too many; choose a larger width"),
        ({"by": [[1.0]]}, "values to group by have shape"),
        ({"scores": {"m": [[1.0]]}}, "scores of a metric have shape"),
    ],
)
def test_groups_without_sense_are_refused(arguments, message):
    people = np.random.default_rng(0).random((1, 20_000))
    with pytest.raises(UsageError, match=message):
        group_segments(**{"scores": {"m": people}, "human": people, "by": people, **arguments})


# --- What people said


def judgments(rows, columns=("score",), systems=("x", "y"), segments=3):
    judges = tuple(sorted({judge for _, _, judge, _ in rows}))
    return Judgments(
        tuple(systems),
        segments,
        judges,
        tuple(columns),
        np.array([systems.index(s) for s, *_ in rows]),
        np.array([k for _, k, *_ in rows]),
        np.array([judges.index(judge) for *_, judge, _ in rows]),
        np.array([values for *_, values in rows], dtype=float),
    )


JUDGED = st.lists(
    st.tuples(
        st.sampled_from("xy"),
        st.integers(-1, 2),
        st.sampled_from(["anna", "ben", "cleo"]),
        st.tuples(*[st.sampled_from([1, 2, 3, 4, 5, NAN])] * 2),
    ),
    min_size=1,
    max_size=25,
)


def z(values, value):
    """A judge's score standardised, over all that judge gave."""
    spread = statistics.pstdev(values)
    return (value - statistics.mean(values)) / spread if spread else 0.0


@given(JUDGED, st.sampled_from(["sum", "mean"]), st.booleans())
def test_human_scores_are_what_their_definition_says(said, combine, normalize):
    found = human_scores(judgments(said, ("adequacy", "fluency")), combine=combine, normalize_judges=normalize)
    given_by = {
        (judge, c): [values[c] for *_, other, values in said if other == judge and not math.isnan(values[c])]
        for *_, judge, _ in said
        for c in range(2)
    }

    def cell(system, segment):
        columns = []
        for c in range(2):
            own = [(j, v[c]) for s, k, j, v in said if (s, k) == (system, segment) and not math.isnan(v[c])]
            columns.append(mean(z(given_by[j, c], v) if normalize else v for j, v in own))
        return sum(columns) / (2 if combine == "mean" else 1)

    expected = [[cell(system, segment) for segment in range(3)] for system in "xy"]
    assert found.segment.tolist() == [pytest.approx(row, abs=1e-9, nan_ok=True) for row in expected]
    whole = [cell(system, -1) for system in "xy"]
    if all(map(math.isnan, whole)):
        assert found.system is None
    else:
        assert found.system.tolist() == pytest.approx(whole, abs=1e-9, nan_ok=True)


def test_normalised_judges_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    values = [1.0, 3, 4, 4, 5, 2]
    said = [("xy"[k % 2], k // 2, "anna", (value,)) for k, value in enumerate(values)]
    found = human_scores(judgments(said), normalize_judges=True)
    assert found.segment.T.ravel().tolist() == pytest.approx(stats.zscore(values).tolist())


def test_judges_with_their_own_scales_agree_once_normalised():
    said = [("xy"[k % 2], k // 2, "anna", (k,)) for k in range(6)]
    said += [("xy"[k % 2], k // 2, "ben", (10 * k + 50,)) for k in range(6)]
    one = human_scores(judgments(said[:6]), normalize_judges=True)
    both = human_scores(judgments(said), normalize_judges=True)
    assert both.segment == pytest.approx(one.segment)


def test_what_is_missing_is_noted():
    said = [("x", 0, "anna", (1,)), ("x", 1, "ben", (2,)), ("y", 0, "anna", (3,)), ("y", 2, "anna", (NAN,))]
    notes = human_scores(judgments(said), normalize_judges=True).notes
    assert notes == (
        "x: 1 of 3 segments have no judgment",
        "y: 2 of 3 segments have no judgment",
        "all scores of judge ben in a column are equal: they become 0",
    )


def test_scores_that_are_not_known_to_belong_together_are_not_mixed():
    said = judgments([("x", 0, "anna", (60, 0.3)), ("y", 0, "anna", (50, 0.1))], ("raw", "z"))
    with pytest.raises(UsageError, match="several columns of scores: raw, z; choose one of them with human_scores=…"):
        human_scores(said)
    assert human_scores(said.select(["z"])).segment[:, 0].tolist() == [0.3, 0.1]
    with pytest.raises(UsageError, match="there is no score column 'zz'; choose among raw, z"):
        said.select(["zz"])
    with pytest.raises(UsageError, match="combined by 'max'; choose sum or mean"):
        human_scores(said, combine="max")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"system": np.zeros(0, int)}, "there are no judgments"),
        ({"segment": np.array([0])}, "columns of judgments differ in length"),
        ({"system": np.array([0, 2])}, "a judgment has system number 2, outside 0 … 1"),
        ({"segment": np.array([0, 3])}, "a judgment has segment number 3, outside -1 … "),
        ({"scores": np.ones((2, 2))}, "scores have shape"),
        ({"scores": np.array([[1], [math.inf]])}, "a score of a judgment is infinite; give a finite number"),
    ],
)
def test_judgments_are_checked(changes, message):
    from dataclasses import replace

    with pytest.raises(ValueError, match=message):
        replace(judgments([("x", 0, "anna", (1,)), ("y", 0, "anna", (2,))]), **changes)
