"""The command line, as a user meets it: real processes, their output, their errors and their exit status."""

import gzip
import json
import os
import re
import stat
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from kit.commands import HARBOUR, MEETING, PROGRAMS, PROVERBS, Done, assert_one_line_error, file, good, oracle, run
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

import latticemetric as lm

# --- Results


def test_text_shows_each_lattice_and_sums_up_on_standard_error():
    done = good(oracle(*MEETING, "--metric", "wer"))
    assert done.stdout.splitlines() == [
        "meeting-001    16.67%        1/6  we should meet on monday",
        "meeting-002     0.00%        0/5  the budget is too small",
        "meeting-003     0.00%        0/3  thank you all",
    ]
    assert [line.split() for line in done.stderr.splitlines() if line] == [
        ["wer", "%", "matches", "subst.", "del.", "ins."],
        ["oracle", "7.14", "1/14", "13", "0", "1", "0"],
        ["1-best", "28.57", "4/14", "10", "1", "3", "0"],
        ["headroom", "21.43"],
        [*["%WER", "7.14", "[", "1", "/", "14,", "0", "ins,", "1", "del,", "0", "sub", "]", "oracle"]],
        [*["%WER", "28.57", "[", "4", "/", "14,", "0", "ins,", "3", "del,", "1", "sub", "]", "1-best"]],
        ["3", "lattices", f"wer|refs:1|case:mixed|tok:none|v:{lm.__version__}"],
    ]


def test_rates_may_be_fractions():
    done = good(oracle(*MEETING, "--metric", "wer", "--fractions"))
    assert done.stdout.splitlines()[0] == "meeting-001    0.1667        1/6  we should meet on monday"
    rows = [line.split() for line in done.stderr.splitlines() if line]
    assert rows[:2] == [["wer", "matches", "subst.", "del.", "ins."], ["oracle", "0.0714", "1/14", "13", "0", "1", "0"]]
    assert rows[3] == ["headroom", "0.2143"]


def test_the_default_metrics_are_wer_and_4_grr():
    signatures = good(oracle(*MEETING, "--format", "json")).json["signatures"]
    assert signatures["wer"].startswith("wer|refs:1|")
    assert signatures["4-grr"].startswith("4-grr|alpha:1|beta:0|refs:1|")


def test_alignments_are_shown_below_their_lattice():
    done = good(oracle(*MEETING, "--metric", "wer", "--alignment"))
    assert done.stdout.splitlines()[:5] == [
        "meeting-001    16.67%        1/6  we should meet on monday",
        "    reference   we  should  all  meet  on  monday",
        "    hypothesis  we  should  *    meet  on  monday",
        "    edit        .   .       D    .     .   .",
        "",
    ]


def test_tsv_has_a_header_and_a_line_a_lattice():
    header, *rows = (
        line.split("\t") for line in good(oracle(*MEETING, "-m", "4-grr", "--format", "tsv")).stdout.splitlines()
    )
    items = [dict(zip(header, row, strict=True)) for row in rows]
    assert [item["id"] for item in items] == ["meeting-001", "meeting-002", "meeting-003"]
    assert items[0]["hypothesis"] == "we should meet on monday"
    assert items[0]["reference"] == "we should all meet on monday"
    assert (items[0]["numerator"], items[0]["denominator"]) == ("9", "18")
    assert items[0]["one_best_hypothesis"] == "we should meet"
    assert {item["error"] for item in items} == {""}


ITEM_FIELDS = {
    *("id", "score", "numerator", "denominator", "hypothesis", "cost", "matches", "substitutions", "deletions"),
    *("insertions", "reference", "exact", "one_best"),
}
CORPUS_FIELDS = {"score", "numerator", "denominator", "one_best", "lattices", "failed"}


def test_json_has_the_fields_of_the_design():
    document = good(oracle(*MEETING, "--metric", "wer", "--format", "json")).json
    assert set(document) == {"signature", "corpus", "lattices"}
    assert set(document["corpus"]) >= CORPUS_FIELDS
    for item in document["lattices"]:
        assert set(item) >= ITEM_FIELDS
        assert set(item["one_best"]) >= {"hypothesis", "score", "numerator", "denominator", "cost"}
        assert item["exact"] is True
    assert document["corpus"]["lattices"] == 3
    assert document["corpus"]["failed"] == 0
    assert document["corpus"]["score"] == pytest.approx(1 / 14)
    assert document["corpus"]["one_best"]["numerator"] == 4


def test_the_errors_of_the_1_bests_are_summed_by_kind():
    document = good(oracle(*MEETING, "--metric", "wer", "--format", "json")).json
    one_best = document["corpus"]["one_best"]
    for name in ("matches", "substitutions", "deletions", "insertions"):
        assert one_best[name] == sum(item["one_best"][name] for item in document["lattices"])
    assert one_best["numerator"] == sum(one_best[name] for name in ("substitutions", "deletions", "insertions")) > 0


def test_json_sums_what_its_items_say():
    document = good(oracle(*PROVERBS, "--metric", "4-grr", "--format", "json")).json
    for name in ("numerator", "denominator"):
        assert document["corpus"][name] == sum(item[name] for item in document["lattices"])
        assert document["corpus"]["one_best"][name] == sum(item["one_best"][name] for item in document["lattices"])


def test_jsonl_is_an_item_a_line():
    lines = good(oracle(*MEETING, "--format", "jsonl")).stdout.splitlines()
    assert [json.loads(line) for line in lines] == good(oracle(*MEETING, "--format", "json")).json["lattices"]


def test_an_undefined_rate_is_null(tmp_path):
    arguments = [file(tmp_path, "x.plf", "((('a',1),),)\n"), file(tmp_path, "ref", "um\n"), "--ignore", "um"]
    arguments += ["--metric", "4-grr"]
    document = good(oracle(*arguments, "--format", "json")).json
    assert (document["lattices"][0]["score"], document["corpus"]["score"]) == (None, None)
    assert good(oracle(*arguments, "--format", "tsv")).stdout.splitlines()[1].split("\t")[1] == ""
    assert "–" in good(oracle(*arguments)).stdout


