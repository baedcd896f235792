"""The registry of formats: find a format by name or by content.

`BUILT_IN` lists the formats of this package, each with its module and a quick test of a file's first line.
"""

from __future__ import annotations

import re
import struct
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from latticemetric import plugins
from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats import answers
from latticemetric.formats.streams.compression import container_of, without_compression
from latticemetric.formats.streams.stream import HEAD_SIZE, UTF_16, Stream
from latticemetric.formats.timed_texts import timed_texts
from latticemetric.likeness import which_of

if TYPE_CHECKING:
    from latticemetric.formats.streams.stream import Piece
    from latticemetric.graph import Graph
    from latticemetric.nbest import TableLists
    from latticemetric.vocabulary import Vocabulary

# Importing all readers takes longer than most commands. So a quick test of the first line selects some candidates; only
# their modules are imported, and their `sniff` decides. The test may accept a wrong format, but rejects no right one.

_FST_MAGIC = struct.pack("<i", 2125659606)
_FAR_MAGICS = (struct.pack("<i", 2125656924), struct.pack("<i", 5656924))
_NUMBER_BEGINS = b"+-.0123456789"
_COMMENTS = (b";;", b"**")
_LONGEST_LINE = 2**12
_LONGEST_ID = 2**12


class Head:
    """The first bytes of a file, their first line that is not blank, and their last complete line."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.line = data.lstrip().partition(b"\n")[0]
        self.fields = self.line[:_LONGEST_LINE].split() or [b""]
        lines = data.rstrip().rsplit(b"\n", 2)
        # The fields of the last whole line; if there is none, those of the first line.
        self.last = (lines[-2] if len(lines) > 1 else self.line).split() or self.fields

    def begins(self, *starts: bytes) -> bool:
        """Check whether the first line begins with one of `starts`."""
        return self.line.startswith(starts)

    def numbers(self, count: int) -> bool:
        """Check whether the first `count` fields are whole numbers."""
        return len(self.fields) >= count and all(field.isdigit() for field in self.fields[:count])


def _id_line(head: Head) -> bool:
    is_arc = head.fields[0].isdigit() and len(head.fields) > 1
    return b"|" not in head.line and not is_arc and not head.begins(b"#", b"{")


def _word_and_number(head: Head) -> bool:
    fields = head.fields
    return b"\0" not in head.line and len(fields) > 1 and not head.numbers(2) and fields[1][:1] in _NUMBER_BEGINS


def _two_scores_and_a_count(head: Head) -> bool:
    plain = len(head.fields) > 2 and head.fields[2].isdigit() and not head.numbers(2)  # noqa: PLR2004
    return plain or head.begins(b"NBestList", b"(")


def _timed(head: Head) -> bool:
    """Check whether the lines look like CTM or STM (file, channel, times), not like a lattice's arcs (two states)."""
    rows = (head.fields, head.last)
    states = any(len(row) > 1 and row[0].isdigit() and row[1].isdigit() and len(row[1]) > 1 for row in rows)
    times = len(head.fields) > 3 and head.fields[3][:1] in _NUMBER_BEGINS + b"*"  # noqa: PLR2004
    return head.begins(*_COMMENTS) or (times and not states)


class BuiltIn(NamedTuple):
    """A format of this package, as far as it is known before its module is imported.

    Attributes:
        module: The module that reads and writes it.
        may_be: A quick test; files that fail the test are not in this format.
        title: What the format is.
        ids: Where the ids of graphs come from.
        scores: The score columns.
        graphs: How many graphs a file holds, where `Format.single` does not tell.
        ends: The endings of names of files that are ids without them.
    """

    module: str
    may_be: Callable[[Head], bool]
    title: str
    ids: str
    scores: str
    graphs: str = ""
    ends: tuple[str, ...] = ()


