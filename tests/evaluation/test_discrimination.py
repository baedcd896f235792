"""How well metrics tell systems apart: tests and samples against naive loops and enumeration."""

import math
import time
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from kit.tags import DEFINITIONS

from latticemetric import UsageError
from latticemetric.evaluation.significance import (
    exchanged_sums,
    moving_sums,
    randomisation_test,
    swapped_sums,
    t_statistic,
    two_sided_p,
)
from latticemetric.evaluation.word_tags.discrimination import SYNTHETIC, discriminate, synthetic_tags, trials_for
from latticemetric.evaluation.word_tags.evaluation import TagEvaluation
from latticemetric.evaluation.word_tags.metrics import COMPARED, TAG_METRICS, tag_table
from latticemetric.evaluation.word_tags.sampling import ErrorSource, RepeatedSampling, SamplingTest, repeated_sampling
from latticemetric.evaluation.word_tags.tags import WordTags

NAMES = [metric.name for metric in COMPARED]


def labelling(segments, words, share, seed):
    generator = np.random.default_rng(seed)
    return WordTags.of([generator.random(words) < share for _ in range(segments)])


def noisy(gold, rate, seed):
    """Gold tags of which a share is flipped."""
    flips = np.random.default_rng(seed).random(len(gold.bad)) < rate
    return gold.replaced(gold.bad ^ flips)


def a_test_set(segments=12, words=6, rates=(0.1, 0.2, 0.3, 0.35, 0.5)):
    gold = labelling(segments, words, 0.3, 1)
    return gold, {f"system-{k}": noisy(gold, rate, k) for k, rate in enumerate(rates)}


def tables_of(gold, systems):
    return {name: tag_table(gold, tags) for name, tags in systems.items()}


def lists(tags):
    return [line.split() for line in tags.strings()]


# --- Pairs of systems


def test_p_values_are_those_of_a_loop_that_swaps_the_tags_of_segments():
    gold, systems = a_test_set(rates=(0.1, 0.3, 0.45))
    found = {one.metric: one for one in discriminate(tables_of(gold, systems), trials=150, seed=4)}
    swaps = np.random.default_rng(4).random((150, len(gold))) < 1 / 2
    texts = {name: lists(tags) for name, tags in systems.items()}
    for name in NAMES:
        score = DEFINITIONS[name]
        for first, second in combinations(texts, 2):
            observed = score(lists(gold), texts[first]) - score(lists(gold), texts[second])
            as_large = 0
            for swap in swaps:
                pairs = [
                    (b, a) if moves else (a, b) for a, b, moves in zip(texts[first], texts[second], swap, strict=True)
                ]
                one, other = (score(lists(gold), [pair[side] for pair in pairs]) for side in (0, 1))
                as_large += abs(one - other) > abs(observed) - 1e-9
            (test,) = [pair for pair in found[name].pairs if {pair.first, pair.second} == {first, second}]
            assert test.p == (as_large + 1) / 151
            assert abs(test.difference) == pytest.approx(abs(observed), abs=1e-12)


def test_pairs_agree_with_the_test_of_two_systems():
    gold, systems = a_test_set()
    tables = tables_of(gold, systems)
    for one in discriminate(tables, trials=300, seed=2):
        for pair in one.pairs:
            metric = TAG_METRICS[one.metric]
            alone = randomisation_test(metric, tables[pair.first], tables[pair.second], trials=300, seed=2)
            assert (alone.p, alone.difference) == (pair.p, pytest.approx(-pair.difference, abs=1e-12))


