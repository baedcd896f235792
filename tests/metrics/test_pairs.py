"""Scores of all pairs are those of the metric, pair by pair; matches of n-grams are those of their definition."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric import _native
from latticemetric.metrics.pairs import score_rows
from latticemetric.metrics.segments import number_all, pair_matches

METRICS = [
    lm.CHRF(),
    lm.CHRF(word_order=2),
    lm.CHRF(char_order=2, word_order=1, beta=1, whitespace=True, lowercase=True),
    lm.CHRF(eps_smoothing=True),
    lm.TER(),
    lm.TER(case_sensitive=True),
    lm.BLEU(),
    lm.BLEU(order=2, smoothing="exp", effective_order=True),
    lm.BLEU(smoothing="add-k", effective_length="average", stem=True),
    lm.BLEUSBP(smoothing="floor", effective_length="closest"),
    lm.METEOR(stages=("exact", "porter")),
    lm.Unigram("recall"),
    lm.Unigram("fmean", stem=True),
    lm.CER(),
    lm.MixedErrorRate(),
    lm.MER(),
    lm.WIL(),
]
spelled = st.text("aB'é日.", min_size=1, max_size=4)
texts = st.lists(spelled, max_size=8).map(tuple)
string_lists = st.lists(texts, max_size=6)


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(said=string_lists, expected=string_lists)
@example(said=[()], expected=[(), ("a",)])
@example(said=[("a",) * 300, ("a", "b") * 200], expected=[("a",) * 400, ("b", "a") * 150])
def test_scores_of_all_pairs_are_those_of_the_metric(metric, said, expected):
    rows = [row.scores.tolist() for row in score_rows(metric, said, expected)]
    plain = [[metric.score(list(s), [list(e)]) for s in said] for e in expected]
    assert np.array_equal(np.array(rows, dtype=float), np.array(plain, dtype=float), equal_nan=True)


def shared(one, other, order):
    """Clipped n-gram matches, by definition."""

    def ngrams(words):
        return Counter(tuple(words[k : k + order]) for k in range(len(words) - order + 1))

    return (ngrams(one) & ngrams(other)).total()


few_words = st.lists(st.lists(st.sampled_from("ab"), max_size=12), max_size=20)


@given(said=few_words, expected=few_words, order=st.integers(1, 5))
# Counts that bytes do not hold; an n-gram of some of many strings; of few of them.
@example(said=[["a"] * 256, ["a"] * 255, ["b"]], expected=[["a"] * 300, ["a"] * 70_000], order=2)
@example(said=[["a"]] * 2 + [["b"]] * 60, expected=[["a", "b", "a"]], order=2)
def test_matches_of_all_pairs_are_those_of_the_definition(said, expected, order):
    numbered = number_all(said, expected)[:2]
    found = [matches.tolist() for matches in pair_matches(*numbered, order)]
    assert found == [[[shared(s, e, k) for k in range(1, order + 1)] for s in said] for e in expected]


def test_many_references_come_in_several_turns(monkeypatch):
    monkeypatch.setattr("latticemetric.metrics.segments._COUNTS_AT_ONCE", 5)
    said, expected = ["ab", "b", ""], ["ab", "ba", "", "a", "bab"]
    found = [matches.tolist() for matches in pair_matches(*number_all(said, expected)[:2], 2)]
    assert found == [[[shared(s, e, k) for k in (1, 2)] for s in said] for e in expected]


def test_a_subclass_that_counts_otherwise_is_asked_pair_by_pair():
    class Doubled(lm.TER):
        def table(self, hypotheses, references):
            return super().table(hypotheses, references) * [2.0, 1.0]

    said, expected = ["a b", "a"], ["a c", "b"]
    rows = [row.scores.tolist() for row in score_rows(Doubled(), said, expected)]
    assert rows == [[2 * lm.TER().score(s, [e]) for s in said] for e in expected]


def test_an_index_of_nothing_matches_nothing():
    none, begin = np.zeros(0, np.int32), np.zeros(1, np.int64)
    index = _native.NgramIndex(none, begin, 3)
    assert index.matches(none, begin).shape == (0, 3, 0)
    assert index.matches(none, np.zeros(3, np.int64)).shape == (2, 3, 0)


@pytest.mark.parametrize(("begin", "order"), [([0, 2], 0), ([0, 2], 255), ([0, 1], 2)])
def test_strings_of_an_index_are_checked(begin, order):
    words, places = np.zeros(2, np.int32), np.array(begin, dtype=np.int64)
    with pytest.raises(ValueError, match="the order must lie in" if begin == [0, 2] else "must end at the end"):
        _native.NgramIndex(words, places, order)
