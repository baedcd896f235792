"""The strings that a model likes best, each of them once."""

from __future__ import annotations

import math
from collections.abc import Collection

from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.metrics.recognition import GRR
from latticemetric.oracle_search.model_paths import ranked_paths
from latticemetric.oracle_search.oracle import as_searched
from latticemetric.oracle_search.searched import Path
from latticemetric.oracle_search.searched_forest import as_searched_forest


def cheapest_strings(
    graph: Graph, most: int, *, ignore: Collection[str] = (), scales: Scales | None = None
) -> list[tuple[str, ...]]:
    """The `most` strings of least cost, the cheapest first; fewer where the graph has fewer.

    A string costs what its cheapest path or derivation does. Ties: fewest words, then the smallest arcs or edges; in an
    n-best list its order. The first is always the model's 1-best, even where rounding makes another one as cheap.

    Args:
        graph: A lattice, a forest, or an n-best list.
        most: How many.
        ignore: Words that are no words: strings that differ in them are the same.
        scales: Weight of each score column in the model's cost; columns not named keep their own.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b", "a c", "a b", "d"], costs=[3.0, 2.0, 1.0, 4.0])
        >>> cheapest_strings(lattice, 2)
        [('a', 'b'), ('a', 'c')]
    """
    searched = as_searched(graph, _indifferent(ignore), scales)
    if isinstance(searched.graph, Lattice) and searched.graph.ranked:
        ranked = map(searched.reported, ranked_paths(searched.graph, searched.cost))
        return list(dict.fromkeys(ranked))[:most]
    strings = (searched.reported(path) for path in cheapest_paths(graph, most, ignore=ignore, scales=scales))
    return list(dict.fromkeys([searched.reported(searched.one_best()), *strings]))[:most]


def cheapest_paths(
    graph: Graph, most: int, *, ignore: Collection[str] = (), scales: Scales | None = None
) -> list[Path]:
    """The cheapest paths or derivations of the `most` cheapest strings, the cheapest first."""
    found = as_searched_forest(graph, _indifferent(ignore), scales).best_strings((), most)
    return [best.path for best in found]


def has_few_paths(graph: Lattice | Forest, most: int) -> bool:
    """Check that there are at most so many complete paths or derivations."""
    if isinstance(graph, Lattice):
        begun: list[int] = [1, *([0] * (graph.num_states - 1))]
        for source, target in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
            begun[target] += begun[source]
            if begun[target] > most:
                return False
        paths: int = sum(begun[state] for state in graph.final.tolist())
        return paths <= most
    made: list[int] = [0] * graph.num_nodes
    for edge, head in enumerate(graph.head.tolist()):
        made[head] += math.prod(made[tail] for tail in graph.tails.row(edge))
        if made[head] > most:
            return False
    derivations: int = sum(made[goal] for goal in graph.goals.tolist())
    return derivations <= most


def _indifferent(ignore: Collection[str]) -> GRR:
    """A rate that nothing gains or loses by: all strings are equal, and the least cost decides."""
    return GRR(1, alpha=0, beta=0, ignore=ignore)
