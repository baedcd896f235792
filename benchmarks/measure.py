"""Measure time, memory and ratios reliably on a noisy machine: alternate runs, take medians and ratios of pairs."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple


class Run(NamedTuple):
    """One run of a command: wall seconds and the peak memory of its largest process, in megabytes."""

    seconds: float
    megabytes: float


# Runs a command from a small process: a process forked from a large one counts its memory, too.
_LAUNCHER = """
import os, subprocess, sys, time
begin = time.perf_counter()
process = subprocess.Popen(sys.argv[1], shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(status, time.perf_counter() - begin, usage.ru_maxrss / 1024)
"""


def run_command(command: str) -> Run:
    """Run a shell command, discard its output, and raise if it fails."""
    launched = subprocess.run(
        [sys.executable, "-S", "-E", "-c", _LAUNCHER, command], capture_output=True, text=True, check=True
    )
    status, seconds, megabytes = launched.stdout.split()
    if status != "0":
        raise RuntimeError(f"{command} failed")
    return Run(float(seconds), float(megabytes))


def time_call(
    function: Callable[[], object], at_least: float = 0.01, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return wall seconds per call: of one call, or the mean of as many as take ten milliseconds, as `timeit` does."""
    begin = clock()
    calls = 0
    while (seconds := clock() - begin) < at_least or not calls:
        function()
        calls += 1
    return seconds / calls


def cpu_of_call(function: Callable[[], object]) -> float:
    """Return CPU seconds per call, of all threads of the process, measured as `time_call` measures wall seconds."""
    return time_call(function, clock=time.process_time)


def cpu_time(function: Callable[[], object], runs: int = 9) -> float:
    """Return the CPU seconds of a call: the least of several runs, after a warm-up."""

    def once() -> float:
        begin = time.process_time()
        kept = function()
        seconds = time.process_time() - begin
        del kept  # freeing is not measured
        return seconds

    once()
    return min(once() for _ in range(runs))


class Comparison(NamedTuple):
    """Two things measured in turn (A B A B): their medians, and the median of the ratios B / A of successive runs."""

    ours: float
    theirs: float
    ratio: float


def compare(ours: Callable[[], float], theirs: Callable[[], float], runs: int = 5) -> Comparison:
    """Measure two functions in turn, after one warm-up of each."""
    ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(runs)]
    return Comparison(
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(b / a for a, b in pairs),
    )


def median_of(function: Callable[[], float], runs: int = 7) -> float:
    """Return the median of several runs, after one warm-up."""
    function()
    return statistics.median(function() for _ in range(runs))
