"""Files that break their format: one line that says what and where, quickly, and nothing else ever."""

import gzip
import lzma
import struct
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.formats.references import read_references
from latticemetric.formats.symbols import read_symbols

QUICKLY = 2.0  # seconds; what hangs or grows takes far longer


class Broken(NamedTuple):
    """A malformed file: its bytes, the line that an error must name, and a part of what it must say."""

    data: bytes
    line: int | None = None
    says: str = ""


def read_all(path: Path, format_name: str | None) -> None:
    for _, graph in lm.read(path, format=format_name):
        lattice = graph if isinstance(graph, lm.Lattice) else graph.to_lattice()
        lattice.statistics()


READERS: dict[str, Callable[[Path], object]] = {
    "references": lambda path: read_references(str(path)).keyed(),
    "symbols": lambda path: read_symbols(str(path)),
}


def read_as(format_name: str | None, path: Path) -> None:
    reader = READERS.get(format_name or "")
    _ = reader(path) if reader else read_all(path, format_name)


def assert_refused(format_name: str, path: Path, broken: Broken) -> None:
    path.write_bytes(broken.data)
    begin = time.monotonic()
    with pytest.raises(lm.LatticeMetricError) as caught:
        read_as(format_name, path)
    assert time.monotonic() - begin < QUICKLY
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 600
    assert message.startswith(str(path) if broken.line is None else f"{path}:{broken.line}")
    assert broken.says in message


def cases(**table: Broken) -> pytest.MarkDecorator:
    assert len(table) >= 12
    return pytest.mark.parametrize("broken", table.values(), ids=[name.replace("_", " ") for name in table])


# --- OpenFst binary


def text(value: bytes) -> bytes:
    return struct.pack("<i", len(value)) + value


def machine(
    *,
    magic: int = 2125659606,
    fst_type: bytes = b"vector",
    arc_type: bytes = b"standard",
    version: int = 2,
    flags: int = 0,
    start: int = 0,
    states: int = 2,
    arcs: int = 1,
    symbols: bytes = b"",
    body: bytes | None = None,
) -> bytes:
    """A machine with one arc to its final state, unless something else is asked for."""
    header = struct.pack("<i", magic) + text(fst_type) + text(arc_type)
    header += struct.pack("<iiQqqq", version, flags, 3, start, states, arcs)
    return header + symbols + (vector_body() if body is None else body)


def vector_body(final: float = 0.0, count: int = 1, weight: float = 0.5, target: int = 1, word: int = 7) -> bytes:
    return struct.pack("<fqiifi", float("inf"), count, word, word, weight, target) + struct.pack("<fq", final, 0)


def const_body(begin: int = 0, count: int = 1, last: int = 0) -> bytes:
    states = struct.pack("<fIIII", float("inf"), begin, count, 0, 0) + struct.pack("<fIIII", 0.0, 1, last, 0, 0)
    return states + struct.pack("<iifi", 7, 7, 0.5, 1)


def symbol_table(size: int = 1, magic: int = 2125658996, word: bytes = b"one", number: int = 7) -> bytes:
    return struct.pack("<i", magic) + text(b"t") + struct.pack("<qq", 8, size) + text(word) + struct.pack("<q", number)


def const(**fields: int | bytes) -> bytes:
    return machine(fst_type=b"const", **{"body": const_body()} | fields)


def test_the_machines_below_are_broken_in_one_place_only(tmp_path):
    for data in (machine(), const(), machine(flags=2, symbols=symbol_table())):
        (tmp_path / "whole.fst").write_bytes(data)
        assert lm.read_one(tmp_path / "whole.fst").statistics().paths == 1


INF, NAN = float("inf"), float("nan")


