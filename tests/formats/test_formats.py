"""Formats: what is written is read back, what other tools write is read, and files are found and told apart."""

import errno
import gzip
import io
import lzma
import math
import os
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import good, run
from kit.format_cases import CASES
from kit.format_cases.htk_slf import SLF
from kit.formats import Graph, contents, paths_in, paths_of, write_file
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.corpus.pairing import pair_up
from latticemetric.formats import reading, registry
from latticemetric.formats.reading import read_symbols
from latticemetric.formats.references import Reference, read_references
from latticemetric.nbest import Hypothesis

# --- Writing and reading back


WRITABLE = [name for name, case in CASES.items() if case.graphs is not None]


def test_every_format_is_tried():
    assert set(CASES) == set(registry.formats())
    written = {name: found for name, found in registry.formats().items() if found.write or found.write_archive}
    one_file = {name for name, found in written.items() if not found.write_files}
    assert set(WRITABLE) == one_file


@pytest.mark.parametrize("format_name", WRITABLE)
@given(data=st.data())
def test_write_then_read_is_the_identity(format_name, data, tmp_path_factory):
    case = CASES[format_name]
    graphs = data.draw(st.lists(case.graphs, min_size=1, max_size=len(case.names) if case.many else 1))
    named = list(zip(case.names, graphs, strict=False))
    path = tmp_path_factory.getbasetemp() / "machine"
    assert lm.write(path, named, format=format_name) == len(named)
    again = list(lm.read(path))
    assert [name for name, _ in again] == [name for name, _ in named]
    assert [contents(graph) for _, graph in again] == [contents(graph) for _, graph in named]


def small(format_name: str) -> Graph:
    graph = CASES[format_name].small
    assert graph is not None
    return graph


MAGIC = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\0", ".zst": b"\x28\xb5\x2f\xfd"}


@pytest.mark.parametrize("format_name", WRITABLE)
@pytest.mark.parametrize("suffix", MAGIC)
def test_files_are_compressed_as_their_suffix_says(format_name, suffix, tmp_path):
    path = tmp_path / f"graphs{suffix}"
    name = CASES[format_name].names[0]
    path = path.with_name(f"{name}{suffix}")
    lm.write(path, [(name, small(format_name))], format=format_name)
    assert path.read_bytes().startswith(MAGIC[suffix])
    assert [(n, contents(g)) for n, g in lm.read(path)] == [(name, contents(small(format_name)))]


