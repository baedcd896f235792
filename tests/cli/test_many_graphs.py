"""Commands over many graphs: workers, shards, journals, graphs that fail.

Most run in this process, which costs a fifth of a process of their own; workers are processes here, too.
"""

import json
import os
import random

import pytest
from kit.commands import assert_one_line_error, good, run
from kit.many_graphs import GRAPHS, RICH, data, heavy, latticemetric, oracle

from latticemetric.cli.option_words import in_options
from latticemetric.parallel.journal import Journal


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("options", [("--metric", "wer"), RICH], ids=["wer", "rich"])
def test_one_worker_two_workers_and_merged_shards_say_the_same(count, options, tmp_path):
    given = [*data(tmp_path, broken=(3, 40)), "--keep-going", "--format", "json", *options]
    one, two = (oracle(*given, "--workers", number) for number in (1, 2))
    assert (one.status, one.stdout) == (two.status, two.stdout)
    totals = one.json["corpus"].get("4-grr", one.json["corpus"])
    assert (one.status, totals["failed"], totals["lattices"]) == (1, 2, GRAPHS - 2)
    shards = []
    for number in range(1, count + 1):
        shards.append(tmp_path / f"{number}.json")
        oracle(*given, "--shard", f"{number}/{count}", "--output", shards[-1])
    random.Random(count).shuffle(shards)
    assert good(latticemetric("merge", "--format", "json", *shards)).stdout == one.stdout


def test_more_shards_than_graphs(tmp_path):
    given = [*data(tmp_path, graphs=3), "--format", "json", "--metric", "wer"]
    for number in range(1, 6):
        good(oracle(*given, "--shard", f"{number}/5", "--output", tmp_path / f"{number}.json"))
    merged = good(latticemetric("merge", "--format", "json", *tmp_path.glob("*.json")))
    assert merged.stdout == good(oracle(*given)).stdout


def test_a_reference_without_a_graph_is_in_one_shard(tmp_path):
    archive, references = data(tmp_path, graphs=9)
    with references.open("a") as file:
        file.write("v1 w1 w2\nv2 w3\n")
    given = [archive, references, "--format", "json", "--keep-going"]
    whole = oracle(*given)
    assert whole.json["corpus"]["wer"]["failed"] == 2
    for number in (1, 2, 3):
        oracle(*given, "--shard", f"{number}/3", "--output", tmp_path / f"{number}.json")
    assert good(latticemetric("merge", "--format", "json", *tmp_path.glob("*.json"))).stdout == whole.stdout


@pytest.mark.parametrize(
    "verb",
    [
        ("posteriors",),
        ("consensus",),
        ("mbr", "--word-penalty", "0,0.5,1"),
        ("mbr", "--by", "wer"),
        ("info",),
    ],
    ids=" ".join,
)
def test_shards_of_verbs_without_references(verb, tmp_path):
    archive, _ = data(tmp_path, broken=(3, 40))
    given = [*verb, archive, "--format", "json", "--keep-going"]
    one, two = (latticemetric(*given, "--workers", number) for number in (1, 2))
    assert (one.status, one.stdout) == (two.status, two.stdout)
    assert one.status == 1
    for number in (1, 2, 3):
        latticemetric(*given, "--shard", f"{number}/3", "--output", tmp_path / f"{number}.json")
    assert good(latticemetric("merge", "--format", "json", *tmp_path.glob("*.json"))).stdout == one.stdout


