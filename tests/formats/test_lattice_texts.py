"""Sphinx lattices, PFSGs, word meshes, Moses confusion networks and k2's text, from their definitions."""

import math
import pickle
import re
from decimal import Context, Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.format_cases.lattice_texts import K2, MESH, NETWORK, PFSG, SPHINX
from kit.formats import PLAIN_WORDS, contents, paths_in, paths_of, scores, shaped, write_file
from kit.paths import DATA

import latticemetric as lm
from latticemetric.formats import reading, registry
from latticemetric.formats.srilm import pfsg

SPHINX_LATTICE = DATA / "sphinx" / "unreachable.lat"
LN = math.log(1.0001)


def only(folder: Path, text: str, name: str = "graphs", **options: object) -> lm.Lattice:
    return lm.read_one(write_file(folder, text, name), **options)


def written(folder: Path, graph: lm.Lattice, format_name: str, name: str = "u") -> str:
    path = folder / "written"
    lm.write(path, [(name, graph)], format=format_name)
    return path.read_text(encoding="utf-8")


def texts(lattice: lm.Lattice, label: str) -> list[str]:
    side = lattice.labels[label]
    return [side.vocabulary.word(n) for n in side.arc.tolist()]


def words(lattice: lm.Lattice) -> list[str]:
    return [lattice.vocabulary.word(n) for n in lattice.word.tolist()]


def sorted_paths(lattice: lm.Lattice) -> list[tuple[str, float]]:
    return sorted(paths_of(lattice))


@pytest.mark.parametrize(
    ("text", "format_name"),
    [(SPHINX, "sphinx"), (PFSG, "pfsg"), (MESH, "wordmesh"), (NETWORK, "moses-cn"), (K2, "k2")],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_entries_are_recognised_and_can_travel(text, format_name, line_end, tmp_path):
    path = write_file(tmp_path, text.replace("\n", line_end))
    for entry in reading.entries([path]):
        assert entry.format == format_name
        assert contents(pickle.loads(pickle.dumps(entry.build))()) == contents(entry.build())


@pytest.mark.parametrize(
    ("file", "format_name"),
    [
        ("x.sphinx.lat", "sphinx"),
        ("x.sphinx", "sphinx"),
        ("x.pfsg.gz", "pfsg"),
        ("x.mesh", "wordmesh"),
        ("x.wlat", "wordmesh"),
        ("x.cn", "moses-cn"),
        ("x.k2.txt", "k2"),
        ("x.k2", "k2"),
        ("x.lat", "kaldi"),
    ],
)
def test_suffixes(file, format_name):
    assert registry.format_for_writing(file).name == format_name


@pytest.mark.parametrize("suffix", ["sphinx.lat", "sphinx", "k2.txt", "k2"])
def test_a_file_is_named_without_its_suffixes(suffix, tmp_path):
    text = SPHINX if "sphinx" in suffix else K2
    assert [name for name, _ in lm.read(write_file(tmp_path, text, f"utt.1.{suffix}"))] == ["utt.1"]


@pytest.mark.parametrize("format_name", ["sphinx", "pfsg", "wordmesh", "moses-cn", "k2"])
@pytest.mark.parametrize("data", ["\x1c", "\x1c\n", "\x1f\n4\n", "\u3000\n", "\x85\n\n\x0b\n"])
def test_what_some_call_white_space_is_no_lattice(format_name, data, tmp_path):
    path = write_file(tmp_path, data)
    with pytest.raises(lm.LatticeMetricError, match="graphs"):
        list(lm.read(path, format=format_name))


# --- Words on nodes


@pytest.mark.parametrize(("format_name", "column"), [("pfsg", "weight"), ("sphinx", "acoustic")])
@given(data=st.data())
def test_any_lattice_keeps_its_paths_and_their_costs(format_name, column, data, tmp_path_factory):
    lattice = data.draw(shaped(PLAIN_WORDS, [column], scores))
    again = lm.read_one(write_and_path(tmp_path_factory, lattice, format_name))
    assert sorted_paths(again) == sorted_paths(lattice)


def write_and_path(tmp_path_factory, lattice: lm.Lattice, format_name: str) -> Path:
    path = tmp_path_factory.getbasetemp() / f"nodes.{format_name}"
    lm.write(path, [("u", lattice)], format=format_name)
    return path


@pytest.mark.parametrize(("format_name", "columns"), [("pfsg", 3), ("sphinx", 3)])
@given(data=st.data())
def test_no_two_nodes_are_linked_twice(format_name, columns, data, tmp_path_factory):
    """SRILM keeps the last of such transitions, PocketSphinx the best."""
    lattice = data.draw(shaped(PLAIN_WORDS, ["weight"], scores))
    lines = write_and_path(tmp_path_factory, lattice, format_name).read_text(encoding="utf-8").splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith(("transitions", "Edges")))
    links = [tuple(line.split()[:2]) for line in lines[begin + 1 :] if len(line.split()) == columns]
    assert len(set(links)) == len(links)


