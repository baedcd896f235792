"""`latticemetric correlate`, as a user meets it: layouts, tables, documents, plots, mistakes."""

import gzip
import json
import re
import shutil
import statistics

import numpy as np
import pytest
from kit.commands import assert_one_line_error, file, good, run
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.evaluation import correlate as correlated
from latticemetric.evaluation import human_scores, system_tables
from latticemetric.formats.judged import read_judged

HARVEST = EXAMPLES / "harvest"
LONG = EXAMPLES / "harvest.tsv"
SYSTEMS = ["alder", "birch", "cedar", "elm", "fir"]


def correlate(*arguments, **options):
    return run("latticemetric", "correlate", *arguments, **options)


def document(*arguments, **options):
    return good(correlate(*arguments, "--format", "json", **options)).json


@pytest.fixture
def harvest(tmp_path):
    """A copy of the example, to be spoilt."""
    shutil.copytree(HARVEST, tmp_path / "harvest")
    return tmp_path / "harvest"


def rewrite(path, change):
    path.write_text("\n".join(change(path.read_text(encoding="utf-8").splitlines())) + "\n", encoding="utf-8")


# --- What comes out


@pytest.mark.parametrize("name", ["bleu", "wer", "fmean-stem"])
def test_values_are_those_of_the_library(name):
    judged = read_judged(str(HARVEST))
    outputs, references = judged.outputs, judged.references
    human = human_scores(judged.judgments)
    tables = system_tables(outputs, references, [lm.make_metric(name)])
    expected = correlated(tables, human.segment, systems=judged.systems, resamples=100, seed=4, confidence=0.9)
    found = document(HARVEST, "-m", name, "--resamples", 100, "--seed", 4, "--confidence", 0.9)
    assert {key: found[key] for key in expected.asdict()} == json.loads(json.dumps(expected.asdict()))
    assert (found["systems"], found["segments"], found["references"]) == (SYSTEMS, 12, 1)
    assert found["notes"] == ["elm: 1 of 12 segments have no judgment"]


def test_human_scores_are_sums_of_adequacy_and_fluency_averaged_over_judges():
    lines = [line.split("\t") for line in (HARVEST / "human.tsv").read_text().splitlines()[1:]]
    sums = {}
    for system, segment, _, adequacy, fluency in lines:
        sums.setdefault((system, segment), []).append(int(adequacy) + int(fluency))
    segments = {key: statistics.mean(values) for key, values in sums.items()}
    found = document(HARVEST, "-m", "wer", "--resamples", 0)["human"]
    for system in SYSTEMS:
        expected = statistics.mean(value for (name, _), value in segments.items() if name == system)
        assert found[system]["score"] == pytest.approx(expected)
    halves = document(HARVEST, "-m", "wer", "--resamples", 0, "--combine", "mean")["human"]
    assert halves["fir"]["score"] == found["fir"]["score"] / 2
    fluency = document(HARVEST, "-m", "wer", "--resamples", 0, "--human-scores", "fluency")["human"]
    adequacy = document(HARVEST, "-m", "wer", "--resamples", 0, "--human-scores", "adequacy")["human"]
    assert fluency["fir"]["score"] + adequacy["fir"]["score"] == pytest.approx(found["fir"]["score"])


def test_text_has_the_tables_that_are_asked_for():
    done = good(correlate(HARVEST, "-m", "bleu,wer", "--tables", "system"))
    heading, header, bleu, wer = done.stdout.splitlines()
    assert heading == "Systems: 5"
    assert header.split("  ")[-1] == "Williams"
    assert re.fullmatch(r"bleu ↑   0\.8699 ± 0\.\d{4}    0\.9000   0\.8000 *", bleu)
    assert re.fullmatch(r"wer ↓   -0\.7847 ± 0\.\d{4}   -0\.9000  -0\.8000     0\.\d{4}    0\.\d{4}", wer)
    assert done.stderr.splitlines()[1:3] == [
        "elm: 1 of 12 segments have no judgment",
        "12 segments, 1 reference; ± 95 % of 1000 resamples, seed 0",
    ]
    every = good(correlate(HARVEST, "-m", "bleu,wer", "--tables", "scores,by-system,segment,differentials"))
    headings = [line for line in every.stdout.splitlines() if re.match("[A-Z]", line)]
    assert headings == [
        "Scores of systems",
        "Segments of each system: Pearson",
        "Segments: 59 with human scores; mean over systems, and pooled",
        "Pairs of systems: 10",
    ]


def test_without_resamples_there_are_neither_intervals_nor_p_values():
    done = good(correlate(HARVEST, "-m", "bleu,wer", "--resamples", 0, "--group-by", "human", "--bin-width", 1))
    assert "±" not in done.stdout + done.stderr
    assert "p vs" not in done.stdout
    found = document(HARVEST, "-m", "bleu,wer", "--resamples", 0)
    assert found["system"]["bleu"]["interval"] is None


def test_the_same_seed_gives_the_same_text_whoever_works_at_it():
    arguments = (HARVEST, "-m", "bleu,wer,nist", "--resamples", 50, "--seed", 9)
    assert good(correlate(*arguments)) == good(correlate(*arguments, "--workers", 3))
    assert correlate(*arguments).stdout != correlate(*arguments[:-1], 8).stdout


def test_the_baseline_is_what_p_values_compare_with():
    done = good(correlate(HARVEST, "-m", "bleu,wer,f1", "--baseline", "wer", "--tables", "system"))
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert "p vs wer" in done.stdout
    assert [len(row) for row in rows[1:]] == [9, 7, 9]


