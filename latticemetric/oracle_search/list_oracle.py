"""Find the oracle of an n-best list by scoring all hypotheses.

A search of the list's lattice has the same result, but takes longer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from latticemetric.lattice.columns import Weights, weights_under
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphReference
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import Merit, RecognitionStatistics
from latticemetric.nbest import NBest
from latticemetric.oracle_search.scored_path import ScoredPath

# Search the lattice if a cost is larger: its checks report costs that are too large.
_LARGEST = 1e100


class ListOracle(NamedTuple):
    """The best hypothesis, the 1-best, and the rate of the best hypothesis (a `Merit`)."""

    best: ScoredPath
    one_best: ScoredPath
    promised: Merit


def list_oracle(
    nbest: NBest, references: Sequence[GraphReference], metric: GRR, weights: Weights | None
) -> ListOracle | None:
    """Return the best hypothesis and the 1-best; `None` if references or costs need a search of the lattice.

    Ties are resolved by the tie rule: the cheapest of equally good hypotheses, then the first in the list.
    """
    if any(isinstance(reference, Lattice) for reference in references):
        return None
    own = {name: nbest.weights.get(name, 1.0) for name in nbest.score_names()}
    under = weights_under(own, weights)
    names = [name for name in own if own[name] != 0 or name in (weights or {})]
    if not all(math.isfinite(under[name]) for name in names):
        return None
    scores = [{name: h.scores.get(name, 0.0) + 0.0 for name in names} for h in nbest.hypotheses]
    costs = [sum((under[name] * value for name, value in row.items()), 0.0) for row in scores]
    if not all(
        abs(value) <= _LARGEST for row, cost in zip(scores, costs, strict=True) for value in (cost, *row.values())
    ):
        return None
    ignored = metric.ignore
    texts = [tuple(word for word in h.words if word not in ignored) if ignored else h.words for h in nbest.hypotheses]
    listed = list(references)
    counts = metric.counts(texts, [listed] * len(texts)).tolist()
    merits = _merits(metric, counts) if len(listed) > 1 else _gains(metric, counts)
    numbers = range(len(texts))
    first = min(numbers, key=costs.__getitem__)
    highest = max(merits)
    best = min((number for number in numbers if merits[number] == highest), key=costs.__getitem__)
    promised = metric.merit(RecognitionStatistics.of_columns(counts[best]))

    def scored(number: int) -> ScoredPath:
        _, statistics, alignment, reference = metric.best_reference(texts[number], listed)
        score, numerator, denominator = metric.parts(statistics)
        return ScoredPath(
            words=texts[number],
            score=score,
            numerator=numerator,
            denominator=denominator,
            statistics=statistics,
            cost=costs[number],
            scores=scores[number],
            arcs=_arcs(nbest, number),
            edges=(),
            derivation=None,
            alignment=alignment,
            reference=reference,
        )

    path = scored(best)
    return ListOracle(path, path if first == best else scored(first), promised)


def _merits(metric: GRR, counts: Sequence[Sequence[int]]) -> Sequence[Any]:
    """Return the rate of each hypothesis against its best reference."""
    return [metric.merit(RecognitionStatistics.of_columns(row)) for row in counts]


def _gains(metric: GRR, counts: Sequence[Sequence[int]]) -> Sequence[Any]:
    """Return the gain of each hypothesis; with one reference, gains rank hypotheses in the same order as rates."""
    order, unit, alpha, beta = metric.gains
    return [sum(row[:order]) * unit - row[order + 2] * alpha - row[order + 1] * beta for row in counts]


def _arcs(nbest: NBest, number: int) -> tuple[int, ...]:
    """Return the arcs of a hypothesis in the list's lattice; all first arcs of hypotheses come before other arcs."""
    further = [max(0, len(hypothesis.words) - 1) for hypothesis in nbest.hypotheses]
    begin = len(further) + list(accumulate(further, initial=0))[number]
    return (number, *range(begin, begin + further[number]))