@pytest.mark.parametrize(("format_name", "word"), [("pfsg", "NULL"), ("sphinx", "(null)")])
def test_a_word_that_means_none_is_refused(format_name, word, tmp_path):
    with pytest.raises(lm.InputError, match=rf"'{re.escape(word)}' would be read back as no word"):
        written(tmp_path, lm.Lattice.from_strings([f"a {word}"]), format_name)


@pytest.mark.parametrize("format_name", ["pfsg", "sphinx", "wordmesh", "moses-cn"])
@pytest.mark.parametrize("word", ["New York", "line\nend", ""])
def test_a_word_with_white_space_is_refused(format_name, word, tmp_path):
    vocabulary = lm.Vocabulary({1: word})
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], vocabulary=vocabulary)
    if word:
        with pytest.raises(lm.InputError, match="white space"):
            written(tmp_path, lattice, format_name)


@pytest.mark.parametrize("format_name", ["pfsg", "sphinx", "wordmesh", "k2"])
def test_several_columns_are_refused(format_name, tmp_path):
    columns = {name: lm.Column(np.zeros(1), np.zeros(1)) for name in ("lm", "acoustic")}
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], scores=columns)
    with pytest.raises(lm.UsageError, match="sum_scores=True"):
        written(tmp_path, lattice, format_name)


@pytest.mark.parametrize("format_name", ["pfsg", "sphinx", "wordmesh", "moses-cn", "k2"])
def test_a_weight_is_refused(format_name, tmp_path):
    column = lm.Column(np.zeros(1), np.zeros(1), 0.5)
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], scores={"score": column})
    with pytest.raises(
        lm.UsageError, match=r"can store only scores of weight 1, not the weight|cannot store the weight of .*not 1"
    ):
        written(tmp_path, lattice, format_name)


def test_htk_writes_labels_of_final_states_on_links_to_a_new_end(tmp_path):
    side = lm.Labels(np.array([1], dtype=np.int32), np.array([2], dtype=np.int32), lm.Vocabulary.from_words(["1", "2"]))
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], labels={"v": side})
    lm.write(tmp_path / "a.slf", [("a", lattice)])
    assert texts(lm.read_one(tmp_path / "a.slf"), "v") == ["1", "2"]


@pytest.mark.parametrize("format_name", ["pfsg", "sphinx", "wordmesh", "moses-cn", "k2"])
def test_labels_of_others_are_refused(format_name, tmp_path):
    side = lm.Labels(np.array([1], dtype=np.int32), np.zeros(1, dtype=np.int32), lm.Vocabulary.from_words(["1"]))
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], labels={"transitions": side})
    with pytest.raises(lm.UsageError, match="drop_labels=True"):
        written(tmp_path, lattice, format_name)


@pytest.mark.parametrize("format_name", ["pfsg", "sphinx", "wordmesh", "moses-cn"])
def test_words_are_spelled_by_a_table(format_name, tmp_path):
    text = {"pfsg": PFSG, "sphinx": SPHINX, "wordmesh": MESH, "moses-cn": NETWORK}[format_name]
    path = write_file(tmp_path, text)
    own = [paths_of(graph) for _, graph in lm.read(path)]
    # Words that no path has are looked up too.
    spelling = sorted({word for paths in own for p, _ in paths for word in p.split()} | {"other", "[NOISE]"})
    table = lm.Vocabulary({7 * k: word for k, word in enumerate(spelling, start=1)})
    found = list(lm.read(path, symbols=table))
    assert [paths_of(graph) for _, graph in found] == own
    assert all(graph.vocabulary == table for _, graph in found)
    with pytest.raises(lm.InputError, match="not in the symbol table"):
        list(lm.read(path, symbols=lm.Vocabulary({1: "other"})))


# --- Sphinx


def test_the_word_of_a_sphinx_node_is_that_of_the_arcs_that_leave_it(tmp_path):
    lattice = only(tmp_path, SPHINX)
    # An acoustic score is that of the first node's word; the final node's own has none.
    assert dict(paths_of(lattice)) == {
        "the ferry": pytest.approx((5120 + 10240 + 30720) * LN),
        "the fairy": pytest.approx((5120 + 11264 + 28672) * LN),
    }
    assert lattice.scores["acoustic"].arc[0] == 5120 * LN


def test_frames_of_sphinx_are_hundredths_of_a_second(tmp_path):
    assert only(tmp_path, SPHINX).times.tolist() == pytest.approx([0.0, 0.12, 0.4, 0.42, 1.1, 1.2])
    slow = only(tmp_path, SPHINX.replace("# -lm ferry.lm.bin", "# -frate 50"))
    assert slow.times.tolist() == pytest.approx([0.0, 0.24, 0.8, 0.84, 2.2, 2.4])


