"""Files that break their format: one line that says what and where, quickly, and nothing else ever."""

import gzip
import lzma
import struct
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.format_cases import CASES
from kit.format_cases.moses_nbest import GOOD
from kit.format_cases.openfst import const, machine, stlist, sttable, symbol_table, text
from kit.formats import QUICKLY, Broken, assert_refused, cases, mutations, read_all, read_as

import latticemetric as lm
from latticemetric.formats import registry


@pytest.mark.parametrize(
    ("format_name", "broken"),
    [
        pytest.param(case.name, broken, id=f"{case.name}: {what}")
        for case in CASES.values()
        for what, broken in case.broken.items()
    ],
)
def test_a_broken_file_is_refused(format_name, broken, tmp_path):
    assert_refused(format_name, tmp_path / "broken", broken)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_there_are_a_dozen_ways_to_break_each_format(case):
    assert len({broken.data for broken in case.broken.values()}) >= 12


# --- Further ways to break what exists


def test_the_machines_below_are_broken_in_one_place_only(tmp_path):
    for data in (machine(), const(), machine(flags=2, symbols=symbol_table())):
        (tmp_path / "whole.fst").write_bytes(data)
        assert lm.read_one(tmp_path / "whole.fst").statistics().paths == 1


def test_a_negative_number_of_symbols_is_refused_as_such(tmp_path):
    table = struct.pack("<i", 2125658996) + text(b"t") + struct.pack("<qq", 8, -1)
    assert_refused("openfst", tmp_path / "broken.fst", Broken(machine(flags=1, symbols=table), says="negative"))


def test_the_archives_below_are_broken_in_one_place_only(tmp_path):
    for data in (sttable(8), stlist(text(b"key") + machine())):
        (tmp_path / "whole.far").write_bytes(data)
        assert [name for name, _ in lm.read(tmp_path / "whole.far")] == ["key"]


def test_an_error_shows_no_more_than_a_part_of_a_long_id(tmp_path):
    assert_refused("kaldi", tmp_path / "broken.lat", Broken(b"(" * 100_000))


@pytest.mark.parametrize(
    "name",
    [
        "1 0.5",
        "# A title",
    ],
)
def test_a_line_that_is_no_id_is_refused(name, tmp_path):
    broken = Broken(name.encode() + b"\n0 1 a 1,2,\n1\n", 1)
    assert_refused("kaldi", tmp_path / "broken.lat", broken)


def test_a_hypothesis_without_the_total_that_others_have_is_refused(tmp_path):
    assert_refused("moses-nbest", tmp_path / "broken.nbest", Broken(GOOD + b"0 ||| b ||| LM= -9\n", 2))


# --- References and symbol tables


@cases(
    empty=Broken(b"", says="no references"),
    id_twice=Broken(b"a x\nb y\na z\n", 3, "already has a reference"),
    id_twice_without_words=Broken(b"a\nb\na\n", 3, "already has a reference"),
    not_utf8=Broken(b"a x\nb \xe9t\xe9\n", 2, "UTF-8"),
    id_not_utf8=Broken(b"a x\n\xe9 b\n", 2, "UTF-8"),
    utf16=Broken("a x\nb y\n".encode("utf-16"), says="the text is not UTF-8 but UTF-16"),
    utf32=Broken("a x\n".encode("utf-32-be") + b"\xff", says="zero bytes"),
    gzip_cut_short=Broken(gzip.compress(b"a x\n" * 1000)[:30], says="cut short"),
    gzip_damaged=Broken(b"\x1f\x8b" + bytes(50)),
    xz_cut_short=Broken(lzma.compress(b"a x\n" * 1000)[:40], says="cut short"),
    xz_damaged=Broken(b"\xfd7zXZ\0" + b"\xff" * 50),
    zstd_damaged=Broken(b"\x28\xb5\x2f\xfd" + b"\xff" * 50),
)
def test_broken_references_are_refused(broken, tmp_path):
    assert_refused("references", tmp_path / "broken.ref", broken)


@cases(
    empty=Broken(b"", says="empty"),
    word_only=Broken(b"<eps> 0\nword\n", 2, "'word' is not a word and its number"),
    three_fields=Broken(b"New York 1\n", 1, "is not a word and its number"),
    numbers_first_in_one_line=Broken(b"a 1\n2 word\n", 2, "is not a word and its number"),
    negative=Broken(b"a -1\n", 1, "is not a word and its number"),
    fractional=Broken(b"a 1.5\n", 1, "is not a word and its number"),
    in_other_digits=Broken("a \u00b2\n".encode(), 1, "is not a word and its number"),
    beyond_32_bits=Broken(b"a 4294967296\n", says="4294967296"),
    the_number_of_any_word=Broken(b"a 2147483647\n", says="2147483647"),
    number_twice=Broken(b"a 1\nb 1\n", 2, "number 1 has two words"),
    epsilon_twice=Broken(b"a 0\nb 0\n", 2, "number 0 has two words"),
    word_twice=Broken(b"a 1\na 2\n", 2, "word 'a' has two numbers"),
    not_utf8=Broken(b"a 1\n\xe9t\xe9 2\n", 2, "UTF-8"),
    gzip_cut_short=Broken(gzip.compress(b"a 1\nb 2\n" * 1000)[:30], says="cut short"),
)
def test_a_broken_symbol_table_is_refused(broken, tmp_path):
    assert_refused("symbols", tmp_path / "broken.words", broken)


