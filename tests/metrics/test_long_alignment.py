"""Alignments of long strings, made of a band and of parts of it: against the whole table, filled by the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric import _native

EDITS = "CSDI"  # as the tie rule prefers them
WORDS = (1, 1, 1, 0)  # order, unit, α and β of WER and WRR


def best_edits(hypothesis, reference, gains) -> str:
    """The letters of the alignment of most gain, then most matches, then fewest gaps, then the first in `EDITS`."""
    (order, unit, alpha, beta), expected, said = gains, len(reference), len(hypothesis)
    best = [[[None] * order for _ in range(said + 1)] for _ in range(expected + 1)]

    def choices(i, j, m):
        """What may come after i reference and j hypothesis words, m of them (below the order) matched in a row."""
        if i < expected and j < said:
            if reference[i] == hypothesis[j]:
                gain, matches, gaps = best[i + 1][j + 1][min(m + 1, order - 1)]
                yield "C", (gain + (m + 1) * unit, matches + 1, gaps)
            yield "S", best[i + 1][j + 1][0]
        if i < expected:
            gain, matches, gaps = best[i + 1][j][0]
            yield "D", (gain - beta, matches, gaps - 1)
        if j < said:
            gain, matches, gaps = best[i][j + 1][0]
            yield "I", (gain - alpha, matches, gaps - 1)

    for i in reversed(range(expected + 1)):
        for j in reversed(range(said + 1)):
            for m in range(order):
                best[i][j][m] = max((value for _, value in choices(i, j, m)), default=(0, 0, 0))
    letters, i, j, m = [], 0, 0, 0
    while i < expected or j < said:
        found = [letter for letter, value in choices(i, j, m) if value == best[i][j][m]]
        letters.append(min(found, key=EDITS.index))
        m = min(m + 1, order - 1) if letters[-1] == "C" else 0
        i += letters[-1] != "I"
        j += letters[-1] != "D"
    return "".join(letters)


@st.composite
def pairs(draw, longest):
    """A reference, and a hypothesis that is made of it by edits, by moving its parts, or of nothing."""
    vocabulary = draw(st.sampled_from([1, 2, 5, 30, 1000]))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    reference = seed.integers(0, vocabulary, draw(st.integers(0, longest))).tolist()
    errors = draw(st.floats(0, 1))
    hypothesis = []
    for word in reference:
        edit = seed.random() / max(errors, 1e-9)
        if edit < 1 / 3:
            continue
        hypothesis += [word] if edit >= 2 / 3 else []
        hypothesis += [int(seed.integers(0, vocabulary))] if edit < 1 else []
    turn = draw(st.sampled_from([0, 0, len(hypothesis) // 3]))
    hypothesis = hypothesis[turn:] + hypothesis[:turn]
    return hypothesis[: draw(st.sampled_from([None, len(hypothesis) // 2]))], reference


def native_edits(hypothesis, reference, gains, **limits) -> str:
    return _native.align(tuple(hypothesis), tuple(reference), gains, **limits)


@given(pairs(150), st.sampled_from([1, 300, 3000, 2**25]))
def test_words_are_aligned_as_by_the_whole_table(pair, most_bytes):
    assert native_edits(*pair, WORDS, most_bytes=most_bytes) == best_edits(*pair, WORDS)


@pytest.mark.parametrize("errors", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("moved", [0, 150])
def test_a_band_that_becomes_narrower_holds_all_best_alignments(errors, moved):
    """Several blocks of 64 words, of which only some are made; the first words move to the end, or do not."""
    seed = np.random.default_rng(moved)
    reference = seed.integers(0, 40, 450).tolist()
    hypothesis = [
        int(seed.integers(0, 40)) if seed.random() < errors else word for word in reference if seed.random() > 0.1
    ]
    hypothesis = hypothesis[moved:] + hypothesis[:moved]
    expected = best_edits(hypothesis, reference, WORDS)
    for most_bytes in (5000, 2**25):
        assert native_edits(hypothesis, reference, WORDS, most_bytes=most_bytes) == expected


GAINS = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(-2, 5), st.integers(-2, 5))


@given(pairs(60), GAINS, st.sampled_from([0, 1000]))
def test_ngrams_are_aligned_as_by_the_definition(pair, gains, longest_in_table):
    assert native_edits(*pair, gains, longest_in_table=longest_in_table) == best_edits(*pair, gains)


@given(pairs(500), GAINS)
def test_ngrams_of_long_pairs_are_aligned_as_by_the_whole_table(pair, gains):
    in_band, in_table = (native_edits(*pair, gains, longest_in_table=longest) for longest in (0, 1000))
    assert in_band == in_table


@given(pairs(600))
def test_counts_of_long_pairs_are_those_of_their_alignment(pair):
    hypothesis, reference = (" ".join(map(str, words)) for words in pair)
    edits = native_edits(*pair, WORDS)
    counted = lm.WER().statistics(hypothesis, reference)
    assert [counted.matches[0], counted.substitutions, counted.deletions, counted.insertions] == [
        edits.count(letter) for letter in EDITS
    ]
    assert lm.WER().corpus([hypothesis], [[reference]]).statistics == counted


def cheapest_edits(hypothesis, reference, costs) -> str:
    """The letters of the alignment of least cost; from the end, a pair comes before an insertion and a deletion."""
    expected, said = len(reference), len(hypothesis)
    least = np.zeros((expected + 1, said + 1), np.int64)

    def choices(i, j):
        """What may end the alignment of i reference and j hypothesis words."""
        if i and j:
            is_match = reference[i - 1] == hypothesis[j - 1]
            yield "C" if is_match else "S", least[i - 1, j - 1] + (0 if is_match else costs[0])
        if j:
            yield "I", least[i, j - 1] + costs[2]
        if i:
            yield "D", least[i - 1, j] + costs[1]

    for i in range(expected + 1):
        for j in range(said + 1):
            least[i, j] = min((cost for _, cost in choices(i, j)), default=0)
    letters, i, j = [], expected, said
    while i or j:
        letters.append(min(choices(i, j), key=lambda choice: choice[1])[0])
        i -= letters[-1] != "I"
        j -= letters[-1] != "D"
    return "".join(reversed(letters))


def text_network(words):
    places = np.arange(len(words) + 1, dtype=np.int32)
    return places[:-1], places[1:], np.array(words, np.int32) + 1, (places == len(words)).astype(np.uint8)


def cheapest_native(hypothesis, reference, costs, longest_in_table):
    *arcs, edits = _native.align_networks(
        *text_network(reference), *text_network(hypothesis), *costs, 0.001, longest_in_table=longest_in_table
    )
    assert [side.tolist() for side in arcs] == [list(range(len(side))) for side in (reference, hypothesis)]
    return edits


COSTS = st.just((4, 3, 3)) | st.tuples(*[st.integers(0, 5)] * 3)  # of a substitution, a deletion, an insertion


@given(pairs(70), COSTS, st.sampled_from([0, 1000]))
def test_costs_are_aligned_as_by_the_definition(pair, costs, longest_in_table):
    assert cheapest_native(*pair, costs, longest_in_table) == cheapest_edits(*pair, costs)


@given(pairs(700), COSTS)
def test_costs_of_long_pairs_are_aligned_as_by_the_whole_table(pair, costs):
    assert cheapest_native(*pair, costs, 0) == cheapest_native(*pair, costs, 1000)


def test_an_hour_of_words_is_aligned_by_costs():
    """Unlike words, and one word over and over: neither needs a square of memory."""
    reference = [f"w{number % 7919}" for number in range(20_000)]
    hypothesis = [word for place, word in enumerate(reference) if place % 17]
    assert lm.make_metric("sclite").align(hypothesis, reference).edits.count("D") == len(reference) - len(hypothesis)
    same = lm.make_metric("sclite").align(["a"] * 15_000, ["a"] * 20_000).edits
    assert same == "D" * 5_000 + "C" * 15_000


def test_an_hour_of_words_needs_no_square_of_memory():
    reference = [f"w{number % 7919}" for number in range(20_000)]
    hypothesis = [word for place, word in enumerate(reference) if place % 17] + ["and", "so", "on"]
    alignment = lm.WER().align(hypothesis, reference)
    deleted = sum(place % 17 == 0 for place in range(20_000))
    assert (alignment.edits.count("D"), alignment.edits.count("I")) == (deleted, 3)
    assert alignment.edits.count("C") == len(hypothesis) - 3


def test_words_are_whatever_can_be_compared():
    assert native_edits([-1, "a", 2**40], [-1, "a", 2**40], WORDS) == "CCC"
    assert native_edits(["1"], [1], WORDS) == "S"
    with pytest.raises(TypeError, match="unhashable"):
        native_edits([["a"]], ["a"], WORDS)
