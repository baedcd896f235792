"""The lattice of all oracles: exactly the paths that reach the best score, each of them once."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from kit.brute_force import answers, enumerate_paths
from kit.paths import DATA
from kit.strategies import lattices, metrics, references

import latticemetric as lm


def numbered(lattice):
    """With a column whose sum along a path says which arcs it has, and where it ends."""
    arcs, ends = len(lattice.word), len(lattice.final)
    column = lm.Column(2.0 ** np.arange(arcs), 2.0 ** np.arange(arcs, arcs + ends), weight=0)
    return replace(lattice, scores={**lattice.scores, "path": column})


@given(lattice=lattices(), given_references=references(6), case=metrics())
def test_best_paths_are_kept_and_no_others(lattice, given_references, case):
    lattice = numbered(lattice)
    metric, rate = case
    judged = answers(lattice, given_references.words, rate)
    best = max(answer.verdict.merit for answer in judged)
    expected = Counter(
        (answer.path.words, tuple(answer.path.sums.items())) for answer in judged if answer.verdict.merit == best
    )
    found = lm.oracle_lattice(lattice, given_references.argument, metric)
    assert Counter((path.words, tuple(path.sums.items())) for path in enumerate_paths(found)) == expected
    assert sum(path.cost for path in found.paths()) == pytest.approx(
        float(sum(answer.cost for answer in judged if answer.verdict.merit == best))
    )


@given(lattice=lattices(), given_references=references(6), case=metrics())
def test_no_two_states_have_the_same_future(lattice, given_references, case):
    lattice = numbered(lattice)
    found = lm.oracle_lattice(lattice, given_references.argument, case[0])
    futures = {}
    for state in reversed(range(found.num_states)):
        here = found.source == state
        rows = zip(found.scores["path"].arc[here].tolist(), found.target[here].tolist(), strict=True)
        ends = found.scores["path"].final[found.final == state].tolist()
        key = (tuple(ends), frozenset((number, futures[target]) for number, target in rows))
        assert key not in futures.values()
        futures[state] = key


def test_best_paths_of_several_references_are_all_kept():
    lattice = lm.Lattice.from_strings(["a b", "c d", "a d", "c"])
    found = lm.oracle_lattice(lattice, ["a b", "c d"], "wrr")
    assert {path.words for path in found.paths()} == {("a", "b"), ("c", "d")}
    found = lm.oracle_lattice(lattice, ["a b", "x y"], "wrr")
    assert {path.words for path in found.paths()} == {("a", "b")}


def test_times_and_labels_stay_where_they_were():
    phones = lm.Vocabulary.from_words(["p", "q", "r", "s"])
    lattice = lm.Lattice.from_arcs(
        [0, 0, 1, 1],
        [1, 1, 2, 2],
        [1, 2, 3, 4],
        final=[2],
        times=[0.0, 0.5, 1.25],
        labels={"phones": lm.Labels(np.array([1, 2, 3, 4], np.int32), np.array([0], np.int32), phones)},
    )
    found = lm.oracle_lattice(lattice, "2 3", "wer")
    assert found.times.tolist() == [0.0, 0.5, 1.25]
    assert found.labels["phones"].vocabulary.decode(found.labels["phones"].arc) == ["q", "r"]


def test_paths_of_many_alignments_stay_once():
    lattice = lm.Lattice.from_strings(["a a a", "a a"])
    assert [path.words for path in lm.oracle_lattice(lattice, "a " * 12, "wrr").paths()] == [("a", "a", "a")]


def test_a_forest_that_is_a_lattice_is_taken_as_one():
    lattice = lm.Lattice.from_strings(["a b", "b a"], costs=[1.0, 2.0])
    found = lm.oracle_lattice(lm.Forest.from_lattice(lattice), "a b")
    assert [(path.words, path.cost) for path in found.paths()] == [(("a", "b"), 1.0)]
    tree = lm.Forest.from_edges([0, 1], [[], [0, 0]], [[1], [-1, -2]], goals=[1])
    with pytest.raises(lm.InputError, match="not a lattice"):
        lm.oracle_lattice(tree, "1 1")


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.exists(), reason="real lattices are elsewhere")
def test_lattices_of_real_oracles_are_all_as_good():
    folder = DATA / "hifst"
    graphs = sorted(lm.read(str(folder / "att")), key=lambda pair: int(pair[0]))[:5]
    metric = lm.GRR(4, ignore=["1", "2"])
    for (_, lattice), reference in zip(graphs, (folder / "refs.50.idx").read_text().splitlines(), strict=False):
        best = lm.oracle(lattice, reference, metric)
        found = lm.oracle_lattice(lattice, reference, metric)
        assert lm.oracle(found, reference, metric).words == best.words
        assert lm.worst(found, reference, metric).numerator == best.numerator