def test_pronunciations_of_sphinx_are_labels(tmp_path):
    lattice = only(tmp_path, SPHINX)
    spelled = dict(zip(texts(lattice, "v"), words(lattice), strict=True))
    assert spelled["2"] == "ferry"
    assert sorted(texts(lattice, "v")) == ["", "", "", "", "", "2"]
    assert "ferry(2)" not in words(lattice)


@pytest.mark.parametrize("word", ["(2)", "f(x)", "ferry(2)s", "a(-1)", "(null", "f(²)"])
def test_brackets_that_are_no_pronunciation_belong_to_the_word(word, tmp_path):
    lattice = only(tmp_path, SPHINX.replace("ferry(2)", "ferry").replace("fairy", word))
    assert word in words(lattice)
    assert not lattice.labels.keys() - {"mark"}
    assert word in written(tmp_path, lattice, "sphinx").split()


def test_a_word_that_looks_like_a_pronunciation_is_refused(tmp_path):
    with pytest.raises(lm.InputError, match="read back as a pronunciation variant"):
        written(tmp_path, lm.Lattice.from_strings(["ferry(2)"]), "sphinx")


def test_a_pronunciation_that_is_no_number_is_refused(tmp_path):
    side = lm.Labels(np.array([1], dtype=np.int32), np.zeros(1, dtype=np.int32), lm.Vocabulary.from_words(["b"]))
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], labels={"v": side})
    with pytest.raises(lm.InputError, match=r"'b' is not a number; .*drop_labels=True"):
        written(tmp_path, lattice, "sphinx")


@pytest.mark.parametrize(
    ("base", "log"), [("1.000100e+00", LN), ("1.0003", math.log(1.0003)), ("10", math.log(10)), ("0.5", math.log(0.5))]
)
def test_scores_of_sphinx_have_a_base(base, log, tmp_path):
    lattice = only(tmp_path, SPHINX.replace("1.000100e+00", base))
    assert lattice.scores["acoustic"].arc[0] == 5120 * log


def test_sphinx_lattices_without_a_base_have_that_of_pocketsphinx(tmp_path):
    lattice = only(tmp_path, SPHINX.replace("# -logbase 1.000100e+00\n", ""))
    assert lattice.scores["acoustic"].arc[0] == 5120 * LN


@pytest.mark.parametrize("base", ["1.000100e+00", "1.000300e+00"])
def test_what_sphinx_wrote_is_written_as_sphinx_writes_it(base, tmp_path):
    """PocketSphinx reads whole numbers only."""
    lattice = only(tmp_path, SPHINX.replace("1.000100e+00", base))
    text = written(tmp_path, lattice, "sphinx")
    lines = text.splitlines()
    assert lines[:2] == ["# getcwd: /", f"# -logbase {base}"]
    assert "5 119" not in lines
    assert "0 <s> 0 11 11" in lines
    assert "1 the 12 39 41" in lines
    assert re.search(r"^\d ferry\(2\) 40 109 109$", text, re.MULTILINE)
    assert "Frames 120" in lines
    edges = lines[lines.index("Edges (FROM-NODEID TO-NODEID ASCORE)") + 1 : -1]
    assert sorted(int(edge.split()[2]) for edge in edges) == [-30720, -28672, -11264, -10240, -5120]
    again = only(tmp_path, text)
    assert contents(again) == contents(lattice)
    assert again.times.tolist() == lattice.times.tolist()


@given(times=st.lists(st.floats(-1e6, 1e6) | st.integers(0, 500).map(lambda n: n / 100), min_size=3, max_size=3))
def test_times_are_kept_exactly(times, tmp_path_factory):
    costs = {"acoustic": lm.Column(np.array([0.1, 0.0]), np.zeros(1))}
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [1, 2], final=[2], scores=costs, times=times)
    again = lm.read_one(write_and_path(tmp_path_factory, lattice, "sphinx"))
    assert again.times.tolist() == times
    assert again.scores["acoustic"].arc.tolist() == [0.1, 0.0]


def test_no_times_stay_none(tmp_path):
    text = written(tmp_path, lm.Lattice.from_strings(["a b"]), "sphinx")
    assert only(tmp_path, text).times is None


def test_silence_and_fillers_in_pluses_are_no_words(tmp_path):
    text = SPHINX.replace("fairy", "[NOISE]").replace("ferry", "++BREATH++").replace("</s>", "<sil>")
    assert {path for path, _ in paths_in(tmp_path, text)[0]} == {"the [NOISE]", "the"}