def test_convert_leaves_out_what_fails_and_says_so(tmp_path):
    archive, _ = data(tmp_path, broken=(3, 40))
    targets = [tmp_path / f"{number}.ark.txt" for number in (1, 2)]
    for number, target in enumerate(targets, start=1):
        arguments = ["--to", "kaldi", "--keep-going", "--workers", number, "--failures", tmp_path / "failures"]
        done = latticemetric("convert", archive, target, *arguments)
        assert (done.status, done.stderr.count("failed: ")) == (1, 2)
        assert f"{GRAPHS - 2} graphs written" in done.stderr
    assert targets[0].read_bytes() == targets[1].read_bytes()
    assert [row.split("\t")[0] for row in (tmp_path / "failures").read_text().splitlines()] == [
        "id",
        "u00003",
        "u00040",
    ]


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/2/3"])
def test_shards_that_make_no_sense(shard, tmp_path):
    done = oracle(*data(tmp_path, graphs=2), "--shard", shard)
    assert (done.status, done.stdout, "Traceback" in done.stderr) == (2, "", False)


def test_what_cannot_be_merged_is_not_begun(tmp_path):
    given = [*data(tmp_path, graphs=2), "--shard", "1/2", "--format", "json"]
    assert_one_line_error(
        oracle(*given, "--metric", "bleu"), "--shard has no effect with BLEU, which searches all graphs together"
    )
    tuned = ["tune", tmp_path / "lats.txt", tmp_path / "refs.txt", "--decoder", "mbr", "--shard", "1/2"]
    assert_one_line_error(run("latticemetric", *tuned), "there is no option --shard here")


def test_merge_wants_all_shards_of_one_run(tmp_path):
    given = [*data(tmp_path), "--format", "json"]
    one, two, third = (tmp_path / name for name in ("one", "two", "third"))
    good(oracle(*given, "--metric", "wer", "--shard", "1/2", "--output", one))
    good(oracle(*given, "--metric", "wer", "--shard", "2/2", "--output", two))
    good(oracle(*given, "--metric", "wer", "--shard", "2/3", "--output", third))
    assert_one_line_error(latticemetric("merge", one), "shard 2/2 is missing")
    assert_one_line_error(latticemetric("merge", one, one), "shard 1/2 is given twice")
    assert_one_line_error(latticemetric("merge", one, third), "is one of 2 shards, but")
    good(oracle(*given, "--metric", "wrr", "--shard", "2/2", "--output", two))
    assert_one_line_error(latticemetric("merge", one, two), "not of the same run: they differ in --metric")
    good(oracle(*given, "--metric", "wer", "--output", two))
    assert_one_line_error(latticemetric("merge", one, two), "two: this is not a JSON document of a shard")
    assert_one_line_error(latticemetric("merge", one, tmp_path / "none"), "none: cannot be opened")


@pytest.fixture
def broken_off(tmp_path):
    """A run that stopped at a graph that fails: it has a journal."""
    given = [*data(tmp_path, broken=(50,)), "--format", "json", "--resume", "--output", tmp_path / "out.json"]
    assert_one_line_error(oracle(*given), r"lats\.txt:\d+ \(u00050\): ")
    assert (tmp_path / "out.json.journal").exists()
    return given


def test_another_command_does_not_go_on(broken_off):
    assert_one_line_error(oracle(*broken_off, "--metric", "wer"), "another run: --metric changed")
    assert_one_line_error(oracle(*broken_off, "--weights", "lm=2"), "another run: --weights changed")
    assert_one_line_error(oracle(*broken_off, "--from", "kaldi"), "another run: --from changed")
    assert_one_line_error(oracle(*broken_off[:2], *broken_off[1:]), "another run: REFERENCES changed")
    assert_one_line_error(oracle(*broken_off, "--shard", "1/2"), "another run: --shard changed")


def test_a_command_that_was_refused_does_not_block_the_corrected_one(tmp_path):
    given = [*data(tmp_path, graphs=3), "--metric", "wer", "--output", tmp_path / "out", "--resume"]
    assert_one_line_error(oracle(*given, "--weights", "language=2"), "there is no score column 'language'")
    assert not (tmp_path / "out.journal").exists()
    good(oracle(*given))


