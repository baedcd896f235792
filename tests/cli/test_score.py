"""`latticemetric score` and `lattice-oracle --also-score`, as a user meets them."""

import bz2
import gzip
import json
import os
import random
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from kit.commands import MEETING, PROGRAMS, assert_one_line_error, file, good, oracle, run
from kit.hostile_inputs import archive
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.evaluation.intervals import bootstrap, paired_bootstrap
from latticemetric.evaluation.significance import randomisation_test
from latticemetric.metrics.base import explain

OLD, NEW, REF, REF2 = (EXAMPLES / f"letters.{name}.txt" for name in ("old", "new", "ref", "ref2"))
VERSION = f"v:{lm.__version__}"


def score(*arguments, **options):
    return run("latticemetric", "score", *arguments, **options)


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def scores(*arguments, **options):
    """Items of a run, by system and metric."""
    items = good(score(*arguments, "--format", "json", **options)).json["scores"]
    return {(item["system"], item["metric"]): item for item in items}


def score_of(*arguments, **options):
    """The only value of a run."""
    (item,) = scores(*arguments, **options).values()
    return item["score"]


# --- The corpus


def test_text_is_a_table_with_intervals_and_signatures_on_standard_error():
    done = good(score("letters.new.txt", "letters.ref.txt", "-m", "wer,4-grr", cwd=EXAMPLES))
    header, row, errors = done.stdout.splitlines()
    assert header.split() == ["wer", "%", "↓", "4-grr", "%", "↑"]
    assert errors == "%WER 15.74 [ 17 / 108, 3 ins, 6 del, 8 sub ]"
    assert row.split() == ["letters.new.txt", "15.74", "±", "8.28", "70.28", "±", "13.32"]
    assert done.stderr.splitlines() == [
        "",
        "12 segments, 1 reference; ± 95 % of 1000 resamples, seed 0",
        f"wer|refs:1|case:mixed|tok:none|{VERSION}",
        f"4-grr|alpha:1|beta:0|refs:1|case:mixed|tok:none|{VERSION}",
    ]


def test_the_default_metrics_are_wer_4_grr_and_bleu():
    assert [metric for _, metric in scores(NEW, REF, "--resamples", 0)] == ["wer", "4-grr", "bleu"]


@pytest.mark.parametrize("name", ["wer", "4-grr", "bleu", "bleu-sbp", "nist", "fmean"])
def test_values_and_tests_are_those_of_the_library(name):
    metric, references = lm.make_metric(name), list(zip(lines_of(REF), lines_of(REF2), strict=True))
    old, new = (metric.table(lines_of(path), references) for path in (OLD, NEW))
    found = scores(OLD, REF, REF2, "-s", NEW, "-m", name, "--resamples", 200, "--seed", 3, "--confidence", 0.9)
    one, other = found[str(OLD), name], found[str(NEW), name]
    interval = bootstrap(metric, old, resamples=200, seed=3, confidence=0.9)
    assert one["score"] == pytest.approx(metric.corpus(lines_of(OLD), references).score, abs=1e-12)
    assert (one["low"], one["high"], one["half_width"]) == (interval.low, interval.high, interval.half_width)
    paired = paired_bootstrap(metric, old, new, resamples=200, seed=3, confidence=0.9)
    assert one["comparison"] is None
    assert other["comparison"] == {
        "difference": paired.difference.value,
        "low": paired.difference.low,
        "high": paired.difference.high,
        "half_width": paired.difference.half_width,
        "p_bootstrap": paired.p,
        "p_randomisation": randomisation_test(metric, old, new, trials=200, seed=3).p,
    }
    assert one["signature"] == str(metric.signature_for(2))


def test_the_best_of_a_column_has_a_star():
    done = good(score(OLD, REF, "-s", NEW, "-m", "wer,bleu", "--resamples", 0))
    rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("%WER")]
    assert [row.count("*") for row in rows] == [0, 0, 2, 0]
    assert rows[3][0] == "difference"
    assert [float(value) for value in rows[3][1:]] == pytest.approx([-13.89, 16.97], abs=5e-3)


def test_without_resamples_there_is_no_interval():
    done = good(score(NEW, REF, "-m", "wer", "--resamples", 0))
    assert "±" not in done.stdout + done.stderr
    (item,) = scores(NEW, REF, "-m", "wer", "--resamples", 0).values()
    assert (item["low"], item["high"], item["half_width"], item["undefined"]) == (None, None, None, None)


def test_a_system_against_itself_has_p_1():
    items = good(score(NEW, REF, "-s", NEW, "-m", "wer,bleu,nist", "--format", "json")).json["scores"]
    for item in items[3:]:
        assert (item["comparison"]["p_bootstrap"], item["comparison"]["p_randomisation"]) == (1, 1)


def test_json_lines_and_tsv_hold_the_same():
    arguments = (OLD, REF, "-s", NEW, "-m", "wer,bleu")
    items = good(score(*arguments, "--format", "json")).json["scores"]
    assert [json.loads(line) for line in good(score(*arguments, "--format", "jsonl")).stdout.splitlines()] == items
    header, *rows = (line.split("\t") for line in good(score(*arguments, "--format", "tsv")).stdout.splitlines())
    table = [dict(zip(header, row, strict=True)) for row in rows]
    assert [row["score"] for row in table] == [str(item["score"]) for item in items]
    assert [row["p_bootstrap"] for row in table] == ["", "", *(str(i["comparison"]["p_bootstrap"]) for i in items[2:])]
    assert table[3]["difference_low"] == str(items[3]["comparison"]["low"])


def test_an_undefined_value_is_null_and_a_dash(tmp_path):
    hyp, ref = file(tmp_path, "hyp", "a\n\n"), file(tmp_path, "ref", "\n\n")
    assert score_of(hyp, ref, "-m", "wer") is None
    assert good(score(hyp, ref, "-m", "wer")).stdout.splitlines()[1].split() == [str(hyp), "–"]
    assert "*" not in good(score(hyp, ref, "-s", ref, "-m", "wer")).stdout  # no value is the best of none


# --- Sentences


def test_alignments_of_meteor_that_are_not_exact_are_noted(tmp_path):
    chance = random.Random(1)
    for name in ("system.txt", "reference.txt"):
        words = " ".join(chance.choice("abcde") for _ in range(300))
        (tmp_path / name).write_text(f"{words}\nthe cat\n")
    done = good(score("system.txt", "reference.txt", "-m", "meteor", "-P", "meteor.stages=exact", cwd=tmp_path))
    assert "system.txt: meteor of 1 segment not exact: a better alignment may exist" in done.stderr.splitlines()


