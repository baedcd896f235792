"""Batches against enumeration: every path of every graph, its probability and its rate by definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.expectations import mean, slopes, weighed
from kit.paths import EXAMPLES
from kit.strategies import KNOWN_WORDS, metrics, mild_costs, mild_forests, mild_lattices, sentences

import latticemetric as lm
from latticemetric.posterior import expected as module
from latticemetric.training import Batch

# What small graphs do not need by themselves: columns made the same by bounds, or by differences.
WAYS = [{}, {"FEW_STATES": 0, "TABLE_BYTES": 0}, {"FEW_STATES": 0}]
texts = sentences().filter(bool).map(" ".join)


def model_costs(batch, graph):
    """The costs of a batch of one graph, under the weights of its columns."""
    weights = [column.weight for column in graph.scores.values()]
    return batch.features() @ np.array(weights)


def assert_is_expectation(value, gradient, graph, references, rate):
    paths = weighed(graph, references, rate, 1.0)
    assert value == pytest.approx(mean(paths, lambda verdict: verdict.score), abs=1e-11)
    assert gradient == pytest.approx(np.concatenate(slopes(graph, paths, 1.0)), abs=1e-11)


@st.composite
def graphs_and_references(draw):
    several = st.lists(st.tuples(mild_lattices() | mild_forests(), texts), min_size=1, max_size=4)
    return zip(*draw(several), strict=True)


@given(
    way=st.sampled_from(WAYS),
    given_graphs=graphs_and_references(),
    case=metrics(drops=False),
    workers=st.sampled_from([1, 3]),
)
def test_batches_have_the_expectations_and_slopes_of_each_graph(way, given_graphs, case, workers):
    metric, rate = case
    graphs, references = given_graphs
    costs = np.concatenate([model_costs(Batch([g], [r]), g) for g, r in zip(graphs, references, strict=True)])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in way.items():
            patch.setattr(module, name, value)
        batch = Batch(graphs, references, metric, workers=workers)
        found = batch.expected(costs)
        values_only = batch.expected(costs, gradient=False)
    assert values_only.gradient is None
    assert values_only.value.tolist() == found.value.tolist()
    for graph, text, value, gradient in zip(graphs, references, found.value, batch.split(found.gradient), strict=True):
        assert_is_expectation(value, gradient, graph, [tuple(text.split())], rate)


@given(
    strings=st.lists(sentences(3).map(" ".join), min_size=1, max_size=5),
    data=st.data(),
    several=st.lists(texts.filter(lambda text: " " in text), min_size=1, max_size=2),
)
def test_hypotheses_have_a_cost_each(strings, data, several):
    costs = np.array(data.draw(st.lists(mild_costs, min_size=len(strings), max_size=len(strings))))
    batch = Batch([lm.NBest.from_strings(strings)], [several])
    found = batch.expected(costs)
    weights = np.exp(-costs)
    shares = weights / weights.sum()
    rates = np.array([lm.WER().score(string, several) for string in strings])
    value = float(shares @ rates)
    assert found.value == pytest.approx([value], abs=1e-12)
    assert found.gradient == pytest.approx(-shares * (rates - value), abs=1e-12)


@given(
    strings=st.lists(sentences(3).map(" ".join), min_size=1, max_size=3),
    text=texts.filter(lambda text: " " in text),
    case=metrics(drops=False),
    data=st.data(),
    workers=st.sampled_from([1, 3]),
)
def test_lists_between_other_graphs_are_aligned_without_a_search(strings, text, case, data, workers):
    nbest = lm.NBest.from_strings(strings)
    given = [nbest.to_lattice(), nbest, nbest, nbest.to_lattice(), nbest]
    costs = data.draw(st.lists(mild_costs, min_size=len(strings), max_size=len(strings)))
    every = []
    for graph in given:
        first = np.zeros(Batch([graph], [text]).sizes[0])
        first[: len(costs)] = costs  # the first arcs of a lattice are those of its hypotheses
        every.append(first)
    found = Batch(given, [text] * 5, case[0], workers=workers).expected(np.concatenate(every))
    assert found.value == pytest.approx([found.value[0]] * 5, abs=1e-12)
    slopes = [part[: len(costs)] for part in Batch(given, [text] * 5, case[0]).split(found.gradient)]
    assert all(one == pytest.approx(slopes[0], abs=1e-12) for one in slopes)
    alone = Batch([nbest], [text], case[0], most_states=1).expected(costs, gradient=False)
    assert alone.value[0] == pytest.approx(found.value[0], abs=1e-12)


def test_long_lists_take_no_states():
    reference = [f"w{k % 50}" for k in range(400)]
    texts = [reference[k:] + reference[:k] for k in range(1, 9)]
    batch = Batch([lm.NBest.from_strings(texts)], [" ".join(reference)], "4-grr", most_states=1)
    scores = [lm.GRR(4).score(text, [reference]) for text in texts]
    assert batch.expected(np.zeros(8)).value == pytest.approx([sum(scores) / 8])


@st.composite
def machines(draw):
    """Arcs of k2, some of which lie on no complete path, and their scores."""
    states = draw(st.integers(1, 4))
    steps = st.tuples(st.integers(0, states - 1), st.integers(1, states), st.integers(0, len(KNOWN_WORDS)), mild_costs)
    arcs = {(0, states, -1, draw(mild_costs))}
    for source, target, label, score in draw(st.lists(steps, max_size=7)):
        if source < target:
            arcs.add((source, target, label if target < states else -1, score))
    rows = sorted(arcs)
    return np.array([[s, t, w, 0] for s, t, w, _ in rows], dtype=np.int32), np.array([score for *_, score in rows])


def k2_paths(rows):
    """Every complete path of an Fsa: the numbers of its arcs."""
    end = rows[rows[:, 2] == -1, 1][0]

    def ways(state):
        if state == end:
            yield ()
        for arc in np.flatnonzero(rows[:, 0] == state).tolist():
            yield from ((arc, *rest) for rest in ways(rows[arc, 1]))

    return list(ways(0))


@given(several=st.lists(machines(), min_size=1, max_size=3), text=texts)
def test_arcs_of_k2_have_a_cost_each(several, text):
    rows, scores = zip(*several, strict=True)
    begins = np.cumsum([0, *map(len, rows)])
    states = np.cumsum([0, *(int(one[:, :2].max()) + 1 for one in rows)])
    vector = np.concatenate([[len(rows), 0], states, begins, *(one.ravel() for one in rows)]).astype(np.int32)
    batch = Batch.from_k2(vector, [text] * len(rows), vocabulary=lm.Vocabulary.from_words(list(KNOWN_WORDS)))
    found = batch.expected(-np.concatenate(scores))
    assert batch.sizes == tuple(map(len, rows))
    for arcs, score, value, gradient in zip(rows, scores, found.value, batch.split(found.gradient), strict=True):
        paths = k2_paths(arcs)
        weights = np.exp([score[list(path)].sum() for path in paths])
        shares = weights / weights.sum()
        strings = [" ".join(KNOWN_WORDS[w - 1] for w in arcs[list(path), 2] if w > 0) for path in paths]
        rates = np.array([lm.WER().score(string, text) for string in strings])
        expected = float(shares @ rates)
        uses = np.array([[path.count(arc) for arc in range(len(arcs))] for path in paths])
        assert value == pytest.approx(expected, abs=1e-11)
        assert gradient == pytest.approx(-(shares * (rates - expected)) @ uses, abs=1e-11)


def test_features_are_the_scores_of_all_graphs():
    lists = lm.NBest.from_strings(["a b", "c"], costs=[1.0, 2.0])
    lattice = lm.Lattice.from_arcs(
        [0, 0], [1, 1], [1, 2], final=[1], scores={"lm": lm.Column([3.0, 4.0], [5.0])},
        vocabulary=lm.Vocabulary.from_words(["a", "b"]),
    )  # fmt: skip
    batch = Batch([lists, lattice], ["a b", "a"])
    assert batch.features().tolist() == [[1, 0], [2, 0], [0, 3], [0, 4], [0, 5]]
    assert batch.features(["lm"]).tolist() == [[0], [0], [3], [4], [5]]
    assert batch.totals.tolist() == [2, 1]
    with pytest.raises(lm.InputError, match="score column 'x'"):
        batch.features(["x"])


def test_an_empty_batch_has_no_rates():
    found = Batch([], []).expected([])
    assert found.value.tolist() == found.gradient.tolist() == []


@pytest.mark.parametrize(
    ("arguments", "options", "problem"),
    [
        ((["a"], "a b"), {}, "a single string is given"),
        ((["a"], ["a", "b"]), {}, "1 graphs, but 2 references"),
        ((["a"], [[[]]]), {}, "graph 0: the reference has no words"),
        ((["a"], ["a"], "bleu"), {}, "'bleu' cannot search"),
        ((["a"], ["a"]), {"most_states": 0}, "limited to 0 states"),
        ((["a"], ["a"]), {"workers": 0}, "number of workers is 0"),
        ((["a"], ["a"]), {"workers": True}, "number of workers is True"),
    ],
)
def test_hostile_batches_are_refused(arguments, options, problem):
    strings, *rest = arguments
    with pytest.raises(lm.LatticeMetricError, match=problem):
        Batch([lm.Lattice.from_strings(strings)], *rest, **options)


@pytest.mark.parametrize(
    ("costs", "problem"),
    [
        ([0.0], "the costs have the shape"),
        (np.zeros((3, 2)), "the costs have the shape"),
        ("abc", "not an array of numbers"),
        ([0.0, 0.0, 0.0, 0.0, math.nan, 0.0], "graph 1: cost 1 is nan"),
        ([0.0, 0.0, math.inf, 0.0, 0.0, 0.0], "graph 0: cost 2 is inf"),
        ([1e308] * 6, "graph 0: cost 0 is 1e"),
    ],
)
def test_hostile_costs_are_refused(costs, problem):
    lattice = lm.Lattice.from_strings(["a", "b"])
    with pytest.raises(lm.LatticeMetricError, match=problem):
        Batch([lattice, lattice], ["a", "a"]).expected(costs)


@pytest.mark.parametrize("values", [np.zeros(2), np.zeros(5), np.zeros(7), np.zeros((1, 6)), 0.0])
def test_only_arrays_with_a_row_per_cost_are_split(values):
    lattice = lm.Lattice.from_strings(["a", "b"])
    batch = Batch([lattice, lattice], ["a", "a"])
    assert [len(part) for part in batch.split(np.zeros((6, 2)))] == [3, 3]
    with pytest.raises(lm.UsageError, match=r"the values have the shape .*, but the batch has 6 costs"):
        batch.split(values)


def test_a_graph_that_needs_too_many_states_is_named():
    small, large = lm.Lattice.from_strings(["a"]), lm.Lattice.from_strings(["a b c d", "b c d a", "x a", "c x x"])
    batch = Batch([small, large], ["a", "a b c d"], most_states=6)
    with pytest.raises(lm.InputError, match="graph 1: the search needs more than 6 states"):
        batch.expected(np.zeros(sum(batch.sizes)))


def test_lattices_of_the_examples_agree_with_the_function_for_one():
    graphs = dict(lm.read(EXAMPLES / "meeting.lat.txt"))
    references = ["we should all meet on monday", "the budget is too small", "thank you all"]
    batch = Batch(graphs.values(), references, "4-grr")
    found = batch.expected(batch.features() @ [1.0, 1.0])
    for graph, text, value, gradient in zip(
        graphs.values(), references, found.value, batch.split(found.gradient), strict=True
    ):
        alone = lm.expected(graph, text, "4-grr", weights={"lm": 1.0, "acoustic": 1.0}, gradient=True)
        assert value == pytest.approx(alone.value, abs=1e-13)
        assert gradient == pytest.approx(np.concatenate([alone.gradient, alone.final_gradient]), abs=1e-13)
