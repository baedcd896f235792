"""The model's 1-best of a graph: words, cost, times and confidences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.arguments import checked_posterior_scale
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Frozen, FrozenDict, Result
from latticemetric.graph import Graph, as_lattice_or_forest, path_fields, plain_path
from latticemetric.lattice.columns import Steps, Weights, costs_too_large
from latticemetric.lattice.lattice import Lattice
from latticemetric.posterior.posteriors import ForestPosteriors, Posteriors, posteriors, product_of
from latticemetric.renamed import says_new_keywords

Times = tuple[tuple[float, float], ...]


@dataclass(frozen=True, repr=False, eq=False)
class BestPath(Result, Frozen):
    """The 1-best: the model's best path of a lattice, or derivation of a forest.

    Attributes:
        words: The words, without ε.
        cost: The model's cost under the given weights.
        scores: The sum of each named cost along the path; for an n-best list, without the costs of weight 0 that
            `weights` does not name.
        posterior: The probability of the path or derivation under the model.
        confidences: For each word, the probability of its arc or edge; in an n-best list, the total probability of all
            hypotheses with the word at the same position. See `Posteriors.confidences`.
        times: Begin and end of each word, in seconds; `None` if the graph has no times.
        arcs: The numbers of its arcs in the lattice; a forest has `edges` and `derivation` in place of them.
        edges: The numbers of its edges in the forest, as in `Derivation`.
        derivation: The tree of these edges, in brackets.
    """

    words: tuple[str, ...]
    cost: float
    scores: Mapping[str, float]
    posterior: float
    confidences: tuple[float, ...]
    times: Times | None
    arcs: tuple[int, ...]
    edges: tuple[int, ...]
    derivation: str | None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "hypothesis": " ".join(self.words),
            "cost": self.cost,
            "scores": dict(self.scores),
            "posterior": self.posterior,
            "confidences": list(self.confidences),
            "times": pairs_of(self.times),
            **plain_path(self),
        }


@says_new_keywords
def best(graph: Graph, *, posterior_scale: float = 1.0, weights: Weights | None = None) -> BestPath:
    """Return the 1-best of a graph: the path with the least cost.

    `Lattice.best_path` and `Forest.best_path` return only the arcs or edges of this path, but are faster.

    Args:
        graph: A lattice, an n-best list, or a forest.
        posterior_scale: Factor of the costs in `posterior` and `confidences`; below 1, it flattens the distribution. It
            does not change the best path.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Examples:
        >>> found = best(Lattice.from_strings(["a b", "a c"], costs=[1.0, 0.5]))
        >>> found.words, found.cost, round(found.posterior, 3)
        (('a', 'c'), 0.5, 0.622)
    """
    searched = as_lattice_or_forest(graph, weights)
    if isinstance(searched, Lattice) and not searched.ranked:
        return _best_of_lattice(searched, checked_posterior_scale(posterior_scale), weights)
    distribution = posteriors(searched, posterior_scale=posterior_scale, weights=weights)
    path, cost = searched.best_path(weights), searched.cost(weights)
    words = searched.words(path)
    fields = path_fields(searched, path)
    return BestPath(
        words=words,
        cost=searched.cost_of(path, cost),
        scores=searched.scores_along(path),
        posterior=distribution.of_path(path, searched.end_of(path)),
        confidences=_confidences(distribution, path, words, fields["arcs"]),
        times=times_along(searched, path),
        **fields,
    )


def _best_of_lattice(lattice: Lattice, posterior_scale: float, weights: Weights | None) -> BestPath:
    """Return the 1-best of a lattice in one native call."""
    found = _native.summarize_best(posterior_scale, *lattice.costed(weights))
    if found is None:
        raise costs_too_large()
    arcs, cost, scores, steps, confidences = found
    path = np.array(arcs, dtype=np.int64)
    return BestPath(
        words=lattice.words(path),
        cost=cost,
        scores=FrozenDict(zip(lattice.scores, scores, strict=True)),
        posterior=product_of(steps),
        confidences=tuple(confidences),
        times=times_along(lattice, path),
        arcs=tuple(arcs),
        edges=(),
        derivation=None,
    )


@dataclass(frozen=True)
class _Arcs:
    """The words and arcs of a path, for `Posteriors.confidences`."""

    words: tuple[str, ...]
    arcs: tuple[int, ...]
    edges: tuple[int, ...] = ()


def _confidences(
    distribution: Posteriors | ForestPosteriors, path: Steps, words: tuple[str, ...], arcs: tuple[int, ...]
) -> tuple[float, ...]:
    if isinstance(distribution, Posteriors):
        return distribution.confidences(_Arcs(words, arcs))
    edges = edges_of_words(distribution.forest, path.tolist())
    return tuple(np.minimum(distribution.edge[edges], 1.0).tolist())


def edges_of_words(forest: Forest, path: Sequence[int]) -> list[int]:
    """Return the edge of each word of a derivation."""
    begin, target = forest.target.begin, forest.target.values
    found: list[int] = []
    remaining = iter(path)
    # Pairs (edge, symbol) to be read, the next pair last. A negative symbol is a tail: read the next edge.
    pending = [(-1, -1)]
    while pending:
        edge, symbol = pending.pop()
        if symbol < 0:
            edge = next(remaining)
            pending += [(edge, one) for one in target[begin[edge] : begin[edge + 1]][::-1].tolist()]
        elif symbol > 0:
            found.append(edge)
    return found


def times_along(graph: Lattice | Forest, path: Steps) -> Times | None:
    """Return the begin and end time of each word of a path; `None` for a forest, and a lattice without times."""
    if isinstance(graph, Forest) or graph.times is None:
        return None
    arcs = path[graph.word[path] != 0]
    begin, end = graph.times[graph.source[arcs]], graph.times[graph.target[arcs]]
    return tuple(zip(begin.tolist(), end.tolist(), strict=True))


_TIME_PLACES = 6


def written_time(time: float) -> float:
    """Return a time as all tables and JSON have it: rounded to microseconds, so that means have no digits of noise."""
    return round(time, _TIME_PLACES)


def pairs_of(times: Times | None) -> list[list[float]] | None:
    """Return times as plain values, for JSON: see `written_time`."""
    return None if times is None else [[written_time(begin), written_time(end)] for begin, end in times]
