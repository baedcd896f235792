"""Formats by name and by content: one registry that every reader and writer goes through."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from latticemetric.errors import FormatError, InputError, UsageError, placed, shortened
from latticemetric.formats.stream import STANDARD_INPUT, Stream, expand, open_stream, without_compression
from latticemetric.formats.tar import is_tar, members
from latticemetric.vocabulary import Vocabulary

if TYPE_CHECKING:
    from latticemetric.forest import Forest
    from latticemetric.lattice import Lattice
    from latticemetric.nbest import NBest

# In quotes: what a run has no use for is not imported.
Graph: TypeAlias = "Lattice | NBest | Forest"

_ENTRY_POINTS = "latticemetric.formats"
_OWN = (
    "openfst_binary",
    "far",
    "openfst_text",
    "kaldi_text",
    "kaldi_binary",
    "kaldi_script",
    "htk_slf",
    "plf",
    "sphinx",
    "pfsg",
    "wordmesh",
    "moses_cn",
    "moses_search_graph",
    "k2_text",
    "moses_nbest",
    "srilm_nbest",
    "lattice_rescore_nbest",
    "espnet_nbest",
    "wenet_nbest",
    "icefall_recogs",
    "jsonl_nbest",
    "trn",
    "stm",
    "ctm",
    "moses_hypergraph",
    "joshua_hypergraph",
    "cdec_json",
    "travatar_json",
)

Naming = Literal["own", "file", "position"]

_FILE_ENDS = re.compile(
    r"(\.sphinx)?(\.lat|\.lattice)?"
    r"(\.fst|\.ofst|\.txt|\.att|\.slf|\.far|\.srilm-nbest|\.nbest|\.sphinx|\.pfsg|\.mesh|\.wlat|\.k2"
    r"|\.hg|\.target_graph|\.joshua|\.cdec|\.travatar|\.json)*$"
)

_formats: dict[str, Format] = {}


class Entry(NamedTuple):
    """One graph of a stream, not yet built.

    Attributes:
        name: Its id.
        where: File and line where it begins.
        build: Parses and checks it; raises `InputError` where it cannot be used.
        naming: Whether the id stands in the stream itself (`own`), or is the file's name, or a position.
        format: The format it is written in.
    """

    name: str
    where: str
    build: Callable[[], Graph]
    naming: Naming = "position"
    format: str = ""

    @property
    def place(self) -> str:
        """Where it is, for an error."""
        return f"{self.where} ({shortened(self.name)})"


@dataclass(frozen=True)
class Format:
    """How one format is told from others, read and written.

    Attributes:
        name: As users write it.
        suffixes: Usual ends of file names, for writing.
        sniff: Whether a stream's first bytes look like it.
        read: Splits a stream into graphs. A vocabulary spells word numbers, where the format has numbers.
        write: Writes one graph; `None` where the format is only read.
        single: Whether a file holds just one graph.
        write_archive: Writes all graphs of a file, where they have an order or an index; returns how many.
        write_files: Writes all graphs where that takes more than one file; gets the target as the user wrote it.
        claims_folder: Whether a folder is in this format as a whole, told by the names in it; no other format's may
            be. Other folders mean their files, each in a format of its own.
        read_folder: Splits a folder that it claims into graphs, as `read` does with a stream.
    """

    name: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], bool]
    read: Callable[[Stream, Vocabulary | None], Iterator[Entry]]
    write: Callable[[IO[bytes], str, Graph], None] | None = None
    single: bool = False
    write_archive: Callable[[IO[bytes], Iterable[tuple[str, Graph]]], int] | None = None
    write_files: Callable[[str, Iterable[tuple[str, Graph]]], int] | None = None
    claims_folder: Callable[[Path], bool] | None = None
    read_folder: Callable[[Path, Vocabulary | None], Iterator[Entry]] | None = None

    @property
    def can_be_written(self) -> bool:
        """Whether there is a writer."""
        return any(writer is not None for writer in (self.write, self.write_archive, self.write_files))


def register(candidate: Format) -> Format:
    """Adds a format; a name that is taken is an error."""
    if candidate.name in _formats:
        raise UsageError(f"there are two formats named '{candidate.name}'")
    _formats[candidate.name] = candidate
    return candidate


def formats() -> dict[str, Format]:
    """Our own formats; `with_plugins` adds those of other packages."""
    for module in _OWN:
        import_module(f"latticemetric.formats.{module}")
    return _formats


def with_plugins() -> dict[str, Format]:
    """All formats. Asked for only where ours do not serve: looking for plug-ins takes longer than most lattices."""
    from importlib.metadata import entry_points

    known = formats()
    for entry in entry_points(group=_ENTRY_POINTS):
        if entry.name in known:
            continue
        try:
            plugin = entry.load()
            if known.get(plugin.name) is not plugin:
                register(plugin)
        except Exception as error:  # noqa: BLE001  whatever a stranger's package raises
            warnings.warn(f"format plug-in '{entry.name}' ({entry.value}) does not load: {error}", stacklevel=2)
    return _formats


def find_format(name: str) -> Format:
    """The format of that name."""
    known = formats()
    if name not in known and name not in with_plugins():
        raise UsageError(f"there is no format '{name}'", advice=f"choose one of {', '.join(sorted(known))}")
    return known[name]


def sniff(stream: Stream) -> Format:
    """The format that a stream's content looks like."""
    head = stream.head()
    if not head.strip():
        raise FormatError("the file is empty", where=stream.name)
    candidates = _candidates(head, formats()) or _candidates(head, with_plugins())
    if not candidates:
        raise FormatError(
            "the format is not recognised",
            where=stream.name,
            advice=f"name it with --from, one of {', '.join(sorted(_formats))}",
        )
    if len(candidates) > 1:
        names = " or ".join(f.name for f in candidates)
        raise FormatError(f"this could be {names}", where=stream.name, advice="say which with --from")
    return candidates[0]


