"""gzip, xz and zstd: told by the first bytes when a file is read, by its name when it is written."""

from __future__ import annotations

import sys
from typing import IO, Any, cast

COMPRESSED_SUFFIXES = (".gz", ".xz", ".zst")

_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def decompressed(packed: IO[bytes], magic: bytes) -> IO[bytes]:
    """The bytes of a compressed stream, told by its first ones; those of others as they are."""
    if magic.startswith(_GZIP):
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=packed))
    if magic.startswith(_XZ):
        import lzma

        return cast("IO[bytes]", lzma.LZMAFile(packed))
    if magic.startswith(_ZSTD):
        return cast("IO[bytes]", zstd_module().ZstdFile(packed))
    return packed


def zstd_module() -> Any:
    """What reads and writes zstd: the standard library, or its backport."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    else:
        from backports import zstd
    return zstd


def compressing(path: str, raw: IO[bytes]) -> IO[bytes]:
    """A file to write to, compressed as the path's suffix says."""
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
    """A file name without .gz, .xz or .zst."""
    for suffix in COMPRESSED_SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name