@pytest.mark.parametrize("output_format", ["text", "tsv", "json", "jsonl"])
def test_a_result_may_go_to_a_file(output_format, tmp_path):
    done = good(oracle(*MEETING, "--format", output_format, "--output", tmp_path / "out"))
    assert done.stdout == ""
    shown = good(oracle(*MEETING, "--format", output_format))
    summary = shown.stderr if output_format == "text" else ""
    assert (tmp_path / "out").read_text() == shown.stdout + summary
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_result_may_go_to_a_compressed_file(tmp_path):
    good(oracle(*MEETING, "--metric", "wer", "--format", "jsonl", "--output", tmp_path / "out.gz"))
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()).decode().count("\n") == 3


@pytest.mark.parametrize(
    ("arguments", "metric", "weights"),
    [
        pytest.param([*MEETING, "--metric", "wer"], lm.WER(), None, id="wer"),
        pytest.param(
            [*PROVERBS, "--metric", "2-grr", "-P", "2-grr.alpha=0.5", "-P", "2-grr.beta=1"],
            lm.GRR(2, alpha=0.5, beta=1),
            None,
            id="2-grr",
        ),
        pytest.param([*HARBOUR, "--metric", "wrr", "--weights", "weight=-1"], lm.WRR(), {"weight": -1.0}, id="scaled"),
        pytest.param(
            [*MEETING, "--metric", "4-grr", "--ignore", "all", "-P", "4-grr.wildcard=it"],
            lm.GRR(4, ignore=["all"], wildcard=["it"]),
            None,
            id="words",
        ),
    ],
)
def test_the_command_line_says_what_the_library_says(arguments, metric, weights):
    lattices, references = arguments[:2]
    lines = references.read_text().splitlines()
    texts = [line.partition(" ")[2] if references == MEETING[1] else line for line in lines]
    items = good(oracle(*arguments, "--format", "json")).json["lattices"]
    for item, (name, graph), text in zip(items, lm.read(lattices), texts, strict=True):
        best = lm.oracle(graph, text, metric, weights=weights)
        expected = {"id": name, **best.asdict(), "alignment": best.alignment.edits}
        del expected["signature"]  # the document says it once
        assert item == expected


# --- Options


def hypotheses(done: Done) -> list[str]:
    return [item["hypothesis"] for item in good(done).json["lattices"]]


def test_several_references_count_with_the_best_of_them():
    one = oracle(*PROVERBS, "--metric", "wer", "--format", "json")
    two = oracle(*PROVERBS, EXAMPLES / "proverbs.ref2.txt", "--metric", "wer", "--format", "json")
    assert "|refs:2|" in two.json["signature"]
    assert [item["score"] for item in two.json["lattices"]] == [0.0, 0.0, 0.0]
    assert two.json["lattices"][2]["reference"] == "who laughs last laughs best"
    assert one.json["lattices"][2]["reference"] == "he who laughs last laughs longest"


@pytest.fixture
def integers(tmp_path) -> list[Path]:
    """A Kaldi archive, references and a table, as recipes hold them: words as numbers."""
    lattice = "utt-1 \n0 1 3 1,2,\n0 1 2 1,3,\n1 2 1 1,2,\n2 0,0,\n\n"
    return [
        file(tmp_path, "lat.txt", lattice),
        file(tmp_path, "ref.int", "utt-1 2 1\n"),
        file(tmp_path, "words.txt", "<eps> 0\nsleep 1\ncats 2\ndogs 3\n"),
    ]


def test_integer_words_and_references_are_spelled_by_a_table(integers):
    lattice, reference, table = integers
    assert hypotheses(oracle(lattice, reference, "--metric", "4-grr", "--format", "json")) == ["2 1"]
    done = oracle(lattice, reference, "--symbols", table, "--metric", "4-grr", "--format", "json")
    assert hypotheses(done) == ["cats sleep"]
    assert done.json["lattices"][0]["reference"] == "cats sleep"
    assert done.json["lattices"][0]["numerator"] == 3


def test_integer_words_meet_references_in_words_by_a_table(integers, tmp_path):
    lattice, _, table = integers
    reference = file(tmp_path, "ref.txt", "utt-1 cats sleep\n")
    assert good(oracle(lattice, reference, "--symbols", table, "--metric", "wer")).stdout.split()[1] == "0.00%"


def test_ignored_words_are_no_words():
    done = good(oracle(*MEETING, "--metric", "wer", "--ignore", "all um", "--format", "json"))
    assert [item["denominator"] for item in done.json["lattices"]] == [5, 5, 2]
    assert done.json["corpus"]["numerator"] == 0
    assert "|ignore:all,um|" in done.json["signature"]
    assert hypotheses(done) == ["we should meet on monday", "the budget is too small", "thank you"]


def test_wildcards_cost_nothing_but_are_reported(tmp_path):
    lattice = file(tmp_path, "x.plf", "((('a',1),),(('um',1),),(('b',1),),)\n")
    reference = file(tmp_path, "ref", "a b\n")
    plain = good(oracle(lattice, reference, "--metric", "2-grr", "--format", "json")).json["lattices"][0]
    wild = good(oracle(lattice, reference, "--metric", "2-grr", "-P", "2-grr.wildcard=um", "--format", "json")).json[
        "lattices"
    ][0]
    assert (plain["numerator"], plain["insertions"]) == (1, 1)
    assert (wild["numerator"], wild["insertions"], wild["hypothesis"]) == (3, 0, "a um b")


def test_words_of_an_option_may_stand_in_a_file(tmp_path):
    words = file(tmp_path, "fillers", "all\num\n")
    from_file = oracle(*MEETING, "--metric", "wer", "--ignore", f"@{words}", "--format", "json")
    assert (
        good(from_file).stdout
        == good(oracle(*MEETING, "--metric", "wer", "--ignore", "um all", "--format", "json")).stdout
    )


