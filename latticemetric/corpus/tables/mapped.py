"""The table of the results of a user's function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.table import AnswerTable, Record, as_json

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer


class MappedTable(AnswerTable):
    """The fields of each result, or the result itself as `value`."""

    columns: Sequence[str] = ("id", "value", "error")

    def records_of(self, answer: Answer) -> Iterator[Record]:
        """Yield the fields of a result."""
        yield dict(_fields_of(answer.value))

    def rows(self) -> Iterator[Sequence[object]]:
        """Yield one row per graph; a result with several fields is JSON."""
        for record in self.records():
            name, error = record.pop("id"), record.pop("error", None)
            value = record.get("value") if list(record) == ["value"] else as_json(record) if record else None
            yield [name, value, error]

    def text(self) -> Iterator[str]:
        """Yield one line per graph."""
        for name, value, error in self.rows():
            yield self.looks.words_line(str(name), "failed" if error is not None else str(value))


def _fields_of(value: Any) -> Mapping[str, Any]:
    if hasattr(value, "asdict"):
        fields: Mapping[str, Any] = value.asdict()
        return fields
    return value if isinstance(value, Mapping) else {"value": value}
