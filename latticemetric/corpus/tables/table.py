"""Write answers in every output format: text, TSV, JSON, JSON lines and CTM.

A table makes records (named values) and names the TSV columns; `Table` writes them in every format. Tables take
answers and plain values, so that the command line and Python print the same.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.errors import UsageError, shortened

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.shards import ShardRun

Record = dict[str, Any]
"""Named values: a row in TSV, an object in JSON."""


class Table(ABC):
    """Answers in every output format. Each verb defines its lines, records and columns.

    Attributes:
        looks: How the text looks.
    """

    looks: Looks = AS_FILE

    @property
    @abstractmethod
    def columns(self) -> Sequence[str]:
        """The titles of the TSV columns."""

    @abstractmethod
    def text(self) -> Iterable[str]:
        """Yield the lines of text output."""

    @abstractmethod
    def records(self) -> Iterable[Record]:
        """Yield the records for JSON lines."""

    def rows(self) -> Iterable[Sequence[object]]:
        """Yield the rows of TSV: by default, the values of each record in the order of `columns`."""
        columns = self.columns
        for record in self.records():
            one_best = record.get("one_best")
            nested = one_best if isinstance(one_best, dict) else {}
            yield values({**record, **{f"one_best_{name}": value for name, value in nested.items()}}, columns)

    @abstractmethod
    def document(self) -> Iterable[str]:
        """Yield the lines of one JSON document."""

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return {}

    def summary(self) -> Sequence[str]:
        """Return notes on the answers, for standard error and for the end of a text file."""
        return ()

    def plot(self, path: str) -> None:
        """Draw the answers into a file (.svg, .png or .pdf).

        Raises:
            UsageError: There is no drawing of these answers.
        """
        raise UsageError("these answers have no plot", where=path, advice="leave the plot out")

    @property
    def is_for_programs(self) -> bool:
        """True if programs read the text; then a text file has no summary at its end."""
        return False

    def warning(self) -> str | None:
        """Return a warning for standard error if the answers look wrong, else `None`."""
        return None


class AnswerTable(Table):
    """The answers of a run: one per graph.

    Each answer has `records_each` records, which are written as soon as the answer arrives. With a `shard`, the JSON
    document has what `merge` needs.
    """

    name = "lattices"

    def __init__(
        self, answers: Iterable[Answer], shard: ShardRun | None = None, *, looks: Looks = AS_FILE, records_each: int = 1
    ) -> None:
        self._shard, self.looks, self._records_each = shard, looks, records_each
        self._numbers = {"graphs": 0, "failed": 0}
        self.answers = self._noted(answers)

    def _noted(self, answers: Iterable[Answer]) -> Iterator[Answer]:
        for answer in answers:
            self._numbers["graphs" if answer.problem is None else "failed"] += 1
            yield answer

    def totals(self) -> Record:
        """Return the numbers of graphs that were answered and that failed."""
        return dict(self._numbers)

    def records_of(self, answer: Answer) -> Iterable[Record]:
        """Yield the records of an answer, without the graph's id."""
        yield answer.value.asdict()

    def records(self) -> Iterator[Record]:
        """Yield the records of each graph; for a failed graph, yield one record with the error.

        Fields:
            id (str): The graph's id.
        """
        for answer in self.answers:
            failed = [{"error": str(answer.problem)}]
            for record in self.records_of(answer) if answer.problem is None else failed:
                yield {"id": answer.name, **record}

    def document(self) -> Iterator[str]:
        """Yield the lines of the JSON document; records of the same graph are adjacent."""
        from latticemetric.corpus.shards import document_end

        several = {} if self._records_each == 1 else {"items_each": self._records_each}
        return json_document({}, {self.name: self.records()}, lambda: document_end({}, self._shard, **several))


TimedWords = tuple[Sequence[str], Sequence[Sequence[float]] | None, Sequence[float]]


class CTMTable(AnswerTable):
    """Answers with words, times and confidences; the formats include CTM."""

    def ctm(self) -> Iterator[str]:
        """Yield the lines of CTM, without graphs that failed."""
        for answer in self.answers:
            if answer.problem is None:
                yield from _ctm_lines(answer.name, *self.timed_words(answer))

    def timed_words(self, answer: Answer) -> TimedWords:
        """Return the words of an answer, their begin and end times, and their confidences."""
        found = answer.value
        return found.words, found.times, found.confidences


def _ctm_lines(
    name: str, words: Sequence[str], times: Sequence[Sequence[float]] | None, confidences: Sequence[float]
) -> Iterator[str]:
    """Yield one CTM line per word: id, channel, begin, duration, word, confidence."""
    if times is None:
        raise UsageError(
            f"ctm needs times, but '{name}' has none", advice="give lattices with times, or use --format jsonl"
        )
    from latticemetric.vocabulary import split_words

    if odd := next((word for word in words if split_words(word) != [word]), None):
        raise UsageError(
            f"ctm cannot hold the word '{shortened(odd)}' of '{shortened(name)}'", advice="use --format jsonl"
        )
    for word, (begin, end), confidence in zip(words, times, confidences, strict=True):
        yield f"{name} 1 {begin:.2f} {end - begin:.2f} {word} {confidence:.4f}"


def values(record: Mapping[str, object], names: Iterable[str]) -> list[object]:
    """Return the values of these names in a record; `None` for a name that the record lacks."""
    return [record.get(name) for name in names]


# `json.dumps` would make a new encoder for each record.
_as_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def as_json(value: object) -> str:
    """Return a value as one line of JSON."""
    return _as_json(value)


def json_document(
    head: Record, lists: Mapping[str, Iterable[Record]], end: Callable[[], str] = lambda: "]}", *, streamed: bool = True
) -> Iterator[str]:
    """Yield the lines of a JSON document: `head`, the `lists` (one line per record), and the result of `end()`.

    If `streamed`, a comma precedes each record, so that a line can be written as soon as its record arrives.
    """
    before = f"{as_json(head)[:-1]}, " if head else "{"
    for name, records in lists.items():
        yield f"{before}{as_json(name)}: ["
        if streamed:
            yield from (f"{',' if k else ''}{as_json(record)}" for k, record in enumerate(records))
        else:
            yield ",\n".join(map(as_json, records))
        before = "], "
    yield end()


def tsv_field(value: object) -> str:
    """Return a value as a TSV field: `None` as an empty field, a list as its items with spaces between them.

    Escape backslashes, tabs and line ends.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
