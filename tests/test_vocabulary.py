"""Words and numbers: tables, their pickles, and the words among symbols."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import latticemetric as lm
from latticemetric.vocabulary import STAR, distinct_words


@pytest.mark.parametrize("vocabulary", [lm.Vocabulary({1: "a"}), lm.Vocabulary.embedded({1: "a"})])
def test_a_pickle_knows_where_its_numbers_are_from(vocabulary):
    again = pickle.loads(pickle.dumps(vocabulary))
    assert again == vocabulary
    assert (again.is_given, again.is_embedded) == (vocabulary.is_given, vocabulary.is_embedded)


@given(arrays(np.int32, st.integers(0, 30), elements=st.integers(-5, 9) | st.integers(-(2**31), STAR)))
def test_distinct_words_are_neither_epsilon_nor_negative(symbols):
    words = distinct_words(symbols)
    assert words.dtype == np.int32
    assert words.tolist() == sorted({number for number in symbols.tolist() if number > 0})
