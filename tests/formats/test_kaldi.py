"""Kaldi archives: text and binary say the same, scripts point into either, and what Kaldi cannot hold is refused."""

import math
import pickle
import shutil
from dataclasses import replace
from functools import partial
from itertools import cycle, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.format_cases.kaldi import lattice4, machine
from kit.formats import contents, paths_of
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric import _native
from latticemetric.formats.kaldi.text import lattice_of, parse_block
from latticemetric.formats.streams.stream import Piece
from latticemetric.formats.text.fields import encode_column, parsed_natively

WORDS = EXAMPLES / "meeting.words.txt"


def archive(format_name):
    return {"kaldi": "meeting.lat.txt", "kaldi-binary": "meeting.ark", "kaldi-script": "meeting.scp"}[format_name]


@pytest.mark.parametrize("format_name", ["kaldi-binary", "kaldi-script"])
def test_text_binary_and_script_are_the_same_lattices(format_name):
    def graphs(name):
        return [(key, contents(graph)) for key, graph in lm.read(EXAMPLES / archive(name), symbols=WORDS)]

    assert graphs(format_name) == graphs("kaldi")


def test_a_compact_lattice_has_transitions_in_its_weights(tmp_path):
    (tmp_path / "x.ark").write_bytes(b"utt " + machine())
    lattice = lm.read_one(tmp_path / "x.ark")
    assert paths_of(lattice) == [("7", 0.5 - 3.25 + 1)]
    assert lattice.labels["transitions"].vocabulary.decode(lattice.labels["transitions"].arc) == ["4_5"]
    assert lattice.labels["transitions"].vocabulary.decode(lattice.labels["transitions"].final) == ["7"]


def test_a_lattice_that_is_not_compact_has_them_as_its_input_side(tmp_path):
    (tmp_path / "x.ark").write_bytes(b"utt " + lattice4())
    lattice = lm.read_one(tmp_path / "x.ark")
    assert paths_of(lattice) == [("7", 0.5 + 2 + 0.25)]
    assert lattice.labels["transitions"].vocabulary.decode(lattice.labels["transitions"].arc) == ["44"]


