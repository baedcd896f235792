"""Record the files that a command reads, so that it never overwrites one of them."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Container, Iterator

from latticemetric.errors import UsageError

Identity = tuple[int, int]
"""Device and inode of a file, the same for all of its names and links."""


def identity(path: str | int) -> Identity | None:
    """Return the device and inode of a regular file, given by path or descriptor; `None` for anything else.

    Remove a slash at the end of the path: with the slash, a regular file would not be found.
    """
    try:
        state = os.stat(path.rstrip("/") if isinstance(path, str) else path)  # noqa: PTH116  a plain string
    except (OSError, ValueError):
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


class Inputs:
    """The files that a command reads: files named at its start, and files found later.

    Attributes:
        kept: The bytes of pipes that the command opens more than once, by their paths.
    """

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
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
        """Add a file, given by its path or descriptor; errors call it `shown`."""
        if (found := identity(file)) is not None:
            self._names.setdefault(found, shown)

    def pointed_to(self, path: str) -> None:
        """Add a file that an input file points to. With `--resume`, refuse a file that the journal does not list."""
        if path in self._noted:
            return
        self.add(path)
        if self._known is not None and path not in self._known:
            raise UsageError(
                "resume=… cannot detect changes of this file",
                where=path,
                advice="give the script that points to it as a file, not inside a tar archive",
            )

    def known(self, paths: Container[str]) -> None:
        """Set the files whose changes the journal detects; from now on, input files may point only to these files."""
        self._known = paths

    def may_replace(self, path: str) -> None:
        """Allow the command to overwrite this file, although it reads the file."""
        self._in_place = identity(path)

    def clash(self, path: str | int) -> str | None:
        """Return the name of the input that an output would overwrite.

        Return `None` if there is no such input, or if `may_replace` allows the command to overwrite the input.
        """
        file = identity(path)
        return None if file is None or file == self._in_place else self._names.get(file)


_current: Inputs | None = None


def current() -> Inputs | None:
    """Return the files that the running command reads; `None` outside of commands."""
    return _current


@contextlib.contextmanager
def watched(inputs: Inputs) -> Iterator[None]:
    """Inside the block, `inputs` records all files that are read; refuse to overwrite these files."""
    global _current  # noqa: PLW0603  one command is at work in a process
    before, _current = _current, inputs
    try:
        yield
    finally:
        _current = before
