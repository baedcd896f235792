"""A progress bar for runs over many items."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """Yield the items, with a progress bar if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # with tqdm's monitor thread, workers could not be forked
    yield from tqdm(items, total=total, unit=f" {what}", leave=False, file=sys.stderr)
