"""Write the graphs of a run: the changed graphs of a corpus, or graphs beside the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from latticemetric.corpus.question import A
from latticemetric.errors import LatticeMetricError, shortened

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.graph import Graph

Failed = Callable[[str, str, LatticeMetricError], None]
"""Called with the id, the place and the error of a graph that the format of a file cannot hold."""


def write_graphs(
    answers: Iterable[Answer],
    target: str,
    to_format: str | None,
    failed: Failed | None = None,
    *,
    failures: Callable[[], int] = lambda: 0,
) -> int:
    """Write the graphs of answers to a file, folder or archive; return their number. Skip answers without a graph.

    Args:
        answers: The answers; the value of each is a graph, or `None`.
        target: The file.
        to_format: The format; by default, the suffix of the file chooses it.
        failed: Called if the format cannot hold a graph; `None` to raise the error.
        failures: Returns the number of graphs that failed; if all failed, write no file.
    """
    from latticemetric.formats.writing import NoGraphsError, write

    where = ""

    def graphs() -> Iterator[tuple[str, Graph]]:
        nonlocal where
        for answer in answers:
            if answer.value is not None:
                where = answer.where
                yield answer.name, answer.value

    def refuse(name: str, problem: LatticeMetricError) -> None:  # the format cannot hold the last graph
        assert failed is not None
        place = f"{where} ({shortened(name)})"
        failed(name, where, type(problem)(problem.what, where=place, advice=problem.advice))

    try:
        return write(target, graphs(), format=to_format, refused=refuse if failed else None)
    except NoGraphsError:
        if not failures():
            raise
        return 0


def written_beside(
    answers: Iterable[A],
    path: str,
    graph_of: Callable[[A], Graph | None],
    to_format: str | None = None,
    *,
    if_none: bool = True,
) -> Iterator[A]:
    """Yield the answers; after the last one, write their graphs to `path`.

    If no answer has a graph: with `if_none=False`, or if an answer failed, write no file; otherwise, raise an error. If
    a graph cannot be written, no result becomes visible.
    """
    from latticemetric.formats.registry import format_for_writing
    from latticemetric.formats.writing import write
    from latticemetric.parallel.plain import GraphSpool

    if to_format is None:
        format_for_writing(path)  # fail before the work, not after it
    graphs, failed = GraphSpool(), False
    for answer in answers:
        failed |= answer.problem is not None
        graph = None if answer.value is None else graph_of(answer)
        if graph is not None:
            graphs.add(answer.name, graph)
        yield answer
    if graphs or (if_none and not failed):
        write(path, graphs, format=to_format)
