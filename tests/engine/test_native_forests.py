"""The native search of forests: numbers of every width, sizes that do not fit, and what its border refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import can_be_listed, forest_drafts
from kit.native import forest_first
from kit.paths import DATA
from kit.strategies import COLUMN_NAMES, costs, references

import latticemetric as lm
from latticemetric import _native
from latticemetric.automata.recognition import require_short

forests = forest_drafts(list("abcd"), list(COLUMN_NAMES), costs).filter(can_be_listed).map(lambda draft: draft.forest())

# Integers of 16, 32, 64 and 128 bits: the finer the penalty, the larger the unit.
fine_penalties = st.sampled_from(["1", "0.001", "-0.9001", "0.0000001", "0.12345678901", "1.234567890123456"])


@given(forest=forests, given_references=references(6, number=1), alpha=fine_penalties, beta=fine_penalties)
def test_gains_are_exact_in_every_width(forest, given_references, alpha, beta):
    metric = lm.GRR(3, alpha=alpha, beta=beta)
    reference = [list(given_references.words[0])]
    best = lm.oracle(forest, given_references.argument, metric)
    merits = {
        words: metric.merit(metric.statistics(words, reference)) for words in {d.words for d in forest.derivations()}
    }
    assert metric.merit(best.statistics) == max(merits.values())


def chain(length):
    """A forest of one long derivation, as a lattice is one."""
    words = lm.Vocabulary.from_words(["a", "b"])
    return lm.Forest.from_edges(
        np.arange(length + 1),
        [[], *([k] for k in range(length))],
        [[], *([-1, 2] for _ in range(length))],
        goals=[length],
        vocabulary=words,
    )


def test_long_derivations_are_no_problem():
    length = 40_000
    best = lm.oracle(chain(length), "a", "wrr")
    assert best.numerator == -(length - 1)
    assert best.edges == tuple(range(length, -1, -1))


def doubling(levels):
    """Each node says the one below twice; the lowest one says a word, or nothing."""
    heads = [0, 0, *range(1, levels + 1)]
    tails = [[], [], *([k, k] for k in range(levels))]
    return lm.Forest.from_edges(
        heads, tails, [[1], [], *([-2, -1] for _ in range(levels))], goals=[levels], scores={
            "cost": lm.Column(np.array([0.0, 1.0, *[0.0] * levels]), np.zeros(1))
        },
    )  # fmt: skip


def test_shared_parts_are_said_as_often_as_they_are_used():
    best = lm.oracle(doubling(6), "1 1 1", "wrr")
    assert (best.words, best.cost, len(best.edges)) == (("1",) * 3, 61.0, 127)


@pytest.mark.parametrize("levels", [40, 200])
def test_a_derivation_that_no_memory_holds_is_refused(levels):
    with pytest.raises(lm.InputError, match=r"perhaps since it uses shared nodes many times|too long for exact gains"):
        lm.oracle(doubling(levels), "1", "wrr")


def test_tables_that_no_memory_holds_are_refused(memory_limit):
    memory_limit(1000)
    forest = lm.Forest.from_edges([0, 1], [[], [0]], [[1], [2, -1, 3]], goals=[1])
    with pytest.raises(
        lm.InputError, match="do not fit into memory; prune the forest, shorten the reference, or allow more"
    ):
        lm.oracle(forest, "1 2 3 " * 20)


@pytest.mark.parametrize(
    "change",
    [
        {"head": [1, 0]},  # not sorted
        {"head": [0, 7]},  # no such node
        {"tail": [1]},  # not below its head
        {"tail": [-1]},
        {"tail_begin": [0, 0]},
        {"tail_begin": [0, 0, 2]},
        {"target_begin": [0, 5, 3]},
        {"target": [1, -2, 2]},  # no such tail
        {"target": [1, 0, 2]},
        {"cost": [0.0]},
        {"words": [1]},
        {"order": 0},
        {"unit": 0},
    ],
    ids=str,
)
def test_the_extension_refuses_what_is_out_of_bounds(change):
    arguments = {
        "head": [0, 1], "tail_begin": [0, 0, 1], "tail": [0], "target_begin": [0, 1, 3], "target": [1, -1, 2],
        "cost": [0.0, 0.0], "words": [1, 1], "goal_cost": [np.inf, 0.0],
        "order": 4, "unit": 1, "alpha": 1, "beta": 0, "most_bytes": 10**6,
    }  # fmt: skip
    types = {
        "cost": np.float64,
        "goal_cost": np.float64,
        "tail_begin": np.int64,
        "target_begin": np.int64,
        "words": np.int64,
    }
    arrays = {
        name: np.array(value, types.get(name, np.int32)) if isinstance(value, list) else value
        for name, value in (arguments | change).items()
    }
    with pytest.raises(ValueError, match=r"\w"):
        _native.search_forest(**forest_first(arrays), reference=np.array([1], np.int32))
    hope = {"integer_cost": np.zeros(2, np.int64), "integer_goal_cost": np.zeros(2, np.int64)}
    hope |= {"gain_weight": 1, "cost_weight": 1}
    with pytest.raises(ValueError, match=r"\w"):
        _native.search_forest_for_hope(**forest_first(arrays), reference=np.array([1], np.int32), **hope)
    with pytest.raises(ValueError, match=r"\w"):
        _native.best_forest(**forest_first(arrays), references=[[1]])
    if change.keys().isdisjoint({"order", "unit"}):
        with pytest.raises(ValueError, match=r"\w"):
            _native.best_derivation(forest_first(arrays)["forest"])


# --- Forests of real decoders


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"there are no forests in {DATA} (LATTICEMETRIC_DATA)")
class TestRealForests:
    folder = DATA / "forests"

    def test_the_references_of_a_forest_that_holds_three_of_them(self):
        forest = lm.read_one(self.folder / "training_dpmert_test_data_0.json.gz")
        lines = (self.folder / "training_dpmert_test_data_0.references.txt").read_text().splitlines()
        answers = [lm.oracle(forest, line, "4-grr") for line in lines]
        assert [(best.numerator, best.denominator) for best in answers] == [(14, 14), (3, 10), (18, 18), (16, 30)]
        together = lm.oracle(forest, lines, "4-grr")
        assert together.score == max(best.score for best in answers)
        said = {derivation.words for derivation in forest.derivations()}
        metric = lm.GRR(4)
        for line, best in zip(lines, answers, strict=True):
            assert best.numerator == max(metric.numerator(metric.statistics(words, line)) for words in said)

    @pytest.mark.parametrize("seed", range(3))
    def test_what_a_forest_says_is_found_in_it(self, seed):
        forest = lm.read_one(self.folder / "decoder_test_data_urdu.json.gz")
        words = some_derivation(forest, np.random.default_rng(seed))
        best = lm.oracle(forest, [list(words)], "4-grr")
        assert (best.score, best.words) == (1, words)
        assert lm.oracle(forest, [list(words)], "wer").numerator == 0

    def test_a_forest_of_more_derivations_than_atoms_is_searched_exactly(self):
        forest = lm.read_one(self.folder / "australia.target_graph.gz")
        reference = (self.folder / "australia.reference.txt").read_text().strip()
        best = lm.oracle(forest, reference, "4-grr")
        assert (best.numerator, best.denominator, " ".join(best.words)) == (54, 54, reference)


def some_derivation(forest, random):
    """The words of a derivation whose edges are chosen at random."""
    begin = np.searchsorted(forest.head, np.arange(forest.num_nodes + 1))
    edges, pending = [], [int(random.choice(forest.goals))]
    tails, target = forest.tails.rows(), forest.target.rows()
    while pending:
        node = pending.pop()
        edge = int(random.integers(begin[node], begin[node + 1]))
        edges.append(edge)
        pending += [tails[edge][-t - 1] for t in reversed(target[edge]) if t < 0]
    return forest.words(edges)


def search_chain(words, order):
    forest = chain(1)
    _native.search_forest(forest.native(forest.cost()), np.zeros(words, np.int32), (order, 1, 0, 0), most_bytes=1000)


@pytest.mark.parametrize(("most", "order"), [(2**24 - 1, 1), (2**31 // 255 - 1, 254)])
def test_references_of_forests_are_as_long_as_those_of_lattices(most, order):
    require_short(most, order)
    with pytest.raises(lm.InputError, match="too long"):
        require_short(most + 1, order)
    with pytest.raises(ValueError, match="the reference is too long"):
        search_chain(most + 1, order)


def test_a_long_reference_of_a_forest_is_refused_only_for_its_memory():
    with pytest.raises(_native.TooLarge):
        search_chain(2**22, 1)
