"""`latticemetric sweep`, and tags and confidences of `lattice-oracle`, as users run them."""

import json
import sys
from pathlib import Path

import pytest
from kit import commands
from kit.paths import EXAMPLES

import latticemetric as lm

PROGRAMS = Path(sys.executable).parent
MEETING = (EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt", "--metric", "wer")
POINTS = ("--beams", "1,4", "--densities", "1,2.5", "--nbest-sizes", "1,10", "--by-length", "3,5")


def run(program, *arguments, status=0):
    done = commands.run(program, *arguments)
    assert done.status == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def sweep(*arguments, **options):
    return run("latticemetric", "sweep", *arguments, **options)


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def from_python():
    references = dict(line.split(" ", 1) for line in MEETING[1].read_text().splitlines())
    numbers = {"beams": [1, 4], "densities": [1, 2.5], "nbest_sizes": [1, 10], "by_length": [3, 5]}
    return lm.Corpus(lm.read(MEETING[0]), references).sweep("wer", **numbers).totals


def test_the_document_is_what_python_answers():
    assert json.loads(sweep(*MEETING, *POINTS, "--format", "json").stdout) == from_python()


def test_lines_are_rows_and_then_bins():
    document = from_python()
    assert lines(sweep(*MEETING, *POINTS, "--format", "jsonl").stdout) == document["rows"] + document["lengths"]


def test_a_table_has_a_row_a_point_and_a_row_a_bin():
    header, *rows = (line.split("\t") for line in sweep(*MEETING, *POINTS, "--format", "tsv").stdout.splitlines())
    document = from_python()
    items = document["rows"] + document["lengths"]
    assert len(rows) == len(items)
    for row, item in zip(rows, items, strict=True):
        cells = dict(zip(header, row, strict=True))
        assert cells["kind"] == item["kind"]
        for name, cell in cells.items():
            value = item.get("one_best", {}).get(name[9:]) if name.startswith("one_best_") else item.get(name)
            assert cell == ("" if value is None else str(value))


def test_text_has_a_line_a_point():
    done = sweep(*MEETING, *POINTS)
    names = [line.split("  ")[0] for line in done.stdout.splitlines()]
    points = ["1-best", "beam 1", "beam 4", "density 1", "density 2.5", "nbest 1", "nbest 10", "whole"]
    assert names == ["", *points, "", "reference words", "0–3", "4–5", "> 5"]
    assert done.stderr.splitlines()[-1].startswith("wer|refs:1")


def test_intervals_hold_the_values():
    arguments = ("--beams", "1", "--resamples", "200", "--seed", "3")
    rows = lines(sweep(*MEETING, *arguments, "--format", "jsonl").stdout)
    assert all(row["low"] <= row["score"] <= row["high"] for row in rows)
    assert "±" in sweep(*MEETING, *arguments).stdout


def test_workers_and_scales_are_heard():
    scaled = (*MEETING, "--nbest-sizes", "1", "--weights", "acoustic=0.1", "--format", "jsonl")
    alone = sweep(*scaled, "--workers", "1").stdout
    assert alone == sweep(*scaled, "--workers", "2").stdout
    assert alone != sweep(*MEETING, "--nbest-sizes", "1", "--format", "jsonl").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no sizes or lengths are given"),
        (["--beams", "x"], "'x' is not a number"),
        (["--beams", "1,"], "'1,' is not a number"),
        (["--beams=-1"], "the beam is -1"),
        (["--beams", "nan"], "the beam is nan"),
        (["--beams", "inf"], "the beam is inf"),
        (["--densities", "0"], "the density is 0"),
        (["--nbest-sizes", "1.5"], "'1.5' has a number that is not a whole number"),
        (["--nbest-sizes", "nan"], "'nan' has a number that is not a whole number"),
        (["--nbest-sizes", "0"], "the number of best strings is 0"),
        (["--by-length=-1"], "a bin of reference lengths ends at -1"),
        (["--beams", "1", "--weights", "nothing=1"], "there is no score column 'nothing'"),
        (["--beams", "1", "--metric", "bleu"], "'bleu' cannot search a graph"),
        (["--beams", "1", "--plot", "drawing.txt"], "drawing.txt: the suffix is not a picture format"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    done = sweep(*MEETING, *arguments, status=2)
    assert done.stdout == ""
    assert message in done.stderr


def test_a_forest_has_no_beams():
    forest = (EXAMPLES / "lantern.target_graph", EXAMPLES / "lantern.ref.txt")
    assert "this is a forest" in sweep(*forest, "--beams", "1", status=2).stderr
    done = sweep(*forest, "--nbest-sizes", "1", "--metric", "4-grr", "--format", "jsonl")
    assert [row["kind"] for row in lines(done.stdout)] == [
        "one_best", "nbest", "whole",
    ]  # fmt: skip


def test_what_fails_counts_as_deleted_everywhere(tmp_path):
    references = tmp_path / "refs"
    references.write_text(MEETING[1].read_text() + "nobody said this\n", encoding="utf-8")
    arguments = (MEETING[0], references, *MEETING[2:], *POINTS, "--keep-going", "--format", "json")
    done = sweep(*arguments, status=1)
    assert "there is no graph named 'nobody'" in done.stderr
    document, complete = json.loads(done.stdout), from_python()
    assert (document["graphs"], document["failed"]) == (complete["graphs"], 1)
    for row, other in zip(document["rows"], complete["rows"], strict=True):
        assert row["deletions"] == other["deletions"] + 2
        assert (row["density"], row["arcs"], row["lost"]) == (other["density"], other["arcs"], other["lost"])
    assert document["lengths"][0]["graphs"] == complete["lengths"][0]["graphs"] + 1
    assert "there is no graph named 'nobody'" in sweep(MEETING[0], references, *POINTS, status=2).stderr


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_a_plot_is_drawn(tmp_path, suffix):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"sweep.{suffix}"
    sweep(*MEETING, *POINTS, "--resamples", "20", "--plot", path)
    beginning = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(beginning)
    if suffix == "svg":
        text = path.read_text(encoding="utf-8")
        for shown in (
            "pruning beam",
            "arcs per reference word",
            "n of n-best",
            "words of the reference",
            "lower is",
            "95% interval",
        ):
            assert shown in text
        sweep(*MEETING, *POINTS, "--resamples", "20", "--plot", path)
        assert path.read_text(encoding="utf-8") == text


def test_a_plot_of_lengths_alone_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    sweep(*MEETING, "--by-length", "4", "--plot", tmp_path / "lengths.svg")
    assert "1-best" in (tmp_path / "lengths.svg").read_text(encoding="utf-8")


def test_a_plot_into_nowhere_says_so(tmp_path):
    pytest.importorskip("matplotlib")
    done = sweep(*MEETING, "--beams", "1", "--plot", tmp_path / "nowhere" / "plot.svg", status=2)
    assert "cannot be written" in done.stderr


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    from latticemetric.corpus.report.plots import check_plot

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(lm.MissingDependencyError, match=r"latticemetric\[report\]"):
        check_plot("plot.svg")


def test_the_verb_is_listed():
    assert "  sweep " in run("latticemetric", "--help").stdout


# --- Tags and confidences of lattice-oracle


def oracles(*arguments):
    return run("lattice-oracle", *arguments).stdout


def test_tags_as_text_are_those_of_the_one_best():
    best = [json.loads(line) for line in oracles(*MEETING, "--tags", "--format", "jsonl").splitlines()]
    for item, line in zip(best, oracles(*MEETING, "--tags").splitlines(), strict=True):
        tags = line.split(" ")
        assert (tags[1::2], tags[::2]) == (item["one_best"]["tags"], item["one_best"]["gap_tags"])
        assert len(item["tags"]) == len(item["hypothesis"].split())


def test_tags_and_confidences_are_columns_of_tables():
    arguments = ("--tags", "--posteriors", "--posterior-scale", "0.5")
    header, *rows = oracles(*MEETING, *arguments, "--format", "tsv").splitlines()
    items = [json.loads(line) for line in oracles(*MEETING, *arguments, "--format", "jsonl").splitlines()]
    for row, item in zip(rows, items, strict=True):
        cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))
        for name in ("tags", "gap_tags", "confidences"):
            assert cells[name] == " ".join(map(str, item[name]))
            assert cells[f"one_best_{name}"] == " ".join(map(str, item["one_best"][name]))


