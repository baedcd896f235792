"""The examples do what they say."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from kit.paths import ROOT

import latticemetric as lm

EXAMPLES = ROOT / "examples"
DATA = EXAMPLES / "data"
MEETING = DATA / "meeting.lat.txt", DATA / "meeting.ref.txt"


def lines_of(example: str, *arguments: object) -> list[str]:
    command = [sys.executable, EXAMPLES / example, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_each_example_is_run_and_is_on_a_page():
    names = {path.name for path in EXAMPLES.glob("*.py")}
    run = Path(__file__).read_text(encoding="utf-8")
    pages = "".join(page.read_text(encoding="utf-8") for page in (EXAMPLES.parent / "docs").glob("*.md"))
    assert {name for name in names if f'"{name}"' in run} == names
    assert {name for name in names if f"examples/{name}" in pages} == names


@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.glob("*.py")))
@pytest.mark.parametrize("arguments", [0, 1, 7])
def test_examples_without_their_arguments_print_their_usage(example, arguments):
    if example == "own_automaton.py":
        pytest.importorskip("pynini")
        arguments = min(arguments, 2)  # it takes any number of keywords
    command = [sys.executable, EXAMPLES / example, *["FILE"] * arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"    python {example} " in done.stderr
    assert "Traceback" not in done.stderr


def test_weights_are_tuned_by_hope_and_fear():
    weights, rates = lines_of("margin_training.py", *MEETING)
    tuned = {name: float(value) for name, _, value in (pair.partition("=") for pair in weights.split())}
    assert set(tuned) == {"lm", "acoustic"}
    assert tuned != {"lm": 1.0, "acoustic": 1.0}
    before, after = map(float, rates.removeprefix("wer ").split(" -> "))
    assert after <= before


@pytest.mark.parametrize(
    ("graphs", "references"), [("beacon.travatar.json", "beacon.ref.txt"), ("headlines.nbest", "headlines.ref.txt")]
)
def test_weights_of_forests_and_lists_are_tuned(graphs, references):
    weights, rates = lines_of("margin_training.py", DATA / graphs, DATA / references)
    graph = next(lm.read(DATA / graphs))[1]
    names = graph.score_names() if isinstance(graph, lm.NBest) else graph.scores
    assert [pair.split("=")[0] for pair in weights.split()] == list(names)
    assert rates.startswith("wer 0.")


def test_scales_are_trained_by_the_exact_expected_wer():
    headlines = DATA / "headlines.nbest", DATA / "headlines.ref.txt"
    lines = lines_of("expected_training.py", *MEETING, *headlines)
    losses = [float(line.split()[-1]) for line in lines if line.startswith("step")]
    assert len(losses) == 31
    assert all(after < before for before, after in pairwise(losses))
    exact, sampled, distance = (
        next(line for line in lines if line.startswith(start)).split()
        for start in ("exact", "mean of samples", "  mean gradient")
    )
    loss, bias, error, variance = map(float, sampled[-6:-2])
    assert float(exact[1]) == pytest.approx(loss - bias, abs=1e-4)
    assert abs(bias) < 3 * error
    assert float(exact[-3]) == 0 < variance
    assert float(distance[2]) < 3


def test_utilities_of_other_libraries_rank_samples(tmp_path):
    matrices = tmp_path / "kitchen.npz"
    lines = lines_of("neural_utility.py", DATA / "kitchen.jsonl", matrices)
    assert lines[2] == "kitchen-3: stir until the sugar has dissolved (16 of 16 pairs)"
    program = Path(sys.executable).parent / "latticemetric"
    options = ["mbr", DATA / "kitchen.jsonl", "--utility-matrix", matrices, "--evidence-weights", "counts"]
    done = subprocess.run([program, *map(str, options)], capture_output=True, text=True, check=True)
    answers = [line.partition(" (")[0].replace(":", "", 1) for line in lines]
    assert done.stdout.splitlines() == answers


def test_a_corpus_reaches_at_least_the_bleu_of_its_sentences_oracles():
    lines = lines_of("corpus_bleu.py", *MEETING)
    one_best, start, best = (float(line.split()[-1]) for line in lines[:3])
    assert one_best <= start <= best
    assert len(lines) == 6


def test_best_strings_are_listed_and_all_oracles_written(tmp_path):
    lines = lines_of("best_strings.py", *MEETING, tmp_path / "oracles.lat.txt")
    rates = [float(line.split()[2]) for line in lines if line.startswith("meeting-001") and "paths" not in line]
    assert rates == sorted(rates)
    assert next(line for line in lines if "paths" in line) == "meeting-001 1 of 30 paths are oracles"
    written = dict(lm.read(tmp_path / "oracles.lat.txt"))
    assert [path.words for path in written["meeting-003"].paths()] == [("thank", "you", "all")]


def test_references_with_alternatives_are_scored_by_their_best_reading():
    lines = lines_of("alternative_references.py", MEETING[0], DATA / "meeting.trn")
    assert lines[:2] == [
        "meeting-001 0.0000 we should meet on sunday",
        "  of 4 readings: we should meet on sunday",
    ]
    (wer, *_), (sclite, *_) = (line.split()[1:] for line in lines[-2:])
    assert float(wer) <= float(sclite)


def test_keywords_are_sought_by_an_automaton_that_the_command_takes_too(tmp_path):
    pytest.importorskip("pynini")
    lines = lines_of("own_automaton.py", MEETING[0], tmp_path / "own.fst", "monday", "budget", "small", "you")
    assert lines[:2] == ["meeting-001 best 0.50 we should meet on monday", "meeting-001 1-best -0.30 we should meet"]
    program = Path(sys.executable).parent / "lattice-oracle"
    command = [program, MEETING[0], "--metric", tmp_path / "own.fst", "--format", "tsv"]
    header, *rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    hypothesis = header.split("\t").index("hypothesis")
    said = [line.split(" ", 3)[3] for line in lines if " best " in line]
    assert [row.split("\t")[hypothesis] for row in rows] == said


def test_a_grammar_takes_errors_of_spelling_away():
    pytest.importorskip("pynini")
    lines = lines_of("normalization.py", DATA / "station.lat.txt", DATA / "station.ref.txt")
    assert "station-2: she can not organize nineteen ninety nine" in lines
    assert lines[-2:] == ["as written: oracle 1.1000, 1-best 1.2000", "english: oracle 0.0000, 1-best 0.3077"]


@pytest.mark.parametrize(("most", "beam"), [(0, "8"), (1, "0.5"), (3, "0")])
def test_the_narrowest_beam_that_will_do_is_found(most, beam):
    lines = lines_of("pruning_sweep.py", *MEETING, most)
    assert lines[-1] == f"a beam of {beam} is enough"
    beams = [float(line.split()[3]) for line in lines if line.startswith("beam")]
    assert beams == sorted(beams, reverse=True)


def test_words_of_the_1_best_are_tagged_beside_their_confidences():
    lines = lines_of("word_confidence.py", *MEETING)
    words = [line.split() for line in lines if line.startswith("meeting")]
    assert [word for _, word, tag, _ in words if tag == "BAD"] == ["to"]
    assert all(0 < float(confidence) < 1 for *_, confidence in words)
    # Below 0.4 are meet, budget and to: F1-BAD 2/4, F1-OK 16/18.
    assert "threshold 0.4: F1-mult 0.4444" in lines


def test_oracles_are_judged_by_other_metrics():
    lines = lines_of("judging_oracles.py", *MEETING)
    scores = {name: list(map(float, values)) for name, *values in (line.split("\t") for line in lines[1:7])}
    wer, chrf = (lines[0].split("\t").index(name) - 1 for name in ("wer", "chrf"))
    assert min(row[wer] for row in scores.values()) == scores["wer oracle"][wer] < scores["1-best"][wer]
    assert scores["wer oracle"][chrf] > scores["1-best"][chrf]
    assert lines[7].startswith("wer with chrf: r over outputs -")
