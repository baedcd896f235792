"""A process that answers questions, and what it says of those that it cannot answer."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import struct
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from latticemetric.batch import constants
from latticemetric.batch.limits import hold_memory
from latticemetric.batch.pickling import pickled
from latticemetric.errors import InputError, LatticeMetricError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from latticemetric.batch.packing import Packed, Packing

# What a pipe takes in without anybody reading it, less than which a busy worker can be sent without waiting for it.
_SMALL = 2**15
# Of replies, at most so much is taken in at once. Before each stands its length.
_PIECE = 2**20
_LENGTH = struct.Struct("<Q")
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


ELSEWHERE = b""
"""The reply to a question that stands in a file which is not there."""


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
        since: When it began with the first of its tasks.

    Args:
        function: What answers, as `start` takes it.
        memory: Bytes it may use beyond what it has at its beginning.
        others: Workers that live already, whose pipes are not for this one.
        start: How its process is made.
    """

    def __init__(self, function: Any, memory: int | None, others: Iterable[Worker], start: Start) -> None:
        started = start(function, memory, [pipe for other in others for pipe in other.pipes])
        self._process, self._outbox, self.replies = started.process, started.outbox, started.replies
        self._knows = set(started.knows)
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

    def hand(self, tasks: Iterable[Task]) -> None:
        """Gives it work, which follows the work that it has."""
        batch = list(tasks)
        if not self.tasks:
            self.since = time.monotonic()
        self.tasks.extend(batch)
        new = {token: constants.content(token) for task in batch for token in task.needs - self._knows}
        self._knows.update(new)
        with contextlib.suppress(OSError):  # it is dead; who reads its replies will find that out
            self._outbox.send_bytes(pickle.dumps((new, [task.data for task in batch]), pickle.HIGHEST_PROTOCOL))

    def collect(self) -> bool:
        """Takes in the replies that are there, all in one go; false if the worker is dead."""
        data = os.read(self.replies.fileno(), _PIECE)
        self._unread += data
        begin = 0
        while (end := self._end_of_reply(begin)) <= len(self._unread):
            self._take(bytes(self._unread[begin + _LENGTH.size : end]))
            begin = end
        if begin:
            del self._unread[:begin]
            self.since = time.monotonic()
        return bool(data)

    def _take(self, reply: bytes) -> None:
        task = self.tasks.popleft()
        task.answered(reply)
        if not task.is_done:
            self.again.append(task)

    def _end_of_reply(self, begin: int) -> int:
        if len(self._unread) < begin + _LENGTH.size:
            return begin + _LENGTH.size
        return begin + _LENGTH.size + int(_LENGTH.unpack_from(self._unread, begin)[0])

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


class Process(Protocol):
    """What a worker is, seen from its parent."""

    @property
    def exitcode(self) -> int | None:
        """How it ended; negative: the signal that killed it."""

    def kill(self) -> None:
        """Ends it."""

    def join(self) -> None:
        """Waits until it has ended."""


class Started(NamedTuple):
    """A process, the parent's ends of its pipes, and the constants that it knows from the beginning."""

    process: Process
    outbox: Connection
    replies: Connection
    knows: frozenset[str]


Start: TypeAlias = "Callable[[Any, int | None, list[Connection]], Started]"
"""Makes a process that answers by a function, or by what the function was pickled to."""


@contextlib.contextmanager
def _held_back() -> Iterator[None]:
    """Signals that end a run wait: a process that is just born would do with them what its parent does."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def forked(function: Callable[[Any], Any], memory: int | None, foreign: list[Connection]) -> Started:
    """A copy of this process: the function need not be picklable."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    inbox, our_outbox = context.Pipe(duplex=False)
    our_inbox, outbox = context.Pipe(duplex=False)
    not_its_own = [our_outbox, our_inbox, *foreign]
    process = context.Process(
        target=_be_forked, args=(function, memory, inbox, outbox, not_its_own), name="latticemetric worker", daemon=True
    )
    with _held_back():
        process.start()
    inbox.close()
    outbox.close()
    return Started(process, our_outbox, our_inbox, constants.known())


def _be_forked(
    function: Callable[[Any], Any],
    memory: int | None,
    inbox: Connection,
    outbox: Connection,
    foreign: Iterable[Connection],
) -> None:
    for pipe in foreign:
        pipe.close()
    serve(function, memory, inbox, outbox)


def serve(function: Callable[[Any], Any], memory: int | None, inbox: Connection, outbox: Connection) -> None:
    """A worker's life."""
    # Such signals reach all processes of a terminal or of a job; the parent decides what becomes of them, and with it
    # its workers end.
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    batches: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(inbox, batches), daemon=True).start()
    replies = open(outbox.fileno(), "wb")  # noqa: SIM115, PTH123  as long as the process
    new: dict[str, bytes] | None = None
    while True:
        if memory is not None and (new is None or new):
            hold_memory(memory)
        new, questions = pickle.loads(batches.get())  # noqa: S301  our own parent wrote it
        if new:
            constants.learn(new)
            for token in new:
                constants.constant(token)
        for data in questions:
            reply = reply_to(function, data)
            try:
                replies.write(_LENGTH.pack(len(reply)))
                replies.write(reply)
                replies.flush()
            except OSError:  # nobody is there to read it
                os._exit(0)


def _receive(inbox: Connection, batches: queue.SimpleQueue[bytes]) -> None:
    """Reads while the worker works, so that its parent never waits; ends the worker when the parent is gone."""
    try:
        while True:
            batches.put(inbox.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)


def reply_to(function: Callable[[Any], Any], data: bytes) -> bytes:
    """An answer, an error and whether the error is of this question alone, pickled."""
    try:
        question = pickle.loads(data)  # noqa: S301  our own parent wrote it
    except OSError:  # it travels as a place in a file
        return ELSEWHERE
    try:
        return constants.packed_reply((function(question), None, False))
    except MemoryError:
        return _pickled(InputError("there is not enough memory for it"), is_lost=True)
    except Exception as error:  # noqa: BLE001  it comes up where the answers are read
        return _pickled(error, is_lost=False)


def _pickled(error: Exception, *, is_lost: bool) -> bytes:
    """An error, with where it arose if it is none of ours; what cannot be pickled is told in words."""
    if not isinstance(error, LatticeMetricError):
        error.add_note("in a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        data = pickled((None, error, is_lost))
        pickle.loads(data)  # noqa: S301  some errors can be written, and not read
    except Exception:  # noqa: BLE001  whatever a stranger's class does
        told = RuntimeError(f"{type(error).__name__}: {error}")
        told.add_note("\n".join(getattr(error, "__notes__", [])))
        data = pickled((None, told, is_lost))
    return data
