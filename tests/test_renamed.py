"""Errors for wrong names of the package say the right ones, and these exist."""

import inspect
import pickle
import re
from operator import attrgetter

import pytest

import latticemetric as lm
from latticemetric.corpus.settings import RunSettings
from latticemetric.metrics.base import Metric
from latticemetric.renamed import KEYWORDS, PLACES, PUBLIC, says_new_keywords

# Classes of results and of metrics, which never had an old keyword.
_WITHOUT_OLD = {
    "Calibration",
    "Combination",
    "ExpectedTrial",
    "ExpectedWeights",
    "MBR",
    "MBRTrial",
    "METEOR",
    "MetricMBR",
    "ScaleTrial",
    "TunedMBR",
    "TunedWeights",
    "TunedWeights.at",
    "WeightTrial",
}


def _public_callables():
    """Yield the name of each public function, class and method, and what it names."""
    for name in lm.__all__:
        value = getattr(lm, name)
        if callable(value) and name not in _WITHOUT_OLD:
            yield name, value
        if inspect.isclass(value):
            for method in dir(value):
                is_known = f"{name}.{method}" in _WITHOUT_OLD
                if not method.startswith("_") and callable(getattr(value, method)) and not is_known:
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
    if called.__qualname__.startswith(("Corpus.", "GraphQuestions.")):
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


# Classes of graphs and corpora, which users make.
_MADE_BY_USERS = {"Corpus", "Forest", "Lattice", "NBest"}
_CALLED_BY_THE_PACKAGE = {"Corpus.pairs", "Corpus.prepared_text", "Forest.hypergraph", "Lattice.native"}


def _with_optional_keywords():
    """Yield the public functions, metrics, graphs, corpora and their methods that have optional parameters."""
    for name, called in _public_callables():
        of = getattr(lm, name.partition(".")[0])
        is_metric = inspect.isclass(of) and issubclass(of, Metric)
        if "." in name and (is_metric or not (called.__doc__ or "").count("Args:")):
            continue
        if name in _CALLED_BY_THE_PACKAGE:
            continue
        if inspect.isclass(of) and "." not in name and not is_metric and name not in _MADE_BY_USERS:
            continue
        if any(one.default is not one.empty for one in _keywords_of(called).values()):
            yield pytest.param(called, id=name)


@pytest.mark.parametrize("called", list(_with_optional_keywords()))
def test_an_unknown_keyword_of_each_public_function_is_a_usage_error(called):
    needed = [
        one.name
        for one in inspect.signature(called).parameters.values()
        if one.default is one.empty and one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}
    ]
    graph = lm.Lattice.from_strings(["a b", "a"], costs=[0, 1])
    arguments = [
        lm.Corpus([graph], ["a b"]) if called.__qualname__.startswith(("Corpus.", "GraphQuestions.")) else graph
    ] * len(needed)
    if called in (lm.make_metric, lm.combine_systems):
        arguments = ["wer"]
    if called is lm.Corpus.map:
        arguments[1:] = [len]
    with pytest.raises(lm.UsageError, match=r"has no (keyword|setting|parameter) 'nonsense'; "):
        called(*arguments, nonsense=1)


def test_unknown_keywords_are_looked_for_in_all_public_functions():
    found = {one.id for one in _with_optional_keywords()}
    assert {"best", "read", "write", "WER", "Corpus", "Corpus.read", "Lattice.from_strings", "Answers.write"} <= found
    assert len(found) > 100


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda corpus: corpus.read("a", refs="b"), "Corpus.read has no keyword 'refs'; did you mean references=…?"),
        (lambda corpus: type(corpus)([], symbols="a"), "Corpus has no keyword 'symbols'; give it to Corpus.read"),
        (lambda corpus: corpus.read("a", workers=2), "no keyword 'workers'; give it to the methods of a Corpus"),
        (lambda corpus: corpus.best(symbols="a"), "best has no setting 'symbols'; give it to Corpus.read"),
        (lambda corpus: corpus.best(jobs=2), "best has no setting 'jobs'; did you mean workers=…?"),
        (lambda corpus: corpus.info(worker=2), "the run has no setting 'worker'; did you mean workers=…?"),
        (lambda corpus: corpus.oracle("wer", ignore="uh"), "'ignore'; give it to Corpus.read, or to the metric"),
        (lambda corpus: corpus.nbest(nonsense=1), "; its settings are n, paths, workers, keep_going, timeout, max_m"),
        (lambda corpus: corpus.nbest(written=1), "nbest has no setting 'written'; "),
        (lambda corpus: corpus.report("a", said=1), "report has no setting 'said'; "),
        (lambda _: lm.make_metric("wer", ignored="uh"), "'wer' has no parameter 'ignored'; did you mean ignore=…?"),
        (lambda _: lm.make_metric("4-grr", order=3), "metric '4-grr' has no parameter 'order'; its parameters are al"),
        (lambda _: lm.best([], wieghts=1), "best has no keyword 'wieghts'; did you mean weights=…?"),
    ],
)
def test_an_unknown_keyword_says_which_was_meant_or_who_has_it(call, message):
    with pytest.raises(lm.UsageError, match=re.escape(message)):
        call(lm.Corpus([lm.Lattice.from_strings(["a"])], ["a"]))


