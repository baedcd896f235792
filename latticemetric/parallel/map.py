"""Map a function over many tasks in order: in this process, in others or on a cluster; read tasks on demand."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from latticemetric.errors import InputError, UsageError
from latticemetric.memory import held
from latticemetric.parallel.limits import BATCH_SECONDS, MOST_IN_BATCH, Limits, check_workers

if TYPE_CHECKING:
    from distributed import Client

    from latticemetric.parallel.pickling import Packing
    from latticemetric.parallel.pool import Window

Question = TypeVar("Question")
Answer = TypeVar("Answer")

Workers: TypeAlias = "int | Client"
"""A number of processes, or the client of a Dask cluster."""


def raise_lost(_question: Any, error: InputError) -> Any:
    """Raise the error of a task that has no answer."""
    raise error


def map_in_order(
    function: Callable[[Question], Answer],
    questions: Iterable[Question],
    workers: Workers,
    *,
    lost: Callable[[Question, InputError], Answer] = raise_lost,
    limits: Limits | None = None,
    packing: Callable[[], Packing] | None = None,
) -> Generator[Answer]:
    """Yield the answers of tasks in order. Tasks and answers are pickled if other processes compute them.

    At most 128 tasks per worker and 64 MB of tasks and answers are in progress at any time. A task may keep bytes of
    files until there is an answer; if all tasks together keep 8 MB per worker, only idle workers get further tasks. If
    reading a task or computing its answer raises an error, all earlier answers are yielded first.

    Args:
        function: Computes the answer of a task. Forked processes do not need to pickle it.
        questions: The tasks; they are read on demand.
        workers: Number of processes, or a Dask client. For one worker, or for a few quick tasks, no process starts,
            unless `limits` has a `timeout` or `memory`.
        lost: Makes the answer of a task that exceeded a limit, or whose process was killed twice.
        limits: The limits per task.
        packing: Returns the object that pickles the tasks.
    """
    source = _Source(questions)
    limits = Limits() if limits is None else limits
    if isinstance(workers, int):
        yield from _answers_of_this_process(function, source, workers, limits)
    if source.has(1):
        # Import late: a command on one graph starts no process, and does not need these modules.
        from latticemetric.parallel.pickling import Packing
        from latticemetric.parallel.pool import Pool
        from latticemetric.parallel.process import WorkerTask

        window: Window
        if isinstance(workers, int):
            window = Pool(function, max(1, workers), limits)
        elif hasattr(workers, "get_executor"):
            from latticemetric.parallel.dask import Batches

            window = Batches(function, workers, limits)
        else:
            advice = "give a number of processes, or a distributed.Client of a Dask cluster"
            raise UsageError(f"{workers!r} is neither a number nor a Dask client", where="workers", advice=advice)
        with closing((packing or Packing)()) as opened, window:
            for task in window.done(WorkerTask(opened.pack(question), question, opened) for question in source):
                yield task.answer(lost)
    source.close()


def _answers_of_this_process(
    function: Callable[[Question], Answer], source: _Source[Question], workers: int, limits: Limits
) -> Iterator[Answer]:
    """Yield the answers of the tasks that this process computes itself.

    If there are limits, it computes no tasks. With one worker, or if the system cannot fork, it computes all tasks.
    Otherwise, it computes a few quick tasks.
    """
    check_workers(workers)
    can_fork = hasattr(os, "fork")
    if limits:
        if not can_fork:
            raise UsageError("limits of time and memory need an operating system with fork", advice="leave them out")
        return

    def limited(question: Question) -> Answer:
        with held(limits.default_memory):
            return function(question)

    answer = function if limits.default_memory is None else limited
    if workers <= 1 or not can_fork:
        yield from map(answer, source)
    until = time.monotonic() + BATCH_SECONDS
    while not source.has(MOST_IN_BATCH) and source.has(1) and time.monotonic() < until:
        yield answer(next(source))


class _Source(Generic[Question]):
    """Tasks, read on demand. If reading a task raises an error, `close` raises it after earlier tasks are answered."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._questions = iter(questions)
        self._taken: deque[Question] = deque()
        self._end: Exception | None = None

    def __iter__(self) -> _Source[Question]:
        return self

    def __next__(self) -> Question:
        if not self._taken and not self.has(1):
            raise StopIteration
        return self._taken.popleft()

    def has(self, number: int) -> bool:
        """Read ahead; return True if at least `number` more tasks exist."""
        while len(self._taken) < number and self._end is None:
            try:
                self._taken.append(next(self._questions))
            except Exception as end:  # noqa: BLE001  raised by `close`
                self._end = end
        return len(self._taken) >= number

    def close(self) -> None:
        """If reading a task raised an error, raise this error."""
        if self._end is not None and not isinstance(self._end, StopIteration):
            raise self._end