def test_scales_weigh_the_columns_of_the_model():
    def cost(*weights: str) -> float:
        arguments = [part for scale in weights for part in ("--weights", scale)]
        return good(oracle(*MEETING, *arguments, "--format", "json")).json["lattices"][0]["one_best"]["cost"]

    assert cost() == pytest.approx(cost("lm=1", "acoustic=1"))
    assert cost("lm=0", "acoustic=0") == 0
    assert cost("acoustic=0.1") == pytest.approx(cost("acoustic=0.1", "lm=1"))
    assert cost("acoustic=0.1") < cost()


@pytest.mark.parametrize("engine", ["auto", "openfst"])
def test_engines_give_the_same_answer(engine):
    assert good(oracle(*PROVERBS, "--engine", engine)).stdout == good(oracle(*PROVERBS)).stdout


def test_graphs_of_a_named_format_are_not_sniffed():
    good(oracle(*MEETING, "--from", "kaldi"))
    assert_one_line_error(oracle(*MEETING, "--from", "plf"), r"meeting.lat.txt:1 \(1\): expected '\('")


@pytest.mark.parametrize("source", ["lattices", "references"])
def test_a_dash_is_standard_input(source):
    lattices, references = MEETING
    arguments = ["-", references] if source == "lattices" else [lattices, "-"]
    data = (lattices if source == "lattices" else references).read_bytes()
    assert good(oracle(*arguments, stdin=data)).stdout == good(oracle(*MEETING)).stdout
    assert good(oracle(*arguments, stdin=gzip.compress(data))).stdout == good(oracle(*MEETING)).stdout


def test_standard_input_may_come_drop_by_drop():
    lattices, references = MEETING
    command = [PROGRAMS / "lattice-oracle", "-", references]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        data = gzip.compress(lattices.read_bytes())
        for piece in (data[:1], data[1:7], data[7:]):
            process.stdin.write(piece)
            process.stdin.flush()
            time.sleep(0.1)
        stdout, _ = process.communicate()
    assert stdout.decode() == good(oracle(*MEETING)).stdout


def test_references_are_paired_by_id_in_any_order(tmp_path):
    lines = MEETING[1].read_text().splitlines(keepends=True)
    shuffled = file(tmp_path, "text", "".join(reversed(lines)))
    assert good(oracle(MEETING[0], shuffled)).stdout == good(oracle(*MEETING)).stdout


def test_references_are_paired_in_order_where_they_are_plain(tmp_path):
    plain = file(
        tmp_path, "plain", "".join(line.split(" ", 1)[1] + "\n" for line in MEETING[1].read_text().splitlines())
    )
    assert good(oracle(MEETING[0], plain)).stdout == good(oracle(*MEETING)).stdout
    assert good(oracle(MEETING[0], plain, "--style", "plain")).stdout == good(oracle(*MEETING)).stdout
    assert_one_line_error(oracle(MEETING[0], plain, "--style", "keyed"), "no reference for 'meeting-001'")


def test_references_that_look_keyed_can_be_said_to_be_plain():
    done = good(oracle(*MEETING, "--style", "plain", "--metric", "wer", "--format", "json"))
    assert done.json["lattices"][0]["reference"] == "meeting-001 we should all meet on monday"


@pytest.mark.parametrize(("name", "reference"), [("north", "north of it"), ("utt-1", "of it")])
def test_a_file_may_be_named_after_the_first_word_of_its_only_reference(tmp_path, name, reference):
    lattice = file(tmp_path, f"{name}.fst.txt", "0 1 north north\n1 2 of of\n2 3 it it\n3\n")
    references = file(tmp_path, "refs", f"{name} of it\n")
    done = good(oracle(lattice, references, "--format", "json"))
    assert done.json["lattices"][0]["reference"] == reference


def test_graphs_that_are_numbered_by_position_are_paired_in_order(tmp_path):
    lattices = file(tmp_path, "x.plf", "((('1',1),),)\n((('all',1),),)\n")
    references = file(tmp_path, "refs", "1 of them\nall of them\n")
    assert good(oracle(lattices, references, "--metric", "wer")).stdout.count("\n") == 2


def test_a_folder_is_paired_in_natural_order(tmp_path):
    for number in (10, 9, 1):
        (tmp_path / "lats").mkdir(exist_ok=True)
        file(tmp_path / "lats", f"{number}.txt", f"0 1 w{number} w{number}\n1\n")
    references = file(tmp_path, "refs", "w1\nw9\nw10\n")
    assert (
        good(oracle(tmp_path / "lats", references, "--metric", "wer", "--format", "json")).json["corpus"]["score"] == 0
    )
    assert good(oracle(f"{tmp_path}/lats/*.txt", references, "--metric", "wer")).stdout.count("0.00%") == 3


@pytest.mark.parametrize("workers", ["1", "3"])
def test_results_do_not_depend_on_workers(workers, tmp_path):
    text = "".join(f"u{k} \n0 1 w{k % 7} 1,{k}.5,\n0 1 x 1,2,\n1\n\n" for k in range(200))
    lattices = file(tmp_path, "many", text)
    references = file(tmp_path, "refs", "".join(f"u{k} w{k % 5}\n" for k in range(200)))
    document = good(oracle(lattices, references, "--workers", workers, "--metric", "wer", "--format", "json")).json
    assert [item["id"] for item in document["lattices"]] == [f"u{k}" for k in range(200)]
    expected = [0 if k % 7 == k % 5 else 1 for k in range(200)]
    assert [item["numerator"] for item in document["lattices"]] == expected


# --- Going on


@pytest.fixture
def troubled(tmp_path) -> list[Path]:
    """One good lattice, one cyclic, one without a reference, and a reference without a lattice."""
    good_one, cyclic = "0 1 x 1,1,\n1\n\n", "0 1 x 1,1,\n1 0 x 1,1,\n1\n\n"
    lattices = file(tmp_path, "lats", f"a \n{good_one}b \n{cyclic}c \n{good_one}")
    return [lattices, file(tmp_path, "refs", "a x\nb x y\nd q r s\n")]


