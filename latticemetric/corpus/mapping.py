"""A function of the user, asked about each graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.answer import Answer, answers_of, failed
from latticemetric.corpus.pairing import Pair, built
from latticemetric.corpus.question import GraphQuestion, Question
from latticemetric.corpus.run import Run, answer_each
from latticemetric.settings import given

if TYPE_CHECKING:
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Record, Table
    from latticemetric.graph import Graph


class Mapped(Question[Answer]):
    """A function of the user, called on each graph or, with references, on each graph and its references.

    Attributes:
        function: The function.
    """

    verb = "map"

    function: Callable[..., Any] = given(default=None)

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield the answer of each graph of the run, in order."""
        if not corpus.has_references():
            return answers_of(corpus.entries(run), self.function, run)
        pairs = corpus.required_pairs(run).pairs
        return answer_each(partial(_answer, self.function), failed, pairs, run)

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:
        """Return a table with the fields of each result, or with the result as `value`."""
        del corpus
        from latticemetric.corpus.tables.mapped import MappedTable

        return MappedTable(answers, run.shard, looks=looks)


class Recorded(GraphQuestion):
    """A function of the user that returns a record of each graph.

    Attributes:
        function: The function.
        columns: The names of the values of records, in the order of columns.
    """

    verb = "map"
    weighted = False

    function: Callable[[Graph], Record] = given(default=None)
    columns: tuple[str, ...] = given(default=())

    def asked(self, corpus: ReadCorpus) -> Callable[[Graph], Record]:  # noqa: ARG002
        """Return the function."""
        return self.function

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the records."""
        from latticemetric.corpus.tables.records import RecordTable

        return RecordTable(self.columns, answers, run.shard, looks=looks)


def _answer(ask: Callable[..., Any], pair: Pair) -> Answer:
    with built(pair) as (graph, references):
        assert pair.entry is not None
        return Answer(pair.name, ask(graph, references), where=pair.where, format=pair.entry.format)
