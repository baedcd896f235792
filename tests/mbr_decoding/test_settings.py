"""The settings of MBR: what each way to decide takes, in objects, keywords and overloads."""

from itertools import product
from pathlib import Path

import pytest
from kit.overloads import written
from kit.typed_mbr import answers

import latticemetric as lm
from latticemetric.mbr_decoding import mbr as module
from latticemetric.mbr_decoding.settings import KINDS

LATTICE = lm.Lattice.from_strings(["a b", "a c", "b"], costs=[0.0, 0.3, 0.7])
LIST = lm.NBest.from_strings(["a b", "a c", "b"])

# A name and keywords for each kind, and values other than the defaults for each setting.
NAMED = {
    lm.ByNgrams: ("ngram", {}),
    lm.ByWordErrors: ("wer", {}),
    lm.ByExactErrors: ("wer", {"risk": "exact"}),
    lm.ByMetric: ("chrf", {}),
    lm.ByUtility: ("ngram", {"utility": lambda hypotheses, _: [1.0] * len(hypotheses)}),
}
VALUES = {
    "posterior_scale": 0.5,
    "beam": 2.0,
    "determinize": True,
    "p": 0.7,
    "r": 0.6,
    "T": 5.0,
    "word_penalty": 0.1,
    "order": 2,
    "most_items": 50,
    "seconds": 3.0,
    "candidates": 3,
    "most_states": 100,
    "samples": 5,
    "seed": 7,
    "evidence_weights": "counts",
    "pruning_confidence": 0.9,
    "higher_is_better": False,
    "utility_range": (0, 2),
}


def test_all_settings_are_tried():
    names = {name for kind in KINDS for name in kind.fields}
    assert names == {*VALUES, "metric", "utility"}
    assert {*KINDS} == {*NAMED}


@pytest.mark.parametrize(
    ("kind", "name"), [pytest.param(k, n, id=f"{k.__name__}-{n}") for k, n in product(KINDS, VALUES)]
)
def test_each_kind_takes_its_own_keywords_and_no_others(kind, name):
    by, chosen = NAMED[kind]
    if name in kind.fields:
        graph = LIST if name == "evidence_weights" else LATTICE
        assert lm.mbr(graph, by, **chosen, **{name: VALUES[name]}).words
    else:
        with pytest.raises(lm.UsageError, match=f"has no setting '{name}'; its settings are posterior_scale, beam"):
            lm.mbr(LATTICE, by, **chosen, **{name: VALUES[name]})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", ["evidence", "hypotheses"])
def test_other_graphs_are_used_or_refused(kind, name):
    by, chosen = NAMED[kind]
    if name in kind.takes:
        assert lm.mbr(LATTICE, by, **chosen, **{name: LIST}).words
    else:
        with pytest.raises(lm.UsageError, match=f"does not use other {name}"):
            lm.mbr(LATTICE, by, **chosen, **{name: LIST})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_object_is_what_a_name_and_keywords_are(kind):
    by, chosen = NAMED[kind]
    values = {name: VALUES[name] for name in ("posterior_scale", "beam")}
    if kind is lm.ByMetric:
        made = lm.ByMetric(metric="chrf", **values)
    elif kind is lm.ByUtility:
        made = lm.ByUtility(**chosen, **values)
    else:
        made = kind(**values)
    assert lm.mbr(LATTICE, made) == lm.mbr(LATTICE, by, **chosen, **values)
    with pytest.raises(lm.UsageError, match="put all settings into one object"):
        lm.mbr(LATTICE, made, posterior_scale=2)


@pytest.mark.parametrize("name", ["method", "metric"])
def test_earlier_names_of_the_way_to_decide_are_told_the_new_one(name):
    with pytest.raises(lm.UsageError, match=f"'{name}' is now 'by'; give by=…"):
        lm.mbr(LATTICE, **{name: "bleu"})
    with pytest.raises(lm.UsageError, match=f"'{name}' is now 'by'; give by=…"):
        lm.mbr(LATTICE, "chrf", **{name: "bleu"})


def test_a_class_is_not_taken_for_settings():
    with pytest.raises(lm.UsageError, match=r"ByNgrams is a class of settings; give settings: ByNgrams\(…\)"):
        lm.mbr(LATTICE, lm.ByNgrams)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (lm.ByNgrams(), r"ByNgrams\(\) is no list of settings; give several"),
        ([lm.ByWordErrors()], r"ByWordErrors\(\) are no settings by n-grams"),
        ([{"p": 0.7}], r"\{'p': 0.7\} are no settings by n-grams"),
    ],
)
def test_a_grid_is_a_list_of_settings_by_n_grams(settings, message):
    with pytest.raises(lm.UsageError, match=message):
        lm.mbr_grid(LATTICE, settings)


def test_a_utility_that_is_missing_is_refused():
    with pytest.raises(lm.UsageError, match="there is no utility"):
        lm.mbr(LATTICE, lm.ByUtility())


def test_overloads_are_those_of_the_settings():
    source = Path(module.__file__).read_text()
    assert source == written(source), "run python tests/kit/overloads.py"


def test_settings_have_the_types_that_checkers_see():
    # The lines are checked with all other sources by mypy.
    assert all(answers(LIST))


@pytest.mark.parametrize(
    ("ask", "old", "new"),
    [
        (lambda: lm.mbr(LATTICE, scale=0.5), "scale", "posterior_scale"),
        (lambda: lm.ByNgrams(scale=0.5), "scale", "posterior_scale"),
        (lambda: lm.Corpus([LATTICE]).best(scale=0.5), "scale", "posterior_scale"),
    ],
)
def test_the_error_for_an_old_keyword_says_the_new_one(ask, old, new):
    with pytest.raises(lm.UsageError, match=f"^'{old}' is now '{new}'; give {new}=…$"):
        ask()
