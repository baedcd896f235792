"""The best strings against their definition: every derivation, grouped by what it says."""

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import ArcPath, enumerate_derivations, enumerate_paths
from kit.formats import ForestDraft, can_be_listed, forest_drafts
from kit.native import forest_first
from kit.paths import DATA
from kit.strategies import COLUMN_NAMES, COST_RANGES, KNOWN_WORDS, VOCABULARY, lattices, metrics, references, scalings

import latticemetric as lm
from latticemetric import _native
from latticemetric.engine import native
from latticemetric.forest.forest import Forest
from latticemetric.nbest import Hypothesis
from latticemetric.oracle_search.search_space import as_search_space

_MOST_DERIVATIONS = 300

# Costs of one or two values make derivations tie far more often than chance does.
forests = (
    st.sampled_from(COST_RANGES)
    .flatmap(lambda values: forest_drafts(list(KNOWN_WORDS), list(COLUMN_NAMES), values))
    .filter(lambda draft: can_be_listed(draft, _MOST_DERIVATIONS))
    .map(ForestDraft.forest)
)
numbers = st.sampled_from([1, 2, 3, 5, 10, 50])
roads = pytest.mark.parametrize("few", [0, 10_000], ids=["searched", "listed"])


def oracles(few: int, *arguments, **options) -> list[lm.Oracle]:
    """Up to `few` strings of a forest are listed and ranked, more of them are searched: the answers are the same."""
    with mock.patch.object(native, "few_strings", return_value=few):
        return lm.oracles(*arguments, **options)


def cost_of(path: ArcPath, graph, weights) -> Fraction:
    chosen = {name: column.weight for name, column in graph.scores.items()} | dict(weights or {})
    return sum((Fraction(chosen[name]) * total for name, total in path.sums.items()), Fraction(0))


def best_strings(graph, paths, given_references, metric, weights):
    """Every string that is reported, best first: its merit, cost and words, and the arcs or edges of its best path.

    The merit is that of the string metric, whose own tests look at every alignment.
    """
    said = {}
    for path in paths:
        words = tuple(word for word in path.words if word not in metric.ignore)
        price = cost_of(path, graph, weights), path.arcs
        said[words] = min(price, said.get(words, price))
    found = []
    for words, (cost, arcs) in said.items():
        defined, rate = metric.merit(metric.statistics(list(words), given_references))
        found.append((not defined, -rate, cost, len(words), arcs, words))
    return sorted(found)


def listed(found: list[lm.Oracle], metric: lm.GRR):
    rows = []
    for best in found:
        defined, rate = metric.merit(best.statistics)
        rows.append((not defined, -rate, Fraction(best.cost), len(best.words), best.arcs or best.edges, best.words))
    return rows


# --- Against the definition


@roads
@given(forest=forests, given_references=references(6), case=metrics(), n=numbers, data=st.data())
def test_the_best_strings_are_those_of_all_derivations(few, forest, given_references, case, *, n, data):
    metric = case[0]
    weights = data.draw(scalings(forest))
    found = oracles(few, forest, given_references.argument, metric, n=n, weights=weights)
    expected = best_strings(forest, enumerate_derivations(forest), given_references.argument, metric, weights)
    assert listed(found, metric) == expected[:n]
    assert found[0] == lm.oracle(forest, given_references.argument, metric, weights=weights)


@given(lattice=lattices(), given_references=references(6), case=metrics(), n=numbers, data=st.data())
def test_the_best_strings_are_those_of_all_paths(lattice, given_references, case, *, n, data):
    metric = case[0]
    weights = data.draw(scalings(lattice))
    found = lm.oracles(lattice, given_references.argument, metric, n=n, weights=weights)
    expected = best_strings(lattice, enumerate_paths(lattice), given_references.argument, metric, weights)
    assert listed(found, metric) == expected[:n]
    assert found[0] == lm.oracle(lattice, given_references.argument, metric, weights=weights)


