"""Keep bytes in memory or in a temporary file until all are known."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import IO, Self, cast

from latticemetric.errors import InputError

_MOST_IN_MEMORY = 2**24
_PIECE = 2**20


class Spool:
    """Keep bytes in memory; if there are many, in a temporary file."""

    def __init__(self) -> None:
        self._file: IO[bytes] = io.BytesIO()
        self._in_memory = True

    def write(self, data: bytes) -> int:
        """Append bytes."""
        with temporary_files():
            if self._in_memory and self._file.tell() + len(data) > _MOST_IN_MEMORY:
                self._leave_memory()
            return self._file.write(data)

    def _leave_memory(self) -> None:
        import tempfile

        begin = cast("io.BytesIO", self._file).getvalue()
        self._file = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115  closed with the spool
        self._in_memory = False
        self._file.write(begin)

    def copy_to(self, target: IO[bytes]) -> None:
        """Copy all bytes to a file."""
        self._rewind(0)
        while piece := self._file.read(_PIECE):
            target.write(piece)

    def tell(self) -> int:
        """Return the number of bytes."""
        return self._file.tell()

    def copy_part(self, begin: int, end: int, target: IO[bytes]) -> None:
        """Copy the bytes from `begin` to `end` to a file, after all are written."""
        self._rewind(begin)
        target.write(self._file.read(end - begin))

    def _rewind(self, begin: int) -> None:
        with temporary_files():  # this writes the last bytes
            self._file.seek(begin)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # the error was raised already
            self._file.close()


@contextlib.contextmanager
def temporary_files() -> Iterator[None]:
    """Name the folder of temporary files in errors."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"temporary files cannot be written: {error.strerror}",
            where=_temporary_folder(),
            advice="free disk space, or set TMPDIR to another folder",
        ) from None


def _temporary_folder() -> str | None:
    import tempfile

    try:
        return tempfile.gettempdir()
    except OSError:
        return None  # no folder is writable; the error lists the folders