def test_sentences_have_a_value_each():
    document = good(score(OLD, REF, "-s", NEW, "-m", "wer,4-grr", "--level", "sentence", "--format", "json")).json
    assert document["signatures"]["wer"] == f"wer|refs:1|case:mixed|tok:none|{VERSION}"
    found = {(item["segment"], item["system"]): item["scores"] for item in document["sentences"]}
    assert len(found) == 24
    for path in (OLD, NEW):
        for number, (hypothesis, reference) in enumerate(zip(lines_of(path), lines_of(REF), strict=True), start=1):
            assert found[str(number), str(path)] == {
                "wer": lm.WER().score(hypothesis, reference),
                "4-grr": lm.GRR(4).score(hypothesis, reference),
            }


def test_sentences_as_text_tsv_and_json_lines():
    arguments = (OLD, REF, "-m", "wer", "--level", "sentence")
    assert good(score(*arguments)).stdout.splitlines()[:3] == ["segment  wer %", "1         0.00", "2        20.00"]
    assert good(score(*arguments, "--format", "tsv")).stdout.splitlines()[2] == f"2\t{OLD}\t0.2"
    several = good(score(*arguments, "-s", NEW)).stdout.splitlines()
    assert [line.split()[:2] for line in several[1:4]] == [["1", str(OLD)], ["1", str(NEW)], ["2", str(OLD)]]
    first, *_ = good(score(*arguments, "--format", "jsonl")).stdout.splitlines()
    assert json.loads(first) == {"segment": "1", "system": str(OLD), "scores": {"wer": 0.0}}


def test_an_alignment_is_drawn():
    done = good(score("letters.old.txt", "letters.ref.txt", "-m", "wer", "--explain", 4, cwd=EXAMPLES))
    assert done.stdout.splitlines() == [
        "letters.old.txt: wer 40.00%",
        "    reference   the  children  are  well  and  are  back  at  school  .",
        "    hypothesis  the  children  are  good  and  go   to    *   school  .",
        "    edit        .    .         .    S     .    S    S     D   .       .",
        "    matches of length 1: 6; substitutions 3, deletions 1, insertions 0",
        "    4/10",
        "",
    ]


@pytest.mark.parametrize("name", ["bleu", "nist", "bleu-sbp"])
def test_ngrams_are_drawn(name):
    done = good(score(OLD, REF, REF2, "-s", NEW, "-m", name, "--explain", 4))
    assert done.stdout.count("1-grams") == done.stdout.count("4-grams") == 2
    assert "the children are" in done.stdout


def test_a_metric_may_draw_itself_or_its_alignment_or_nothing():
    class Drawing:
        def explain(self, hypothesis, references):
            return f"{hypothesis} and {references}"

    class Aligned:
        def score(self, hypothesis, references):
            return float(hypothesis in references[0]) if references[0] else None

        def align(self, hypothesis, reference):
            return f"{hypothesis} in {' '.join(reference)}"

    assert explain(Drawing(), "a", ["b"]) == "a and ['b']"
    assert explain(Aligned(), "a", ["", "b", "c a", "a"]) == "a in c a, against reference 3 of 4"
    assert explain(object(), "a", ["b"]) is None


def test_references_of_one_word_each_are_explained():
    assert explain(lm.make_metric("wer"), "a", ["b", "a"]).endswith("0/1, against reference 2 of 2")


def test_a_metric_without_a_drawing_says_so():
    assert "(this metric shows no counts)" in good(score(OLD, REF, "-m", "fmean", "--explain", 1)).stdout


def test_control_characters_are_not_drawn(tmp_path):
    hyp, ref = file(tmp_path, "hyp", "a \x1b[2J\n"), file(tmp_path, "ref", "a b\n")
    assert "\x1b" not in good(score(hyp, ref, "-m", "wer,bleu", "--explain", 1)).stdout


# --- What is done to the strings


def test_lowercase_is_in_the_signature(tmp_path):
    hyp, ref = file(tmp_path, "hyp", "The CAT\n"), file(tmp_path, "ref", "the cat\n")
    assert score_of(hyp, ref, "-m", "wer") == 1
    (item,) = scores(hyp, ref, "-m", "wer", "--lowercase").values()
    assert (item["score"], item["signature"]) == (0, f"wer|refs:1|case:lc|tok:none|{VERSION}")


def test_a_tokenizer_of_sacrebleu_is_in_the_signature(tmp_path):
    sacrebleu = pytest.importorskip("sacrebleu")
    hyp = file(tmp_path, "hyp", 'The cat, sat on "the" mat.\nIt cost $3.50, or so.\n')
    ref = file(tmp_path, "ref", 'A cat sat on "the" mat.\nIt costs $3.50, or more.\n')
    for name, lowercase in (("13a", False), ("intl", True), ("char", False)):
        options = ["--tokenize", name, *(["-lc"] if lowercase else [])]
        (item,) = scores(hyp, ref, "-m", "bleu", *options).values()
        bleu = sacrebleu.BLEU(tokenize=name, lowercase=lowercase, smooth_method="none")
        assert item["score"] == pytest.approx(bleu.corpus_score(lines_of(hyp), [lines_of(ref)]).score / 100, abs=1e-9)
        assert f"case:{'lc' if lowercase else 'mixed'}|tok:{name}|" in item["signature"]


def test_a_tokenizer_before_characters_is_told(tmp_path):
    pytest.importorskip("sacrebleu")
    hyp, ref = file(tmp_path, "hyp", "今天天气很好\n"), file(tmp_path, "ref", "今天天气真好\n")
    (item,) = scores(hyp, ref, "-m", "cer", "--tokenize", "zh").values()
    assert (item["score"], "|tok:zh+char|" in item["signature"]) == (1 / 11, True)
    assert "cer counts the spaces that tokenizer zh adds" in score(hyp, ref, "-m", "cer", "--tokenize", "zh").stderr
    done = score(hyp, ref, "-m", "cer", "--tokenize", "zh", "-P", "cer.spaces=no")
    assert "16.67" in done.stdout
    assert "spaces that" not in done.stderr


def test_an_unknown_tokenizer_is_told():
    pytest.importorskip("sacrebleu")
    done = score(NEW, REF, "--tokenize", "14b")
    assert_one_line_error(done, r"there is no tokenizer '14b'; choose one of 13a, char")


