"""Writing graphs to files: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, cast
from unicodedata import category

from latticemetric.errors import (
    InputError,
    LatticeMetricError,
    OutputClosedError,
    UsageError,
    of_system,
    output_closed,
    placed,
    shortened,
)
from latticemetric.formats.registry import Format, find_format, format_for_writing
from latticemetric.formats.streams.compression import compressing
from latticemetric.formats.streams.inputs import current
from latticemetric.formats.streams.spool import Spool
from latticemetric.graph import Graph

STANDARD_OUTPUT = "-"

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_TOKEN_BYTES = 8
_DRAFT = re.compile(rb"\.(.+)\.[0-9a-f]{%d}\.part" % (2 * _TOKEN_BYTES), re.DOTALL)
# With what is added, a draft's name is no longer than any disk allows.
_LONGEST_NAME = 200


Refused = Callable[[str, LatticeMetricError], None]

_drafts: set[Path] = set()


def write(
    path: str | os.PathLike[str],
    graphs: Iterable[tuple[str, Graph]],
    *,
    format: str | None = None,
    refused: Refused | None = None,
) -> int:
    """Writes graphs; returns how many.

    Args:
        path: A file (compressed as its suffix says), a folder to be (it ends in `/`: a file a graph), or `-`.
        graphs: Ids and graphs.
        format: A format's name; taken from the path's suffix where it is not given.
        refused: Is told the id of a graph that the format cannot hold, and why; the others are written. Without it,
            that is an error, and nothing is.
    """
    target = os.fspath(path)
    chosen = find_format(format) if format else format_for_writing(target)
    if not chosen.can_be_written:
        raise UsageError(f"{chosen.name} can only be read")
    with _encodable(chosen.name):
        if chosen.write_files is not None:
            return _some(chosen.write_files(target, _rehearsed(graphs, chosen, refused)))
        if target.endswith("/"):
            return _write_folder(Path(target), graphs, chosen, refused)
        with atomic_output(target) as file:
            if chosen.write_archive is not None:
                return _some(chosen.write_archive(file, _rehearsed(graphs, chosen, refused)))
            return _some(_write_one_by_one(file, graphs, chosen, refused))


@contextlib.contextmanager
def _encodable(format_name: str) -> Iterator[None]:
    """Says that ids which are names of files may hold bytes that are no text; all that is read from files is text."""
    try:
        yield
    except UnicodeEncodeError as error:
        odd = re.search(r"\S*[\ud800-\udfff]\S*", str(error.object))
        raise UsageError(
            f"the id '{shortened(odd[0] if odd else '')}' is not UTF-8, and {format_name} cannot write it",
            advice="rename the file that it comes from",
        ) from None


def _some(count: int) -> int:
    if not count:
        raise InputError("there are no graphs to write")
    return count


@contextlib.contextmanager
def _refusing(name: str, refused: Refused | None) -> Iterator[None]:
    """Tells of a graph that cannot be written, if somebody wants to know."""
    try:
        with placed(shortened(name)):
            yield
    except LatticeMetricError as error:
        if refused is None:
            raise
        refused(name, error)


def _encoded(name: str, graph: Graph, chosen: Format) -> bytes:
    """One graph as it is written; whole, before a byte of it is."""
    piece = io.BytesIO()
    with _encodable(chosen.name):
        if chosen.write is not None:
            chosen.write(piece, name, graph)
        else:
            assert chosen.write_archive is not None
            chosen.write_archive(piece, [(name, graph)])
    return piece.getvalue()


def _rehearsed(
    graphs: Iterable[tuple[str, Graph]], chosen: Format, refused: Refused | None
) -> Iterator[tuple[str, Graph]]:
    """Those that can be written; where nobody wants to know of others, all of them."""
    if refused is None:
        yield from graphs
        return
    names: set[str] = set()
    for name, graph in graphs:
        data = None
        with _refusing(name, refused):
            _check_distinct(name, names)
            data = _encoded(name, graph, chosen)
        if data is not None:
            names.add(name)
            yield name, graph


def _write_one_by_one(
    file: IO[bytes], graphs: Iterable[tuple[str, Graph]], chosen: Format, refused: Refused | None
) -> int:
    count = 0
    for name, graph in graphs:
        if chosen.single and count:
            raise UsageError(
                f"a file in the format {chosen.name} holds one graph",
                advice="name a folder (with / at its end), or write a far",
            )
        data = None
        with _refusing(name, refused):
            data = _encoded(name, graph, chosen)
        if data is not None:
            file.write(data)
            count += 1
    return count


def _write_folder(folder: Path, graphs: Iterable[tuple[str, Graph]], chosen: Format, refused: Refused | None) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made a folder: {error.strerror}", where=str(folder)) from None
    names: set[str] = set()
    written: set[tuple[int, int]] = set()
    for name, graph in graphs:
        data = None
        path = folder / (name + chosen.suffixes[0])
        with _refusing(name, refused):
            _check_distinct(name, names)
            _check_file_of(name, path, written)
            data = _encoded(name, graph, chosen)
        if data is not None:
            with atomic_output(str(path)) as file:
                file.write(data)
            names.add(name)
            written.add(_file_number(path))
    return len(names)


def _check_distinct(name: str, names: Container[str]) -> None:
    if name in names:
        raise UsageError(f"two graphs have the id '{shortened(name)}'", advice="write one file of all of them")


def _check_file_of(name: str, path: Path, written: Container[tuple[int, int]]) -> None:
    if not _can_name_a_file(name):
        raise UsageError(f"the id '{shortened(name)}' cannot name a file", advice="write one file of all of them")
    if os.path.exists(path) and _file_number(path) in written:  # noqa: PTH110  names may be too long, which is said below
        raise UsageError(
            f"the id '{shortened(name)}' and another one name the same file", where=str(path), advice="rename one"
        )


def _can_name_a_file(name: str) -> bool:
    """Whether it can, here and in shells and lists: it leads nowhere else, is not hidden, and moves no cursor."""
    leads = {"/", os.sep, os.altsep or os.sep}
    return bool(name) and not name.startswith(".") and not any(c in leads or category(c) == "Cc" for c in name)


def _file_number(path: Path) -> tuple[int, int]:
    """What tells files apart where names do not: A and a, é and é may be the same, as the folder's disk has it."""
    state = path.stat()
    return state.st_dev, state.st_ino


