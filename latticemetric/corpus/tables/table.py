"""Write answers in every output format: text, TSV, JSON, JSON lines and CTM.

A table makes records (named values) and names the TSV columns; `Table` writes them in every format. Tables take
answers and plain values, so that the command line and Python print the same.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from latticemetric.corpus.tables.cells import named_scores
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.display.frames import flat
from latticemetric.errors import UsageError, shortened

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.merging import Documents
    from latticemetric.corpus.shards import ShardRun

Record = dict[str, Any]
"""Named values: a row in TSV, an object in JSON."""

_SPAN = ("begin", "end")


class Table(ABC):
    """Answers in every output format. Each verb defines its lines, records and columns.

    Attributes:
        looks: How the text looks.
        has_plot: True if the answers can be drawn.
    """

    looks: Looks = AS_FILE
    has_plot: ClassVar[bool] = False

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

    def flat(self, record: Record) -> Record:
        """Return the columns of a record: `one_best_score` for the `score` of its `one_best`, `begin` and `end`."""
        if "times" not in record:
            return flat(record)
        times = record["times"]
        span = {name: None if times is None else [pair[k] for pair in times] for k, name in enumerate(_SPAN)}
        found: Record = {}
        for name, value in flat(record).items():
            found |= span if name == "times" else {name: value}
        return found

    def each_row(self, records: Iterable[Record]) -> Iterable[Record]:
        """Yield the records that are rows of TSV and of data frames: by default, all."""
        return records

    def frame(self) -> Iterable[Record]:
        """Yield the rows of a data frame: the columns of TSV, and those of everything else in the records."""
        return map(self.flat, self.each_row(self.records()))

    def in_columns(self, records: Iterable[Record]) -> Iterator[list[object]]:
        """Yield the rows of TSV of records: values in the order of `columns`, with scores in one column."""
        titles = self.columns
        for record in self.each_row(records):
            yield values(self.flat(record) | self.cells(record), titles)

    def cells(self, record: Record) -> Record:
        """Return the values that TSV shows in another way than data frames."""
        scores = record.get("scores")
        return {"scores": named_scores(scores)} if isinstance(scores, dict) else {}

    def rows(self) -> Iterable[Sequence[object]]:
        """Yield the rows of TSV: by default, the values of each record in the order of `columns`."""
        return self.in_columns(self.records())

    def json_lines(self) -> Iterable[str]:
        """Yield the lines of JSON lines."""
        return map(as_json, self.records())

    def tsv_lines(self) -> Iterable[str]:
        """Yield the lines of TSV: the titles of columns, then the rows."""
        yield as_tsv(self.columns)
        yield from map(as_tsv, self.rows())

    def read_all(self) -> None:
        """Read all answers, so that they are added to the totals."""
        deque(self.records(), maxlen=0)

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


class ShardSums(NamedTuple):
    """The data in the documents of all shards that make their table.

    Attributes:
        settings: The result of `ItemTable.settings`.
        signature: The signature; empty if the document has none.
        states: The result of `ItemTable.state` of each shard.
    """

    settings: Record
    signature: str
    states: Sequence[Any]


class ItemTable(Table):
    """A table of items: records of each graph, from which all formats are made, and sums over all graphs.

    The records are those of answers or, after a run in shards, those in the documents of all shards. With a `shard`,
    the JSON document has what `merge` needs.

    Attributes:
        kind: The name of the kind of table in documents of shards.
        name: The name of the list of items in documents.
    """

    kind: ClassVar[str]
    name: ClassVar[str] = "lattices"
    _shard: ShardRun | None = None
    _documents: Documents | None = None

    # ---- The records ----

    @abstractmethod
    def answered(self) -> Iterator[Record]:
        """Yield the records of the answers; add the answers up."""

    def noted(self, records: Iterable[Record]) -> Iterable[Record]:
        """Yield the records; note what the summary needs."""
        return records

    def records(self) -> Iterator[Record]:
        """Yield the records for JSON lines."""
        return iter(self.noted(self.answered() if self._documents is None else self._documents.records()))

    # ---- Formats ----

    @abstractmethod
    def lines_of(self, records: Iterable[Record]) -> Iterable[str]:
        """Yield the lines of the text of these records."""

    def rows_of(self, records: Iterable[Record]) -> Iterable[Sequence[object]]:
        """Yield the rows of these records: by default, the values of each record in the order of `columns`."""
        return self.in_columns(records)

    @property
    def unshown(self) -> Sequence[str]:
        """The results that options ask for, but text leaves out."""
        return ()

    def text(self) -> Iterable[str]:
        """Yield the lines of text output."""
        return self.lines_of(self.records())

    def rows(self) -> Iterable[Sequence[object]]:
        """Yield the rows of TSV."""
        return self.rows_of(self.records())

    def head(self) -> Record:
        """Return the fields of the JSON document before the items."""
        return {}

    def end(self) -> Record:
        """Return the fields of the JSON document behind the items; call this after the records were read."""
        return {}

    def items(self) -> Iterable[Record | str]:
        """Yield the items of the JSON document, or their lines: by default, the records."""
        return self.records()

    def document(self) -> Iterator[str]:
        """Yield the JSON document: items as they arrive, then the sums.

        Items of documents of shards are copied unchanged, one at a time.

        Fields:
            signature (str): Metric, parameters, number of references, version.
            lattices (list[OracleAnswer]): The items, in the order of the graphs; then references without a graph.
            corpus (Totals): The totals.
        """
        from latticemetric.corpus.shards import document_end

        if self._documents is not None:
            return self._documents.merged(document_end(self.end()))

        def end() -> str:
            return document_end(self.end(), self._shard, **({} if self._shard is None else self.merging()))

        return json_document(self.head(), {self.name: self.items()}, end)

    # ---- Shards ----

    def settings(self) -> Record:
        """Return what this table was made with, except answers and looks, as plain values: see `merged`."""
        return {}

    def state(self) -> Record | None:
        """Return the sums as plain values, for `merged`; `None` if there are none."""
        return None

    def merging(self) -> Record:
        """Return the data of a shard that `merge` needs; call this after the records were read."""
        state = self.state()
        return {"table": {"kind": self.kind, **self.settings()}, **({} if state is None else {"sums": state})}

    @classmethod
    def merged(cls, shards: ShardSums, looks: Looks) -> ItemTable:
        """Return the table of all shards, without records: `read_from` names their documents."""
        return cls(answers=(), looks=looks, **shards.settings)  # type: ignore[call-arg]  # of the subclass

    def read_from(self, documents: Documents) -> Self:
        """Take the records from documents of shards."""
        self._documents = documents
        return self


class AnswerTable(ItemTable):
    """The answers of a run: one per graph.

    Each answer has `records_each` records, which are written as soon as the answer arrives.
    """

    def __init__(
        self, answers: Iterable[Answer], shard: ShardRun | None = None, *, looks: Looks = AS_FILE, records_each: int = 1
    ) -> None:
        self._shard, self.looks, self._records_each = shard, looks, records_each
        self._numbers = {"graphs": 0, "failed": 0}
        self.answers = self._counted(answers)

    def _counted(self, answers: Iterable[Answer]) -> Iterator[Answer]:
        for answer in answers:
            self._numbers["graphs" if answer.problem is None else "failed"] += 1
            yield answer

    def totals(self) -> Record:
        """Return the numbers of graphs that were answered and that failed."""
        return dict(self._numbers) if self._documents is None else self._documents.numbers()

    def records_of(self, answer: Answer) -> Iterable[Record]:
        """Yield the records of an answer, without the graph's id."""
        yield answer.value.asdict()

    def answered(self) -> Iterator[Record]:
        """Yield the records of each graph; for a failed graph, yield one record with the error.

        Fields:
            id (str): The graph's id.
        """
        for answer in self.answers:
            yield from self.named_records(answer)

    def named_records(self, answer: Answer) -> Iterator[Record]:
        """Yield the records of an answer, with the graph's id; for a failed graph, one with the error."""
        failed = [{"error": str(answer.problem)}]
        for record in self.records_of(answer) if answer.problem is None else failed:
            yield {"id": answer.name, **record}

    def merging(self) -> Record:
        """Return the data of a shard that `merge` needs; records of the same graph are adjacent."""
        several = {} if self._records_each == 1 else {"items_each": self._records_each}
        return several | super().merging()


