"""Read and write Kaldi scripts (`.scp`): each line is an id and `file:offset`, a place in a binary or text archive.

Kaldi's commands with pipes and its matrix ranges are errors: commands are not run, and ranges do not apply to lattices.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os.path import exists, isfile
from pathlib import Path

from latticemetric.errors import FormatError, InputError, UsageError, placed, shortened
from latticemetric.formats.kaldi.binary import MACHINE, BinaryArchive, parse_machine, write_lattice, write_machine
from latticemetric.formats.kaldi.text import parse_block, spells_words
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.inputs import current
from latticemetric.formats.streams.output import STANDARD_OUTPUT, atomic_output, is_replaceable
from latticemetric.formats.streams.stream import STANDARD_INPUT, Piece, Stream, open_stream
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import Vocabulary

_MOST_DIGITS = 18
_PIECE = 2**16


def _sniff(head: bytes) -> bool:
    # Require a second field that looks like a file name, since ids of other formats may also end in :1. A name with
    # spaces needs a suffix, since other lines may end in a time.
    line = head.lstrip().partition(b"\n")[0].rstrip()
    _, *rest = line.split(maxsplit=1) or [line]
    if not rest or b"|" in line:
        return False
    path, _, offset = rest[0].rpartition(b":")
    pattern = rb"\S*[./]\S*" if len(path.split()) == 1 else rb".*\S\.[A-Za-z]\w*"
    return offset.isdigit() and re.fullmatch(pattern, path) is not None


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for name, target in _lines(stream):
        path, offset = _target(target, stream)
        if (inputs := current()) is not None:
            inputs.pointed_to(path)
        yield Entry(name, stream.place(), ScriptedLattice(path, offset, stream.place(), vocabulary), naming="own")


def _lines(stream: Stream) -> Iterator[tuple[str, str]]:
    """Yield the id of each line, and the rest of the line."""
    for line in stream.lines():
        # The rest of the line is a file name, which may contain spaces.
        name, *rest = re.split(r"[ \t]+", line.strip(" \t"), maxsplit=1)
        if name:
            yield name, "".join(rest)


def _archives(stream: Stream) -> Iterator[str]:
    """Yield the paths of archives in the lines, each path once; stop at a line that cannot be read."""
    seen: set[str] = set()
    for _, target in _lines(stream):
        stream.begin_next_graph()
        path = target.rpartition(":")[0]
        if path not in seen:
            seen.add(path)
            yield _target(target, stream)[0]


def _target(text: str, stream: Stream) -> tuple[str, int]:
    place = re.fullmatch(rf"([^|]+):([0-9]{{1,{_MOST_DIGITS}}})", text)
    if place is None:
        advice = (
            "commands are not run: write the output of the command to an archive first"
            if "|" in text
            else "write lines of id and file:offset"
        )
        raise FormatError(f"'{shortened(text)}' is not file:offset", where=stream.place(), advice=advice)
    # The path is relative to the folder in which the script was made. If that fails, look in the script's own folder.
    path, beside = place[1], str(Path(stream.name).parent / place[1])
    return beside if not exists(path) and exists(beside) else path, int(place[2])  # noqa: PTH110  any name


@dataclass(frozen=True)
class ScriptedLattice:
    """Reads a lattice from its archive when called; `where` is the place of its line in the script."""

    path: str
    offset: int
    where: str
    vocabulary: Vocabulary | None

    def __call__(self) -> Lattice:
        """Read the lattice."""
        try:
            return _read_at(self.path, self.offset, f"{self.path}:{self.offset}", self.vocabulary)
        except InputError as error:
            raise error.at(self.where) from None


def _read_at(path: str, offset: int, place: str, vocabulary: Vocabulary | None) -> Lattice:
    if path == STANDARD_INPUT or (exists(path) and not isfile(path)):  # noqa: PTH110, PTH113  any name
        raise InputError(
            "this is not a regular file, so reading cannot begin at a byte offset",
            where=path,
            advice="save it as a file first",
        )
    with placed(place), open_stream(path) as stream:
        are_spelled = spells_words(stream.head())
        stream.skip(offset)
        head = stream.read_some(len(MACHINE))
        if not head:
            raise FormatError(
                f"the archive ends before byte {offset}, to which the scp file points",
                advice="write the scp file again",
            )
        if head == MACHINE:
            return parse_machine(BinaryArchive(stream, head).machine(place), vocabulary)
        # In a text archive, the offset points to the byte after the id and its space. The parser needs an id: add one.
        block = b"id" + _first_block(stream, head)
        return parse_block(Piece(block, 0, len(block)), place, -1, vocabulary, are_spelled=are_spelled)


def _first_block(stream: Stream, data: bytes) -> bytes:
    """Return the lines of the first lattice in `data`, up to the next blank line; read more bytes if needed."""
    while not (end := re.search(rb"\n[ \t\r]*\n", data.lstrip(b" \t\r\n"))):
        more = stream.read_some(max(_PIECE, len(data)))
        if not more:
            return data
        data += more
    return data[: len(data) - len(data.lstrip(b" \t\r\n")) + end.end()]


def _archive_beside(path: str) -> tuple[str, ...]:
    return (path.removesuffix(".scp") + ".ark",) if path.endswith(".scp") else ()


def write_with_archive(path: str, graphs: Iterable[tuple[str, Graph]]) -> int:
    """Write an archive and the script of its lattices: `x.ark` next to `x.scp`."""
    if path == STANDARD_OUTPUT or not path.endswith(".scp"):
        raise UsageError("a Kaldi script needs an archive x.ark beside x.scp", advice="name a file that ends in .scp")
    (archive,) = _archive_beside(path)
    count = 0
    # At the end of the block, the archive is replaced before the script.
    with atomic_output(path) as script, atomic_output(archive) as file:
        at = 0
        for name, graph in graphs:
            with placed(shortened(name)):
                key, size = write_machine(file, name, graph)
            script.write(f"{name} {archive}:{at + key}\n".encode())
            at += size
            count += 1
        if not count:
            raise InputError("there are no graphs to write")
        script.flush()
        file.flush()
        # A crash between the two must not leave an old script with offsets of another archive.
        if is_replaceable(path):
            Path(os.path.realpath(path)).unlink(missing_ok=True)
    return count


register(
    Format(
        "kaldi-script",
        (".scp",),
        _sniff,
        _read,
        write_lattice,
        write_files=write_with_archive,
        points_to=_archives,
        written_beside=_archive_beside,
    )
)
