"""Determinized lattices: each string once, at its least cost, in as few states as there can be."""

import dataclasses
import math
import random
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.strategies import lattices, scalings

import latticemetric as lm

UNIT = 2.0**-14


def least_costs(lattice, weights=None):
    """The least cost of each string, by looking at every path."""
    least: dict[tuple[str, ...], float] = {}
    for path in lattice.paths(weights):
        least[path.words] = min(path.cost, least.get(path.words, path.cost))
    return least


def costs(lattice):
    """The cost of each string of a lattice that has each string once."""
    found = [(path.words, path.cost) for path in lattice.paths()]
    assert len(dict(found)) == len(found)
    return dict(found)


@st.composite
def random_lattices(draw, values):
    """Lattices with ε, parallel arcs and several ends."""
    states = draw(st.integers(2, 7))
    arcs = draw(
        st.lists(
            st.tuples(st.integers(0, states - 2), st.integers(1, 3), st.integers(0, 3), values), min_size=1, max_size=16
        )
    )
    source, step, word, cost = zip(*[*arcs, *((s, 1, 1, 0.0) for s in range(states - 1))], strict=True)
    target = np.minimum(np.add(source, step), states - 1)
    final = sorted({*draw(st.sets(st.integers(0, states - 1), max_size=2)), states - 1})
    ends = draw(st.lists(values, min_size=len(final), max_size=len(final)))
    return lm.Lattice.from_arcs(
        source, target, word, final=final, scores={"cost": lm.Column(np.array(cost), np.array(ends))}
    )


in_units = random_lattices(st.integers(-3, 8).map(lambda eighths: eighths / 8))
rounded = random_lattices(st.floats(-3, 8, allow_subnormal=False))


@given(lattice=lattices(), data=st.data())
def test_a_determinized_lattice_has_each_string_once_at_its_least_cost(lattice, data):
    weights = data.draw(scalings(lattice))
    determinized = lattice.determinized(weights)
    assert costs(determinized) == least_costs(lattice, weights)
    assert not (determinized.word == 0).any()


@given(in_units)
def test_costs_that_are_multiples_of_the_unit_are_exact(lattice):
    assert costs(lattice.determinized()) == least_costs(lattice)


@given(rounded)
def test_a_cost_changes_by_half_a_unit_for_each_arc_and_end_at_most(lattice):
    found, least = costs(lattice.determinized()), least_costs(lattice)
    longest = lattice.num_states  # arcs, and an end
    most = longest * UNIT / 2 + 1e-12
    assert found == pytest.approx(least, rel=0, abs=most)
    best = min(least.values())
    assert min(found.values()) == pytest.approx(best, rel=1e-15, abs=1e-15)


@given(st.one_of(in_units, rounded))
def test_no_two_states_have_the_same_continuations(lattice):
    found = lattice.determinized()
    continuations: list[dict[tuple[int, ...], float]] = [{} for _ in range(found.num_states)]
    for state in reversed(range(found.num_states)):
        here = continuations[state]
        for arc in np.flatnonzero(found.source == state).tolist():
            for words, cost in continuations[found.target[arc]].items():
                here[(int(found.word[arc]), *words)] = found.cost().arc[arc] + cost
        if state in found.final:
            here[()] = float(found.cost().final[state])
    # The best cost stands at the start, so elsewhere some continuation costs nothing.
    assert all(min(here.values()) == 0 for here in continuations[1:])
    assert len({tuple(sorted(here.items())) for here in continuations}) == found.num_states


@given(lattice=st.one_of(in_units, rounded), seed=st.integers(0, 2**32))
def test_the_numbers_of_states_and_arcs_do_not_change_the_result(lattice, seed):
    draw = random.Random(seed)
    state = draw.sample(range(lattice.num_states), lattice.num_states)
    arcs = draw.sample(range(len(lattice.word)), len(lattice.word))
    column = lattice.scores["cost"]
    other = lm.Lattice.from_arcs(
        [state[s] for s in lattice.source[arcs]],
        [state[s] for s in lattice.target[arcs]],
        lattice.word[arcs],
        start=state[0],
        final=[state[s] for s in lattice.final],
        scores={"cost": lm.Column(column.arc[arcs], column.final)},
    )
    assert other.determinized() == lattice.determinized()


@given(in_units)
def test_openfst_has_as_many_states_and_arcs(lattice):
    pynini = pytest.importorskip("pynini")
    fst = pynini.determinize(lattice.to_fst(symbols=False).rmepsilon()).minimize()
    found = lattice.determinized()
    assert (found.num_states, len(found.word)) == (fst.num_states(), sum(fst.num_arcs(s) for s in fst.states()))


