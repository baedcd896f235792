"""Real lattices, and what other tools found in them; they are no part of the repository."""

import csv
import gzip
import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from kit.lists import curve, read_lists
from kit.paths import DATA
from kit.patience import PATIENCE

import latticemetric as lm

PROGRAM = Path(sys.executable).parent / "lattice-oracle"

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"there are no lattices in {DATA} (LATTICEMETRIC_DATA)"),
]


@cache
def oracle(*arguments: object) -> dict:
    """The JSON document of a run."""
    command = [str(PROGRAM), *map(str, arguments), "--format", "json"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def rate(values: dict) -> tuple[int, int]:
    return values["numerator"], values["denominator"]


def assert_scores_are_those_of_the_words(document: dict, metric: lm.GRR) -> None:
    """Every oracle and 1-best re-scores to itself, and no oracle is worse than the 1-best."""
    sign = 1 if metric.higher_is_better else -1
    for item in document["lattices"]:
        reference = item["reference"].split()
        for path in (item, item["one_best"]):
            statistics = metric.statistics(path["hypothesis"].split(), [reference])
            assert rate(path) == (metric.numerator(statistics), metric.denominator(statistics)), item["id"]
        best, one_best = (sign * Fraction(*rate(path)) for path in (item, item["one_best"]))
        assert best >= one_best, item["id"]


# --- Kaldi: PocketSphinx lattices, with the edits that Kaldi's own oracle found

PS_MEDIUM = (DATA / "kaldi" / "ps-medium.lat.txt.gz", DATA / "kaldi" / "ps-medium.ref.int")


def test_kaldi_lattices_have_the_edits_of_kaldi_s_own_oracle():
    document = oracle(*PS_MEDIUM, "--metric", "wer")
    lines = (DATA / "kaldi" / "ps-medium.kaldi-oracle-edits.txt").read_text().splitlines()
    edits = {name: int(count) for name, count in map(str.split, lines)}
    assert {item["id"]: item["numerator"] for item in document["lattices"]} == edits
    assert rate(document["corpus"]) == (2, 96)
    assert_scores_are_those_of_the_words(document, lm.WER())


def test_kaldi_lattices_are_spelled_by_their_table():
    words = oracle(*PS_MEDIUM, "--metric", "wer", "--symbols", DATA / "kaldi" / "ps-medium.words.txt")
    assert rate(words["corpus"]) == (2, 96)
    assert words["lattices"][0]["hypothesis"] == "ten of clubs"
    assert words["lattices"][0]["reference"] == "ten of clubs"


# --- HiFST: translation lattices, with oracles found beforehand


def hifst(metric: str) -> dict:
    arguments = (DATA / "hifst" / "att", DATA / "hifst" / "refs.50.idx")
    return oracle(*arguments, "--ignore", "1 2", "--metric", metric)


def known() -> list[dict[str, int]]:
    with (DATA / "hifst" / "oracles.tsv").open() as file:
        return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file, delimiter="\t")]


@pytest.mark.parametrize(
    ("metric", "column", "denominator", "score", "one_best"),
    [
        ("4-grr", "4grr", "4grr_denominator", 0.4721, 0.2546),
        ("wrr", "wrr", "reference_words", 0.6319, 0.3968),
    ],
)
def test_hifst_lattices_have_the_known_oracles(metric, column, denominator, score, one_best):
    document = hifst(metric)
    rows = known()
    assert [item["id"] for item in document["lattices"]] == [str(row["lattice"]) for row in rows]
    for item, row in zip(document["lattices"], rows, strict=True):
        assert rate(item) == (row[f"{column}_oracle"], row[denominator]), item["id"]
        assert rate(item["one_best"]) == (row[f"{column}_1best"], row[denominator]), item["id"]
    assert round(document["corpus"]["score"], 4) == score
    assert round(document["corpus"]["one_best"]["score"], 4) == one_best
    assert_scores_are_those_of_the_words(document, lm.make_metric(metric))


def test_hifst_lattices_reach_the_known_bleu():
    arguments = (DATA / "hifst" / "att", DATA / "hifst" / "refs.50.idx")
    document = oracle(*arguments, "--ignore", "1 2", "--metric", "bleu")
    assert round(document["corpus"]["one_best"]["score"], 4) == 0.2387
    assert document["corpus"]["start"]["score"] > 0.473
    assert document["corpus"]["score"] >= 0.476
    references = (DATA / "hifst" / "refs.50.idx").read_text().splitlines()
    said = [item["hypothesis"] for item in document["lattices"]]
    assert lm.BLEU().corpus(said, references).score == pytest.approx(document["corpus"]["score"])


def test_hifst_lattices_in_order_are_those_of_the_folder():
    files = sorted((DATA / "hifst" / "att").iterdir(), key=lambda path: int(path.name.split(".")[0]))
    references = (DATA / "hifst" / "refs.50.idx").read_text().splitlines()
    metric = lm.WRR(ignore=["1", "2"])
    found = [
        lm.oracle(lm.read_one(path), reference, metric).numerator
        for path, reference in zip(files[:5], references, strict=False)
    ]
    assert found == [item["numerator"] for item in hifst("wrr")["lattices"][:5]]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_hifst_binary_lattices_are_read(number):
    lattice = lm.read_one(DATA / "hifst" / "binary" / f"{number}.lat.fst.gz")
    assert lattice.statistics().paths > 1


