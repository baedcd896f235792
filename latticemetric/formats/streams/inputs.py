"""The files that a command reads: none of them may be replaced by a file that it writes."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Container, Iterator

from latticemetric.errors import UsageError

Identity = tuple[int, int]
"""Device and inode: all names, links and spellings of a file have it in common."""


def identity(path: str | int) -> Identity | None:
    """Return the device and inode of a file, by name or number; `None` for devices, pipes and missing files.

    Ignore a slash at the end, which means a folder.
    """
    try:
        state = os.stat(path.rstrip("/") if isinstance(path, str) else path)  # noqa: PTH116  a plain string
    except (OSError, ValueError):
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


class Inputs:
    """The files that one command reads: those named at its start, and those discovered while it reads."""

    def __init__(self) -> None:
        self._names: dict[Identity, str] = {}
        self._noted: set[str] = set()
        self._in_place: Identity | None = None
        self._known: Container[str] | None = None

    def add(self, path: str, shown: str | None = None) -> None:
        """Add a file by its name, and the name that errors show."""
        if path not in self._noted:
            self._noted.add(path)
            self._add(identity(path), shown or path)

    def add_open(self, number: int, shown: str) -> None:
        """Add a file that is open."""
        self._add(identity(number), shown)

    def _add(self, file: Identity | None, shown: str) -> None:
        if file is not None:
            self._names.setdefault(file, shown)

    def pointed_to(self, path: str) -> None:
        """Add a file that another file points to.

        Raises:
            UsageError: A journal is kept, and does not know this file.
        """
        if path in self._noted:
            return
        self.add(path)
        if self._known is not None and path not in self._known:
            raise UsageError(
                "a later run cannot know whether this file has changed, so --resume cannot be used",
                where=path,
                advice="name the script that points to it, not an archive that holds the script",
            )

    def known(self, paths: Container[str]) -> None:
        """Allow only these files to be pointed to: the journal notices when they change."""
        self._known = paths

    def may_replace(self, path: str) -> None:
        """Allow one file to be replaced although it is read."""
        self._in_place = identity(path)

    def clash(self, path: str | int) -> str | None:
        """Return the name under which an output is read; `None` where it is not, or may be replaced."""
        file = identity(path)
        return None if file is None or file == self._in_place else self._names.get(file)

    def protect(self, path: str) -> None:
        """Refuse to replace a file that is read."""
        if (read := self.clash(path)) is not None:
            also = "" if read == path else f" ({read})"
            raise UsageError(f"it would be written over what is read{also}", where=path, advice="name another output")


_current: Inputs | None = None


def current() -> Inputs | None:
    """Return the files that the running command reads; `None` outside of commands."""
    return _current


@contextlib.contextmanager
def watched(inputs: Inputs) -> Iterator[None]:
    """Record all files that are opened in this context, and protect them."""
    global _current  # noqa: PLW0603  one command is at work in a process
    before, _current = _current, inputs
    try:
        yield
    finally:
        _current = before
