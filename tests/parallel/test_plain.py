"""Values written as plain data: they come back equal, and data that nobody wrote make errors and nothing else."""

import json
import random
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.strategies import lattices

import latticemetric as lm
from latticemetric import Forest, InputError, Lattice
from latticemetric.corpus.answer import Answer
from latticemetric.corpus.margins import MarginKind, Margins
from latticemetric.corpus.oracles import OracleAnswer
from latticemetric.corpus.run import register_results
from latticemetric.errors import FormatError
from latticemetric.lattice.lattice import Column, Labels
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.oracle_search.oracle import oracle
from latticemetric.parallel import plain
from latticemetric.parallel.plain import NotPlainError, PlainData
from latticemetric.vocabulary import Vocabulary

register_results()


def same(a, b):
    """Equal in value, in type and in order, all the way down."""
    if type(a) is not type(b) or isinstance(a, float):
        return (type(a), repr(a)) == (type(b), repr(b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True) and a.flags.writeable == b.flags.writeable
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "items") and not isinstance(a, Vocabulary):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if hasattr(a, "__dict__"):
        return same(*({key: value for key, value in vars(x).items() if key != "_graph"} for x in (a, b)))
    return a == b


def returned(value):
    return PlainData().loads(PlainData().dumps(value))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[]))
KEYS = st.text() | st.integers() | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner) | st.dictionaries(KEYS, inner)
    ),
)


@given(VALUES)
def test_plain_values_come_back_equal(value):
    assert same(returned(value), value)


LABELS = Vocabulary.from_words(["x", "y"])
LATTICE = Lattice.from_arcs(
    [0, 0, 1],
    [1, 1, 2],
    [5, 7, 8],
    final=[1, 2],
    scores={"lm": Column([0.1, 1e300, 3.0], [0.0, 2.5], 0.0)},
    times=[0.0, 0.5, 1.0],
    labels={"in": Labels(np.array([1, 2, 0], np.int32), np.array([0, 1], np.int32), LABELS)},
)
SPELLED = Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])
FOREST = Forest.from_edges([0, 1, 1], [[], [0], [0]], [[5], [-1, 6], [6, -1]], goals=[1])


