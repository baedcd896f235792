"""Best strings, hope, fear, the worst string and lattices of oracles on the command line: what the library says."""

import json

import pytest
from kit.commands import HARBOUR, MEETING, PROVERBS, assert_one_line_error, file, good, oracle, run
from kit.paths import EXAMPLES

import latticemetric as lm

ASKED = ("--metric", "wer", "--nbest", "3", "--hope", "0.5,5", "--fear", "2", "--worst")
SAID_BY_BOTH = ("score", "numerator", "denominator", "cost", "exact", "scores", "arcs", "reference")


def assert_same(item, answer, *more):
    expected = answer.asdict()
    assert {name: item[name] for name in (*SAID_BY_BOTH, *more)} == {
        name: expected[name] for name in (*SAID_BY_BOTH, *more)
    }
    assert item["hypothesis"] == " ".join(answer.words)
    assert item["alignment"] == answer.alignment.edits
    assert not {"one_best", "signature"} & item.keys()


@pytest.mark.parametrize("on", ["rate", "numerator"])
def test_json_says_what_the_library_says(on):
    document = good(oracle(*MEETING, *ASKED, "--on", on, "--format", "json")).json
    references = dict(line.split(maxsplit=1) for line in MEETING[1].read_text().splitlines())
    graphs = dict(lm.read(MEETING[0]))
    for item in document["lattices"]:
        asked = graphs[item["id"]], references[item["id"]], "wer"
        for found, best in zip(item["nbest"], lm.oracles(*asked, n=3), strict=True):
            assert_same(found, best)
        assert [hope["weight"] for hope in item["hope"]] == [0.5, 5.0]
        for hope in item["hope"]:
            assert_same(hope, lm.hope(*asked, weight=hope["weight"], on=on), "value")
        assert item["fear"]["weight"] == 2.0
        assert_same(item["fear"], lm.fear(*asked, weight=2, on=on), "value", "bound")
        assert_same(item["worst"], lm.worst(*asked), "bound")


def test_the_corpus_sums_what_its_items_say():
    document = good(oracle(*MEETING, *ASKED, "--format", "json")).json
    items, corpus = document["lattices"], document["corpus"]
    for name in ("numerator", "denominator"):
        assert corpus["worst"][name] == sum(item["worst"][name] for item in items)
        assert corpus["fear"][name] == sum(item["fear"][name] for item in items)
        assert [hope[name] for hope in corpus["hope"]] == [sum(i["hope"][k][name] for i in items) for k in (0, 1)]
    assert corpus["worst"]["score"] == corpus["worst"]["numerator"] / corpus["worst"]["denominator"]
    assert corpus["fear"]["value"] == pytest.approx(sum(item["fear"]["value"] for item in items))
    assert {corpus[name]["inexact"] for name in ("fear", "worst")} == {0}


def test_jsonl_has_the_same_items():
    lines = good(oracle(*MEETING, *ASKED, "--format", "jsonl")).stdout.splitlines()
    document = good(oracle(*MEETING, *ASKED, "--format", "json")).json
    assert [json.loads(line) for line in lines] == document["lattices"]


def test_nothing_is_there_that_was_not_asked_for():
    item = json.loads(good(oracle(*HARBOUR, "--metric", "wer", "--worst", "--format", "jsonl")).stdout)
    assert not {"nbest", "hope", "fear"} & item.keys()
    item = json.loads(good(oracle(*HARBOUR, "--metric", "wer", "--format", "jsonl")).stdout)
    assert "worst" not in item


def test_text_has_a_line_for_each_answer_and_a_row_for_each_side():
    done = good(oracle(*HARBOUR, "--metric", "wer", "--nbest", "2", "--fear", "1", "--worst"))
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["harbour", "0.00%", "0/4", "the", "old", "harbour", "sleeps"],
        ["2", "25.00%", "1/4", "the", "old", "harbour", "slips"],
        ["fear", "1", "0.00%", "0/4", "the", "old", "harbour", "sleeps"],
        ["worst", "100.00%", "4/4", "a", "cold", "arbour", "slips"],
    ]
    rows = [line.split()[:2] for line in done.stderr.splitlines() if line]
    assert rows[1:6] == [
        ["oracle", "0.00"],
        ["1-best", "0.00"],
        ["fear", "1"],
        ["worst", "100.00"],
        ["headroom", "0.00"],
    ]


