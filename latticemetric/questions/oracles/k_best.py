"""The best strings of a graph by a recognition rate."""

from __future__ import annotations

from collections.abc import Iterable

from latticemetric.errors import UsageError
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Scales
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import check_references
from latticemetric.questions.oracles.oracle import as_recognition_rate, as_searched, check
from latticemetric.questions.oracles.readings import readings_of
from latticemetric.questions.oracles.scored_path import Oracle
from latticemetric.questions.oracles.searched import Candidate, Searched
from latticemetric.questions.oracles.searched_forest import SearchedForest, as_searched_forest


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