def test_a_tokenizer_without_sacrebleu_is_told(tmp_path):
    file(tmp_path, "sacrebleu.py", "raise ModuleNotFoundError('not there')\n")
    done = score(NEW, REF, "--tokenize", "13a", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert_one_line_error(done, "the tokenizer '13a' needs sacrebleu, which is not installed; pip install sacrebleu")


def test_what_a_tokenizer_lacks_is_told(tmp_path):
    (tmp_path / "sacrebleu").mkdir()
    file(tmp_path / "sacrebleu", "__init__.py", "")
    source = (
        "class BLEU:\n  TOKENIZERS = ['spm']\n  def __init__(self, tokenize):\n    raise RuntimeError('get\\n spm')\n"
    )
    file(tmp_path / "sacrebleu", "metrics.py", source)
    done = score(NEW, REF, "--tokenize", "spm", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert_one_line_error(done, "the tokenizer 'spm' cannot be loaded: get spm")


def test_stems_where_the_metric_knows_them(tmp_path):
    pytest.importorskip("nltk")
    hyp, ref = file(tmp_path, "hyp", "the cats sleep\n"), file(tmp_path, "ref", "the cat sleeps\n")
    found = scores(hyp, ref, "-m", "f1,bleu,nist-stem", "--stem")
    assert [metric for _, metric in found] == ["f1-stem", "bleu-stem", "nist-stem"]
    assert found[str(hyp), "f1-stem"]["score"] == 1
    assert_one_line_error(score(hyp, ref, "-m", "f1,wer", "--stem"), "--stem: wer does not support stems; leave --stem")


def test_a_short_signature():
    done = good(score(NEW, REF, "-m", "4-grr", "--short-signature"))
    assert done.stderr.splitlines()[-1] == f"4-grr|a:1|b:0|#:1|c:mixed|tok:none|{VERSION}"


# --- Files


def test_empty_lines_are_segments(tmp_path):
    hyp, ref = file(tmp_path, "hyp", "\na b\n\n"), file(tmp_path, "ref", "x\na b\ny z\n")
    assert score_of(hyp, ref, "-m", "wer") == 3 / 5


def test_compressed_files_and_standard_input(tmp_path):
    packed = file(tmp_path, "ref.gz", gzip.compress(REF.read_bytes()))
    expected = score_of(NEW, REF, "-m", "bleu")
    assert score_of(NEW, packed, "-m", "bleu") == expected
    assert score_of("-", REF, "-m", "bleu", stdin=NEW.read_bytes()) == expected
    assert_one_line_error(score("-", "-"), "standard input can be read only once")


@pytest.mark.parametrize(
    ("hypothesis", "reference"), [("-", "ref.trn"), ("hyp.trn", "-"), ("pipe", "ref.trn"), ("hyp.trn", "pipe")]
)
def test_transcripts_come_from_pipes_too(hypothesis, reference, tmp_path):
    said, meant = "d e (s_2)\na c (s_1)\n", "a b c (s_1)\nd e (s_2)\n"
    file(tmp_path, "hyp.trn", said)
    file(tmp_path, "ref.trn", meant)
    piped = (meant if reference in ("-", "pipe") else said).encode()
    if "pipe" not in (hypothesis, reference):
        assert score_of(hypothesis, reference, "-m", "wer", stdin=piped, cwd=tmp_path) == 1 / 5
        return
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as writer:
        writer.submit((tmp_path / "pipe").write_bytes, piped)
        assert score_of(hypothesis, reference, "-m", "wer", cwd=tmp_path) == 1 / 5


def test_keyed_files_are_paired_by_id(tmp_path):
    hyp, ref = file(tmp_path, "hyp", "u2 c d\n\nu1 a b\nu3\n"), file(tmp_path, "ref", "u1 a b\nu2 c x\nu3 y\n")
    assert score_of(hyp, ref, "-m", "wer", "--style", "keyed") == 2 / 5
    lines = good(
        score(hyp, ref, "-m", "wer", "--style", "keyed", "--level", "sentence", "--format", "tsv")
    ).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == ["u2", "u1", "u3"]
    explained = good(score(hyp, ref, "-m", "wer", "--style", "keyed", "--explain", "u2"))
    assert "edit        .  S" in explained.stdout


@pytest.mark.parametrize(
    ("hyp", "ref", "message"),
    [
        ("u1 a\nu2 b\n", "u1 a\n", r"hyp:2: the id 'u2' is missing in .*ref; every file needs"),
        ("u1 a\n", "u0 a\nu1 a\nu2\n", r"ref:1: the id 'u0' is missing in .*hyp \(2 ids are missing in total\)"),
        ("u1 a\nu1 b\n", "u1 a\n", r"hyp:2: id 'u1' already appears at line 1"),
        ("\n", "u1 a\n", r"hyp: the file holds no segments"),
    ],
)
def test_ids_that_do_not_pair_are_errors(tmp_path, hyp, ref, message):
    done = score(file(tmp_path, "hyp", hyp), file(tmp_path, "ref", ref), "-m", "wer", "--style", "keyed")
    assert_one_line_error(done, message)


def test_different_line_counts_name_both(tmp_path):
    short = file(tmp_path, "short", "a\n")
    assert_one_line_error(score(NEW, short), r"letters\.new\.txt has 12 lines, but .*short has 1 line; line k of each")
    assert_one_line_error(score(NEW, REF, "-s", short), r"letters\.new\.txt has 12 lines, but .*short has 1 line;")
    assert_one_line_error(score(NEW, REF, short), r"has 12 lines, but .*short has 1 line;")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: cannot be opened: No such file"),
        ([REF, "-m", "blue"], "there is no metric 'blue'; did you mean 'bleu'"),
        ([REF, "-m", ","], "no metric is given; choose among N-gcr, N-grr"),
        (
            [REF, "--explain", "13"],
            "--explain: there is no segment with number or id '13'; the first is 1, the last 12",
        ),
        ([REF, "--explain", "1", "--format", "json"], "--explain writes text, not json; remove --format"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message):
    assert_one_line_error(score(NEW, *arguments), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "REF... is missing"),
        ([REF, "--confidence", "1"], "the confidence level is 1.0; give a number between 0 and 1"),
        ([REF, "--resamples", "-1"], "-1 is not in the range 0<=x<=1000000"),
        ([REF, "--seed", "x"], "'x' is not a whole number"),
        ([REF, "--level", "word"], "'word' is not one of"),
    ],
)
def test_wrong_usage_ends_with_status_2(arguments, message):
    done = score(NEW, *arguments)
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr


def test_an_empty_file_is_told(tmp_path):
    assert_one_line_error(score(file(tmp_path, "none", ""), REF), "none: the file is empty; write one line per segment")


def test_output_goes_to_a_file(tmp_path):
    done = good(score(NEW, REF, "-m", "wer", "--format", "jsonl", "-o", tmp_path / "out.gz"))
    assert done.stdout == ""
    assert json.loads(gzip.decompress((tmp_path / "out.gz").read_bytes()))["metric"] == "wer"


# --- lattice-oracle --also-score


@pytest.mark.parametrize("verb", ["oracle", "report"])
def test_a_reference_with_alternatives_counts_once_where_it_is_one(verb, tmp_path):
    given = [MEETING[0], EXAMPLES / "meeting.trn", "--also-score", "wer,bleu"]
    done = good(run("latticemetric", verb, *given, "--output", tmp_path / "out"))
    told = done.stderr + (tmp_path / "out").read_text()
    assert "wer|refs:1|" in told
    assert "bleu|order:4|length:shortest|smooth:none|refs:var|" in told