def test_a_final_node_that_is_left_again_ends_with_its_word(tmp_path):
    text = SPHINX.replace("Final 0", "Final 1")
    assert [path for path, _ in paths_in(tmp_path, text)[0]] == ["the ferry"]


@pytest.mark.real_data
@pytest.mark.skipif(not SPHINX_LATTICE.exists(), reason="the real lattice is not here")
def test_unreachable_nodes_of_a_real_lattice_are_dropped():
    lattice = lm.read_one(SPHINX_LATTICE)
    assert paths_of(lattice) == [("test", pytest.approx(20 * LN))]
    assert lattice.times.tolist() == [0.0, 0.08, 0.1, 0.1]


# --- PFSG


def test_scores_of_pfsgs_are_natural_logarithms_times_10000_and_a_half(tmp_path):
    graphs = dict(lm.read(write_file(tmp_path, PFSG)))
    assert list(graphs) == ["ferry-001", "ferry-002"]
    assert dict(paths_of(graphs["ferry-001"])) == {
        "the ferry": 6931 / 10000.5 + 1.0,
        "the fairy": pytest.approx((6932 + 1000) / 10000.5),
        "ferry": pytest.approx(20001 / 10000.5 + 1.0),
    }
    assert paths_of(graphs["ferry-002"]) == [("", 0.0)]


def test_one_half_is_what_srilm_writes_for_it(tmp_path):
    """SRILM: rint(ln 0.5 · 10000.5) = -6932."""
    lattice = only(tmp_path, "name x\nnodes 2 NULL a\ninitial 0\nfinal 1\ntransitions 1\n0 1 -6932\n")
    assert lattice.scores["weight"].arc[0] == pytest.approx(-math.log(0.5), abs=1e-4)


@given(st.integers(-(2**31), 2**31 - 1))
def test_whole_scores_stay_whole(score):
    from latticemetric.formats.srilm import pfsg

    assert pfsg._score(pfsg._cost(str(score), "")) == str(score)


@given(st.floats(-1e300, 1e300))
def test_every_cost_has_a_score(cost):
    from latticemetric.formats.srilm import pfsg

    assert pfsg._cost(pfsg._score(cost), "") == cost


@pytest.mark.parametrize("cost", [1e305, -1.7e308])
def test_a_cost_that_has_none_is_refused(cost, tmp_path):
    with pytest.raises(lm.InputError, match="too large for a PFSG"):
        written(tmp_path, lm.Lattice.from_strings(["a"], [cost]), "pfsg")


def test_words_of_the_first_and_the_last_node_are_not_lost(tmp_path):
    text = "name x\nnodes 3 <s> a </s>\ninitial 0\nfinal 2\ntransitions 2\n0 1 -1\n1 2 -1\n"
    assert [path for path, _ in paths_in(tmp_path, text)[0]] == ["a"]
    # SRILM forgets them, so that they are written on nodes of their own.
    lines = written(tmp_path, only(tmp_path, text), "pfsg").splitlines()
    nodes = lines[1].split()[2:]
    first, last = (int(line.split()[1]) for line in lines[2:4])
    assert (nodes[first], nodes[last]) == ("NULL", "NULL")


@pytest.mark.parametrize("text", ["## made by hand\n\n" + PFSG, PFSG.replace("\n", "\n\n"), "\n  " + PFSG])
def test_comments_and_blank_lines_of_a_pfsg_do_not_count(text, tmp_path):
    assert [(e.name, e.format) for e in reading.entries([write_file(tmp_path, text)])] == [
        ("ferry-001", "pfsg"),
        ("ferry-002", "pfsg"),
    ]


@pytest.mark.parametrize("name", ["", "a b", "x(duration=3)"])
@pytest.mark.parametrize("format_name", ["pfsg", "wordmesh"])
def test_names_that_would_be_read_back_otherwise_are_refused(format_name, name, tmp_path):
    if format_name == "pfsg" or "(" not in name:
        with pytest.raises(lm.UsageError, match="cannot be the name"):
            written(tmp_path, lm.Lattice.from_strings(["a"]), format_name, name)


def test_pfsgs_are_read_one_at_a_time(tmp_path):
    again = PFSG.replace("-6931", "low").replace("ferry", "canoe")
    path = write_file(tmp_path, PFSG + again)
    graphs = lm.read(path)
    assert [next(graphs)[0] for _ in range(2)] == ["ferry-001", "ferry-002"]
    with pytest.raises(lm.FormatError, match=r"graphs:25 \(canoe-001\): 'low'"):
        next(graphs)


# --- Word meshes


def test_posteriors_are_probabilities(tmp_path):
    graphs = dict(lm.read(write_file(tmp_path, MESH)))
    mesh = graphs["ferry-001"]
    assert words(mesh) == ["the", "a", "", "ferry", "fairy", "leaves", ""]
    assert mesh.scores["posterior"].arc.tolist() == [
        0.0 - math.log(p) for p in (0.75, 0.2, 0.05, 0.5, 0.5, 1e-3, 0.999)
    ]
    assert paths_of(graphs["ferry-002"]) == [("", 0.0)]


