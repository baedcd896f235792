"""Messages below the command line say keywords of Python; the command line says them as options."""

import ast
import re
from pathlib import Path

import pytest
from kit.decoding import run

import latticemetric as lm
from latticemetric.cli.option_words import in_options

PACKAGE = Path(lm.__file__).parent
OPTIONS = re.compile(r"--(keep-going|style|symbols)\b")
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if "cli" not in path.parts]


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


def test_no_message_of_the_library_names_an_option_that_a_corpus_has_as_a_keyword():
    found = [(path.name, text) for path in SOURCES for text in texts_of(path) if OPTIONS.search(text)]
    assert len(SOURCES) > 200
    assert found == []


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


@pytest.mark.parametrize("text", ["a=True", 'x.style="odd thing"', "gain=… here", "style = True"])
def test_other_equal_signs_of_a_message_stay(text):
    assert in_options(text) == text
