"""A worker that is a program of its own: no copy of its parent, whose threads and connections are nothing to it."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from latticemetric.errors import MissingDependencyError
from latticemetric.workers.serving import Started, serve


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
