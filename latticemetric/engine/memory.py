"""When a search does not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from latticemetric import _native
from latticemetric.errors import InputError


@contextmanager
def small_enough() -> Iterator[None]:
    """What does not fit into memory is said as an error of the input."""
    try:
        yield
    except _native.TooLarge as error:
        raise InputError(str(error)) from None
    except MemoryError:
        advice = "prune the graph, or shorten the reference"
        raise InputError("the search does not fit into memory", advice=advice) from None