def test_a_journal_without_answers_blocks_no_other_command(tmp_path, monkeypatch):
    given = [*data(tmp_path, graphs=3), "--metric", "wer", "--output", tmp_path / "out", "--resume"]
    with monkeypatch.context() as killed:  # before the first answer
        killed.setattr("latticemetric.parallel.journal.Journal.leave", Journal.close)
        assert oracle(*given, "--weights", "language=2").status == 2
    assert (tmp_path / "out.journal").exists()
    assert "no answers taken from the journal of an earlier run" in good(oracle(*given)).stderr


def test_a_new_run_says_nothing_of_journals(tmp_path):
    given = [*data(tmp_path, graphs=3), "--metric", "wer", "--output", tmp_path / "out", "--resume"]
    assert "journal" not in good(oracle(*given)).stderr


def test_a_run_that_a_failure_ended_goes_on_when_failures_are_gone_past(broken_off, tmp_path):
    done = oracle(*broken_off, "--keep-going")
    assert done.status == 1
    journal = tmp_path / "out.json.journal"
    assert f"50 answers taken from the journal of an earlier run ({journal})\n" in done.stderr
    resumed = (tmp_path / "out.json").read_bytes()
    assert [item["id"] for item in json.loads(resumed)["lattices"] if "error" in item] == ["u00050", "u00050"]
    assert oracle(*broken_off[:4], "--keep-going", "--output", tmp_path / "other.json").status == 1
    assert (tmp_path / "other.json").read_bytes() == resumed


def test_a_run_that_a_failure_ended_goes_on_with_a_list_of_failures(broken_off, tmp_path):
    failures = tmp_path / "failures.tsv"
    assert oracle(*broken_off, "--keep-going", "--failures", failures).status == 1
    assert [line.split("\t")[0] for line in failures.read_text().splitlines()] == ["id", "u00050"]


def test_a_failure_that_was_gone_past_ends_a_run_that_does_not(broken_off, monkeypatch):
    monkeypatch.setattr("latticemetric.parallel.journal.Journal.remove", lambda _self: None)
    assert oracle(*broken_off, "--keep-going").status == 1
    assert_one_line_error(oracle(*broken_off), r"lats\.txt:\d+ \(u00050\): ")


@pytest.mark.parametrize("changed", [0, 1])
def test_changed_files_are_not_gone_on_with(broken_off, changed):
    file = broken_off[changed]
    file.write_text(file.read_text())  # the same bytes, at another time
    os.utime(file, (1, 1))
    assert_one_line_error(oracle(*broken_off), f"another run: .*{file.name} changed")


def test_archives_behind_a_script_are_files_of_the_run(tmp_path):
    archive, references = data(tmp_path, broken=(50,))
    text = archive.read_bytes()
    script = tmp_path / "lats.scp"
    places = [(f"u{number:05d}", text.index(f"u{number:05d} ".encode()) + 7) for number in range(GRAPHS)]
    script.write_text("".join(f"{name} {archive}:{place}\n" for name, place in places))
    given = [script, references, "--resume", "--output", tmp_path / "out", "--metric", "wer"]
    assert oracle(*given).status == 2
    os.utime(archive, (1, 1))
    assert_one_line_error(oracle(*given), r"another run: .*lats\.txt changed")


def test_a_journal_of_nobody(tmp_path):
    given = [*data(tmp_path), "--resume", "--output", tmp_path / "out"]
    journal = tmp_path / "out.journal"
    journal.write_text("my diary\n\ndear diary\n")
    assert_one_line_error(oracle(*given), "this is not a journal")
    assert journal.read_text() == "my diary\n\ndear diary\n"


def test_a_journal_runs_no_programs(broken_off, tmp_path):
    import pickle
    import struct
    import zlib

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "evil"),)

    for payload in (pickle.dumps(Evil()), b"\x80\x04\x8c\x21latticemetric.formats.files.paths\x8c\x05re.os\x93."):
        journal = tmp_path / "out.json.journal"
        head = journal.read_bytes().partition(b"\n")[0] + b"\n"
        journal.write_bytes(head + struct.pack("<QI", len(payload), zlib.crc32(payload)) + payload)
        message = r"out\.json\.journal: the journal is damaged: answer 1 cannot be read: .*; remove the journal"
        assert_one_line_error(oracle(*broken_off), message)
        assert not (tmp_path / "evil").exists()


