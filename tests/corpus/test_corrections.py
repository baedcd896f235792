"""Corrected texts against their lists, by their definitions, and as agwer has them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import Rate, best_alignment
from kit.lists import corrections

import latticemetric as lm

WORDS = st.lists(st.sampled_from("abcd"), max_size=4).map(tuple)
CASES = st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3), WORDS, WORDS), min_size=1, max_size=3)


def edits_of(hypothesis, reference):
    return best_alignment(hypothesis, reference, Rate(1, counts_errors=True))


def errors(hypothesis, reference):
    edits = edits_of(hypothesis, reference)
    return len(edits) - edits.count("C")


@given(cases=CASES)
def test_counts_by_their_definitions(cases):
    lists, references, outputs = ([case[k] for case in cases] for k in range(3))
    found = corrections(lists, [[list(words)] for words in references], outputs)
    assert found.one_best == sum(errors(one[0], r) for one, r in zip(lists, references, strict=True))
    assert found.corrected == sum(errors(out, r) for out, r in zip(outputs, references, strict=True))
    assert found.oracle == sum(min(errors(h, r) for h in one) for one, r in zip(lists, references, strict=True))
    kinds, words, wrong_words = Counter(), Counter(), Counter()
    for hypotheses, reference, output in cases:
        before, after = errors(hypotheses[0], reference), errors(output, reference)
        kind = "harmful" if after > before else "helpful" if after < before else "neutral"
        kinds["unchanged" if hypotheses[0] == output else kind] += 1
        old, new = edits_of(hypotheses[0], reference), edits_of(output, reference)
        for was, now in zip(old.replace("I", ""), new.replace("I", ""), strict=True):
            change = (was == "C", now == "C")
            words[{(True, False): "harmful", (False, True): "helpful", (False, False): "missed"}.get(change)] += 1
        added = new.count("I") - old.count("I")
        words["harmful" if added > 0 else "helpful"] += abs(added)
        steps = list(zip(output, new.replace("D", ""), strict=True))
        for word in set(output):
            support = max(hypothesis.count(word) for hypothesis in hypotheses)
            wrong = sum(other == word and edit != "C" for other, edit in steps)
            invented = min(wrong, max(0, output.count(word) - support))
            wrong_words["repeated" if support else "novel"] += invented
            wrong_words["passed_through"] += wrong - invented
            wrong_words["generative"] += 0 if support else output.count(word) - wrong
    for name in ("helpful", "harmful", "neutral", "unchanged"):
        assert getattr(found.utterances, name) == kinds[name]
    for name in ("helpful", "harmful", "missed"):
        assert getattr(found.words, name) == words[name]
    for name in ("novel", "repeated", "passed_through", "generative"):
        assert getattr(found.hallucinations, name) == wrong_words[name]
    assert found.hallucinations.words == sum(map(len, outputs))


def test_rates_without_anything_to_win():
    found = corrections([["a"]], ["a"], ["a"])
    assert (found.recovered, found.utterances.harmful_rate, found.words.harmful_rate) == (None, None, None)
    assert found.hallucinations.rate == 0.0
    assert corrections([["a"]], [[[]]], [""]).rate(1) is None


@pytest.mark.parametrize(
    ("lists", "references", "corrected", "says"),
    [
        ([["a"]], ["a"], [], "1 lists and 1 references and 0 corrected"),
        ([["a"]], [["a", "b"]], ["a"], "several references"),
        ([], [], [], "there are no lists"),
    ],
)
def test_what_makes_no_sense_is_refused(lists, references, corrected, says):
    with pytest.raises(lm.UsageError, match=says):
        corrections(lists, references, corrected)


# Lists, references and corrected texts of our own; the figures are agwer's (0.4.11, normalize=None).
PEER = [
    (["set the alarm for six", "set the alarms for six"], "set an alarm for six", "set an alarm for six"),
    (
        ["turn of the light in the hall", "turn off the light in the hall"],
        "turn off the light in the hall",
        "turn off the light in the hole",
    ),
    (["call anna", "call hannah", "call anna"], "call hannah", "call hannah now now"),
    (["play some jazz", "play sum jazz"], "play some jazz", "play some jazz jazz jazz"),
    (
        ["what is the whether today", "what is the weather to day"],
        "what is the weather today",
        "what is the whether today",
    ),
]


def peer_sides():
    return ([list(case[k]) if k == 0 else case[k] for case in PEER] for k in range(3))


def test_figures_of_agwer():
    lists, references, corrected = peer_sides()
    found = corrections(lists, references, corrected)
    assert figures(found) == FIGURES


def figures(found):
    return {
        "wer": tuple(
            round(found.rate(n), 12) for n in (found.one_best, found.oracle, found.compositional, found.corrected)
        ),
        "rir": round(found.recovered, 12),
        "her": (found.utterances.harmful_rate, round(found.words.harmful_rate, 12)),
        "whr": round(found.hallucinations.rate, 12),
    }


FIGURES = {
    "wer": (0.181818181818, 0.090909090909, 0.045454545455, 0.272727272727),
    "rir": -1.0,
    "her": (0.6666666666666666, 0.625),
    "whr": 0.192307692308,
}


def test_figures_of_agwer_now():
    """The peer itself, where it is installed; its alignments differ only where several have the fewest errors."""
    agwer = pytest.importorskip("agwer")
    lists, references, corrected = peer_sides()
    options = {"nbest": lists, "normalize": None}
    whole = agwer.evaluate(references, corrected, **options)
    words = agwer.evaluate(references, corrected, **options, her_granularity="token")
    hallucinated = agwer.word_hallucination_rate(references, corrected, lists, normalize=None)
    assert {
        "wer": tuple(
            round(n, 12) for n in (whole.wer_1best, whole.wer_oracle, whole.wer_compositional, whole.wer_corrected)
        ),
        "rir": round(whole.rir, 12),
        "her": (whole.her, round(words.her, 12)),
        "whr": round(hallucinated["whr"], 12),
    } == FIGURES


def test_they_show_themselves():
    found = corrections([["a b", "a c"]], ["a c"], ["a c"])
    assert repr(found).startswith("Corrections(one_best=1, corrected=0, oracle=0")
