"""Tuning against every setting of the grid, answered one by one."""

import io
import json
import math
import sys
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import good, run
from kit.paths import DATA, EXAMPLES
from kit.strategies import lattices, sentences

import latticemetric as lm
from latticemetric import _native
from latticemetric.corpus.coordinate_search import best_of, coordinate_search
from latticemetric.corpus.preparation import prepared_graph
from latticemetric.corpus.tuned_mbr import Development
from latticemetric.evaluation.intervals import paired_bootstrap, resample_counts
from latticemetric.mbr_decoding.ngram import NgramMBR
from latticemetric.metrics.preparation import Preparation

AXES = ("posterior_scale", "T", "p", "r", "word_penalty")
GRID = {"posterior_scale": [0.5, 1.0], "p": [0.5, 0.9], "word_penalty": [-0.2, 0.0, 0.2]}


@st.composite
def development_sets(draw):
    number = draw(st.integers(1, 4))
    return [draw(lattices()) for _ in range(number)], [draw(sentences()) for _ in range(number)]


def without(words, ignored):
    return tuple(word for word in words if word not in ignored)


def tuned(graphs, references, metric="bleu", *, ignore=(), **settings):
    return lm.Corpus(graphs, references, ignore=ignore).tune(metric, **{"decoder": "mbr", **settings})


def answered(graphs, references, metric, ignored, **setting):
    """The corpus value of the answers under one setting, each asked for alone."""
    graphs = [prepared_graph(graph, Preparation(ignore=frozenset(ignored))) for graph in graphs]
    answers = [lm.mbr(graph, **setting).words for graph in graphs]
    return metric.corpus(answers, [[without(reference, ignored)] for reference in references]).score


def merit(metric, score):
    return -math.inf if score is None else score if metric.higher_is_better else -score


@given(
    examples=development_sets(),
    metric=st.sampled_from(["bleu", "wer", "2-grr", "nist", "f1"]),
    ignored=st.sampled_from([(), ("a",)]),
)
def test_the_best_of_the_grid_is_found(examples, metric, ignored):
    graphs, references = examples
    measure = lm.make_metric(metric)
    found = tuned(
        graphs, [[reference] for reference in references], metric, **GRID, r=0.7, order=2, ignore=ignored,
        halvings=0, resamples=0,
    )  # fmt: skip
    expected = []
    for values in product(GRID["posterior_scale"], [10.0], GRID["p"], [0.7], GRID["word_penalty"]):
        setting = dict(zip(AXES, values, strict=True))
        expected.append((values, answered(graphs, references, measure, ignored, **setting, order=2)))
    tried = [(tuple(getattr(t.by, name) for name in AXES), t.score) for t in found.trials]
    assert [values for values, _ in tried] == [values for values, _ in expected]
    assert [score for _, score in tried] == [score if score is None else pytest.approx(score) for _, score in expected]
    largest = max(merit(measure, score) for _, score in expected)
    first = next(v for v, s in expected if merit(measure, s) == pytest.approx(largest, abs=1e-12))
    assert tuple(getattr(found.best.by, name) for name in AXES) == first
    assert found.default.score == pytest.approx(answered(graphs, references, measure, ignored, order=2))
    prepared = [prepared_graph(graph, Preparation(ignore=frozenset(ignored))) for graph in graphs]
    one_best = [lm.mbr(graph).one_best for graph in prepared]
    corpus = measure.corpus(one_best, [[without(reference, ignored)] for reference in references]).score
    assert found.one_best == pytest.approx(corpus)


