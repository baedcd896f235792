"""The native search against the composed one where brute force does not reach: size, width of integers, threads."""

from __future__ import annotations

import gc
import sys
import weakref
from dataclasses import replace
from functools import partial
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import native_stub
from kit.native import lattice_first
from kit.paths import ROOT

import latticemetric as lm
from latticemetric import _native
from latticemetric.formats.streams.stream import open_stream
from latticemetric.formats.text.blocks import blocks
from latticemetric.lattice.lattice import Labels
from latticemetric.parallel.map import map_in_order
from latticemetric.vocabulary import Vocabulary

pytest.importorskip("pynini")

sys.path.insert(0, str(ROOT / "benchmarks"))
from generate import Size, draw

CORPUS = ROOT / "tests" / "fuzz" / "corpus"


def drawn_lattice(size: Size, seed: int, step: float = 0.25) -> tuple[lm.Lattice, str]:
    """A generated lattice, its costs rounded so that many paths cost the same, and its reference."""
    drawn = draw(size, seed)
    costs = {
        name: lm.Column(np.round(values / step) * step, np.zeros(1))
        for name, values in (("lm", drawn.graph), ("acoustic", drawn.acoustic))
    }
    lattice = lm.Lattice.from_arcs(drawn.source, drawn.target, drawn.word, final=[drawn.states - 1], scores=costs)
    return lattice, " ".join(map(str, drawn.reference))


def assert_engines_agree(lattice: lm.Lattice, reference: str, metric: lm.GRR) -> lm.Oracle:
    native, composed = (lm.oracle(lattice, reference, metric, engine=engine) for engine in ("native", "openfst"))
    assert native == composed
    return native


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("metric", [lm.WER(), lm.GRR(4), lm.GRR(2, alpha=0.5, beta=1)], ids=lambda m: m.name)
def test_engines_agree_on_lattices_of_hundreds_of_arcs(metric, seed):
    # Few words make many ties: paths of equal value, of equal cost, of as many words.
    size = Size(states=60, arcs=400, vocabulary=6, reference=9)
    assert_engines_agree(*drawn_lattice(size, seed, step=4.0), metric)


@pytest.mark.parametrize("metric", [lm.WER(), lm.GRR(4)], ids=lambda m: m.name)
def test_engines_agree_on_a_lattice_of_thousands_of_arcs(metric):
    assert_engines_agree(*drawn_lattice(Size(1_000, 6_000, 100, 20), seed=3), metric)


@pytest.mark.parametrize(
    ("alpha", "beta"),
    [
        (1, 0),  # 16 bits
        (0.001, 0.002),  # 32 bits
        ("0.123456789", "0.987654321"),  # 64 bits
        ("0.1234567890123456", "1e-16"),  # 128 bits
        (-0.9, 1),
    ],
)
def test_engines_agree_in_every_width_of_integers(alpha, beta):
    size = Size(states=40, arcs=200, vocabulary=5, reference=12)
    for seed in range(4):
        best = assert_engines_agree(*drawn_lattice(size, seed), lm.GRR(3, alpha=alpha, beta=beta))
        assert best.score >= best.one_best.score


# Multiples of powers of two, and their neighbours: numbers with the same low bits.
SIMILAR_NUMBERS = st.builds(
    lambda times, power, more: min(times * 2**power + more, 2**31 - 2),
    st.integers(1, 60),
    st.sampled_from([0, 4, 9, 10, 12, 20, 25]),
    st.integers(0, 1),
)


@given(seed=st.integers(0, 30), numbers=st.lists(SIMILAR_NUMBERS, min_size=8, max_size=8, unique=True))
def test_answers_do_not_depend_on_the_numbers_of_words(seed, numbers):
    lattice, reference = drawn_lattice(Size(30, 120, 8, 9), seed, step=4.0)
    number_of = dict(zip(range(9), [0, *numbers], strict=True))
    renumbered = replace(lattice, word=np.array([number_of[word] for word in lattice.word.tolist()], np.int32))
    expected = lm.oracle(lattice, reference, "4-grr")
    found = lm.oracle(renumbered, " ".join(str(number_of[int(word)]) for word in reference.split()), "4-grr")
    assert (found.arcs, found.numerator, found.cost) == (expected.arcs, expected.numerator, expected.cost)
    assert list(map(int, found.words)) == [number_of[int(word)] for word in expected.words]