BUILT_IN = {
    "openfst": BuiltIn(
        "openfst.binary",
        lambda head: head.data.startswith(_FST_MAGIC),
        "OpenFst binary",
        "file name",
        "one, `weight`",
        ends=(".fst", ".ofst"),
    ),
    "openfst-text": BuiltIn(
        "openfst.text",
        lambda head: head.fields[0].isdigit(),
        "OpenFst text (AT&T)",
        "file name",
        "one, `weight`, or none",
        ends=(".fst", ".txt", ".att"),
    ),
    "far": BuiltIn(
        "openfst.binary",
        lambda head: head.data.startswith(_FAR_MAGICS),
        "OpenFst archive",
        "keys",
        "one, `weight`",
        ends=(".far",),
    ),
    "kaldi": BuiltIn("kaldi.text", _id_line, "Kaldi text archive of lattices", "utterance ids", "`lm`, `acoustic`"),
    "kaldi-binary": BuiltIn(
        "kaldi.binary",
        lambda head: head.data.find(_FST_MAGIC, 0, _LONGEST_ID + len(_FST_MAGIC)) > 0,
        "Kaldi binary archive of lattices",
        "utterance ids",
        "`lm`, `acoustic`",
    ),
    "kaldi-script": BuiltIn(
        "kaldi.script",
        lambda head: len(head.fields) > 1 and b":" in head.fields[-1],
        "Kaldi script: places in archives",
        "utterance ids",
        "`lm`, `acoustic`",
    ),
    "htk-slf": BuiltIn(
        "htk",
        lambda head: head.begins(b"#") or b"=" in head.fields[0],
        "HTK standard lattice format",
        "`UTTERANCE` or file name",
        "`acoustic`, `lm`, `pronunciation`, others",
        ends=(".slf", ".lat", ".lattice"),
    ),
    "plf": BuiltIn(
        "moses.plf", lambda head: head.begins(b"("), "Python lattice format", "line numbers", "any number, or none"
    ),
    "sphinx": BuiltIn(
        "sphinx",
        lambda head: head.begins(b"#", b"Frames"),
        "Sphinx-3, PocketSphinx lattice",
        "file name",
        "one, `acoustic`",
        ends=(".sphinx", ".lat", ".lattice"),
    ),
    "pfsg": BuiltIn(
        "srilm.pfsg", lambda head: head.begins(b"##", b"name"), "SRILM PFSG", "names", "one, `weight`", ends=(".pfsg",)
    ),
    "wordmesh": BuiltIn(
        "srilm.wordmesh",
        lambda head: head.begins(b"name", b"numaligns"),
        "SRILM word mesh",
        "names",
        "one, `posterior`",
        ends=(".mesh", ".wlat"),
    ),
    "moses-cn": BuiltIn(
        "moses.confusion_network", _word_and_number, "Moses confusion network", "positions", "`score`, or `score_0`, …"
    ),
    "moses-search-graph": BuiltIn(
        "moses.search_graph",
        lambda head: b"hyp=" in head.line,
        "Moses search graph, plain and extended",
        "sentence numbers",
        "`transition`; features (extended form)",
    ),
    "k2": BuiltIn(
        "openfst.k2",
        lambda head: head.begins(b"k2.", b"FsaVec") or (head.numbers(2) and b"-" in head.data),
        "k2 text",
        "file name",
        "one, `score`",
        graphs="one (several are read)",
        ends=(".k2", ".txt"),
    ),
    "moses-nbest": BuiltIn(
        "moses.nbest", lambda head: b"|||" in head.line, "Moses n-best list", "sentence numbers", "features and `total`"
    ),
    "srilm-nbest": BuiltIn(
        "srilm.nbest",
        _two_scores_and_a_count,
        "SRILM n-best list, NBestList1.0/2.0",
        "file name",
        "`acoustic`, `lm`, `nwords`, or `total`",
        ends=(".srilm-nbest", ".nbest"),
    ),
    "lattice-rescore-nbest": BuiltIn(
        "nbest.lattice_rescore",
        lambda head: b"|" in head.line and b"-" in head.fields[0],
        "lattice-rescore n-best list",
        "own",
        "`acoustic`, `lm`, `score_3`…",
    ),
    "espnet-nbest": BuiltIn(
        "nbest.espnet", lambda _: False, "ESPnet2 n-best folder", "own", "`score`", graphs="many, a folder"
    ),  # a folder
    "wenet-nbest": BuiltIn(
        "nbest.wenet", lambda head: head.fields[0] == b"wav", "WeNet runtime n-best list", "own", "`score`"
    ),
    "icefall-recogs": BuiltIn(
        "nbest.icefall", lambda head: b":\t" in head.line, "icefall `recogs-*.txt`, one hypothesis each", "own", "none"
    ),
    "jsonl-nbest": BuiltIn(
        "nbest.jsonl", lambda head: head.begins(b"{"), "n-best list as JSON lines", "own, or positions", "any names"
    ),
    "json-nbest": BuiltIn(
        "nbest.array",
        lambda head: head.begins(b"[", b"{"),
        "n-best lists as a JSON array (HyPoradise)",
        "own, or positions",
        "any names, or none",
    ),
    "nemo-manifest": BuiltIn(
        "nbest.nemo",
        lambda head: head.begins(b"{"),
        "NeMo manifest with transcripts",
        "own, or positions",
        "`score`, or none",
    ),
    "whisper-json": BuiltIn(
        "nbest.whisper",
        lambda head: head.begins(b"{"),
        "JSON of Whisper, WhisperX, speech pipelines",
        "file name",
        "none (confidences are labels)",
        graphs="one",
        ends=(".whisper", ".json"),
    ),
    "parquet": BuiltIn(
        "nbest.tables",
        lambda head: head.data.startswith(b"PAR1"),
        "Parquet table of n-best lists",
        "own, or positions",
        "any names, or none",
    ),
    "arrow": BuiltIn(
        "nbest.tables",
        lambda head: head.data.startswith((b"ARROW1", b"\xff\xff\xff\xff")),
        "Arrow table of n-best lists, file or stream",
        "own, or positions",
        "any names, or none",
    ),
    "trn": BuiltIn(
        "nist.transcripts",
        lambda head: head.begins(*_COMMENTS) or head.line.rstrip().endswith(b")"),
        "NIST transcript, with alternations",
        "utterance ids",
        "none",
    ),
    "stm": BuiltIn(
        "nist.transcripts", _timed, "NIST segment time marks", "`file,channel,speaker,begin,end[,<labels>]`", "none"
    ),
    "ctm": BuiltIn(
        "nist.ctm",
        _timed,
        "NIST time-marked words",
        "`file,channel`",
        "none (confidences are labels)",
        graphs="many (one per channel)",
    ),
    "moses-hypergraph": BuiltIn(
        "forests.hypergraph",
        lambda head: head.begins(b"#"),
        "Moses hypergraph",
        "file name",
        "features, weight 1",
        ends=(".hg",),
    ),
    "cdec-target-graph": BuiltIn(
        "forests.hypergraph",
        lambda head: len(head.fields) == 2 and head.numbers(2),  # noqa: PLR2004
        "cdec target graph",
        "file name",
        "features, weight 1",
        ends=(".target_graph",),
    ),
    "joshua-hypergraph": BuiltIn(
        "forests.hypergraph",
        lambda head: head.begins(b"#"),
        "Joshua hypergraph",
        "file name",
        "features, weight 1",
        ends=(".joshua", ".hg"),
    ),
    "cdec-json": BuiltIn(
        "forests.cdec",
        lambda head: head.begins(b"{"),
        "cdec JSON hypergraph",
        "file name",
        "features, weight 1",
        ends=(".cdec", ".json"),
    ),
    "travatar-json": BuiltIn(
        "forests.travatar",
        lambda head: head.begins(b"{"),
        "Travatar JSON forest",
        "positions",
        "`score`, or features with weight 1",
        ends=(".travatar", ".json"),
    ),
}

