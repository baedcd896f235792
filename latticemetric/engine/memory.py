"""When a search does not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from latticemetric import _native
from latticemetric.errors import InputError


@contextmanager
def small_enough(advice: str | None = None) -> Iterator[None]:
    """What does not fit into memory is said as an error of the input, with advice against what is known to be large."""
    try:
        yield
    except _native.TooLarge as error:
        raise InputError(str(error), advice=advice) from None
    except MemoryError:
        general = "prune the graph, or shorten the reference"
        raise InputError("the search does not fit into memory", advice=advice or general) from None
