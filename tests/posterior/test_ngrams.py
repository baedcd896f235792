"""Posteriors of n-grams against every path."""

import math
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.posteriors import chains, expected_posteriors, weighed_paths
from kit.strategies import KNOWN_WORDS, lattices, scalings

import latticemetric as lm
from latticemetric.posterior import posteriors


@given(
    lattice=lattices(), order=st.integers(1, 5), posterior_scale=st.sampled_from([0.0, 0.5, 1.0, 2.0]), data=st.data()
)
def test_posteriors_are_sums_over_the_paths_that_hold_an_ngram(lattice, order, posterior_scale, data):
    weights = data.draw(scalings(lattice))
    expected = expected_posteriors(weighed_paths(lattice, posterior_scale, weights)[0], order)
    found = lm.posteriors(lattice, posterior_scale=posterior_scale, weights=weights).ngrams(order)
    assert dict(found) == pytest.approx(expected, abs=1e-9)
    assert len(found) == len(expected)
    assert lm.posteriors(lattice, posterior_scale=posterior_scale, weights=weights).words() == pytest.approx(
        {ngram[0]: p for ngram, p in expected.items() if len(ngram) == 1}, abs=1e-9
    )


@given(lattice=chains(), order=st.integers(1, 5))
def test_ngrams_that_stand_again_and_again_are_counted_once(lattice, order):
    expected = expected_posteriors(weighed_paths(lattice, 1.0, None)[0], order)
    assert dict(lm.posteriors(lattice).ngrams(order)) == pytest.approx(expected, abs=1e-9)


# More n-grams repeat than are counted in one pass.
@given(words=st.lists(st.integers(1, 40), min_size=36, max_size=36), order=st.integers(1, 4))
def test_many_ngrams_repeat(words, order):
    source, target = [], []
    for step in range(6):
        for before, after in ((0, 1), (1, 3), (3, 5), (0, 2), (2, 4), (4, 5)):
            source.append(5 * step + before)
            target.append(5 * step + after)
    lattice = lm.Lattice.from_arcs(source, target, words, final=[30])
    expected = expected_posteriors(weighed_paths(lattice, 1.0, None)[0], order)
    assert dict(lm.posteriors(lattice).ngrams(order)) == pytest.approx(expected, abs=1e-12)


def complete_graph(states, words, silent=0.0):
    """A lattice with an arc from every state to every later one; a share of them is `silent`."""
    source, target = (ends.tolist() for ends in np.triu_indices(states, 1))
    random = np.random.default_rng(0)
    word = random.integers(1, words + 1, len(source))
    word[random.random(len(source)) < silent] = 0
    return lm.Lattice.from_arcs(source, target, word.tolist(), final=[states - 1])


def refused_at_once(lattice, order, limit, memory_limit):
    found = lm.posteriors(lattice)
    memory_limit(limit)
    began = time.process_time()
    with pytest.raises(lm.InputError, match=r"do not fit into memory; prune the graph, choose a lower order"):
        found.ngrams(order)
    return time.process_time() - began < 4  # counting takes three times as long, and more


@pytest.mark.parametrize("words", [50, 10_000])
def test_too_many_histories_are_refused_before_they_are_made(words, memory_limit):
    assert refused_at_once(complete_graph(301, words), 4, "500M", memory_limit)


# Only a sample shows it: few n-grams end with any one arc, but all arcs together have many.
@pytest.mark.parametrize("silent", [0.0, 0.1])
def test_too_many_ngrams_are_refused_before_they_are_counted(silent, memory_limit):
    assert refused_at_once(complete_graph(301, 1000, silent), 3, "4G", memory_limit)


def bytes_of_tables(lattice, order):
    """What the tables take at least: of histories, of occurrences, of those that may repeat, and of n-grams."""
    arcs = list(zip(lattice.source.tolist(), lattice.target.tolist(), lattice.word.tolist(), strict=True))
    histories = [{()} for _ in range(lattice.num_states)]
    occurrences, targets, sources = Counter(), {}, {}
    for source, target, word in sorted(arcs, key=lambda arc: arc[1]):
        for history in histories[source]:
            if word == 0:
                histories[target].add(history)
                continue
            ngram = (*history, word)
            occurrences[ngram] += 1
            targets[ngram] = min(target, targets.get(ngram, target))
            sources[ngram] = max(source, sources.get(ngram, source))
            if len(ngram) < order:
                histories[target].add(ngram)
    repeating = sum(number for ngram, number in occurrences.items() if targets[ngram] <= sources[ngram])
    return 12 * sum(map(len, histories)) + 4 * occurrences.total() + 16 * repeating + 64 * len(occurrences)