@cases(
    wrong_magic=Broken(machine(magic=1), says="not an OpenFst machine"),
    header_only=Broken(machine(body=b""), says="cut short"),
    half_a_header=Broken(machine()[:30], says="cut short"),
    one_byte=Broken(b"\xd6", says="cut short"),
    type_name_of_negative_length=Broken(struct.pack("<ii", 2125659606, -5) + bytes(60), says="cut short"),
    type_name_of_huge_length=Broken(struct.pack("<ii", 2125659606, 2**31 - 1) + bytes(60), says="cut short"),
    type_name_not_utf8=Broken(machine(fst_type=b"\xff\xfe"), says="not UTF-8"),
    unknown_fst_type=Broken(machine(fst_type=b"ngram"), says="type 'ngram'"),
    unknown_arc_type=Broken(machine(arc_type=b"lattice4"), says="type 'lattice4'"),
    huge_states=Broken(machine(states=2**62), says="cut short"),
    huge_states_const=Broken(const(states=2**62), says="cut short"),
    huge_arcs_const=Broken(const(arcs=2**62), says="cut short"),
    negative_states=Broken(machine(states=-7), says="negative"),
    negative_arcs=Broken(const(arcs=-1), says="negative"),
    unknown_states_const=Broken(const(states=-1)),
    negative_arcs_of_a_state=Broken(machine(body=vector_body(count=-1)), says="cut short"),
    huge_arcs_of_a_state=Broken(machine(body=vector_body(count=2**60)), says="cut short"),
    fewer_states_than_said=Broken(machine(states=3), says="cut short"),
    more_states_than_said=Broken(machine(states=1), says="bytes follow"),
    more_arcs_than_said_const=Broken(const(body=const_body(count=2)), says="as many arcs"),
    arcs_out_of_place_const=Broken(const(body=const_body(begin=9)), says="do not follow one another"),
    no_start=Broken(machine(start=-1), says="no start state"),
    start_beyond_all_states=Broken(machine(start=99), says="empty"),
    start_beyond_32_bits=Broken(machine(start=2**50), says="empty"),
    arc_beyond_all_states=Broken(machine(body=vector_body(target=5)), says="state 5"),
    arc_to_a_negative_state=Broken(machine(body=vector_body(target=-3)), says="-3"),
    negative_word=Broken(machine(body=vector_body(word=-1)), says="-1"),
    cycle=Broken(machine(body=vector_body(target=0)), says="empty"),
    weight_nan=Broken(machine(body=vector_body(weight=NAN)), says="not finite"),
    weight_infinite=Broken(machine(body=vector_body(weight=INF)), says="not finite"),
    final_weight_nan=Broken(machine(body=vector_body(final=NAN)), says="not finite"),
    final_weight_minus_infinity=Broken(machine(body=vector_body(final=-INF)), says="not finite"),
    no_final_state=Broken(machine(body=vector_body(final=INF)), says="no final state"),
    symbols_of_wrong_magic=Broken(machine(flags=2, symbols=symbol_table(magic=3)), says="symbol table was expected"),
    symbols_of_huge_size=Broken(machine(flags=2, symbols=symbol_table(size=2**60)), says="cut short"),
    symbols_not_utf8=Broken(machine(flags=2, symbols=symbol_table(word=b"\xff")), says="not UTF-8"),
    symbols_with_a_negative_number=Broken(machine(flags=2, symbols=symbol_table(number=-9)), says="-9"),
    symbols_without_the_word=Broken(machine(flags=2, symbols=symbol_table(number=6)), says="number 7"),
    bytes_after_the_machine=Broken(machine() + b"?", says="1 bytes follow"),
    text=Broken(b"0 1 a a\n1\n", says="not an OpenFst machine"),
)
def test_a_broken_openfst_machine_is_refused(broken, tmp_path):
    assert_refused("openfst", tmp_path / "broken.fst", broken)


def test_a_negative_number_of_symbols_is_refused_as_such(tmp_path):
    table = struct.pack("<i", 2125658996) + text(b"t") + struct.pack("<qq", 8, -1)
    assert_refused("openfst", tmp_path / "broken.fst", Broken(machine(flags=1, symbols=table), says="negative"))


