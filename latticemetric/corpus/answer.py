"""The answer for one graph of a run, and runs that ask the same function about each graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from latticemetric.corpus.run import Run, answer_each
from latticemetric.corpus.shards import Placed
from latticemetric.errors import InputError, LatticeMetricError, placed
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph


@dataclass(frozen=True)
class Answer:
    """The answer for one graph: a result or an error.

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


def answers_of(entries: Iterable[Entry], ask: Callable[[Graph], Any], run: Run) -> Iterator[Answer]:
    """Call `ask` on each graph; yield the answers in order. See `answer_each`."""
    return answer_each(partial(_answer, ask), failed, entries, run)


def _answer(ask: Callable[[Graph], Any], entry: Entry) -> Answer:
    with placed(entry.place):
        return Answer(entry.name, ask(entry.build()), where=entry.where, format=entry.format)


def failed(graph: Placed, error: InputError) -> Answer:
    """Return the answer for a graph that failed with `error`."""
    return Answer(graph.name, None, error, graph.where)
