"""Messages below the command line say keywords of Python; the command line says them as options."""

import ast
import json
import re
from pathlib import Path

import click
import pytest
from kit.decoding import run

import latticemetric as lm
from latticemetric.cli import option_words
from latticemetric.cli.option_words import in_options
from latticemetric.cli.plugin_verbs import working_verbs

PACKAGE = Path(lm.__file__).parent
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if "cli" not in path.parts]
OPTIONS = {
    name
    for command in working_verbs().values()
    for one in command.params
    if isinstance(one, click.Option)
    for name in one.opts
    if name.startswith("--")
}
# The texts of these say what options of the command line are, to users of both.
ABOUT_OPTIONS = {
    "doctor.py",  # what each option needs
    "renamed.py",  # old names of options
    "advice.py",  # a number in place of a file on the command line
    "mbr.py",  # the tuned setting as options of a later run
    "combine.py",  # the same
    "tune.py",  # the same
    "settings.py",  # titles of sections of --help
}
# Options of other programs.
OTHERS = re.compile(r"\b(pip|fstconvert|dask scheduler|WeNet's option) [^;]*")


def texts_of(path):
    """The strings of a module that are no docstrings, and declare no option."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(node.value)
        if isinstance(node, ast.keyword) and node.arg in {"option", "help"}:
            left_out.update(ast.walk(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in left_out:
            yield node.value


def test_no_message_of_the_library_names_an_option():
    found = [
        (str(path.relative_to(PACKAGE)), text)
        for path in SOURCES
        if path.name not in ABOUT_OPTIONS
        for text in texts_of(path)
        if OPTIONS.intersection(re.findall(r"--[a-z][a-z-]+", OTHERS.sub("", text)))
    ]
    assert len(SOURCES) > 200
    assert {"--sum-scores", "--timeout", "--human-scores", "--of"} <= OPTIONS
    assert found == []


# Modules whose texts are pictures and pages.
PICTURES = {"charts.py", "dot.py", "notebook.py", "page.py", "plots.py", "svg.py"}


def keywords_in_messages():
    """The keywords with `=True`, `=…` or a value that texts of the library name, perhaps as arguments of a function."""
    setting = r'\w+=(?:True\b|…|"[^"\s{]+")'
    either = re.compile(rf"(?:Corpus\.\w+|Answers\.write|write)\({setting}\)|\b{setting}")
    for path in SOURCES:
        if path.name not in ABOUT_OPTIONS | PICTURES:
            for text in texts_of(path):
                yield from either.findall(text)


@pytest.mark.parametrize("setting", sorted(set(keywords_in_messages())))
def test_each_keyword_in_a_message_is_an_option_of_some_verb(setting, monkeypatch):
    if setting in ONLY_IN_PYTHON:
        return
    said = []
    for command in working_verbs().values():
        monkeypatch.setattr(option_words, "running", [command])
        said.append(in_options(setting))
    assert any(OPTIONS.intersection(text.split()) for text in said), said


ONLY_IN_PYTHON = {
    "gradient=True",  # of `expected`
    "utility=…",  # of `ByUtility`
    "duration=…",  # in names of PFSG
    "gains=True",  # the option is --write-lattices
    "graphs=True",  # the same
}


@pytest.fixture
def graphs_and_references(tmp_path):
    graphs, references = tmp_path / "graphs", tmp_path / "references"
    graphs.write_text("".join(f"u{number} \n0 1 a 1,2,\n1\n\n" for number in range(3)))
    references.write_text("u0 a\nu1 a\n")
    return graphs, references


def test_python_is_told_a_keyword_and_the_command_line_its_option(graphs_and_references):
    with pytest.raises(lm.InputError, match=r"add one \(keep_going=True reports .* give style=\"plain\"$"):
        lm.Corpus.read(*graphs_and_references).oracle("wer").failures  # noqa: B018
    done = run("oracle", *graphs_and_references, "--metric", "wer", status=2)
    assert "add one (--keep-going reports the error and continues); " in done.stderr
    assert done.stderr.endswith("give --style plain\n")


@pytest.mark.parametrize("output", ["json", "jsonl"])
def test_records_of_failures_say_options_on_the_command_line_and_keywords_in_python(graphs_and_references, output):
    done = run("oracle", *graphs_and_references, "--metric", "wer", "--keep-going", "--format", output, status=1)
    assert "(--keep-going reports the error and continues)" in done.stdout
    assert "keep_going" not in done.stdout
    answers = lm.Corpus.read(*graphs_and_references).oracle("wer", keep_going=True)
    assert "(keep_going=True reports the error and continues)" in json.dumps(answers.to_records(), ensure_ascii=False)


def test_writing_says_the_keyword_in_python_and_the_option_on_the_command_line(tmp_path):
    lattice = lm.Lattice.from_strings(["a"], costs=[1.0])
    (tmp_path / "graphs").write_text("u \n0 1 a 1,2,3\n1\n\n")
    with pytest.raises(lm.UsageError, match=r"add them up with Corpus\.converted\(sum_scores=True\)$"):
        lm.write(tmp_path / "out.slf", lm.read(tmp_path / "graphs"), format="pfsg")
    done = run("convert", tmp_path / "graphs", tmp_path / "out.pfsg", status=2)
    assert done.stderr.endswith("up with --sum-scores\n")
    assert lattice.labels == {}


@pytest.mark.parametrize("text", ["a=True", 'x.style="odd thing"', "gain=… here", "style = True"])
def test_other_equal_signs_of_a_message_stay(text):
    assert in_options(text) == text