@given(examples=development_sets())
def test_steps_make_it_no_worse_and_are_answered_as_they_are(examples):
    graphs, references = examples
    wer, pairs = lm.WER(), [[reference] for reference in references]
    grid = tuned(graphs, pairs, wer, **GRID, r=0.7, halvings=0, resamples=0)
    found = tuned(graphs, pairs, wer, **GRID, r=0.7, halvings=2, resamples=0)
    assert found.trials[: len(grid.trials)] == grid.trials
    assert len(set(found.trials)) == len(found.trials)
    assert merit(wer, found.best.score) >= merit(wer, grid.best.score)
    for trial in found.trials[len(grid.trials) :]:
        setting = {name: getattr(trial.by, name) for name in AXES}
        assert trial.score == pytest.approx(answered(graphs, references, wer, (), **setting))
        assert setting["r"] == 0.7
    assert found == tuned(graphs, pairs, wer, **GRID, r=0.7, halvings=2, resamples=0)


@given(examples=development_sets(), folds=st.integers(2, 4))
def test_held_out_graphs_are_answered_by_what_is_best_for_the_others(examples, folds):
    graphs, references = examples
    wer, pairs = lm.WER(), [[reference] for reference in references]
    found = tuned(graphs, pairs, wer, **GRID, r=0.7, halvings=0, folds=folds, resamples=0)
    if len(graphs) == 1:
        assert found.held_out is None
        return
    number = min(folds, len(graphs))
    said = [
        [lm.mbr(graph, **{name: getattr(t.by, name) for name in AXES}).words for graph in graphs] for t in found.trials
    ]
    answers = [()] * len(graphs)
    for fold in range(number):
        others = [k for k in range(len(graphs)) if k % number != fold]
        scores = [merit(wer, wer.corpus([s[k] for k in others], [pairs[k] for k in others]).score) for s in said]
        best = next((k for k, score in enumerate(scores) if score >= max(scores) - 1e-12), 0)
        for k in range(fold, len(graphs), number):
            answers[k] = said[best][k]
    assert found.held_out == pytest.approx(wer.corpus(answers, pairs).score)


def test_differences_are_those_of_a_paired_bootstrap():
    graphs = [lm.Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])] * 3
    references = ["a c", "a b c", "c d"]
    found = tuned(graphs, references, "wer", posterior_scale=[0.5, 1.0], p=0.85, r=0.72, resamples=200, seed=3)
    wer = lm.WER()
    best = [
        lm.mbr(g, posterior_scale=found.best.by.posterior_scale, word_penalty=found.best.by.word_penalty)
        for g in graphs
    ]
    one_best = wer.table([m.one_best for m in best], references)
    expected = paired_bootstrap(wer, one_best, wer.table([m.words for m in best], references), resamples=200, seed=3)
    assert found.over_one_best == expected
    document = found.asdict()
    assert json.loads(json.dumps(document)) == document
    assert document["over_one_best"]["p"] == expected.p


def test_the_gain_is_that_of_the_best_setting_of_each_resample():
    lattice = lm.Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])
    references = ["a c", "a b c", "c d", "a", "a b c"]
    found = tuned([lattice] * 5, references, "wer", **GRID, r=0.7, resamples=100, seed=3, confidence=0.9)
    wer, gains = lm.WER(), []
    tables = [wer.table([lm.mbr(lattice, trial.by).words] * 5, references) for trial in (found.default, *found.trials)]
    for counts in np.vstack([*resample_counts(5, 100, 3)]):
        default, *tried = [float(wer.values(counts @ table)) for table in tables]
        gains.append(min(tried) - default)
    assert found.gain.value == pytest.approx(found.best.score - found.default.score)
    assert (found.gain.low, found.gain.high) == pytest.approx(tuple(np.quantile(gains, [0.05, 0.95])))


def test_posteriors_are_computed_once_a_scale_and_answers_scored_once(monkeypatch):
    counts, counting = Counter(), _native.ngram_posteriors
    monkeypatch.setattr(_native, "ngram_posteriors", lambda *given: counts.update(n=1) or counting(*given))
    graphs = [lm.Lattice.from_strings(["a b", "c"], costs=[0.0, 1.0]), lm.Lattice.from_strings(["a"])]
    tables = []

    class Counted(lm.WER):
        def table(self, hypotheses, references):
            tables.append([tuple(words) for words in hypotheses])
            return super().table(hypotheses, references)

    found = tuned(graphs, ["a b", "a"], Counted(), resamples=0)
    assert counts["n"] == 2 * len({trial.by.posterior_scale for trial in found.trials})
    said = [table[0] for table in tables]
    assert len(set(said)) == len(said)