def test_the_summary_has_the_scores_of_the_strings():
    done = good(oracle(*MEETING, "--metric", "wer", "--also-score", "wrr,bleu"))
    rows = [line.split() for line in done.stderr.splitlines() if line and not line.startswith("%WER")]
    assert rows[4] == ["wrr", "%", "bleu", "%"]
    assert rows[5:7] == [["oracle", "92.86", "69.72"], ["1-best", "71.43", "0.00"]]
    assert rows[8] == [f"wrr|refs:1|case:mixed|tok:none|{VERSION}"]
    assert done.stdout == good(oracle(*MEETING, "--metric", "wer")).stdout


@pytest.mark.parametrize("name", ["wer", "bleu-sbp", "nist", "fmean"])
def test_json_has_the_values_of_the_library(name):
    document = good(oracle(*MEETING, "--metric", "wer", "--also-score", name, "--format", "json")).json
    metric, items = lm.make_metric(name), document["lattices"]
    references = [item["reference"] for item in items]
    for side, texts in (
        ("oracle", [item["hypothesis"] for item in items]),
        ("one_best", [item["one_best"]["hypothesis"] for item in items]),
    ):
        total = metric.corpus(texts, references)
        assert document["corpus"]["scores"][name][side] == {"score": total.score, "signature": total.signature}
        for item, text in zip(items, texts, strict=True):
            assert item["sentence_scores"][name][side] == metric.score(text, item["reference"])


def test_nothing_is_scored_unless_asked_for():
    document = good(oracle(*MEETING, "--format", "json")).json
    assert "scores" not in document["corpus"]
    assert all("sentence_scores" not in item for item in document["lattices"])


def test_tsv_columns_are_appended():
    header, first, *_ = (
        line.split("\t")
        for line in good(oracle(*MEETING, "--also-score", "wrr,fmean", "--format", "tsv")).stdout.splitlines()
    )
    assert header[-5:] == ["error", "wrr", "one_best_wrr", "fmean", "one_best_fmean"]
    assert first[-4] == "0.8333333333333334"


def test_ignored_words_are_no_words_to_the_scores_either():
    document = good(
        oracle(*MEETING, "--also-score", "wer", "--metric", "wer", "--ignore", "all um", "--format", "json")
    ).json
    found = document["corpus"]["scores"]["wer"]
    assert found["one_best"]["score"] == document["corpus"]["one_best"]["score"] == 0.25
    assert found["oracle"]["signature"] == f"wer|refs:1|case:mixed|tok:none|ignore:all,um|{VERSION}"


def test_a_graph_that_failed_says_nothing(tmp_path):
    references = file(tmp_path, "refs", MEETING[1].read_text(encoding="utf-8") + "meeting-009 one two\n")
    done = oracle(MEETING[0], references, "--metric", "wer", "--also-score", "wer", "--keep-going", "--format", "json")
    assert done.status == 1
    corpus = done.json["corpus"]
    assert corpus["scores"]["wer"]["oracle"]["score"] == corpus["score"] == 3 / 16
    assert set(done.json["lattices"][-1]) == {"id", "error"}


def test_a_graph_without_a_reference_counts_as_nothing(tmp_path):
    first, *rest = MEETING[1].read_text(encoding="utf-8").splitlines(keepends=True)
    references = file(tmp_path, "refs", "".join(rest))
    done = oracle(MEETING[0], references, "--metric", "wer", "--also-score", "wer", "--keep-going", "--format", "json")
    assert first.startswith("meeting-001")
    assert done.json["corpus"]["scores"]["wer"]["oracle"]["score"] == done.json["corpus"]["score"] == 0


def test_several_references_are_in_the_signature_of_scores():
    files = [EXAMPLES / name for name in ("proverbs.plf", "proverbs.ref.txt", "proverbs.ref2.txt")]
    corpus = good(oracle(*files, "--metric", "wer", "--also-score", "wer,bleu", "--format", "json")).json["corpus"]
    assert corpus["scores"]["wer"]["one_best"]["score"] == corpus["one_best"]["score"]
    assert "|refs:2|" in corpus["scores"]["bleu"]["oracle"]["signature"]


def test_scores_do_not_depend_on_workers(tmp_path):
    lattices, references = tmp_path / "lattices", file(tmp_path, "refs", "")
    lattices.mkdir()
    with references.open("w", encoding="utf-8") as out:
        for number in range(40):
            shutil.copy(EXAMPLES / "harbour.fst", lattices / f"{number:02}.fst")
            out.write(f"the {'old' if number % 2 else 'new'} harbour sleeps\n")
    arguments = (lattices, references, "--style", "plain", "--also-score", "bleu,nist", "--format", "json")
    one, two = (good(oracle(*arguments, "--workers", number)).stdout for number in (1, 2))
    assert one == two


@pytest.mark.parametrize("name", ["blue", ""])
def test_an_unknown_metric_to_score_with_is_told(name):
    assert_one_line_error(oracle(*MEETING, "--also-score", name), "metric")


def test_a_metric_that_cannot_take_alternatives_is_named_with_the_system():
    done = score(EXAMPLES / "meeting.trn", EXAMPLES / "meeting.trn", "-m", "sclite,bleu")
    assert_one_line_error(done, "meeting.trn, bleu: expected a string, but found a graph or a text with alternatives")


# --- Lines for scripts, percent, parameters


def test_lines_of_errors_name_their_system_if_there_are_several():
    done = good(
        score("letters.new.txt", "letters.ref.txt", "-m", "bleu,cer,wer", "-s", "letters.old.txt", cwd=EXAMPLES)
    )
    expected = []
    for name in ("new", "old"):
        sides = lines_of(EXAMPLES / f"letters.{name}.txt"), lines_of(REF)
        for metric in (lm.CER(), lm.WER()):
            found = metric.corpus(*sides)
            counts = found.statistics.asdict()
            edits = ", ".join(f"{counts[kind]} {kind[:3]}" for kind in ("insertions", "deletions", "substitutions"))
            rate = (
                f"%{metric.name.upper()} {100 * found.score:.2f} [ {found.numerator} / {found.denominator}, {edits} ]"
            )
            expected.append(f"{rate} letters.{name}.txt")
    assert [line for line in done.stdout.splitlines() if line.startswith("%")] == expected


def test_there_is_no_line_of_errors_without_words(tmp_path):
    hyp, ref = file(tmp_path, "hyp", "a\n"), file(tmp_path, "ref", "\n")
    assert "%WER" not in good(score(hyp, ref, "-m", "wer,bleu")).stdout


