"""Run tasks in worker processes; return answers in order, with a limited number in progress.

Processes, not threads: native calls release the GIL, but each graph also needs some hundred microseconds of Python
code, which holds it. On 1000 lattices of 10,000 arcs, two threads were only a tenth faster than one. Also, a process
that searches a graph can be killed, a thread cannot.
"""

from __future__ import annotations

import os
import pickle
import selectors
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from latticemetric.errors import InputError, UsageError
from latticemetric.parallel import pickling
from latticemetric.parallel.process import Limits, Start, Started, Task, Worker, forked, started_program

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# More workers are not useful on any machine, or have to wait for processors.
_MOST_WORKERS, _MOST_A_PROCESSOR = 64, 4
# Sending a batch costs as much as a small lattice; questions with slow answers are sent one by one.
MOST_IN_BATCH = 16
BATCH_SECONDS = 0.02
# While all workers have enough tasks, let replies accumulate: waking up for each costs more than reading it.
_BREATH = 0.001
# Limits: questions of each worker in progress, answered or not; and bytes of all questions and answers.
_AHEAD = 128
_BYTES_AHEAD = 2**26


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def check_workers(number: int) -> None:
    """Raise an error if there are more workers than the machine can use, since each takes memory."""
    most = max(_MOST_WORKERS, _MOST_A_PROCESSOR * default_workers())
    if number > most:
        raise UsageError(f"{number} workers are too many for this machine", advice=f"give at most {most}")


class Window(ABC):
    """The tasks in progress, in order, for any kind of worker."""

    def __init__(self) -> None:
        self._under_way: deque[Task] = deque()
        self._again: deque[Task] = deque()

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None: ...

    def done(self, tasks: Iterator[Task]) -> Iterator[Task]:
        """Yield all tasks in order, when they are done."""
        while self._fill(tasks) or self._under_way:
            if not self._under_way[0].is_done:
                self._wait()
            while self._under_way and self._under_way[0].is_done:
                yield self._under_way.popleft()

    @abstractmethod
    def _fill(self, tasks: Iterator[Task]) -> bool:
        """Give tasks to workers that have few; return True if there was one."""

    @abstractmethod
    def _wait(self) -> None:
        """Wait until a task or a worker changes."""

    def _following(self, tasks: Iterator[Task], workers: int) -> Task | None:
        """Return the next task (tasks to repeat come first), or `None` if too much is in progress."""
        if self._again:
            return self._again.popleft()
        if self._under_way and (
            len(self._under_way) >= _AHEAD * workers or sum(task.size for task in self._under_way) >= _BYTES_AHEAD
        ):
            return None
        task = next(tasks, None)
        if task is not None:
            self._under_way.append(task)
        return task


def started(function: Any, memory: int | None, foreign: list[Connection]) -> Started:
    """Start a worker: a fork of this process or, if the process has other threads, a separate program.

    If another thread holds a lock during the fork (of a module that it is importing, for example), nothing releases the
    lock in the fork. So a process with other threads starts a program; it forks only if the function cannot be sent to
    a program. A fork starts in a few milliseconds, a program in a few hundred.
    """
    if not other_threads_live():
        return forked(function, memory, foreign)
    try:
        data = pickling.portable(function)
    except (pickle.PicklingError, AttributeError, TypeError):
        return forked(function, memory, foreign)
    if b"__main__" in data and sys.modules.get("cloudpickle") is None:  # the program could not import it
        return forked(function, memory, foreign)
    return started_program(data, memory, foreign)


def other_threads_live() -> bool:
    """Check whether this process has other Python threads."""
    return threading.active_count() > 1