@pytest.mark.parametrize("output_format", ["text", "tsv", "json", "jsonl"])
def test_what_fails_is_reported_and_gone_past_on_request(output_format, troubled):
    done = oracle(*troubled, "--keep-going", "--format", output_format)
    assert done.status == 1
    failed = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
    assert "b): the graph is cyclic" in failed[0]
    assert "there is no reference for 'c'" in failed[1]
    assert "there is no graph named 'd'" in failed[2]
    assert "Traceback" not in done.stderr


def test_what_fails_counts_as_deletions(troubled):
    done = oracle(*troubled, "--keep-going", "--metric", "wer", "--format", "json")
    corpus = done.json["corpus"]
    assert (corpus["lattices"], corpus["failed"]) == (1, 3)
    assert (corpus["deletions"], corpus["numerator"], corpus["denominator"]) == (5, 5, 6)
    counts = {"matches": 1, "substitutions": 0, "deletions": 5, "insertions": 0}
    assert corpus["one_best"] == {"score": 5 / 6, "numerator": 5, "denominator": 6, **counts}
    a, *others = done.json["lattices"]
    assert (a["id"], a["score"]) == ("a", 0.0)
    assert [item["id"] for item in others] == ["b", "c", "d"]
    assert all("score" not in item and "\n" not in item["error"] for item in others)


def test_what_fails_is_shown_in_text_and_tsv(troubled):
    text = oracle(*troubled, "--keep-going", "--metric", "wer")
    assert [line.split()[:2] for line in text.stdout.splitlines()][1:] == [
        ["b", "failed"],
        ["c", "failed"],
        ["d", "failed"],
    ]
    assert re.search(r"^1 lattices?, 3 failed ", text.stderr, re.MULTILINE)
    rows = [
        line.split("\t")
        for line in oracle(*troubled, "--keep-going", "-m", "wer", "--format", "tsv").stdout.splitlines()
    ]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [bool(row[-1]) for row in rows] == [True, False, True, True, True]


@pytest.mark.parametrize("lines", ["the early bird\nbetter late\n", "a\nb\nc\nd e f\n"])
def test_lines_too_many_or_too_few_end_the_run_since_any_of_them_may_be_the_odd_one(lines, tmp_path):
    done = oracle(PROVERBS[0], file(tmp_path, "refs", lines), "--format", "json")
    assert_one_line_error(done, "there is no (reference|graph) for .*give as many (references|graphs) as")


def test_lines_too_many_or_too_few_are_failures_to_go_past(tmp_path):
    refs = file(tmp_path, "refs", "the early bird\nbetter late\n")
    done = oracle(PROVERBS[0], refs, "--keep-going", "--metric", "wer", "--format", "json")
    assert (done.status, done.json["corpus"]["lattices"], done.json["corpus"]["failed"]) == (1, 2, 1)
    refs = file(tmp_path, "refs", "a\nb\nc\nd e f\n")
    done = oracle(PROVERBS[0], refs, "--keep-going", "--metric", "wer", "--format", "json")
    assert (done.status, done.json["corpus"]["lattices"], done.json["corpus"]["failed"]) == (1, 3, 1)
    assert done.json["lattices"][3]["id"] == "4"
    assert done.json["corpus"]["denominator"] == 6
    assert "all pairs after it are wrong" in done.stderr


def test_sentences_that_are_missing_are_failures_to_go_past(tmp_path):
    lists = file(tmp_path, "lists", "0 ||| a ||| lm= -1 ||| -1\n2 ||| c ||| lm= -1 ||| -1\n")
    refs = file(tmp_path, "refs", "a\nb\nc\nd e f\n")
    done = oracle(lists, refs, "--keep-going", "--metric", "wer", "--format", "json")
    assert (done.status, done.json["corpus"]["lattices"], done.json["corpus"]["failed"]) == (1, 2, 2)
    assert [one["id"] for one in done.json["lattices"]] == ["0", "1", "2", "3"]
    assert (done.json["corpus"]["numerator"], done.json["corpus"]["denominator"]) == (4, 6)


@pytest.mark.parametrize("gap", [0, 1])
def test_a_graph_without_one_of_its_references_counts_nothing(gap, tmp_path):
    lattices = file(tmp_path, "lats", "".join(f"{name} \n0 1 x 1,1,\n1\n\n" for name in "ab"))
    refs = [file(tmp_path, f"refs{number}", "a x\n" + "b x y z\n" * (number != gap)) for number in range(2)]
    corpus = oracle(lattices, *refs, "--keep-going", "--metric", "wer", "--format", "json").json["corpus"]
    assert (corpus["numerator"], corpus["denominator"], corpus["failed"]) == (0, 1, 1)


def test_nothing_fails_with_exit_status_0_under_keep_going():
    assert good(oracle(*MEETING, "--keep-going")).stdout == good(oracle(*MEETING)).stdout


@pytest.mark.parametrize(
    "junk", [b"junk", gzip.compress(b"0 1 a a\n1\n")[:20], b""], ids=["junk", "cut short", "empty"]
)
def test_a_file_of_a_folder_that_cannot_be_read_is_gone_past(junk, tmp_path):
    (tmp_path / "lats").mkdir()
    for number in (1, 3):
        file(tmp_path / "lats", f"{number}.txt", "0 1 a a\n1\n")
    file(tmp_path / "lats", "2.txt", junk)
    refs = file(tmp_path, "refs", "a\na\na\n")
    done = oracle(tmp_path / "lats", refs, "--metric", "wer", "--keep-going", "--format", "json")
    assert done.status == 1
    assert (done.json["corpus"]["lattices"], done.json["corpus"]["failed"]) == (2, 1)


# --- Bad input: one line that says what, where and what to do; exit status 2; nothing written half

