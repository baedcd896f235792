"""N-best lists: the best hypotheses by their definition, with the rank in the list as the last word."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.nbest import Hypothesis

WORDS = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
METRICS = st.sampled_from([lm.WER(), lm.WRR(), lm.GRR(2), lm.GRR(3, alpha="0.5", beta="0.25"), lm.WER(ignore=["c"])])


@st.composite
def lists(draw):
    """Lists with many ties: few words, few costs or none."""
    costs = draw(st.sampled_from([None, [0.0], [0.0, 0.5, 1.0]]))
    hypotheses = []
    for words in draw(st.lists(WORDS, min_size=1, max_size=7)):
        scores = {} if costs is None else {"total": draw(st.sampled_from(costs))}
        hypotheses.append(Hypothesis(words, scores))
    return lm.NBest(tuple(hypotheses), {})


def cost_of(hypothesis):
    return sum(hypothesis.scores.values())


def reported(metric, words):
    return tuple(word for word in words if word not in metric.ignore)


def strings(nbest, metric):
    """Each distinct string: its least cost, and the first rank that has it."""
    found = {}
    for rank, hypothesis in enumerate(nbest.hypotheses):
        key = (cost_of(hypothesis), rank)
        words = reported(metric, hypothesis.words)
        found[words] = min(found.get(words, key), key)
    return found


def rate_of(metric, words, references):
    return max(metric.merit(metric.statistics(words, [reference])) for reference in references)


@given(nbest=lists(), references=st.lists(WORDS, min_size=1, max_size=2), metric=METRICS)
@pytest.mark.parametrize("engine", ["native", "openfst"])
def test_oracles_of_lists(engine, nbest, references, metric):
    def order(words):
        defined, rate = rate_of(metric, words, references)
        return (not defined, -rate, *found[words])

    found = strings(nbest, metric)
    expected = sorted(found, key=order)
    given_references = [list(reference) for reference in references]
    best = lm.oracle(nbest, given_references, metric, engine=engine)
    assert best.words == expected[0]
    assert best.one_best.words == min(found, key=found.__getitem__)
    assert [one.words for one in lm.oracles(nbest, given_references, metric, n=3)] == expected[:3]


@given(
    nbest=lists(),
    reference=WORDS,
    metric=METRICS,
    weight=st.sampled_from([0.0, 0.5, 2.0]),
    sign=st.sampled_from([1, -1]),
)
def test_hope_and_fear_of_lists(nbest, reference, metric, weight, sign):
    def loss(words):
        _, rate = rate_of(metric, words, [reference])
        return Fraction(found[words][0]) - sign * Fraction(weight) * rate

    found = strings(nbest, metric)
    expected = sorted(found, key=lambda words: (loss(words), found[words]))
    search = lm.hopes if sign > 0 else lm.fears
    answers = search(nbest, [list(reference)], metric, n=4, weight=weight)
    assert [answer.words for answer in answers] == expected[:4]
    assert all(answer.exact for answer in answers)


@given(nbest=lists(), reference=WORDS, metric=METRICS)
def test_worst_of_lists(nbest, reference, metric):
    found = strings(nbest, metric)
    answer = lm.worst(nbest, [list(reference)], metric)
    assert answer.words == min(found, key=lambda words: (rate_of(metric, words, [reference]), *found[words]))


@given(nbest=lists(), n=st.integers(1, 4))
def test_the_model_s_n_best_of_lists(nbest, n):
    found = strings(nbest, lm.WER())
    lattice = nbest.to_lattice()
    assert [lattice.words(path) for path in lattice.n_best(n)] == sorted(found, key=found.__getitem__)[:n]


@given(nbest=lists())
def test_mbr_of_lists(nbest):
    """With one evidence string of the longest word, all candidates tie; the rank decides."""
    found = strings(nbest, lm.WER())
    evidence = lm.Lattice.from_strings(["z"])
    ranking = lm.mbr(nbest, "wrr", evidence=evidence, posterior_scale=1.0).ranked
    expected = sorted(found, key=lambda words: (max(0, len(words) - 1) if words else 0, found[words]))
    assert lm.mbr(nbest, "wrr", evidence=evidence).one_best == min(found, key=found.__getitem__)
    scores = {string.words: string.score for string in ranking}
    assert [string.words for string in ranking] == sorted(expected, key=lambda words: (-scores[words], found[words]))


def test_an_automaton_on_a_list():
    nbest = lm.NBest((Hypothesis("a b", {}), Hypothesis("a", {})), {})
    automaton = lm.WER().compile("c", lm.Vocabulary.from_words("a b c"))
    automaton.project("input").rmepsilon()
    assert lm.automaton_oracle(lm.NBest((Hypothesis("a b", {}), Hypothesis("b a", {})), {}), automaton).words == (
        "a",
        "b",
    )
    assert lm.automaton_oracle(nbest, automaton).one_best.words == ("a", "b")


def test_strings_without_costs_are_in_the_order_of_their_rank():
    lattice = lm.Lattice.from_strings(["a b c", "a", "b"])
    assert lm.oracle(lattice, "x y z", "wrr").words == ("a", "b", "c")
    assert lm.oracle(lattice, "a", "wer").one_best.words == ("a", "b", "c")


@st.composite
def scored_lists(draw):
    names = draw(st.sampled_from([[], ["am"], ["am", "lm"], ["am", "total"]]))
    weights = {name: draw(st.sampled_from([0.0, 1.0, 0.3])) for name in names}
    values = st.sampled_from([0.0, -0.0, 0.1, 0.7, 3.0])
    hypotheses = []
    for words in draw(st.lists(WORDS, min_size=1, max_size=6)):
        known = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
        hypotheses.append(Hypothesis(words, {name: draw(values) for name in known}))
    return lm.NBest(tuple(hypotheses), weights)


@given(nbest=scored_lists(), references=st.lists(WORDS, min_size=1, max_size=2), metric=METRICS, data=st.data())
def test_the_oracle_of_a_list_is_that_of_its_lattice(nbest, references, metric, data):
    names = nbest.score_names()
    weights = {name: data.draw(st.sampled_from([0.0, 2.0, -1.0])) for name in names[: data.draw(st.integers(0, 2))]}
    given_references = [list(reference) for reference in references]
    found = lm.oracle(nbest, given_references, metric, weights=weights)
    expected = lm.oracle(nbest.to_lattice(keep=weights), given_references, metric, weights=weights)
    assert found.asdict() == expected.asdict()
    assert (found.arcs, found.one_best.arcs) == (expected.arcs, expected.one_best.arcs)
    assert found.one_best == expected.one_best
    assert lm.oracle(nbest, given_references, metric, weights=weights, engine="openfst") == found


@pytest.mark.parametrize(
    ("scores", "weights", "says"),
    [
        ({"am": float("nan")}, None, "not finite"),
        ({"am": float("inf")}, None, "not finite"),
        ({"am": 1e308}, {"am": 10.0}, "too large"),
        ({"am": 1.0}, {"lm": 1.0}, "no score column 'lm'"),
        ({"am": 1.0}, {"am": float("nan")}, "not a finite number"),
    ],
)
def test_lists_that_cannot_be_searched(scores, weights, says):
    with pytest.raises(lm.LatticeMetricError, match=says):
        lm.oracle(lm.NBest((Hypothesis("a", scores), Hypothesis("b c", scores)), {}), "a", weights=weights)