# --- FAR

STTABLE, STLIST = struct.pack("<ii", 2125656924, 1), struct.pack("<ii", 5656924, 1)


def sttable(*offsets: int, count: int | None = None, body: bytes | None = None) -> bytes:
    index = struct.pack(f"<{len(offsets) + 1}q", *offsets, len(offsets) if count is None else count)
    return STTABLE + (text(b"key") + machine() if body is None else body) + index


def stlist(body: bytes, end: bytes = text(b"")) -> bytes:
    return STLIST + body + end


def test_the_archives_below_are_broken_in_one_place_only(tmp_path):
    for data in (sttable(8), stlist(text(b"key") + machine())):
        (tmp_path / "whole.far").write_bytes(data)
        assert [name for name, _ in lm.read(tmp_path / "whole.far")] == ["key"]


@cases(
    magic_only=Broken(STTABLE[:4], says="cut short"),
    header_only=Broken(STTABLE, says="cut short"),
    other_version=Broken(struct.pack("<ii", 2125656924, 7) + bytes(20), says="version 7"),
    wrong_magic=Broken(bytes(40)),
    empty_table=Broken(sttable(body=b""), says="no graph"),
    empty_list=Broken(stlist(b""), says="no graph"),
    huge_count=Broken(sttable(8, count=2**62), says="index"),
    negative_count=Broken(sttable(8, count=-1), says="index"),
    count_too_large=Broken(sttable(8, count=40), says="index"),
    offset_beyond_the_end=Broken(sttable(10**6), says="index points outside"),
    offset_into_the_header=Broken(sttable(0), says="index points outside"),
    negative_offset=Broken(sttable(-4), says="index points outside"),
    offset_beside_the_key=Broken(sttable(11)),
    huge_key=Broken(sttable(8, body=struct.pack("<i", 2**31 - 1) + machine()), says="cut short"),
    negative_key=Broken(sttable(8, body=struct.pack("<i", -1) + machine()), says="cut short"),
    key_not_utf8=Broken(sttable(8, body=text(b"\xff\xff") + machine()), says="not UTF-8"),
    damaged_machine=Broken(sttable(8, body=text(b"key") + machine(magic=3)), says="not an OpenFst machine"),
    machine_cut_short=Broken(stlist(text(b"key") + machine()[:-9], end=b""), says="cut short"),
    list_without_its_end=Broken(stlist(text(b"key") + machine(), end=b""), says="cut short"),
    text_in_the_list=Broken(stlist(b"utt\n0 1 a\n"), says="cut short"),
    cyclic_machine=Broken(
        stlist(text(b"key") + machine(body=vector_body(target=0)[:-12] + struct.pack("<fq", 0, 0))), says="(key)"
    ),
)
def test_a_broken_archive_is_refused(broken, tmp_path):
    assert_refused("far", tmp_path / "broken.far", broken)


# --- OpenFst text


