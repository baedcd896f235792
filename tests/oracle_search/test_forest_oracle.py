"""Oracles of forests: each engine against brute force over all derivations and all alignments."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import brute_force
from kit.brute_force import Answer, assert_scored, enumerate_derivations
from kit.forest_tables import best_gain
from kit.formats import ForestDraft, can_be_listed, forest_drafts
from kit.strategies import (
    COLUMN_NAMES,
    COST_RANGES,
    KNOWN_WORDS,
    VOCABULARY,
    lattices,
    metrics,
    references,
    scalings,
    sentences,
)

import latticemetric as lm
from latticemetric.engine.openfst import forest_machines
from latticemetric.engine.search import ForestSearch
from latticemetric.forest.forest import Forest
from latticemetric.oracle_search.search_space import find_engine

ENGINES = ["native", "openfst"]

every_engine = pytest.mark.parametrize("engine", ENGINES)

# The product of all derivations and all alignments is what brute force looks at.
short_references = references(4, number=3)
_MOST_DERIVATIONS = 40
_LONGEST = 7


def assert_is(found: lm.ScoredPath, expected: Answer) -> None:
    """Every field."""
    assert_scored(found, expected)
    assert found.edges == expected.path.arcs


def small(draft: ForestDraft) -> bool:
    return can_be_listed(draft, _MOST_DERIVATIONS) and draft.forest().statistics().longest <= _LONGEST


# Costs of one or two values make derivations tie far more often than chance does.
forests = (
    st.sampled_from(COST_RANGES)
    .flatmap(lambda values: forest_drafts(list(KNOWN_WORDS), list(COLUMN_NAMES), values))
    .filter(small)
    .map(ForestDraft.forest)
)


# --- Against brute force


@every_engine
@given(forest=forests, given_references=short_references, case=metrics(), data=st.data())
def test_oracle_is_the_best_of_all_derivations(engine, forest, given_references, case, data):
    metric, rate = case
    weights = data.draw(scalings(forest), label="weights")
    judged = brute_force.answers(forest, given_references.words, rate, weights)
    found = lm.oracle(forest, given_references.argument, metric, weights=weights, engine=engine)
    expected = brute_force.oracle(judged)
    assert_is(found, expected)
    assert found.reference == given_references.words[expected.verdict.reference_number]
    assert_is(found.one_best, brute_force.one_best(judged))
    assert found.exact


@every_engine
@pytest.mark.parametrize(("alpha", "beta"), [("0.123456789", "0.987654321"), ("0.1234567890123456", "1e-16")])
@given(forest=forests, reference=sentences(4))
def test_fine_penalties_are_exact(engine, alpha, beta, forest, reference):
    # In single precision they are not: OpenFst cannot tell the best from what is almost as good.
    rate = brute_force.Rate(4, Fraction(alpha), Fraction(beta))
    found = lm.oracle(forest, [reference], lm.GRR(4, alpha=alpha, beta=beta), engine=engine)
    assert_is(found, brute_force.oracle(brute_force.answers(forest, [reference], rate)))


@every_engine
@pytest.mark.parametrize(
    ("alpha", "best"), [("0.333333331", 0), ("0.333333333", 0), ("0.333333334", 1), ("0.333333335", 1)]
)
def test_what_single_precision_cannot_tell_apart_is_told_apart(engine, alpha, best):
    forest = words([A, B, C, C, C], [A, C])  # two matches and three insertions against one match
    assert lm.oracle(forest, "a b", lm.GRR(1, alpha=alpha), engine=engine).edges == (best,)


@every_engine
@given(forest=forests, given_references=references(12), case=metrics())
def test_no_derivation_scores_better_against_longer_references(engine, forest, given_references, case):
    # Brute force over alignments cannot go here; the string metric can.
    metric, _ = case
    best = lm.oracle(forest, given_references.argument, metric, engine=engine)
    for derivation in enumerate_derivations(forest):
        statistics = metric.statistics(derivation.words, given_references.argument)
        assert metric.merit(statistics) <= metric.merit(best.statistics)


@every_engine
@given(lattice=lattices(), given_references=references(number=1), case=metrics(), data=st.data())
def test_a_lattice_has_the_same_oracle_by_the_road_for_forests(engine, lattice, given_references, case, data):
    metric, _ = case
    weights = data.draw(scalings(lattice), label="weights")
    straight = lm.oracle(lattice, given_references.argument, metric, weights=weights, engine=engine)
    forest = Forest.from_lattice(lattice)
    around = lm.oracle(forest, given_references.argument, metric, weights=weights, engine=engine)
    # Edges are not numbered as arcs are: other words may be chosen of those that are as good, as cheap and as many.
    assert around.numerator == straight.numerator
    assert around.denominator == straight.denominator
    for one, other in ((straight, around), (straight.one_best, around.one_best)):
        assert other.cost == one.cost
        assert len(other.words) == len(one.words)


# --- The tie rule, step by step


def made(*edges, goals, costs=None, ends=None, vocabulary=VOCABULARY):
    """A forest of edges (head, tails, target), in the order of their heads."""
    head, tails, target = zip(*edges, strict=True)
    ends = [0.0] * len(goals) if ends is None else ends
    column = lm.Column(np.array(costs or [0.0] * len(edges)), np.array(ends))
    return Forest.from_edges(head, tails, target, goals=goals, scores={"cost": column}, vocabulary=vocabulary)


A, B, C, D = VOCABULARY.encode(list("abcd")).tolist()


def words(*texts, costs=None):
    """One node that says one of several texts."""
    return made(*((0, [], text) for text in texts), goals=[0], costs=costs)


@every_engine
def test_value_goes_before_cost(engine):
    best = lm.oracle(words([A, B], [A, D], costs=[9.0, 1.0]), "a b", "wrr", engine=engine)
    assert (best.words, best.cost) == (("a", "b"), 9.0)
    assert (best.one_best.words, best.one_best.cost) == (("a", "d"), 1.0)


@every_engine
def test_cost_goes_before_length(engine):
    best = lm.oracle(words([C], [C, D], costs=[1.0, 0.875]), "a b", "wrr", engine=engine)
    assert best.words == ("c", "d")


@every_engine
def test_large_costs_keep_their_small_differences(engine):
    # 2^24 + 1/8 is 2^24 in single precision.
    best = lm.oracle(words([C], [D], costs=[2.0**24 + 0.125, 2.0**24]), "a", "wrr", engine=engine)
    assert best.words == ("d",)


@every_engine
def test_length_goes_before_edge_numbers(engine):
    best = lm.oracle(words([C, D], [C]), "a b", "wrr", engine=engine)
    assert best.words == best.one_best.words == ("c",)


@every_engine
@pytest.mark.parametrize(("how", "edges"), [("ignore", (0,)), ("wildcard", (1,))])
def test_length_counts_wildcards_but_not_ignored_words(engine, how, edges):
    best = lm.oracle(words([A, B], [B]), "c", lm.WRR(**{how: ["a"]}), engine=engine)
    assert best.edges == best.one_best.edges == edges


@every_engine
def test_smaller_edges_decide_last(engine):
    best = lm.oracle(words([C], [C], [D]), "a", "wrr", engine=engine)
    assert best.edges == best.one_best.edges == (0,)


@every_engine
def test_edges_are_compared_in_the_order_in_which_tails_are_said(engine):
    # "a b" and "b a" are as good as each other; what is said first is the second tail.
    forest = made(
        (0, [], [A]), (0, [], [B]), (1, [], [A]), (1, [], [B]), (2, [0, 1], [-2, -1]),
        goals=[2], costs=[1.0, 0.0, 1.0, 0.0, 0.0],
    )  # fmt: skip
    best = lm.oracle(forest, "a", "wrr", engine=engine)
    assert (best.edges, best.words) == ((4, 2, 1), ("a", "b"))


@every_engine
def test_a_node_may_say_two_things_in_one_derivation(engine):
    forest = made((0, [], [A]), (0, [], [B]), (1, [0, 0, 0], [-3, -1, C, -2]), goals=[1])
    best = lm.oracle(forest, "b a c b", "4-grr", engine=engine)
    assert (best.edges, best.words, best.score) == ((2, 1, 0, 1), ("b", "a", "c", "b"), 1)


@every_engine
def test_matches_in_a_row_go_on_from_rule_to_rule(engine):
    forest = made((0, [], [B, C]), (0, [], [B]), (1, [0], [A, -1, D]), goals=[1], costs=[5.0, 0.0, 0.0])
    best = lm.oracle(forest, "a b c d", "4-grr", engine=engine)
    assert (best.edges, best.numerator) == ((2, 0), 10)


@every_engine
def test_ending_in_a_goal_has_its_cost(engine):
    # Node 0 is a goal, and a part of the other goal's derivation.
    forest = made((0, [], [A]), (1, [0], [-1]), goals=[1, 0], costs=[1.0, 1.0], ends=[0.5, 2.0])
    best = lm.oracle(forest, "a", "wrr", engine=engine)
    assert (best.edges, best.cost, best.scores) == ((1, 0), 2.5, {"cost": 2.5})


@every_engine
@pytest.mark.parametrize("reference", ["", "a b"])
def test_a_forest_may_say_nothing(engine, reference):
    best = lm.oracle(made((0, [], []), goals=[0]), reference, "wer", engine=engine)
    assert (best.words, best.edges, best.alignment.edits) == ((), (0,), "D" * len(reference.split()))


@every_engine
def test_a_word_of_no_edge_is_met_by_none(engine):
    best = lm.oracle(words([A], [B]), "zebra a", "wrr", engine=engine)
    assert (best.words, best.numerator) == (("a",), 1)


@every_engine
def test_numbers_of_words_may_be_as_large_as_they_come(engine):
    vocabulary = lm.Vocabulary({2**31 - 2: "a", 1: "b", 7: "c"})
    forest = made((0, [], [2**31 - 2]), (0, [], [1]), (1, [0], [-1, 7]), goals=[1], vocabulary=vocabulary)
    best = lm.oracle(forest, "a c", "4-grr", engine=engine)
    assert (best.words, best.score) == (("a", "c"), 1)


# --- Costs that do not add up exactly


@every_engine
def test_equal_costs_tie_in_whatever_order_they_are_added(engine):
    # 0.1 + 0.2 + 0.3 is more than 0.3 + 0.2 + 0.1: the first tree is as cheap as the second, and its edges are smaller.
    forest = made(
        (0, [], [A]), (1, [0], [-1]), (2, [0], [-1]), (3, [1], [-1]), (3, [2], [-1]),
        goals=[3], costs=[0.1, 0.2, 0.3, 0.3, 0.2],
    )  # fmt: skip
    best = lm.oracle(forest, "a", "wrr", engine=engine)
    assert best.edges == best.one_best.edges == (3, 1, 0)


real_costs = st.floats(-8, 8)


@given(
    forest=forest_drafts(list(KNOWN_WORDS), list(COLUMN_NAMES), real_costs).filter(small).map(ForestDraft.forest),
    given_references=references(6),
    case=metrics(),
)
def test_engines_agree_on_costs_of_any_kind(forest, given_references, case):
    first, second = (lm.oracle(forest, given_references.argument, case[0], engine=engine) for engine in ENGINES)
    assert first == second


# --- Forests that brute force cannot list


def search_of(forest, reference, metric):
    numbers = forest.vocabulary.encode(reference)
    count = forest.target.lengths() - forest.tails.lengths()
    return ForestSearch(forest, forest.target, count, forest.cost(), numbers, metric.gains)


def all_bracketings(length, seed):
    """A forest as a chart parser builds it: a node a span, an edge a split, tails in either order."""
    random = np.random.default_rng(seed)
    node = {}
    edges = []
    for width in range(1, length + 1):
        for begin in range(length - width + 1):
            end = begin + width
            node[begin, end] = len(node)
            if width == 1:
                edges += [(node[begin, end], [], [int(word)]) for word in random.integers(1, 20, size=2)]
            for middle in range(begin + 1, end):
                tails = [node[begin, middle], node[middle, end]]
                edges.append((node[begin, end], tails, [-1, -2] if random.random() < 0.7 else [-2, -1]))
    costs = random.integers(0, 3, size=len(edges)) / 4
    forest = made(*edges, goals=[node[0, length]], costs=list(costs), vocabulary=lm.Vocabulary.numeric())
    return forest, list(map(str, random.integers(1, 20, size=length)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("metric", [lm.WER(), lm.GRR(4), lm.GRR(2, alpha=0.5, beta=1)], ids=lambda m: m.name)
def test_engines_agree_on_forests_of_a_hundred_thousand_derivations(metric, seed):
    search = search_of(*all_bracketings(8, seed), metric)
    found = [find_engine(engine).search_forest(search) for engine in ENGINES]
    assert len({(tuple(derivation.edges.tolist()), derivation.gain) for derivation in found}) == 1
    assert found[0].gain == best_gain(search)


@every_engine
@given(forest=forests, reference=sentences(8), case=metrics(drops=False))
def test_the_gain_is_that_of_the_tables(engine, forest, reference, case):
    search = search_of(forest, reference, case[0])
    assert find_engine(engine).search_forest(search).gain == best_gain(search)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("metric", [lm.WER(), lm.GRR(3, alpha="0.9", beta=1)], ids=lambda m: m.name)
def test_the_native_gain_is_that_of_the_tables_where_openfst_gives_up(metric, seed):
    search = search_of(*all_bracketings(13, seed), metric)
    with pytest.raises(lm.InputError, match="too large for the openfst engine"):
        find_engine("openfst").search_forest(search)
    assert find_engine("native").search_forest(search).gain == best_gain(search)


# --- What the openfst engine unfolds


@given(forest=forests)
def test_states_are_counted_before_they_are_made(forest):
    pynini = pytest.importorskip("pynini")
    search = search_of(forest, "ab", lm.WER())
    machines = forest_machines(search)
    assert machines.unfolded_states(10**9) == pynini.pdt_expand(*machines.pushdown_transducer()).num_states()


@pytest.mark.parametrize("levels", [20, 5000])
def test_a_forest_that_unfolds_without_end_is_refused(levels):
    # Each node has two edges, each uses the node below twice.
    edges = [(0, [], [A]), *((k // 2 + 1, [k // 2] * 2, [-1, -2]) for k in range(2 * levels))]
    forest = made(*edges, goals=[levels])
    with pytest.raises(lm.InputError, match=r"too large for the openfst engine: it unfolds.*use the native engine"):
        find_engine("openfst").search_forest(search_of(forest, "a", lm.WER()))


def test_a_forest_of_too_many_equals_is_refused(monkeypatch):
    pytest.importorskip("pynini")
    monkeypatch.setattr("latticemetric.engine.openfst._MOST_TIES", 100)
    search = search_of(words(*[[A]] * 50), "b", lm.WER())
    with pytest.raises(lm.InputError, match=r"too many derivations have the best score.*use the native engine"):
        find_engine("openfst").search_forest(search)


@every_engine
def test_a_deep_forest_is_no_problem(engine):
    levels = 2000
    forest = made((0, [], [A]), *((k + 1, [k], [-1]) for k in range(levels)), goals=[levels])
    found = find_engine(engine).search_forest(search_of(forest, "a", lm.WER()))
    assert (found.edges.tolist(), found.gain) == (list(range(levels, -1, -1)), 1)


@given(
    beginning=st.lists(st.integers(1, 3), min_size=20, max_size=40),
    ends=st.lists(st.lists(st.integers(1, 3), max_size=4), min_size=1, max_size=6),
    costs=st.lists(st.sampled_from([0.0, 1.0]), min_size=6, max_size=6),
    cut=st.integers(0, 40),
)
def test_long_rules_that_begin_alike_are_told_apart(beginning, ends, costs, cut):
    """More symbols than are sorted at once."""
    sides = [[*beginning, *end] for end in ends]
    column = {"cost": lm.Column(np.array(costs[: len(sides)]), np.zeros(1))}
    forest = lm.Forest.from_edges([0] * len(sides), [[]] * len(sides), sides, goals=[0], scores=column)
    reference = [str(word) for word in beginning[cut:] + ends[0]]
    best = lm.oracle(forest, " ".join(reference), "wer")
    rates = [lm.WER().score([str(word) for word in side], [reference]) for side in sides]
    keys = [(rate, cost, len(side), k) for k, (rate, cost, side) in enumerate(zip(rates, costs, sides, strict=False))]
    if reference:
        assert best.edges == (min(keys)[-1],)
