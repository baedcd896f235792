"""Find the oracles of a graph at several sizes: pruned by beams or densities, or reduced to n-best lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice, as_lattice_or_forest
from latticemetric.lattice.columns import Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.pruning import PruningMargins
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.oracle import oracle
from latticemetric.oracle_search.points import Points
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle

_MOST_ARCS = 2**53  # more than any lattice has


class PointOracle(NamedTuple):
    """The statistics of the oracle of one graph at one point.

    Attributes:
        statistics: The statistics of the oracle.
        arcs: The number of arcs of the pruned lattice, if the point is a beam, a density or the whole lattice.
        word_arcs: The number of these arcs that have words.
        strings: The number of strings of an n-best list; it may be smaller than the size of the point.
    """

    statistics: RecognitionStatistics
    arcs: int | None = None
    word_arcs: int | None = None
    strings: int | None = None


def sweep_graph(
    graph: Graph, references: GraphReferences, metric: GRR, points: Points, weights: Weights | None = None
) -> list[PointOracle]:
    """Return the oracle at each point, in the order of `Points.listed`.

    Raises:
        InputError: The graph is a forest, and there are beams or densities.
    """
    listed = strings_of_references(references)
    if isinstance(graph, Forest):
        if points.beams or points.densities:
            raise InputError(
                "beams and densities need a lattice; this is a forest", advice="sweep over n-best sizes only"
            )
        best = oracle(graph, listed, metric, weights=weights)
        parts, whole = [], PointOracle(best.statistics)
    else:
        lattice = as_lattice(graph, weights)
        graph, best = lattice, oracle(lattice, listed, metric, weights=weights)
        *parts, whole = _within_beams(lattice, listed, metric, weights, points=points, whole=best)
    lists = _in_lists(graph, listed, metric, points.nbest, weights)
    return [PointOracle(best.one_best.statistics), *parts, *lists, whole]


def reference_words(references: Sequence[Sequence[str]], metric: GRR) -> float:
    """Return the number of words that the metric counts in a reference: the mean over the references."""
    return sum(len(metric.counted_words(reference)) for reference in references) / len(references)


def _within_beams(
    lattice: Lattice,
    references: Sequence[Sequence[str]],
    metric: GRR,
    weights: Weights | None,
    *,
    points: Points,
    whole: Oracle,
) -> list[PointOracle]:
    """Return the oracles within each beam, at each density, and in the whole lattice.

    Each density is replaced by the widest beam that does not exceed this density. The search goes from wide to narrow
    beams. If a beam keeps the best path of the wider beam before it, this path is still the best.
    """
    margins, is_word = PruningMargins.of(lattice, weights), lattice.is_word(metric.ignore) > 0

    def sized(statistics: RecognitionStatistics, arcs: npt.NDArray[np.int64]) -> PointOracle:
        return PointOracle(statistics, len(arcs), int(is_word[arcs].sum()))

    words = reference_words(references, metric)
    # Add a little, so that rounding errors of the product do not remove an arc; `min` also handles infinity.
    most = [int(min(density * words + 1e-9, _MOST_ARCS)) for density in points.densities]
    beams = [*points.beams, *(margins.beam_of(arcs, is_word) for arcs in most)]
    kept: dict[float, PointOracle] = {}
    path, statistics = list(whole.arcs), whole.statistics
    for beam in sorted(set(beams), reverse=True):
        if not margins.hold(path, beam):
            left, arcs = margins.within(beam)
            best = oracle(left, references, metric, weights=weights)
            path, statistics = arcs[list(best.arcs)].tolist(), best.statistics
        kept[beam] = sized(statistics, margins.kept(beam))
    return [*(kept[beam] for beam in beams), sized(whole.statistics, np.arange(len(lattice.word)))]


def _in_lists(
    graph: Graph,
    references: Sequence[Sequence[str]],
    metric: GRR,
    numbers: Sequence[int],
    weights: Weights | None,
) -> Iterator[PointOracle]:
    """Yield the oracle of each n-best list. Each string is scored once, since longer lists extend shorter lists."""
    if not numbers:
        return
    searched = as_lattice_or_forest(graph, weights)
    paths = searched.n_best(max(numbers), weights, ignore=metric.ignore)
    strings = [tuple(word for word in searched.words(path) if word not in metric.ignore) for path in paths]
    counts = metric.counts(strings, [references] * len(strings))
    # Of several strings with equal counts, keep the first.
    first = sorted(np.unique(counts, axis=0, return_index=True)[1].tolist())
    scored = [(at, RecognitionStatistics.of_columns(counts[at].tolist())) for at in first]
    for number in numbers:
        listed = (statistics for at, statistics in scored if at < number)
        yield PointOracle(max(listed, key=metric.merit), strings=min(number, len(strings)))
