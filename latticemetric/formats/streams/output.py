"""Write output files. A file gets its name only when it is complete; it never overwrites an input file.

`Spool` keeps bytes in memory or in a temporary file until all bytes are known.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self, cast

from latticemetric.errors import InputError, LatticeMetricError, OutputClosedError, UsageError, of_system, output_closed
from latticemetric.formats.streams.compression import compressing
from latticemetric.formats.streams.inputs import current

STANDARD_OUTPUT = "-"

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_TOKEN_BYTES = 8
_DRAFT = re.compile(rb"\.(.+)\.[0-9a-f]{%d}\.part" % (2 * _TOKEN_BYTES), re.DOTALL)
# The name of a draft is longer than that of its output. With this limit, every disk accepts it.
_LONGEST_NAME = 200

_MOST_IN_MEMORY = 2**24
_PIECE = 2**20

_drafts: set[Path] = set()


@contextlib.contextmanager
def standard_output() -> Iterator[IO[bytes]]:
    """Open standard output for bytes; flush it at the end."""
    if sys.stdout is None:
        raise output_closed()
    output = cast("IO[bytes]", _NamedOutput(sys.stdout.buffer, "standard output"))
    yield output
    output.flush()


@contextlib.contextmanager
def atomic_output(path: str) -> Iterator[IO[bytes]]:
    """Open an output that appears only when it is complete.

    At the end of the block, a temporary file gets the name of the output file, or the bytes go to standard output
    (`-`). Bytes for devices and pipes are written directly.
    """
    if path == STANDARD_OUTPUT:
        with Spool() as spool:
            yield cast("IO[bytes]", spool)
            with standard_output() as output:
                spool.copy_to(output)
        return
    with _draft_of(path) as raw:
        with _write_errors_of(path):
            packed = compressing(path, raw)
        file = cast("IO[bytes]", _NamedOutput(packed, path))
        yield file
        if packed is not raw:
            file.close()


@contextlib.contextmanager
def _draft_of(path: str) -> Iterator[IO[bytes]]:
    """Open a draft: a temporary file that replaces the output at the end. Open devices and pipes directly."""
    with _write_errors_of(path):
        real = Path(os.path.realpath(path))  # keep a link as a link
        if not is_replaceable(path):
            raw, draft, before = Path(path).open("ab"), None, None  # noqa: SIM115  closed below
        else:
            _check_replaceable(str(real), path)
            before = real.stat() if real.exists() else None
            draft, number = _new_draft(real, before)
            raw = os.fdopen(number, "wb")
    if draft is not None:
        _drafts.add(draft)
    try:
        yield raw
        with _write_errors_of(path):
            raw.flush()
            if before is not None:
                with contextlib.suppress(OSError):  # only root may change the owner of a file
                    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                        os.fchown(raw.fileno(), before.st_uid, before.st_gid)
                os.fchmod(raw.fileno(), stat.S_IMODE(before.st_mode))
            raw.close()
            if draft is not None:
                _check_replaceable(str(real), path)  # more inputs may be known by now
                draft.replace(real)
    except BaseException:
        with contextlib.suppress(OSError):  # the first error is already being raised
            raw.close()
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise
    finally:
        if draft is not None:
            _drafts.discard(draft)


def _new_draft(output: Path, before: os.stat_result | None) -> tuple[Path, int]:
    """Create a draft beside an output; return its path and its file descriptor.

    The draft has a hidden name, so that readers of the folder skip it. It must not exist before, so that nobody can
    place a link there first. If the output exists, only the owner can read the draft until it gets the output's mode.
    """
    name = os.fsdecode(os.fsencode(output.name)[:_LONGEST_NAME])
    while True:
        draft = output.with_name(f".{name}.{os.urandom(_TOKEN_BYTES).hex()}.part")
        with contextlib.suppress(FileExistsError):
            return draft, os.open(draft, _CREATE, 0o666 if before is None else 0o600)


def abandon_drafts() -> None:
    """Remove the drafts (temporary files) of this process before it ends."""
    for draft in list(_drafts):
        with contextlib.suppress(OSError):
            draft.unlink()


def remove_drafts(path: str) -> None:
    """Remove the drafts of killed runs: the drafts of one file or, if the path ends in `/`, all drafts in a folder."""
    real = Path(os.path.realpath(path))
    folder, name = (real, None) if path.endswith("/") else (real.parent, real.name)
    with contextlib.suppress(OSError):  # a later write to the folder will raise the error
        for file in folder.iterdir():
            draft = _DRAFT.fullmatch(os.fsencode(file.name))
            if draft and (name is None or draft[1] == os.fsencode(name)[:_LONGEST_NAME]):
                file.unlink(missing_ok=True)


@contextlib.contextmanager
def _write_errors_of(path: str) -> Iterator[None]:
    """Inside the block, turn errors of the system into "cannot be written". The block must use only this file."""
    try:
        yield
    except LatticeMetricError:
        raise
    except BrokenPipeError:
        raise OutputClosedError from None
    except OSError as error:
        raise InputError(f"cannot be written: {of_system(error)}", where=path) from None
    except ValueError:
        raise InputError("cannot be written: no file has such a name", where=path) from None


class _NamedOutput:
    """Wraps an output, so that an error of writing names the output, and is not taken for an error of an input."""

    def __init__(self, raw: IO[bytes], name: str) -> None:
        self._raw, self._name = raw, name

    def write(self, data: bytes) -> int:
        with _write_errors_of(self._name):
            return self._raw.write(data)

    def flush(self) -> None:
        with _write_errors_of(self._name):
            self._raw.flush()

    def close(self) -> None:
        with _write_errors_of(self._name):
            self._raw.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


def sync(path: str) -> None:
    """Wait until a file is written to the disk."""
    try:
        for place in (path, os.path.dirname(os.path.realpath(path))):  # noqa: PTH120  a plain string
            descriptor = os.open(place, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    except PermissionError:  # a folder that may be written, but not read
        if hasattr(os, "sync"):
            os.sync()
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot sync
            raise InputError(f"cannot be written: {error.strerror}", where=path) from None


def is_replaceable(path: str) -> bool:
    """Check whether a new file may replace this path; devices, pipes and folders cannot be replaced."""
    target = Path(path).absolute()
    if target.parts[1:2] in {("dev",), ("proc",)} and target.parts[1:3] != ("dev", "shm"):  # files in memory
        return False
    return target.is_file() or not target.exists()


def check_writable(path: str) -> None:
    """Raise an error if a file, or a folder (its path ends in `/`), cannot be written; call this before long work."""
    with _write_errors_of(path):
        real = Path(os.path.realpath(path))
        if path.endswith("/"):
            there = next(one for one in (real, *real.parents) if one.exists())
            if not there.is_dir():
                raise InputError(f"the folder cannot be created: {os.strerror(errno.ENOTDIR)}", where=str(real))
            _check_access(there)
        elif real.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif is_replaceable(path):
            _check_replaceable(str(real), path)
            real.parent.stat()
            _check_access(real.parent)


def _check_access(folder: Path) -> None:
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _check_replaceable(real: str, path: str) -> None:
    """Raise an error if the output is write-protected, or if the command also reads it."""
    if Path(real).is_symlink():
        raise InputError("cannot be written: it is a link to itself", where=path)
    if Path(real).exists() and not os.access(real, os.W_OK):
        raise InputError("cannot be written: Permission denied", where=path)
    if (inputs := current()) is not None and (read := inputs.clash(path)) is not None:
        also = "" if read == path else f" ({read})"
        raise UsageError(f"the command also reads this file{also}", where=path, advice="name another output")


# ---- Bytes that are kept until all are known ----


class Spool:
    """Keeps bytes in memory or, if there are many, in a temporary file."""

    def __init__(self) -> None:
        self._file: IO[bytes] = io.BytesIO()
        self._in_memory = True

    def write(self, data: bytes) -> int:
        """Append bytes."""
        with temporary_files():
            if self._in_memory and self._file.tell() + len(data) > _MOST_IN_MEMORY:
                import tempfile

                begin = cast("io.BytesIO", self._file).getvalue()
                self._file = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115  closed with the spool
                self._in_memory = False
                self._file.write(begin)
            return self._file.write(data)

    def tell(self) -> int:
        """Return the number of bytes."""
        return self._file.tell()

    def copy_to(self, target: IO[bytes], begin: int = 0, end: int = sys.maxsize) -> None:
        """Copy the bytes from `begin` to `end` to the file `target`; call this after the last write."""
        with temporary_files():  # `seek` writes buffered bytes
            self._file.seek(begin)
        while piece := self._file.read(min(_PIECE, end - begin)):
            target.write(piece)
            begin += len(piece)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # the error was raised already
            self._file.close()


@contextlib.contextmanager
def temporary_files() -> Iterator[None]:
    """Inside the block, turn errors of temporary files into an error that names their folder."""
    try:
        yield
    except OSError as error:
        import tempfile

        folder = None
        with contextlib.suppress(OSError):  # no folder is writable; the error lists the folders
            folder = tempfile.gettempdir()
        raise InputError(
            f"temporary files cannot be written: {error.strerror}",
            where=folder,
            advice="free disk space, or set TMPDIR to another folder",
        ) from None