_BY_MAGIC = ("openfst", "far")
# Formats in lines of text that no lines of words resemble. Few files of words pass the test of a first byte or line.
_MARKED = (
    "htk-slf", "plf", "sphinx", "pfsg", "wordmesh", "moses-search-graph", "moses-hypergraph", "joshua-hypergraph",
    "kaldi",
)  # fmt: skip
FOLDER_FORMATS = ("espnet-nbest",)
_SCRIPTS = ("kaldi-script",)  # formats that point to other files

ANY_NAME = r".*"
"""The pattern of `Format.sparse` for formats that name their features."""

Naming = Literal["own", "file", "position", "number"]

_FILE_ENDS = re.compile(f"({'|'.join(sorted({re.escape(end) for one in BUILT_IN.values() for end in one.ends}))})*$")

_formats: dict[str, Format] = {}


class KernelText(NamedTuple):
    """The bytes of a lattice that kernels can read.

    Attributes:
        bytes: The bytes; in a text archive, from the line of the id on.
        format: The name of the format.
        are_spelled: True if the file has words, not word numbers.
        table: The words of word numbers; `None` if numbers are words. Kernels read no lattice that has other numbers.
    """

    bytes: Piece
    format: Literal["kaldi", "kaldi-binary"]
    are_spelled: bool = False
    table: Vocabulary | None = None


