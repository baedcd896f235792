"""Work on many graphs at once, answers in the order of the questions, memory bounded.

Processes, not threads: between the native calls, which let other threads run, each graph takes some hundreds of
microseconds of Python, which do not. Measured on 1000 lattices of 10,000 arcs with two workers, threads gained a tenth.
And a process can be killed: no thread that searches a graph can be.
"""

from __future__ import annotations

import os
import pickle
import selectors
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from latticemetric.errors import InputError, UsageError
from latticemetric.memory import held
from latticemetric.parallel import pickling
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.process import Task, Worker
from latticemetric.parallel.serving import Start, Started, forked
from latticemetric.parallel.window import Source, Window

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from distributed import Client

Question = TypeVar("Question")
Answer = TypeVar("Answer")

# More are of no use on any machine, or have to wait for processors.
_MOST_WORKERS, _MOST_A_PROCESSOR = 64, 4
# Handing one batch over costs as much as a small lattice; one that takes long enough by itself needs no company.
_BATCH = 16
_BATCH_SECONDS = 0.02
# While all workers have enough to do, replies may gather: to be woken for each costs more than to read it.
_BREATH = 0.001

Workers: TypeAlias = "int | Executor | Client"
"""Who answers: so many processes of our own, an executor, or the workers of a Dask cluster."""


