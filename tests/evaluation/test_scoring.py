"""Scores of a test set by name."""

import latticemetric as lm


def test_scores_contain_the_names_by_which_they_are_found():
    scores = lm.score(["a b"], ["a c"], "wer,cer")
    assert "wer" in scores
    assert "cer" in scores
    assert "ter" not in scores
    assert 0 not in scores
    assert all(score in scores for score in scores)
    assert lm.score(["a"], ["a"])["wer"] not in scores
