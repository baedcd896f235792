"""Answers of many graphs, one per graph, to a question of latticemetric (without references) or of a user."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from latticemetric.batch.pairing import Pair, Style, pair_up
from latticemetric.batch.pairs import built
from latticemetric.batch.run import Located, Run, answer_each
from latticemetric.errors import InputError, LatticeMetricError, placed
from latticemetric.formats.reading import as_vocabulary, entries
from latticemetric.formats.references import read_references
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph
from latticemetric.parallel.map import Workers
from latticemetric.parallel.process import Limits
from latticemetric.vocabulary import Vocabulary


@dataclass(frozen=True)
class Answer:
    """The answer for one graph: a value or a problem.

    Attributes:
        name: The graph's id.
        value: The answer; `None` if there is a problem.
        problem: The reason why there is no answer; `None` if there is one.
        where: File and line.
        format: The format of the graph's file.
    """

    name: str
    value: Any
    problem: LatticeMetricError | None = None
    where: str = ""
    format: str = ""


def answers_of(entries: Iterable[Entry], ask: Callable[[Graph], Any], run: Run) -> Iterator[Answer]:
    """Call `ask` on each graph, in order.

    Raises:
        InputError: A graph has a problem, and the run does not keep going. (Else the problem is in the answer.)
    """
    return answer_each(partial(_answer, ask), failed, entries, run)


def _answer(ask: Callable[[Graph], Any], entry: Entry) -> Answer:
    with placed(entry.place):
        return Answer(entry.name, ask(entry.build()), where=entry.where, format=entry.format)


def failed(question: Located, error: InputError) -> Answer:
    """Return the answer for a graph with a problem."""
    return Answer(question.name, None, error, question.where)


Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


def ask_each(
    ask: Callable[..., Any],
    graphs: Paths | Iterable[tuple[str, Graph]],
    references: Paths | None = None,
    *,
    workers: Workers = 1,
    keep_going: bool = False,
    timeout: float | None = None,
    max_memory: int | None = None,
    format: str | None = None,
    symbols: str | os.PathLike[str] | Vocabulary | None = None,
    style: Style = "auto",
) -> Iterator[Answer]:
    """Call `ask` on many graphs, several at once; yield answers in the order of the graphs.

    Only a few graphs are in memory at a time. Give file names, so that workers read their graphs themselves.

    Args:
        ask: A function of a graph or, with references, of a graph and its references. Its answers are sent between
            processes; for a cluster, the function is sent, too.
        graphs: Files, folders or globs, as for `read`; or pairs of a name and a graph.
        references: Files of references, as for the command line.
        workers: The number of processes, or a Dask client.
        keep_going: True if a graph that fails gives an answer with a `problem`, instead of ending the run.
        timeout: Seconds per graph; a graph that takes longer fails. Limits need processes that can be killed.
        max_memory: Bytes per graph, likewise; Linux only.
        format: The name of the format; by default, detected from the content.
        symbols: A symbol table (or its file) that spells word numbers.
        style: `keyed` if lines of references begin with ids, `plain` if not, `auto` to detect it.

    Raises:
        InputError: A graph has a problem, and the run does not keep going.

    Examples:
        >>> from functools import partial
        >>> from latticemetric import Lattice, consensus
        >>> lattices = [("one", Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0]))]
        >>> for answer in ask_each(partial(consensus, scale=0.5), lattices):
        ...     print(answer.name, answer.value.words)
        one ('a', 'b')
    """
    vocabulary = as_vocabulary(symbols)
    named = _paths(graphs)
    listed = _given(graphs) if named is None else entries(named, format, vocabulary)
    run = Run(workers, keep_going, Limits(timeout, max_memory))
    if references is None:
        return answers_of(listed, ask, run)
    files = [read_references(path, vocabulary) for path in _paths(references) or []]
    return answer_each(partial(_answer_of_user, ask), failed, pair_up(listed, files, style), run)


def _answer_of_user(ask: Callable[..., Any], pair: Pair) -> Answer:
    with built(pair) as (graph, references):
        assert pair.entry is not None
        return Answer(pair.name, ask(graph, references), where=pair.where, format=pair.entry.format)


def _paths(given: Any) -> list[str] | None:
    """Return the names of files; `None` if graphs are given."""
    if isinstance(given, str | os.PathLike):
        return [os.fspath(given)]
    if isinstance(given, Sequence) and given and all(isinstance(one, str | os.PathLike) for one in given):
        return [os.fspath(one) for one in given]
    return None


def _given(graphs: Any) -> Iterator[Entry]:
    for name, graph in graphs:
        yield Entry(name, name, partial(_same, graph), naming="own")


def _same(graph: Graph) -> Graph:
    return graph
