"""MBR by utilities from outside, by counts, and without most of the pairs: all by the full matrix."""

import math
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.strategies import sentences

import latticemetric as lm
from latticemetric.mbr_decoding.confidence_pruning import student_tail
from latticemetric.mbr_decoding.utility import MetricScorer

METRICS = [lm.CHRF(), lm.WER(), lm.WRR(), lm.TER(), lm.BLEU(order=2, smoothing="exp", effective_order=True)]
lists = st.lists(sentences(4), min_size=1, max_size=8)


def pairwise(metric):
    """The metric as a function from outside."""

    def score(hypotheses, references):
        pairs = zip(hypotheses, references, strict=True)
        return [-1.0 if (found := metric.score(h, [r])) is None else found for h, r in pairs]

    return score


def best_of_matrix(said, matrix, weights, *, higher_is_better=True):
    """The winner by definition, and all expected scores: first entries of equal strings stand for all of them."""
    first = [said.index(string) for string in said]
    probability = np.array(weights) / np.sum(weights)
    scores = [
        math.fsum(probability[k] * matrix[first[j], first[k]] for k in range(len(said))) for j in range(len(said))
    ]
    merits = np.array(scores) if higher_is_better else -np.array(scores)
    return said[int(np.flatnonzero(merits >= merits.max() - 1e-12 * np.abs(merits).max())[0])], scores


@given(said=lists, metric=st.sampled_from(METRICS))
def test_a_function_of_pairs_ranks_as_the_metric_that_it_calls(said, metric):
    nbest = lm.NBest.from_strings(said, costs=[0.25 * k for k in range(len(said))])
    utility = pairwise(metric)
    found = lm.mbr(nbest, utility=utility, higher_is_better=metric.higher_is_better)
    matrix = lm.utility_matrix(utility, said)
    by_matrix = lm.mbr(nbest, utility=matrix, higher_is_better=metric.higher_is_better)
    assert found == replace(by_matrix, signature=found.signature)
    weights = [math.exp(-0.25 * k) for k in range(len(said))]
    words, scores = best_of_matrix(said, matrix, weights, higher_is_better=metric.higher_is_better)
    assert found.words == tuple(words)
    assert found.score == pytest.approx(scores[said.index(words)], rel=1e-12, abs=1e-12)
    assert found.higher_is_better == metric.higher_is_better


@given(said=lists, others=lists)
def test_a_matrix_may_have_other_strings_as_references(said, others):
    hypotheses, evidence = lm.NBest.from_strings(said), lm.NBest.from_strings(others)
    matrix = lm.utility_matrix("chrf", said, others)
    assert matrix.tolist() == [[lm.CHRF().score(list(s), [list(o)]) for o in others] for s in said]
    by_matrix = lm.mbr(hypotheses, utility=matrix, evidence=evidence)
    by_metric = lm.mbr(hypotheses, "chrf", evidence=evidence)
    assert (by_matrix.words, by_matrix.ranked) == (by_metric.words, by_metric.ranked)


@given(said=lists, data=st.data())
def test_weights_are_probabilities_or_counts(said, data):
    costs = data.draw(st.lists(st.sampled_from([0.0, 1.0, 30.0]), min_size=len(said), max_size=len(said)))
    counts = data.draw(st.lists(st.integers(0, 3), min_size=len(said), max_size=len(said)).filter(any))
    nbest = lm.NBest.from_strings(said, costs=costs)
    each = lm.mbr(nbest, "chrf", evidence_weights="counts")
    assert each.score == lm.mbr(nbest, "chrf", evidence_weights=[2] * len(said)).score
    assert each.score == pytest.approx(lm.mbr(nbest, "chrf", posterior_scale=0.0).score)
    believed = lm.mbr(nbest, "chrf", evidence_weights=np.exp(-np.array(costs)))
    assert believed.score == pytest.approx(lm.mbr(nbest, "chrf").score)
    # An entry that counts three times is three entries.
    repeated = [string for string, times in zip(said, counts, strict=True) for _ in range(times)]
    expected = lm.mbr(nbest, "chrf", evidence=lm.NBest.from_strings(repeated))
    assert lm.mbr(nbest, "chrf", evidence_weights=counts).score == pytest.approx(expected.score)


