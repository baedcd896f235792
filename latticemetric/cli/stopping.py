"""Signals that end a run: an interrupt, what schedulers send (SIGTERM), and a terminal that is gone (SIGHUP)."""

from __future__ import annotations

import contextlib
import signal
import time
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
# Terminals and schedulers say it twice; who says it again after that wants to be heard.
_SECONDS_BETWEEN = 2.0


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
        return "; ".join([said, *getattr(self, "__notes__", [])])


def listen() -> None:
    """From now on these signals raise `Stopped`; those that whoever started us wants ignored (`nohup`) stay so."""
    for number in _heard():
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            with contextlib.suppress(ValueError):  # only the main thread may ask for that
                signal.signal(number, _Handler())


def listen_no_more() -> None:
    """The run is ending: nothing that comes now makes a difference."""
    for number in _heard():
        if isinstance(signal.getsignal(number), _Handler):
            signal.signal(number, signal.SIG_IGN)


def _heard() -> list[int]:
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


class _Handler:
    """Raises once; again only if that was long ago, and has been lost."""

    _raised = -_SECONDS_BETWEEN

    def __call__(self, number: int, _frame: FrameType | None) -> Any:
        now = time.monotonic()
        if now - _Handler._raised >= _SECONDS_BETWEEN:
            _Handler._raised = now
            raise Stopped(number)
