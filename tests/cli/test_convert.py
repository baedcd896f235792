"""`latticemetric convert`: what a format cannot hold is one graph's failure, if failures are gone past."""

import pytest
from kit.commands import assert_one_line_error, file
from kit.many_graphs import latticemetric
from kit.paths import EXAMPLES

import latticemetric as lm

FOREST, LATTICES = EXAMPLES / "lantern.hg", EXAMPLES / "meeting.lat.txt"


@pytest.fixture
def mixed(tmp_path):
    """Three lattices, and between them forests that are no lattices."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    for name, source in (("a.lat.txt", EXAMPLES / "station.lat.txt"), ("b.hg", FOREST), ("c.lat.txt", LATTICES)):
        file(folder, name, source.read_bytes())
    return folder


GOOD = ["station-1", "station-2", "meeting-001", "meeting-002", "meeting-003"]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("out.ark.txt", ("--to", "kaldi")),
        ("out/", ("--to", "htk-slf")),
        ("out.far", ("--sum-scores",)),
        ("out.plf", ()),
        ("out.plf.gz", ()),
    ],
)
def test_graphs_that_the_format_cannot_hold_have_failed(target, options, workers, mixed, tmp_path):
    path, report = f"{tmp_path}/{target}", tmp_path / "failures"
    arguments = ["convert", mixed, path, *options, "--workers", workers]
    assert_one_line_error(latticemetric(*arguments), "error: b: ")
    done = latticemetric(*arguments, "--keep-going", "--failures", report)
    assert (done.status, done.stderr.count("failed: ")) == (1, 1)
    assert f"5 graphs written to {path}" in done.stderr
    written = dict(lm.read(path))
    assert len(written) == len(GOOD)
    if not target.startswith("out.plf"):
        assert sorted(written) == sorted(GOOD)
    (_, row) = report.read_text().splitlines()
    name, source, _, reason = row.split("\t")
    assert (name, source) == ("b", str(mixed / "b.hg"))
    assert reason.startswith(f"{mixed / 'b.hg'} (b): ")
    (mixed / "b.hg").unlink()
    assert latticemetric("convert", mixed, f"{tmp_path}/other{target[3:]}", *options).status == 0
    if not target.endswith("/"):
        assert (tmp_path / f"other{target[3:]}").read_bytes() == (tmp_path / target).read_bytes()


@pytest.mark.parametrize(("target", "to"), [("out/", "htk-slf"), ("out.far", "far")])
def test_ids_that_cannot_stand_beside_each_other_are_failures_too(target, to, tmp_path):
    twice = "a \n0 1 x 1,1,\n1\n\n"
    files = [file(tmp_path, name, twice) for name in ("1.lat", "2.lat")]
    given = ["convert", tmp_path / "*.lat", f"{tmp_path}/{target}", "--to", to, "--sum-scores"]
    assert len(files) == 2
    assert_one_line_error(latticemetric(*given), "two graphs have the id 'a'")
    done = latticemetric(*given, "--keep-going")
    assert done.status == 1
    assert "2.lat:1 (a): two graphs have the id 'a'" in done.stderr
    assert "1 graph written" in done.stderr


def test_scores_that_have_no_place_are_a_failure_of_their_graph(tmp_path):
    file(tmp_path, "a.lat", "a \n0 1 x 1,1,\n1\n\n")
    file(tmp_path, "b.fst.txt", "0 1 x 0.5\n1\n")
    done = latticemetric("convert", tmp_path / "*.[lf]*", tmp_path / "out.pfsg", "--keep-going")
    assert done.status == 1
    assert "a.lat:1 (a): pfsg holds one score per arc, but this graph has lm, acoustic; add them up with" in done.stderr
    assert [name for name, _ in lm.read(tmp_path / "out.pfsg")] == ["b"]


def test_a_script_and_its_archive_hold_what_can_be_written(tmp_path):
    table = file(tmp_path, "words.txt", "<eps> 0\nx 1\n")
    source = file(tmp_path, "a.lat", "a \n0 1 x 1,1,\n1\n\nb \n0 1 y 1,1,\n1\n\nc \n0 1 x 2,1,\n1\n\n")
    target = tmp_path / "out.scp"
    done = latticemetric("convert", source, target, "--symbols", table, "--keep-going")
    assert (done.status, done.stderr.count("failed: ")) == (1, 1)
    assert "a.lat:5 (b)" in done.stderr
    assert [name for name, _ in lm.read(target, symbols=table)] == ["a", "c"]


def test_where_nothing_can_be_written_nothing_is(tmp_path):
    failures = tmp_path / "failures.tsv"
    done = latticemetric("convert", FOREST, tmp_path / "out.plf", "--keep-going", "--failures", failures)
    assert done.status == 1
    assert done.stderr.startswith("failed: ")
    assert done.stderr.endswith(f"0 graphs written to {tmp_path / 'out.plf'}\n")
    assert len(failures.read_text().splitlines()) == 2
    assert list(tmp_path.iterdir()) == [failures]


@pytest.mark.parametrize("verb", [("nbest", "-n", 2, "--to", "jsonl-nbest"), ("posteriors", "--of", "arcs"), ("mbr",)])
def test_results_of_graphs_that_all_fail_are_written_without_graphs(verb, tmp_path):
    source = file(tmp_path, "a.lat", "a\n0 1 x 0,bad\n1\n\n")
    output, failures, graphs = (tmp_path / name for name in ("out", "failures", "graphs.slf"))
    options = ["--from", "kaldi", "--keep-going", "--write-lattices", graphs, "-o", output, "--failures", failures]
    assert latticemetric(*verb, source, *options).status == 1
    assert output.exists()
    assert len(failures.read_text().splitlines()) == 2
    assert not graphs.exists()


def test_ids_of_several_files_must_differ_where_a_format_keeps_them(tmp_path):
    for word in "ab":
        file(tmp_path, f"{word}.plf", f"((('{word}',1,1),),)\n")
    merged = tmp_path / "both.ark.txt"
    refused = "1: two graphs have the id '1', but ids in kaldi must differ; convert each file by itself"
    assert_one_line_error(latticemetric("convert", tmp_path / "?.plf", merged, "--sum-scores"), refused)
    assert not merged.exists()
    assert latticemetric("convert", tmp_path / "?.plf", tmp_path / "both.plf").status == 0
    assert [path.words for _, graph in lm.read(tmp_path / "both.plf") for path in graph.paths()] == [("a",), ("b",)]


@pytest.mark.parametrize("name", ['"q"', "'q'", 'a"', "a\nb", "é\\", "a b"])
def test_quoted_ids_of_slf_are_read_as_they_were_written(name, tmp_path):
    lm.write(tmp_path / "one.slf", [(name, lm.Lattice.from_strings(["a"]))])
    assert [found for found, _ in lm.read(tmp_path / "one.slf")] == [name]


@pytest.mark.parametrize(("suffix", "name"), [("lat", "#"), ("lat", "\ufeffa"), ("ark", "\ufeffa"), ("wenet", "")])
def test_ids_that_would_be_lost_are_refused(suffix, name, tmp_path):
    graph = lm.NBest.from_strings(["a"]) if suffix == "wenet" else lm.Lattice.from_strings(["a"])
    with pytest.raises(lm.UsageError, match="rename it"):
        lm.write(tmp_path / f"one.{suffix}", [(name, graph)])


@pytest.mark.parametrize(
    ("file", "name", "word"),
    [
        ("one.trn", "u1", "\ufeffa"),
        ("one.cn", "1", "\ufeffa"),
        ("one.nbest", "\ufeff1", "a"),
        ("one.osg", "\ufeff1", "a"),
    ],
)
def test_byte_order_marks_that_would_be_lost_are_refused(file, name, word, tmp_path):
    graph = lm.NBest.from_strings([word]) if file == "one.nbest" else lm.Lattice.from_strings([word])
    with pytest.raises(lm.UsageError, match="begins with a byte order mark"):
        lm.write(tmp_path / file, [(name, graph)])


def test_foreign_compressions_are_refused():
    refused = "out.plf.bz2: .bz2 files cannot be written; choose .gz, .xz or .zst"
    assert_one_line_error(latticemetric("convert", LATTICES, "out.plf.bz2"), refused)
    refused = "out.tsv.bz2: .bz2 files cannot be written"
    assert_one_line_error(latticemetric("info", LATTICES, "-o", "out.tsv.bz2"), refused)


def test_a_script_in_no_file_is_refused_with_advice(tmp_path):
    done = latticemetric("convert", EXAMPLES / "meeting.ark", f"{tmp_path}/out/", "--to", "kaldi-script")
    assert_one_line_error(
        done, "error: a Kaldi script needs an archive x.ark beside x.scp; name a file that ends in .scp"
    )
    assert list(tmp_path.iterdir()) == []


GAPS = "0 ||| a ||| lm= -1\n1 ||| b ||| lm= -1\n4 ||| c ||| lm= -1\n"


@pytest.mark.parametrize(
    ("target", "texts", "note"),
    [
        ("out.plf", GAPS, "plf holds no ids, so '4' is lost; "),
        ("out.cn", GAPS, "moses-cn holds no ids, so '4' is lost; "),
        ("out.plf", GAPS.replace("4 |", "2 |"), ""),
        ("out.plf", GAPS.replace("4 |", "d |"), "plf holds no ids, so 'd' is lost; "),
        ("out.jsonl", GAPS, ""),
    ],
)
def test_ids_are_not_lost_silently(target, texts, note, tmp_path, caplog):
    (tmp_path / "some.nbest").write_text(texts)
    done = latticemetric("convert", tmp_path / "some.nbest", f"{tmp_path}/{target}")
    assert (done.status, done.stderr) == (0, f"3 graphs written to {tmp_path}/{target}\n")
    assert [one.startswith(f"{tmp_path}/{target}: {note}") for one in caplog.messages] == [True] * bool(note)
    caplog.clear()
    latticemetric("convert", tmp_path / "some.nbest", f"{tmp_path}/folder/", "--to", "plf")
    assert caplog.messages == []


def test_ids_that_a_file_does_not_hold_are_told_from_python(tmp_path, caplog):
    graph = lm.Lattice.from_strings(["a b"])
    lm.write(tmp_path / "harbour.plf", [("harbour", graph)])
    lm.Corpus([graph, graph]).write(tmp_path / "numbered.plf")
    assert caplog.messages == []
    lm.write(tmp_path / "all.plf", {"x": graph, "y": graph}.items())
    assert len(caplog.messages) == 1
    assert "plf holds no ids, so 'x' is lost; a folder" in caplog.messages[0]


@pytest.mark.parametrize("target", ["all.far", "all.fst"])
def test_rounded_costs_that_change_a_best_path_are_told(target, tmp_path, caplog):
    def graph(*costs: float) -> lm.Lattice:
        return lm.Lattice.from_strings(["a", "b"], costs=list(costs))

    close, apart = graph(1e6 + 1e-3, 1e6), graph(0.1, 0.2)
    lm.write(tmp_path / target, [("apart", apart)])
    assert caplog.messages == []
    lm.write(tmp_path / target, [("apart", apart), ("close", close)] if target == "all.far" else [("close", close)])
    assert len(caplog.messages) == 1
    assert "rounds costs to 32 bits, which changes the best path of 'close'; openfst-text and plf" in caplog.messages[0]
    lm.write(tmp_path / "same.plf", [("1", close)])
    assert len(caplog.messages) == 1
    for path, words in ((target, ("a",)), ("same.plf", ("b",))):
        first = list(dict(lm.read(tmp_path / path)).values())[-1]
        assert first.words(first.best_path()) == words
