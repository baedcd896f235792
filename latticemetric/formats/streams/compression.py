"""Read and write gzip, xz and zstd; recognise archives.

Readers recognise a compression by the first bytes of a file, writers by the suffix of its name.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import IO, Any, NamedTuple, cast

COMPRESSED_SUFFIXES = (".gz", ".xz", ".zst")

_PIECE = 2**16
_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = tuple(bytes([number]) + b"\x2a\x4d\x18" for number in range(0x50, 0x60))


class DamageError(Exception):
    """A compressed file is damaged."""


class _Kind(NamedTuple):
    magics: tuple[bytes, ...]  # the first bytes of a part
    padding: int  # the number of zero bytes after a part must be a multiple of this; 0 allows none
    part: Callable[[], Any]  # creates a decompressor for one part


class _GzipPart:
    """Wraps zlib's decompressor in the interface of the decompressors of xz and zstd."""

    def __init__(self) -> None:
        self._zlib: Any = zlib_module().decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return bool(self._zlib.eof)

    @property
    def unused_data(self) -> bytes:
        rest: bytes = self._zlib.unused_data
        return rest

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    def decompress(self, data: bytes, most: int) -> bytes:
        unpacked: bytes = self._zlib.decompress(self._zlib.unconsumed_tail + data, most)
        return unpacked


def _xz_part() -> Any:
    import lzma

    return lzma.LZMADecompressor(lzma.FORMAT_XZ)


_KINDS = {
    ".gz": _Kind((_GZIP,), 1, _GzipPart),
    ".xz": _Kind((_XZ,), 4, _xz_part),
    ".zst": _Kind((_ZSTD, *_ZSTD_SKIPPABLE), 0, lambda: zstd_module().ZstdDecompressor()),
}


def compression_of(head: bytes, name: str = "") -> str | None:
    """Return the suffix of a stream's compression, such as `.gz`; `None` if the stream is not compressed.

    The first bytes decide. The file name is used only if the file is too short to have all of these bytes.
    """
    for suffix, kind in _KINDS.items():
        if head.startswith(kind.magics) or (head and name.endswith(suffix) and kind.magics[0].startswith(head)):
            return suffix
    return None


class Unpacked(io.RawIOBase):
    """Reads the decompressed content of all parts of a file.

    A damaged or truncated part is an error; other bytes between or after parts are errors, too, except the padding that
    the format allows. After an error, each further read raises the same error. After each read, `count` is called
    with the number of bytes; it may raise an error.
    """

    def __init__(self, packed: io.BufferedReader, suffix: str, count: Callable[[int], None]) -> None:
        self._packed, self._kind, self._count = packed, _KINDS[suffix], count
        self._waiting = b""
        self._part: Any = None
        self._error: Exception | None = None

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer; return their number, 0 at the end."""
        if self._error is not None:
            raise self._error
        try:
            data = self._next(len(buffer))
            self._count(len(data))
        except Exception as error:
            self._error = error
            raise
        buffer[: len(data)] = data
        return len(data)

    def _next(self, size: int) -> bytes:
        """Return the next bytes, `size` at most; return no bytes at the end."""
        while self._part is not None or self._begin_part():
            asks = self._part.needs_input
            given = self._next_packed() if asks else b""
            data = bytes(self._part.decompress(given, size))
            if self._part.eof:
                self._waiting, self._part = self._part.unused_data, None
            elif asks and not (given or data):
                raise EOFError("its end is missing")
            if data:
                return data
        return b""

    def _next_packed(self) -> bytes:
        data, self._waiting = self._waiting or self._packed.read1(_PIECE), b""
        return data

    def _begin_part(self) -> bool:
        """Skip padding and begin the next part; return False at the end of the file."""
        zeros = 0
        while self._kind.padding and (data := self._next_packed()):
            self._waiting = data.lstrip(b"\0")
            zeros += len(data) - len(self._waiting)
            if self._waiting:
                break
        if zeros and zeros % self._kind.padding:
            raise DamageError(f"its padding has {zeros} zero bytes, not a multiple of {self._kind.padding}")
        magics = self._kind.magics
        while len(self._waiting) < max(map(len, magics)) and (more := self._packed.read1(_PIECE)):
            self._waiting += more
        if not self._waiting:
            return False
        if not self._waiting.startswith(magics):
            if any(magic.startswith(self._waiting) for magic in magics):
                raise EOFError("its last part is missing")
            raise DamageError("other data follows the compressed data")
        self._part = self._kind.part()
        return True


def zlib_module() -> Any:
    """Return ISA-L's faster version of zlib (less than half the time), or zlib if ISA-L is not installed."""
    try:
        from isal import isal_zlib
    except ImportError:
        import zlib

        return zlib
    return isal_zlib


def zstd_module() -> Any:
    """Return the zstd module of the standard library or, before Python 3.14, its backport."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    else:
        from backports import zstd
    return zstd


def compressing(path: str, raw: IO[bytes]) -> IO[bytes]:
    """Return a file that compresses its bytes and writes them to `raw`; the suffix of `path` decides how."""
    if path.endswith(".gz"):
        import gzip

        # No time stamp: the same graphs give the same bytes.
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename=""))
    if path.endswith(".xz"):
        import lzma

        return cast("IO[bytes]", lzma.LZMAFile(raw, mode="wb"))
    if path.endswith(".zst"):
        return cast("IO[bytes]", zstd_module().ZstdFile(raw, mode="wb"))
    return raw


def without_compression(name: str) -> str:
    """Return a file name without .gz, .xz or .zst."""
    return name[: name.rindex(".")] if name.endswith(COMPRESSED_SUFFIXES) else name


# Suffixes of archives and compressions that cannot be written.
FOREIGN_SUFFIXES = (".bz2", ".zip", ".7z", ".rar", ".lz4", ".lzma", ".Z", ".tar", ".tgz")

# Archives and compressions that cannot be read, by their first bytes (after decompression).
_FOREIGN_CONTAINERS = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "compressed with bzip2",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a rar archive",
    b"\x04\x22\x4d\x18": "compressed with lz4",
    b"\x1f\x9d": "compressed with compress",
    b"\x1f\x8b": "compressed twice",
    b"\xfd7zXZ": "compressed twice",
    b"\x28\xb5\x2f\xfd": "compressed twice",
}


def container_of(head: bytes) -> str | None:
    """Name the archive or compression that cannot be read, from a stream's first bytes; `None` for other content."""
    return next((name for sign, name in _FOREIGN_CONTAINERS.items() if head.startswith(sign)), None)


def is_tar(head: bytes) -> bool:
    """Check whether a stream's first bytes are those of a tar archive."""
    return head.startswith(b"ustar", 257)