def default_workers() -> int:
    """As many as there are processors for us."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def check_workers(number: int) -> None:
    """Refuses more processes than do any good: each takes memory, and thousands take the machine.

    Raises:
        UsageError: They are too many.
    """
    most = max(_MOST_WORKERS, _MOST_A_PROCESSOR * default_workers())
    if number > most:
        raise UsageError(f"{number} workers are too many for this machine", advice=f"give at most {most}")


def raise_lost(_question: Any, error: InputError) -> Any:
    """What becomes of a question without an answer, if nothing else does."""
    raise error


def map_in_order(
    function: Callable[[Question], Answer],
    questions: Iterable[Question],
    workers: Workers,
    *,
    lost: Callable[[Question, InputError], Answer] = raise_lost,
    limits: Limits | None = None,
) -> Iterator[Answer]:
    """Answers in order, from whoever works; questions and answers are pickled.

    No more than some questions a worker, and no more than 64 MB of all of them, are under way, however many there are.
    An error of the questions, or of an answer, comes up when its turn has come.

    Args:
        function: Answers a question. For our own processes it need not be picklable, as far as they are forked.
        questions: Taken from where they come as they are needed.
        workers: How many processes; or an executor, or a Dask client. One worker without limits, or few questions that
            are answered at once, need no process.
        lost: Makes the answer to a question that has none: its process was killed twice, or a limit was reached.
        limits: What one question may take.
    """
    source = Source(questions)
    limits = Limits() if limits is None else limits
    if not isinstance(workers, int):
        from latticemetric.parallel.executors import answers_of_executor

        yield from answers_of_executor(function, source, workers, lost, limits)
    else:
        yield from _answers_of_processes(function, source, workers, lost, limits)
    source.close()


def _answers_of_processes(
    function: Callable[[Question], Answer],
    source: Source[Question],
    workers: int,
    lost: Callable[[Question, InputError], Answer],
    limits: Limits,
) -> Iterator[Answer]:
    check_workers(workers)
    if not hasattr(os, "fork"):
        if limits:
            raise UsageError("limits need processes that can be forked", advice="leave them out")
        workers = 1
    if not limits:
        yield from map(_held(function, limits.default_memory), source if workers <= 1 else _few(source))
    if source.has(1):
        from latticemetric.parallel.packing import packing

        with packing() as opened, Pool(function, max(1, workers), limits) as pool:
            for task in pool.done(opened.tasks(source)):
                yield task.answer(lost)


def _held(function: Callable[[Question], Answer], memory: int | None) -> Callable[[Question], Answer]:
    """The function, which may take so many bytes."""

    def answer(question: Question) -> Answer:
        with held(memory):
            return function(question)

    return function if memory is None else answer


def started(function: Any, memory: int | None, foreign: list[Connection]) -> Started:
    """Starts a worker: a copy of this process or, where other threads live, a program of its own.

    A copy has one thread, and the locks that other threads held are never released there: of a module that one of them
    was importing, for example. So it is made only if there are no others, or if the function cannot be sent to a
    program. A copy is there in a few milliseconds, a program in a few hundred.
    """
    data = _portable(function) if other_threads_live() else None
    if data is None:
        return forked(function, memory, foreign)
    from latticemetric.parallel.serving import started_apart

    return started_apart(data, memory, foreign)


def other_threads_live() -> bool:
    """Check for threads of Python besides this one."""
    return threading.active_count() > 1


def _portable(function: Any) -> bytes | None:
    """A function for another program; nothing if that could not import it."""
    try:
        data = pickling.portable(function)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    travels_by_value = sys.modules.get("cloudpickle") is not None
    return data if travels_by_value or b"__main__" not in data else None


def _few(source: Source[Question]) -> Iterator[Question]:
    """All questions if they are few, as long as they are answered at once."""
    until = time.monotonic() + _BATCH_SECONDS
    while not source.has(_BATCH) and source.has(1) and time.monotonic() < until:
        yield next(source)


class Pool(Window):
    """Processes, and the questions that are under way."""

    def __init__(self, function: Any, workers: int, limits: Limits, start: Start = started) -> None:
        super().__init__()
        self._function, self._limits, self._start = function, limits, start
        self._most = workers
        self._workers: list[Worker] = []
        self._replies = selectors.PollSelector()
        self._batch = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()  # all of them at once: to take gigabytes away takes time
        for worker in self._workers:
            worker.end()

    def kill(self) -> None:
        """Kills the processes; who waits for their answers will find that out."""
        for worker in self._workers:
            worker.kill()

    def _fill(self, tasks: Iterator[Task]) -> bool:
        """Hands tasks to workers that have little to do; whether any were there."""
        filled = False
        for worker in sorted(self._hired(), key=lambda worker: len(worker.tasks)):
            if len(worker.tasks) <= self._batch and (batch := self._next(tasks, worker)):
                worker.hand(batch)
                filled = True
        return filled

    def _hired(self) -> list[Worker]:
        """Workers, as many as there may be."""
        new = []
        while len(self._workers) < self._most:
            worker = Worker(self._function, self._limits, self._workers, self._start)
            self._workers.append(worker)
            self._replies.register(worker.replies, selectors.EVENT_READ, worker)
            new.append(worker)
        for worker in new:  # they begin at the same time
            worker.wait()
        return self._workers

    def _next(self, tasks: Iterator[Task], worker: Worker) -> list[Task]:
        """A batch for a worker: first what another one died of, or left undone."""
        batch: list[Task] = []
        size = 0
        while len(batch) < self._batch and (task := self._following(tasks, self._most)) is not None:
            size += task.size
            if not (worker.takes_together(size) if batch else worker.takes(size)):
                self._again.appendleft(task)
                break
            batch.append(task)
        return batch

    def _wait(self) -> None:
        """Until a worker has said something, has died, or has had its time."""
        began = time.monotonic()
        if all(len(worker.tasks) > _BATCH // 2 for worker in self._workers):
            time.sleep(_BREATH)
        ready = self._replies.select(self._left())
        undone = sum(len(worker.tasks) for worker in self._workers)
        for key, _ in ready:
            worker = key.data
            if not worker.collect():
                self._bury(worker)
            self._again.extend(worker.again)
            worker.again.clear()
        self._judge_pace(time.monotonic() - began, undone - sum(len(worker.tasks) for worker in self._workers))
        self._stop_late()

    def _left(self) -> float | None:
        """Seconds until the first worker has had its time."""
        if self._limits.timeout is None:
            return None
        begun = [worker.since for worker in self._workers if worker.tasks]
        return max(0.0, min(begun) + self._limits.timeout - time.monotonic()) if begun else None

    def _judge_pace(self, seconds: float, answered: int) -> None:
        """Batches grow while they are answered at once, and shrink while they are not."""
        if seconds < _BATCH_SECONDS and answered:
            self._batch = min(_BATCH, self._batch + 1)
        elif seconds > 2 * _BATCH_SECONDS:
            self._batch = max(1, self._batch // 2)

    def _stop_late(self) -> None:
        """Kills who has had its time; its question has no answer."""
        timeout = self._limits.timeout
        if timeout is None:
            return
        for worker in list(self._workers):
            if worker.tasks and time.monotonic() >= worker.since + timeout:
                worker.tasks.popleft().problem = InputError(f"it takes more than {timeout:g} seconds")
                self._dismiss(worker)

    def _bury(self, worker: Worker) -> None:
        """Replaces a dead worker. What it died of is tried once more: the system kills where memory is short."""
        fatal = worker.tasks.popleft() if worker.tasks else None
        how = self._dismiss(worker)
        if fatal is None:
            return
        fatal.deaths += 1
        if fatal.deaths == 1:
            self._again.appendleft(fatal)
        else:
            fatal.problem = InputError(
                f"the process that worked on it was twice {how}", advice="perhaps there is too little memory for it"
            )

    def _dismiss(self, worker: Worker) -> str:
        """Ends a worker; others do what it leaves undone."""
        self._workers.remove(worker)
        self._replies.unregister(worker.replies)
        self._again.extendleft(reversed(worker.tasks))
        return worker.end()
