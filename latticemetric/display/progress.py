"""A progress bar for runs over many items."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """Yield the items, with a progress bar if standard error is a terminal."""
    if (bar := progress_bar(total, what)) is None:
        yield from items
        return
    with bar:
        for item in items:
            yield item
            bar.update()


def progress_bar(total: int | None, what: str) -> Any:
    """Return a progress bar of `tqdm`; `None` if standard error is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # with tqdm's monitor thread, workers could not be forked
    return tqdm(total=total, unit=f" {what}", leave=False, file=sys.stderr)
