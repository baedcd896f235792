"""Read records from tables of pandas, polars and Arrow, and convert records to tables.

A table is recognised by its methods, so that its library need not be imported.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import IO, Any

from latticemetric.display.cells import Unread, require_arrow, required_module
from latticemetric.errors import FormatError, UsageError, shortened

_ROWS_AT_ONCE = 1024
_BYTES_AT_ONCE = 2**24
_PLAIN = frozenset({str, int, bool, type(None)})
_BYTES = (bytes, bytearray, memoryview)
_OPAQUE = "mMcVS"  # NumPy's kinds of arrays that hold neither numbers nor texts: times, complex numbers, bytes
_MISSING = ("NAType", "NaTType")  # of pandas, which need not be imported
_INTERVAL = "MonthDayNano"  # of pyarrow, a tuple of numbers
_TABLES = ("to_batches", "to_pylist", "iter_slices", "itertuples", "__arrow_c_stream__")  # methods of tables


def records_of(table: Any) -> Iterator[Mapping[str, Any]]:
    """Yield each row of a table as a mapping from column names to values.

    A table is a data frame of pandas or polars, an Arrow table, anything that exports an Arrow stream (such as a
    relation of DuckDB), or an iterable of such tables or of mappings (such as a data set of `datasets`). Values become
    plain: see `plain_value`.

    Examples:
        >>> list(records_of([{"nbest": ("a", "b")}]))
        [{'nbest': ['a', 'b']}]
    """
    if any(hasattr(table, name) for name in _TABLES):
        yield from _rows_of(table)
    elif isinstance(table, Iterable) and not isinstance(table, str | bytes | Mapping):
        for row in table:
            yield from _records_of_row(row)
    else:
        raise UsageError(
            f"{type(table).__name__} is not a table", advice="give a data frame, an Arrow table or a list of mappings"
        )


def _rows_of(table: Any) -> Iterator[Mapping[str, Any]]:
    if hasattr(table, "to_batches"):  # pyarrow.Table
        for batch in table.to_batches():
            yield from records_of_batch(batch)
    elif hasattr(table, "to_pylist"):  # pyarrow.RecordBatch
        yield from records_of_batch(table)
    elif hasattr(table, "iter_slices"):  # polars; a relation of DuckDB has other methods for rows
        yield from map(plain_record, table.iter_rows(named=True))
    elif hasattr(table, "itertuples"):  # pandas
        names = list(map(str, table.columns))
        require_names(names)
        for row in table.itertuples(index=False, name=None):
            yield plain_record(dict(zip(names, row, strict=True)))
    else:
        for batch in require_arrow().RecordBatchReader.from_stream(table):
            yield from records_of_batch(batch)


def records_of_batch(batch: Any) -> Iterator[Mapping[str, Any]]:
    """Yield each row of a record batch of Arrow as a mapping from column names to values."""
    if not hasattr(batch, "schema"):
        yield from map(plain_record, batch.to_pylist())
        return
    from latticemetric.display.arrow import sizes_of_rows, slices_of, values_of

    names = batch.schema.names
    require_names(names)
    if not names:
        return
    for rows in slices_of(batch, sizes_of_rows(batch), _ROWS_AT_ONCE, _BYTES_AT_ONCE):
        for row in zip(*map(values_of, rows.columns), strict=True):
            yield dict(zip(names, row, strict=True))


def require_names(names: Iterable[str], where: str | None = None) -> None:
    """Raise an error if two columns have the same name."""
    if twice := [name for name, number in Counter(names).items() if number > 1]:
        what = f"two columns have the name '{shortened(twice[0])}'"
        raise FormatError(what, where=where, advice="rename or remove one of them")


def _records_of_row(row: Any) -> Iterator[Mapping[str, Any]]:
    """Yield a mapping, or the records of a table that is a piece of another."""
    if isinstance(row, Mapping):
        yield plain_record(row)
    elif any(hasattr(row, name) for name in _TABLES):
        yield from records_of(row)
    else:
        raise UsageError(f"a record is a {type(row).__name__}, not a mapping of names and values")


def plain_record(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row with plain values; `None` in place of NaN, which stands for missing cells."""
    values = {name: plain_value(value) for name, value in row.items()}
    return {name: None if _is_nan(value) else value for name, value in values.items()}


def plain_value(value: Any) -> Any:
    """Convert a value to texts, numbers, lists and dictionaries, exactly.

    Tuples, ranges, arrays, series and tensors become lists, decimals and fractions numbers. Anything else is returned
    as it is, or as `Unread` if the type of its parts would be lost.
    """
    if type(value) in _PLAIN or isinstance(value, str | float | Unread):
        return value
    if isinstance(value, Mapping):
        return {name: plain_value(one) for name, one in value.items()}
    if type(value) is list:
        return value if _PLAIN.issuperset(map(type, value)) else list(map(plain_value, value))
    if isinstance(value, Decimal | Fraction):
        return _plain_number(value)
    return _plain_other(value)


