"""The table of the results of a user's function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.table import AnswerTable, Record, as_json

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer


class MappedTable(AnswerTable):
    """The fields of each result, or the result itself as `value`."""

    kind = "map"
    columns: Sequence[str] = ("id", "value", "error")

    def records_of(self, answer: Answer) -> Iterator[Record]:
        """Yield the fields of a result."""
        yield dict(_fields_of(answer.value))

    def rows_of(self, records: Iterable[Record]) -> Iterator[Sequence[object]]:
        """Yield one row per graph; a result with several fields is JSON."""
        for record in records:
            fields = dict(record)
            name, error = fields.pop("id"), fields.pop("error", None)
            value = fields.get("value") if list(fields) == ["value"] else as_json(fields) if fields else None
            yield [name, value, error]

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield one line per graph."""
        for name, value, error in self.rows_of(records):
            yield self.looks.words_line(str(name), "failed" if error is not None else str(value))


def _fields_of(value: Any) -> Mapping[str, Any]:
    if hasattr(value, "asdict"):
        fields: Mapping[str, Any] = value.asdict()
        return fields
    return value if isinstance(value, Mapping) else {"value": value}
