"""The best a graph could have said, by a recognition rate: one string, or the k best."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from latticemetric.errors import UsageError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Scales
from latticemetric.metrics.base import GraphReferences, graphs_of
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import Merit
from latticemetric.metrics.reference_checks import check_references
from latticemetric.metrics.registry import make_metric
from latticemetric.oracle_search.reference_strings import readings_of
from latticemetric.oracle_search.scored_path import Oracle, ScoredPath
from latticemetric.oracle_search.searched import Candidate, Searched
from latticemetric.oracle_search.searched_forest import SearchedForest, as_searched_forest

if TYPE_CHECKING:
    from latticemetric.oracle_search.user_automaton import AutomatonOracle


# ---- The best a graph could have said, by a recognition rate ----


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
    """The path of a graph whose words score best: a derivation, where the graph is a forest.

    Ties are resolved: best score, then least cost, then fewest words, then smallest arc (or edge) numbers.

    Args:
        graph: A lattice, a forest, or an n-best list.
        references: One reference as a string or as a lattice, all of whose paths are right; or several of these. The
            best rate over all of them counts. For a forest, a lattice may have few readings only.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object; or a `pynini.Fst` of one's own, see
            `automaton_oracle`, for which references may be `None`.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        engine: `auto`, `native` or `openfst`. The answer is the same.

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
    if hasattr(metric, "arc_type"):
        from latticemetric.oracle_search.user_automaton import automaton_oracle

        return automaton_oracle(graph, metric, references, scales=scales)
    if references is None:
        raise UsageError("there is no reference", advice="only an automaton of one's own needs none")
    chosen = as_recognition_rate(metric)
    listed = graphs_of(references)
    searched = as_searched(graph, chosen, scales)
    best = searched.preferred([searched.best(reference, engine) for reference in listed])
    found = searched.scored(best.path, listed)
    check(found, best.promised, chosen)
    return Oracle(
        **vars(found),
        one_best=searched.scored(searched.one_best(), listed),
        exact=True,
        signature=chosen.signature_text(len(listed)),
    ).found_in(graph)


def as_recognition_rate(metric: str | GRR) -> GRR:
    """The metric object of a name, if it is one that graphs can be searched by."""
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(chosen, GRR):
        name = metric if isinstance(metric, str) else chosen.name
        raise UsageError(f"'{name}' has no form that a graph can be searched by", advice="use wer, wrr or N-grr")
    return chosen


def as_searched(graph: Graph, metric: GRR, scales: Scales | None) -> Searched:
    """The graph as the metric reads it."""
    from latticemetric.oracle_search.searched_lattice import SearchedLattice

    if hasattr(graph, "tails"):  # a forest; what a lattice has no use for is not imported
        from latticemetric.oracle_search.searched_forest import as_searched_forest

        return as_searched_forest(graph, metric, scales)
    return SearchedLattice(as_lattice(graph, scales), metric, scales)


def check(path: ScoredPath, promised: Merit, metric: GRR) -> None:
    """A path must score by its words what the search promised."""
    scored = metric.merit(path.statistics)
    if scored != promised:
        raise AssertionError(
            f"the search promised {promised}, the path scores {scored}: a bug in latticemetric, please report it"
        )


# ---- The best strings of a graph by a recognition rate ----


def oracles(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    n: int = 10,
    scales: Scales | None = None,
) -> list[Oracle]:
    """The `n` strings of a graph that score best, each of them once, the best first.

    Strings differ in the words that are reported. Each one has its cheapest path; ties are resolved as by `oracle`,
    whose answer is the first. There are fewer than `n` where the graph has fewer strings.

    Args:
        graph: A lattice, a forest, or an n-best list.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        n: How many strings.
        scales: Weight of each score column in the model's cost; columns not named keep their own.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a b", "a b c"], costs=[2.0, 1.0, 3.0, 1.5])
        >>> [(best.words, best.score, best.cost) for best in oracles(lattice, "a b d", "wer", n=2)]
        [(('a', 'b', 'c'), 0.3333333333333333, 1.5), (('a', 'b'), 0.3333333333333333, 3.0)]
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise UsageError(f"the best {n!r} strings are asked for", advice="ask for a number from 1 on")
    chosen = as_recognition_rate(metric)
    check_references(references)
    listed = readings_of(references)
    searched = as_searched(graph, chosen, scales)
    strings = searched if isinstance(searched, SearchedForest) else as_searched_forest(graph, chosen, scales)
    one_best = searched.scored(searched.one_best(), listed)
    candidates = [found for reference in listed for found in strings.best_strings(reference, n)]
    answers = []
    for best in _distinct(searched, candidates)[:n]:
        found = searched.scored(best.path, listed)
        check(found, best.promised, chosen)
        signature = str(chosen.signature_for(len(listed)))
        answers.append(Oracle(**vars(found), one_best=one_best, exact=True, signature=signature).found_in(graph))
    return answers


def _distinct(searched: Searched, candidates: Iterable[Candidate]) -> list[Candidate]:
    """The best candidate of each string: with its best reference, if that is among the best of all."""
    first: dict[tuple[str, ...], Candidate] = {}
    for candidate in sorted(candidates, key=searched.preference):
        first.setdefault(searched.reported(candidate.path), candidate)
    return list(first.values())
