"""Fifty things that a newcomer does in the first hour, in the folder of the README: right ones, and mistakes.

A right one works as typed; a mistake says in one line what is wrong, where, and what to do.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from kit.forks import search_path
from kit.paths import ROOT
from kit.patience import PATIENCE

import latticemetric as lm

PROGRAMS = Path(sys.executable).parent
D = "examples/data"


class Right(NamedTuple):
    """A line of a shell or of Python, and what it shows."""

    line: str
    shows: str


class Mistake(NamedTuple):
    """A line, and the parts of its error: what is wrong and where, and what to do."""

    line: str
    what: str
    advice: str


COMMANDS = [
    Right("latticemetric", "find in each lattice the path that scores best"),
    Right("latticemetric --help", "Graphs without references"),
    Right("latticemetric --version", "latticemetric 0"),
    Right("lattice-oracle --help", "LATTICES is a file, a folder, a quoted glob"),
    Right("latticemetric demo", "lattice-oracle meeting.lat.txt"),
    Right("latticemetric doctor", "python"),
    Right(f"lattice-oracle {D}/meeting.lat.txt {D}/meeting.ref.txt", r"%WER 7\.14 .* oracle[\s\S]*4-grr"),
    Right(f"lattice-oracle {D}/meeting.lat.txt {D}/meeting.ref.txt --metric wer --alignment", "reference   we  should"),
    Right(f"lattice-oracle {D}/proverbs.plf {D}/proverbs.ref.txt {D}/proverbs.ref2.txt", r"refs:2"),
    Right(f"lattice-oracle {D}/harbour.fst {D}/harbour.ref.txt -o out.json && cat out.json", r'"4-grr": "4-grr'),
    Right(f"lattice-oracle {D}/meeting.lat.txt {D}/meeting.ref.txt -o out.txt 2> log && cat out.txt", r"%WER 28\.57"),
    Right(f"cat {D}/meeting.lat.txt | lattice-oracle - {D}/meeting.ref.txt --metric wer", "thank you all"),
    Right(f"lattice-oracle {D}/meeting.ark {D}/meeting.ref.txt --symbols {D}/meeting.words.txt", r"meeting-003"),
    Right(f"latticemetric info {D}/voyage.lat.gz --sort arcs", "voyage-5"),
    Right(f"latticemetric best {D}/ferry.slf", "ferry-001 the fairy leads late"),
    Right(f"latticemetric best {D}/ferry.slf --format ctm", r"ferry-001 1 0\.00 0\.18 the"),
    Right(f"latticemetric best {D}/lantern.hg {D}/headlines.nbest --format tsv", "posterior\tconfidences"),
    Right(f"latticemetric nbest {D}/meeting.lat.txt -n 3 --weights acoustic=0.1", "meeting-003 +3 "),
    Right(
        f"latticemetric nbest {D}/ferry.slf -n 5 --write-lattices ferry.nbest --sum-scores && cat ferry.nbest",
        r"\|\|\|",
    ),
    Right(f"latticemetric prune {D}/meeting.lat.txt small.lat --beam 4 && latticemetric info small.lat", "meeting-001"),
    Right(f"latticemetric minimize {D}/meeting.lat.txt words.plf --scores-off --drop-labels", "3 graphs written"),
    Right(f"latticemetric mbr {D}/meeting.lat.txt --by wer --weights acoustic=0.1", "meeting-002 the budget"),
    Right(f"latticemetric consensus {D}/meeting.lat.txt --posterior-scale 0.1", r"the:0\.\d"),
    Right(f"latticemetric posteriors {D}/harbour.fst --top 3", r"harbour 0\.7773 the"),
    Right(f"latticemetric convert {D}/harbour.fst harbour.plf.gz", "1 graph written to harbour.plf.gz"),
    Right(f"latticemetric draw {D}/harbour.fst -o harbour.svg && head -c 4 harbour.svg", "<svg"),
    Right(
        f"latticemetric score {D}/letters.new.txt {D}/letters.ref.txt --metric bleu,wer --resamples 0", r"%WER 15\.74"
    ),
    Right(
        f"latticemetric draw {D}/harbour.fst --reference-text 'the cold harbour slips' --metric wer --expected"
        " -o where.svg && cat where.svg",
        "expected rate, from",
    ),
    Right(
        f"latticemetric report {D}/meeting.lat.txt {D}/meeting.ref.txt -o run.html && head -c 15 run.html", "<!doctype"
    ),
    Right(f"latticemetric lists {D}/headlines.nbest {D}/headlines.ref.txt", "recoverable"),
    Right(f"latticemetric expected {D}/meeting.lat.txt {D}/meeting.ref.txt --metric wer", "meeting-003"),
    Right(f"latticemetric sweep {D}/meeting.lat.txt {D}/meeting.ref.txt --beams 1,4", "beam"),
]

PYTHON = [
    Right(f"[name for name, graph in lm.read('{D}/meeting.lat.txt')]", "meeting-002"),
    Right(f"lm.read_one('{D}/harbour.fst')", r"Lattice\(6 states, 10 arcs, scores: weight\)"),
    Right(f"lm.oracle(lm.read_one('{D}/harbour.fst'), 'the cold harbour slips', 'wer').score", r"0\.0"),
    Right(f"lm.best(lm.read_one('{D}/ferry.slf')).times[0]", r"\(0\.0, 0\.18\)"),
    Right(f"lm.NBest.from_graph(lm.read_one('{D}/harbour.fst'), 2)", r"NBest\(2 hypotheses, scores: weight\)"),
    Right("lm.oracle(lm.Lattice.from_strings(['a b', 'a c'], costs=[1.0, 2.0]), 'a c').words", r"\('a', 'c'\)"),
    Right("lm.make_metric('bleu').corpus(['a b c d e'], ['a b c d e']).score", r"1\.0"),
    Right(f"lm.read_one('{D}/harbour.fst').pruned(nbest=2).statistics().paths", "2"),
]

MISTAKES = [
    Mistake("latticemetric oracl", "there is no verb 'oracl'", "did you mean oracle?"),
    Mistake("latticemetric lattice-to-nbest x", "there is no verb 'lattice-to-nbest'", "did you mean nbest?"),
    Mistake(f"lattice-oracle {D}/meeting.lat.txt", "REFERENCES... is missing", "usage: lattice-oracle"),
    Mistake(
        f"lattice-oracle {D}/meeting.ref.txt {D}/meeting.lat.txt",
        f"{D}/meeting.ref.txt: this file holds no graph, but {D}/meeting.lat.txt does",
        "give LATTICES before REFERENCES",
    ),
    Mistake(
        f"lattice-oracle {D}/nothing.lat {D}/meeting.ref.txt", "nothing.lat: there is no such file", "check the path"
    ),
    Mistake(
        f"lattice-oracle {D}/meeting.lat.txt {D}/ferry.ref.txt",
        "there is no reference for graph 2",
        "as many references as graphs",
    ),
    Mistake(
        f"lattice-oracle {D}/meeting.lat.txt {D}/meeting.ref.txt --metric meteor",
        "'meteor' cannot search a graph",
        "use wer",
    ),
    Mistake(
        f"lattice-oracle {D}/meeting.lat.txt {D}/meeting.ref.txt --metrc wer", "no option --metrc", "mean --metric?"
    ),
    Mistake(
        f"lattice-oracle {D}/meeting.lat.txt {D}/meeting.ref.txt --acoustic-scale 0.1",
        "no option",
        "--weights acoustic=",
    ),
    Mistake(
        f"lattice-oracle {D}/meeting.lat.txt {D}/meeting.ref.txt --weights am=0.1",
        "no score column 'am'",
        "here are: lm, acou",
    ),
    Mistake(f"lattice-oracle {D}/meeting.ark {D}/meeting.ref.txt", "words are numbers", "--symbols"),
    Mistake(f"latticemetric convert {D}/harbour.fst harbour.wibble", "no format has the suffix", "name one of"),
    Mistake(f"latticemetric convert {D}/meeting.lat.txt fsts/ --to openfst", "meeting-001", "--sum-scores"),
    Mistake(f"latticemetric info {D}/letters.old.txt", "letters.old.txt: the format is not recognised", "--from"),
    Mistake(f"latticemetric prune {D}/meeting.lat.txt x.lat", "no limit is given", "give one of --beam"),
    Mistake(f"lattice-oracle '{D}/*.lattice' {D}/meeting.ref.txt", "*.lattice: no file matches", "the folder holds"),
    Mistake(f"latticemetric draw {D}/meeting.lat.txt", "holds 3 graphs", "choose one with --id: meeting-001"),
    Mistake(f"latticemetric draw {D}/harbour.fst --expected", "--expected needs a reference", "give --reference FILE"),
    Mistake(f"latticemetric nbest {D}/harbour.fst -n 0", "-n", "range"),
    Mistake(f"latticemetric best {D}/harbour.fst -o {D}/harbour.fst", "would overwrite an input", "output|file|name"),
]

PYTHON_MISTAKES = [
    Mistake("lm.read_one('nothing.fst')", "nothing.fst: there is no such file", "check the path"),
    Mistake(f"lm.read_one('{D}/meeting.lat.txt')", "there is more than one graph", "use `read`"),
    Mistake("lm.oracle(lm.Lattice.from_strings(['a']), 'a', 'meteor')", "meteor", "wer"),
    Mistake("lm.Lattice.from_strings('a b')", "a single string is given", "put it into a list"),
    Mistake("lm.make_metric('blue')", "there is no metric 'blue'", "bleu"),
]


def test_there_are_fifty():
    assert len(COMMANDS) + len(PYTHON) + len(MISTAKES) + len(PYTHON_MISTAKES) >= 50


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the README as a newcomer sees it, without the sources."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "examples" / "data", folder / "examples" / "data")
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)


def shell(line, folder):
    environment = {**os.environ, "PATH": search_path(PROGRAMS)}
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


@pytest.mark.parametrize("right", COMMANDS, ids=lambda one: one.line[:60])
def test_a_command_works_as_typed(right, folder):
    done = shell(right.line, folder)
    if right.line != "latticemetric":  # alone, it shows its help, as an error
        assert done.returncode == 0, done.stderr
    assert re.search(right.shows, done.stdout + done.stderr), done.stdout + done.stderr


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("right", PYTHON, ids=lambda one: one.line[:60])
def test_a_line_of_python_works_as_typed(right):
    assert re.search(right.shows, repr(eval(right.line, {"lm": lm})))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.line[:60])
def test_a_mistake_says_what_where_and_what_to_do(mistake, folder):
    done = shell(mistake.line, folder)
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, ""), done.stderr
    assert done.stderr.startswith("error: ")
    assert mistake.what in done.stderr, done.stderr
    assert re.search(mistake.advice.replace("?", r"\?"), done.stderr), done.stderr


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("mistake", PYTHON_MISTAKES, ids=lambda one: one.line[:60])
def test_a_mistake_in_python_says_what_where_and_what_to_do(mistake):
    with pytest.raises(lm.LatticeMetricError) as caught:
        eval(mistake.line, {"lm": lm})
    assert mistake.what in str(caught.value)
    assert re.search(mistake.advice, str(caught.value)), caught.value


# --- A source checkout that hides the installed package


@pytest.fixture
def checkout(tmp_path):
    """A checkout without the extension module."""
    source = Path(lm.__file__).parent
    shutil.copytree(
        source, tmp_path / "checkout" / "latticemetric", ignore=shutil.ignore_patterns("_native*.so", "*.pyc")
    )
    return tmp_path / "checkout"


IMPORTED = "import latticemetric as lm; print(lm.Lattice.from_strings(['a']).num_states)"


def python(folder, **environment):
    line = [sys.executable, "-c", IMPORTED]
    return subprocess.run(
        line, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_a_checkout_without_its_module_says_so_and_uses_the_installed_package(checkout):
    done = python(checkout, PYTHONPATH=str(Path(lm.__file__).parent.parent))
    assert done.stdout == "2\n"
    assert "is a source checkout without the extension module; the package installed in" in done.stderr


def test_a_checkout_without_any_module_says_how_to_install(checkout):
    code = f"import sys; sys.path = [p for p in sys.path if 'site-packages' not in p]; {IMPORTED}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=checkout,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "build and install this one: pip install ." in done.stderr or "numpy" in done.stderr
