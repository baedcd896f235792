"""SCTK's own tests of sclite and csrfilt, where its sources are: counts of each speaker, and filtered lines.

Set LATTICEMETRIC_SCTK to a checkout of github.com/usnistgov/SCTK. Tests with options that have no equivalent here
(`-D`, `-F`, `-S`, `-d`, `-m`, `-T`) are left out; the page about references says what differs.
"""

import json
import os
import re
from pathlib import Path

import pytest
from kit.brute_force import enumerate_paths
from kit.commands import good, run

from latticemetric.formats.nist.words import parsed_transcript
from latticemetric.normalization.grammar import find_grammar

SOURCES = Path(os.environ.get("LATTICEMETRIC_SCTK", "/nowhere")) / "src"
DATA, FILTERED = SOURCES / "sclite/testdata", SOURCES / "test_suite"

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not DATA.is_dir(), reason="LATTICEMETRIC_SCTK names no checkout of SCTK"),
]

_ROW = re.compile(r"\s*\|\s*(.*?)\s*\|\s*(\d+)\s+(\d+)\s*\|\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\|")
_COUNTS = ("segments", "words", "correct", "substitutions", "deletions", "insertions", "errors", "wrong_segments")
_CHARACTERS = ("--tokenize", "char")

INCOMPLETE = (
    *("hyp-missall", "hyp-missfile1", "hyp-missfile1chanA", "hyp-missfile1chanb"),
    *("hyp-missfile2", "hyp-missfile2chanA", "hyp-missfile2chanB", "hyp"),
)
CASES = {
    "test1": ("csrnab.ref", "csrnab.hyp", ()),
    "test1e": ("csrnab.ref", "csrnab.hyp", ()),
    "test3": ("lvc_ref.stm", "lvc_hyp.ctm", ()),
    "test3a": ("lvc_refe.stm", "lvc_hyp.ctm", ()),
    "test8": ("csrnab1.ref", "csrnab1.hyp", _CHARACTERS),
    "test9": ("mand_ref.stm", "mand_hyp.ctm", _CHARACTERS),
    "test15_c": ("test.turkish.ref", "test.turkish.hyp", ()),
    "test15_d": ("test.ukranian.ref", "test.ukranian.hyp", ()),
    "test17": ("test.vietnamese.ref.trn", "test.vietnamese.hyp.trn", ()),
    **{
        f"test16_{number}": ("stm2ctm_missing.ref.stm", f"stm2ctm_missing.{name}.ctm", ())
        for number, name in enumerate(INCOMPLETE, start=2)
    },
}


def in_utf8(path, folder):
    """The file in UTF-8; those in Mandarin are in GB."""
    data = path.read_bytes()
    if not path.name.startswith("mand_"):
        return path
    (folder / path.name).write_text(data.decode("gb18030"))
    return folder / path.name


def speakers_of(path, folder):
    """The option for the ids of the Wall Street Journal, whose first three letters are the speaker."""
    if not path.name.startswith("csrnab"):
        return ()
    ids = re.findall(r"\((\w+)\)\s*$", path.read_text(), re.MULTILINE)
    (folder / "utt2spk").write_text("".join(f"{name} {name[:3]}\n" for name in ids))
    return ("--utt2spk", folder / "utt2spk")


@pytest.mark.parametrize("name", CASES)
def test_counts_of_each_speaker_are_those_that_sclite_expects(name, tmp_path):
    reference, hypothesis, options = CASES[name]
    files = [in_utf8(DATA / file, tmp_path) for file in (hypothesis, reference)]
    options = [
        *options,
        *speakers_of(files[1], tmp_path),
        "--group-by",
        "speaker",
        "--format",
        "json",
        "--resamples",
        0,
    ]
    done = good(run("latticemetric", "score", *files, "--metric", "sclite", "--lowercase", *options))
    found = {
        (row["group"] or "Sum").lower(): tuple(row[kind] for kind in _COUNTS)
        for row in json.loads(done.stdout)["details"]
    }
    text = (DATA / f"base/{name}.raw").read_text(errors="replace")
    rows = [match.groups() for line in text.splitlines() if (match := _ROW.match(line))]
    assert found == {speaker.lower(): tuple(map(int, counts)) for speaker, *counts in rows}


def texts(transcript):
    return {one.words for one in enumerate_paths(parsed_transcript(transcript, "here"))}


@pytest.mark.parametrize(
    ("name", "option"),
    [("stm", ":TIMED"), ("stm.-dh", ":TIMED+SPLIT_HYPHENS"), ("trn", ""), ("trn.-dh", ":SPLIT_HYPHENS")],
)
def test_lines_are_filtered_as_csrfilt_expects(name, option):
    kind = name.partition(".")[0]
    grammar = find_grammar(f"{FILTERED / 'example.glm'}{option}")
    both = [(FILTERED / file).read_text().splitlines() for file in (f"test.{kind}.in", f"test.{name}.out")]
    part = re.compile(r"(?:\s*\S+){5}(?:\s+<\S+>)?(?P<text>.*)" if kind == "stm" else r"(?P<text>.*)\([^()]*\)\s*")
    rows = [[part.fullmatch(line)["text"] for line in lines if line.strip() and line[:2] != ";;"] for lines in both]
    for given, expected in zip(*rows, strict=True):
        found = grammar.reference(parsed_transcript(given, "here"))
        assert {one.words for one in enumerate_paths(found)} == texts(expected)
