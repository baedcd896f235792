"""`latticemetric mbr` and `consensus` as users run them; what they print is what Python answers."""

import json
import re
import sys

import numpy as np
import pytest
from kit.decoding import FERRY, MEETING, graphs, items, run
from kit.paths import EXAMPLES

import latticemetric as lm


def test_mbr_prints_the_words_of_each_lattice():
    found = run("mbr", MEETING, "--posterior-scale", "0.5").stdout.splitlines()
    assert found == [
        " ".join([name, *lm.mbr(graph, posterior_scale=0.5).words]) for name, graph in graphs(MEETING).items()
    ]


def test_items_are_what_python_answers():
    found = items("mbr", MEETING, "--weights", "acoustic=0.5", "--beam", "4", "-p", "0.7")
    expected = [
        {"id": name, **lm.mbr(graph, weights={"acoustic": 0.5}, beam=4.0, p=0.7).asdict()}
        for name, graph in graphs(MEETING).items()
    ]
    assert found == json.loads(json.dumps(expected))


def test_word_errors_are_another_method():
    found = items("mbr", MEETING, "--by", "wer", "--beam", "3")
    for item, graph in zip(found, graphs(MEETING).values(), strict=True):
        best = lm.mbr(graph, "wer", beam=3.0)
        assert (item["hypothesis"], item["risk"]) == (" ".join(best.words), best.risk)


def test_every_combination_of_a_grid_is_an_item():
    found = items("mbr", MEETING, "--word-penalty=-0.1,0.1", "--ratio", "0.6,0.7")
    settings = [(item["id"], item["r"], item["word_penalty"]) for item in found]
    assert settings == [(name, r, w) for name in graphs(MEETING) for r in (0.6, 0.7) for w in (-0.1, 0.1)]


def test_a_table_has_a_row_a_setting():
    lines = run("mbr", MEETING, "--word-penalty", "0,1", "--format", "tsv").stdout.splitlines()
    assert len(lines) == 1 + 2 * len(graphs(MEETING))
    assert {line.count("\t") for line in lines} == {lines[0].count("\t")}


@pytest.mark.parametrize("option", [("-p", "0.8"), ("--word-penalty", "1"), ("--order", "2")])
def test_what_means_nothing_to_a_method_is_refused(option):
    done = run("mbr", MEETING, "--by", "wer", *option, status=2)
    assert f"{option[0]} has no effect with --by wer" in done.stderr


@pytest.mark.parametrize("value", ["x", "1,", "0.5;0.6"])
def test_what_is_no_number_is_refused(value):
    assert "is not a number" in run("mbr", MEETING, "-p", value, status=2).stderr


HEADLINES = str(EXAMPLES / "headlines.nbest")


@pytest.mark.parametrize("path", [MEETING, HEADLINES, str(EXAMPLES / "garden.jsonl"), str(EXAMPLES / "lantern.hg")])
@pytest.mark.parametrize(
    ("options", "method", "chosen"),
    [
        (("--by", "grr"), "4-grr", {}),
        (("--by", "2-grr", "-P", "2-grr.alpha=0.5", "-P", "2-grr.beta=1"), lm.GRR(2, alpha="0.5", beta=1), {}),
        (("--by", "BLEU", "-P", "bleu.smoothing=exp"), lm.BLEU(smoothing="exp"), {}),
        (("--by", "f1", "--samples", "20", "--seed", "3"), "f1", {"samples": 20, "seed": 3}),
        (("--by", "nist", "--posterior-scale", "0.5"), "nist", {"posterior_scale": 0.5}),
    ],
)
def test_metrics_are_methods(path, options, method, chosen):
    expected = [{"id": name, **lm.mbr(graph, method, **chosen).asdict()} for name, graph in graphs(path).items()]
    assert items("mbr", path, *options) == json.loads(json.dumps(expected))