def test_groups_are_shown_and_small_ones_marked():
    done = good(correlate(HARVEST, "-m", "f1", "--group-by", "unigram", "--smallest", 8, "--tables", "system"))
    groups = done.stdout.split("\n\n")[1].splitlines()
    assert groups[0] == "Groups by unigram score; * of fewer than 8 segments"
    sizes = [line.split()[1:3] for line in groups[2:]]
    assert all((star == "*") == (int(size) < 8) for size, star in sizes)
    assert sum(int(size) for size, _ in sizes) == 59
    found = document(HARVEST, "-m", "bleu", "--group-by", "unigram", "--unigram", "recall", "--resamples", 0)["groups"]
    assert (found["by"], found["width"], found["smallest"]) == ("unigram", 0.1, 100)
    assert found["metrics"]["bleu"]["large"]["reason"] == "there is no group"
    assert sum(group["size"] for group in found["groups"]) == 59
    human = document(HARVEST, "-m", "bleu", "--group-by", "human", "--bin-width", 1, "--resamples", 0)["groups"]
    for group in human["groups"]:
        assert abs(group["human"] - group["value"]) <= 0.5


def test_tsv_has_the_values_of_the_document():
    lines = good(correlate(HARVEST, "-m", "bleu,wer", "--format", "tsv")).stdout.splitlines()
    header, *rows = (line.split("\t") for line in lines)
    table = {tuple(row[:4]): dict(zip(header, row, strict=True)) for row in rows}
    found = document(HARVEST, "-m", "bleu,wer")
    for level in ("system", "differentials"):
        for metric, one in found[level].items():
            row = table[level, metric, "", "pearson"]
            assert (row["value"], row["low"]) == (str(one["pearson"]), str(one["interval"]["low"]))
    assert table["differentials", "wer", "", "agreement"]["value"] == str(found["differentials"]["wer"]["agreement"])
    assert table["segment", "bleu", "pooled", "kendall"]["value"] == str(found["segment"]["bleu"]["pooled"]["kendall"])
    assert table["segment", "bleu", "fir", "pearson"]["value"] == ""
    assert table["segment", "bleu", "fir", "pearson"]["reason"] == found["segment"]["bleu"]["systems"]["fir"]["reason"]
    assert table["scores", "human", "fir", "score"]["value"] == str(found["human"]["fir"]["score"])


def test_tsv_has_the_groups_of_the_document():
    options = (HARVEST, "-m", "bleu,fmean", "--group-by", "human", "--bin-width", 2, "--smallest", 12)
    lines = good(correlate(*options, "--format", "tsv")).stdout.splitlines()
    header, *rows = (line.split("\t") for line in lines)
    table = {tuple(row[1:4]): dict(zip(header, row, strict=True)) for row in rows if row[0] == "groups"}
    found = document(*options)["groups"]
    assert len(table) == 3 * len(found["groups"]) + 2 * 2 * 3
    for group in found["groups"]:
        for metric, value in {"human": group["human"], **group["scores"]}.items():
            row = table[metric, f"{group['value']:g}", "score"]
            assert (row["value"], row["points"]) == (str(value), str(group["size"]))
    for metric, one in found["metrics"].items():
        for place, these in (("every", one), ("large", one["large"])):
            row = table[metric, place, "pearson"]
            assert (row["value"], row["low"], row["points"]) == (
                str(these["pearson"]), str(these["interval"]["low"]), str(these["points"])
            )  # fmt: skip


def test_nothing_in_tsv_is_empty_without_a_reason(harvest):
    file(harvest, "human.tsv", "system\tscore\nalder\t2\nbirch\t3\n")
    rewrite(harvest / "ref.txt", lambda lines: [""] * len(lines))
    header, *rows = good(correlate(harvest, "-m", "bleu,wer", "--format", "tsv")).stdout.splitlines()
    value, reason = (header.split("\t").index(name) for name in ("value", "reason"))
    fields = [row.split("\t") for row in rows]
    assert all(bool(row[value]) != bool(row[reason]) for row in fields)
    assert {row[reason] for row in fields if row[0] == "scores"} == {
        "", "nobody judged it", "the metric is undefined for its output"
    }  # fmt: skip
    assert {tuple(row[1:]) for row in fields if row[0] == "segment"} == {
        (metric, "average", "pearson", "", "", "", "", "0", "there are no human scores of segments")
        for metric in ("bleu", "wer")
    }


def test_both_sides_are_rewritten_by_a_grammar(harvest):
    pytest.importorskip("pynini")
    rewrite(
        harvest / "ref.txt",
        lambda lines: [f"He's {k}: {line}".replace("nobody had seen", "they saw") for k, line in enumerate(lines)],
    )
    found = document(harvest, "-m", "bleu,wer", "--normalize", "english", "--resamples", 0)
    for path in (harvest / "systems").iterdir():
        rewrite(path, lambda lines: map(lm.normalize, lines))
    readings = [
        [" ".join(path.words) for path in lm.normalize_reference(line).paths()]
        for line in (harvest / "ref.txt").read_text(encoding="utf-8").splitlines()
    ]
    (harvest / "ref.txt").unlink()
    assert {len(several) for several in readings} == {3}
    for number, column in enumerate(zip(*readings, strict=True)):
        file(harvest, f"ref{number}.txt", "\n".join(column) + "\n")
    expected = document(harvest, "-m", "bleu,wer", "--resamples", 0)
    for level in ("scores", "system", "segment"):
        assert found[level] == expected[level]
    assert found["signatures"]["wer"] == f"wer|refs:3|case:mixed|tok:none|norm:english|v:{lm.__version__}"


def test_meteor_is_left_out_without_wordnet_unless_it_is_asked_for(tmp_path, monkeypatch):
    from latticemetric.cli.correlate import MetricOptions
    from latticemetric.metrics import wordnet

    monkeypatch.setattr(wordnet, "_folders", lambda *_: iter([tmp_path]))
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))  # what was found before is not asked for again
    others = dict.fromkeys(("tokenize", "normalize", "effective_length", "baseline"))
    metrics, notes = MetricOptions(metric=(), lowercase=False, **others).named()
    assert "meteor" not in {metric.name for metric in metrics}
    assert len(metrics) == 16
    assert len(notes) == 1
    assert notes[0].startswith("meteor: left out, because there is no WordNet; get WordNet: ")
    metrics, notes = MetricOptions(metric=("meteor",), lowercase=False, **others).named()
    assert ([metric.name for metric in metrics], notes) == (["meteor"], ())