def test_tsv_has_columns_for_each_side():
    header, row = good(
        oracle(*HARBOUR, "--metric", "wer", "--nbest", "2", "--hope", "1", "--worst", "--format", "tsv")
    ).stdout.splitlines()
    fields = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert fields["nbest"] == "the old harbour sleeps ||| the old harbour slips"
    assert (fields["worst_hypothesis"], fields["worst_score"]) == ("a cold arbour slips", "1.0")
    assert fields["worst_exact"] == "true"
    assert (fields["hope_1_value"], fields["hope_1_scores"]) == ("-1.25", "weight=2.25")


def test_weights_that_are_close_have_columns_of_their_own():
    lines = good(oracle(*HARBOUR, "--hope", "1000000,1000001", "--format", "tsv")).stdout.splitlines()
    names = lines[0].split("\t")
    assert len(set(names)) == len(names)
    assert {"hope_1000000_value", "hope_1000001_value"} < set(names)


def test_a_graph_that_fails_counts_on_all_sides(tmp_path):
    references = file(tmp_path, "refs", "meeting-001 a b\nmeeting-002 a\nmeeting-003 a\nmeeting-004 x y z\n")
    done = oracle(MEETING[0], references, *ASKED, "--keep-going", "--format", "json")
    assert done.status == 1
    items = [item for item in done.json["lattices"] if "error" not in item]
    assert done.json["corpus"]["worst"]["numerator"] == 3 + sum(item["worst"]["numerator"] for item in items)
    tsv = oracle(MEETING[0], references, *ASKED, "--keep-going", "--format", "tsv").stdout.splitlines()
    assert len({len(line.split("\t")) for line in tsv}) == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_lattices_of_oracles_are_written(workers, tmp_path):
    target = tmp_path / "best.plf"
    good(oracle(*PROVERBS, "--metric", "wer", "--write-lattices", target, "--workers", workers))
    references = PROVERBS[1].read_text().splitlines()
    found = list(lm.read(target))
    assert len(found) == len(references)
    for (_, written), (_, lattice), reference in zip(found, lm.read(PROVERBS[0]), references, strict=True):
        expected = lm.oracle_lattice(lattice, reference, "wer")
        assert sorted(path.words for path in written.paths()) == sorted(path.words for path in expected.paths())


def test_scores_of_written_lattices_may_be_summed(tmp_path):
    written = ("--metric", "wer", "--write-lattices", f"{tmp_path / 'best'}/", "--to", "openfst-text")
    assert_one_line_error(oracle(*MEETING, *written), "--sum-scores")
    good(oracle(*MEETING, *written, "--sum-scores", "--weights", "acoustic=0.5"))
    items = good(
        oracle(*MEETING, "--metric", "wer", "--weights", "acoustic=0.5", "--format", "jsonl")
    ).stdout.splitlines()
    for (_, lattice), item in zip(lm.read(tmp_path / "best"), map(json.loads, items), strict=True):
        assert min(path.cost for path in lattice.paths()) == pytest.approx(item["cost"])


def test_forests_of_oracles_are_written_in_a_named_format(tmp_path):
    target = tmp_path / "best"
    pair = EXAMPLES / "lantern.hg", EXAMPLES / "lantern.ref.txt"
    done = oracle(*pair, "--metric", "4-grr", "--write-lattices", target, "--to", "cdec-json")
    assert done.status == 2
    assert "error: lantern: cdec-json cannot store the labels covered; leave them out with --drop-labels" in done.stderr
    good(oracle(*pair, "--metric", "4-grr", "--write-lattices", target, "--to", "cdec-json", "--drop-labels"))
    reference = pair[1].read_text().splitlines()[0]
    expected = lm.oracle_forest(lm.read_one(pair[0]), reference, "4-grr")
    assert {d.words for d in lm.read_one(target).derivations()} == {d.words for d in expected.derivations()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--write-lattices", "-"), "name a file"),
        (("--write-lattices", "best.unknown"), "no format has the suffix of 'best.unknown'"),
        (("--write-lattices", "best.plf", "--to", "nonsense"), "nonsense"),
        (("--to", "plf"), "--write-lattices"),
        (("--drop-labels",), "--write-lattices"),
    ],
)
def test_what_makes_no_sense_is_one_line(arguments, message, tmp_path):
    assert_one_line_error(oracle(*HARBOUR, "--metric", "wer", *arguments, cwd=tmp_path), message)
    assert not list(tmp_path.iterdir())


