"""Graphs of files, folders, globs, archives and standard input, one in memory at a time."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from latticemetric.errors import FormatError, InputError, UsageError, placed
from latticemetric.formats.registry import Entry, Format, find_format, folder_formats, graph_name, may_point, sniff
from latticemetric.formats.streams.compression import is_tar, without_compression
from latticemetric.formats.streams.paths import expand
from latticemetric.formats.streams.stream import STANDARD_INPUT, Stream, open_stream
from latticemetric.graph import Graph
from latticemetric.vocabulary import Vocabulary

_GLANCE = 2**16
# By so many bytes, what is compressed is told from text.
_MAGIC = 4
_SUFFIXES = re.compile(r"(?<=[^/])(\.[A-Za-z]\w*)+$")


def entries(
    paths: Iterable[str | os.PathLike[str]],
    format_name: str | None = None,
    vocabulary: Vocabulary | None = None,
) -> Iterator[Entry]:
    """The graphs of some files, one after the other, not yet built."""
    chosen = find_format(format_name) if format_name else None
    given = [os.fspath(path) for path in paths]
    files = [(path, expand([path], lambda folder: _claimant(folder, chosen) is not None)) for path in given]
    for path, file in [(path, file) for path, found in files for file in found]:
        read = _entries_or_failure(file, chosen, vocabulary)
        # Files of a folder or a glob are sorted by their names, which the user did not put in this order.
        yield from read if file == path else _ordered(read, file)


def _entries_or_failure(path: str, chosen: Format | None, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    try:
        yield from _entries_of(path, chosen, vocabulary)
    except InputError as error:
        yield _failed(path, error)


def _ordered(read: Iterable[Entry], name: str) -> Iterator[Entry]:
    """The same graphs, whose place follows from the name of their file, without its usual ends."""
    stem = _SUFFIXES.sub("", name)
    for entry in read:
        yield entry._replace(order=f"{stem}/{entry.order}" if entry.order else stem)


def files_read(path: str, format_name: str | None = None) -> Iterator[str]:
    """All files that are read for the graphs of a path: a folder's, a glob's matches, and what scripts point to.

    What cannot be read is left out: `entries` says so.
    """
    with contextlib.suppress(InputError, UsageError, OSError):
        chosen = find_format(format_name) if format_name else None
        for file in expand([path], lambda folder: _claimant(folder, chosen) is not None):
            with contextlib.suppress(InputError, UsageError, OSError):
                if Path(file).is_dir():
                    yield from _files_of_folder(Path(file), chosen)
                else:
                    yield file
                    yield from _pointed_to(file, chosen)


def _files_of_folder(folder: Path, chosen: Format | None) -> Iterator[str]:
    claimant = _claimant(folder, chosen)
    assert claimant is not None
    if claimant.folder_files is None:
        yield from map(str, filter(Path.is_file, folder.rglob("*")))
    else:
        yield from map(str, claimant.folder_files(folder))


def _pointed_to(path: str, chosen: Format | None) -> Iterator[str]:
    """List the files that a plain file points to; leave pipes alone, which can be read only once."""
    if (chosen is not None and chosen.points_to is None) or not os.path.isfile(path):  # noqa: PTH113  a plain string
        return
    if chosen is None and not _may_point(path):
        return
    with open_stream(path) as stream:
        if is_tar(stream.head()):
            return  # to find scripts in it, all of it would have to be read
        found = chosen or sniff(stream)
        if found.points_to is not None:
            yield from found.points_to(stream)


def _may_point(path: str) -> bool:
    """A glance at a file: thousands may have to be looked at before the first of them is read."""
    with open(path, "rb", buffering=0) as raw:  # noqa: PTH123  a plain string
        head = raw.read(_GLANCE)
    plain = all(chr(byte).isprintable() or chr(byte).isspace() for byte in head[:_MAGIC]) and head[:_MAGIC].isascii()
    return not plain or may_point(head)


def _failed(path: str, error: InputError) -> Entry:
    """A file that cannot be read, or read on, is a graph that cannot be built: others may be gone on with."""
    return Entry(graph_name(without_compression(Path(path).name)), path, partial(_fail, error), naming="file")


def _entries_of(path: str, chosen: Format | None, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    if path != STANDARD_INPUT and Path(path).is_dir():
        claimant = _claimant(Path(path), chosen)
        assert claimant is not None
        assert claimant.read_folder is not None
        yield from _ready(claimant.read_folder(Path(path), vocabulary), claimant, path)
        return
    with open_stream(path) as stream:
        if is_tar(stream.head()):
            yield from _entries_of_tar(stream, chosen, vocabulary)
        else:
            yield from _entries_of_stream(stream, chosen, vocabulary)


def _entries_of_tar(archive: Stream, chosen: Format | None, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    from latticemetric.formats.streams.tar import members

    empty = True
    for member in members(archive):
        empty = False
        name = (member.where or archive.name) if isinstance(member, InputError) else member.name
        yield from _ordered(_entries_of_member(member, name, chosen, vocabulary), name)
    if empty:
        raise InputError("the archive holds no files", where=archive.name)


def _entries_of_member(
    member: Stream | InputError, name: str, chosen: Format | None, vocabulary: Vocabulary | None
) -> Iterator[Entry]:
    if isinstance(member, InputError):
        yield _failed(name, member)
        return
    try:
        yield from _entries_of_stream(member, chosen, vocabulary)
    except InputError as error:
        yield _failed(name, error)


def _entries_of_stream(stream: Stream, chosen: Format | None, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    found = chosen or sniff(stream)
    for entry in _ready(found.read(stream, vocabulary), found, stream.name):
        stream.graph_found()
        yield entry


def _ready(read: Iterator[Entry], found: Format, path: str) -> Iterator[Entry]:
    empty = True
    own: set[str] = set()
    for entry in read:
        empty = False
        again = entry.naming == "own" and entry.name in own
        own.add(entry.name)
        build = partial(_fail, FormatError("the id stands twice", where=entry.place)) if again else entry.build
        yield entry._replace(build=partial(_build, entry._replace(build=build)), format=found.name)
    if empty:
        raise FormatError(f"the {found.name} file holds no graph", where=path)


def _claimant(folder: Path, chosen: Format | None) -> Format | None:
    """The format that a folder as a whole is in, if there is one; a plug-in's only where it is chosen."""
    for candidate in [chosen] if chosen is not None else folder_formats():
        if candidate.claims_folder is not None and _claims(candidate.claims_folder, folder):
            return candidate
    return None


def _claims(claims_folder: Callable[[Path], bool], folder: Path) -> bool:
    try:
        return claims_folder(folder)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(folder)) from None


def _fail(error: InputError) -> Graph:
    raise error


def _build(entry: Entry) -> Graph:
    with placed(entry.place):
        return entry.build()


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    symbols: str | os.PathLike[str] | Vocabulary | None = None,
) -> Iterator[tuple[str, Graph]]:
    """Reads the graphs of a file, folder, glob or standard input (`-`), one in memory at a time.

    Args:
        path: Where; gzip, xz and zstd are decompressed.
        format: A format's name; sniffed from the content where it is not given.
        symbols: A symbol table (or its file) that spells word numbers.

    Yields:
        Each graph's id, and the graph.
    """
    from latticemetric.formats.symbols import as_vocabulary

    for entry in entries([path], format, as_vocabulary(symbols)):
        yield entry.name, entry.build()


def read_one(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    symbols: str | os.PathLike[str] | Vocabulary | None = None,
) -> Graph:
    """Reads the only graph of a file."""
    graphs = read(path, format=format, symbols=symbols)
    _, graph = next(graphs)
    if next(graphs, None) is not None:
        raise InputError("there is more than one graph", where=os.fspath(path), advice="use read")
    return graph