def test_lines_of_a_mesh_are_labels_and_times(tmp_path):
    mesh = next(lm.read(write_file(tmp_path, MESH)))[1]
    assert texts(mesh, "hyps") == ["0 1 2", "", "", "", "", "", ""]
    assert texts(mesh, "info")[4] == "0.2 0.4 -300 -3 f:eh:r:iy 10:9:11:10 0.5"
    assert mesh.times.tolist() == pytest.approx([0.12, 0.2, 0.6, 0.6])
    again = only(tmp_path, written(tmp_path, mesh, "wordmesh"))
    assert again.times.tolist() == mesh.times.tolist()


def test_a_mesh_without_info_has_no_times(tmp_path):
    assert only(tmp_path, "numaligns 1\nposterior 1\nalign 0 a 1\ntime 0 3.5\n").times is None


def test_times_of_a_mesh_never_run_backwards(tmp_path):
    info = "info 0 a 5 1 0 0 : :\ninfo 1 b 2 1 0 0 : :\n"
    mesh = only(tmp_path, f"numaligns 3\nalign 0 a 1\nalign 1 b 1\nalign 2 c 1\n{info}")
    assert mesh.times.tolist() == [5.0, 5.0, 6.0, 6.0]


def test_a_mesh_without_a_name_has_that_of_its_file(tmp_path):
    path = write_file(tmp_path, "numaligns 1\nposterior 1\nalign 0 a 1\n", "utt-7.mesh")
    assert [(e.name, e.naming) for e in reading.entries([path])] == [("utt-7", "file")]


def test_positions_of_a_mesh_stand_in_any_order(tmp_path):
    assert paths_in(tmp_path, "numaligns 2\nalign 1 b 1\nalign 0 a 1\n") == [[("a b", 0.0)]]


def test_impossible_words_are_left_out_and_named(tmp_path, caplog):
    text = "numaligns 1\nalign 0 a 0.5 b 0 c 0.0\nreference 0 b\n"
    assert paths_in(tmp_path, text) == [[("a", 0.0 - math.log(0.5))]]
    # b only stands there as the reference.
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path}/graphs:1: left out words of posterior 0: c"
    ]


def test_a_word_that_only_the_reference_has_is_left_out_quietly(tmp_path, caplog):
    next(lm.read(write_file(tmp_path, MESH)))
    assert not caplog.records


def test_unnormalised_posteriors_are_taken_as_they_stand(tmp_path):
    text = "numaligns 1\nposterior 4\nalign 0 a 3 b 1\n"
    assert paths_in(tmp_path, text) == [[("a", -math.log(3)), ("b", 0.0)]]


def test_what_is_written_is_what_srilm_reads(tmp_path):
    """A parser of wlat-format(5) in a few lines."""
    mesh = next(lm.read(write_file(tmp_path, MESH)))[1]
    lines = [line.split() for line in written(tmp_path, mesh, "wordmesh").splitlines()]
    assert [line[0] for line in lines[:3]] == ["name", "numaligns", "posterior"]
    aligned = {
        int(line[1]): dict(zip(line[2::2], map(float, line[3::2]), strict=True)) for line in lines if line[0] == "align"
    }
    assert aligned == {
        0: {"the": 0.75, "a": 0.2, "*DELETE*": 0.05},
        1: {"ferry": 0.5, "fairy": 0.5},
        2: {"leaves": 0.001, "*DELETE*": 0.999},
    }
    assert [line for line in lines if line[0] == "hyps"] == [["hyps", "0", "the", "0", "1", "2"]]


@pytest.mark.parametrize("format_name", ["wordmesh", "moses-cn"])
@pytest.mark.parametrize(
    ("arcs", "final", "what"),
    [
        ([(0, 1, 1), (1, 2, 1), (0, 2, 2)], [2], "an arc from state 0 to state 2"),
        ([(0, 1, 1), (1, 2, 1)], [1, 2], "several final states, such as state 1"),
    ],
)
def test_a_graph_that_is_no_confusion_network_is_refused(format_name, arcs, final, what, tmp_path):
    source, target, word = zip(*arcs, strict=True)
    lattice = lm.Lattice.from_arcs(source, target, word, final=final)
    with pytest.raises(lm.UsageError, match=rf"{format_name} holds confusion networks.*{what}"):
        written(tmp_path, lattice, format_name)


def test_a_cost_of_the_end_of_a_network_is_refused(tmp_path):
    column = lm.Column(np.zeros(1), np.ones(1))
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], scores={"posterior": column})
    with pytest.raises(lm.UsageError, match="a cost on its final state"):
        written(tmp_path, lattice, "wordmesh")


