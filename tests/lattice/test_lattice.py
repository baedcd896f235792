"""The door that every lattice enters by, and what a checked lattice says of itself."""

import copy
import pickle
import re
import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from kit import brute_force
from kit.strategies import VOCABULARY, lattices, scalings

import latticemetric as lm

build = lm.Lattice.from_arcs


def column(arc, final=(0.0,), weight=1.0) -> lm.Column:
    return lm.Column(np.array(arc, dtype=np.float64), np.array(final, dtype=np.float64), weight)


def contents(lattice: lm.Lattice) -> dict:
    """Everything a lattice holds, as plain values that can be compared."""
    return {
        "states": lattice.num_states,
        "source": lattice.source.tolist(),
        "target": lattice.target.tolist(),
        "words": [lattice.vocabulary.word(number) for number in lattice.word.tolist()],
        "final": lattice.final.tolist(),
        "scores": {n: (c.arc.tolist(), c.final.tolist(), c.weight) for n, c in lattice.scores.items()},
        "times": None if lattice.times is None else lattice.times.tolist(),
    }


def words_of_paths(lattice: lm.Lattice) -> list[str]:
    return [" ".join(path.words) for path in lattice.paths()]


# --- What is refused


@pytest.mark.parametrize(
    ("source", "target", "on_cycle"),
    [
        pytest.param([0, 0], [0, 1], "0", id="a state that leads to itself"),
        pytest.param([0, 1, 1], [1, 0, 2], "[01]", id="two states"),
        pytest.param([0, 1, 2, 3, 3], [1, 2, 3, 1, 4], "[123]", id="three states behind the start"),
        pytest.param([0, 10**9, 10**9, 7], [10**9, 7, 5, 10**9], "(1000000000|7)", id="huge state numbers"),
    ],
)
def test_a_cycle_is_refused_and_one_of_its_states_named(source, target, on_cycle):
    with pytest.raises(lm.InputError, match=f"cyclic: state {on_cycle} can be reached from itself"):
        build(source, target, [1] * len(source), final=[max(target) if max(target) < 10**9 else 5])


def test_a_long_cycle_is_found_without_recursion():
    states = np.arange(300_000)
    with pytest.raises(lm.InputError, match="cyclic"):
        build(np.append(states, 300_000), np.append(states + 1, 0), np.ones(300_001, dtype=np.int32), final=[300_000])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        pytest.param([0, 2, 3], [1, 3, 2], id="that nothing reaches"),
        pytest.param([0, 0, 2, 3], [1, 2, 3, 2], id="that leads nowhere"),
    ],
)
def test_a_cycle_on_no_complete_path_is_dropped(source, target):
    lattice = build(source, target, [1] * len(source), final=[1])
    assert (lattice.num_states, lattice.source.tolist(), lattice.target.tolist()) == (2, [0], [1])


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"final": []}, id="no final state"),
        pytest.param({"final": [5]}, id="a final state that nothing reaches"),
        pytest.param({"final": [1], "start": -1}, id="no start state"),
        pytest.param({"final": [1], "start": 9}, id="a start without arcs"),
        pytest.param({"final": [1], "start": 2**40}, id="a start beyond all states"),
    ],
)
def test_a_lattice_without_a_complete_path_is_refused_as_empty(arguments):
    with pytest.raises(lm.InputError, match="the lattice is empty"):
        build([0], [1], [1], **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({"source": [-1]}, "state number -1 is outside", id="negative source"),
        pytest.param({"target": [-7]}, "state number -7 is outside", id="negative target"),
        pytest.param({"final": [-2]}, "state number -2 is outside", id="negative final state"),
        pytest.param({"word": [-1]}, "word number -1 is outside", id="negative word"),
        pytest.param({"word": [2**31 - 1]}, "word number 2147483647 is outside", id="the number of any word"),
        pytest.param({"target": [2**31 - 1]}, "state number 2147483647 is outside", id="state too large"),
        pytest.param({"target": [2**40]}, "state number 1099511627776 is outside", id="state beyond 32 bits"),
        pytest.param({"source": [0.0]}, "list of integers", id="fractional source"),
        pytest.param({"word": ["a"]}, "list of integers", id="text as word number"),
        pytest.param({"word": [True]}, "list of integers", id="truth values"),
        pytest.param({"source": [[0]]}, "list of integers", id="nested source"),
        pytest.param({"word": [1, 2]}, "differ in length", id="too many words"),
        pytest.param({"target": []}, "differ in length", id="too few targets"),
        pytest.param({"final": [1, 1]}, "appears twice in the list of final states", id="final twice"),
        pytest.param({"scores": {"am": column([1.0, 2.0])}}, "'am' does not have one value", id="long column"),
        pytest.param({"scores": {"am": column([])}}, "'am' does not have one value", id="short column"),
        pytest.param({"scores": {"am": column([1.0], [])}}, "'am' does not have one value", id="short final column"),
        pytest.param({"scores": {"am": column([np.nan])}}, r"'am' holds .* not finite \(nan\)", id="NaN"),
        pytest.param({"scores": {"am": column([np.inf])}}, r"'am' holds .* not finite \(inf\)", id="infinity"),
        pytest.param({"scores": {"am": column([1.0], [-np.inf])}}, r"not finite \(-inf\)", id="infinite final cost"),
        pytest.param({"scores": {"am": column([1.0], weight=np.nan)}}, "weight of 'am'", id="scale that is no number"),
        pytest.param({"times": [0.0]}, "a state has no time", id="too few times"),
        pytest.param({"times": [0.0, np.nan]}, "time is not finite", id="time that is no number"),
        pytest.param({"vocabulary": VOCABULARY, "word": [99]}, "word number 99 is not", id="unknown word number"),
        pytest.param(
            {"labels": {"side": lm.Labels(np.ones(3, int), np.ones(1, int), VOCABULARY)}}, "'side'", id="labels"
        ),
        pytest.param(
            {"labels": {"side": lm.Labels(np.array([77]), np.array([0]), VOCABULARY)}}, "number 77", id="unknown label"
        ),
    ],
)
def test_what_is_not_sane_is_refused(arguments, message):
    draft = {"source": [0], "target": [1], "word": [1], "final": [1]} | arguments
    with pytest.raises(lm.InputError, match=message):
        build(draft.pop("source"), draft.pop("target"), draft.pop("word"), **draft)


