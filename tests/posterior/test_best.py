"""The model's 1-best with its costs, times and confidences, against posteriors and lists of all paths."""

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import ForestDraft, can_be_listed, forest_drafts
from kit.strategies import COLUMN_NAMES, KNOWN_WORDS, lattices, scalings

import latticemetric as lm
from latticemetric.posterior.best import edges_of_words

forests = (
    forest_drafts(list(KNOWN_WORDS), list(COLUMN_NAMES), st.floats(-3, 3))
    .filter(lambda draft: can_be_listed(draft, 300))
    .map(ForestDraft.forest)
)


def costs(graph, weights):
    paths = graph.derivations(weights) if isinstance(graph, lm.Forest) else graph.paths(weights)
    return [(path.cost, path[0]) for path in paths]


@given(graph=lattices() | forests, posterior_scale=st.sampled_from([0.0, 0.1, 1.0]), data=st.data())
def test_the_best_path_has_its_share_of_the_probability(graph, posterior_scale, data):
    weights = data.draw(scalings(graph))
    found = lm.best(graph, posterior_scale=posterior_scale, weights=weights)
    path = graph.best_path(weights)
    assert (found.words, found.cost) == (graph.words(path), graph.cost_of(path, weights))
    assert dict(found.scores) == graph.scores_along(path)
    listed = costs(graph, weights)
    least = min(cost for cost, _ in listed)
    total = sum(math.exp(-posterior_scale * (cost - least)) for cost, _ in listed)
    assert found.posterior == pytest.approx(
        math.exp(-posterior_scale * (found.cost - least)) / total, rel=1e-6, abs=1e-9
    )


@st.composite
def long_lattices(draw):
    """Lattices with costs of all sizes, on whose paths sums depend on their order."""
    states = draw(st.sampled_from([2, 9, 40, 150, 300, 700]))
    numbers = np.random.default_rng(draw(st.integers(0, 10**6)))
    arcs = 3 * states
    skips = numbers.integers(1, 3, arcs)
    source = np.concatenate([np.arange(states - 1), numbers.integers(0, states - 1, arcs)])
    target = np.minimum(source + np.concatenate([np.ones(states - 1, dtype=int), skips]), states - 1)
    final = sorted({states - 1, states // 2})
    scores = {
        name: lm.Column(
            numbers.lognormal(0, 4, len(source)) * numbers.choice([1, 1, -1e-3], len(source)),
            numbers.normal(0, 3, len(final)),
            draw(st.sampled_from([1.0, 0.3, 0.0])),
        )
        for name in ("a", "b")
    }
    words = numbers.integers(0, 30, len(source))
    return lm.Lattice.from_arcs(source, target, words, final=final, scores=scores)


@given(graph=lattices() | long_lattices(), posterior_scale=st.sampled_from([0.0, 0.1, 1.0]), data=st.data())
def test_a_one_best_has_the_very_numbers_of_costs_and_posteriors(graph, posterior_scale, data):
    weights = data.draw(scalings(graph))
    found = lm.best(graph, posterior_scale=posterior_scale, weights=weights)
    path, distribution = (
        graph.best_path(weights),
        lm.posteriors(graph, posterior_scale=posterior_scale, weights=weights),
    )
    assert (found.arcs, found.cost) == (tuple(path.tolist()), graph.cost_of(path, weights))
    assert dict(found.scores) == graph.scores_along(path)
    assert found.posterior == distribution.of_path(path, graph.end_of(path))
    assert found.confidences == distribution.confidences(found)
    assert graph.statistics().best_cost == graph.cost_of(graph.best_path())


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_costs_too_large_to_be_added_up_are_refused_as_everywhere(scale):
    lattice = lm.Lattice.from_strings(["a b"], costs=[1.0])
    arc = np.full(len(lattice.word), 1e308)
    huge = replace(lattice, ranked=False, scores={"cost": lm.Column(arc, np.zeros(1), weight=10.0 / scale)})
    with pytest.raises(lm.errors.InputError, match="the costs are too large to be added up; choose smaller weights"):
        lm.best(huge, posterior_scale=scale)


@pytest.mark.parametrize("large", [0.0, 1e12, 1e17, -1e17, 1e300])
def test_large_costs_do_not_change_the_posterior(large):
    lattice = lm.Lattice.from_strings(["a", "b", "c"], costs=[large] * 3)
    two_ends = lm.Lattice.from_arcs([0, 0, 1], [1, 2, 2], [1, 2, 3], final=[1, 2], scores={
        "cost": lm.Column(np.array([large, large, 0.0]), np.zeros(2)),
    })  # fmt: skip
    goals = lm.Forest.from_edges([0, 1, 1], [[], [], [0]], [[1], [2], [-1, 3]], goals=[0, 1], scores={
        "cost": lm.Column(np.array([large, large, 0.0]), np.zeros(2)),
    })  # fmt: skip
    for graph in (lattice, lm.Forest.from_lattice(lattice), two_ends, goals):
        assert lm.best(graph).posterior == pytest.approx(1 / 3)


@given(graph=lattices(), data=st.data())
def test_a_word_is_as_sure_as_its_arc(graph, data):
    weights = data.draw(scalings(graph))
    found = lm.best(graph, weights=weights)
    listed = costs(graph, weights)
    least = min(cost for cost, _ in listed)
    total = sum(math.exp(least - cost) for cost, _ in listed)
    words = [arc for arc in found.arcs if graph.word[arc]]
    expected = [sum(math.exp(least - cost) for cost, arcs in listed if arc in arcs) / total for arc in words]
    assert found.confidences == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(forests)
def test_a_word_of_a_derivation_is_as_sure_as_its_edge(forest):
    found = lm.best(forest)
    edges = edges_of_words(forest, found.edges)
    assert len(edges) == len(found.words) == len(found.confidences)
    spelled = [{forest.vocabulary.word(s) for s in forest.target.row(edge) if s > 0} for edge in edges]
    assert all(word in known for word, known in zip(found.words, spelled, strict=True))
    expected = [min(1.0, float(lm.posteriors(forest).edge[edge])) for edge in edges]
    assert found.confidences == pytest.approx(expected)


def test_times_are_those_of_states():
    lattice = lm.Lattice.from_arcs([0, 1, 2], [1, 2, 3], [5, 0, 6], final=[3], times=[0.0, 0.25, 0.5, 1.0], scores={})
    assert lm.best(lattice).times == ((0.0, 0.25), (0.5, 1.0))
    assert lm.best(lm.Lattice.from_strings(["a"])).times is None


def test_hypotheses_of_a_list_agree():
    nbest = lm.NBest.from_strings(["a b", "a c"], costs=[1.0, 1.0])
    assert lm.best(nbest).confidences == pytest.approx((1.0, 0.5))
    assert lm.best(nbest).asdict()["hypothesis"] == "a b"


def test_the_confidences_of_a_long_path_take_linear_time():
    steps = np.arange(20_000)
    lattice = lm.Lattice.from_arcs(np.repeat(steps, 2), np.repeat(steps + 1, 2), np.arange(40_000) + 1, final=[20_000])
    began = time.process_time()
    assert lm.best(lattice).confidences == pytest.approx([0.5] * 20_000)
    assert time.process_time() - began < 3  # a set of all words for each word took ten seconds
