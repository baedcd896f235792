"""Fear, the worst string, and the best of both hope and fear, against their definitions: every path, by its words."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit.brute_force import enumerate_derivations, enumerate_paths
from kit.formats import can_be_listed, forest_drafts
from kit.native import with_gains
from kit.paths import DATA
from kit.strategies import COLUMN_NAMES, COST_RANGES, KNOWN_WORDS, References, lattices, metrics, references, scalings

import latticemetric as lm
from latticemetric import _native

_MOST_DERIVATIONS = 300

forests = (
    st.sampled_from(COST_RANGES)
    .flatmap(lambda values: forest_drafts(list(KNOWN_WORDS), list(COLUMN_NAMES), values))
    .filter(lambda draft: can_be_listed(draft, _MOST_DERIVATIONS))
    .map(lambda draft: draft.forest())
)
numbers = st.sampled_from([1, 2, 3, 10, 100])


@dataclass(frozen=True)
class Question:
    references: References
    metric: lm.GRR
    weight: float
    on: str

    def worth(self, words):
        """The best rate or numerator over references, as a fraction; a rate without words is none beside others."""
        listed = self.references.words
        if self.on == "rate":
            listed = [words for words in listed if self.metric.counted(words)] or listed
        return max(self._value(list(words), list(reference)) for reference in listed)

    def _value(self, words, reference):
        statistics = self.metric.statistics(words, [reference])
        defined, rate = self.metric.merit(statistics)
        return rate * (sum(statistics.reference_ngrams) if defined and self.on == "numerator" else 1)


questions = st.builds(
    Question,
    references(6),
    metrics().map(lambda case: case[0]),
    st.sampled_from([0, 0.25, 1.0, 3, 100, 0.1]),
    st.sampled_from(["rate", "numerator"]),
)


def strings(graph, metric, weights):
    """Each string that is reported: its cost, its arcs or edges and its words, by the cheapest path."""
    paths = enumerate_derivations(graph) if isinstance(graph, lm.Forest) else enumerate_paths(graph)
    chosen = {name: column.weight for name, column in graph.scores.items()} | dict(weights or {})
    said = {}
    for path in paths:
        words = tuple(word for word in path.words if word not in metric.ignore)
        cost = sum((Fraction(chosen[name]) * total for name, total in path.sums.items()), Fraction(0))
        said[words] = min((cost, path.arcs), said.get(words, (cost, path.arcs)))
    return [(cost, arcs, words) for words, (cost, arcs) in said.items()]


def ranked(graph, question, weights, sign):
    """Strings by sign * weight * metric - cost, the largest first; ties: cost, words, arcs."""
    weight = sign * Fraction(question.weight)
    return sorted(
        (cost - weight * question.worth(words), cost, len(words), arcs, words)
        for cost, arcs, words in strings(graph, question.metric, weights)
    )


def listed(found, question, sign):
    """The same of answers, which must say what they are worth."""
    weight = sign * Fraction(question.weight)
    rows = []
    for best in found:
        cost = Fraction(best.cost)
        loss = cost - weight * question.worth(best.words)
        assert best.value == float(-loss)
        rows.append((loss, cost, len(best.words), best.arcs or best.edges, best.words))
    return rows


# --- Against the definition


@pytest.mark.parametrize(("ask", "sign"), [(lm.hopes, 1), (lm.fears, -1)])
@given(lattice=lattices(), question=questions, n=numbers, data=st.data())
def test_the_best_strings_are_those_of_all_paths(ask, sign, lattice, question, *, n, data):
    weights = data.draw(scalings(lattice))
    options = {"weight": question.weight, "on": question.on, "weights": weights}
    found = ask(lattice, question.references.argument, question.metric, n=n, **options)
    assert listed(found, question, sign) == ranked(lattice, question, weights, sign)[:n]
    assert all(best.exact for best in found)
    first = {lm.hopes: lm.hope, lm.fears: lm.fear}[ask]
    assert first(lattice, question.references.argument, question.metric, **options) == found[0]


@pytest.mark.parametrize(("ask", "sign"), [(lm.hopes, 1), (lm.fears, -1)])
@given(forest=forests, question=questions, n=numbers, data=st.data())
def test_the_best_strings_are_those_of_all_derivations(ask, sign, forest, question, *, n, data):
    assume(not is_lattice(forest))
    weights = data.draw(scalings(forest))
    options = {"weight": question.weight, "on": question.on, "weights": weights}
    found = ask(forest, question.references.argument, question.metric, n=n, **options)
    assert listed(found, question, sign) == ranked(forest, question, weights, sign)[:n]


def is_lattice(forest):
    try:
        forest.to_lattice()
    except lm.InputError:
        return False
    return True


@given(forest=forests.filter(is_lattice), question=questions, n=numbers)
def test_a_forest_that_is_a_lattice_is_one(forest, question, n):
    options = {"weight": question.weight, "on": question.on, "n": n}
    asked = question.references.argument, question.metric
    assert lm.fears(forest, *asked, **options) == lm.fears(forest.to_lattice(), *asked, **options)


def worst_of(graph, question, weights):
    """Least best rate, least cost, fewest words, smallest arcs."""
    return min(
        (question.worth(words), cost, len(words), arcs, words)
        for cost, arcs, words in strings(graph, question.metric, weights)
    )


@given(
    lattice=lattices(), question=questions.map(lambda q: Question(q.references, q.metric, 1, "rate")), data=st.data()
)
def test_the_worst_string_is_that_of_all_paths(lattice, question, data):
    weights = data.draw(scalings(lattice))
    found = lm.worst(lattice, question.references.argument, question.metric, weights=weights)
    worth = question.worth(found.words)
    row = (worth, Fraction(found.cost), len(found.words), found.arcs, found.words)
    assert row == worst_of(lattice, question, weights)
    assert found.exact
    assert found.bound == found.score
    assert found.score == question.metric.score(list(found.words), question.references.argument)


@given(forest=forests, question=questions.map(lambda q: Question(q.references, q.metric, 1, "rate")))
def test_the_worst_string_is_that_of_all_derivations(forest, question):
    assume(not is_lattice(forest))
    found = lm.worst(forest, question.references.argument, question.metric)
    row = (question.worth(found.words), Fraction(found.cost), len(found.words), found.edges, found.words)
    assert row == worst_of(forest, question, None)


# --- Costs that 8 bytes do not tell apart

# Sums that need nearly all of 61 bits: with a weight, 8 bytes do not hold them, and their last bits decide.
near_costs = st.builds(
    lambda large, small, tiny: large * 2.0**35 + small * 2.0**-7 + tiny * 2.0**-20,
    st.integers(0, 1), st.integers(0, 2), st.integers(0, 3),
)  # fmt: skip
near_questions = st.builds(
    Question,
    references(6),
    metrics().map(lambda case: case[0]),
    st.sampled_from([0, 0.1, 1.0, 2.0**-20, 2.0**36]),
    st.sampled_from(["rate", "numerator"]),
)


@st.composite
def near_ties(draw):
    """A lattice of layers with two or three arcs between neighbours, some of them ε."""
    layers = draw(st.integers(1, 5))
    source = [s for s in range(layers) for _ in range(draw(st.integers(2, 3)))]
    words = [draw(st.integers(0, 3)) for _ in source]
    cost = lm.Column(np.array([draw(near_costs) for _ in source]), np.zeros(1))
    return lm.Lattice.from_arcs(
        source, np.array(source) + 1, words, final=[layers],
        scores={"cost": cost}, vocabulary=lm.Vocabulary.from_words(list("abc")),
    )  # fmt: skip


def exact_costs(lattice, metric):
    """The cheapest path of each string that is reported, with its cost."""
    costs = list(map(Fraction, lattice.scores["cost"].arc))
    said = {}
    for path in lattice.paths():
        words = tuple(word for word in path.words if word not in metric.ignore)
        cost = sum((costs[arc] for arc in path.arcs), Fraction(0))
        said[words] = min((cost, path.arcs), said.get(words, (cost, path.arcs)))
    return [(cost, arcs, words) for words, (cost, arcs) in said.items()]


@pytest.mark.parametrize(("ask", "sign"), [(lm.hopes, 1), (lm.fears, -1)])
@given(lattice=near_ties(), question=near_questions, n=numbers)
def test_costs_are_compared_to_the_last_bit(ask, sign, lattice, question, n):
    weight = sign * Fraction(question.weight)
    expected = sorted(
        (cost - weight * question.worth(words), cost, len(words), arcs)
        for cost, arcs, words in exact_costs(lattice, question.metric)
    )
    options = {"weight": question.weight, "on": question.on, "n": n}
    found = ask(lattice, question.references.argument, question.metric, **options)
    assert [best.arcs for best in found] == [row[-1] for row in expected[:n]]
    assert all(best.exact for best in found)


@pytest.mark.parametrize(("ask", "sign"), [(lm.hopes, 1), (lm.fears, -1)])
@pytest.mark.parametrize("exponent", [34, 36, 38, 40])
def test_arcs_that_are_each_rounded_do_not_add_up_to_another_order(ask, sign, exponent):
    random = np.random.default_rng(exponent)
    source = np.repeat(np.arange(6), 3)
    cost = lm.Column(2.0**34 + random.integers(0, 64, size=18) * 2.0**-20, np.zeros(1))
    lattice = lm.Lattice.from_arcs(
        source,
        source + 1,
        [1, 2, 3] * 6,
        final=[6],
        scores={"cost": cost},
        vocabulary=lm.Vocabulary.from_words("a b c"),
    )
    question = Question(References("b a x", (("b", "a", "x"),)), lm.WER(), 2.0**exponent, "rate")
    weight = sign * Fraction(question.weight)
    expected = sorted(
        (cost - weight * question.worth(words), cost, len(words), arcs)
        for cost, arcs, words in exact_costs(lattice, question.metric)
    )
    found = ask(lattice, "b a x", question.metric, weight=question.weight, n=100)
    assert [best.arcs for best in found] == [row[-1] for row in expected[:100]]


@given(lattice=near_ties(), question=near_questions.map(lambda q: Question(q.references, q.metric, 1, "rate")))
def test_of_the_worst_strings_the_cheapest_is_found_to_the_last_bit(lattice, question):
    strings = exact_costs(lattice, question.metric)
    expected = min((question.worth(words), cost, len(words), arcs) for cost, arcs, words in strings)
    assert lm.worst(lattice, question.references.argument, question.metric).arcs == expected[-1]


# --- Under a cap


@given(lattice=lattices(), question=questions, n=st.sampled_from([1, 3, 10]), cap=st.integers(1, 30))
def test_what_a_cap_leaves_open_is_flagged_and_bounded(lattice, question, n, cap):
    asked = question.references.argument, question.metric
    options = {"weight": question.weight, "on": question.on}
    found = lm.fears(lattice, *asked, n=n, cap=cap, **options)
    expected = ranked(lattice, question, None, -1)
    rows = listed(found, question, -1)
    sure = [best.exact for best in found]
    assert sure == sorted(sure, reverse=True)
    assert rows[: sum(sure)] == expected[: sum(sure)]
    assert len({best.words for best in found}) == len(found)
    cheapest = {row[-1]: row[0] for row in expected}
    assert all(row[0] >= cheapest[row[-1]] for row in rows)
    assert rows == sorted(rows)
    best_of_the_rest = max((float(-row[0]) for row in expected[sum(sure) :]), default=None)
    for best in found:
        if best.exact:
            assert best.bound == best.value
        else:
            assert best.value <= best_of_the_rest <= best.bound


@given(
    lattice=lattices(),
    question=questions.map(lambda q: Question(q.references, q.metric, 1, "rate")),
    cap=st.integers(1, 10),
)
def test_the_worst_under_a_cap_is_flagged_and_bounded(lattice, question, cap):
    found = lm.worst(lattice, question.references.argument, question.metric, cap=cap)
    least = worst_of(lattice, question, None)[0]
    assert question.worth(found.words) >= least
    assert not found.exact or question.worth(found.words) == least
    if found.score is not None:
        worst_value = float(least) if question.metric.higher_is_better else float(1 - least)
        limits = [found.bound, worst_value, found.score]
        assert limits == sorted(limits, reverse=not question.metric.higher_is_better)


def bushy(length, words, seed):
    """A lattice where every string of so many words is said."""
    random = np.random.default_rng(seed)
    source = np.repeat(np.arange(length), words)
    cost = lm.Column(random.integers(0, 50, size=length * words) / 8, np.zeros(1))
    word = np.tile(np.arange(1, words + 1), length)
    return lm.Lattice.from_arcs(source, source + 1, word, final=[length], scores={"cost": cost})


def test_a_cap_ends_a_search_that_others_finish():
    lattice, reference = bushy(12, 3, seed=1), "1 2 3 1 1 2 3 3 2 1 1 1"
    whole = lm.fear(lattice, reference, lm.GRR(3), weight=40)
    cut = lm.fear(lattice, reference, lm.GRR(3), weight=40, cap=5)
    assert whole.exact
    assert not cut.exact
    assert cut.value <= whole.value <= cut.bound


# --- Small cases whose answers can be read off


def test_a_string_is_judged_by_its_best_alignment():
    # A path through the product with the automaton would take "a b c" for three substitutions.
    lattice = lm.Lattice.from_strings(["a b c", "a x y"])
    assert lm.worst(lattice, "a b c", "wrr").words == ("a", "x", "y")
    assert lm.fear(lattice, "a b c", "wrr", weight=5).words == ("a", "x", "y")


def test_a_string_that_one_reference_has_is_not_the_worst():
    lattice = lm.Lattice.from_strings(["a b", "c d", "a x"])
    assert lm.worst(lattice, ["a b", "c d"], "wer").words == ("a", "x")
    assert lm.worst(lattice, ["c d", "x y"], "wer").words == ("a", "b")


def test_the_words_of_a_wildcard_make_strings_different_and_cost_nothing():
    lattice = lm.Lattice.from_strings(["um a", "a", "b"], costs=[0.0, 1.0, 2.0])
    found = lm.fears(lattice, "a", lm.WRR(wildcard=["um"]), weight=0.5)
    assert [(best.words, best.value) for best in found] == [(("um", "a"), -0.5), (("a",), -1.5), (("b",), -2.0)]
    ignoring = lm.fears(lattice, "a", lm.WRR(ignore=["um"]), weight=0.5)
    assert [(best.words, best.value) for best in ignoring] == [(("a",), -0.5), (("b",), -2.0)]


@pytest.mark.parametrize(
    ("alpha", "beta"),
    [(1, 0), (0.001, 0.002), ("0.123456789", "0.987654321"), ("0.1234567890123456", "1e-16"), (-0.9, 0.9)],
)
def test_losses_are_exact_in_every_width_of_integers(alpha, beta):
    metric = lm.GRR(3, alpha=alpha, beta=beta)
    for on in ("rate", "numerator"):
        question = Question(References("2 1 1 3", (("2", "1", "1", "3"),)), metric, 1.5, on)
        lattice = bushy(4, 3, seed=3)
        for ask, sign in ((lm.hopes, 1), (lm.fears, -1)):
            found = ask(lattice, "2 1 1 3", metric, n=81, weight=1.5, on=on)
            assert listed(found, question, sign) == ranked(lattice, question, None, sign)


def test_scores_are_summed_along_the_path():
    first, second = lm.Column(np.array([1.0, 2.0]), np.array([0.5])), lm.Column(np.array([4.0, 8.0]), np.zeros(1))
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [1, 2], final=[2], scores={"a": first, "b": second})
    for answer in (lm.fear(lattice, "1"), lm.worst(lattice, "1"), lm.hope(lattice, "1")):
        assert answer.scores == {"a": 3.5, "b": 12.0}


def test_what_a_weight_swamps_is_refused_only_where_no_number_holds_it():
    lattice = lm.Lattice.from_strings(["b b b b", "b"], costs=[1.0, 2.0])
    assert lm.fear(lattice, "a", lm.GRR(1, alpha=1), weight=1e300).value == pytest.approx(3e300)
    with pytest.raises(lm.InputError, match="the weight is too large for 64-bit numbers"):
        lm.fear(lattice, "a", lm.GRR(1, alpha=100_000), weight=1e306)


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 1e-40])
def test_the_least_weights_decide_where_all_costs_are_0(weight):
    lattice = lm.Lattice.from_arcs([0, 0, 1, 1], [1, 1, 2, 2], [1, 2, 1, 2], final=[2])
    forest = lm.Forest.from_edges([0, 0, 1], [[], [], [0, 0]], [[1], [2], [-1, 3, -2]], goals=[1])
    for graph, best, worst in ((lattice, ("2", "2"), ("1", "1")), (forest, ("2", "3", "2"), ("1", "3", "1"))):
        assert lm.hope(graph, " ".join(best), "wer", weight=weight).words == best
        assert lm.hopes(graph, [" ".join(best), "9"], "wer", weight=weight)[0].words == best
        assert lm.fear(graph, " ".join(best), "wer", weight=weight).words == worst


@pytest.mark.parametrize("ask", [lm.fear, lm.fears, lm.hopes])
@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
def test_a_weight_that_makes_no_sense_is_refused(ask, weight):
    with pytest.raises(lm.UsageError, match=r"weight of (hope|fear)"):
        ask(lm.Lattice.from_strings(["a"]), "a", weight=weight)


@pytest.mark.parametrize("cap", [0, -1, 1.5, True, 2**30])
def test_a_cap_that_makes_no_sense_is_refused(cap):
    with pytest.raises(lm.UsageError, match="cap"):
        lm.worst(lm.Lattice.from_strings(["a"]), "a", cap=cap)


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "3"])
def test_a_number_that_makes_no_sense_is_refused(n):
    with pytest.raises(lm.UsageError, match="give an integer of 1 or more"):
        lm.fears(lm.Lattice.from_strings(["a"]), "a", n=n)


def test_a_forest_of_too_many_strings_is_refused():
    edges = [(0, [], [1]), (0, [], [2])] + [(k + 1, [k, k], [-1, -2]) for k in range(4)]
    head, tails, target = zip(*edges, strict=True)
    forest = lm.Forest.from_edges(head, tails, target, goals=[4])
    with pytest.raises(lm.InputError, match="more than 10000 strings"):
        lm.worst(forest, "1 2")
    few = lm.Forest.from_edges(head[:5], tails[:5], target[:5], goals=[3])
    assert lm.worst(few, "1 " * 8, "wer").words == ("2",) * 8


@pytest.mark.parametrize(
    "change",
    [
        {"label": [1]},
        {"target": [1, 3]},
        {"source": [1, 0]},
        {"target": [1, 1]},
        {"label": [1, -2]},
        {"ends": [np.inf, np.inf, np.inf]},
        {"ends": [0]},
        {"final_cost": [0, 0]},
        {"weights": []},
        {"weights": [-1]},
        {"cost_weight": -1},
        {"most": 0},
        {"most_steps": 0},
        {"order": 0},
    ],
    ids=str,
)
def test_the_extension_refuses_what_is_out_of_bounds(change):
    arrays = {
        "source": ([0, 1], np.int32), "target": ([1, 2], np.int32), "label": ([1, 2], np.int32),
        "shown": ([1, 2], np.int32), "cost": ([3, 4], np.int64), "final_cost": ([0, 0, 5], np.int64),
        "ends": ([np.inf, np.inf, 0], np.float64),
    }  # fmt: skip
    plain = {
        "references": [[1]], "weights": [1], "cost_weight": 1, "penalize": True, "order": 2, "unit": 1,
        "alpha": 1, "beta": 0, "most": 1, "most_steps": 10, "most_bytes": 10**6,
    }  # fmt: skip

    def found(**changes):
        made = {name: np.array(changes.get(name, value), dtype) for name, (value, dtype) in arrays.items()}
        source, target, label = (made.pop(name) for name in ("source", "target", "label"))
        graph = _native.Lattice(source, target, np.zeros(len(source)), made.pop("ends"), label)
        others = {name: changes.get(name, value) for name, value in plain.items()}
        return _native.loss_augmented_strings(graph, **made, **with_gains(others))

    assert found()[:2] == ([[0, 1]], 1)
    with pytest.raises(ValueError, match=r"\w"):
        found(**change)


def test_what_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr("latticemetric.engine.native._MOST_BYTES", 1000)
    with pytest.raises(lm.InputError, match="do not fit into memory"):
        lm.fear(bushy(9, 3, seed=0), "1 2 3")
    monkeypatch.setattr("latticemetric.engine.native._MOST_BYTES", 30_000)
    with pytest.raises(lm.InputError, match="ask for fewer strings"):
        lm.hopes(bushy(9, 3, seed=0), "1 2 3", n=2000)


# --- Real lattices


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.exists(), reason="real lattices are elsewhere")
def test_real_lattices_are_searched_to_the_end():
    folder = DATA / "hifst"
    graphs = sorted(lm.read(str(folder / "att")), key=lambda pair: int(pair[0]))[:10]
    metric = lm.GRR(4, ignore=["1", "2"])
    for (_, lattice), reference in zip(graphs, (folder / "refs.50.idx").read_text().splitlines(), strict=False):
        oracle, worst = lm.oracle(lattice, reference, metric), lm.worst(lattice, reference, metric)
        assert worst.exact
        assert worst.numerator <= oracle.one_best.numerator <= oracle.numerator
        fears = lm.fears(lattice, reference, metric, n=5, weight=30)
        assert all(found.exact for found in fears)
        assert fears[0].value >= -30 * oracle.one_best.score - oracle.one_best.cost


def test_a_forest_of_few_strings_may_have_any_number_of_derivations():
    depth = 200
    nodes = np.arange(depth)
    tails = [[]] * 2 + [[node] for node in nodes[:-1] for _ in range(2)]
    target = [[1], [2]] + [[-1, 1], [2, -1]] * (depth - 1)
    words = lm.Vocabulary.from_words(["a", "b"])
    forest = lm.Forest.from_edges(np.repeat(nodes, 2), tails, target, goals=[depth - 1], vocabulary=words)
    # The strings are b … b a … a: each number of b once, but in many orders of the rules.
    found = lm.worst(forest, "a " * depth, "wer")
    assert (found.exact, found.score, found.words) == (True, 1.0, ("b",) * depth)
    assert len(lm.fears(forest, "a b " * (depth // 2), "wer", n=500)) == depth + 1
