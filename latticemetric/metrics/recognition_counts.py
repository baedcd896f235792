"""Counts of whole test sets, for recognition rates: of each candidate against its best reference."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from latticemetric.lattice import Lattice
from latticemetric.metrics.base import (
    GraphReferences,
    References,
    Text,
    graphs_of,
    paired,
    require_as_many,
    words_of,
)
from latticemetric.metrics.segments import count_segments

if TYPE_CHECKING:
    from latticemetric.metrics.recognition import GRR

Counts = npt.NDArray[np.int64]


def best_counts(
    metric: GRR, candidates: Sequence[Text], references: Sequence[GraphReferences]
) -> tuple[Counts, Counts]:
    """A row of `metric.columns` each; and where each one's references begin among all."""
    listed = _without_graphs(metric, candidates, references)
    if metric.ignore or metric.wildcard:
        listed = [[metric.counted(words_of(r)) for r in several] for several in paired(candidates, listed)]
        candidates = [metric.counted(words_of(candidate)) for candidate in candidates]
    counts, owner = count_segments(candidates, listed, metric.gains)
    if len(counts) == len(candidates):
        return counts, owner
    best = []
    for begin, end in pairwise(owner.tolist()):
        rows = [metric.statistics_of(row) for row in counts[begin:end].tolist()]
        best.append(begin + metric.best_of(rows)[0])
    return counts[best], owner


def _without_graphs(
    metric: GRR, candidates: Sequence[Text], references: Sequence[GraphReferences]
) -> Sequence[References]:
    """The references, with each graph's best reading in its place."""
    require_as_many(candidates, references)
    if not any(map(_has_graph, references)):
        return cast("Sequence[References]", references)
    return [
        metric.said_by(candidate, graphs_of(several)) for candidate, several in zip(candidates, references, strict=True)
    ]


def _has_graph(references: GraphReferences) -> bool:
    if isinstance(references, str):
        return False
    return isinstance(references, Lattice) or any(isinstance(reference, Lattice) for reference in references)
