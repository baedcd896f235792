"""Arrays of k2: what goes in comes out, and is what the text of k2 says."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from kit.paths import EXAMPLES
from kit.strategies import lattices, mild_lattices

import latticemetric as lm


def arcs_of(*rows):
    """Rows of source, target, label and score, as k2 keeps them."""
    arcs = np.array([(*row[:3], 0) for row in rows], dtype=np.int32)
    arcs[:, 3] = np.array([row[3] for row in rows], dtype=np.float32).view(np.int32)
    return arcs


def paths_of(lattice):
    return sorted((path.words, round(path.cost, 4)) for path in lattice.paths())


@given(lattice=mild_lattices())
def test_lattices_come_back_from_k2(lattice):
    found = lattice.to_k2()
    assert found.aux_labels is None
    again = lm.Lattice.from_k2(found.arcs, vocabulary=lattice.vocabulary)
    assert paths_of(again) == paths_of(lattice)
    (alone,) = lm.lattices_from_k2(found.arcs, vocabulary=lattice.vocabulary)
    assert alone == again
    many = lm.lattices_to_k2([lattice, again, lattice])
    assert many.arcs.ndim == 1
    for one in lm.lattices_from_k2(many.arcs, vocabulary=lattice.vocabulary):
        assert paths_of(one) == paths_of(lattice)


@given(lattice=lattices())
def test_arcs_are_as_k2_demands(lattice):
    arcs = lattice.to_k2().arcs
    assert arcs.dtype == np.int32
    assert (np.diff(arcs[:, 0]) >= 0).all()
    assert ((arcs[:, 1] == lattice.num_states) == (arcs[:, 2] == -1)).all()
    assert (arcs[:, 2] == -1).sum() == len(lattice.final)


def test_arrays_are_what_the_text_says():
    lines = (EXAMPLES / "lighthouse.k2.txt").read_text().splitlines()[:-1]
    rows = [tuple(float(field) for field in line.split()) for line in lines]
    arcs = arcs_of(*((int(s), int(t), int(label), score) for s, t, label, _, score in rows))
    aux = np.array([int(row[3]) for row in rows], dtype=np.int32)
    lattice = lm.Lattice.from_k2(arcs, [row[-1] for row in rows], aux_labels=aux)
    assert lattice == lm.read_one(EXAMPLES / "lighthouse.k2.txt")
    back = lattice.to_k2()
    assert back.aux_labels.tolist() == aux.tolist()
    assert back.arcs.tolist() == arcs.tolist()
    two = lm.lattices_to_k2([lattice, lattice])
    assert lm.lattices_from_k2(two.arcs, aux_labels=two.aux_labels)[1].word.tolist() == lattice.word.tolist()


def test_a_state_with_several_ways_to_end_keeps_them():
    lattice = lm.Lattice.from_k2(arcs_of((0, 1, 5, -1.0), (1, 2, -1, -0.5), (1, 2, -1, -0.25)))
    assert paths_of(lattice) == [(("5",), 1.25), (("5",), 1.5)]


GOOD = arcs_of((0, 1, 5, -1.0), (1, 2, -1, 0.0))
LETTERS = lm.Vocabulary.from_words(["c", "a", "b"])
TWO = [lm.Lattice.from_strings(["a"]), lm.Lattice.from_strings(["b c", "", "c"])]
VECTOR = lm.lattices_to_k2(TWO, vocabulary=LETTERS).arcs


@pytest.mark.parametrize(
    ("arcs", "options", "problem"),
    [
        (GOOD.astype(np.int64), {}, "arcs are not int32"),
        ("arcs", {}, "arcs are not int32"),
        (GOOD[:, :3], {}, r"an array of shape \(2, 3\) does not hold arcs of k2"),
        (GOOD[:1], {}, "no arc has the label -1"),
        (GOOD[::-1], {}, "not sorted"),
        (arcs_of((0, 1, 5, 0.0), (0, 2, 7, 0.0), (1, 2, -1, 0.0)), {}, "must have the label -1"),
        (arcs_of((0, 3, 5, 0.0), (1, 2, -1, 0.0)), {}, "above 2, the number of the final state"),
        (arcs_of((0, 1, 5, np.nan), (1, 2, -1, 0.0)), {}, "not finite"),
        (GOOD, {"scores": [0.0]}, "scores has the shape"),
        (GOOD, {"scores": ["a", "b"]}, "must be numbers"),
        (GOOD, {"aux_labels": np.zeros(3, dtype=np.int32)}, "aux_labels has the shape"),
        (VECTOR, {}, "the vector has 2 Fsas"),
        (VECTOR[:-1], {}, "not a vector of Fsas"),
        (VECTOR[:3], {}, "not a vector of Fsas"),
        (np.array([2**30, 0, 0], dtype=np.int32), {}, "not a vector of Fsas"),
        (np.array([-5, 0], dtype=np.int32), {}, "not a vector of Fsas"),
        (np.zeros(0, dtype=np.int32), {}, "not a vector of Fsas"),
    ],
)
def test_hostile_arrays_are_refused(arcs, options, problem):
    with pytest.raises(lm.LatticeMetricError, match=problem):
        lm.Lattice.from_k2(arcs, **options)


def test_a_vector_has_one_vocabulary():
    again = lm.lattices_from_k2(VECTOR, vocabulary=LETTERS)
    assert [paths_of(one) for one in again] == [paths_of(one) for one in TWO]
    assert lm.lattices_to_k2(again).arcs.tolist() == VECTOR.tolist()
    with pytest.raises(lm.UsageError, match="lattices 0 and 1 have different vocabularies"):
        lm.lattices_to_k2(TWO)
    sided = [lm.Lattice.from_k2(GOOD, aux_labels=np.array([3, -1], dtype=np.int32), vocabulary=LETTERS)] * 2
    assert lm.lattices_to_k2(sided).aux_labels.tolist() == [3, -1] * 2
    spelled = replace(sided[0].labels["input"], vocabulary=lm.Vocabulary({5: "s"}))
    with pytest.raises(lm.UsageError, match="different vocabularies of input labels"):
        lm.lattices_to_k2([sided[0], replace(sided[1], labels={"input": spelled})])
    with pytest.raises(lm.InputError, match="the word 'c' is not in the vocabulary"):
        lm.lattices_to_k2(TWO, vocabulary=lm.Vocabulary.from_words(["a", "b"]))


def test_costs_that_single_precision_cannot_hold_are_refused():
    with pytest.raises(lm.InputError, match="too large"):
        lm.Lattice.from_strings(["a"], costs=[1e39]).to_k2()