def _candidates(head: bytes, known: dict[str, Format]) -> list[Format]:
    return [candidate for candidate in known.values() if candidate.sniff(head)]


def format_for_writing(path: str) -> Format:
    """The format whose suffix a path has."""
    name = without_compression(os.fspath(path))
    candidates = [f for f in with_plugins().values() if f.can_be_written and name.endswith(f.suffixes)]
    longest = max((len(s) for f in candidates for s in f.suffixes if name.endswith(s)), default=0)
    candidates = [f for f in candidates if any(name.endswith(s) and len(s) == longest for s in f.suffixes)]
    if len(candidates) != 1:
        known = ", ".join(sorted(f.name for f in _formats.values() if f.can_be_written))
        raise UsageError(f"'{path}' does not tell a format", advice=f"name one of {known}")
    return candidates[0]


def entries(
    paths: Iterable[str | os.PathLike[str]],
    format_name: str | None = None,
    vocabulary: Vocabulary | None = None,
) -> Iterator[Entry]:
    """The graphs of some files, one after the other, not yet built."""
    chosen = find_format(format_name) if format_name else None
    for path in expand(paths, lambda folder: _claimant(folder, chosen) is not None):
        try:
            yield from _entries_of(path, chosen, vocabulary)
        except InputError as error:
            yield _failed(path, error)


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
    for member in members(archive):
        if isinstance(member, InputError):
            yield _failed(member.where or archive.name, member)
            continue
        try:
            yield from _entries_of_stream(member, chosen, vocabulary)
        except InputError as error:
            yield _failed(member.name, error)


def _entries_of_stream(stream: Stream, chosen: Format | None, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    found = chosen or sniff(stream)
    yield from _ready(found.read(stream, vocabulary), found, stream.name)


def _ready(read: Iterator[Entry], found: Format, path: str) -> Iterator[Entry]:
    count = 0
    for entry in read:
        count += 1
        yield entry._replace(build=partial(_build, entry), format=found.name)
    if count == 0:
        raise FormatError(f"the {found.name} file holds no graph", where=path)


def _claimant(folder: Path, chosen: Format | None) -> Format | None:
    """The format that a folder as a whole is in, if there is one; a plug-in's only where it is chosen."""
    for candidate in [chosen] if chosen is not None else formats().values():
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


def graph_name(stem: str) -> str:
    """The id of a graph that has a file to itself: the file's name without its usual ends."""
    return _FILE_ENDS.sub("", stem) or stem


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
