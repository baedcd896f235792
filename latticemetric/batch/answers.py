"""One question asked of many graphs, without references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from latticemetric.errors import InputError, LatticeMetricError, placed
from latticemetric.formats.registry import Entry, Graph
from latticemetric.workers.stream import Run, answered


class Located(Protocol):
    """A question that knows its file."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def where(self) -> str:
        """File and line."""


@dataclass(frozen=True)
class Answer:
    """What became of one graph: a value, or a problem.

    Attributes:
        name: The graph's id.
        value: The answer; `None` where there is a problem.
        problem: Why there is no answer.
        where: File and line.
        format: The format that the graph is written in.
    """

    name: str
    value: Any
    problem: LatticeMetricError | None = None
    where: str = ""
    format: str = ""


def answers_of(entries: Iterable[Entry], ask: Callable[[Graph], Any], run: Run) -> Iterator[Answer]:
    """Asks each graph, in their order.

    Raises:
        InputError: A graph has a problem, unless failures are gone past: then it is an answer.
    """
    return answered(partial(_answer, ask), failed, entries, run)


def _answer(ask: Callable[[Graph], Any], entry: Entry) -> Answer:
    with placed(entry.place):
        return Answer(entry.name, ask(entry.build()), where=entry.where, format=entry.format)


def failed(question: Located, error: InputError) -> Answer:
    """The answer of a graph that has none."""
    return Answer(question.name, None, error, question.where)
