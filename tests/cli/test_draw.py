"""`latticemetric draw`, as users run it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.cli.draw import command

PROGRAM = Path(sys.executable).parent / "latticemetric"
MEETING = ("meeting.lat.txt", "--id", "meeting-001")
ORACLE = ("--reference", "meeting.ref.txt", "--metric", "wer", "--oracle", "--one-best")


@pytest.fixture
def run(tmp_path, monkeypatch, capfdbinary):
    """Runs the verb in a copy of the examples; returns exit status, standard output and standard error."""
    folder = tmp_path / "data"
    shutil.copytree(EXAMPLES, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")

    def run_in(*arguments, text=True):
        capfdbinary.readouterr()
        status, problem = 0, ""
        try:
            command.main(arguments, standalone_mode=False)
        except lm.LatticeMetricError as error:
            status, problem = 2, f"error: {error}\n"
        output, errors = capfdbinary.readouterr()
        return status, output.decode() if text else output, errors.decode() + problem

    run_in.folder = folder
    return run_in


def test_the_program_draws():
    environment = {**os.environ, "COLUMNS": "40"}
    done = subprocess.run(
        [PROGRAM, "draw", "meeting.lat.txt", "--id", "meeting-002"],
        cwd=EXAMPLES,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "and the terminal has 40: " in done.stdout.splitlines()[-1]


def test_a_terminal_gets_letters(run):
    status, output, errors = run(*MEETING, *ORACLE)
    assert (status, errors) == (0, "")
    assert output.splitlines()[1] == "(0)══════(1)══════════(2)══════════(4)══════(5)══════════((6))"
    assert output.splitlines()[-2:] == [
        "═══  oracle      we should     meet on monday  1/6",
        " *   1-best      we should     meet            3/6",
    ]


@pytest.mark.parametrize(
    ("name", "sign"), [("a.svg", b"<svg "), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.dot", b"digraph {")]
)
def test_a_file_is_what_its_name_says(run, name, sign):
    assert run(*MEETING, *ORACLE, "--mbr", "--posteriors", "-o", name) == (0, "", "")
    assert (run.folder / name).read_bytes().startswith(sign)


def test_formats_can_be_chosen(run):
    _, output, _ = run(*MEETING, "--format", "svg")
    assert output.startswith("<svg ")
    _, output, _ = run(*MEETING, "--format", "png", text=False)
    assert output.startswith(b"\x89PNG")
    assert run(*MEETING, "--format", "dot", "-o", "picture")[0] == 0
    assert (run.folder / "picture").read_text().startswith("digraph")


@pytest.mark.parametrize("reference", [("we should all meet",), ("we", "he should")])
def test_references_may_be_texts(run, reference):
    given = [part for text in reference for part in ("--reference-text", text)]
    status, output, _ = run(*MEETING, *given, "--oracle", "--metric", "wrr")
    assert status == 0
    assert "═══  oracle" in output


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("lantern.target_graph", "--kind", "tree"), "╰─ 'late'"),
        (("lantern.target_graph", "--posteriors", "--mbr"), "+  (1)    →  burns"),
        ((*MEETING, "--kind", "network"), "═══  consensus"),
        (("--kind", "automaton", "--metric", "2-grr", "--reference-text", "a b"), "C +2"),
        ((*MEETING, "--kind", "automaton", "--reference", "meeting.ref.txt"), "monday"),
        (("garden.jsonl", "--id", "garden-001", "--one-best"), "═══  1-best"),
        (("ferry.slf", "--scores", "acoustic", "--width", "300"), "acoustic"),
        (("ferry.slf", "--no-times"), "((8))"),
    ],
)
def test_every_kind_is_drawn(run, arguments, shown):
    status, output, errors = run(*arguments)
    assert (status, errors) == (0, "")
    assert shown in output


def test_what_is_left_out_is_told(run):
    status, output, errors = run(*MEETING, "--most-drawn", "4", "-o", "a.svg")
    note = "Shown: 6 of 7 states and 6 of 12 arcs, those of the best paths."
    assert status == 0
    assert "states and" in errors
    assert errors.strip() in (run.folder / "a.svg").read_text()
    assert errors.strip().startswith(note[:6])
    assert errors.strip() in run(*MEETING, "--most-drawn", "4")[1]
    assert run(*MEETING, "--most-drawn", "0", "-o", "b.svg")[2] == ""
    assert output == ""


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "no file of graphs is given"),
        (("meeting.lat.txt",), "holds 3 graphs; choose one with id=…: meeting-001, meeting-002, meeting-003"),
        (("meeting.lat.txt", "--id", "x"), "there is no graph 'x'; there are meeting-001"),
        ((*MEETING, "--oracle"), "--oracle needs a reference"),
        (
            (*MEETING, "--reference-text", "a"),
            "--reference-text has no effect without --oracle or --expected; add --oracle",
        ),
        ((*MEETING, "--reference-text", "a", "--reference", "meeting.ref.txt", "--oracle"), "cannot be used together"),
        ((*MEETING, "-o", "a.gif"), "a.gif: the suffix is not a drawing format"),
        ((*MEETING, "--scores", "x"), "there is no score column 'x'; the columns here are: "),
        ((*MEETING, "--weights", "x=1"), "there is no score column 'x'"),
        ((*MEETING, "--kind", "tree"), "a lattice has no derivation trees"),
        ((*MEETING, "--metric", "bleu", "--reference-text", "a", "--oracle"), "'bleu' cannot search a graph"),
        (("lantern.target_graph", "--kind", "tree", "--one-best", "--mbr"), "a tree shows one derivation"),
        (("--kind", "automaton", "--metric", "wer"), "--kind automaton needs a reference"),
        (("--kind", "automaton", "--reference-text", "a", "--reference-text", "b"), "drawn for one reference"),
        ((*MEETING, "--kind", "network", "--beam", "1"), "--beam has no effect with --kind network"),
        ((*MEETING, *ORACLE, "--kind", "network"), "has no effect with --kind network"),
        (("lantern.target_graph", "--kind", "tree", "--posteriors"), "--posteriors has no effect with --kind tree"),
        (("--kind", "automaton", "--reference-text", "a", "--mbr"), "--mbr has no effect with --kind automaton"),
        (("nothing.fst",), "nothing.fst"),
        (
            (*MEETING, "--reference-text", "meeting.ref.txt", "--oracle"),
            "a text is expected, but this is a file; give the file with --reference",
        ),
        (
            (*MEETING, "--reference", "nosuchfile.txt", "--oracle"),
            "nosuchfile.txt: there is no such file; for a text use",
        ),
        (("--kind", "automaton", "--reference", "meeting.ref.txt"), "for a text use --reference-text"),
    ],
)
def test_mistakes_are_explained_in_one_line(run, arguments, problem):
    status, output, errors = run(*arguments)
    assert (status, output) == (2, "")
    assert problem in errors
    assert len(errors.splitlines()) == 1


def test_a_file_that_cannot_be_drawn_leaves_nothing(run):
    before = sorted(run.folder.iterdir())
    assert run(*MEETING, "--scores", "x", "-o", "a.svg")[0] == 2
    assert sorted(run.folder.iterdir()) == before
