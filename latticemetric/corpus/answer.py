"""The answer for one graph of a run, and runs that ask the same function about each graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from itertools import chain
from typing import Any, Protocol, Self

from latticemetric.corpus.run import Run, answer_each, answering
from latticemetric.corpus.shards import Placed
from latticemetric.errors import InputError, LatticeMetricError, placed
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph
from latticemetric.memory import held
from latticemetric.parallel.limits import check_workers


class Row(Protocol):
    """A result among those that were found together."""

    def value(self) -> Any:
        """Make the result."""


@dataclass(frozen=True)
class Answer:
    """The answer for one graph: a result or an error.

    A result that was found together with many others is made when it is first read.

    Attributes:
        name: The graph's id.
        value: The result; `None` if there is an error.
        problem: The error; `None` if there is a result.
        where: The file and line of the graph.
        format: The format of the graph's file.
    """

    name: str
    value: Any
    problem: LatticeMetricError | None = None
    where: str = ""
    format: str = ""

    @classmethod
    def of_row(cls, name: str, row: Row, where: str, format_name: str) -> Self:
        """Return the answer for a graph whose result was found together with others."""
        answer = object.__new__(cls)
        vars(answer).update(name=name, _row=row, where=where, format=format_name)
        return answer

    @property
    def row(self) -> Any:
        """The result among those that were found together with it; `None` if it was found alone."""
        return vars(self).get("_row")

    def __getattr__(self, name: str) -> Any:
        """Make the result, if it was found together with others."""
        if name != "value" or self.row is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        value = vars(self)["value"] = self.row.value()
        return value

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # without the other results


# Graphs of more bytes take longer to answer than to send to another process and back.
_MOST_BYTES = 2**15


def answers_of(
    entries: Iterable[Entry], ask: Callable[[Graph], Any], run: Run, *, quick: bool = False
) -> Iterator[Answer]:
    """Call `ask` on each graph; yield the answers in order. See `answer_each`.

    With `quick`, `ask` takes little more time than reading a graph. Then this process answers small graphs that a
    kernel reads: to send them to other processes would take longer.
    """
    answer = partial(_answer, ask)
    several = isinstance(run.workers, int) and run.workers > 1
    if not (quick and several) or run.limits or run.journal is not None:
        return answer_each(answer, failed, entries, run)
    return _answers_here(entries, answer, run)


def answering_alone(ask: Callable[[Graph], Any], run: Run) -> Callable[[Entry], Answer]:
    """Return the function that answers one graph in this process."""
    return answering(partial(_answer, ask), failed, run)


def _answers_here(entries: Iterable[Entry], answer: Callable[[Entry], Answer], run: Run) -> Iterator[Answer]:
    """Yield answers of this process, up to a graph that other processes should answer; then let them answer."""
    assert isinstance(run.workers, int)
    check_workers(run.workers)
    source, answered = iter(entries), answering(answer, failed, run)
    for entry in source:
        if entry.size is None or entry.size > _MOST_BYTES:
            yield from answer_each(answer, failed, chain([entry], source), run)
            return
        with held(run.limits.default_memory):
            found = answered(entry)
        yield found


def _answer(ask: Callable[[Graph], Any], entry: Entry) -> Answer:
    with placed(entry.place):
        return Answer(entry.name, ask(entry.build()), where=entry.where, format=entry.format)


def failed(graph: Placed, error: InputError) -> Answer:
    """Return the answer for a graph that failed with `error`."""
    return Answer(graph.name, None, error, graph.where)
