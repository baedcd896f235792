"""Compute the size of a lattice exactly: states, arcs, paths, lengths, density."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from latticemetric import _native
from latticemetric.lattice.columns import costs_too_large

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays
    from latticemetric.lattice.columns import Floats

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
        return vars(self) | {"scores": list(self.scores)}


def lattice_statistics(lattice: LatticeArrays) -> LatticeStatistics:
    """Return the size of a lattice."""
    measured = _native.measure_lattice(*lattice.costed(None))
    if measured is None:
        raise costs_too_large()
    paths, shortest, longest, words, distinct, covered, extent, best_words, best_cost = measured
    arcs = len(lattice.word)
    by_steps = covered / extent if extent else float(arcs)
    return LatticeStatistics(
        states=lattice.num_states,
        arcs=arcs,
        epsilons=arcs - words,
        final_states=len(lattice.final),
        paths=None if paths is None else int.from_bytes(paths, "little"),
        shortest=shortest,
        longest=longest,
        depth=by_steps if lattice.times is None else _depth(lattice, lattice.times),
        density=words / best_words if best_words else None,
        vocabulary=distinct,
        scores=tuple(lattice.scores),
        best_cost=best_cost,
    )


def _depth(lattice: LatticeArrays, times: Floats) -> float:
    extent = float(times.max() - times.min())
    covered = float((times[lattice.target] - times[lattice.source]).sum())
    return covered / extent if extent > 0 else float(len(lattice.word))
