"""Errors for old names of the package say the new ones, and the new ones exist."""

import inspect
import pickle
from operator import attrgetter

import pytest

import latticemetric as lm
from latticemetric.renamed import KEYWORDS, PUBLIC, says_new_keywords

# Classes of results and of metrics, which never had an old keyword.
_WITHOUT_OLD = {"Calibration", "Combination", "MBR", "MBRTrial", "MBRTuning", "METEOR", "MetricMBR", "ScaleTrial"}


def _public_callables():
    """Yield the name of each public function, class and method, and what it names."""
    for name in lm.__all__:
        value = getattr(lm, name)
        if callable(value) and name not in _WITHOUT_OLD:
            yield name, value
        if inspect.isclass(value):
            for method in dir(value):
                if not method.startswith("_") and callable(getattr(value, method)):
                    yield f"{name}.{method}", getattr(value, method)


def _keywords_of(called):
    try:
        return inspect.signature(called).parameters
    except ValueError:  # of a built-in class
        return {}


OLD_KEYWORDS = [
    pytest.param(called, old, next(new for new in words if new in known), id=f"{name}-{old}")
    for name, called in _public_callables()
    for old, words in KEYWORDS.items()
    if old not in (known := _keywords_of(called)) and any(new in known for new in words)
]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_removed_name_of_the_package_says_the_new_one(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; use latticemetric.{PUBLIC[name]}"):
        getattr(lm, name)
    assert not hasattr(lm, name)
    assert name not in dir(lm)
    assert callable(attrgetter(PUBLIC[name].partition("(")[0])(lm))


def test_a_name_that_the_package_never_had_gets_no_advice():
    with pytest.raises(AttributeError, match=r"no attribute 'oracel'$"):
        lm.oracel  # noqa: B018


@pytest.mark.parametrize(("called", "old", "new"), OLD_KEYWORDS)
def test_an_old_keyword_of_each_public_function_says_the_new_one(called, old, new):
    needed = [
        one.name
        for one in inspect.signature(called).parameters.values()
        if one.default is one.empty and one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}
    ]
    graph = lm.Lattice.from_strings(["a b", "a"], costs=[0, 1])
    if called.__qualname__.startswith("Corpus."):
        graph = lm.Corpus([graph], ["a b"])
    with pytest.raises(lm.UsageError, match=f"^'{old}' is now '{new}'; give {new}=…$"):
        called(*[graph] * len(needed), **{old: {}})


def test_old_keywords_are_looked_for_in_all_public_functions():
    assert {"best-scales", "mbr-method", "posteriors-scale", "NBest.pruned-scales"} <= {one.id for one in OLD_KEYWORDS}
    assert len(OLD_KEYWORDS) > 80


@pytest.mark.parametrize("name", ["best", "mbr", "expected", "NBest.pruned", "Corpus.read"])
def test_explaining_old_keywords_keeps_what_a_function_is(name):
    called = attrgetter(name)(lm)
    assert called.__name__ == called.__qualname__.rpartition(".")[2] == name.rpartition(".")[2]
    assert not {one.kind for one in inspect.signature(called).parameters.values()} & {inspect.Parameter.VAR_POSITIONAL}
    assert called.__doc__
    assert pickle.loads(pickle.dumps(called)) == called


def test_an_unknown_keyword_that_was_never_a_name_stays_a_type_error():
    graph = lm.Lattice.from_strings(["a"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'scalse'"):
        lm.best(graph, scalse={})
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        lm.best()


def test_a_type_error_inside_a_function_is_not_explained_by_a_keyword_that_it_takes():
    @says_new_keywords
    def faulty(weights, scales):
        raise TypeError(f"{weights} {scales}")

    with pytest.raises(TypeError, match=r"^1 2$"):
        faulty(1, scales=2)
