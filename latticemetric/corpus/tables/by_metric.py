"""The answers by one recognition rate, graph by graph, and by several rates together."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from latticemetric.corpus.several_metrics import GraphsAnsweredTogether
from latticemetric.corpus.tables.cells import IdColumn, aligned
from latticemetric.corpus.tables.table import ItemTable, Record, as_json, as_tsv
from latticemetric.display.text import display_width, padding
from latticemetric.formats.streams.in_blocks import InBlocks, blocks_of

if TYPE_CHECKING:
    from latticemetric.corpus.several_metrics import AnswersOfGraph
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.metrics.recognition import GRR
    from latticemetric.metrics.signature import Signature


class Mergeable(Protocol):
    """A table whose shards can be merged."""

    def merging(self) -> Record:
        """Return the data of a shard that `merge` needs."""


class RateTable(ItemTable):
    """The answers of a run by one rate, and their sums. Answers are read one by one.

    Attributes:
        headings: The titles of the columns of `rates` behind the score.
    """

    headings: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, answers: Iterable[Any], metric: GRR, signature: Signature, shard: ShardRun | None = None
    ) -> None:
        self._answers, self.metric, self.signature, self._shard = self._added(answers), metric, str(signature), shard

    def _added(self, answers: Iterable[Any]) -> InBlocks[Any]:
        def blocks() -> Iterator[Sequence[Any]]:
            for block in blocks_of(answers):
                self.add_all(block)
                yield block

        return InBlocks(blocks())

    # ---- One graph ----

    @abstractmethod
    def add(self, answer: Any) -> None:
        """Add an answer to the sums."""

    def add_all(self, answers: Sequence[Any]) -> None:
        """Add answers to the sums."""
        for answer in answers:
            self.add(answer)

    @abstractmethod
    def record_of(self, answer: Any) -> Record:
        """Return the record of a graph."""

    @abstractmethod
    def text_of(self, record: Record, column: IdColumn, metric: str = "") -> Iterator[str]:
        """Yield the lines of the record of a graph, with the name of the metric if there are several."""

    def row_of(self, record: Record) -> list[object]:
        """Return the row of the record of a graph."""
        return next(self.in_columns([record]))

    # ---- The lines of answers; subclasses may have them without records ----

    def text_lines(self, answer: Any, column: IdColumn, metric: str = "") -> Iterator[str]:
        """Yield the lines of an answer, with the name of the metric if there are several."""
        return self.text_of(self.record_of(answer), column, metric)

    def json_line(self, answer: Any, metric: str = "") -> str:
        """Return the record of an answer as a line of JSON, with the name of the metric if there are several."""
        record = self.record_of(answer)
        return as_json({"id": answer.name, "metric": metric, **record} if metric else record)

    def tsv_line(self, answer: Any, metric: str = "") -> str:
        """Return the row of an answer as a line of TSV, with the name of the metric if there are several."""
        first, *others = self.row_of(self.record_of(answer))
        return as_tsv([first, *([metric] if metric else []), *others])

    def texts_of(self, answers: Sequence[Any], column: IdColumn, metric: str = "") -> Iterable[str]:
        """Yield the lines of each answer, as one text."""
        return ("\n".join(self.text_lines(answer, column, metric)) for answer in answers)

    def json_lines_of(self, answers: Sequence[Any], metric: str = "") -> Iterable[str]:
        """Yield the line of JSON of each answer."""
        return (self.json_line(answer, metric) for answer in answers)

    def tsv_lines_of(self, answers: Sequence[Any], metric: str = "") -> Iterable[str]:
        """Yield the line of TSV of each answer."""
        return (self.tsv_line(answer, metric) for answer in answers)

    # ---- All graphs ----

    @abstractmethod
    def rates(self) -> list[list[str]]:
        """Return the rows of the summary: name, score, counts."""

    @abstractmethod
    def counts(self) -> str:
        """Return the numbers of graphs that were searched and that failed."""

    def error_lines(self) -> Iterable[str]:
        """Return lines in the form of other tools."""
        return ()

    def string_scores(self) -> list[list[str]]:
        """Return a table of further scores."""
        return []

    def notes(self) -> Iterable[str]:
        """Return notes on the results."""
        return ()

    def string_signatures(self) -> list[str]:
        """Return the signatures of the further scores."""
        return []

    # ---- The table ----

    def answered(self) -> Iterator[Record]:
        """Yield one record per graph."""
        return map(self.record_of, self._answers)

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield the lines of each graph."""
        column = IdColumn()
        for record in records:
            yield from self.text_of(record, column)

    def text(self) -> Iterable[str]:
        """Yield the lines of each graph."""
        if self._documents is not None:
            return super().text()
        column = IdColumn()
        return chain.from_iterable(self.texts_of(block, column) for block in self._answers.blocks())

    def json_lines(self) -> Iterable[str]:
        """Yield the lines of JSON lines."""
        if self._documents is not None:
            return super().json_lines()
        return chain.from_iterable(map(self.json_lines_of, self._answers.blocks()))

    def tsv_lines(self) -> Iterable[str]:
        """Yield the lines of TSV."""
        if self._documents is not None:
            return super().tsv_lines()
        return chain([as_tsv(self.columns)], chain.from_iterable(map(self.tsv_lines_of, self._answers.blocks())))

    def items(self) -> Iterable[str]:
        """Yield the items of the JSON document."""
        return self.json_lines()

    def read_all(self) -> None:
        """Read all answers, so that they are added to the totals."""
        deque(self._answers.blocks() if self._documents is None else self.records(), maxlen=0)

    def head(self) -> Record:
        """Return the signature."""
        return {"signature": self.signature}

    def end(self) -> Record:
        """Return the totals."""
        return {"corpus": self.totals()}

    def summary(self) -> list[str]:
        """Return the totals of the corpus."""
        lines = ["", *aligned([["", self.looks.rate_title(self.metric.name), *self.headings], *self.rates()])]
        lines += self.error_lines()
        if strings := self.string_scores():
            lines += ["", *aligned(strings)]
        lines += [*self.notes(), f"{self.counts()}   {self.signature}"]
        return [*lines, *self.string_signatures()]


