"""Tar archives of files in other formats, read from beginning to end; nothing is ever unpacked to disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, Any, cast

from latticemetric.errors import FormatError, InputError
from latticemetric.formats.files.stream import Stream

_MAGIC_AT, _MAGIC = 257, b"ustar"
_BLOCK = 512


def is_tar(head: bytes) -> bool:
    """Whether a stream's first bytes are those of a tar archive."""
    return head[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] == _MAGIC


def members(archive: Stream) -> Iterator[Stream | InputError]:
    """The files of an archive in its order, each to be read before the next is asked for.

    What is no file (links, devices) is an error in its place; folders are passed over, and so are hidden files, as
    they are in folders on disk.
    """
    import tarfile

    watched = _Watched(archive.content())
    try:
        with tarfile.open(fileobj=cast("Any", watched), mode="r|") as tar:
            for member in tar:
                path = f"{archive.name}/{member.name}"
                if member.isdir() or PurePosixPath(member.name).name.startswith("."):
                    continue
                if not member.isreg() or member.issparse():
                    yield InputError("is no plain file of the archive", where=path, advice="archive the file itself")
                    continue
                content = tar.extractfile(member)
                assert content is not None
                yield Stream(path, content)
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
        raise FormatError(f"the tar archive is damaged or cut short ({error})", where=archive.name) from None
    if not watched.is_whole():
        raise FormatError("the tar archive is cut short", where=archive.name)


class _Watched:
    """A file that remembers its end: to `tarfile`, an archive that is cut short ends like any other."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._end, self._size = file, b"", 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._end = (self._end + data)[-_BLOCK:]
        self._size += len(data)
        return data

    def is_whole(self) -> bool:
        """Whether the last block is empty, as it must be."""
        while self.read(2**16):
            pass
        return self._size % _BLOCK == 0 and not any(self._end)
