"""Compute the size of a lattice exactly: states, arcs, paths, lengths, density."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from latticemetric.vocabulary import distinct_words

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays

MANY = 2**32768
"""Counting of paths stops at this number, since the number of paths may grow exponentially with a lattice's size."""
_TOO_LONG = 10**4300


def counted(number: int) -> int | None:
    """Return the number of paths, or `None` if counting stopped at `MANY`."""
    return number if number < MANY else None


def written(statistics: Any) -> str:
    """Return the `repr` of a dataclass; round numbers with more than 4300 digits, which Python does not write."""
    values = [(field.name, getattr(statistics, field.name)) for field in fields(statistics)]
    texts = [f"{name}={_rounded(value) if type(value) is int else repr(value)}" for name, value in values]
    return f"{type(statistics).__name__}({', '.join(texts)})"


def _rounded(number: int) -> str:
    return repr(number) if number < _TOO_LONG else f"<about 10**{math.log10(number):.0f}>"


@dataclass(frozen=True)
class LatticeStatistics:
    """The size of a lattice.

    Attributes:
        states: Number of states.
        arcs: Number of arcs.
        epsilons: Number of arcs without a word.
        final_states: Number of final states.
        paths: Exact number of complete paths; `None` if this number has more than about ten thousand digits.
        shortest: Number of words of the shortest path.
        longest: Number of words of the longest path.
        depth: Average number of parallel arcs at a point between start and end. Points are times; if the lattice has no
            times, the position of a state is the number of arcs of the longest path to the state.
        density: Number of arcs with a word, divided by the number of words of the 1-best; `None` if the 1-best has no
            words.
        vocabulary: Number of distinct words.
        scores: Names of the score columns.
        best_cost: Cost of the 1-best under the default weights.
    """

    states: int
    arcs: int
    epsilons: int
    final_states: int
    paths: int | None
    shortest: int
    longest: int
    depth: float
    density: float | None
    vocabulary: int
    scores: tuple[str, ...]
    best_cost: float

    def __repr__(self) -> str:
        return written(self)

    def asdict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of plain values, for JSON."""
        return asdict(self) | {"scores": list(self.scores)}


def lattice_statistics(lattice: LatticeArrays) -> LatticeStatistics:
    """Return the size of a lattice; one backward pass over its arcs finds the number and the lengths of its paths."""
    is_word = lattice.is_word().tolist()
    source, target = lattice.source.tolist(), lattice.target.tolist()
    infinite = float("inf")
    paths = [0] * lattice.num_states
    shortest, longest = ([value] * lattice.num_states for value in (infinite, -infinite))
    for state in lattice.final.tolist():
        paths[state], shortest[state], longest[state] = 1, 0, 0
    for arc in reversed(range(len(source))):
        here, there = source[arc], target[arc]
        paths[here] = min(paths[here] + paths[there], MANY)
        shortest[here] = min(shortest[here], shortest[there] + is_word[arc])
        longest[here] = max(longest[here], longest[there] + is_word[arc])
    cost = lattice.cost()
    best = lattice.best_path(cost)
    best_words = sum(is_word[arc] for arc in best.tolist())
    return LatticeStatistics(
        states=lattice.num_states,
        arcs=len(source),
        epsilons=len(source) - sum(is_word),
        final_states=len(lattice.final),
        paths=counted(paths[0]),
        shortest=int(shortest[0]),
        longest=int(longest[0]),
        depth=_depth(lattice),
        density=sum(is_word) / best_words if best_words else None,
        vocabulary=len(distinct_words(lattice.word)),
        scores=tuple(lattice.scores),
        best_cost=lattice.cost_of(best, cost),
    )


def _depth(lattice: LatticeArrays) -> float:
    if lattice.times is not None:
        place = lattice.times
    else:
        steps = [0] * lattice.num_states
        for here, there in zip(lattice.source.tolist(), lattice.target.tolist(), strict=True):
            steps[there] = max(steps[there], steps[here] + 1)
        place = np.array(steps, dtype=np.float64)
    extent = float(place.max() - place.min())
    covered = float((place[lattice.target] - place[lattice.source]).sum())
    return covered / extent if extent > 0 else float(len(lattice.word))
