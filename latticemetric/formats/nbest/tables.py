"""Read and write n-best lists as Parquet and Arrow tables: a record a row, a field a column; see `records`.

Columns that cannot be part of a record, like audio, are not read. Tables are written in batches, with the columns of
JSON lines: `id`, and `hypotheses` with texts and scores. This needs pyarrow.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import IO, Any

from latticemetric.errors import FormatError, MissingDependencyError, UsageError, placed, shortened
from latticemetric.formats.nbest.jsonl import as_record
from latticemetric.formats.nbest.records import Record
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.vocabulary import Vocabulary

_PARQUET, _ARROW = "parquet", "arrow"
_PARQUET_MAGIC = b"PAR1"
_FILE_MAGIC = b"ARROW1"
_STREAM_MAGIC = b"\xff\xff\xff\xff"
_ROWS_AT_ONCE = 1024


def require_pyarrow() -> Any:
    """Return the module `pyarrow`; raise a clear error if it is not installed."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingDependencyError(
            "this needs pyarrow, which is not installed", advice='pip install "latticemetric[arrow]"'
        ) from error
    return pa


def _read_parquet(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    with _readable(stream.name):
        require_pyarrow()
        from pyarrow import parquet

        table = parquet.ParquetFile(_source(stream))
        columns = [column.name for column in table.schema_arrow if _is_part_of_records(column.type)]
    yield from _entries(stream, table.iter_batches(_ROWS_AT_ONCE, columns=columns))


def _read_arrow(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    with _readable(stream.name):
        require_pyarrow()
        from pyarrow import ipc

        source = _source(stream)
        if stream.head().startswith(_FILE_MAGIC):
            table = ipc.open_file(source)
            batches: Iterator[Any] = (table.get_batch(number) for number in range(table.num_record_batches))
        else:
            batches = iter(ipc.open_stream(source))
    yield from _entries(stream, batches)


def _source(stream: Stream) -> Any:
    """Return the file, mapped into memory where it is a plain file; otherwise its bytes."""
    pa = require_pyarrow()
    if stream.offset == 0 and os.path.isfile(stream.name):  # noqa: PTH113  a plain string
        return pa.memory_map(stream.name)
    return pa.BufferReader(stream.read())


@contextlib.contextmanager
def _readable(where: str) -> Iterator[None]:
    """Turn errors of pyarrow into errors about the file."""
    try:
        yield
    except MissingDependencyError:
        raise
    except Exception as error:
        pa = require_pyarrow()
        if isinstance(error, pa.ArrowException | OSError | EOFError | UnicodeDecodeError):
            what = shortened(" ".join(str(error).split()), 200)
            raise FormatError(f"the table is damaged or cut short ({what})", where=where) from None
        raise


def _entries(stream: Stream, batches: Iterator[Any]) -> Iterator[Entry]:
    named: bool | None = None
    position = 0
    while True:
        with _readable(stream.name):
            batch = next(batches, None)
            if batch is None:
                return
            batch.validate(full=True)  # pyarrow trusts the offsets of a file
            kept = [number for number, column in enumerate(batch.schema) if _is_part_of_records(column.type)]
            batch = batch.select(kept)
        for first in range(0, batch.num_rows, _ROWS_AT_ONCE):
            with _readable(stream.name):
                rows = batch.slice(first, _ROWS_AT_ONCE).to_pylist()
            for fields in rows:
                position += 1
                record = Record(fields, f"{stream.name}, row {position}")
                name = record.name(named=named)
                named = name is not None
                yield record.entry(name, position)


def _is_part_of_records(kind: Any) -> bool:
    """Check whether a column holds texts, numbers, or lists and structures of them."""
    types = require_pyarrow().types
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
    """Write lists batch by batch; the scores of the first hypothesis are the columns of all."""
    pa = require_pyarrow()
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
    """Yield the records of lists; refuse hypotheses whose scores are not those of the first one."""
    first: list[str] | None = None
    for name, graph in graphs:
        with placed(shortened(name)):
            record = as_record(name, graph, format_name)
            for hypothesis in record["hypotheses"]:
                columns = _columns_of(hypothesis)
                first = columns if first is None else first
                if columns != first:
                    what = f"a hypothesis has {', '.join(columns)}, but the first one has {', '.join(first)}"
                    advice = "a table has the same columns everywhere: write jsonl-nbest"
                    raise UsageError(what, advice=advice)
        yield record


def _columns_of(hypothesis: Mapping[str, Any], within: str = "") -> list[str]:
    names = []
    for name, value in hypothesis.items():
        names += _columns_of(value, f"{name}.") if isinstance(value, dict) else [within + name]
    return sorted(names)


def _type_of(value: Any) -> Any:
    """Return the type of a hypothesis, or of a part of it."""
    pa = require_pyarrow()
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
        _read_parquet,
        write_archive=partial(_write, _PARQUET),
    )
)
register(
    Format(
        _ARROW,
        (".arrow", ".feather"),
        lambda head: head.startswith((_FILE_MAGIC, _STREAM_MAGIC)),
        _read_arrow,
        write_archive=partial(_write, _ARROW),
    )
)