CYCLIC = "utt \n0 1 a 1,2,\n1 0 b 1,2,\n1\n"
BAD_INPUT = {
    "missing file": (None, "a\n", r"no-such-file: there is no such file; check the path"),
    "unknown format": (
        "what is this\n",
        "a\n",
        r"lattices: the format is not recognised; to score texts, .*; for graphs, name their format with --from",
    ),
    "cyclic graph": (CYCLIC, "utt a\n", r"lattices:1 \(utt\): the graph is cyclic: state [01] can be reached"),
    "empty archive": ("", "a\n", r"lattices: the file is empty"),
    "empty compressed archive": (gzip.compress(b""), "a\n", r"lattices: the file is empty"),
    "empty lattice": ("utt \n\n", "utt a\n", r"lattices:1 \(utt\): the lattice is empty"),
    "lattice without an end": ("utt \n0 1 a 1,2,\n", "utt a\n", r"\(utt\): the lattice is empty: it has no final"),
    "NaN weight": ("utt \n0 1 a 1,nan,\n1\n", "utt a\n", r"lattices:2 \(utt\): score 'nan' is not finite"),
    "truncated gzip": (gzip.compress(b"0 1 a a\n1\n")[:-9], "a\n", r"lattices: the compressed file is .*cut short"),
    "too few references": ("((('a',1),),)\n" * 3, "a\nb\n", r"lattices:3 \(3\): there is no reference for graph 3"),
    "too many references": (
        "((('a',1),),)\n",
        "a\nb\n",
        r"references:2: there is no graph for reference 2: there is 1 graph",
    ),
    "no references": ("((('a',1),),)\n", "", r"references: the file holds no references"),
    "missing key": ("utt \n0 1 a 1,2,\n1\n\nu2 \n0 1 a 1,2,\n1\n", "utt a\n", r"lattices:5: .*no reference for 'u2'"),
    "missing lattice": (
        "utt \n0 1 a 1,2,\n1\n",
        "utt a\nu2 b\n",
        r"references:2: there is no graph named 'u2'; add it",
    ),
    "lattice twice": ("utt \n0 1 a 1,2,\n1\n\n" * 2, "utt a\n", r"lattices:5: two graphs have the id 'utt'"),
    "wrong encoding": ("utt \n0 1 \xe9 1,2,\n1\n".encode("latin-1"), "utt a\n", r"lattices:2 \(utt\): .*UTF-8"),
    "references in a wrong encoding": ("((('a',1),),)\n", "\xe9\n".encode("latin-1"), r"references:1: .*UTF-8"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_line_and_leaves_nothing(case, tmp_path):
    lattices, references, message = BAD_INPUT[case]
    source = tmp_path / "no-such-file" if lattices is None else file(tmp_path, "lattices", lattices)
    arguments = [source, file(tmp_path, "references", references)]
    before = sorted(tmp_path.iterdir())
    assert_one_line_error(oracle(*arguments, "--output", tmp_path / "out"), message)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("meeting.ref", r"No such file or directory; did you mean meeting\.ref\.txt\?"),
        ("folder/meting.ref2.txt", r"No such file or directory; did you mean folder/meeting\.ref2\.txt\?"),
        ("folder/meeting.ref1.txt", "No such file or directory; check the path and the current folder"),
        ("/nowhere", "No such file or directory; check the path"),
        ("refs/meeting.ref.txt", "No such file or directory; check the path: there is no folder refs"),
        ("meeting.ref.txt/a", r"Not a directory; check the path: there is no folder meeting\.ref\.txt"),
        ("folder", "Is a directory; name a file of this folder"),
    ],
)
@pytest.mark.parametrize("option", [(), ("--symbols",), ("--ignore",)])
def test_a_file_that_cannot_be_opened_has_advice(path, advice, option, tmp_path):
    (tmp_path / "folder").mkdir()
    for name in ("meeting.ref.txt", "folder/meeting.ref2.txt", "folder/.meeting.ref1"):
        file(tmp_path, name, "a\n")
    given = f"@{path}" if option == ("--ignore",) else path
    arguments = [*MEETING, *option, given] if option else [MEETING[0], given]
    assert_one_line_error(oracle(*arguments, cwd=tmp_path), f"^error: {path}: cannot be opened: {advice}$")


def test_a_missing_graph_has_advice_too(tmp_path):
    graphs = file(tmp_path, "meeting.lat.txt", "").with_name("meeting.lat")
    assert_one_line_error(oracle(graphs, MEETING[1]), r"there is no such file; did you mean \S*/meeting\.lat\.txt\?")


def test_a_failure_at_the_last_lattice_leaves_standard_output_empty(tmp_path):
    many = "".join(f"u{k} \n0 1 a 1,2,\n1\n\n" for k in range(500)) + CYCLIC
    references = "".join(f"u{k} a\n" for k in range(500)) + "utt a\n"
    arguments = [file(tmp_path, "lattices", many), file(tmp_path, "references", references)]
    for output_format in ("text", "jsonl", "json"):
        assert_one_line_error(oracle(*arguments, "--format", output_format), r"lattices:2001 \(utt\): .* cyclic")


def test_an_output_that_was_there_stays_as_it_was_on_failure(tmp_path):
    before = file(tmp_path, "out", "yesterday's result\n")
    oracle(file(tmp_path, "lattices", CYCLIC), file(tmp_path, "references", "utt a\n"), "--output", before)
    assert before.read_text() == "yesterday's result\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lattices", "out", "references"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "xyz"], "there is no metric 'xyz'; choose one of N-gcr, N-grr, .*wer, wil, wip, wrr"),
        (["--metric", "0-grr"], "order 0 is not possible for an n-gram recognition rate; choose 1"),
        (["--metric", "grr"], "there is no metric 'grr'; did you mean '4-grr'"),
        (["--metric", "4-wer"], "there is no metric '4-wer'"),
        (["-P", "4-grr.alpha=one"], "alpha is 'one', not a finite number"),
        (["-P", "4-grr.beta=nan"], "beta is nan, not a finite number"),
        (["--metric", "wer", "-P", "wer.alpha=1"], "metric 'wer' has no parameter 'alpha'"),
        (["--weights", "prosody=2"], r"meeting-001\): there is no score column 'prosody'; .* lm, acoustic"),
        (["--symbols", "nowhere.txt"], "nowhere.txt: cannot be opened: No such file"),
        (["--ignore", "@nowhere.txt"], "nowhere.txt: cannot be opened: No such file"),
        (["--ignore", __file__], "is the name of a file; to read words from the file, give @"),
        (["--from", "slfx"], "there is no format 'slfx'; choose one of .*far, htk-slf"),
        (["--output", "no/such/folder/out"], r"no/such/folder/out.*: cannot be written: No such file"),
    ],
)
def test_options_that_make_no_sense_are_one_line(arguments, message):
    assert_one_line_error(oracle(*MEETING, *arguments), message)