@contextlib.contextmanager
def standard_output() -> Iterator[IO[bytes]]:
    """Standard output as bytes, flushed at the end."""
    if sys.stdout is None:
        raise output_closed()
    output = cast("IO[bytes]", _Written(sys.stdout.buffer, "standard output"))
    yield output
    output.flush()


@contextlib.contextmanager
def atomic_output(path: str) -> Iterator[IO[bytes]]:
    """A file to write to that appears under its name, or on standard output (`-`), only when all of it is written."""
    if path == STANDARD_OUTPUT:
        with Spool() as spool:
            yield cast("IO[bytes]", spool)
            with standard_output() as output:
                spool.copy_to(output)
        return
    with _written_aside(path) as raw:
        with _blaming(path):
            packed = compressing(path, raw)
        file = cast("IO[bytes]", _Written(packed, path))
        yield file
        if packed is not raw:
            file.close()


@contextlib.contextmanager
def _written_aside(path: str) -> Iterator[IO[bytes]]:
    """A file that takes the place of another when it is whole; what cannot be replaced is written on."""
    with _blaming(path):
        real = Path(os.path.realpath(path))  # a link stays one
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
        with _blaming(path):
            raw.flush()
            if draft is not None and before is not None:
                _make_alike(raw.fileno(), before)
            raw.close()
            if draft is not None:
                _check_replaceable(str(real), path)  # what is read may have become known only now
                draft.replace(real)
    except BaseException:
        with contextlib.suppress(OSError):  # what could not be written was told
            raw.close()
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise
    finally:
        if draft is not None:
            _drafts.discard(draft)


def abandon_drafts() -> None:
    """Removes what this process has half written, where it is ended while it writes."""
    for draft in list(_drafts):
        with contextlib.suppress(OSError):
            draft.unlink()


