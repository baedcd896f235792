"""Runs of every verb that resumes, killed at random: what the last one writes is what one that nobody kills writes.

One kill a case in the tests, ten under `HYPOTHESIS_PROFILE=deep` (`make deep`): 200 in all.
"""

import os
import random
import re
import subprocess
import time
from pathlib import Path

import pytest
from kit.commands import PROGRAMS, good, run
from kit.many_graphs import data

KILLS = 10 if os.environ.get("HYPOTHESIS_PROFILE") == "deep" else 1
GRAPHS = 400
LATTICES, REFERENCES = "lats.txt", "refs.txt"
COMMANDS = {
    "oracle": ("lattice-oracle", LATTICES, REFERENCES, "--nbest", 2, "--format", "json", "--output", "out"),
    "oracle, lattices": (
        *("lattice-oracle", LATTICES, REFERENCES, "--metric", "wer"),
        *("--write-lattices", "all.kaldi", "--output", "out"),
    ),
    "convert": ("latticemetric", "convert", LATTICES, "out.kaldi"),
    "consensus": (
        *("latticemetric", "consensus", LATTICES, "--format", "json"),
        *("--write-lattices", "networks.kaldi", "--output", "out"),
    ),
    "mbr": ("latticemetric", "mbr", LATTICES, "--posterior-scale", "0.5,1", "--format", "tsv", "--output", "out"),
    "posteriors": ("latticemetric", "posteriors", LATTICES, "--of", "ngrams", "--format", "json", "--output", "out"),
    "posteriors, lattices": (
        *("latticemetric", "posteriors", LATTICES, "--of", "arcs"),
        *("--write-lattices", "all.kaldi", "--output", "out"),
    ),
    "sweep": (
        *("latticemetric", "sweep", LATTICES, REFERENCES, "--beams", "1,2", "--nbest-sizes", "1,5"),
        *("--format", "json", "--output", "out"),
    ),
    "info": ("latticemetric", "info", LATTICES, "--format", "json", "--output", "out"),
    "tags": ("latticemetric", "tags", "--from-lattices", LATTICES, REFERENCES, "--format", "json", "--output", "out"),
}


@pytest.fixture(params=["words", "numbers"])
def folder(request, tmp_path):
    """Lattices and references, spelled or not."""
    for path in data(tmp_path, GRAPHS):
        if request.param == "numbers":
            path.write_text(re.sub(r" w([0-9]+)", lambda word: f" {int(word[1]) + 1}", path.read_text()))
    return tmp_path


def started(folder: Path, command: tuple[object, ...]) -> subprocess.Popen[bytes]:
    program, *arguments = map(str, (*command, "--resume", "--workers", 2))
    full = [str(PROGRAMS / program), *arguments]
    return subprocess.Popen(full, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finished(folder: Path, command: tuple[object, ...]) -> dict[str, bytes]:
    """Return the output of a run that is not killed; it removes its files."""
    program, *arguments = (*command, "--resume", "--workers", 2)
    good(run(program, *arguments, cwd=folder))
    written = {path.name: path for path in folder.iterdir() if path.name not in {LATTICES, REFERENCES}}
    contents = {name: path.read_bytes() for name, path in written.items()}
    for path in written.values():
        path.unlink()
    return contents


def kill(folder: Path, command: tuple[object, ...], seconds: float) -> None:
    """Kills a run after so long, unless it ends before."""
    process = started(folder, command)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_run_that_is_killed_writes_what_others_write(command, folder):
    began = time.monotonic()
    undisturbed = finished(folder, command)
    seconds = time.monotonic() - began
    assert undisturbed, "there is something to compare"
    assert not any(name.endswith((".journal", ".part")) for name in undisturbed)
    seed = random.randrange(2**32)
    print(f"seed {seed}, undisturbed {seconds:.2f} s")  # noqa: T201  pytest shows it where the test fails
    draw, left = random.Random(seed), KILLS
    while left:
        in_a_row = draw.randint(1, min(2, left))
        for _ in range(in_a_row):
            kill(folder, command, draw.uniform(0.2, 1.0) * seconds)
        left -= in_a_row
        assert finished(folder, command) == undisturbed