@roads
@given(forest=forests, given_references=references(6), case=metrics())
def test_asking_for_more_changes_nothing_of_what_is_found_first(few, forest, given_references, case):
    three, many = (oracles(few, forest, given_references.argument, case[0], n=n) for n in (3, 1000))
    assert many[:3] == three


@roads
@pytest.mark.parametrize(
    ("alpha", "beta"),
    [
        (1, 0),  # 16 bits
        (0.001, 0.002),  # 32 bits
        ("0.123456789", "0.987654321"),  # 64 bits
        ("0.1234567890123456", "1e-16"),  # 128 bits
        (-0.9, 0.9),  # nothing is gained by substituting
        (-0.9, 0),  # insertions and deletions are better
    ],
)
def test_strings_are_ranked_exactly_in_every_width_of_integers(few, alpha, beta):
    metric = lm.GRR(3, alpha=alpha, beta=beta)
    forest = all_bracketings("abcab", seed=5)
    found = oracles(few, forest, "b a c b a a", metric, n=1000)
    assert listed(found, metric) == best_strings(forest, enumerate_derivations(forest), "b a c b a a", metric, None)


# --- What makes strings different


def made(*edges, goals, costs=None, vocabulary=VOCABULARY):
    """A forest of edges (head, tails, target), in the order of their heads."""
    head, tails, target = zip(*edges, strict=True)
    column = lm.Column(np.array(costs or [0.0] * len(edges)), np.zeros(len(goals)))
    return Forest.from_edges(head, tails, target, goals=goals, scores={"cost": column}, vocabulary=vocabulary)


A, B, C, D = VOCABULARY.encode(list("abcd")).tolist()


def all_bracketings(text, seed=0):
    """A forest as a chart parser builds it: a node a span, an edge a split, now and then in the other order."""
    random = np.random.default_rng(seed)
    node, edges = {}, []
    for width in range(1, len(text) + 1):
        for begin in range(len(text) - width + 1):
            end = begin + width
            node[begin, end] = len(node)
            if width == 1:
                edges.append((node[begin, end], [], VOCABULARY.encode(text[begin]).tolist()))
            for middle in range(begin + 1, end):
                swapped = seed > 0 and random.random() < 0.4
                tails = [node[begin, middle], node[middle, end]]
                edges.append((node[begin, end], tails, [-2, -1] if swapped else [-1, -2]))
    costs = list(random.integers(0, 3, size=len(edges)) / 4)
    return made(*edges, goals=[node[0, len(text)]], costs=costs)


def said(found):
    return [" ".join(best.words) for best in found]


@roads
def test_a_string_of_many_derivations_is_one_string(few):
    # There are as many trees as Catalan's 19th number says, and all of them say the same.
    found = oracles(few, all_bracketings("abcd" * 5), "a b c d", n=5)
    assert said(found) == [" ".join("abcd" * 5)]


def test_a_string_of_many_alignments_is_one_string():
    found = lm.oracles(lm.Lattice.from_strings(["a a a a", "b", "a a a a"]), "a " * 30, "wrr", n=5)
    assert said(found) == ["a a a a", "b"]


@roads
def test_words_that_are_all_foreign_make_strings_different(few):
    forest = made((0, [], [B]), (0, [], [C]), (0, [], [D]), (1, [0], [A, -1]), goals=[1], costs=[2.0, 1.0, 1.5, 0.0])
    assert said(oracles(few, forest, "a x", "wrr")) == ["a c", "a d", "a b"]


def test_wildcards_make_strings_different_and_ignored_words_do_not():
    lattice = lm.Lattice.from_strings(["a um b", "a b", "um a b"], costs=[1.0, 2.0, 3.0])
    wild, ignoring = (lm.oracles(lattice, "a b", lm.WRR(**{how: ["um"]})) for how in ("wildcard", "ignore"))
    assert said(wild) == ["a um b", "a b", "um a b"]
    assert said(ignoring) == ["a b"]
    assert ignoring[0].cost == 1.0


