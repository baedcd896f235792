"""Run tasks in worker processes; yield them in order when they are done, with a limited number in progress.

Workers are processes, not threads: a process can be killed during a search, and if a search crashes, only its process
ends. On two processors, with lattices of 10,000 arcs, threads would be as fast. With more processors, threads would be
slower: native calls release the GIL, but each graph also needs a few hundred microseconds of Python code, which holds
the GIL.
"""

from __future__ import annotations

import pickle
import selectors
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from latticemetric.errors import InputError, UsageError
from latticemetric.memory import over_budget
from latticemetric.parallel import pickling
from latticemetric.parallel.limits import BATCH_SECONDS, MOST_IN_BATCH, Limits
from latticemetric.parallel.process import (
    Start,
    Started,
    Worker,
    WorkerTask,
    forked,
    started_program,
    too_many_processes,
)

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# While all workers have enough tasks, let replies accumulate for these seconds: to wake up costs more than to read one.
_SECONDS_BETWEEN_READS = 0.001
# Limits on tasks in progress (sent or answered, but not yet yielded): tasks per worker, bytes of tasks and replies, and
# bytes of files per worker that tasks hold until they are answered. Reading takes a quarter longer if the processor's
# cache cannot hold these bytes.
_MOST_IN_PROGRESS = 128
_BYTES_IN_PROGRESS = 2**26
_HELD_PER_WORKER = 2**23

# The advice for a task during which workers died.
MEMORY_ADVICE = "it may need more memory: use fewer workers, or prune the graph"


class Window(ABC):
    """The tasks in progress, in order; subclasses send them to processes or to a cluster."""

    def __init__(self) -> None:
        self._in_progress: deque[WorkerTask] = deque()
        self._bytes = 0  # of tasks and replies in progress
        self._held = 0  # bytes of files
        self._to_repeat: deque[WorkerTask] = deque()

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None: ...

    def done(self, tasks: Iterator[WorkerTask]) -> Iterator[WorkerTask]:
        """Yield all tasks in order, when they are done."""
        while self._filled(tasks) or self._in_progress:
            if not self._in_progress[0].is_done:
                self._wait()
            while self._in_progress and self._in_progress[0].is_done:
                yield self._in_progress.popleft()

    def _filled(self, tasks: Iterator[WorkerTask]) -> bool:
        # Replies have changed the sizes.
        self._bytes = sum(task.size for task in self._in_progress)
        self._held = sum(task.held for task in self._in_progress)
        return self._fill(tasks)

    @abstractmethod
    def _fill(self, tasks: Iterator[WorkerTask]) -> bool:
        """Send tasks to workers that have few; return True if a task was sent."""

    @abstractmethod
    def _wait(self) -> None:
        """Wait until a reply comes, a worker dies, or some time has passed."""

    def _next_task(self, tasks: Iterator[WorkerTask], workers: int, *, is_urgent: bool) -> WorkerTask | None:
        """Return the next task (tasks to repeat come first), or `None` if too much is in progress.

        `is_urgent` is true for an idle worker: it gets a task even if tasks hold too many bytes of files.
        """
        if self._to_repeat:
            return self._to_repeat.popleft()
        if self._in_progress and (
            len(self._in_progress) >= _MOST_IN_PROGRESS * workers
            or self._bytes >= _BYTES_IN_PROGRESS
            or (self._held >= _HELD_PER_WORKER * workers and not is_urgent)
        ):
            return None
        task = next(tasks, None)
        if task is not None:
            self._in_progress.append(task)
            self._bytes += task.size
            self._held += task.held
        return task


def started(function: Any, memory: int | None, foreign: list[Connection]) -> Started:
    """Start a worker: a fork of this process, or a separate program.

    Start a program if this process has other threads, or is itself a worker of `multiprocessing`. If another thread
    holds a lock during a fork (while it imports a module, for example), nothing releases that lock in the fork. If the
    function cannot be sent to a program, fork nevertheless. A fork starts in a few milliseconds, a program in a few
    hundred.

    Args:
        function: Computes the answer of a task.
        memory: Bytes that the worker may allocate after its start; `None` for no limit.
        foreign: Pipes of other workers; a fork has to close these pipes.
    """
    if not other_threads_live() and not _is_worker_of_multiprocessing():
        return forked(function, memory, foreign)
    try:
        data = pickling.portable(function)
    except (pickle.PicklingError, AttributeError, TypeError):
        return forked(function, memory, foreign)
    if b"__main__" in data and sys.modules.get("cloudpickle") is None:  # a program cannot import the user's script
        return forked(function, memory, foreign)
    return started_program(data, memory, foreign)


