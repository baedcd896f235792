"""Find the oracle of a graph by a recognition rate: the best path, the n best strings, or all best paths.

`oracle_lattice` returns all best paths as a lattice, `oracle_forest` all best derivations as a forest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from latticemetric.engine import native
from latticemetric.engine.native import best_edges
from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest, NodeLabels
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Weights, taken
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import number_of_strings
from latticemetric.metrics.base import GraphReference, GraphReferences, Metric, graphs_of, listed_references
from latticemetric.metrics.recognition import GRR, as_recognition_rate
from latticemetric.metrics.recognition_statistics import Merit
from latticemetric.metrics.reference_checks import check_references
from latticemetric.metrics.registry import make_metric
from latticemetric.nbest import NBest
from latticemetric.oracle_search.list_oracle import list_oracle
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle, ScoredPath
from latticemetric.oracle_search.search_space import (
    Candidate,
    ForestSpace,
    LatticeSpace,
    SearchSpace,
    as_search_space,
    find_engine,
)
from latticemetric.oracle_search.settings import (
    ByAutomaton,
    ByCompounds,
    ByRate,
    SearchSettings,
    names_automaton,
    searched_by,
)
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.metrics.compounds import CompoundWER
    from latticemetric.oracle_search.compounds import CompoundOracle
    from latticemetric.oracle_search.user_automaton import AutomatonOracle


@overload
def oracle(graph: Graph, references: GraphReferences, metric: ByRate, *, weights: Weights | None = ...) -> Oracle: ...


@overload
def oracle(
    graph: Graph, references: GraphReferences, metric: ByCompounds, *, weights: Weights | None = ...
) -> CompoundOracle: ...


@overload
def oracle(
    graph: Graph, references: GraphReferences | None, metric: ByAutomaton, *, weights: Weights | None = ...
) -> AutomatonOracle: ...


@overload
def oracle(  # type: ignore[overload-overlap]  # one name means another kind, all others rates
    graph: Graph,
    references: GraphReferences,
    metric: Literal["compound-wer"] | CompoundWER,
    *,
    weights: Weights | None = ...,
    engine: str = ...,
) -> CompoundOracle: ...


@overload
def oracle(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = ...,
    *,
    weights: Weights | None = ...,
    engine: str = ...,
) -> Oracle: ...


@overload
def oracle(
    graph: Graph,
    references: GraphReferences | None,
    metric: Any,
    *,
    weights: Weights | None = ...,
    engine: str = ...,
) -> AutomatonOracle: ...


@says_new_keywords
def oracle(
    graph: Graph,
    references: GraphReferences | None,
    metric: str | Metric[Any] | SearchSettings | Any = "wer",
    *,
    weights: Weights | None = None,
    **settings: Any,
) -> Oracle | CompoundOracle | AutomatonOracle:
    """Return the best-scoring path of a graph; in a forest, the best-scoring derivation.

    Ties are resolved by the tie rule (`latticemetric.engine.ties`): least cost, fewest words, smallest arc numbers.

    Args:
        graph: A lattice, a forest, or an n-best list.
        references: One reference or several; the best rate over all of them counts. A reference is a string, or a
            lattice whose paths are all correct. If `graph` is a forest, a reference lattice must have few strings.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object; `compound-wer` (see `compound_oracle`); your own
            `pynini.Fst`, which needs no references (see `automaton_oracle`); or the settings of the search, such as
            `ByRate(metric="wer")`.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.
        settings: The settings of the search by name: `engine`, which is `auto`, `native` or `openfst`. All engines
            return the same result.

    Raises:
        UsageError: The search lacks one of the settings, or the setting needs another function.

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
    made = make_metric(metric) if isinstance(metric, str) and not names_automaton(metric) else metric
    if isinstance(made, GRR) and not settings:  # most calls: make no settings
        return oracle_by_rate(graph, _given(references), as_recognition_rate(made), weights=weights)
    search = searched_by(made, settings)
    _refuse_further(search)
    match search:
        case ByRate():
            return oracle_by_rate(graph, _given(references), search.rate, weights=weights, engine=search.engine)
        case ByCompounds():
            from latticemetric.oracle_search.compounds import compound_oracle

            return compound_oracle(graph, strings_of_references(_given(references)), weights=weights)
        case ByAutomaton():
            from latticemetric.oracle_search.user_automaton import automaton_oracle

            return automaton_oracle(graph, search.automaton, references, weights=weights)
    raise UsageError("bleu searches all graphs together", advice="ask Corpus(graphs, references).oracle")


