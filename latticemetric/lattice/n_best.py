"""Find the n best strings of lattices (`kernels/graphs/n_best.cpp`) and of forests (`kernels/forests/k_best.cpp`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import whole_number
from latticemetric.errors import InputError
from latticemetric.lattice.columns import Costs, Steps
from latticemetric.memory import most_bytes, no_memory

TOO_MANY_NGRAMS = "prune the graph, choose a lower order, or allow more memory (max_memory=…)"
"""Advice for the error that the n-grams of a graph do not fit into memory."""

_MOST_STRINGS = 2**60  # more than any search finds
_NO_GAINS = (1, 1, 0, 0)  # strings are compared by their costs alone
_LARGEST_SUM = 2.0**32  # above this, the rounding would be coarser than one millionth


@contextmanager
def small_enough(advice: str | None = None) -> Iterator[None]:
    """Turn memory errors inside the `with` block into `InputError`s; kernels' errors without advice get `advice`."""
    try:
        yield
    except _native.TooLarge as error:
        what, _, own = str(error).partition("; ")
        raise InputError(what, advice=own or advice) from None
    except MemoryError:
        raise no_memory() from None


def number_of_strings(n: int) -> int:
    """Return `n`; raise an error if it is not an integer ≥ 1."""
    return whole_number(n, f"the number of best strings is {n!r}", "give an integer of 1 or more")


def few_strings(n: int) -> int:
    """Return a limit for the number of strings of a graph.

    Up to this limit, ranking all strings is faster than a search for the `n` best strings.
    """
    return max(10 * n, 1000)


def summable(hypergraph: dict[str, Any]) -> _native.Forest:
    """Return a hypergraph for kernels, with costs rounded so that their sums are exact in any order; see `rounded`."""
    forest = _native.Forest(**hypergraph)
    return forest.with_cost(*rounded(Costs(hypergraph["cost"], hypergraph["goal_cost"]), _native.largest_cost(forest)))


def rounded(cost: Costs, largest: float) -> Costs:
    """Round costs so that their sums, which are at most `largest` in absolute value, are exact in any order.

    Without rounding, the order of additions could decide which of two derivations is cheaper, and derivations with
    equal costs might not tie. The unit is 2⁻⁵² of the largest possible sum. If the largest sum is too large, the costs
    stay unchanged. (In a forest with shared nodes, the largest sum has no limit.)
    """
    unit = 2.0 ** (math.frexp(largest)[1] - 52) if largest < _LARGEST_SUM else 0.0
    return cost if unit == 0 else Costs(*(np.round(part / unit) * unit for part in cost))


def cheapest_derivations(hypergraph: dict[str, Any], n: int) -> list[Steps]:
    """Return the edges of the cheapest derivation of each of the `n` cheapest strings of a forest."""
    most = min(n, _MOST_STRINGS)
    with small_enough():
        edges, begin, _ = _native.best_strings(
            summable(hypergraph),
            shown_begin=hypergraph["target_begin"],
            shown=hypergraph["target"],
            reference=np.zeros(0, dtype=np.int32),
            gains=_NO_GAINS,
            most=most,
            few=few_strings(most),
            most_bytes=most_bytes(),
        )
    return _rows(edges, begin)


def cheapest_strings(lattice: _native.Lattice, n: int) -> list[Steps]:
    """Return the arcs of the cheapest path of each of the `n` cheapest strings; the sums of costs must be exact."""
    with small_enough():
        return _rows(*_native.n_best_strings(lattice, min(n, _MOST_STRINGS)))


def cheapest_paths(lattice: _native.Lattice, n: int) -> list[Steps]:
    """Return the arcs of the `n` cheapest paths of a lattice; the sums of costs must be exact."""
    with small_enough():
        return _rows(*_native.n_best_paths(lattice, min(n, _MOST_STRINGS)))


def _rows(steps: Steps, begin: npt.NDArray[np.int64]) -> list[Steps]:
    return [steps[first:last] for first, last in pairwise(begin.tolist())]


def reported(words: Callable[[Steps], Sequence[str]], ignore: Collection[str]) -> Callable[[Steps], tuple[str, ...]]:
    """Return a function that returns the words of a path without the ignored words."""
    return lambda path: tuple(word for word in words(path) if word not in ignore)


def beginning_with(best: Steps, others: list[Steps], string: Callable[[Steps], object], n: int) -> list[Steps]:
    """Return `n` paths of distinct strings: the best path, then the others, whose order is that of rounded costs."""
    if np.array_equal(best, others[0]):
        return others
    first = string(best)
    return [best, *(other for other in others if string(other) != first)][:n]


def first_of_each(paths: Iterable[Steps], string: Callable[[Steps], Hashable], n: int) -> list[Steps]:
    """Return the first path of each string, at most `n` paths."""
    first: dict[Hashable, Steps] = {}
    for path in paths:
        first.setdefault(string(path), path)
    return list(first.values())[:n]
