"""Results on a terminal: colours and escapes only where they can be seen."""

import json
import os
import pty
import re
import subprocess

import pytest
from kit.commands import MEETING, PROGRAMS, PROVERBS, file, good, run
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric.cli.results import looks_in


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"TERM": "xterm-256color"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)],
)
def test_alignments_have_colours_where_a_terminal_has_them(environment, coloured, monkeypatch):
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    alignment = lm.oracle(lm.Lattice.from_strings(["a b"]), "a c", "wer").alignment

    def has_colours(output):
        return "\x1b" in "".join(looks_in(output, percent=True).alignment_lines(alignment))

    assert not has_colours("-")  # into a pipe
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert has_colours("-") is coloured
    assert not has_colours("out.txt")


COAST = [EXAMPLES / f"coast.{name}.ctm" for name in ("east", "north", "south")]


@pytest.mark.parametrize(
    "command",
    [
        ("oracle", *MEETING, "--metric", "wer", "--nbest", 2, "--worst", "--also-score", "bleu"),
        ("oracle", *PROVERBS, "--metric", "bleu"),
        ("expected", *MEETING),
        ("sweep", *MEETING, "--metric", "wer", "--beams", "1,2", "--by-length", "3,5"),
        ("lists", EXAMPLES / "kitchen.jsonl", EXAMPLES / "kitchen.ref.txt"),
        ("lists", EXAMPLES / "picnic.json", "--corrected", EXAMPLES / "picnic.corrected.txt"),
        ("mbr", MEETING[0], "--by", "wer", "--risk", "exact"),
        ("combine", *COAST, "--reference", EXAMPLES / "coast.ref.txt"),
        *(
            ("score", EXAMPLES / "radio.ctm", EXAMPLES / "radio.stm", "--metric", "wer", "--lowercase", *more)
            for more in ((), ("--group-by", "speaker"), ("--level", "sentence"))
        ),
        ("score", EXAMPLES / "letters.new.txt", EXAMPLES / "letters.ref.txt", "--metric", "wer", "--explain", 2),
    ],
    ids=lambda command: " ".join(str(word) for word in command if not hasattr(word, "parts")),
)
def test_rates_are_all_in_per_cent_or_all_fractions(command):
    per_cent, fractions = (run("latticemetric", *command, *more) for more in ((), ("--fractions",)))
    texts = [f"{done.stdout}\n{done.stderr}" for done in (per_cent, fractions)]
    found = [re.findall(r"\w+ %(?= |$)|[\d.]+%", re.sub(r"± 95 % of|%WER.*", "", text), re.MULTILINE) for text in texts]
    assert found[0]
    assert found[1] == []


ODD = ["10\u00a0000", "\u200fשלום", "再\u3000見", "co\u00adop", "end\u00a0"]


@pytest.mark.parametrize("command", [["best"], ["mbr"], ["mbr", "--by", "cer"], ["combine"]], ids=" ".join)
def test_words_in_files_and_pipes_are_those_of_the_graph(tmp_path, command):
    text = " ".join(ODD)
    lists = file(tmp_path, "lists.jsonl", json.dumps({"id": "a", "hypotheses": [text]}) + "\n")
    verb, *options = command
    assert good(run("latticemetric", verb, lists, *options)).stdout == f"a {text}\n"
    good(run("latticemetric", verb, lists, *options, "--output", tmp_path / "out.txt"))
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == f"a {text}\n"


def test_words_on_a_terminal_cannot_move_the_cursor(tmp_path):
    lists = file(tmp_path, "lists.jsonl", json.dumps({"id": "a", "hypotheses": ["b\u001b[2J\u202ec"]}) + "\n")
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal, os.fdopen(theirs, "wb", buffering=0) as end:
        subprocess.run([PROGRAMS / "latticemetric", "best", lists], stdout=end, timeout=PATIENCE, check=True)
        assert terminal.read(1000).decode().strip() == r"a b\x1b[2J\u202ec"
