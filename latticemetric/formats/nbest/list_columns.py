"""Read n-best lists and their references from the columns of a table; create no object per hypothesis.

Use this only for tables without missing or ambiguous values. `records` reads other tables row by row; it resolves
ambiguous values and reports errors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.formats.nbest.records import COLUMNS, IDS, LISTS, NESTED, OTHER_LISTS, SAMPLES, TEXTS, TOTALS
from latticemetric.nbest import ListColumns, TableLists

Numbers = npt.NDArray[np.int64]


def lists_of_table(table: Any, field: str, references: int, *, named: bool) -> TableLists | None:
    """Return the lists of a record batch; `None` if its rows must be read one by one.

    Args:
        table: The record batch.
        field: The column of the references.
        references: The number of references of each list.
        named: True if rows have ids.
    """
    names = table.schema.names
    fields = dict(zip(names, table.columns, strict=True))
    ids = _ids(fields)
    hypotheses = _hypotheses(fields, field)
    expected = _groups(fields[field]) if field in fields else None
    if len(fields) < len(names) or ids is None or bool(ids) != named or hypotheses is None or expected is None:
        return None
    if (np.diff(expected.begin) != references).any():
        return None
    columns = ListColumns(_utf8(hypotheses.texts), hypotheses.begin, _utf8(expected.texts), expected.begin)
    return TableLists(columns, ids)


class _Groups(NamedTuple):
    """Groups of texts.

    Attributes:
        texts: An Arrow array of all texts.
        begin: The index in `texts` where each group begins; the last element is the number of texts.
    """

    texts: Any
    begin: Numbers


def _ids(fields: dict[str, Any]) -> tuple[str, ...] | None:
    """Return the id of each row; an empty tuple if the table has no column of ids.

    Return `None` if some rows lack an id, if ids are neither texts nor integers, or if several columns could hold ids.
    """
    from pyarrow import types

    columns = [fields[name] for name in IDS if name in fields]
    if not columns:
        return ()
    if len(columns) > 1 or columns[0].null_count or not (_is_text(columns[0]) or types.is_integer(columns[0].type)):
        return None
    return tuple(map(str, columns[0].to_pylist()))


def _hypotheses(fields: dict[str, Any], reference: str) -> _Groups | None:
    """Return the hypotheses of each row, best first; `None` if they are missing or ambiguous."""
    names = [name for name in LISTS if name in fields] or [
        name for name in OTHER_LISTS if name in fields and not _is_text(fields[name])
    ]
    if len(names) != 1 or names[0] == reference or not fields.keys().isdisjoint((*COLUMNS, SAMPLES)):
        return None
    found = _groups(fields[names[0]], of_texts=False)
    if found is None or (np.diff(found.begin) == 0).any():
        return None
    return found if _is_text(found.texts) else _ranked(found)


def _groups(column: Any, *, of_texts: bool = True) -> _Groups | None:
    """Group the values of a column by row; return `None` if values are missing or a row has the wrong type.

    If `of_texts` is true, each row must be a text or a list of texts. Otherwise, each row must be a list; the elements
    may have any type.
    """
    from pyarrow import types

    if column.null_count:
        return None
    values, begin = column, np.arange(len(column) + 1)
    if types.is_list(column.type) or types.is_large_list(column.type):
        values = column.flatten()
        begin = column.offsets.to_numpy().astype(np.int64)
        begin -= begin[0]
    elif not of_texts:
        return None
    if values.null_count or (of_texts and not _is_text(values)):
        return None
    return _Groups(values, begin)


def _ranked(found: _Groups) -> _Groups | None:
    """Return the texts of hypotheses that are structures (Arrow's `struct`); if they have totals, sort lists by cost.

    Return `None` if the rows must be read one by one.
    """
    from pyarrow import types

    if not types.is_struct(found.texts.type):
        return None
    names = [found.texts.type.field(number).name for number in range(found.texts.type.num_fields)]
    parts = dict(zip(names, found.texts.flatten(), strict=True))
    texts, totals = ([name for name in known if name in parts] for known in (TEXTS, TOTALS))
    if len(parts) < len(names) or NESTED in parts or len(texts) != 1 or len(totals) > 1:
        return None
    numbers = {name: part for name, part in parts.items() if types.is_floating(part.type) and not part.null_count}
    if any(types.is_floating(part.type) and name not in numbers for name, part in parts.items()):
        return None
    if not all(np.isfinite(part.to_numpy()).all() for part in numbers.values()) or not numbers.keys() >= set(totals):
        return None
    text = parts[texts[0]]
    if text.null_count or not _is_text(text):
        return None
    return _Groups(_sorted(text, 0.0 - numbers[totals[0]].to_numpy(), found.begin) if totals else text, found.begin)


def _sorted(texts: Any, cost: npt.NDArray[np.floating[Any]], begin: Numbers) -> Any:
    """Sort the texts of each group by cost, lowest first; keep the order of equal costs."""
    group = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    if ((cost[1:] >= cost[:-1]) | (group[1:] > group[:-1])).all():
        return texts
    import pyarrow as pa

    return texts.take(pa.array(np.lexsort((cost, group))))


def _is_text(column: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(column.type) or types.is_large_string(column.type))


def _utf8(texts: Any) -> _native.Utf8Texts:
    """Return the texts of an array without copying their bytes."""
    from pyarrow import types

    _, offsets, data = texts.buffers()
    begin: Any = np.frombuffer(offsets, np.int64 if types.is_large_string(texts.type) else np.int32)
    begin = begin[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    return _native.Utf8Texts(np.frombuffer(b"" if data is None else data, np.uint8), begin)