def test_no_message_lists_a_setting_that_only_the_package_sets():
    corpus = lm.Corpus([lm.Lattice.from_strings(["a"])], ["a"])
    for ask in (corpus.nbest, corpus.report, corpus.oracle):
        with pytest.raises(lm.UsageError) as told:
            ask(**({"path": "a"} if ask == corpus.report else {}), nonsense=1)
        assert not re.search(r"\b(written|said|removing)\b", str(told.value))


@pytest.mark.parametrize("keyword", PLACES)
def test_who_takes_a_keyword_of_another_function_has_it(keyword):
    place = PLACES[keyword].partition(",")[0]
    if place == "the methods of a Corpus":
        assert keyword in RunSettings.fields
    else:
        assert keyword in inspect.signature(attrgetter(place)(lm)).parameters


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda corpus: corpus.best(resume=True), r"resume is True; give the file of the journal"),
        (lambda corpus: lm.merge([corpus.best()]), r"a shard is <Answers: .*>; write the answers of each shard to a f"),
        (lambda _: lm.merge(3), "a shard is 3; write"),
        (lambda _: lm.Corpus.read(3), "a int is no path"),
        (lambda corpus: corpus.best().write(3), "path is a int"),
        (lambda corpus: corpus.write(3), "path is a int"),
        (lambda _: lm.combine_systems([3]), "outputs is a int"),
    ],
)
def test_what_is_no_file_is_a_usage_error(call, message):
    with pytest.raises(lm.UsageError, match=message):
        call(lm.Corpus([lm.Lattice.from_strings(["a"])], ["a"]))


def test_a_missing_argument_stays_a_type_error():
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        lm.best()


def test_a_type_error_inside_a_function_is_not_explained_by_a_keyword_that_it_takes():
    @says_new_keywords
    def faulty(weights, scales):
        raise TypeError(f"{weights} {scales}")

    with pytest.raises(TypeError, match=r"^1 2$"):
        faulty(1, scales=2)


RUN_NAMES = ("num_workers", "n_jobs", "keepgoing", "keep_goin", "time_out", "progress_bar", "max_mem")


def _takers():
    """Functions and methods that take keywords, by name, each with its first arguments."""
    corpus = lm.Corpus([lm.Lattice.from_strings(["a"])], ["a"])
    methods = ("best", "calibrate", "consensus", "draw", "expected", "info", "lists", "mbr", "nbest", "oracle")
    yield from ((f"Corpus.{name}", getattr(corpus, name)) for name in (*methods, "posteriors", "sweep", "tags", "tune"))
    yield "Corpus.map", lambda **given: corpus.map(len, **given)
    yield "Corpus.write", lambda **given: corpus.write("x.ark", **given)
    yield "Corpus.report", lambda **given: corpus.report("x.html", **given)
    yield "Corpus.read", lambda **given: lm.Corpus.read("x", **given)
    yield "Corpus", lambda **given: lm.Corpus([], **given)
    yield "RunSettings", lm.RunSettings
    yield "score", lambda **given: lm.score(["a"], ["a"], **given)
    yield "best", lambda **given: lm.best(lm.Lattice.from_strings(["a"]), **given)
    yield "mbr", lambda **given: lm.mbr(lm.Lattice.from_strings(["a"]), **given)
    yield "oracle", lambda **given: lm.oracle(lm.Lattice.from_strings(["a"]), "a", **given)
    yield "combine_systems", lambda **given: lm.combine_systems(["x"], **given)


TAKERS = dict(_takers())


@pytest.mark.parametrize("name", TAKERS)
def test_wrong_names_of_settings_of_runs_say_the_right_ones(name):
    meant = {"keep_goin": "keep_going", "keepgoing": "keep_going", "max_mem": "max_memory", "progress_bar": "progress"}
    for wrong in RUN_NAMES:
        right = meant.get(wrong, "timeout" if wrong == "time_out" else "workers")
        with pytest.raises(lm.UsageError, match=rf"'{wrong}'; did you mean {right}=…"):
            TAKERS[name](**{wrong: 2})
