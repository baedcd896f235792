"""Group the lines of a file by graph: by blank lines, by a line with a name, or by equal ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from latticemetric import _native
from latticemetric.errors import FormatError, shortened
from latticemetric.formats.registry import Entry, graph_name
from latticemetric.formats.streams.stream import Piece, Stream
from latticemetric.graph import Graph

_PIECE = 2**22
_NAME_LINE = re.compile(rb"[ \t]*name[ \t]")

Row = TypeVar("Row")


def blocks(stream: Stream) -> Iterator[tuple[int, Piece]]:
    """Yield each block of text between blank lines, with the number of lines before it."""
    rest, lines, is_last = b"", 0, False
    while not is_last:
        # Read at least the size of the rest, so that a long block is not searched many times.
        chunk = stream.read_some(max(_PIECE, len(rest)))
        is_last = not chunk
        data = rest + chunk
        place = stream.place_before(len(data))
        done, done_lines = 0, 0
        for begin, end, before, after in _native.split_blocks(data, at_end=is_last).tolist():
            yield lines + before, Piece(data, begin, end, place and place._replace(at=place.at + begin))
            done, done_lines = end, after
        lines += done_lines
        rest = data[done:]


def named_blocks(stream: Stream, build: Callable[[bytes, str, int], Graph]) -> Iterator[Entry]:
    """Yield the graphs of a file; each begins with a line `name …`. Without names, use the file's name.

    `build` takes the lines of a graph, the file's name, and the number of lines before them.
    """
    block: list[bytes] = []
    name: str | None = None
    first = 1

    def entry() -> Entry:
        built = partial(build, b"".join(block), stream.name, first - 1)
        own = name or graph_name(stream.stem)
        return Entry(own, stream.place(first), built, naming="own" if name else "file")

    for line in stream.byte_lines():
        if match := _NAME_LINE.match(line):
            if name is not None:
                yield entry()
                block, first = [], stream.line
            name = line[match.end() :].strip().decode("utf-8", "replace")
        block.append(line)
    yield entry()


def grouped_by_id(
    rows: Iterable[tuple[str, str, Row]], advice: str = "move them together"
) -> Iterator[tuple[str, str, list[Row]]]:
    """Group rows (id, place, content) by id: yield id, first place and rows; the rows of an id must be adjacent."""
    current: str | None = None
    start = ""
    block: list[Row] = []
    seen: set[str] = set()
    for name, place, row in rows:
        if name != current:
            if current is not None:
                yield current, start, block
            if name in seen:
                raise FormatError(f"the lines of '{shortened(name)}' are not adjacent", where=place, advice=advice)
            seen.add(name)
            current, start, block = name, place, []
        block.append(row)
    if current is not None:
        yield current, start, block
