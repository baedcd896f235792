"""Best paths and the n best strings of lattices and forests, their words and costs, against the list of all paths."""

from fractions import Fraction
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import enumerate_derivations, enumerate_paths
from kit.formats import ForestDraft, can_be_listed, forest_drafts
from kit.strategies import COLUMN_NAMES, COST_RANGES, KNOWN_WORDS, lattices, scalings

import latticemetric as lm
from latticemetric import _native
from latticemetric.lattice import n_best

forests = (
    st.sampled_from(COST_RANGES)
    .flatmap(lambda values: forest_drafts(list(KNOWN_WORDS), list(COLUMN_NAMES), values))
    .filter(lambda draft: can_be_listed(draft, 300))
    .map(ForestDraft.forest)
)
ignored = st.sampled_from(["", "a", "bc"]).map(set)


def all_paths(graph):
    return (enumerate_derivations if isinstance(graph, lm.Forest) else enumerate_paths)(graph)


def cost_of(graph, path, weights):
    shares = {name: column.weight for name, column in graph.scores.items()} | dict(weights or {})
    return sum((Fraction(shares[name]) * total for name, total in path.sums.items()), Fraction(0))


def reported(words, ignore):
    return tuple(word for word in words if word not in ignore)


def cheapest_paths(graph, weights, ignore):
    """The cheapest path of each string, in the order of the tie rule."""
    cheapest = {}
    for path in all_paths(graph):
        words = reported(path.words, ignore)
        key = cost_of(graph, path, weights), len(words), path.arcs
        cheapest[words] = min(key, cheapest.get(words, key))
    return {words: cheapest[words][-1] for words in sorted(cheapest, key=cheapest.get)}


@pytest.mark.parametrize("few", [0, 10_000], ids=["searched", "listed"])
@given(graph=lattices() | forests, n=st.integers(1, 20), ignore=ignored, data=st.data())
def test_the_best_strings_are_those_of_all_paths(few, graph, n, ignore, data):
    weights = data.draw(scalings(graph))
    expected = cheapest_paths(graph, weights, ignore)
    with mock.patch.object(n_best, "few_strings", return_value=few):
        paths = graph.n_best(n, weights, ignore=ignore)
    assert [reported(graph.words(path), ignore) for path in paths] == list(expected)[:n]
    assert [tuple(path.tolist()) for path in paths] == list(expected.values())[:n]


@given(graph=lattices() | forests, ignore=ignored, data=st.data())
def test_the_best_path_is_the_first_of_all_paths(graph, ignore, data):
    weights = data.draw(scalings(graph))
    best = graph.best_path(weights, ignore=ignore)
    assert best.tolist() == graph.best_path(graph.cost(weights), ignore=ignore).tolist()
    assert tuple(best.tolist()) == next(iter(cheapest_paths(graph, weights, ignore).values()))


@given(graph=lattices() | forests, data=st.data())
def test_a_path_knows_its_words_and_costs(graph, data):
    weights, path = data.draw(scalings(graph)), data.draw(st.sampled_from(list(all_paths(graph))))
    assert graph.words(path.arcs) == path.words
    assert graph.cost_of(path.arcs, weights) == graph.cost_of(path.arcs, graph.cost(weights))
    assert graph.cost_of(path.arcs, weights) == pytest.approx(float(cost_of(graph, path, weights)))
    assert graph.scores_along(path.arcs) == pytest.approx({name: float(total) for name, total in path.sums.items()})


@given(lattices() | forests)
def test_no_string_is_longer_than_the_longest(graph):
    assert graph.max_words() == max(len(path.words) for path in all_paths(graph))


@pytest.mark.parametrize("n", [0, -1, True, 1.5])
def test_a_number_of_strings_is_a_whole_number_from_1(n):
    with pytest.raises(lm.UsageError, match="the number of best strings is"):
        lm.Lattice.from_strings(["a"]).n_best(n)


@pytest.mark.parametrize("few", [0, 10_000], ids=["searched", "listed"])
@given(graph=lattices() | forests, n=st.integers(1, 20), data=st.data())
def test_the_best_paths_are_those_of_all_paths(few, graph, n, data):
    weights = data.draw(scalings(graph))
    listed = [(cost_of(graph, path, weights), path) for path in all_paths(graph)]
    best = min(listed, key=lambda one: (one[0], len(one[1].words), one[1].arcs))[1].arcs
    keys = sorted((cost, path.arcs != best, len(path.arcs), path.arcs) for cost, path in listed)
    with mock.patch.object(n_best, "few_strings", return_value=few):
        paths = graph.n_best(n, weights, paths=True)
    assert [tuple(path.tolist()) for path in paths] == [key[-1] for key in keys[:n]]