@cases(
    one_state_without_an_end=Broken(b"0 1 a a\n", says="no final state"),
    state_that_is_no_number=Broken(b"0 1 a a\nx 2 b b\n2\n", 2, "'x' is not a state"),
    negative_state=Broken(b"0 1 a a\n1 -2 b b\n2\n", 2, "'-2' is not a state"),
    fractional_state=Broken(b"0 1 a a\n1 2.0 b b\n2\n", 2, "'2.0' is not a state"),
    state_beyond_32_bits=Broken(b"0 99999999999999999999 a a\n1\n", 1, "is not a state"),
    state_in_other_digits=Broken("0 1 a a\n\u0661\n".encode(), 2, "is not a state"),
    weight_that_is_no_number=Broken(b"0 1 a a 1\n0 1 b b 1,5\n1\n", 2, "'1,5' is not a number"),
    weight_with_underscore=Broken(b"0 1 a a 1_0\n1\n", 1, "'1_0' is not a number"),
    hexadecimal_weight=Broken(b"0 1 a a 0x10\n1\n", 1, "'0x10' is not a number"),
    weight_nan=Broken(b"0 1 a a nan\n1\n", 1, "not finite"),
    weight_infinite=Broken(b"0 1 a a Infinity\n1\n", 1, "not finite"),
    weight_too_large=Broken(b"0 1 a a 1e999\n1\n", 1, "not finite"),
    final_weight_nan=Broken(b"0 1 a a 1\n1 NaN\n", 2, "not finite"),
    final_weight_that_is_no_number=Broken(b"0 1 a a 1\n1 heavy\n", 2, "'heavy' is not a number"),
    too_many_fields=Broken(b"0 1 a a 1\n0 1 a a 1 1\n1\n", 2, "6 fields"),
    weights_beside_missing_outputs=Broken(b"0 1 a\n0 1 a b 0.5\n1\n"),
    final_twice=Broken(b"0 1 a a\n1 0.5\n1 0.5\n", says="final twice"),
    cycle=Broken(b"0 1 a a\n1 0 b b\n1\n", says="cyclic"),
    unreachable_end=Broken(b"0 1 a a\n2 3 b b\n3\n", says="empty"),
    all_ends_infinite=Broken(b"0 1 a a\n1 Infinity\n", says="no final state"),
    words_not_utf8=Broken(b"0 1 a a\n0 1 \xe9t\xe9 b\n1\n", says="UTF-8"),
    outputs_not_utf8=Broken(b"0 1 a a\n0 1 b \xe9t\xe9\n1\n", 2, "UTF-8"),
    nul_bytes=Broken(b"\0" * 1000),
    brackets=Broken(b"(" * 100_000),
    a_long_word=Broken(b"0 1 " + b"a" * 1_000_000 + b" a 1 1 1\n1\n", 1),
    a_long_number=Broken(b"0 1 a a " + b"9" * 1_000_000 + b"\n1\n", 1),
    many_fields=Broken(b"0 " * 500_000 + b"\n", 1),
    a_kaldi_archive=Broken(b"utt\n0 1 a 1,2,\n1\n", 1),
)
def test_a_broken_openfst_text_is_refused(broken, tmp_path):
    assert_refused("openfst-text", tmp_path / "broken.fst.txt", broken)


# --- Kaldi