def test_a_vocabulary_without_words_has_no_word_for_any_number():
    with pytest.raises(lm.InputError, match="word number 5 is not"):
        build([0], [1], [5], final=[1], vocabulary=lm.Vocabulary({}))


def test_a_ragged_list_is_refused():
    with pytest.raises(lm.LatticeMetricError):
        build([[0], [1, 2]], [1], [5], final=[1])


# --- What is put in order


@given(lattices())
def test_a_lattice_in_order_is_left_as_it_is(lattice):
    again = build(
        lattice.source,
        lattice.target,
        lattice.word,
        final=lattice.final,
        scores=lattice.scores,
        vocabulary=lattice.vocabulary,
    )
    assert contents(again) == contents(lattice)


def test_states_in_order_keep_their_order_though_others_would_do_too():
    lattice = build([0, 0, 1, 2], [2, 1, 3, 3], [1, 2, 3, 4], final=[3])
    assert lattice.source.tolist() == [0, 0, 1, 2]
    assert lattice.target.tolist() == [2, 1, 3, 3]
    assert lattice.word.tolist() == [1, 2, 3, 4]


def test_arcs_of_a_state_keep_their_order_when_states_are_renumbered():
    lattice = build([5, 9, 9, 5, 9], [7, 5, 5, 7, 7], [1, 2, 3, 4, 5], start=9, final=[7])
    assert lattice.source.tolist() == [0, 0, 0, 1, 1]
    assert lattice.word.tolist() == [2, 3, 5, 1, 4]


def test_columns_and_finals_follow_their_arcs_and_states():
    scores = {"am": column([1.0, 2.0, 3.0], [10.0, 20.0], 0.5)}
    lattice = build([4, 8, 8], [2, 4, 2], [1, 2, 3], start=8, final=[4, 2], scores=scores)
    assert lattice.word.tolist() == [2, 3, 1]
    assert lattice.final.tolist() == [1, 2]
    assert contents(lattice)["scores"] == {"am": ([2.0, 3.0, 1.0], [10.0, 20.0], 0.5)}


def test_labels_follow_their_arcs_and_states():
    side = lm.Vocabulary.from_words(["x", "y", "z"])
    labels = {"side": lm.Labels(np.array([1, 2, 0]), np.array([3]), side)}
    lattice = build([4, 8, 8], [2, 4, 2], [1, 2, 3], start=8, final=[2], labels=labels)
    assert lattice.labels["side"].arc.tolist() == [2, 0, 1]
    assert lattice.labels["side"].final.tolist() == [3]