class CTMTable(AnswerTable):
    """Answers with words, times and confidences; the formats include CTM."""

    def records_of(self, answer: Answer) -> Iterable[Record]:
        """Yield the record of an answer."""
        yield answer.value.asdict() | spaced_words(answer.value.words)

    def ctm(self) -> Iterator[str]:
        """Yield the lines of CTM, without graphs that failed."""
        for record in self.records():
            if "error" not in record:
                yield from _ctm_lines(record["id"], words_of(record), record["times"], record["confidences"])


def spaced_words(words: Sequence[str], field: str = "words") -> Record:
    """Return a field with the words if one of them has a space, so that a text of them does not tell them apart.

    Examples:
        >>> spaced_words(["New", "York"]), spaced_words(["New York"])
        ({}, {'words': ['New York']})
    """
    return {field: list(words)} if words and " ".join(words).count(" ") >= len(words) else {}


def words_of(record: Record) -> list[str]:
    """Return the words of the hypothesis of a record."""
    spaced: list[str] | None = record.get("words")
    return split_text(record["hypothesis"]) if spaced is None else spaced


def split_text(text: str) -> list[str]:
    """Split a text into words that single spaces join."""
    return text.split(" ") if text else []


def each_of(records: Iterable[Record], name: str) -> Iterator[Record]:
    """Yield each item of the list that records have in a field, with their other fields; else the record itself.

    Examples:
        >>> list(each_of([{"id": "a", "paths": [{"rank": 1}, {"rank": 2}]}, {"id": "b", "error": "empty"}], "paths"))
        [{'id': 'a', 'rank': 1}, {'id': 'a', 'rank': 2}, {'id': 'b', 'error': 'empty'}]
    """
    for record in records:
        common = {other: value for other, value in record.items() if other != name}
        yield from (common | item for item in record.get(name, [{}]))


