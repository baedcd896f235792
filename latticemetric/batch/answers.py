"""One question asked of many graphs, without references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from latticemetric.batch.workers import map_in_order
from latticemetric.errors import InputError, LatticeMetricError, placed
from latticemetric.formats.registry import Entry, Graph


@dataclass(frozen=True)
class Answer:
    """What became of one graph: a value, or a problem."""

    name: str
    value: Any
    problem: LatticeMetricError | None = None


def answers_of(
    entries: Iterable[Entry], ask: Callable[[Graph], Any], *, keep_going: bool = False, workers: int = 1
) -> Iterator[Answer]:
    """Asks each graph, in their order.

    Raises:
        InputError: A graph has a problem, unless `keep_going`: then it is an answer.
    """

    def answer(entry: Entry) -> Answer:
        try:
            with placed(entry.place):
                return Answer(entry.name, ask(entry.build()))
        except InputError as error:
            if not keep_going:
                raise
            return Answer(entry.name, None, error)

    return map_in_order(answer, entries, workers)