def test_an_output_that_cannot_be_written_is_named_as_the_user_did(tmp_path):
    assert_one_line_error(oracle(*HARBOUR, "--output", "no/folder/out", cwd=tmp_path), "^error: no/folder/out: cannot")


def test_reference_files_of_different_lengths_are_refused(tmp_path):
    other = file(tmp_path, "short.ref", "one\ntwo\n")
    message = r"short.ref has 2 lines, but .*proverbs.ref.txt has 3; every graph needs a reference in each file"
    assert_one_line_error(oracle(*PROVERBS, other), message)


def test_a_table_of_other_words_is_refused(integers, tmp_path):
    lattice, _, _ = integers
    arguments = [lattice, file(tmp_path, "ref", "utt-1 cats\n"), "--symbols", file(tmp_path, "other", "cats 9\n")]
    message = r"lat.txt:1 \(utt-1\): word number 1 is not in the symbol table; give the symbol table"
    assert_one_line_error(oracle(*arguments), message)


def test_a_reference_that_is_not_in_the_table_stays_a_number_and_is_said(integers, tmp_path):
    lattice, _, table = integers
    reference = file(tmp_path, "ref", "utt-1 2 77\n")
    done = oracle(lattice, reference, "--symbols", table)
    assert done.status == 0
    assert "ref: 1 word number is not in the symbol table, and stays a number (77)" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        MEETING[:1],
        [*MEETING, "--no-such-option"],
        [*MEETING, "--format", "xml"],
        [*MEETING, "--engine", "magic"],
        [*MEETING, "--style", "sideways"],
    ],
    ids=lambda arguments: " ".join(map(str, arguments[2:])) or f"{len(arguments)} arguments",
)
def test_a_misspelled_command_says_how_it_is_used(arguments):
    assert_one_line_error(oracle(*arguments), r"(see lattice-oracle --help|usage: lattice-oracle \[OPTIONS\] LATTICES)")


@pytest.mark.parametrize("weights", ["acoustic", "acoustic=nan", "acoustic=1,lm", "", "=1"])
def test_weights_that_are_neither_numbers_nor_a_file_are_refused(weights):
    message = "--weights: '.*' is neither NAME=NUMBER, like acoustic=0.1, nor a file; name a column and its weight"
    assert_one_line_error(oracle(*MEETING, "--weights", weights), message)
    with pytest.raises(lm.UsageError, match=r"is neither NAME=NUMBER, like acoustic=0\.1, nor a file"):
        list(lm.Corpus.read(MEETING[0], weights=weights).best())


def test_weights_may_stand_in_one_value_or_several():
    several = good(oracle(*MEETING, "--weights", "acoustic=0.5", "--weights", "lm=2")).stdout
    assert good(oracle(*MEETING, "--weights", "acoustic=0.5,lm=2")).stdout == several
    best = lm.Corpus.read(MEETING[0], weights="acoustic=0.5,lm=2").best()
    assert best.to_records() == lm.Corpus.read(MEETING[0], weights={"acoustic": 0.5, "lm": 2}).best().to_records()


# --- Outputs that are no plain files


def test_an_output_that_is_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        good(oracle(*HARBOUR, "--output", pipe))
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert b"the old harbour sleeps" in os.read(reader, 10_000)
    finally:
        os.close(reader)


def test_an_output_that_is_a_link_is_followed(tmp_path):
    (tmp_path / "link").symlink_to(file(tmp_path, "real", "before"))
    good(oracle(*HARBOUR, "--output", tmp_path / "link"))
    assert "the old harbour sleeps" in (tmp_path / "real").read_text()


@pytest.mark.skipif(not Path("/proc/self/fd/1").exists(), reason="there is no /proc here")
def test_an_output_that_is_an_open_file_is_appended_to(tmp_path):
    log = file(tmp_path, "log", "yesterday's result\n")
    with log.open("ab") as appended:
        command = [PROGRAMS / "lattice-oracle", *HARBOUR, "--output", "/proc/self/fd/1"]
        subprocess.run(command, stdout=appended, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)
    assert log.read_text().startswith("yesterday's result\n")


def test_an_output_that_is_a_folder_is_refused(tmp_path):
    assert_one_line_error(oracle(*HARBOUR, "--output", tmp_path), "cannot be written")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_line():
    with Path("/dev/full").open("wb") as full:
        command = [PROGRAMS / "lattice-oracle", *MEETING]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert "Traceback" not in done.stderr.decode()
    assert "error: " in done.stderr.decode()


