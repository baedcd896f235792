"""How the oracle of many graphs changes with how much of them is kept, and with how long their references are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from latticemetric.batch.oracles import built, missed, readable
from latticemetric.batch.pairing import Pair
from latticemetric.batch.sweep_totals import Sweep, Swept, checked_borders, summed
from latticemetric.errors import InputError, UsageError, placed
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Scales
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import checked_corpus
from latticemetric.questions.oracles.oracle import as_recognition_rate
from latticemetric.questions.oracles.readings import readings_of
from latticemetric.questions.oracles.sweep import Points, reference_words, sweep_graph
from latticemetric.workers.pool import Workers, map_in_order
from latticemetric.workers.stream import Run, answered


def sweep(
    graphs: Iterable[Graph | tuple[str, Graph]],
    references: Iterable[GraphReferences],
    metric: str | GRR = "4-grr",
    *,
    beams: Iterable[float] = (),
    densities: Iterable[float] = (),
    nbest: Iterable[int] = (),
    by_length: Iterable[float] = (),
    scales: Scales | None = None,
    workers: Workers = 1,
) -> Sweep:
    """The oracle of a test set at several beams, densities and sizes of n-best lists, and by length of references.

    Args:
        graphs: Lattices or n-best lists, or forests where no beams and no densities are asked for; or pairs of a name
            and a graph, as `read` yields them.
        references: Those of each graph: one as a string, or several.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        beams: Keep the paths of a lattice that cost at most so much more than the best one.
        densities: Keep at most so many arcs with words for each word of the reference, by a beam of each lattice's own.
        nbest: Keep the so many cheapest strings, each of them counted once.
        by_length: The longest reference of each bin but the last, which holds what is longer.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        workers: Graphs searched at once; or an executor, or a Dask client, whose workers search them.

    Raises:
        UsageError: A number makes no sense, or there are not as many references as graphs.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a x c", "a y z", "a b c"], costs=[1.0, 2.0, 3.0])
        >>> for row in sweep([lattice], ["a b c"], "wer", beams=[1], nbest=[1, 2, 3]).rows:
        ...     print(row.kind, row.at, row.score, row.density)
        one_best None 0.3333333333333333 None
        beam 1.0 0.3333333333333333 2.0
        nbest 1 0.3333333333333333 None
        nbest 2 0.3333333333333333 None
        nbest 3 0.0 None
        whole None 0.0 3.0
    """
    chosen, points, borders = (
        as_recognition_rate(metric),
        Points.of(beams, densities, nbest),
        checked_borders(by_length),
    )
    answer = partial(_swept, chosen, points, scales)
    return summed(map_in_order(answer, questions_of(graphs, references), workers), chosen, points, borders)


def swept_pairs(
    pairs: Iterable[Pair], metric: GRR, points: Points, run: Run, *, scales: Scales | None = None
) -> Iterator[Swept]:
    """Sweeps over pairs, in their order.

    Raises:
        InputError: A pair has a problem, unless failures are gone past: then it is one of those that failed.
        UsageError: A parameter makes no sense.
    """
    return answered(partial(_swept_pair, metric, points, scales), partial(_failed, metric), pairs, run)


def _swept_pair(metric: GRR, points: Points, scales: Scales | None, pair: Pair) -> Swept:
    graph, references = built(pair)
    assert pair.entry is not None
    with placed(pair.entry.place):
        return _swept(metric, points, scales, Question(pair.name, graph, readings_of(references)))


def _failed(metric: GRR, pair: Pair, error: InputError) -> Swept:
    if not pair.references:
        return Swept(pair.name, problem=error, where=pair.where)
    length = reference_words(readable(pair), metric)
    return Swept(pair.name, length, missed=missed(pair, metric), problem=error, where=pair.where)


class Question(NamedTuple):
    """A graph with what may be said."""

    name: str
    graph: Graph
    references: tuple[tuple[str, ...], ...]


def _swept(metric: GRR, points: Points, scales: Scales | None, question: Question) -> Swept:
    kept = sweep_graph(question.graph, question.references, metric, points, scales)
    length = reference_words(question.references, metric)
    return Swept(question.name, length, tuple(kept), references=len(question.references))


def questions_of(
    graphs: Iterable[Graph | tuple[str, Graph]], references: Iterable[GraphReferences]
) -> Iterator[Question]:
    """Graphs with their references; those without a name are numbered."""
    pairs = enumerate(zip_longest(graphs, checked_corpus(references)), start=1)  # neither is ever None
    for number, (given, expected) in pairs:
        if given is None or expected is None:
            fewer, more = ("graphs", "references") if given is None else ("references", "graphs")
            raise UsageError(f"there are {number - 1} {fewer}, and more {more}", advice="give one of each")
        name, graph = given if isinstance(given, tuple) else (str(number), given)
        yield Question(name, graph, readings_of(expected))
