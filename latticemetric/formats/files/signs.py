"""What files begin with that hold others: archives that are read, and those that are not."""

from __future__ import annotations

_TAR_AT, _TAR = 257, b"ustar"
_FOREIGN = {
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


def is_tar(head: bytes) -> bool:
    """Whether a stream's first bytes are those of a tar archive."""
    return head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR


def foreign_container(head: bytes) -> str | None:
    """What a stream is that holds files which nobody here takes out; its first bytes are decompressed once."""
    return next((name for sign, name in _FOREIGN.items() if head.startswith(sign)), None)
