"""Forests against their definition: every derivation of the draft, before anything is trimmed or renumbered."""

import pickle
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import ForestDraft, can_be_listed, contents, forest_drafts, forests
from kit.strategies import COLUMN_NAMES, costs, lattices, scale_values

import latticemetric as lm
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest
from latticemetric.forest.validation import find_fault

WORDS = list("abcd")


drafts = forest_drafts(WORDS, list(COLUMN_NAMES), costs).filter(can_be_listed)

# What a derivation says, and what each of its columns sums up to.
Said = tuple[tuple[str, ...], tuple[Fraction, ...]]


# --- The definition


def enumerate_draft(draft: ForestDraft) -> Iterator[Said]:
    """Every complete derivation: an edge of a goal, and a derivation of each of its tails."""
    for number, goal in enumerate(draft.goals):
        ending = tuple(Fraction(float(column.final[number])) for column in draft.scores.values())
        for words, sums in _derive(draft, goal):
            yield words, tuple(a + b for a, b in zip(sums, ending, strict=True))


def _derive(draft: ForestDraft, node: int) -> Iterator[Said]:
    for edge, head in enumerate(draft.head):
        if head == node:
            own = tuple(Fraction(float(column.arc[edge])) for column in draft.scores.values())
            for parts in _choices([list(_derive(draft, tail)) for tail in draft.tails[edge]]):
                said = [parts[-t - 1][0] if t < 0 else (draft.words[t - 1],) for t in draft.target[edge]]
                sums = [own, *(sums for _, sums in parts)]
                yield tuple(w for words in said for w in words), tuple(map(sum, zip(*sums, strict=True)))


def _choices(options: list[list[Said]]) -> list[list[Said]]:
    if not options:
        return [[]]
    return [[first, *rest] for first in options[0] for rest in _choices(options[1:])]


def weighed(draft: ForestDraft, weights: dict[str, float]) -> Counter:
    """What all derivations say and cost. Costs of these tests add up exactly."""
    chosen = [Fraction(weights.get(name, column.weight)) for name, column in draft.scores.items()]
    found = enumerate_draft(draft)
    return Counter((words, sum(s * x for s, x in zip(chosen, sums, strict=True))) for words, sums in found)


def derivations_of(forest: Forest, weights: dict[str, float] | None = None) -> Counter:
    return Counter((d.words, Fraction(d.cost)) for d in forest.derivations(weights))


def paths_of(lattice: lm.Lattice) -> Counter:
    return Counter((p.words, Fraction(p.cost)) for p in lattice.paths())


# --- Against the definition


@given(draft=drafts, data=st.data())
def test_derivations_are_those_of_the_draft(draft, data):
    weights = data.draw(st.dictionaries(st.sampled_from(COLUMN_NAMES), scale_values))
    assert derivations_of(draft.forest(), weights) == weighed(draft, weights)


@given(draft=drafts)
def test_statistics_are_those_of_the_draft(draft):
    found = list(enumerate_draft(draft))
    forest, statistics = draft.forest(), draft.forest().statistics()
    lengths = [len(words) for words, _ in found]
    assert statistics.derivations == len(found)
    assert (statistics.shortest, statistics.longest) == (min(lengths), max(lengths))
    assert statistics.best_cost == min(cost for _, cost in weighed(draft, {}))
    assert statistics.height == max(depth(draft, goal) for goal in draft.goals)
    assert statistics.vocabulary == len({word for words, _ in found for word in words})
    assert statistics.arity == max(map(len, forest.tails.rows()))
    assert (statistics.nodes, statistics.edges, statistics.goals) == (
        forest.num_nodes, len(forest.head), len(forest.goals),
    )  # fmt: skip
    assert statistics.scores == COLUMN_NAMES
    assert statistics.asdict()["scores"] == list(COLUMN_NAMES)


def depth(draft: ForestDraft, node: int) -> int:
    """Edges above one another in the tallest derivation of a node; 0 where there is none."""
    below = [
        [depth(draft, tail) for tail in tails] for h, tails in zip(draft.head, draft.tails, strict=True) if h == node
    ]
    return max((1 + max(depths, default=0) for depths in below if all(depths)), default=0)


@given(draft=drafts)
def test_the_best_derivation_is_the_cheapest(draft):
    forest = draft.forest()
    assert forest.statistics().best_cost == min(derivation.cost for derivation in forest.derivations())