@st.composite
def arcs_with_ties(draw):
    """Columns of a lattice with equal costs, ε, parallel arcs, several ends, and states that lead nowhere."""
    states = draw(st.integers(2, 7))
    arc = st.integers(0, states - 2).flatmap(
        lambda s: st.tuples(
            st.just(s), st.integers(s + 1, states - 1), st.integers(0, 2), st.sampled_from([0.0, 0.0, -1.0, 0.5])
        )
    )
    arcs = sorted(draw(st.lists(arc, min_size=1, max_size=14)), key=lambda one: one[0])
    ends = draw(st.lists(st.sampled_from([0.0, 0.5, np.inf]), min_size=states, max_size=states))
    ends[draw(st.integers(0, states - 1))] = 0.0
    source, target, word, cost = zip(*arcs, strict=True)
    return [np.array(part, np.int32) for part in (source, target, word)], np.array(cost), np.array(ends)


def listed(source, target, word, cost, ends):
    """All paths: cost, words, arcs."""
    found, pending = [], [(0, 0.0, (), ())]
    while pending:
        state, total, words, path = pending.pop()
        if ends[state] < np.inf:
            found.append((total + ends[state], words, path))
        for arc in np.flatnonzero(source == state).tolist():
            spelled = (*words, int(word[arc])) if word[arc] else words
            pending.append((int(target[arc]), total + float(cost[arc]), spelled, (*path, arc)))
    return found


def rows(arcs, begin):
    return [tuple(arcs[first:last].tolist()) for first, last in pairwise(begin.tolist())]


@given(columns=arcs_with_ties(), most=st.integers(1, 60))
def test_the_kernel_lists_strings_and_paths_in_the_order_of_the_tie_rule(columns, most):
    (source, target, word), cost, ends = columns
    lattice = _native.Lattice(source, target, cost, ends, word)
    paths = listed(source, target, word, cost, ends)
    best: dict[tuple[int, ...], tuple[float, int, tuple[int, ...]]] = {}
    for total, words, path in paths:
        key = total, len(words), path
        best[words] = min(key, best.get(words, key))
    assert rows(*_native.n_best_strings(lattice, most)) == [key[-1] for key in sorted(best.values())][:most]
    by_arcs = sorted((total, len(path), path) for total, _, path in paths)
    assert rows(*_native.n_best_paths(lattice, most)) == [key[-1] for key in by_arcs][:most]


@given(lattice=lattices(), n=st.integers(1, 30), data=st.data())
def test_a_lattice_and_its_forest_have_the_same_best_strings(lattice, n, data):
    weights = data.draw(scalings(lattice))
    forest = lm.Forest.from_lattice(lattice)
    costs, of_forest = (
        [graph.cost_of(path, weights) for path in graph.n_best(n, weights)] for graph in (lattice, forest)
    )
    assert costs == pytest.approx(of_forest, abs=1e-9)


def test_the_best_of_a_million_strings_are_counted_through():
    """The word at place k costs 2ᵏ or nothing, so that the m-th best string spells m − 1 in binary."""
    places = 20
    source = np.repeat(np.arange(places), 2)
    cost = np.array([share for k in range(places) for share in (0.0, 2.0**k)])
    lattice = lm.Lattice.from_arcs(
        source, source + 1, [1, 2] * places, final=[places], scores={"cost": lm.Column(cost, np.zeros(1))}
    )
    found = lattice.n_best(2**17)
    assert len(found) == 2**17
    bits = np.stack(found) % 2
    assert np.array_equal(bits @ (2 ** np.arange(places)), np.arange(2**17))


def test_many_paths_of_one_string_do_not_delay_the_next_string():
    """3⁴⁰ paths spell the best string."""
    words, source = 40, np.repeat(np.arange(40), 4)
    cost = np.array([0.0, 0.0, 0.25, 1.0] * words)
    lattice = lm.Lattice.from_arcs(
        source, source + 1, [1, 1, 1, 2] * words, final=[words], scores={"cost": lm.Column(cost, np.zeros(1))}
    )
    found = lattice.n_best(41)
    assert [lattice.cost_of(path) for path in found] == [0.0] + [1.0] * words
    assert len({lattice.words(path) for path in found}) == 41


# --- Lists of them, and what is near them


@given(graph=lattices() | forests, n=st.integers(1, 20), data=st.data())
def test_a_list_of_the_best_has_their_words_and_scores(graph, n, data):
    weights = data.draw(scalings(graph))
    nbest = lm.NBest.from_graph(graph, n, weights)
    paths = graph.n_best(n, weights)
    assert [h.words for h in nbest.hypotheses] == [graph.words(path) for path in paths]
    assert nbest.costs() == pytest.approx([graph.cost_of(path, weights) for path in paths], abs=1e-9)


