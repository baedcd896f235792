"""Write graphs to files, folders, archives and standard output; never write part of a graph."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO
from unicodedata import category

from latticemetric.arguments import path_text
from latticemetric.errors import InputError, LatticeMetricError, UsageError, of_system, placed, shortened
from latticemetric.formats.registry import Format, find_format, format_for_writing
from latticemetric.formats.streams.output import atomic_output
from latticemetric.formats.streams.specifiers import require_plain_name
from latticemetric.formats.written_losses import Losses
from latticemetric.graph import Graph, named_graphs
from latticemetric.renamed import says_new_keywords

_BAD_NAMES = {errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ}
_SEPARATORS = {"/", os.sep, os.altsep or os.sep}


class NoGraphsError(InputError):
    """There is no graph to write, or none that the format can hold."""


Refused = Callable[[str, LatticeMetricError], None]
"""A function that is called with the id and the error of each graph that cannot be written."""


@says_new_keywords
def write(
    path: str | os.PathLike[str],
    graphs: Iterable[tuple[str, Graph]],
    *,
    format: str | None = None,
    refused: Refused | None = None,
) -> int:
    """Write graphs; return the number of written graphs. If a graph cannot be written, write no part of it.

    Args:
        path: A file (its suffix chooses the compression), a folder with `/` at its end (one file per graph), or `-` for
            standard output.
        graphs: Pairs of id and graph.
        format: The name of the format; by default, the path's suffix chooses it.
        refused: Function to call with the id and the error of each graph that the format cannot hold; the other graphs
            are written. By default, the first such error is raised, and the file or archive is not written.

    Raises:
        NoGraphsError: No graph is left to write to a file or archive; the file or archive is not written.
    """
    target, graphs = path_text(path), named_graphs(graphs)
    require_plain_name(target)
    written = find_format(format) if format else format_for_writing(target)
    if not written.can_be_written:
        raise UsageError(
            f"{written.name} can be read, but not written",
            advice="choose another format with write(format=…)",
        )
    if written.has_ids and not written.single:
        graphs = _with_distinct_ids(graphs, written.name, refused)
    losses = Losses(target, written)
    with _encodable(written.name):
        count = _write_graphs(target, losses.watched(graphs), written, refused)
    losses.note()
    return count


def _write_graphs(target: str, graphs: Iterable[tuple[str, Graph]], written: Format, refused: Refused | None) -> int:
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
    """Inside the block, refuse ids that are not UTF-8. An id may come from a file name, which may hold any bytes."""
    try:
        yield
    except UnicodeEncodeError as error:
        odd = re.search(r"\S*[\ud800-\udfff]\S*", str(error.object))
        raise UsageError(
            f"the id '{shortened(odd[0] if odd else '')}' is not UTF-8, and {format_name} cannot write it",
            advice="rename the file that gives the graph its id",
        ) from None


def _require_graphs(count: int) -> int:
    if not count:
        raise NoGraphsError("there are no graphs to write")
    return count


@contextlib.contextmanager
def _reporting(name: str, refused: Refused | None) -> Iterator[None]:
    """Inside the block, report the error of a graph that cannot be written; raise it if `refused` is `None`."""
    try:
        with placed(shortened(name)):
            yield
    except LatticeMetricError as error:
        if refused is None:
            raise
        refused(name, error)


def _encoded(name: str, graph: Graph, written: Format) -> bytes:
    """Return all bytes of a graph. If the graph cannot be written, raise the error before any byte is written."""
    piece = io.BytesIO()
    with _encodable(written.name):
        if written.write is not None:
            written.write(piece, name, graph)
        else:
            assert written.write_archive is not None
            written.write_archive(piece, [(name, graph)])
    data = piece.getvalue()
    if data.startswith(codecs.BOM_UTF8):
        raise UsageError(
            "the text begins with a byte order mark (U+FEFF), which is no content at the beginning of a file",
            advice="remove it from the id or the word",
        )
    return data


def _writable(
    graphs: Iterable[tuple[str, Graph]], written: Format, refused: Refused | None
) -> Iterator[tuple[str, Graph]]:
    """Yield the graphs that can be written, and report the other graphs; if `refused` is `None`, yield all graphs."""
    if refused is None:
        yield from graphs
        return
    for name, graph in graphs:
        with _reporting(name, refused):
            _encoded(name, graph, written)
            yield name, graph


def _with_distinct_ids(
    graphs: Iterable[tuple[str, Graph]], format_name: str, refused: Refused | None
) -> Iterator[tuple[str, Graph]]:
    """Yield the graphs; refuse a graph with the id of an earlier graph, since readers would refuse or merge both."""
    names: set[str] = set()
    for name, graph in graphs:
        with _reporting(name, refused):
            if name in names:
                raise UsageError(
                    f"two graphs have the id '{shortened(name)}', but ids in {format_name} must differ",
                    advice="convert each file by itself, or write to a format without ids, such as plf",
                )
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
                advice="name a folder (ending in /), or choose the format 'far'",
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
        raise InputError(f"the folder cannot be created: {error.strerror}", where=str(folder)) from None
    names: set[str] = set()
    files: set[tuple[int, int]] = set()
    for name, graph in graphs:
        data = None
        path = folder / (name + written.suffixes[0])
        with _reporting(name, refused):
            if name in names:
                raise UsageError(f"two graphs have the id '{shortened(name)}'", advice="write all graphs to one file")
            # The file must stay in the folder, must not be hidden, and must have no control characters in its name.
            if not name or name.startswith(".") or any(c in _SEPARATORS or category(c) == "Cc" for c in name):
                raise UsageError(
                    f"the id '{shortened(name)}' cannot name a file", advice="write all graphs to one file"
                )
            _require_name(path)
            if os.path.exists(path) and _file_number(path) in files:  # noqa: PTH110  accepts long names
                raise UsageError(
                    f"the id '{shortened(name)}' and another id give the same file name",
                    where=str(path),
                    advice="change one of the ids, or write all graphs to one file",
                )
            data = _encoded(name, graph, written)
        if data is not None:
            with atomic_output(str(path)) as file:
                file.write(data)
            names.add(name)
            files.add(_file_number(path))
    return len(names)


def _require_name(path: Path) -> None:
    """Raise an error if the file system refuses the name of a file, such as a name that is too long."""
    try:
        os.lstat(path)  # accepts long paths, unlike pathlib in some versions
    except OSError as error:
        if error.errno in _BAD_NAMES:
            what = f"the id cannot name a file ({of_system(error)})"
            raise UsageError(what, where=shortened(str(path), 200), advice="write all graphs to one file") from None


def _file_number(path: Path) -> tuple[int, int]:
    """Return device and inode of a file. On some disks, two names (A and a, or two forms of é) mean the same file."""
    state = path.stat()
    return state.st_dev, state.st_ino
