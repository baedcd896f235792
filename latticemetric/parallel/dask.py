"""Compute answers on the workers of a Dask cluster, in batches of tasks; repeat the tasks of workers that die."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import queue
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from latticemetric.errors import InputError, LatticeMetricError, UsageError
from latticemetric.metrics.signature import VERSION
from latticemetric.parallel import pickling
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.pickling import Packed
from latticemetric.parallel.pool import MEMORY_ADVICE, Pool, Window
from latticemetric.parallel.process import Reply, WorkerTask, started_program

if TYPE_CHECKING:
    from distributed import Client

# Wanted seconds of a batch: short, to share the work evenly; but long, compared to the time for sending the batch.
_SECONDS = 0.2
_MOST_IN_BATCH = 64
_BYTES_OF_BATCH = 2**20
# Batches of each worker's thread: one in progress, one waiting.
_BATCHES_PER_THREAD = 2
# Seconds to wait for a reply before the workers are counted again: workers may join and leave.
_SECONDS_TO_WAIT = 5.0
_SECONDS_BETWEEN_COUNTS = 2.0


class _ClusterRun(NamedTuple):
    """The settings of a run: its unique name, the limits per task, and the working folder of the client."""

    name: str
    limits: Limits
    folder: str


class Batches(Window):
    """The tasks in progress on a cluster; each thread of a worker computes one batch of them at a time.

    Raises:
        UsageError: The function cannot be pickled.
    """

    def __init__(self, function: Callable[[Any], Any], client: Client, limits: Limits) -> None:
        super().__init__()
        self._run = _ClusterRun(uuid.uuid4().hex, limits, os.getcwd())  # noqa: PTH109
        self._client = client
        self._executor = client.get_executor(pure=False)
        try:
            self._function = pickling.portable(function)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UsageError(
                f"the function cannot be sent to other processes ({error})",
                advice="define it at the top of a module, or install cloudpickle",
            ) from None
        self._sent: dict[str, Any] = {}
        self._threads = 0
        self._counted = float("-inf")
        self._batches: dict[Future[_Replies], list[WorkerTask]] = {}
        self._finished: queue.SimpleQueue[Future[_Replies]] = queue.SimpleQueue()
        self._most = 1
        self._suspects: deque[WorkerTask] = deque()
        self._is_alone = False

    def __exit__(self, *_: object) -> None:
        for future in self._batches:
            future.cancel()
        with contextlib.suppress(Exception):  # workers or the scheduler may have ended
            self._client.run(end_run, self._run.name, on_error="ignore")

    def _fill(self, tasks: Iterator[WorkerTask]) -> bool:
        if self._suspects:
            # This task may have killed a worker: repeat it alone, so that no other task is blamed.
            if not self._batches:
                self._submit([self._suspects.popleft()])
                self._is_alone = True
            return self._is_alone
        if time.monotonic() > self._counted + _SECONDS_BETWEEN_COUNTS:  # workers may join and leave
            before, self._threads = self._threads, sum(self._client.nthreads().values())
            self._counted = time.monotonic()
            if before and not self._threads:
                logging.getLogger("latticemetric").warning("all workers of the cluster have left; waiting for others")
        threads = max(1, self._threads)  # lost workers may come back
        filled = False
        while len(self._batches) < _BATCHES_PER_THREAD * threads:
            batch: list[WorkerTask] = []
            size = 0
            while len(batch) < self._most and size < _BYTES_OF_BATCH:
                task = self._next_task(tasks, threads, is_urgent=not batch and len(self._batches) < threads)
                if task is None:
                    break
                batch.append(task)
                size += task.size
            if not batch:
                break
            self._submit(batch)
            filled = True
        return filled

    def _submit(self, batch: list[WorkerTask]) -> None:
        questions = [(task.data, task.needs) for task in batch]
        constants = {token: self._data(token, pickling.content) for task in batch for token in task.needs}
        function = self._data("function", lambda _: self._function)
        future = self._executor.submit(answer_batch, VERSION, self._run, function, questions, constants)
        self._batches[future] = batch
        future.add_done_callback(self._finished.put)

    def _data(self, name: str, content: Callable[[str], bytes]) -> Any:
        """Return the future of the data with this name. Each worker fetches the data only once."""
        # Send the data again if all workers that held them have died.
        if name not in self._sent or self._sent[name].status not in {"pending", "finished"}:
            self._sent[name] = self._client.submit(_identity, content(name), pure=False)
        return self._sent[name]

    def _wait(self) -> None:
        try:
            self._take(self._finished.get(timeout=_SECONDS_TO_WAIT))
        except queue.Empty:
            return  # to count the workers again
        while not self._finished.empty():
            self._take(self._finished.get())

    def _take(self, future: Future[_Replies]) -> None:
        batch = self._batches.pop(future)
        was_alone, self._is_alone = self._is_alone, False
        try:
            replies, seconds = future.result()
        except CancelledError as error:
            raise LatticeMetricError("the task was cancelled, or the connection to the cluster was lost") from error
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise
            if was_alone:
                batch[0].lose(InputError("several workers of the cluster died during this task", advice=MEMORY_ADVICE))
            else:
                self._suspects.extend(batch)
            return
        wanted = int(len(batch) * _SECONDS / max(seconds, 1e-6))
        self._most = max(1, min(wanted, 2 * self._most, _MOST_IN_BATCH))
        for task, (reply, problem) in zip(batch, replies, strict=True):
            if problem is not None:
                task.lose(problem)
            if reply is not None:
                task.take(Reply(reply), size=len(reply))
            if not task.is_done:
                self._to_repeat.append(task)


def _identity(content: bytes) -> bytes:
    return content


# ---- In a worker of the cluster: each of its threads starts a separate process for each run ----

# A process ends after this number of seconds without a task: the client may have died.
_IDLE_SECONDS = 60.0
# Remember the names of this many runs that have ended.
_MOST_ENDED = 1000

# A pickled task, and the tokens of the constants that it needs.
Question = tuple[bytes, frozenset[str]]


class _Replies(NamedTuple):
    """For each task, its pickled reply or an error in place of the reply; also the seconds of the whole batch."""

    replies: list[tuple[bytes | None, InputError | None]]
    seconds: float


def answer_batch(
    version: str, run: _ClusterRun, function: bytes, questions: Sequence[Question], constants: Mapping[str, bytes]
) -> _Replies:
    """Compute the answers of pickled tasks in order; raise `UsageError` if the client has another version."""
    if version != VERSION:
        raise UsageError(
            f"a worker of the cluster has latticemetric {VERSION}, but this machine has {version}",
            advice="install the same version on both",
        )
    pickling.learn(constants)
    began = time.monotonic()
    with _pool(run, function) as pool:
        # If a task's file is missing here, the reply says so, and the client sends the task again with all data.
        tasks = (WorkerTask(Packed(*question)) for question in questions)
        done = [(None if task.reply is None else task.reply.data, task.problem) for task in pool.done(tasks)]
    return _Replies(done, time.monotonic() - began)


class _ThreadPool(Pool):
    """A pool of one worker process, used by one thread in one run."""

    def __init__(self, run: _ClusterRun, function: bytes) -> None:
        start = partial(started_program, folder=run.folder, patience=_IDLE_SECONDS)
        super().__init__(function, 1, run.limits, start, replies_together=False)
        self.lock = threading.Lock()
        self.used = time.monotonic()


_lock = threading.Lock()
_pools: dict[tuple[str, int], _ThreadPool] = {}
_ended: deque[str] = deque(maxlen=_MOST_ENDED)


@contextlib.contextmanager
def _pool(run: _ClusterRun, function: bytes) -> Iterator[Pool]:
    """Yield the pool of this thread and run; the pool is kept between batches, since starting a process is slow."""
    key = run.name, threading.get_ident()
    with _lock:
        if run.name in _ended:
            raise UsageError("this run has ended")
        if (
            key in _pools and time.monotonic() > _pools[key].used + _IDLE_SECONDS / 2
        ):  # its idle process may end at any time
            _pools.pop(key).__exit__()
        if key not in _pools:
            _pools[key] = _ThreadPool(run, function)
        pool = _pools[key]
        pool.lock.acquire()
    is_good = False
    try:
        yield pool
        is_good = True
    finally:
        with _lock:
            pool.used = time.monotonic()
            pool.lock.release()
            if run.name in _ended or not is_good:
                _pools.pop(key, None)
                pool.__exit__()


def end_run(name: str) -> None:
    """Stop all processes of a run in this worker of the cluster; the run can then start no new processes here."""
    with _lock:
        _ended.append(name)
        for key in [key for key in _pools if key[0] == name]:
            _pools[key].kill()
            if not _pools[key].lock.locked():  # otherwise, the thread that uses it stops it
                _pools.pop(key).__exit__()