def test_sparse_state_numbers_cost_no_memory():
    highest = 2**31 - 2
    lattice = build([highest, 3], [3, 10**9], [1, 2], start=highest, final=[10**9])
    assert contents(lattice)["source"] == [0, 1]
    assert words_of_paths(lattice) == ["1 2"]


def test_a_lattice_may_be_one_state():
    lattice = build([], [], [], final=[4], start=4, scores={"am": column([], [2.5])})
    assert [tuple(path) for path in lattice.paths()] == [((), (), 2.5)]


def test_times_follow_their_states():
    lattice = build([9, 5], [5, 7], [1, 2], start=9, final=[7], times=[0, 0, 0, 0, 0, 0.5, 0, 1.5, 0, 0.25])
    assert lattice.times.tolist() == [0.25, 0.5, 1.5]


def test_times_follow_their_states_through_sparse_numbers():
    times = np.full(1001, np.nan)
    times[[1000, 40, 700]] = [0.0, 1.0, 2.0]
    lattice = build([1000, 40], [40, 700], [1, 2], start=1000, final=[700], times=times)
    assert lattice.times.tolist() == [0.0, 1.0, 2.0]


def test_a_state_that_is_dropped_needs_no_time():
    lattice = build([0, 0], [2, 1], [1, 2], final=[2], times=[0.0, np.nan, 1.0])
    assert lattice.times.tolist() == [0.0, 1.0]


# --- What cannot be changed afterwards


def arrays_of(lattice: lm.Lattice) -> dict[str, np.ndarray]:
    arrays = {name: getattr(lattice, name) for name in ("source", "target", "word", "final", "times")}
    for name, extra in {**lattice.scores, **lattice.labels}.items():
        arrays |= {f"{name}.arc": extra.arc, f"{name}.final": extra.final}
    return arrays


@pytest.fixture
def rich_lattice() -> lm.Lattice:
    side = lm.Labels(np.array([1, 2]), np.array([0]), VOCABULARY)
    scores = {"am": column([1.0, 2.0], [0.5], 0.1), "lm": column([0.25, 0.5])}
    return build(
        [0, 1],
        [1, 2],
        [1, 2],
        final=[2],
        scores=scores,
        labels={"side": side},
        times=[0.0, 0.5, 1.0],
        vocabulary=VOCABULARY,
    )


def test_arrays_are_read_only(rich_lattice):
    for name, array in arrays_of(rich_lattice).items():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        assert not array.flags.writeable, name


def test_attributes_and_mappings_are_read_only(rich_lattice):
    with pytest.raises(AttributeError):
        rich_lattice.num_states = 7
    with pytest.raises(TypeError):
        rich_lattice.scores["new"] = rich_lattice.scores["am"]
    with pytest.raises(TypeError):
        rich_lattice.labels["new"] = rich_lattice.labels["side"]


def test_a_lattice_does_not_share_the_arrays_it_was_made_from():
    words, costs = np.array([1, 2], dtype=np.int32), np.array([1.0, 2.0])
    lattice = build([0, 1], [1, 2], words, final=[2], scores={"am": lm.Column(costs, np.zeros(1))})
    words[:], costs[:] = 3, 9.0
    assert lattice.word.tolist() == [1, 2]
    assert lattice.scores["am"].arc.tolist() == [1.0, 2.0]


