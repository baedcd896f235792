"""N-best lists as deterministic lattices, against the list itself."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.strategies import sentences

import latticemetric as lm
from latticemetric import _native
from latticemetric.nbest import Hypothesis

costs = st.integers(-8, 16).map(lambda eighths: eighths / 8) | st.sampled_from([5000.0, 5000.5])
scale_values = st.sampled_from([0.25, 0.5, 1.0, 2.0])


@st.composite
def lists(draw):
    """Few words and short strings: equal ones, prefixes of others, and the empty one abound."""
    texts = draw(st.lists(sentences(4), min_size=1, max_size=10))
    names = ["acoustic", "language"][: draw(st.integers(1, 2))]
    hypotheses = tuple(Hypothesis(text, {name: draw(costs) for name in names}) for text in texts)
    return lm.NBest(hypotheses, {names[0]: draw(st.sampled_from([0.5, 1.0, 2.0]))})


def weighed(nbest, weights=None):
    """The model's cost of each hypothesis, by definition."""
    shares = dict(nbest.weights) | (weights or {})
    return [(h.words, math.fsum(shares.get(n, 1.0) * c for n, c in h.scores.items())) for h in nbest.hypotheses]


def summed(costs_of_one, posterior_scale):
    least = min(costs_of_one)
    return (
        least
        - math.log(math.fsum(math.exp(-posterior_scale * (cost - least)) for cost in costs_of_one)) / posterior_scale
    )


def assert_is_deterministic(lattice):
    assert not (lattice.word == 0).any()
    arcs = list(zip(lattice.source.tolist(), lattice.word.tolist(), strict=True))
    assert len(set(arcs)) == len(arcs)


@given(nbest=lists(), posterior_scale=scale_values, merge=st.sampled_from(["sum", "best"]), data=st.data())
def test_each_string_has_one_path_of_its_cost(nbest, posterior_scale, merge, data):
    known = list(nbest.hypotheses[0].scores)
    weights = data.draw(st.none() | st.dictionaries(st.sampled_from(known), st.sampled_from([0.0, 0.5, 1.0])))
    said = {}
    for words, cost in weighed(nbest, weights):
        said.setdefault(words, []).append(cost)
    expected = {
        words: min(several) if merge == "best" else summed(several, posterior_scale) for words, several in said.items()
    }
    lattice = nbest.determinized(weights, merge=merge, posterior_scale=posterior_scale)
    found = [(path.words, path.cost) for path in lattice.paths()]
    assert len(found) == len(expected)
    assert dict(found) == pytest.approx(expected, abs=1e-9)
    assert_is_deterministic(lattice)


@given(nbest=lists(), posterior_scale=scale_values, order=st.integers(1, 4))
def test_posteriors_are_those_of_the_list(nbest, posterior_scale, order):
    plain, merged = (
        lm.posteriors(graph, posterior_scale=posterior_scale) for graph in (nbest,
        nbest.determinized(posterior_scale=posterior_scale))
    )  # fmt: skip
    assert dict(merged.ngrams(order)) == pytest.approx(dict(plain.ngrams(order)), abs=1e-9)
    assert merged.log_total == pytest.approx(plain.log_total, rel=1e-12, abs=1e-9)


@given(nbest=lists(), posterior_scale=scale_values)
def test_mbr_gains_what_it_gains_from_the_list(nbest, posterior_scale):
    plain, merged = (
        lm.mbr(graph, posterior_scale=posterior_scale)
        for graph in (nbest, nbest.determinized(posterior_scale=posterior_scale))
    )
    assert merged.gain == pytest.approx(plain.gain, abs=1e-9)


@given(texts=st.lists(sentences(5), min_size=1, max_size=12))
def test_there_is_no_smaller_lattice(texts):
    """Where costs are the same, there are as many states as there are sets of what can follow (Myhill & Nerode)."""
    nbest = lm.NBest(tuple(Hypothesis(text, {"cost": 0.0}) for text in texts), {})
    prefixes = {text[:k] for text in texts for k in range(len(text) + 1)}
    futures = {frozenset(t[len(p) :] for t in texts if t[: len(p)] == p) for p in prefixes}
    assert nbest.determinized(merge="best").num_states == len(futures)


def test_ends_are_shared_however_much_their_strings_cost():
    hypotheses = [Hypothesis(tuple(text.split()), {"cost": cost}) for text, cost in (("a x y", 1.0), ("b x y", 7.5))]
    assert lm.NBest(tuple(hypotheses), {}).determinized().num_states == 4


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        ({"merge": "max"}, lm.UsageError, "cannot be merged by 'max'; choose 'sum' or 'best'"),
        (
            {"posterior_scale": 0.0},
            lm.UsageError,
            "the posterior scale is 0.0, but must be above 0 to sum probabilities",
        ),
        ({"posterior_scale": math.nan}, lm.UsageError, "the posterior scale is nan"),
        ({"weights": {"lm": 1.0}}, lm.InputError, "no score column 'lm'; the columns here are: total"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, error, says):
    with pytest.raises(error, match=says):
        lm.NBest((Hypothesis(("a",), {"total": 0.0}),), {}).determinized(**wrong)


def test_a_score_that_is_not_finite_is_refused():
    with pytest.raises(lm.InputError, match="'total' holds a score that is not finite"):
        lm.NBest((Hypothesis(("a",), {"total": math.nan}),), {}).determinized()


@pytest.mark.parametrize(
    ("begin", "words"), [([], []), ([1, 2], [1, 1]), ([0, 2, 1], [1]), ([0, 2], [1]), ([0, 1], [0]), ([0, 1], [-1])]
)
def test_the_border_refuses_strings_that_do_not_fit(begin, words):
    with pytest.raises(ValueError, match=r".+"):
        _native.string_trie(np.array(begin, np.int64), np.array(words, np.int32))


@pytest.mark.parametrize(
    ("parent", "word", "end"),
    [
        ([], [], []),
        ([-1, 1], [0, 1], [0, 0]),
        ([-1, 0], [0], [0, 0]),
        ([-1], [0], [math.nan]),
        ([-1], [0], [-math.inf]),
    ],
)
def test_the_border_refuses_tries_that_do_not_fit(parent, word, end):
    with pytest.raises(ValueError, match=r".+"):
        _native.minimize_trie(np.array(parent, np.int32), np.array(word, np.int32), np.array(end, np.float64))