@given(draft=drafts)
def test_a_derivation_names_its_edges_from_the_goal_down(draft):
    forest = draft.forest()
    tails, target = forest.tails.rows(), forest.target.rows()
    for derivation in forest.derivations():
        pending = [int(forest.head[derivation.edges[0]])]
        assert pending[0] in forest.goals
        for edge in derivation.edges:
            assert forest.head[edge] == pending.pop()
            pending += [tails[edge][-said - 1] for said in reversed(target[edge]) if said < 0]
        assert pending == []


@given(draft=drafts)
def test_what_is_kept_is_in_order_and_in_use(draft):
    forest = draft.forest()
    heads, tails = forest.head.tolist(), forest.tails.rows()
    assert heads == sorted(heads)
    assert all(tail < head for head, row in zip(heads, tails, strict=True) for tail in row)
    assert forest.goals.tolist() == sorted(set(forest.goals.tolist()))
    assert set(heads) == set(range(forest.num_nodes))
    assert {edge for derivation in forest.derivations() for edge in derivation.edges} == set(range(len(heads)))


@given(draft=drafts)
def test_a_forest_that_is_in_order_stays_as_it_is(draft):
    forest = draft.forest()
    again = Forest.from_edges(
        forest.head, forest.tails, forest.target, goals=forest.goals, scores=forest.scores, vocabulary=forest.vocabulary
    )
    assert contents(again) == contents(forest)


@given(draft=drafts)
def test_a_forest_survives_pickling_and_stays_read_only(draft):
    forest = draft.forest()
    again = pickle.loads(pickle.dumps(forest))
    assert contents(again) == contents(forest)
    for array in (again.head, again.tails.values, again.target.begin, again.scores["acoustic"].arc):
        assert not array.flags.writeable
    with pytest.raises(TypeError):
        again.scores["more"] = again.scores["acoustic"]


def test_the_empty_word_is_dropped():
    forest = Forest.from_edges([0, 1], [[], [0]], [[0, 3, 0], [0, -1]], goals=[1])
    assert forest.target.rows() == [[3], [-1]]


def test_labels_follow_their_edges_goals_and_nodes():
    side = lm.Vocabulary.from_words(["one", "two", "three"])
    forest = Forest.from_edges(
        [9, 4, 7, 4],
        [[4], [], [9], []],
        [[-1, 1], [2], [-1], [3]],
        goals=[9, 4],
        labels={"rule": lm.Labels(np.array([1, 2, 3, 0], np.int32), np.array([2, 3], np.int32), side)},
        node_labels={"category": lm.NodeLabels(np.array([0, 0, 0, 0, 1, 0, 0, 3, 0, 2], np.int32), side)},
    )
    assert forest.head.tolist() == [0, 0, 1]  # node 7 leads to no goal
    assert forest.labels["rule"].arc.tolist() == [2, 0, 1]
    assert forest.labels["rule"].final.tolist() == [3, 2]
    assert forest.node_labels["category"].node.tolist() == [1, 2]


# --- The door