def test_costs_can_be_changed_without_changing_the_lattice(rich_lattice):
    rich_lattice.cost().arc[:] = 0
    assert rich_lattice.scores["am"].arc.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("duplicate", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
def test_pickles_and_copies_are_equal(rich_lattice, duplicate):
    again = duplicate(rich_lattice)
    assert contents(again) == contents(rich_lattice)
    assert again.labels["side"].arc.tolist() == [1, 2]
    assert again.labels["side"].vocabulary == VOCABULARY
    with pytest.raises(TypeError):
        again.scores["new"] = again.scores["am"]
    assert lm.oracle(again, "a c", "wer").words == ("a", "b")


def test_a_pickle_of_the_numeric_vocabulary_is_itself():
    lattice = build([0], [1], [7], final=[1])
    assert pickle.loads(pickle.dumps(lattice)).vocabulary is lm.Vocabulary.numeric()


def test_arrays_of_pickles_are_read_only_too(rich_lattice):
    again = pickle.loads(pickle.dumps(rich_lattice))
    assert not any(array.flags.writeable for array in arrays_of(again).values())


# --- Paths, costs, statistics


def test_the_path_of_an_hour_takes_linear_time():
    length = 150_000
    lattice = build(list(range(length)), list(range(1, length + 1)), [7] * length, final=[length])
    begin = time.process_time()
    assert [len(path.words) for path in lattice.paths()] == [length]
    assert time.process_time() - begin < 20  # copies of all beginnings took minutes


@given(lattices())
def test_paths_are_in_lexicographic_order_of_arcs(lattice):
    paths = [path.arcs for path in lattice.paths()]
    assert paths == sorted(set(paths))


@given(lattices().flatmap(lambda lattice: scalings(lattice).map(lambda weights: (lattice, weights))))
def test_costs_of_paths_are_scaled_sums(case):
    lattice, weights = case
    exact = brute_force.answers(lattice, [()], brute_force.Rate(), weights)
    expected = {answer.path.arcs: float(answer.cost) for answer in exact}
    assert {path.arcs: path.cost for path in lattice.paths(weights)} == expected
    cost = lattice.cost(weights)
    assert {arcs: lattice.cost_of(arcs, cost) for arcs in expected} == expected


def test_columns_have_scales_of_their_own_unless_others_are_given():
    scores = {"am": column([4.0], [8.0], 0.5), "lm": column([1.0], [2.0])}
    lattice = build([0], [1], [1], final=[1], scores=scores)
    assert lattice.cost().arc.tolist() == [3.0]
    assert lattice.cost().final.tolist() == [np.inf, 6.0]
    assert lattice.cost({"am": 0.25}).arc.tolist() == [2.0]
    assert lattice.cost({"am": 0, "lm": -1}).arc.tolist() == [-1.0]
    assert lattice.cost({"am": 0, "lm": 0}).final.tolist() == [np.inf, 0.0]


def test_a_scale_for_a_column_that_is_not_there_is_refused_and_the_columns_named(rich_lattice):
    with pytest.raises(lm.InputError, match=r"no score column 'amm'.*am, lm"):
        rich_lattice.cost({"amm": 1.0})


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("weight", [float("nan"), float("inf"), 1e308])
def test_costs_that_are_not_finite_are_refused(weight):
    lattice = build([0, 1], [1, 2], [1, 2], final=[2], scores={"am": column([100.0, 0.0])})
    with pytest.raises(lm.LatticeMetricError):
        lattice.cost({"am": weight})


def measured(lattice: lm.Lattice) -> dict:
    """The statistics that can be read off an enumeration of all paths."""
    judged = brute_force.answers(lattice, [()], brute_force.Rate())
    lengths = [len(answer.path.words) for answer in judged]
    return {
        "states": len({0, *lattice.target.tolist()}),
        "arcs": len(lattice.word),
        "epsilons": lattice.word.tolist().count(0),
        "final_states": len(lattice.final),
        "paths": len(judged),
        "shortest": min(lengths),
        "longest": max(lengths),
        "vocabulary": len(set(lattice.word.tolist()) - {0}),
        "scores": list(lattice.scores),
        "best_cost": float(min(answer.cost for answer in judged)),
    }


@given(lattices())
def test_statistics_are_those_of_all_paths(lattice):
    found = lattice.statistics().asdict()
    assert found.pop("depth") >= 0
    density, one_best = found.pop("density"), min(lattice.paths(), key=lambda path: (path.cost, len(path.words)))
    arcs = sum(number != 0 for number in lattice.word.tolist())
    assert density == (arcs / len(one_best.words) if one_best.words else None)
    assert found == measured(lattice)


def test_the_one_best_of_a_list_without_scores_is_its_first_hypothesis_in_statistics_too():
    assert lm.Lattice.from_strings(["a b", "c"]).statistics().density == 3 / 2
    assert lm.Lattice.from_strings(["c", "a b"]).statistics().density == 3


def sausage(slots: int, words: int, **more) -> lm.Lattice:
    source = np.repeat(np.arange(slots), words)
    return build(source, source + 1, np.tile(np.arange(1, words + 1), slots), final=[slots], **more)


@pytest.mark.parametrize(("slots", "words"), [(200, 2), (63, 3), (20_000, 2)])
def test_paths_are_counted_exactly_however_many(slots, words):
    assert sausage(slots, words).statistics().paths == words**slots


def test_counting_of_paths_stops_at_the_limit_and_no_sooner():
    assert sausage(32_767, 2).statistics().paths == 2**32_767
    assert sausage(32_768, 2).statistics().paths is None
    assert sausage(40_000, 2).statistics().paths is None


def test_sums_along_several_paths_are_those_along_each_to_the_last_bit():
    numbers = np.random.default_rng(7)
    for slots in (1, 5, 9, 130, 700):
        scores = {name: lm.Column(numbers.lognormal(0, 4, 2 * slots), numbers.normal(0, 3, 1)) for name in "ab"}
        lattice = sausage(slots, 2, scores=scores)
        cost = lattice.cost({"a": 0.3})
        paths = lattice.n_best(6, cost)
        expected = [(lattice.cost_of(path, cost), lattice.scores_along(path)) for path in paths]
        assert lattice.sums_along(paths, cost) == expected
    without_arcs = lm.Lattice.from_arcs([], [], [], final=[0], scores={"cost": lm.Column(np.zeros(0), np.array([2.0]))})
    assert without_arcs.sums_along([np.zeros(0, dtype=np.int64)], without_arcs.cost()) == [(2.0, {"cost": 2.0})]


def test_statistics_can_be_shown_though_python_does_not_write_their_number_of_paths():
    assert "final_states=1, paths=<about 10**6021>, shortest=20000," in repr(sausage(20_000, 2).statistics())
    assert ", paths=8, " in repr(sausage(3, 2).statistics())


def test_depth_is_how_many_arcs_lie_side_by_side():
    assert sausage(5, 3).statistics().depth == 3.0
    # One arc over two steps beside one of a single step: half of the way has one arc, half has two.
    assert build([0, 0, 1], [1, 1, 2], [1, 2, 3], final=[2]).statistics().depth == 1.5


def test_depth_is_weighted_by_time_where_there_are_times():
    lattice = build([0, 0, 1], [1, 1, 2], [1, 2, 3], final=[2], times=[1.0, 1.5, 3.0])
    assert lattice.statistics().depth == (2 * 0.5 + 1.5) / 2


# --- Strings


def test_strings_become_one_path_each_in_their_order():
    lattice = lm.Lattice.from_strings(["a b", ["c"], "", "a b"], costs=[1.0, 2.0, 3.0, 4.0], column="total")
    assert [(path.words, path.cost) for path in lattice.paths()] == [
        (("a", "b"), 1.0),
        (("c",), 2.0),
        ((), 3.0),
        (("a", "b"), 4.0),
    ]
    assert list(lattice.scores) == ["total"]


def test_strings_without_costs_have_no_scores():
    lattice = lm.Lattice.from_strings(["a b", "a c d"])
    assert dict(lattice.scores) == {}
    assert lattice.statistics().paths == 2


def test_words_of_a_list_may_hold_spaces():
    assert [path.words for path in lm.Lattice.from_strings([["New York", "is"]]).paths()] == [("New York", "is")]


def test_no_strings_are_an_empty_lattice():
    with pytest.raises(lm.InputError, match="empty"):
        lm.Lattice.from_strings([])


@pytest.mark.parametrize("costs", [[1.0], [1.0, 2.0, 3.0]])
def test_strings_and_costs_must_be_as_many(costs):
    with pytest.raises(lm.LatticeMetricError):
        lm.Lattice.from_strings(["a", "b"], costs=costs)


# --- NetworkX


@given(lattices())
def test_networkx_and_back_is_the_same_lattice(lattice):
    again = lm.Lattice.from_networkx(lattice.to_networkx())
    assert contents(again) == contents(lattice)


def test_times_and_scales_go_through_networkx(rich_lattice):
    again = lm.Lattice.from_networkx(rich_lattice.to_networkx())
    assert contents(again) == contents(rich_lattice)


def test_a_networkx_graph_shows_words_scores_and_ends(rich_lattice):
    graph = rich_lattice.to_networkx()
    assert graph.graph == {"start": 0, "weights": {"am": 0.1, "lm": 1.0}}
    assert graph.edges[0, 1, 0] == {"word": "a", "scores": {"am": 1.0, "lm": 0.25}}
    assert graph.nodes[2] == {"time": 1.0, "final": {"am": 0.5, "lm": 0.0}}
    assert "final" not in graph.nodes[1]


def test_a_plain_digraph_may_have_any_nodes():
    graph = nx.DiGraph(start="here")
    graph.add_edge("there", "end", word="b", scores={"am": 2.0})
    graph.add_edge("here", "there", word="a")
    graph.add_edge("here", "end")  # ε
    graph.nodes["end"]["final"] = {"am": 0.5}
    lattice = lm.Lattice.from_networkx(graph)
    assert [(path.words, path.cost) for path in lattice.paths()] == [(("a", "b"), 2.5), ((), 0.5)]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        pytest.param({}, "the graph has no start", id="no start"),
        pytest.param({"start": "nowhere"}, "'nowhere', is not a node", id="a start that is no node"),
    ],
)
def test_a_networkx_graph_must_say_where_it_starts(attributes, message):
    graph = nx.DiGraph([("here", "there")], **attributes)
    with pytest.raises(lm.InputError, match=message):
        lm.Lattice.from_networkx(graph)