def test_oracles_have_lines_of_errors():
    done = good(oracle(*MEETING, "--metric", "wer"))
    lines = [line for line in done.stderr.splitlines() if line.startswith("%WER ")]
    assert [line.split()[-1] for line in lines] == ["oracle", "1-best"]
    assert lines[0].startswith("%WER 7.14 [ 1 / 14, 0 ins, 1 del, 0 sub ]")


def test_percent_are_fractions_times_100():
    done = good(score(NEW, REF, "-m", "wer,nist,chrf", "-s", OLD))
    _, row, *_, difference, _, _ = [line for line in done.stdout.splitlines() if not line.startswith("%")]
    assert row.split()[1:3] == ["15.74", "±"]
    assert "5.6736 ± 0.4044" in row
    assert "+13.89 ±" in difference
    assert "-0.5369 ±" in difference


def test_scores_may_be_fractions():
    asked = NEW, REF, "-m", "wer,nist", "--fractions"
    header, row, _ = good(score(*asked)).stdout.splitlines()
    assert header.split() == ["wer", "↓", "nist", "↑"]
    assert row.split()[1:3] == ["0.1574", "±"]
    sentences = good(score(*asked, "--level", "sentence")).stdout.splitlines()
    assert sentences[0].split() == ["segment", "wer", "nist"]
    assert sentences[1].split()[:2] == ["1", "0.0000"]
    assert good(score(*asked, "--explain", 4)).stdout.startswith(f"{NEW}: wer 0.")


@pytest.mark.parametrize("flags", [(), ("--lowercase",)])
def test_chrf_counts_the_white_space_of_lines_as_sacrebleu_does(flags, tmp_path):
    sacrebleu = pytest.importorskip("sacrebleu")
    files = [tmp_path / name for name in ("said", "meant")]
    said, meant = [" The  cat\tsat", "a dog"], ["the cat sat ", "A  dog"]
    for path, lines in zip(files, (said, meant), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines))
    value = score_of(*files, "-m", "chrf", "-P", "chrf.whitespace=yes", "--resamples", 0, *flags)
    peer = sacrebleu.CHRF(whitespace=True, lowercase=bool(flags)).corpus_score(said, [meant]).score / 100
    assert value == pytest.approx(peer, abs=1e-12)
    values = lm.score(said, meant, lm.CHRF(whitespace=True), lowercase=bool(flags)).values
    assert values == {"chrf": pytest.approx(peer, abs=1e-12)}


@pytest.mark.parametrize("view", [(), ("--details",), ("--explain", 1), ("--level", "sentence")])
def test_several_references_may_all_be_single_words(view, tmp_path):
    files = [tmp_path / name for name in ("said", "one", "other")]
    for path, text in zip(files, ("foo\nbar\n", "foo\nbaz\n", "fox\nbar\n"), strict=True):
        path.write_text(text)
    shown = good(score(*files, "-m", "wer,cer,sclite,mer,bleu,chrf", *view))
    if not view:  # each text equals one of its references
        assert "%WER 0.00 [ 0 / 2, 0 ins, 0 del, 0 sub ]" in shown.stdout


def test_parameters_are_those_of_the_metric():
    texts = lines_of(NEW), lines_of(REF)
    found = scores(
        NEW, REF, "-m", "chrf,ter,cer,bleu", "--resamples", 0, "-P", "chrf.beta=3", "-P", "TER.case_sensitive=yes",
        "-P", "cer.unicode=nfc", "-P", "cer.spaces=no", "-P", "bleu.order=2", "-P", "cer.ignore=the a",
    )  # fmt: skip
    by_characters = lm.CER(unicode="nfc", spaces=False, ignore=["the", "a"])
    metrics = [lm.CHRF(beta=3), lm.TER(case_sensitive=True), by_characters, lm.BLEU(order=2)]
    for metric, item in zip(metrics, found.values(), strict=True):
        assert item["score"] == metric.corpus(*texts).score
        assert item["signature"] == str(metric.signature)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chrf.beta", "'chrf.beta' is not a parameter of a metric; write it as chrf.beta=3"),
        ("beta=3", "'beta=3' is not a parameter of a metric"),
        ("ter.normalized=yes", "'ter' is not named in --metric; name it there"),
        ("chrf.gamma=3", "metric 'chrf' has no parameter 'gamma'"),
        ("chrf.beta=x", "beta is 'x'"),
        ("chrf.whitespace=maybe", "whitespace is 'maybe'"),
        ("chrf.char_order=2.5", "order 2.5 is not possible"),
    ],
)
def test_parameters_that_there_are_not_are_refused(text, message):
    assert_one_line_error(score(NEW, REF, "-m", "chrf", "-P", text), message)


def test_ids_of_one_file_count_as_words_only_with_a_note(tmp_path):
    said, meant = file(tmp_path, "hyp.txt", "1 a b\n2 c\n"), file(tmp_path, "ref.txt", "a b\nc\n")
    done = good(score(said, meant, "-m", "wer", "--resamples", 0))
    assert "%WER 66.67 [ 2 / 3, 2 ins, 0 del, 0 sub ]" in done.stdout
    assert "hyp.txt: lines begin with '1', '2', unlike " in done.stderr
    assert "otherwise give --style plain" in done.stderr
    assert "begin" not in good(score(said, meant, "-m", "wer", "--style", "plain")).stderr


def test_lines_that_begin_with_the_same_ids_are_paired_by_them(tmp_path):
    said = file(tmp_path, "hyp.txt", "utt-1 a b\nutt-2 c\nutt-3 e\n")
    meant = file(tmp_path, "ref.txt", "utt-3 d\n\nutt-1 a b\nutt-2 c\n")
    done = good(score(said, meant, "-m", "wer", "--resamples", 0))
    assert "%WER 25.00 [ 1 / 4, 0 ins, 0 del, 1 sub ]" in done.stdout
    assert "hyp.txt: lines begin with ids ('utt-1', 'utt-2', 'utt-3'), as in the other file" in done.stderr
    assert "begin with ids" not in good(score(said, meant, "-m", "wer", "--style", "keyed")).stderr


def test_ids_of_other_segments_are_refused_with_three_of_each_side(tmp_path):
    said = file(tmp_path, "hyp.txt", "utt-1 a b\nutt-2 c\nutt-3 e\n")
    meant = file(tmp_path, "ref.txt", "utt-1 a b\nUTT-2 c\nutt-3 e\n")
    refused = "only here: 'utt-2'; only there: 'UTT-2' (some differ only in case); make the ids equal"
    assert_one_line_error(score(said, meant), re.escape(refused))
    plain = file(tmp_path, "plain.txt", "a b\nc\ne\n")
    refused = f"the ids are not those of {plain}: only here: 'utt-1', 'utt-2', 'utt-3'; only there: 'a', 'c', 'e'"
    assert_one_line_error(score(said, plain), re.escape(refused))
    assert "%WER 75.00 [ 3 / 4," in good(score(said, plain, "-m", "wer", "--style", "plain")).stdout