def test_a_sum_that_no_number_holds_is_null():
    document = good(oracle(*MEETING, "--metric", "wer", "--hope", "1e308,1", "--format", "json")).json
    assert sum(item["hope"][0]["value"] > 5e307 for item in document["lattices"]) == 3
    huge, small = document["corpus"]["hope"]
    assert huge.pop("value") is None
    assert small["value"] == pytest.approx(sum(item["hope"][1]["value"] for item in document["lattices"]))
    assert huge["score"] == pytest.approx(document["corpus"]["score"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("--hope", "much"),
        ("--hope", "1,-1"),
        ("--fear", "1,"),
        ("--fear", "nan"),
        ("--fear", "inf"),
        ("--nbest", "0"),
        ("--on", "cost"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(arguments):
    done = oracle(*HARBOUR, *arguments)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {arguments[0]}: ")


# --- Extremes that cannot be found


def many_strings(words: int) -> str:
    """A forest of four nodes side by side, each of so many words: it is no lattice."""
    rules = [f"{node}\n" + "".join(f"w{node}x{k} ||| lm_0=-{k}.5\n" for k in range(words)) for node in (1, 2, 3, 4)]
    return f"# target ||| features\n5 {4 * words + 1}\n{''.join(rules)}5\n[1] [2] [3] [4] ||| lm_0=0\n"


@pytest.fixture
def forests(tmp_path):
    """Three forests, the second of which has more strings than can be listed; and their references."""
    folder = tmp_path / "forests"
    folder.mkdir()
    for name, words in (("a", 2), ("b", 11), ("c", 3)):
        file(folder, f"{name}.hg", many_strings(words))
    references = file(tmp_path, "refs", "a w1x1 w2x1 w3x0 w4x1\nb w1x1 w2x1 w3x9 w4x1\nc w1x1 w2x1 w3x0 no\n")
    return folder, references


WANTED = ("--metric", "wer", "--hope", "1", "--fear", "1,2", "--worst")
TOO_MANY = "the forest has more than 10000 strings, too many to compare"


@pytest.mark.parametrize("workers", [1, 2])
def test_an_extreme_that_cannot_be_found_costs_no_oracle(workers, forests, tmp_path):
    report = tmp_path / "failures"
    asked = [*forests, *WANTED, "--workers", workers]
    done = oracle(*asked, "--keep-going", "--format", "json", "--failures", report)
    assert done.status == 1
    items, corpus = {item["id"]: item for item in done.json["lattices"]}, done.json["corpus"]
    plain = good(oracle(*forests, "--metric", "wer", "--format", "json")).json
    assert {name: items["b"][name] for name in ("score", "hypothesis")} == {
        name: plain["lattices"][1][name] for name in ("score", "hypothesis")
    }
    assert "hypothesis" in items["b"]["hope"]
    assert [fear["weight"] for fear in items["b"]["fear"]] == [1.0, 2.0]
    assert all(answer["error"].startswith(TOO_MANY) for answer in (*items["b"]["fear"], items["b"]["worst"]))
    assert {name: corpus[name] for name in plain["corpus"]} == plain["corpus"]
    assert [fear["failed"] for fear in corpus["fear"]] == [1, 1]
    assert (corpus["hope"]["failed"], corpus["worst"]["failed"]) == (0, 1)
    found = [items[name]["worst"] for name in "ac"]
    assert corpus["worst"]["numerator"] == 4 + sum(worst["numerator"] for worst in found), "its words are deleted"
    name, path, _, reason = report.read_text().splitlines()[1].split("\t")
    assert (name, path) == ("b", str(forests[0] / "b.hg"))
    assert f"(b): fear 1, fear 2, worst: {TOO_MANY}" in reason
    assert_one_line_error(oracle(*asked), rf"b\.hg \(b\): {TOO_MANY}")


def test_an_extreme_that_cannot_be_found_is_told_in_text_and_tables(forests):
    done = oracle(*forests, *WANTED, "--keep-going")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines.count(["fear", "1", "failed"]) == lines.count(["worst", "failed"]) == 1
    assert "fear 1: 1 failed\nfear 2: 1 failed\nworst: 1 failed\n3 lattices " in done.stderr
    table = oracle(*forests, *WANTED, "--keep-going", "--format", "tsv").stdout.splitlines()
    header, _, row, _ = (line.split("\t") for line in table)
    fields = dict(zip(header, row, strict=True))
    assert fields["hypothesis"] == "w1x1 w2x1 w3x9 w4x1"
    assert (fields["fear_1_hypothesis"], fields["worst_score"], fields["worst_scores"], fields["error"]) == ("",) * 4
    assert fields["hope_1_hypothesis"] != ""


def test_shards_sum_up_extremes_that_cannot_be_found(forests, tmp_path):
    asked = [*forests, *WANTED, "--keep-going", "--format", "json"]
    paths = [tmp_path / f"{number}.json" for number in (1, 2)]
    for number, path in enumerate(paths, start=1):
        oracle(*asked, "--shard", f"{number}/2", "--output", path)
    assert good(run("latticemetric", "merge", "--format", "json", *paths)).stdout == oracle(*asked).stdout