def test_the_default_setting_is_in_the_default_grid():
    found = tuned([lm.Lattice.from_strings(["a b"])], ["a b"], halvings=0, resamples=0)
    assert found.default in found.trials
    assert found.best == found.trials[0]


def test_evidence_is_that_of_each_graph():
    graphs = [lm.Lattice.from_strings(["a x", "b x"], costs=[0.0, 0.0]) for _ in range(2)]
    evidence = [lm.Lattice.from_strings(["a"]), lm.Lattice.from_strings(["b"])]
    one = {"posterior_scale": 1.0, "p": 0.85, "r": 0.72, "word_penalty": 0.0, "resamples": 0}
    assert tuned(graphs, ["a x", "b x"], "wer", evidence=evidence, **one).best.score == 0
    assert tuned(graphs, ["b x", "a x"], "wer", evidence=evidence, **one).best.score == 0.5


def test_ignored_words_are_named_by_the_signature():
    lattice = lm.Lattice.from_strings(["<s> a </s>"])
    found = lm.Corpus([lattice], ["a"], ignore=["<s>", "</s>"]).tune("wer", decoder="mbr", resamples=0)
    assert (found.best.score, found.one_best) == (0, 0)
    assert "ignore:</s>,<s>" in found.signature


def test_a_score_that_is_undefined_is_worst():
    assert best_of({(1.0,): -math.inf, (2.0,): -math.inf}) == (1.0,)
    found = tuned([lm.Lattice.from_strings(["a"])], [""], "wer", halvings=0, resamples=0)
    assert found.best == found.trials[0]
    assert found.best.score is None


# --- Coordinate steps


def test_steps_walk_to_the_peak():
    def merits(points):
        return [-((x - 0.4) ** 2) - (y - 2.6) ** 2 for x, y in points]

    tried = coordinate_search({"x": [0.0, 1.0], "y": [0.0, 1.0]}, merits, 3, lambda _: True)
    x, y = best_of(tried)
    assert (x, y) == (0.375, 2.625)
    assert list(tried)[:4] == [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]


def test_nothing_is_asked_twice_and_what_is_impossible_never():
    asked = []

    def merits(points):
        asked.extend(points)
        return [-abs(x) for (x,) in points]

    tried = coordinate_search({"x": [1.0, 2.0, 2.0]}, merits, 2, lambda point: point[0] > 0.4)
    assert len(set(asked)) == len(asked) == len(tried)
    assert best_of(tried) == (0.5,)


def test_equal_merits_are_no_reason_to_go_on():
    tried = coordinate_search({"x": [1.0, 2.0], "y": [3.0]}, lambda points: [0.0] * len(points), 5, lambda _: True)
    assert best_of(tried) == (1.0, 3.0)
    assert all(y == 3.0 for _, y in tried)


# --- Mistakes