def test_a_shorter_list_has_each_string_once():
    texts, costs = ["a", "b", "a", "c"], [3.0, 2.0, 1.0, 4.0]
    nbest = lm.NBest.from_strings(texts, costs=costs)
    assert [h.words for h in lm.NBest.from_graph(nbest, 2).hypotheses] == [("a",), ("b",)]
    assert [h.scores["cost"] for h in lm.NBest.from_graph(nbest, 3, paths=True).hypotheses] == [1.0, 2.0, 3.0]
    assert [h.scores["cost"] for h in nbest.pruned(nbest=2).hypotheses] == [2.0, 1.0]
    assert [h.scores["cost"] for h in nbest.pruned(1.5).hypotheses] == [2.0, 1.0]


@pytest.mark.parametrize("large", [1e10, 1e15, 1e30, 1e300])
def test_costs_beyond_the_beam_do_not_widen_it(large):
    texts, costs = ["a", "b", "c", "d"], [1.0, 1.5, 2.5, large]
    lattice, nbest = lm.Lattice.from_strings(texts, costs=costs), lm.NBest.from_strings(texts, costs=costs)
    ends = lm.Lattice.from_arcs([0, 0, 0], [1, 2, 3], [1, 2, 3], final=[1, 2, 3], scores={
        "cost": lm.Column(np.zeros(3), np.array([1.0, large, 1.5])),
    })  # fmt: skip
    for graph in (lattice, lm.Forest.from_lattice(lattice), nbest.to_lattice()):
        assert {path.words for path in all_paths(graph.pruned(0.5))} == {("a",), ("b",)}
        assert {path.words for path in all_paths(graph.pruned(nbest=3))} == {("a",), ("b",), ("c",)}
    assert [path.words for path in lattice.pruned(density=2).paths()] == [("a",), ("b",)]
    assert [path.words for path in ends.pruned(0.5).paths()] == [("1",), ("3",)]
    assert [h.words for h in nbest.pruned(0.5).hypotheses] == [("a",), ("b",)]


def test_a_list_is_pruned_as_its_lattice():
    nbest = lm.NBest.from_strings(["a", "b", "c"], costs=[0.7, 0.8, 0.9])
    words = [("a",), ("b",)]
    assert [path.words for path in nbest.to_lattice().pruned(0.1).paths()] == words
    assert [hypothesis.words for hypothesis in nbest.pruned(0.1).hypotheses] == words
    for weights in ("probabilities", "counts"):
        assert {one.words for one in lm.mbr(nbest, "wrr", beam=0.1, evidence_weights=weights).ranked} == {*words}


@given(graph=lattices() | forests, n=st.integers(1, 8), data=st.data())
def test_the_narrowest_beam_keeps_the_n_best_strings(graph, n, data):
    weights = data.draw(scalings(graph))
    costs = sorted(key[0] for key in string_costs(graph, weights).values())
    pruned = graph.pruned(weights=weights, nbest=n)
    kept = sorted(key[0] for key in string_costs(pruned, weights).values())
    assert len(kept) >= min(n, len(costs))
    assert kept[: min(n, len(costs))] == costs[:n]
    beam = float(costs[min(n, len(costs)) - 1] - costs[0])
    assert len(kept) <= len(string_costs(graph.pruned(beam * (1 + 1e-9) + 1e-9, weights), weights))


def string_costs(graph, weights):
    cheapest = {}
    for path in all_paths(graph):
        key = cost_of(graph, path, weights), len(path.words), path.arcs
        cheapest[path.words] = min(key, cheapest.get(path.words, key))
    return cheapest


@given(lattice=lattices(), density=st.sampled_from([0.5, 1.0, 1.5, 2.0, 4.0]))
def test_a_density_is_that_of_info(lattice, density):
    words = lattice.statistics().density and len(lattice.words(lattice.best_path()))
    if not words:
        with pytest.raises(lm.InputError, match="no density"):
            lattice.pruned(density=density)
        return
    pruned = lattice.pruned(density=density)
    narrowest = lattice.pruned(0.0)
    most = density * words
    assert int(pruned.is_word().sum()) <= max(most, int(narrowest.is_word().sum()))


@pytest.mark.parametrize("limits", [{}, {"beam": 1.0, "nbest": 2}, {"density": 1.0, "nbest": 2}])
def test_there_is_one_limit(limits):
    for graph in (lm.Lattice.from_strings(["a"]), lm.NBest.from_strings(["a"])):
        known = {name: value for name, value in limits.items() if name != "density" or isinstance(graph, lm.Lattice)}
        if len(known) != 1:
            with pytest.raises(lm.UsageError, match="pruning needs exactly one limit; give one of beam"):
                graph.pruned(**known)


@pytest.mark.parametrize("density", [0, -1, float("nan"), float("inf")])
def test_a_density_is_a_number_above_0(density):
    with pytest.raises(lm.UsageError, match="the density is"):
        lm.Lattice.from_strings(["a"]).pruned(density=density)
