"""Tries things in processes of their own: a library that crashes, or sets limits, does so where it harms nobody."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import IO, Any, NoReturn

from latticemetric.errors import LatticeMetricError, MissingDependencyError
from latticemetric.installation.checks import Check, State, Subject

# What looking says: a state, what was found, what is wrong.
_Answer = tuple[State, str | None, str | None]


def examine(subject: Subject) -> Check:
    """Looks for it, in a process of its own where there can be one."""
    answer = _forked(subject.look) if hasattr(os, "fork") else _answer(subject.look)
    return Check(subject.name, subject.group, *answer, subject.needed_for, subject.advice, subject.required)


def _answer(look: Callable[[], str]) -> _Answer:
    try:
        return "ok", look(), None
    except (ModuleNotFoundError, MissingDependencyError) as error:
        return "missing", None, _said(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a broken library raises
        return "broken", None, _said(error)


def _said(error: BaseException) -> str:
    """In one line; our own errors give their advice elsewhere."""
    text = error.what if isinstance(error, LatticeMetricError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())


def _forked(look: Callable[[], str]) -> _Answer:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # it is closed
            stream.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            _tell(look, pipe)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "broken", None, f"it crashed: {signal.Signals(os.WTERMSIG(status)).name}"
    if not data:
        return "broken", None, f"it ended its process, with status {os.waitstatus_to_exitcode(status)}"
    answer: _Answer = pickle.loads(data)  # noqa: S301  our own child wrote it
    return answer


def _tell(look: Callable[[], str], pipe: IO[Any]) -> NoReturn:
    """The child's life. What libraries print is no part of any result."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    try:
        pickle.dump(_answer(look), pipe)
        pipe.flush()
    finally:
        os._exit(0)
