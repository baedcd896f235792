"""`best`, `nbest`, `prune`, `determinize`, `minimize` as users run them; what they print is what Python answers."""

import json

import pytest
from kit.commands import assert_one_line_error, good
from kit.commands import run as process
from kit.decoding import FERRY, MEETING, graphs, items, run
from kit.paths import DATA, EXAMPLES

import latticemetric as lm

FOREST, LIST = str(EXAMPLES / "lantern.hg"), str(EXAMPLES / "headlines.nbest")


@pytest.mark.parametrize("path", [MEETING, FERRY, FOREST, LIST])
def test_the_best_are_what_python_answers(path):
    expected = [{"id": name, **lm.best(graph, posterior_scale=0.5).asdict()} for name, graph in lm.read(path)]
    assert items("best", path, "--posterior-scale", "0.5") == json.loads(json.dumps(expected))
    words = [f"{one['id']} {one['hypothesis']}" for one in expected]
    assert run("best", path).stdout.splitlines() == words


def test_a_table_of_the_best_has_a_row_a_graph():
    header, row = run("best", FERRY, "--format", "tsv").stdout.splitlines()
    fields = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert (fields["begin"], fields["end"]) == ("0.0 0.18 0.57 0.84", "0.18 0.57 0.84 1.1")
    assert fields["scores"].startswith("acoustic=")


def test_ctm_needs_times():
    assert run("best", FERRY, "--format", "ctm").stdout.splitlines()[0] == "ferry-001 1 0.00 0.18 the 1.0000"
    assert "ctm needs times" in run("best", MEETING, "--format", "ctm", status=2).stderr


@pytest.mark.parametrize("path", [MEETING, FOREST, LIST])
@pytest.mark.parametrize("more", [[], ["--paths"]])
def test_lists_are_what_python_answers(path, more, tmp_path):
    target = tmp_path / "out.jsonl"
    found = items("nbest", path, "-n", "3", "--write-lattices", str(target), *more)
    for item, (name, graph), (read, nbest) in zip(found, lm.read(path), lm.read(target), strict=True):
        expected = lm.NBest.from_graph(graph, 3, paths=bool(more))
        assert item["id"] == read == name
        assert [one["hypothesis"].split() for one in item["paths"]] == [list(h.words) for h in expected.hypotheses]
        assert [one["cost"] for one in item["paths"]] == pytest.approx(expected.costs())
        assert [h.words for h in nbest.ranking()] == [h.words for h in expected.hypotheses]
        assert sorted(nbest.costs()) == pytest.approx(sorted(expected.costs()))


@pytest.mark.parametrize("suffix", [".nbest", ".srilm-nbest", ".jsonl"])
def test_lists_are_written_as_other_tools_read_them(suffix, tmp_path):
    run("nbest", FERRY, "-n", "2", "--sum-scores", "--write-lattices", str(tmp_path / f"x{suffix}"))
    ((_, nbest),) = lm.read(tmp_path / f"x{suffix}")
    assert len(nbest) == 2


def test_a_table_of_lists_has_a_row_a_string():
    lines = run("nbest", MEETING, "-n", "2", "--format", "tsv").stdout.splitlines()
    assert [line.split("\t")[:3] for line in lines[1:3]] == [
        ["meeting-001", "1", "we should meet"],
        ["meeting-001", "2", "we shut it"],
    ]