def test_exchanged_sums_are_those_of_exchanged_rows():
    gold, systems = a_test_set(rates=(0.2, 0.4))
    first, second = tables_of(gold, systems).values()
    swaps = np.random.default_rng(7).random((40, len(first))) < 1 / 2
    one, other = exchanged_sums(first, second, *moving_sums([first, second], 40, 7))
    ((again, others),) = swapped_sums([(first, second)], 40, 7)
    for trial, swap in enumerate(swaps):
        rows = np.where(swap[:, None], second, first), np.where(swap[:, None], first, second)
        assert one[trial] == pytest.approx(rows[0].sum(axis=0))
        assert other[trial] == pytest.approx(rows[1].sum(axis=0))
    assert (one == again).all()
    assert (other == others).all()


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 7])
def test_distinction_coefficients_are_shares_of_significant_pairs(number):
    gold, systems = a_test_set(60, 8, [0.05 + 0.06 * k for k in range(number)])
    for one in discriminate(tables_of(gold, systems), trials=2000, alpha=0.2, seed=1):
        ranked = [name for name, _ in one.ranking]
        values = [value for _, value in one.ranking]
        assert values == sorted(values, reverse=True)
        p = {frozenset((pair.first, pair.second)): pair.p for pair in one.pairs}
        half = number // 2
        for share, some in ((one.d, ranked), (one.d_top, ranked[:half]), (one.d_bottom, ranked[number - half :])):
            pairs = list(combinations(some, 2))
            told_apart = [p[frozenset(pair)] <= 0.2 / len(pairs) for pair in pairs]
            assert share == (pytest.approx(sum(told_apart) / len(pairs)) if pairs else None)
        assert [pair.significant for pair in one.pairs] == [pair.p <= 0.2 / len(one.pairs) for pair in one.pairs]


def test_systems_below_synthetic_labellings_are_counted():
    gold, systems = a_test_set(80, 10, (0.1, 0.3, 0.6, 0.9))
    synthetic = {kind: synthetic_tags(gold, kind) for kind in SYNTHETIC}
    for one in discriminate(tables_of(gold, systems), tables_of(gold, synthetic)):
        score = DEFINITIONS[one.metric]
        for kind, tags in synthetic.items():
            bound = score(lists(gold), lists(tags))
            assert one.below[kind] == sum(score(lists(gold), lists(s)) < bound - 1e-9 for s in systems.values())
        assert one.below_total == sum(one.below.values())


def test_f1_bad_prefers_pessimistic_labellings_and_f1_mult_does_not():
    gold, systems = a_test_set(80, 10, (0.15, 0.4, 0.45, 0.5))
    found = {one.metric: one for one in TagEvaluation.of(gold, systems).discrimination()}
    assert found["f1_bad"].below["all-bad"] > 0
    assert found["f1_mult"].below["all-bad"] == found["f1_mult"].below["all-good"] == 0
    assert found["f1_mult"].below_total < found["f1_bad"].below_total


def test_equal_systems_are_not_told_apart():
    gold, systems = a_test_set(rates=(0.2,))
    tables = {name: tag_table(gold, systems["system-0"]) for name in "abc"}
    for one in discriminate(tables):
        assert [pair.p for pair in one.pairs] == [1.0] * 3
        assert one.d == 0


def test_systems_without_a_value_come_last_and_differ_from_nobody():
    gold = WordTags.of(["OK OK OK"] * 30)
    some = gold.replaced(np.arange(90) % 3 == 0)
    found = {one.metric: one for one in discriminate({"none": tag_table(gold, gold), "some": tag_table(gold, some)})}
    assert found["f1_bad"].ranking == (("some", 0.0), ("none", None))
    (pair,) = found["f1_bad"].pairs
    assert (pair.difference, pair.p, pair.significant) == (None, None, False)


def test_trials_are_enough_for_the_correction():
    assert trials_for(6, 0.05) == 1000
    for number in (136, 780):
        trials = trials_for(number, 0.05)
        assert 1 / (trials + 1) < 0.05 / number
    gold, systems = a_test_set()
    with pytest.raises(
        UsageError, match=r"100 trials are too few to reach .* for 10 pairs of systems; run at least 199"
    ):
        discriminate(tables_of(gold, systems), trials=100)
    discriminate(tables_of(gold, systems), trials=199)
    with pytest.raises(UsageError, match=r"significance level 1\.5"):
        discriminate(tables_of(gold, systems), alpha=1.5)