class Entry(NamedTuple):
    """One graph of a stream; `build` parses it.

    Attributes:
        name: The graph's id.
        where: The file and line where the graph begins.
        build: Function that parses and checks the graph; it raises `InputError` if the graph cannot be used.
        naming: Where the id comes from: `own` (an id in the stream), `number` (a sentence number in the stream), `file`
            (the file's name) or `position` (the position in the file).
        format: The name of the format.
        order: The sort key of graphs that are ordered by name (files of a folder or tar archive, keys of a FAR); empty
            if they have the decoder's order.
        fields: The record that holds the graph, and perhaps its references; `None` in formats without records.
        text: The bytes that `build` parses, if kernels can read them alone, and nothing changes the graph; else `None`.
        size: The number of bytes from which one kernel reads the graph; `None` in other formats.
    """

    name: str
    where: str
    build: Callable[[], Graph]
    naming: Naming = "position"
    format: str = ""
    order: str = ""
    fields: Mapping[str, Any] | None = None
    text: KernelText | None = None
    size: int | None = None

    @property
    def place(self) -> str:
        """The graph's file, line and id, for errors."""
        return f"{self.where} ({shortened(self.name)})"

    def changed(self, change: Callable[[Graph], Any]) -> Entry:
        """Return the entry with a graph that `change` changes when it is parsed."""
        return self._replace(build=partial(_changed, self.build, change), text=None)

    def checked(self, check: Callable[[Graph], Any]) -> Entry:
        """Return the entry with a graph that `check` checks, and does not change, when it is parsed."""
        return self._replace(build=partial(_changed, self.build, check))


def _changed(build: Callable[[], Graph], change: Callable[[Graph], Any]) -> Any:
    return change(build())


class Block(Protocol):
    """Some records of a stream, which another process can parse."""

    def entries(self, *, named: bool | None, scored: bool | None = None) -> Iterator[Entry]:
        """Yield the entry of each record; raise an error if only some records have ids or scores.

        `named` and `scored` say whether earlier records have ids and scores; `named` is `None` for the first records.
        """

    def lists(self, field: str, references: int, *, named: bool) -> TableLists | None:
        """Return the n-best lists with their references.

        The field `field` holds the references of a list; `references` is their number. Return `None` if only `entries`
        can read these records.
        """


@dataclass(frozen=True)
class Format:
    """The functions that recognise, read and write a format.

    Attributes:
        name: The name that users write.
        suffixes: The usual suffixes of file names, for writing.
        sniff: Takes the first bytes of a stream; checks whether the stream may be in this format.
        read: Splits a stream into graphs. If the format stores words as numbers, the vocabulary maps them to words.
        write: Writes one graph; `None` if the format is never written, or only by the functions below.
        single: True if a file holds exactly one graph.
        has_ids: True if a file holds the ids of its graphs.
        rounds: True if sums of scores are rounded to 32 bits, so that the order of paths may change.
        write_archive: Writes all graphs to one file at once, for example to sort or index them; returns their number.
        write_files: Writes all graphs to several files; the user names only the main file. If a format has this
            function, `write` is called only to check that a graph can be written.
        claims_folder: Checks by file names whether a whole folder is one data set in this format. Otherwise, each file
            of the folder may have its own format.
        read_folder: Splits a whole folder into graphs.
        folder_files: Lists the files that `read_folder` reads.
        points_to: Lists the other files that a file in this format names.
        written_beside: Lists the other files that `write_files` writes for the user's path.
        read_blocks: Splits a stream of many records into blocks that other processes can parse.
        sparse: A pattern of the names of features that a graph lacks if all its values of them are 0; `None` if each
            graph has all score columns.
    """

    name: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], bool]
    read: Callable[[Stream, Vocabulary | None], Iterator[Entry]]
    write: Callable[[IO[bytes], str, Graph], None] | None = None
    single: bool = False
    has_ids: bool = True
    rounds: bool = False
    write_archive: Callable[[IO[bytes], Iterable[tuple[str, Graph]]], int] | None = None
    write_files: Callable[[str, Iterable[tuple[str, Graph]]], int] | None = None
    claims_folder: Callable[[Path], bool] | None = None
    read_folder: Callable[[Path, Vocabulary | None], Iterator[Entry]] | None = None
    folder_files: Callable[[Path], Iterator[Path]] | None = None
    points_to: Callable[[Stream], Iterator[str]] | None = None
    written_beside: Callable[[str], tuple[str, ...]] | None = None
    read_blocks: Callable[[Stream], Iterator[Block]] | None = None
    sparse: str | None = None

    @property
    def can_be_written(self) -> bool:
        """True if the format can be written."""
        return any(writer is not None for writer in (self.write, self.write_archive, self.write_files))