@pytest.mark.parametrize("output_format", ["tsv", "jsonl"])
def test_a_reader_that_has_seen_enough_is_no_error(output_format, tmp_path):
    many = "".join(f"u{k} \n0 1 a 1,2,\n1\n\n" for k in range(2000 if output_format == "jsonl" else 20))
    references = "".join(f"u{k} a\n" for k in range(2000 if output_format == "jsonl" else 20))
    arguments = [file(tmp_path, "lattices", many), file(tmp_path, "references", references), "--format", output_format]
    command = [PROGRAMS / "lattice-oracle", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        stderr = process.stderr.read()
        assert process.wait(60) == 0
    assert b"Traceback" not in stderr


# --- Numbers and names that are hard to print


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_costs_that_overflow_are_one_line(output_format):
    done = oracle(*HARBOUR, "--weights", "weight=1e308", "--format", output_format)
    assert_one_line_error(done, r"harbour.fst \(harbour\): the costs are too large to be added up")


def test_info_of_costs_that_overflow_is_no_traceback(tmp_path):
    path = file(tmp_path, "x.txt", "0 1 a a 1e308\n1 1e308\n")
    assert "Traceback" not in run("latticemetric", "info", path, "--format", "json").stderr


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_info_counts_paths_exactly_however_many(output_format, tmp_path):
    slots = 15_000
    path = file(tmp_path, "x.plf", "(" + "(('a',1),('b',1),)," * slots + ")\n")
    done = run("latticemetric", "info", path, "--format", output_format)
    assert done.status == 0, done.stderr.splitlines()[-1]


def test_names_of_files_may_be_of_any_bytes(tmp_path):
    (tmp_path / "lats").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path / "lats") + b"/caf\xe9.txt")).write_text("0 1 a a\n1\n")
    done = oracle(tmp_path / "lats", file(tmp_path, "refs", "a\n"), "--format", "tsv")
    assert "Traceback" not in done.stderr


def test_control_characters_of_words_do_not_reach_the_terminal(tmp_path):
    lattice = file(tmp_path, "x.plf", "((('a\x1b[2Jb',1),),)\n")
    done = good(oracle(lattice, file(tmp_path, "refs", "a\n"), "--alignment"))
    assert "\x1b" not in done.stdout
    assert r"a\x1b[2Jb" in done.stdout


def test_control_characters_of_ids_do_not_reach_the_terminal(tmp_path):
    lattice = file(tmp_path, "x.lat", "utt\x1b[2J\n0 1 a 1,2,\n")
    assert "\x1b" not in oracle(lattice, file(tmp_path, "refs", "a\n")).stderr


def test_tabs_of_words_do_not_add_columns(tmp_path):
    lattice = file(tmp_path, "x.plf", "((('a\\\tb',1),),)\n")
    rows = good(oracle(lattice, file(tmp_path, "refs", "a\n"), "--format", "tsv")).stdout.splitlines()
    assert len({row.count("\t") for row in rows}) == 1


def test_a_penalty_of_a_billion_digits_is_refused_at_once():
    assert_one_line_error(oracle(*HARBOUR, "-P", "4-grr.alpha=1e999999999"), "alpha")  # which is given a minute


def test_a_closed_standard_input_is_one_line():
    command = f"{PROGRAMS / 'lattice-oracle'} - {MEETING[1]} <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=PATIENCE, check=False)
    assert b"Traceback" not in done.stderr


# --- info


def info(*arguments: object, **options: object) -> Done:
    return run("latticemetric", "info", *arguments, **options)


def test_info_is_a_table_for_people():
    lines = good(info(MEETING[0], HARBOUR[0])).stdout.splitlines()
    assert lines[0].split()[:5] == ["id", "format", "kind", "states", "arcs"]
    assert [line.split()[:5] for line in lines[1:]] == [
        ["meeting-001", "kaldi", "lattice", "7", "12"],
        ["meeting-002", "kaldi", "lattice", "7", "12"],
        ["meeting-003", "kaldi", "lattice", "5", "8"],
        ["harbour", "openfst", "lattice", "6", "10"],
    ]


def test_info_is_json_for_machines():
    graphs = good(info(MEETING[0], "--format", "json")).json["graphs"]
    expected = [
        {"id": name, "format": "kaldi", "kind": "lattice", "arity": 1, **graph.statistics().asdict()}
        for name, graph in lm.read(MEETING[0])
    ]
    assert graphs == expected
    lines = good(info(MEETING[0], "--format", "jsonl")).stdout.splitlines()
    assert [json.loads(line) for line in lines] == expected


def test_info_is_tsv_for_tables(tmp_path):
    good(info(MEETING[0], "--format", "tsv", "--output", tmp_path / "out.tsv"))
    rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines()]
    assert {len(row) for row in rows} == {17}
    assert rows[1][rows[0].index("scores")] == "lm,acoustic"


def test_info_reads_standard_input():
    assert good(info("-", stdin=MEETING[0].read_bytes())).stdout == good(info(MEETING[0])).stdout


@pytest.mark.parametrize("output_format", ["text", "tsv", "json", "jsonl"])
def test_info_of_bad_input_is_one_line(output_format, tmp_path):
    path = file(tmp_path, "lattices", "a \n0 1 x 1,1,\n1\n\n" + CYCLIC)
    arguments = [path, "--format", output_format, "--output", tmp_path / "out"]
    assert_one_line_error(info(*arguments), r"lattices:5 \(utt\): the graph is cyclic")
    assert [p.name for p in tmp_path.iterdir()] == ["lattices"]


# --- convert


def convert(*arguments: object, **options: object) -> Done:
    return run("latticemetric", "convert", *arguments, **options)


def test_convert_writes_another_format(tmp_path):
    done = good(convert(MEETING[0], tmp_path / "out.far", "--sum-scores"))
    assert (done.stdout, done.stderr) == ("", f"3 graphs written to {tmp_path / 'out.far'}\n")
    plain = good(oracle(*MEETING, "--format", "json")).json["lattices"]
    converted = good(oracle(tmp_path / "out.far", MEETING[1], "--format", "json")).json["lattices"]
    assert [item["hypothesis"] for item in converted] == [item["hypothesis"] for item in plain]
    assert [item["cost"] for item in converted] == pytest.approx([item["cost"] for item in plain], rel=1e-6)


def test_convert_goes_to_standard_output_and_through_pipes():
    written = subprocess.run(
        [PROGRAMS / "latticemetric", "convert", MEETING[0], "-", "--to", "kaldi"], capture_output=True, check=True
    )
    again = convert("-", "-", "--to", "kaldi", stdin=written.stdout)
    assert good(again).stdout.encode() == written.stdout
    assert good(oracle("-", MEETING[1], stdin=written.stdout)).stdout == good(oracle(*MEETING)).stdout


