"""Kernels compute what their definitions say; `driver.cpp` runs the tests, without Python."""

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "build" / "kernels"


def test_kernels_compute_what_their_definitions_say():
    if not (FOLDER / "CMakeCache.txt").exists() or shutil.which("ctest") is None:
        pytest.skip("no tests of kernels are built; run `make kernels`")
    subprocess.run(["cmake", "--build", FOLDER, "--parallel", "2"], check=True)
    subprocess.run(["ctest", "--test-dir", FOLDER, "--output-on-failure"], check=True)
