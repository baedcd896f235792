"""What the machine gives: processors, memory, processes of our own, limits, a terminal; programs and data beside us."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from latticemetric.errors import InputError, MissingDependencyError, UsageError
from latticemetric.installation.checks import Subject
from latticemetric.memory import machine_memory

_GIBIBYTE = 2**30
_LIMIT = 2**26
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def data_and_programs() -> list[Subject]:
    """What lies beside the package."""
    return [
        Subject(
            "WordNet",
            "data",
            _wordnet,
            "the wn stages of meteor, and so meteor as correlate has it",
            "apt install wordnet-base (Debian, Ubuntu), or python -m nltk.downloader wordnet",
        ),
        Subject(
            "dot",
            "programs",
            lambda: _program("dot"),
            advice="apt install graphviz; nothing here needs it, it draws .dot files",
        ),
        Subject(
            "browser",
            "programs",
            lambda: _program("chromium", "chromium-browser", "google-chrome", "firefox", "open"),
            advice="apt install chromium; nothing here needs it, it shows .svg and .html files",
        ),
    ]


def resources() -> list[Subject]:
    """What the machine gives."""
    return [
        Subject("processors", "machine", _processors, "--workers above 1"),
        Subject("memory", "machine", _memory),
        Subject("fork", "machine", _fork, "--workers, --timeout, --max-memory", "Linux and macOS have it"),
        Subject("memory limits", "machine", _limits, "--max-memory", "Linux holds them"),
        Subject(
            "terminal",
            "machine",
            _terminal,
            "words of other alphabets on the screen; files are UTF-8 all the same",
            "export LC_ALL=C.UTF-8",
        ),
    ]


def _wordnet() -> str:
    from latticemetric.metrics.wordnet import wordnet

    source = wordnet()
    if not source.synsets("dogs"):
        raise InputError(f"{source.folder} knows no dogs")
    return str(source.folder)


def _program(*names: str) -> str:
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    raise MissingDependencyError(f"no {' or '.join(names[:2])} among the programs")


def _processors() -> str:
    from latticemetric.workers.pool import default_workers

    usable, all_of_them = default_workers(), os.cpu_count()
    return str(usable) if usable == all_of_them else f"{usable} for us, of {all_of_them}"


def _memory() -> str:
    total = machine_memory()
    limit = _container_limit()
    held = f", {limit / _GIBIBYTE:.1f} GiB for this container" if limit is not None and limit < total else ""
    return f"{total / _GIBIBYTE:.1f} GiB{held}"


def _container_limit() -> int | None:
    try:
        text = _CONTAINER_LIMIT.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def _fork() -> str:
    import multiprocessing

    if "fork" not in multiprocessing.get_all_start_methods():
        raise MissingDependencyError("this system has none")
    return "workers are forked"


def _limits() -> str:
    """Sets one, which holds for the process that this is tried in."""
    from latticemetric.memory import hold_memory
    from latticemetric.workers.limits import Limits

    if not hasattr(os, "fork"):
        raise MissingDependencyError("this system has no processes that they could be tried in")
    try:
        Limits(memory=_LIMIT)
    except UsageError as error:
        raise MissingDependencyError(error.what) from error
    hold_memory(_LIMIT)
    try:
        bytearray(4 * _LIMIT)
    except MemoryError:
        return "held"
    raise InputError("a process had four times as much memory as it was allowed")


def _terminal() -> str:
    encoding = (sys.__stdout__.encoding if sys.__stdout__ is not None else None) or "without an encoding"
    if encoding.lower().replace("-", "") != "utf8":
        raise MissingDependencyError(f"standard output is {encoding}")
    return encoding
