"""Work on many graphs at once, answers in the order of the questions, memory bounded."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Question = TypeVar("Question")
Answer = TypeVar("Answer")

_AHEAD = 4


def default_workers() -> int:
    """As many as there are processors for us."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def map_in_order(
    function: Callable[[Question], Answer], questions: Iterable[Question], workers: int
) -> Iterator[Answer]:
    """Answers in order, from threads: parsing and searching let other threads run.

    No more than a few questions a worker are under way, however many there are. An error of the questions, or of an
    answer, comes up when its turn has come.
    """
    remaining = iter(questions)
    first = list(islice(remaining, 2))
    if workers <= 1 or len(first) < 2:  # noqa: PLR2004  one question needs no threads
        yield from map(function, chain(first, remaining))
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        under_way: deque[Future[Answer]] = deque()
        try:
            for question in chain(first, remaining):
                under_way.append(pool.submit(function, question))
                if len(under_way) >= _AHEAD * workers:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