@cases(
    arcs_without_an_id=Broken(b"0 1 a 1,2,\n1 1,2,\n", 1),
    id_only=Broken(b"utt \n\n", says="empty"),
    second_lattice_empty=Broken(b"utt \n0 1 a 1,2,\n1\n\nutt2 \n\n", 5, "empty"),
    state_that_is_no_number=Broken(b"utt \n0 1 a 1,2,\nx 1 a 1,2,\n1\n", 3, "'x' is not a state"),
    negative_state=Broken(b"utt \n0 -1 a 1,2,\n1\n", 2, "'-1' is not a state"),
    state_beyond_32_bits=Broken(b"utt \n0 2147483647 a 1,2,\n1\n", 2, "2147483647"),
    cost_that_is_no_number=Broken(b"utt \n0 1 a one,2,\n1\n", 2, "'one' is not a number"),
    cost_with_underscore=Broken(b"utt \n0 1 a 1_0,2,\n1\n", 2, "'1_0' is not a number"),
    cost_missing=Broken(b"utt \n0 1 a ,2,\n1\n", 2, "'' is not a number"),
    cost_nan=Broken(b"utt \n0 1 a 1,nan,\n1\n", 2, "not finite"),
    cost_infinite=Broken(b"utt \n0 1 a Infinity,2,\n1\n", 2, "not finite"),
    cost_too_large=Broken(b"utt \n0 1 a 1,1e309,\n1\n", 2, "not finite"),
    final_cost_nan=Broken(b"utt \n0 1 a 1,2,\n1 nan,nan,\n", 3, "not finite"),
    one_cost_only=Broken(b"utt \n0 1 a 1,2,\n1 3.5\n", 3, "graph and an acoustic cost"),
    four_parts=Broken(b"utt \n0 1 a 1,2,3,4\n1\n", 2),
    too_many_fields=Broken(b"utt \n0 1 5 a 1,2 x\n1\n", 2, "6 fields"),
    not_compact_with_a_bad_weight=Broken(b"utt \n0 1 5 a heavy\n1\n", 2),
    blank_line_missing=Broken(b"utt \n0 1 a 1,2,\n1\nutt2 \n0 1 a 1,2,\n1\n", 4, "'utt2' is not a state"),
    final_twice=Broken(b"utt \n0 1 a 1,2,\n1\n1\n", 1, "final twice"),
    no_final_state=Broken(b"utt \n0 1 a 1,2,\n", 1, "no final state"),
    cycle=Broken(b"utt \n0 1 a 1,2,\n1 0 b 1,2,\n1\n", 1, "cyclic"),
    cycle_in_the_second_lattice=Broken(b"u \n0 1 a 1,2,\n1\n\nv \n0 1 a 1,2,\n1 1 b 1,2,\n1\n", 5, "(v)"),
    word_not_utf8=Broken(b"utt \n0 1 \xe9t\xe9 1,2,\n1\n", 2, "UTF-8"),
    id_not_utf8=Broken(b"utt\xe9 \n0 1 a 1,2,\n1\n", 1, "UTF-8"),
    transitions_not_utf8=Broken(b"utt \n0 1 a 1,2,\xff\n1\n", 2, "UTF-8"),
    binary_archive=Broken(b"utt \0B" + bytes(range(256)) * 20),
    a_long_number=Broken(b"utt \n0 1 a " + b"9" * 1_000_000 + b",2,\n1\n", 2),
    a_long_id=Broken(b"u" * 1_000_000 + b"\n0 1 a 1,nan,\n1\n", 2),
)
def test_a_broken_kaldi_archive_is_refused(broken, tmp_path):
    assert_refused("kaldi", tmp_path / "broken.lat", broken)


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


# --- PLF