def test_a_word_twice_in_a_position_is_refused(tmp_path):
    lattice = lm.Lattice.from_arcs([0, 0], [1, 1], [7, 7], final=[1])
    with pytest.raises(lm.InputError, match="'7' appears twice between states 0 and 1"):
        written(tmp_path, lattice, "wordmesh")


@pytest.mark.parametrize("cost", [800.0, 1e300, -800.0])
def test_a_cost_of_no_probability_is_refused(cost, tmp_path):
    with pytest.raises(lm.InputError, match="too small or too large to be written"):
        written(tmp_path, lm.Lattice.from_strings(["a"], [cost]), "wordmesh")


@given(cost=st.floats(-700, 700))
def test_any_cost_comes_back_to_the_last_digits(cost, tmp_path_factory):
    """Not all costs are logarithms of a double: near 0 they are as far apart as doubles near 1 are."""
    lattice = lm.Lattice.from_strings(["a"], [cost])
    again = lm.read_one(write_and_path(tmp_path_factory, lattice, "wordmesh"))
    assert again.scores["posterior"].arc[0] == pytest.approx(cost, rel=1e-15, abs=2e-16)


def test_the_word_that_means_none_is_refused_in_a_mesh(tmp_path):
    with pytest.raises(lm.InputError, match="as no word"):
        written(tmp_path, lm.Lattice.from_strings(["*DELETE*"]), "wordmesh")


# --- Moses confusion networks


def test_a_column_a_line(tmp_path):
    graphs = dict(lm.read(write_file(tmp_path, NETWORK)))
    assert list(graphs) == ["1", "2"]
    assert words(graphs["1"]) == ["the", "a", "", "ferry", "1984", "leaves"]
    assert graphs["1"].scores["score"].arc.tolist() == [0.0 - math.log(p) for p in (0.75, 0.2, 0.05, 0.5, 0.5, 1)]
    assert [path for path, _ in paths_of(graphs["2"])] == ["", "late"]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a 0.5 0.25\nb 1 1\n", ["score_0", "score_1"]),
        ("a 0.5 0.25 b 0.5 0.5\n", ["score_0", "score_1"]),
        ("a 0.5 1.0 0.25\nb 1 1 1 c 0 0 0\n", ["score_0", "score_1", "score_2"]),
        ("a 0.5 2001 0.25\n", ["score"]),  # 2001 is a word
        ("1 0.5 2 0.25\n", ["score"]),
        ("1.5 0.5\n2 0.5\n", ["score"]),  # nothing else is possible
        ("a .5\n", ["score"]),
    ],
)
def test_how_many_scores_a_word_has(text, columns, tmp_path):
    assert list(next(lm.read(write_file(tmp_path, text), format="moses-cn"))[1].scores) == columns


def test_several_scores_add_up_as_in_plf(tmp_path):
    assert paths_in(tmp_path, "a 0.5 0.25\n") == [[("a", pytest.approx(3 * math.log(2)))]]


@pytest.mark.parametrize(
    ("text", "cost"), [("0", 100.0), ("1e-300", 100.0), ("1.0000001", 0.0), ("1", 0.0), ("7", 0.0)]
)
def test_probabilities_are_bounded_as_in_moses(text, cost, tmp_path):
    path = write_file(tmp_path, f"a {text}\n")
    assert [paths_of(graph) for _, graph in lm.read(path, format="moses-cn")] == [[("a", cost)]]


@pytest.mark.parametrize("cost", [-0.1, 100.5])
def test_costs_beyond_those_of_moses_are_refused(cost, tmp_path):
    with pytest.raises(lm.InputError, match="outside the range of Moses, 0 to 100"):
        written(tmp_path, lm.Lattice.from_strings(["a"], [cost]), "moses-cn")


def test_the_highest_cost_is_no_probability(tmp_path):
    text = written(tmp_path, lm.Lattice.from_strings(["a"], [100.0]), "moses-cn")
    assert text == "a 0.0\n\n"
    assert paths_in(tmp_path, text) == [[("a", 100.0)]]


def network(words: list[str], columns: list[str]) -> lm.Lattice:
    """A network of one column."""
    some = {name: lm.Column(np.ones(len(words)), np.zeros(1)) for name in columns}
    zeros = [0] * len(words)
    vocabulary = lm.Vocabulary.from_words(words)
    ones = [1] * len(words)
    return lm.Lattice.from_arcs(zeros, ones, vocabulary.encode(words), final=[1], scores=some, vocabulary=vocabulary)


def test_words_that_are_numbers_are_written_where_they_are_read_back(tmp_path):
    lattice = network(["1.5", "2.5", "1984"], ["score"])
    assert contents(only(tmp_path, written(tmp_path, lattice, "moses-cn"), format="moses-cn")) == contents(lattice)


