"""Posteriors of n-grams against every path."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import lattices, scalings
from test_posteriors import weighed_paths

import latticemetric as lm


def ngrams_of(words, order):
    """The distinct n-grams of a string, of every length up to an order."""
    return {words[k : k + n] for n in range(1, order + 1) for k in range(len(words) - n + 1)}


def expected_posteriors(weighed, order):
    """By definition: of each n-gram, the probability of all paths that hold it."""
    held = {}
    for path, probability in weighed:
        for ngram in ngrams_of(path.words, order):
            held.setdefault(ngram, []).append(probability)
    return {ngram: math.fsum(parts) for ngram, parts in held.items()}


@given(lattice=lattices(), order=st.integers(1, 5), scale=st.sampled_from([0.0, 0.5, 1.0, -1.0]), data=st.data())
def test_posteriors_are_sums_over_the_paths_that_hold_an_ngram(lattice, order, scale, data):
    scales = data.draw(scalings(lattice))
    expected = expected_posteriors(weighed_paths(lattice, scale, scales)[0], order)
    found = lm.posteriors(lattice, scale=scale, scales=scales).ngrams(order)
    assert dict(found) == pytest.approx(expected, abs=1e-9)
    assert len(found) == len(expected)
    assert lm.posteriors(lattice, scale=scale, scales=scales).words() == pytest.approx(
        {ngram[0]: p for ngram, p in expected.items() if len(ngram) == 1}, abs=1e-9
    )


# Chains of few words: hardly an n-gram that does not repeat, overlap itself, or hang over ε.
@st.composite
def chains(draw):
    steps = draw(st.integers(1, 7))
    source, target, word, cost = [], [], [], []
    for step in range(steps):
        for label in draw(st.lists(st.integers(0, 2), min_size=1, max_size=2)):
            source.append(step)
            target.append(min(step + draw(st.integers(1, 2)), steps))
            word.append(label)
            cost.append(draw(st.integers(0, 8)) / 4)
        if target[-1] != step + 1:
            target[-1] = step + 1
    return lm.Lattice.from_arcs(source, target, word, final=[steps], scores={"cost": lm.Column(cost, [0.0])})


@given(lattice=chains(), order=st.integers(1, 5))
def test_ngrams_that_stand_again_and_again_are_counted_once(lattice, order):
    expected = expected_posteriors(weighed_paths(lattice, 1.0, None)[0], order)
    assert dict(lm.posteriors(lattice).ngrams(order)) == pytest.approx(expected, abs=1e-9)


def test_an_ngram_that_overlaps_itself_counts_once():
    lattice = lm.Lattice.from_strings(["a b a b a", "a b a", "b b b"], costs=[0.0, 0.0, 0.0])
    found = lm.posteriors(lattice).ngrams(3)
    assert found["a", "b", "a"] == pytest.approx(2 / 3)
    assert found["b", "b"] == pytest.approx(1 / 3)
    assert found["b",] == pytest.approx(1)
    assert ("a", "a") not in found
    assert ("new",) not in found
    assert () not in found
    assert found.of_length(3).keys() == {("a", "b", "a"), ("b", "a", "b"), ("b", "b", "b")}


def test_an_order_may_be_longer_than_all_paths():
    lattice = lm.Lattice.from_strings(["a b"])
    found = lm.posteriors(lattice).ngrams(100)
    assert dict(found) == {("a",): 1.0, ("b",): 1.0, ("a", "b"): 1.0}
    assert list(found) == [("a",), ("b",), ("a", "b")]
    assert repr(found) == "NgramPosteriors(3 n-grams up to order 100)"


def test_a_lattice_without_words_has_no_ngrams():
    assert dict(lm.posteriors(lm.Lattice.from_strings([""])).ngrams(4)) == {}


def test_costs_in_the_thousands_do_not_underflow():
    lattice = lm.Lattice.from_strings(["a b", "b b"], costs=[5000.0, 5000.0 + math.log(3)])
    found = lm.posteriors(lattice).ngrams(2)
    assert dict(found) == pytest.approx({("a",): 0.75, ("b",): 1.0, ("a", "b"): 0.75, ("b", "b"): 0.25})


def test_paths_that_are_next_to_impossible_keep_their_ngrams():
    lattice = lm.Lattice.from_strings(["a", "b c b c"], costs=[0.0, 1e6])
    assert lm.posteriors(lattice).ngrams(2)["b", "c"] == 0.0


@pytest.mark.parametrize("order", [0, -1, 2**31])
def test_an_order_that_makes_no_sense_is_refused(order):
    with pytest.raises(lm.UsageError, match=f"order {order} cannot be counted; choose an order from 1 on"):
        lm.posteriors(lm.Lattice.from_strings(["a"])).ngrams(order)
