"""Weights by expected rates: against all paths, finite differences, and tuning on the other folds alone."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.paths import DATA
from tuning.graphs import COLUMNS, WORDS, random_graph

import latticemetric as lm
from latticemetric.corpus.expected_weights import CorpusRate
from latticemetric.lattice.columns import FeatureWeights

RATES = ["wer", "wrr", "2-grr"]


def samples(chance):
    several = [random_graph(chance) for _ in range(chance.randint(1, 3))]
    references = [
        [chance.choices(WORDS, k=chance.randint(2, 4)) for _ in range(chance.choice([1, 2]))] for _ in several
    ]
    return several, references


def enumerated(several, references, rate, *, weights, scale, counts):
    """The expected rate of the corpus from all paths: each graph counts by the words of its first reference."""
    rates, totals = [], []
    for one, texts in zip(several, references, strict=True):
        costs = np.array([sum(weights[n] * v for n, v in zip(COLUMNS, p.sums, strict=True)) for p in one.paths])
        chances = np.exp(-scale * (costs - costs.min()))
        values = [best_rate(rate, path.words, texts) for path in one.paths]
        rates.append(float(chances @ values / chances.sum()))
        totals.append(sum(max(0, len(texts[0]) - n) for n in range(rate.order)))
    shares = np.array(counts) * totals
    return float(shares @ rates / shares.sum())


def best_rate(rate, words, texts):
    values = [rate.score(" ".join(words), " ".join(text)) for text in texts]
    return max(values) if rate.higher_is_better else min(values)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(RATES), scale=st.sampled_from([0.25, 1.0, 2.0]))
def test_the_expected_rate_and_its_gradient_are_those_of_all_paths(seed, name, scale):
    chance = random.Random(seed)
    several, references = samples(chance)
    rate, columns = lm.make_metric(name), chance.choice([["first"], ["first", "second"]])
    given_weights = {"constant": 0.01, "second": 0.02}
    found = CorpusRate(
        [one.graph for one in several],
        references,
        rate,
        columns,
        weights=FeatureWeights(given_weights),
        most_states=10**6,
    )
    point = np.array([chance.uniform(-0.05, 0.05) for _ in columns])
    counts = [chance.randint(1, 2) for _ in several]
    value, gradient = found.function(np.array(counts, float), scale)(point)
    sign = -1 if rate.higher_is_better else 1

    def at(place):
        weights = {"first": 1.0, **given_weights, **dict(zip(columns, place, strict=True))}
        return sign * enumerated(several, references, rate, weights=weights, scale=scale, counts=counts)

    assert value == pytest.approx(at(point), abs=1e-9)
    if set(counts) == {1}:
        assert found.at(point, scale) == pytest.approx(sign * value)
    largest = max(abs(v) for one in several for path in one.paths for v in path.sums) + 1
    step = 1e-4 / largest
    for k in range(len(columns)):
        moved = step * np.eye(len(columns))[k]
        difference = (at(point + moved) - at(point - moved)) / (2 * step)
        assert gradient[k] == pytest.approx(difference, abs=1e-3 * largest)


def lists_of(chance, number):
    return [
        lm.NBest.from_strings(
            ["a b", "a c", "b", "c c"],
            scores={name: [chance.randint(0, 9) / 2 for _ in range(4)] for name in ("am", "lm", "tm")},
        )
        for _ in range(number)
    ]


VARY = {"lm": (0, 3), "tm": (-1, 2), "words": (-1, 1)}


def test_tuning_lowers_the_expected_errors_and_reports_what_other_methods_do():
    chance = random.Random(3)
    lists, references = lists_of(chance, 9), [chance.choice(["a b", "a c", "b"]) for _ in range(9)]
    corpus = lm.Corpus(lists, references, weights={"am": 0.5})
    found = corpus.tune("wer", decoder="expected", vary=VARY, posterior_scale=0.5, resamples=20, folds=3)
    assert found.best.expected < found.default.expected
    assert not found.exact
    for trial in (found.best, found.default):
        again = lm.Corpus(lists, references, weights={"am": 0.5, **trial.weights})
        answers = again.expected("wer", posterior_scale=0.5)
        assert trial.expected == pytest.approx(answers.totals["expected"])
        assert trial.score == pytest.approx(answers.totals["one_best"]["score"])
    assert found.gain.value == pytest.approx(found.best.score - found.default.score)
    assert found.weights == {"am": 0.5, **found.best.weights}


def test_no_direction_from_the_end_has_fewer_expected_errors():
    chance = random.Random(5)
    lists, references = lists_of(chance, 6), [chance.choice(["a b", "a c", "b"]) for _ in range(6)]
    found = lm.Corpus(lists, references).tune(decoder="expected", vary=VARY, resamples=0, folds=0)

    def expected_at(weights):
        return lm.Corpus(lists, references, weights=weights).expected("wer").totals["expected"]

    for name, (low, high) in VARY.items():
        for step in (-0.02, 0.02):
            weight = found.best.weights[name] + step
            if low <= weight <= high:
                assert expected_at({**found.best.weights, name: weight}) > found.best.expected - 1e-5


def test_held_out_graphs_are_decoded_with_weights_of_a_descent_on_the_others():
    chance = random.Random(11)
    lists, references = lists_of(chance, 7), [chance.choice(["a b", "a c", "b"]) for _ in range(7)]
    how = {"decoder": "expected", "vary": VARY, "posterior_scale": [0.5, 2.0], "resamples": 0}
    found = lm.Corpus(lists, references).tune("wer", folds=3, **how)
    texts = [()] * 7
    for fold in range(3):
        others = [k for k in range(7) if k % 3 != fold]
        alone = lm.Corpus([lists[k] for k in others], [references[k] for k in others]).tune("wer", folds=0, **how)
        for k in range(fold, 7, 3):
            texts[k] = lm.Corpus([lists[k]], weights=dict(alone.best.weights)).best()["1"].words
    assert found.held_out == pytest.approx(lm.WER().corpus(texts, references).score)


def test_of_several_scales_the_weights_whose_1_bests_score_best_are_kept():
    chance = random.Random(2)
    lists, references = lists_of(chance, 8), [chance.choice(["a b", "a c", "b"]) for _ in range(8)]
    found = lm.Corpus(lists, references).tune(
        decoder="expected", vary=VARY, posterior_scale=[4.0, 0.25, 1.0], resamples=0, folds=0
    )
    assert [trial.posterior_scale for trial in found.trials] == [0.25, 1.0, 4.0]
    assert found.best.score == min(trial.score for trial in found.trials)


def test_a_metric_without_expectation_is_scored_after_a_descent_by_wer():
    lists = [lm.NBest.from_strings(["a b c d", "a c"], scores={"am": [1.0, 0.0], "lm": [0.0, 2.0]})]
    corpus = lm.Corpus(lists, ["a b c d"], weights={"lm": 0.1})
    found = corpus.tune("bleu", decoder="expected", vary={"lm": (0, 3)}, resamples=0)
    assert (found.rate, found.default.score, found.best.score) == ("wer", pytest.approx(0), 1.0)
    assert corpus.tune("wrr", decoder="expected", vary={"lm": (0, 3)}, resamples=0).rate == "wrr"


def test_a_reference_without_words_is_an_error_or_left_out_with_a_warning():
    lists = {"one": lists_of(random.Random(1), 1)[0], "two": lists_of(random.Random(2), 1)[0]}
    corpus = lm.Corpus(lists, {"one": "a", "two": ""})
    with pytest.raises(lm.InputError, match="two: the reference has no words"):
        corpus.tune(decoder="expected", vary={"lm": (0, 1)}, resamples=0)
    with pytest.warns(UserWarning, match="two: the reference has no words"):
        found = corpus.tune(decoder="expected", vary={"lm": (0, 1)}, resamples=0, keep_going=True)
    assert found.graphs == 1


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "no weight varies"),
        ({"vary": {"lm": (0, 1)}, "min_margin": 0.1}, "min_margin has no effect with decoder='expected'; give deco"),
        ({"vary": {"lm": (0, 1)}, "halvings": 1}, "halvings has no effect with decoder='expected'; give decoder='mbr'"),
        ({"vary": {"lm": (0, 1)}, "posterior_scale": []}, "posterior_scale has no values"),
        ({"vary": {"lm": (0, 1)}, "posterior_scale": [0]}, "the posterior scale is 0"),
        ({"vary": {"lm": (0, 1)}, "most_steps": 0}, "the number of steps is 0"),
        ({"vary": {"pm": (0, 1)}}, "there is no score column 'pm'"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(more, says):
    corpus = lm.Corpus(lists_of(random.Random(1), 1), ["a"])
    with pytest.raises(lm.LatticeMetricError, match=says):
        corpus.tune(decoder="expected", **more)


HIFST = DATA / "tuning" / "hifst"


@pytest.mark.real_data
@pytest.mark.skipif(not HIFST.is_dir(), reason="the data is not there")
def test_few_steps_save_errors_of_a_translation_decoder():
    graphs = [str(HIFST / f"{number}.fst.gz") for number in range(1, 51)]
    corpus = lm.Corpus.read(graphs, str(HIFST / "refs.50"), weights=str(HIFST / "params.0"), ignore=["1", "2"])
    vary = {f"feature_{k}": (-4, 4) for k in (2, 3, 4, 5, 6)}
    found = corpus.tune("wer", decoder="expected", vary=vary, resamples=0, folds=0, most_steps=8)
    assert found.best.expected < found.default.expected - 0.02
    assert found.best.score < found.default.score - 0.02
    assert math.isfinite(found.best.expected)
