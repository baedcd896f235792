"""Apply a function of yours to many graphs, and yield one answer per graph."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

from latticemetric.arguments import refuse_unused
from latticemetric.corpus.answer import Answer, answers_of, failed
from latticemetric.corpus.pairing import Pair, Style, built, pair_up
from latticemetric.corpus.run import Run, answer_each
from latticemetric.formats.reading import as_vocabulary, entries
from latticemetric.formats.references import read_references
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph, named_graphs
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.map import Workers
from latticemetric.vocabulary import Vocabulary

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

    Only a few graphs are in memory at a time. If you give file names, the workers read the files themselves.

    Args:
        ask: A function of a graph or, with references, of a graph and its references. With several workers, its results
            must be picklable; with a Dask client, the function must be picklable, too.
        graphs: Files, folders or globs, as for `read`; or pairs of a name and a graph.
        references: Files of references, as for the command line.
        workers: The number of processes, or a Dask client. With 1, no process starts, unless there is a `timeout` or
            `max_memory`.
        keep_going: True to return an answer with a `problem` for a graph that fails, instead of ending the run.
        timeout: Seconds per graph; if a graph takes longer, it fails.
        max_memory: Bytes per graph; if a graph needs more, it fails. Linux only.
        format: The format of the files; by default, detected from the content.
        symbols: A symbol table (or its file) that maps word numbers to words.
        style: `keyed` if reference lines begin with ids, `plain` if not, `auto` to detect this.

    Raises:
        InputError: A graph failed, and `keep_going` is False.

    Examples:
        >>> from functools import partial
        >>> from latticemetric import Lattice, consensus
        >>> lattices = [("one", Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0]))]
        >>> for answer in ask_each(partial(consensus, scale=0.5), lattices):
        ...     print(answer.name, answer.value.words)
        one ('a', 'b')
    """
    if references is None:
        refuse_unused(ask_each, "without references", style=style)
    vocabulary = as_vocabulary(symbols)
    run = Run(workers, keep_going, Limits(timeout, max_memory))
    named = _paths(graphs)
    if named is not None:
        listed = entries(named, format, vocabulary)
    else:
        in_memory: Any = graphs
        pairs = named_graphs(in_memory)
        listed = (Entry(name, name, partial(_identity, graph), naming="own") for name, graph in pairs)
    if references is None:
        return answers_of(listed, ask, run)
    files = [read_references(path, vocabulary) for path in _paths(references) or []]
    return answer_each(partial(_answer_by_references, ask), failed, pair_up(listed, files, style), run)


def _answer_by_references(ask: Callable[..., Any], pair: Pair) -> Answer:
    with built(pair) as (graph, references):
        assert pair.entry is not None
        return Answer(pair.name, ask(graph, references), where=pair.where, format=pair.entry.format)


def _paths(given: Any) -> list[str] | None:
    """Return the file names as a list; `None` if `given` consists of graphs."""
    if isinstance(given, str | os.PathLike):
        return [os.fspath(given)]
    if isinstance(given, Sequence) and given and all(isinstance(one, str | os.PathLike) for one in given):
        return [os.fspath(one) for one in given]
    return None


def _identity(graph: Graph) -> Graph:
    return graph
