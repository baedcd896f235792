"""Best paths and the n best strings of lattices and forests, their words and costs, against the list of all paths."""

from fractions import Fraction
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import enumerate_derivations, enumerate_paths
from kit.formats import ForestDraft, can_be_listed, forest_drafts
from kit.strategies import COLUMN_NAMES, COST_RANGES, KNOWN_WORDS, lattices, scalings

import latticemetric as lm
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


def cost_of(graph, path, scales):
    weights = {name: column.scale for name, column in graph.scores.items()} | dict(scales or {})
    return sum((Fraction(weights[name]) * total for name, total in path.sums.items()), Fraction(0))


def reported(words, ignore):
    return tuple(word for word in words if word not in ignore)


def cheapest_paths(graph, scales, ignore):
    """The cheapest path of each string, in the order of the tie rule."""
    cheapest = {}
    for path in all_paths(graph):
        words = reported(path.words, ignore)
        key = cost_of(graph, path, scales), len(words), path.arcs
        cheapest[words] = min(key, cheapest.get(words, key))
    return {words: cheapest[words][-1] for words in sorted(cheapest, key=cheapest.get)}


@pytest.mark.parametrize("few", [0, 10_000], ids=["searched", "listed"])
@given(graph=lattices() | forests, n=st.integers(1, 20), ignore=ignored, data=st.data())
def test_the_best_strings_are_those_of_all_paths(few, graph, n, ignore, data):
    scales = data.draw(scalings(graph))
    expected = cheapest_paths(graph, scales, ignore)
    with mock.patch.object(n_best, "few_strings", return_value=few):
        paths = graph.n_best(n, scales, ignore=ignore)
    assert [reported(graph.words(path), ignore) for path in paths] == list(expected)[:n]
    assert [tuple(path.tolist()) for path in paths] == list(expected.values())[:n]


@given(graph=lattices() | forests, ignore=ignored, data=st.data())
def test_the_best_path_is_the_first_of_all_paths(graph, ignore, data):
    scales = data.draw(scalings(graph))
    best = graph.best_path(scales, ignore=ignore)
    assert best.tolist() == graph.best_path(graph.cost(scales), ignore=ignore).tolist()
    assert tuple(best.tolist()) == next(iter(cheapest_paths(graph, scales, ignore).values()))


@given(graph=lattices() | forests, data=st.data())
def test_a_path_knows_its_words_and_costs(graph, data):
    scales, path = data.draw(scalings(graph)), data.draw(st.sampled_from(list(all_paths(graph))))
    assert graph.words(path.arcs) == path.words
    assert graph.cost_of(path.arcs, scales) == graph.cost_of(path.arcs, graph.cost(scales))
    assert graph.cost_of(path.arcs, scales) == pytest.approx(float(cost_of(graph, path, scales)))
    assert graph.scores_along(path.arcs) == pytest.approx({name: float(total) for name, total in path.sums.items()})


@given(lattices() | forests)
def test_no_string_is_longer_than_the_longest(graph):
    assert graph.max_words() == max(len(path.words) for path in all_paths(graph))


@pytest.mark.parametrize("n", [0, -1, True, 1.5])
def test_a_number_of_strings_is_a_whole_number_from_1(n):
    with pytest.raises(lm.UsageError, match="the number of best strings is"):
        lm.Lattice.from_strings(["a"]).n_best(n)
