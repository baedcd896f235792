"""The n best strings: what lattices and forests share of the search in C++ (`kernels/forest_k_best.cpp`).

A graph goes there as the columns of a hypergraph; a lattice is one whose edges have at most one tail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError, UsageError
from latticemetric.lattice.columns import Costs, Steps
from latticemetric.memory import most_bytes, no_memory

_MOST_STRINGS = 2**60  # no search finds as many
_LARGEST_SUM = 2.0**32  # rounding beyond that would be to more than a millionth


@contextmanager
def small_enough(advice: str | None = None) -> Iterator[None]:
    """Turn a search that does not fit into memory into an error of its graph.

    Args:
        advice: Advice for an error in which a kernel says which part is too large.
    """
    try:
        yield
    except _native.TooLarge as error:
        raise InputError(str(error), advice=advice) from None
    except MemoryError:
        raise no_memory() from None


def check_number(n: int) -> None:
    """Refuse a number of strings that is none."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise UsageError(f"the best {n!r} strings are asked for", advice="ask for a number from 1 on")


def few_strings(n: int) -> int:
    """Return the number of strings up to which listing and ranking all is faster than a search for the best `n`."""
    return max(10 * n, 1000)


def summable(hypergraph: dict[str, Any]) -> Costs:
    """Round the costs of a hypergraph so that they add up exactly, whatever the order.

    Otherwise, which of two derivations is cheaper would depend on the order in which a search adds their costs up, and
    derivations of equal cost would not tie. The rounding is to one part in 2^52 of the largest sum that is possible;
    where that is coarse, since shared nodes make sums without bound, costs stay as they are.
    """
    cost = Costs(hypergraph["cost"], hypergraph["goal_cost"])
    largest = _native.largest_cost(**hypergraph)
    unit = 2.0 ** (math.frexp(largest)[1] - 52) if largest < _LARGEST_SUM else 0.0
    return cost if unit == 0 else Costs(*(np.round(part / unit) * unit for part in cost))


def cheapest_derivations(hypergraph: dict[str, Any], rank: npt.NDArray[np.int64], n: int) -> list[Steps]:
    """Return the edges of the cheapest derivation of each of the `n` cheapest strings.

    Args:
        hypergraph: The columns, by the names of the kernel's parameters.
        rank: Where derivations are paths, the number of each edge along paths; empty where edges are compared in
            preorder.
        n: Number of strings.
    """
    cost, most = summable(hypergraph), min(n, _MOST_STRINGS)
    shown: dict[str, Any] = {"shown_begin": hypergraph["said_begin"], "shown": hypergraph["said"]}
    nothing: dict[str, Any] = {"reference": np.zeros(0, dtype=np.int32), "order": 1, "unit": 1, "alpha": 0, "beta": 0}
    with small_enough():
        edges, begin, *_ = _native.best_strings(
            **{**hypergraph, "cost": cost.arc, "goal_cost": cost.final},
            **shown,
            **nothing,
            rank=rank,
            most=most,
            few=few_strings(most),
            most_bytes=most_bytes(),
        )
    return np.split(edges, begin[1:-1])


def first_of_each(
    paths: Iterable[Steps], words: Callable[[Steps], Sequence[str]], ignore: Collection[str], n: int
) -> list[Steps]:
    """Return the first path of each string, `n` at most; strings that differ in ignored words are the same."""
    first: dict[tuple[str, ...], Steps] = {}
    for path in paths:
        first.setdefault(tuple(word for word in words(path) if word not in ignore), path)
    return list(first.values())[:n]