def test_convert_goes_to_a_folder(tmp_path):
    good(convert(MEETING[0], f"{tmp_path}/out/", "--to", "openfst-text", "--sum-scores", "--weights", "acoustic=0.5"))
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [f"meeting-00{k}.fst.txt" for k in (1, 2, 3)]
    halved = [graph.cost({"acoustic": 0.5}) for _, graph in lm.read(MEETING[0])]
    found = [graph.cost() for _, graph in lm.read(tmp_path / "out")]
    assert [cost.arc.tolist() for cost in found] == [cost.arc.tolist() for cost in halved]


def test_convert_spells_words_by_a_table(integers, tmp_path):
    lattice, _, table = integers
    good(convert(lattice, tmp_path / "out.kaldi", "--symbols", table))
    assert "0 1 dogs 1.0,2.0," in (tmp_path / "out.kaldi").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["out.fst"], r"meeting-001: openfst holds one score per arc, but this graph has lm, acoustic; .*--sum-scores"),
        (["out.what"], "no format has the suffix of 'out.what'; name one of"),
        (["out.nbest"], "meeting-001: moses-nbest holds n-best lists"),
        (["out.far", "--weights", "lm=2"], "--weights has no effect without --sum-scores; add --sum-scores"),
        (["out.fst", "--sum-scores"], "openfst holds one graph; name a folder"),
        (["out.far", "--to", "slfx"], "there is no format 'slfx'"),
        (["no/folder/out.far", "--sum-scores"], r"no/folder/out.far.*: cannot be written"),
    ],
)
def test_convert_refuses_what_cannot_be_and_leaves_nothing(arguments, message, tmp_path):
    assert_one_line_error(convert(MEETING[0], *arguments, cwd=tmp_path), message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["out.kaldi", "out.kaldi.gz", "out.kaldi.xz", "out.kaldi.zst"])
def test_convert_of_bad_input_leaves_nothing(target, tmp_path):
    path = file(tmp_path, "lattices", "a \n0 1 x 1,1,\n1\n\n" + CYCLIC)
    assert_one_line_error(convert(path, target, cwd=tmp_path), r"lattices:5 \(utt\): the graph is cyclic")
    assert [p.name for p in tmp_path.iterdir()] == ["lattices"]


def test_convert_of_bad_input_leaves_standard_output_empty(tmp_path):
    path = file(tmp_path, "lattices", "a \n0 1 x 1,1,\n1\n\n" + CYCLIC)
    assert_one_line_error(convert(path, "-", "--to", "kaldi"), "cyclic")


def test_convert_into_a_folder_that_is_a_file_is_refused(tmp_path):
    file(tmp_path, "out", "a file")
    assert_one_line_error(convert(MEETING[0], f"{tmp_path}/out/", "--to", "kaldi"), "out: the folder cannot be created")


# --- Help, version, demo


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_every_option_of_the_oracle(flag):
    text = good(oracle(flag)).stdout
    assert text.startswith("Usage: lattice-oracle [OPTIONS] LATTICES REFERENCES...")
    for option in ("--metric", "--parameter", "--engine", "--weights", "--ignore", "--symbols"):
        assert option in text
    for option in ("--from", "--format", "--output", "--keep-going", "--style", "--alignment"):
        assert option in text
    assert good(run("latticemetric", "oracle", "--help")).stdout.splitlines()[2:] == text.splitlines()[2:]


def test_help_names_every_verb():
    text = good(run("latticemetric", "--help")).stdout
    for verb in ("oracle", "info", "convert", "demo"):
        assert re.search(rf"^  {verb} ", text, re.MULTILINE)
        assert good(run("latticemetric", verb, "--help")).stdout.startswith(f"Usage: latticemetric {verb}")


def test_a_verb_that_is_not_there_says_how_it_is_used():
    assert_one_line_error(run("latticemetric", "oracel"), "there is no verb 'oracel'; did you mean oracle")


@pytest.mark.parametrize("program", ["latticemetric", "lattice-oracle"])
def test_the_version_comes_with_those_of_its_components(program):
    first, *components = good(run(program, "--version")).stdout.splitlines()
    assert first == f"{program} {lm.__version__}"
    assert [line.split()[0] for line in components] == ["pynini", "numpy", "nltk", "sacrebleu", "python"]
    assert f"numpy {np.__version__}" in components


def test_the_demo_shows_commands_and_their_results(tmp_path):
    done = good(run("latticemetric", "demo", cwd=tmp_path))
    assert "$ lattice-oracle meeting.lat.txt meeting.ref.txt --metric wer --alignment" in done.stdout
    assert "the budget is too small" in done.stdout
    assert "headroom" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_both_entry_points_are_the_same():
    assert good(run("latticemetric", "oracle", *MEETING)) == good(oracle(*MEETING))


def test_numbers_against_words_are_a_forgotten_symbol_table(tmp_path):
    lattices = file(tmp_path, "lats", b"utt \n0 1 17 1,2,\n1\n")
    references = file(tmp_path, "refs", "utt hello\n")
    done = oracle(lattices, references)
    assert done.status == 2
    assert "--symbols" in done.stderr


@pytest.mark.parametrize("engine", ["native", "openfst"])
def test_forests_lattices_and_lists_go_the_same_way(tmp_path, engine):
    folder = tmp_path / "graphs"
    folder.mkdir()
    (folder / "1.target_graph").write_bytes((EXAMPLES / "lantern.target_graph").read_bytes())
    file(folder, "2.fst.txt", "0 1 too too\n1 2 late late\n2\n")
    file(folder, "3.jsonl", '{"nbest": ["a b", "c"]}\n')
    references = file(tmp_path, "refs", "a lantern burns late\ntoo late\nc\n")
    done = good(oracle(folder, references, "--metric", "wer", "--engine", engine, "--format", "json"))
    assert [item["hypothesis"] for item in done.json["lattices"]] == ["a lantern burns late", "too late", "c"]
    assert ["edges" in item for item in done.json["lattices"]] == [True, False, False]
