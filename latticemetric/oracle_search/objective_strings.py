"""The best strings of a graph by metric and cost together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from latticemetric.engine.native import MOST_STEPS
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.oracle_search.objective import Weighing, Worth
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.oracle_search.searched import Path, Searched
from latticemetric.oracle_search.searched_forest import SearchedForest
from latticemetric.oracle_search.searched_lattice import SearchedLattice

DEFAULT_CAP = 200_000
MOST_LISTED = 10_000


class WeighedString(NamedTuple):
    """One answer.

    Attributes:
        path: The string's cheapest path.
        worth: What the metric makes of it.
        bound: No string that is not among the answers before it has a smaller loss; `None` where it is the best.
    """

    path: Path
    worth: Worth
    bound: Fraction | None


@dataclass(frozen=True)
class WeighedStrings:
    """Answers, the best first, and the graph that they are of."""

    searched: Searched
    weighing: Weighing
    strings: Sequence[WeighedString]

    def scored(self) -> Iterator[tuple[ScoredPath, WeighedString]]:
        """Each answer, scored against the reference that it is worth most against."""
        for string in self.strings:
            yield self.searched.scored(string.path, [string.worth.reference]), string

    def one_best(self, references: Sequence[Sequence[str]]) -> ScoredPath:
        """The model's own best path."""
        return self.searched.scored(self.searched.one_best(), references)


def weighed_strings(
    graph: Graph, weighing: Weighing, scales: Scales | None, n: int, cap: int | None = None
) -> WeighedStrings:
    """The `n` best strings; without a cap they are exact, or there is an error."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise UsageError(f"the best {n!r} strings are asked for", advice="ask for a number from 1 on")
    if cap is not None and (isinstance(cap, bool) or not isinstance(cap, int) or not 1 <= cap <= MOST_STEPS):
        raise UsageError(f"cap is {cap!r}, not a number of prefixes", advice=f"give a whole number, 1 … {MOST_STEPS}")
    if isinstance(graph, Forest) and (lattice := _as_linear(graph)) is None:
        return _listed(graph, weighing, scales, n)
    lattice = lattice if isinstance(graph, Forest) else as_lattice(graph, scales)
    assert lattice is not None
    return _searched(SearchedLattice(lattice, weighing.metric, scales), weighing, n, cap)


def _as_linear(forest: Forest) -> Lattice | None:
    """The lattice that a forest is, if it is one."""
    try:
        return forest.to_lattice()
    except InputError:
        return None


def _searched(searched: SearchedLattice, weighing: Weighing, n: int, cap: int | None) -> WeighedStrings:
    found = searched.strings(weighing, n, cap or MOST_STEPS)
    if cap is None and found.exact < len(found.paths):
        raise InputError("the search for strings does not fit into memory", advice="ask for fewer strings")
    strings = [
        WeighedString(path, weighing.worth(searched.reported(path)), found.bound if rank >= found.exact else None)
        for rank, path in enumerate(found.paths)
    ]
    return WeighedStrings(searched, weighing, strings)


def _listed(forest: Forest, weighing: Weighing, scales: Scales | None, n: int) -> WeighedStrings:
    """Of a forest that is no lattice, all strings are listed and weighed."""
    searched = SearchedForest(forest, weighing.metric, scales)
    listed = searched.best_strings(weighing.references[0], MOST_LISTED + 1)
    if len(listed) > MOST_LISTED:
        raise InputError(
            f"the forest has more than {MOST_LISTED} strings, which cannot all be weighed",
            advice="prune it; of a lattice there may be any number",
        )
    strings = [WeighedString(c.path, weighing.worth(searched.reported(c.path)), None) for c in listed]

    def order(string: WeighedString) -> tuple[Fraction, float, int, tuple[int, ...]]:
        price = searched.price(string.path)
        loss = string.worth.value if weighing.ill else -string.worth.value
        return (loss + (Fraction(price[0]) if weighing.costs_count else 0), *price)

    return WeighedStrings(searched, weighing, sorted(strings, key=order)[:n])