@pytest.mark.parametrize(
    "value",
    [
        LATTICE,
        SPELLED,
        FOREST,
        NBest((Hypothesis(("a",), {"lm": 1.0}), Hypothesis((), {})), {"lm": 0.5}),
        oracle(SPELLED, "a c", "wer"),
        Vocabulary.numeric(),
        Vocabulary({3: "c", 1: "a"}),
        2**100_000,
        {"paths": -(10**6000), "of": [2**65]},
        np.float64(0.1),
        np.int32(7),
        np.bool_(True),
        np.arange(3),
        np.zeros(0),
        Fraction(-1, 3),
        "\udc80",
        float("-inf"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_results_and_graphs_come_back_equal(value):
    assert same(returned(value), value)


@given(lattices())
def test_lattices_come_back_equal(lattice):
    assert same(returned(lattice), lattice)


def test_errors_come_back_equal():
    found = returned(FormatError("bad", where="a:1", advice="mend it"))
    assert (type(found), str(found)) == (FormatError, "a:1: bad; mend it")


class _OwnError(InputError):
    """One that only some program knows."""


def test_an_error_of_another_program_is_written_as_the_nearest_of_ours():
    assert type(returned(_OwnError("bad"))) is InputError


def test_answers_hold_words_that_are_numbers():
    """The vocabulary of such lattices is one object, and has no table."""
    found = returned(Answer("a", LATTICE)).value
    assert found.vocabulary is Vocabulary.numeric()


def test_known_values_are_written_as_their_position():
    known = (lm.ByNgrams(p=0.5), lm.ByNgrams(p=0.9))
    data = PlainData(known).dumps([lm.ByNgrams(p=0.9), known[0]])
    assert data == b'["list",["known",1],["known",0]]'
    assert PlainData(known).loads(data) == [known[1], known[0]]
    with pytest.raises(NotPlainError, match="not among the known values"):
        PlainData(known).dumps(lm.ByNgrams())
    for wrong in (b'["known",2]', b'["known",-3]', b'["known","x"]'):
        with pytest.raises(NotPlainError):
            PlainData(known).loads(wrong)


def test_keys_may_be_results():
    value = Margins((), {}, None, {MarginKind("hope", 0.5): InputError("none")})
    assert [str(error) for error in returned(value).failed.values()] == ["none"]


def test_a_table_that_many_graphs_share_is_written_once():
    shared = Vocabulary.from_words(f"word{k}" for k in range(1000))
    answers = [Answer(str(k), Lattice.from_arcs([0], [1], [k + 1], final=[1], vocabulary=shared)) for k in range(20)]
    writer, reader = PlainData(), PlainData()
    written = [writer.dumps(answer) for answer in answers]
    assert max(map(len, written[2:])) < 300
    read = [reader.loads(data) for data in written]
    assert all(map(same, read, answers))
    assert len({id(answer.value.vocabulary) for answer in read[1:]}) == 1
    # A reader goes on writing: its numbers of tables are those of the writer.
    assert same(writer.loads(reader.dumps(read[-1])), answers[-1])


class Stranger:
    """No result of ours."""


@pytest.mark.parametrize("value", [Stranger(), Answer("a", Stranger()), [{"a": {1, 2}}], np.zeros((2, 2)), b"x"])
def test_other_objects_are_refused(value):
    with pytest.raises(NotPlainError, match="not plain data"):
        PlainData().dumps(value)


def test_every_class_that_is_read_can_be_checked():
    """Annotations of all kinds are understood, those of type checkers only among them."""
    for name in plain._CLASSES:
        checks = plain._checks(name)
        assert checks, name
        assert list(checks) == list(plain._field_names(plain._class(name))), name


def test_no_class_that_is_read_does_anything_when_it_is_made():
    """They keep what they are given: what a file says can make values, and nothing happen."""
    for name in plain._CLASSES:
        own = vars(plain._class(name))
        assert not {"__del__", "__setstate__", "__new__"} & (own.keys() - _GENERATED.get(name, set())), name
        assert "__post_init__" not in own or name in _COPYING, name


_COPYING = {"NBest", "Hypothesis", "Column", "ScoredPath", "CompoundPath", "ValuedPath"}  # they make fields read-only
_GENERATED = {
    "Lattice": {"__setstate__"},  # for pickles of workers
    "Forest": {"__setstate__"},
    **{
        key: {"__new__"}
        for key in ("BesideStatistics", "Confidences", "PointOracle", "RankedString", "RiskOfString", "Strings")
    },  # of named tuples
}


# --- Data that nobody wrote


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[[]]",
        "[{}]",
        '["Journal","/tmp/x",{}]',
        '["latticemetric.parallel.journal.Journal","/tmp/x",{}]',
        '["Popen","true"]',
        '["tuple"' + ",[" * 10_000 + "]" * 10_000 + "]",
        "[" * 100_000,
        '{"a":' * 100_000,
        '["int","zz"]',
        '["int",5]',
        '["array","|O","AAAA"]',
        '["array","<i8","AAAA"]',
        '["array","<i4",7]',
        '["number","<i4",""]',
        '["Fraction",1,0]',
        '["Fraction","1e999999999",1]',
        '["dict",1]',
        '["dict",["list"],1]',
        '["Vocabulary",true,[1,2],["a"]]',
        '["Vocabulary",true,[1,2],["a","a"]]',
        '["Vocabulary",true,[-1],["a"]]',
        '["Vocabulary",true,["1"],["a"]]',
        '["Vocabulary",1,[1],["a"]]',
        '["table",0]',
        '["table",-1]',
        '["table",1000000000,["Vocabulary"]]',
        '["table",0,["tuple",1]]',
        '["error","KeyboardInterrupt","x",null,null]',
        '["error","InputError",5,null,null]',
        '["error","InputError","x",5,null]',
        '["error","InputError"]',
        '["Answer","a",1]',
        '["Answer",5,1,null,"",""]',
        '["Answer","a",1,"problem","",""]',
        '["Alignment",["tuple",1],["tuple"],""]',
        '["Alignment",["list","a"],["tuple"],""]',
        '["RecognitionStatistics",["tuple",1.5],0,0,0,["tuple"]]',
        '["RecognitionStatistics",["tuple",1],true,0,0,["tuple"]]',
        '["NBest",["tuple"],{}]',
    ],
    ids=lambda text: text[:40],
)
def test_data_that_were_never_written_are_refused(text):
    with pytest.raises(NotPlainError):
        PlainData().loads(text.encode())


def changed(value, change):
    tree = json.loads(PlainData().dumps(value))
    change(tree)
    return json.dumps(tree).encode()


def array(*values, kind="<i4"):
    return json.loads(PlainData().dumps(np.array(values, kind)))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (1, 10**6),
        (1, -1),
        (2, array(0, 0, 10**6)),
        (2, array(0, 0)),
        (2, array(0, 0, -1)),
        (2, array(0, 0, 1, kind="<i8")),
        (3, array(1, 1, 1)),
        (4, array(5, 7, -8)),
        (5, array(1, 2**30)),
        (5, array(1, 1)),
        (5, array(2, 1)),
        (8, array(0.0, kind="<f8")),
        (8, array(0.0, float("nan"), 1.0, kind="<f8")),
        (9, {"in": 5}),
        (7, ["Vocabulary", True, [1], ["a"]]),
    ],
)
def test_lattices_that_are_none_are_refused(place, value):
    """Native code believes what a lattice says of itself."""
    data = changed(LATTICE, lambda tree: tree.__setitem__(place, value))
    with pytest.raises(NotPlainError):
        PlainData().loads(data)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (1, 7),
        (2, array(0, 1, 10**6)),
        (3, ["Ragged", array(0, 1, 0, 2, kind="<i8"), array(0, 0)]),
        (3, ["Ragged", array(0, 0, 1, 2, kind="<i8"), array(0, 9)]),
        (4, ["Ragged", array(0, 1, 3, 5, kind="<i8"), array(5, -2, 6, 6, -1)]),
        (5, array(9)),
    ],
)
def test_forests_that_are_none_are_refused(place, value):
    data = changed(FOREST, lambda tree: tree.__setitem__(place, value))
    with pytest.raises(NotPlainError):
        PlainData().loads(data)


