"""Tuned weights of score columns against decoding at many weights; and the verb `tune`."""

import io
import json
import random
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.commands import good, run
from kit.paths import DATA, EXAMPLES
from tuning.graphs import WORDS, random_graph

import latticemetric as lm

METRICS = ["wer", "4-grr", "cer", "bleu", "chrf", "ter", "nist", "f1"]


def random_corpus(chance):
    graphs = [random_graph(chance).graph for _ in range(chance.randint(1, 4))]
    references = [
        [chance.choices(WORDS, k=chance.randint(1, 4)) for _ in range(chance.choice([1, 1, 2]))] for _ in graphs
    ]
    return graphs, references


def decoded(graphs, references, metric, weights):
    """The corpus value of 1-bests, each found by itself."""
    texts = [lm.best(graph, weights=weights).words for graph in graphs]
    return lm.make_metric(metric).corpus(texts, references).score


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32), metric=st.sampled_from(METRICS), names=st.sampled_from([["first"], ["first", "second"]])
)
def test_no_weights_of_a_fine_grid_are_better(seed, metric, names):
    chance = random.Random(seed)
    graphs, references = random_corpus(chance)
    fixed = {"constant": chance.choice([1.0, 0.5, -1.0]), "second": 0.25}
    ranges = {name: (-chance.randint(0, 3), chance.randint(1, 4)) for name in names}
    found = lm.Corpus(graphs, references, weights=fixed).tune(metric, vary=ranges, resamples=0, folds=2)
    sign = 1 if lm.make_metric(metric).higher_is_better else -1
    assert found.best.score == decoded(graphs, references, metric, {**fixed, **found.best.weights})
    assert found.default.score == decoded(graphs, references, metric, {"first": 1.0, **fixed})
    assert found.exact
    worst = -np.inf if found.best.score is None else sign * found.best.score + 1e-12
    for _ in range(25):
        weights = {name: round(chance.uniform(*ranges[name]), chance.randint(0, 5)) for name in names}
        score = decoded(graphs, references, metric, {**fixed, **weights})
        assert found.at(**weights) == score
        if all(low < weights[name] < high for name, (low, high) in ranges.items()):
            # On a border, ties may give another string than on both sides.
            moved = {name: weight + 1e-7 for name, weight in weights.items()}
            assert min(sign * decoded(graphs, references, metric, {**fixed, **w}) for w in (weights, moved)) <= worst


@given(seed=st.integers(0, 2**32))
def test_no_string_changes_within_the_margin(seed):
    chance = random.Random(seed)
    graphs, references = random_corpus(chance)
    ranges = {"first": (-1, 2), "second": (0, 3)}
    found = lm.Corpus(graphs, references).tune("wer", vary=ranges, resamples=0, folds=0)

    def texts(weights):
        return [lm.best(graph, weights=weights).words for graph in graphs]

    best = dict(found.best.weights)
    for _ in range(10):
        step = {name: chance.uniform(-0.49, 0.49) * found.margin * (high - low) for name, (low, high) in ranges.items()}
        assert texts({name: best[name] + step[name] for name in best}) == texts(best)
    assert found.held_out is None


def test_the_least_margin_is_kept():
    lists = [
        lm.NBest.from_strings(["a", "b", "c"], scores={"am": [0.0, 1.0, 10.0], "lm": [10.0, 8.9, 0.0]}),
    ]
    corpus = lm.Corpus(lists, ["b"])
    free = corpus.tune("wer", vary={"lm": (0, 2)}, resamples=0)
    assert free.best.score == 0
    assert free.margin < 0.03
    safe = corpus.tune("wer", vary={"lm": (0, 2)}, resamples=0, min_margin=0.05)
    assert safe.best.score == 1
    assert safe.margin >= 0.05
    with pytest.raises(lm.InputError, match=r"no weights have a margin of 0\.49"):
        corpus.tune("wer", vary={"lm": (0, 2)}, resamples=0, min_margin=0.49)


