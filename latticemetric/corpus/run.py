"""Compute the answers of many graphs: yield them in order, write the journal, report failures with file and line."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from latticemetric.corpus.packing import graph_packing
from latticemetric.errors import InputError
from latticemetric.formats.streams.in_blocks import InBlocks
from latticemetric.memory import no_memory
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.map import Workers, map_in_order

if TYPE_CHECKING:
    from latticemetric.corpus.shards import Placed, ShardRun
    from latticemetric.parallel.journal import Journal


Unbuilt = TypeVar("Unbuilt", bound="Placed")
Answer = TypeVar("Answer")


class NoAnswersError(InputError):
    """Error for a result about all graphs together if all graphs failed."""


@dataclass(frozen=True)
class Run:
    """Settings of a run over many graphs.

    Attributes:
        workers: A number of processes, or the client of a Dask cluster.
        keep_going: If a graph fails, yield an answer that holds the error, instead of ending the run.
        limits: Limits of time and memory per graph.
        journal: The file that stores the answers. If the file has answers of an interrupted run, continue that run.
        shard: The shard of the graphs to ask; `None` for all.
        watched: True to show a progress bar.
    """

    workers: Workers = 1
    keep_going: bool = False
    limits: Limits = field(default_factory=Limits)
    journal: Journal | None = None
    shard: ShardRun | None = None
    watched: bool = False

    def taken(self, graphs: Iterator[Unbuilt], total: int | None, what: str) -> Iterator[Unbuilt]:
        """Yield the graphs of the shard, with a progress bar if wanted; `total` is the number of all graphs."""
        if self.shard is not None:
            graphs, total = self.shard.take(graphs), None if total is None else self.shard.shard.size(total)
        if not self.watched:
            return graphs
        from latticemetric.display.progress import progress, progress_bar

        if not isinstance(graphs, InBlocks):
            return progress(graphs, total, what)
        bar = progress_bar(total, what)
        return graphs if bar is None else InBlocks(_within(bar, graphs.blocks()), bar.update)


def _within(bar: AbstractContextManager[Any], blocks: Iterator[Sequence[Unbuilt]]) -> Iterator[Sequence[Unbuilt]]:
    with bar:
        yield from blocks


def answer_each(
    ask: Callable[[Unbuilt], Answer],
    failed: Callable[[Unbuilt, InputError], Answer],
    graphs: Iterable[Unbuilt],
    run: Run,
) -> Iterator[Answer]:
    """Yield answers in the order of the graphs.

    Args:
        ask: Computes the answer of a graph; raises `InputError` if the graph fails.
        failed: Makes the answer of a graph that failed, from its error.
        graphs: Graphs or pairs, not yet parsed.
        run: The settings of the run.

    Raises:
        InputError: A graph failed, and `run.keep_going` is false.
    """
    return continued(partial(mapped, ask, failed, run=run), graphs, run)


def mapped(
    ask: Callable[[Unbuilt], Answer],
    failed: Callable[[Unbuilt, InputError], Answer],
    graphs: Iterable[Unbuilt],
    run: Run,
) -> Generator[Answer]:
    """Do the same as `answer_each`, without the journal."""
    answer, lost = answering(ask, failed, run), losing(failed, run)
    return map_in_order(answer, graphs, run.workers, lost=lost, limits=run.limits, packing=graph_packing)


def continued(
    answers: Callable[[Iterable[Unbuilt]], Iterator[Answer]], graphs: Iterable[Unbuilt], run: Run
) -> Iterator[Answer]:
    """Yield the answers of the journal, if there is one; then compute, store and yield the others.

    `answers` returns the answers of graphs, in order.
    """
    if run.journal is None:
        return answers(graphs)
    register_results()
    kept = run.journal.continued(graphs, answers)
    return kept if run.keep_going else _up_to_a_problem(kept)


def answering(
    ask: Callable[[Unbuilt], Answer], failed: Callable[[Unbuilt, InputError], Answer], run: Run
) -> Callable[[Unbuilt], Answer]:
    """Return the function that answers one graph; see `answer_each`."""
    return partial(_answer, ask, losing(failed, run))


def losing(failed: Callable[[Unbuilt, InputError], Answer], run: Run) -> Callable[[Unbuilt, InputError], Answer]:
    """Return the function that makes the answer of a graph that exceeded a limit, or raises its error."""
    return partial(_lost, failed, run.keep_going)


def register_results() -> None:
    """Register the classes that a journal stores: the classes of answers and of their fields."""
    from latticemetric.parallel.plain import register

    register("latticemetric.metrics.alignment", "Alignment", "UnitAlignment")
    register("latticemetric.metrics.recognition_statistics", "RecognitionStatistics")
    register("latticemetric.oracle_search.scored_path", "Oracle", "ScoredPath")
    register("latticemetric.oracle_search.margin", "Fear", "Hope", "Worst")
    register("latticemetric.oracle_search.sweep", "PointOracle")
    register("latticemetric.oracle_search.user_automaton", "AutomatonOracle", "ValuedPath")
    register("latticemetric.oracle_search.compounds", "CompoundOracle", "CompoundPath")
    register("latticemetric.posterior.best", "BestPath")
    register("latticemetric.posterior.listing", "PosteriorListing")
    register("latticemetric.mbr_decoding.confidence_pruning", "PairPruning")
    register("latticemetric.mbr_decoding.consensus", "Consensus")
    register("latticemetric.mbr_decoding.metric", "MetricMBR", "RankedString")
    register("latticemetric.mbr_decoding.ngram", "MBR")
    register("latticemetric.mbr_decoding.risk", "RiskMBR", "RiskOfString")
    register("latticemetric.mbr_decoding.word", "WordMBR")
    register("latticemetric.drawing.diagram", "Diagram", "Link", "Vertex")
    register("latticemetric.corpus.answer", "Answer")
    register("latticemetric.corpus.compounds", "CompoundAnswer")
    register("latticemetric.corpus.decoding", "BestPaths", "RankedPath")
    register("latticemetric.corpus.occurrences", "Occurrence")
    register("latticemetric.corpus.oracles", "Confidences", "OracleAnswer")
    register("latticemetric.corpus.several_metrics", "AnswersOfGraph")
    register("latticemetric.posterior.expected", "Expected")
    register("latticemetric.corpus.expectations", "ExpectationAnswer")
    register("latticemetric.corpus.margins", "MarginKind", "Margins")
    register("latticemetric.corpus.string_scores", "Strings")
    register("latticemetric.corpus.sweep", "Swept")
    register("latticemetric.corpus.review", "DrawnArc", "Review", "Size", "MBRAnswer", "Sketch")
    register("latticemetric.segment_id", "SegmentId")


def _up_to_a_problem(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Yield the journal's answers until one holds an error; raise that error, since this run does not keep going."""
    for answer in answers:
        problem = getattr(answer, "problem", None)
        if problem is not None:
            raise problem
        yield answer


def _answer(ask: Callable[[Unbuilt], Answer], lost: Callable[[Unbuilt, InputError], Answer], graph: Unbuilt) -> Answer:
    try:
        return ask(graph)
    except InputError as error:
        return lost(graph, error)
    except MemoryError:
        return lost(graph, no_memory())


def _lost(
    failed: Callable[[Unbuilt, InputError], Answer],
    keep_going: bool,  # noqa: FBT001  bound by position
    graph: Unbuilt,
    error: InputError,
) -> Answer:
    """Return the answer of a graph that failed, or raise its error if the run does not keep going."""
    placed: Any = error if error.where else error.at(graph.place)
    if not keep_going:
        raise placed
    return failed(graph, placed)