def from_edges(head, tails, target, goals, **more):
    return Forest.from_edges(head, tails, target, goals=goals, **more)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(([0, 1, 1], [[], [0], [1]], [[1], [-1], [-1]], [1]), "is cyclic: node 1 can be", id="loop"),
        pytest.param(
            ([5, 5, 6], [[], [6], [5]], [[1], [-1], [-1]], [6]), "cyclic: node [56] can be derived", id="cycle"
        ),
        pytest.param(
            ([0], [[0]], [[-1]], [0]), "complete derivation, since derivations of node 0 would", id="no start"
        ),
        pytest.param(
            ([9, 4, 3], [[4], [3], [4]], [[-1], [-1], [-1]], [9]), "derivations of node [34] would never", id="no end"
        ),
        pytest.param(([1], [[0]], [[-1]], [1]), "complete derivation, since node 0 has no edges", id="missing node"),
        pytest.param(
            ([1, 1, 2], [[2], [], [1, 7]], [[-1], [5], [-1, -2]], [2]), "since node 7 has no edges", id="missing tail"
        ),
        pytest.param(([0], [[]], [[1]], [3]), "complete derivation, since node 3 has no edges", id="missing goal"),
        pytest.param(([], [], [], [0]), "complete derivation, since node 0 has no edges", id="no edges"),
        pytest.param(([0], [[]], [[1]], []), "it has no goal", id="no goal"),
        pytest.param(([0], [[]], [[1]], [0, 0]), "node 0 appears twice in the list of goals", id="goal twice"),
        pytest.param(([0, 1], [[], [0]], [[1], [2]], [1]), "edge 1 never uses its tail 1", id="unused tail"),
        pytest.param(
            ([0, 1], [[], [0]], [[1], [-1, -1]], [1]), "edge 1 uses its tail 1 more than once", id="repeated tail"
        ),
        pytest.param(
            ([0, 1], [[], [0]], [[1], [-1, -2]], [1]),
            "edge 1 uses tail 2, which the edge does not have",
            id="tail too many",
        ),
        pytest.param(
            ([0], [[]], [[-(2**31)]], [0]),
            "edge 0 uses tail 2147483648, which the edge does not have",
            id="lowest number",
        ),
        pytest.param(([0, 1], [[], [-1]], [[1], [-1]], [1]), "tail 1 of edge 1 is -1", id="negative tail"),
        pytest.param(([-1], [[]], [[1]], [0]), "head number -1 is outside", id="negative head"),
        pytest.param(([0], [[2**31]], [[-1]], [0]), "32-bit integers", id="a tail of 33 bits"),
        pytest.param(
            ([0], [["a"]], [[-1]], [0]),
            r"tails of edge 0: \['a'\] is not a list of 32-bit integers",
            id="a tail that is no number",
        ),
        pytest.param(([0], [1], [[1]], [0]), "tails of edge 0: 1 is not a list", id="a number for tails"),
        pytest.param(
            ([0, 0], [[], []], [[1], 2], [0]), "target side of edge 1: 2 is not a list", id="a word for words"
        ),
        pytest.param(
            ([0], [[]], [[1, 1.5]], [0]), r"side of edge 0: \[1, 1.5\] is not a list", id="half a word number"
        ),
        pytest.param(([0], [[]], [["7"]], [0]), r"side of edge 0: \['7'\] is not a list", id="a number as text"),
        pytest.param(([0], [[]], ["12"], [0]), r"side of edge 0: \['1', '2'\] is not a list", id="text for words"),
        pytest.param(([0], [[]], [[[1]]], [0]), r"side of edge 0: \[\[1\]\] is not a list", id="words within words"),
        pytest.param(([0.0], [[]], [[1]], [0]), "head numbers must be one list of integers", id="half a head"),
        pytest.param(([0], [[]], [[1]], 0), "goal numbers must be one list of integers", id="a number for goals"),
        pytest.param(
            ([0, 1], [[]], [[1]], [0]), r"heads \(2\), tails \(1\) and target sides \(1\) differ", id="a head more"
        ),
    ],
)
def test_what_is_no_forest_is_refused(arguments, message):
    with pytest.raises(lm.InputError, match=message):
        from_edges(*arguments)


@pytest.mark.parametrize(
    ("begin", "values", "message"),
    [
        ([0, 2], [5], "`begin` must start at 0, never decrease"),
        ([1, 1], [5], "`begin` must start at 0, never decrease"),
        ([0, -1], [], "`begin` must start at 0, never decrease"),
        ([], [], "`begin` must start at 0, never decrease"),
        ([[0, 1]], [5], "`begin` must start at 0, never decrease"),
        ([0.0, 1.0], [5], "`begin` must start at 0, never decrease"),
        ([0, 1], [1.5], "the values are not 32-bit integers"),
        ([0, 1], [2**40], "the values are not 32-bit integers"),
        ([0, 1], [[5]], "the values are not 32-bit integers"),
    ],
)
def test_rows_that_do_not_fit_together_are_refused(begin, values, message):
    rows = Ragged(np.array(begin), np.array(values))
    with pytest.raises(lm.InputError, match=f"the target side of edges: .*{message}"):
        from_edges([0], [[]], rows, [0])
    with pytest.raises(lm.InputError, match=f"the tails of edges: .*{message}"):
        from_edges([0], rows, [[-1]], [0])


@given(draft=forest_drafts(WORDS, [], costs))
def test_the_fault_of_an_empty_forest_is_a_node_that_cannot_be_derived(draft):
    found = find_fault(draft.head, draft.tails, draft.goals)
    derived = {node for node in range(13) if depth(draft, node)}
    assert (found is None) == bool(derived & set(draft.goals))
    if found is not None:
        assert found.node not in derived
        assert found.has_edges == (found.node in draft.head)
        with pytest.raises(lm.InputError, match=f"since .*node {found.node} "):
            draft.forest()