@pytest.mark.parametrize(("words", "columns"), [(["1.5", "2.5"], ["score_0", "score_1"]), (["7"], ["score"])])
def test_words_that_would_be_read_back_as_scores_are_refused(words, columns, tmp_path):
    with pytest.raises(lm.InputError, match="numbers would be read back as scores"):
        written(tmp_path, network(words, columns), "moses-cn")


def test_named_scores_are_refused(tmp_path):
    some = {name: lm.Column(np.ones(1), np.zeros(1)) for name in ("lm", "tm")}
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], scores=some)
    with pytest.raises(lm.UsageError, match=r"cannot store the score names lm, tm; .*sum_scores=True"):
        written(tmp_path, lattice, "moses-cn")


def test_a_network_of_no_columns_is_refused(tmp_path):
    with pytest.raises(lm.InputError, match="without words"):
        written(tmp_path, lm.Lattice.from_arcs([], [], [], final=[0]), "moses-cn")


@pytest.mark.parametrize(
    "text",
    [
        "7 0.5\n",  # a machine of one state and its cost
        "0 1 7 0.5\n1 0.25\n",
        "utt A 0.00 0.25 hello 0.9\nutt A 0.25 0.25 you 0.9\n",
        "the 1\ncat 2\n",
        "utt-1 -3.5\n",
        "name 1\n",
        "a 0.5\nb\n",
    ],
)
def test_other_things_are_no_confusion_network(text):
    assert not registry.find_format("moses-cn").sniff(text.encode())


def test_a_long_network_is_recognised_by_its_beginning():
    head = ("word 0.5 other 0.5\n" * 4000).encode()[: 2**16]
    assert not head.endswith(b"\n")
    assert registry.find_format("moses-cn").sniff(head)


# --- k2


def test_scores_of_k2_are_logarithms_and_ends_are_final_states(tmp_path):
    lattice = only(tmp_path, K2)
    assert paths_of(lattice) == [("7", 1.375), ("8", 4.25), ("8 9", 1.25 - 0.5 + 0.75)]
    assert lattice.num_states == 4
    assert lattice.final.tolist() == [2, 3]
    assert lattice.scores["score"].final.tolist() == [3.0, 0.75]
    assert texts(lattice, "input") == ["12", "12", "", "31"]


def test_words_of_an_acceptor_are_its_labels(tmp_path):
    lattice = only(tmp_path, "0 1 5 -0.5\n0 1 0 -1\n1 2 -1 0\n2\n")
    assert paths_of(lattice) == [("5", 0.5), ("", 1.0)]
    assert not lattice.labels.keys() - {"mark"}


def test_further_aux_labels_are_kept(tmp_path):
    lattice = only(tmp_path, "0 1 5 7 100 0 -0.5\n1 2 -1 -1 -1 -1 0\n2\n")
    assert words(lattice) == ["7"]
    assert {name: texts(lattice, name) for name in lattice.labels} == {"input": ["5"], "aux2": ["100"]}


def test_words_of_k2_are_spelled_by_a_table(tmp_path):
    table = lm.Vocabulary({7: "the", 8: "a", 9: "ferry"})
    assert [path for path, _ in paths_in(tmp_path, K2, symbols=table)[0]] == ["the", "a", "a ferry"]
    with pytest.raises(lm.InputError, match="not in the symbol table"):
        paths_in(tmp_path, K2, symbols=lm.Vocabulary({7: "the"}))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("0 1 5 9 -0.5\n1 2 -1 7 -0.25\n2\n", [("9 7", 0.75)]),
        ("0 1 5 -0.5\n1 2 -1 -0.25\n1 2 -1 -1\n2\n", [("5", 0.75), ("5", 1.5)]),
    ],
)
def test_ends_that_are_more_than_costs_stay_arcs(text, paths, tmp_path):
    lattice = only(tmp_path, text)
    assert paths_of(lattice) == paths
    assert contents(only(tmp_path, written(tmp_path, lattice, "k2"))) == contents(lattice)


PRINTED = f"k2.Fsa: {K2}properties_str = Valid|Nonempty|TopSorted.\naux_labels: tensor([7, 8, 0, 9, -1, -1])\n5\n"
PRINTED_VECTOR = (
    "k2.FsaVec: \nFsaVec[0]: 0 1 5 -0.5\n1 2 -1 0\n2\nFsaVec[1]: 0 1 6 -0.5\n1 2 -1 0\n2\nproperties_str = Valid.\n"
)


def test_a_printed_fsa_is_read(tmp_path):
    path = write_file(tmp_path, PRINTED)
    assert [paths_of(graph) for _, graph in lm.read(path, format="k2")] == paths_in(tmp_path, K2)


