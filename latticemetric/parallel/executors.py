"""Questions answered by an executor, or by the workers of a Dask cluster: in order, memory bounded."""

from __future__ import annotations

import os
import pickle
import queue
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import TYPE_CHECKING, Any, Protocol, Self

from latticemetric.errors import InputError, LatticeMetricError, UsageError
from latticemetric.parallel import pickling
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.packing import Packing, packing
from latticemetric.parallel.process import Task
from latticemetric.parallel.remote import Answered, Manner, answer_batch
from latticemetric.parallel.window import Window
from latticemetric.signature import VERSION

if TYPE_CHECKING:
    from distributed import Client

# A batch takes about so long: short enough to share work well, long enough that handing it over does not count.
_SECONDS = 0.2
_MOST = 64
_BYTES = 2**20
# Batches of each worker: one that it works on, one that waits for it.
_BATCHES = 2
# Seconds after which workers are counted again, even if nobody has answered.
_PATIENCE = 5.0


class Answerer(Protocol):
    """Whoever works on batches.

    Attributes:
        apart: Whether each of them answers in a process of its own, limits or not.
    """

    apart: bool

    def submit(self, *batch: Any) -> Future[Answered]:
        """Has a batch answered."""

    def contents(self, needed: Collection[str], missing: Collection[str]) -> Mapping[str, Any]:
        """What goes with a batch: of the constants that it needs, those that are missing where it goes."""

    def slots(self) -> int:
        """How many batches are worked on at once."""

    def end(self, run: str) -> None:
        """The run is over."""


class _OfExecutor:
    """The threads or processes of an executor, which answer where they are."""

    apart = False

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, *batch: Any) -> Future[Answered]:
        try:
            return self._executor.submit(answer_batch, *batch)
        except BrokenExecutor as error:
            raise _told(error) from error
        except RuntimeError as error:
            raise UsageError(f"the executor takes no work ({error})") from error

    def contents(self, _needed: Collection[str], missing: Collection[str]) -> Mapping[str, Any]:
        """Whoever has not got a constant says so."""
        return {token: pickling.content(token) for token in missing}

    def slots(self) -> int:
        """What executors have to say of it, under one name or another."""
        for name in ("_max_workers", "num_workers"):
            if isinstance(number := getattr(self._executor, name, None), int) and number > 0:
                return number
        return os.cpu_count() or 1

    def end(self, run: str) -> None:
        """Processes that are left end by themselves."""


def answers_of_executor(
    function: Callable[[Any], Any],
    questions: Iterator[Any],
    workers: Executor | Client,
    lost: Callable[[Any, InputError], Any],
    limits: Limits,
) -> Iterator[Any]:
    """Answers in order.

    Raises:
        LatticeMetricError: The executor is broken, or the cluster is gone.
    """
    with packing() as opened, _Office(function, _answerer(workers), opened, limits) as office:
        for task in office.done(opened.tasks(questions)):
            yield task.answer(lost)


def _answerer(workers: Executor | Client) -> Answerer:
    if isinstance(workers, Executor):
        return _OfExecutor(workers)
    if hasattr(workers, "get_executor"):
        from latticemetric.parallel.dask import OfCluster

        return OfCluster(workers)
    raise UsageError(f"{workers!r} is no number, executor or Dask client", where="workers")


class _Office(Window):
    """Batches on their way."""

    def __init__(self, function: Callable[[Any], Any], answerer: Answerer, opened: Packing, limits: Limits) -> None:
        super().__init__()
        self._answerer = answerer
        self._manner = Manner(uuid.uuid4().hex, answerer.apart or bool(limits), limits, os.getcwd())  # noqa: PTH109
        self._function = opened.add(function)
        self._batches: dict[Future[Answered], list[Task]] = {}
        self._finished: queue.SimpleQueue[Future[Answered]] = queue.SimpleQueue()
        self._most = 1
        self._suspects: deque[Task] = deque()
        self._is_alone = False
        if self._manner.apart:
            _require_portable(self._function)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._batches:
            future.cancel()
        self._answerer.end(self._manner.run)

    def _fill(self, tasks: Iterator[Task]) -> bool:
        if self._suspects:
            return self._fill_with_suspect()
        slots = max(1, self._answerer.slots())  # workers that are gone may come back
        filled = False
        while len(self._batches) < _BATCHES * slots and (batch := self._next(tasks, slots)):
            self._submit(batch)
            filled = True
        return filled

    def _fill_with_suspect(self) -> bool:
        """What may have killed a worker is asked again while nobody else is: others are not to be blamed for it."""
        if self._batches:
            return False
        self._submit([self._suspects.popleft()])
        self._is_alone = True
        return True

    def _next(self, tasks: Iterator[Task], slots: int) -> list[Task]:
        """A batch."""
        batch: list[Task] = []
        size = 0
        while len(batch) < self._most and size < _BYTES and (task := self._following(tasks, slots)) is not None:
            batch.append(task)
            size += task.size
        return batch

    def _submit(self, batch: list[Task], missing: Collection[str] = ()) -> None:
        questions = [(task.data, task.needs) for task in batch]
        needed = {self._function}.union(*(task.needs for task in batch))
        contents = self._answerer.contents(needed, missing)
        future = self._answerer.submit(VERSION, self._manner, self._function, questions, contents)
        self._batches[future] = batch
        future.add_done_callback(self._finished.put)

    def _wait(self) -> None:
        try:
            self._take(self._finished.get(timeout=_PATIENCE))
        except queue.Empty:
            return  # there may be more workers by now, or none
        while not self._finished.empty():
            self._take(self._finished.get())

    def _take(self, future: Future[Answered]) -> None:
        batch = self._batches.pop(future)
        was_alone, self._is_alone = self._is_alone, False
        try:
            answered = future.result()
        except (Exception, CancelledError) as error:  # noqa: BLE001  whatever an executor raises
            self._failed(batch, error, was_alone=was_alone)
            return
        if answered.missing:
            self._submit(batch, answered.missing)
            self._is_alone = was_alone
            return
        self._judge_pace(len(batch), answered.seconds)
        for task, (reply, problem) in zip(batch, answered.replies, strict=True):
            task.problem = problem
            if reply is not None:
                task.answered(reply)
            if not task.is_done:
                self._again.append(task)

    def _judge_pace(self, answered: int, seconds: float) -> None:
        """Batches take about as long as they should."""
        wanted = int(answered * _SECONDS / max(seconds, 1e-6))
        self._most = max(1, min(wanted, 2 * self._most, _MOST))

    def _failed(self, batch: list[Task], error: BaseException, *, was_alone: bool) -> None:
        """A batch without replies, because workers died: whoever was asked then is suspected."""
        if type(error).__name__ != "KilledWorker":
            raise _told(error) from error
        if not was_alone:
            self._suspects.extend(batch)
            return
        batch[0].problem = InputError(
            "the workers of the cluster that worked on it died, one after the other",
            advice="perhaps there is too little memory for it",
        )


def _require_portable(function: str) -> None:
    try:
        pickling.content(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"what is asked cannot be sent to other processes ({error})",
            advice="define it at the top of a module, or install cloudpickle",
        ) from None


def _told(error: BaseException) -> BaseException:
    """What comes up: an executor that is lost is no graph's fault."""
    if isinstance(error, BrokenExecutor):
        return LatticeMetricError(
            f"the executor is broken ({error})",
            advice="a graph may have killed its process; with limits, or workers in place of an executor, others go on",
        )
    if isinstance(error, CancelledError):
        return LatticeMetricError("the work was cancelled, or the connection to the cluster is lost")
    return error