@pytest.mark.parametrize("format_name", WRITABLE)
def test_the_same_graphs_give_the_same_bytes(format_name, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        lm.write(tmp_path / folder / "x.gz", [("1", small(format_name))], format=format_name)
    assert (tmp_path / "one" / "x.gz").read_bytes() == (tmp_path / "two" / "x.gz").read_bytes()


@pytest.mark.parametrize("format_name", WRITABLE)
def test_a_folder_gets_a_file_a_graph(format_name, tmp_path):
    names = ["u2", "u1", "u10"]
    lm.write(f"{tmp_path}/new/folder/", [(name, small(format_name)) for name in names], format=format_name)
    found = sorted((tmp_path / "new" / "folder").iterdir())
    assert [path.name.split(".")[0] for path in found] == sorted(names)
    for path in found:
        assert contents(lm.read_one(path, format=format_name)) == contents(small(format_name))


@pytest.mark.parametrize(
    ("file", "format_name"),
    [
        ("x.fst", "openfst"),
        ("x.fst.gz", "openfst"),
        ("x.far", "far"),
        ("x.fst.txt", "openfst-text"),
        ("x.txt", "openfst-text"),
        ("x.att.xz", "openfst-text"),
        ("x.plf", "plf"),
        ("x.nbest.zst", "moses-nbest"),
        ("x.lat", "kaldi"),
        ("x.kaldi", "kaldi"),
        ("x.lat.txt", "kaldi"),
        ("x.ark.txt.gz", "kaldi"),
    ],
)
def test_a_suffix_chooses_the_format_to_write(file, format_name, tmp_path):
    lm.write(tmp_path / file, [("0" if format_name == "moses-nbest" else "utt", small(format_name))])
    assert [entry.format for entry in reading.entries([tmp_path / file])] == [format_name]


# --- What a format cannot hold is refused, and nothing is left behind


@pytest.mark.parametrize(
    ("format_name", "name", "graph", "message"),
    [
        pytest.param("kaldi", "a b", small("kaldi"), "id in a Kaldi archive", id="id with a space"),
        pytest.param("kaldi", "", small("kaldi"), "id in a Kaldi archive", id="no id"),
        pytest.param("kaldi", "u", lm.Lattice.from_strings([["New York"]]), "white space", id="word with a space"),
        pytest.param("kaldi", "u", lm.Lattice.from_strings([["a\nb"]]), "white space", id="word with a line end"),
        pytest.param("kaldi", "u", lm.Lattice.from_strings(["<eps>"]), "as no word", id="word spelled as ε"),
        pytest.param("kaldi", "u", lm.Lattice.from_strings(["0 1 2"]), "numbers", id="digits as words"),
        pytest.param("openfst-text", "u", lm.Lattice.from_strings(["ε"]), "as no word", id="ε as a word"),
        pytest.param("openfst-text", "u", lm.Lattice.from_strings([["a\tb"]]), "white space", id="word with a tab"),
        pytest.param("plf", "u", lm.Lattice.from_strings(["*EPS*"]), "as no word", id="word spelled as PLF's ε"),
        pytest.param("openfst", "u", lm.Lattice.from_strings(["a"], [1e39]), "32-bit", id="cost beyond 32 bits"),
        pytest.param("moses-nbest", "0", lm.Lattice.from_strings(["a"]), "is a lattice", id="lattice as n-best list"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(format_name, name, graph, message, tmp_path):
    with pytest.raises(lm.LatticeMetricError, match=message):
        lm.write(tmp_path / "x", [(name, graph)], format=format_name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format_name", ["openfst", "far", "openfst-text", "kaldi"])
def test_several_columns_must_be_summed_first(format_name, tmp_path):
    nbest = lm.NBest((Hypothesis(("a",), {"LM0": 1.0, "TM0": 2.0, "w": 3.0}),), {})
    with pytest.raises(lm.UsageError, match=r"LM0, TM0, w; .*sum_scores=True"):
        lm.write(tmp_path / "x", [("u", nbest)], format=format_name)


@pytest.mark.parametrize("format_name", ["openfst", "openfst-text"])
def test_a_file_of_one_graph_takes_no_second(format_name, tmp_path):
    with pytest.raises(lm.UsageError, match=r"holds one graph; .*folder"):
        lm.write(tmp_path / "x", [("a", small(format_name)), ("b", small(format_name))], format=format_name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    def graphs() -> Iterator[tuple[str, Graph]]:
        yield "a", small("kaldi")
        raise RuntimeError("the decoder died")

    path = write_file(tmp_path, "what was there before")
    with pytest.raises(RuntimeError):
        lm.write(path, graphs(), format="kaldi")
    assert path.read_text() == "what was there before"
    assert [p.name for p in tmp_path.iterdir()] == ["graphs"]


@pytest.mark.parametrize("name", ["", "a/b", "../up", ".hidden"])
def test_ids_that_cannot_name_a_file_are_refused(name, tmp_path):
    with pytest.raises(lm.UsageError, match="cannot name a file"):
        lm.write(f"{tmp_path}/out/", [(name, small("openfst"))], format="openfst")


@pytest.mark.parametrize("target", ["x.unknown", "x", "folder/"])
def test_a_target_that_tells_no_format_is_refused(target, tmp_path):
    with pytest.raises(lm.UsageError, match=r"no format has the suffix of .*; name one of .*far, htk-slf, .*kaldi"):
        lm.write(f"{tmp_path}/{target}", [("a", small("kaldi"))])


def test_two_graphs_of_one_id_do_not_fit_into_a_folder(tmp_path):
    with pytest.raises(lm.LatticeMetricError):
        lm.write(f"{tmp_path}/out/", [("a", small("openfst")), ("a", small("openfst"))], format="openfst")


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    path = write_file(tmp_path, "a file")
    with pytest.raises(lm.LatticeMetricError):
        lm.write(f"{path}/", [("a", small("openfst"))], format="openfst")


def test_a_target_that_is_a_folder_is_refused(tmp_path):
    with pytest.raises(lm.LatticeMetricError):
        lm.write(tmp_path, [("a", small("openfst"))], format="openfst")


def test_a_target_that_is_a_link_stays_one(tmp_path):
    (tmp_path / "real.fst").touch()
    (tmp_path / "link.fst").symlink_to("real.fst")
    lm.write(tmp_path / "link.fst", [("a", small("openfst"))])
    assert (tmp_path / "link.fst").is_symlink()


@pytest.mark.parametrize("format_name", ["plf", "kaldi"])
def test_a_scale_that_a_format_cannot_say_is_refused(format_name, tmp_path):
    zero = np.zeros(1)
    columns = {"lm": lm.Column(np.array([5.0]), zero, 0.0), "acoustic": lm.Column(np.array([3.0]), zero, 1.0)}
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], scores=columns)
    with pytest.raises(lm.UsageError, match=r"scores of weight 1, not the weight of lm; .*sum_scores=True"):
        lm.write(tmp_path / "x", [("1", lattice)], format=format_name)


@pytest.mark.parametrize("format_name", ["plf", "kaldi"])
def test_the_input_side_is_not_dropped_in_silence(format_name, tmp_path):
    transducer = lm.read_one(write_file(tmp_path, "0 1 gato cat 0.5\n1\n"))
    with pytest.raises(lm.LatticeMetricError):
        lm.write(tmp_path / "x", [("1", transducer)], format=format_name)


@pytest.mark.parametrize("words", ["007", "1.5 2.5", "inf", "1e5"])
def test_words_that_would_be_read_back_as_weights_are_refused(words, tmp_path):
    with pytest.raises(lm.InputError, match="words look like weights"):
        lm.write(tmp_path / "x.fst.txt", [("x", lm.Lattice.from_strings([words]))])
    lm.write(tmp_path / "x.fst.txt", [("x", lm.Lattice.from_strings([words], costs=[0.0]))])
    assert paths_of(lm.read_one(tmp_path / "x.fst.txt")) == [(words, 0.0)]


@pytest.mark.parametrize("text", ["0\n", "0\t0.5\n", "3 1.25\n"])
def test_a_machine_of_one_state_is_recognised(text, tmp_path):
    assert paths_in(tmp_path, text)[0][0][0] == ""


@pytest.mark.parametrize(
    ("name", "words", "scores"),
    [
        pytest.param("0", ("a b",), {"total": 1.0}, id="word with a space"),
        pytest.param("0", ("a", "|||", "b"), {"total": 1.0}, id="separator as a word"),
        pytest.param("0", ("a",), {"my score": 1.0}, id="feature with a space"),
        pytest.param("0 ||| 1", ("a",), {"total": 1.0}, id="separator in the id"),
        pytest.param("0", ("a\nb",), {"total": 1.0}, id="word with a line end"),
    ],
)
def test_an_nbest_list_that_would_be_read_back_as_another_is_refused(name, words, scores, tmp_path):
    with pytest.raises(lm.LatticeMetricError):
        lm.write(tmp_path / "x.nbest", [(name, lm.NBest((Hypothesis(words, scores),), {}))])


def test_an_nbest_list_with_ids_is_recognised(tmp_path):
    lm.write(tmp_path / "x.nbest", [("utt-1", small("moses-nbest"))])
    assert [name for name, _ in lm.read(tmp_path / "x.nbest")] == ["utt-1"]


# --- Telling formats apart


@pytest.mark.parametrize(
    ("file", "format_name", "names"),
    [
        ("harbour.fst", "openfst", ["harbour"]),
        ("harbour.fst.txt", "openfst-text", ["harbour"]),
        ("meeting.far", "far", ["meeting-001", "meeting-002", "meeting-003"]),
        ("meeting.lat.txt", "kaldi", ["meeting-001", "meeting-002", "meeting-003"]),
        ("proverbs.plf", "plf", ["1", "2", "3"]),
        ("headlines.nbest", "moses-nbest", ["0", "1"]),
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
def test_the_content_tells_the_format(file, format_name, names, compress, tmp_path):
    path = write_file(tmp_path, compress((EXAMPLES / file).read_bytes()), file)
    found = list(reading.entries([path]))
    assert [(entry.name, entry.format) for entry in found] == [(name, format_name) for name in names]


def test_a_file_keeps_its_name_without_its_suffixes(tmp_path):
    for name in ("lat.1.fst.txt.gz", "lat.2.txt", "lat.3"):
        (tmp_path / name).write_bytes(gzip.compress(b"0 1 a a\n1\n") if name.endswith("gz") else b"0 1 a a\n1\n")
    assert [name for name, _ in lm.read(tmp_path)] == ["lat.1", "lat.2", "lat.3"]


@pytest.mark.parametrize(
    "data",
    [b"", b" \n\t\n", gzip.compress(b""), lzma.compress(b"\n\n")],
    ids=["nothing", "white space", "nothing in gzip", "line ends in xz"],
)
def test_an_empty_file_is_said_to_be_empty(data, tmp_path):
    path = write_file(tmp_path, data)
    with pytest.raises(lm.FormatError, match="graphs: the file is empty"):
        list(lm.read(path))


@pytest.mark.parametrize(
    "data", [b"no lattice\nat all\n", b"{}", b"<xml/>\n", b"\xff\xfe0\0", b"utt \0BFST", b"%PDF-1.4"]
)
def test_a_file_of_no_format_is_said_to_be_of_none(data, tmp_path):
    with pytest.raises(lm.FormatError, match=r"not recognised; name it with format=…, one of .*far, .*kaldi, .*plf"):
        list(lm.read(write_file(tmp_path, data)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("((('a',1),),)\n", "1"),
        ("utt\n0 1 a 0,0,\n1\n", "utt"),
        ("0 1 a a\n1\n", "graphs"),
        ("0 ||| a ||| ||| 0\n", "0"),
    ],
)
def test_a_byte_order_mark_is_no_content(text, name, tmp_path):
    path = write_file(tmp_path, text.encode("utf-8-sig"))
    assert [(found, paths_of(graph)) for found, graph in lm.read(path)] == [(name, [("a", 0.0)])]


@pytest.mark.parametrize("name", ["1", "00012", "20090612"])
def test_a_kaldi_archive_with_numbers_as_ids_is_recognised(name, tmp_path):
    path = write_file(tmp_path, f"{name} \n0 1 a 1,2,\n1\n\n")
    assert [(entry.name, entry.format) for entry in reading.entries([path])] == [(name, "kaldi")]


def test_a_blank_line_does_not_make_a_kaldi_archive_of_another_format(tmp_path):
    path = write_file(tmp_path, "((('a',1),),)\n\n((('b',1),),)\n")
    assert [(entry.name, entry.format) for entry in reading.entries([path])] == [
        ("1", "plf"),
        ("2", "plf"),
        ("3", "plf"),
    ]


def test_a_file_that_could_be_of_two_formats_is_refused_and_both_are_named(tmp_path, monkeypatch):
    registry.formats()
    anything = registry.Format("anything", (".any",), lambda _head: True, lambda _stream, _table: iter(()))
    monkeypatch.setattr(registry, "_formats", {**registry.formats(), "anything": anything})
    path = write_file(tmp_path, "((('a',1),),)\n")
    with pytest.raises(lm.FormatError, match=r"the format could be plf or anything; choose one with format=…"):
        list(lm.read(path))
    assert [paths_of(graph) for _, graph in lm.read(path, format="plf")] == [[("a", 0.0)]]
    with pytest.raises(lm.UsageError, match="anything can be read, but not written"):
        lm.write(tmp_path / "x", [], format="anything")


@pytest.mark.parametrize("name", ["x", "x ", "||| "])
@pytest.mark.parametrize("suffix", ["fst", "far"])
def test_words_and_keys_do_not_make_a_text_of_a_machine(name, suffix, tmp_path):
    lattice = lm.Lattice.from_strings(["a ||| b ||| 0.5 ||| c"])
    lm.write(tmp_path / f"x.{suffix}", [(name, lattice)])
    assert [entry.format for entry in reading.entries([tmp_path / f"x.{suffix}"])] == [
        "openfst" if suffix == "fst" else "far"
    ]


def test_a_name_of_a_format_is_given_once():
    with pytest.raises(lm.UsageError, match="two formats named 'plf'"):
        registry.register(registry.formats()["plf"])


def test_a_format_that_is_not_there_is_refused_and_the_others_named(tmp_path):
    with pytest.raises(lm.UsageError, match=r"no format 'slfx'; choose one of .*far, htk-slf, .*kaldi"):
        list(lm.read(write_file(tmp_path, "x"), format="slfx"))


class EntryPoint(NamedTuple):
    """As `importlib.metadata` shows a plug-in."""

    name: str
    value: str
    load: Callable[[], object]


def with_plugin(monkeypatch, plugin: EntryPoint) -> None:
    monkeypatch.setattr(registry, "_formats", dict(registry.formats()))
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [plugin] if group == "latticemetric.formats" else []
    )


def test_formats_of_other_packages_are_found(tmp_path, monkeypatch):
    def read(stream, _table):
        for line in stream.lines():
            yield registry.Entry("only", stream.place(), lambda line=line: lm.Lattice.from_strings([line[1:]]))

    shout = registry.Format("shout", (".shout",), lambda head: head.startswith(b"!"), read)
    with_plugin(monkeypatch, EntryPoint("shout", "pkg:shout", lambda: shout))
    assert paths_in(tmp_path, "!a b\n") == [[("a b", 0.0)]]
    assert paths_in(tmp_path, "!a b\n", format="shout") == [[("a b", 0.0)]]


def test_a_plugin_that_does_not_load_is_a_warning_that_names_it(tmp_path, monkeypatch):
    def load():
        raise ImportError("no module named pkg")

    with_plugin(monkeypatch, EntryPoint("shout", "pkg:shout", load))
    with (
        pytest.warns(UserWarning, match=r"'shout' \(pkg:shout\) does not load: no module"),
        pytest.raises(lm.UsageError),
    ):
        list(lm.read(write_file(tmp_path, "x"), format="shout"))


# --- PLF


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        pytest.param("((('a',-0.5,1),('b',-1,2),),(('c',-0.25,1),),)", [("a c", 0.75), ("b", 1.0)], id="scores"),
        pytest.param("((('a',-1,-2.5,1),),)", [("a", 3.5)], id="several scores"),
        pytest.param("((('a',1),('b',1)))", [("a", 0.0), ("b", 0.0)], id="no scores and no last commas"),
        pytest.param("((('a',{'x':-0.5,'y':2,},1),),)", [("a", -1.5)], id="named features"),
        pytest.param("((('a',{'x':-0.5},-1,1),),)", [("a", 1.5)], id="features and a score"),
        pytest.param("((('a',{},1),),)", [("a", 0.0)], id="no features"),
        pytest.param(r"((('it\'s',-1,1),),)", [("it's", 1.0)], id="escaped quote"),
        pytest.param(r"""((("it's",-1,1),('"',-2,1),),)""", [("it's", 1.0), ('"', 2.0)], id="double quotes"),
        pytest.param(r"((('a\\',-1,1),),)", [("a\\", 1.0)], id="escaped backslash"),
        pytest.param("((('*EPS*',-1,1),),(('a',-1,1),),)", [("a", 2.0)], id="epsilon"),
        pytest.param("((('',-1,1),),)", [("", 1.0)], id="empty word"),
        pytest.param("()", [("", 0.0)], id="nothing"),
        pytest.param("( ( ( 'a' , -1 , 1 ) , ) , )", [("a", 1.0)], id="spaces"),
        pytest.param("(((',',1e-3,1),),)", [(",", -0.001)], id="comma as a word"),
        pytest.param("((('(',+1,1),(')',.5,1),),)", [("(", -1.0), (")", -0.5)], id="brackets as words"),
        pytest.param("((('日本',-1,1),),)", [("日本", 1.0)], id="other scripts"),
        pytest.param("((('New York',-1,1),),)", [("New York", 1.0)], id="space in a word"),
        pytest.param("((('a',-1,3),),(('b',-1,2),),(('c',-1,1),),)", [("a", 1.0)], id="nodes that nothing reaches"),
    ],
)
def test_plf_dialects(line, paths, tmp_path):
    assert paths_in(tmp_path, line + "\n") == [paths]


def test_plf_scores_are_named_by_their_place(tmp_path):
    lattice = lm.read_one(write_file(tmp_path, "((('a',-1,-2,{'x':-3},1),),)\n"))
    assert {name: column.arc.tolist() for name, column in lattice.scores.items()} == {
        "score_0": [1.0],
        "score_1": [2.0],
        "x": [3.0],
    }


def test_a_blank_plf_line_is_an_empty_decode_at_its_position(tmp_path):
    text = "\n((('a',1),),)\r\n \n((('b',1),),)\n\n"
    assert [(name, paths_of(g)) for name, g in lm.read(write_file(tmp_path, text), format="plf")] == [
        ("1", [("", 0.0)]),
        ("2", [("a", 0.0)]),
        ("3", [("", 0.0)]),
        ("4", [("b", 0.0)]),
        ("5", [("", 0.0)]),
    ]


TRAVATAR = '{"nodes": [{"id": 0, "sym": "S"}], "edges": [{"id": 0, "head": 0, "trg": [{"words": ["a"]}]}]}'


@pytest.mark.parametrize("line", ['{"nbest": ["a"]}', TRAVATAR])
def test_a_blank_line_among_json_lines_moves_no_graph(line, tmp_path):
    found = list(reading.entries([write_file(tmp_path, f"{line}\n\n{line}\n\n")]))
    assert [entry.name for entry in found] == ["1", "2", "3"]
    with pytest.raises(lm.InputError, match=r":2.*the line is blank"):
        found[1].build()


@pytest.mark.parametrize(("escape", "word"), [(r"\x41", "A"), (r"\u00e9", "é")])
def test_escapes_of_python_are_read_or_refused(escape, word, tmp_path):
    try:
        found = paths_in(tmp_path, f"((('{escape}',1),),)\n")
    except lm.LatticeMetricError:
        return
    assert found == [[(word, 0.0)]]


# --- Moses n-best lists


def test_moses_lists_of_today(tmp_path):
    text = "0 ||| a b ||| Distortion0= 0 LM0= -4.5 TM0= -1 -2 ||| -7.25 ||| 0-0 1-1\n0 ||| c ||| LM0= -5 ||| -8\n"
    ((name, nbest),) = lm.read(write_file(tmp_path, text))
    assert name == "0"
    assert [h.words for h in nbest.hypotheses] == [("a", "b"), ("c",)]
    assert nbest.hypotheses[0].scores == {"Distortion0": 0, "LM0": 4.5, "TM0_0": 1, "TM0_1": 2, "total": 7.25}
    assert nbest.weights == {"Distortion0": 0, "LM0": 0, "TM0_0": 0, "TM0_1": 0, "total": 1}


def test_moses_lists_of_old(tmp_path):
    text = "0||| a b  ||| d: 0 -1.5 lm: -4 w: -2 ||| -7.25\n1||| ||| lm: -1 ||| -1\n"
    graphs = dict(lm.read(write_file(tmp_path, text)))
    assert graphs["0"].hypotheses[0].scores == {"d_0": 0, "d_1": 1.5, "lm": 4, "w": 2, "total": 7.25}
    assert graphs["1"].hypotheses[0].words == ()


def test_moses_lists_without_a_total_count_their_features(tmp_path):
    assert paths_in(tmp_path, "0 ||| a ||| LM0= -4.5 TM0= -1\n") == [[("a", 5.5)]]


def test_spans_of_source_words_in_moses_lists_are_no_words(tmp_path):
    enriched = "|0-1,wa=0-0 1-1 ,total=-2.5,d: 0 lm: -2 |"
    text = f"0 ||| the house |0-1| is |2-2|  ||| LM0= -4 ||| -7\n0 ||| the house {enriched} |x| a|0-1| ||| ||| -8\n"
    nbest = lm.read_one(write_file(tmp_path, text))
    assert [" ".join(h.words) for h in nbest.hypotheses] == ["the house is", "the house |x| a|0-1|"]


@pytest.mark.parametrize("span", ["|0-1|", "|0-1,wa= x |"])
def test_words_that_look_like_a_span_are_not_written_as_moses_does(span, tmp_path):
    with pytest.raises(lm.UsageError, match=r"'\|0-1.*\|' would be read back as the span"):
        lm.write(tmp_path / "x.nbest", [("0", lm.NBest.from_strings([f"a {span}"]))])


@pytest.mark.parametrize("extra", ["0-0 1-1", "", "0.9,0.1 0.2,0.8", "WordScores= -0.5 -2.0", "0-0 ||| WordScores= -1"])
def test_alignments_and_scores_of_words_of_marian_stand_before_features(extra, tmp_path):
    text = f"0 ||| a b ||| {extra} ||| F0= -2.5 F1= -1 ||| -1.25\n0 ||| c ||| {extra} ||| F0=-2 ||| -2\n"
    nbest = lm.read_one(write_file(tmp_path, text))
    assert [(h.words, h.scores) for h in nbest.hypotheses] == [
        (("a", "b"), {"F0": 2.5, "F1": 1, "total": 1.25}),
        (("c",), {"F0": 2, "total": 2}),
    ]


def test_totals_of_travatar_stand_before_features(tmp_path):
    nbest = lm.read_one(write_file(tmp_path, "0 ||| a b ||| -3.25 ||| lm=-2 tm=-1e-05\n0 ||| c ||| -4 ||| tm=-1\n"))
    assert [h.scores for h in nbest.hypotheses] == [{"lm": 2, "tm": 1e-05, "total": 3.25}, {"tm": 1, "total": 4}]
    assert nbest.weights == {"lm": 0, "tm": 0, "total": 1}


def test_moses_lists_are_told_apart_by_their_numbers(tmp_path):
    text = "".join(f"{number} ||| w{number} ||| LM= 0 ||| 0\n" for number in (3, 3, 10, 2))
    found = [(name, len(nbest)) for name, nbest in lm.read(write_file(tmp_path, text))]
    assert found == [("3", 2), ("10", 1), ("2", 1)]


def test_an_nbest_list_becomes_a_lattice_with_one_path_each_in_order():
    nbest = lm.NBest(
        (
            Hypothesis(("a", "b", "c"), {"am": 1.0, "lm": 2.0}),
            Hypothesis((), {"am": 4.0}),
            Hypothesis(("a",), {"lm": 8.0}),
            Hypothesis(("a", "b", "c"), {"am": 1.0, "lm": 2.0}),
        ),
        {"lm": 0.5},
    )
    lattice = nbest.to_lattice()
    assert paths_of(lattice) == [("a b c", 2.0), ("", 4.0), ("a", 4.0), ("a b c", 2.0)]
    assert lattice.statistics().scores == ("am", "lm")
    assert lm.oracle(nbest, "a d", "wer").words == ("a",)


def test_an_nbest_list_without_hypotheses_is_refused():
    with pytest.raises(lm.InputError, match="the n-best list is empty"):
        lm.NBest((), {})


# --- Kaldi


@pytest.mark.parametrize(
    ("lines", "paths"),
    [
        pytest.param("0 1 a 0.5,-3.25,1_2\n1 0.25,1,3\n", [("a", -1.5)], id="compact"),
        pytest.param("0 1 a 1,2,\n1 0,0,\n", [("a", 3.0)], id="no transitions"),
        pytest.param("0 1 a 1,2\n1 4,8\n", [("a", 15.0)], id="no last comma"),
        pytest.param("0 1 a 1,2,\n1\n", [("a", 3.0)], id="bare final state"),
        pytest.param("0 1 a\n1\n", [("a", 0.0)], id="no weight at all"),
        pytest.param("0\t1\ta\t1,2,\n1\t0,0,\n", [("a", 3.0)], id="tabs"),
        pytest.param("0 1 a 1,2,\r\n1\r\n", [("a", 3.0)], id="line ends of Windows"),
        pytest.param("0 1 17 a 1,2\n1 4,8\n", [("a", 15.0)], id="not compact"),
        pytest.param("0 1 17 a\n1\n", [("a", 0.0)], id="not compact, no weight"),
        pytest.param("0 1 0 a 1,2\n1 2 17 0 1,2\n2\n", [("a 0", 6.0)], id="not compact, a zero among symbols"),
        pytest.param("5 3 a 1,2,\n3 9 b 1,2,\n9\n", [("a b", 6.0)], id="start is the first state named"),
        pytest.param("0 2 a 1,2,\n2 1 b 1,2,\n1\n", [("a b", 6.0)], id="states in no order"),
        pytest.param("0 1 <eps> 1,2,\n1 2 a 1,2,\n2\n", [("a", 6.0)], id="epsilon"),
        pytest.param("0 1 0 1,2,\n1 2 7 1,2,\n2\n", [("7", 6.0)], id="integer words"),
        pytest.param("0 1 a 1,2,\n0 1 b 1e-1,-2E1,\n1\n", [("a", 3.0), ("b", -19.9)], id="exponents"),
        pytest.param("0 1 1,000 1,2,\n1\n", [("1,000", 3.0)], id="comma in a word"),
        pytest.param("0 1 , 1,2,\n1\n", [(",", 3.0)], id="comma as a word"),
        pytest.param("0 1 a 1,2,\n0 0.5,0,\n1\n", [("", 0.5), ("a", 3.0)], id="start is final too"),
        pytest.param("0 0.5,1,7\n", [("", 1.5)], id="one state"),
        pytest.param("0 1 no-break\u00a0space 1,2,\n1\n", [("no-break\u00a0space", 3.0)], id="no-break space"),
    ],
)
def test_kaldi_lattices(lines, paths, tmp_path):
    for text in (f"utt-1 \n{lines}\n", f"utt-1\n{lines}", f"\n\nutt-1\t\n{lines}\n\n \n"):
        ((name, lattice),) = lm.read(write_file(tmp_path, text))
        assert name == "utt-1"
        assert [(words, pytest.approx(cost)) for words, cost in paths_of(lattice)] == paths


def test_kaldi_keeps_costs_and_transitions_apart(tmp_path):
    lattice = lm.read_one(write_file(tmp_path, "utt \n0 1 a 0.5,-3.25,1_2\n0 1 b 1,2,\n1 0.25,1,3\n"))
    assert lattice.scores["lm"].arc.tolist() == [0.5, 1.0]
    assert lattice.scores["acoustic"].arc.tolist() == [-3.25, 2.0]
    assert (lattice.scores["lm"].final.tolist(), lattice.scores["acoustic"].final.tolist()) == ([0.25], [1.0])
    side = lattice.labels["transitions"]
    assert [side.vocabulary.word(n) for n in [*side.arc, *side.final]] == ["1_2", "", "3"]


def test_kaldi_integer_words_are_spelled_by_a_table(tmp_path):
    text = "utt \n0 1 2 1,2,\n1 2 0 1,2,\n2 3 1 1,2,\n3\n"
    table = write_file(tmp_path, "<eps> 0\ncats 1\nbig 2\n", "words.txt")
    assert paths_in(tmp_path, text, symbols=table) == [[("big cats", 9.0)]]
    assert paths_in(tmp_path, text, symbols=lm.Vocabulary({1: "b", 2: "a"})) == [[("a b", 9.0)]]


@pytest.mark.parametrize("word", ["3", "dogs"])
def test_words_that_are_not_in_the_table_are_refused(word, tmp_path):
    table = lm.Vocabulary({1: "cats", 2: "big"})
    path = write_file(tmp_path, f"utt \n0 1 {word} 1,2,\n1\n")
    with pytest.raises(lm.InputError, match=rf"graphs:1 \(utt\): .*{word}.* is not in the symbol table; give"):
        list(lm.read(path, symbols=table))


def test_kaldi_lattices_follow_one_another(tmp_path):
    text = "".join(f"utt-{number} \n0 1 w{number} 1,2,\n1\n\n" for number in range(5))
    assert [name for name, _ in lm.read(write_file(tmp_path, text))] == [f"utt-{number}" for number in range(5)]


def test_a_lattice_that_fails_does_not_hide_those_after_it(tmp_path):
    text = "a \n0 1 x 1,2,\n1\n\nb \n0 1 x nan,2,\n1\n\nc \n0 1 x 1,2,\n1\n\n"
    found = {entry.name: entry.build for entry in reading.entries([write_file(tmp_path, text)])}
    with pytest.raises(lm.InputError, match=r"graphs:6 \(b\): score 'nan' is not finite"):
        found["b"]()
    assert paths_of(found["c"]()) == [("x", 3.0)]


# --- OpenFst text


@pytest.mark.parametrize(
    ("text", "paths", "inputs"),
    [
        pytest.param("0 1 a\n1 2 b\n2\n", [("a b", 0.0)], None, id="acceptor"),
        pytest.param("0 1 a 0.5\n1 2 b 0.25\n2 1\n", [("a b", 1.75)], None, id="acceptor with weights"),
        pytest.param("0 1 a 1\n1 2 b 2\n2\n", [("a b", 3.0)], None, id="acceptor with whole weights"),
        pytest.param("0 1 a\n1 2 b 2\n2\n", [("a b", 2.0)], None, id="acceptor with some weights"),
        pytest.param("0 1 7 0.5\n1 2 8 1\n2\n", [("7 8", 1.5)], None, id="numbers with weights"),
        pytest.param("0 1 7\n1 2 8 1\n2\n", [("7 8", 1.0)], None, id="numbers with some weights"),
        pytest.param("0 1 a x\n1 2 b y\n2\n", [("x y", 0.0)], ["a", "b"], id="transducer"),
        pytest.param("0 1 a x 1\n1 2 b y\n2 0.5\n", [("x y", 1.5)], ["a", "b"], id="transducer with some weights"),
        pytest.param("0 1 7 8\n1 2 9 9\n2\n", [("8 9", 0.0)], ["7", "9"], id="transducer of numbers"),
        pytest.param("0 1 7 x 1\n1\n", [("x", 1.0)], ["7"], id="numbers to words"),
        pytest.param("0 1 a 7 1\n1\n", [("7", 1.0)], ["a"], id="words to numbers"),
        pytest.param("0 1 a <eps> 1\n1 2 <eps> x 1\n2\n", [("x", 2.0)], ["a", ""], id="epsilon on either side"),
        pytest.param("0 1 a a\n1\n2 3 b b\n", [("a", 0.0)], None, id="dead state"),
        pytest.param("4 2 a a 1\n2 7 b b 1\n7\n", [("a b", 2.0)], None, id="start is the first line's"),
        pytest.param("0 1 a a 1\n0 2 b b 1\n1\n2 Infinity\n", [("a", 1.0)], None, id="infinite final weight"),
        pytest.param("0\t1\ta\ta\t1\r\n1\r\n\n", [("a", 1.0)], None, id="tabs, line ends of Windows, blank line"),
        pytest.param("0 1 a a 1\n1 0.5", [("a", 1.5)], None, id="no last line end"),
        pytest.param("0 1 a a 1\n0 0.25\n1\n", [("", 0.25), ("a", 1.0)], None, id="start is final too"),
        pytest.param("0 1 a a -2.5e-1\n1\n", [("a", -0.25)], None, id="negative weight"),
    ],
)
def test_openfst_text(text, paths, inputs, tmp_path):
    lattice = lm.read_one(write_file(tmp_path, text))
    assert paths_of(lattice) == paths
    side = lattice.labels.get("input")
    assert (side and [side.vocabulary.word(n) for n in side.arc.tolist()]) == inputs


def test_openfst_text_without_weights_has_no_scores(tmp_path):
    assert dict(lm.read_one(write_file(tmp_path, "0 1 a b\n1\n")).scores) == {}


def test_openfst_text_is_spelled_by_a_table(tmp_path):
    table = lm.Vocabulary({1: "cats", 2: "big"})
    assert paths_in(tmp_path, "0 1 2 2 1\n1 2 1 1 1\n2\n", symbols=table) == [[("big cats", 2.0)]]


@pytest.mark.parametrize("text", ["0 1 900 1 0.5\n1\n", "0 1 k_B cats 0.5\n1\n"])
def test_a_table_spells_the_output_side_only(text, tmp_path):
    assert paths_in(tmp_path, text, symbols=lm.Vocabulary({1: "cats"})) == [[("cats", 0.5)]]


# --- References and symbol tables


def test_plain_references_are_lines(tmp_path):
    path = str(write_file(tmp_path, "a b\n\n c\td \n"))
    assert read_references(path).plain() == [
        Reference(("a", "b"), f"{path}:1"),
        Reference((), f"{path}:2"),
        Reference(("c", "d"), f"{path}:3"),
    ]


def test_keyed_references_begin_with_an_id(tmp_path):
    path = str(write_file(tmp_path, "utt-1 a b\n\nutt-2\nutt-3 c\n"))
    assert read_references(path).keyed() == {
        "utt-1": Reference(("a", "b"), f"{path}:1"),
        "utt-2": Reference((), f"{path}:3"),
        "utt-3": Reference(("c",), f"{path}:4"),
    }


def paired(folder: Path, lattices: Path, references: str) -> dict[str, str]:
    """Which reference each graph is paired with, where nothing is said of how."""
    files = [read_references(str(write_file(folder, references, "references")))]
    pairs = pair_up(reading.entries([lattices]), files)
    return {pair.name: pair.problem or " ".join(pair.references[0].words) for pair in pairs}


KALDI = "utt-1 \n0 1 a 1,2,\n1\n\nutt-2 \n0 1 a 1,2,\n1\n\n"


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        pytest.param("utt-2 b\nutt-1 a\n", {"utt-1": "a", "utt-2": "b"}, id="ids"),
        pytest.param("utt-2\n\nutt-1\n", {"utt-1": "", "utt-2": ""}, id="ids without words"),
        pytest.param("the a\nthe b\n", {"utt-1": "the a", "utt-2": "the b"}, id="plain"),
        pytest.param("one a\ntwo b\n", {"utt-1": "one a", "utt-2": "two b"}, id="plain, with words of their own"),
        pytest.param("\nutt b\n", {"utt-1": "", "utt-2": "utt b"}, id="plain, one empty"),
    ],
)
def test_references_are_keyed_where_they_begin_with_ids(references, expected, tmp_path):
    assert paired(tmp_path, write_file(tmp_path, KALDI), references) == expected


@pytest.mark.parametrize("references", ["1 a\n1 b\n", "2\n1\n", "2 17\n1 18\n"])
def test_positions_are_no_ids(references, tmp_path):
    lattices = write_file(tmp_path, "((('a',1),),)\n" * 2)
    assert list(paired(tmp_path, lattices, references).values()) == references.splitlines()


@pytest.mark.parametrize("references", ["2 a\n1 b\n", "utt-2 a\nutt-1 b\n", "01 a\n02 b\n"])
def test_lines_that_look_keyed_are_not_paired_with_positions(references, tmp_path):
    lattices = write_file(tmp_path, "((('a',1),),)\n" * 2)
    with pytest.raises(lm.InputError, match="seem to begin with ids"):
        paired(tmp_path, lattices, references)


def test_names_of_files_are_ids_where_all_of_them_begin_a_line(tmp_path):
    numbered(tmp_path / "lats", "u1", "u2")
    assert paired(tmp_path, tmp_path / "lats", "u2 b\nu1 a\nu3 c\n") | {"u3": None} == {
        "u1": "a",
        "u2": "b",
        "u3": None,
    }
    assert paired(tmp_path, tmp_path / "lats", "u b\nu a\n") == {"u1": "u b", "u2": "u a"}


def test_graphs_are_not_paired_with_the_keyed_references_of_others(tmp_path):
    numbered(tmp_path / "lats", "u1", "u2", "u3")
    try:
        found = paired(tmp_path, tmp_path / "lats", "u1 a\nu3 c\nu4 d\n")
    except lm.LatticeMetricError:
        return
    assert found["u3"] == "c"


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_references_may_be_compressed(compress, tmp_path):
    path = write_file(tmp_path, compress(b"a b\n"))
    assert [reference.words for reference in read_references(str(path)).plain()] == [("a", "b")]


def test_integer_references_are_spelled_by_a_table(tmp_path):
    table = lm.Vocabulary({1: "cats", 2: "big"})
    path = str(write_file(tmp_path, "1 2 1\n2 1\n"))
    assert [r.words for r in read_references(path, table).plain()] == [("cats", "big", "cats"), ("big", "cats")]
    assert {key: r.words for key, r in read_references(path, table).keyed().items()} == {
        "1": ("big", "cats"),
        "2": ("cats",),
    }


def test_references_in_words_stay_as_they_are_beside_a_table(tmp_path):
    table = lm.Vocabulary({1: "cats", 2: "big"})
    path = str(write_file(tmp_path, "big dogs\n1984\n"))
    assert [r.words for r in read_references(path, table).plain()] == [("big", "dogs"), ("1984",)]


def test_a_byte_order_mark_is_no_part_of_a_reference(tmp_path):
    path = str(write_file(tmp_path, "the cat\n".encode("utf-8-sig")))
    assert read_references(path).plain()[0].words == ("the", "cat")


def test_a_symbol_table_is_read(tmp_path):
    table = read_symbols(write_file(tmp_path, "<eps> 0\n\nthe\t1\n  cat   17 \n#0 4\n"))
    assert dict(table.items()) == {1: "the", 17: "cat", 4: "#0"}
    assert table.word(0) == ""


def test_a_symbol_table_of_openfst_is_read(tmp_path):
    pywrapfst = pytest.importorskip("pywrapfst")
    symbols = pywrapfst.SymbolTable()
    for number, word in enumerate(["<epsilon>", "the", "été"]):
        symbols.add_symbol(word, number)
    symbols.write_text(str(tmp_path / "words.txt"))
    assert dict(read_symbols(tmp_path / "words.txt").items()) == {1: "the", 2: "été"}


@pytest.mark.parametrize("where", ["symbols", "n-best", "string"])
def test_a_no_break_space_is_a_part_of_a_word_everywhere(where, tmp_path):
    word = "10\u00a0000"
    found = {
        "symbols": lambda: read_symbols(write_file(tmp_path, f"{word} 1\n")).word(1),
        "n-best": lambda: lm.read_one(write_file(tmp_path, f"0 ||| {word} ||| ||| 0\n")).hypotheses[0].words[0],
        "string": lambda: next(lm.Lattice.from_strings([word]).paths()).words[0],
    }
    assert found[where]() == word


# --- Files, folders, globs, standard input


def numbered(folder: Path, *numbers: int | str, suffix: str = ".fst.txt") -> None:
    folder.mkdir(exist_ok=True)
    for number in numbers:
        write_file(folder, f"0 1 w{number} w{number}\n1\n", f"{number}{suffix}")


def test_a_folder_is_read_in_natural_order(tmp_path):
    numbered(tmp_path / "lats", 10, 9, 1, 100, 2, 20)
    assert [name for name, _ in lm.read(tmp_path / "lats")] == ["1", "2", "9", "10", "20", "100"]


def test_natural_order_compares_every_number(tmp_path):
    numbered(tmp_path / "lats", "s10-u2", "s2-u10", "s2-u9", "a")
    assert [name for name, _ in lm.read(tmp_path / "lats")] == ["a", "s2-u9", "s2-u10", "s10-u2"]


def test_natural_order_knows_other_digits(tmp_path):
    numbered(tmp_path / "lats", "1²2", "3")
    assert [name for name, _ in lm.read(tmp_path / "lats")] == ["1²2", "3"]


def test_what_a_folder_is_read_without_is_said(tmp_path, caplog):
    numbered(tmp_path / "lats", 1)
    numbered(tmp_path / "lats" / "more", 2)
    write_file(tmp_path / "lats", "junk", ".DS_Store")
    os.mkfifo(tmp_path / "lats" / "pipe")
    assert [name for name, _ in lm.read(tmp_path / "lats")] == ["1"]
    assert caplog.messages == [
        f"{tmp_path}/lats: left out 1 entry (hidden): .DS_Store",
        f"{tmp_path}/lats: left out 2 entries (not a file): more, pipe",
    ]


def test_a_broken_link_in_a_folder_is_an_error(tmp_path):
    numbered(tmp_path / "lats", 1, 2)
    (tmp_path / "lats" / "1a.fst.txt").symlink_to("nowhere")
    for path in (tmp_path / "lats", f"{tmp_path}/lats/*.fst.txt"):
        good, bad, other = reading.entries([path])
        assert [good.build().num_states, other.build().num_states] == [2, 2]
        with pytest.raises(lm.InputError, match=r"1a\.fst\.txt: cannot be opened: No such file"):
            bad.build()


def test_a_folder_may_hold_several_formats(tmp_path):
    numbered(tmp_path / "lats", 2)
    write_file(tmp_path / "lats", gzip.compress(b"utt \n0 1 a 1,2,\n1\n"), "1.gz")
    assert [(e.name, e.format) for e in reading.entries([tmp_path / "lats"])] == [
        ("utt", "kaldi"),
        ("2", "openfst-text"),
    ]


def test_a_glob_is_read_in_natural_order(tmp_path):
    numbered(tmp_path / "lats", 10, 9)
    numbered(tmp_path / "lats", 1, suffix=".att")
    assert [name for name, _ in lm.read(f"{tmp_path}/lats/*.fst.txt")] == ["9", "10"]
    assert [name for name, _ in lm.read(f"{tmp_path}/**/1*")] == ["1", "10"]


def test_a_file_whose_name_looks_like_a_glob_is_a_file(tmp_path):
    numbered(tmp_path / "lats", "lat[1]", "lat1")
    assert [name for name, _ in lm.read(tmp_path / "lats" / "lat[1].fst.txt")] == ["lat[1]"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.plf", "there is no such file; check the path"),
        ("no*.plf", "no file matches; check the pattern; the folder holds empty, lats$"),
        ("lats/*.plf", r"no file matches; check the pattern; the folder holds 1.fst.txt, 2.fst.txt, 10.fst.txt, …"),
        ("empty", "the folder holds no files"),
    ],
)
def test_a_path_that_means_no_file_is_refused(path, message, tmp_path):
    (tmp_path / "empty").mkdir()
    numbered(tmp_path / "lats", "1", "2", "10", "11")
    with pytest.raises(lm.InputError, match=message):
        list(lm.read(tmp_path / path))


