"""The strings that a model likes best, each of them once."""

from __future__ import annotations

from collections.abc import Collection

from latticemetric.formats.registry import Graph
from latticemetric.lattice import Lattice, Scales
from latticemetric.metrics.recognition import GRR
from latticemetric.questions.one_best import ranked_paths
from latticemetric.questions.oracles.oracle import as_searched
from latticemetric.questions.oracles.searched_forest import as_searched_forest


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
    # To a rate that nothing gains or loses by, all strings are equal: the least cost decides.
    indifferent = GRR(1, alpha=0, beta=0, ignore=ignore)
    searched = as_searched(graph, indifferent, scales)
    if isinstance(searched.graph, Lattice) and searched.graph.ranked:
        ranked = map(searched.reported, ranked_paths(searched.graph, searched.cost))
        return list(dict.fromkeys(ranked))[:most]
    found = as_searched_forest(graph, indifferent, scales).best_strings((), most)
    strings = (searched.reported(best.path) for best in found)
    return list(dict.fromkeys([searched.reported(searched.one_best()), *strings]))[:most]