def a_value(draw: random.Random):
    """Something that may stand anywhere."""
    return draw.choice(
        [
            None,
            True,
            -1,
            2**70,
            0.5,
            "x",
            [],
            {},
            {"a": 1},
            ["tuple"],
            ["list", 1],
            ["Alignment"],
            array(1),
            ["table", 0],
        ]
    )


def places(tree):
    """Every item of every list and dict."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield tree, key
        if isinstance(value, list | dict):
            yield from places(value)


def assert_value_or_error(data):
    """A value is one that can be written, and says the same when it is read again."""
    try:
        found = PlainData().loads(data)
    except NotPlainError:
        return
    written = PlainData().dumps(found)
    assert PlainData().dumps(PlainData().loads(written)) == written


@given(st.integers(0, 2**32))
def test_a_change_in_any_place_makes_another_value_or_an_error(seed):
    draw = random.Random(seed)
    outcome = OracleAnswer("a", oracle(SPELLED, "a c", "wer"), margins=Margins((), {}, draw.choice([LATTICE, FOREST])))
    tree = json.loads(PlainData().dumps(outcome))
    inner, key = draw.choice(list(places(tree)))
    inner[key] = a_value(draw)
    assert_value_or_error(json.dumps(tree).encode())


def test_a_list_keeps_its_rank():
    hypotheses = tuple(Hypothesis(tuple(text.split()), {}) for text in ("a b", "c"))
    lattice = NBest(hypotheses, {}).to_lattice()
    found = PlainData().loads(PlainData().dumps(lattice))
    assert (found.ranked, found) == (True, lattice)


@given(st.binary(max_size=200))
def test_any_bytes_make_a_value_or_an_error(data):
    assert_value_or_error(data)


def test_arrays_are_checked_where_numpy_names_their_type_by_an_alias():
    extensions = pytest.importorskip("typing_extensions")
    kind = TypeVar("kind", bound=np.generic)
    alias = extensions.TypeAliasType("NDArray", np.ndarray[Any, np.dtype[kind]], type_params=(kind,))
    check = plain._check(alias[np.int32])
    assert check(np.zeros(2, np.int32))
    assert not check(np.zeros(2, np.int64))
    assert not check([0, 0])
