"""Errors are made when they are raised: an exception that is kept holds its traceback, and so every frame's locals."""

import ast
import builtins
import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

import latticemetric as lm

SOURCES = {path: ast.parse(path.read_text("utf-8")) for path in sorted(Path(lm.__file__).parent.rglob("*.py"))}


def makers_of_errors() -> set[str]:
    """The names of classes and functions that make exceptions: those of Python, and all of this package."""
    nodes = [node for tree in SOURCES.values() for node in ast.walk(tree)]
    functions = {n.name for n in nodes if isinstance(n, ast.FunctionDef) and n.returns and is_error(n.returns)}
    classes = {n.name for n in nodes if isinstance(n, ast.ClassDef) and any(map(is_error, n.bases))}
    return functions | classes | {name for name, kind in vars(builtins).items() if is_exception(kind)}


def is_exception(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseException)


def is_error(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2].endswith(("Error", "Exception", "Warning"))


MAKERS = makers_of_errors()


def evaluated_once(node: ast.AST) -> Iterator[ast.AST]:
    """All that is evaluated when a module is imported: not the bodies of functions, but their default arguments."""
    yield node
    if isinstance(node, ast.Raise):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        parts: list[ast.AST] = [*node.args.defaults, *(part for part in node.args.kw_defaults if part)]
    else:
        parts = list(ast.iter_child_nodes(node))
    for part in parts:
        yield from evaluated_once(part)


def kept_errors(tree: ast.AST) -> list[int]:
    calls = (node for node in evaluated_once(tree) if isinstance(node, ast.Call))
    return [call.lineno for call in calls if ast.unparse(call.func).rpartition(".")[2] in MAKERS]


def test_no_module_class_or_default_argument_keeps_an_exception():
    assert {"UsageError", "FormatError", "KeyError", "output_closed"} <= MAKERS
    assert {str(path): lines for path, tree in SOURCES.items() if (lines := kept_errors(tree))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "NONE = UsageError('a')",
        "TABLE = {'a': [errors.FormatError('a')]}",
        "class Holder:\n    error: Exception = ValueError()",
        "def function(error=output_closed()): ...",
        "if True:\n    NONE = MissingDependencyError('a')",
    ],
)
def test_exceptions_that_are_kept_would_be_seen(source):
    assert kept_errors(ast.parse(source))


LATTICE = lm.Lattice.from_strings(["a b", "a c"])
OTHER = lm.oracle(lm.Lattice.from_strings(["x y z", "x y"]), "x y z")
POSTERIORS = lm.posteriors(LATTICE)


class Held(list):
    """Something of the caller's that can be watched; it holds nothing."""


REFUSALS = {
    "no reference": lambda held: lm.WER().score("a b", held),
    "no reference in a test set": lambda held: lm.WER().corpus(["a b", "c"], [["a b"], held]),
    "path of another lattice": lambda held: POSTERIORS.confidences(OTHER, *held),
    "posterior_scale": lambda held: lm.posteriors(LATTICE, posterior_scale=held),
    "names of systems": lm.combine,
    "graph": lm.consensus,
    "vocabulary": lm.Vocabulary,
    "utility": lm.utility_matrix,
    "sampling": lambda held: POSTERIORS.sample(-1 - len(held)),
}


def refused(refuse) -> weakref.ref:
    held = Held()
    try:
        refuse(held)
    except (ValueError, TypeError):
        return weakref.ref(held)
    raise AssertionError


@pytest.mark.parametrize("refuse", REFUSALS.values(), ids=REFUSALS)
def test_two_thousand_refused_calls_keep_nothing_of_their_callers(refuse):
    watched = [refused(refuse) for _ in range(2000)]
    gc.collect()
    assert sum(one() is not None for one in watched) == 0


def test_an_exception_that_is_kept_would_keep_what_its_callers_hold():
    error = ValueError()

    def refuse(_held):
        raise error

    watched = refused(refuse)
    gc.collect()
    assert watched() is not None