@given(st.one_of(in_units, rounded))
def test_a_determinized_lattice_stays_as_it_is(lattice):
    once = lattice.determinized()
    again = once.determinized()
    assert (again.source.tolist(), again.target.tolist()) == (once.source.tolist(), once.target.tolist())
    assert costs(again) == pytest.approx(costs(once), rel=0, abs=1e-12)


def test_a_determinized_lattice_keeps_its_words_and_its_column():
    lattice = lm.Lattice.from_strings(["a b", "a c", "a b"], costs=[1.0, 2.0, 0.5], column="acoustic").determinized()
    assert [(path.words, path.cost) for path in lattice.paths()] == [(("a", "b"), 0.5), (("a", "c"), 2.0)]
    assert list(lattice.scores) == ["acoustic"]
    assert lattice.num_states == 3


def test_determinization_needs_no_pynini(monkeypatch):
    for name in ("pynini", "pywrapfst"):
        monkeypatch.setitem(sys.modules, name, None)
    lattice = lm.Lattice.from_strings(["a b", "a c", "a b"], costs=[1.0, 2.0, 0.5])
    assert lattice.determinized().num_states == 3
    assert lm.mbr(lattice, determinize=True).words == ("a", "b")
    with pytest.raises(lm.LatticeMetricError, match="pynini"):
        lattice.to_fst()


def test_several_columns_become_one_cost():
    lattice = lm.Lattice.from_strings(["a", "a", "b"], costs=[1.0, 2.0, 3.0], column="one")
    both = {**lattice.scores, "two": lm.Column(np.array([2.0, 0.0, 0.0]), np.zeros(len(lattice.final)), weight=2.0)}
    found = dataclasses.replace(lattice, scores=both).determinized({"two": 1.0})
    assert list(found.scores) == ["cost"]
    assert costs(found) == {("a",): 2.0, ("b",): 3.0}


def test_determinization_does_not_round_the_size_of_costs():
    # Acoustic costs of an utterance: large, with small differences.
    texts = {"a b": 81234567.0625, "a c": 81234567.5, "d": 81234568.25, "e e e": 81234967.75}
    lattice = lm.Lattice.from_arcs(
        source=[0, 0, 0, 0, 1, 2, 4, 5],
        target=[1, 2, 3, 4, 3, 3, 5, 3],
        word=[1, 1, 4, 5, 2, 3, 5, 5],
        final=[3],
        scores={"acoustic": lm.Column(np.array([*texts.values(), 0.0, 0.0, 0.0, 0.0]), np.array([0.0]))},
        vocabulary=lm.Vocabulary.from_words(["a", "b", "c", "d", "e"]),
    )
    assert {" ".join(words): cost for words, cost in costs(lattice.determinized()).items()} == texts
    empty = lm.Lattice.from_arcs(
        [0], [1], [1], final=[0, 1], scores={"a": lm.Column(np.array([1e9]), np.array([1e9 + 0.25, 0.5]))}
    )
    assert costs(empty.determinized()) == {(): 1e9 + 0.25, ("1",): 1e9 + 0.5}


@pytest.mark.parametrize("large", [1e6, 1e13, 2.0**47, 1e20, 1e300])
def test_costs_of_any_size_are_ordered_as_they_were(large):
    """Sums of multiples of the unit would not fit into 64 bits from 2⁴⁸ on: then the unit is larger."""
    lattice = lm.Lattice.from_arcs(
        [0, 0, 0, 0, 1], [1, 2, 2, 2, 2], [1, 2, 2, 3, 0], final=[2],
        scores={"cost": lm.Column(np.array([0.0, large / 4, large / 2, large, 1.0]), np.zeros(1))},
    )  # fmt: skip
    assert costs(lattice.determinized()) == pytest.approx({("1",): 1.0, ("2",): large / 4, ("3",): large}, rel=2**-50)


def test_a_lattice_of_the_empty_string_is_one_state():
    lattice = lm.Lattice.from_arcs([0, 0, 1], [1, 2, 2], [0, 0, 0], final=[2])
    found = lattice.determinized()
    assert (found.num_states, len(found.word), costs(found)) == (1, 0, {(): 0.0})


def test_a_chain_of_choices_stays_small():
    """4³⁰⁰ paths spell 2³⁰⁰ strings, in a chain of as many states as before."""
    length = 300
    source = np.repeat(np.arange(length), 4)
    cost = np.array([0.0, 1.0, 0.5, 2.0] * length)
    lattice = lm.Lattice.from_arcs(
        source, source + 1, [1, 1, 2, 2] * length, final=[length], scores={"cost": lm.Column(cost, np.zeros(1))}
    )
    found = lattice.determinized()
    assert (found.num_states, len(found.word)) == (length + 1, 2 * length)
    assert found.cost().arc.tolist() == [0.0, 0.5] * length
    assert math.isclose(found.largest_cost(), length / 2)
