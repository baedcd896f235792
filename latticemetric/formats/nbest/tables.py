"""Read and write n-best lists as Parquet and Arrow tables: one record per row, one field per column (see `records`).

Columns that cannot be part of a record, like audio, are not read. Tables are written in batches; their columns
are the fields of JSON lines: `id`, and `hypotheses` with texts and scores. This module needs pyarrow.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice, pairwise
from typing import IO, Any, NamedTuple

from latticemetric.display.frames import require_arrow
from latticemetric.errors import FormatError, MissingDependencyError, UsageError, placed, shortened
from latticemetric.formats.nbest.jsonl import as_record
from latticemetric.formats.nbest.list_columns import lists_of_table
from latticemetric.formats.nbest.records import Record, entries_of
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.nbest import TableLists
from latticemetric.vocabulary import Vocabulary

_PARQUET, _ARROW = "parquet", "arrow"
_PARQUET_MAGIC = b"PAR1"
_FILE_MAGIC = b"ARROW1"
_STREAM_MAGIC = b"\xff\xff\xff\xff"
_ROWS_AT_ONCE = 1024
_BYTES_AT_ONCE = 2**20


def _read(
    batches: Callable[[Stream], Iterator[Any]], stream: Stream, _vocabulary: Vocabulary | None
) -> Iterator[Entry]:
    slices = _slices(stream, batches(stream))
    return entries_of(row for before, batch in slices for row in _rows(batch, before, stream.name))


def _parquet_batches(stream: Stream) -> Iterator[Any]:
    with _readable(stream.name):
        require_arrow()
        from pyarrow import parquet

        # With memory mapping or reading ahead, the whole file would count as this process's memory.
        table = parquet.ParquetFile(_source(stream, "OSFile"), buffer_size=_BYTES_AT_ONCE, pre_buffer=False)
        columns = [column.name for column in table.schema_arrow if _is_part_of_records(column.type)]
    for group in range(table.num_row_groups):  # pyarrow cannot join dictionaries of several groups inside lists
        yield from table.iter_batches(_ROWS_AT_ONCE, row_groups=[group], columns=columns)


def _arrow_batches(stream: Stream) -> Iterator[Any]:
    with _readable(stream.name):
        require_arrow()
        from pyarrow import ipc

        source = _source(stream, "memory_map")
        if stream.head().startswith(_FILE_MAGIC):
            table = ipc.open_file(source)
            batches: Iterator[Any] = (table.get_batch(number) for number in range(table.num_record_batches))
        else:
            batches = iter(ipc.open_stream(source))
    yield from batches


def _source(stream: Stream, opened_by: str) -> Any:
    """Open an uncompressed file with pyarrow's function `opened_by`; read any other stream into memory."""
    pa = require_arrow()
    if stream.offset == 0 and os.path.isfile(stream.name):  # noqa: PTH113  a plain string
        return getattr(pa, opened_by)(stream.name)
    return pa.BufferReader(stream.read())


@contextlib.contextmanager
def _readable(where: str) -> Iterator[None]:
    """Turn errors of pyarrow into errors about the file."""
    try:
        yield
    except MissingDependencyError:
        raise
    except Exception as error:
        pa = require_arrow()
        if isinstance(error, pa.ArrowNotImplementedError):
            what = f"pyarrow cannot read a column of the table ({shortened(' '.join(str(error).split()), 200)})"
            advice = "write texts and scores as plain strings and numbers, without dictionaries"
            raise FormatError(what, where=where, advice=advice) from None
        if isinstance(error, pa.ArrowException | OSError | EOFError | UnicodeDecodeError):
            what = shortened(" ".join(str(error).split()), 200)
            raise FormatError(
                f"the table is damaged or cut short ({what})", where=where, advice="copy or write the file again"
            ) from None
        raise


