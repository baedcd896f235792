"""Words of errors, counted by definition from alignments; sclite's own counts; and `score` in one call."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.decoding import run
from kit.strategies import sentences

import latticemetric as lm
from latticemetric.formats.segments import read_speakers

test_sets = st.lists(st.tuples(sentences(6), sentences(6), st.sampled_from(["ann", "bob"])), max_size=6)


def counted(pairs, metric):
    """Correct words, confusions, insertions and deletions, read from the drawn alignment, row by row."""
    correct, confusions, insertions, deletions = Counter(), Counter(), Counter(), Counter()
    for said, expected in pairs:
        for step in metric.align(list(said), list(expected)).asdict():
            reference, hypothesis = step["reference"], step["hypothesis"]
            if reference is None:
                insertions[hypothesis] += 1
            elif hypothesis is None:
                deletions[reference] += 1
            elif reference == hypothesis:
                correct[reference] += 1
            else:
                confusions[reference, hypothesis] += 1
    return correct, confusions, insertions, deletions


@pytest.mark.parametrize("metric", [lm.WER(), lm.Sclite(), lm.CER(), lm.MixedErrorRate()], ids=str)
@given(test_set=test_sets)
def test_words_are_counted_as_aligned(metric, test_set):
    said, expected, groups = (list(side) for side in zip(*test_set, strict=True)) if test_set else ([], [], [])
    analysis = lm.error_analysis(said, [[list(one)] for one in expected], metric, groups=groups)
    assert list(analysis.groups) == list(dict.fromkeys(groups))
    for name, details in {None: analysis.total, **analysis.groups}.items():
        own = [(s, e) for s, e, group in test_set if name in (None, group)]
        found = (details.correct, details.confusions, details.insertions, details.deletions)
        assert tuple(map(dict, found)) == tuple(map(dict, counted(own, metric)))
        wrong = sum(metric.score(list(s), [list(e)]) != 0 for s, e in own if e or s)
        assert (details.segments, details.wrong_segments) == (len(own), wrong)
        corpus = metric.corpus([list(s) for s, _ in own], [[list(e)] for _, e in own])
        assert details.rate == corpus.score
        assert details.words == corpus.denominator
    assert sum(analysis.groups.values(), lm.ErrorDetails.zero()) == analysis.total


def test_errors_count_against_the_best_reference():
    for metric in (lm.WER(), lm.Sclite(), lm.CER()):
        analysis = lm.error_analysis(["a b c"], [["x y z", "a b d"]], metric)
        assert dict(analysis.total.confusions) == {("d", "c"): 1}
    graph = lm.Lattice.from_strings(["a b d", "x y"])
    assert dict(lm.error_analysis(["a b c"], [graph]).total.confusions) == {("d", "c"): 1}


# What sclite 2.4.10 writes for these four segments: `sctk sclite -r ref trn -h hyp trn -i rm -s -o dtl`.
SAID = ["the cat sat on a mat", "a dog barked", "the the end", "it rained the day"]
EXPECTED = ["the cat sat on the mat", "the dog barked loudly", "the end", "it had rained all day"]
SCLITE = {
    "confusion_pairs": {("the", "a"): 2, ("all", "the"): 1},
    "inserted_words": {"the": 1},
    "deleted_words": {"had": 1, "loudly": 1},
    "substituted_words": {"the": 2, "all": 1},
    "misrecognized_words": {"a": 2, "the": 1},
}


@pytest.mark.parametrize("metric", [lm.WER(), lm.Sclite()], ids=str)
def test_counts_are_those_of_sclite(metric):
    total = lm.error_analysis(SAID, EXPECTED, metric).asdict()["total"]
    pairs = {(pair["reference"], pair["hypothesis"]): pair["count"] for pair in total["confusion_pairs"]}
    words = {
        name: {item["word"]: item["count"] for item in total[name]} for name in SCLITE if name != "confusion_pairs"
    }
    assert {"confusion_pairs": pairs, **words} == SCLITE
    assert (total["words"], total["errors"], total["segments"], total["wrong_segments"]) == (17, 6, 4, 4)


def test_the_most_frequent_come_first():
    details = lm.error_analysis(SAID, EXPECTED).total
    assert details.asdict(1)["confusion_pairs"] == [{"reference": "the", "hypothesis": "a", "count": 2}]
    assert next(details.lists(1)) == ("confusion pairs", 2, 3, [("the → a", 2)])


def test_what_cannot_be_analysed_is_refused():
    with pytest.raises(lm.UsageError, match="bleu does not align words"):
        lm.error_analysis(["a"], ["a"], lm.BLEU())
    with pytest.raises(lm.UsageError, match="1 segments, but 2 groups"):
        lm.error_analysis(["a"], ["a"], groups=["x", "y"])
    with pytest.raises(lm.UsageError, match="1 hypotheses and 2 references"):
        lm.error_analysis(["a"], ["a", "b"])


# --- score


@given(test_set=test_sets)
def test_score_is_what_the_metrics_say(test_set):
    said = [" ".join(s) for s, _, _ in test_set]
    expected = [" ".join(e) for _, e, _ in test_set]
    names = ["wer", "cer", "chrf", "bleu", "ter", "sclite"]
    found = lm.score(said, expected, names)
    assert [one.name for one in found] == names
    for one in found:
        metric = lm.make_metric(one.name)
        corpus = metric.corpus(said, expected)
        assert one.value == (corpus.score if corpus.score is None else pytest.approx(corpus.score))
        assert one.signature == corpus.signature
        assert one.segments == {str(k): metric.score(s, [e]) for k, (s, e) in enumerate(zip(said, expected), start=1)}  # noqa: B905
    assert found.values == {one.name: one.value for one in found}


def test_texts_that_begin_with_ids_are_told_that_these_are_words(caplog):
    said, meant = ["utt1 a", "utt2 b"], ["utt2 b", "utt1 a"]
    assert lm.score(said, meant)["wer"].value == 1
    assert "hypotheses: texts seem to begin with ids ('utt1', 'utt2'), which count as words" in caplog.text
    caplog.clear()
    lm.score(["a", "b"], meant)
    assert "references: texts seem to begin with ids ('utt2', 'utt1')" in caplog.text
    caplog.clear()
    pairs = (dict(text.split() for text in texts) for texts in (said, meant))
    assert lm.score(*pairs)["wer"].value == 0
    lm.score(["he said", "she said"], ["he said", "she said"])
    assert caplog.text == ""


def test_score_takes_texts_mappings_and_graphs():
    assert lm.score("a b", "a c")["wer"].value == 0.5
    assert lm.score("a b", ["a c", "a b"])["wer"].value == 0.0
    by_id = lm.score({"u2": "a b", "u1": "a"}, {"u1": "a", "u2": ["a c", "b"]}, lm.WER())["wer"]
    assert (by_id.ids, by_id.segments) == (("u1", "u2"), {"u1": 0.0, "u2": 0.5})
    assert lm.score(["a b"], [lm.Lattice.from_strings(["x", "a b"])])["wer"].value == 0.0
    assert lm.score([["a", "b"]], [[["a", "c"]]])["wer"].value == 0.5


def test_score_writes_the_line_that_scripts_look_for():
    found = lm.score(SAID, EXPECTED, "wer,cer,chrf")
    assert str(found["wer"]) == found["wer"].line == "%WER 35.29 [ 6 / 17, 1 ins, 2 del, 3 sub ]"
    assert found["cer"].line.startswith("%CER ")
    assert found["chrf"].line is None
    assert str(found).splitlines() == [str(one) for one in found]
    assert found.asdict()["scores"][0]["line"] == found["wer"].line
    assert lm.score("a", "")["wer"].line is None
    assert str(lm.score("a", "", "wrr")["wrr"]) == "wrr –"
    assert found["wer"].details().total.line() == found["wer"].line


def test_score_prepares_texts():
    assert lm.score("The cat.", "the cat", "wer", lowercase=True)["wer"].value == 0.5
    found = lm.score("The cat.", "the cat .", "wer", lowercase=True, tokenize="13a")["wer"]
    assert found.value == 0.0
    assert "case:lc|tok:13a" in found.signature
    assert lm.score([["The"]], [[["the"]]], lowercase=True)["wer"].value == 0.0
    graph = lm.Lattice.from_strings(["The", "A"])
    assert lm.score(["the"], [graph], lowercase=True)["wer"].value == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"a": "x"}, ["x"]), "only one of hypotheses and references has ids"),
        (({1: "x", "1": "y"}, {1: "x", "1": "y"}), "two segments have the id '1'"),
        (({"a": "x"}, {"b": "x"}), "segment 'a' has no reference"),
        (({"a": "x"}, {"a": "x", "b": "x"}), "segment 'b' has no hypothesis"),
        ((["x"], ["x", "y"]), "1 hypotheses and 2 references"),
        ((["x"], ["x"], "werr"), "there is no metric 'werr'"),
        ((["x"], [[]]), "a hypothesis has no reference"),
    ],
)
def test_test_sets_that_do_not_match_are_refused(arguments, message):
    with pytest.raises(lm.UsageError, match=message):
        lm.score(*arguments)


def test_metrics_that_were_not_scored_are_named():
    with pytest.raises(lm.UsageError, match="'cer' was not scored; choose one of wer"):
        lm.score("a", "a")["cer"]
    with pytest.raises(lm.UsageError, match="only strings can be tokenized"):
        lm.score([["a"]], [[["a"]]], tokenize="13a")


# --- On the command line


@pytest.fixture
def files(tmp_path: Path):
    for name, texts in (("hyp.txt", SAID), ("ref.txt", EXPECTED)):
        lines = (f"ann-{k} {text}\n" if k < 2 else f"bob-{k} {text}\n" for k, text in enumerate(texts))
        (tmp_path / name).write_text("".join(lines))
    return tmp_path / "hyp.txt", tmp_path / "ref.txt", "--style", "keyed"


def test_details_are_those_of_python(files):
    found = json.loads(
        run("score", *files, "-m", "wer,bleu,sclite", "--details", "--group-by", "speaker", "--format", "json").stdout
    )
    groups = ["ann", "ann", "bob", "bob"]
    plain = []
    for metric in (lm.WER(), lm.Sclite()):
        analysis = lm.error_analysis(SAID, EXPECTED, metric, groups=groups).asdict(20)
        for group, counts in [(None, analysis["total"]), *((one.pop("group"), one) for one in analysis["groups"])]:
            plain.append({"system": str(files[0]), "metric": metric.name, "group": group, **counts})
    assert found["details"] == plain
    assert [score["metric"] for score in found["scores"]] == ["wer", "bleu", "sclite"]


def test_details_as_text_and_rows(files, tmp_path):
    text = run("score", *files, "-m", "wer", "--details", "--top", "1", "--group-by", "speaker").stdout.splitlines()
    assert "confusion pairs: 3 in all, 2 different" in text
    assert text[text.index("confusion pairs: 3 in all, 2 different") + 1].split() == ["2", "the", "→", "a"]
    assert ["bob", "7", "5", "1", "1", "1", "3", "42.86", "2", "/", "2"] in [line.split() for line in text]
    rows = run("score", *files, "-m", "wer", "--details", "--format", "tsv").stdout.splitlines()
    assert rows[0].split("\t") == ["system", "metric", "group", "kind", "reference", "hypothesis", "count"]
    assert [str(files[0]), "wer", "", "confusion", "the", "a", "2"] in [row.split("\t") for row in rows]
    speakers = tmp_path / "utt2spk"
    speakers.write_text("".join(f"{name}-{k} eve\n" for k, name in enumerate(["ann", "ann", "bob", "bob"])))
    by_eve = run("score", *files, "-m", "wer", "--group-by", "speaker", "--utt2spk", speakers).stdout
    assert "eve" in by_eve
    assert "confusion pairs" not in by_eve


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--top", "3"], "--top has no effect without --details"),
        (["--utt2spk", "x"], "--utt2spk has no effect without --group-by speaker"),
        (["--details", "--explain", "1"], "--explain has no effect with --details or --group-by"),
        (["--details", "-m", "bleu"], "none of the metrics aligns words"),
    ],
)
def test_details_that_make_no_sense_are_refused(files, options, message):
    assert message in run("score", *files, *options, status=2).stderr


def test_damaged_files_of_speakers_are_refused(tmp_path):
    file = tmp_path / "utt2spk"
    for text, message in (("a b c\n", "not an id and a speaker"), ("a b\n\na c\n", "the id appears twice")):
        file.write_text(text)
        with pytest.raises(lm.FormatError, match=message):
            read_speakers(str(file))


def test_spaces_among_characters_can_be_seen():
    details = lm.error_analysis(["ab"], ["a b"], lm.CER()).total
    assert [items for title, _, _, items in details.lists() if title == "deleted words"] == [[("␣", 1)]]


@pytest.mark.parametrize("metric", [lm.WER(), lm.Sclite(), lm.CER(), lm.MER()], ids=str)
def test_references_of_a_segment_may_be_single_words(metric):
    said, expected = ["foo", "a b"], [["fox", "foo"], ["a b", "a c"]]
    assert lm.error_analysis(said, expected, metric).total.errors == 0
    assert lm.score(said, expected, metric)[metric.name].details().total.errors == 0