def test_an_error_may_call_nodes_by_other_names():
    with pytest.raises(lm.InputError, match="cyclic: NP can be derived from itself"):
        from_edges([7, 7], [[], [7]], [[1], [-1]], [7], node_name={7: "NP"}.get)
    with pytest.raises(lm.InputError, match="since NP has no edges"):
        from_edges([], [], [], [7], node_name={7: "NP"}.get)


def test_texts_of_nodes_are_numbered():
    side = lm.NodeLabels.from_texts(["NP", "", "VP", "NP"])
    assert side.node.tolist() == [1, 0, 2, 1]
    assert side.vocabulary.decode(side.node) == ["NP", "VP", "NP"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"scores": {"x": lm.Column([1.0, 2.0], [0.0])}}, "one value for every"),
        ({"scores": {"x": lm.Column([1.0], [])}}, "one value for every"),
        ({"scores": {"x": lm.Column([float("nan")], [0.0])}}, "not finite"),
        ({"scores": {"x": lm.Column([1.0], [float("inf")])}}, "not finite"),
        ({"vocabulary": lm.Vocabulary({2: "b"})}, "word number 1 is not in the symbol table"),
        ({"node_labels": {"x": lm.NodeLabels(np.zeros(0, np.int32), lm.Vocabulary({}))}}, "a value for every node"),
        ({"node_labels": {"x": lm.NodeLabels(np.ones(1, np.int32), lm.Vocabulary({}))}}, "not in the symbol table"),
    ],
)
def test_columns_and_labels_that_do_not_fit_are_refused(more, message):
    with pytest.raises(lm.InputError, match=message):
        from_edges([0], [[]], [[1]], [0], **more)


def test_dead_edges_are_trimmed():
    forest = from_edges(
        [0, 1, 2, 3, 4, 1, 9],
        [[], [0], [7], [0], [4], [2], []],
        [[1], [-1], [-1], [-1], [-1], [-1], [2]],
        [1],
        vocabulary=lm.Vocabulary.from_words(["a", "b"]),
    )
    # 2 needs 7, which nothing makes; 3 and 9 lead nowhere; 4 needs itself.
    assert (forest.num_nodes, forest.head.tolist(), forest.tails.rows()) == (2, [0, 1], [[], [0]])


def test_a_cycle_that_is_not_needed_is_trimmed():
    forest = from_edges([0, 8, 8], [[], [0], [8]], [[1], [-1], [-1]], [0])
    assert forest.num_nodes == 1


def test_a_deep_forest_is_no_problem():
    depth_ = 50_000
    forest = from_edges(
        np.arange(depth_), [[], *([k] for k in range(depth_ - 1))], [[1], *[[-1]] * (depth_ - 1)], [depth_ - 1]
    )
    assert forest.statistics().height == depth_


def test_derivations_of_a_deep_forest_are_listed_in_linear_time():
    steps = 20_000
    forest = lm.Forest.from_edges(
        [0, 0, *range(1, steps + 1)], [[], [], *([n] for n in range(steps))], [[1], [2], *[[-1]] * steps], goals=[steps]
    )
    first, second = forest.derivations()
    assert (first.words, second.words) == (("1",), ("2",))
    assert (len(first.edges), first.edges[-1], second.edges[-1]) == (steps + 1, 0, 1)


def test_derivations_that_use_a_node_too_many_times_are_refused():
    doublings = 22
    forest = lm.Forest.from_edges(
        range(doublings + 1), [[], *([n, n] for n in range(doublings))], [[1], *[[-1, -2]] * doublings],
        goals=[doublings],
    )  # fmt: skip
    assert forest.statistics().derivations == 1
    for ask in (
        lambda: next(forest.derivations()),
        forest.best_path,
        lambda: lm.mbr(forest),
        lambda: lm.mbr(forest, "wrr"),
    ):
        with pytest.raises(lm.InputError, match="more than 262144 edges") as refusal:
            ask()
        assert str(refusal.value).endswith("; prune the forest")
        assert str(refusal.value).count("prune") == 1