def test_a_networkx_graph_is_checked_like_any_other():
    graph = nx.MultiDiGraph([(0, 1), (1, 0), (1, 2)], start=0)
    graph.nodes[2]["final"] = {}
    with pytest.raises(lm.InputError, match="cyclic"):
        lm.Lattice.from_networkx(graph)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"word": 5}, "'word' is 5, not a text; give the word as a string"),
        ({"word": "a", "scores": 3.0}, "'scores' is 3.0; give a mapping"),
        ({"word": "a", "scores": {"lm": "3"}}, "'lm' of 'scores' is '3', not a finite number"),
        ({"word": "a", "scores": {"lm": float("nan")}}, "'lm' of 'scores' is nan, not a finite number"),
    ],
)
def test_a_networkx_edge_with_values_of_wrong_types_is_refused(attributes, message):
    graph = nx.DiGraph(start="x")
    graph.add_node("y", final={})
    graph.add_edge("x", "y", **attributes)
    with pytest.raises(lm.InputError, match=re.escape(f"edge from 'x' to 'y': {message}")):
        lm.Lattice.from_networkx(graph)


def test_columns_and_vocabularies_of_other_types_are_refused():
    for scores, message in (
        ({"lm": np.ones(1)}, "score 'lm' is a ndarray; give a Column"),
        ([column([1.0])], "scores is a list; give columns by name"),
    ):
        with pytest.raises(lm.UsageError, match=message):
            build([0], [1], [1], final=[1], scores=scores)
        with pytest.raises(lm.UsageError, match=message):
            lm.Forest.from_edges([0], [[]], [[1]], goals=[0], scores=scores)
    with pytest.raises(lm.InputError, match="not numbers"):
        build([0], [1], [1], final=[1], scores={"lm": lm.Column(np.ones(1), np.zeros(1), "x")})
    for make in (lambda words: build([0], [1], [1], final=[1], vocabulary=words), edge_with):
        with pytest.raises(lm.UsageError, match="vocabulary is a dict; give a Vocabulary"):
            make({1: "a"})