def test_words_are_a_column_of_every_graph(tmp_path):
    lists = [lm.NBest.from_strings(["a b", "a"], scores={"am": [0.5, 1.0]})]
    found = lm.Corpus(lists, ["a"]).tune("wer", vary={"words": (0, 2)}, resamples=0)
    assert found.region == ((0.5,), (2.0,))
    assert found.best.score == 0
    lattice = lm.Lattice.from_strings(["a b", "a"], costs=[0.5, 1.0])
    corpus = lm.Corpus([lattice], ["a"], weights={"words": 0.75})
    assert [one.value.words for one in corpus.best()] == [("a",)]
    found.write_weights(tmp_path / "tuned.weights")
    again = lm.Corpus(lists, ["a"], weights=str(tmp_path / "tuned.weights"))
    assert [one.value.words for one in again.best()] == [("a",)]
    assert [one.oracle.one_best.words for one in again.oracle("wer")] == [("a",)]


def test_the_best_weight_is_never_where_strings_change():
    """Both sides of the weight 1 score the same, with an error in another list."""
    lists = [
        lm.NBest.from_strings(["a", "b"], scores={"am": [0.0, 1.0], "lm": [1.0, 0.0]}),
        lm.NBest.from_strings(["c", "d"], scores={"am": [0.0, 1.0], "lm": [1.0, 0.0]}),
    ]
    found = lm.Corpus(lists, ["a", "d"]).tune("wer", vary={"lm": (0, 2)}, resamples=0)
    assert (found.best.score, found.ties, found.margin) == (0.5, 2, 0.25)
    assert found.best.weights["lm"] != 1


def test_resamples_and_folds_show_how_much_is_luck():
    chance = random.Random(7)
    lists = [
        lm.NBest.from_strings(
            ["a b", "a c", "b"],
            scores={name: [chance.randint(0, 9) / 2 for _ in range(3)] for name in ("am", "lm")},
        )
        for _ in range(12)
    ]
    corpus = lm.Corpus(lists, [chance.choice(["a b", "a c", "b"]) for _ in lists])
    found = corpus.tune(vary={"lm": (0, 3)}, resamples=50, folds=3, seed=4)
    assert found.best.score <= found.held_out
    assert found.gain.low <= found.gain.value <= found.gain.high <= 0  # errors: less is better
    assert found.spread["lm"].low <= found.spread["lm"].high
    assert found == corpus.tune(vary={"lm": (0, 3)}, resamples=50, folds=3, seed=4)
    assert found.map(4).shape == (4,)
    assert found.map(4)[0] == found.at(lm=0.375)


@pytest.mark.parametrize(
    ("vary", "says"),
    [
        ({}, "no weight varies"),
        ({"lm": (1, 0)}, "give the lower weight first"),
        ({"lm": (0, float("nan"))}, "the range of 'lm'"),
        ({"lm": 3}, "the range of 'lm' is 3"),
        ("lm", "write NAME=LOW:HIGH"),
        (["lm=0:1", "lm=0:2"], "two ranges"),
        ({"acoustic": (0, 1)}, "there is no score column 'acoustic'; the columns here are: am, lm"),
    ],
)
def test_ranges_that_are_none_are_refused(vary, says):
    corpus = lm.Corpus([lm.NBest.from_strings(["a", "b"], scores={"am": [0, 1], "lm": [1, 0]})], ["a"])
    with pytest.raises(lm.LatticeMetricError, match=says):
        corpus.tune(vary=vary)