def test_counts_within_a_beam():
    nbest = lm.NBest.from_strings(["a b", "a c", "d"], costs=[0.0, 1.0, 9.0])
    found = lm.mbr(nbest, "chrf", evidence_weights=[1, 1, 50], beam=2.0)
    assert (found.words, found.evidence_strings) == (("a", "b"), 2)
    with pytest.raises(lm.InputError, match="all entries within the beam have weight 0"):
        lm.mbr(nbest, "chrf", evidence_weights=[0, 0, 1], beam=2.0)


@pytest.mark.parametrize("lowest", [-1e6, -1e9, -1e300])
@pytest.mark.parametrize("confidence", [None, 1.0])
def test_a_very_low_score_does_not_make_others_tie(lowest, confidence):
    nbest = lm.NBest.from_strings(["a", "b", "c"], costs=[0.0, 1.0, 2.0])
    matrix = np.array([[0.5] * 3, [0.5005] * 3, [lowest] * 3])
    found = lm.mbr(nbest, utility=matrix, pruning_confidence=confidence)
    assert found.words == ("b",)
    # Scores that cancel out have the rounding errors of what was added up.
    cancelling = np.array([[0.3, -0.1, -0.2], [0.2, 0.1, -0.3], [-1, -1, -1]])
    assert lm.mbr(nbest, utility=cancelling, evidence_weights="counts", pruning_confidence=confidence).words == ("a",)


# --- Pruning


def samples(count, words=12, seed=0):
    random = np.random.default_rng(seed)
    sentence = random.integers(0, 9, words)
    noise = random.random(count)[:, None] * 0.9
    changed = random.random((count, words)) < noise
    return [" ".join(map(str, row)) for row in np.where(changed, random.integers(0, 9, (count, words)), sentence)]


@given(said=lists, metric=st.sampled_from(METRICS), seed=st.integers(0, 9), data=st.data())
def test_a_certified_answer_is_that_of_the_full_matrix(said, metric, seed, data):
    costs = data.draw(st.lists(st.sampled_from([0.0, 2.0, 9.0]), min_size=len(said), max_size=len(said)))
    nbest = lm.NBest.from_strings(said, costs=costs)
    if all(metric.score([], [list(string)]) is None for string in said):
        return
    full = lm.mbr(nbest, metric)
    known = {ranked.words: ranked.score for ranked in full.ranked}
    for confidence in (0.6, 1.0):
        with mock.patch("latticemetric.mbr_decoding.confidence_pruning._FIRST_REFERENCES", 1):
            found = lm.mbr(nbest, metric, pruning_confidence=confidence, seed=seed)
        pruning = found.pruning
        assert found.score == pytest.approx(known[found.words])
        assert found.exact == pruning.certified >= (confidence == 1)
        assert (pruning.risk == 0) >= pruning.certified
        assert found.words == full.words or not pruning.certified


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("posterior_scale", [0.0, 1.0])
def test_pruning_says_what_it_did(metric, posterior_scale):
    texts = samples(200)
    nbest = lm.NBest.from_strings(texts, costs=[0.1 * k for k in range(len(texts))])
    full = lm.mbr(nbest, metric, posterior_scale=posterior_scale)
    size = len(full.ranked)
    sure = lm.mbr(nbest, metric, posterior_scale=posterior_scale, pruning_confidence=1)
    assert (sure.words, sure.exact, sure.pruning.certified, sure.pruning.risk) == (full.words, True, True, 0.0)
    found = lm.mbr(nbest, metric, posterior_scale=posterior_scale, pruning_confidence=0.99)
    pruning = found.pruning
    known = {ranked.words: ranked.score for ranked in full.ranked}
    for ranked in found.ranked:  # what is not dropped is exact
        assert ranked.score is None or ranked.score == pytest.approx(known[ranked.words])
    assert pruning.dropped == sum(ranked.score is None for ranked in found.ranked)
    assert pruning.all_pairs == size * full.evidence_strings
    assert 0 < pruning.pairs < pruning.all_pairs
    assert found.exact == pruning.certified
    assert (pruning.risk == 0) >= pruning.certified
    assert found.words == full.words or pruning.risk > 0
    assert found == lm.mbr(nbest, metric, posterior_scale=posterior_scale, pruning_confidence=0.99)


