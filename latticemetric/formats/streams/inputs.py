"""Record the files that a command reads, so that none is replaced by a file that it writes."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Container, Iterator

from latticemetric.errors import UsageError

Identity = tuple[int, int]
"""Device and inode: the same for all names, links and spellings of a file."""


def identity(path: str | int) -> Identity | None:
    """Return the device and inode of a file, by path or descriptor; `None` for devices, pipes and missing files.

    Ignore a slash at the end (it means a folder).
    """
    try:
        state = os.stat(path.rstrip("/") if isinstance(path, str) else path)  # noqa: PTH116  a plain string
    except (OSError, ValueError):
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


class Inputs:
    """Hold the files that a command reads: those named at its start, and those that it finds while it reads."""

    def __init__(self) -> None:
        self._names: dict[Identity, str] = {}
        self._noted: set[str] = set()
        self._in_place: Identity | None = None
        self._known: Container[str] | None = None

    def add(self, path: str) -> None:
        """Add a file by its path."""
        if path not in self._noted:
            self._noted.add(path)
            self.add_open(path, path)

    def add_open(self, file: str | int, shown: str) -> None:
        """Add an open file by its descriptor; `shown` is its name in errors."""
        if (found := identity(file)) is not None:
            self._names.setdefault(found, shown)

    def pointed_to(self, path: str) -> None:
        """Add a file that another file points to; refuse it if there is a journal that does not list it."""
        if path in self._noted:
            return
        self.add(path)
        if self._known is not None and path not in self._known:
            raise UsageError(
                "--resume cannot be used, since a later run could not detect changes of this file",
                where=path,
                advice="name the script that points to it, not an archive that holds the script",
            )

    def known(self, paths: Container[str]) -> None:
        """Let files point only to `paths`, since the journal detects changes only of these."""
        self._known = paths

    def may_replace(self, path: str) -> None:
        """Allow the command to replace one file although it reads the file."""
        self._in_place = identity(path)

    def clash(self, path: str | int) -> str | None:
        """Return the name under which an output file is also read; `None` if it is not read, or may be replaced."""
        file = identity(path)
        return None if file is None or file == self._in_place else self._names.get(file)


_current: Inputs | None = None


def current() -> Inputs | None:
    """Return the files that the running command reads; `None` outside commands."""
    return _current


@contextlib.contextmanager
def watched(inputs: Inputs) -> Iterator[None]:
    """Record all files that are opened in this context, and protect them from being replaced."""
    global _current  # noqa: PLW0603  one command is at work in a process
    before, _current = _current, inputs
    try:
        yield
    finally:
        _current = before