THREE = {"constant": (-1, 2), "first": (-1, 2), "second": (-1, 2)}


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), metric=st.sampled_from(METRICS))
def test_three_weights_are_never_worse_than_the_default_or_along_a_column(seed, metric):
    chance = random.Random(seed)
    graphs, references = random_corpus(chance)
    given_ = {name: round(chance.uniform(-1, 2), 1) for name in THREE}
    corpus = lm.Corpus(graphs, references, weights=given_)
    found = corpus.tune(metric, vary=THREE, resamples=0, folds=0, restarts=chance.randint(0, 1), seed=seed)
    sign = 1 if lm.make_metric(metric).higher_is_better else -1

    def merit(weights):
        score = decoded(graphs, references, metric, weights)
        return -np.inf if score is None else sign * score

    best = dict(found.best.weights)
    assert merit(best) == (-np.inf if found.best.score is None else sign * found.best.score)
    assert merit(best) >= merit(given_) - 1e-12
    assert not found.exact
    for name, (low, high) in THREE.items():
        for _ in range(10):
            moved = {**best, name: round(chance.uniform(low, high), 7)}
            beside = {**moved, name: min(moved[name] + 1e-8, high)}
            # On a border, ties may give another string than on both sides.
            assert min(merit(moved), merit(beside)) <= merit(best) + 1e-12
    again = corpus.tune(metric, vary=THREE, resamples=0, folds=0, seed=seed)
    assert again == corpus.tune(metric, vary=THREE, resamples=0, folds=0, seed=seed)
    assert again.best.score is None or sign * again.best.score <= merit(best) + 1e-12


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_no_string_changes_between_the_corners_of_a_region_of_three_weights(seed):
    chance = random.Random(seed)
    graphs, references = random_corpus(chance)
    found = lm.Corpus(graphs, references).tune("wer", vary=THREE, resamples=0, folds=0)

    def texts(weights):
        return [lm.best(graph, weights=weights).words for graph in graphs]

    best = dict(found.best.weights)
    if found.margin == 0:
        return  # the default weights are where strings change
    assert len(found.region) == 6
    for _ in range(5):
        shares = np.array([chance.random() for _ in found.region])
        between = shares / shares.sum() @ np.array(found.region)
        inside = {name: best[name] + 0.999 * (x - best[name]) for name, x in zip(best, between.tolist(), strict=True)}
        assert texts(inside) == texts(best)
        step = {name: 0.99 * found.margin * chance.choice([-3, 3]) for name in best}
        assert texts({name: best[name] + step[name] for name in best}) == texts(best)


def test_three_weights_climb_where_no_two_suffice():
    """The best string needs three weights that differ from the default; lines and planes lead there step by step."""
    lists = [
        lm.NBest.from_strings(["a", "b"], scores={"x": [0, 1], "y": [0.5, 0], "z": [0, 0]}),
        lm.NBest.from_strings(["a", "b"], scores={"x": [0, 0], "y": [0, 1], "z": [0.5, 0]}),
        lm.NBest.from_strings(["a", "b"], scores={"x": [0.5, 0], "y": [0, 0], "z": [0, 3]}),
    ]
    vary = dict.fromkeys("xyz", (0, 4))
    for seed in range(3):
        found = lm.Corpus(lists, ["b", "b", "b"]).tune(vary=vary, resamples=20, seed=seed)
        assert (found.default.score, found.best.score) == (1, 1 / 3)  # 2 x < y, 2 y < z and 6 z < x: two of these
        found = lm.Corpus(lists, ["b", "b", "a"]).tune(vary=vary, resamples=20, seed=seed)
        assert found.best.score == 0
        assert found.gain.low <= found.gain.value <= 0
        assert set(found.spread) == set(vary)


def test_one_call_tunes_graphs_in_memory():
    lists = [lm.NBest.from_strings(["a", "b"], scores={"am": [0.0, 1.0], "lm": [2.0, 0.0]}) for _ in range(3)]
    asked = {"vary": {"lm": (0, 2)}, "resamples": 10, "folds": 2, "seed": 3, "min_margin": 0.01}
    found = lm.tune(lists, ["a", "a", "b"], "4-grr", weights={"am": 0.5}, **asked)
    assert found == lm.Corpus(lists, ["a", "a", "b"], weights={"am": 0.5}).tune("4-grr", **asked)
    assert found.signature.startswith("4-grr")
    with pytest.raises(lm.UsageError, match="restarts has no effect on one or two weights"):
        lm.tune(lists, ["a", "a", "b"], vary={"lm": (0, 2)}, restarts=1)