def test_what_is_done_to_strings_is_in_the_signatures():
    pytest.importorskip("sacrebleu")
    options = ("-m", "bleu", "-tok", "13a", "-lc", "--effective-length", "average", "--resamples", 0)
    found = document(HARVEST, *options, "--short-signature")["signatures"]
    assert "|length:average|" in found["bleu"]
    assert "|c:lc|tok:13a|" in found["bleu"]


# --- Layouts


def test_a_long_table_says_the_same_as_a_folder(harvest, tmp_path):
    judged = read_judged(str(harvest))
    rows = [["system", "segment", "judge", "hypothesis", "reference", "adequacy", "fluency"]]
    said = [line.split("\t") for line in (harvest / "human.tsv").read_text().splitlines()[1:]]
    for system, segment, judge, adequacy, fluency in said:
        k, s = int(segment) - 1, judged.systems.index(system)
        texts = [judged.outputs[s][k], judged.references[k][0]]
        rows.append([system, segment, judge, *texts, adequacy, fluency])
    # Nobody judged the last segment of elm: its row has no scores.
    rows.append(["elm", "12", "", judged.outputs[3][11], judged.references[11][0], "", ""])
    table = file(tmp_path, "all.tsv", "\n".join("\t".join(row) for row in rows) + "\n")
    one, other = (document(path, "-m", "bleu,wer,nist") for path in (harvest, table))
    assert {**one, "test_set": ""} == {**other, "test_set": ""}
    packed = file(tmp_path, "all.tsv.gz", gzip.compress(table.read_bytes()))
    assert document(packed, "-m", "bleu")["system"] == document("-", "-m", "bleu", stdin=table.read_bytes())["system"]


def test_the_long_example_has_three_systems():
    found = document(LONG, "-m", "wer", "--resamples", 0)
    assert (found["systems"], found["segments"]) == (["birch", "cedar", "fir"], 4)


def test_several_references_are_files_of_a_folder_or_columns(harvest, tmp_path):
    (harvest / "references").mkdir()
    (harvest / "ref.txt").rename(harvest / "references" / "a.txt")
    shutil.copy(harvest / "systems" / "alder.txt", harvest / "references" / "b.txt")
    found = document(harvest, "-m", "wer", "--resamples", 0)
    assert (found["references"], found["scores"]["wer"]["alder"]["score"]) == (2, 0)
    one = document(harvest, "-m", "wer", "--resamples", 0, "--reference", harvest / "references" / "a.txt")
    assert one["system"] == document(HARVEST, "-m", "wer", "--resamples", 0)["system"]
    text = "system\tsegment\thypothesis\treference\treference_2\tscore\na\t1\tx y\tx z\tx y\t1\nb\t1\tz\tx z\tx y\t2\n"
    table = document(file(tmp_path, "two.tsv", text), "-m", "wer", "--resamples", 0)
    assert (table["references"], table["scores"]["wer"]["a"]["score"]) == (2, 0)


def test_scores_of_whole_systems_take_the_place_of_means(harvest):
    rows = ["system\tscore", *(f"{name}\t{k}" for k, name in enumerate(SYSTEMS))]
    human = file(harvest, "whole.tsv", "\n".join(rows) + "\n")
    found = document(harvest, "--human", human, "-m", "bleu", "--resamples", 20)
    assert [one["score"] for one in found["human"].values()] == [0, 1, 2, 3, 4]
    assert found["human"]["fir"]["half_width"] == 0
    assert found["segment"]["bleu"] == {"pearson": None, "reason": "there are no human scores of segments"}
    assert "Segments: none has a human score" in good(correlate(harvest, "--human", human, "-m", "bleu")).stdout


def test_a_system_may_be_left_out():
    found = document(HARVEST, "-m", "bleu", "--leave-out", "fir", "--leave-out", "elm", "--resamples", 0)
    assert found["systems"] == ["alder", "birch", "cedar"]
    assert found["system"]["bleu"]["points"] == 3
    assert found["notes"] == []


def test_systems_that_were_judged_and_are_not_there_are_told(harvest):
    (harvest / "systems" / "fir.txt").unlink()
    done = good(correlate(harvest, "-m", "bleu", "--resamples", 0))
    assert "fir: left out, since there is no output (judged 24 times)" in done.stderr


def test_a_baseline_without_correlation_is_why_there_is_no_p_value(harvest):
    rewrite(harvest / "ref.txt", lambda lines: [" ".join(line.split()[:2]) for line in lines])
    human = file(harvest, "two.tsv", "system\tsegment\tscore\nalder\t1\t1\nalder\t2\t2\nfir\t3\t2\nfir\t4\t3\n")
    options = ["--leave-out", "birch", "--leave-out", "cedar", "--leave-out", "elm", "--tables", "system,segment"]
    done = good(correlate(harvest, "--human", human, "-m", "bleu,f1,precision", *options))
    lines = [line for line in done.stdout.splitlines() if line.startswith(("f1", "precision"))]
    assert len(lines) == 4
    for line in lines:
        assert "p: bleu has no correlation" in line


def test_one_metric_is_compared_with_nothing():
    assert "p vs" not in good(correlate(HARVEST, "-m", "bleu")).stdout


def test_one_system_is_told_in_words():
    options = [option for name in SYSTEMS[1:] for option in ("--leave-out", name)]
    done = good(correlate(HARVEST, "-m", "bleu,wer", *options))
    assert done.stdout.count("(there is one system, and a correlation needs two)") == 2
    assert done.stdout.count("(there is no pair of systems)") == 2
    assert "nan" not in done.stdout


