"""Group the lines of a file by graph: by blank lines, by a line with a name, or by equal ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import FormatError, shortened
from latticemetric.formats.registry import Entry, graph_name
from latticemetric.formats.streams.stream import Piece, Place, Stream
from latticemetric.graph import Graph

_PIECE = 2**20
_NAME_LINE = re.compile(rb"^[ \t]*name[ \t]([^\n]*)", re.MULTILINE)

Row = TypeVar("Row")


class Chunk(NamedTuple):
    """Some bytes of a text, with whole blocks of lines between blank lines.

    Attributes:
        data: The bytes.
        rows: The blocks, as `_native.split_blocks` returns them.
        lines: The number of lines before the first byte.
        place: The place of the first byte; `None` if the file cannot be read a second time.
    """

    data: bytes
    rows: npt.NDArray[np.int64]
    lines: int
    place: Place | None

    def piece(self, number: int) -> Piece:
        """Return a block."""
        begin, end = self.rows[number, :2].tolist()
        return Piece(self.data, begin, end, self.place and self.place._replace(at=self.place.at + begin))

    def lines_before(self, number: int) -> int:
        """Return the number of lines before a block."""
        return self.lines + int(self.rows[number, 2])


def blocks(stream: Stream) -> Iterator[tuple[int, Piece]]:
    """Yield the blocks of text between blank lines: the number of lines before each block, and the block."""
    for chunk in chunks(stream):
        for number in range(len(chunk.rows)):
            yield chunk.lines_before(number), chunk.piece(number)


def chunks(stream: Stream) -> Iterator[Chunk]:
    """Yield the chunks of a text; each has a block at least."""
    rest, lines = b"", 0  # the unfinished block at the end of the last chunk, and the number of lines before it
    # Read at least the size of the rest, so that a long block is not searched many times.
    while piece := stream.read_some(max(_PIECE, len(rest))):
        data = rest + piece
        rows = _native.split_blocks(data, 0, at_end=False)
        if not len(rows):
            rest = data
            continue
        yield Chunk(data, rows, lines, stream.place_before(len(data)))
        rest = data[int(rows[-1, 1]) :]
        lines += int(rows[-1, 3])
    rows = _native.split_blocks(rest, 0, at_end=True)
    if len(rows):
        yield Chunk(rest, rows, lines, stream.place_before(len(rest)))


def named_blocks(stream: Stream, build: Callable[[bytes, str, int], Graph]) -> Iterator[Entry]:
    """Yield an entry for each graph of a file. Each graph begins with a line `name …`, which gives its id.

    A file without such lines holds one graph, named after the file. `build` takes the lines of a graph, the file's
    name, and the number of lines before the graph.
    """
    rest, searched, first = b"", 0, 1  # the graph that is not yet complete, and its first line
    name: str | None = None

    def entry(block: bytes) -> Entry:
        own = name or graph_name(stream.stem)
        built = partial(build, block, stream.name, first - 1)
        return Entry(own, stream.place(first), built, naming="own" if name else "file")

    # Read at least the size of the rest, so that a long graph is not copied many times.
    while chunk := stream.read_some(max(_PIECE, len(rest))):
        text, begin = rest + chunk, 0
        end = text.rfind(b"\n") + 1  # the end of the last line may be missing
        for match in _NAME_LINE.finditer(text, searched, end):
            if name is not None:
                block, begin = text[begin : match.start()], match.start()
                yield entry(block)
                first += block.count(b"\n")
            name = match[1].strip().decode("utf-8", "replace")
        rest, searched = text[begin:], max(end - begin, 0)
    if last := _NAME_LINE.match(rest, searched):  # a line without an end
        if name is not None:
            yield entry(rest[:searched])
            rest, first = rest[searched:], first + rest.count(b"\n", 0, searched)
        name = last[1].strip().decode("utf-8", "replace")
    yield entry(rest)


def grouped_by_id(rows: Iterable[tuple[str, str, Row]]) -> Iterator[tuple[str, str, list[Row]]]:
    """Group rows (id, place, content) by id; yield each id, the place of its first row, and the contents of its rows.

    The rows of an id must be adjacent.
    """
    current: str | None = None
    start = ""
    block: list[Row] = []
    seen: set[str] = set()
    for name, place, row in rows:
        if name != current:
            if current is not None:
                yield current, start, block
            if name in seen:
                what = f"the lines of '{shortened(name)}' are not adjacent"
                raise FormatError(what, where=place, advice="move them together")
            seen.add(name)
            current, start, block = name, place, []
        block.append(row)
    if current is not None:
        yield current, start, block
