"""Commands on hostile inputs: a few of those that `make mutate` runs, and the watch itself."""

import random
import re
import subprocess
import sys

import pytest
from kit.paths import ROOT

sys.path.insert(0, str(ROOT / "tests" / "fuzz"))

import hostile
from hostile import Outcome
from kit.commands import MEETING, assert_one_line_error, oracle, run
from kit.paths import EXAMPLES


@pytest.mark.parametrize("number", range(12))
def test_no_hostile_command_ends_badly(number, tmp_path):
    report = hostile.tried(20, number, tmp_path)
    assert not report.faults, (report.command, report.outcome.stderr[-2000:])


def test_an_input_is_made_from_its_seed_and_number(tmp_path):
    def made(folder: str, seed: int) -> list[str]:
        (tmp_path / folder).mkdir()
        return hostile.made(seed, 7, tmp_path / folder)[0]

    assert made("a", 1) == made("b", 1) != made("c", 2)
    assert (tmp_path / "a" / "other").read_bytes() == (tmp_path / "b" / "other").read_bytes()


def test_every_verb_option_and_maker_is_tried():
    known, tried = hostile.DECLARED, set()
    chance = random.Random(0)
    for name, command in known.items():
        for _ in range(400):
            tried |= {(name, word) for word in hostile.options_of(command, 5, chance) if word.startswith("-")}
    expected = {
        (name, option.opts[0])
        for name, command in known.items()
        for option in command.params
        if option.param_type_name == "option" and option.opts[0] not in hostile.SKIPPED_OPTIONS
    }
    assert expected <= tried
    assert known.keys() == hostile.COMMANDS.keys()


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (Outcome(1, 1, 1, 1, b"", b"Traceback (most recent call last):\n"), "a traceback"),
        (Outcome(-11, 1, 1, 1, b"", b""), "status -11"),
        (Outcome(134, 1, 1, 1, b"", b"aborted"), "status 134"),
        (Outcome(2, 1, 1, 1, b"", b"\n"), "an error without a word"),
        (Outcome(0, 11, 1, 1, b"", b""), "11.0 s"),
        (Outcome(0, 1, 50, 1, b"", b""), "no end after 50 s"),
        (Outcome(2, 1, 1, 2500, b"", b"error"), "2500 MB"),
    ],
)
def test_the_watch_sees_each_fault(outcome, fault):
    assert list(outcome.faults()) == [fault]


def test_the_watch_measures_a_process(tmp_path, monkeypatch):
    program = tmp_path / "program"
    program.write_text(f"#!{sys.executable}\nx = bytearray(2**28)\nwhile sum(range(10**5)) and True: pass\n")
    program.chmod(0o755)
    (tmp_path / "other").touch()
    monkeypatch.setattr(hostile, "PROGRAMS", tmp_path)
    monkeypatch.setattr(hostile, "_LONGEST", 1.5)
    outcome = hostile.watched(["program"], tmp_path)
    assert (outcome.status, outcome.waited > 1.5, 256 < outcome.megabytes < 400) == (-9, True, True)
    assert outcome.seconds > 0.1


@pytest.mark.parametrize(
    ("program", "options"),
    [
        ("oracle", ["--workers", "1025"]),
        ("mbr", ["--samples", "1000000000000000000"]),
        ("correlate", ["--resamples", "1000000000000000000"]),
        ("tags", ["--trials", "1000000000000000000"]),
        ("tags", ["--rounds", "1000000000000000000"]),
        ("sweep", ["--nbest-sizes", "1,1e18"]),
        ("oracle", ["--nbest", "1000000000000000000"]),
        ("consensus", ["--workers", "9" * 30]),
    ],
)
def test_absurd_amounts_of_work_are_refused(program, options):
    done = run("latticemetric", program, MEETING[0], MEETING[1], *options)
    assert (done.status, done.stdout, "Traceback" in done.stderr) == (2, "", False)
    assert re.search(rf"error: {options[0]}: ", done.stderr)


@pytest.mark.parametrize(
    "more",
    [["--sample-sizes", "1e18"], ["--sample-sizes", "100,1e308"], ["--rounds", "1000000", "--sample-sizes", "1e308"]],
)
def test_absurd_samples_of_tags_are_refused(more):
    tables = [EXAMPLES / f"tide.{name}.tags" for name in ("gold", "gull", "wren")]
    done = run("latticemetric", "tags", *tables, "--sampling", *more)
    assert_one_line_error(done, "samples are too many for one error rate; draw at most 10000000 in all rounds together")


@pytest.mark.parametrize("place", ["local:9999999999", "slurm:99999999", "local:" + "9" * 5000])
def test_absurd_clusters_are_refused(place):
    done = oracle(*MEETING, "--cluster", place)
    assert_one_line_error(
        done, "too many for this machine; give at most|too many workers; give up to 10000|is not a cluster"
    )
    assert len(done.stderr) < 500 or "9" * 5000 in place


def test_what_may_never_end_is_read_up_to_a_limit(tmp_path):
    command = [*map(str, (hostile.PROGRAMS / "latticemetric", "info", "/dev/zero", "--from", "openfst"))]
    done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path)
    assert done.stderr.startswith(b"error: /dev/zero: more than 512 MB would be read at once")