@roads
def test_each_string_has_its_cheapest_derivation(few):
    forest = made((0, [], [A, B]), (0, [], [A]), (1, [0], [-1, B]), (1, [0], [-1]), goals=[1], costs=[2, 0.5, 1, 1])
    found = oracles(few, forest, "a b", "wrr")
    assert [(best.words, best.cost, best.edges) for best in found] == [
        (("a", "b"), 1.5, (2, 1)), (("a",), 1.5, (3, 1)), (("a", "b", "b"), 3.0, (2, 0)),
    ]  # fmt: skip


def test_a_string_counts_with_its_best_reference():
    lattice = lm.Lattice.from_strings(["a b", "c d", "a d"])
    found = lm.oracles(lattice, ["a b", "c d"], "wrr", n=2)
    assert [(best.words, best.reference, best.score) for best in found] == [
        (("a", "b"), ("a", "b"), 1.0), (("c", "d"), ("c", "d"), 1.0),
    ]  # fmt: skip


def test_hypotheses_that_say_the_same_are_one_answer():
    entries = [("a b", 2.0), ("a", 0.5), ("a b", 1.0)]
    nbest = lm.NBest(tuple(Hypothesis(tuple(text.split()), {"total": cost}) for text, cost in entries), {})
    assert [(best.words, best.cost) for best in lm.oracles(nbest, "a b")] == [(("a", "b"), 1.0), (("a",), 0.5)]


# --- Sizes


def test_a_long_lattice_is_no_problem():
    length = 10_000
    source = np.repeat(np.arange(length), 2)
    lattice = lm.Lattice.from_arcs(source, source + 1, [1, 2] * length, final=[length])
    found = lm.oracles(lattice, "1 1 1", "wer", n=3)
    assert [len(best.words) for best in found] == [length] * 3
    assert found[0] == lm.oracle(lattice, "1 1 1", "wer")


def doubled(levels, *more):
    """Each node says twice what the one below it says; the last has other edges, too."""
    edges = [(k + 1, [k, k], [-1, -2]) for k in range(levels)]
    return made((0, [], [A]), *edges, *((levels, [], text) for text in more), goals=[levels])


def test_answers_may_be_long_together():
    # Five million edges are more than one derivation may have.
    length = 5_000
    source = np.repeat(np.arange(length), 2)
    lattice = lm.Lattice.from_arcs(source, source + 1, [1, 2] * length, final=[length])
    found = as_search_space(lattice, lm.WER(), None).best_strings(["3"], 1000)
    assert len({tuple(best.path.tolist()) for best in found}) == 1000


def test_what_is_too_long_to_be_written_is_no_problem_until_it_is_asked_for():
    assert said(lm.oracles(doubled(100, [A], [B]), "a", n=2)) == ["a", "b"]


@pytest.mark.parametrize("levels", [60, 100])
def test_a_string_that_is_too_long_to_be_written_is_refused(levels):
    with pytest.raises(lm.InputError, match="too many"):
        lm.oracles(doubled(levels, [A]), "a", n=2)


@pytest.mark.parametrize(("memory", "what"), [(1_000, "tables"), (1_000_000, "strings")])
def test_what_does_not_fit_into_memory_is_refused(memory, what, memory_limit):
    memory_limit(memory)
    edges = [(0, [], [word]) for word in (A, B, C, D)] + [(k + 1, [k, 0], [-1, -2]) for k in range(8)]
    with pytest.raises(lm.InputError, match=rf"{what}.* do not fit into memory.*prune the (forest|graph)"):
        oracles(0, made(*edges, goals=[8]), "a b c d", n=10**6)


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "3"])
def test_a_number_that_makes_no_sense_is_refused(n):
    with pytest.raises(lm.UsageError, match="give an integer of 1 or more"):
        lm.oracles(lm.Lattice.from_strings(["a"]), "a", n=n)


