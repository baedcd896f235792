"""Work for pools, and how to look at it."""

import os
import signal
import time
from pathlib import Path

from latticemetric import InputError


def heavy(number: int) -> str:
    if number == 3:
        time.sleep(60)
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return str(number)


def living(pids: set[int]) -> set[int]:
    """Those processes that are neither gone nor ended."""
    found = set()
    for pid in pids:
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
            found.add(pid)
    return found


def wait_for(condition, seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return bool(condition())


def told(question: object, error: InputError) -> str:
    return f"{question}: {error}"