def test_written_lists_need_a_file():
    assert_one_line_error(process("latticemetric", "nbest", MEETING, "--to", "moses-nbest"), "no lists are written")
    done = process("latticemetric", "nbest", MEETING, "--write-lattices", "-")
    assert_one_line_error(done, "results already go to standard output")


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        (MEETING, {"beam": 0.5}),
        (MEETING, {"density": 2.0}),
        (MEETING, {"nbest": 2}),
        (FOREST, {"nbest": 1}),
        (FOREST, {"beam": 1.5}),
        (LIST, {"nbest": 1}),
        (LIST, {"beam": 0.5}),
    ],
)
def test_pruned_graphs_are_what_python_answers(path, limit, tmp_path):
    suffix, to = {MEETING: (".lat", "kaldi"), FOREST: (".hg", "moses-hypergraph"), LIST: (".nbest", "moses-nbest")}[
        path
    ]
    ((name, value),) = limit.items()
    target = tmp_path / f"out{suffix}"
    good(process("latticemetric", "prune", path, target, "--to", to, f"--{name}", value))
    for (_, graph), (_, pruned) in zip(lm.read(path), lm.read(target), strict=True):
        assert (
            pruned.statistics() == graph.pruned(**limit).statistics()
            if path != LIST
            else pruned == graph.pruned(**limit)
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no limit is given; give one of --beam, --density and --nbest"),
        (["--beam", "1", "--nbest", "2"], "more than one limit is given"),
        (["--beam", "-1"], "-1"),
    ],
)
def test_there_is_one_limit(options, message):
    done = process("latticemetric", "prune", MEETING, "-", "--to", "kaldi", *options)
    assert (done.status, message in done.stderr) == (2, True)


@pytest.mark.parametrize("path", [FOREST, LIST])
def test_only_lattices_have_a_density(path):
    done = process("latticemetric", "prune", path, "-", "--to", "jsonl-nbest", "--density", "1")
    assert done.status == 2
    assert "has no density; prune it by --beam or --nbest" in done.stderr.splitlines()[-1]


def test_smaller_lattices_are_what_python_answers(tmp_path):
    pytest.importorskip("pynini")
    good(
        process(
            "latticemetric", "determinize", MEETING, tmp_path / "a.lat", "--to", "kaldi", "--weights", "acoustic=0.1"
        )
    )
    good(process("latticemetric", "minimize", MEETING, tmp_path / "b.lat", "--to", "kaldi"))
    for name, graph in graphs(MEETING).items():
        by_string, merged = (dict(lm.read(tmp_path / file))[name] for file in ("a.lat", "b.lat"))
        assert by_string.statistics().paths == graph.determinized({"acoustic": 0.1}).statistics().paths
        assert merged.statistics() == graph.minimized().statistics()


def test_scores_can_be_left_out(tmp_path):
    good(process("latticemetric", "convert", MEETING, tmp_path / "a.plf", "--scores-off", "--drop-labels"))
    assert all(not graph.scores for _, graph in lm.read(tmp_path / "a.plf"))
    good(process("latticemetric", "convert", LIST, tmp_path / "a.jsonl", "--scores-off"))
    for (_, graph), (_, bare) in zip(lm.read(LIST), lm.read(tmp_path / "a.jsonl"), strict=True):
        assert [h.words for h in bare.hypotheses] == [h.words for h in graph.ranking()]
    done = process("latticemetric", "convert", LIST, tmp_path / "a.jsonl", "--scores-off", "--sum-scores")
    assert_one_line_error(done, "contradict each other; give one of them")


GOLD = sorted((DATA / "hifst" / "lmbr-gold").glob("*.hyp"))


@pytest.mark.real_data
@pytest.mark.skipif(not GOLD, reason=f"there are no lattices in {DATA} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize("file", GOLD, ids=lambda file: file.stem)
def test_hifst_has_the_same_answers_on_the_command_line(file):
    pytest.importorskip("pynini")
    posterior_scale, penalty = file.stem.split("_")
    options = (
        "--beam",
        "5",
        "--posterior-scale",
        posterior_scale,
        f"--word-penalty={penalty}",
        *["-p", "0.741", "--ratio", "0.62", "-T", "10"],
    )
    lines = run("mbr", str(DATA / "hifst" / "binary"), "--determinize", *options).stdout.splitlines()
    gold = [line.split()[2:] for line in file.read_text().splitlines()]
    assert [line.split() for line in lines] == [[*index.split(":")[0:1], "1", *words] for index, *words in gold]


def test_a_string_counts_by_its_best_path():
    pytest.importorskip("pynini")
    lattice = lm.Lattice.from_strings(["a b", "a b", "a b", "c d"], costs=[1.0, 1.0, 1.0, 0.5])
    assert lm.mbr(lattice).words == ("a", "b")
    found = lm.mbr(lattice, determinize=True)
    assert (found.words, found.arcs) == (("c", "d"), ())
    for method in ("wer", "wrr"):
        assert lm.mbr(lattice, method, determinize=True).words == ("c", "d")
