"""Data of campaigns as published, and scores of metrics from files: what is written is read again."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latticemetric import FormatError, UsageError
from latticemetric.evaluation import human_scores
from latticemetric.formats.judged import read_judged
from latticemetric.formats.metric_scores import MetricScores, read_metric_scores, write_metric_scores
from latticemetric.formats.word_tags import read_tags

NAN = float("nan")


def write(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def campaign(tmp_path):
    """A folder of mt-metrics-eval, with three systems, a person among them, and one that gave up."""
    folder = tmp_path / "wmt"
    write(folder / "sources" / "en-zh.txt", "one", "two", "three")
    write(folder / "documents" / "en-zh.docs", "news d1", "news d1", "social d2")
    write(folder / "references" / "en-zh.refA.txt", "我 一", "我 二", "三 我")
    outputs = folder / "system-outputs" / "en-zh"
    write(outputs / "good.txt", "我 一", "我 二", "三")
    write(outputs / "bad.sys.txt", "一", "你 好", "我")
    write(outputs / "refA.txt", "我 一", "我 二", "三 我")
    write(outputs / "lazy.txt", "我", "[No translation supplied]", "我")
    write(outputs / "third.txt", "我", "二", "我 三")
    systems = ("good", "bad.sys", "refA", "lazy", "third")
    human = folder / "human-scores"
    write(human / "en-zh.mqm.seg.score", *(f"{s}\t{-k - j}" for k, s in enumerate(systems) for j in range(3)))
    write(human / "en-zh.mqm.sys.score", *(f"{s}\t{-k - 1}" for k, s in enumerate(systems)))
    write(human / "en-zh.wmt-z.seg.score", *(f"{s}\t{'None' if j else 0.5}" for s in systems for j in range(3)))
    return folder


def test_a_folder_of_mt_metrics_eval_is_read(campaign):
    judged = read_judged(str(campaign))
    assert judged.systems == ("bad.sys", "good", "third")
    assert judged.outputs[1] == ("我 一", "我 二", "三")
    assert judged.references == (("我 一",), ("我 二",), ("三 我",))
    assert (judged.target, judged.standard, judged.raw) == ("zh", "mqm", True)
    assert judged.documents == ("d1", "d1", "d2")
    assert judged.domains == ("news", "news", "social")
    assert judged.judgments.columns == ("mqm", "wmt-z")
    assert [note.split(":")[0] for note in judged.notes[:2]] == ["refA", "lazy"]
    mqm = human_scores(judged.judgments.select(["mqm"]))
    assert np.array_equal(mqm.segment, [[-1, -2, -3], [0, -1, -2], [-4, -5, -6]])
    assert np.array_equal(mqm.system, [-2, -1, -5])
    assert np.isnan(human_scores(judged.judgments.select(["wmt-z"])).segment[:, 1:]).all()


def test_mistakes_in_a_campaign_are_named(campaign):
    scores = campaign / "human-scores" / "en-zh.mqm.seg.score"
    scores.write_text(scores.read_text() + "good\t1\n")
    with pytest.raises(FormatError, match="good has more than 3 scores"):
        read_judged(str(campaign))
    scores.write_text("good one\n")
    with pytest.raises(FormatError, match=r"mqm\.seg\.score:1.*'good one' is not a system and its score"):
        read_judged(str(campaign))
    scores.unlink()
    write(campaign / "documents" / "en-zh.docs", "news d1")
    with pytest.raises(FormatError, match="1 lines for 3 segments"):
        read_judged(str(campaign))
    with pytest.raises(FormatError, match="no language pair 'en-de'"):
        read_judged(str(campaign), pair="en-de")


def test_mqm_errors_are_weighed_and_averaged_over_raters(campaign):
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = [
        ("good", 1, "r1", "Accuracy/Mistranslation", "Major"),
        ("good", 1, "r1", "Fluency/Punctuation", "Minor"),
        ("good", 1, "r2", "Fluency/Grammar", "minor"),
        ("good", 2, "r1", "No-error", "no-error"),
        ("third", 3, "r1", "Non-translation!", "Major"),
        ("third", 3, "r1", "Style/Awkward", "Neutral"),
    ]
    table = campaign / "mqm.tsv"
    write(table, header, *(f"{s}\td\t1\t{n}\t{r}\tx\ty\t{c}\t{v}" for s, n, r, c, v in rows))
    judged = read_judged(str(campaign), human=str(table))
    expected = np.full((3, 3), NAN)
    expected[1, :2], expected[2, 2] = [-(5.1 + 1) / 2, 0], -25
    np.testing.assert_allclose(human_scores(judged.judgments).segment, expected)
    averages = campaign / "avg.tsv"
    write(averages, "system mqm_avg_score seg_id", "good 3.05 1", "good 0.0 2", "third 25 3", "bad.sys None 1")
    judged = read_judged(str(campaign), human=str(averages))
    np.testing.assert_allclose(human_scores(judged.judgments).segment, expected)
    assert judged.standard is None


def test_averages_that_are_negative_are_scores_already(campaign):
    averages = campaign / "avg.tsv"
    write(
        averages, "system mqm_avg_score seg_id", "good\t-3.05 1", "good\t-0.000000 2", "third\t-25 3", "bad.sys\tNone 1"
    )
    judged = read_judged(str(campaign), human=str(averages))
    expected = np.full((3, 3), NAN)
    expected[1, :2], expected[2, 2] = [-3.05, 0], -25
    np.testing.assert_allclose(human_scores(judged.judgments).segment, expected)


def test_two_files_of_one_system_are_refused(campaign):
    write(campaign / "system-outputs" / "en-zh" / "good.jsonl", *['{"hypothesis": "x"}'] * 3)
    with pytest.raises(FormatError, match=r"two files of the system 'good': good\.jsonl and good\.txt; keep one"):
        read_judged(str(campaign))


def rating(*errors):
    return json.dumps(
        {"errors": [{"start": 0, "end": 1, "category": c, "severity": s, "score": n} for c, s, n in errors]}
    )


def test_marked_errors_are_scores_of_their_raters(campaign):
    human = campaign / "human-scores"
    bad, fine = rating(("Accuracy/Mistranslation", "Major", None), ("", None, -2)), rating()
    minor = rating(("Fluency/Punctuation", "minor", None))
    write(human / "en-zh.mqm.rater1.seg.rating", f"good\t{fine}", f"good\t{minor}\trater1", "good\tNone")
    write(human / "en-zh.mqm.rater2.seg.rating", f"good\t{bad}", "good\tNone", "good\tNone")
    write(human / "en-zh.mqm.merged.seg.rating", f"third\t{bad}\trater2", f"third\t{minor}\trater1", "third\tNone")
    judged = read_judged(str(campaign))
    assert judged.judgments.columns == ("mqm", "wmt-z", "mqm.merged", "mqm.raters")
    assert judged.standard == "mqm"
    assert set(judged.judgments.judges) == {"", "rater1", "rater2"}
    raters = human_scores(judged.judgments.select(["mqm.raters"]))
    assert np.array_equal(raters.segment[1], [-3.5, -0.1, NAN], equal_nan=True)  # the mean of both, one, none
    assert np.isnan(raters.segment[[0, 2]]).all()
    assert raters.system is None
    merged = human_scores(judged.judgments.select(["mqm.merged"])).segment
    assert np.array_equal(merged[2], [-7, -0.1, NAN], equal_nan=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("good\t{", "rating:1: this is not JSON"),
        ("good\t[1]", "rating:1: the line is not a rating; a line is SYSTEM"),
        ('good\t{"errors": [{"start": 1}]}', "rating:1: an error has neither a severity nor a score"),
        ('good\t{"errors": [{"severity": "Critical"}]}', "rating:1: the severity is critical, for which campaigns"),
    ],
)
def test_ratings_with_mistakes_are_named(campaign, line, message):
    write(campaign / "human-scores" / "en-zh.mqm.rater1.seg.rating", line)
    with pytest.raises(FormatError, match=message.replace("[", r"\[")):
        read_judged(str(campaign))


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("mqm.seg.score", ["good\t-1", "good\t-2"], r"mqm\.seg\.score: good has 2 scores, but .* 3 segments; give"),
        ("mqm.seg.score", ["good\tNone"] * 4, r"mqm\.seg\.score:4: good has more than 3 scores"),
        (
            "mqm.sys.score",
            ["good\t-1", "good\t-2"],
            r"mqm\.sys\.score:2: good has two scores; give one line per system",
        ),
        ("mqm.rater1.seg.rating", ["good\tNone"], r"rating: good has 1 score, but the test set has 3 segments"),
    ],
)
def test_human_scores_that_cannot_be_counted_off_are_refused(campaign, name, lines, message):
    write(campaign / "human-scores" / f"en-zh.{name}", *lines)
    with pytest.raises(FormatError, match=message):
        read_judged(str(campaign))


def test_critical_errors_are_no_errors_without_weight(campaign):
    table = campaign / "mqm.tsv"
    write(table, "system\tseg_id\trater\tcategory\tseverity", "good\t1\tr1\tAccuracy\tCritical")
    with pytest.raises(FormatError, match=r"mqm\.tsv:2: the severity is critical"):
        read_judged(str(campaign), human=str(table))
    rated = campaign / "human-scores" / "en-zh.mqm.rater1.seg.rating"
    write(rated, f"good\t{rating(('Accuracy', 'critical', -10))}", "good\tNone", "good\tNone")
    raters = human_scores(read_judged(str(campaign)).judgments.select(["mqm.raters"]))
    assert raters.segment[1, 0] == -10


def test_unknown_severities_are_no_errors_without_weight(campaign):
    table, header = campaign / "mqm.tsv", "system\tseg_id\trater\tcategory\tseverity"
    write(table, header, "good\t1\tr1\tAccuracy\tMinor", "good\t1\tr1\tAccuracy\tSerious")
    with pytest.raises(FormatError, match=r"mqm\.tsv:3: the severity 'Serious' has no weight; severities are Major"):
        read_judged(str(campaign), human=str(table))
    write(table, header, *(f"good\t1\tr1\tFound\t{one}" for one in ("HOTW-test", "No-error", "Neutral", "", "minor")))
    assert human_scores(read_judged(str(campaign), human=str(table)).judgments).segment[1, 0] == -1
    rated = campaign / "human-scores" / "en-zh.mqm.rater1.seg.rating"
    write(rated, f"good\t{rating(('Accuracy', 'undecided', -3))}", "good\tNone", "good\tNone")
    raters = human_scores(read_judged(str(campaign)).judgments.select(["mqm.raters"]))
    assert raters.segment[1, 0] == -3


def test_people_that_are_no_references_may_be_systems(campaign):
    write(campaign / "references" / "en-zh.refB.txt", "x", "y", "z")
    write(campaign / "system-outputs" / "en-zh" / "refB.txt", "x", "y", "z")
    usual = read_judged(str(campaign))
    assert usual.systems == ("bad.sys", "good", "third")
    assert usual.references[0] == ("我 一", "x")
    assert read_judged(str(campaign), with_people=True).systems == usual.systems  # both are references
    judged = read_judged(str(campaign), references=["refB"], with_people=True)
    assert judged.systems == ("bad.sys", "good", "refA", "third")
    assert judged.references == (("x",), ("y",), ("z",))
    assert judged.notes[0] == "refB: left out, since it is a human translation (used as a reference)"
    with pytest.raises(UsageError, match="with_people=True"):
        read_judged("examples/data/harvest", with_people=True)


def test_texts_may_be_json_lines_and_other_levels_are_told(campaign):
    (campaign / "references" / "en-zh.refA.txt").unlink()
    write(campaign / "references" / "en-zh.refA.jsonl", *(json.dumps({"target": t}) for t in ("我", "你", "他")))
    outputs = campaign / "system-outputs" / "en-zh"
    write(outputs / "model.jsonl", *(json.dumps({"hypothesis": t, "doc": 1}) for t in ("一", "二\n三", "")))
    write(campaign / "human-scores" / "en-zh.esa.doc.score", "good\t1", "good\t2")
    judged = read_judged(str(campaign))
    assert judged.references == (("我",), ("你",), ("他",))
    assert judged.outputs[judged.systems.index("model")] == ("一", "二\n三", "")
    assert "esa: left out, since it has no scores of segments or systems" in judged.notes
    write(outputs / "model.jsonl", '{"text": "x"}', "{}", "{}")
    with pytest.raises(FormatError, match=r"model\.jsonl:1: the line has no text"):
        read_judged(str(campaign))


@pytest.fixture
def wmt22(tmp_path):
    """A folder as WMT published it in 2022, with two tests of one language pair."""
    texts, people = tmp_path / "wmt22" / "txt", tmp_path / "wmt22" / "humaneval" / "DA" / "toen"
    for name in ("A.B-C", "Online-W"):
        write(texts / "system-outputs" / f"generaltest2022.cs-en.hyp.{name}.en", name, "x")
        write(texts / "system-outputs" / f"biomedicaltest2022.cs-en.hyp.{name}.en", "one line")
    write(texts / "system-outputs" / "generaltest2022.de-en.hyp.Online-W.en", "w")
    for name in "AB":
        write(texts / "references" / f"generaltest2022.cs-en.ref.{name}.en", name, "y")
    write(people / "ad-sys-ranking-cs-en-z.csv", "80 0.5 9 9 A.B-C.12", "70 -0.5 9 9 Online-W.3", "9 0.1 1 1 HUMAN-B.1")
    return tmp_path / "wmt22"


def test_folders_of_wmt_since_2021_are_read(wmt22):
    judged = read_judged(str(wmt22), pair="cs-en")
    assert judged.systems == ("A.B-C", "Online-W")
    assert judged.references == (("A", "B"), ("y", "y"))
    assert (judged.target, judged.raw) == ("en", True)
    human = human_scores(judged.judgments)
    assert np.array_equal(human.system, [0.5, -0.5])
    assert judged.notes == ("HUMAN-B: left out, since there is no output (judged 1 time)",)
    assert read_judged(str(wmt22), pair="cs-en", references=["B"]).references == (("B",), ("y",))
    with pytest.raises(FormatError, match="several language pairs; choose with pair=…: cs-en, de-en"):
        read_judged(str(wmt22))
    with pytest.raises(FormatError, match="there is no reference for de-en"):
        read_judged(str(wmt22), pair="de-en")


def test_mistakes_in_folders_of_wmt_are_named(wmt22):
    (ranking,) = wmt22.rglob("ad-sys-ranking*")
    ranking.write_text("80 0.5 9 9\n")
    with pytest.raises(FormatError, match=r"z\.csv:1: the row has 4 fields, not 5"):
        read_judged(str(wmt22), pair="cs-en")
    ranking.write_text("80 a 9 9 A.B-C.12\n")
    with pytest.raises(FormatError, match=r"z\.csv:1: score is 'a', which is not a number"):
        read_judged(str(wmt22), pair="cs-en")
    ranking.unlink()
    with pytest.raises(FormatError, match="there are no human scores for cs-en; name a table with human=…"):
        read_judged(str(wmt22), pair="cs-en")
    write(wmt22 / "txt" / "references" / "newstest2021.cs-en.ref.A.en", "A")
    with pytest.raises(FormatError, match="cs-en has several tests: generaltest2022, newstest2021"):
        read_judged(str(wmt22), pair="cs-en")


# --- Scores of metrics

SYSTEMS, SEGMENTS = ("a", "b c".replace(" ", "-"), "d"), ("1", "2")
number = st.one_of(st.floats(-1e6, 1e6), st.just(NAN))
rows = st.lists(st.lists(number, min_size=2, max_size=2), min_size=3, max_size=3)


@pytest.mark.parametrize("name", ["scores.tsv", "scores.jsonl", "scores", "scores.parquet"])
@given(segments=rows, systems=st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), whole=st.booleans())
def test_scores_that_are_written_are_read_again(name, segments, systems, whole, tmp_path_factory):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("scores") / name
    scores = {"COMET": MetricScores(np.array(segments), np.array(systems) if whole else None)}
    write_metric_scores(str(path), scores, SYSTEMS, SEGMENTS)
    files = sorted(map(str, path.iterdir())) if path.is_dir() else [str(path)]
    found = read_metric_scores(files, SYSTEMS, SEGMENTS)["COMET"]
    assert np.array_equal(found.segments, np.array(segments), equal_nan=True)
    assert found.systems is None if not whole else np.array_equal(found.systems, systems)


def test_scores_come_in_several_shapes(tmp_path):
    write(tmp_path / "X-refA.seg.score", "a\t1", "other\t5", "a None", "d\t2", "d\t3", "other\t7")
    write(tmp_path / "X-refA.sys.score", "a\t1.5", "d\t9")
    write(tmp_path / "long.tsv", "system\tsegment\tmetric\tscore", "a\t2\tY\t4", "d\t\tZ\t8")
    write(tmp_path / "wide.jsonl", json.dumps({"system": "a", "segment": 1, "W": 3, "V": None}))
    files = [str(tmp_path / name) for name in ("X-refA.seg.score", "X-refA.sys.score", "long.tsv", "wide.jsonl")]
    found = read_metric_scores(files, SYSTEMS, SEGMENTS)
    assert np.array_equal(found["X-refA"].segments, [[1, NAN], [NAN, NAN], [2, 3]], equal_nan=True)
    assert np.array_equal(found["X-refA"].systems, [1.5, NAN, 9], equal_nan=True)
    assert found["Y"].systems is None
    assert found["Z"].segments is None
    assert found["Y"].segments[0, 1] == 4
    assert found["W"].segments[0, 0] == 3


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("x.seg.score", ["a 1"], "a has 1 scores, but the test set has 2 segments"),
        ("x.seg.score", ["a 1", "a 2", "a 3"], "a has more than 2 scores"),
        ("x.seg.score", ["a one", "a 2"], "'one' is not a score"),
        ("x.sys.score", ["a 1 2"], "the line has 3 fields"),
        ("x.sys.score", ["z 1"], "no system of the test set has a score"),
        ("x.sys.score", ["a 1", "a 2"], "x has two scores for a"),
        ("x.tsv", ["system\tsegment\tm", "a\t3\t1"], "there is no segment '3'"),
        ("x.tsv", ["system\tsegment\tm", "a\t1"], "the row has 2 fields, but the header has 3"),
        ("x.tsv", ["name\tm", "a\t1"], "there is no field 'system'"),
        ("x.tsv", ["system\tsystem", "a\t1"], "two columns have the same name"),
        ("x.jsonl", ["[1]"], "the line is not an object"),
        ("x.jsonl", ["{"], "the line is not JSON"),
        ("x.jsonl", ['{"system": "a", "m": true}'], "'True' is not a score"),
        ("x.jsonl", ['{"system": "a"}'], "there is no column of scores"),
    ],
)
def test_scores_that_make_no_sense_are_refused(tmp_path, name, lines, message):
    write(tmp_path / name, *lines)
    with pytest.raises(FormatError, match=message):
        read_metric_scores([str(tmp_path / name)], SYSTEMS, SEGMENTS)


def test_a_folder_of_scores_cannot_be_a_file(tmp_path):
    write(tmp_path / "scores", "x")
    with pytest.raises(UsageError, match="this is a file"):
        write_metric_scores(str(tmp_path / "scores"), {}, SYSTEMS, SEGMENTS)


def test_predictions_of_2022_name_the_language_pair(tmp_path):
    rows = [
        f"en-de\tours\tmt\t{s}\t{k}\tword\t{tag}"
        for s, tags in enumerate([["OK", "BAD"], ["BAD"]])
        for k, tag in enumerate(tags)
    ]
    write(tmp_path / "predictions.txt", "1024", "350000000", "1", *rows)
    found = read_tags(str(tmp_path / "predictions.txt"))
    assert found.bad.tolist() == [False, True, True]
    assert found.begin.tolist() == [0, 2, 3]
