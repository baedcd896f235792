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
from typing import TYPE_CHECKING, Any

from latticemetric.batch.limits import hold_memory
from latticemetric.errors import InputError, LatticeMetricError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# What a pipe takes in without anybody reading it, less than which a busy worker can be sent without waiting for it.
_SMALL = 2**15
# Of replies, at most so much is taken in at once. Before each stands its length.
_PIECE = 2**20
_LENGTH = struct.Struct("<Q")
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Task:
    """One question on its way through a worker.

    Attributes:
        question: As it was asked.
        data: The same, pickled, until it is answered.
        size: Of what is kept of it: the pickled question, then the reply.
        reply: What a worker said, pickled.
        problem: Why there will be no reply.
        deaths: How many workers died of it.
    """

    __slots__ = ("data", "deaths", "problem", "question", "reply", "size")

    def __init__(self, question: Any) -> None:
        self.question = question
        self.data: bytes | None = pickle.dumps(question, pickle.HIGHEST_PROTOCOL)
        self.size = len(self.data)
        self.reply: bytes | None = None
        self.problem: InputError | None = None
        self.deaths = 0

    @property
    def is_done(self) -> bool:
        """Whether its answer, or that there is none, is known."""
        return self.reply is not None or self.problem is not None

    def answered(self, reply: bytes) -> None:
        """Takes the reply in; the pickled question is of no use any more."""
        self.reply, self.data, self.size = reply, None, len(reply)

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
    """A forked process that answers what it is handed, one question after the other.

    It ends as soon as nobody is there to hand it anything, even while it answers: a parent that is killed leaves no
    process behind.

    Args:
        function: What answers; it need not be picklable.
        memory: Bytes it may use beyond what it has at its beginning.
        others: Workers that live already, whose pipes are not for this one.
    """

    def __init__(self, function: Callable[[Any], Any], memory: int | None, others: Iterable[Worker]) -> None:
        import multiprocessing

        context = multiprocessing.get_context("fork")
        inbox, self._outbox = context.Pipe(duplex=False)
        self.replies, outbox = context.Pipe(duplex=False)
        foreign = [*self.pipes, *(pipe for other in others for pipe in other.pipes)]
        self._process = context.Process(
            target=_serve, args=(function, memory, inbox, outbox, foreign), name="latticemetric worker", daemon=True
        )
        with _held_back():
            self._process.start()
        inbox.close()
        outbox.close()
        self.tasks: deque[Task] = deque()
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
        with contextlib.suppress(OSError):  # it is dead; who reads its replies will find that out
            self._outbox.send_bytes(pickle.dumps([task.data for task in batch], pickle.HIGHEST_PROTOCOL))

    def collect(self) -> bool:
        """Takes in the replies that are there, all in one go; false if the worker is dead."""
        data = os.read(self.replies.fileno(), _PIECE)
        self._unread += data
        begin = 0
        while (end := self._end_of_reply(begin)) <= len(self._unread):
            self.tasks.popleft().answered(bytes(self._unread[begin + _LENGTH.size : end]))
            begin = end
        if begin:
            del self._unread[:begin]
            self.since = time.monotonic()
        return bool(data)

    def _end_of_reply(self, begin: int) -> int:
        if len(self._unread) < begin + _LENGTH.size:
            return begin + _LENGTH.size
        return begin + _LENGTH.size + int(_LENGTH.unpack_from(self._unread, begin)[0])

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


@contextlib.contextmanager
def _held_back() -> Iterator[None]:
    """Signals that end a run wait: a process that is just born would do with them what its parent does."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    function: Callable[[Any], Any],
    memory: int | None,
    inbox: Connection,
    outbox: Connection,
    foreign: Iterable[Connection],
) -> None:
    """A worker's life."""
    # Such signals reach all processes of a terminal or of a job; the parent decides what becomes of them, and with it
    # its workers end.
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    for pipe in foreign:
        pipe.close()
    batches: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(inbox, batches), daemon=True).start()
    if memory is not None:
        hold_memory(memory)
    replies = open(outbox.fileno(), "wb")  # noqa: SIM115, PTH123  as long as the process
    while True:
        for data in pickle.loads(batches.get()):  # noqa: S301  our own parent wrote it
            reply = _reply(function, data)
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


def _reply(function: Callable[[Any], Any], data: bytes) -> bytes:
    """An answer, an error and whether the error is of this question alone, pickled."""
    try:
        question = pickle.loads(data)  # noqa: S301  our own parent wrote it
    except OSError as error:  # a question may travel as a place in a file
        return _pickled(InputError(f"cannot be read again: {error.strerror}", where=error.filename), is_lost=True)
    try:
        return pickle.dumps((function(question), None, False), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return _pickled(InputError("there is not enough memory for it"), is_lost=True)
    except Exception as error:  # noqa: BLE001  it comes up where the answers are read
        return _pickled(error, is_lost=False)


def _pickled(error: Exception, *, is_lost: bool) -> bytes:
    """An error, with where it arose if it is none of ours; what cannot be pickled is told in words."""
    if not isinstance(error, LatticeMetricError):
        error.add_note("in a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        data = pickle.dumps((None, error, is_lost), pickle.HIGHEST_PROTOCOL)
        pickle.loads(data)  # noqa: S301  some errors can be written, and not read
    except Exception:  # noqa: BLE001  whatever a stranger's class does
        told = RuntimeError(f"{type(error).__name__}: {error}")
        told.add_note("\n".join(getattr(error, "__notes__", [])))
        data = pickle.dumps((None, told, is_lost), pickle.HIGHEST_PROTOCOL)
    return data