def test_a_risk_is_stated_where_pruning_errs():
    """Two strings that are nearly as good: by some seeds, pruning takes the wrong one, and its risk says so."""
    random = np.random.default_rng(3)
    matrix = random.random((40, 40))
    matrix[0] = matrix[1] + random.normal(0, 0.05, 40)
    nbest = lm.NBest.from_strings([f"s{k}" for k in range(40)])
    full = lm.mbr(nbest, utility=matrix)
    found = [lm.mbr(nbest, utility=matrix, pruning_confidence=0.6, seed=seed) for seed in range(60)]
    wrong = [answer for answer in found if answer.words != full.words]
    assert wrong
    assert all(not answer.pruning.certified and answer.pruning.risk > 0.02 for answer in wrong)


def test_limits_of_metrics_hold():
    texts = samples(30)
    for metric in (*METRICS, lm.BLEU(smoothing="floor", smoothing_value=9.0), lm.GRR(2, alpha=-3), lm.WIL(), lm.CER()):
        scores = lm.utility_matrix(metric, [*texts, "0"], [*texts, "0 1"])
        low, high = MetricScorer(metric, [], []).limits
        assert low <= np.nanmin(scores)
        assert np.nanmax(scores) <= high


def test_a_certificate_needs_the_range_of_a_function():
    texts = samples(60)
    nbest = lm.NBest.from_strings(texts, costs=[0.5 * k for k in range(60)])
    utility = pairwise(lm.CHRF())
    unknown = lm.mbr(nbest, utility=utility, pruning_confidence=0.99)
    known = lm.mbr(nbest, utility=utility, utility_range=(0, 1), pruning_confidence=0.99)
    assert not unknown.pruning.certified
    assert known.pruning.certified
    assert known.words == unknown.words == lm.mbr(nbest, "chrf").words


def test_pairs_are_asked_once():
    asked = []

    def utility(hypotheses, references):
        asked.extend(zip(hypotheses, references, strict=True))
        return pairwise(lm.CHRF())(hypotheses, references)

    nbest = lm.NBest.from_strings(samples(50))
    found = lm.mbr(nbest, utility=utility, pruning_confidence=0.95)
    assert len(asked) == len(set(asked)) == found.pruning.pairs < found.pruning.all_pairs


@pytest.mark.parametrize("freedom", [1, 2, 5, 30, 1000])
def test_the_tail_of_students_distribution_is_its_integral(freedom):
    x = np.linspace(0, 4, 400_001)
    constant = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = constant * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * (x[1] - x[0]))])
    for at in range(0, 400_001, 20_000):
        assert student_tail(float(x[at]), freedom) == pytest.approx(0.5 - below[at], abs=1e-9)
        assert student_tail(-float(x[at]), freedom) == pytest.approx(0.5 + below[at], abs=1e-9)


# --- Matrices in files, and what is refused


def test_a_matrix_is_saved_and_reloaded(tmp_path: Path):
    texts = ["a b", "a c", "a b", "d"]
    file = tmp_path / "u.npy"
    np.save(file, lm.utility_matrix("chrf", texts))
    nbest = lm.NBest.from_strings(texts)
    assert lm.mbr(nbest, utility=file).ranked == lm.mbr(nbest, "chrf").ranked
    assert lm.mbr(nbest, utility=str(file)) == lm.mbr(nbest, utility=file)
    assert lm.mbr(nbest, utility="chrf") == lm.mbr(nbest, "chrf")


