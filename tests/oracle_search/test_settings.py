"""The settings of searches: what each kind takes, in objects, keywords and options."""

import inspect
import re
from itertools import product

import pytest
from kit.commands import MEETING, run
from kit.many_graphs import oracle
from kit.typed_oracle import answers, with_openfst

import latticemetric as lm
from latticemetric.oracle_search.settings import KINDS, searched_by
from latticemetric.settings import Settings

LATTICE = lm.Lattice.from_strings(["a b", "a c", "b"], costs=[0.0, 0.3, 0.7])

# A metric of each kind, and values other than the defaults of each setting, in Python and on the command line.
NAMED = {lm.ByRate: "wer", lm.ByCompounds: "compound-wer", lm.ByCorpusBLEU: "bleu", lm.ByAutomaton: "none.fst"}
VALUES = {
    "engine": ("auto", ["--engine", "auto"]),
    "also_score": ("bleu", ["--also-score", "bleu"]),
    "posteriors": (True, ["--posteriors"]),
    "posterior_scale": (0.5, ["--posterior-scale", "0.5"]),
    "nbest": (3, ["--nbest", "3"]),
    "hope": ((1, 10), ["--hope", "1,10"]),
    "fear": (1, ["--fear", "1"]),
    "worst": (True, ["--worst"]),
    "on": ("numerator", ["--on", "numerator"]),
    "graphs": (True, []),
    "ignore": ({"a"}, ["--ignore", "a"]),
}


def test_all_settings_are_tried():
    assert {name for kind in KINDS for name in kind.fields} == {*VALUES, "metric", "automaton"}
    assert {*KINDS} == {*NAMED}


@pytest.mark.parametrize(
    ("kind", "name"), [pytest.param(k, n, id=f"{k.__name__}-{n}") for k, n in product(KINDS, VALUES)]
)
def test_settings_that_a_kind_lacks_are_refused_in_the_same_words_in_both_languages(kind, name):
    value, options = VALUES[name]
    if name in kind.fields or name in kind.takes:
        return
    with pytest.raises(lm.UsageError) as refused:
        searched_by(NAMED[kind], {name: value})
    said = f"{name} has no effect with {kind.described}; leave it out, or search by a recognition rate"
    assert str(refused.value) == said
    if options:
        written = oracle(*MEETING, "--metric", NAMED[kind], *options).stderr
        assert written == f"error: {said.replace(name, options[0], 1)}\n"


def test_other_inputs_and_outputs_that_a_kind_lacks_are_refused():
    options = {
        "alignments": ["--tags"], "each": ["--shard", "1/2"], "graphs": ["--write-lattices", "x.slf"],
        "ignore": ["--ignore", "a"], "parameters": ["-P", "wer.empty=0"], "rewriting": ["--normalize", "english"],
    }  # fmt: skip
    assert {*options, "several"} == {what for kind in KINDS for what in kind.takes}
    for kind, (what, given) in product(KINDS, options.items()):
        if what not in kind.takes:
            done = oracle(*MEETING, "--metric", NAMED[kind], *given)
            name = "--parameter" if given[0] == "-P" else given[0]
            assert f"{name} has no effect with {kind.described}; leave it out" in done.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hop": 1}, "the search by a recognition rate has no setting 'hop'; did you mean hope=…"),
        ({"hope": -1}, "a weight of hope is -1; give a number ≥ 0"),
        ({"hope": [1, float("nan")]}, "a weight of hope is nan; give a number ≥ 0"),
        ({"nbest": 0}, "the number of best strings is 0; give a whole number from 1"),
        ({"nbest": True}, "the number of best strings is True"),
        ({"on": "numerator"}, "on has no effect without hope and fear; leave it out"),
        ({"posterior_scale": 0.5}, "posterior_scale has no effect without posteriors; leave it out"),
        ({"also_score": "bleu,bleu"}, "metric 'bleu' is given twice"),
        ({"also_score": ["bleu", "bluh"]}, "there is no metric 'bluh'"),
        ({"engine": "fast"}, "the engine is 'fast'; choose 'auto' or 'native' or 'openfst'"),
    ],
)
def test_settings_are_checked_where_they_are_made(settings, message):
    with pytest.raises(lm.UsageError, match=re.escape(message)):
        searched_by("wer", settings)


@pytest.mark.parametrize(("kind", "engine"), [("compound-wer", "native"), ("bleu", "openfst"), ("x.fst", "native")])
def test_engines_that_a_kind_lacks_are_refused(kind, engine):
    with pytest.raises(lm.UsageError, match=f"the {engine} engine does not search by .*; choose auto or "):
        searched_by(kind, {"engine": engine})
    assert f"the {engine} engine does not search by" in oracle(*MEETING, "-m", kind, "--engine", engine).stderr


