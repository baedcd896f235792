"""The examples do what they say."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_weights_are_tuned_by_hope_and_fear():
    data = EXAMPLES / "data"
    command = [sys.executable, EXAMPLES / "margin_training.py", data / "meeting.lat.txt", data / "meeting.ref.txt"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    weights, rates = done.stdout.splitlines()
    tuned = {name: float(value) for name, _, value in (pair.partition("=") for pair in weights.split())}
    assert set(tuned) == {"lm", "acoustic"}
    assert tuned != {"lm": 1.0, "acoustic": 1.0}
    before, after = map(float, rates.removeprefix("wer ").split(" -> "))
    assert after <= before


def test_a_corpus_reaches_at_least_the_bleu_of_its_sentences_oracles():
    data = EXAMPLES / "data"
    command = [sys.executable, EXAMPLES / "corpus_bleu.py", data / "meeting.lat.txt", data / "meeting.ref.txt"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    one_best, start, best = (float(line.split()[-1]) for line in lines[:3])
    assert one_best <= start <= best
    assert len(lines) == 6