def _given(references: GraphReferences | None) -> Sequence[GraphReference]:
    if references is None:
        raise UsageError("no reference is given", advice="give at least one; only your own automaton needs none")
    return graphs_of(references)


# The settings of the search for one path; the others are those of further results.
_OF_EACH_GRAPH = frozenset({"metric", "engine", "automaton", "ignore"})


def _refuse_further(search: SearchSettings) -> None:
    for name in search.changed():
        if name not in _OF_EACH_GRAPH:
            raise UsageError(
                f"oracle finds only the best path, and does not use {name}",
                advice="for other strings, use oracles, hope, fear or worst; for all results, use Corpus",
            )


def oracle_by_rate(
    graph: Graph,
    references: Sequence[GraphReference],
    rate: GRR,
    *,
    weights: Weights | None = None,
    engine: str = "auto",
) -> Oracle:
    """Do the same as `oracle`; the references are already checked, and converted by `graphs_of`."""
    if isinstance(graph, NBest) and find_engine(engine) is native:
        found = list_oracle(graph, references, rate, weights)
        if found is not None:
            return _answer(rate, found.best, found.promised, found.one_best, references=len(references), graph=graph)
    space = as_search_space(graph, rate, weights)
    best = space.preferred([space.best(reference, engine) for reference in references])
    one_best = space.scored(space.one_best(), references)
    return _oracle(space, best, references, one_best, graph, number=len(references))


def _oracle(
    space: SearchSpace,
    best: Candidate,
    references: Sequence[GraphReference],
    one_best: ScoredPath,
    graph: Graph,
    *,
    number: int,
) -> Oracle:
    """Score the best path of a search space, and return it as an `Oracle`; `number` references were given."""
    path = space.scored(best.path, references)
    return _answer(space.metric, path, best.promised, one_best, references=number, graph=graph)


def _answer(
    metric: GRR, path: ScoredPath, promised: Merit, one_best: ScoredPath, *, references: int, graph: Graph
) -> Oracle:
    """Return the result as an `Oracle`; check that its words have the score that the search found."""
    merit = metric.merit(path.statistics)
    if merit != promised:
        raise AssertionError(
            f"the search found the score {promised}, but the path scores {merit}: a bug in latticemetric, please "
            f"report it"
        )
    signature = metric.signature_text(references)
    return Oracle(**vars(path), one_best=one_best, exact=True, signature=signature).found_in(graph)


@says_new_keywords
def oracles(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "wer",
    *,
    n: int = 10,
    weights: Weights | None = None,
) -> list[Oracle]:
    """Return the `n` best-scoring strings of a graph: distinct strings, best first.

    Strings are compared without ignored words. Each result has the cheapest path of its string. Ties are resolved as in
    `oracle`; the result of `oracle` comes first. The list is shorter than `n` if the graph has fewer strings.

    Args:
        graph: A lattice, a forest, or an n-best list.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.
        n: Number of strings.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a b", "a b c"], costs=[2.0, 1.0, 3.0, 1.5])
        >>> [(best.words, best.score, best.cost) for best in oracles(lattice, "a b d", "wer", n=2)]
        [(('a', 'b', 'c'), 0.3333333333333333, 1.5), (('a', 'b'), 0.3333333333333333, 3.0)]
    """
    n = number_of_strings(n)
    rate = as_recognition_rate(metric)
    check_references(references)
    strings = strings_of_references(references)
    space = as_search_space(graph, rate, weights)
    one_best = space.scored(space.one_best(), strings)
    candidates = [candidate for reference in strings for candidate in space.best_strings(reference, n)]
    best: dict[tuple[str, ...], Candidate] = {}  # the best candidate of each string, by its best reference
    # Begin with the result of `oracle`: of strings with nearly the same cost, a search that rounds may prefer another.
    first = [space.preferred([space.best(one) for one in strings])] if space.strings_by_rounded_costs else []
    for candidate in [*first, *sorted(candidates, key=space.preference)]:
        best.setdefault(space.reported(candidate.path), candidate)
    number = len(listed_references(references))
    return [_oracle(space, candidate, strings, one_best, graph, number=number) for candidate in list(best.values())[:n]]


