"""Native writers give the bytes and the errors of writers that go arc by arc in Python."""

import io
import math
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import PLAIN_WORDS, SPACED_WORDS, column, of_ids, of_texts
from kit.strategies import drafts
from kit.written_in_python import (
    as_kaldi,
    as_kaldi_binary,
    as_openfst_text,
    as_pfsg,
    as_plf,
    as_slf,
    as_sphinx,
    float32_text,
)

import latticemetric as lm
from latticemetric import _native
from latticemetric.errors import LatticeMetricError
from latticemetric.formats.registry import find_format
from latticemetric.lattice.lattice import Column, Labels

COSTS = st.one_of(
    st.floats(-1e300, 1e300),
    st.decimals(-1000, 1000, places=4).map(float),
    st.integers(-10, 10).map(lambda k: 10.0**k),
    st.just(-0.0),
)
ODD_WORDS = ["<eps>", "0", "!NULL", "*EPS*", "'quoted'", '"', "\x1cseparator", "\x85", "nan"]


def written(format_name: str, name: str, graph: lm.Lattice) -> bytes | str:
    """What a format writes, or the error."""
    file = io.BytesIO()
    try:
        find_format(format_name).write(file, name, graph)
    except LatticeMetricError as error:
        return f"{type(error).__name__}: {error}"
    return file.getvalue()


def expected(write, name: str, graph: lm.Lattice) -> bytes | str:
    try:
        return write(name, graph)
    except LatticeMetricError as error:
        return f"{type(error).__name__}: {error}"


@st.composite
def vocabularies(draw: st.DrawFn, size: int) -> lm.Vocabulary:
    """Tables of numbers, of words in order, of words with gaps between their numbers."""
    if draw(st.booleans()):
        return lm.Vocabulary.numeric()
    words = draw(st.permutations(PLAIN_WORDS))
    words = [*draw(st.lists(st.sampled_from(SPACED_WORDS + ODD_WORDS), unique=True, max_size=2)), *words][:size]
    words = draw(st.permutations(words))
    if draw(st.booleans()):
        return lm.Vocabulary.from_words(words)
    return lm.Vocabulary({**dict(enumerate(words, start=1)), 2**30: "far"})


@st.composite
def labels(draw: st.DrawFn, texts: list[str], arcs: int, ends: int) -> Labels:
    """Texts of some arcs and final states."""
    table = draw(st.sampled_from([lm.Vocabulary.from_words(texts), of_texts(texts)]))
    numbers = [draw(st.lists(st.integers(0, len(texts)), min_size=n, max_size=n)) for n in (arcs, ends)]
    return Labels(*(np.array(part, dtype=np.int32) for part in numbers), table)


@st.composite
def lattices(draw: st.DrawFn, names: list[str], sides: dict[str, list[str]]) -> lm.Lattice:
    """Lattices with these score columns, and perhaps with these labels and with times."""
    draft = draw(drafts())
    arcs, ends = len(draft.source), len(draft.final)
    words = np.array(draft.word, dtype=np.int32)
    states = max([draft.start, *draft.source, *draft.target, *draft.final]) + 1
    return lm.Lattice.from_arcs(
        draft.source,
        draft.target,
        words,
        start=draft.start,
        final=draft.final,
        scores={name: column(draw, COSTS, arcs, ends) for name in names},
        vocabulary=draw(vocabularies(max(12, int(words.max(initial=0))))),
        times=draw(st.none() | st.just([0.25 * k for k in range(states)])),
        labels={name: draw(labels(texts, arcs, ends)) for name, texts in sides.items() if draw(st.booleans())},
    )


@given(st.data())
def test_kaldi_text_is_that_of_python(data):
    names = data.draw(st.sampled_from([[], ["lm"], ["acoustic", "lm"], ["other"], ["lm", "other"]]))
    lattice = data.draw(lattices(names, {"transitions": ["1_2_3", "17", "text"]}))
    assert written("kaldi", "utt", lattice) == expected(as_kaldi, "utt", lattice)