class Pool(Window):
    """Processes and their tasks."""

    def __init__(self, function: Any, workers: int, limits: Limits, start: Start = started) -> None:
        super().__init__()
        self._function, self._limits, self._start = function, limits, start
        self._most = workers
        self._workers: list[Worker] = []
        self._replies = selectors.PollSelector()
        self._batch = 1
        self._is_over = False

    def __exit__(self, *_: object) -> None:
        self.kill()  # all at the same time: to free gigabytes takes time
        for worker in self._workers:
            worker.end()

    def kill(self) -> None:
        """Kill the processes (from any thread), and start no others."""
        self._is_over = True
        for worker in list(self._workers):
            worker.process.kill()

    def _fill(self, tasks: Iterator[Task]) -> bool:
        filled = False
        for worker in sorted(self._hired(), key=lambda worker: len(worker.tasks)):
            if len(worker.tasks) <= self._batch and (batch := self._next(tasks, worker)):
                worker.hand(batch)
                filled = True
        return filled

    def _hired(self) -> list[Worker]:
        """Start the missing workers, and return all workers."""
        new = []
        while len(self._workers) < self._most and not self._is_over:
            worker = Worker(self._function, self._limits, self._workers, self._start)
            self._workers.append(worker)
            self._replies.register(worker.replies, selectors.EVENT_READ, worker)
            new.append(worker)
        if self._is_over:
            self.kill()
            raise UsageError("this run has ended")
        for worker in new:  # they start at the same time
            worker.wait()
        return self._workers

    def _next(self, tasks: Iterator[Task], worker: Worker) -> list[Task]:
        """Return a batch for a worker; tasks of dead workers come first."""
        batch: list[Task] = []
        size = 0
        while len(batch) < self._batch and (task := self._following(tasks, self._most)) is not None:
            size += task.size
            if not worker.takes(size, together=bool(batch)):
                self._again.appendleft(task)
                break
            batch.append(task)
        return batch

    def _wait(self) -> None:
        """Wait until a worker replies, dies, or runs out of time."""
        began = time.monotonic()
        if all(len(worker.tasks) > MOST_IN_BATCH // 2 for worker in self._workers):
            time.sleep(_BREATH)
        ready = self._replies.select(self._left())
        undone = sum(len(worker.tasks) for worker in self._workers)
        for key, _ in ready:
            worker = key.data
            if not worker.collect():
                self._bury(worker)
            self._again.extend(worker.again)
            worker.again.clear()
        # Make batches larger while their answers are quick, and smaller while they are slow.
        seconds = time.monotonic() - began
        if seconds < BATCH_SECONDS and undone > sum(len(worker.tasks) for worker in self._workers):
            self._batch = min(MOST_IN_BATCH, self._batch + 1)
        elif seconds > 2 * BATCH_SECONDS:
            self._batch = max(1, self._batch // 2)
        timeout = self._limits.timeout
        if timeout is None:
            return
        for worker in list(self._workers):
            if worker.tasks and time.monotonic() >= worker.since + timeout:
                advice = "prune the graph, or allow more time: --timeout"
                worker.tasks.popleft().problem = InputError(
                    f"the search takes more than {timeout:g} seconds", advice=advice
                )
                self._dismiss(worker)

    def _left(self) -> float | None:
        """Return the seconds until the first worker runs out of time."""
        if self._limits.timeout is None:
            return None
        begun = [worker.since for worker in self._workers if worker.tasks]
        return max(0.0, min(begun) + self._limits.timeout - time.monotonic()) if begun else None

    def _bury(self, worker: Worker) -> None:
        """Remove a dead worker. Try its task once more, since the system kills processes if memory is short."""
        fatal = worker.tasks.popleft() if worker.tasks else None
        how = self._dismiss(worker)
        if fatal is None:
            return
        fatal.deaths += 1
        if fatal.deaths == 1:
            self._again.appendleft(fatal)
        else:
            fatal.problem = InputError(
                f"the worker process was {how} twice on this task", advice="perhaps there is too little memory for it"
            )

    def _dismiss(self, worker: Worker) -> str:
        """Stop a worker and leave its tasks to other workers; return how it ended."""
        self._workers.remove(worker)
        self._replies.unregister(worker.replies)
        self._again.extendleft(reversed(worker.tasks))
        return worker.end()