def test_a_file_without_permission_has_advice(tmp_path, monkeypatch):
    write_file(tmp_path, b"a 1\n", "words.txt")

    def refuse(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)  # root may read everything
    with pytest.raises(lm.InputError, match=r"words.txt: cannot be opened: Permission denied; check the permissions"):
        read_symbols(tmp_path / "words.txt")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("SPEAKER f 1 0.5 1.3 <NA> <NA> ann <NA> <NA>\nSPEAKER f 1 1.0 2.3 <NA> <NA> bob <NA> <NA>\n", "RTTM"),
        ("WEBVTT\n\n00:00.000 --> 00:02.000\na b\n\n00:03.000 --> 00:04.000\nc\n", r"subtitles \(WebVTT\)"),
        ("1\n00:00:00,000 --> 00:00:02,000\na b\n", r"subtitles \(SRT\)"),
        ('File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n', "a TextGrid of Praat"),
        ("start\tend\ttext\n0\t2000\ta b\n", r"a table of times \(TSV of Whisper\)"),
    ],
)
def test_texts_with_times_are_no_graphs(text, what, tmp_path):
    numbered(tmp_path / "lats", "1", "2")
    (tmp_path / "lats" / "times.log").write_text(text)
    with pytest.raises(lm.FormatError, match=f"times.log: this is {what}, not graphs; write the words .* STM or CTM"):
        list(lm.read(tmp_path / "lats" / "times.log"))
    with pytest.raises(lm.FormatError, match=rf"times.log: this is {what}, not graphs; .* glob: '.*lats/\*\.txt'"):
        list(lm.read(tmp_path / "lats"))