def test_an_object_is_what_a_name_and_keywords_are():
    assert searched_by("wer", {"hope": 1, "nbest": 2}) == lm.ByRate(metric=lm.WER(), hope=[1.0, 1], nbest=2)
    assert searched_by("bleu-sbp", {}) == lm.ByCorpusBLEU(metric="bleu-sbp")
    made = lm.ByRate(metric="wer")
    assert searched_by(made, {}) is made
    with pytest.raises(lm.UsageError, match="put all settings into one object"):
        searched_by(made, {"nbest": 2})
    with pytest.raises(lm.UsageError, match=r"ByRate is a class of settings; give settings: ByRate\(…\)"):
        searched_by(lm.ByRate, {})


def test_the_oracle_of_one_graph_refuses_settings_of_further_results():
    for settings in ({"hope": 1}, {"nbest": 3}, {"worst": True}, {"posteriors": True}):
        with pytest.raises(lm.UsageError, match=f"does not use {min(settings)}; for other strings, use oracles, hope"):
            lm.oracle(LATTICE, "a b", "wer", **settings)
    with pytest.raises(
        lm.UsageError, match=r"bleu searches all graphs together; ask Corpus\(graphs, references\).oracle"
    ):
        lm.oracle(LATTICE, "a b", "bleu")


def test_settings_have_the_types_that_checkers_see():
    # The lines are checked with all other sources by mypy.
    assert set(answers(LATTICE, "a b")) == {("a", "b")}
    pynini = pytest.importorskip("pynini")
    table = pynini.SymbolTable()
    for symbol in ("<eps>", "a", "b"):
        table.add_symbol(symbol)
    automaton = pynini.accep("a b", token_type=table)
    automaton.set_input_symbols(table)
    assert set(with_openfst(LATTICE, "a b", automaton)) == {("a", "b")}


@pytest.mark.parametrize(
    ("metric", "parameter", "signed"),
    [
        ("4-grr", "alpha=2", "alpha:2"),
        ("wer", "substitution=2", "substitution:2"),
        ("wer", "wildcard=all um", "wildcard:all,um"),
        ("cer", "spaces=no", "spaces:no"),
        ("cer", "unicode=nfc", "unicode:nfc"),
        ("bleu", "order=2", "order:2"),
    ],
)
def test_parameters_belong_to_the_metric(metric, parameter, signed):
    document = oracle(*MEETING, "--metric", metric, "-P", f"{metric}.{parameter}", "--format", "json").json
    assert signed in document["signature"].split("|")


@pytest.mark.parametrize("option", ["--alpha", "--beta", "--wildcard", "--no-spaces", "--unicode"])
def test_earlier_options_of_metrics_are_told_the_new_ones(option):
    done = run("lattice-oracle", *MEETING, option, "1")
    assert re.search(rf"there is no option {option}; did you mean --parameter \S+=", done.stderr)
    assert done.status == 2


def metrics_by_default():
    """The default metric of each public function, method and class of settings that has one."""
    for name in lm.__all__:
        value = getattr(lm, name)
        if isinstance(value, type):
            own = [(f"{name}.{one}", getattr(value, one)) for one in dir(value) if not one.startswith("_")]
            if issubclass(value, Settings) and "metric" in value.fields:
                yield name, value.fields["metric"].default
        else:
            own = [(name, value)]
        for full, one in own:
            is_python = inspect.isfunction(one) or inspect.ismethod(one)
            parameters = inspect.signature(one).parameters if is_python else {}
            if "metric" in parameters and parameters["metric"].default is not inspect.Parameter.empty:
                yield full, parameters["metric"].default


def test_the_default_metric_is_one_everywhere():
    # MBR by word errors has settings of its own; BLEU over a corpus has no other metric.
    others = {"ByMetric": "4-grr", "ByCorpusBLEU": "bleu", "error_analysis": None}
    several = {f"Corpus.{verb}": "wer,4-grr" for verb in ("oracle", "sweep", "expected", "lists", "report")}
    found = dict(metrics_by_default())
    of_one_graph = {"oracle", "oracles", "oracle_lattice", "oracle_forest", "hope", "fear", "worst", "expected"}
    assert of_one_graph | {"ByRate", "score", "Corpus.draw", "Combination.oracle"} <= set(found)
    assert found == {name: others.get(name, several.get(name, "wer")) for name in found}