# Tables grow in steps, and need up to three times their least size.
@pytest.mark.parametrize(("states", "words", "silent"), [(70, 5, 0.0), (80, 30, 0.1), (60, 40, 0.3), (70, 10**6, 0.0)])
def test_ngrams_that_fit_are_not_refused(states, words, silent, memory_limit):
    lattice = complete_graph(states, words, silent)
    least = bytes_of_tables(lattice, 3)
    memory_limit(f"{max(64, 3 * least // 10**6)}M")
    assert len(lm.posteriors(lattice).ngrams(3)) > 100


def test_histories_that_fit_are_not_refused(memory_limit):
    found = lm.posteriors(complete_graph(160, 3))
    memory_limit("64M")
    # There are many paths, but few words.
    assert len(found.ngrams(5)) == 3 + 9 + 27 + 81 + 243


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
    with pytest.raises(lm.UsageError, match=f"order {order} cannot be counted; choose an order from 1 to 2147483647"):
        lm.posteriors(lm.Lattice.from_strings(["a"])).ngrams(order)


@given(
    texts=st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=6),
    order=st.integers(1, 7),
    data=st.data(),
)
def test_a_list_has_the_ngrams_of_its_lattice(texts, order, data):
    costs = data.draw(st.lists(st.sampled_from([0.0, 1.0, 800.0]), min_size=len(texts), max_size=len(texts)))
    lattice = lm.Lattice.from_strings(texts, costs=costs)
    nbest = replace(lattice, ranked=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posteriors, "MOST_ARCS", 0)
        counted = lm.posteriors(nbest).ngrams(order)
        if any(texts):
            assert lm.mbr(nbest, order=order).gain == pytest.approx(lm.mbr(lattice, order=order).gain)
    assert dict(counted) == pytest.approx(dict(lm.posteriors(lattice).ngrams(order)), abs=1e-12)
    assert len(counted.lengths) == len(counted) + 1


def test_ngrams_of_long_lists_need_no_passes_over_all_arcs(monkeypatch):
    def passes(*_):
        raise AssertionError("each sixteen n-grams take a pass over the list: quadratic")

    monkeypatch.setattr(posteriors._native, "ngram_posteriors", passes)
    words = [f"w{number}" for number in np.random.default_rng(0).integers(5000, size=1_000)]
    hypotheses = [["wrong" if number % 50 == k else word for number, word in enumerate(words)] for k in range(10)]
    distribution = lm.posteriors(lm.NBest.from_strings(hypotheses, costs=[0.0] * 10))
    found = distribution.ngrams(4)
    assert found["wrong",] == pytest.approx(1)
    assert found[tuple(words[100:104])] == pytest.approx(0.6)
    lm.limit_memory("20M")
    try:
        with pytest.raises(lm.InputError, match="n-grams of the list do not fit"):
            distribution.ngrams(1000)
    finally:
        lm.limit_memory(None)


@given(graph=lattices(), order=st.integers(1, 4), words=st.lists(st.sampled_from([*KNOWN_WORDS, "?"]), max_size=9))
def test_rows_of_a_string_are_those_of_its_ngrams_in_order(graph, order, words):
    found = lm.posteriors(graph).ngrams(order)
    parent, ending = found.parent.tolist(), found.vocabulary.words(found.word)

    def spelled(row):
        return () if row == 0 else (*spelled(parent[row]), ending[row])

    ngrams = [
        tuple(words[k : k + size]) for k in range(len(words)) for size in range(1, min(order, len(words) - k) + 1)
    ]
    assert [spelled(row) for row in found.rows_in(words)] == [ngram for ngram in ngrams if ngram in found]
    assert found.lengths.tolist() == [len(spelled(row)) for row in range(len(parent))]