@cases(
    not_closed=Broken(b"((('a',-1,1),)\n", 1, "end of the line"),
    opened_only=Broken(b"(\n", 1),
    something_after_the_end=Broken(b"((('a',-1,1),),) x\n", 1, "closed"),
    second_line=Broken(b"((('a',-1,1),),)\n\n((('a',-1,1),)\n", 3),
    quote_not_closed=Broken(b"((('a,-1,1),),)\n", 1, "quote"),
    escape_at_the_end=Broken(b"((('a\\", 1, "quote"),
    word_without_quotes=Broken(b"(((a,-1,1),),)\n", 1, "quoted word"),
    word_in_letters_before_quotes=Broken(b"(((u'a',-1,1),),)\n", 1),
    number_for_a_word=Broken(b"(((1,-1,1),),)\n", 1, "quoted word"),
    no_distance=Broken(b"((('a',),),)\n", 1, "forward"),
    distance_zero=Broken(b"((('a',-1,0),),)\n", 1, "at least 1"),
    distance_negative=Broken(b"((('a',-1,-1),),)\n", 1, "at least 1"),
    distance_fractional=Broken(b"((('a',-1,1.5),),)\n", 1, "at least 1"),
    distance_in_other_digits=Broken("((('a',-1,\u00b2),),)\n".encode(), 1, "at least 1"),
    distance_beyond_the_end=Broken(b"((('a',-1,2),),)\n", 1, "beyond the end"),
    distance_huge=Broken(b"((('a',-1,99999999999999999999),),)\n", 1),
    distance_of_32_bits=Broken(b"((('a',-1,2147483647),),)\n", 1),
    score_that_is_no_number=Broken(b"((('a',one,1),),)\n", 1, "'one' is not a number"),
    score_with_underscore=Broken(b"((('a',-1_0,1),),)\n", 1, "is not a number"),
    score_nan=Broken(b"((('a',nan,1),),)\n", 1, "not finite"),
    score_infinite=Broken(b"((('a',-inf,1),),)\n", 1, "not finite"),
    score_called=Broken(b"((('a',__import__('os').abort(),1),),)\n", 1),
    comma_missing=Broken(b"((('a',-1,1)('b',-1,1),),)\n", 1, "expected ','"),
    brace_not_closed=Broken(b"((('a',{'x':1,1),),)\n", 1),
    feature_without_a_value=Broken(b"((('a',{'x':},1),),)\n", 1, "feature 'x'"),
    feature_without_quotes=Broken(b"((('a',{x:1},1),),)\n", 1, "feature name"),
    feature_nan=Broken(b"((('a',{'x':nan},1),),)\n", 1, "not finite"),
    feature_not_utf8=Broken(b"((('a',{'\xff':1},1),),)\n", 1, "UTF-8"),
    node_without_arcs=Broken(b"((),)\n", 1, "empty"),
    node_that_nothing_leaves=Broken(b"((('a',1),),(),)\n", 1, "empty"),
    word_not_utf8=Broken(b"((('\xe9t\xe9',-1,1),),)\n", 1, "UTF-8"),
    deep_nesting=Broken(b"(" * 100_000 + b"\n", 1),
    deep_nesting_closed=Broken(b"(" * 100_000 + b")" * 100_000 + b"\n", 1),
    deep_braces=Broken(b"((('a'," + b"{" * 100_000 + b"\n", 1),
    many_quotes=Broken(b"(((" + b"'\\" * 100_000 + b"\n", 1),
    another_word_in_brackets=Broken(b"((['a',-1,1],),)\n", 1),
)
def test_a_broken_plf_is_refused(broken, tmp_path):
    assert_refused("plf", tmp_path / "broken.plf", broken)


# --- Moses n-best

GOOD = b"0 ||| a b ||| LM= -1 ||| -2\n"


@cases(
    one_field=Broken(b"just words\n", 1, "1 fields"),
    two_fields=Broken(GOOD + b"0 ||| a b\n", 2, "2 fields"),
    total_that_is_no_number=Broken(GOOD + b"0 ||| a ||| LM= -1 ||| low\n", 2, "'low' is not a number"),
    total_missing=Broken(b"0 ||| a ||| LM= -1 ||| \n", 1, "'' is not a number"),
    total_of_two_numbers=Broken(b"0 ||| a ||| LM= -1 ||| -1 -2\n", 1, "is not a number"),
    total_with_underscore=Broken(b"0 ||| a ||| LM= -1 ||| -1_0\n", 1, "is not a number"),
    total_nan=Broken(b"0 ||| a ||| LM= -1 ||| nan\n", 1, "not finite"),
    total_infinite=Broken(b"0 ||| a ||| LM= -1 ||| -inf\n", 1, "not finite"),
    feature_nan=Broken(b"0 ||| a ||| LM= nan ||| -1\n", 1, "not finite"),
    feature_that_is_no_number=Broken(b"0 ||| a ||| LM= low ||| -1\n", 1, "'low' is not a number"),
    feature_twice=Broken(b"0 ||| a ||| LM= -1 LM= -2 ||| -1\n", 1, "twice"),
    feature_twice_by_number=Broken(b"0 ||| a ||| LM= -1 -2 LM_1= -2 ||| -1\n", 1, "'LM_1' stands twice"),
    not_in_one_piece=Broken(GOOD + b"1 ||| a ||| LM= -1 ||| -1\n" + GOOD, 3, "not in one piece"),
    not_utf8=Broken(GOOD + b"0 ||| \xe9t\xe9 ||| LM= -1 ||| -1\n", 2, "UTF-8"),
    separators_only=Broken(b"|||" * 100_000 + b"\n", 1),
    brackets=Broken(b"(" * 100_000 + b"\n", 1),
    a_long_number=Broken(b"0 ||| a ||| LM= " + b"9" * 1_000_000 + b" ||| -1\n", 1),
    a_long_feature=Broken(b"0 ||| a ||| " + b"=" * 200_000 + b" ||| -1\n", 1),
)
def test_a_broken_nbest_list_is_refused(broken, tmp_path):
    assert_refused("moses-nbest", tmp_path / "broken.nbest", broken)


