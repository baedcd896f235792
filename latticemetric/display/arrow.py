"""Convert columns of Arrow to plain types, and these to Python's values; measure columns before.

Plain types are null, booleans, integers, floats, strings, and lists, maps and structures of these. Other types of
texts, numbers and lists become plain exactly. Of all others, such as times and bytes, only the type is known (see
`Unread`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.display.cells import Unread, require_arrow
from latticemetric.errors import shortened

Sizes = npt.NDArray[np.int64]

_SHOWN = 80
_CELL = 8  # the bytes that a cell takes at least
_SMALL = 2**24  # the bytes that the sizes themselves may take
_VIEW = 4  # 32-bit numbers per text in a view


# ---- Types ----


def _is(kind: Any, *names: str) -> bool:
    """Check whether a type is one of `names`; versions of pyarrow that do not know a type have no columns of it."""
    types = require_arrow().types
    return any(getattr(types, f"is_{name}", _never)(kind) for name in names)


def _never(_kind: Any) -> bool:
    return False


def _is_text(kind: Any) -> bool:
    return _is(kind, "string", "large_string")


def is_list(kind: Any) -> bool:
    """Check whether the cells of a column are lists."""
    return _is(kind, "list", "large_list", "list_view", "large_list_view", "fixed_size_list")


def _is_number(kind: Any) -> bool:
    return _is(kind, "integer", "floating", "boolean")


def _is_tensor(kind: Any) -> bool:
    """Check whether the cells of a column are tensors of one dimension, which are lists of numbers."""
    return getattr(kind, "extension_name", "") == "arrow.fixed_shape_tensor" and len(kind.shape) == 1


def _fields_of(kind: Any) -> list[Any]:
    return [kind.field(number) for number in range(kind.num_fields)]


def _has_names_twice(kind: Any) -> bool:
    names = [field.name for field in _fields_of(kind)]
    return len(set(names)) < len(names)


@cache
def holds_texts(kind: Any) -> bool:
    """Check whether the cells of a column are texts or lists of texts."""
    if is_list(kind) or _is(kind, "dictionary", "run_end_encoded"):
        return bool(holds_texts(kind.value_type))
    return _is_text(kind) or _is(kind, "string_view")


@cache
def _is_plain(kind: Any) -> bool:
    """Check whether `plain_column` leaves a column of this type as it is."""
    if _is(kind, "list", "large_list"):
        return bool(_is_plain(kind.value_type))
    if _is(kind, "struct") and not _has_names_twice(kind):
        return all(_is_plain(field.type) for field in _fields_of(kind))
    return not (is_list(kind) or _is(kind, "dictionary", "run_end_encoded", "string_view", "decimal")) and (
        not _is_tensor(kind)
    )


def _unread(kind: Any) -> Unread:
    twice = " (two fields with one name)" if _is(kind, "struct") and _has_names_twice(kind) else ""
    return Unread(f"{shortened(str(kind), _SHOWN)}{twice}")


# ---- Sizes ----


def sizes_of(column: Any, require: Callable[[int], None] = lambda _: None) -> Sizes:  # noqa: PLR0911  a kind of types each
    """Return the bytes that each cell of a column takes as a value of its own, though cells may share them here.

    Call `require`, which may raise an error, with the bytes that many sizes need themselves, before they are computed.
    """
    kind, number = column.type, len(column)
    if _CELL * number > _SMALL:
        require(_CELL * number)
    if _is(kind, "string", "binary", "large_string", "large_binary"):
        return _lengths_of_texts(column) + _CELL
    if _is(kind, "string_view", "binary_view"):
        return _masked(column, _views(column)[:, 0].astype(np.int64)) + _CELL
    if _is(kind, "dictionary"):
        sizes = sizes_of(column.dictionary, require)
        places = column.indices.fill_null(0).to_numpy(zero_copy_only=False)
        return _masked(column, sizes[places] if len(sizes) else np.zeros(number, np.int64)) + _CELL
    if _is(kind, "run_end_encoded"):
        return sizes_of(column.values, require)[_runs(column)]
    if is_list(kind) or _is(kind, "map"):
        return _sizes_of_lists(column, require) + _CELL
    if _is(kind, "struct"):
        parts = [sizes_of(part, require) for part in column.flatten()]
        return _sum([np.full(number, _CELL, np.int64), *parts])
    if isinstance(kind, require_arrow().BaseExtensionType):
        return sizes_of(column.storage, require)
    return np.full(number, max(_CELL, _width(kind)), np.int64)


def lengths_of_dictionary(column: Any) -> Sizes | None:
    """Return the length of each text in the dictionary of a column, or of its only part; `None` if it has none."""
    if _is(column.type, "dictionary"):
        texts = column.dictionary
        return _lengths_of_texts(texts) if _is_text(texts.type) and len(texts) else None
    if is_list(column.type):
        return lengths_of_dictionary(column.values)
    is_part = _is(column.type, "struct") and column.type.num_fields == 1
    return lengths_of_dictionary(column.field(0)) if is_part else None


def size_of_views(column: Any) -> int:
    """Return the bytes of all texts in a column of views, or in its parts; they may share bytes, and be damaged."""
    kind = column.type
    if _is(kind, "string_view", "binary_view"):
        return int(np.maximum(_views(column)[:, 0], 0).sum(dtype=np.int64))
    if is_list(kind):
        return size_of_views(column.values)
    if _is(kind, "struct"):
        return sum(size_of_views(column.field(number)) for number in range(kind.num_fields))
    return size_of_views(column.dictionary) if _is(kind, "dictionary") else 0


def _views(column: Any) -> npt.NDArray[np.int32]:
    """Return the views of a column, of four numbers each; the first one is the length of the text."""
    if not len(column):
        return np.zeros((0, _VIEW), np.int32)
    views = np.frombuffer(column.buffers()[1], np.int32).reshape(-1, _VIEW)
    return views[column.offset : column.offset + len(column)]


def _lengths_of_texts(column: Any) -> Sizes:
    large = _is(column.type, "large_string", "large_binary")
    if not len(column):
        return np.zeros(0, np.int64)
    offsets: Any = np.frombuffer(column.buffers()[1], np.int64 if large else np.int32)
    return _masked(column, np.diff(offsets[column.offset : column.offset + len(column) + 1]).astype(np.int64))


def _masked(column: Any, sizes: Sizes) -> Sizes:
    """Set the sizes of missing cells to 0."""
    if not column.null_count:
        return sizes
    return np.where(column.is_valid().to_numpy(zero_copy_only=False), sizes, 0)


def _sizes_of_lists(column: Any, require: Callable[[int], None]) -> Sizes:
    lengths = _lengths_of_lists(column)
    if _CELL * (cells := int(lengths.sum())) > _SMALL:
        require(_CELL * cells)
    if _is(column.type, "map"):
        keys, items = _parts_of_map(column)
        sizes = sizes_of(keys, require) + sizes_of(items, require)
    elif _is(column.type, "list_view", "large_list_view"):  # lists may overlap
        own = np.concatenate([[0], np.cumsum(sizes_of(column.values, require))])
        begin = column.offsets.to_numpy().astype(np.int64)
        return _masked(column, own[begin + lengths] - own[begin]) if len(column) else lengths
    else:
        sizes = sizes_of(column.flatten(), require)
    ends = np.cumsum(lengths)
    total = np.concatenate([[0], np.cumsum(sizes)])
    return np.asarray(total[ends] - total[ends - lengths], np.int64)


def _width(kind: Any) -> int:
    try:
        return int(kind.bit_width) // 8
    except ValueError:
        return 0


def sizes_of_rows(batch: Any, require: Callable[[int], None] = lambda _: None) -> Sizes:
    """Return the bytes of each row of a record batch; see `sizes_of`."""
    return _sum([np.zeros(batch.num_rows, np.int64), *(sizes_of(one, require) for one in batch.columns)])


def _sum(sizes: list[Sizes]) -> Sizes:
    total: Sizes = np.sum(sizes, axis=0)
    return total


def slices_of(batch: Any, sizes: Sizes, most_rows: int, most_bytes: int) -> Iterator[Any]:
    """Divide a record batch into slices of plain columns.

    A slice has at most `most_rows` rows, and `most_bytes` bytes (by the `sizes` of the rows) unless it is a single row.
    """
    ends, first, before = np.cumsum(sizes), 0, 0
    while first < len(sizes):
        fitting = int(np.searchsorted(ends, before + most_bytes, side="right"))
        end = min(max(first + 1, fitting), first + most_rows, len(sizes))
        yield _plain_batch(batch.slice(first, end - first))
        first, before = end, int(ends[end - 1])


# ---- Plain columns ----


def _plain_batch(batch: Any) -> Any:
    if all(_is_plain(field.type) for field in batch.schema):
        return batch
    return require_arrow().RecordBatch.from_arrays([plain_column(one) for one in batch.columns], batch.schema.names)


def plain_column(column: Any) -> Any:  # noqa: PLR0911  a kind of types each
    """Return a column with the same values in a plain type; leave columns as they are if only their type is known."""
    pa, kind = require_arrow(), column.type
    if _is_plain(kind):
        return column
    if _is(kind, "dictionary"):
        return plain_column(column.dictionary.take(column.indices))
    if _is(kind, "run_end_encoded"):
        return plain_column(column.values.take(pa.array(_runs(column))))
    if _is(kind, "string_view"):
        return column.cast(pa.large_string())
    if _is(kind, "decimal"):
        return _numbers_of_decimals(column)
    if is_list(kind):
        offsets = np.concatenate([[0], np.cumsum(_lengths_of_lists(column))])
        return pa.LargeListArray.from_arrays(
            pa.array(offsets, pa.int64()), plain_column(column.flatten()), mask=_mask(column)
        )
    if _is(kind, "struct") and not _has_names_twice(kind):
        names = [field.name for field in _fields_of(kind)]
        return pa.StructArray.from_arrays(list(map(plain_column, column.flatten())), names, mask=_mask(column))
    return plain_column(column.storage) if _is_tensor(kind) else column


def _mask(column: Any) -> Any:
    return column.is_null() if column.null_count else None


def _runs(column: Any) -> Sizes:
    """For each cell of a run-end encoded column, return the index of its value."""
    cells = np.arange(column.offset, column.offset + len(column))
    return np.searchsorted(column.run_ends.to_numpy(), cells, side="right")


def _numbers_of_decimals(column: Any) -> Any:
    """Return each decimal as the nearest float, or as an integer if the type has no digits after the point."""
    pa = require_arrow()
    decimals = column.to_pylist()
    if column.type.scale <= 0:
        whole = [None if one is None else int(one) for one in decimals]
        if all(one is None or -(2**63) <= one < 2**63 for one in whole):
            return pa.array(whole, pa.int64())
    return pa.array([None if one is None else float(one) for one in decimals], pa.float64())


def _lengths_of_lists(column: Any) -> Sizes:
    """Return the length of each list; 0 for missing ones."""
    if _is(column.type, "map"):
        return np.asarray(np.diff(column.offsets.to_numpy()), np.int64)
    from pyarrow import compute

    return np.asarray(compute.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False), np.int64)


def _parts_of_map(column: Any) -> tuple[Any, Any]:
    """Return the keys and the items of all cells of a column of maps."""
    offsets = column.offsets
    first = offsets[0].as_py() if len(offsets) else 0
    length = (offsets[-1].as_py() - first) if len(offsets) else 0
    return column.keys.slice(first, length), column.items.slice(first, length)


# ---- Values ----


def values_of(column: Any) -> list[Any]:  # noqa: PLR0911  a kind of types each
    """Return the cells as texts, numbers, lists and dictionaries; `Unread` where only the type is known.

    This is faster than `to_pylist`, which makes an Arrow object for each value.
    """
    column = plain_column(column)
    kind = column.type
    if _is_text(kind):
        texts: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
        return texts
    if is_list(kind):
        cells = values_of(column.flatten())
        ends = np.concatenate([[0], np.cumsum(_lengths_of_lists(column))]).tolist()
        return _with_missing(column, [cells[begin:end] for begin, end in pairwise(ends)])
    if _is(kind, "struct") and kind.num_fields and not _has_names_twice(kind):
        names = [field.name for field in _fields_of(kind)]
        parts = zip(*map(values_of, column.flatten()), strict=True)
        return _with_missing(column, [dict(zip(names, row, strict=True)) for row in parts])
    if _is(kind, "map") and _is_text(kind.key_type):
        return _with_missing(column, _maps(column))
    if _is_number(kind) and not _is(kind, "boolean") and column.null_count == 0:
        numbers: list[Any] = column.to_numpy().tolist()
        return numbers
    if _is_number(kind) or _is(kind, "null") or (_is(kind, "struct") and not kind.num_fields):
        return list(column.to_pylist())
    return _with_missing(column, [_unread(kind)] * len(column))


def _with_missing(column: Any, cells: list[Any]) -> list[Any]:
    if not column.null_count:
        return cells
    there = column.is_valid().to_pylist()
    return [cell if is_there else None for cell, is_there in zip(cells, there, strict=True)]


def _maps(column: Any) -> list[Any]:
    """Return maps as dictionaries; a map that has a key twice as `Unread`."""
    keys, items = map(values_of, _parts_of_map(column))
    ends = np.concatenate([[0], np.cumsum(_lengths_of_lists(column))]).tolist()
    found: list[Any] = []
    for begin, end in pairwise(ends):
        cell = dict(zip(keys[begin:end], items[begin:end], strict=True))
        found.append(cell if len(cell) == end - begin else Unread("map with a key twice"))
    return found
