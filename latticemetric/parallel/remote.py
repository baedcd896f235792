"""What runs where others answer: in a thread or process of an executor, or in a worker of a cluster."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from latticemetric.errors import InputError, UsageError
from latticemetric.parallel import pickling
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.packing import Packed
from latticemetric.parallel.pool import Pool
from latticemetric.parallel.process import Task
from latticemetric.parallel.serving import reply_to
from latticemetric.signature import VERSION

# A process that nobody has needed for so long ends: who asked may be gone without a word.
_IDLE_SECONDS = 60.0
_MOST_ENDED = 1000

Question = tuple[bytes, frozenset[str]]
Reply = tuple[bytes | None, InputError | None]


class Answered(NamedTuple):
    """What became of a batch.

    Attributes:
        missing: Tokens that are not known here: the batch has to be sent again with what they stand for.
        seconds: How long it took.
        replies: To each question the pickled reply, or why there is none.
    """

    missing: frozenset[str]
    seconds: float
    replies: list[Reply]


class Manner(NamedTuple):
    """How questions are answered.

    Attributes:
        run: The run that they are of.
        apart: Whether in a process of their own, which can be killed.
        limits: What one may take; they are held in processes of their own only.
        folder: Where the one who asks works.
    """

    run: str
    apart: bool
    limits: Limits
    folder: str


def answer_batch(
    version: str, manner: Manner, function: str, questions: Sequence[Question], contents: Mapping[str, bytes]
) -> Answered:
    """Answers some questions, one after the other.

    Args:
        version: Of who asks.
        manner: How.
        function: The token of what answers.
        questions: Each pickled, and the tokens that it needs.
        contents: What some tokens stand for.

    Raises:
        UsageError: There is another version here.
    """
    if version != VERSION:
        raise UsageError(
            f"a worker has latticemetric {VERSION}, and this is {version}", advice="install the same version there"
        )
    pickling.learn(contents)
    missing = frozenset({function}.union(*(needs for _, needs in questions))) - pickling.known()
    if missing:
        return Answered(missing, 0.0, [])
    began = time.monotonic()
    replies = _apart(manner, function, questions) if manner.apart else _here(function, questions)
    return Answered(frozenset(), time.monotonic() - began, replies)


def _here(function: str, questions: Iterable[Question]) -> list[Reply]:
    answer = pickling.constant(function)
    return [(reply_to(answer, data), None) for data, _ in questions]


def _apart(manner: Manner, function: str, questions: Iterable[Question]) -> list[Reply]:
    with _POOLS.one_of(manner, function) as pool:
        # A question that cannot be read where it stands is sent again by who has it.
        tasks = (Task(Packed(*question)) for question in questions)
        return [(task.reply, task.problem) for task in pool.done(tasks)]


def end_run(run: str) -> None:
    """Ends all processes here that work for a run."""
    _POOLS.end(run)


class _Pools:
    """Processes that answer apart, each for one thread at a time; kept from one batch of a run to the next."""

    def __init__(self) -> None:
        self._idle: dict[str, list[tuple[Pool, threading.Timer]]] = {}
        self._busy: dict[str, list[Pool]] = {}
        self._ended: deque[str] = deque(maxlen=_MOST_ENDED)
        self._lock = threading.Lock()

    @contextmanager
    def one_of(self, manner: Manner, function: str) -> Iterator[Pool]:
        """A process of a run, for as long as the caller needs it."""
        pool = self._taken(manner.run) or self._made(manner, function)
        with self._lock:
            self._busy.setdefault(manner.run, []).append(pool)
        try:
            yield pool
        except BaseException:
            pool.__exit__()
            raise
        else:
            self._put_back(manner.run, pool)
        finally:
            with self._lock:
                self._busy[manner.run].remove(pool)

    def end(self, run: str) -> None:
        """No process of this run is needed any more."""
        with self._lock:
            self._ended.append(run)
            idle, busy = self._idle.pop(run, []), self._busy.get(run, [])
            for pool in busy:
                pool.kill()
        for pool, timer in idle:
            timer.cancel()
            pool.__exit__()

    def _taken(self, run: str) -> Pool | None:
        with self._lock:
            if not self._idle.get(run):
                return None
            pool, timer = self._idle[run].pop()
        timer.cancel()
        return pool

    def _made(self, manner: Manner, function: str) -> Pool:
        return Pool(pickling.content(function), 1, manner.limits, partial(self._start, manner))

    def _start(self, manner: Manner, *given: Any) -> Any:
        from latticemetric.parallel.serving import started_apart

        started = None if manner.run in self._ended else started_apart(*given, folder=manner.folder)
        if started is None or manner.run in self._ended:  # it may have ended meanwhile
            if started is not None:
                started.process.kill()
                started.process.join()
            raise UsageError("this run is over")
        return started

    def _put_back(self, run: str, pool: Pool) -> None:
        timer = threading.Timer(_IDLE_SECONDS, self._end_idle, (run, pool))
        timer.daemon = True
        with self._lock:
            is_over = run in self._ended
            if not is_over:
                self._idle.setdefault(run, []).append((pool, timer))
        if is_over:
            pool.__exit__()
        else:
            timer.start()

    def _end_idle(self, run: str, pool: Pool) -> None:
        with self._lock:
            kept = [pair for pair in self._idle.get(run, []) if pair[0] is not pool]
            was_idle = len(kept) < len(self._idle.get(run, []))
            self._idle[run] = kept
        if was_idle:
            pool.__exit__()


_POOLS = _Pools()