def test_transition_ids_of_binary_archives_are_written_as_text():
    side = Labels(np.array([1, 0], np.int32), np.array([2], np.int32), of_ids(["1_2", "9"]))
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [4, 5], final=[2], labels={"transitions": side})
    assert written("kaldi", "utt", lattice) == as_kaldi("utt", lattice)
    assert b"0 1 4 0.0,0.0,1_2\n1 2 5 0.0,0.0,\n2 0.0,0.0,9\n" in written("kaldi", "utt", lattice)


@given(st.data())
def test_kaldi_binary_is_that_of_python(data):
    names = data.draw(st.sampled_from([[], ["lm"], ["acoustic", "lm"]]))
    lattice = data.draw(lattices(names, {"transitions": ["1_2_3", "17", "-5_0"]}))
    if not lattice.vocabulary.is_numeric:
        lattice = replace(lattice, vocabulary=lm.Vocabulary.from_words(str(n + 5) for n in range(12)))
    assert written("kaldi-binary", "utt", lattice) == expected(as_kaldi_binary, "utt", lattice)


@pytest.mark.parametrize("text", ["", "1__2", "_1", "1_", "01", "-0", "+1", "1_x", "2147483648", "-", "1-2", " 1"])
@pytest.mark.parametrize("of", [of_texts, lm.Vocabulary.from_words])
def test_texts_that_are_no_lists_of_ids_are_refused_in_binary_archives(text, of):
    side = Labels(np.array([1, 2], np.int32), np.zeros(1, np.int32), of(["3_4", text]))
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [4, 5], final=[2], labels={"transitions": side})
    advice = "leave them out with Corpus.converted(drop_labels=True)"
    message = f"InputError: '{text}' is not a list of transition ids; {advice}"
    assert written("kaldi-binary", "utt", lattice) == (message if text else as_kaldi_binary("utt", lattice))


@given(st.lists(st.lists(st.integers(-(2**31), 2**31 - 1))))
def test_ids_are_split_as_they_were_joined(rows):
    begin = np.append(0, np.cumsum([len(row) for row in rows], dtype=np.int64))
    ids = np.array([one for row in rows for one in row], np.int32)
    again = _native.split_rows(*_native.join_rows(begin, ids))
    assert again is not None
    assert [part.tolist() for part in again] == [begin.tolist(), ids.tolist()]


@given(st.data())
def test_openfst_text_is_that_of_python(data):
    lattice = data.draw(lattices(data.draw(st.sampled_from([[], ["weight"]])), {"input": ["x", "y", "5"]}))
    if lattice.labels:
        side = lattice.labels["input"]
        lattice = replace(lattice, labels={"input": replace(side, final=np.zeros_like(side.final))})
    ours, theirs = written("openfst-text", "utt", lattice), expected(as_openfst_text, "utt", lattice)
    assert ours == theirs or (not lattice.scores and "look like weights" in str(ours))


@given(st.data())
def test_slf_is_that_of_python(data):
    names = data.draw(st.sampled_from([[], ["acoustic"], ["acoustic", "lm", "x1"], ["words"]]))
    sides = {"mark": ["<s>", "!SENT_END"], "v": ["1", "two words"], "d": [":a,1:"]}
    lattice = data.draw(lattices(names, sides))
    name = data.draw(st.sampled_from(["utt", "two words", "a'b"]))
    assert written("htk-slf", name, lattice) == expected(as_slf, name, lattice)


@given(st.data())
def test_plf_is_that_of_python(data):
    names = data.draw(st.sampled_from([[], ["score"], ["score_0", "score_1"], ["lm", "it's"]]))
    lattice = data.draw(lattices(names, {}))
    assert written("plf", "", lattice) == expected(as_plf, "", lattice)


@given(st.data())
def test_pfsg_is_that_of_python(data):
    lattice = data.draw(lattices(data.draw(st.sampled_from([[], ["weight"]])), {}))
    assert written("pfsg", "utt", lattice) == expected(as_pfsg, "utt", lattice)


@given(st.lists(COSTS, min_size=1))
def test_scores_of_pfsg_are_those_of_python(costs):
    lattice = lm.Lattice.from_arcs(
        [0] * len(costs), [1] * len(costs), range(1, len(costs) + 1), final=[1],
        scores={"weight": Column(np.array(costs), np.zeros(1))}, vocabulary=lm.Vocabulary.numeric(),
    )  # fmt: skip
    assert written("pfsg", "utt", lattice) == expected(as_pfsg, "utt", lattice)


