"""Stop a run on a signal.

SIGINT (Ctrl-C), SIGTERM (from a scheduler) and SIGHUP (the terminal closed) raise `Stopped` once; later signals have no
effect. If the process still runs 1.5 seconds after the signal, for example in a native call, a thread ends the process.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

# Windows has no SIGHUP.
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
# Seconds until the thread ends the process. A run must end within 2 seconds of a signal; the system needs the rest.
_SECONDS_TO_END = 1.5

_notes: list[Callable[[], str]] = []


class Stopped(BaseException):
    """A signal ends the run.

    It is not an `Exception`, so that no handler counts it as the failure of a graph. It is not a `KeyboardInterrupt`,
    since click turns a `KeyboardInterrupt` into another error.

    Attributes:
        number: The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status that shells report if this signal ends a process."""
        return 128 + self.number

    def __str__(self) -> str:
        cause = "interrupted" if self.number == signal.SIGINT else f"ended by {signal.Signals(self.number).name}"
        return "; ".join([cause, *(note() for note in _notes)])


@contextlib.contextmanager
def noted(note: Callable[[], str]) -> Iterator[None]:
    """If a signal stops the run inside the block, add a note to the message.

    Args:
        note: Function that returns the note; called when the message is written.
    """
    _notes.append(note)
    try:
        yield
    except (KeyboardInterrupt, Stopped):
        raise
    except BaseException:
        _notes.remove(note)
        raise
    else:
        _notes.remove(note)


def listen() -> None:
    """Raise `Stopped` on signals from now on, except signals that the parent process ignores (`nohup`)."""
    for number in _SIGNALS:
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            with contextlib.suppress(ValueError):  # only the main thread may set handlers
                signal.signal(number, _Handler())
    with contextlib.suppress(ValueError):
        _start_watcher()
    # If the thread ends the process, Python's tracker of semaphores, a process of its own, removes those that are left.
    # It should do so without a warning; it gets the options of this process.
    sys.warnoptions.append("ignore::UserWarning:multiprocessing.resource_tracker")


def stop_listening() -> None:
    """Ignore signals from now on, because the run is ending."""
    for number in _SIGNALS:
        if isinstance(signal.getsignal(number), _Handler):
            signal.signal(number, signal.SIG_IGN)


class _Handler:
    """A signal handler that raises only once, since terminals and schedulers may send a signal twice."""

    _has_raised = False

    def __call__(self, number: int, _frame: FrameType | None) -> Any:
        if not _Handler._has_raised:
            _Handler._has_raised = True
            raise Stopped(number)


def _start_watcher() -> None:
    """Start a thread that ends the process after a signal, even if the main thread is busy."""
    if not hasattr(os, "fork"):  # Windows reports signals through sockets only
        return
    inbox, outbox = os.pipe()
    os.set_blocking(outbox, False)
    try:
        signal.set_wakeup_fd(outbox, warn_on_full_buffer=False)
    except ValueError:
        os.close(inbox)
        os.close(outbox)
        raise
    with contextlib.suppress(RuntimeError):  # `ulimit -u` allows no thread: the main thread handles signals alone
        _thread.start_new_thread(_end_after_delay, (inbox,))


def _end_after_delay(inbox: int) -> None:
    number = 0
    while not isinstance(signal.getsignal(number) if number else None, _Handler):
        number = os.read(inbox, 1)[0]
    time.sleep(_SECONDS_TO_END)
    if (outputs := sys.modules.get("latticemetric.formats.streams.output")) is not None:
        outputs.abandon_drafts()
    with contextlib.suppress(OSError):
        os.write(2, f"{Stopped(number)}\n".encode())
    os._exit(Stopped(number).status)