def test_a_system_that_nobody_judged_is_told_in_words(harvest):
    rewrite(harvest / "human.tsv", lambda lines: [line for line in lines if not line.startswith("elm")])
    found = document(harvest, "-m", "bleu", "--resamples", 5)
    assert found["system"]["bleu"]["reason"] == "there is no human score of elm"
    assert found["human"]["elm"]["reason"] == "nobody judged it"
    assert any(note.startswith("elm: no human score; leave these systems out") for note in found["notes"])
    assert "there is no judged segment" in found["segment"]["bleu"]["systems"]["elm"]["reason"]


# --- WMT's folders, in small


@pytest.fixture
def wmt17(tmp_path):
    """Two language pairs with the same texts."""
    folder = tmp_path / "wmt17"
    for pair, reference in (("cs-en", "csen"), ("de-en", "deen")):
        outputs = folder / "system-outputs" / pair
        outputs.mkdir(parents=True)
        for name in SYSTEMS[:4]:
            shutil.copy(HARVEST / "systems" / f"{name}.txt", outputs / f"newstest2017.{name}.12.{pair}")
        (folder / "references").mkdir(exist_ok=True)
        shutil.copy(HARVEST / "ref.txt", folder / "references" / f"newstest2017-{reference}-ref.en")
    whole = [f"{pair} {4 - k} {name}.12" for pair in ("cs-en", "de-en") for k, name in enumerate(SYSTEMS[:4])]
    file(folder, "DA-syslevel.csv", "\n".join(["LP HUMAN SYSTEM", *whole]) + "\n")
    rows = ["cs-en set alder.12 1 0.5", "cs-en set alder.12+birch.12 5 -0.25", "cs-en set birch.12 1 0.1"]
    rows += ["cs-en set cedar.12 3 -1", "cs-en set elm.12 6 1", "de-en set elm.12 7 1"]
    file(folder, "DA-seglevel.csv", "\n".join(["LP DATA SYSTEM SID HUMAN", *rows]) + "\n")
    return folder


def test_direct_assessment_of_wmt_is_read(wmt17):
    pytest.importorskip("sacrebleu")
    found = document(wmt17, "--pair", "cs-en", "-m", "bleu", "--resamples", 0)
    assert found["systems"] == [f"{name}.12" for name in SYSTEMS[:4]]
    assert [one["score"] for one in found["human"].values()] == [4, 3, 2, 1]
    assert [one["judged_segments"] for one in found["human"].values()] == [2, 2, 1, 1]
    assert "|length:closest|" in found["signatures"]["bleu"]
    assert "|tok:13a|" in found["signatures"]["bleu"]
    judged = read_judged(str(wmt17), pair="cs-en")
    expected = human_scores(judged.judgments).segment
    assert (expected[0, 0], expected[0, 4], expected[1, 4], expected[3, 5]) == (0.5, -0.25, -0.25, 1)
    assert np.isnan(expected[0, 1])
    plain = document(wmt17, "--pair", "cs-en", "-m", "bleu", "--resamples", 0, "-tok", "none")
    assert "|tok:none|" in plain["signatures"]["bleu"]


def test_language_pairs_are_to_be_chosen(wmt17):
    assert_one_line_error(correlate(wmt17), "there are several language pairs; choose with --pair: cs-en, de-en")
    assert_one_line_error(correlate(wmt17, "--pair", "fr-en"), "no language pair 'fr-en'; choose with --pair: cs-en")
    assert_one_line_error(correlate(HARVEST, "--pair", "cs-en"), "--pair is for folders of WMT")


def test_several_language_pairs_have_their_tables_and_ranks_over_all(wmt17):
    pytest.importorskip("sacrebleu")
    options = ("-m", "bleu,wer", "--resamples", 0, "--trials", 50, "--human-scores", "score")
    names = "accuracy,pearson,acc-eq:system"
    found = document(wmt17, "--pair", "cs-en,de-en", "--ranks", names, *options)
    assert list(found["pairs"]) == ["cs-en", "de-en"]
    for pair, one in found["pairs"].items():
        alone = document(wmt17, "--pair", pair, *options)
        assert one == alone
    tasks = found["ranks"]["tasks"]
    pearsons = ["cs-en pearson", "de-en pearson"]
    assert list(tasks) == ["accuracy", *pearsons, "cs-en acc-eq", "de-en acc-eq"]
    sides = [read_judged(str(wmt17), pair=pair) for pair in ("cs-en", "de-en")]
    for metric, sign in (("bleu", 1), ("wer", -1)):
        scores = [
            [sign * one["scores"][metric][system]["score"] for system in one["systems"]]
            for one in found["pairs"].values()
        ]
        people = [human_scores(side.judgments).system for side in sides]
        pooled = lm.evaluation.pairwise_accuracy(list(zip(people, scores, strict=True)))
        assert pooled.pairs == 12
        assert tasks["accuracy"]["values"][metric] == pytest.approx(pooled.value)
    assert document(wmt17, "--pair", "all", *options)["ranks"]["tasks"]["accuracy"] == tasks["accuracy"]
    text = good(correlate(wmt17, "--pair", "cs-en", "--pair", "de-en", *options))
    assert re.findall("^== .*", text.stdout, re.MULTILINE) == ["== cs-en", "== de-en", "== cs-en, de-en"]
    rows = [
        line.split("\t")
        for line in good(correlate(wmt17, "--pair", "all", *options, "--format", "tsv")).stdout.splitlines()
    ]
    assert rows[0][:2] == ["pair", "table"]
    assert {row[0] for row in rows[1:] if row[1] == "ranks"} == {""}
    assert {row[0] for row in rows[1:]} == {"", "cs-en", "de-en"}


