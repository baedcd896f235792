"""Sizes of graphs, as `latticemetric info` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.cells import aligned, shown
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import AnswerTable, Record, values
from latticemetric.display.text import display_width, two_digits

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.shards import ShardRun


COLUMNS = (
    "id", "format", "kind", "states", "arcs", "epsilons", "final_states", "paths", "shortest", "longest", "depth",
    "density", "arity", "vocabulary", "best_cost", "scores"
)  # fmt: skip

# The columns of the text table; `words` is the range of path lengths. If there is no room, columns are left out in the
# order of `_DISPENSABLE`.
_TEXT_COLUMNS = (
    "id", "format", "kind", "states", "arcs", "paths", "words", "depth", "density", "vocabulary", "best_cost", "scores"
)  # fmt: skip
_DISPENSABLE = ("vocabulary", "best_cost", "kind", "format", "scores", "depth", "words", "density")
_ROUNDED_FROM = 10**7
_LARGEST = 10**300


class InfoTable(AnswerTable):
    """The sizes of each graph, sorted by the column `sort`, or in the order of the graphs."""

    kind, name = "info", "graphs"
    columns = (*COLUMNS, "error")

    def __init__(
        self,
        answers: Iterable[Answer],
        shard: ShardRun | None = None,
        *,
        looks: Looks = AS_FILE,
        sort: str | None = None,
    ) -> None:
        super().__init__(answers, shard, looks=looks)
        self._sort = sort

    def noted(self, records: Iterable[Record]) -> Iterable[Record]:
        """Yield the records, sorted by the column `sort`; graphs without a value in this column come last."""
        name = self._sort
        return records if name is None else sorted(records, key=lambda record: _sort_key(record.get(name)))

    def records_of(self, answer: Answer) -> Iterator[Record]:
        """Yield the sizes of a graph, and the format of its file.

        Fields:
            format (str): The format that the graph was read from.
        """
        yield {"format": answer.format, **answer.value}

    def rows_of(self, records: Iterable[Record]) -> Iterator[list[object]]:
        """Yield one row per graph; separate its score names with commas."""
        return (list(map(_with_commas, values(record, self.columns))) for record in records)

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield a table that fits the terminal: leave out columns, the least important first."""
        columns: dict[str, list[str]] = {name: [name.replace("_", " ")] for name in _TEXT_COLUMNS}
        for record in records:
            for name, cells in columns.items():
                cells.append(_cell(name, record))
        width, nothing = self.looks.width, shown(None)
        columns = {name: cells for name, cells in columns.items() if any(cell != nothing for cell in cells[1:])}
        for name in _DISPENSABLE:
            if name in columns and _table_width(columns) > width:
                del columns[name]
        left = [number for number, name in enumerate(columns) if name in {"id", "format", "kind", "scores"}]
        yield from aligned(list(zip(*columns.values(), strict=True)), left=left)


def _table_width(columns: Mapping[str, Sequence[str]]) -> int:
    return sum(max(map(display_width, cells)) + 2 for cells in columns.values()) - 2


def _sort_key(value: Any) -> tuple[bool, float, str]:
    """Return a sort key for values: numbers descending, texts and lists ascending, then missing values."""
    if isinstance(value, int | float):
        return False, -float(min(value, _LARGEST)), ""
    return value is None, 0.0, str(_with_commas(value))


def _cell(name: str, record: Record) -> str:
    if name == "words":
        shortest, longest = record.get("shortest"), record.get("longest")
        return shown(shortest) if shortest == longest else f"{shown(shortest)}–{shown(longest)}"
    value = record.get(name)
    if name in {"depth", "density"} and isinstance(value, float):
        return f"{value:.1f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return short_number(value)
    return shown(_with_commas(value))


def short_number(number: int) -> str:
    """Return a large whole number in few digits, like `1.6·10⁶²`; numbers below ten million in full.

    Examples:
        >>> short_number(20), short_number(123_456_789), short_number(16 * 10**61), short_number(9_999_999_999)
        ('20', '1.2·10⁸', '1.6·10⁶²', '1.0·10¹⁰')
    """
    if number < _ROUNDED_FROM:
        return str(number)
    factor, power = two_digits(number)
    return f"{factor:.1f}·{power}"


def _with_commas(value: Any) -> Any:
    return ",".join(value) if isinstance(value, list) else value