def test_a_folder_with_a_file_of_another_kind_advises_a_glob(tmp_path):
    numbered(tmp_path / "lats", "1", "2")
    (tmp_path / "lats" / "refs.trn").write_bytes(b"\x00\x01")
    with pytest.raises(lm.InputError, match=r"refs.trn: the format is not recognised; .* glob: '.*lats/\*\.txt'"):
        list(lm.read(tmp_path / "lats"))


def test_a_file_with_several_graphs_is_not_one():
    with pytest.raises(
        lm.InputError, match=r"proverbs.plf: there is more than one graph; use `read`, which yields all"
    ):
        lm.read_one(EXAMPLES / "proverbs.plf")


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress])
def test_standard_input_is_a_dash(compress, monkeypatch):
    data = compress((EXAMPLES / "meeting.lat.txt").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert [name for name, _ in lm.read("-")] == ["meeting-001", "meeting-002", "meeting-003"]


def test_a_lone_graph_of_standard_input_has_a_name(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0 1 a a\n1\n")))
    assert [name for name, _ in lm.read("-")] == ["stdin"]


def test_several_members_of_a_gzip_file_are_one(tmp_path):
    data = gzip.compress(b"a \n0 1 x 1,2,\n1\n\n") + gzip.compress(b"b \n") + gzip.compress(b"0 1 y 1,2,\n1\n")
    assert [name for name, _ in lm.read(write_file(tmp_path, data))] == ["a", "b"]


def test_graphs_are_read_one_at_a_time(tmp_path):
    good = b"".join(b"a%d \n0 1 x 1,2,\n1\n\n" % k for k in range(3))
    path = write_file(tmp_path, good + b"b \n0 1 x nan,2,\n1\n")
    graphs = lm.read(path)
    assert [next(graphs)[0] for _ in range(3)] == ["a0", "a1", "a2"]
    with pytest.raises(lm.InputError, match="not finite"):
        next(graphs)


@pytest.mark.parametrize("lines", [1, 20_000])
def test_errors_name_the_line_in_long_files_too(lines, tmp_path):
    block = b"u%d \n0 1 a 0.123456789,2.5,1_2_3_4_5_6_7_8_9_10\n1 0,0,\n\n\n"
    blocks = b"".join(block % k for k in range(lines // 5))
    path = write_file(tmp_path, blocks + b"last \n0 1 x 1,2,\n1 0,zero,\n")
    line = blocks.count(b"\n") + 3
    with pytest.raises(lm.FormatError, match=rf"graphs:{line} .last.: 'zero' is not a number"):
        list(lm.read(path))


def test_a_machine_with_an_empty_table_is_read(tmp_path):
    table = struct.pack("<i", 2125658996) + struct.pack("<i", 0) + struct.pack("<qq", 0, 0)
    header = struct.pack("<i", 2125659606) + b"\x06\0\0\0vector\x08\0\0\0standard"
    header += struct.pack("<iiQqqq", 2, 3, 3, 0, 1, 0) + table * 2
    path = write_file(tmp_path, header + struct.pack("<fq", 0.5, 0))
    assert paths_of(lm.read_one(path)) == [("", 0.5)]


@pytest.mark.parametrize(
    ("features", "costs"),
    [
        ("LM= -1.5 TM= -2 -3", {"LM": 1.5, "TM_0": 2.0, "TM_1": 3.0}),
        ("Glue=3 LanguageModel=-41.5", {"Glue": -3.0, "LanguageModel": 41.5}),  # cdec
        ("-1 -2", {"feature_0": 1.0, "feature_1": 2.0}),  # without labels
    ],
)
def test_features_of_nbest_lists_are_named_as_decoders_name_them(features, costs, tmp_path):
    path = tmp_path / "list.nbest"
    path.write_text(f"0 ||| a b ||| {features} ||| -7\n")
    assert lm.read_one(path).hypotheses[0].scores == costs | {"total": 7.0}


def test_a_file_that_is_written_again_keeps_its_permissions(tmp_path):
    path = tmp_path / "private.plf"
    path.touch(mode=0o600)
    lm.write(path, [("1", lm.Lattice.from_strings(["a"]))])
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_acceptor_with_input_symbols_only_is_spelled_by_them():
    pytest.importorskip("pynini")
    fst = lm.Lattice.from_strings(["a b"]).to_fst()
    fst.set_output_symbols(None)
    assert [path.words for path in lm.Lattice.from_fst(fst).paths()] == [("a", "b")]


def test_words_on_nodes_of_an_htk_lattice_belong_to_the_links_that_end_there(tmp_path):
    path = tmp_path / "any.lat"
    path.write_text(SLF)
    [(name, lattice)] = lm.read(path)
    assert name == "utt 1"
    assert {p.words for p in lattice.paths()} == {("two words", "c'est"), ("c'est",)}
    assert lattice.times.tolist() == [0.0, 0.4, 0.5, 0.9]
    # −score · ln 10, weighed by the header; each word costs ln 10 on top; n counts once.
    ln = math.log(10)
    assert {name: column.weight for name, column in lattice.scores.items()} == {
        "acoustic": 1.0, "lm": 2.5, "n": 1.0, "words": pytest.approx(ln)
    }  # fmt: skip
    costs = {p.words: p.cost for p in lattice.paths()}
    assert costs[("c'est",)] == pytest.approx((2 + 2.5 * 0.5 + 1) * ln)
    assert costs[("two words", "c'est")] == pytest.approx((5.5 + 2.5 * 1.25 + 3 + 2) * ln)
    assert lattice.labels["v"].vocabulary.decode(lattice.labels["v"].arc) == ["2", "2"]


def test_probabilities_of_an_htk_lattice_are_costs(tmp_path):
    path = tmp_path / "any.slf"
    path.write_text("VERSION=1.0\nbase=0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=0.25\n")
    assert lm.read_one(path).scores["acoustic"].arc.tolist() == [-math.log(0.25)]


def test_the_word_of_an_htk_lattices_start_is_not_lost(tmp_path):
    path = tmp_path / "any.slf"
    path.write_text("VERSION=1.0\nstart=0 end=1\nN=2 L=1\nI=0 W=first\nI=1 W=second\nJ=0 S=0 E=1 a=-1\n")
    assert [p.words for p in lm.read_one(path).paths()] == [("first", "second")]


NODES = "I=0 a=-8\nI=1 W=one a=-2 v=7 x=1.5\nI=2 W=two a=-9 v=8\nI=3 W=end a=-4 v=6\n"
LINKS = "J=0 S=0 E=1 l=-1\nJ=1 S=0 E=2 a=-8.5 v=9\nJ=2 S=1 E=3 l=0\nJ=3 S=2 E=3 l=-2\n"


def test_scores_and_labels_on_nodes_of_an_htk_lattice_are_those_of_their_words(tmp_path):
    path = tmp_path / "any.slf"
    path.write_text(f"VERSION=1.0\nN=4 L=4\n{NODES}{LINKS}")
    lattice = lm.read_one(path)
    assert {p.words: p.cost for p in lattice.paths()} == {("one", "end"): 7.0, ("two", "end"): 14.5}
    assert lattice.vocabulary.decode(lattice.word) == ["one", "two", "end", "end"]
    assert lattice.labels["v"].vocabulary.decode(lattice.labels["v"].arc) == ["7", "9", "6", "6"]
    assert lattice.scores["x"].arc.tolist() == [-1.5, 0.0, 0.0, 0.0]


def test_words_on_nodes_of_a_backward_htk_lattice_belong_to_the_links_that_begin_there(tmp_path):
    path = tmp_path / "any.slf"
    path.write_text(f"VERSION=1.0\ndir=b\nN=4 L=4\n{NODES}{LINKS}")
    costs = {p.words: p.cost for p in lm.read_one(path).paths()}
    assert costs == {("one", "end"): 15.0, ("two", "end"): 23.5}


@pytest.mark.parametrize(
    ("header", "weights"),
    [
        ("", {"acoustic": 1.0, "lm": 1.0, "n": 1.0, "pronunciation": 1.0, "ds": 0.0, "x1": 0.0}),
        (
            "acscale=2 lmscale=3 ngscale=4 prscale=0 duscale=6 x1scale=7\n",
            {"acoustic": 2.0, "lm": 3.0, "n": 4.0, "pronunciation": 0.0, "ds": 6.0, "x1": 7.0},
        ),
    ],
)
def test_weights_that_an_htk_lattice_lacks_are_those_of_htk_and_srilm(header, weights, tmp_path):
    path, copy = tmp_path / "any.slf", tmp_path / "copy.slf"
    path.write_text(f"{header}N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=-1 l=-1 n=-1 r=-1 ds=-1 x1=-1\n")
    lattice = lm.read_one(path)
    assert {name: column.weight for name, column in lattice.scores.items()} == weights
    lm.write(copy, [("any", lattice)])
    assert lm.read_one(copy) == lattice


def test_times_of_an_htk_lattice_have_their_scale(tmp_path):
    path = tmp_path / "any.slf"
    path.write_text("tscale=0.01 base=2.718281828459045\nN=2 L=1\nI=0 t=0\nI=1 t=25\nJ=0 S=0 E=1 W=a\n")
    assert lm.read_one(path).times.tolist() == [0.0, 0.25]


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("VERSION=1.0 UTTERANCE=u1 lmscale=2\n", "u1"),
        ("VERSION=1.0\tU='u 1'\n", "u 1"),
        ("# UTTERANCE=no\nVERSION=1.0\n", "any"),
        ("VERSION=1.0\n", "any"),
    ],
)
def test_the_id_of_an_htk_lattice_may_follow_other_fields(header, name, tmp_path):
    path = tmp_path / "any.slf"
    path.write_text(f"{header}N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a U=no\n")
    assert [found for found, _ in lm.read(path)] == [name]


def test_nodes_of_an_htk_lattice_need_no_lines(tmp_path):
    path = tmp_path / "any.slf"
    links = "J=0 S=0 E=1 W=a a=-1\nJ=1 S=0 E=1 W=b a=-2\nJ=2 S=1 E=2 W=c a=-3\n"
    path.write_text(f"VERSION=1.0\nN=3 L=3\n{links}")
    assert {p.words: p.cost for p in lm.read_one(path).paths()} == {("a", "c"): 4.0, ("b", "c"): 5.0}
    path.write_text(f"VERSION=1.0\nN=4 L=3\n{links}")
    with pytest.raises(lm.InputError, match="N=4, but the number of nodes is 3"):
        lm.read_one(path)


def test_an_apostrophe_in_a_word_of_an_htk_lattice_needs_no_quotes(tmp_path):
    path = tmp_path / "any.slf"
    words = ["it's", "'cause", 'a"', "a b", "a\\b"]
    lm.write(path, [("it's", lm.Lattice.from_strings(["it's 'cause"]))])
    assert "UTTERANCE=it's\n" in path.read_text()
    assert " W=it's\n" in path.read_text()  # SRILM would take quotes for a part of the word
    lm.write(path, [("1", lm.NBest(tuple(Hypothesis((word,), {}) for word in words), {}).to_lattice())])
    assert {p.words for p in lm.read_one(path).paths()} == {(word,) for word in words}


def test_an_htk_lattice_with_a_sub_lattice_is_refused(tmp_path):
    path = tmp_path / "any.slf"
    path.write_text("N=3 L=2\nI=0\nI=1 L=digits\nI=2 W=end\nJ=0 S=0 E=1\nJ=1 S=1 E=2\n")
    with pytest.raises(lm.InputError, match=r"any\.slf:3: a node stands for a sub-lattice"):
        lm.read_one(path)


def test_long_names_of_fields_of_an_htk_lattice_mean_the_same(tmp_path):
    path = tmp_path / "any.slf"
    text = "N=3 L=2\nI=0 t=0\nI=1 t=1\nI=2 t=2\nJ=0 S=0 E=1 W=1984 v=1 a=-2\nJ=1 S=1 E=2 W=7 v=2 a=-3\n"
    path.write_text(text)
    short = lm.read_one(path)
    for one, other in [("t=", "time="), ("W=", "WORD="), (" v=", " var="), (" a=", " acoustic=")]:
        text = text.replace(one, other)
    path.write_text(text)
    assert lm.read_one(path) == short
    assert [p.words for p in short.paths()] == [("1984", "7")]


def test_both_names_of_a_field_of_an_htk_lattice_may_be_used(tmp_path):
    path = tmp_path / "any.slf"
    text = "N=3 L=3\nI=0\nI=1\nI=2\nJ=0 S=0 E=1 W=x a=-5\nJ=1 S=0 E=1 WORD=y acoustic=-3\nJ=2 S=1 E=2 W=z a=-1\n"
    path.write_text(text)
    assert {p.words: p.cost for p in lm.read_one(path).paths()} == {("x", "z"): 6.0, ("y", "z"): 4.0}
    path.write_text(text.replace("acoustic=-3", "acoustic=-3 a=-4"))
    with pytest.raises(lm.InputError, match=r"any\.slf:6: a appears twice, also as acoustic"):
        lm.read_one(path)
    path.write_text(text.replace("acoustic=-3", "acoustic=low"))
    with pytest.raises(lm.InputError, match="a is a number on some lines, but a text on others, as acoustic"):
        lm.read_one(path)


def test_octal_numbers_of_srilm_are_bytes(tmp_path):
    path = tmp_path / "any.slf"
    name = r"caf\037777777703\037777777651"  # its `printf` extends the sign of each byte of é
    links = [r"\\037777777703", name, r"b\07", r"\303\251\3", r"it's"]
    path.write_text(
        f'UTTERANCE="{name}"\nN=2 L={len(links)}\nI=0\nI=1\n'
        + "".join(f"J={k} S=0 E=1 W={word}\n" for k, word in enumerate(links))
    )
    assert [p.words[0] for p in lm.read_one(path).paths()] == [r"\037777777703", "café", "b\7", "é3", "it's"]
    assert [name for name, _ in lm.read(path)] == ["café"]


def test_a_word_that_begins_with_a_quote_needs_none_at_its_end(tmp_path):
    path = tmp_path / "any.slf"
    path.write_text("VERSION=1.0\nN=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W='cause a=-1\nJ=1 S=0 E=1 W='tis' a=-1\n")
    assert [p.words for p in lm.read_one(path).paths()] == [("'cause",), ("tis",)]


@pytest.mark.parametrize("suffix", ["jsonl", "json", "tsv"])
@pytest.mark.parametrize("question", ["nbest", "best", "mbr", "consensus", "oracle"])
def test_a_file_of_answers_read_as_graphs_names_the_call_that_writes_lists(question, suffix, tmp_path):
    corpus = lm.Corpus([lm.Lattice.from_strings(["a b", "a"], costs=[0, 1])], ["a b"])
    path = tmp_path / f"answers.{suffix}"
    getattr(corpus, question)().write(path)
    with pytest.raises(
        lm.FormatError, match=r"answers.*: these are answers, not graphs; .*lists=True\)\.write_lattices"
    ):
        lm.read_one(path)
    corpus.nbest(2, lists=True).write_lattices(tmp_path / "lists.jsonl")
    assert len(lm.read_one(tmp_path / "lists.jsonl")) == 2


def test_a_list_named_lattices_is_no_file_of_answers(tmp_path):
    path = tmp_path / "list.json"
    path.write_text('{"lattices": [\n{"text": "a b", "score": 1}]}')
    assert lm.read_one(path)[0].words == ("a", "b")


@pytest.mark.parametrize("other", registry.OTHER_NAMES)
def test_usual_names_of_formats_mean_them(other):
    assert other not in registry.formats()
    assert registry.find_format(other) is registry.find_format(registry.OTHER_NAMES[other])


def test_usual_names_of_formats_are_read_and_written(tmp_path):
    for name, column in (("fst", "weight"), ("kaldi-text", "lm"), ("slf", "acoustic"), ("HTK", "acoustic")):
        lattice = lm.Lattice.from_strings(["a b"], costs=[1.0], column=column)
        lm.write(tmp_path / "one", [("one", lattice)], format=name)
        assert lm.best(lm.read_one(tmp_path / "one", format=name)).words == ("a", "b")
        assert len(lm.Corpus.read(str(tmp_path / "one"), format=name).info()) == 1
        assert good(run("latticemetric", "convert", tmp_path / "one", tmp_path / "other", "--from", name, "--to", name))


@pytest.mark.parametrize(
    ("name", "meant"), [("json", "cdec-json, json-nbest"), ("moses", "moses-cn, moses-hypergraph")]
)
def test_a_name_of_several_formats_lists_them_alone(name, meant):
    with pytest.raises(lm.UsageError, match=f"there is no format '{name}'; choose one of {meant}") as error:
        registry.find_format(name)
    assert "pfsg" not in str(error.value)