# --- OpenFst


def test_the_openfst_example_has_one_error_in_nine_words():
    folder = DATA / "openfst"
    symbols = folder / "oracle_1.symbols.txt"
    document = oracle(folder / "oracle_1.hyp.fst", folder / "oracle_1.ref.txt", "--symbols", symbols, "--metric", "wer")
    assert rate(document["corpus"]) == (1, 9)
    assert_scores_are_those_of_the_words(document, lm.WER())


# --- PLF: conversational lattices; the published oracle is a path of its own lattice in some cases only


FISHER = (DATA / "plf" / "fisher_dev.400.plf.gz", DATA / "plf" / "fisher_dev.400.published-oracle.es")


@pytest.mark.parametrize(("metric", "total"), [("wer", (445, 3428)), ("4-grr", (8907, 11663))])
def test_the_fisher_lattices_run_whole(metric, total):
    document = oracle(*FISHER, "--metric", metric)
    assert (document["corpus"]["lattices"], document["corpus"]["failed"]) == (400, 0)
    assert rate(document["corpus"]) == total
    assert_scores_are_those_of_the_words(document, lm.make_metric(metric))


def test_the_fisher_1_best_is_never_better_than_the_oracle():
    lines = (DATA / "plf" / "fisher_dev.400.asr-1best.es").read_text().splitlines()
    references = FISHER[1].read_text().splitlines()
    errors = lm.WER().corpus(lines, references).numerator
    assert oracle(*FISHER, "--metric", "wer")["corpus"]["numerator"] <= errors


@pytest.mark.parametrize("file", ["moses-lattice-surface.plf", "cdec-sparse-features.plf"])
def test_other_dialects_of_plf_are_read(file):
    graphs = [graph for _, graph in lm.read(DATA / "plf" / file)]
    assert graphs
    assert all(graph.statistics().paths > 0 for graph in graphs)


# --- n-best


def test_a_moses_list_is_read_whole():
    path = DATA / "nbest" / "moses.nbest.1.gz"
    with gzip.open(path, "rt") as file:
        totals = [float(line.split("|||")[3]) for line in file]
    costs = [h.scores["total"] for _, nbest in lm.read(path) for h in nbest.hypotheses]
    assert costs == [-total for total in totals]


# --- WMT: direct assessment, with the correlations that the campaigns' own scores give

METRICS = DATA / "metrics"


@cache
def correlated(*arguments: object) -> dict:
    """The JSON document of a run of `latticemetric correlate`."""
    command = [str(PROGRAM.with_name("latticemetric")), "correlate", *map(str, arguments), "--format", "json"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize(("pair", "systems", "pearson"), [("cs-en", 4, 0.926), ("de-en", 11, 0.906)])
def test_bleu_correlates_with_direct_assessment_of_systems_as_known(pair, systems, pearson):
    found = correlated(METRICS / "wmt17", "--pair", pair, "--metric", "bleu", "--resamples", 200)
    assert round(found["system"]["bleu"]["pearson"], 3) == pearson
    assert found["system"]["bleu"]["points"] == systems
    assert found["system"]["bleu"]["interval"]["low"] < pearson < found["system"]["bleu"]["interval"]["high"]
    assert found["differentials"]["bleu"]["points"] == systems * (systems - 1) // 2


@pytest.mark.parametrize(
    ("references", "pearson"), [(["ref.A.en"], 0.555), (["ref.B.en"], 0.664), (["ref.A.en", "ref.B.en"], 0.599)]
)
def test_bleu_with_several_references_correlates_as_known(references, pearson):
    folder = METRICS / "wmt21-csen"
    options = [option for name in references for option in ("--reference", folder / name)]
    found = correlated(folder, *options, "--metric", "bleu", "--resamples", 0)
    assert round(found["system"]["bleu"]["pearson"], 3) == pearson
    assert found["segment"]["bleu"]["reason"] == "there are no human scores of segments"
    assert found["notes"] == ["HUMAN: left out, since there is no output (judged 1 time)"]


def test_judgments_of_identical_outputs_count_for_each_system():
    found = correlated(METRICS / "wmt17", "--pair", "cs-en", "--metric", "bleu", "--resamples", 200)
    with (METRICS / "wmt17" / "DA-seglevel.csv").open(encoding="utf-8") as file:
        rows = [line.split() for line in file if line.startswith("cs-en")]
    assert sum(one["judged_segments"] for one in found["human"].values()) == sum(row[2].count("+") + 1 for row in rows)


# --- HyPoradise: 5-best lists of Whisper, references in the same file; edits as its paper and others count them

HYPORADISE = {
    "atis": (765, 484, 9_111),
    "cv": (3_271, 2_399, 21_186),
    "ls_clean": (943, 470, 52_576),
}


@pytest.mark.parametrize("name", HYPORADISE)
def test_hyporadise_lists_have_known_errors(name):
    path = DATA / "nbest-json" / f"{name}.json.gz"
    one_best, best, words = HYPORADISE[name]
    corpus = oracle(path, "--metric", "wer")["corpus"]
    assert (rate(corpus["one_best"]), rate(corpus)) == ((one_best, words), (best, words))
    found = curve(read_lists(path))
    assert (found.one_best.numerator, found.oracle.numerator) == (one_best, best)
