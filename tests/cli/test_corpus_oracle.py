"""`lattice-oracle --metric bleu` as users run it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from kit.paths import EXAMPLES

import latticemetric as lm

DATA = EXAMPLES
MEETING = DATA / "meeting.lat.txt", DATA / "meeting.ref.txt"
PROGRAM = Path(sys.executable).with_name("lattice-oracle")


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done


@pytest.mark.parametrize("metric", ["bleu", "bleu-sbp"])
def test_the_corpus_has_the_score_of_its_strings(metric):
    document = json.loads(run(*MEETING, "--metric", metric, "--format", "json").stdout)
    said = [item["hypothesis"] for item in document["lattices"]]
    references = [line.partition(" ")[2] for line in MEETING[1].read_text().splitlines()]
    assert document["corpus"]["score"] == lm.make_metric(metric).corpus(said, references).score
    assert document["corpus"]["start"]["score"] <= document["corpus"]["score"]
    assert document["corpus"]["lattices"] == 3
    for item in document["lattices"]:
        assert item["matches"] + item["substitutions"] + item["insertions"] == len(item["hypothesis"].split())
        assert {"id", "cost", "reference", "exact", "one_best", "alignment", "arcs", "headroom"} <= item.keys()


def test_all_formats_say_the_same():
    lines = run(*MEETING, "--metric", "bleu", "--format", "jsonl").stdout.splitlines()
    items = [json.loads(line) for line in lines]
    rows = [line.split("\t") for line in run(*MEETING, "--metric", "bleu", "--format", "tsv").stdout.splitlines()]
    text = run(*MEETING, "--metric", "bleu")
    assert [row[rows[0].index("hypothesis")] for row in rows[1:]] == [item["hypothesis"] for item in items]
    assert [line.split("  ")[-1] for line in text.stdout.splitlines()] == [item["hypothesis"] for item in items]
    assert "4-GRR oracles" in text.stderr


def test_a_graph_that_fails_says_nothing_and_its_reference_counts(tmp_path):
    references = tmp_path / "refs.txt"
    references.write_text(MEETING[1].read_text() + "meeting-009 nobody was there to say so\n")
    run(MEETING[0], references, "--metric", "bleu", status=2)
    done = run(MEETING[0], references, "--metric", "bleu", "--keep-going", "--format", "json", status=1)
    assert "meeting-009" in done.stderr
    document = json.loads(done.stdout)
    assert document["lattices"][-1].keys() == {"id", "error"}
    assert document["corpus"]["failed"] == 1
    said = [*(item["hypothesis"] for item in document["lattices"][:-1]), ""]
    expected = [line.partition(" ")[2] for line in references.read_text().splitlines()]
    assert document["corpus"]["score"] == lm.BLEU().corpus(said, expected).score


def test_forests_and_lattices_make_one_corpus():
    done = run(DATA / "lantern.cdec.json", DATA / "lantern.ref.txt", "--metric", "bleu", "--format", "jsonl")
    assert "derivation" in json.loads(done.stdout)


def test_the_signature_names_what_was_ignored():
    assert "ignore:a,the" in run(*MEETING, "--metric", "bleu", "--ignore", "the a").stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--metric", "bleu", "--nbest", "3"],
            "--nbest has no effect with BLEU, which searches all graphs together; leave it out, or",
        ),
        (["--metric", "bleu", "-P", "bleu.alpha=1"], "metric 'bleu' has no parameter 'alpha'"),
        (["--metric", "bleu-stem"], "a corpus oracle cannot compare stems"),
        (["--metric", "bleu-sbp-stem"], "a corpus oracle cannot compare stems"),
        (["--metric", "bleu", "--engine", "openfst"], "the openfst engine does not search by BLEU"),
        (["--metric", "meteor"], "use wer, wrr, N-grr, cer, N-gcr or mixed-er"),
    ],
)
def test_mistakes_are_one_line(options, message):
    done = run(*MEETING, *options, status=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
