"""Graphs written to files, folders, archives and standard output: a graph whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from typing import IO
from unicodedata import category

from latticemetric.errors import InputError, LatticeMetricError, UsageError, placed, shortened
from latticemetric.formats.registry import Format, find_format, format_for_writing
from latticemetric.formats.streams.output import atomic_output
from latticemetric.graph import Graph

Refused = Callable[[str, LatticeMetricError], None]


def write(
    path: str | os.PathLike[str],
    graphs: Iterable[tuple[str, Graph]],
    *,
    format: str | None = None,
    refused: Refused | None = None,
) -> int:
    """Write graphs; return how many.

    Args:
        path: A file (compressed as its suffix says), a folder to be (it ends in `/`: a file a graph), or `-`.
        graphs: Ids and graphs.
        format: A format's name; taken from the path's suffix where it is not given.
        refused: Called with the id of each graph that the format cannot hold, and the error; the other graphs are
            written. Without it, the error is raised, and no graph is written.
    """
    target = os.fspath(path)
    written = find_format(format) if format else format_for_writing(target)
    if not written.can_be_written:
        raise UsageError(f"{written.name} can only be read")
    with _encodable(written.name):
        if written.write_files is not None:
            return _require_graphs(written.write_files(target, _writable(graphs, written, refused)))
        if target.endswith("/"):
            return _write_folder(Path(target), graphs, written, refused)
        with atomic_output(target) as file:
            if written.write_archive is not None:
                return _require_graphs(written.write_archive(file, _writable(graphs, written, refused)))
            return _require_graphs(_write_one_by_one(file, graphs, written, refused))


@contextlib.contextmanager
def _encodable(format_name: str) -> Iterator[None]:
    """Refuse ids that are no text: they come from file names, which may hold any bytes."""
    try:
        yield
    except UnicodeEncodeError as error:
        odd = re.search(r"\S*[\ud800-\udfff]\S*", str(error.object))
        raise UsageError(
            f"the id '{shortened(odd[0] if odd else '')}' is not UTF-8, and {format_name} cannot write it",
            advice="rename the file that it comes from",
        ) from None


def _require_graphs(count: int) -> int:
    if not count:
        raise InputError("there are no graphs to write")
    return count


@contextlib.contextmanager
def _reporting(name: str, refused: Refused | None) -> Iterator[None]:
    """Report the error of a graph that cannot be written; raise it where nobody listens."""
    try:
        with placed(shortened(name)):
            yield
    except LatticeMetricError as error:
        if refused is None:
            raise
        refused(name, error)


def _encoded(name: str, graph: Graph, written: Format) -> bytes:
    """Return the bytes of a graph, all of them before any is written."""
    piece = io.BytesIO()
    with _encodable(written.name):
        if written.write is not None:
            written.write(piece, name, graph)
        else:
            assert written.write_archive is not None
            written.write_archive(piece, [(name, graph)])
    return piece.getvalue()


def _writable(
    graphs: Iterable[tuple[str, Graph]], written: Format, refused: Refused | None
) -> Iterator[tuple[str, Graph]]:
    """Yield the graphs that can be written and report the others; all of them where nobody listens."""
    if refused is None:
        yield from graphs
        return
    names: set[str] = set()
    for name, graph in graphs:
        with _reporting(name, refused):
            _check_distinct(name, names)
            _encoded(name, graph, written)
            names.add(name)
            yield name, graph


def _write_one_by_one(
    file: IO[bytes], graphs: Iterable[tuple[str, Graph]], written: Format, refused: Refused | None
) -> int:
    count = 0
    for name, graph in graphs:
        if written.single and count:
            raise UsageError(
                f"a file in the format {written.name} holds one graph",
                advice="name a folder (with / at its end), or write a far",
            )
        data = None
        with _reporting(name, refused):
            data = _encoded(name, graph, written)
        if data is not None:
            file.write(data)
            count += 1
    return count


def _write_folder(folder: Path, graphs: Iterable[tuple[str, Graph]], written: Format, refused: Refused | None) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made a folder: {error.strerror}", where=str(folder)) from None
    names: set[str] = set()
    files: set[tuple[int, int]] = set()
    for name, graph in graphs:
        data = None
        path = folder / (name + written.suffixes[0])
        with _reporting(name, refused):
            _check_distinct(name, names)
            _check_file_of(name, path, files)
            data = _encoded(name, graph, written)
        if data is not None:
            with atomic_output(str(path)) as file:
                file.write(data)
            names.add(name)
            files.add(_file_number(path))
    return len(names)


def _check_distinct(name: str, names: Container[str]) -> None:
    if name in names:
        raise UsageError(f"two graphs have the id '{shortened(name)}'", advice="write one file of all of them")


def _check_file_of(name: str, path: Path, files: Container[tuple[int, int]]) -> None:
    if not _can_name_a_file(name):
        raise UsageError(f"the id '{shortened(name)}' cannot name a file", advice="write one file of all of them")
    if os.path.exists(path) and _file_number(path) in files:  # noqa: PTH110  unlike Path, it takes names of any length
        raise UsageError(
            f"the id '{shortened(name)}' and another one name the same file", where=str(path), advice="rename one"
        )


def _can_name_a_file(name: str) -> bool:
    """Check that a name leads to no other folder, is not hidden, and moves no cursor."""
    leads = {"/", os.sep, os.altsep or os.sep}
    return bool(name) and not name.startswith(".") and not any(c in leads or category(c) == "Cc" for c in name)


def _file_number(path: Path) -> tuple[int, int]:
    """Return device and inode, which tell files apart where names do not: some disks take A for a, or é for é."""
    state = path.stat()
    return state.st_dev, state.st_ino
