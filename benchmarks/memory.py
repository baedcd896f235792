"""Sample the memory of a command and its processes while it runs, from /proc (Linux only)."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_MEGABYTE = 1024  # kB, as /proc has them
_EVERY = 0.25


class Sample(NamedTuple):
    """The memory at one moment.

    Attributes:
        seconds: Seconds since the start of the command.
        parent: RSS of the command itself, in megabytes.
        largest: RSS of its largest process, in megabytes.
        together: PSS of all its processes, in megabytes; PSS counts shared memory once.
    """

    seconds: float
    parent: float
    largest: float
    together: float


def sampled(start: Callable[[], subprocess.Popen[bytes]]) -> list[Sample]:
    """Run a command, sample its memory four times a second, and raise if it fails."""
    began = time.perf_counter()
    process = start()
    samples = []
    while process.poll() is None:
        held = [found for pid in _family(process.pid) if (found := _held(pid)) is not None]
        if held and held[0][0]:
            rss, pss = zip(*held, strict=True)
            samples.append(Sample(time.perf_counter() - began, rss[0], max(rss), sum(pss)))
        try:
            process.wait(_EVERY)
        except subprocess.TimeoutExpired:
            continue
    if process.returncode:
        raise RuntimeError(f"{process.args!r} failed")
    return samples


def _family(pid: int) -> list[int]:
    """Return a process and its children."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        children = []
    return [pid, *map(int, children)]


def _held(pid: int) -> tuple[float, float] | None:
    """Return RSS and PSS of a process, in megabytes; nothing if it has ended."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return None
    rss, pss = (
        int(found[1]) if (found := re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)) else 0
        for name in ("Rss", "Pss")
    )
    return rss / _MEGABYTE, pss / _MEGABYTE