class MetricsTable(ItemTable):
    """The answers by several rates: for each graph, a line or a record by each metric."""

    kind = "metrics"

    def __init__(
        self, answers: Iterable[AnswersOfGraph], tables: Sequence[RateTable], shard: ShardRun | None = None
    ) -> None:
        """Take the answers, and a table without answers for each metric."""
        self._answers, self._shard = answers, shard
        self._tables = {one.metric.name: one for one in tables}
        self.looks = tables[0].looks

    @property
    def _first(self) -> RateTable:
        return next(iter(self._tables.values()))

    def answered(self) -> Iterator[Record]:
        """Yield one record per graph and metric; add up the answers.

        Fields:
            metric (str): The metric that the search optimized.
        """
        return ({"id": answer.name, "metric": name, **one.record_of(answer)} for name, one, answer in self._each())

    def _each(self) -> Iterator[tuple[str, RateTable, Any]]:
        """Yield the name of each metric, its table and its answer, graph by graph; add up the answers."""
        for each in self._added():
            for answers in zip(*each, strict=True):
                yield from zip(self._tables, self._tables.values(), answers, strict=True)

    def _added(self) -> Iterator[Sequence[Sequence[Any]]]:
        """Yield the answers by each metric, block by block; add them up."""
        for block in blocks_of(self._answers):
            each: Sequence[Sequence[Any]]
            if isinstance(block, GraphsAnsweredTogether):
                each = block.each
            else:
                each = list(zip(*(several.value for several in block), strict=True))
            for one, answers in zip(self._tables.values(), each, strict=True):
                one.add_all(answers)
            yield each

    def _in_turn(self, lines: Callable[[RateTable, Sequence[Any], str], Iterable[str]]) -> Iterator[str]:
        """Yield the line of each answer, graph by graph; `lines` yields those of a table, with the metric's name."""
        for each in self._added():
            by_metric = map(lines, self._tables.values(), each, self._tables)
            yield from chain.from_iterable(zip(*by_metric, strict=True))

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield one line per graph and metric, and their further results."""
        column, names = IdColumn(), self._shown_names()
        for record in records:
            metric = record["metric"]
            yield from self._tables[metric].text_of(record, column, names[metric])

    def _shown_names(self) -> dict[str, str]:
        """Return the names of metrics as a column of text."""
        width = max(map(display_width, self._tables))
        return {name: f"  {name}{padding(name, width)}" for name in self._tables}

    def text(self) -> Iterable[str]:
        """Yield the lines of each graph and metric."""
        if self._documents is not None:
            return super().text()
        column, names = IdColumn(), self._shown_names()
        return self._in_turn(lambda one, answers, name: one.texts_of(answers, column, names[name]))

    def json_lines(self) -> Iterable[str]:
        """Yield the lines of JSON lines."""
        if self._documents is not None:
            return super().json_lines()
        return self._in_turn(lambda one, answers, name: one.json_lines_of(answers, name))

    def tsv_lines(self) -> Iterable[str]:
        """Yield the lines of TSV."""
        if self._documents is not None:
            return super().tsv_lines()
        lines = self._in_turn(lambda one, answers, name: one.tsv_lines_of(answers, name))
        return chain([as_tsv(self.columns)], lines)

    def items(self) -> Iterable[str]:
        """Yield the items of the JSON document."""
        return self.json_lines()

    def read_all(self) -> None:
        """Read all answers, so that they are added to the totals."""
        deque(self._added() if self._documents is None else self.records(), maxlen=0)

    @property
    def unshown(self) -> Sequence[str]:
        """The results that options ask for, but text leaves out: tags have no place for the name of their metric."""
        return ["metric"] if self._first.is_for_programs else self._first.unshown

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        first, *others = self._first.columns
        return [first, "metric", *others]

    def flat(self, record: Record) -> Record:
        """Return the columns of a record, as the table of its metric has them."""
        return self._tables[record["metric"]].flat(record)

    def cells(self, record: Record) -> Record:
        """Return the values that TSV shows in another way than data frames."""
        return self._tables[record["metric"]].cells(record)

    def head(self) -> Record:
        """Return the signature of each metric."""
        return {"signatures": {name: one.signature for name, one in self._tables.items()}}

    def end(self) -> Record:
        """Return the totals by each metric."""
        return {"corpus": self.totals()}

    def merging(self) -> Record:
        """Return the data of a shard that `merge` needs."""
        return {"items_each": len(self._tables), **merging_each(self.kind, self._tables)}

    @classmethod
    def merged_each(cls, tables: Sequence[RateTable]) -> Self:
        """Return the table of all shards, from that by each metric."""
        return cls((), tables)

    def warning(self) -> str | None:
        """Return the warning of the first metric."""
        return self._first.warning()

    def totals(self) -> Record:
        """Return the numbers of all answers by each metric; call this after the answers were read."""
        return {name: one.totals() for name, one in self._tables.items()}

    def summary(self) -> list[str]:
        """Return one table of the totals by all metrics, and their notes and signatures."""
        first, *others = self._tables.values()
        rows = [["", "", self.looks.rate_title("score"), *first.headings]]
        for name, one in self._tables.items():
            rows += ([name if k == 0 else "", *row] for k, row in enumerate(one.rates()))
        lines = ["", *aligned(rows, left=(0, 1))]
        lines += chain.from_iterable(one.error_lines() for one in self._tables.values())
        for name, one in self._tables.items():
            if strings := one.string_scores():
                strings[0][0] = f"by {name}"
                lines += ["", *aligned(strings)]
            lines += (f"{name}: {note}" for note in one.notes())
        lines += [f"{first.counts()}   {first.signature}", *(one.signature for one in others)]
        return [*lines, *first.string_signatures()]


def merging_each(kind: str, tables: Mapping[str, Mergeable]) -> Record:
    """Return the data of a shard that `merge` needs of the tables by several metrics."""
    each = {name: one.merging() for name, one in tables.items()}
    return {
        "table": {"kind": kind, "each": {name: one["table"] for name, one in each.items()}},
        "sums": {"metrics": {name: one["sums"] for name, one in each.items()}},
    }


def sections(tables: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of several tables, with an empty line between them."""
    for number, lines in enumerate(tables):
        if number:
            yield ""
        yield from lines


def with_metrics(records: Mapping[str, Iterable[Record]]) -> Iterator[Record]:
    """Yield the records of each metric, which begin with its name."""
    return ({"metric": name, **record} for name, each in records.items() for record in each)


def joined_notes(summaries: Iterable[Sequence[str]]) -> list[str]:
    """Return the notes of several tables, each only once, below an empty line."""
    return ["", *dict.fromkeys(line for summary in summaries for line in summary if line)]
