"""Scores of a test set by name."""

import pytest

import latticemetric as lm


def test_scores_contain_the_names_by_which_they_are_found():
    scores = lm.score(["a b"], ["a c"], "wer,cer")
    assert "wer" in scores
    assert "cer" in scores
    assert "ter" not in scores
    assert 0 not in scores
    assert all(score in scores for score in scores)
    assert lm.score(["a"], ["a"])["wer"] not in scores


def test_several_references_without_spaces_are_scored_with_a_tokenizer():
    said, expected = ["今天天气很好", "你好"], [["今天天气好", "天气很好"], ["您好", "你好"]]
    scores = lm.score(said, expected, lm.BLEU(order=2, effective_length="closest"), tokenize="zh")
    words = [[list(text) for text in several] for several in expected]
    assert (
        scores["bleu"].value == lm.BLEU(order=2, effective_length="closest").corpus(list(map(list, said)), words).score
    )
    assert "refs:2" in scores["bleu"].signature
    for lists_are_words in ({}, {"lowercase": True}, {"tokenize": "none"}):
        with pytest.raises(lm.UsageError, match="list of single words"):
            lm.score(said, expected, "bleu", **lists_are_words)
