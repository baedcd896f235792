"""`lattice-oracle` by several metrics: what each finds alone, in one run that reads each graph once."""

import json
from collections import Counter

import pytest
from kit.commands import MEETING, assert_one_line_error
from kit.many_graphs import data, latticemetric, oracle

import latticemetric as lm
from latticemetric.corpus.oracles import OracleSearch
from latticemetric.corpus.pairing import Pair
from latticemetric.corpus.run import Run
from latticemetric.corpus.several_metrics import answers_by_each
from latticemetric.formats.references import Reference
from latticemetric.formats.registry import Entry

METRICS = ("wer", "4-grr", "cer")
RICH = (
    "--hope",
    "0.1,3",
    "--fear",
    "1",
    "--worst",
    "--nbest",
    "2",
    "--also-score",
    "bleu,nist",
    "-P",
    "4-grr.alpha=0.3",
)


def rich(metric):
    """The options of RICH that one metric takes alone."""
    return RICH if metric == "4-grr" else RICH[:-2]


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    return data(tmp_path_factory.mktemp("graphs"), 12, broken=(3, 7))


def test_each_metric_finds_what_it_finds_alone(graphs):
    options = ("--keep-going", "--workers", "1", "--format", "json")
    several = oracle(*graphs, "-m", ",".join(METRICS), *RICH, *options).json
    for metric in METRICS:
        alone = oracle(*graphs, "-m", metric, *rich(metric), *options).json
        items = [item for item in several["lattices"] if item["metric"] == metric]
        assert [{name: value for name, value in item.items() if name != "metric"} for item in items] == alone[
            "lattices"
        ]
        assert several["corpus"][metric] == alone["corpus"]
        assert several["signatures"][metric] == alone["signature"]


def test_records_are_one_per_graph_and_metric(graphs):
    found = oracle(*graphs, "-m", ",".join(METRICS), "--keep-going", "--workers", "1", "--format", "jsonl")
    records = [json.loads(line) for line in found.stdout.splitlines()]
    assert [list(record)[:2] for record in records] == [["id", "metric"]] * len(records)
    assert [record["metric"] for record in records] == list(METRICS) * 12
    rows = oracle(*graphs, "-m", ",".join(METRICS), "--keep-going", "--workers", "1", "--format", "tsv").stdout
    assert [line.split("\t")[:2] for line in rows.splitlines()[1:]] == [[r["id"], r["metric"]] for r in records]


def test_without_a_metric_both_rates_are_searched():
    both = oracle(*MEETING)
    assert both == oracle(*MEETING, "--metric", "wer,4-grr")
    assert [line.split()[:2] for line in both.stdout.splitlines()[:2]] == [
        ["meeting-001", "wer"],
        ["meeting-001", "4-grr"],
    ]
    table = both.stderr.splitlines()
    assert [line.split()[0] for line in table if "oracle  " in line] == ["wer", "4-grr"]


def test_each_graph_is_parsed_once():
    parsed = Counter()

    def build():
        parsed["u"] += 1
        return lm.Lattice.from_strings(["a b", "a"])

    pair = Pair("u", Entry("u", "", build), (Reference(("a", "b"), ""),))
    searches = [OracleSearch(lm.ByRate(metric=metric), None, None) for metric in METRICS]
    (found,) = answers_by_each(searches, [pair], Run())
    assert [answer.oracle.score for answer in found.value] == [0, 1, 0]
    assert parsed["u"] == 1


@pytest.mark.parametrize("more", [(), RICH])
def test_merged_shards_are_the_whole_run(graphs, more, tmp_path):
    options = ("--keep-going", "--workers", "1", "--format", "json", *more)
    shards = [tmp_path / f"{number}.json" for number in (1, 2, 3)]
    for number, shard in enumerate(shards, start=1):
        oracle(*graphs, *options, "--shard", f"{number}/3", "-o", shard)
    assert latticemetric("merge", "--format", "json", *shards).stdout == oracle(*graphs, *options).stdout


def test_an_interrupted_run_continues(graphs, tmp_path):
    whole, output = tmp_path / "whole.json", tmp_path / "out.json"
    oracle(*graphs, *RICH, "--keep-going", "-o", whole)
    broken = oracle(*graphs, *RICH, "--workers", "1", "--resume", "-o", output)  # stops at the first broken graph
    assert broken.status == 2
    assert (tmp_path / "out.json.journal").exists()
    resumed = oracle(*graphs, *RICH, "--keep-going", "--workers", "2", "--resume", "-o", output)
    assert resumed.status == 1
    assert output.read_text() == whole.read_text()


def test_a_graph_that_fails_by_one_metric_has_results_by_the_others():
    lantern = [MEETING[0].parent / name for name in ("lantern.joshua.hg", "lantern.ref.txt")]
    assert oracle(*lantern, "-m", "wer,cer").status == 2
    done = oracle(*lantern, "-m", "wer,cer", "--keep-going", "--format", "jsonl")
    by_words, by_letters = map(json.loads, done.stdout.splitlines())
    assert (done.status, by_words["metric"], by_words["score"]) == (1, "wer", 0.5)
    assert "cer cannot search a forest" in by_letters["error"]
    assert "cer cannot search a forest" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "wer,bleu"], "--metric: a search by BLEU, .* takes no other metric beside it; name it alone"),
        (["-m", "compound-wer,wer"], "--metric: a search by compound-wer takes no other metric beside it"),
        (["-m", "wer,4-grr,WER"], "metric 'wer' is given twice"),
        (["-m", " , "], "--metric: no metric is given"),
        (["-m", "wer,meteor"], "'meteor' cannot search a graph"),
        (["-m", "wer,bluh"], "there is no metric 'bluh'"),
        (["--write-lattices", "best.slf"], "--write-lattices writes the results by one metric; name one: --metric wer"),
        (["--tags"], "--tags writes the results by one metric; name one: --metric wer"),
        (["-P", "cer.spaces=no"], "'cer' is not named in --metric"),
    ],
)
def test_what_several_metrics_cannot_have_is_refused(options, message):
    assert_one_line_error(oracle(*MEETING, *options), message)
