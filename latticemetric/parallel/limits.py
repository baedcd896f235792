"""Limits of a run: time and memory per task, the number of workers, and the size of batches of quick tasks."""

from __future__ import annotations

import os
from dataclasses import dataclass

from latticemetric.errors import InputError, UsageError

# The most workers: in all, or per processor if that gives more. Further workers would only wait for processors.
_MOST_WORKERS, _MOST_A_PROCESSOR = 64, 4
# Quick tasks are sent in batches, since sending takes as long as searching a small lattice; slow tasks one by one.
MOST_IN_BATCH = 16
BATCH_SECONDS = 0.02
_STATM = "/proc/self/statm"
_LONGEST = 366 * 86400.0


@dataclass(frozen=True)
class Limits:
    """Limits of time and memory per task; if a task exceeds a limit, it fails.

    Attributes:
        timeout: Seconds per task.
        memory: Bytes that the process may allocate after its start; Linux only.
        default_memory: Bytes to use if `memory` is `None`. This limit also works without a worker process.
    """

    timeout: float | None = None
    memory: int | None = None
    default_memory: int | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout <= _LONGEST:
            raise UsageError(f"the timeout is {self.timeout:g} seconds", advice="give more than 0, up to a year")
        if self.memory is not None and self.memory <= 0:
            raise UsageError(f"the memory is {self.memory} bytes", advice="give more than 0")
        if self.memory is not None and not os.path.exists(_STATM):  # noqa: PTH110  without pathlib
            raise UsageError("memory can be limited on Linux only", advice="leave max_memory=… out")

    def __bool__(self) -> bool:
        return self.timeout is not None or self.memory is not None

    @property
    def most_memory(self) -> int | None:
        """The memory limit per task in bytes: `memory`, or else `default_memory`; `None` for no limit."""
        return self.default_memory if self.memory is None else self.memory

    def too_slow(self) -> InputError:
        """Return the error for a task that took more time than it may."""
        what = f"the search takes more than {self.timeout:g} seconds"
        return InputError(what, advice="prune the graph, or allow more time: timeout=…")


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def check_workers(number: int) -> None:
    """Raise `UsageError` if this number of workers is too large for the machine: each worker takes memory."""
    most = max(_MOST_WORKERS, _MOST_A_PROCESSOR * default_workers())
    if number > most:
        raise UsageError(f"{number} workers are too many for this machine", advice=f"give at most {most}")
