"""When a search does not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.memory import most_bytes, no_memory, over_budget


@contextmanager
def small_enough(advice: str | None = None) -> Iterator[None]:
    """Make a search that does not fit into memory an error of its graph.

    Args:
        advice: What helps where a kernel says what is too large.
    """
    try:
        yield
    except _native.TooLarge as error:
        raise InputError(str(error), advice=advice) from None
    except MemoryError:
        raise no_memory() from None


def require_memory(size: int) -> None:
    """Refuse what would take more bytes than one search may: OpenFst ends the process that has no memory for it."""
    most = most_bytes()
    if size > most:
        raise over_budget(most)