def test_a_seed_repeats_every_number():
    gold, systems = a_test_set()
    evaluation = TagEvaluation.of(gold, systems)
    assert evaluation.discrimination(seed=3) == evaluation.discrimination(seed=3)
    assert evaluation.discrimination(seed=3) != evaluation.discrimination(seed=4)


def test_many_systems_are_tested_in_seconds():
    gold, systems = a_test_set(1000, 10, [0.1 + k / 100 for k in range(12)])
    tables = tables_of(gold, systems)
    begin = time.process_time()
    discriminate(tables)
    assert time.process_time() - begin < 20


# --- Repeated sampling


def enumerated(gold, systems, rate):
    """The exact distribution of samples: every order of all wrong segments of all systems, as equally likely."""
    truth = lists(gold)
    wrong = [(k, text[k]) for text in map(lists, systems) for k in range(len(truth)) if text[k] != truth[k]]
    words = sum(map(len, truth))
    found = Counter()
    for order in permutations(wrong):
        sample, drawn, errors = list(truth), set(), 0
        for segment, tags in order:
            if errors >= rate * words - 1e-9:
                break
            if segment in drawn:
                continue
            drawn.add(segment)
            sample[segment] = tags
            errors += sum(a != b for a, b in zip(tags, truth[segment], strict=True))
        found[tuple(map(tuple, sample))] += 1
    total = sum(found.values())
    return {sample: Fraction(count, total) for sample, count in found.items()}


@pytest.mark.parametrize("rate", [0.05, 0.15, 0.25])
def test_samples_have_the_distribution_of_all_orders_of_wrong_segments(rate):
    gold = WordTags.of(["OK BAD OK", "OK OK", "BAD OK OK OK", "OK OK OK"])
    systems = [
        WordTags.of(["BAD BAD OK", "OK OK", "OK BAD BAD OK", "OK OK OK"]),
        WordTags.of(["OK OK OK", "BAD OK", "BAD OK OK BAD", "OK OK OK"]),
        WordTags.of(["OK OK BAD", "OK OK", "BAD BAD OK OK", "OK OK OK"]),
    ]
    exact = Counter()
    for sample, chance in enumerated(gold, systems, rate).items():
        sums = tag_table(gold, WordTags.of(sample)).sum(axis=0)
        exact[tuple(sums.round(9))] += chance
    source = ErrorSource(tag_table(gold, gold), [tag_table(gold, tags) for tags in systems])
    drawn = Counter(map(tuple, source.draw(rate, 40_000, np.random.default_rng(5)).round(9)))
    assert set(drawn) <= set(exact)
    for sums, chance in exact.items():
        deviation = math.sqrt(chance * (1 - chance) / 40_000)
        assert abs(drawn[sums] / 40_000 - chance) < 5 * deviation + 1e-9


def test_samples_have_as_many_errors_as_are_asked_for():
    gold, systems = a_test_set(200, 10, (0.15, 0.2))
    source = ErrorSource(tag_table(gold, gold), list(tables_of(gold, systems).values()))
    sums = source.draw(0.1, 200, np.random.default_rng(0))
    errors = sums[:, 1] + sums[:, 2]
    assert (sums[:, :4].sum(axis=1) == 2000).all()
    assert (errors >= 200).all()
    assert (errors < 200 + 10).all()  # the last segment may have several


def density(t, degrees):
    log = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(math.pi * degrees) / 2
    return np.exp(log - (degrees + 1) / 2 * np.log1p(np.square(t) / degrees))


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 9, 198, 1998])
def test_p_values_are_integrals_of_student_s_density(degrees):
    for t in (0.0, 0.3, 1.0, 2.5, -2.5, 6.0):
        grid = np.linspace(0, abs(t), 20_001)
        heights = density(grid, degrees)
        inside = ((heights[1:] + heights[:-1]) * np.diff(grid)).sum()
        assert two_sided_p(t, degrees) == pytest.approx(1 - inside, abs=1e-7)
    assert two_sided_p(math.inf, degrees) == pytest.approx(0, abs=1e-15)


