"""The forest of best derivations: exactly those that reach the best score, each of them once."""

from collections import Counter

import pytest
from hypothesis import given
from kit.formats import can_be_listed, forest_drafts
from kit.paths import DATA
from kit.strategies import COLUMN_NAMES, costs, lattices, metrics, references

import latticemetric as lm

forests = forest_drafts(list("abcd"), list(COLUMN_NAMES), costs).filter(can_be_listed).map(lambda draft: draft.forest())


def best_of(said, given_references, metric):
    """Words and costs of all that reaches the best merit."""
    listed = [list(reference) for reference in given_references.words]
    merits = {words: _merit(words, listed, metric) for words, _ in said}
    best = max(merits.values())
    return Counter((words, cost) for words, cost in said if merits[words] == best)


def _merit(words, listed, metric):
    counted = [word for word in words if word not in metric.ignore]
    return metric.merit(metric.evaluate(counted, listed)[1])


def said_by(forest):
    return [(derivation.words, derivation.cost) for derivation in forest.derivations()]


@given(forest=forests, given_references=references(6), case=metrics())
def test_best_derivations_are_kept_and_no_others(forest, given_references, case):
    found = lm.oracle_forest(forest, given_references.argument, case[0])
    assert Counter(said_by(found)) == best_of(said_by(forest), given_references, case[0])


@given(lattice=lattices(), given_references=references(6), case=metrics())
def test_best_paths_are_kept_and_no_others(lattice, given_references, case):
    found = lm.oracle_forest(lattice, given_references.argument, case[0]).to_lattice()
    paths = [(path.words, path.cost) for path in lattice.paths()]
    assert Counter((path.words, path.cost) for path in found.paths()) == best_of(paths, given_references, case[0])


@pytest.mark.skipif(not DATA.exists(), reason="real forests are elsewhere")
def test_a_real_forest_says_a_reference_in_some_ways():
    forest = lm.read_one(DATA / "forests" / "training_dpmert_test_data_0.json.gz")
    lines = (DATA / "forests" / "training_dpmert_test_data_0.references.txt").read_text().splitlines()
    metric = lm.GRR(4)
    listed = [line.split() for line in lines]
    found = lm.oracle_forest(forest, lines, metric)
    expected = Counter(words for words, _ in said_by(forest) if _merit(words, listed, metric) == (True, 1))
    assert Counter(words for words, _ in said_by(found)) == expected


def test_the_forest_of_a_long_list_needs_little_memory():
    words = [f"w{number}" for number in range(10_000)]
    nbest = lm.NBest.from_strings([["wrong", *words[1:]], words, [*words, "more"]], costs=[0.0, 1.0, 2.0])
    lm.limit_memory("200M")
    try:
        found = lm.oracle_forest(nbest, [words], "wer")
    finally:
        lm.limit_memory(None)
    assert found.words(found.best_path()) == tuple(words)
    assert len(found.head) == len(words) + 1  # an edge for each word, and one for the start
    assert said_by(lm.oracle_forest(lm.NBest.from_strings(["ab", "ac"]), "a", "cer")) == [
        (("ab",), 0.0),
        (("ac",), 0.0),
    ]
