"""Arguments that other arguments leave without effect are refused, not ignored."""

import inspect

import pytest
from kit.calibration import calibration
from kit.lists import oracle_at_k
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric import evaluation
from latticemetric.arguments import refuse_unused

LATTICE = lm.Lattice.from_strings(["a b c", "a x c", "b c"], costs=[0.0, 0.25, 0.5])
FOREST = lm.Forest.from_lattice(LATTICE)
NETWORK = lm.consensus(LATTICE)
TREE = FOREST.tree(FOREST.best_path())
PAIR = [LATTICE, LATTICE], ["a b c", "b c"]
EVENTS = [0.5, 0.25], [True, False]
ERRORS = [0.5, 0.25], [1, 0], [2, 2]


def of_lists(**given):
    return oracle_at_k([["a b", "a"]], ["a b"], **given)


def calibrated(**given):
    return calibration(*PAIR, **{"folds": 2, "posterior_scale": [0.5, 1.0], **given})


def with_a_test_set(**given):
    return calibration(*PAIR, test=PAIR, resamples=0, **given)


def at_one_scale(**given):
    return calibration(*PAIR, posterior_scale=1.0, resamples=0, **given)


def written(**given):
    return lm.Corpus(*PAIR).report("report.html", **given)


def read(**given):
    return lm.Corpus.read(EXAMPLES / "meeting.lat.txt", **given)


CASES = {
    "lists": (of_lists, {"resamples": 0}, {"seed": 3, "confidence": 0.5}, "without resamples"),
    "calibration": (calibrated, {"resamples": 0}, {"seed": 3, "confidence": 0.5}, "without resamples"),
    "test set": (with_a_test_set, {}, {"folds": 3}, "with a test set"),
    "one scale": (at_one_scale, {}, {"criterion": "errors", "halvings": 3}, "with a single scale"),
    "events": (evaluation.event_calibration, {"resamples": 0}, {"seed": 3, "confidence": 0.5}, "without resamples"),
    "errors": (evaluation.error_calibration, {"resamples": 0}, {"seed": 3, "confidence": 0.5}, "without resamples"),
    "corpus": (read, {}, {"style": "plain"}, "without files of references"),
    "report": (written, {"resamples": 0}, {"confidence": 0.5}, "without resamples"),
    "report without mbr": (written, {"mbr_by": "none"}, {"beam": 1.0, "samples": 5}, "without MBR"),
}
GIVEN = {
    "events": EVENTS,
    "errors": ERRORS,
}


@pytest.mark.parametrize(("case", "name"), [(case, name) for case, row in CASES.items() for name in row[2]])
def test_arguments_without_effect_are_refused(case, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask, settings, values, where = CASES[case]
    with pytest.raises(lm.UsageError, match=f"^{name} has no effect {where}; leave it out$"):
        ask(*GIVEN.get(case, ()), **settings, **{name: values[name]})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("case", [case for case in CASES if "report" not in case])
def test_without_them_the_same_calls_are_answered(case):
    ask, settings, _, _ = CASES[case]
    assert ask(*GIVEN.get(case, ()), **settings) is not None


SHOWN = {
    "posteriors": [0.5] * 20,
    "rates": [0.5] * 20,
    "scores": ["cost"],
    "times": False,
    "most_drawn": 5,
    "beam": 1.0,
    "weights": {"cost": 0.5},
    "reference": "a b",
}
OF_FORESTS = {"posteriors", "rates", "scores", "most_drawn", "beam", "weights"}
DRAWN = {
    "lattices": (LATTICE, OF_FORESTS | {"times"}),
    "forests": (FOREST, OF_FORESTS),
    "networks": (NETWORK, {"most_drawn"}),
    "trees": (TREE, set()),
    "metrics": (lm.GRR(2), {"reference"}),
}


def test_all_arguments_of_drawings_are_tried():
    others = {"graph", "path", "ways", "captions", "title"}
    assert SHOWN.keys() == inspect.signature(lm.draw).parameters.keys() - others


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("kind", DRAWN)
def test_drawings_refuse_what_they_cannot_show(kind, name):
    graph, used = DRAWN[kind]
    needed = {"reference": "a b"} if kind == "metrics" else {}
    values = SHOWN[name][: len(LATTICE.word if kind == "lattices" else FOREST.head)] if name in (
        "posteriors", "rates"
    ) else SHOWN[name]  # fmt: skip
    if name in used:
        assert lm.draw(graph, **{**needed, name: values}).svg()
        return
    with pytest.raises(lm.UsageError, match=f"^{name} has no effect on drawings of {kind}; leave it out$"):
        lm.draw(graph, **needed, **{name: values})


def test_defaults_that_are_given_are_not_refused():
    def function(number=1.0, names=(), array=None):
        return number, names, array

    refuse_unused(function, "here", number=1.0, names=(), array=None)
    for name, value in (("number", 2.0), ("names", ["a"]), ("array", evaluation)):
        with pytest.raises(lm.UsageError, match=f"{name} has no effect here"):
            refuse_unused(function, "here", **{name: value})
