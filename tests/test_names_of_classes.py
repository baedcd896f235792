"""Names of classes, and the beginnings of docstrings: read from the sources."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import latticemetric

PACKAGE = Path(latticemetric.__file__).parent
RIDDLE = re.compile(r"(What|How|Whether|Where|Why|Which) ")


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] not in ("grammars", "example_data"):
            yield str(path.relative_to(PACKAGE)), ast.parse(path.read_text(encoding="utf-8"))


def test_two_classes_never_share_a_name():
    places = defaultdict(list)
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{name}:{node.lineno}")
    assert len(places) > 500
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("tree", [pytest.param(tree, id=name) for name, tree in modules()])
def test_docstrings_begin_with_what_a_thing_is_or_does(tree):
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)]
    assert [text.partition("\n")[0] for text in texts if RIDDLE.match(text)] == []
