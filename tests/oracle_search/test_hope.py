"""Hope against its definition: every derivation, the metric's value by the string metric, the model's cost."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import enumerate_derivations
from kit.formats import can_be_listed, forest_drafts
from kit.strategies import COLUMN_NAMES, References, costs, lattices, metrics, references, scalings

import latticemetric as lm

forests = forest_drafts(list("abcd"), list(COLUMN_NAMES), costs).filter(can_be_listed).map(lambda draft: draft.forest())


@dataclass(frozen=True)
class Question:
    references: References
    metric: lm.GRR
    weight: float
    on: str

    def value(self, words, cost):
        """The best of weight times metric less cost over references; WER counts as one minus itself."""
        return max(self._weighed(list(words), list(reference)) for reference in self._comparable()) - cost

    def _comparable(self):
        """A rate without words in its reference is none beside others."""
        defined = [words for words in self.references.words if self.metric.counted(words)]
        return defined if self.on == "rate" and defined else self.references.words

    def _weighed(self, words, reference):
        statistics = self.metric.statistics(words, [reference])
        defined, rate = self.metric.merit(statistics)
        total = sum(statistics.reference_ngrams) if defined and self.on == "numerator" else 1
        return Fraction(self.weight) * rate * total

    def best_value(self, said):
        cheapest = {}
        for words, cost in said:
            cheapest[words] = min(Fraction(cost), cheapest.get(words, Fraction(cost)))
        return max(self.value(words, cost) for words, cost in cheapest.items())

    def ask(self, graph, weights):
        answer = lm.hope(graph, self.references.argument, self.metric, weight=self.weight, on=self.on, weights=weights)
        assert answer.value == pytest.approx(float(self.value(answer.words, Fraction(answer.cost))), rel=1e-9, abs=1e-9)
        return answer


questions = st.builds(
    Question,
    references(6),
    metrics().map(lambda case: case[0]),
    st.sampled_from([0, 0.25, 1.0, 3, 100]),
    st.sampled_from(["rate", "numerator"]),
)


@given(forest=forests, question=questions, data=st.data())
def test_hope_is_the_best_of_all_derivations(forest, question, data):
    weights = data.draw(scalings(forest))
    answer = question.ask(forest, weights)
    best = question.best_value((d.words, d.cost) for d in forest.derivations(weights))
    assert answer.value == pytest.approx(float(best), rel=1e-9, abs=1e-9)
    assert tuple(word for word in forest.words(answer.edges) if word not in question.metric.ignore) == answer.words


@given(lattice=lattices(), question=questions, data=st.data())
def test_hope_is_the_best_of_all_paths(lattice, question, data):
    weights = data.draw(scalings(lattice))
    answer = question.ask(lattice, weights)
    best = question.best_value((path.words, path.cost) for path in lattice.paths(weights))
    assert answer.value == pytest.approx(float(best), rel=1e-9, abs=1e-9)
    assert tuple(word for word in lattice.words(answer.arcs) if word not in question.metric.ignore) == answer.words


def with_impossible_arcs(lattice, data):
    """Some arcs of the lattice have a very large cost."""
    size = data.draw(st.sampled_from([1e13, 1e20, 1e30, 1e300]))
    is_impossible = data.draw(st.lists(st.booleans(), min_size=len(lattice.word), max_size=len(lattice.word)))
    column = lm.Column(size * np.array(is_impossible, dtype=np.float64), np.zeros(len(lattice.final)))
    return replace(lattice, scores={**lattice.scores, "impossible": column})


@given(lattice=lattices(), question=questions, penalize=st.booleans(), data=st.data())
def test_costs_of_what_is_impossible_leave_the_others_as_they_are(lattice, question, penalize, data):
    lattice = with_impossible_arcs(lattice, data)
    sign = -1 if penalize else 1
    values = [sign * question.value(path.words, 0) - Fraction(path.cost) for path in lattice.paths()]
    search = lm.fear if penalize else lm.hope
    answer = search(lattice, question.references.argument, question.metric, weight=question.weight, on=question.on)
    assert answer.exact
    assert answer.value == pytest.approx(float(max(values)), rel=1e-9, abs=1e-6)


@given(lattice=lattices(), question=questions, penalize=st.booleans(), n=st.integers(2, 12), data=st.data())
def test_several_strings_are_ranked_by_their_own_costs_beside_impossible_ones(lattice, question, penalize, n, data):
    lattice = with_impossible_arcs(lattice, data)
    cheapest = {}
    for path in lattice.paths():
        words = tuple(word for word in path.words if word not in question.metric.ignore)
        cheapest[words] = min(Fraction(path.cost), cheapest.get(words, Fraction(path.cost)))
    sign = -1 if penalize else 1
    values = sorted((sign * question.value(words, 0) - cost for words, cost in cheapest.items()), reverse=True)
    search = lm.fears if penalize else lm.hopes
    found = search(lattice, question.references.argument, question.metric, n=n, weight=question.weight, on=question.on)
    assert [one.value for one in found] == pytest.approx([float(value) for value in values[:n]], rel=1e-9, abs=1e-6)
    assert all(one.exact for one in found)
    assert len({one.words for one in found}) == len(found)


@given(lattice=lattices(), question=questions, data=st.data())
def test_the_cheapest_of_the_worst_strings_is_found_beside_impossible_ones(lattice, question, data):
    lattice = with_impossible_arcs(lattice, data)
    question = replace(question, weight=1, on="rate")
    answer = lm.worst(lattice, question.references.argument, question.metric)
    worst = min(question.value(path.words, 0) for path in lattice.paths())
    costs = [path.cost for path in lattice.paths() if question.value(path.words, 0) == worst]
    assert answer.exact
    assert question.value(answer.words, 0) == worst
    assert answer.cost == pytest.approx(min(costs), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("large", [1e13, 1e20, 1e300])
def test_one_very_large_cost_makes_no_ties(large):
    strings = ["x y z", "q r s", "a b c"]
    assert lm.worst(lm.Lattice.from_strings(strings, costs=[0.7, 0.4, large]), "a b c", "wer").words == ("q", "r", "s")
    strings = ["a b c", "a x c", "x y z", "q q q"]
    found = lm.hopes(lm.Lattice.from_strings(strings, costs=[0.7, 0.4, 0.1, large]), "a b c", "wrr", n=4, weight=0.1)
    assert [" ".join(one.words) for one in found] == ["x y z", "a x c", "a b c", "q q q"]


def chosen_derivation(forest, question, weights):
    """The best derivation by value, then least cost, then fewest words, then smallest edges; all in fractions."""
    used = {name: column.weight for name, column in forest.scores.items()} | dict(weights or {})

    def order(derivation):
        words = [word for word in derivation.words if word not in question.metric.ignore]
        cost = sum((Fraction(used[name]) * total for name, total in derivation.sums.items()), Fraction(0))
        return -question.value(words, cost), cost, len(words), derivation.arcs

    return min(map(order, enumerate_derivations(forest)))


@given(forest=forests, question=questions | questions.map(lambda asked: replace(asked, weight=0.1)), data=st.data())
def test_hope_of_a_forest_is_exact_and_follows_the_tie_rule(forest, question, data):
    weights = data.draw(scalings(forest))
    least, _, words, edges = chosen_derivation(forest, question, weights)
    answer = question.ask(forest, weights)
    assert answer.edges == edges
    assert len(answer.words) == words
    assert answer.value == float(-least)


# Costs that differ by far less than 32 bits can tell beside large ones: the search rounds, the answer must not.
# Some are a part of a unit of the rounded sums, so that rounding makes worse what is better.
near_costs = st.builds(
    lambda large, small, tiny: large * 2.0**20 + small * 2.0**-7 + tiny * 2.0**-20,
    st.integers(0, 2), st.integers(0, 31), st.integers(0, 3),
)  # fmt: skip


def chosen_path(lattice, question):
    """The best path by value, then least cost, then fewest words, then smallest arcs; all in fractions."""
    arc_cost = [
        sum(Fraction(column.arc[arc]) for column in lattice.scores.values()) for arc in range(len(lattice.word))
    ]

    def order(path):
        words = [word for word in path.words if word not in question.metric.ignore]
        cost = sum((arc_cost[arc] for arc in path.arcs), Fraction(0))
        return -question.value(words, cost), cost, len(words), path.arcs

    return min(map(order, lattice.paths()))


@st.composite
def near_ties(draw):
    """A lattice of layers with two or three arcs between neighbours, some of them ε."""
    layers = draw(st.integers(1, 5))
    arcs = [(s, s + 1) for s in range(layers) for _ in range(draw(st.integers(2, 3)))]
    words = [draw(st.integers(0, 3)) for _ in arcs]
    costs = [draw(near_costs) for _ in arcs]
    return lm.Lattice.from_arcs(
        [a for a, _ in arcs], [b for _, b in arcs], words, final=[layers],
        scores={"cost": lm.Column(np.array(costs), np.zeros(1))}, vocabulary=lm.Vocabulary.from_words(list("abc")),
    )  # fmt: skip


near_questions = questions.flatmap(
    lambda one: st.sampled_from([0, 1.0, 2.0**-20, 2.0**20]).map(lambda w: replace(one, weight=w))
)


@given(lattice=near_ties(), question=near_questions)
def test_hope_of_a_lattice_is_exact_and_follows_the_tie_rule(lattice, question):
    least, _, words, arcs = chosen_path(lattice, question)
    answer = question.ask(lattice, None)
    assert answer.arcs == arcs
    assert len(answer.words) == words
    assert answer.value == pytest.approx(float(-least), rel=1e-15)


def test_thirds_do_not_decide_which_string_of_a_forest_is_the_hope():
    # Both are worth nothing. In floats, matches and insertions of the longer one add up to a little more than that.
    forest = lm.Forest.from_edges(
        [0, 1, 2, 3, 3],
        [[], [], [], [0, 1, 2], []],
        [[2], [3, 4, 4], [4], [-1, -2, -3], [1]],
        goals=[3],
        vocabulary=lm.Vocabulary.from_words(list("Bbca")),
    )
    for weight in (1.0, 0.1, 0.3):
        assert lm.hope(forest, "c a", "3-grr", weight=weight).words == ("B",)


def test_costs_are_weighed_as_they_are_and_not_as_ties_are_decided():
    # The float nearest to 1/3 is less than that, by 1 part in 2^54: the first string is worth more than -1/3.
    vocabulary = lm.Vocabulary.from_words(list("abc"))
    words = [vocabulary.encode(list(text)).tolist() for text in ("aba", "cc")]
    costs = lm.Column(np.array([1 / 3, 1.0]), np.array([0.0]))
    forest = lm.Forest.from_edges([0, 0], [[], []], words, goals=[0], scores={"cost": costs}, vocabulary=vocabulary)
    for graph in (forest, forest.to_lattice()):
        best = lm.hope(graph, "c c c", "1-grr")
        assert (best.words, best.exact) == (("a", "b", "a"), True)


def test_hope_says_where_costs_could_not_be_added_up_exactly():
    # Each node says the one below it twice: the dearest of the derivations costs 2^90.
    doubled = range(1, 90)
    forest = lm.Forest.from_edges(
        [0, *doubled, 89],
        [[], *([below - 1, below - 1] for below in doubled), []],
        [[], *([-1, -2] for _ in doubled), [1]],
        goals=[89],
        scores={"cost": lm.Column([1.0, *(0.0 for _ in doubled), 0.1], [0.0])},
        vocabulary=lm.Vocabulary.from_words(["a"]),
    )
    assert not lm.hope(forest, "a").exact
    with pytest.raises(lm.InputError, match="perhaps since it uses shared nodes many times"):
        lm.hope(forest, "a", weights={"cost": 0.0})


def test_a_weight_of_nothing_is_the_models_choice():
    lattice = lm.Lattice.from_strings(["a b", "x y"], costs=[1.0, 0.5])
    answer = lm.hope(lattice, "a b", weight=0)
    assert answer.words == ("x", "y")
    assert answer.value == -0.5


@pytest.mark.parametrize("words", [3, 400])
@pytest.mark.parametrize("alpha", [1.0, 1000.0, 1e6])
def test_insertions_may_cost_far_more_than_matches_gain(words, alpha):
    """Against a long reference, a band adds up an insertion for each of its words."""
    lattice = lm.Lattice.from_strings(["a b", "a x", "y b", "x y z"], costs=[0.7, 0.3, 0.1, 0.0])
    reference, metric = " ".join(["a", *"c" * words, "b"]), lm.GRR(4, alpha=alpha)
    assert lm.hope(lattice, reference, metric, weight=100 * words).words == ("a", "b")


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
def test_a_weight_that_makes_no_sense_is_refused(weight):
    with pytest.raises(lm.UsageError, match="weight of hope"):
        lm.hope(lm.Lattice.from_strings(["a"]), "a", weight=weight)


def test_only_rates_and_numerators_are_weighed():
    with pytest.raises(lm.UsageError, match="'cost'"):
        lm.hope(lm.Lattice.from_strings(["a"]), "a", on="cost")


@pytest.mark.parametrize("weight", [1e308, 1e303])
def test_a_weight_that_no_sum_holds_is_refused(weight):
    with pytest.raises(lm.InputError, match="the weight is too large for 64-bit numbers"):
        lm.hope(lm.Lattice.from_strings(["b b b b"]), "a", lm.GRR(1, alpha=100_000), weight=weight)


def test_hope_is_scored_against_the_reference_that_it_is_the_hope_for():
    lattice = lm.Lattice.from_strings([""])
    answer = lm.hope(lattice, ["x x", ""], lm.GRR(1, beta=2))
    assert (answer.value, answer.score, answer.reference) == (-2.0, -2.0, ("x", "x"))
    answer = lm.hope(lm.Lattice.from_strings(["1"]), ["1", "2 2 1"], lm.GRR(1, beta=-1), on="numerator")
    assert answer.value == answer.numerator == 3.0