def test_metrics_print_words_and_rows():
    said = run("mbr", HEADLINES, "--by", "meteor").stdout
    assert said.splitlines()[0] == "0 parliament supports the amendment"
    rows = [line.split("\t") for line in run("mbr", HEADLINES, "--by", "wrr", "--format", "tsv").stdout.splitlines()]
    assert float(rows[1][rows[0].index("gain")]) == lm.mbr(graphs(HEADLINES)["0"], "wrr").gain
    document = json.loads(run("mbr", HEADLINES, "--by", "wrr", "--format", "json").stdout)
    assert [item["id"] for item in document["lattices"]] == ["0", "1"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--by", "greater"), "there is no MBR by 'greater'; choose one of ngram,"),
        (("--by", "grr", "--samples", "0"), "--samples: 0 is not in the range"),
        (("--by", "grr", "--samples", "x"), "--samples: 'x' is not a whole number"),
        (("--by", "grr", "--seed", "-1"), "--seed: -1 is not in the range"),
        (("--by", "bleu", "-P", "bleu.alpha=1"), "metric 'bleu' has no parameter 'alpha'"),
        (("--by", "chrf", "-P", "cer.unicode=nfc"), "is not named in --by; name it there, or leave"),
        (("--by", "bleu", "-P", "bleu.smoothing=wild"), "smoothing is 'wild'; choose one of none"),
        (("--by", "grr", "-P", "grr.beta=x"), "beta is 'x', not a finite number"),
        (("--by", "grr", "-p", "0.5"), "-p has no effect with --by grr"),
        (("--samples", "5"), "--samples has no effect with --by ngram"),
        (("--by", "wer", "--seed", "5"), "--seed has no effect with --by wer"),
        (
            ("--by", "grr", "--posterior-scale", "nan"),
            "--posterior-scale: the posterior scale is nan; give a number ≥ 0",
        ),
        (("--by", "grr", "--weights", "nope"), "'nope' is neither NAME=NUMBER, like acoustic=0.1, nor a file"),
    ],
)
def test_mistakes_in_metrics_are_told(options, says):
    done = run("mbr", HEADLINES, *options, status=2)
    assert says in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_consensus_prints_words_with_confidences():
    line = run("consensus", FERRY).stdout
    network = lm.consensus(lm.read_one(FERRY))
    pairs = zip(network.words, network.confidences, strict=True)
    assert line.split()[1:] == [f"{word}:{confidence:.3f}" for word, confidence in pairs]
    assert items("consensus", FERRY)[0] == {"id": "ferry-001", **json.loads(json.dumps(network.asdict()))}


def test_consensus_writes_ctm(tmp_path):
    (tmp_path / "out.ctm").write_text(run("consensus", FERRY, "--format", "ctm").stdout)
    again = lm.read_one(tmp_path / "out.ctm")
    assert again.words(range(len(again.word))) == lm.consensus(lm.read_one(FERRY)).words
    assert "needs times" in run("consensus", MEETING, "--format", "ctm", status=2).stderr


CTM_METHODS = [("ngram",), ("wer",), ("wer", "--risk", "exact"), ("4-grr",), ("chrf", "--samples", "20")]


@pytest.mark.parametrize("method", CTM_METHODS, ids=" ".join)
def test_mbr_writes_ctm_by_every_method(method, tmp_path):
    path = tmp_path / "out.ctm"
    run("mbr", FERRY, "--by", *method, "--output", path)
    (item,) = items("mbr", FERRY, "--by", *method)
    rows = [line.split() for line in path.read_text().splitlines()]
    assert " ".join(row[4] for row in rows) == item["hypothesis"]
    times = [(float(row[2]), float(row[2]) + float(row[3])) for row in rows]
    assert np.ravel(times) == pytest.approx(np.ravel(item["times"]), abs=0.011)
    assert [float(row[5]) for row in rows] == pytest.approx(item["confidences"], abs=1e-4)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((MEETING,), "ctm needs times, but 'meeting-001' has none"),
        ((FERRY, "-p", "0.5,0.6"), "ctm holds one setting, but there are several"),
        ((FERRY, "--determinize"), "--determinize has no effect with the format ctm"),
    ],
)
def test_mbr_writes_no_ctm_without_times(options, says):
    assert says in run("mbr", *options, "--format", "ctm", status=2).stderr


