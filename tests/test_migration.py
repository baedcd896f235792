"""Every command that is said to replace another tool's runs, on bundled data."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit.forks import search_path
from kit.paths import ROOT

import latticemetric as lm

PAGE = ROOT / "docs" / "migration.md"
PROGRAMS = Path(sys.executable).parent


def commands():
    """The commands in the second columns of the tables, with the line of each."""
    found = []
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), start=1):
        cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) == 5 and (code := re.fullmatch(r"`((?:lattice-oracle|latticemetric) .+)`", cells[2])):
            found.append(pytest.param(code[1], id=f"line {number}"))
    return found


def needs(command):
    """What the machine may lack: OpenFst for grammars, WordNet for METEOR."""
    if "--normalize" in command:
        pytest.importorskip("pynini")
    if "meteor" in command:
        from latticemetric.metrics.wordnet import wordnet

        try:
            wordnet()
        except lm.MissingDependencyError as error:
            pytest.skip(str(error))


@pytest.mark.parametrize("command", commands())
def test_what_replaces_a_command_runs(command, tmp_path):
    needs(command)
    shutil.copytree(ROOT / "examples" / "data", tmp_path / "data")
    environment = {**os.environ, "PATH": search_path(PROGRAMS)}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=tmp_path / "data",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = re.search(r" -o (\S+)$", command)
    assert done.stdout or "written to" in done.stderr or (tmp_path / "data" / written[1]).stat().st_size, command


def test_the_tables_have_commands():
    assert len(commands()) > 40