@says_new_keywords
def oracle_forest(graph: Graph, references: GraphReferences, metric: str | GRR = "wer") -> Forest:
    """Return a forest of all derivations with the best score; each derivation appears once.

    Nodes are split where necessary; edges keep their scores and labels.

    Args:
        graph: A forest; the oracle lattice of a lattice or an n-best list is converted to a forest.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.

    Examples:
        >>> forest = Forest.from_edges([0, 0, 1, 1], [[], [], [0], [0]], [[5], [6], [-1, 7], [7, -1]], goals=[1])
        >>> best = oracle_forest(forest, "8 7", "wrr")
        >>> [derivation.words for derivation in best.derivations()]
        [('5', '7'), ('6', '7')]
    """
    if not isinstance(graph, Forest):
        return Forest.from_lattice(oracle_lattice(graph, references, metric))  # without tables of states × words²
    space = ForestSpace(graph, as_recognition_rate(metric), None)
    strings = _best_references(space, references)
    best = best_edges(space.search_for(strings[0]), [space.encoded(reference) for reference in strings])
    forest, edge = space.graph, best.edge
    return Forest.from_edges(
        best.head,
        best.tails,
        forest.target.taken(edge),
        goals=best.goals,
        scores=taken(forest.scores, edge, best.goal),
        vocabulary=forest.vocabulary,
        labels=taken(forest.labels, edge, best.goal),
        node_labels={n: NodeLabels(x.node[best.node], x.vocabulary) for n, x in forest.node_labels.items()},
    )


def _best_references(space: SearchSpace, references: GraphReferences) -> list[tuple[str, ...]]:
    """Return the references that give the best rate, without duplicates."""
    check_references(references)
    strings = strings_of_references(references)
    promised = [space.best(reference).promised for reference in strings]
    best = [reference for reference, merit in zip(strings, promised, strict=True) if merit == max(promised)]
    return list({tuple(space.metric.counted(reference)): reference for reference in best}.values())


@says_new_keywords
def oracle_lattice(graph: Graph, references: GraphReferences, metric: str | GRR = "wer") -> Lattice:
    """Return a lattice of all paths with the best score; each path appears once.

    States are split where necessary. Arcs keep their scores and labels; states keep their times; hypotheses of an
    n-best list keep their order.

    Args:
        graph: A lattice, an n-best list, or a forest that `to_lattice` can convert. For other forests, use
            `oracle_forest`.
        references: One reference as a string, or several; the best rate over them counts. The result has each path that
            reaches this rate against at least one reference.
        metric: A name like `wer`, `wrr`, `4-grr`, or a metric object.

    Examples:
        >>> lattice = Lattice.from_strings(["a b", "b a", "b b", "c"], costs=[1.0, 2.0, 3.0, 0.0])
        >>> [(path.words, path.cost) for path in oracle_lattice(lattice, "a b a", "wrr").paths()]
        [(('a', 'b'), 1.0), (('b', 'a'), 2.0)]
    """
    lattice = graph.to_lattice() if isinstance(graph, Forest) else as_lattice(graph)
    space = LatticeSpace(lattice, as_recognition_rate(metric), None)
    best = space.best_arcs(_best_references(space, references))
    final = np.flatnonzero(best.ends)
    goal = np.searchsorted(lattice.final, best.state[final])
    found = Lattice.from_arcs(
        best.source,
        best.target,
        lattice.word[best.arc],
        final=final,
        scores=taken(lattice.scores, best.arc, goal),
        vocabulary=lattice.vocabulary,
        times=None if lattice.times is None else lattice.times[best.state],
        labels=taken(lattice.labels, best.arc, goal),
    )
    return replace(found, ranked=lattice.ranked)
