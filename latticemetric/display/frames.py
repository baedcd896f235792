"""Read records from tables of pandas, polars and Arrow, and convert records to tables.

A table is recognised by its methods, so that its library need not be imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import IO, Any

from latticemetric.errors import UsageError, importing

_ROWS_AT_ONCE = 1024
_PLAIN = frozenset({str, list, tuple, dict, int, bool, type(None)})
_TABLES = ("to_batches", "to_pylist", "iter_rows", "itertuples")  # methods of tables of Arrow, polars and pandas


def records_of(table: Any) -> Iterator[Mapping[str, Any]]:
    """Yield each row of a table as a mapping from column names to values.

    A table is a data frame of pandas or polars, an Arrow table, or an iterable of such tables or of mappings (such as a
    data set of `datasets`). Arrays within a row become lists.

    Examples:
        >>> list(records_of([{"nbest": ["a", "b"]}]))
        [{'nbest': ['a', 'b']}]
    """
    if hasattr(table, "to_batches"):  # pyarrow.Table
        for batch in table.to_batches(_ROWS_AT_ONCE):
            yield from batch.to_pylist()
    elif hasattr(table, "to_pylist"):  # pyarrow.RecordBatch
        yield from table.to_pylist()
    elif hasattr(table, "iter_rows"):  # polars
        yield from table.iter_rows(named=True)
    elif hasattr(table, "itertuples"):  # pandas
        for row in table.itertuples(index=False, name=None):
            yield {str(name): as_plain(value) for name, value in zip(table.columns, row, strict=True)}
    elif isinstance(table, Iterable) and not isinstance(table, str | bytes | Mapping):
        for row in table:
            yield from _records_of_row(row)
    else:
        raise UsageError(
            f"{type(table).__name__} is not a table", advice="give a data frame, an Arrow table or a list of mappings"
        )


def _records_of_row(row: Any) -> Iterator[Mapping[str, Any]]:
    """Yield a mapping, or the records of a table that is a piece of another."""
    if isinstance(row, Mapping):
        yield row if _PLAIN.issuperset(map(type, row.values())) else {n: as_plain(v) for n, v in row.items()}
    elif any(hasattr(row, name) for name in _TABLES):
        yield from records_of(row)
    else:
        raise UsageError(f"a record is a {type(row).__name__}, not a mapping of names and values")


def as_plain(value: Any) -> Any:
    """Convert a cell of a table to plain Python values: arrays and series become lists, and NaN becomes `None`."""
    if isinstance(value, str):
        return value
    for name in ("tolist", "to_list", "as_py"):  # NumPy and pandas, polars, Arrow
        if hasattr(value, name):
            value = getattr(value, name)()
            break
    if isinstance(value, list):
        return list(map(as_plain, value))
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124  only NaN is not itself


def as_pandas(records: Iterable[Mapping[str, Any]]) -> Any:
    """Return records as a `pandas.DataFrame`."""
    return _module("pandas", "pandas").DataFrame(list(records))


def as_arrow(records: Iterable[Mapping[str, Any]]) -> Any:
    """Return records as a `pyarrow.Table` with a column for each key that occurs in a record.

    A mapping becomes an Arrow struct. A (text, number) pair becomes a struct with the fields `text` and `number`. A
    missing value becomes null. An empty mapping also becomes null, because a struct needs at least one field.
    If a whole number does not fit into 64 bits (such as a number of paths), all numbers of its column become texts.
    """
    pa, rows = require_arrow(), list(records)
    columns = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [_with_fields(row.get(name)) for row in rows]
        try:
            columns[name] = pa.array(values)
        except OverflowError:
            columns[name] = pa.array([None if value is None else str(value) for value in values])
        except pa.ArrowException as error:
            what = f"column {name} mixes values of several types ({error})"
            raise UsageError(what, advice="write JSON lines instead") from None
    return pa.table(columns)


def _with_fields(value: Any) -> Any:
    """Prepare a value, and all values in it, for Arrow.

    Empty mappings become `None`; (text, number) pairs become mappings.
    """
    if isinstance(value, list | tuple) and list(map(type, value)) == [str, float]:
        return dict(zip(("text", "number"), value, strict=True))
    if isinstance(value, Mapping):
        return {name: _with_fields(one) for name, one in value.items()} or None
    return list(map(_with_fields, value)) if isinstance(value, list | tuple) else value


def write_table(records: Iterable[Mapping[str, Any]], file: IO[bytes], kind: str) -> None:
    """Write records to a file as a table; `kind` is the file format, `parquet` or `arrow`."""
    table = as_arrow(records)
    if kind == "parquet":
        from pyarrow import parquet

        parquet.write_table(table, file)
        return
    from pyarrow import ipc

    with ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def require_arrow() -> Any:
    """Return the module `pyarrow`; raise an error if it is not installed."""
    return _module("pyarrow", "latticemetric[arrow]")


def _module(name: str, package: str) -> Any:
    with importing(f"this operation needs {name}", advice=f'pip install "{package}"'):
        return import_module(name)


class Tabular:
    """Base class of results that can become tables; subclasses return the rows in `to_records`."""

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dictionary of plain values per row."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`."""
        return as_pandas(self.to_records())

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`."""
        return as_arrow(self.to_records())
