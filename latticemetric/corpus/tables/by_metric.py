"""The answers by one recognition rate, graph by graph, and by several rates together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from latticemetric.corpus.tables.cells import IdColumn, aligned
from latticemetric.corpus.tables.table import Record, Table, json_document
from latticemetric.display.text import display_width, padding

if TYPE_CHECKING:
    from latticemetric.corpus.several_metrics import AnswersOfGraph
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.metrics.recognition import GRR
    from latticemetric.metrics.signature import Signature


class RateTable(Table):
    """The answers of a run by one rate, and their sums. Answers are read one by one.

    Attributes:
        headings: The titles of the columns of `rates` behind the score.
    """

    headings: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, answers: Iterable[Any], metric: GRR, signature: Signature, shard: ShardRun | None = None
    ) -> None:
        self._answers, self.metric, self.signature, self._shard = self._added(answers), metric, signature, shard

    def _added(self, answers: Iterable[Any]) -> Iterator[Any]:
        for answer in answers:
            self.add(answer)
            yield answer

    # ---- One graph ----

    @abstractmethod
    def add(self, answer: Any) -> None:
        """Add an answer to the sums."""

    @abstractmethod
    def text_of(self, answer: Any, column: IdColumn, metric: str = "") -> Iterator[str]:
        """Yield the lines of a graph, with the name of the metric if there are several."""

    @abstractmethod
    def record_of(self, answer: Any) -> Record:
        """Return the record of a graph."""

    @abstractmethod
    def row_of(self, answer: Any) -> list[object]:
        """Return the row of a graph."""

    # ---- All graphs ----

    @abstractmethod
    def state(self) -> Record:
        """Return the sums as plain values, for `merge`."""

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

    def text(self) -> Iterator[str]:
        """Yield the lines of each graph."""
        column = IdColumn()
        for answer in self._answers:
            yield from self.text_of(answer, column)

    def records(self) -> Iterator[Record]:
        """Yield one record per graph."""
        return map(self.record_of, self._answers)

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per graph."""
        return map(self.row_of, self._answers)

    def document(self) -> Iterator[str]:
        """Yield the JSON document: items as they arrive, then the sums.

        Fields:
            signature (str): Metric, parameters, number of references, version.
            lattices (list[OracleAnswer]): The items, in the order of the graphs; then references without a graph.
            corpus (Totals): The totals.
        """
        from latticemetric.corpus.shards import document_end

        def end() -> str:
            state = {} if self._shard is None else {"sums": self.state()}
            return document_end({"corpus": self.totals()}, self._shard, **state)

        return json_document({"signature": str(self.signature)}, {"lattices": self.records()}, end)

    def summary(self) -> list[str]:
        """Return the totals of the corpus."""
        lines = ["", *aligned([["", self.looks.rate_title(self.metric.name), *self.headings], *self.rates()])]
        lines += self.error_lines()
        if strings := self.string_scores():
            lines += ["", *aligned(strings)]
        lines += [*self.notes(), f"{self.counts()}   {self.signature}"]
        return [*lines, *self.string_signatures()]


class MetricsTable(Table):
    """The answers by several rates: for each graph, a line or a record by each metric."""

    def __init__(
        self, answers: Iterable[AnswersOfGraph], tables: Sequence[RateTable], shard: ShardRun | None = None
    ) -> None:
        """Take the answers, and a table without answers for each metric."""
        self._answers, self._tables, self._shard = answers, tables, shard
        self._names = [one.metric.name for one in tables]
        self.looks = tables[0].looks

    def _each(self) -> Iterator[tuple[str, RateTable, Any]]:
        """Yield the name of each metric, its table, and its answer, graph by graph; add up the answers."""
        for several in self._answers:
            for name, one, answer in zip(self._names, self._tables, several.value, strict=True):
                one.add(answer)
                yield name, one, answer

    def text(self) -> Iterator[str]:
        """Yield one line per graph and metric, and their further results."""
        column, width = IdColumn(), max(map(display_width, self._names))
        for name, one, answer in self._each():
            yield from one.text_of(answer, column, f"  {name}{padding(name, width)}")

    def records(self) -> Iterator[Record]:
        """Yield one record per graph and metric.

        Fields:
            metric (str): The metric that the search optimized.
        """
        for name, one, answer in self._each():
            yield {"id": answer.name, "metric": name, **one.record_of(answer)}

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        first, *others = self._tables[0].columns
        return [first, "metric", *others]

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per graph and metric."""
        for name, one, answer in self._each():
            first, *others = one.row_of(answer)
            yield [first, name, *others]

    def document(self) -> Iterator[str]:
        """Yield the JSON document: items as they arrive, then the sums by each metric."""
        from latticemetric.corpus.shards import document_end

        def end() -> str:
            states = {name: one.state() for name, one in zip(self._names, self._tables, strict=True)}
            merging = {} if self._shard is None else {"items_each": len(states), "sums": {"metrics": states}}
            return document_end({"corpus": self.totals()}, self._shard, **merging)

        signatures = {name: str(one.signature) for name, one in zip(self._names, self._tables, strict=True)}
        return json_document({"signatures": signatures}, {"lattices": self.records()}, end)

    def warning(self) -> str | None:
        """Return the warning of the first metric."""
        return self._tables[0].warning()

    def totals(self) -> Record:
        """Return the numbers of all answers by each metric; call this after the answers were read."""
        return {name: one.totals() for name, one in zip(self._names, self._tables, strict=True)}

    def summary(self) -> list[str]:
        """Return one table of the totals by all metrics, and their notes and signatures."""
        first = self._tables[0]
        rows = [["", "", self.looks.rate_title("score"), *first.headings]]
        for name, one in zip(self._names, self._tables, strict=True):
            rows += ([name if k == 0 else "", *row] for k, row in enumerate(one.rates()))
        lines = ["", *aligned(rows, left=(0, 1)), *chain.from_iterable(one.error_lines() for one in self._tables)]
        for name, one in zip(self._names, self._tables, strict=True):
            if strings := one.string_scores():
                strings[0][0] = f"by {name}"
                lines += ["", *aligned(strings)]
            lines += (f"{name}: {note}" for note in one.notes())
        lines += [f"{first.counts()}   {first.signature}", *(str(one.signature) for one in self._tables[1:])]
        return [*lines, *first.string_signatures()]


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