def test_confidences_are_those_of_python():
    items = [
        json.loads(line)
        for line in oracles(*MEETING, "--posteriors", "--posterior-scale", "0.5", "--format", "jsonl").splitlines()
    ]
    for item, (_, graph) in zip(items, lm.read(MEETING[0]), strict=True):
        found, distribution = lm.oracle(graph, item["reference"], "wer"), lm.posteriors(graph, posterior_scale=0.5)
        assert item["confidences"] == list(distribution.confidences(found))
        assert item["one_best"]["confidences"] == list(distribution.confidences(found.one_best))
    pairs = zip(items[0]["hypothesis"].split(), items[0]["confidences"], strict=True)
    first = " ".join(f"{word}:{confidence:.3f}" for word, confidence in pairs)
    assert first in oracles(*MEETING, "--posteriors", "--posterior-scale", "0.5")


def test_a_graph_that_failed_has_an_empty_line_of_tags(tmp_path):
    references = tmp_path / "refs"
    references.write_text("".join(MEETING[1].read_text().splitlines(keepends=True)[1:]), encoding="utf-8")
    done = run("lattice-oracle", MEETING[0], references, "-m", "wer", "--tags", "--keep-going", status=1)
    assert done.stdout.splitlines()[0] == ""
    assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize("posterior_scale", ["-1", "nan", "inf", "x"])
def test_a_posterior_scale_is_a_number_from_0_on(posterior_scale):
    done = run("lattice-oracle", *MEETING, "--posteriors", "--posterior-scale", posterior_scale, status=2)
    assert "--posterior-scale" in done.stderr


def test_a_confidence_level_is_no_posterior_scale():
    assert "there is no option" in run("lattice-oracle", *MEETING, "--confidence", "0.95", status=2).stderr
    done = run("lattice-oracle", *MEETING, "--posterior-scale", "0.95", status=2)
    assert "--posterior-scale has no effect without --posteriors" in done.stderr


@pytest.mark.parametrize("other", [("--alignment",), ("--posteriors",), ("--nbest", "2")])
def test_tags_as_text_stand_alone(other):
    done = run("lattice-oracle", *MEETING, "--tags", *other, status=2)
    assert "text output with --tags cannot show --alignment, --nbest or --posteriors" in done.stderr


def test_confidences_of_a_forest_are_refused():
    forest = (EXAMPLES / "lantern.target_graph", EXAMPLES / "lantern.ref.txt")
    done = run("lattice-oracle", *forest, "--posteriors", status=2)
    assert "this graph is a forest" in done.stderr