def _plain_number(value: Decimal | Fraction) -> float:
    """Return a decimal or a fraction as the nearest float, or as an integer if its type has no digits after the point.

    So 17 is an integer, but 17.0 is not.
    """
    if isinstance(value, Decimal):
        is_whole = value.is_finite() and value.as_tuple().exponent == 0
        return math.nan if value.is_nan() else int(value) if is_whole else float(value)
    return int(value) if value.denominator == 1 else float(value)


def _plain_other(value: Any) -> Any:
    if type(value).__name__ in _MISSING:
        return None
    if getattr(getattr(value, "dtype", None), "kind", "") in tuple(_OPAQUE):
        return Unread(f"{value.dtype}")
    if (converted := _converted(value)) is not value:
        # A longdouble of NumPy becomes itself.
        return float(converted) if type(converted) is type(value) else plain_value(converted)
    is_list = isinstance(value, Sequence) and not isinstance(value, _BYTES) and type(value).__name__ != _INTERVAL
    return list(map(plain_value, value)) if is_list else value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value  # noqa: PLR0124  only NaN is not itself


def _converted(value: Any) -> Any:
    """Return the list, or the plain number, of an array, series, tensor or scalar; anything else unchanged."""
    for name in ("tolist", "to_list", "as_py"):  # NumPy and pandas, polars, Arrow
        if hasattr(value, name):
            return getattr(value, name)()
    return value


def as_plain(value: Any) -> Any:
    """Convert a text or texts in a cell to plain Python: arrays and series become lists, and NaN becomes `None`."""
    if isinstance(value, str):
        return value
    value = _converted(value)
    if isinstance(value, list):
        return list(map(as_plain, value))
    return None if _is_nan(value) else value


def labels_of(given: Any) -> list[Any] | None:
    """Return the labels of the rows of a series of pandas; `None` for anything else."""
    index: Any = getattr(given, "index", None)
    if callable(index) or not hasattr(index, "__len__") or not hasattr(given, "items") or isinstance(given, Mapping):
        return None
    return list(index)


def has_default_index(given: Any) -> bool:
    """Check whether this is a series of pandas whose rows have no ids: its labels are 0, 1, 2, …, in order."""
    labels = labels_of(given)
    return labels is not None and labels == list(range(len(labels)))


def by_label(given: Any, what: str) -> Any:
    """Return a series of pandas as a mapping from its labels; as a list, if it is numbered from 0.

    Raises:
        UsageError: The labels are neither distinct ids nor 0, 1, 2, …, for example because rows were left out.
    """
    labels = labels_of(given)
    if labels is None:
        return given
    if has_default_index(given):
        return list(given)
    if not all(isinstance(label, str) for label in labels):
        advice = "give ids as the index, or a list: .tolist()"
        raise UsageError(f"the index of {what} has neither ids nor 0, 1, 2, …", advice=advice)
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise UsageError(f"two {what} have the id '{shortened(twice)}'", advice="give each its own id")
    return dict(zip(labels, given, strict=True))


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record in which no value is a mapping: the values in it become columns like `one_best_score`.

    An empty mapping has no columns. A mapping stays if the record has such a column already.

    Examples:
        >>> flat({"id": "a", "score": 0.5, "one_best": {"score": 1.0, "scores": {"lm": 2.0}}})
        {'id': 'a', 'score': 0.5, 'one_best_score': 1.0, 'one_best_scores_lm': 2.0}
    """
    found: dict[str, Any] = {}
    for name, value in record.items():
        inner = {f"{name}_{of}": one for of, one in flat(value).items()} if isinstance(value, Mapping) else None
        found |= {name: value} if inner is None or not inner.keys().isdisjoint(record) else inner
    return found


def as_pandas(records: Iterable[Mapping[str, Any]]) -> Any:
    """Return records as a `pandas.DataFrame`."""
    return required_module("pandas", "pandas").DataFrame(list(records))


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


class Tabular:
    """Base class of results that can become tables; subclasses return the rows in `to_records`."""

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dictionary of plain values per row."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`."""
        return as_pandas(self._frame())

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`."""
        return as_arrow(self._frame())

    def _frame(self) -> Iterable[Mapping[str, Any]]:
        """Return the rows of a data frame: by default, the records, with a column for each number in them."""
        return map(flat, self.to_records())
