"""How long one graph may take, and how much memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from latticemetric.errors import UsageError

_STATM = Path("/proc/self/statm")
_LONGEST = 366 * 86400.0


@dataclass(frozen=True)
class Limits:
    """What a graph may take; one that takes more is one that failed.

    Attributes:
        timeout: Seconds.
        memory: Bytes, beyond what the program needs by itself; Linux only.
        default_memory: The same where nobody chose a limit. It takes no process of its own.
    """

    timeout: float | None = None
    memory: int | None = None
    default_memory: int | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout <= _LONGEST:
            raise UsageError(f"the timeout is {self.timeout:g} seconds", advice="give more than 0, up to a year")
        if self.memory is not None and self.memory <= 0:
            raise UsageError(f"the memory is {self.memory} bytes", advice="give more than 0")
        if self.memory is not None and not _STATM.exists():
            raise UsageError("memory can be limited on Linux only", advice="leave --max-memory out")

    def __bool__(self) -> bool:
        return self.timeout is not None or self.memory is not None

    @property
    def most_memory(self) -> int | None:
        """Bytes that a graph may take, chosen or not."""
        return self.default_memory if self.memory is None else self.memory