def test_networks_are_written_as_lattices(tmp_path):
    path = tmp_path / "out.mesh"
    run("consensus", MEETING, "--write-lattices", path, "--least", "0.01")
    assert list(graphs(path)) == list(graphs(MEETING))


def test_least_needs_lattices_to_write():
    done = run("consensus", MEETING, "--least", "0.5", status=2)
    assert "--least has no effect without --write-lattices; leave it out" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("verb", ["mbr", "consensus"])
def test_a_graph_that_fails_is_told_and_gone_past(verb, tmp_path):
    path = tmp_path / "lats"
    path.write_text("a \n0 1 x 1,2,\n1\n\nb \n0 1 x nan,2,\n1\n\nc \n0 1 x 1,2,\n1\n")
    assert "not finite" in run(verb, path, status=2).stderr
    done = run(verb, path, "--keep-going", "--format", "jsonl", status=1)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [item["id"] for item in found] == ["a", "b", "c"]
    assert "not finite" in found[1]["error"]
    assert "failed: " in done.stderr


# --- Utilities


KITCHEN = EXAMPLES / "kitchen.jsonl"


@pytest.fixture
def matrices(tmp_path):
    """A matrix for each list of an example, and the file of the first one."""
    found = {name: lm.utility_matrix("chrf", [h.words for h in nbest.hypotheses]) for name, nbest in lm.read(KITCHEN)}
    np.savez(tmp_path / "all.npz", **found)
    np.save(tmp_path / "first.npy", next(iter(found.values())))
    return tmp_path


def test_matrices_of_utilities_rank_as_the_metric(matrices):
    by_matrix = items("mbr", KITCHEN, "--utility-matrix", matrices / "all.npz")
    by_metric = items("mbr", KITCHEN, "--by", "chrf")
    assert [item.pop("signature").split("|")[0] for item in (*by_matrix, *by_metric)] == ["matrix"] * 4 + ["chrf"] * 4
    assert by_matrix == by_metric
    errors = items("mbr", KITCHEN, "--utility-matrix", matrices / "all.npz", "--lower-is-better")
    assert all("risk" in item for item in errors)
    first = KITCHEN.read_text().splitlines()[0]
    (matrices / "one.jsonl").write_text(first + "\n")
    alone = items("mbr", matrices / "one.jsonl", "--utility-matrix", matrices / "first.npy")
    assert alone[0]["hypothesis"] == by_metric[0]["hypothesis"]


