"""OK and BAD against the alignments that brute force finds; confidences against the sum over paths."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit.brute_force import answers, enumerate_paths, one_best
from kit.brute_force import oracle as best_of
from kit.strategies import lattices, metrics, references, scalings

import latticemetric as lm
from latticemetric.nbest import Hypothesis


def tags_of(answer, rate):
    """The tags of an answer, wildcards among its words, from the letters of its alignment."""
    words = [word for word in answer.words if word not in rate.wildcard]
    assert words == list(answer.verdict.hypothesis)
    of_words, missing = [], {0: False}
    for edit in answer.verdict.edits:
        if edit == "D":
            missing[len(of_words)] = True
        else:
            of_words.append("OK" if edit == "C" else "BAD")
            missing[len(of_words)] = False
    tags, counted = [], 0
    gap_is_new = True
    for word in answer.words:
        tags.append("BAD" if gap_is_new and missing[counted] else "OK")
        gap_is_new = word not in rate.wildcard
        tags.append(of_words[counted] if gap_is_new else "OK")
        counted += gap_is_new
    tags.append("BAD" if gap_is_new and missing[counted] else "OK")
    return tuple(tags)


@given(lattices(), references(), metrics())
def test_tags_say_what_the_alignment_says(lattice, given_references, case):
    metric, rate = case
    found = lm.oracle(lattice, given_references.argument, metric)
    judged = answers(lattice, given_references.words, rate)
    for path, answer in ((found, best_of(judged)), (found.one_best, one_best(judged))):
        assert path.tags_with_gaps == tags_of(answer, rate)
        assert path.tags == path.tags_with_gaps[1::2]
        assert len(path.tags) == len(path.words)


@pytest.mark.parametrize(
    ("said", "meant", "expected"),
    [
        ("a b", "a b", "OK OK OK OK OK"),
        ("", "", "OK"),
        ("", "a", "BAD"),
        ("a", "", "OK BAD OK"),
        ("a c", "a b c", "OK OK BAD OK OK"),
        ("b c", "a b c", "BAD OK OK OK OK"),
        ("a b", "a b c d", "OK OK OK OK BAD"),
        ("a x c", "a b c", "OK OK OK BAD OK OK OK"),
        ("a um c", "a b c", "OK OK BAD OK OK OK OK"),
        ("um a um", "a", "OK OK OK OK OK OK OK"),
    ],
)
def test_gaps_are_bad_where_words_are_missing(said, meant, expected):
    lattice = lm.Lattice.from_strings([said])
    best = lm.oracle(lattice, meant, lm.WER(wildcard=["um"], ignore=["sil"]))
    assert " ".join(best.tags_with_gaps) == expected


@given(lattices(), references(), metrics(), st.sampled_from([0.5, 1.0, 2.0]), st.data())
def test_confidences_are_posteriors_of_arcs(lattice, given_references, case, posterior_scale, data):
    metric = case[0]
    weights = data.draw(scalings(lattice))
    cost = lattice.cost(weights)
    assume(max(np.abs(cost.arc).max(initial=0), np.abs(cost.final[lattice.final]).max()) < 100)
    found = lm.oracle(lattice, given_references.argument, metric, weights=weights)
    paths = [path.arcs for path in enumerate_paths(lattice)]
    shares = [math.exp(-posterior_scale * lattice.cost_of(arcs, cost)) for arcs in paths]
    confidences = lm.posteriors(lattice, posterior_scale=posterior_scale, weights=weights).confidences(found)
    spelled = {arc: lattice.vocabulary.word(int(lattice.word[arc])) for arc in found.arcs}
    expected = [
        sum(w for arcs, w in zip(paths, shares, strict=True) if arc in arcs) / sum(shares)
        for arc in found.arcs
        if spelled[arc] and spelled[arc] not in metric.ignore
    ]
    assert len(confidences) == len(found.words)
    assert confidences == pytest.approx(expected)


def test_a_derivation_has_no_confidences():
    lattice = lm.Lattice.from_strings(["a"])
    found = lm.oracle(lm.Forest.from_lattice(lattice), "a")
    with pytest.raises(lm.UsageError, match="derivation of a forest"):
        lm.posteriors(lattice).confidences(found)


@pytest.mark.parametrize("strings", [["a b c"], ["b"]])
def test_a_path_of_another_lattice_has_no_confidences(strings):
    found = lm.oracle(lm.Lattice.from_strings(strings), "a b c")
    with pytest.raises(lm.UsageError, match="another lattice"):
        lm.posteriors(lm.Lattice.from_strings(["a"])).confidences(found)


def test_words_of_lists_have_confidences():
    hypotheses = tuple(Hypothesis(tuple(words.split()), {"total": 0.0}) for words in ("a b", "a b", "c"))
    nbest = lm.NBest(hypotheses, {})
    confidences = lm.posteriors(nbest).confidences(lm.oracle(nbest, "a b"))
    assert confidences == pytest.approx([2 / 3, 2 / 3])