def register(candidate: Format) -> Format:
    """Add a format; raise an error if its name is taken."""
    if candidate.name in _formats:
        raise UsageError(f"there are two formats named '{candidate.name}'", advice="rename one of them")
    _formats[candidate.name] = candidate
    return candidate


def formats() -> dict[str, Format]:
    """Return all formats of this package by name.

    The result also has formats of plug-ins, but only formats that are already loaded.
    """
    for name in BUILT_IN:
        _built_in(name)
    return _formats


def _built_in(name: str) -> Format:
    if name not in _formats:
        import_module(f"latticemetric.formats.{BUILT_IN[name].module}")
    return _formats[name]


def with_plugins() -> dict[str, Format]:
    """Return the formats of this package and of all plug-ins by name. The search for plug-ins is slow."""
    formats()
    _load_plugins()
    return _formats


def _load_plugins() -> None:
    """Add the formats of plug-ins, except those with the names of built-in formats; warn about plug-ins with errors."""
    for entry in plugins.entries("format"):
        if entry.name in BUILT_IN or entry.name in _formats:
            continue
        try:
            plugin = plugins.load("format", entry)
            if plugin.name != entry.name:
                plugin = replace(plugin, name=entry.name)
            if _formats.get(plugin.name) is not plugin:
                register(plugin)
        except (Exception, SystemExit) as error:  # noqa: BLE001  a plug-in may raise anything
            problem = f"{plugins.described('format', entry)} {plugins.not_loading(error)}"
            warnings.warn(problem, stacklevel=2)


OTHER_NAMES = {
    "ark": "kaldi-binary",
    "att": "openfst-text",
    "espnet": "espnet-nbest",
    "feather": "arrow",
    "fst": "openfst",
    "fst-text": "openfst-text",
    "htk": "htk-slf",
    "icefall": "icefall-recogs",
    "joshua": "joshua-hypergraph",
    "jsonl": "jsonl-nbest",
    "kaldi-ark": "kaldi-binary",
    "kaldi-text": "kaldi",
    "mesh": "wordmesh",
    "nemo": "nemo-manifest",
    "openfst-binary": "openfst",
    "osg": "moses-search-graph",
    "sausage": "wordmesh",
    "scp": "kaldi-script",
    "slf": "htk-slf",
    "travatar": "travatar-json",
    "wenet": "wenet-nbest",
    "whisper": "whisper-json",
}
"""Names that users write for formats, where they can mean only one. A name such as `json` can mean several."""


def find_format(name: str) -> Format:
    """Return the format with this name, or with this one of `OTHER_NAMES`; raise an error if there is none."""
    if name in BUILT_IN:
        return _built_in(name)
    known = with_plugins()
    if name in known:
        return known[name]
    if (other := OTHER_NAMES.get(name.lower())) is not None:
        return _built_in(other)
    family = [one for one in sorted(known) if name.lower() in one.split("-")]
    advice = f"choose one of {', '.join(family)}" if len(family) > 1 else which_of(name, sorted(known))
    raise UsageError(f"there is no format '{name}'", advice=advice)


def may_be_script(head: bytes) -> bool:
    """Check whether a file with these first bytes may be in a format that points to other files."""
    first = Head(head)
    candidates = [*(_built_in(name) for name in _SCRIPTS if BUILT_IN[name].may_be(first)), *_plugins()]
    return any(one.points_to is not None and one.sniff(head) for one in candidates)