LIST = lm.NBest.from_strings(["a b", "a"])
ONES = np.ones((2, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"utility": np.ones((2, 3))}, "has 2 rows and 3 columns; it needs 2 rows"),
        ({"utility": np.ones(4)}, "not a matrix of numbers"),
        ({"utility": [[1, 2], [3]]}, "not a matrix of numbers"),
        ({"utility": [["a", "b"], ["c", "d"]]}, "not a matrix of numbers"),
        ({"utility": [[1, math.nan], [0, 1]]}, r"the matrix has the score nan \(row 0\)"),
        ({"utility": lambda _h, _r: [math.inf] * 4}, "has the score inf"),
        ({"utility": lambda _h, _r: [1.0]}, r"returns scores of shape \(1,\) for 4 pairs"),
        ({"utility": "none.npy"}, "none.npy: the matrix cannot be read"),
        ({"utility": lambda h, _r: [2.0] * len(h), "utility_range": (0, 1)}, "has the score 2.0 .*not \\(0, 1\\)"),
        ({"utility": 2 * ONES, "utility_range": (0, 1)}, "the matrix has the score 2.0 .*utility_range"),
        ({"utility": ONES, "by": "chrf"}, "both a method and a utility are given"),
        ({"utility": ONES, "utility_range": (1, 0)}, r"utility_range is \(1, 0\)"),
        ({"by": "chrf", "higher_is_better": False}, "MBR by chrf has no setting 'higher_is_better'"),
        ({"by": "chrf", "evidence_weights": "odds"}, "the weights are 'odds'"),
        ({"by": "chrf", "evidence_weights": [1, 2, 3]}, "there are 3 weights for 2 entries"),
        ({"by": "chrf", "evidence_weights": [1, -1]}, "weights must be finite and at least 0"),
        ({"by": "chrf", "evidence_weights": [0, 0]}, "weights must be finite and at least 0"),
        ({"by": "chrf", "evidence_weights": ["a", "b"]}, "weights are not an array of numbers"),
        ({"by": "chrf", "evidence_weights": "counts", "samples": 5}, "both weights and samples are given"),
        ({"by": "chrf", "pruning_confidence": 0.2}, "pruning_confidence is 0.2"),
        ({"by": "chrf", "pruning_confidence": math.nan}, "pruning_confidence is nan"),
        ({"evidence_weights": "counts"}, "MBR by ngram has no setting 'evidence_weights'"),
        ({"by": "wer", "pruning_confidence": 0.9}, "MBR by wer has no setting 'pruning_confidence'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(lm.LatticeMetricError, match=message):
        lm.mbr(LIST, **arguments)


def test_a_matrix_and_weights_are_for_lists():
    lattice = lm.Lattice.from_strings(["a b", "a"])
    with pytest.raises(lm.UsageError, match="needs an n-best list"):
        lm.mbr(lattice, utility=ONES)
    with pytest.raises(lm.UsageError, match="weights need an n-best list"):
        lm.mbr(lattice, "chrf", evidence_weights="counts")


@pytest.mark.parametrize("data", [b"", b"no matrix", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': 0, }\n"])
def test_files_that_are_no_matrix_are_refused(data, tmp_path):
    file = tmp_path / "u.npy"
    file.write_bytes(data)
    with pytest.raises(lm.InputError, match=r"u.npy: this is not a matrix of NumPy"):
        lm.mbr(LIST, utility=file)


def test_a_pickled_matrix_is_not_loaded(tmp_path):
    file = tmp_path / "u.npy"
    np.save(file, np.array([[object()]]), allow_pickle=True)
    with pytest.raises(lm.InputError, match="this is not a matrix of NumPy"):
        lm.mbr(LIST, utility=file)


def test_utilities_of_no_kind_are_refused():
    with pytest.raises(lm.UsageError, match="a int is not a utility"):
        lm.utility_matrix(3, ["a"])
    with pytest.raises(lm.UsageError, match="a single string is given"):
        lm.utility_matrix("chrf", "a b")


def test_scores_must_be_there_for_all_hypotheses():
    class Picky(lm.CHRF):
        def values(self, sums):
            return np.where(sums[..., 0] == 1, np.nan, super().values(sums))

    with pytest.raises(lm.UsageError, match="undefined for some hypotheses only"):
        lm.mbr(LIST, Picky(), pruning_confidence=0.9)


@example(said=[()])
@given(said=lists)
def test_undefined_references_lose_their_weight(said):
    nbest = lm.NBest.from_strings(said)
    if not any(said):
        if len(set(said)) == 1:
            assert lm.mbr(nbest, lm.WER(), pruning_confidence=0.9).score is None
            return
        with pytest.raises(lm.InputError, match="undefined against all strings"):
            lm.mbr(nbest, lm.WER(), pruning_confidence=0.9)
        return
    full, found = lm.mbr(nbest, lm.WER()), lm.mbr(nbest, lm.WER(), pruning_confidence=0.9)
    assert (found.words, found.undefined) == (full.words, pytest.approx(full.undefined))
