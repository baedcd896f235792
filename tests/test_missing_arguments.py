"""None, NaN and other objects in place of a graph, a text or a file are named in an error of this package."""

import inspect
import math

import pytest

import latticemetric as lm

GRAPH = lm.Lattice.from_strings(["a b", "c"], costs=[1.0, 2.0])
SUITABLE = {"graph": GRAPH, "lattice": GRAPH, "graphs": [GRAPH], "references": ["a b"]}
MISSING = [None, math.nan, 3, b"a", object()]


NEEDED = {"tune": {"vary": {"cost": (0, 2)}}}


def _functions():
    for name in sorted(lm.__all__):
        function = getattr(lm, name)
        if not inspect.isfunction(function):
            continue
        parameters = inspect.signature(function).parameters.values()
        usual = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
        required = [one.name for one in usual if one.default is one.empty]
        for wrong in required:
            yield pytest.param(function, required, wrong, id=f"{name}-{wrong}")


@pytest.fixture
def _memory():
    """Take back the limit of `limit_memory`, which lasts as long as the process."""
    yield
    lm.limit_memory(None)


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize(("function", "required", "wrong"), list(_functions()))
def test_an_argument_that_is_missing_is_told(function, required, wrong):
    for missing in MISSING:
        arguments = [missing if name == wrong else SUITABLE.get(name, "a b") for name in required]
        try:
            done = function(*arguments, **NEEDED.get(function.__name__, {}))
            if inspect.isgenerator(done):
                list(done)
        except (lm.LatticeMetricError, KeyError):
            continue


QUESTIONS = ("oracle", "expected", "nbest", "lists", "tags", "map")


@pytest.mark.parametrize("verb", QUESTIONS)
def test_a_setting_that_is_missing_is_told(verb):
    corpus = lm.Corpus([GRAPH], ["a b"])
    for missing in (None, math.nan, b"a", object(), {"wer"}):
        with pytest.raises(lm.UsageError):
            list(getattr(corpus, verb)(missing))