def _ctm_lines(
    name: str, words: Sequence[str], times: Sequence[Sequence[float]] | None, confidences: Sequence[float]
) -> Iterator[str]:
    """Yield one CTM line per word: id, channel, begin, duration, word, confidence."""
    if times is None:
        raise UsageError(
            f"ctm needs times, but '{name}' has none",
            advice='give lattices with times, or use Answers.write(format="jsonl")',
        )
    from latticemetric.vocabulary import split_words

    if odd := next((word for word in words if split_words(word) != [word]), None):
        raise UsageError(
            f"ctm cannot hold the word '{shortened(odd)}' of '{shortened(name)}'",
            advice='use Answers.write(format="jsonl")',
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


def as_tsv(fields: Iterable[object]) -> str:
    """Return fields as a line of TSV."""
    return "\t".join(map(tsv_field, fields))


def json_document(
    head: Record,
    lists: Mapping[str, Iterable[Record | str]],
    end: Callable[[], str] = lambda: "]}",
    *,
    streamed: bool = True,
) -> Iterator[str]:
    """Yield the lines of a JSON document: `head`, the `lists` (one line per record), and the result of `end()`.

    A record may be its line already. If `streamed`, a comma precedes each record, so that a line can be written as soon
    as its record arrives.
    """
    before = f"{as_json(head)[:-1]}, " if head else "{"
    for name, records in lists.items():
        yield f"{before}{as_json(name)}: ["
        if streamed:
            yield from (f"{',' if k else ''}{_line_of(record)}" for k, record in enumerate(records))
        else:
            yield ",\n".join(map(_line_of, records))
        before = "], "
    yield end()


def _line_of(record: Record | str) -> str:
    return record if isinstance(record, str) else as_json(record)


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