@pytest.mark.parametrize(
    "change",
    [
        {"shown_begin": [0, 1]},  # too few rows
        {"shown_begin": [0, 1, 4]},  # beyond the words
        {"shown": [1, 2, 2]},  # a tail is not shown
        {"shown": [1, -1, -1]},  # shown twice
        {"most": 0},
    ],
    ids=str,
)
def test_the_extension_refuses_what_is_out_of_bounds(change):
    arguments = {
        "head": [0, 1], "tail_begin": [0, 0, 1], "tail": [0], "target_begin": [0, 1, 3], "target": [1, -1, 2],
        "shown_begin": [0, 1, 3], "shown": [1, -1, 2], "cost": [0, 0], "words": [1, 1], "goal_cost": [np.inf, 0],
        "reference": [1],
    }  # fmt: skip
    wide = {"tail_begin", "target_begin", "shown_begin", "words"}
    types = {"cost": np.float64, "goal_cost": np.float64} | dict.fromkeys(wide, np.int64)
    known = {"order": 4, "unit": 1, "alpha": 1, "beta": 0, "most": 1, "few": 0, "most_bytes": 10**6}

    def found(**changes):
        given_now = arguments | changes
        arrays = {name: np.array(given_now[name], types.get(name, np.int32)) for name in arguments}
        others = {name: changes.get(name, value) for name, value in known.items()}
        return _native.best_strings(**forest_first(arrays | others))

    assert found()[0].tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"\w"):
        found(**change)


# --- Real forests

real_data = pytest.mark.skipif(not DATA.exists(), reason="real forests are elsewhere")


@real_data
@roads
@pytest.mark.parametrize("metric", [lm.GRR(4), lm.WER()], ids=lambda metric: metric.name)
def test_all_strings_of_a_real_forest_are_found(few, metric):
    forest = lm.read_one(DATA / "forests" / "training_dpmert_test_data_0.json.gz")
    lines = (DATA / "forests" / "training_dpmert_test_data_0.references.txt").read_text().splitlines()
    cheapest = {}
    for derivation in forest.derivations():
        cheapest[derivation.words] = min(derivation.cost, cheapest.get(derivation.words, np.inf))
    found = oracles(few, forest, lines, metric, n=10_000)
    assert {best.words: best.cost for best in found} == pytest.approx(cheapest)
    assert len(found) == len(cheapest) == 951
    ranks = [(-metric.merit(metric.statistics(best.words, lines))[1], best.cost) for best in found]
    assert ranks == sorted(ranks)
    assert found[0] == lm.oracle(forest, lines, metric)


@real_data
def test_strings_of_a_large_forest_are_found_in_order():
    forest = lm.read_one(DATA / "forests" / "australia.target_graph.gz")
    reference = (DATA / "forests" / "australia.reference.txt").read_text()
    found = lm.oracles(forest, reference, "4-grr", n=100)
    assert found[0] == lm.oracle(forest, reference, "4-grr")
    assert len(set(said(found))) == 100
    ranks = [(-best.numerator, best.cost) for best in found]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("costs", [(0.1, 0.2, 0.3), (0.3, 0.2, 0.1)])
def test_the_oracle_comes_first_if_only_rounding_tells_costs_apart(costs):
    column = lm.Column(arc=np.array([costs[0], costs[2], costs[1], costs[2], costs[1], costs[0]]), final=np.zeros(1))
    lattice = lm.Lattice.from_arcs(
        [0, 0, 1, 2, 3, 4], [1, 3, 2, 5, 4, 5], [1, 2, 1, 1, 2, 2], final=[5], scores={"cost": column}
    )
    best = lm.oracles(lattice, "7 8 9", "wer", n=2)
    assert best[0].arcs == lm.oracle(lattice, "7 8 9", "wer").arcs
    assert len({one.words for one in best}) == 2