def test_names_of_files_hold_the_place_of_the_language_pair(wmt17, tmp_path):
    pytest.importorskip("sacrebleu")
    options = ("--pair", "all", "--resamples", 0, "--trials", 20, "--human-scores", "score")
    good(correlate(wmt17, *options, "-m", "f1,wrr", "--write-scores", tmp_path / "scores/{pair}"))
    outside = ("-m", "none", "--metric-scores", tmp_path / "scores/{pair}")
    assert set(document(wmt17, *options, *outside)["ranks"]["metrics"]) == {"f1", "wrr"}
    for level in ("seg", "sys"):
        (tmp_path / "scores" / "de-en" / f"f1.{level}.score").unlink()
    fewer = document(wmt17, *options, *outside)
    assert set(fewer["ranks"]["metrics"]) == {"wrr"}
    assert fewer["notes"] == ["f1: not ranked, since some language pairs have no scores"]
    found = document(wmt17, *options, "-m", "f1", "--leave-out", "de-en:elm.12", "--leave-out", "alder.12")
    assert [one["systems"] for one in found["pairs"].values()] == [
        ["birch.12", "cedar.12", "elm.12"],
        ["birch.12", "cedar.12"],
    ]
    once = correlate(wmt17, *options, "-m", "f1", "--write-scores", tmp_path / "all.tsv")
    assert_one_line_error(
        once, "--write-scores: several language pairs would write the same file; write {pair} into the name"
    )
    (tmp_path / "empty").mkdir()
    assert_one_line_error(
        correlate(HARVEST, "-m", "none", "--metric-scores", tmp_path / "empty"), "the folder has no scores"
    )


def test_a_ranking_of_wmt_is_read(tmp_path):
    folder = tmp_path / "wmt21"
    shutil.copytree(HARVEST / "systems", folder / "sys")
    for name in "AB":
        shutil.copy(HARVEST / "ref.txt", folder / f"ref.{name}.en")
    rows = [f"70 {k / 10} 9 12 {name}.txt.{k}" for k, name in enumerate(SYSTEMS)] + ["80 0.9 9 12 HUMAN.0"]
    file(folder, "ad-sys-ranking-cs-en-z.csv", "\n".join(rows) + "\n")
    found = document(folder, "-m", "wer", "--resamples", 0, "-tok", "none")
    assert [one["score"] for one in found["human"].values()] == [0, 0.1, 0.2, 0.3, 0.4]
    assert found["references"] == 2
    assert found["notes"] == ["HUMAN: left out, since there is no output (judged 1 time)"]
    file(folder, "ad-sys-ranking-cs-en-z.csv", "70 0.1\n")
    assert_one_line_error(correlate(folder), r"ad-sys-ranking-cs-en-z\.csv:1: the row has 2 fields, not 5")


# --- Plots


@pytest.mark.parametrize(
    ("level", "suffix"),
    [("system", "svg"), ("differentials", "png"), ("segment", "pdf"), ("groups", "svg")],
)
def test_plots_are_drawn_and_always_the_same(tmp_path, level, suffix):
    pytest.importorskip("matplotlib")
    options = ("-m", "bleu,wer", "--plot-level", level, "--resamples", 5, "--group-by", "human", "--bin-width", 1)
    drawn = []
    for number in range(2):
        path = tmp_path / f"{number}.{suffix}"
        good(correlate(HARVEST, *options, "--plot", path))
        drawn.append(path.read_bytes())
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix])


LINE = "#d55e00"


