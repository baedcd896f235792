"""Calibration of graphs: what is judged by enumeration of paths, how a scale is fitted, and the command."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import Rate, enumerate_paths, judge
from kit.calibration import calibration
from kit.decoding import MEETING, run
from kit.paths import EXAMPLES
from kit.strategies import lattices, sentences

import latticemetric as lm
from latticemetric.corpus.calibration_settings import SCALES
from latticemetric.lattice.canonical_order import in_canonical_order
from latticemetric.mbr_decoding.word import word_mbr
from latticemetric.metrics.sclite import Sclite

ERRORS = Rate(1, 1, 0, counts_errors=True)
REFERENCES = EXAMPLES / "meeting.ref.txt"


def errors_of(words, reference):
    """The edit distance by its definition; a rate against no words would be undefined."""
    return int(judge(words, (reference,), ERRORS).numerator) if reference else len(words)


def paths_of(lattice, posterior_scale):
    factor = {name: posterior_scale * column.weight for name, column in lattice.scores.items()}
    paths = list(enumerate_paths(lattice))
    costs = [math.fsum(factor[name] * total for name, total in path.sums.items()) for path in paths]
    weights = [math.exp(min(costs) - cost) for cost in costs]
    return [(path.words, weight / math.fsum(weights)) for path, weight in zip(paths, weights, strict=True)]


examples = st.lists(st.tuples(lattices(), sentences(4)), min_size=2, max_size=4)


def answer_at(lattice, posterior_scale, answer):
    """The words that are judged, and their confidences: the alignment of word MBR."""
    if answer == "mbr":
        found = word_mbr(lattice, posterior_scale=posterior_scale)
        return found.words, found.confidences
    ordered = in_canonical_order(lattice)  # of several best paths, the first in this order
    one_best = ordered.words(ordered.best_path())
    if not one_best:
        return (), ()
    return one_best, None


@given(rows=examples, posterior_scale=st.sampled_from([0.5, 1.0]), answer=st.sampled_from(["one-best", "mbr"]))
def test_utterances_are_judged_by_enumeration(rows, posterior_scale, answer):
    graphs, references = (list(side) for side in zip(*rows, strict=True))
    given_references = [[list(reference)] for reference in references]
    words = [answer_at(lattice, posterior_scale, answer) for lattice in graphs]
    if not any(one for one, _ in words):
        return
    settings = {"posterior_scale": posterior_scale, "answer": answer, "resamples": 0, "bins": 4}
    found = calibration(graphs, given_references, **settings).development
    expected, errors, perfect, right = [], [], [], []
    for lattice, reference, (said, _) in zip(graphs, references, words, strict=True):
        distances = [
            (errors_of(said, path), p) if path else (len(said), p) for path, p in paths_of(lattice, posterior_scale)
        ]
        expected.append(math.fsum(k * p for k, p in distances))
        perfect.append(math.fsum(p for k, p in distances if k == 0))
        errors.append(errors_of(said, reference))
        edits = Sclite().align(list(said), list(reference)).edits
        right += [edit == "C" for edit in edits if edit != "D"]
    total = sum(map(len, references))
    if total:
        assert found.errors.expected.value == pytest.approx(math.fsum(expected) / total, abs=1e-9)
        assert found.errors.rate.value == pytest.approx(sum(errors) / total)
    squares = [(m - e) ** 2 for m, e in zip(expected, errors, strict=True)]
    assert found.errors.squared_error.value == pytest.approx(np.mean(squares), abs=1e-9)
    outcomes = [not e for e in errors]
    assert found.sentences.mean == pytest.approx(np.mean(perfect), abs=1e-9)
    brier = np.mean([(p - o) ** 2 for p, o in zip(perfect, outcomes, strict=True)])
    assert found.sentences.brier.value == pytest.approx(brier, abs=1e-9)
    assert (found.words.count, found.words.happened) == (len(right), sum(right))
    if answer == "mbr":
        confidences = [p for _, several in words for p in several]
        assert found.words.mean == pytest.approx(np.mean(confidences), abs=1e-12)
        squares = [(p - r) ** 2 for p, r in zip(confidences, right, strict=True)]
        assert found.words.brier.value == pytest.approx(np.mean(squares), abs=1e-9)


def drawn_from_a_model(number, truth, seed=0):
    """Lattices of two strings, whose references are drawn with the probabilities at the scale `truth`."""
    draw = np.random.default_rng(seed)
    graphs, references = [], []
    for _ in range(number):
        gap = float(draw.uniform(0.5, 6))
        graphs.append(lm.Lattice.from_strings(["a", "b"], costs=[0.0, gap]))
        references.append("a" if draw.random() < 1 / (1 + math.exp(-truth * gap)) else "b")
    return graphs, references


@pytest.mark.parametrize("criterion", ["words", "errors"])
def test_the_scale_of_the_truth_is_found(criterion):
    graphs, references = drawn_from_a_model(400, 0.3)
    test = drawn_from_a_model(400, 0.3, seed=1)
    found = calibration(graphs, references, test=test, criterion=criterion, halvings=1, resamples=100)
    assert found.posterior_scale == pytest.approx(0.3, rel=0.25)
    assert found.fold_scales == ()
    held_out, unscaled = (one.errors.difference for one in (found.held_out, found.unscaled))
    assert abs(held_out.value) < 0.06
    assert unscaled.high < held_out.low  # at the scale 1, the model expects too few errors
    assert found.held_out.words.nce.value > found.unscaled.words.nce.value
    assert found.held_out.words.ece.value < found.unscaled.words.ece.value
    merits = {trial.posterior_scale: trial.merit for trial in found.trials}
    assert merits[found.posterior_scale] == max(merits.values())
    assert set(SCALES) <= set(merits)


def test_merits_are_likelihoods_or_squared_errors():
    graphs, references = drawn_from_a_model(20, 1.0)
    found = calibration(graphs, references, posterior_scale=[0.5, 1.0], halvings=0, resamples=0)
    for trial in found.trials:
        logs = []
        for lattice, reference in zip(graphs, references, strict=True):
            p = paths_of(lattice, trial.posterior_scale)[0][1]
            logs.append(math.log2(p if reference == "a" else 1 - p))
        assert trial.merit == pytest.approx(np.mean(logs), abs=1e-9)
    found = calibration(graphs, references, posterior_scale=[0.5, 1.0], halvings=0, resamples=0, criterion="errors")
    for trial in found.trials:
        squares = []
        for lattice, reference in zip(graphs, references, strict=True):
            squares.append((1 - paths_of(lattice, trial.posterior_scale)[0][1] - (reference != "a")) ** 2)
        assert trial.merit == pytest.approx(-np.mean(squares), abs=1e-9)


def test_given_scales_stay_as_they_are():
    graphs, references = drawn_from_a_model(20, 1.0)
    tried = calibration(graphs, references, posterior_scale=[0.3, 0.7], halvings=0, resamples=0).trials
    assert [one.posterior_scale for one in tried] == [0.3, 0.7]


def test_folds_are_judged_at_the_scales_of_the_others():
    graphs, references = drawn_from_a_model(40, 0.5)
    found = calibration(graphs, references, folds=2, resamples=0)
    for fold in (0, 1):
        others = [k for k in range(40) if k % 2 != fold]
        alone = calibration([graphs[k] for k in others], [references[k] for k in others], folds=2, resamples=0)
        assert found.fold_scales[fold] == alone.posterior_scale
    weights = [found.fold_scales[k % 2] for k in range(40)]
    means = [
        max(p for _, p in paths_of(lattice, posterior_scale))
        for lattice, posterior_scale in zip(graphs, weights, strict=True)
    ]
    assert found.held_out.words.mean == pytest.approx(np.mean(means), abs=1e-9)
    assert found.unscaled == calibration(graphs, references, posterior_scale=1.0, folds=2, resamples=0).development


def test_ignored_words_do_not_count():
    graphs = [lm.Lattice.from_strings(["<s> a b", "<s> a c"], costs=[0.0, 1.0])] * 2
    found = calibration(graphs, ["a b", "a c"], ignore=["<s>"], posterior_scale=1.0, resamples=0)
    bare = [lm.Lattice.from_strings(["a b", "a c"], costs=[0.0, 1.0])] * 2
    plain = calibration(bare, ["a b", "a c"], posterior_scale=1.0, resamples=0)
    assert found.asdict() == plain.asdict()


def test_estimates_are_counted_and_left_out():
    graphs = [dict(lm.read(MEETING))["meeting-001"]] * 2
    found = calibration(graphs, ["we should meet", "a"], posterior_scale=1.0, most_states=1, resamples=0).development
    assert (found.inexact, found.sentences.count, found.errors.utterances) == (2, 0, 2)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"answer": "two-best"}, "the answer is 'two-best'"),
        ({"criterion": "bleu"}, "the criterion is 'bleu'"),
        ({"folds": 1}, "the number of folds is 1"),
        ({"posterior_scale": 0.0}, "the posterior scale is 0.0"),
        ({"posterior_scale": []}, "there are no scales"),
        ({"posterior_scale": math.nan}, "the posterior scale is nan"),
        ({"bins": 0}, "the number of bins is 0"),
        ({"references": ["a"]}, "the numbers of graphs and references differ: 2 and 1"),
        ({"graphs": [], "references": []}, "there are no graphs"),
        ({"test": 3}, "the test set is a int"),
        ({"workers": 2}, "workers has no effect on calibrate"),
        ({"resume": "x.journal"}, "resume has no effect on calibrate"),
        ({"samples": 2}, "calibrate has no setting 'samples'"),
        ({"own_confidences": True, "folds": 2}, "calibrate has no setting 'folds'"),
        ({"confidence": 2}, "the confidence level is 2; give a number between 0 and 1"),
        ({"weights": {"no": 1.0}}, "no score column 'no'"),
        ({"halvings": -1}, "halvings is -1"),
        ({"test": ([], [])}, "there are no graphs"),
    ],
)
def test_hostile_arguments_are_refused(options, problem):
    graphs = [lm.Lattice.from_strings(["a b", "c"], costs=[0.0, 1.0])] * 2
    with pytest.raises(lm.LatticeMetricError, match=problem):
        calibration(**{"graphs": graphs, "references": ["a b", "c"], "resamples": 0, **options})


def test_what_has_no_words_or_alternatives_cannot_be_fitted():
    for text in ("", "a"):
        with pytest.raises(lm.InputError, match="all scales fit the words equally well"):
            calibration([lm.Lattice.from_strings([text])] * 2, ["a", "b"])
    with pytest.raises(lm.InputError, match=r"graph 1: .*calibrate lattices or n-best lists"):
        calibration([lm.read_one(EXAMPLES / "lantern.target_graph")], ["a"])


@pytest.mark.parametrize("criterion", ["words", "errors"])
def test_lists_without_costs_have_no_scale_to_fit_but_one_to_calibrate_at(criterion):
    lists = [lm.NBest.from_strings(["a b", "a c", "a b c"]), lm.NBest.from_strings(["a", "b", "c"])]
    with pytest.raises(lm.InputError, match=rf"all scales fit the {criterion} equally well; .* or a single scale"):
        calibration(lists, ["a b", "c"], criterion=criterion, resamples=0)
    found = calibration(lists, ["a b", "c"], posterior_scale=1.0, resamples=0)
    assert found.posterior_scale == 1
    assert found.development.words.mean == pytest.approx((1 + 2 / 3 + 1 / 3) / 3)


# --- The command


def meeting():
    references = [line.split(maxsplit=1)[1] for line in REFERENCES.read_text().splitlines()]
    return [graph for _, graph in lm.read(MEETING)], references


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ((), {}),
        (
            ("--answer", "mbr", "--criterion", "errors", "--posterior-scale", "0.5,1", "--resamples", "0"),
            {"answer": "mbr", "criterion": "errors", "posterior_scale": [0.5, 1.0], "resamples": 0},
        ),
        (
            ("--folds", "2", "--bins", "3", "--seed", "1", "--confidence", "0.5", "--most-states", "2"),
            {"folds": 2, "bins": 3, "seed": 1, "confidence": 0.5, "most_states": 2},
        ),
        (("--test", MEETING, "--test-references", REFERENCES, "--ignore", "we"), {"ignore": ["we"]}),
    ],
)
def test_the_command_prints_what_python_answers(options, asked):
    if "--test" in options:
        asked = {**asked, "test": meeting()}
    found = json.loads(run("calibrate", MEETING, REFERENCES, *options, "--format", "json").stdout)
    assert found == json.loads(json.dumps(calibration(*meeting(), **asked).asdict()))


def test_rows_hold_measures_bins_and_scales():
    document = json.loads(run("calibrate", MEETING, REFERENCES, "--format", "json").stdout)
    records = [
        json.loads(line) for line in run("calibrate", MEETING, REFERENCES, "--format", "jsonl").stdout.splitlines()
    ]
    assert [one["posterior_scale"] for one in records if one["measure"] == "merit"] == [
        one["posterior_scale"] for one in document["trials"]
    ]
    for name in ("held_out", "unscaled", "development"):
        for of in ("words", "sentences", "errors"):
            rows = [one for one in records if (one["set"], one.get("of")) == (name, of)]
            side = document[name][of]
            bins = [one for one in rows if one["measure"] == "bin"]
            assert [one["value"] for one in bins] == [one["observed"]["value"] for one in side["bins"]]
            for row in rows:
                if row["measure"] != "bin":
                    assert {end: row[end] for end in ("value", "low", "high")} == {
                        end: side[row["measure"]][end] for end in ("value", "low", "high")
                    }
    lines = run("calibrate", MEETING, REFERENCES, "--format", "tsv").stdout.splitlines()
    assert {line.count("\t") for line in lines} == {10}
    assert len(lines) == 1 + len(records)


def test_own_confidences_are_those_of_the_file():
    files = EXAMPLES / "radio.ctm", EXAMPLES / "radio.stm"
    found = json.loads(run("calibrate", *files, "--own-confidences", "--format", "json").stdout)
    assert (found["utterances"], found["sentences"], found["errors"]) == (2, None, None)
    text = run("calibrate", *files, "--own-confidences").stdout
    assert f"{found['words']['nce']['value']:.4f} ±" in text


def test_confidences_that_are_no_probabilities_are_said_to_be_clipped(tmp_path):
    # Decoders also write logarithms or per cents there; sclite says "2 of 4 confidence scores were not in the range".
    words = ("the", -0.1), ("dog", 0.9), ("sat", 70), ("on", 1.0)
    ctm = tmp_path / "any.ctm"
    ctm.write_text("".join(f"a 1 {place}.1 0.2 {word} {value}\n" for place, (word, value) in enumerate(words)))
    (tmp_path / "any.stm").write_text("a 1 ann 0.0 4.0 the cat sat on\n")
    done = run("calibrate", ctm, tmp_path / "any.stm", "--own-confidences")
    assert "confidences: 2 of 4 are outside 0 … 1, and count as 0 or 1 as in sclite" in done.stderr


def test_gaps_between_the_words_of_a_ctm_have_no_confidence(tmp_path):
    words = [("a", 0.9), ("b", 0.4), ("c", 0.3)]
    reports = []
    for gap in (0, 0.1):
        ctm = tmp_path / f"gap{gap}.ctm"
        rows = (f"f 1 {k * (0.5 + gap):.2f} 0.50 {word} {value}\n" for k, (word, value) in enumerate(words))
        ctm.write_text("".join(rows))
        reports.append(lm.confidence_calibration([lm.read_one(ctm)], ["a b d"], resamples=20).asdict())
    assert reports[0] == reports[1]


def test_reliability_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    for name, command in {
        "fit.svg": (MEETING, REFERENCES),
        "own.svg": (EXAMPLES / "radio.ctm", EXAMPLES / "radio.stm", "--own-confidences"),
    }.items():
        run("calibrate", *command, "--plot", tmp_path / name)
    text = (tmp_path / "fit.svg").read_text()
    for said in ("held out", "scale 1", "confidence of a word", "share without errors", "expected errors"):
        assert said in text
    own = (tmp_path / "own.svg").read_text()
    assert "confidence of a word" in own
    assert "expected errors" not in own


def test_graphs_that_fail_are_left_out(tmp_path):
    (tmp_path / "lats").write_text("a \n0 1 x 1,2,\n1\n\nb \n0 1 x nan,2,\n1\n\nc \n0 1 x 1,2,\n1\n")
    (tmp_path / "refs").write_text("a x\nb x\nc y\n")
    options = "--posterior-scale", "1", "--format", "json"
    assert "not finite" in run("calibrate", tmp_path / "lats", tmp_path / "refs", status=2).stderr
    done = run("calibrate", tmp_path / "lats", tmp_path / "refs", "--keep-going", *options, status=1)
    assert "failed: " in done.stderr
    assert json.loads(done.stdout)["development"]["utterances"] == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--own-confidences", "--tokenize", "13a"), "--tokenize has no effect with --own-confidences"),
        (("--test-references", REFERENCES), "there are test references, but no test graphs"),
        (("--test", MEETING, "--test-references", REFERENCES, "--folds", "3"), "--folds has no effect with --test"),
        (("--own-confidences", "--answer", "mbr"), "--answer has no effect with --own-confidences"),
        (("--own-confidences",), "the word 'we' has no confidence"),
        (("--posterior-scale", "0"), "the posterior scale is 0.0"),
        (("--plot", "x.bmp"), "the suffix is not a picture format"),
    ],
)
def test_mistakes_are_told(arguments, says):
    assert says in " ".join(run("calibrate", MEETING, REFERENCES, *arguments, status=2).stderr.split())


# --- Python beside the command


@pytest.mark.parametrize("suffix", ["txt", "tsv", "json", "jsonl"])
@pytest.mark.parametrize("own_confidences", [False, True])
def test_files_of_calibrations_are_those_of_the_command_line(suffix, own_confidences, tmp_path):
    files = (EXAMPLES / "radio.ctm", EXAMPLES / "radio.stm") if own_confidences else (MEETING, REFERENCES)
    options = ("--own-confidences",) if own_confidences else ()
    run("calibrate", *files, *options, "--lowercase", "--resamples", "50", "-o", tmp_path / f"cli.{suffix}")
    corpus = lm.Corpus.read(*files, lowercase=True)
    found = corpus.calibrate(own_confidences=own_confidences, resamples=50)
    found.write(tmp_path / f"py.{suffix}")
    assert (tmp_path / f"py.{suffix}").read_bytes() == (tmp_path / f"cli.{suffix}").read_bytes()
    assert found.totals == found.result.asdict()


@pytest.mark.parametrize("asked", [{}, {"answer": "mbr", "criterion": "errors"}, {"folds": 2}])
def test_calibrations_of_memory_are_those_of_files(asked):
    in_memory = lm.Corpus(*meeting()).calibrate(resamples=10, **asked)
    files = lm.Corpus.read(MEETING, REFERENCES).calibrate(resamples=10, **asked)
    assert in_memory.result == files.result
    assert str(in_memory) == str(files)
    assert in_memory.to_records() == files.to_records()


def test_a_calibration_is_computed_once(monkeypatch):
    from latticemetric.corpus import calibration as module

    calls = []
    fit = module.fitted
    monkeypatch.setattr(module, "fitted", lambda *given, **how: calls.append(0) or fit(*given, **how))
    found = lm.Corpus(*meeting()).calibrate(resamples=0)
    assert found.result is found.result
    str(found), found.totals, found.to_records()
    assert len(calls) == 1


def test_graphs_that_fail_are_answers_if_the_run_keeps_going():
    graphs, references = meeting()
    corpus = lm.Corpus({"one": graphs[0], "two": graphs[1]}, {"one": references[0]})
    with pytest.raises(lm.InputError, match="there is no reference for 'two'"):
        corpus.calibrate(posterior_scale=1.0).result  # noqa: B018
    found = corpus.calibrate(posterior_scale=1.0, resamples=0, keep_going=True)
    assert [answer.name for answer in found.failures] == ["two"]
    assert found.result.development.utterances == 1
    none = lm.Corpus({"one": graphs[0]}, {"one": "a"}).calibrate
    with pytest.raises(lm.InputError, match="all graphs failed, so there is no result"):
        lm.Corpus({"one": graphs[0]}, {}).calibrate(keep_going=True).result  # noqa: B018
    with pytest.raises(lm.InputError, match="there is no score column 'nope'"):
        none(posterior_scale=1.0, test=lm.Corpus([graphs[1]], ["a"], weights={"nope": 1.0})).result  # noqa: B018
    with pytest.raises(lm.UsageError, match="the test set is a shard; give all of it"):
        none(test=lm.Corpus.read(MEETING, REFERENCES, shard="1/2"))


def test_what_own_confidences_cannot_use_is_refused():
    files = EXAMPLES / "radio.ctm", EXAMPLES / "radio.stm"
    for prepared in ({"tokenize": "13a"}, {"normalize": "english"}, {"ignore": "uh"}, {"weights": {"lm": 1.0}}):
        (name,) = prepared
        with pytest.raises(lm.UsageError, match=f"{name} has no effect on own confidences; leave it out"):
            lm.Corpus.read(*files, **prepared).calibrate(own_confidences=True).result  # noqa: B018


def test_the_function_that_went_says_what_took_its_place():
    with pytest.raises(AttributeError, match=r"use latticemetric\.Corpus\.calibrate"):
        lm.calibration  # noqa: B018