@pytest.mark.parametrize(
    "head", ['<?xml version="1.0"?>\n', '<refset setid="x">\n', "\n<!DOCTYPE mteval>\n", "<tmx version='1.4'>\n"]
)
def test_markup_is_not_scored_as_text(head, tmp_path):
    markup, text = file(tmp_path, "ref.sgm", f'{head}<seg id="1">a</seg>\n'), file(tmp_path, "hyp.txt", "a\nb\n")
    refused = "ref.sgm: this is XML or SGML, not lines of text; write the text of each <seg> on a line of its own"
    assert_one_line_error(score(text, markup), refused)
    assert_one_line_error(score(markup, markup), refused)
    assert_one_line_error(oracle(MEETING, markup), refused)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"audio_filepath": "a.wav", "text": "a", "pred_text": "b"}\n', "JSON"),
        ('{"text": " a b", "segments": [{"text": " a b"}]}', "JSON"),
        ('\n[\n  {\n    "words": "a b"}]\n', "JSON"),
        ('[{"ref": "a b", "hyp": "a"}]', "JSON"),
        ('{"alternatives": [{"text": "a b"}]}\n{"alternatives": [{"text": "c"}]}\n', "JSON"),
        ('{"result": {"transcript": "a b"}}\n', "JSON"),
        ("0 ||| a b ||| F0= -1 ||| -0.5\n", "an n-best list"),
        ("0||| a b ||| -0.5\n", "an n-best list"),
    ],
)
def test_what_decoders_write_is_not_scored_as_lines_of_text(text, what, tmp_path):
    output, lines = file(tmp_path, "out.json", text), file(tmp_path, "hyp.txt", "a b\n")
    refused = f"out.json: this is {what}, not lines of text; write its texts on lines"
    assert_one_line_error(score(output, lines), refused)
    assert_one_line_error(score(lines, output), refused)
    assert_one_line_error(oracle(MEETING, output), refused)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("WEBVTT\n\n00:00.000 --> 00:02.000\na b\n", r"subtitles \(WebVTT\)"),
        ("\ufeffWEBVTT - title\r\n\r\n00:00.000 --> 00:02.000\r\na b\r\n", r"subtitles \(WebVTT\)"),
        ("1\n00:00:00,000 --> 00:00:02,000\na b\n", r"subtitles \(SRT\)"),
        ("\n0\r\n0:00:00.0 --> 0:00:02.0\r\na b\r\n", r"subtitles \(SRT\)"),
        ('File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n', "a TextGrid of Praat"),
        ("start\tend\ttext\n0\t2000\ta b\n", r"a table of times \(TSV of Whisper\)"),
        ("SPEAKER a 1 0.00 2.00 <NA> <NA> ann <NA> <NA>\nSPEAKER a 1 2.00 1.00 <NA> <NA> bob <NA> <NA>\n", "RTTM"),
        (";; turns\nSPKR-INFO a 1 <NA> <NA> <NA> unknown ann <NA> <NA>\nSPEAKER a 1 0 2 <NA> <NA> ann <NA>\n", "RTTM"),
    ],
)
@pytest.mark.parametrize("reference", ["a b\n", "a 1 ann 0.00 2.00 a b\n"], ids=["lines", "stm"])
def test_texts_with_times_are_not_scored_as_lines_of_text(text, what, reference, tmp_path):
    output, meant = file(tmp_path, "out.txt", text), file(tmp_path, "ref.txt", reference)
    refused = f"out.txt: this is {what}, not lines of text; write the words of each segment on a line, or STM or CTM"
    assert_one_line_error(score(output, meant), refused)
    assert_one_line_error(score(output, file(tmp_path, "same.txt", text)), refused.replace("out.txt", "same.txt"))
    assert_one_line_error(oracle(MEETING, output), refused)


@pytest.mark.parametrize(
    "text", ["WEBVTT is a format", "1\nat 00:00:00 --> 00:00:02", "start\tend", "SPEAKER a 1 0.5 2 a"]
)
def test_words_of_subtitles_in_lines_of_text_are_words(text, tmp_path):
    path = file(tmp_path, "hyp.txt", f"{text}\n")
    assert "%WER 0.00" in good(score(path, path, "--metric", "wer", "--resamples", "0")).stdout


BRACKETS = ["{ a / b }", '{ "text" } [ b ]', "{a: b}", '{"a", "b"}', '["a": "b"]', '{"intent": "book a table"}']


CALLS = '{"call": "send", "with": {"content": "hi"}}\n{"call": "stop", "with": {}}'


@pytest.mark.parametrize("text", [*BRACKETS, CALLS, "a ||| b", "0 ||| b", "x ||| y ||| z"])
def test_brackets_and_bars_in_lines_of_text_are_words(text, tmp_path):
    path = file(tmp_path, "hyp.txt", f"{text}\n")
    assert "%WER 0.00" in good(score(path, path, "--metric", "wer", "--resamples", "0")).stdout


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hyp.trn", "c (u_2)\na b (u_1)\n"),
        ("hyp.txt", "a 1 ann 0.5 2 the cat\na 1 ann 3 4 sat\n"),
        ("hyp.ctm", "a 1 0.0 1 the\na 1 1.0 1 cat\n"),
    ],
    ids=["trn", "stm", "ctm"],
)
@pytest.mark.parametrize("style", ["plain", "keyed"])
def test_transcripts_are_not_scored_against_lines_of_text(name, text, style, tmp_path):
    said, meant = file(tmp_path, name, text), file(tmp_path, "ref.txt", "u_1 a b\nu_2 c\n")
    refused = f"{name}: this is (trn|STM|CTM), not lines of text; give trn, STM or CTM for outputs and references"
    assert_one_line_error(score(said, meant, "--style", style), refused)
    assert_one_line_error(score(meant, meant, said, "--style", style), refused)


def test_outputs_and_references_may_be_pipes(tmp_path):
    lines, stm = file(tmp_path, "lines", "a b\nc\n"), file(tmp_path, "ref.stm", "a 1 ann 0.5 2 the cat\n")
    shell = f"{PROGRAMS}/latticemetric score <(cat {{}}) <(cat {{}}) --metric wer --resamples 0"
    done, refused = (
        subprocess.run(["bash", "-c", shell.format(said, meant)], capture_output=True, text=True, check=False)
        for said, meant in ((lines, lines), (lines, stm))
    )
    assert "%WER 0.00 [ 0 / 3, 0 ins, 0 del, 0 sub ]" in done.stdout
    assert "this file is not trn, STM, CTM or JSON with ids, but the first reference file is" in refused.stderr