@contextlib.contextmanager
def _blaming(path: str) -> Iterator[None]:
    """Says of what goes wrong that the file cannot be written; around nothing but its own operations."""
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


class _Written:
    """A file to write to whose errors name it: errors of files that are read meanwhile are not its own."""

    def __init__(self, raw: IO[bytes], name: str) -> None:
        self._raw, self._name = raw, name

    def write(self, data: bytes) -> int:
        with _blaming(self._name):
            return self._raw.write(data)

    def flush(self) -> None:
        with _blaming(self._name):
            self._raw.flush()

    def close(self) -> None:
        with _blaming(self._name):
            self._raw.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


def check_writable(path: str) -> None:
    """Says what is wrong with a file, or a folder (it ends in `/`), that will be written much later.

    Raises:
        InputError: It cannot be written as things are.
    """
    try:
        real = Path(os.path.realpath(path))
        if path.endswith("/"):
            _check_folder(real)
        elif real.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif is_replaceable(path):
            _check_replaceable(str(real), path)
            real.parent.stat()
            _check_access(real.parent)
    except (OSError, ValueError) as error:
        if isinstance(error, LatticeMetricError):
            raise
        why = error.strerror if isinstance(error, OSError) else "no file has such a name"
        raise InputError(f"cannot be written: {why}", where=path) from None


def _check_folder(folder: Path) -> None:
    """It may have to be made, and those that it will be in, too."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        raise InputError(f"cannot be made a folder: {os.strerror(errno.ENOTDIR)}", where=str(folder))
    _check_access(there)


def _check_access(folder: Path) -> None:
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _check_replaceable(real: str, path: str) -> None:
    """Refuses what is write-protected, which could be replaced nevertheless, and what the command at work reads."""
    if Path(real).is_symlink():
        raise InputError("cannot be written: it is a link to itself", where=path)
    if Path(real).exists() and not os.access(real, os.W_OK):
        raise InputError("cannot be written: Permission denied", where=path)
    if (inputs := current()) is not None:
        inputs.protect(path)


def _new_draft(output: Path, before: os.stat_result | None) -> tuple[Path, int]:
    """A new file beside an output, and its number while it is open. Nobody can have laid a link there beforehand.

    It is hidden: who reads the folder meanwhile passes over it. What takes the place of another file is private
    until it has that one's mode.
    """
    name = os.fsdecode(os.fsencode(output.name)[:_LONGEST_NAME])
    while True:
        draft = output.with_name(f".{name}.{os.urandom(_TOKEN_BYTES).hex()}.part")
        with contextlib.suppress(FileExistsError):
            return draft, os.open(draft, _CREATE, 0o666 if before is None else 0o600)


def _make_alike(number: int, before: os.stat_result) -> None:
    """Gives an open file the owner and the mode of the one that it replaces."""
    with contextlib.suppress(OSError):  # only root may give files away
        if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(number, before.st_uid, before.st_gid)
    os.fchmod(number, stat.S_IMODE(before.st_mode))


def remove_drafts(path: str) -> None:
    """Removes what killed runs had written of a file, or of those in a folder (it ends in `/`)."""
    real = Path(os.path.realpath(path))
    folder, name = (real, None) if path.endswith("/") else (real.parent, real.name)
    with contextlib.suppress(OSError):  # whoever writes there says what is wrong
        for file in folder.iterdir():
            draft = _DRAFT.fullmatch(os.fsencode(file.name))
            if draft and (name is None or draft[1] == os.fsencode(name)[:_LONGEST_NAME]):
                file.unlink(missing_ok=True)


def synced(path: str) -> None:
    """Waits until what was written there is on the disk, and not on its way to it."""
    try:
        for place in (path, os.path.dirname(os.path.realpath(path))):  # noqa: PTH120  a plain string
            descriptor = os.open(place, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot, and say so
            raise InputError(f"cannot be written: {error.strerror}", where=path) from None


def is_replaceable(path: str) -> bool:
    """Whether a new file may take the path's place: not that of a device, a pipe or a folder."""
    target = Path(path).absolute()
    return target.parts[1:2] not in {("dev",), ("proc",)} and (target.is_file() or not target.exists())