@given(value=st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_cost_is_the_shortest_decimal_of_its_32_bits_in_text_and_in_binary(value, tmp_path_factory):
    single = np.float32(value)
    text, binary = (tmp_path_factory.getbasetemp() / name for name in ("x.lat.txt", "x.ark"))
    # As many digits as Kaldi may be asked to print.
    text.write_text(f"utt \n0 1 7 0.5,{float(single):.12e},4_5\n1 1,0,7\n\n")
    cost = np.frombuffer(single.tobytes(), "<f4")[0]
    binary.write_bytes(b"utt " + machine().replace(np.float32(-3.25).tobytes(), cost.tobytes(), 1))
    found = [lm.read_one(path).scores["acoustic"].arc.tolist() for path in (text, binary)]
    assert found == [[float(str(single))]] * 2


DIGITS = st.text("0123456789", min_size=1, max_size=9)
DECIMALS = st.builds(
    "".join,
    st.tuples(st.sampled_from(["", "-"]), DIGITS, st.sampled_from(["", "."]), st.text("0123456789", max_size=9)),
)
NUMBERS = st.one_of(st.integers(0, 12), st.integers(0, 10**7), st.integers(10**8, 2**31 - 2))
IDS = st.sampled_from(["", "7", "12_7_7", "1_2_3 ", "5\r"])
ARCS = st.tuples(NUMBERS, NUMBERS, NUMBERS, DECIMALS, DECIMALS, IDS)


def shortest(text):
    """The shortest decimal of a number's 32 bits."""
    return float(str(np.float32(float(text))))


@given(
    arcs=st.lists(ARCS, min_size=1, max_size=12),
    blanks=st.lists(st.sampled_from([" ", "\t", "  "]), min_size=3, max_size=9),
)
def test_numbers_of_any_length_are_read_as_they_are(arcs, blanks):
    """Lines that are read at once, and those near the end of a text, which are not."""
    blank = cycle(blanks)
    lines = [
        f"{source}{next(blank)}{target}{next(blank)}{word}{next(blank)}{graph},{acoustic},{ids}"
        for source, target, word, graph, acoustic, ids in arcs
    ]
    text = "\n".join(["id", *lines]).encode()
    for tail in (b"", b"\n", b"\n" + b"7 0,0,\n" * 20):
        columns = _native.parse_kaldi(text + tail, 0, len(text + tail), symbols=False)
        begin, values = columns["transition_rows"]
        ids = ["", *(bytes(values[a:b]).decode() for a, b in pairwise(begin))]
        found = zip(
            columns["source"], columns["target"], columns["word"][0], columns["cost0"], columns["cost1"],
            (ids[number] for number in columns["transitions"]), strict=True,
        )  # fmt: skip
        expected = [(s, t, w, shortest(g), shortest(a), ids.strip()) for s, t, w, g, a, ids in arcs]
        assert [tuple(row) for row in found] == expected
        assert [math.copysign(1, cost) for cost in columns["cost0"]] == [-1 if arc[3][0] == "-" else 1 for arc in arcs]


@given(
    number=st.one_of(st.sampled_from([15, 16, 17, 271, 272, 273, 528]), st.integers(1, 600)),
    others=st.sets(st.integers(0, 599), max_size=4),
    wrong=st.integers(0, 599),
)
def test_lines_of_large_lattices_are_all_read_once(number, others, wrong):
    """Lines are read in portions, up to one of another form (here: with an exponent), after which they go on."""
    lines = [
        f"{k} {k + 1} {k % 7} {k / 8:.3f},{'-1.5e0' if k in others else '-1.5'},{'4_5' if k % 5 == 0 else ''}\n"
        for k in range(number)
    ]
    text = "".join(["id\n", *lines, f"{number} 0.5,1,\n"]).encode()
    columns = _native.parse_kaldi(text, 0, len(text), symbols=False)
    arcs = list(range(number))
    assert columns["start"] == 0
    assert columns["source"].tolist() == arcs
    assert columns["target"].tolist() == [k + 1 for k in arcs]
    assert columns["word"][0].tolist() == [k % 7 for k in arcs]
    assert columns["cost0"].tolist() == [k / 8 for k in arcs]
    assert columns["cost1"].tolist() == [-1.5] * number
    assert [bool(row) for row in columns["transitions"].tolist()] == [k % 5 == 0 for k in arcs]
    assert (columns["final"].tolist(), columns["final_cost0"].tolist()) == ([number], [0.5])
    lines[wrong % number] = "0 1 2 x,1,\n"
    text = "".join(["id\n", *lines]).encode()
    with pytest.raises(_native.ParseError) as error:
        _native.parse_kaldi(text, 0, len(text), symbols=False)
    assert error.value.args[0] == wrong % number + 2


ARC_WORDS = st.sampled_from(["<eps>", "a", "b", "ε", "8", "é", "0"])
WEIGHTS = st.sampled_from(["", " 1,2,", " 0.5,-1.25,4_5", " 0,3,7", " 1.23456789,2"])


@st.composite
def shuffled_archives(draw):
    """A lattice in any order of lines and numbers of states, some on no complete path, perhaps broken."""
    states = draw(st.lists(st.integers(0, draw(st.sampled_from([6, 10**6]))), min_size=1, max_size=6, unique=True))
    numeric, cyclic = draw(st.booleans()), draw(st.integers(0, 9)) == 0
    lines = []
    for _ in range(draw(st.integers(0, 10))):
        source, target = (
            draw(st.lists(st.integers(0, len(states) - 1), min_size=2, max_size=2, unique=not cyclic))
            if (len(states) > 1)
            else (0, 0)
        )
        if not cyclic:
            source, target = sorted((source, target))
        word = draw(st.sampled_from("0125")) if numeric else draw(ARC_WORDS)
        lines.append(f"{states[source]} {states[target]} {word}{draw(WEIGHTS)}")
    lines += [f"{state}{draw(WEIGHTS)}" for state in draw(st.lists(st.sampled_from(states), max_size=3))]
    return "\n".join(["id", *(draw(st.permutations(lines)) if draw(st.booleans()) else lines), ""])


def read_or_error(read):
    try:
        lattice = read()
    except lm.errors.LatticeMetricError as error:
        return type(error), str(error)
    return lattice, list(lattice.vocabulary.items()) if not lattice.vocabulary.is_numeric else None


@settings(max_examples=300)
@given(text=shuffled_archives(), symbols=st.booleans(), given_table=st.booleans())
def test_a_lattice_that_is_sorted_while_it_is_read_is_the_one_that_validation_makes(text, symbols, given_table):
    table = lm.Vocabulary({1: "a", 2: "b", 5: "8"}) if given_table else None
    data = text.encode()

    def validated_later():
        columns = parsed_natively(partial(_native.parse_kaldi, symbols=symbols), data_piece(data), "x", 0)
        return lattice_of(columns, *encode_column(columns["word"], table))

    found = read_or_error(lambda: parse_block(data_piece(data), "x", 0, table, are_spelled=symbols))
    assert found == read_or_error(validated_later)
    if isinstance(found[0], lm.Lattice):
        lattice = found[0]
        columns = [lattice.source, lattice.target, lattice.word, lattice.final]
        columns += [part for column in lattice.scores.values() for part in (column.arc, column.final)]
        columns += [part for side in lattice.labels.values() for part in (side.arc, side.final)]
        assert not any(column.flags.writeable for column in columns)
        assert all(column.flags.c_contiguous and column.flags.aligned for column in columns)
        copy = pickle.loads(pickle.dumps(lattice))
        assert copy == lattice
        assert replace(lattice) == lattice


def data_piece(data):
    return Piece(data, 0, len(data))


@pytest.mark.parametrize("space", [" ", "\t", " \t "], ids=["space", "tab", "both"])
@pytest.mark.parametrize("text", [False, True], ids=["binary", "text"])
def test_a_script_points_into_an_archive_by_bytes(text, space, tmp_path):
    source = EXAMPLES / ("meeting.lat.txt" if text else "meeting.ark")
    shutil.copy(source, tmp_path / "some.lats")
    offset = source.read_bytes().index(b"meeting-002") + len(b"meeting-002") + (not text)
    (tmp_path / "x.scp").write_text(f"other-id{space}some.lats:{offset}\n")
    ((name, graph),) = lm.read(tmp_path / "x.scp", symbols=WORDS)
    assert name == "other-id"
    assert contents(graph) == contents(dict(lm.read(source, symbols=WORDS))["meeting-002"])


def test_a_lattice_that_fails_does_not_hide_the_others_of_a_script(tmp_path):
    (tmp_path / "x.scp").write_text(f"bad nowhere.ark:3\ngood {EXAMPLES}/meeting.ark:12\n")
    from latticemetric.formats.reading import entries

    bad, good = entries([tmp_path / "x.scp"])
    with pytest.raises(lm.InputError, match=r"x\.scp:1: nowhere\.ark \(bad\): cannot be opened"):
        bad.build()
    assert good.build().num_states == 7


def test_a_script_is_written_with_its_archive(tmp_path):
    graphs = list(lm.read(EXAMPLES / "meeting.ark"))
    assert lm.write(tmp_path / "new.scp", graphs) == 3
    assert (tmp_path / "new.ark").read_bytes() == (EXAMPLES / "meeting.ark").read_bytes()
    assert [(n, contents(g)) for n, g in lm.read(tmp_path / "new.scp")] == [(n, contents(g)) for n, g in graphs]


def test_folders_and_archives_may_have_spaces_in_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graphs = list(lm.read(EXAMPLES / "meeting.ark"))
    for name in ("my folder/two words.scp", "a folder/x.scp", f"{tmp_path}/my folder/x.scp"):
        Path(name).parent.mkdir(exist_ok=True)
        lm.write(name, graphs)
        assert [(n, contents(g)) for n, g in lm.read(name)] == [(n, contents(g)) for n, g in graphs]
    Path("times.txt").write_text("utt-1 it is half past 3. no, 12:30\n")
    with pytest.raises(lm.InputError, match="the format is not recognised"):
        list(lm.read("times.txt"))


@pytest.mark.parametrize("target", ["-", "x.txt", "folder/"])
def test_a_script_needs_a_name(target, tmp_path):
    where = target if target == "-" else f"{tmp_path}/{target}"
    with pytest.raises(lm.UsageError, match=r"name a file that ends in \.scp"):
        lm.write(where, lm.read(EXAMPLES / "meeting.ark"), format="kaldi-script")
    assert list(tmp_path.iterdir()) == []


def test_a_script_that_fails_leaves_nothing(tmp_path):
    graphs = [*lm.read(EXAMPLES / "meeting.ark"), ("spelled", lm.Lattice.from_strings(["a"]))]
    with pytest.raises(lm.InputError, match="'a', which has no number"):
        lm.write(tmp_path / "x.scp", graphs)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format_name", ["kaldi", "kaldi-binary"])
def test_costs_beyond_32_bits_are_refused(format_name, tmp_path):
    lattice = lm.Lattice.from_arcs([0], [1], [7], final=[1], scores={"lm": lm.Column(np.array([1e39]), np.zeros(1))})
    with pytest.raises(lm.InputError, match="32 bits"):
        lm.write(tmp_path / "x", [("utt", lattice)], format=format_name)


def test_a_table_given_for_words_is_what_a_binary_archive_counts_by(tmp_path):
    named = lm.read(EXAMPLES / "meeting.lat.txt", symbols=WORDS)
    lm.write(tmp_path / "x.ark", named)
    assert (tmp_path / "x.ark").read_bytes() == (EXAMPLES / "meeting.ark").read_bytes()


def test_openfst_reads_the_header_of_what_is_written(tmp_path):
    """The arcs are Kaldi's own, so OpenFst's tools know the header and say that they do not know the arcs."""
    pynini = pytest.importorskip("pynini")
    data = (EXAMPLES / "meeting.ark").read_bytes()
    (tmp_path / "x.fst").write_bytes(data[data.index(b" ") + 1 :])
    with pytest.raises(Exception, match=r"(?i)fst"):
        pynini.Fst.read(str(tmp_path / "x.fst"))


def test_tables_of_other_machines_are_refused_with_a_way_out(tmp_path):
    path = tmp_path / "x.ark"
    path.write_bytes(b"utt " + lm.Lattice.from_strings(["a b"]).to_fst().write_to_string())
    with pytest.raises(lm.FormatError, match=r"arcs of type 'standard' are not those of a lattice; .* a FAR archive"):
        lm.read_one(path)
    (tmp_path / "utt.fst").write_bytes(path.read_bytes()[4:])
    assert [p.words for p in lm.read_one(tmp_path / "utt.fst").paths()] == [("a", "b")]


@pytest.mark.parametrize(
    "machine",
    [
        "0 1 5 0.3\n1 2 6 0.2\n2 0.1\n",
        "0 1 5 0.3\n1 2 6 2\n2\n",  # weights became words
        "0 1 the 0.3\n1 2 cat 0.2\n2\n",
        "0 1 5 5 0.3\n1 2 6 6\n2\n",
        "0\t1\tthe\tthe\t3\n1\t2\tcat\tcat\t1e-3\n2\t1\n",
        "0 1 5 5 2e1\n0 1 6 6\n1\n",
    ],
)
@pytest.mark.parametrize("known", [None, "kaldi"])
def test_machines_with_single_costs_are_refused_with_advice(machine, known, tmp_path):
    path = tmp_path / "x.lat"
    path.write_text(f"u1 \n{machine}\nu2 \n{machine}\n")
    with pytest.raises(lm.FormatError, match=r"pair.* single costs.*NAME\.fst\.txt.*openfst-text"):
        list(lm.read(path, format=known))
    folder = tmp_path / "machines"
    folder.mkdir()
    for name in ("u1", "u2"):
        (folder / f"{name}.fst.txt").write_text(machine)
    assert [name for name, _ in lm.read(folder, format="openfst-text")] == ["u1", "u2"]


@pytest.mark.parametrize(
    "arcs", ["0 1 3.5 0.1,2,\n", "0 1 7 3.5 0.1,2\n", "0 1 2.5 0,1,\n0 1 3 0,2,\n", "0 1 7 3.5\n0 1 7 a\n"]
)
def test_words_that_look_like_costs_are_words(arcs, tmp_path):
    path = tmp_path / "x.lat"
    path.write_text(f"u1 \n{arcs}1\n\n")
    assert {word for path in lm.read_one(path).paths() for word in path.words} & {"3.5", "2.5"}


def test_weights_that_are_no_numbers_get_no_advice(tmp_path):
    path = tmp_path / "x.lat"
    path.write_text("u1 \n0 1 5 5 0,1,\n1 x\n\n")
    with pytest.raises(lm.FormatError, match=r"'x' is not a pair of a graph and an acoustic cost, such as 1.5,-20.25$"):
        list(lm.read(path))