def _is_worker_of_multiprocessing() -> bool:
    """Return True in a worker of `multiprocessing.Pool`; such a worker must not fork through `multiprocessing`."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.current_process().daemon


def other_threads_live() -> bool:
    """Return True if this process has other Python threads."""
    return threading.active_count() > 1


class Pool(Window):
    """Worker processes of this machine, and the tasks in progress."""

    def __init__(
        self, function: Any, workers: int, limits: Limits, start: Start = started, *, replies_together: bool = True
    ) -> None:
        super().__init__()
        self._function, self._limits, self._start = function, limits, start
        # With limits, each task has its own reply: it shows when the next task began, and which task exceeded a limit.
        self._replies_together = replies_together and not limits
        self._most = workers
        self._workers: list[Worker] = []
        self._replies = selectors.PollSelector()
        self._batch = 1
        self._is_over = False

    def __exit__(self, *_: object) -> None:
        self.kill()  # first kill all, then wait: a process needs time to free gigabytes
        for worker in self._workers:
            worker.end()

    def kill(self) -> None:
        """Kill the processes, and start no new processes. Any thread may call this."""
        self._is_over = True
        for worker in list(self._workers):
            worker.process.kill()

    def _fill(self, tasks: Iterator[WorkerTask]) -> bool:
        filled = False
        for worker in sorted(self._all_workers(), key=lambda worker: len(worker.tasks)):
            if len(worker.tasks) <= self._batch and (batch := self._next_batch(tasks, worker)):
                worker.hand(batch)
                filled = True
        return filled

    def _all_workers(self) -> list[Worker]:
        """Start the missing workers, and return all workers."""
        new = []
        while len(self._workers) < self._most and not self._is_over:
            worker = Worker(
                self._function, self._limits, self._workers, self._start, replies_together=self._replies_together
            )
            self._workers.append(worker)
            self._replies.register(worker.replies, selectors.EVENT_READ, worker)
            new.append(worker)
        if self._is_over:
            self.kill()
            raise UsageError("this run has ended")
        for worker in new:  # they start at the same time
            worker.wait()
        return self._workers

    def _next_batch(self, tasks: Iterator[WorkerTask], worker: Worker) -> list[WorkerTask]:
        """Return the next batch for a worker, or an empty list.

        Tasks to repeat come first. A task that may have killed a worker is alone in its batch.
        """
        batch: list[WorkerTask] = []
        size = 0
        while len(batch) < self._batch:
            task = self._next_task(tasks, self._most, is_urgent=not batch and not worker.tasks)
            if task is None:
                break
            size += task.size
            if (batch and task.is_suspect) or not worker.takes(size, together=bool(batch)):
                self._to_repeat.appendleft(task)
                break
            batch.append(task)
            if task.is_suspect:
                break
        return batch

    def _wait(self) -> None:
        """Wait until a worker replies, dies, or exceeds the timeout."""
        began = time.monotonic()
        if all(len(worker.tasks) > MOST_IN_BATCH // 2 for worker in self._workers):
            time.sleep(_SECONDS_BETWEEN_READS)
        ready = self._replies.select(self._seconds_left())
        workers, answered = len(self._workers), 0
        for key, _ in ready:
            worker = key.data
            undone = len(worker.tasks)
            is_alive = worker.collect()
            answered += undone - len(worker.tasks)
            if not is_alive:
                self._remove_dead(worker)
            self._to_repeat.extend(worker.again)
            worker.again.clear()
        if answered > 0:
            self._adapt(self._batch * workers * (time.monotonic() - began) / answered)
        timeout = self._limits.timeout
        if timeout is None:
            return
        for worker in list(self._workers):
            if worker.tasks and time.monotonic() >= worker.since + timeout:
                worker.tasks.popleft().lose(self._limits.too_slow())
                self._remove(worker)

    def _adapt(self, seconds: float) -> None:
        """Make batches larger if a worker computes a batch in few `seconds`, and smaller if the worker is slow."""
        if seconds < BATCH_SECONDS:
            self._batch = min(MOST_IN_BATCH, 2 * self._batch)
        elif seconds > 2 * BATCH_SECONDS:
            self._batch = max(1, self._batch // 2)

    def _seconds_left(self) -> float | None:
        """Return the seconds until the first worker exceeds the timeout; `None` without a timeout or tasks."""
        if self._limits.timeout is None:
            return None
        begun = [worker.since for worker in self._workers if worker.tasks]
        return max(0.0, min(begun) + self._limits.timeout - time.monotonic()) if begun else None

    def _remove_dead(self, worker: Worker) -> None:
        """Remove a dead worker; repeat its current task once, since the system kills processes if memory is short.

        If the worker replies to several tasks at once, it may have died during any of these tasks: repeat each task
        alone.
        """
        suspects = list(islice(worker.tasks, worker.batches[0] if worker.batches else 0))
        is_certain = len(suspects) == 1 or (suspects and not self._replies_together)
        fatal = worker.tasks.popleft() if is_certain else None
        how = self._remove(worker)
        if fatal is None:
            for task in suspects:
                task.is_suspect = True
            return
        fatal.deaths += 1
        if fatal.deaths == 1:
            self._to_repeat.appendleft(fatal)
        elif worker.lacks_memory and self._limits.most_memory is not None:
            fatal.lose(over_budget(self._limits.most_memory))
        else:
            fatal.lose(InputError(f"the worker process {how} twice on this task", advice=MEMORY_ADVICE))

    def _remove(self, worker: Worker) -> str:
        """Stop a worker and leave its tasks to other workers; return a text that says how the worker ended."""
        self._workers.remove(worker)
        self._replies.unregister(worker.replies)
        self._to_repeat.extendleft(reversed(worker.tasks))
        how = worker.end()
        if worker.lacks_thread:
            raise too_many_processes()
        return how
