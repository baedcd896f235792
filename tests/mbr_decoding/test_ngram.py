"""Lattices with gains against every path of the lattice they were made of."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.paths import DATA
from kit.posteriors import chains, expected_posteriors, gain_of, parameters, weighed_paths
from kit.strategies import lattices, scalings

import latticemetric as lm
from latticemetric import _native
from latticemetric.mbr_decoding.ngram import mbr_with_lattice


def sums(lattice, path):
    """Each column of a path, added up."""
    end = int(lattice.target[path.arcs[-1]]) if path.arcs else 0
    row = lattice.final.tolist().index(end)
    return {name: float(c.arc[list(path.arcs)].sum() + c.final[row]) for name, c in lattice.scores.items()}


def assert_has_the_gains(found, lattice, evidence, chosen, weights=None):
    """Each path is there once, with its own scores, and costs minus what its string gains."""
    posterior = expected_posteriors(weighed_paths(evidence, chosen["posterior_scale"], weights)[0], chosen["order"])
    expected = Counter((path.words, *sums(lattice, path).values()) for path in lattice.paths())
    paths = [(path, sums(found, path)) for path in found.paths()]
    assert Counter((path.words, *(own[name] for name in lattice.scores)) for path, own in paths) == expected
    for path, own in paths:
        assert own["gain"] == pytest.approx(-gain_of(path.words, posterior, **chosen), abs=1e-9)
        assert path.cost == own["gain"]
    # Strings tie exactly: the same words have the same cost, bit by bit.
    assert len({(path.words, path.cost) for path, _ in paths}) == len({path.words for path, _ in paths})


@given(lattice=lattices(), chosen=parameters, data=st.data())
def test_every_path_costs_what_its_string_gains(lattice, chosen, data):
    weights = data.draw(scalings(lattice))
    found = lm.mbr_lattice(lattice, **chosen, weights=weights)
    assert_has_the_gains(found, lattice, lattice, chosen, weights)
    best = lm.mbr(lattice, **chosen, weights=weights)
    assert min(path.cost for path in found.paths()) == pytest.approx(-best.gain, abs=1e-9)
    columns = {name: column.weight for name, column in lattice.scores.items()} | {"gain": 0.0} | (weights or {})
    assert sorted((path.words, path.cost) for path in found.paths(columns)) == [
        (words, pytest.approx(cost)) for words, cost in sorted((p.words, p.cost) for p in lattice.paths(weights))
    ]


@given(lattice=chains(), chosen=parameters)
def test_every_path_of_a_lattice_that_repeats_itself(lattice, chosen):
    assert_has_the_gains(lm.mbr_lattice(lattice, **chosen), lattice, lattice, chosen)


@given(lattice=lattices(), evidence=lattices(), chosen=parameters)
def test_gains_may_come_from_other_evidence(lattice, evidence, chosen):
    assert_has_the_gains(lm.mbr_lattice(lattice, **chosen, evidence=evidence), lattice, evidence, chosen)


@given(lattice=lattices(), chosen=parameters, beam=st.sampled_from([0.0, 0.5, 100.0]))
def test_pruning_comes_first(lattice, chosen, beam):
    pruned = lattice.pruned(beam)
    assert_has_the_gains(lm.mbr_lattice(lattice, **chosen, beam=beam), pruned, pruned, chosen)


@given(lattice=lattices(), chosen=parameters)
def test_both_answers_at_once_are_each_answer(lattice, chosen):
    best, found = mbr_with_lattice(lattice, lm.ByNgrams(**chosen), gains_only=True)
    assert best == lm.mbr(lattice, **chosen)
    assert list(found.scores) == ["gain"]
    whole = lm.mbr_lattice(lattice, **chosen)
    assert (found.scores["gain"].arc == whole.scores["gain"].arc).all()
    assert (found.source.tolist(), found.target.tolist()) == (whole.source.tolist(), whole.target.tolist())


def test_histories_that_cannot_matter_are_not_kept_apart():
    """`x` and `y` are followed by nothing that both of their bigrams would go on with."""
    lattice = lm.Lattice.from_arcs([0, 0, 1], [1, 1, 2], [1, 2, 3], final=[2])
    assert lm.mbr_lattice(lattice, order=1).num_states == 3
    assert lm.mbr_lattice(lattice, order=2).num_states == 4


@given(lattice=lattices(), chosen=parameters)
def test_arcs_of_a_state_keep_their_order(lattice, chosen):
    numbers = lm.Column(np.arange(len(lattice.word), dtype=np.float64), np.zeros(len(lattice.final)), weight=0.0)
    numbered = dataclasses.replace(lattice, scores={"number": numbers})
    found = lm.mbr_lattice(numbered, **chosen)
    rows = list(zip(found.source.tolist(), found.scores["number"].arc.tolist(), strict=True))
    assert rows == sorted(rows)
    assert len(set(rows)) == len(rows)


def test_times_and_labels_stay_with_their_states_and_arcs():
    labels = {"input": lm.Labels(np.array([1, 2, 1], np.int32), np.zeros(1, np.int32), lm.Vocabulary.numeric())}
    lattice = lm.Lattice.from_arcs(
        [0, 0, 1], [1, 1, 2], [1, 2, 3], final=[2], times=[0.0, 0.5, 0.75], labels=labels
    )  # fmt: skip
    found = lm.mbr_lattice(lattice, order=2)
    assert found.times.tolist() == [0.0, 0.5, 0.5, 0.75]
    assert found.labels["input"].arc.tolist() == [1, 2, 1, 1]
    assert not lm.mbr_lattice(lattice, order=2, gains_only=True).labels


def test_a_column_of_that_name_is_not_written_over():
    lattice = lm.mbr_lattice(lm.Lattice.from_strings(["a", "b"], costs=[0.0, 1.0]))
    with pytest.raises(lm.UsageError, match="has a score column 'gain'; choose gains only"):
        lm.mbr_lattice(lattice)
    assert list(lm.mbr_lattice(lattice, gains_only=True).scores) == ["gain"]


@pytest.mark.parametrize("bad", [{"parent": [-1, 1]}, {"gain": [0.0]}, {"states": 1}, {"word": [1]}])
def test_the_border_refuses_what_does_not_fit(bad):
    given = {
        "source": [0, 0], "target": [1, 1], "word": [1, 2], "states": 2,
        "parent": [-1, 0], "ending": [0, 1], "gain": [0.0, 1.0], "word_gain": 0.0,
    }  # fmt: skip
    arrays = {
        name: np.array(value, np.float64 if name == "gain" else np.int32) if isinstance(value, list) else value
        for name, value in (given | bad).items()
    }
    with pytest.raises(ValueError, match=r".+"):
        _native.unfold_gains(**arrays)


HIFST = sorted((DATA / "hifst" / "att").glob("*.gz"))


@pytest.mark.real_data
@pytest.mark.skipif(not HIFST, reason=f"there are no lattices in {DATA} (LATTICEMETRIC_DATA)")
def test_the_best_paths_of_real_lattices_are_the_answers():
    for file in HIFST[:12]:
        lattice = lm.read_one(file)
        best, found = mbr_with_lattice(lattice, lm.ByNgrams(posterior_scale=0.4))
        cost = found.cost()
        is_word = (found.word != 0).astype(np.uint8)
        path = _native.best_path(found.native(cost, is_word=is_word))
        assert -found.cost_of(path, cost) == pytest.approx(best.gain, abs=1e-9)
        assert found.statistics().paths == lattice.statistics().paths
