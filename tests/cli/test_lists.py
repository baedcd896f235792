"""`latticemetric lists`: the oracle of the first k, and corrections."""

import json

import pytest
from kit.commands import assert_one_line_error, good, oracle, run
from kit.lists import corrections_of, curve, read_lists
from kit.paths import EXAMPLES

PICNIC = EXAMPLES / "picnic.json"
CORRECTED = EXAMPLES / "picnic.corrected.txt"


def lists(*arguments):
    return run("latticemetric", "lists", *arguments)


def test_the_document_is_what_python_says():
    document = good(lists(PICNIC, "--metric", "wer", "--corrected", CORRECTED, "--format", "json", "--seed", 4)).json
    found = read_lists(PICNIC)
    judged = document.pop("corrections")
    assert document == json.loads(json.dumps(curve(found, resamples=1000, seed=4).asdict()))
    texts = [line.split()[1:] for line in CORRECTED.read_text().splitlines()]
    assert judged == json.loads(json.dumps(corrections_of(found, texts).asdict()))
    corpus = good(oracle(PICNIC, "--metric", "wer", "--format", "json")).json["corpus"]
    assert corpus["numerator"] == document["points"][-1]["numerator"]
    assert corpus["one_best"]["numerator"] == document["points"][0]["numerator"]


def test_texts_without_ids_are_in_the_order_of_the_lists(tmp_path):
    plain = tmp_path / "plain.txt"
    plain.write_text("".join(" ".join(line.split()[1:]) + "\n" for line in CORRECTED.read_text().splitlines()))
    assert lists(PICNIC, "--corrected", plain).stdout == good(lists(PICNIC, "--corrected", CORRECTED)).stdout


def test_texts_are_normalized_alone(tmp_path):
    path = tmp_path / "loud.jsonl"
    path.write_text(json.dumps({"nbest": ["Hello, World!", "Hello, word."], "reference": "hello WORLD"}) + "\n")
    corrected = tmp_path / "fixed.txt"
    corrected.write_text("HELLO world?\n")
    plain, normal = (
        good(lists(path, "-m", "wer", "--corrected", corrected, "--format", "json", *more)).json
        for more in ([], ["--normalize", "english"])
    )
    assert (plain["points"][0]["numerator"], normal["points"][0]["numerator"]) == (2, 0)
    assert normal["corrections"]["corrected"]["errors"] == 0
    assert "norm:english" in normal["signature"]


def test_ignored_words_count_nowhere(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"nbest": ["uh a b", "a"], "reference": "a uh c"}) + "\n")
    corrected = tmp_path / "fixed.txt"
    corrected.write_text("a c uh uh\n")
    document = good(lists(path, "--corrected", corrected, "--ignore", "uh", "--format", "json")).json
    assert document["points"][0]["denominator"] == document["corrections"]["reference_words"] == 2
    assert document["corrections"]["corrected"]["errors"] == 0
    assert document["corrections"]["hallucinations"]["words"] == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"], "meeting-001.*not an n-best list"),
        ([PICNIC, "--corrected", EXAMPLES / "letters.ref.txt"], "texts and 4 lists"),
        ([PICNIC, "--corrected", CORRECTED, "--metric", "wrr,4-grr"], "scored by wer, which is not among the metrics"),
        (
            [PICNIC, "--corrected", CORRECTED, "--metric", "wer", "-P", "wer.substitution=2"],
            "scored by wer without weights; leave its parameters out",
        ),
        ([PICNIC, "--at", "0"], "number of hypotheses is 0"),
        ([PICNIC, "--metric", "bleu"], "cannot search a graph"),
        ([PICNIC, "--reference-field", "gold"], "no field 'gold'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, says):
    assert_one_line_error(lists(*arguments), says)


@pytest.mark.parametrize(
    ("grammar", "fields", "are_alike"),
    [("english", "norm:english|readings:one", False), ("whisper-en", "norm:whisper-en", True)],
)
@pytest.mark.parametrize("more", [[], ["--corrected", "fixed.txt"]])
def test_the_signature_says_that_references_have_one_reading(grammar, fields, are_alike, more, tmp_path):
    path = tmp_path / "gone.jsonl"
    path.write_text(json.dumps({"nbest": ["he's gone"], "reference": "he has gone"}) + "\n")
    (tmp_path / "fixed.txt").write_text("he is gone\n")
    more = [str(tmp_path / name) if name.endswith("txt") else name for name in more]
    found = good(lists(path, "-m", "wer", "--normalize", grammar, "--format", "json", *more)).json
    assert f"|{fields}|v:" in found["signature"]
    corpus = good(oracle(path, "--metric", "wer", "--normalize", grammar, "--format", "json")).json["corpus"]
    assert (corpus["one_best"]["numerator"] == found["points"][0]["numerator"]) == are_alike
