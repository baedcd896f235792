"""Bytes kept until all of them are known."""

from __future__ import annotations

import io
from typing import IO, Self, cast

_MOST_IN_MEMORY = 2**24
_PIECE = 2**20


class Spool:
    """Bytes in memory, and in a temporary file once they are many."""

    def __init__(self) -> None:
        self._file: IO[bytes] = io.BytesIO()
        self._in_memory = True

    def write(self, data: bytes) -> int:
        """Keeps some bytes more."""
        if self._in_memory and self._file.tell() + len(data) > _MOST_IN_MEMORY:
            import tempfile

            begin = cast("io.BytesIO", self._file).getvalue()
            self._file = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115  closed with the spool
            self._in_memory = False
            self._file.write(begin)
        return self._file.write(data)

    def copy_to(self, target: IO[bytes]) -> None:
        """Hands all of them over."""
        self._file.seek(0)
        while piece := self._file.read(_PIECE):
            target.write(piece)

    def tell(self) -> int:
        """How many they are."""
        return self._file.tell()

    def copy_part(self, begin: int, end: int, target: IO[bytes]) -> None:
        """Hands some of them over, once all are written."""
        self._file.seek(begin)
        target.write(self._file.read(end - begin))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