def _slices(stream: Stream, batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    """Divide a table into slices; yield the number of rows before each slice, and the slice."""
    position = 0
    while True:
        with _readable(stream.name):
            batch = next(batches, None)
            if batch is None:
                return
            batch.validate(full=True)  # pyarrow itself does not check the offsets
            kept = [number for number, column in enumerate(batch.schema) if _is_part_of_records(column.type)]
            batch = batch.select(kept)
        for first in range(0, batch.num_rows, _ROWS_AT_ONCE):
            yield position + first, batch.slice(first, _ROWS_AT_ONCE)
        position += batch.num_rows


def _rows(batch: Any, before: int, file: str) -> Iterator[tuple[int, Record]]:
    """Yield the number of each row, from 1, and its record."""
    with _readable(f"row {before + 1}"):
        columns = [_values(column) for column in batch.columns]
    names = batch.schema.names
    for position, row in enumerate(zip(*columns, strict=True), start=before + 1):
        yield position, Record(dict(zip(names, row, strict=True)), f"{file}, row {position}")


def _values(column: Any) -> list[Any]:
    """Return the values of a column, faster than `to_pylist`, which makes an Arrow object for each value."""
    types = require_arrow().types
    kind = column.type
    if types.is_string(kind) or types.is_large_string(kind):
        texts: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
        return texts
    if column.null_count == 0 and (types.is_list(kind) or types.is_large_list(kind)):
        begin = (column.offsets.to_numpy() - column.offsets[0].as_py()).tolist()
        values = _values(column.flatten())
        return [values[first:end] for first, end in pairwise(begin)]
    if column.null_count == 0 and types.is_struct(kind):
        names = [kind.field(number).name for number in range(kind.num_fields)]
        parts = zip(*map(_values, column.flatten()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in parts] if names else column.to_pylist()
    if column.null_count == 0 and (types.is_integer(kind) or types.is_float64(kind)):
        numbers: list[Any] = column.to_numpy().tolist()
        return numbers
    return list(column.to_pylist())


class TableBlock(NamedTuple):
    """Some rows of a table as bytes, which another process can parse.

    Attributes:
        data: The rows, as an Arrow stream.
        file: The file of the table.
        before: The number of rows before this block.
    """

    data: bytes
    file: str
    before: int

    def entries(self, *, named: bool | None) -> Iterator[Entry]:
        """Yield the entry of each row; raise an error if only some rows have ids.

        `named` says whether earlier rows have ids; it is `None` for the first rows.
        """
        return entries_of(_rows(self._batch(), self.before, self.file), named=named)

    def lists(self, field: str, references: int, *, named: bool) -> TableLists | None:
        """Return the n-best lists with their references.

        The column `field` holds the references of a list; `references` is their number. Return `None` if only `entries`
        can read these rows.
        """
        return lists_of_table(self._batch(), field, references, named=named)

    def _batch(self) -> Any:
        from pyarrow import ipc

        return ipc.open_stream(self.data).read_next_batch()


def _blocks(batches: Callable[[Stream], Iterator[Any]], stream: Stream) -> Iterator[TableBlock]:
    """Yield the rows of a table, block by block."""
    pa = require_arrow()
    from pyarrow import ipc

    for before, rows in _slices(stream, batches(stream)):
        sink = pa.BufferOutputStream()
        with ipc.new_stream(sink, rows.schema) as writer:
            writer.write_batch(rows)
        yield TableBlock(sink.getvalue().to_pybytes(), stream.name, before)


def _is_part_of_records(kind: Any) -> bool:
    """Check whether a column holds texts, numbers, or lists and structures of them."""
    types = require_arrow().types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind) or types.is_dictionary(kind):
        return _is_part_of_records(kind.value_type)
    if types.is_struct(kind):
        return all(_is_part_of_records(kind.field(number).type) for number in range(kind.num_fields))
    if types.is_null(kind):
        return True
    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return bool(is_text or types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


# ---- Writing ----


def _write(format_name: str, file: IO[bytes], graphs: Iterable[tuple[str, Graph]]) -> int:
    """Write lists in batches; all hypotheses must have the scores of the first one."""
    pa = require_arrow()
    records = _records(graphs, format_name)
    schema, writer, count = None, None, 0
    while rows := list(islice(records, _ROWS_AT_ONCE)):
        if writer is None:
            schema = pa.schema([("id", pa.string()), ("hypotheses", pa.list_(_type_of(rows[0]["hypotheses"][0])))])
            writer = _writer(format_name, file, schema)
        writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        count += len(rows)
    if writer is not None:
        writer.close()
    return count


def _writer(format_name: str, file: IO[bytes], schema: Any) -> Any:
    from pyarrow import ipc, parquet

    if format_name == _ARROW:
        return ipc.new_file(file, schema)
    return parquet.ParquetWriter(file, schema)


def _records(graphs: Iterable[tuple[str, Graph]], format_name: str) -> Iterator[dict[str, Any]]:
    """Yield the records of lists; raise an error if a hypothesis does not have the fields of the first one."""
    first: list[str] | None = None
    for name, graph in graphs:
        with placed(shortened(name)):
            record = as_record(name, graph, format_name)
            for hypothesis in record["hypotheses"]:
                columns = _columns_of(hypothesis)
                first = columns if first is None else first
                if columns != first:
                    what = f"a hypothesis has {', '.join(columns)}, but the first hypothesis has {', '.join(first)}"
                    advice = "write jsonl-nbest, which may have different fields in each hypothesis"
                    raise UsageError(what, advice=advice)
        yield record


def _columns_of(hypothesis: Mapping[str, Any], within: str = "") -> list[str]:
    names = []
    for name, value in hypothesis.items():
        names += _columns_of(value, f"{name}.") if isinstance(value, dict) else [within + name]
    return sorted(names)


def _type_of(value: Any) -> Any:
    """Return the Arrow type of a hypothesis or of a part of it."""
    pa = require_arrow()
    if isinstance(value, dict):
        return pa.struct([(name, _type_of(part)) for name, part in value.items()])
    if isinstance(value, list):
        return pa.list_(pa.string())
    return pa.string() if isinstance(value, str) else pa.float64()


register(
    Format(
        _PARQUET,
        (".parquet",),
        lambda head: head.startswith(_PARQUET_MAGIC),
        partial(_read, _parquet_batches),
        write_archive=partial(_write, _PARQUET),
        read_blocks=partial(_blocks, _parquet_batches),
    )
)
register(
    Format(
        _ARROW,
        (".arrow", ".feather"),
        lambda head: head.startswith((_FILE_MAGIC, _STREAM_MAGIC)),
        partial(_read, _arrow_batches),
        write_archive=partial(_write, _ARROW),
        read_blocks=partial(_blocks, _arrow_batches),
    )
)
