"""The life of a process that answers questions: how it begins, and what it says of those that it cannot answer."""

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
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol, TypeAlias

from latticemetric.errors import LatticeMetricError, MissingDependencyError
from latticemetric.memory import hold_memory, no_memory
from latticemetric.parallel import pickling
from latticemetric.parallel.pickling import pickled

LENGTH = struct.Struct("<Q")
"""Stands before each reply."""

ELSEWHERE = b""
"""The reply to a question that stands in a file which is not there."""

# The status of a worker that has no memory for what it is handed.
_NO_MEMORY = 12
# Threads fork one after the other: a worker that had a copy of another one's ends of its pipes would hide its death.
_births = threading.Lock()
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


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
    """A process that was started.

    Attributes:
        process: The process.
        outbox: The parent's end of the pipe to it.
        replies: Of the pipe from it.
        knows: The constants that it knows from the beginning.
        wait: Waits until it is ready: the time that a program takes to begin is no graph's.
    """

    process: Process
    outbox: Connection
    replies: Connection
    knows: frozenset[str]
    wait: Callable[[], None] = lambda: None


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
    with _births:
        inbox, our_outbox = context.Pipe(duplex=False)
        our_inbox, outbox = context.Pipe(duplex=False)
        not_its_own = [our_outbox, our_inbox, *foreign]
        given = function, memory, inbox, outbox, not_its_own
        process = context.Process(target=_be_forked, args=given, name="latticemetric worker", daemon=True)
        with _held_back():
            process.start()
        inbox.close()
        outbox.close()
    return Started(process, our_outbox, our_inbox, pickling.known())


def _be_forked(
    function: Callable[[Any], Any],
    memory: int | None,
    inbox: Connection,
    outbox: Connection,
    foreign: Iterable[Connection],
) -> None:
    global _births  # noqa: PLW0603  ours is held by who has forked us
    _births = threading.Lock()
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
        new, questions = _unpacked(batches.get())
        for data in questions:
            reply = reply_to(function, data)
            try:
                replies.write(LENGTH.pack(len(reply)))
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
    except MemoryError:  # of a message that is lost nothing can be said
        os._exit(_NO_MEMORY)


def _unpacked(message: bytes) -> tuple[dict[str, bytes], list[bytes]]:
    """Constants that are new here, and questions."""
    try:
        new, questions = pickle.loads(message)  # noqa: S301  our own parent wrote it
        pickling.learn(new)
        for token in new:
            pickling.constant(token)
    except MemoryError:
        os._exit(_NO_MEMORY)
    return new, questions


def reply_to(function: Callable[[Any], Any], data: bytes) -> bytes:
    """An answer, an error and whether the error is of this question alone, pickled."""
    try:
        try:
            question = pickle.loads(data)  # noqa: S301  our own parent wrote it
        except OSError:  # it travels as a place in a file
            return ELSEWHERE
        return pickling.packed_reply((function(question), None, False))
    except MemoryError:
        return _pickled(no_memory(), is_lost=True)
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


# ---- A worker that is a program of its own: no copy of its parent, whose threads and connections are nothing to it
# ----


class _Program:
    """A program as a process is seen."""

    def __init__(self, program: subprocess.Popen[bytes]) -> None:
        self._program = program

    @property
    def exitcode(self) -> int | None:
        return self._program.returncode

    def kill(self) -> None:
        self._program.kill()

    def join(self) -> None:
        self._program.wait()


def started_apart(
    function: bytes, memory: int | None, _foreign: list[Connection], *, folder: str | None = None
) -> Started:
    """Starts a worker.

    Args:
        function: What answers, pickled.
        memory: Bytes that it may use beyond what it has when the function is there.
        folder: Where it works, if there is such a folder here.
    """
    from multiprocessing import Pipe

    inbox, our_outbox = Pipe(duplex=False)
    our_inbox, outbox = Pipe(duplex=False)
    pipes = inbox.fileno(), outbox.fileno()
    command = [sys.executable, "-P", "-m", __name__, *map(str, pipes)]
    environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    program = subprocess.Popen(  # noqa: S603  ourselves
        command, pass_fds=pipes, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
    )
    inbox.close()
    outbox.close()
    with contextlib.suppress(EOFError, OSError):  # it is dead; who hands it work will find that out
        our_outbox.send_bytes(pickle.dumps((function, memory, folder)))
    return Started(_Program(program), our_outbox, our_inbox, frozenset(), partial(_wait, our_inbox))


def _wait(inbox: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):  # likewise
        inbox.recv_bytes()


def _loaded(function: bytes) -> Callable[[Any], Any]:
    """What answers; what it cannot be made of is the answer to all questions."""
    try:
        found: Callable[[Any], Any] = pickle.loads(function)  # noqa: S301  our own parent wrote it
    except Exception as error:  # noqa: BLE001  whatever importing a stranger's package does
        return partial(_fail, f"{type(error).__name__}: {error}")
    return found


def _fail(why: str, _question: Any) -> None:
    raise MissingDependencyError(
        f"a worker cannot do what it is asked ({why})", advice="install there what is installed here"
    )


def main() -> None:
    """The life of such a program."""
    inbox, outbox = Connection(int(sys.argv[1]), writable=False), Connection(int(sys.argv[2]), readable=False)
    try:
        function, memory, folder = pickle.loads(inbox.recv_bytes())  # noqa: S301  our own parent wrote it
    except EOFError:  # it is gone already
        return
    if folder is not None and os.path.isdir(folder):  # noqa: PTH112  a plain string
        os.chdir(folder)
    answer = _loaded(function)
    outbox.send_bytes(b"ready")
    serve(answer, memory, inbox, outbox)


if __name__ == "__main__":
    main()