def test_counts_pruning_and_parameters_are_those_of_python():
    options = ["--evidence-weights", "counts", "--pruning-confidence", "0.9", "-P", "chrf.beta=1", "--seed", "3"]
    expected = [
        {"id": name, **lm.mbr(g, lm.CHRF(beta=1), evidence_weights="counts", pruning_confidence=0.9, seed=3).asdict()}
        for name, g in graphs(KITCHEN).items()
    ]
    assert items("mbr", KITCHEN, "--by", "chrf", *options) == json.loads(json.dumps(expected))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--utility-matrix", "first.npy"], "there is one matrix, but several graphs"),
        (["--utility-matrix", "short.npz"], "there is no matrix named 'kitchen-1'"),
        (["--utility-matrix", "wrong.npz"], "has 1 rows and 1 columns; it needs 6 rows"),
        (["--utility-matrix", "none.npz"], "the matrix cannot be read"),
        (["--utility-matrix", "text.npz"], "this is not a matrix of NumPy"),
        (["--utility-matrix", "all.npz", "--by", "chrf"], "--by has no effect with --utility-matrix"),
        (["--utility-matrix", "all.npz", "-P", "chrf.beta=1"], "--parameter has no effect with --utility-matrix"),
        (["--utility-matrix", "all.npz", "--posterior-scale", "1,2"], "--utility-matrix takes one setting"),
        (["--lower-is-better"], "--lower-is-better has no effect without --utility-matrix"),
        (["--evidence-weights", "counts"], "--evidence-weights has no effect with --by ngram"),
        (
            ["--pruning-confidence", "0.1", "--by", "chrf"],
            "--pruning-confidence: pruning_confidence is 0.1; give a number from 0.5 to 1",
        ),
    ],
)
def test_utilities_that_make_no_sense_are_refused(matrices, options, message):
    np.savez(matrices / "short.npz", other=np.ones((2, 2)))
    np.savez(matrices / "wrong.npz", **{name: np.ones((1, 1)) for name, _ in lm.read(KITCHEN)})
    (matrices / "text.npz").write_text("PK\x03\x04 no archive")
    given = [matrices / option if option.endswith((".npy", ".npz")) else option for option in options]
    done = run("mbr", KITCHEN, *given, status=(1, 2))
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (None, "there is no matrix named 'kitchen-2'"),
        (np.ones((1, 1)), "it needs"),
        (np.full((6, 6), np.nan), "has the score nan"),
        (np.array([["a"]]), "not a matrix of numbers"),
        (np.array([[None]]), r"bad.npz \(kitchen-2\): this is not a matrix of NumPy"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_graphs_with_faulty_matrices_fail_alone(matrices, matrix, reason, workers):
    found = dict(np.load(matrices / "all.npz"))
    found["kitchen-2"] = matrix
    np.savez(matrices / "bad.npz", **{name: values for name, values in found.items() if values is not None})
    asked = ("mbr", KITCHEN, "--format", "jsonl", "--workers", workers, "--utility-matrix")
    whole = run(*asked, matrices / "all.npz").stdout.splitlines()
    done = run(*asked, matrices / "bad.npz", "--keep-going", status=1)
    lines = done.stdout.splitlines()
    assert (lines[0], lines[2:]) == (whole[0], whole[2:])
    failed = json.loads(lines[1])
    assert failed["id"] == "kitchen-2"
    assert re.search(reason, failed["error"])
    assert done.stderr.count("failed: ") == 1
    assert re.search(reason, run(*asked, matrices / "bad.npz", status=2).stderr)


def test_signatures_name_the_steps_that_rewrote_the_texts():
    lists, references = EXAMPLES / "headlines.nbest", EXAMPLES / "headlines.ref.txt"
    prepared = ("--lowercase", "--tokenize", "13a")
    plain, found = (items("mbr", lists, "--by", "wrr", *options)[0] for options in ((), prepared))
    assert "|norm:" not in plain["signature"]
    assert found["signature"] == plain["signature"].replace("|v:", "|norm:lc+13a|v:")
    tuning = ("--decoder", "mbr", "--posterior-scale", "1", "--resamples", "0")
    assert "|norm:lc+13a|" in run("tune", lists, references, *tuning, *prepared).stderr


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
@pytest.mark.parametrize("verb", ["best", "mbr", "info"])
def test_a_limit_that_no_graph_can_keep_is_told_as_such(verb, tmp_path):
    """Neither the status of a worker is told, nor the tracebacks of modules that it cannot import."""
    lattice = lm.Lattice.from_strings([" ".join(f"w{number * k}" for k in range(30)) for number in range(2000)])
    lm.write(tmp_path / "x.plf", [("1", lattice), ("2", lattice)])
    done = run(verb, tmp_path / "x.plf", "--max-memory", "1k", "--workers", 2, status=2)
    assert done.stderr.count("\n") == 1
    assert "this graph needs more than 1 KB of memory; " in done.stderr
