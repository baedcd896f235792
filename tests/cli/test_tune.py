"""`latticemetric tune --decoder mbr`, as users run it."""

import json
import shlex

import pytest
from kit.decoding import MEETING, graphs, items, run
from kit.paths import EXAMPLES

import latticemetric as lm


def plain(value):
    return json.loads(json.dumps(value))


REFERENCES = str(EXAMPLES / "meeting.ref.txt")


def kaldi(path, lattices):
    path.write_text("".join(f"{name}\n{text}\n" for name, text in lattices.items()))
    return path


def tuned(**more):
    references = {}
    for line in (EXAMPLES / "meeting.ref.txt").read_text().splitlines():
        name, *words = line.split()
        references[name] = [words]
    lattices = graphs(MEETING)
    return lm.Corpus(lattices, references).tune(**{"decoder": "mbr", **more})


def test_tuning_is_what_python_finds():
    asked = ("tune", MEETING, REFERENCES, "--decoder", "mbr", "--metric", "wer")
    document = json.loads(run(*asked, "--format", "json").stdout)
    assert document == plain(tuned(metric="wer").asdict())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            "--decoder mbr --vary lm=0:1",
            "--vary has no effect with --decoder mbr; leave it out, or give",
        ),
        ("--vary lm=0:1 --posterior-scale 2", "leave it out, or give --decoder expected or mbr"),
        ("--decoder expected --vary lm=0:1 --min-margin 0.1", "--min-margin has no effect with --decoder expected"),
        ("--decoder expected --vary lm=0:1 --plot x.svg", "--plot has no effect with --decoder expected"),
        ("--decoder expected", "no weight varies; give --vary"),
        ("--vary lm=0:1 -p 0.5", "-p has no effect with --decoder best; leave it out, or give --decoder mbr"),
        ("--vary lm=0:1 --evidence x", "--evidence has no effect with --decoder best"),
        ("--decoder mbr --write-weights x", "--write-weights has no effect with --decoder mbr"),
        ("--decoder mbr --plot x.svg", "--plot has no effect with --decoder mbr"),
        ("--decoder mbr --resamples 0 --seed 3", "seed has no effect without resamples"),
        ("", "no weight varies; give --vary acoustic=0.05:0.2"),
    ],
)
def test_options_of_another_decoder_are_refused_with_its_name(arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("tune", MEETING, REFERENCES, *arguments.split(), status=2)
    assert says in done.stderr
    assert (done.stdout, list(tmp_path.iterdir())) == ("", [])


def test_weights_by_expected_errors_are_what_python_finds_and_decode_to_their_score(tmp_path):
    asked = ("tune", MEETING, REFERENCES, "--decoder", "expected", "--vary", "acoustic=0.05:1", "--vary", "lm=0:3")
    document = json.loads(run(*asked, "--posterior-scale", "1,2", "--format", "json").stdout)
    vary = {"acoustic": (0.05, 1), "lm": (0, 3)}
    found = tuned(decoder="expected", vary=vary, posterior_scale=[1, 2])
    assert document == plain(found.asdict())
    done = run(*asked, "--posterior-scale", "1,2", "--write-weights", tmp_path / "weights")
    assert str(found) == done.stdout + done.stderr.rstrip("\n")
    for weights in (done.stdout.split()[1], tmp_path / "weights"):
        again = run("expected", MEETING, REFERENCES, "--metric", "wer", "--weights", weights, "--format", "json")
        corpus = json.loads(again.stdout)["corpus"]
        assert corpus["one_best"]["score"] == document["best"]["score"]
    rows = run(*asked, "--format", "tsv").stdout.splitlines()
    assert [row.split("\t")[0] for row in rows] == ["column", "acoustic", "lm"]


def test_what_is_given_is_not_searched_and_several_numbers_are():
    arguments = ("--posterior-scale", "0.3,0.6", "-p", "0.7", "--ratio", "0.6", "--word-penalty", "0", "--beam", "9")
    document = json.loads(run("tune", MEETING, REFERENCES, "--decoder", "mbr", *arguments, "--format", "json").stdout)
    expected = tuned(posterior_scale=[0.3, 0.6], p=0.7, r=0.6, word_penalty=0.0, beam=9.0)
    assert document == plain(expected.asdict())
    assert {trial["p"] for trial in document["trials"]} == {0.7}


def test_the_answer_in_text_is_options_of_this_program():
    line = run("tune", MEETING, REFERENCES, "--decoder", "mbr", "--metric", "wer").stdout
    best = tuned(metric="wer").best.by
    found = items("mbr", MEETING, *shlex.split(line))
    for item, graph in zip(found, graphs(MEETING).values(), strict=True):
        answer = lm.mbr(
            graph, posterior_scale=best.posterior_scale, p=best.p, r=best.r, word_penalty=best.word_penalty
        )  # fmt: skip
        assert item["hypothesis"] == " ".join(answer.words)


def test_the_answer_in_text_sets_all_that_was_tuned_with_options_that_exist():
    line = run("tune", MEETING, REFERENCES, "--decoder", "mbr", "-p", "0.7", "--ratio", "0.4").stdout
    given = shlex.split(line.replace("=", " "))
    assert set(given[::2]) == {"--posterior-scale", "-T", "-p", "--ratio", "--word-penalty", "--order"}
    assert given[given.index("--ratio") + 1] == "0.4"
    assert items("mbr", MEETING, *shlex.split(line))


def test_a_table_has_a_row_a_setting():
    header, *lines = run("tune", MEETING, REFERENCES, "--decoder", "mbr", "--format", "tsv").stdout.splitlines()
    trials = tuned().asdict()["trials"]
    assert len(lines) == len(trials)
    assert [line.split("\t")[-1] for line in lines].count("true") == 1
    rows = items("tune", MEETING, REFERENCES, "--decoder", "mbr")
    assert [{k: v for k, v in row.items() if k != "best"} for row in rows] == trials
    assert header.split("\t") == list(rows[0])


def test_graphs_without_references_are_left_out_if_that_is_wanted(tmp_path):
    few = tmp_path / "few.txt"
    few.write_text("".join((EXAMPLES / "meeting.ref.txt").read_text().splitlines(keepends=True)[:2]))
    assert "there is no reference for 'meeting-003'" in run("tune", MEETING, few, "--decoder", "mbr", status=2).stderr
    done = run("tune", MEETING, few, "--decoder", "mbr", "--keep-going", "--format", "json", status=1)
    assert json.loads(done.stdout)["graphs"] == 2
    assert "failed: " in done.stderr


def test_evidence_is_tuned_with(tmp_path):
    path = tmp_path / "other.lat.txt"
    lm.write(path, [(name, graph.pruned(0.5)) for name, graph in graphs(MEETING).items()])
    arguments = ("tune", MEETING, REFERENCES, "--decoder", "mbr", "--evidence", path, "--format", "json")
    assert json.loads(run(*arguments).stdout) == plain(tuned(evidence=graphs(path)).asdict())
    lm.write(path, [(name, graph) for name, graph in graphs(MEETING).items() if name != "meeting-002"])
    assert "there is no evidence named 'meeting-002'" in run(*arguments, status=2).stderr
    assert json.loads(run(*arguments, "--keep-going", status=1).stdout)["graphs"] == 2


def test_ignored_words_do_not_count(tmp_path):
    lattices = kaldi(tmp_path / "lats", {"a": "0 1 <s> 0,0,\n1 2 x 0,0,\n2\n"})
    (tmp_path / "ref").write_text("a x\n")
    arguments = ("tune", lattices, tmp_path / "ref", "--decoder", "mbr", "--format", "json")
    assert json.loads(run(*arguments).stdout)["best"]["score"] == 1
    assert json.loads(run(*arguments, "--ignore", "<s>").stdout)["best"]["score"] == 0
