"""Read the record batches of Parquet and Arrow files; refuse what would become too large before it is decoded.

Both formats may store a value once for millions of cells, and pages or buffers of gigabytes in kilobytes. Limits are
those of other compressed files (`streams`).
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from latticemetric.display.arrow import lengths_of_dictionary, size_of_views, sizes_of_rows, slices_of
from latticemetric.display.cells import require_arrow
from latticemetric.display.frames import require_names
from latticemetric.errors import FormatError, LatticeMetricError, shortened
from latticemetric.formats.streams.stream import Stream, Unpacking, is_inflated

PARQUET_MAGIC = b"PAR1"
FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"

_ROWS_AT_ONCE = 1024
_ROWS_MEASURED = 2**16
_BYTES_AT_ONCE = 2**20
_BYTES_OF_SLICE = 2**24
_BYTES_OF_BATCH = 2**26
_ROWS_OF_SAMPLE = 64
_MOST_LONGER = 16
_LENGTH = 4  # the bytes of the length before each text of a page
_CELL = 8
_FRAME = 8  # the magic bytes of a file of Arrow, and padding
_DAMAGED = "copy or write the file again"

Wanted = Callable[[Any], bool]
"""A function that decides by its field (name and type) whether a column is read."""


def table_slices(stream: Stream, wanted: Wanted) -> Iterator[tuple[int, Any]]:
    """Divide the table in a stream, Parquet or Arrow, into slices of few rows and bytes, as record batches.

    Columns of slices have plain types (see `display.arrow`).

    Args:
        stream: The file.
        wanted: Decides which columns are read.

    Yields:
        The number of rows before a slice, and the slice.

    Raises:
        FormatError: The file is damaged, or two columns have the same name.
        InputError: The table would become too large.
    """
    batches = (_parquet_batches if stream.head().startswith(PARQUET_MAGIC) else _arrow_batches)(stream, wanted)
    position = 0
    while True:
        with readable(stream.name):
            batch = next(batches, None)
            if batch is None:
                return
            batch.rows.validate(full=True)  # pyarrow itself does not check the offsets
        for first in range(0, batch.rows.num_rows, _ROWS_MEASURED):
            for rows in _small_slices(batch.rows.slice(first, _ROWS_MEASURED), stream, batch.unpacking):
                yield position, rows
                position += rows.num_rows


def _small_slices(batch: Any, stream: Stream, unpacking: Unpacking) -> Iterator[Any]:
    """Yield slices of a batch; before, raise an error if it would become too large."""
    with readable(stream.name):
        sizes = sizes_of_rows(batch, stream.require_at_once)
    unpacking.add(int(sizes.sum()), lines=len(sizes))
    stream.require_at_once(int(sizes.max(initial=0)))
    slices = slices_of(batch, sizes, _ROWS_AT_ONCE, _BYTES_OF_SLICE)
    while True:
        with readable(stream.name):
            rows = next(slices, None)
        if rows is None:
            return
        yield rows


@contextlib.contextmanager
def readable(where: str) -> Iterator[None]:
    """Turn errors of pyarrow into errors about the file."""
    try:
        yield
    except LatticeMetricError:
        raise
    except Exception as error:
        pa = require_arrow()
        what = shortened(" ".join(str(error).split()), 200)
        if isinstance(error, pa.ArrowNotImplementedError):
            advice = "write texts and scores as plain strings and numbers, without dictionaries"
            raise FormatError(
                f"pyarrow cannot read a column of the table ({what})", where=where, advice=advice
            ) from None
        if isinstance(error, pa.ArrowException | OSError | EOFError | UnicodeDecodeError):
            raise FormatError(f"the table is damaged or cut short ({what})", where=where, advice=_DAMAGED) from None
        raise


class _Batch(NamedTuple):
    rows: Any
    unpacking: Unpacking


class _Stream(NamedTuple):
    """The content of a stream: a path, or bytes in memory."""

    path: str
    data: bytes | None

    @classmethod
    def of(cls, stream: Stream) -> _Stream:
        is_plain_file = stream.offset == 0 and os.path.isfile(stream.name)  # noqa: PTH113  a plain string
        return cls(stream.name, None if is_plain_file else stream.read())

    @property
    def size(self) -> int:
        return os.path.getsize(self.path) if self.data is None else len(self.data)  # noqa: PTH202  a plain string

    def open(self, kind: str = "memory_map") -> Any:
        """Open the content with pyarrow's function `kind`, or from memory."""
        pa = require_arrow()
        return getattr(pa, kind)(self.path) if self.data is None else pa.BufferReader(self.data)


# ---- Parquet ----


