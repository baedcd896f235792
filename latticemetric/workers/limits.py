"""How long one graph may take, and how much memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from latticemetric.errors import UsageError

_STATM = Path("/proc/self/statm")
_DATA_PAGES = 5
# The kernel takes no larger number, and no machine has as much.
_MOST = 2**62
_LONGEST = 366 * 86400.0


@dataclass(frozen=True)
class Limits:
    """What a graph may take; one that takes more is one that failed.

    Attributes:
        timeout: Seconds.
        memory: Bytes, beyond what the program needs by itself; Linux only.
    """

    timeout: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout <= _LONGEST:
            raise UsageError(f"the timeout is {self.timeout:g} seconds", advice="give more than 0, up to a year")
        if self.memory is not None and self.memory <= 0:
            raise UsageError(f"the memory is {self.memory} bytes", advice="give more than 0")
        if self.memory is not None and not _STATM.exists():
            raise UsageError("memory can be limited on Linux only", advice="leave --max-memory out")

    def __bool__(self) -> bool:
        return self.timeout is not None or self.memory is not None


def hold_memory(beyond: int) -> None:
    """Lets this process have so many bytes beyond those that it has; what asks for more gets a `MemoryError`.

    Data are counted, and not addresses: allocators reserve far more of these than they use.
    """
    import resource

    has = int(_STATM.read_text().split()[_DATA_PAGES]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = min(has + beyond, _MOST)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))
