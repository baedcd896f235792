"""Signals that end a run: an interrupt, what schedulers send (SIGTERM), and a terminal that is gone (SIGHUP).

The first one raises `Stopped`, others change nothing. Python answers at once; a native call, or a library that takes
long to close, does not: what is still there after a short time is ended by a thread that waits for this.
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

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
# A run that was told to end has ended after two seconds, and some of them are for the machine.
_SECONDS_TO_END = 1.5

_notes: list[Callable[[], str]] = []


class Stopped(BaseException):
    """Somebody wants the run to end.

    No `Exception`, for nothing must take it for a problem of one graph; no `KeyboardInterrupt`, which click makes an
    error of its own of.

    Attributes:
        number: The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status that shells give to what a signal has ended."""
        return 128 + self.number

    def __str__(self) -> str:
        said = "interrupted" if self.number == signal.SIGINT else f"ended by {signal.Signals(self.number).name}"
        return "; ".join([said, *(note() for note in _notes)])


@contextlib.contextmanager
def noted(note: Callable[[], str]) -> Iterator[None]:
    """Whoever stops the run meanwhile is told this, too; the note stays if the run is stopped."""
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
    """From now on these signals raise `Stopped`; those that whoever started us wants ignored (`nohup`) stay so."""
    for number in _heard():
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            with contextlib.suppress(ValueError):  # only the main thread may ask for that
                signal.signal(number, _Handler())
    with contextlib.suppress(ValueError):
        _watch()


def listen_no_more() -> None:
    """The run is ending: nothing that comes now makes a difference."""
    for number in _heard():
        if isinstance(signal.getsignal(number), _Handler):
            signal.signal(number, signal.SIG_IGN)


def _heard() -> list[int]:
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


class _Handler:
    """Raises once: terminals and schedulers say it twice."""

    _has_raised = False

    def __call__(self, number: int, _frame: FrameType | None) -> Any:
        if not _Handler._has_raised:
            _Handler._has_raised = True
            raise Stopped(number)


def _watch() -> None:
    """Has a thread see to it that the process ends after a signal, whatever the main thread does."""
    if not hasattr(os, "fork"):  # Windows tells of signals through sockets only
        return
    inbox, outbox = os.pipe()
    os.set_blocking(outbox, False)
    try:
        signal.set_wakeup_fd(outbox, warn_on_full_buffer=False)
    except ValueError:
        os.close(inbox)
        os.close(outbox)
        raise
    _thread.start_new_thread(_end_late, (inbox,))


def _end_late(inbox: int) -> None:
    number = 0
    while not isinstance(signal.getsignal(number) if number else None, _Handler):
        number = os.read(inbox, 1)[0]
    time.sleep(_SECONDS_TO_END)
    if (outputs := sys.modules.get("latticemetric.formats.streams.output")) is not None:
        outputs.abandon_drafts()
    with contextlib.suppress(OSError):
        os.write(2, f"{Stopped(number)}\n".encode())
    os._exit(Stopped(number).status)
