"""Processes that answer questions: as their parent sees them, and from inside."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from latticemetric.errors import InputError
from latticemetric.parallel import pickling
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.serving import ELSEWHERE, LENGTH, Start

if TYPE_CHECKING:
    from latticemetric.parallel.packing import Packed, Packing


# ---- A process that answers questions, as its parent sees it ----

# What a pipe takes in without anybody reading it, less than which a busy worker can be sent without waiting for it.
_SMALL = 2**15
# Of replies, at most so much is taken in at once.
_PIECE = 2**20


class Task:
    """One question on its way through a worker.

    Attributes:
        question: As it was asked.
        data: The same, pickled, until it is answered.
        needs: Tokens of what its data need besides.
        size: Of what is kept of it: the question, pickled, and the reply.
        reply: What a worker said, pickled.
        problem: Why there will be no reply.
        deaths: How many workers died of it.
    """

    __slots__ = ("_packing", "data", "deaths", "needs", "problem", "question", "reply", "size")

    def __init__(self, packed: Packed, question: Any = None, packing: Packing | None = None) -> None:
        """Takes a question as it travels and, where somebody else does not have it, the question itself."""
        self.question, self._packing = question, packing
        self.data: bytes | None = packed.data
        self.needs = packed.needs
        self.size = len(packed.data)
        self.reply: bytes | None = None
        self.problem: InputError | None = None
        self.deaths = 0

    @property
    def is_done(self) -> bool:
        """Whether its answer, or that there is none, is known."""
        return self.reply is not None or self.problem is not None

    def answered(self, reply: bytes) -> None:
        """Takes the reply in; a question that cannot be read where it stands will be asked again, whole."""
        if reply == ELSEWHERE and self._packing is not None:
            self.data, self.needs = self._packing.pack(self.question, whole=True)
            self.size = len(self.data)
        else:
            # What was asked is kept until its turn: it may be that it has to be told why there is no answer.
            self.reply, self.data = reply, None
            self.size += len(reply)

    def answer(self, lost: Callable[[Any, InputError], Any]) -> Any:
        """The answer; what `lost` makes of a question that has none.

        Raises:
            Exception: What the worker raised.
        """
        if self.problem is not None:
            return lost(self.question, self.problem)
        assert self.reply is not None
        value, error, is_lost = pickle.loads(self.reply)  # noqa: S301  our own worker wrote it
        if error is None:
            return value
        if is_lost:
            return lost(self.question, error)
        raise error


class Worker:
    """A process that answers what it is handed, one question after the other.

    It ends as soon as nobody is there to hand it anything, even while it answers: a parent that is killed leaves no
    process behind.

    Attributes:
        replies: Where it answers.
        tasks: What it has been handed, and has not answered.
        again: Of these what has to be asked again.
        since: When it was heard of last, or was given work when it had none.
        wait: Waits until it is ready.

    Args:
        function: What answers, as `start` takes it.
        limits: What a question may take.
        others: Workers that live already, whose pipes are not for this one.
        start: How its process is made.
    """

    def __init__(self, function: Any, limits: Limits, others: Iterable[Worker], start: Start) -> None:
        started = start(function, limits.most_memory, [pipe for other in others for pipe in other.pipes])
        self._process, self._outbox, self.replies = started.process, started.outbox, started.replies
        self.wait = started.wait
        self._knows = set(started.knows)
        self._is_limited = limits.memory is not None
        self.tasks: deque[Task] = deque()
        self.again: list[Task] = []
        self.since = 0.0
        self._unread = bytearray()

    @property
    def pipes(self) -> tuple[Connection, Connection]:
        """The parent's ends of its pipes."""
        return self._outbox, self.replies

    def takes(self, size: int) -> bool:
        """Whether so many bytes can be handed over now without waiting for the worker to read them."""
        return not self.tasks or size <= _SMALL

    def takes_together(self, size: int) -> bool:
        """Whether so many bytes of several questions can be: of limited memory, each may take all that there is."""
        return size <= _SMALL or not (self.tasks or self._is_limited)

    def hand(self, tasks: Iterable[Task]) -> None:
        """Gives it work, which follows the work that it has."""
        batch = list(tasks)
        if not self.tasks:
            self.since = time.monotonic()
        self.tasks.extend(batch)
        new = {token: pickling.content(token) for task in batch for token in task.needs - self._knows}
        self._knows.update(new)
        with contextlib.suppress(OSError):  # it is dead; who reads its replies will find that out
            self._outbox.send_bytes(pickle.dumps((new, [task.data for task in batch]), pickle.HIGHEST_PROTOCOL))

    def collect(self) -> bool:
        """Takes in the replies that are there, all in one go; false if the worker is dead."""
        data = os.read(self.replies.fileno(), _PIECE)
        if data:  # it has finished something, however long it waited for us to read all of it
            self.since = time.monotonic()
        self._unread += data
        begin = 0
        while (end := self._end_of_reply(begin)) <= len(self._unread):
            self._take(bytes(self._unread[begin + LENGTH.size : end]))
            begin = end
        if begin:
            del self._unread[:begin]
        return bool(data)

    def _take(self, reply: bytes) -> None:
        task = self.tasks.popleft()
        task.answered(reply)
        if not task.is_done:
            self.again.append(task)

    def _end_of_reply(self, begin: int) -> int:
        if len(self._unread) < begin + LENGTH.size:
            return begin + LENGTH.size
        return begin + LENGTH.size + int(LENGTH.unpack_from(self._unread, begin)[0])

    def kill(self) -> None:
        """Ends the process, and nothing else."""
        self._process.kill()

    def end(self) -> str:
        """Kills it; tells how it ended if it had done so by itself."""
        self._process.kill()
        self._process.join()
        self._outbox.close()
        self.replies.close()
        status = self._process.exitcode or 0
        return f"killed by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
