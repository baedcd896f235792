"""Writing graphs to files: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from typing import IO, cast

from latticemetric.errors import InputError, LatticeMetricError, OutputClosedError, UsageError, placed, shortened
from latticemetric.formats.files.compression import compressing
from latticemetric.formats.files.spool import Spool
from latticemetric.formats.registry import Format, Graph, find_format, format_for_writing

STANDARD_OUTPUT = "-"


Refused = Callable[[str, LatticeMetricError], None]


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
    if chosen.write_files is not None:
        return _some(chosen.write_files(target, _rehearsed(graphs, chosen, refused)))
    if target.endswith("/"):
        return _write_folder(Path(target), graphs, chosen, refused)
    with atomic_output(target) as file:
        if chosen.write_archive is not None:
            return _some(chosen.write_archive(file, _rehearsed(graphs, chosen, refused)))
        return _some(_write_one_by_one(file, graphs, chosen, refused))


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
    for name, graph in graphs:
        data = None
        with _refusing(name, refused):
            _check_distinct(name, names)
            if not name or "/" in name or name.startswith("."):
                raise UsageError(f"the id '{shortened(name)}' cannot name a file")
            data = _encoded(name, graph, chosen)
        if data is not None:
            with atomic_output(str(folder / (name + chosen.suffixes[0]))) as file:
                file.write(data)
            names.add(name)
    return len(names)


def _check_distinct(name: str, names: Container[str]) -> None:
    if name in names:
        raise UsageError(f"two graphs have the id '{shortened(name)}'", advice="write one file of all of them")


@contextlib.contextmanager
def standard_output() -> Iterator[IO[bytes]]:
    """Standard output as bytes, flushed at the end."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise OutputClosedError from None
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where="standard output") from None


@contextlib.contextmanager
def atomic_output(path: str) -> Iterator[IO[bytes]]:
    """A file to write to that appears under its name, or on standard output (`-`), only when all of it is written."""
    if path == STANDARD_OUTPUT:
        with Spool() as spool:
            yield cast("IO[bytes]", spool)
            with standard_output() as output:
                spool.copy_to(output)
        return
    replaceable = is_replaceable(path)
    real = os.path.realpath(path)  # a link stays one
    draft = f"{real}.{os.getpid()}.part" if replaceable else path
    try:
        with Path(draft).open("wb" if replaceable else "ab") as raw:
            file = compressing(path, raw)
            yield file
            if file is not raw:
                file.close()
        if replaceable:
            if Path(real).exists():
                Path(draft).chmod(Path(real).stat().st_mode)
            Path(draft).replace(real)
    except OSError as error:
        _discard(draft, replaceable=replaceable)
        raise InputError(f"cannot be written: {error.strerror or error}", where=path) from None
    except BaseException:
        _discard(draft, replaceable=replaceable)
        raise


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


def _discard(draft: str, *, replaceable: bool) -> None:
    if replaceable:
        Path(draft).unlink(missing_ok=True)