def test_json_on_standard_input_is_told_beside_transcripts(tmp_path):
    reference = file(tmp_path, "ref.trn", "a b (s_1)\n")
    assert_one_line_error(score("-", reference, stdin=b'{"text": "a b"}\n'), "-: this is JSON, not lines of text")


def texts(path, name, said, **others):
    """Write lines of JSON with the texts of `said`, by id."""
    return file(
        path, name, "".join(json.dumps({"id": key, "text": text, **others}) + "\n" for key, text in said.items())
    )


SAID = {"a": "hello world", "b": "good  day", "7": ""}
MEANT = {"b": "good days", "7": "well", "a": "hello world"}


@pytest.mark.parametrize("others", [{}, {"duration": 1.5, "speaker": "ann", "lang": "en"}])
def test_lines_of_json_with_ids_are_texts(others, tmp_path):
    said, meant = texts(tmp_path, "hyp.jsonl", SAID, **others), texts(tmp_path, "ref.jsonl", MEANT)
    lines = file(tmp_path, "ref.txt", "".join(f"{key} {text}\n" for key, text in MEANT.items()))
    asked = ("-m", "wer", "--resamples", 0)
    assert score_of(said, meant, *asked) == score_of(said, lines, *asked, "--style", "keyed") == 2 / 5
    assert score_of(meant, said, *asked) == score_of(lines, said, *asked, "--style", "keyed") == 2 / 4
    assert score_of(said, lines, *asked) == 2 / 5
    assert score_of(lines, said, *asked) == 2 / 4
    assert score_of("-", meant, *asked, stdin=said.read_bytes()) == 2 / 5
    trn = file(tmp_path, "ref.trn", "".join(f"{text} ({key})\n" for key, text in MEANT.items()))
    assert score_of(said, trn, *asked) == score_of(trn, said, *asked) * 4 / 5 == 2 / 5
    advised = "if these lines begin with ids, give --style keyed"
    assert_one_line_error(score(said, lines, "--style", "plain"), advised)
    assert_one_line_error(score(lines, said, "--style", "plain"), advised)
    other = file(tmp_path, "other.txt", "a hello\nc world\n7 day\n")
    assert_one_line_error(score(said, other), "the ids are not those of")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"id": "b"}', "ref.jsonl:2: the object has no id and text, as the first one has"),
        ('{"id": "b", "text": 3}', "ref.jsonl:2: field text is 3, not a text"),
        ('{"id": "a", "text": "b"}', "id 'a' already has a reference"),
        ('{"id": "b", "text": "b"', "ref.jsonl:2: this is not JSON"),
        ('{"id": "c", "text": "b"}', "the id 'c' is missing in"),
    ],
)
def test_faulty_lines_of_json_are_errors(line, says, tmp_path):
    said = texts(tmp_path, "hyp.jsonl", {"a": "a", "b": "b"})
    meant = file(tmp_path, "ref.jsonl", f'{{"id": "a", "text": "a"}}\n{line}\n')
    assert_one_line_error(score(said, meant), says)


@pytest.mark.parametrize(
    "others", [{"reference": "x"}, {"pred_text": "x"}, {"words": []}, {"utt": "u"}, {"label": "x"}]
)
def test_json_in_which_several_fields_may_be_the_text_is_refused(others, tmp_path):
    said = texts(tmp_path, "hyp.jsonl", {"a": "a", "b": "b"}, **others)
    assert_one_line_error(score(said, said), "this is JSON, not lines of text")


KEYED = {
    "an object of texts": json.dumps,
    "an object of records": lambda said: json.dumps(
        {k: {"text": t, "speaker": "ann"} for k, t in said.items()}, indent=1
    ),
    "objects on lines": lambda said: "".join(json.dumps({k: {"text": t}}) + "\n" for k, t in said.items()),
    "an array": lambda said: json.dumps([{"id": k, "text": t} for k, t in said.items()], indent=1),
}


@pytest.mark.parametrize("written", KEYED.values(), ids=KEYED)
def test_json_keyed_by_id_is_texts(written, tmp_path):
    said, meant = file(tmp_path, "hyp.json", written(SAID)), file(tmp_path, "ref.json", written(MEANT))
    lines = file(tmp_path, "ref.txt", "".join(f"{key} {text}\n" for key, text in MEANT.items()))
    asked = ("-m", "wer", "--resamples", 0)
    assert score_of(said, meant, *asked) == score_of(said, lines, *asked) == 2 / 5
    assert score_of(lines, said, *asked) == 2 / 4
    lists = file(tmp_path, "lists.json", json.dumps({key: [text, "x"] for key, text in MEANT.items()}))
    assert (
        good(run("lattice-oracle", lists, said, "--metric", "wer", "--format", "json")).json["corpus"]["score"] == 2 / 4
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": {"text": "a"}, "b": {"words": "b"}}', "ref.json: this is JSON, not lines of text"),
        ('{"a": {"text": "a"},\n "a": {"text": "b"}}', "ref.json:2: key 'a' appears twice"),
        ('{"a": {"text": "a"}, "b": {"text": "b"}', "ref.json:1: after a member of the object"),
        ('{"a": {"text": "a"}} x', "ref.json:1: there is more text after the JSON object"),
        ('{"a": {"text": "a"}}', "the id 'b' is missing in"),
    ],
)
def test_faulty_json_keyed_by_id_is_an_error(text, says, tmp_path):
    said = texts(tmp_path, "hyp.jsonl", {"a": "a", "b": "b"})
    assert_one_line_error(score(said, file(tmp_path, "ref.json", text)), says)


def test_lines_of_json_that_are_texts_themselves_stay_so(tmp_path):
    """What a model writes as JSON is compared as words, whatever the name of the file."""
    said = file(tmp_path, "hyp.json", '{"city": "rome"}\n{"city": "oslo"}\n')
    meant = file(tmp_path, "ref.json", '{"city": "rome"}\n{"city": "paris"}\n')
    assert score_of(said, meant, "-m", "wer", "--resamples", 0) == 1 / 4


def test_lines_that_end_in_brackets_are_text_beside_text(tmp_path):
    said, meant = file(tmp_path, "hyp.txt", "see page (5-6)\n"), file(tmp_path, "ref.txt", "see page 5\n")
    assert score_of(said, meant, "-m", "wer", "--resamples", 0) == 1 / 3


def _tarred(text):
    return archive(("ref.txt", text))