def test_a_plot_shows_every_system_and_the_line(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    good(correlate(HARVEST, "-m", "bleu", "--plot", path, "--resamples", 0))
    text = path.read_text(encoding="utf-8")
    for word in (*SYSTEMS, "bleu: r = 0.870", "human score"):
        assert word in text
    assert LINE in text


def test_a_plot_of_what_is_undefined_is_drawn_without_a_line(tmp_path):
    pytest.importorskip("matplotlib")
    options = [option for name in SYSTEMS[1:] for option in ("--leave-out", name)]
    path = tmp_path / "plot.svg"
    good(correlate(HARVEST, "-m", "bleu", "--plot", path, *options))
    text = path.read_text(encoding="utf-8")
    assert "bleu: undefined" in text
    assert LINE not in text


def test_a_plot_of_some_systems_without_human_scores_has_no_line(harvest):
    pytest.importorskip("matplotlib")
    file(harvest, "human.tsv", "system\tscore\nalder\t2\nbirch\t3\n")
    path = harvest / "plot.svg"
    good(correlate(harvest, "-m", "bleu", "--plot", path))
    text = path.read_text(encoding="utf-8")
    assert "bleu: undefined" in text
    assert "alder" in text
    assert "cedar" not in text
    assert LINE not in text


def test_labels_are_on_the_side_that_the_line_is_not_on():
    from latticemetric.corpus.report.plots import _to_the_left

    x, above, below = np.array([0.0, 4, 6, 10]), np.array([1.0, 5, 7, 11]), np.array([-1.0, 3, 5, 9])
    short, long = np.full(4, 20.0), np.full(4, 90.0)
    for sign in (1, -1):
        assert _to_the_left(x, sign * above, (sign, 0.0), short).tolist() == [True, True, True, True]
        assert _to_the_left(x, sign * below, (sign, 0.0), short).tolist() == [False, False, False, False]
        # A long label at an edge would take too much room outside.
        assert _to_the_left(x, sign * above, (sign, 0.0), long).tolist() == [False, True, True, True]
        assert _to_the_left(x, sign * below, (sign, 0.0), long).tolist() == [False, False, False, True]
    assert _to_the_left(x, above, None, short).tolist() == [False, False, True, True]
    assert _to_the_left(np.array([2.0]), np.array([1.0]), None, np.array([20.0])).tolist() == [False]


def test_labels_that_would_hide_one_another_are_pushed_apart():
    from latticemetric.corpus.report.plots import _apart

    heights = np.array([0.0, 1.0, 1.5, 50, 50, 90])
    found = _apart(heights)
    assert (np.diff(np.sort(found)) > 6.8).all()
    assert np.argsort(found, kind="stable").tolist() == np.argsort(heights, kind="stable").tolist()
    assert found.mean() == pytest.approx(heights.mean())
    assert _apart(np.array([0.0, 40, 80])).tolist() == [0, 40, 80]


def test_plots_without_matplotlib_are_told_before_anything_is_computed(tmp_path):
    import os

    file(tmp_path, "matplotlib.py", "raise ModuleNotFoundError('not there')\n")
    done = correlate(HARVEST, "--plot", tmp_path / "p.svg", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert_one_line_error(done, r"plots need matplotlib, which is not installed; pip install 'latticemetric\[report\]'")


def test_a_library_that_is_installed_and_cannot_be_loaded_is_not_called_missing(tmp_path):
    import os

    file(tmp_path, "matplotlib.py", "raise ImportError('libpng.so: no such file\\n\\nFor help, see …')\n")
    done = correlate(HARVEST, "--plot", tmp_path / "p.svg", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    told = r"plots need matplotlib, which is installed but cannot be loaded \(libpng.so: no such file For help, see …\)"
    assert_one_line_error(done, f"{told}; reinstall or upgrade it")


# --- Mistakes


def test_missing_parts_of_a_folder_are_named(harvest, tmp_path):
    assert_one_line_error(correlate(tmp_path / "nowhere"), "nowhere: there is no such file or folder; check the path")
    (harvest / "human.tsv").rename(tmp_path / "human.tsv")
    assert_one_line_error(correlate(harvest), r"harvest: there is no human\.tsv; a folder has systems/")
    (harvest / "ref.txt").unlink()
    assert_one_line_error(correlate(harvest, "--human", tmp_path / "human.tsv"), "harvest: there are no references;")
    shutil.rmtree(harvest / "systems")
    assert_one_line_error(correlate(harvest), "systems: there is no such folder, or it has no files")


def test_two_files_of_one_system_are_refused(harvest):
    shutil.copy(harvest / "systems" / "alder.txt", harvest / "systems" / "alder.tok")
    message = r"systems: there are two files of the system 'alder': alder\.tok and alder\.txt; keep one of them"
    assert_one_line_error(correlate(harvest), message)


def test_outputs_of_other_lengths_are_named(harvest):
    rewrite(harvest / "systems" / "birch.txt", lambda lines: lines[:-1])
    assert_one_line_error(correlate(harvest), r"alder\.txt has 12 lines, but .*birch\.txt has 11 lines; line k of each")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: [], "the header has no column 'system'"),
        (lambda lines: lines[:1], "the table has no rows"),
        (lambda _: ["system\tsegment\tjudge", "alder\t1\tanna"], "the table has no column of scores; add one"),
        (lambda lines: [lines[0].replace("fluency", "judge"), *lines[1:]], "two columns have the name 'judge'"),
        (lambda lines: [*lines, "alder\t1\tanna\t5"], r"human\.tsv:120: the row has 4 fields, but the header has 5"),
        (lambda lines: [*lines, "alder\t13\tanna\t5\t5"], "no segment '13'; the first segment is 1, the last is 12"),
        (
            lambda lines: [*lines, "alder\t1\tcleo\tgood\t5"],
            "adequacy is 'good', which is not a number; leave the field empty",
        ),
        (lambda lines: [*lines, "alder\t1\tcleo\t5\tinf"], "fluency is 'inf', which is not a number"),
        (
            lambda lines: [lines[0], "oak\t1\tanna\t5\t5"],
            "no human score belongs to a system with outputs; use these names of systems: alder, birch",
        ),
        (
            lambda lines: [lines[0].replace("fluency", "z"), *lines[1:]],
            "several columns of scores: adequacy, z; choose one of them",
        ),
    ],
)
def test_tables_that_make_no_sense_are_told(harvest, change, message):
    rewrite(harvest / "human.tsv", change)
    assert_one_line_error(correlate(harvest), message)