def edge_with(vocabulary):
    return lm.Forest.from_edges([0], [[]], [[1]], goals=[0], vocabulary=vocabulary)


def test_a_networkx_node_whose_final_is_no_mapping_is_refused():
    graph = nx.DiGraph([(0, 1)], start=0)
    graph.nodes[1]["final"] = True
    with pytest.raises(lm.LatticeMetricError):
        lm.Lattice.from_networkx(graph)


def test_times_of_a_networkx_graph_are_all_there_or_none(rich_lattice):
    graph = rich_lattice.to_networkx()
    del graph.nodes[1]["time"]
    with pytest.raises(lm.InputError, match="node 1 has no 'time', but other nodes have; give a time to each node, or"):
        lm.Lattice.from_networkx(graph)
    for wrong in ("late", np.nan, True):
        graph.nodes[1]["time"] = wrong
        with pytest.raises(lm.InputError, match=r"node 1: 'time' is .*, not a finite number"):
            lm.Lattice.from_networkx(graph)
    graph.nodes[1]["time"] = np.float32(0.25)
    assert lm.Lattice.from_networkx(graph).times[1] == 0.25
    for node in graph.nodes:
        del graph.nodes[node]["time"]
    assert lm.Lattice.from_networkx(graph).times is None


def test_an_undirected_networkx_graph_is_refused():
    graph = nx.Graph([(0, 1)], start=0)
    graph.nodes[1]["final"] = {}
    with pytest.raises(lm.LatticeMetricError):
        lm.Lattice.from_networkx(graph)