@pytest.mark.parametrize(
    ("graphs", "references", "more", "says"),
    [
        (["a"], ["a", "b"], {}, "the numbers of graphs and references differ: 1 and 2"),
        ([], [], {}, "no graphs to tune on"),
        (["a"], ["a"], {"p": []}, "p has no values"),
        (["a"], ["a"], {"p": [0.0]}, "p is 0.0; give a number above 0"),
        (["a"], ["a"], {"posterior_scale": [math.nan]}, "the posterior scale is nan"),
        (["a"], ["a"], {"metric": "bleurt"}, "there is no metric 'bleurt'"),
        (["a"], ["a"], {"halvings": -1}, "number of halvings is -1"),
        (["a"], ["a"], {"by": "ngram"}, "'by' is now 'decoder'; give decoder=…"),
        (
            ["a"],
            ["a"],
            {"decoder": "viterbi"},
            "choose 'best', 'expected' or 'mbr'",
        ),
        (["a"], ["a"], {"decoder": lm.ByWordErrors()}, "there is nothing to tune in wer"),
        (["a"], ["a"], {"decoder": []}, "there are no settings to try"),
        (
            ["a"],
            ["a"],
            {"decoder": lm.ByNgrams.grid(p=[0.5, 0.6])[1:], "p": 0.5},
            "p has no effect beside the",
        ),
        (["a"], ["a"], {"decoder": [*lm.ByNgrams.grid(p=[0.5, 0.6], r=[0.5, 0.6])][1:]}, "are no grid"),
        (["a"], ["a"], {"decoder": [lm.ByNgrams(order=2), lm.ByNgrams(order=3)]}, "are no grid of those that vary"),
        (["a"], ["a"], {"timeout": 3}, "timeout has no effect on tuning"),
        (["a"], ["a"], {"resume": "journal"}, "resume has no effect on tuning"),
        (["a"], ["a"], {"vary": ["lm"]}, "vary has no effect with decoder='mbr'; give decoder='best'"),
        (["a"], ["a"], {"decoder": "best", "p": 0.5}, "p has no effect with decoder='best'; give decoder='mbr'"),
        (["a"], ["a"], {"hallvings": 1}, "tune has no setting 'hallvings'; did you mean halvings=…?"),
        (["a"], ["a"], {"order": 0}, "order 0 is not possible for n-grams; give a whole number from 1 to 254"),
        (["a"], ["a"], {"seed": -1}, "the seed is -1; give a whole number from 0"),
    ],
)
def test_what_makes_no_sense_is_refused(graphs, references, more, says):
    with pytest.raises(lm.UsageError, match=says):
        tuned([lm.Lattice.from_strings([text]) for text in graphs], references, **more)


def test_a_graph_without_evidence_is_an_error_or_a_warning():
    corpus = lm.Corpus({"one": lm.Lattice.from_strings(["a"]), "two": lm.Lattice.from_strings(["b"])}, ["a", "b"])
    evidence = {"one": lm.Lattice.from_strings(["a"])}
    with pytest.raises(lm.InputError, match="there is no evidence named 'two'"):
        corpus.tune("wer", decoder="mbr", evidence=evidence, resamples=0)
    with pytest.warns(UserWarning, match="there is no evidence named 'two'"):
        assert corpus.tune("wer", decoder="mbr", evidence=evidence, resamples=0, keep_going=True).graphs == 1
    with (
        pytest.warns(UserWarning, match="there is no (evidence|graph) named"),
        pytest.raises(lm.InputError, match="all graphs failed"),
    ):
        lm.Corpus([LATTICE], ["a c"]).tune("wer", decoder="mbr", evidence={"other": LATTICE}, keep_going=True)


LATTICE = lm.Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])


def test_a_grid_of_settings_says_what_is_tried():
    grid = lm.ByNgrams.grid(posterior_scale=[0.5, 1.0], p=[0.6, 0.85], beam=5.0, order=3)
    corpus = lm.Corpus([LATTICE] * 3, ["a c", "a b c", "c d"])
    found = corpus.tune("wer", decoder=grid, halvings=0, resamples=0)
    assert [trial.by for trial in found.trials] == grid
    one = {"T": 10.0, "r": 0.72, "word_penalty": 0.0}
    named = corpus.tune(
        "wer", decoder="mbr", posterior_scale=[0.5, 1.0], p=[0.6, 0.85], **one, beam=5, order=3, halvings=0, resamples=0
    )
    assert found == named
    assert corpus.tune("wer", decoder=grid[2], halvings=3, resamples=0).trials == (found.trials[2],)


