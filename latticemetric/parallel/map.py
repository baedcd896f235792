"""An ordered map over many questions: read as needed, and answered in this process, in others or on a cluster."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from latticemetric.errors import InputError, UsageError
from latticemetric.memory import held
from latticemetric.parallel.pickling import Packing
from latticemetric.parallel.pool import BATCH_SECONDS, MOST_IN_BATCH, Pool, check_workers
from latticemetric.parallel.process import Limits, Task

if TYPE_CHECKING:
    from distributed import Client

    from latticemetric.parallel.dask import Batches

Question = TypeVar("Question")
Answer = TypeVar("Answer")

Workers: TypeAlias = "int | Client"
"""A number of processes, or the client of a Dask cluster."""


def raise_lost(_question: Any, error: InputError) -> Any:
    """Raise the error of a question that has no answer."""
    raise error


def map_in_order(
    function: Callable[[Question], Answer],
    questions: Iterable[Question],
    workers: Workers,
    *,
    lost: Callable[[Question, InputError], Answer] = raise_lost,
    limits: Limits | None = None,
    packing: Callable[[], Packing] = Packing,
) -> Iterator[Answer]:
    """Yield answers in order; questions and answers are pickled.

    At most 128 questions per worker, and at most 64 MB of questions and answers, are in progress at any time. An error
    of the questions, or of an answer, is raised in its turn.

    Args:
        function: Answers a question. In forked processes, it need not be picklable.
        questions: The questions; they are read as needed.
        workers: Number of processes, or a Dask client. No process is started for one worker without limits, or for a
            few questions with quick answers.
        lost: Returns the answer to a question that failed: its process was killed twice, or it reached a limit.
        limits: The limits of one question.
        packing: Returns the object that pickles the questions.
    """
    source = _Source(questions)
    limits = Limits() if limits is None else limits
    if isinstance(workers, int):
        yield from _answered_here(function, source, workers, limits)
    if source.has(1):
        with closing(packing()) as opened, _window(function, workers, limits) as window:
            for task in window.done(Task(opened.pack(question), question, opened) for question in source):
                yield task.answer(lost)
    source.close()


def _answered_here(
    function: Callable[[Question], Answer], source: _Source[Question], workers: int, limits: Limits
) -> Iterator[Answer]:
    """Answer all questions that do not need another process."""
    check_workers(workers)
    can_fork = hasattr(os, "fork")
    if limits and not can_fork:
        raise UsageError("limits need processes that can be forked", advice="leave them out")
    if not limits:
        yield from map(_limited(function, limits.default_memory), _few(source) if workers > 1 and can_fork else source)


def _window(function: Callable[[Any], Any], workers: Any, limits: Limits) -> Pool | Batches:
    if isinstance(workers, int):
        return Pool(function, max(1, workers), limits)
    if not hasattr(workers, "get_executor"):
        advice = "give a number of processes, or a distributed.Client of a Dask cluster"
        raise UsageError(f"{workers!r} is not a number and not a Dask client", where="workers", advice=advice)
    from latticemetric.parallel.dask import Batches

    return Batches(function, workers, limits)


def _limited(function: Callable[[Question], Answer], memory: int | None) -> Callable[[Question], Answer]:
    """Return a function that runs within a limit of memory."""

    def answer(question: Question) -> Answer:
        with held(memory):
            return function(question)

    return function if memory is None else answer


def _few(source: _Source[Question]) -> Iterator[Question]:
    """Yield all questions if they are few, and only while their answers are quick."""
    until = time.monotonic() + BATCH_SECONDS
    while not source.has(MOST_IN_BATCH) and source.has(1) and time.monotonic() < until:
        yield next(source)


class _Source(Generic[Question]):
    """Questions, read as needed; an error among them is raised after the questions before it are answered."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._questions = iter(questions)
        self._taken: deque[Question] = deque()
        self._error: Exception | None = None

    def __iter__(self) -> _Source[Question]:
        return self

    def __next__(self) -> Question:
        return self._taken.popleft() if self._taken else self._read()

    def _read(self) -> Question:
        if self._error is not None:
            raise StopIteration
        try:
            return next(self._questions)
        except StopIteration:
            raise
        except Exception as error:  # noqa: BLE001  raised by `close`
            self._error = error
            raise StopIteration from None

    def has(self, number: int) -> bool:
        """Read ahead, and return True if at least `number` more questions exist."""
        while len(self._taken) < number:
            try:
                self._taken.append(self._read())
            except StopIteration:
                return False
        return True

    def close(self) -> None:
        """Raise the error, if there was one."""
        if self._error is not None:
            raise self._error
