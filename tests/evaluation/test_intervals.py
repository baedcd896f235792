"""Resampling: exactly what a naive loop gives, and what chance gives."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latticemetric import GRR, WER, UsageError, make_metric
from latticemetric.evaluation import intervals
from latticemetric.evaluation.intervals import (
    bootstrap,
    interval_of,
    paired_bootstrap,
    paired_bootstrap_of,
    resample_counts,
    resampled_sums,
)
from latticemetric.evaluation.scoring import corpus_scores, tabulate
from latticemetric.evaluation.significance import randomisation_of, randomisation_test, swapped_sums

WORDS = ["a", "b", "c", "d", "e"]

REFERENCES = ["a b c", "b c d e", "a", "e d c b a", "c c", "a b", "d e a", "b"]
GOOD = ["a b c", "b c d", "a", "e d c a b", "c", "a b", "d e", "b b"]
BAD = ["a c", "c b d", "b", "e c a b", "d", "a", "e d", "a b"]

METRICS = ["wer", "4-grr", "bleu", "bleu-sbp", "nist", "fmean"]


def tables(name):
    metric = make_metric(name)
    return metric, metric.table(GOOD, REFERENCES), metric.table(BAD, REFERENCES)


def one_by_one(segments, resamples, seed):
    """All counts of a run, a list a resample."""
    return [row.astype(int).tolist() for counts in resample_counts(segments, resamples, seed) for row in counts]


def drawn(table, row):
    """The rows of a table that a resample draws."""
    return [table[segment] for segment, times in enumerate(row) for _ in range(times)]


# --- Against a loop


@pytest.mark.parametrize("name", METRICS)
def test_an_interval_is_that_of_a_loop_over_the_same_resamples(name):
    metric, table, _ = tables(name)
    values = [float(metric.values(np.sum(drawn(table, row), axis=0))) for row in one_by_one(8, 300, 7)]
    found = bootstrap(metric, table, resamples=300, seed=7, confidence=0.9)
    defined = sorted(value for value in values if not math.isnan(value))
    assert found.value == pytest.approx(metric.corpus(GOOD, REFERENCES).score, abs=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(defined, [0.05, 0.95])), abs=1e-12)
    assert found.half_width == (found.high - found.low) / 2
    assert (found.resamples, found.undefined, found.confidence) == (300, 300 - len(defined), 0.9)


@pytest.mark.parametrize("name", ["wer", "4-grr", "f1"])
def test_a_resample_scores_as_a_corpus_of_its_segments(name):
    metric, table, _ = tables(name)
    (sums,) = resampled_sums([table], 50, 3)
    for value, row in zip(metric.values(sums), one_by_one(8, 50, 3), strict=True):
        segments = [k for k, times in enumerate(row) for _ in range(times)]
        score = metric.corpus([GOOD[k] for k in segments], [REFERENCES[k] for k in segments]).score
        assert value == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_a_paired_bootstrap_counts_what_a_loop_counts(name):
    metric, good, bad = tables(name)
    observed = float(metric.values(bad.sum(axis=0)) - metric.values(good.sum(axis=0)))
    against = 0
    for row in one_by_one(8, 200, 5):
        one, other = (float(metric.values(np.sum(drawn(table, row), axis=0))) for table in (good, bad))
        against += not (other - one) * math.copysign(1, observed) > 1e-12
    found = paired_bootstrap(metric, good, bad, resamples=200, seed=5)
    assert found.difference.value == pytest.approx(observed, abs=1e-12)
    assert found.p == min(1, 2 * (against + 1) / 201)


@pytest.mark.parametrize("name", METRICS)
def test_a_randomisation_test_counts_what_a_loop_counts(name):
    metric, good, bad = tables(name)
    observed = abs(float(metric.values(bad.sum(axis=0)) - metric.values(good.sum(axis=0))))
    swaps = np.random.default_rng(11).random((200, 8)) < 1 / 2
    as_large = 0
    for swap in swaps:
        one, other = np.where(swap[:, None], bad, good), np.where(swap[:, None], good, bad)
        difference = abs(float(metric.values(other.sum(axis=0)) - metric.values(one.sum(axis=0))))
        as_large += difference > observed - 1e-12
    found = randomisation_test(metric, good, bad, trials=200, seed=11)
    assert found.p == (as_large + 1) / 201
    assert found.difference == pytest.approx(
        metric.corpus(BAD, REFERENCES).score - metric.corpus(GOOD, REFERENCES).score
    )


@given(
    st.lists(st.tuples(*[st.lists(st.sampled_from(WORDS), max_size=4)] * 3), min_size=1, max_size=6), st.integers(0, 9)
)
def test_swapped_rows_keep_their_sum(triples, seed):
    metric = GRR(2)
    references = [[r] for r, _, _ in triples]
    one, other = (metric.table([t[k] for t in triples], references) for k in (1, 2))
    ((first, second),) = swapped_sums([(one, other)], 20, seed)
    assert (first + second == (one + other).sum(axis=0)).all()


def test_how_counts_are_cut_into_matrices_changes_nothing(monkeypatch):
    whole = one_by_one(8, 100, 3)
    metric, good, bad = tables("wer")
    p = randomisation_test(metric, good, bad, trials=100).p
    monkeypatch.setattr(intervals, "_MOST_CELLS", 24)
    assert len(list(resample_counts(8, 100, 3))) == 34
    assert one_by_one(8, 100, 3) == whole
    assert randomisation_test(metric, good, bad, trials=100).p == p


# --- What chance gives


def test_counts_are_multinomial():
    counts = np.vstack(list(resample_counts(20, 5000, 1)))
    assert (counts.sum(axis=1) == 20).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(20), abs=0.08)
    assert counts.var(axis=0) == pytest.approx(np.full(20, 0.95), abs=0.1)
    # Cells of one row share its draws: covariance −n p².
    assert np.cov(counts[:, 0], counts[:, 1])[0, 1] == pytest.approx(-0.05, abs=0.04)


def test_the_half_width_is_that_of_the_normal_approximation():
    generator = np.random.default_rng(0)
    errors = generator.random(400) < 0.3
    table = WER().table(["x" if error else "a" for error in errors], ["a"] * 400)
    found = bootstrap(WER(), table, resamples=4000)
    expected = 1.96 * math.sqrt(errors.mean() * (1 - errors.mean()) / 400)
    assert found.half_width == pytest.approx(expected, rel=0.08)


def test_p_values_of_equal_systems_are_spread_over_the_unit_interval():
    generator = np.random.default_rng(1)
    found = []
    for seed in range(60):
        one, other = (["a" if hit else "x" for hit in generator.random(50) < 0.6] for _ in range(2))
        first, second = (WER().table(side, ["a"] * 50) for side in (one, other))
        found.append(randomisation_test(WER(), first, second, trials=200, seed=seed).p)
    assert 0.35 < np.mean(found) < 0.72
    assert np.mean(np.array(found) < 0.1) < 0.25


def test_a_clear_difference_has_small_p_values():
    metric, good, bad = (WER(), WER().table(["a"] * 40, ["a"] * 40), WER().table(["x"] * 40, ["a"] * 40))
    assert paired_bootstrap(metric, good, bad).p == 2 / 1001
    assert randomisation_test(metric, good, bad).p == 1 / 1001


@pytest.mark.parametrize("name", METRICS)
def test_a_system_does_not_differ_from_itself(name):
    metric, table, _ = tables(name)
    found = paired_bootstrap(metric, table, table)
    assert found.p == 1
    assert (found.difference.value, found.difference.low, found.difference.high) == (0, 0, 0)
    assert randomisation_test(metric, table, table).p == 1


@pytest.mark.parametrize("name", METRICS)
def test_the_order_of_two_systems_changes_the_sign_only(name):
    metric, good, bad = tables(name)
    there, back = paired_bootstrap(metric, good, bad), paired_bootstrap(metric, bad, good)
    assert there.p == back.p
    assert there.difference.low == pytest.approx(-back.difference.high)
    assert randomisation_test(metric, good, bad).p == randomisation_test(metric, bad, good).p


def test_the_same_seed_gives_the_same_and_another_another():
    metric, table, _ = tables("wer")
    assert bootstrap(metric, table, seed=4) == bootstrap(metric, table, seed=4)
    assert one_by_one(8, 10, 4) != one_by_one(8, 10, 5)


# --- Where little is defined


def test_one_segment_has_an_interval_of_no_width():
    found = bootstrap(WER(), WER().table(["a x"], ["a b"]))
    assert (found.value, found.low, found.high, found.half_width) == (0.5, 0.5, 0.5, 0)


def test_no_segments_have_no_value():
    table = np.zeros((0, 5))
    found = bootstrap(WER(), table, resamples=10)
    assert found.asdict() == {
        **dict.fromkeys(("value", "low", "high", "half_width")),
        "confidence": 0.95,
        "resamples": 10,
        "undefined": 10,
    }
    assert paired_bootstrap(WER(), table, table, resamples=10).p is None
    assert randomisation_test(WER(), table, table, trials=10).asdict() == {
        "difference": None,
        "p": None,
        "trials": 10,
        "undefined": 10,
    }


def test_resamples_without_a_value_are_left_out_and_counted():
    table = WER().table(["a", "x"], ["a", ""])
    found = bootstrap(WER(), table, resamples=1000)
    assert 200 < found.undefined < 300  # both draws hit the empty reference: one time in four
    assert (found.value, found.low, found.high) == (1, 0, 1)


def test_what_is_undefined_counts_against_a_difference():
    nan = math.nan
    assert paired_bootstrap_of(0.5, np.array([0.4, nan, 0.6]), 0.95).p == 1  # 2 · 2 / 4
    assert randomisation_of(0.5, np.array([0.4, nan, 0.6])).p == 3 / 4
    assert randomisation_of(0.5, np.array([0.4, nan, 0.6])).undefined == 1
    assert interval_of(0.5, np.array([nan, nan]), 0.95).half_width is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resamples": 0}, "0 resamples; draw a whole number from 1"),
        ({"seed": -1}, "the seed is -1; give a whole number from 0"),
        ({"confidence": 1.0}, "confidence 1.0 is not between 0 and 1; give a share"),
        ({"confidence": math.nan}, "confidence nan"),
    ],
)
def test_parameters_without_sense_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        bootstrap(WER(), WER().table(["a"], ["a"]), **arguments)


def test_systems_of_different_lengths_cannot_be_paired():
    with pytest.raises(UsageError, match="tables of 1 and 2 segments"):
        paired_bootstrap(WER(), WER().table(["a"], ["a"]), WER().table(["a", "b"], ["a", "b"]))


# --- Several systems and metrics at once


def test_scores_of_systems_are_those_of_one_by_one():
    metrics = [make_metric(name) for name in METRICS]
    scores = corpus_scores(tabulate([("good", GOOD), ("bad", BAD)], REFERENCES, metrics), resamples=100, seed=2)
    for k, name in enumerate(METRICS):
        metric, good, bad = tables(name)
        first, second = scores[0][k], scores[1][k]
        assert first.interval == bootstrap(metric, good, resamples=100, seed=2)
        assert second.interval == bootstrap(metric, bad, resamples=100, seed=2)
        assert first.comparison is None
        assert second.comparison.bootstrap == paired_bootstrap(metric, good, bad, resamples=100, seed=2)
        assert second.comparison.randomisation == randomisation_test(metric, good, bad, trials=100, seed=2)
        assert second.asdict()["comparison"]["p_bootstrap"] == second.comparison.bootstrap.p


def test_without_resamples_there_are_values_only():
    (first,), (second,) = corpus_scores(tabulate([("good", GOOD), ("bad", BAD)], REFERENCES, [WER()]), resamples=0)
    assert (first.interval, second.interval) == (None, None)
    assert second.comparison.asdict() == {
        "difference": second.score - first.score,
        **dict.fromkeys(("low", "high", "half_width", "p_bootstrap", "p_randomisation")),
    }


def test_sentence_values_are_those_of_the_metric():
    ((tabled,),) = tabulate([("good", [*GOOD, "x"])], [*REFERENCES, ""], [GRR(2)])
    assert tabled.sentences() == [GRR(2).score(c, r) for c, r in zip([*GOOD, "x"], [*REFERENCES, ""], strict=True)]
    assert tabled.sentences()[-1] is None


def test_a_thousand_resamples_of_three_thousand_segments_take_well_under_a_second():
    class Sums:
        def values(self, sums):
            return sums.sum(axis=-1)

    table, took = np.random.default_rng(0).random((3000, 30)), []
    for _ in range(3):
        begin = time.process_time()
        bootstrap(Sums(), table)
        took.append(time.process_time() - begin)
    assert min(took) < 1
