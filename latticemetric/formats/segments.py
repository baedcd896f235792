"""Strings to be scored: the outputs of systems and their references, a segment a line, or after an id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.streams.stream import STANDARD_INPUT, open_stream
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import split_words

SegmentText = str | Lattice
"""A text of a segment: as it stands, or a graph where it has alternatives."""

_UNEQUAL = "line k of each file belongs to segment k; if lines begin with ids, say --keyed"


@dataclass(frozen=True)
class Segments:
    """A test set.

    Attributes:
        ids: A name for each segment: its id, or its number from 1.
        files: The texts of each file, a text a segment.
    """

    ids: tuple[str, ...]
    files: tuple[tuple[SegmentText, ...], ...]

    def __len__(self) -> int:
        return len(self.ids)


def read_segments(paths: Sequence[str], *, keyed: bool = False, unequal: str = _UNEQUAL) -> Segments:
    """Reads files that hold the same segments.

    Args:
        paths: The files; compressed or not.
        keyed: Whether lines begin with ids. Then the first file gives the order; otherwise line k of each belongs to
            segment k, and an empty line is a text of no words.
        unequal: What to do about files that differ in length.

    Raises:
        FormatError: A segment is missing in a file.
    """
    if paths.count(STANDARD_INPUT) > 1:
        raise FormatError("standard input can be read only once", where=STANDARD_INPUT, advice="name files")
    return _keyed(paths) if keyed else _plain(paths, unequal)


def _plain(paths: Sequence[str], unequal: str) -> Segments:
    files = [_lines(path) for path in paths]
    for path, lines in zip(paths, files, strict=True):
        if len(lines) != len(files[0]):
            raise FormatError(
                f"{paths[0]} has {_count(len(files[0]))} and {path} has {_count(len(lines))}",
                advice=unequal,
            )
    return Segments(tuple(map(str, range(1, len(files[0]) + 1))), tuple(map(tuple, files)))


def _keyed(paths: Sequence[str]) -> Segments:
    tables = [_table(path) for path in paths]
    order = list(tables[0])
    for path, table in zip(paths, tables, strict=True):
        _check_ids(paths[0], tables[0], path, table)
        _check_ids(path, table, paths[0], tables[0])
    return Segments(tuple(order), tuple(tuple(table[name][1] for name in order) for table in tables))


def _check_ids(path: str, table: Mapping[str, tuple[int, str]], other: str, others: Mapping[str, object]) -> None:
    lacking = [name for name in table if name not in others]
    if lacking:
        more = f" ({len(lacking)} ids are missing there)" if len(lacking) > 1 else ""
        raise FormatError(
            f"there is no '{shortened(lacking[0])}' in {other}{more}",
            where=f"{path}:{table[lacking[0]][0]}",
            advice="every file needs a line for each id; if these are not ids, leave --keyed out",
        )


def _table(path: str) -> dict[str, tuple[int, str]]:
    table: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(_lines(path), start=1):
        fields = split_words(line)
        if not fields:
            continue
        if fields[0] in table:
            raise FormatError(
                f"id '{shortened(fields[0])}' stands at line {table[fields[0]][0]} already",
                where=f"{path}:{number}",
                advice="an id names one segment; if these are not ids, leave --keyed out",
            )
        # The text as it stands: tokenizers look at its spaces.
        table[fields[0]] = number, line.split(fields[0], 1)[1].strip(" \t")
    if not table:
        raise FormatError("the file holds no segments", where=path)
    return table


def _lines(path: str) -> list[str]:
    with open_stream(path) as stream:
        lines = list(stream.lines())
    if not lines:
        raise FormatError("the file is empty", where=path, advice="give a line a segment; it may be an empty one")
    return lines


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"