LINES = ["system\tsegment\thypothesis\treference\tscore", "a\t1\tx\ty\t1", "a\t2\tx\ty\t1", "b\t1\tx\ty\t2"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (LINES, "system b has 1 segments of 2: '2' is missing; add one row per segment"),
        ([*LINES, "b\t2\tx\tz\t1"], "t:5: the reference for segment '2' differs from a row above"),
        ([*LINES, "b\t1\tz\ty\t1"], "t:5: the output of b for segment '1' differs"),
        ([*LINES, "b\t\tz\ty\t1"], "t:5: the row has no segment"),
        ([line.rpartition("\t")[0] for line in LINES], "the table has no column of scores"),
        (["system\tsegment\ttext"], "the header has no column 'hypothesis'; its columns are system, segment, text"),
        (LINES[:1], "the table has no rows"),
    ],
)
def test_long_tables_that_make_no_sense_are_told(tmp_path, lines, message):
    assert_one_line_error(correlate(file(tmp_path, "t", "\n".join(lines) + "\n")), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([LONG, "--human", "x"], r"harvest\.tsv: --human needs a folder, but this is a file; leave it out"),
        ([HARVEST, "-m", "blue"], "there is no metric 'blue'"),
        ([HARVEST, "-m", "bleu", "--baseline", "wer"], "--baseline: wer is not among the metrics; choose bleu"),
        (
            [HARVEST, "--unigram", "f1,recall"],
            "--unigram: 'f1,recall' names several metrics, but this option takes one; name one",
        ),
        ([HARVEST, "--tables", "sytem"], "--tables: there is no table 'sytem'; choose among system"),
        ([HARVEST, "--tables", ","], "--tables: no table is named"),
        ([HARVEST, "--leave-out", "oak"], "there is no system 'oak'; the systems are alder, birch"),
        ([HARVEST, "--human-scores", "grace"], "there is no score column 'grace'; choose among adequacy, fluency"),
        ([HARVEST, "--human-scores", ","], "no score column is given; choose among adequacy, fluency"),
        ([HARVEST, "--plot", "plot.txt"], r"plot\.txt: the suffix is not a picture format; use one of \.svg"),
        (
            [HARVEST, "--plot", "p.svg", "--plot-level", "groups"],
            "--plot-level: there are no groups to plot; make groups with",
        ),
        ([HARVEST, "-m", "wer", "--plot", "no/where/p.svg"], "no/where/p.svg: cannot be written: No such file"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message):
    if "--plot" in arguments:
        pytest.importorskip("matplotlib")
    assert_one_line_error(correlate(*arguments), message)


@pytest.mark.parametrize("by", ["human", "unigram"])
def test_without_judged_segments_there_are_no_groups(harvest, by):
    file(harvest, "human.tsv", "system\tscore\n" + "".join(f"{name}\t{len(name)}\n" for name in SYSTEMS))
    done = correlate(harvest, "-m", "bleu", "--group-by", by)
    assert_one_line_error(done, "no segment has both a human score and a value to group by; do not group segments")


def test_an_empty_table_is_told(harvest):
    (harvest / "human.tsv").write_text("", encoding="utf-8")
    assert_one_line_error(correlate(harvest), r"human\.tsv: the table is empty; its header needs system")


def test_nothing_is_left_to_be_judged(harvest):
    options = [option for name in SYSTEMS for option in ("--leave-out", name)]
    assert_one_line_error(correlate(harvest, *options), "no system is left")
    human = file(harvest, "fir.tsv", "system\tsegment\tscore\nfir\t1\t2\n")
    done = correlate(harvest, "--human", human, "--leave-out", "fir", "-m", "wer")
    assert_one_line_error(done, "there are no judgments")


# --- Scores from outside, ranks, languages


def test_written_scores_are_read_back_with_their_direction(tmp_path):
    options = ("--ranks", "accuracy,pearson", "--tables", "system")
    written = document(HARVEST, "-m", "bleu,wer", *options, "--write-scores", tmp_path / "scores")
    again = document(HARVEST, "-m", "none", "--metric-scores", tmp_path / "scores", *options)
    values = [found["ranks"]["tasks"]["pearson"]["values"] for found in (written, again)]
    assert values[0] == pytest.approx(values[1])
    places = [{name: one["rank"] for name, one in found["ranks"]["metrics"].items()} for found in (written, again)]
    assert places[0] == places[1]
    assert again["system"]["wer"]["pearson"] == pytest.approx(-written["system"]["wer"]["pearson"])


def test_missing_scores_from_outside_are_said(tmp_path):
    table = tmp_path / "scores.jsonl"
    rows = [
        {"system": system, "segment": str(number), "mine": 0.1 * number}
        for system in ("alder", "birch", "cedar", "elm", "fir")
        for number in range(1, 13)
        if system != "birch" or number < 3
    ]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = good(correlate(HARVEST, "-m", "none", "--metric-scores", table, "--resamples", 0))
    assert "mine: 10 of 12 segments of birch have no score" in done.stderr
    assert done.stderr.count("have no score") == 1
    table = tmp_path / "systems.tsv"
    table.write_text(
        "\n".join(["system\tA\tB", *(f"{name}\t{k}\t{k if k != 3 else ''}" for k, name in enumerate(SYSTEMS))])
    )
    done = good(correlate(HARVEST, "-m", "none", "--metric-scores", table, "--resamples", 0, "--ranks", "accuracy"))
    assert "B: no score of the whole system: elm; ranks by systems compare only the others" in done.stderr
    assert "A: no score" not in done.stderr


def test_options_of_groups_need_groups():
    assert_one_line_error(correlate(HARVEST, "--smallest", 3), "--smallest has no effect without --group-by")


def test_scores_from_outside_stand_beside_the_metrics(tmp_path):
    table = tmp_path / "scores.tsv"
    good(correlate(HARVEST, "-m", "f1,wer", "--write-scores", table))
    renamed = tmp_path / "outside.tsv"
    renamed.write_text(table.read_text().replace("\tf1\t", "\tMINE\t").replace("\twer", "\tTHEIRS"))
    found = document(HARVEST, "-m", "f1", "--metric-scores", renamed, "--resamples", 50)
    assert list(found["system"]) == ["f1", "MINE", "THEIRS"]
    for level in ("system", "segment"):
        assert found[level]["MINE"]["pearson"] == pytest.approx(found[level]["f1"]["pearson"])
    assert list(found["signatures"]) == ["f1"]
    # Scores of whole systems stay the same in resamples: no p-value of them.
    assert {one["p_bootstrap"] for one in found["comparisons"]["system"]} == {None}
    only = document(HARVEST, "-m", "none", "--metric-scores", renamed, "--baseline", "THEIRS")
    assert list(only["system"]) == ["MINE", "THEIRS"]
    assert_one_line_error(
        correlate(HARVEST, "-m", "f1", "--metric-scores", table), "'f1' is also the name of a metric in --metric"
    )


def test_systems_without_a_score_have_their_mean_if_the_others_have_theirs(tmp_path):
    rows = {name: [k / 10, k / 20] for k, name in enumerate(SYSTEMS, start=1)}
    segments = [f"{name}\t{rows[name][k % 2]}" for name in SYSTEMS for k in range(12)]
    (tmp_path / "m.seg.score").write_text("\n".join(segments) + "\n")
    means = {name: statistics.mean(scores) for name, scores in rows.items()}
    for factor, is_mean in ((1, True), (2, False)):
        systems = [f"{name}\t{factor * means[name]}" for name in SYSTEMS if name != "elm"] + ["elm\tNone"]
        (tmp_path / "m.sys.score").write_text("\n".join(systems) + "\n")
        found = document(HARVEST, "-m", "none", "--metric-scores", tmp_path, "--resamples", 50)
        elm = found["scores"]["m"]["elm"]
        assert elm["score"] == (pytest.approx(means["elm"]) if is_mean else None)
        assert (found["system"]["m"]["reason"] is None) is is_mean


def test_groups_have_the_means_of_segment_scores_also_if_systems_have_scores_from_outside(tmp_path):
    good(correlate(HARVEST, "-m", "f1,bleu", "--write-scores", tmp_path / "with"))
    shutil.copytree(tmp_path / "with", tmp_path / "without")
    for name in ("f1", "bleu"):
        (tmp_path / "without" / f"{name}.sys.score").unlink()
    grouped = ("--group-by", "human", "--bin-width", 2, "--smallest", 12, "--resamples", 20)
    given, means = (
        document(HARVEST, "-m", "none", "--metric-scores", tmp_path / name, *grouped)["groups"]
        for name in ("with", "without")
    )
    assert given == means
    (tmp_path / "without" / "f1.seg.score").unlink()
    (tmp_path / "with" / "f1.seg.score").unlink()
    groups = document(HARVEST, "-m", "none", "--metric-scores", tmp_path / "with", *grouped)["groups"]
    assert {group["scores"]["f1"] for group in groups["groups"]} == {None}
    assert groups["metrics"]["f1"]["reason"] == "the metric is undefined for all groups"


def test_metrics_are_ranked_by_several_statistics():
    names = "accuracy,spa,acc-t,pearson:segment,tau-23:segment"
    found = document(HARVEST, "-m", "bleu,f1,wer", "--ranks", names, "--trials", 100)["ranks"]
    judged = read_judged(str(HARVEST))
    human = human_scores(judged.judgments)
    tables = system_tables(judged.outputs, judged.references, [lm.make_metric(name) for name in ("bleu", "f1", "wer")])
    for name, one in tables.items():
        sign = 1 if one.higher_is_better else -1
        cells = sign * one.of_segments()
        values = {task: found["tasks"][task]["values"][name] for task in found["tasks"]}
        assert values["spa:segment"] == lm.evaluation.soft_pairwise_accuracy(human.segment, cells)
        assert values["acc-t:segment"] == lm.evaluation.calibrated(human.segment, cells).value
        assert values["tau-23:segment"] == lm.evaluation.tau(human.segment, cells, "23", average="item")
        systems = (sign * one.of_systems())[:, None]
        mean = np.nanmean(human.segment, axis=1)[:, None]
        assert values["accuracy"] == lm.evaluation.tau(mean, systems, "eq")
    assert set(found["metrics"]) == {"bleu", "f1", "wer"}
    text = good(correlate(HARVEST, "-m", "bleu,f1", "--ranks", "spa", "--trials", 50, "--tables", "system")).stdout
    assert "Ranks of metrics: a new rank begins where p ≤ 0.05" in text
    rows = good(correlate(HARVEST, "-m", "bleu,f1", "--ranks", "spa", "--trials", 50, "--format", "tsv")).stdout
    assert sum(line.startswith("ranks\t") for line in rows.splitlines()) == 6
    assert_one_line_error(correlate(HARVEST, "--ranks", "bleu"), "metrics cannot be ranked by 'bleu'")
    assert_one_line_error(
        correlate(HARVEST, "-m", "f1", "--ranks", "spa:document"),
        "the test set does not name the document of its segments",
    )


@pytest.mark.parametrize("average", ["none", "system"])
def test_ranks_by_segments_take_scores_that_differ_by_rounding_as_ties(tmp_path, average):
    outside = tmp_path / "sum.tsv"
    scores = [0.3 if k % 2 else 0.1 + 0.2 for k in range(12)]
    scores[4] = 0.7
    rows = [f"{system}\t{k + 1}\t{score!r}" for system in SYSTEMS for k, score in enumerate(scores)]
    outside.write_text("\n".join(["system\tsegment\tsum", *rows]) + "\n")
    names = ("kendall", "spearman")
    arguments = ("-m", "none", "--metric-scores", outside, "--resamples", 0, "--trials", 1, "--average", average)
    found = document(HARVEST, *arguments, "--ranks", ",".join(f"{name}:segment" for name in names))
    table = found["segment"]["sum"] if average == "system" else found["segment"]["sum"]["pooled"]
    for name in names:
        assert found["ranks"]["tasks"][f"{name}:segment"]["values"]["sum"] == pytest.approx(table[name], abs=1e-12)


def test_pairwise_accuracy_is_the_agreement_on_pairs(harvest):
    # The same scores of people in another order have the same mean, but not the same sum of binary fractions.
    said = {"alder": (0.1, 0.2, 0.3, 0.1, 0.7), "birch": (0.1, 0.2, 0.3, 0.7, 0.1), "cedar": (0.9,) * 5}
    rows = [f"{system}\t{k}\t{score}" for system, scores in said.items() for k, score in enumerate(scores, start=1)]
    (harvest / "human.tsv").write_text("\n".join(["system\tsegment\tscore", *rows]) + "\n", encoding="utf-8")
    options = ("-m", "f1", "--ranks", "accuracy", "--leave-out", "elm", "--leave-out", "fir", "--trials", 10)
    shutil.copy(harvest / "systems" / "alder.txt", harvest / "systems" / "birch.txt")
    found = document(harvest, *options)
    accuracy = found["ranks"]["tasks"]["accuracy"]["values"]["f1"]
    assert accuracy == found["differentials"]["f1"]["agreement"] == pytest.approx(1 / 3)


def test_chinese_is_never_split_by_13a_in_silence(tmp_path):
    (tmp_path / "sys").mkdir()
    for name, text in (("one", "我们应该见面"), ("two", "我们见面")):
        (tmp_path / "sys" / name).write_text(text + "\n", encoding="utf-8")
    (tmp_path / "ref.A.zh").write_text("我们应该见面\n", encoding="utf-8")
    (tmp_path / "ad-sys-ranking.csv").write_text("80 0.2 1 1 one.1\n70 0.1 1 1 two.2\n")
    found = document(tmp_path, "-m", "wer", "--resamples", 0)
    assert "tok:zh" in found["signatures"]["wer"]
    assert found["notes"][-1] == "tokenizer zh, as the texts look like zh"
    forced = document(tmp_path, "-m", "wer", "--resamples", 0, "--tokenize", "13a")
    assert "which has no spaces between words" in forced["notes"][-1]