def test_a_hypothesis_without_the_total_that_others_have_is_refused(tmp_path):
    assert_refused("moses-nbest", tmp_path / "broken.nbest", Broken(GOOD + b"0 ||| b ||| LM= -9\n", 2))


# --- References and symbol tables


@cases(
    empty=Broken(b"", says="no references"),
    white_space=Broken(b" \n\n \t \n", says="no references"),
    id_twice=Broken(b"a x\nb y\na z\n", 3, "has a reference already"),
    id_twice_without_words=Broken(b"a\nb\na\n", 3, "has a reference already"),
    not_utf8=Broken(b"a x\nb \xe9t\xe9\n", 2, "UTF-8"),
    utf16=Broken("a x\nb y\n".encode("utf-16"), 1, "UTF-8"),
    utf32=Broken("a x\n".encode("utf-32-be") + b"\xff", 1 + 1, "UTF-8"),
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
    number_first=Broken(b"1 word\n", 1, "is not a word and its number"),
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
    "htk-slf": (Path(__file__).parent.parent / "examples" / "data" / "ferry.slf").read_bytes(),
    "openfst": machine(flags=3, symbols=symbol_table() * 2),
    "far": sttable(8),
    "openfst-text": b"0\t1\ta\tb\t0.5\n1 2 c c\n0 2 <eps> d 1e-3\n2 0.25\n",
    "kaldi": b"utt-1 \n0 1 a 0.5,-3.25,4_5\n0 2 b 1,2,\n1 2 <eps> 0,0,\n2 1,0,7\n\nutt-2 \n0 1 3 9 1,2\n1\n\n",
    "plf": b"((('a',-0.5,1),('b',-1,2),),((\"it\\'s\",{'x':0.1,},1),),)\n()\n",
    "moses-nbest": b"0 ||| a b ||| LM0= -4.3 TM= -1 2 ||| -5 ||| 0-0\n0||| c ||| lm: -4 ||| -6\n1 ||| ||| ||| 0\n",
    "references": b"utt-1 a b c\nutt-2\n\nutt-3 d\n",
    "symbols": b"<eps> 0\na 1\nb\t2\n",
}

MARKS = [b"\n", b"\n\n", b" ", b"\t", b",", b"(", b")", b"'", b'"', b"\\", b"{", b"}", b":", b"|||", b"=", b"-", b"\0"]
VALUES = [b"0", b"1", b"-1", b"9" * 30, b"nan", b"inf", b"1e400", b"<eps>", b"\xff", b"\xc3", "²".encode(), b"\xff" * 8]
SNIPPETS = st.sampled_from([*MARKS, *VALUES])


@st.composite
def mutations(draw: st.DrawFn, data: bytes) -> bytes:
    """A file after a few accidents: bytes changed, lost, doubled, moved, put in between."""
    for _ in range(draw(st.integers(1, 4))):
        begin, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        near = min(len(data), begin + draw(st.integers(0, 9)))
        data = draw(
            st.sampled_from([data[:begin] + data[end:], data[:begin] + data[near:], data[:near] + data[begin:]])
            | SNIPPETS.map(lambda snippet, b=begin, n=near, d=data: d[:b] + snippet + d[n:])
            | st.binary(min_size=1, max_size=8).map(lambda new, b=begin, d=data: d[:b] + new + d[b + len(new) :])
        )
    return data


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
