"""Hope against its definition: every derivation, the metric's value by the string metric, the model's cost."""

from fractions import Fraction

import pytest
from format_kit import can_be_listed, forest_drafts
from hypothesis import given
from hypothesis import strategies as st
from strategies import COLUMN_NAMES, costs, lattices, metrics, references, scalings

import latticemetric as lm

forests = forest_drafts(list("abcd"), list(COLUMN_NAMES), costs).filter(can_be_listed).map(lambda draft: draft.forest())
weights = st.sampled_from([0, 0.25, 1.0, 3, 100])
sides = st.sampled_from(["rate", "numerator"])


def value_of(words, cost, given_references, metric, weight, on):
    """The best of weight times metric less cost over references; WER counts as one minus itself."""
    values = []
    for reference in given_references.words:
        statistics = metric.statistics(list(words), [list(reference)])
        defined, rate = metric.merit(statistics)
        size = max(1, sum(statistics.reference_ngrams)) if defined else 1
        values.append(Fraction(weight) * (rate if on == "rate" else rate * size) - cost)
    return max(values)


def best_value(said, given_references, metric, weight, on):
    cheapest = {}
    for words, cost in said:
        cheapest[words] = min(cost, cheapest.get(words, cost))
    return max(value_of(words, cost, given_references, metric, weight, on) for words, cost in cheapest.items())


def assert_is_hope(graph, said, given_references, metric, weight, on, scales):
    found = lm.hope(graph, given_references.argument, metric, weight=weight, on=on, scales=scales)
    expected = best_value(said, given_references, metric, weight, on)
    assert found.value == pytest.approx(float(expected), rel=1e-9, abs=1e-9)
    rescored = value_of(found.words, Fraction(found.cost), given_references, metric, weight, on)
    assert float(rescored) == pytest.approx(float(expected), rel=1e-9, abs=1e-9)
    return found


@given(
    forest=forests, given_references=references(6), case=metrics(), weight=weights, on=sides, data=st.data(),
)  # fmt: skip
def test_hope_is_the_best_of_all_derivations(forest, given_references, case, weight, on, data):
    metric = case[0]
    scales = data.draw(scalings(forest))
    said = [(d.words, Fraction(d.cost)) for d in forest.derivations(scales)]
    found = assert_is_hope(forest, said, given_references, metric, weight, on, scales)
    assert tuple(word for word in forest.words(found.edges) if word not in metric.ignore) == found.words


@given(
    lattice=lattices(), given_references=references(6), case=metrics(), weight=weights, on=sides, data=st.data(),
)  # fmt: skip
def test_hope_is_the_best_of_all_paths(lattice, given_references, case, weight, on, data):
    metric = case[0]
    scales = data.draw(scalings(lattice))
    said = [(path.words, Fraction(path.cost)) for path in lattice.paths(scales)]
    found = assert_is_hope(lattice, said, given_references, metric, weight, on, scales)
    assert tuple(word for word in lattice.words(found.arcs) if word not in metric.ignore) == found.words


def test_a_weight_of_nothing_is_the_models_choice():
    lattice = lm.Lattice.from_strings(["a b", "x y"], costs=[1.0, 0.5])
    found = lm.hope(lattice, "a b", weight=0)
    assert found.words == ("x", "y")
    assert found.value == -0.5


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
def test_a_weight_that_makes_no_sense_is_refused(weight):
    with pytest.raises(lm.UsageError, match="weight of hope"):
        lm.hope(lm.Lattice.from_strings(["a"]), "a", weight=weight)


def test_only_rates_and_numerators_are_weighed():
    with pytest.raises(lm.UsageError, match="'cost'"):
        lm.hope(lm.Lattice.from_strings(["a"]), "a", on="cost")
