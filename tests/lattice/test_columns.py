"""Columns: scores are arrays, whatever they are made of; states and nodes are numbered without gaps."""

import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.lattice.columns import without_gaps


@pytest.mark.parametrize(
    "given", [[1, 2], (1.0, 2.0), range(1, 3), np.array([1, 2]), np.array([1, 2], np.float32), [Decimal(1), 2]]
)
def test_columns_have_arrays_of_floats(given):
    column = lm.Column(given, [0], weight=1)
    assert (column.arc.tolist(), column.final.tolist(), column.weight) == ([1.0, 2.0], [0.0], 1.0)
    assert (column.arc.dtype, column.final.dtype, type(column.weight)) == (np.float64, np.float64, float)
    assert not column.arc.flags.writeable
    assert column == lm.Column(np.array([1.0, 2.0]), np.zeros(1)) == pickle.loads(pickle.dumps(column))


def test_columns_do_not_follow_the_array_of_the_caller():
    given = np.array([1.0, 2.0])
    column = lm.Column(given, [0.0])
    given[0] = 9.0
    assert column.arc.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["1.5"], "values that are not numbers"),
        (["a"], "values that are not numbers"),
        (np.array(["1.5", 2], dtype=object), "values that are not numbers"),
        ([1j], "values that are not numbers"),
        ([10**400], "values that are not numbers"),
        ([[1.0], [1.0, 2.0]], "values that are not numbers"),
        ([[1.0]], "a flat list of numbers"),
        (1.0, "a flat list of numbers"),
    ],
)
def test_what_is_no_flat_list_of_numbers_is_refused(given, message):
    for make in (lambda: lm.Column(given, [0.0]), lambda: lm.Column([0.0], given)):
        with pytest.raises(lm.InputError, match=message):
            make()
    with pytest.raises(lm.InputError, match="values that are not numbers"):
        lm.Column([1.0], [0.0], "0.5")


@pytest.mark.parametrize("weight", [None, [2.0], [1.0, 2.0], np.array([2.0])])
def test_what_is_not_one_number_is_no_scale(weight):
    with pytest.raises(lm.InputError, match="the weight of a score column is not a number"):
        lm.Column([1.0], [0.0], weight)


@drawn(st.lists(st.lists(st.integers(0, 40) | st.integers(0, 10**6)), min_size=1, max_size=4), st.sampled_from("ilq"))
def test_numbers_without_gaps_keep_their_order(parts, kind):
    """Numbers with small gaps are counted in a table, others are sorted; both give each number its rank."""
    distinct = sorted({number for part in parts for number in part})
    numbers, names = without_gaps([np.array(part, dtype=kind) for part in parts])
    assert [part.tolist() for part in numbers] == [[distinct.index(number) for number in part] for part in parts]
    assert names.tolist() == distinct
    assert {part.dtype for part in numbers} == {np.dtype(np.int32)}
