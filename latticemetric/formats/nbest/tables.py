"""Read and write n-best lists as Parquet and Arrow tables: one record per row, one field per column (see `records`).

Other columns, like audio, are not read. Tables are written in batches; their columns are the fields of JSON lines:
`id`, and `hypotheses` with texts and scores. This module needs pyarrow.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice, repeat
from typing import IO, Any, NamedTuple

from latticemetric.display.arrow import holds_texts, is_list, values_of
from latticemetric.display.cells import require_arrow
from latticemetric.errors import UsageError, placed, shortened
from latticemetric.formats.arrow_files import FILE_MAGIC, PARQUET_MAGIC, STREAM_MAGIC, readable, table_slices
from latticemetric.formats.nbest.jsonl import as_record
from latticemetric.formats.nbest.list_columns import lists_of_table
from latticemetric.formats.nbest.records import FIELDS, OTHER_LISTS, ListRecord, entries_of
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.nbest import TableLists
from latticemetric.vocabulary import Vocabulary

_PARQUET, _ARROW = "parquet", "arrow"
_ROWS_AT_ONCE = 1024


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return entries_of(row for before, rows in table_slices(stream, _wanted) for row in _rows(rows, before, stream.name))


def _wanted(field: Any) -> bool:
    """Check whether a column can be part of a record: by its name, or as a reference that `--reference-field` names."""
    return (field.name in FIELDS and (field.name not in OTHER_LISTS or is_list(field.type))) or holds_texts(field.type)


def _rows(batch: Any, before: int, file: str) -> Iterator[tuple[int, ListRecord]]:
    """Yield the number of each row, from 1, and its record."""
    with readable(f"row {before + 1}"):
        columns = list(map(values_of, batch.columns))
    names = batch.schema.names
    rows = zip(*columns, strict=True) if columns else repeat((), batch.num_rows)
    for position, row in enumerate(rows, start=before + 1):
        yield position, ListRecord(dict(zip(names, row, strict=True)), f"{file}, row {position}")


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

    def entries(self, *, named: bool | None, scored: bool | None = None) -> Iterator[Entry]:
        """Yield the entry of each row; raise an error if only some rows have ids or scores.

        `named` and `scored` say whether earlier rows have ids and scores; `named` is `None` for the first rows.
        """
        return entries_of(_rows(self._batch(), self.before, self.file), named=named, scored=scored)

    def lists(self, field: str, references: int, *, named: bool) -> TableLists | None:
        """Return the n-best lists with their references.

        The column `field` holds the references of a list; `references` is their number. Return `None` if only `entries`
        can read these rows.
        """
        return lists_of_table(self._batch(), field, references, named=named)

    def _batch(self) -> Any:
        from pyarrow import ipc

        return ipc.open_stream(self.data).read_next_batch()


def _blocks(stream: Stream) -> Iterator[TableBlock]:
    """Yield the rows of a table, block by block."""
    pa = require_arrow()
    from pyarrow import ipc

    for before, rows in table_slices(stream, _wanted):
        sink = pa.BufferOutputStream()
        with ipc.new_stream(sink, rows.schema) as writer:
            writer.write_batch(rows)
        yield TableBlock(sink.getvalue().to_pybytes(), stream.name, before)


# ---- Writing ----


def _write(format_name: str, file: IO[bytes], graphs: Iterable[tuple[str, Graph]]) -> int:
    """Write lists in batches; all hypotheses must have the scores of the first one."""
    pa = require_arrow()
    records = _records(graphs, format_name)
    rows = list(islice(records, _ROWS_AT_ONCE))
    if not rows:
        return 0
    schema = pa.schema([("id", pa.string()), ("hypotheses", pa.list_(_type_of(rows[0]["hypotheses"][0])))])
    writer, count = _writer(format_name, file, schema), 0
    try:
        while rows:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
            rows = list(islice(records, _ROWS_AT_ONCE))
        writer.close()
    except BaseException:
        with contextlib.suppress(Exception):  # the first error is already being raised
            writer.close()
        writer.is_open = False  # otherwise, pyarrow closes it again, when the file is closed
        raise
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
        lambda head: head.startswith(PARQUET_MAGIC),
        _read,
        write_archive=partial(_write, _PARQUET),
        read_blocks=_blocks,
    )
)
register(
    Format(
        _ARROW,
        (".arrow", ".feather"),
        lambda head: head.startswith((FILE_MAGIC, STREAM_MAGIC)),
        _read,
        write_archive=partial(_write, _ARROW),
        read_blocks=_blocks,
    )
)