def _parquet_batches(stream: Stream, wanted: Wanted) -> Iterator[_Batch]:
    require_arrow()
    from pyarrow import parquet

    source = _Stream.of(stream)
    unpacking = stream.unpacking(source.size)

    def opened(shared: list[str]) -> Any:
        # With memory mapping or reading ahead, the whole file would count as this process's memory.
        return parquet.ParquetFile(
            source.open("OSFile"), buffer_size=_BYTES_AT_ONCE, pre_buffer=False, read_dictionary=shared
        )

    table = opened([])
    schema = table.schema_arrow
    columns = [field.name for field in schema if wanted(field)]
    require_names(columns, stream.name)
    chosen = set(columns)
    metadata = table.metadata
    leaves = [k for k in range(metadata.num_columns) if metadata.schema.column(k).path.partition(".")[0] in chosen]
    pages = source.open("OSFile")
    groups = [metadata.row_group(number) for number in range(table.num_row_groups)]
    chunks = [[_Chunk.of(group, group.column(leaf)) for leaf in leaves] for group in groups]
    unpacking.expect(sum(chunk.size for group in chunks for chunk in group), metadata.num_rows)
    for chunk in (chunk for group in chunks for chunk in group):
        _require_fitting(chunk.size, chunk.packed, stream, unpacking)
    shared: set[str] = set()
    for number, group in enumerate(groups):
        for chunk in map(group.column, leaves):
            if chunk.path_in_schema not in shared and _shares_long_texts(chunk, number, pages, opened):
                shared.add(chunk.path_in_schema)
    if shared:
        table = opened(sorted(shared))
    for number, parts in enumerate(chunks):  # pyarrow cannot join dictionaries of several groups inside lists
        rows = max(1, min([_ROWS_AT_ONCE, *(_BYTES_OF_BATCH // max(1, chunk.row) for chunk in parts)]))
        for batch in table.iter_batches(rows, row_groups=[number], columns=columns):
            yield _Batch(batch, unpacking)


class _Chunk(NamedTuple):
    """Sizes of one column of a Parquet file in one group of rows, from the metadata.

    Attributes:
        size: The bytes of its values, if cells share no value.
        packed: Its bytes in the file.
        row: The bytes of the values of one row, on average; for values that build upon others, a bound.
    """

    size: int
    packed: int
    row: int

    @classmethod
    def of(cls, group: Any, chunk: Any) -> _Chunk:
        rows = max(1, group.num_rows)
        size = max(chunk.total_uncompressed_size, _CELL * chunk.num_values)
        row = size // rows
        if "DELTA_BYTE_ARRAY" in chunk.encodings:  # a value begins like the one before it, in a few bytes
            row = -(-chunk.num_values * chunk.total_uncompressed_size // rows)
        return cls(size, chunk.total_compressed_size, row)


def _shares_long_texts(chunk: Any, group: int, pages: Any, opened: Callable[[list[str]], Any]) -> bool:
    """Check whether cells of a column may share texts so long that they must be read as a dictionary.

    Reading other columns as one takes several times as long.
    """
    if chunk.physical_type != "BYTE_ARRAY" or not chunk.has_dictionary_page:
        return False
    longest = size = _size_of_dictionary(chunk, pages)
    if chunk.num_values * longest > _BYTES_OF_BATCH:
        path = chunk.path_in_schema
        rows = next(opened([path]).iter_batches(_ROWS_OF_SAMPLE, row_groups=[group], columns=[path]))
        lengths = lengths_of_dictionary(rows.column(0))
        if lengths is not None and int((lengths + _LENGTH).sum()) == size:  # these are all texts of its page
            longest = int(lengths.max())
    return bool(chunk.num_values * longest > max(_BYTES_OF_BATCH, _MOST_LONGER * chunk.total_uncompressed_size))


def _size_of_dictionary(chunk: Any, pages: Any) -> int:
    """Return the decoded size of the dictionary of a column, which its page states; no value is longer.

    A page begins with a structure of Thrift's compact protocol: its kind, then this size, each with a byte before it.
    """
    most = int(chunk.total_uncompressed_size)
    if chunk.dictionary_page_offset is None:
        return most
    pages.seek(chunk.dictionary_page_offset)
    head = pages.read(16)
    at = 0
    numbers: list[int] = []
    while len(numbers) < 2 and at < len(head) and head[at] == _THRIFT_NUMBER:  # noqa: PLR2004  kind and size
        at, shift, number = at + 1, 0, 0
        while at < len(head):
            number |= (head[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if head[at - 1] < 0x80:  # noqa: PLR2004  the last byte
                break
        numbers.append(number >> 1)
    return numbers[1] if len(numbers) == 2 else most  # noqa: PLR2004


_THRIFT_NUMBER = 0x15  # the next field, a number of 32 bits


# ---- Arrow ----


def _arrow_batches(stream: Stream, wanted: Wanted) -> Iterator[_Batch]:
    require_arrow()
    from pyarrow import ipc

    source = _Stream.of(stream)
    unpacking = stream.unpacking(source.size)
    # A file is a stream between two frames; the last one says how many batches there are.
    is_file = stream.head().startswith(FILE_MAGIC)
    number = ipc.open_file(source.open()).num_record_batches if is_file else None

    def opened() -> Any:
        content = source.open()
        content.seek(_FRAME if is_file else 0)
        return content

    fields = [(place, field) for place, field in enumerate(ipc.open_stream(opened()).schema) if wanted(field)]
    require_names([field.name for _, field in fields], stream.name)
    messages = ipc.MessageReader.open_stream(opened())
    places = ipc.IpcReadOptions(included_fields=[place for place, _ in fields])
    reader, found = ipc.open_stream(opened(), options=places), 0
    while _next_fits(messages, stream, unpacking):
        batch = reader.read_next_batch()
        _require_fitting(sum(map(size_of_views, batch.columns)), source.size, stream, unpacking)
        yield _Batch(batch, unpacking)
        found += 1
    if number is not None and found != number:
        what = f"the table is damaged or cut short ({found} batches of rows, not {number})"
        raise FormatError(what, where=stream.name, advice=_DAMAGED)


def _next_fits(messages: Any, stream: Stream, unpacking: Unpacking) -> bool:
    """Check the sizes of the next batch of rows, and of the dictionaries before it; return False at the end."""
    while True:
        try:
            message = messages.read_next_message()
        except StopIteration:
            return False
        if message.type == "schema":
            continue
        packed, size = _size_of_message(message)
        _require_fitting(size, packed, stream, unpacking)
        if message.type == "record batch":
            return True


def _require_fitting(size: int, packed: int, stream: Stream, unpacking: Unpacking) -> None:
    """Raise an error if a part of the file, of `packed` bytes, would become too large: a single row may hold it all."""
    unpacking.expect(size, 0)
    if is_inflated(size, packed):
        stream.require_at_once(size)


_RECORD_BATCH = 3  # in Arrow's list of kinds of messages; a dictionary is 2
_HEADER_TYPE, _HEADER, _BUFFERS, _COMPRESSION, _DATA = 1, 2, 2, 3, 1
_UNCOMPRESSED = -1


def _size_of_message(message: Any) -> tuple[int, int]:
    """Return the bytes of a message's buffers, before and after decompression.

    The message says where its buffers are, and each compressed buffer begins with its size. pyarrow reports damage.
    """
    body = memoryview(message.body) if message.body is not None else memoryview(b"")
    with contextlib.suppress(struct.error, IndexError):
        root = _FlatTable(bytes(message.metadata), 0).table()
        batch = root.at(_HEADER).table()
        if root.byte(_HEADER_TYPE) != _RECORD_BATCH:
            batch = batch.at(_DATA).table()
        if not batch.has(_COMPRESSION):
            return len(body), len(body)
        size = 0
        for offset, length in batch.at(_BUFFERS).pairs():
            if length:
                (own,) = struct.unpack_from("<q", body, offset)
                size += length if own == _UNCOMPRESSED else max(0, own)
        return len(body), size
    return len(body), len(body)


class _FlatTable(NamedTuple):
    """A place in a flatbuffer, the form of Arrow's metadata: tables refer to their fields by relative offsets."""

    data: bytes
    place: int

    def table(self) -> _FlatTable:
        """Return the table, or vector, that the offset at this place refers to."""
        return _FlatTable(self.data, self.place + struct.unpack_from("<I", self.data, self.place)[0])

    def has(self, field: int) -> bool:
        """Check whether the table at this place has a field."""
        return self._offset(field) != 0

    def at(self, field: int) -> _FlatTable:
        """Return the place of a field of the table at this place."""
        return _FlatTable(self.data, self.place + self._offset(field))

    def byte(self, field: int) -> int:
        """Return a field of one byte; 0 if the table has none."""
        return self.data[self.at(field).place] if self.has(field) else 0

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of 64-bit numbers of a vector."""
        begin = self.table().place
        (number,) = struct.unpack_from("<I", self.data, begin)
        for k in range(number):
            yield struct.unpack_from("<qq", self.data, begin + 4 + 16 * k)

    def _offset(self, field: int) -> int:
        names = self.place - struct.unpack_from("<i", self.data, self.place)[0]
        (size,) = struct.unpack_from("<H", self.data, names)
        place = 4 + 2 * field
        return int(struct.unpack_from("<H", self.data, names + place)[0]) if place < size else 0