def test_a_t_statistic_is_that_of_the_pooled_variance():
    first, second = [1.0, 2.0, 4.0, 5.0], [3.0, 5.0, 9.0, 1.0]
    pooled = (np.var(first, ddof=1) + np.var(second, ddof=1)) / 2
    expected = (np.mean(first) - np.mean(second)) / math.sqrt(pooled * (1 / 4 + 1 / 4))
    assert t_statistic(first, second) == pytest.approx(expected)
    assert t_statistic([1, 1], [1, 1]) == 0
    assert t_statistic([2, 2], [1, 1]) == math.inf
    assert math.isnan(t_statistic([1, math.nan], [1, 2]))


def test_mean_p_values_are_those_of_a_loop_over_rounds():
    gold, systems = a_test_set(60, 8, (0.2, 0.3))
    tables = list(tables_of(gold, systems).values())
    right = tag_table(gold, gold)
    rates, sizes = (0.1, 0.11, 0.14), (5, 10, 25)
    found = repeated_sampling(right, tables, error_rates=rates, sizes=sizes, rounds=2, seed=9)
    assert found.rounds == (10, 5, 2)
    assert found.level == pytest.approx(0.05 / 3)
    source = ErrorSource(right, tables)
    generators = np.random.default_rng(9).spawn(3)
    sums = {rate: source.draw(rate, 50, generator) for rate, generator in zip(rates, generators, strict=True)}
    for test in found.tests:
        one, other = (TAG_METRICS[test.metric].values(sums[rate]) for rate in (test.first, test.second))
        for size, rounds in zip(sizes, found.rounds, strict=True):
            cuts = [slice(k * size, (k + 1) * size) for k in range(rounds)]
            p = [two_sided_p(float(t_statistic(one[cut], other[cut])), 2 * size - 2) for cut in cuts]
            assert test.p[size] == pytest.approx(np.mean(p))
        assert test.needed == next((size for size in sizes if test.p[size] < found.level), None)


def sampling(p):
    """A result of made-up p-values: by metric and pair of rates, one for each of two sizes."""
    tests = []
    for (metric, first, second), (few, many) in p.items():
        needed = 100 if few < 0.01 else 200 if many < 0.01 else None
        tests.append(SamplingTest(metric, first, second, {100: few, 200: many}, needed))
    return RepeatedSampling(tuple(tests), (100, 200), (2, 1), 0.01)


def test_algorithm_1_returns_the_metric_that_alone_sees_the_difference():
    found = sampling(
        {
            ("mcc", 0.1, 0.2): (0.5, 0.001),
            ("f1_mult", 0.1, 0.2): (0.001, 0.001),
            ("f1_bad", 0.1, 0.2): (0.5, 0.5),
            ("seqcor", 0.1, 0.2): (0.002, 0.0),
        }
    )
    assert found.more_discriminative("mcc", "f1_mult", (0.1, 0.2)) == "f1_mult"
    assert found.more_discriminative("mcc", "f1_bad", (0.2, 0.1)) == "mcc"
    assert found.more_discriminative("seqcor", "f1_mult", (0.1, 0.2)) is None
    with pytest.raises(UsageError, match=r"'mcc' was not tested at error rates 0\.1 and 0\.3"):
        found.more_discriminative("mcc", "f1_mult", (0.1, 0.3))
    assert list(found.needed()) == ["f1_mult", "seqcor", "mcc", "f1_bad"]


def test_a_difference_needs_what_all_pairs_with_it_need():
    found = sampling(
        {
            ("mcc", 0.1, 0.2): (0.001, 0.001),
            ("mcc", 0.1, 0.3): (0.001, 0.001),
            ("mcc", 0.2, 0.3): (0.5, 0.001),
            ("f1_bad", 0.1, 0.2): (0.5, 0.5),
            ("f1_bad", 0.1, 0.3): (0.001, 0.001),
            ("f1_bad", 0.2, 0.3): (0.001, 0.001),
        }
    )
    assert found.needed() == {"mcc": {0.1: 200, 0.2: 100}, "f1_bad": {0.1: None, 0.2: 100}}