def test_a_symbol_with_a_number_of_thousands_of_digits_is_refused(tmp_path):
    assert_refused("symbols", tmp_path / "broken.words", Broken(b"a " + b"1" * 5000 + b"\n"))


# --- Any bytes at all

VALID = {
    "references": b"utt-1 a b c\nutt-2\n\nutt-3 d\n",
    "symbols": b"<eps> 0\na 1\nb\t2\n",
    **{case.name: case.valid for case in CASES.values()},
}


def assert_fine_or_refused(format_name: str | None, path: Path) -> None:
    """A file is read, or an error of ours names it in one line; any other error goes through and fails the test."""
    message = str(path)
    try:
        read_as(format_name, path)
    except lm.LatticeMetricError as error:
        message = str(error)
    assert message.startswith(str(path))
    assert "\n" not in message


@pytest.mark.parametrize("format_name", VALID)
@given(data=st.data())
def test_no_accident_raises_anything_else(format_name, data, tmp_path_factory):
    broken = data.draw(mutations(VALID[format_name]))
    path = tmp_path_factory.getbasetemp() / f"mutated.{format_name}"
    path.write_bytes(broken)
    assert_fine_or_refused(format_name, path)


@pytest.mark.parametrize("format_name", VALID)
def test_what_accidents_happen_to_is_valid(format_name, tmp_path):
    path = tmp_path / "valid"
    path.write_bytes(VALID[format_name])
    read_as(format_name, path)


@given(data=st.binary(max_size=200), name=st.sampled_from([None, *VALID]))
def test_no_bytes_raise_anything_else(data, name, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "noise"
    path.write_bytes(data)
    assert_fine_or_refused(name, path)


# What long runs of one thing do to patterns that can read them in two ways.
RUNS = [
    b"9",
    b"9 ",
    b"9.",
    b"-1 ",
    b"a",
    b" ",
    b"(",
    b"{",
    b"|||",
    b"a=",
    b"#",
    b"1e",
    b"'",
    b'"',
    b"\\",
    b"0 1 ",
    b":",
    b"[1]",
]


@pytest.mark.parametrize("run", RUNS, ids=repr)
@pytest.mark.parametrize("name", VALID)
def test_long_runs_are_told_apart_quickly(name, run):
    if name in registry.formats():
        begin = time.process_time()
        registry.formats()[name].sniff(run * (20_000 // len(run)))
        registry.formats()[name].sniff(b"0 " + run * (20_000 // len(run)) + b"\n")
        assert time.process_time() - begin < QUICKLY


# --- Memory follows from the size of the file

SPARSE = {
    "moses-nbest": "".join(
        f"0 ||| {'w ' * 30}||| " + " ".join(f"pp_{row}_{k}= 1" for k in range(5)) + " ||| -1\n" for row in range(200)
    ),
    "plf": "(" + "(('a',1),)," * 6000 + "(('a',{" + ",".join(f"'pp_{k}':1" for k in range(900)) + "},1),),)\n",
}


def test_sparse_features_of_an_nbest_list_take_no_room_in_an_oracle(tmp_path):
    path = tmp_path / "sparse"
    path.write_text(SPARSE["moses-nbest"])
    tracemalloc.start()
    try:
        assert lm.oracle(lm.read_one(path), "w w", "wer").cost == 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200 * path.stat().st_size


def test_features_too_sparse_for_columns_are_refused(tmp_path):
    assert_refused("plf", tmp_path / "sparse.plf", Broken(SPARSE["plf"].encode(), 1))


# --- Compression


def zstd_compress(data: bytes) -> bytes:
    zstd = pytest.importorskip("backports.zstd")
    return zstd.compress(data)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstd_compress], ids=["gz", "xz", "zst"])
def test_a_compressed_file_cut_short_anywhere_is_refused(compress, tmp_path):
    lines = b"".join(b"0 1 w%d w%d %d.5\n" % (k, k, k * 7919 % 1000) for k in range(300))
    data = compress(lines + b"1\n")
    path = tmp_path / "cut"
    for size in [*range(1, 40), *range(40, len(data), 61)]:
        path.write_bytes(data[:size])
        with pytest.raises(lm.LatticeMetricError) as caught:
            read_all(path, "openfst-text")
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstd_compress], ids=["gz", "xz", "zst"])
@given(data=st.data())
def test_no_accident_to_a_compressed_file_raises_anything_else(compress, data, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "compressed"
    path.write_bytes(data.draw(mutations(compress(VALID["kaldi"] * 5))))
    assert_fine_or_refused(None, path)