def test_a_progress_bar_counts_lines_and_goes_away(monkeypatch):
    opened, counted, closed = [], [], []

    class Bar:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            closed.append(self)

        def update(self):
            counted.append(1)

    def bar(total, what):
        assert (total, what) == (None, "lines")
        opened.append(Bar())
        return opened[-1]

    monkeypatch.setattr("latticemetric.tuning.alternation.progress_bar", bar)
    lists = [lm.NBest.from_strings(["a", "b"], scores={"x": [0, 1], "y": [1, 0], "z": [0, 0]}) for _ in range(4)]
    lm.Corpus(lists, ["a"] * 4).tune(vary=dict.fromkeys("xyz", (0, 1)), resamples=0, folds=2, restarts=1, progress=True)
    assert len(opened) == 2 + 2  # the default and a restart; two folds
    assert closed == opened
    assert len(counted) >= 3 * len(opened)


def test_default_weights_outside_of_ranges_are_moved_inside():
    lists = [lm.NBest.from_strings(["a", "b"], scores={"x": [0, 1], "y": [1, 0], "z": [0, 0]})]
    found = lm.Corpus(lists, ["a"]).tune(vary={"x": (2, 3), "y": (0, 1), "z": (0, 1)}, resamples=0, folds=0)
    assert dict(found.default.weights) == {"x": 1, "y": 1, "z": 1}
    assert found.best.score == 0
    assert 2 <= found.best.weights["x"] <= 3


@pytest.mark.parametrize("names", [["lm"], ["lm", "am"]])
def test_of_equal_regions_the_one_of_the_default_is_best(names):
    lists = [
        lm.NBest.from_strings(["a", "b", "c"], scores={"am": [0, 2, 7], "lm": [9, 4, 0], "tm": [1, 0, 0]}),
    ]
    for weight in (0.15, 0.9, 1.9):
        corpus = lm.Corpus(lists, ["d"], weights={"lm": weight})
        found = corpus.tune(vary=dict.fromkeys(names, (0, 2)), resamples=0, folds=0)
        assert found.ties >= 3 if len(names) == 1 else found.ties >= 1
        assert lm.best(lists[0], weights=found.best.weights).words == lm.best(lists[0], weights={"lm": weight}).words


def test_settings_without_effect_on_so_many_weights_are_refused():
    corpus = lm.Corpus([lm.NBest.from_strings(["a", "b"], scores={"x": [0, 1], "y": [1, 0], "z": [0, 0]})], ["a"])
    three = dict.fromkeys("xyz", (0, 1))
    with pytest.raises(lm.UsageError, match="min_margin has no effect if more than two weights vary"):
        corpus.tune(vary=three, min_margin=0.1)
    with pytest.raises(lm.UsageError, match="restarts has no effect on one or two weights"):
        corpus.tune(vary={"x": (0, 1)}, restarts=1)
    with pytest.raises(lm.UsageError, match="seed has no effect without resamples"):
        corpus.tune(vary={"x": (0, 1)}, resamples=0, seed=1)
    found = corpus.tune(vary=three, resamples=0, seed=1)
    with pytest.raises(lm.UsageError, match="3 weights vary, but a map shows one or two"):
        found.map()


def test_settings_of_mbr_are_refused_beside_ranges():
    corpus = lm.Corpus([lm.Lattice.from_strings(["a", "b"], costs=[0, 1])], ["a"])
    with pytest.raises(lm.UsageError, match="vary has no effect with decoder='mbr'; give decoder='best'"):
        corpus.tune(vary={"cost": (0, 1)}, decoder=lm.ByNgrams())
    with pytest.raises(lm.UsageError, match="halvings has no effect with decoder='best'; give decoder='mbr'"):
        corpus.tune(vary={"cost": (0, 1)}, halvings=2)