def test_what_cannot_be_gone_on_with(tmp_path):
    archive, references = data(tmp_path, graphs=3)
    assert_one_line_error(oracle(archive, references, "--resume"), "--resume needs --output FILE")
    on = ["--resume", "--output", tmp_path / "out"]
    done = oracle("-", references, *on, stdin=archive.read_bytes())
    assert_one_line_error(done, "a resumed run cannot read standard input again")
    assert_one_line_error(oracle(archive, references, *on, "--metric", "bleu"), "--resume has no effect with BLEU")
    assert_one_line_error(
        oracle(archive, references, "--resume", "--output", "/dev/null"), "--resume needs a regular file as output"
    )
    assert_one_line_error(
        oracle(archive, references, "--resume", "--output", tmp_path), "cannot be written: Is a directory"
    )
    assert not (tmp_path / "out.journal").exists()


@pytest.mark.parametrize(
    "verb",
    [
        ("posteriors", "--of", "arcs"),
        ("consensus",),
        ("mbr",),
        ("info",),
        ("sweep", "--nbest-sizes", "1,5"),
    ],
    ids=" ".join,
)
def test_every_verb_goes_on(verb, tmp_path):
    archive, references = data(tmp_path, graphs=40, broken=(30,))
    output = tmp_path / "out"
    given = [*verb, archive, *([references] if verb[0] == "sweep" else []), "--format", "json", "--output", output]
    assert latticemetric(*given, "--resume").status == 2
    assert (tmp_path / "out.journal").stat().st_size > 2000
    done = latticemetric(*given, "--resume", "--keep-going")
    assert done.status == 1
    assert "30 answers taken from the journal of an earlier run" in done.stderr
    resumed = output.read_bytes()
    assert latticemetric(*given, "--keep-going").status == 1
    assert output.read_bytes() == resumed


def test_lattices_are_written_by_a_run_that_goes_on(tmp_path):
    given = [*data(tmp_path, graphs=40, broken=(30,)), "--metric", "wer", "--output", tmp_path / "out"]
    lattices = [tmp_path / f"{name}.ark.txt" for name in ("again", "at-once")]
    on = [*given, "--resume", "--write-lattices", lattices[0], "--to", "kaldi"]
    assert oracle(*on).status == 2
    assert oracle(*on, "--keep-going").status == 1
    done = oracle(*given, "--write-lattices", lattices[1], "--to", "kaldi", "--keep-going")
    assert done.status == 1
    assert lattices[0].read_bytes() == lattices[1].read_bytes()


@pytest.mark.parametrize("workers", [1, 2])
def test_one_bad_lattice_in_a_hundred(workers, tmp_path):
    bad = tuple(range(13, 1000, 100))
    given = data(tmp_path, graphs=1000, broken=bad)
    whole = tmp_path / "whole"
    whole.mkdir()
    sound = good(oracle(*data(whole, graphs=1000), "--format", "json", "--metric", "wer")).json
    report = tmp_path / "failures.tsv"
    arguments = ["--metric", "wer", "--keep-going", "--workers", workers, "--failures", report]
    done = oracle(*given, "--format", "json", *arguments)
    assert done.status == 1
    corpus, items = done.json["corpus"], done.json["lattices"]
    assert (corpus["lattices"], corpus["failed"]) == (990, 10)
    assert corpus["denominator"] == sound["corpus"]["denominator"]  # their words count as deleted
    assert [k for k, item in enumerate(items) if "error" in item] == list(bad)
    assert all(item == sound["lattices"][k] for k, item in enumerate(items) if k not in bad)
    header, *rows = [line.split("\t") for line in report.read_text().splitlines()]
    assert header == ["id", "file", "line", "reason"]
    lines = given[0].read_text().splitlines()
    assert [row[0] for row in rows] == [f"u{number:05d}" for number in bad]
    for name, file, line, reason in rows:
        assert file == str(given[0])
        assert lines[int(line) - 1].strip() == name
        assert f"failed: {in_options(reason)}\n" in done.stderr


