"""Formats by name and by content: one registry that every reader and writer goes through.

`OWN` lists our formats: the module that holds each, and what a file in it can begin with.
"""

from __future__ import annotations

import codecs
import os
import re
import struct
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.streams.compression import foreign_container, without_compression
from latticemetric.formats.streams.stream import Stream

if TYPE_CHECKING:
    from latticemetric.graph import Graph
    from latticemetric.vocabulary import Vocabulary


# ---- Which module holds which of our formats, and what a file in it can begin with ----
#
# To import all readers takes longer than most oracles. So a glance at the first line leaves a few, and these look
# closer: a glance may err on one side only, and never passes over the format that a file is in.

OPENFST_MAGIC = struct.pack("<i", 2125659606)
_FAR_MAGICS = (struct.pack("<i", 2125656924), struct.pack("<i", 5656924))
_NUMBER_BEGINS = b"+-.0123456789"
_COMMENTS = (b";;", b"**")
_LONGEST_LINE = 2**12
_LONGEST_ID = 2**12


class Glance:
    """The first line of a file that has something on it, and the last one in sight."""

    def __init__(self, head: bytes) -> None:
        self.head = head
        self.line = head.lstrip().partition(b"\n")[0]
        self.fields = self.line[:_LONGEST_LINE].split() or [b""]
        lines = head.rstrip().rsplit(b"\n", 2)
        # The fields of the last whole line; those of the first one where there is no other.
        self.last = (lines[-2] if len(lines) > 1 else self.line).split() or self.fields

    def begins(self, *starts: bytes) -> bool:
        """Whether the first line begins so."""
        return self.line.startswith(starts)

    def numbers(self, count: int) -> bool:
        """Whether the first fields are whole numbers."""
        return len(self.fields) >= count and all(field.isdigit() for field in self.fields[:count])


def _archived(g: Glance) -> bool:
    return OPENFST_MAGIC in g.head[: _LONGEST_ID + len(OPENFST_MAGIC)] and not g.head.startswith(OPENFST_MAGIC)


def _id_line(g: Glance) -> bool:
    return b"|" not in g.line and not (g.fields[0].isdigit() and len(g.fields) > 1) and not g.begins(b"#", b"{")


def _word_and_number(g: Glance) -> bool:
    return b"\0" not in g.line and len(g.fields) > 1 and not g.numbers(2) and g.fields[1][:1] in _NUMBER_BEGINS


def _two_scores_and_a_count(g: Glance) -> bool:
    own = len(g.fields) > 2 and g.fields[2].isdigit() and not g.numbers(2)  # noqa: PLR2004  log10 scores, words
    return own or g.begins(b"NBestList", b"(")


def _ends_in_an_id(g: Glance) -> bool:
    return g.begins(*_COMMENTS) or g.line.rstrip().endswith(b")")


def _timed(g: Glance) -> bool:
    """Whether lines may have a file, a channel and times; not two states."""
    rows = (g.fields, g.last)
    states = any(len(row) > 1 and row[0].isdigit() and row[1].isdigit() and len(row[1]) > 1 for row in rows)
    times = len(g.fields) > 3 and g.fields[3][:1] in _NUMBER_BEGINS + b"*"  # noqa: PLR2004  file, channel, speaker
    return g.begins(*_COMMENTS) or (times and not states)


class Own(NamedTuple):
    """One of our formats: its module, and whether a file may be in it."""

    module: str
    may_be: Callable[[Glance], bool]


OWN = {
    "openfst": Own("openfst.binary", lambda g: g.head.startswith(OPENFST_MAGIC)),
    "openfst-text": Own("openfst.text", lambda g: g.fields[0].isdigit()),
    "far": Own("openfst.far", lambda g: g.head.startswith(_FAR_MAGICS)),
    "kaldi": Own("kaldi.text", _id_line),
    "kaldi-binary": Own("kaldi.binary", _archived),
    "kaldi-script": Own("kaldi.script", lambda g: len(g.fields) == 2 and b":" in g.fields[1]),  # noqa: PLR2004
    "htk-slf": Own("htk.slf", lambda g: g.begins(b"#") or b"=" in g.fields[0]),
    "plf": Own("moses.plf", lambda g: g.begins(b"(")),
    "sphinx": Own("sphinx", lambda g: g.begins(b"#", b"Frames")),
    "pfsg": Own("srilm.pfsg", lambda g: g.begins(b"##", b"name")),
    "wordmesh": Own("srilm.wordmesh", lambda g: g.begins(b"name", b"numaligns")),
    "moses-cn": Own("moses.confusion_network", _word_and_number),
    "moses-search-graph": Own("moses.search_graph", lambda g: b"hyp=" in g.line),
    "k2": Own("openfst.k2", lambda g: g.begins(b"k2.", b"FsaVec") or (g.numbers(2) and b"-" in g.head)),
    "moses-nbest": Own("moses.nbest", lambda g: b"|||" in g.line),
    "srilm-nbest": Own("srilm.nbest", _two_scores_and_a_count),
    "lattice-rescore-nbest": Own("htk.rescored_nbest", lambda g: b"|" in g.line and b"-" in g.fields[0]),
    "espnet-nbest": Own("nbest.espnet", lambda _: False),  # a folder
    "wenet-nbest": Own("nbest.wenet", lambda g: g.fields[0] == b"wav"),
    "icefall-recogs": Own("nbest.icefall", lambda g: b":\t" in g.line),
    "jsonl-nbest": Own("nbest.jsonl", lambda g: g.begins(b"{")),
    "trn": Own("nist.trn", _ends_in_an_id),
    "stm": Own("nist.stm", _timed),
    "ctm": Own("nist.ctm", _timed),
    "moses-hypergraph": Own("moses.hypergraph", lambda g: g.begins(b"#")),
    "cdec-target-graph": Own("moses.hypergraph", lambda g: len(g.fields) == 2 and g.numbers(2)),  # noqa: PLR2004
    "joshua-hypergraph": Own("forests.joshua", lambda g: g.begins(b"#")),
    "cdec-json": Own("forests.cdec", lambda g: g.begins(b"{")),
    "travatar-json": Own("forests.travatar", lambda g: g.begins(b"{")),
}