def test_a_printed_vector_is_read(tmp_path):
    path = write_file(tmp_path, PRINTED_VECTOR)
    found = [(entry.name, entry.naming, paths_of(entry.build())) for entry in reading.entries([path])]
    assert found == [("1", "position", [("5", 0.5)]), ("2", "position", [("6", 0.5)])]


@pytest.mark.parametrize("between", ["", "\n", "\n \n\n"])
def test_several_fsas_may_follow_one_another(between, tmp_path):
    assert [len(paths) for paths in paths_in(tmp_path, K2 + between + K2)] == [3, 3]


def test_what_is_written_is_what_k2_reads(tmp_path):
    """The conditions that k2 checks: see CheckStateArcs in its sources."""
    *arcs, last = written(tmp_path, only(tmp_path, K2), "k2").splitlines()
    rows = [line.split() for line in arcs]
    assert {len(row) for row in rows} == {5}
    sources = [int(row[0]) for row in rows]
    assert sources == sorted(sources)
    assert max(sources) < int(last)
    for _, target, label, aux, score in rows:
        assert (target == last) == (int(label) == -1) == (int(aux) == -1)
        float(score)


@pytest.mark.parametrize("word", ["the", "0", "007", "-1", "2147483647"])
def test_words_that_are_no_numbers_are_refused(word, tmp_path):
    with pytest.raises(lm.InputError, match=rf"k2 holds numbers, but the word '{word}' is not a number"):
        written(tmp_path, lm.Lattice.from_strings([word]), "k2")


def test_labels_of_final_states_are_refused(tmp_path):
    side = lm.Labels(np.array([1], dtype=np.int32), np.array([1], dtype=np.int32), lm.Vocabulary.from_words(["1"]))
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], labels={"input": side})
    with pytest.raises(lm.InputError, match="cannot store the labels 'input' of final states"):
        written(tmp_path, lattice, "k2")


OPENFST = [
    "0 1 5 7 0.5\n1 2 6 8 -0.5\n2\n",
    "0 1 5 -0.5\n1 2 6 -0.5\n2\n",
    "0 1 minus -1 0.5\n1 2 a b 0.5\n2\n",
    "0 1 -1 0.5\n1 2 7 0.5\n2\n",
    "0 1 -1 0.5\n1 2 -1 0.5\n2\n",
    "0 1 -1 x 0.5\n1\n",
]


@pytest.mark.parametrize("text", OPENFST)
def test_machines_of_openfst_are_none_of_k2(text, tmp_path):
    assert [entry.format for entry in reading.entries([write_file(tmp_path, text)])] == ["openfst-text"]


def test_long_files_of_k2_are_recognised_by_an_end_in_sight(tmp_path):
    arcs = [f"{k} {k + 1} {k % 9 + 1} {k % 7 - 3}.5" for k in range(20_000)]
    arcs.insert(100, "100 20001 -1 -0.5")
    text = "\n".join([*arcs[:100], arcs[101], arcs[100], *arcs[102:], "20000 20001 -1 0", "20001"])
    assert [entry.format for entry in reading.entries([write_file(tmp_path, text)])] == ["k2"]


def test_long_files_that_could_be_of_either_are_not_guessed(tmp_path):
    arcs = [f"{k} {k + 1} {k % 9 + 1} -0.5" for k in range(20_000)]
    path = write_file(tmp_path, "\n".join([*arcs, "20000 20001 -1 0", "20001"]))
    with pytest.raises(lm.FormatError, match=r"the format could be openfst-text or k2; choose one with format=…"):
        list(lm.read(path))
    assert lm.read_one(path, format="k2").statistics().arcs == 20_000


def test_long_files_of_openfst_with_costs_are_of_openfst(tmp_path):
    text = "\n".join([*(f"{k} {k + 1} 5 {'-' * (k % 2)}0.5" for k in range(20_000)), "20000"])
    assert [entry.format for entry in reading.entries([write_file(tmp_path, text)])] == ["openfst-text"]


@given(st.one_of(st.integers(-(10**16), 10**16).map(str), st.floats(-1e6, 1e6).map(repr), st.just("-0")))
def test_costs_of_pfsg_are_quotients_of_decimals(text):
    quotient = Context(prec=30).divide(Decimal(text), Decimal("10000.5"))
    assert repr(pfsg._cost(text, "")) == repr(0.0 - float(quotient))


@given(st.one_of(st.floats(-1e300, 1e300), st.integers(-(10**9), 10**9).map(lambda n: 0.0 - 2 * n / 20001)))
def test_scores_of_pfsg_are_whole_if_they_can_be_and_are_read_back(cost):
    text = pfsg._score(cost)
    assert pfsg._cost(text, "") == cost
    whole = str(round(0.0 - cost * 10000.5))
    assert text == whole or pfsg._cost(whole, "") != cost