@pytest.mark.parametrize("text", [b"a b\nc\n", b"a b (u_1)\nc (u_2)\n"], ids=["lines", "trn"])
@pytest.mark.parametrize(
    ("written", "refused"),
    [
        (_tarred, "the file is a tar archive, not lines of text; unpack it first"),
        (lambda text: gzip.compress(_tarred(text)), "the file is a tar archive, not lines of text; unpack it first"),
        (bz2.compress, "the file is compressed with bzip2, not lines of text; unpack it first"),
        (lambda text: text.decode().encode("utf-16"), "the text is not UTF-8 but UTF-16; convert the file with iconv"),
        (
            lambda text: text.decode().encode("utf-16-le"),
            "the file has zero bytes, so it is not text in UTF-8; if it is UTF-16, convert it with iconv",
        ),
    ],
    ids=["tar", "tgz", "bz2", "utf-16", "utf-16-le"],
)
def test_other_content_is_not_scored_as_text(text, written, refused, tmp_path):
    path, lines = tmp_path / "ref.bin", file(tmp_path, "hyp.txt", text.decode())
    path.write_bytes(written(text))
    for done in (score(path, path), score(lines, path), score(path, path, "--style", "keyed"), oracle(MEETING, path)):
        assert_one_line_error(done, f"ref.bin: {refused}")


def test_text_may_begin_like_an_archive_and_be_cut_within_a_character(tmp_path):
    path = file(tmp_path, "text.txt", "Rar! BZh\n" + "é" * 2**16 + "\n")
    assert good(score(path, path, "--metric", "wer", "--format", "tsv", "--resamples", "0"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bleu.smoothing_value=abc", "smoothing_value abc is not possible with the smoothing none"),
        ("bleu.stem=maybe", r"stem is 'maybe'; give True or False \(yes or no on the command line\)"),
        ("bleu.effective_order=2", "effective_order is 2"),
        ("bleu.order=1_0", "order 1_0 is not possible"),
        ("nist.stem=1", "stem is 1"),
        ("f1.stem=1", "stem is 1"),
        ("f1.kind=recall", "metric 'f1' has no parameter 'kind'"),
        ("4-grr.order=3", "metric '4-grr' has no parameter 'order'"),
        ("meteor.stages=2.5", "METEOR has no stage '2.5'"),
    ],
)
def test_values_that_a_parameter_cannot_have_are_refused(text, message):
    assert_one_line_error(score(NEW, REF, "-m", text.partition(".")[0], "-P", text), message)


# --- Tokenizers of single metrics, and the digits of sacrebleu

RAW_SYSTEM = ["The cat, sat.", "It's 10\u00a0000 tonnes - no?", "Wow!", "", "a b c d e f"]
RAW_REFERENCE = ["The cat sat down.", "It is 10 000 tonnes, no?", "wow.", "x", "b c d e f a"]


@pytest.fixture
def raw(tmp_path):
    for name, lines in (("hyp", RAW_SYSTEM), ("ref", RAW_REFERENCE)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path / "hyp", tmp_path / "ref"


def test_bleu_chrf_and_ter_have_the_digits_of_sacrebleu_in_one_run(raw):
    sacrebleu = pytest.importorskip("sacrebleu")
    found = scores(*raw, "-m", "bleu,chrf,chrf++,ter,wer", "--as", "sacrebleu", "--resamples", 0)
    peers = (sacrebleu.BLEU(), sacrebleu.CHRF(), sacrebleu.CHRF(word_order=2), sacrebleu.TER())
    for peer, item in zip(peers, found.values(), strict=False):
        assert item["score"] == pytest.approx(peer.corpus_score(RAW_SYSTEM, [RAW_REFERENCE]).score / 100, abs=1e-12)
    assert list(found.values())[-1]["signature"] == str(lm.WER().signature)
    rows = good(score(*raw, "-m", "bleu", "--as", "sacrebleu", "--level", "sentence", "--format", "json")).stdout
    sentence = sacrebleu.BLEU(effective_order=True)
    for item, said, meant in zip(json.loads(rows)["sentences"], RAW_SYSTEM, RAW_REFERENCE, strict=True):
        assert item["scores"]["bleu"] == pytest.approx(sentence.sentence_score(said, [meant]).score / 100, abs=1e-12)


def test_what_is_given_takes_precedence_over_sacrebleu(raw):
    found = scores(
        *raw, "-m", "bleu,ter", "--as", "sacrebleu", "-P", "bleu.smoothing=none", "-tok", "bleu=char", "--resamples", 0
    )
    signatures = [item["signature"] for item in found.values()]
    assert "length:closest|smooth:none" in signatures[0]
    assert "tok:char" in signatures[0]
    assert "tok:tercom" in signatures[1]


def test_a_metric_may_have_its_own_tokenizer(raw):
    each = scores(*raw, "-m", "bleu,wer,ter", "-tok", "bleu=13a", "-tok", "WER=char", "--resamples", 0).values()
    alone = [("bleu", ["-tok", "13a"]), ("wer", ["-tok", "char"]), ("ter", [])]
    for item, (name, options) in zip(each, alone, strict=True):
        (own,) = scores(*raw, "-m", name, *options, "--resamples", 0).values()
        assert item == own
    mixed = scores(*raw, "-m", "bleu,wer,ter", "-tok", "13a", "-tok", "wer=char", "--resamples", 0).values()
    assert [item["score"] for item in mixed][:2] == [item["score"] for item in each][:2]
    texts = RAW_SYSTEM, RAW_REFERENCE
    found = lm.score(*texts, "bleu,wer,ter", tokenize={"bleu": "13a", "wer": "char"})
    assert list(found.values.values()) == [item["score"] for item in each]
    assert [one.signature for one in found] == [item["signature"] for item in each]
    shown = good(score(*raw, "-m", "bleu,wer", "-tok", "wer=char", "--explain", 3)).stdout
    assert "W  o  w  !" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "bleu", "-tok", "ter=13a"], "the metric 'ter' is not scored, but has a tokenizer; choose one of bleu"),
        (["-m", "bleu", "-tok", "13a", "-tok", "intl"], "a tokenizer of all metrics is given twice"),
        (["-m", "bleu", "-tok", "13a", "--as", "sacrebleu"], "a tokenizer of all metrics is given beside --as"),
        (["-m", "wer", "--as", "sacrebleu"], "sacrebleu has none of these metrics; add bleu, chrf or ter"),
        (["-m", "bleu", "-tok", "bleu=none such"], "there is no tokenizer 'none such'"),
    ],
)
def test_tokenizers_that_have_no_effect_are_refused(raw, options, message):
    assert_one_line_error(score(*raw, *options), message)


def test_metrics_after_a_space_are_told_of_commas(raw):
    for order in (["-m", "bleu", "chrf", "ter", *raw], [*raw, "-m", "bleu", "4-grr"]):
        assert_one_line_error(score(*order), "is a metric, but stands where a file does; separate the names of metrics")


def test_parameters_are_signed_in_full():
    for one, other in (
        (lm.CHRF(beta=2), lm.CHRF(beta=2.0000001)),
        (lm.BLEU(smoothing="floor", smoothing_value=0.1), lm.BLEU(smoothing="floor", smoothing_value=0.10000001)),
    ):
        assert str(one.signature) != str(other.signature)