def test_the_corpus_tells_what_the_command_line_tells(tmp_path):
    graphs, texts = EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"
    options = ["--ignore", "um <s>", "--keep-going", "--posterior-scale", "0.5,1", "--order", "3"]
    how = {"posterior_scale": [0.5, 1.0], "order": 3, "keep_going": True, "progress": False}
    told = good(run("latticemetric", "tune", graphs, texts, "--decoder", "mbr", *options))
    corpus = lm.Corpus.read(graphs, texts, ignore="um <s>")
    found = corpus.tune("wer", decoder="mbr", **how)
    assert str(found) == told.stdout + told.stderr.rstrip("\n")
    written = [tmp_path / "tuning.json", tmp_path / "tuning.jsonl"]
    for path in written:
        good(run("latticemetric", "tune", graphs, texts, "--decoder", "mbr", *options, "-o", path))
    assert json.loads(written[0].read_text()) == found.asdict()
    assert [json.loads(line) for line in written[1].read_text().splitlines()] == found.to_records()
    references = dict(line.split(maxsplit=1) for line in texts.read_text().splitlines())
    in_memory = lm.Corpus(lm.read(graphs), references, ignore="um <s>")
    assert in_memory.tune("wer", decoder="mbr", **how) == found


HIFST = DATA / "hifst" / "att"


@pytest.mark.real_data
@pytest.mark.skipif(not HIFST.is_dir(), reason=f"there are no lattices in {DATA} (LATTICEMETRIC_DATA)")
def test_real_lattices_say_better_things_after_tuning():
    graphs = [graph for _, graph in lm.read(HIFST)]
    references = (DATA / "hifst" / "refs.50.idx").read_text().splitlines()
    found = lm.Corpus(graphs, references, ignore=["1", "2"]).tune("bleu", decoder="mbr")
    assert found.one_best == pytest.approx(0.2387, abs=5e-5)
    assert found.best.score > found.default.score > found.one_best
    assert np.isclose(found.over_one_best.difference.value, found.best.score - found.one_best)


def test_answers_that_are_not_exact_are_counted():
    forest = lm.read_one(EXAMPLES / "lantern.target_graph")
    for most_items, inexact in ((10, 1), (10**9, 0)):
        by = lm.ByNgrams(posterior_scale=0.5, most_items=most_items)
        corpus = lm.Corpus([forest], ["the lantern burns late"])
        tuning = corpus.tune("wer", decoder=[by], halvings=0, folds=0, resamples=0)
        assert [trial.inexact for trial in tuning.trials] == [inexact]
        assert (tuning.best.by, tuning.best.inexact) == (by, inexact)
        assert ("1 answer of the best setting not exact" in str(tuning)) == bool(inexact)


def test_orders_have_posteriors_of_their_own():
    lattice = lm.Lattice.from_strings(["a c", "c", "b"], costs=[0.0, 0.2, 0.3])
    settings = [lm.ByNgrams(order=order, p=0.5, r=0.5) for order in (1, 2)]
    metric = lm.WER()
    development = Development([NgramMBR(lattice, lm.ByNgrams())], [["a c"]], metric)
    found = [metric.values(table.sum(axis=0)) for table in development.tables(settings)]
    assert found == [0.5, 0.0]


@pytest.mark.parametrize("wanted", [True, False])
def test_tuning_shows_progress_on_a_terminal_if_it_is_wanted(wanted, monkeypatch):
    """Each round of settings has a bar; it would take minutes in silence."""
    written = io.StringIO()
    monkeypatch.setattr(written, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", written)
    lattice = lm.Lattice.from_strings(["a b", "a"], costs=[0.0, 1.0])
    lm.Corpus([lattice] * 3, ["a"] * 3).tune("wer", decoder="mbr", resamples=0, halvings=0, progress=wanted)
    assert ("graphs decoded" in written.getvalue()) is wanted
