"""Texts of labels in one buffer: they are what a plain vocabulary of the same texts is."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import of_ids, of_texts

import latticemetric as lm
from latticemetric import _native
from latticemetric.lattice.texts import Texts
from latticemetric.parallel.plain import NotPlainError, PlainData

ids = st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=4)
id_lists = st.lists(ids, max_size=6)
any_texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9), max_size=6)


@st.composite
def tables(draw):
    """A table, and the texts of its numbers, from 1."""
    if draw(st.booleans()):
        texts = ["_".join(map(str, row)) for row in draw(id_lists)]
        return of_ids(texts), texts
    texts = draw(any_texts)
    return of_texts(texts), texts


@st.composite
def labels(draw):
    """Labels, and the texts of arcs and of final states."""
    table, texts = draw(tables())
    numbers = st.lists(st.integers(0, len(texts)), max_size=8)
    columns = [np.array(draw(numbers), dtype=np.int32) for _ in range(2)]
    return lm.Labels(*columns, table), [["", *texts][n] for n in columns[0]], [["", *texts][n] for n in columns[1]]


def spelled(side):
    return [[side.vocabulary.word(n) for n in numbers.tolist()] for numbers in (side.arc, side.final)]


@given(table=tables())
def test_a_table_spells_numbers_as_a_vocabulary_does(table):
    found, texts = table
    numbers = np.arange(len(texts) + 1, dtype=np.int32)[::-1]
    assert [found.word(n) for n in numbers.tolist()] == ["", *texts][::-1]
    assert found.words(numbers) == ["", *texts][::-1]
    assert found.decode(numbers) == texts[::-1]
    assert list(found.items()) == list(enumerate(texts, start=1))
    assert len(found) == len(texts)
    assert repr(found) == f"Texts({len(texts)} labels)"


@given(table=tables(), other=st.text(max_size=3))
def test_the_number_of_a_text_is_the_first_that_has_it(table, other):
    found, texts = table
    for text in [*texts, other]:
        assert found.number(text) == (texts.index(text) + 1 if text in texts else -1)
        assert (text in found) == (text in texts)
    assert found.encode(texts).tolist() == [texts.index(text) + 1 for text in texts]


@given(one=tables(), other=tables())
def test_tables_are_equal_if_their_texts_are(one, other):
    (found, texts), (others, other_texts) = one, other
    assert (found == others) == (texts == other_texts)
    assert found == of_texts(texts)
    assert hash(found) == hash(of_texts(texts))
    if len(set(texts)) == len(texts):
        plain = lm.Vocabulary.from_words(texts)
        assert found == plain
        assert plain == found
        assert hash(found) == hash(plain)


@given(table=tables())
def test_numbers_without_a_text_are_refused(table):
    found, texts = table
    found.check(np.arange(len(texts) + 1, dtype=np.int32))
    for wrong in (-1, len(texts) + 1):
        with pytest.raises(lm.InputError, match="outside"):
            found.check(np.array([wrong], dtype=np.int32))
        with pytest.raises(lm.InputError, match="outside"):
            found.word(wrong)


@given(drawn=labels(), data=st.data())
def test_labels_that_are_taken_keep_their_texts_and_no_others(drawn, data):
    side, arcs, ends = drawn
    chosen = [
        np.array(data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=9) if texts else st.just([])), np.int64)
        for texts in (arcs, ends)
    ]
    taken = side.taken(*chosen)
    assert spelled(taken) == [[arcs[k] for k in chosen[0]], [ends[k] for k in chosen[1]]]
    assert len(taken.vocabulary) == len({n for n in [*side.arc[chosen[0]], *side.final[chosen[1]]] if n})
    assert spelled(side.taken(slice(None), slice(None))) == [arcs, ends]


@given(one=labels(), other=labels())
def test_labels_are_equal_if_their_texts_are(one, other):
    def plain(arcs, ends):
        table = lm.Vocabulary.from_words(sorted({*arcs, *ends} - {""}))
        numbers = [[table.number(text) if text else 0 for text in texts] for texts in (arcs, ends)]
        return lm.Labels(*(np.array(column, dtype=np.int32) for column in numbers), table)

    side, *texts = one
    same = plain(*texts)
    assert side == same
    assert same == side
    assert hash(side) == hash(same)
    assert (side == other[0]) == (texts == list(other[1:]))
    assert side != "labels"


@given(drawn=labels())
def test_labels_come_back_from_pickles_copies_and_plain_data(drawn):
    side, arcs, ends = drawn
    plain = PlainData()
    for back in (pickle.loads(pickle.dumps(side)), copy.deepcopy(side), plain.loads(plain.dumps(side))):
        assert back == side
        assert spelled(back) == [arcs, ends]
        assert type(back.vocabulary) is Texts
        assert not back.vocabulary.begin.flags.writeable
        assert not back.vocabulary.values.flags.writeable


@pytest.mark.parametrize(
    ("begin", "values"),
    [
        ([1, 2], b"ab"),
        ([0, 3], b"ab"),
        ([0, 1], b"ab"),
        ([0, 2, 1, 2], b"ab"),
        ([], b""),
        ([0, -1, 2], b"ab"),
        ([0, 1, 2], "é".encode()),
    ],
)
def test_plain_data_with_broken_rows_are_refused(begin, values):
    plain = PlainData()
    table = Texts(np.array(begin, dtype=np.int64), np.frombuffer(values, np.uint8))
    with pytest.raises(NotPlainError):
        plain.loads(plain.dumps(table))


def test_kernels_refuse_rows_that_are_not_there():
    begin, values = np.array([0, 1], dtype=np.int64), np.zeros(1, dtype=np.int32)
    for row in (-1, 1):
        with pytest.raises(ValueError, match="no such row"):
            _native.take_rows(begin, values, np.array([row]))
    with pytest.raises(ValueError, match="not in order"):
        _native.join_rows(begin[::-1].copy() + np.array([-1, 5]), values)


def test_a_part_of_a_lattice_is_pickled_without_the_labels_of_the_rest(tmp_path):
    many = "".join(f"0 1 {k} 0,{k},{'7_' * 200}8\n" for k in range(1, 500))
    (tmp_path / "x.lat.txt").write_text(f"utt \n{many}1 0,0,\n\n")
    whole = lm.read_one(tmp_path / "x.lat.txt")
    part = whole.pruned(1.5)
    assert len(pickle.dumps(whole)) > 200_000
    assert len(pickle.dumps(part)) < 5_000
    assert part.labels["transitions"].vocabulary.decode(part.labels["transitions"].arc) == ["7_" * 200 + "8"] * 2


def test_rows_of_another_width_do_not_change_how_texts_are_read():
    # NumPy 1.26 and 2 differ in the width of sums; an overload for numbers would read bytes as numbers.
    begin, values = np.array([0, 1, 3], dtype=np.int64), np.frombuffer(b"abc", dtype=np.uint8)
    for width in (np.int32, np.int64):
        _, taken = _native.take_rows(begin, values, np.array([1], dtype=width))
        assert (taken.dtype, taken.tobytes()) == (np.uint8, b"bc")
