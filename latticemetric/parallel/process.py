"""Worker processes: the code that runs in the parent, and the code of the worker."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from latticemetric.errors import InputError, LatticeMetricError, MissingDependencyError, UsageError
from latticemetric.memory import hold_memory, no_memory
from latticemetric.parallel import pickling
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.pickling import Packed, Packing

if TYPE_CHECKING:  # a command on one graph starts no process: do not spend time on these imports
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

# ---- In the parent ----

# Messages shorter than this can be sent to a busy worker without waiting: they fit into the pipe.
_SMALL = 2**15
# Read at most this many bytes of replies at once.
_PIECE = 2**20
# Each reply is preceded by its length in bytes, and by the number of tasks that it answers.
_HEAD = struct.Struct("<QI")
# The reply to a task whose file the worker cannot read.
_NO_FILE = b""


_Answer: TypeAlias = "tuple[Any, Exception | None, bool]"
"""The answer of a task: its value, its error, and True if the error is only a failure of this task (no memory)."""


class Reply:
    """The answers of one task, or of successive quick tasks; they stay pickled until the first answer is used."""

    __slots__ = ("_answers", "data", "lacks_file")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lacks_file = data == _NO_FILE
        self._answers: list[_Answer] | None = None

    def answer(self, index: int) -> _Answer:
        """Return the answer with this index."""
        if self._answers is None:
            self._answers = pickle.loads(self.data)  # noqa: S301  our own worker wrote it
            self.data = b""
        return self._answers[index]


class WorkerTask:
    """One task while workers process it.

    Attributes:
        question: The task itself; `None` in a worker of a cluster.
        data: The pickled task; `None` once there is a reply.
        needs: The tokens of the constants that `data` refers to.
        size: Number of bytes of `data` and `reply`.
        held: Number of bytes of files that the task keeps in memory until there is a reply.
        reply: The reply with the answer; `None` if there is none yet.
        problem: The error in place of an answer; `None` if there is no error.
        deaths: How many workers died during this task.
        is_suspect: True if a worker died during this task, or during another task of the same batch.
    """

    __slots__ = (
        *("_held", "_index", "_packing", "data", "deaths", "held", "is_suspect", "needs", "problem", "question"),
        *("reply", "size"),
    )

    def __init__(self, packed: Packed, question: Any = None, packing: Packing | None = None) -> None:
        self.question, self._packing = question, packing
        self.data: bytes | None = packed.data
        self.needs, self._held = packed.needs, packed.held
        self.size = len(packed.data)
        self.held = sum(held.size for held in packed.held)
        self.reply: Reply | None = None
        self._index = 0
        self.problem: InputError | None = None
        self.deaths = 0
        self.is_suspect = False

    @property
    def is_done(self) -> bool:
        """True if there is a reply or a problem."""
        return self.reply is not None or self.problem is not None

    def take(self, reply: Reply, index: int = 0, size: int = 0) -> None:
        """Store a reply. `index` is the place of this task's answer in the reply, `size` is the share of bytes.

        If the worker cannot read the task's file, pack the task again, with all its data.
        """
        if reply.lacks_file and self._packing is not None:
            self.data, self.needs, _ = self._packing.pack(self.question, whole=True)
            self.size = len(self.data)
        else:
            self._release()
            # Keep the question: an error may need its name.
            self.reply, self._index, self.data = reply, index, None
            self.size += size

    def lose(self, problem: InputError) -> None:
        """Store the error that replaces the answer."""
        self._release()
        self.problem, self.data = problem, None

    def _release(self) -> None:
        for held in self._held:
            held.release()
        self.held = 0

    def answer(self, lost: Callable[[Any, InputError], Any]) -> Any:
        """Return the answer, or `lost(question, problem)` if there is none.

        Raises:
            Exception: The error that the function raised in the worker.
        """
        if self.problem is not None:
            return lost(self.question, self.problem)
        assert self.reply is not None
        value, error, is_lost = self.reply.answer(self._index)
        if error is None:
            return value
        if is_lost:
            assert isinstance(error, InputError)
            return lost(self.question, error)
        raise error


class Started(NamedTuple):
    """A new process, and the parent's ends of its pipes: `outbox` sends tasks, `replies` receives answers.

    `wait` returns when the process is ready, so that its start does not count as time of a task.
    """

    process: BaseProcess | _Program
    outbox: Connection
    replies: Connection
    wait: Callable[[], None] = lambda: None


Start: TypeAlias = "Callable[[Any, int | None, list[Connection]], Started]"
"""A function that starts a process. Arguments: the function of tasks or its pickle, bytes of memory, pipes to close."""


class Worker:
    """A process that computes the answers of tasks in order. If its parent ends, the process ends, even during a task.

    Attributes:
        tasks: The tasks that were sent to the worker and have no reply, in order.
        batches: The number of tasks without a reply in each message to the worker, in order.
        again: The tasks to send again, because the worker could not read their files.
        since: When the current task began: the time of the last reply or, if the worker was idle, of sending the task.
        wait: Returns when the worker is ready.
    """

    def __init__(
        self, function: Any, limits: Limits, others: Iterable[Worker], start: Start, *, replies_together: bool
    ) -> None:
        pipes = [pipe for other in others for pipe in (other.outbox, other.replies)]
        started = start(function, limits.most_memory, pipes)
        self.process, self.wait = started.process, started.wait
        self.outbox: Connection = started.outbox
        self.replies: Connection = started.replies
        self._knows: set[str] = set()
        self._is_limited = limits.memory is not None
        self._replies_together = replies_together
        self.tasks: deque[WorkerTask] = deque()
        self.batches: deque[int] = deque()
        self.again: list[WorkerTask] = []
        self.since = 0.0
        self._unread = bytearray()

    def takes(self, size: int, *, together: bool) -> bool:
        """Return True if a batch of `size` bytes can be sent now.

        A small batch can always be sent. A large batch needs an idle worker. With a memory limit, a large batch must
        have only one task (`together` is False).
        """
        return size <= _SMALL or not (self.tasks or (together and self._is_limited))

    def hand(self, tasks: Iterable[WorkerTask]) -> None:
        """Send tasks to the worker, with the constants that it does not know yet."""
        batch = list(tasks)
        if not self.tasks:
            self.since = time.monotonic()
        self.tasks.extend(batch)
        self.batches.append(len(batch))
        new = {token: pickling.content(token) for task in batch for token in task.needs - self._knows}
        self._knows.update(new)
        with contextlib.suppress(OSError):  # the worker is dead, as `collect` will find
            message = new, [task.data for task in batch], self._replies_together
            self.outbox.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    def collect(self) -> bool:
        """Read the available replies; return False if the worker is dead."""
        data = os.read(self.replies.fileno(), _PIECE)
        if data:  # a task ended, maybe long before all of its reply is read
            self.since = time.monotonic()
        self._unread += data
        begin = 0
        while (body := begin + _HEAD.size) <= len(self._unread):
            size, number = _HEAD.unpack_from(self._unread, begin)
            end = body + size
            if end > len(self._unread):
                break
            reply = Reply(bytes(self._unread[body:end]))
            for index in range(number):
                task = self.tasks.popleft()
                task.take(reply, index, size // number)
                if not task.is_done:
                    self.again.append(task)
            self.batches[0] -= number
            if not self.batches[0]:
                self.batches.popleft()
            begin = end
        if begin:
            del self._unread[:begin]
        return bool(data)

    @property
    def lacks_thread(self) -> bool:
        """True if the process has ended, since the system allowed no further thread."""
        return self.process.exitcode == _NO_THREAD

    @property
    def lacks_memory(self) -> bool:
        """True if the process has ended, since its memory is too little even for reading a message."""
        return self.process.exitcode == _NO_MEMORY

    def end(self) -> str:
        """Kill the process and close its pipes; return how the process ended: "was killed by SIGKILL"."""
        self.process.kill()
        self.process.join()
        _forks.discard(self.process)
        self.outbox.close()
        self.replies.close()
        status = self.process.exitcode or 0
        if status >= 0:
            return f"ended with status {status}"
        try:
            return f"was killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"was killed by signal {-status}"


# ---- In the process ----

# The exit statuses of a worker that has too little memory to read a message from its parent, or can start no thread.
_NO_MEMORY = 12
_NO_THREAD = 13
# Threads fork one at a time: a fork that holds copies of another worker's pipes would hide that worker's death.
_fork_lock = threading.Lock()
# Signals that end a run.
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


# Forks that run. `multiprocessing` waits for them when the interpreter exits, but they run until their pipes close: if
# the user still has the iterator of a run, this never happens.
_forks: set[Any] = set()


@cache
def _kill_forks_at_exit(_process: int) -> None:
    """Make this process kill its forks when it exits.

    A fork does not inherit the finalizer, so each process needs its own. The argument is the process id: `cache` calls
    the function once for each process.
    """
    from multiprocessing import util

    util.Finalize(None, _kill_forks, exitpriority=10)  # finalizers of this priority run before the wait


def _kill_forks() -> None:
    while _forks:
        _forks.pop().kill()


def forked(function: Callable[[Any], Any], memory: int | None, foreign: list[Connection]) -> Started:
    """Start a fork of this process. The fork inherits the function, so the function need not be picklable."""
    import multiprocessing

    if multiprocessing.current_process().daemon:
        raise UsageError("a worker of multiprocessing cannot fork workers", advice="use one worker here")
    context = multiprocessing.get_context("fork")
    with _fork_lock:
        inbox, our_outbox = context.Pipe(duplex=False)
        our_inbox, outbox = context.Pipe(duplex=False)
        given = function, memory, inbox, outbox, [our_outbox, our_inbox, *foreign]
        process = context.Process(target=_run_fork, args=given, name="latticemetric worker", daemon=True)
        # Block signals that end a run: until it ignores them, the new process would handle them like its parent.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            process.start()
        except BlockingIOError:
            for pipe in (inbox, our_outbox, our_inbox, outbox):
                pipe.close()
            raise too_many_processes() from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _kill_forks_at_exit(os.getpid())
        _forks.add(process)
        inbox.close()
        outbox.close()
    return Started(process, our_outbox, our_inbox)


def too_many_processes() -> UsageError:
    """Return the error for workers that the system does not let start."""
    return UsageError(
        "a worker cannot start: the system allows no further process or thread",
        advice="use fewer workers, or raise the limit with ulimit -u",
    )


def _run_fork(
    function: Callable[[Any], Any],
    memory: int | None,
    inbox: Connection,
    outbox: Connection,
    foreign: Iterable[Connection],
) -> None:
    global _fork_lock  # noqa: PLW0603  the parent holds its own lock during the fork
    _fork_lock = threading.Lock()
    _forks.clear()
    for pipe in foreign:
        pipe.close()
    serve(function, memory, inbox, outbox)


def serve(
    function: Callable[[Any], Any],
    memory: int | None,
    inbox: Connection,
    outbox: Connection,
    patience: float | None = None,
) -> None:
    """Answer tasks until the parent has ended, or has sent no task for `patience` seconds.

    Args:
        function: Computes the answer of a task.
        memory: Bytes that this process may allocate after its start; `None` for no limit.
        inbox: Receives tasks from the parent.
        outbox: Sends replies to the parent.
        patience: Seconds; `None` to wait without end.
    """
    # Ignore signals that end a run: they reach all processes of a terminal or of a job. The parent handles them, and
    # its workers end when it ends.
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    batches: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    try:
        threading.Thread(target=_receive, args=(inbox, batches), daemon=True).start()
    except RuntimeError:  # the system allows no further thread
        os._exit(_NO_THREAD)
    replies = open(outbox.fileno(), "wb")  # noqa: SIM115, PTH123  open until the process ends
    new: dict[str, bytes] | None = None
    while True:
        if memory is not None and (new is None or new):
            hold_memory(memory)
        try:
            message = batches.get(timeout=patience)
        except queue.Empty:
            os._exit(0)
        try:
            new, questions, together = pickle.loads(message)  # noqa: S301  our own parent wrote it
            pickling.learn(new)
            for token in new:
                pickling.constant(token)
        except MemoryError:
            os._exit(_NO_MEMORY)
        try:
            for number, reply in _replies(function, questions, together=together):
                replies.write(_HEAD.pack(len(reply), number))
                replies.write(reply)
                replies.flush()
        except OSError:  # the parent has ended
            os._exit(0)


def _receive(inbox: Connection, batches: queue.SimpleQueue[bytes]) -> None:
    """Read messages while the worker computes, so that its parent never waits; exit when the parent has ended."""
    try:
        while True:
            batches.put(inbox.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)
    except MemoryError:  # the message is lost
        os._exit(_NO_MEMORY)


# After an answer, send all answers so far if this time has passed, since the parent waits for them.
_SECONDS_BETWEEN_REPLIES = 0.01


def _replies(
    function: Callable[[Any], Any], questions: Iterable[bytes], *, together: bool
) -> Iterator[tuple[int, bytes]]:
    """Compute the answers of pickled tasks; yield replies as (number of answers, pickle) pairs.

    If `together`, a reply may have the answers of several quick tasks: to pickle them together takes two thirds of the
    time of pickling them one by one.
    """
    answers: list[_Answer] = []
    sent = time.monotonic()
    for data in questions:
        answer = _answer_to(function, data)
        if answer is not None:
            answers.append(answer)
        if answer is None or not together or time.monotonic() - sent > _SECONDS_BETWEEN_REPLIES:
            yield from _pickled(answers)
            answers, sent = [], time.monotonic()
        if answer is None:
            yield 1, _NO_FILE
    yield from _pickled(answers)


def _answer_to(function: Callable[[Any], Any], data: bytes) -> _Answer | None:
    """Compute the answer of a task; return `None` if its file cannot be read."""
    try:
        try:
            question = pickle.loads(data)  # noqa: S301  our own parent wrote it
        except OSError:
            return None
        return function(question), None, False
    except MemoryError:
        return None, no_memory(), True
    except Exception as error:  # noqa: BLE001  `Task.answer` raises it in the parent
        return None, _portable(error), False


def _pickled(answers: Sequence[_Answer]) -> Iterator[tuple[int, bytes]]:
    """Yield one reply with all answers, as a (number of answers, pickle) pair.

    If an answer cannot be pickled, yield one reply per answer, with an error in place of each such answer.
    """
    if not answers:
        return
    unpicklable: _Answer
    try:
        data = pickling.pickled_reply(answers)
    except MemoryError:
        unpicklable = None, no_memory(), True
    except Exception as error:  # noqa: BLE001  classes of other packages may raise anything
        unpicklable = None, _portable(error), False
    else:
        yield len(answers), data
        return
    if len(answers) == 1:
        yield 1, pickling.pickled_reply([unpicklable])
        return
    for answer in answers:
        yield from _pickled([answer])


def _portable(error: Exception) -> Exception:
    """Return an error that can be pickled, with its traceback as a note (except for a `LatticeMetricError`).

    If the error cannot be pickled, return a `RuntimeError` with its text.
    """
    if not isinstance(error, LatticeMetricError):
        error.add_note("in a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickling.pickled(error))  # noqa: S301  some errors can be pickled, but not unpickled
    except Exception:  # noqa: BLE001  classes of other packages may raise anything
        text = RuntimeError(f"{type(error).__name__}: {error}")
        text.add_note("\n".join(getattr(error, "__notes__", [])))
        return text
    return error


# ---- A worker that is a separate program: it inherits no threads, locks or connections from its parent ----

_PROGRAM = f"from {__name__} import main; main()"


class _Program(subprocess.Popen[bytes]):
    """A program with the interface of `multiprocessing.Process`."""

    @property
    def exitcode(self) -> int | None:
        return self.returncode

    def join(self) -> None:
        self.wait()


def started_program(
    function: bytes,
    memory: int | None,
    _foreign: list[Connection],
    *,
    folder: str | None = None,
    patience: float | None = None,
) -> Started:
    """Start a worker as a separate program.

    Args:
        function: The pickled function, which computes the answer of a task.
        memory: Bytes that the worker may allocate after its start; `None` for no limit.
        folder: The working folder of the worker, if it exists on this machine.
        patience: The worker ends if it gets no task for this number of seconds; `None` to wait without end.
    """
    from multiprocessing import Pipe

    inbox, our_outbox = Pipe(duplex=False)
    our_inbox, outbox = Pipe(duplex=False)
    pipes = inbox.fileno(), outbox.fileno()
    command = [sys.executable, "-P", "-c", _PROGRAM, *map(str, pipes)]
    environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        program = _Program(command, pass_fds=pipes, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    except BlockingIOError:
        for pipe in (inbox, our_outbox, our_inbox, outbox):
            pipe.close()
        raise too_many_processes() from None
    inbox.close()
    outbox.close()
    with contextlib.suppress(EOFError, OSError):  # it is dead, as sending tasks will show
        our_outbox.send_bytes(pickle.dumps((function, memory, folder, patience)))

    def wait() -> None:
        with contextlib.suppress(EOFError, OSError):  # likewise
            our_inbox.recv_bytes()

    return Started(program, our_outbox, our_inbox, wait)


def main() -> None:
    """Run a worker that is a separate program."""
    from multiprocessing.connection import Connection

    inbox, outbox = Connection(int(sys.argv[1]), writable=False), Connection(int(sys.argv[2]), readable=False)
    try:
        function, memory, folder, patience = pickle.loads(inbox.recv_bytes())  # noqa: S301  our own parent wrote it
    except EOFError:  # the parent has already ended
        return
    if folder is not None and os.path.isdir(folder):  # noqa: PTH112  a plain string
        os.chdir(folder)
    try:
        answer: Callable[[Any], Any] = pickle.loads(function)  # noqa: S301  likewise
    except Exception as error:  # noqa: BLE001  an import of another package may raise anything
        why = f"a worker cannot load the function ({type(error).__name__}: {error})"

        def answer(_question: Any) -> NoReturn:
            raise MissingDependencyError(why, advice="install the same packages where the workers run")

    outbox.send_bytes(b"ready")
    serve(answer, memory, inbox, outbox, patience)