@given(st.data())
def test_sphinx_is_that_of_python(data):
    sides = {"mark": ["<s>", "<sil>", "++noise++"], "v": ["1", "2"]}
    lattice = data.draw(lattices(data.draw(st.sampled_from([[], ["acoustic"]])), sides))
    if data.draw(st.booleans()) and lattice.scores:
        whole = data.draw(st.integers(0, 3000)) * math.log(data.draw(st.sampled_from([1.0001, 1.0003])))
        lattice = replace(
            lattice, scores={"acoustic": replace(lattice.scores["acoustic"], arc=np.full(len(lattice.word), whole))}
        )
    if lattice.times is not None:
        unit = data.draw(st.sampled_from([0.01, 0.125, 1 / 3, 3e7]))
        lattice = replace(lattice, times=lattice.times * unit)
    assert written("sphinx", "utt", lattice) == expected(as_sphinx, "utt", lattice)


def test_a_machine_has_the_symbols_of_its_own_words(tmp_path):
    lattices = [
        lm.Lattice.from_arcs([0, 1], [1, 2], [1, 2], final=[2], vocabulary=lm.Vocabulary.from_words(words))
        for words in (["a", "b"], ["c", "d"], ["b", "a"])
    ]
    shared = lm.Lattice.from_arcs([0], [1], [2], final=[1], vocabulary=lattices[0].vocabulary)
    given = [*lattices, lattices[0], shared, lattices[2]]
    path = tmp_path / "x.far"
    lm.write(path, ((f"{k}", lattice) for k, lattice in enumerate(given)))
    assert [next(graph.paths()).words for _, graph in lm.read(path)] == [
        next(lattice.paths()).words for lattice in given
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_as_by_repr(value):
    assert _native.write_rows(1, [np.array([value])]).decode() == repr(value)


@given(st.integers(-(10**16), 10**16), st.integers(0, 9))
def test_short_decimals_are_written_as_by_repr(digits, places):
    value = float(f"{digits}e-{places}")
    values = np.array([value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)])
    assert _native.write_rows(3, [values, b"\n"]).decode().split() == list(map(repr, values.tolist()))
    small = np.array([value, value / 1000], np.float32)
    assert _native.write_rows(2, [small, b"\n"]).decode().split() == list(map(float32_text, small))


@pytest.mark.parametrize("exponent", range(-6, 18))
def test_exponents_begin_where_repr_begins_them(exponent):
    power = float(f"1e{exponent}")
    values = [power, math.nextafter(power, 0), math.nextafter(power, math.inf), 2 * power, -1.5 * power]
    rows = _native.write_rows(len(values), [np.array(values), b"\n"]).decode().split()
    assert rows == list(map(repr, values))


@given(st.integers(0, 2**32 - 1).map(lambda bits: struct.unpack("<f", struct.pack("<I", bits))[0]))
def test_numbers_of_32_bits_are_the_shortest_decimals(value):
    if math.isfinite(value):
        text = _native.write_rows(1, [np.array([value], np.float32)]).decode()
        assert text == float32_text(value)
        assert np.float32(float(text)) == np.float32(value)


@pytest.mark.parametrize("exponent", range(-6, 18))
def test_exponents_of_32_bits_begin_below_four_decimals_and_from_a_million_on(exponent):
    power = np.float32(float(f"1e{exponent}"))
    values = [power, np.nextafter(power, np.float32(0)), np.nextafter(power, np.float32(np.inf)), -power]
    rows = _native.write_rows(len(values), [np.array(values, np.float32), b"\n"]).decode().split()
    assert rows == list(map(float32_text, values))


def test_columns_must_fit_their_rows():
    table = _native.Utf8Texts(np.frombuffer(b"ab", np.uint8), np.array([0, 1, 2]))
    ones = np.ones(2, np.int32)
    for parts in ([ones[:1]], [ones.astype(np.int64)], [(ones + 1, table)], [(-ones, table)], [(np.zeros(2), table)]):
        with pytest.raises(ValueError, match=r"column|number|integers|array"):
            _native.write_rows(2, parts)
    assert _native.write_rows(2, [(ones, table, b"="), (np.zeros(2, np.int32), b"none"), b";"]) == b"=bnone;=bnone;"