def test_a_long_reference_needs_more_than_one_word_of_bits():
    best = assert_engines_agree(*drawn_lattice(Size(300, 900, 20, 150), seed=1), lm.GRR(2))
    assert best.statistics.reference_words == 150


def test_long_chains_do_not_overflow_small_integers():
    # 40,000 insertions: -40,000 does not fit into 16 bits.
    length = 40_000
    words = Vocabulary.from_words(["a", "b"])
    lattice = lm.Lattice.from_arcs(
        np.arange(length), np.arange(1, length + 1), np.full(length, 2), final=[length], vocabulary=words
    )
    assert lm.oracle(lattice, "a", "wrr", engine="native").numerator == -(length - 1)


def test_answers_of_threads_come_in_order():
    lattices = [drawn_lattice(Size(60, 300, 10, 8), seed) for seed in range(24)]

    def best(question: tuple[lm.Lattice, str]) -> lm.Oracle:
        return lm.oracle(*question, "4-grr")

    assert list(map_in_order(best, lattices, workers=4)) == [best(question) for question in lattices]


def test_an_error_of_a_thread_comes_up_in_its_turn():
    answers = map_in_order(lambda n: 1 // (3 - n), range(100), workers=3)
    assert [next(answers) for _ in range(3)] == [0, 0, 1]
    with pytest.raises(ZeroDivisionError):
        next(answers)


@pytest.mark.parametrize(
    "change",
    [
        {"source": [1, 0]},  # not sorted
        {"target": [0, 2]},  # not forward
        {"target": [1, 3]},  # no such state
        {"label": [1]},
        {"order": 0},
        {"unit": 0},
        {"final_cost": []},
        {"cost": [0.0, np.nan]},
        {"cost": [-np.inf, 0.0]},
        {"final_cost": [np.inf, np.nan, 0.0]},
        {"final_cost": [np.inf, -np.inf, 0.0]},
        {"final_cost": [np.inf, np.inf, np.inf]},
    ],
    ids=str,
)
def test_the_extension_refuses_what_is_out_of_bounds(change):
    arguments = {
        "source": [0, 1], "target": [1, 2], "label": [1, 2], "is_word": [1, 1], "cost": [0.0, 0.0],
        "final_cost": [np.inf, np.inf, 0.0], "reference": [1], "order": 4, "unit": 1, "alpha": 1, "beta": 0,
    }  # fmt: skip
    types = {"is_word": np.uint8, "cost": np.float64, "final_cost": np.float64}
    arrays = {
        name: np.array(value, types.get(name, np.int32)) if isinstance(value, list) else value
        for name, value in (arguments | change).items()
    }
    with pytest.raises(ValueError, match=r"\w"):
        _native.search_lattice(**lattice_first(arrays))


def test_a_reference_of_more_states_than_32_bits_number_is_refused():
    one = np.zeros(1, np.int32)
    lattice = _native.Lattice(one, one + 1, np.zeros(1), np.array([np.inf, 0.0]), one + 1, np.ones(1, np.uint8))
    with pytest.raises(ValueError, match="the reference is too long"):
        _native.search_lattice(lattice, np.ones(2**31 // 254, np.int32), (254, 1, 0, 0))


@pytest.mark.parametrize(("order", "unit"), [(7, 2**60 // 10), (40, 10**16), (2, 10**8)])
def test_an_empty_reference_is_aligned_by_insertions_however_large_gains_are(order, unit):
    assert _native.align(("a",) * 120, (), (order, unit, 1, 0)) == "I" * 120


def blocks_by_lines(text: bytes, *, at_end: bool) -> list[list[int]]:
    """What `split_blocks` promises, a line at a time."""
    found, begin, at = [], None, 0
    lines = text.split(b"\n")
    for number, line in enumerate(lines):
        if number == len(lines) - 1 and not (at_end and line):
            break
        if not line.strip(b" \t\r\f\v") and begin is not None:
            found.append([begin[0], at, begin[1], number])
            begin = None
        elif line.strip(b" \t\r\f\v") and begin is None:
            begin = (at, number)
        at += len(line) + 1
    count = len(lines) - (not lines[-1])
    return found + ([[begin[0], len(text), begin[1], count]] if begin is not None and at_end else [])


SNIPPETS = [b"0 1 2 3.5,4", b"\n", b"\n", b" \n", b"\r\n", b"\n\n", b" x", b"y" * 90, b"z\n" * 70, b"\xc3\xa9"]


@given(snippets=st.lists(st.sampled_from(SNIPPETS), max_size=60), at_end=st.booleans())
def test_blocks_are_what_stands_between_blank_lines(snippets, at_end):
    text = b"".join(snippets)
    assert _native.split_blocks(text, 0, at_end=at_end).tolist() == blocks_by_lines(text, at_end=at_end)
    for begin in range(len(text) + 1):
        found = _native.split_blocks(text, begin, at_end=at_end)
        found[:, :2] -= begin
        assert found.tolist() == blocks_by_lines(text[begin:], at_end=at_end)


@given(
    snippets=st.lists(st.sampled_from(SNIPPETS), max_size=40),
    sizes=st.lists(st.sampled_from([1, 2, 3, 7, 20, 100]), min_size=1, max_size=9),
)
def test_blocks_of_a_stream_are_those_of_its_text(snippets, sizes, tmp_path_factory):
    text = b"".join(snippets)
    path = tmp_path_factory.mktemp("blocks") / "some"
    path.write_bytes(text)
    with open_stream(str(path)) as stream, pytest.MonkeyPatch.context() as patch:
        turns = cycle(sizes)
        read = stream.read_some
        patch.setattr(stream, "read_some", lambda _: read(next(turns)))
        found = [(lines, piece.data, piece.place.at) for lines, piece in blocks(stream)]
    rows = blocks_by_lines(text, at_end=True)
    assert found == [(lines, text[begin:end], begin) for begin, end, lines, _ in rows]


def test_arrays_that_are_not_aligned_are_copied_at_the_door():
    def odd(values, dtype):
        array = np.frombuffer(b"\0" + np.array(values, dtype).tobytes(), dtype, offset=1)
        assert not array.flags.aligned
        return array

    lattice = lm.Lattice.from_arcs(
        odd([0], np.int32),
        odd([1], np.int32),
        odd([7], np.int32),
        final=odd([1], np.int32),
        scores={"cost": lm.Column(odd([0.5], np.float64), odd([0.25], np.float64))},
        labels={"side": Labels(odd([8], np.int32), odd([9], np.int32), lm.Vocabulary.numeric())},
        copy=False,
    )
    assert lattice.source.flags.aligned
    assert lm.oracle(lattice, "7", "wer").cost == 0.75
    with pytest.raises(ValueError, match="not aligned"):
        _native.are_numbers(odd([1], np.int32))


USUAL = {
    "network": ["read_mesh", "read_moses_network"],
    "pfsg": ["read_pfsg"],
    "search_graph": ["read_search_graph"],
    "slf_lattice": ["read_slf"],
    "sphinx": ["read_sphinx"],
}


@pytest.mark.parametrize("file", sorted(p for p in CORPUS.glob("*/*") if p.parent.name in USUAL))
def test_seeds_of_fuzzed_readers_are_usual(file):
    data = file.read_bytes()
    place = (0, len(data)) if file.parent.name == "network" else ()
    if file.parent.name == "network" and b"numaligns" not in data:
        data, place = data.split(b"\n\n")[0], (0, data.index(b"\n\n"))
    assert any(getattr(_native, name)(data, *place) is not None for name in USUAL[file.parent.name])


@pytest.mark.parametrize(
    "file",
    sorted(p for p in CORPUS.glob("*/*") if p.parent.name not in {"blocks", "forest", *USUAL}),
    ids=lambda p: f"{p.parent.name}-{p.name}",
)
def test_fuzzed_texts_are_parsed_or_refused(file):
    parser = getattr(_native, f"parse_{file.parent.name}")
    data = file.read_bytes()
    arguments = {"slf": (["W"],), "kaldi": (0, len(data)), "kaldi_binary": (0, len(data))}.get(file.parent.name, ())
    try:
        assert isinstance(parser(data, *arguments), dict)
    except _native.ParseError as error:
        line, what, *_part = error.args
        assert line >= (file.parent.name != "cdec_json")  # its errors name an edge or a node, not a line
        assert what


def test_the_stub_has_the_parameters_of_the_extension():
    text = native_stub.FILE.read_text("utf-8")
    assert native_stub.is_current(text), "run python tests/kit/native_stub.py, then ruff format"
    assert not native_stub.names_of_one(text)
    assert not native_stub.is_current(text.replace("npt.NDArray[np.int32]", "npt.NDArray[np.int64]", 1))


def test_a_checked_graph_keeps_its_arrays_alive():
    def made():
        size = 1000
        ends = np.full(size + 1, np.inf)
        ends[-1] = 0.0
        words, ones = np.arange(1, size + 1, dtype=np.int32), np.ones(size, np.uint8)
        columns = np.arange(size, dtype=np.int32), np.arange(1, size + 1, dtype=np.int32), np.zeros(size), ends
        return _native.Lattice(*columns, words, ones), [weakref.ref(column) for column in (*columns, words, ones)]

    lattice, columns = made()
    gc.collect()
    assert all(column() is not None for column in columns)
    assert _native.search_lattice(lattice, np.arange(1, 1001, dtype=np.int32), (1, 1, 1, 0))[1] == 1000
    del lattice
    gc.collect()
    assert all(column() is None for column in columns)


def test_kernels_refuse_lattices_without_the_columns_that_they_need():
    one = np.zeros(1, np.int32)
    columns = one, one + 1, np.zeros(1), np.array([np.inf, 0.0])
    bare, labelled = _native.Lattice(*columns), _native.Lattice(*columns, label=one)
    assert _native.forward_backward(bare)[2].tolist() == [1.0]
    for kernel in (_native.best_path, partial(_native.search_lattice, reference=one, gains=(1, 1, 1, 0))):
        with pytest.raises(ValueError, match=r"which arcs have words|no labels"):
            kernel(bare)
        with pytest.raises(ValueError, match="which arcs have words"):
            kernel(labelled)
    with pytest.raises(ValueError, match="has no labels"):
        _native.determinize(bare, 0.5)


@given(st.integers(0, 2**100), st.integers(0, 2**100))
def test_integers_of_128_bits_come_and_go_whole(gain_weight, cost_weight):
    begins = np.array([0, 1])
    columns = np.zeros(1, np.int32), np.array([0, 0]), np.zeros(0, np.int32), begins, np.ones(1, np.int32)
    forest = _native.Forest(*columns, np.zeros(1), np.ones(1, np.int64), np.zeros(1))
    ones, nothing = np.ones(1, np.int64), np.zeros(1, np.int64)
    search = partial(_native.search_forest_for_hope, forest, np.ones(1, np.int32), (1, 1, 1, 0), ones, nothing)
    assert search(gain_weight, cost_weight, 10**6)[1] == gain_weight - cost_weight
    with pytest.raises(TypeError, match="incompatible"):
        search(gain_weight + 2**127, cost_weight, 10**6)