def test_the_verb_prints_an_option_that_gives_the_score_again(tmp_path):
    lattices, references = EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"
    asked = ("latticemetric", "tune", lattices, references, "--vary", "acoustic=0.05:0.2", "--vary", "words=0:1")
    weights = tmp_path / "tuned.weights"
    done = good(run(*asked, "--resamples", "20", "--write-weights", weights))
    option, value = done.stdout.split()
    assert option == "--weights"
    document = json.loads(good(run(*asked, "--resamples", "0", "--format", "json")).stdout)
    for given_ in (value, weights):
        command = ("lattice-oracle", lattices, references, "--metric", "wer", "--format", "json", "--weights", given_)
        corpus = json.loads(good(run(*command)).stdout)["corpus"]
        assert corpus["one_best"]["score"] == document["best"]["score"]
    rows = good(run(*asked, "--resamples", "0", "--format", "tsv")).stdout.splitlines()
    assert rows[0].split("\t") == ["column", "weight", "default", "low", "high", "spread_low", "spread_high"]
    assert [row.split("\t")[0] for row in rows[1:]] == ["acoustic", "words"]


def test_the_verb_says_that_three_weights_are_not_exact(tmp_path):
    asked = ("latticemetric", "tune", EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt")
    asked += ("--vary", "acoustic=0.05:1", "--vary", "words=-1:1", "--vary", "lm=0:2")
    done = good(run(*asked, "--resamples", "20", "--restarts", "1"))
    assert done.stdout.startswith("--weights ")
    assert "not exact: other weights may be better, but none that differ in one column only" in done.stderr
    assert "on resamples, one weight tuned anew," in done.stderr
    assert "rounding" not in done.stderr
    one, other = (good(run(*asked, "--resamples", "0", "--seed", seed, "--format", "json")).stdout for seed in "11")
    assert one == other
    assert json.loads(one)["exact"] is False
    refused = run(*asked, "--plot", tmp_path / "map.svg")
    assert refused.status == 2
    assert "--plot" in refused.stderr
    assert "more than two weights" in refused.stderr


def test_the_option_also_has_the_weights_that_were_given(tmp_path):
    lattices, references = EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"
    asked = ("latticemetric", "tune", lattices, references, "--resamples", "0", "--weights", "lm=2")
    assert good(run(*asked, "--vary", "words=-1:1")).stdout.startswith("--weights lm=2.0,words=")
    (tmp_path / "weights").write_text("lm 2\n")
    asked = (*asked[:-1], tmp_path / "weights", "--vary", "words=-1:1")
    assert good(run(*asked)).stdout.startswith("--weights lm=2.0,acoustic=0.0,words=")


HIFST = DATA / "tuning" / "hifst"


@pytest.mark.real_data
@pytest.mark.skipif(not HIFST.is_dir(), reason="the data is not there")
@pytest.mark.parametrize("names", [["feature_2", "feature_4"], *([f"feature_{k}"] for k in range(1, 13))])
def test_weights_of_a_translation_decoder_are_never_below_a_grid(names):
    graphs = [str(HIFST / f"{number}.fst.gz") for number in range(1, 51)]
    corpus = lm.Corpus.read(graphs, str(HIFST / "refs.50"), weights=str(HIFST / "params.0"), ignore=["1", "2"])
    found = corpus.tune("bleu", vary=dict.fromkeys(names, (-2, 2)), resamples=0)
    assert found.map(200).max() <= found.best.score + 1e-12
    assert found.at() == found.best.score
    assert found.default.score == pytest.approx(0.2387, abs=5e-5)


@pytest.mark.parametrize("wanted", [True, False])
def test_tuning_of_weights_shows_progress_on_a_terminal_if_it_is_wanted(wanted, monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(written, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", written)
    beam = lm.NBest.from_strings(["a b", "a"], scores={"am": [0.0, 1.0], "lm": [2.0, 0.0]})
    corpus = lm.Corpus([beam] * 3, ["a"] * 3)
    corpus.tune(vary={"lm": (0, 2), "words": (0, 1)}, resamples=5, progress=wanted)
    assert ("graphs searched" in written.getvalue()) is wanted
    assert ("resamples" in written.getvalue()) is wanted