def test_derivations_are_counted_beyond_64_bits():
    levels = 12  # each node has two edges, each uses the node below twice
    tails = [[], *([k // 2, k // 2] for k in range(2 * levels))]
    head = [0, *(k // 2 + 1 for k in range(2 * levels))]
    forest = from_edges(head, tails, [[1], *[[-1, -2]] * (2 * levels)], [levels])
    assert forest.statistics().derivations == 2 ** (2**levels - 1)


@given(rows=st.lists(st.lists(st.integers(-5, 5), max_size=4), max_size=6), data=st.data())
def test_rows_of_different_lengths(rows, data):
    ragged = Ragged.from_rows(rows)
    assert ragged.rows() == rows
    assert [ragged.row(number) for number in range(len(rows))] == rows
    assert ragged.lengths().tolist() == list(map(len, rows))
    assert len(ragged) == len(rows)
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=5)) if rows else []
    assert ragged.taken(np.array(chosen, dtype=np.int64)).rows() == [rows[k] for k in chosen]


# --- Lattices


@given(lattice=lattices())
def test_a_lattice_as_a_forest_says_and_costs_the_same(lattice):
    assert derivations_of(Forest.from_lattice(lattice)) == paths_of(lattice)


def by_target(lattice: lm.Lattice) -> lm.Lattice:
    """The same with the arcs of each state in the order of their targets: a forest's edges are sorted by head."""
    order = np.lexsort([lattice.target, lattice.source])
    return lm.Lattice.from_arcs(
        lattice.source[order],
        lattice.target[order],
        lattice.word[order],
        final=lattice.final,
        scores={name: lm.Column(c.arc[order], c.final, c.weight) for name, c in lattice.scores.items()},
        vocabulary=lattice.vocabulary,
    )


@given(lattice=lattices())
def test_a_lattice_as_a_forest_is_the_same_lattice_again(lattice):
    assert contents(Forest.from_lattice(lattice).to_lattice()) == contents(by_target(lattice))


@st.composite
def linear_forests(draw: st.DrawFn, *, first: bool) -> Forest:
    """A forest whose edges have at most one tail, and say it first, or last."""
    forest = draw(forests(WORDS, list(COLUMN_NAMES), costs))
    rows = zip(forest.tails.rows(), forest.target.rows(), strict=True)
    tails, target = [], []
    for row, said in rows:
        words = [t for t in said if t > 0]
        tails.append(row[:1])
        target.append(([-1, *words] if first else [*words, -1]) if row else words)
    return Forest.from_edges(
        forest.head, tails, target, goals=forest.goals, scores=forest.scores, vocabulary=forest.vocabulary
    )


@pytest.mark.parametrize("first", [True, False], ids=["tails first", "tails last"])
@given(data=st.data())
def test_a_forest_that_branches_on_one_side_is_a_lattice(first, data):
    forest = data.draw(linear_forests(first=first))
    assert paths_of(forest.to_lattice()) == derivations_of(forest)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([[1], [-1, -2]], "edge 1, of node 1, has 2 tails"),
        ([[1], [1, -1, 2]], "edge 1, of node 1, has words after its tail"),
    ],
)
def test_a_forest_that_is_no_lattice_says_at_which_edge(target, message):
    tails = [[], [0] * sum(t < 0 for t in target[1])]
    with pytest.raises(lm.InputError, match=f"not a lattice: {message}"):
        from_edges([0, 1], tails, target, [1]).to_lattice()


def test_a_forest_of_both_sides_is_no_lattice():
    forest = from_edges([0, 1, 2], [[], [0], [1]], [[1], [-1, 2], [3, -1]], [2])
    with pytest.raises(lm.InputError, match="not a lattice"):
        forest.to_lattice()


def test_costs_too_large_to_be_added_up_are_refused():
    forest = from_edges([0, 1], [[], [0, 0]], [[1], [-1, -2]], [1], scores={"x": lm.Column([1e308, 0.0], [0.0])})
    with pytest.raises(lm.InputError, match="too large to be added up"):
        forest.statistics()


def test_statistics_can_be_shown_though_python_does_not_write_their_number_of_derivations():
    nodes = np.arange(20_000)
    tails = [[]] * 2 + [[node] for node in nodes[:-1] for _ in range(2)]
    target = [[1], [2]] + [[-1, 1], [-1, 2]] * (len(nodes) - 1)
    forest = Forest.from_edges(np.repeat(nodes, 2), tails, target, goals=[nodes[-1]])
    assert "goals=1, derivations=<about 10**6021>, shortest=20000," in repr(forest.statistics())
