"""Everything in a graph that scores best, as a forest."""

from __future__ import annotations

from latticemetric.forest import Forest
from latticemetric.formats.registry import Graph
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import check_references
from latticemetric.questions.oracles.oracle import as_recognition_rate
from latticemetric.questions.oracles.readings import readings_of
from latticemetric.questions.oracles.searched_forest import SearchedForest, as_searched_forest


def oracle_forest(graph: Graph, references: GraphReferences, metric: str | GRR = "4-grr") -> Forest:
    """The derivations whose words score best, and no others, each of them once.

    Nodes are those of the graph, apart from one another where best derivations need it; edges keep their scores and
    labels.

    Args:
        graph: A forest; a lattice or an n-best list is taken as one.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.

    Examples:
        >>> forest = Forest.from_edges([0, 0, 1, 1], [[], [], [0], [0]], [[5], [6], [-1, 7], [7, -1]], goals=[1])
        >>> best = oracle_forest(forest, "8 7", "wrr")
        >>> [derivation.words for derivation in best.derivations()]
        [('5', '7'), ('6', '7')]
    """
    chosen = as_recognition_rate(metric)
    searched = as_searched_forest(graph, chosen, None)
    return searched.best_of(best_references(searched, references))


def best_references(searched: SearchedForest, references: GraphReferences) -> list[tuple[str, ...]]:
    """The counted words of those references that the best rate is reached against, each of them once."""
    check_references(references)
    listed = readings_of(references)
    promised = [searched.best(reference, "auto").promised for reference in listed]
    best = [reference for reference, merit in zip(listed, promised, strict=True) if merit == max(promised)]
    return list(dict.fromkeys(map(tuple, map(searched.metric.counted, best))))
