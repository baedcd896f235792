"""Read the files of tar archives in order; never unpack to disk."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import IO, Any, Self, cast

from latticemetric.errors import FormatError, InputError
from latticemetric.formats.streams.compression import is_tar
from latticemetric.formats.streams.stream import Stream, is_hidden, warn_left_out

_BLOCK = 512
# Headers of these types hold names and attributes that do not fit into a member's header; they are read into memory.
_HEADERS = {
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
}
_LONGEST_HEADER = 2**20


def members(archive: Stream) -> Iterator[Stream | InputError]:
    """Yield the files of an archive in order; read each file before the next one is yielded.

    Links, devices and nested archives are errors. Folders are skipped; hidden files are skipped with a warning, as in
    folders on disk.
    """
    watched = _Watched(archive.content())
    hidden: list[str] = []
    try:
        with tarfile.open(fileobj=cast("Any", watched), mode="r|", tarinfo=_Member) as tar:
            for member in tar:
                if member.isdir():
                    continue
                # A member is hidden if one of its folders is.
                if any(is_hidden(part) for part in member.name.split("/") if part not in {".", ".."}):
                    hidden.append(member.name)
                    continue
                yield _content(tar, member, archive)
            end = tar.offset
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
        what = f"the tar archive is damaged or cut short ({error})"
        raise FormatError(what, where=archive.name, advice="copy or write the file again") from None
    watched.check(end, archive.name)
    warn_left_out(archive.name, "hidden", hidden)


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo, archive: Stream) -> Stream | InputError:
    path = f"{archive.name}/{member.name}"
    content = tar.extractfile(member) if member.isreg() and not member.issparse() else None
    if content is None:
        return InputError(
            "this is not a regular file of the archive", where=path, advice="put the file itself into the archive"
        )
    try:
        stream = Stream(path, content, archive)
    except InputError as error:
        return error
    if is_tar(stream.head()):
        return InputError("this is an archive in an archive", where=path, advice="unpack the outer one")
    return stream


class _Member(tarfile.TarInfo):
    """A member of an archive; refuses a header that is too large to hold only names and attributes."""

    @classmethod
    def frombuf(cls, buf: Any, encoding: Any, errors: Any) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if member.type in _HEADERS and member.size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {member.size} bytes is too large")
        return member


class _Watched:
    """Tracks the zero bytes at the end of an archive, so that `check` can find out if the archive is complete.

    `tarfile` does not check this: for `tarfile`, bytes that are no member mean the end of the archive. A second read at
    the end of the file is an error: otherwise, `tarfile` would read again and again until it has the number of bytes
    that a header declares.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._size, self._last, self._ended = file, 0, 0, False

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        if not data and self._ended:
            raise EOFError("the file has fewer bytes than a header declares")
        self._ended = not data
        if data != bytes(len(data)):
            self._last = self._size + len(data.rstrip(b"\0"))
        self._size += len(data)
        return data

    def check(self, end: int, name: str) -> None:
        """Raise an error if no empty blocks end the archive, or if data follows byte `end`, the end of the members."""
        while not self._ended and self.read(2**16):
            pass
        if self._size % _BLOCK or self._size - self._last < _BLOCK:
            raise FormatError("the tar archive is cut short", where=name, advice="copy or write the file again")
        if self._last > end:
            raise FormatError(
                f"data follows the end of the tar archive, byte {end}: a header is damaged, or several archives were "
                f"joined",
                where=name,
                advice="give archives one by one",
            )
