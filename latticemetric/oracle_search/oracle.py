"""Oracles: find the path of a graph whose words score best by a recognition rate, or the k best strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from latticemetric.errors import UsageError
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Scales
from latticemetric.lattice.n_best import check_number
from latticemetric.metrics.base import GraphReference, GraphReferences, Metric, graphs_of
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import check_references
from latticemetric.metrics.registry import make_metric
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle, ScoredPath
from latticemetric.oracle_search.search_space import (
    Candidate,
    ForestSpace,
    SearchSpace,
    as_forest_space,
    as_search_space,
)

if TYPE_CHECKING:
    from latticemetric.oracle_search.user_automaton import AutomatonOracle


@overload
def oracle(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    scales: Scales | None = None,
    engine: str = "auto",
) -> Oracle: ...


@overload
def oracle(
    graph: Graph, references: GraphReferences | None, metric: Any, *, scales: Scales | None = None, engine: str = "auto"
) -> AutomatonOracle: ...


def oracle(
    graph: Graph,
    references: GraphReferences | None,
    metric: str | GRR | Any = "4-grr",
    *,
    scales: Scales | None = None,
    engine: str = "auto",
) -> Oracle | AutomatonOracle:
    """Return the path of a graph whose words score best; in a forest, the derivation.

    Ties are resolved by the tie rule (`latticemetric.engine.ties`): least cost, fewest words, smallest arc numbers.

    Args:
        graph: A lattice, a forest, or an n-best list.
        references: One reference as a string or as a lattice (any of its paths is right), or several of these. The
            best rate over all of them counts. For a forest, a lattice may have only few strings.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object; or your own `pynini.Fst`, which needs no
            references (see `automaton_oracle`).
        scales: Weight of each score column in the model's cost; other columns keep their own.
        engine: `auto`, `native` or `openfst`. All return the same result.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a b"], costs=[2.0, 1.0, 3.0])
        >>> best = oracle(lattice, "a b d", "wer")
        >>> best.words, best.score, best.one_best.words
        (('a', 'b', 'c'), 0.3333333333333333, ('a', 'x', 'c'))
        >>> oracle(lattice, Lattice.from_strings(["a b d", "c b"]), "wer").reference
        ('a', 'b', 'd')
    """
    check_references(references)
    if not isinstance(metric, str | Metric):
        from latticemetric.oracle_search.user_automaton import automaton_oracle

        return automaton_oracle(graph, metric, references, scales=scales)
    if references is None:
        raise UsageError("there is no reference", advice="only your own automaton needs none")
    rate, listed = as_recognition_rate(metric), graphs_of(references)
    space = as_search_space(graph, rate, scales)
    best = space.preferred([space.best(reference, engine) for reference in listed])
    one_best = space.scored(space.one_best(), listed)
    return _oracle(space, best, listed, one_best, graph)


def as_recognition_rate(metric: str | Metric[Any]) -> GRR:
    """Return the metric with this name; raise an error if it cannot search a graph."""
    rate = make_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(rate, GRR):
        name = metric if isinstance(metric, str) else rate.name
        raise UsageError(f"'{name}' cannot search a graph", advice="use wer, wrr or N-grr")
    return rate


def _oracle(
    space: SearchSpace, best: Candidate, references: Sequence[GraphReference], one_best: ScoredPath, graph: Graph
) -> Oracle:
    """Return the result; check that its words have the score that the search computed."""
    path, metric = space.scored(best.path, references), space.metric
    merit = metric.merit(path.statistics)
    if merit != best.promised:
        raise AssertionError(
            f"the search promised {best.promised}, the path scores {merit}: a bug in latticemetric, please report it"
        )
    signature = metric.signature_text(len(references))
    return Oracle(**vars(path), one_best=one_best, exact=True, signature=signature).found_in(graph)


def oracles(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    n: int = 10,
    scales: Scales | None = None,
) -> list[Oracle]:
    """Return the `n` strings of a graph with the best scores: distinct strings, best first.

    Strings are compared by the words of the result, without ignored ones. Each one has its cheapest path; ties are
    resolved as by `oracle`, whose result comes first. The list is shorter if the graph has fewer strings.

    Args:
        graph: A lattice, a forest, or an n-best list.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        n: Number of strings.
        scales: Weight of each score column in the model's cost; other columns keep their own.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a b", "a b c"], costs=[2.0, 1.0, 3.0, 1.5])
        >>> [(best.words, best.score, best.cost) for best in oracles(lattice, "a b d", "wer", n=2)]
        [(('a', 'b', 'c'), 0.3333333333333333, 1.5), (('a', 'b'), 0.3333333333333333, 3.0)]
    """
    check_number(n)
    rate = as_recognition_rate(metric)
    check_references(references)
    strings = strings_of_references(references)
    space = as_search_space(graph, rate, scales)
    forest = space if isinstance(space, ForestSpace) else as_forest_space(graph, rate, scales)
    one_best = space.scored(space.one_best(), strings)
    candidates = [candidate for reference in strings for candidate in forest.best_strings(reference, n)]
    best: dict[tuple[str, ...], Candidate] = {}  # of each string, by its best reference
    for candidate in sorted(candidates, key=space.preference):
        best.setdefault(space.reported(candidate.path), candidate)
    return [_oracle(space, candidate, strings, one_best, graph) for candidate in list(best.values())[:n]]