def format_of_marked(head: bytes) -> str | None:
    """Return the format of text that is certainly graphs, not lines of words; `None` for other text."""
    first = Head(head)
    return next((name for name in _MARKED if BUILT_IN[name].may_be(first) and _built_in(name).sniff(head)), None)


class UnknownFormatError(FormatError):
    """The content of a file matches no known format, or one that holds no graphs."""


def sniff(stream: Stream) -> Format:
    """Detect the format of a stream from its content."""
    head = stream.head()
    if not head.strip():
        raise FormatError("the file is empty", where=stream.name)
    _refuse_other_content(head, stream.name)
    first = Head(head)
    possible = [name for name, candidate in BUILT_IN.items() if candidate.may_be(first)]
    # No text begins with these magic numbers, but words in a machine may look like a text format.
    built_in = [_built_in(name) for name in [name for name in possible if name in _BY_MAGIC] or possible]
    candidates = [one for one in (*built_in, *_plugins()) if one.sniff(head)]
    if not candidates:
        _load_plugins()
        candidates = [one for one in _plugins() if one.sniff(head)]
    if not candidates and head.startswith(UTF_16) and b"\n" in head:
        raise FormatError("the text is not UTF-8 but UTF-16", where=stream.name, advice="convert the file with iconv")
    if not candidates:
        if len(head) < HEAD_SIZE:  # all of the file, or what is before damage: then this raises the error of the damage
            stream.read()
        if answers.are_records_of_answers(head):
            raise UnknownFormatError(answers.WHAT, where=stream.name, advice=answers.ADVICE)
        raise UnknownFormatError(
            "the format is not recognised",
            where=stream.name,
            advice=f"name it with format=…, one of {', '.join(sorted({*BUILT_IN, *_formats}))}",
        )
    if len(candidates) > 1:
        names = " or ".join(one.name for one in candidates)
        raise FormatError(f"the format could be {names}", where=stream.name, advice="choose one with format=…")
    return candidates[0]


def _refuse_other_content(head: bytes, where: str) -> None:
    """Raise an error if a file with these first bytes is known to hold no graphs."""
    if container := container_of(head):
        raise FormatError(f"the file is {container}, which cannot be read", where=where, advice="unpack it first")
    if title := timed_texts(head):
        advice = "write the words of each segment as STM or CTM, which have times, too"
        raise UnknownFormatError(f"this is {title}, not graphs", where=where, advice=advice)
    if answers.is_document_of_answers(head):
        raise UnknownFormatError(answers.WHAT, where=where, advice=answers.ADVICE)


def _plugins() -> list[Format]:
    """Return the plug-in formats that are already loaded."""
    return [candidate for name, candidate in _formats.items() if name not in BUILT_IN]


def format_for_writing(path: str) -> Format:
    """Return the format that matches the suffix of `path`."""
    name = without_compression(path)
    matches = [(len(s), f) for f in with_plugins().values() if f.can_be_written for s in f.suffixes if name.endswith(s)]
    longest = max((size for size, _ in matches), default=0)
    candidates = [candidate for size, candidate in matches if size == longest]
    if len(candidates) != 1:
        known = ", ".join(sorted(f.name for f in _formats.values() if f.can_be_written))
        raise UsageError(f"no format has the suffix of '{path}'", advice=f"name one of {known}")
    return candidates[0]


def unbuildable(error: InputError) -> Callable[[], Graph]:
    """Return a function for `Entry.build` that raises this error when it is called."""
    return partial(_raise, error)


def _raise(error: InputError) -> Graph:
    raise error


def only_graph(stream: Stream, parse: Callable[..., Graph], *arguments: Any) -> Iterator[Entry]:
    """Yield the only graph of a file, named after the file; `parse` takes the bytes, the path and `arguments`."""
    build = partial(parse, stream.read(), stream.name, *arguments)
    yield Entry(graph_name(stream.stem), stream.name, build, naming="file")


def graph_name(stem: str) -> str:
    """Return the id of the only graph of a file: the file's name without the usual suffixes."""
    return _FILE_ENDS.sub("", stem) or stem