# Those that a folder as a whole may be in.
FOLDERS = ("espnet-nbest",)
# Those that point to other files.
SCRIPTS = ("kaldi-script",)


def possible(head: bytes) -> list[str]:
    """The formats that a stream with such first bytes may be in."""
    glance = Glance(head)
    return [name for name, own in OWN.items() if own.may_be(glance)]


_ENTRY_POINTS = "latticemetric.formats"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
Naming = Literal["own", "file", "position", "number"]

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
        naming: Whether the id stands in the stream itself (`own`; `number` if it is the number of a sentence), or is
            the file's name, or a position.
        format: The format it is written in.
        order: Where graphs are sorted by names that need not follow the decoder's order (files of a folder or a tar
            archive, keys of a FAR): that name. Empty where the file has an order of its own.
    """

    name: str
    where: str
    build: Callable[[], Graph]
    naming: Naming = "position"
    format: str = ""
    order: str = ""

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
            `write` writes then what one graph adds to the main one.
        claims_folder: Whether a folder is in this format as a whole, told by the names in it; no other format's may
            be. Other folders mean their files, each in a format of its own.
        read_folder: Splits a folder that it claims into graphs, as `read` does with a stream.
        folder_files: The files of a folder that `read_folder` reads.
        points_to: Other files that are read with a file in this format, by the names in it.
        written_beside: Other files that `write_files` writes, by the target as the user wrote it.
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
    folder_files: Callable[[Path], Iterator[Path]] | None = None
    points_to: Callable[[Stream], Iterator[str]] | None = None
    written_beside: Callable[[str], tuple[str, ...]] | None = None

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
    for name in OWN:
        _own(name)
    return _formats


def _own(name: str) -> Format:
    if name not in _formats:
        import_module(f"latticemetric.formats.{OWN[name].module}")
    return _formats[name]


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
    if name in OWN:
        return _own(name)
    known = with_plugins()
    if name not in known:
        raise UsageError(f"there is no format '{name}'", advice=f"choose one of {', '.join(sorted(known))}")
    return known[name]


def folder_formats() -> list[Format]:
    """Our formats that a folder as a whole may be in."""
    return [_own(name) for name in FOLDERS]


def may_point(head: bytes) -> bool:
    """Check whether these first bytes may be of a format that points to other files."""
    candidates = [*map(_own, SCRIPTS), *_foreign()]
    return any(one.points_to is not None and one.sniff(head) for one in candidates)


def sniff(stream: Stream) -> Format:
    """The format that a stream's content looks like."""
    head = stream.head()
    if not head.strip():
        raise FormatError("the file is empty", where=stream.name)
    if container := foreign_container(head):
        raise FormatError(f"the file is {container}, which is not read", where=stream.name, advice="unpack it first")
    candidates = _candidates(head, [*map(_own, possible(head)), *_foreign()])
    if not candidates:
        with_plugins()
        candidates = _candidates(head, _foreign())
    if not candidates and head.startswith(_UTF_16) and b"\n" in head:
        raise FormatError("the text is not UTF-8 but UTF-16", where=stream.name, advice="convert the file with iconv")
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


def _foreign() -> list[Format]:
    """Formats of other packages that are known by now."""
    return [found for name, found in _formats.items() if name not in OWN]


def _candidates(head: bytes, known: Iterable[Format]) -> list[Format]:
    return [candidate for candidate in known if candidate.sniff(head)]


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


def graph_name(stem: str) -> str:
    """The id of a graph that has a file to itself: the file's name without its usual ends."""
    return _FILE_ENDS.sub("", stem) or stem
