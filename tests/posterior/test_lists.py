"""Confidences of words in n-best lists: the hypotheses that have the word at the same place."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import Rate, best_alignment

import latticemetric as lm

texts = st.lists(st.lists(st.sampled_from("abc"), max_size=4).map(tuple), min_size=1, max_size=5)


@given(texts=texts, data=st.data())
def test_confidences_of_lists(texts, data):
    costs = data.draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 3.0]), min_size=len(texts), max_size=len(texts)))
    nbest = lm.NBest.from_strings(texts, costs=costs)
    weights = [math.exp(-cost) for cost in (costs or [0.0] * len(texts))]
    best = lm.oracle(nbest, "a b", "wer")
    expected = [0.0] * len(best.words)
    for words, weight in zip(texts, weights, strict=True):
        edits = best_alignment(best.words, words, Rate(1, counts_errors=True)).replace("D", "")
        for place, edit in enumerate(edits):
            expected[place] += weight / sum(weights) * (edit == "C")
    assert lm.posteriors(nbest).confidences(best) == pytest.approx(expected, abs=1e-12)


@given(texts=texts, common=st.sampled_from(["z", "y z"]))
def test_words_on_which_all_agree_have_confidence_one(texts, common):
    begin = tuple(common.split())
    nbest = lm.NBest.from_strings(
        [(*begin, *words, "w") for words in texts], costs=[0.1 * k for k in range(len(texts))]
    )
    best = lm.oracle(nbest, "a b", "wer")
    confidences = lm.posteriors(nbest, posterior_scale=0.7).confidences(best)
    assert confidences[: len(begin)] == (1.0,) * len(begin)
    assert confidences[-1] == 1.0