@pytest.mark.parametrize("metric", ["wer", "bleu"])
def test_every_kind_of_oracle_lists_what_failed(metric, tmp_path):
    given = [*data(tmp_path, graphs=30, broken=(7,)), "--metric", metric, "--keep-going"]
    assert oracle(*given, "--failures", tmp_path / "failures").status == 1
    assert [row.split("\t")[0] for row in (tmp_path / "failures").read_text().splitlines()] == ["id", "u00007"]


def test_a_list_of_no_failures_is_its_header(tmp_path):
    good(oracle(*data(tmp_path, graphs=3), "--failures", tmp_path / "failures"))
    assert (tmp_path / "failures").read_text() == "id\tfile\tline\treason\n"


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (("--timeout", "3"), "takes more than 3 seconds"),
        (("--max-memory", "100M"), "do not fit into memory"),
    ],
    ids=["time", "memory"],
)
def test_a_graph_that_takes_too_much_has_failed(workers, limit, reason, tmp_path):
    archive = heavy(tmp_path)
    given = ["posteriors", archive, "--of", "ngrams", "--order", 4, "--format", "jsonl", *limit, "--workers", workers]
    done = latticemetric(*given, "--keep-going")
    items = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.status == 1
    assert [item["id"] for item in items] == ["a", "heavy", "z"]
    assert ["error" in item for item in items] == [False, True, False]
    assert reason in items[1]["error"]
    assert "heavy.txt:5 (heavy)" in items[1]["error"]
    assert_one_line_error(latticemetric(*given), reason)


_OF_GRAPHS = [
    *(("posteriors", "--of", of) for of in ("words", "ngrams", "arcs", "summary")),
    ("best",),
    ("nbest",),
    ("mbr",),
    ("mbr", "--word-penalty", "0,1"),
    ("mbr", "--by", "wer"),
    ("mbr", "--by", "wer", "--risk", "exact"),
    ("mbr", "--by", "2-grr"),
    ("consensus",),
    ("info",),
]
_OF_PAIRS = [
    ("oracle", "-m", "wer"),
    ("oracle", "-m", "wer,4-grr"),
    ("oracle", "-m", "bleu"),
    ("expected", "-m", "wer"),
]


@pytest.mark.parametrize("verb", [*_OF_GRAPHS, *_OF_PAIRS], ids=" ".join)
def test_a_graph_that_failed_looks_the_same_in_all_verbs(verb, tmp_path):
    archive, references = data(tmp_path, graphs=4, broken=(1,))
    files = [archive] if verb in _OF_GRAPHS else [archive, references]
    error = f"{archive}:9 (u00001): the graph is cyclic: state 0 can be reached from itself; a lattice is acyclic"
    for name in ("jsonl", "tsv", "json"):
        done = latticemetric(*verb, *files, "--keep-going", "--format", name)
        assert done.status == 1
        if name == "json":
            items = next(one for one in done.json.values() if isinstance(one, list))
        elif name == "jsonl":
            items = list(map(json.loads, done.stdout.splitlines()))
        else:
            header, *rows = (line.split("\t") for line in done.stdout.splitlines())
            items = [{title: cell for title, cell in zip(header, row, strict=True) if cell} for row in rows]
        failed = [item for item in items if item["id"] == "u00001"]
        metrics = ["wer", "4-grr"] if "wer,4-grr" in verb else [None]
        assert failed == [{"id": "u00001", **({"metric": m} if m else {}), "error": error} for m in metrics]