def test_larger_differences_need_fewer_samples():
    gold, systems = a_test_set(150, 10, (0.2, 0.25))
    evaluation = TagEvaluation.of(gold, systems)
    parameters = {"error_rates": [0.1, 0.102, 0.13], "sizes": [3, 10, 30, 100, 300], "rounds": 1}
    found = evaluation.repeated_sampling(**parameters)
    for row in found.needed().values():
        small, *_, large = (row[difference] or math.inf for difference in sorted(row))
        assert large < small
    assert found == evaluation.repeated_sampling(**parameters)
    assert found != evaluation.repeated_sampling(**parameters, seed=1)


def source_of(segments, words, rates):
    gold, systems = a_test_set(segments, words, rates)
    return ErrorSource(tag_table(gold, gold), list(tables_of(gold, systems).values()))


def test_without_error_rates_they_are_the_paper_s():
    assert source_of(1200, 10, (0.5, 0.5)).default_rates() == (0.3, 0.3001, 0.3005, 0.301, 0.302)


@pytest.mark.parametrize(("segments", "share", "step"), [(1200, 0.2, 0.0001), (200, 0.2, 0.0005), (70, 0.5, 0.0015)])
def test_error_rates_that_cannot_be_the_paper_s_are_lower_and_further_apart(segments, share, step):
    source = source_of(segments, 10, (share, share))
    rates = source.default_rates()
    assert np.diff(rates) == pytest.approx([step, 4 * step, 5 * step, 10 * step], abs=1e-9)
    assert len({source.least_errors(rate) for rate in rates}) == 5
    assert rates[-1] <= source.reached
    assert rates[0] == 0.3 or rates[-1] > source.reached - 0.01
    assert round(100 * rates[0], 6).is_integer()
    source.check(rates)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"error_rates": [0.9, 0.91]}, r"reach error rates up to 0\.\d+, not 0\.9"),
        ({"error_rates": [0.0, 0.1]}, r"reach error rates up to 0\.\d+, not 0"),
        ({"error_rates": [0.1, 0.1]}, "too few error rates"),
        ({"error_rates": [0.1001, 0.1005]}, r"error rates of 0\.1001 and 0\.1005 both mean 49 errors in 480 tags"),
        ({"error_rates": [0.1, 0.11], "sizes": [1]}, "a t-test cannot use 1 samples"),
        ({"error_rates": [0.1, 0.11], "sizes": []}, "too few numbers of samples"),
        ({"error_rates": [0.1, 0.11], "rounds": 0}, "0 resamples"),
        ({"error_rates": [0.1, 0.11], "alpha": 0.0}, "significance level 0"),
        ({"error_rates": [0.1, 0.11], "seed": -2}, "the seed is -2"),
    ],
)
def test_parameters_without_sense_are_refused(parameters, message):
    gold, systems = a_test_set(60, 8, (0.3, 0.4))
    with pytest.raises(UsageError, match=message):
        TagEvaluation.of(gold, systems).repeated_sampling(**{"sizes": [5], **parameters})


def test_systems_without_errors_have_nothing_to_sample():
    gold, _ = a_test_set()
    table = tag_table(gold, gold)
    for systems, message in (([], "no systems"), ([table], "make no errors")):
        with pytest.raises(UsageError, match=message):
            repeated_sampling(table, systems)


def test_every_sample_has_a_value_even_where_gold_is_constant():
    gold = WordTags.of(["OK OK"] * 20)
    systems = {"a": gold.replaced(np.arange(40) % 4 == 0)}
    found = TagEvaluation.of(gold, systems).repeated_sampling(error_rates=[0.05, 0.1], sizes=[5])
    by_metric = {test.metric: test for test in found.tests}
    assert by_metric["f1_bad"].p == {5: 1.0}  # 0 in every sample
    assert not any(math.isnan(test.p[5]) for test in found.tests)
