"""Work for pools, and how to look at it."""

import os
import signal
import time
from pathlib import Path

from kit.patience import PATIENCE
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


def processor_seconds(pid: int) -> float:
    """The processor time of a process that lives, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def wait_for(condition, seconds: float = PATIENCE) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return bool(condition())


def told(question: object, error: InputError) -> str:
    return f"{question}: {error}"
