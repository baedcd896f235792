"""Strings of a lattice by metric and cost together, in C++ (`kernels/weighed_strings.cpp`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.recognition import Gains
from latticemetric.engine.memory import small_enough
from latticemetric.engine.whole_numbers import (
    exponent_above,
    finite_costs,
    halves,
    joined,
    largest_cost,
    whole_costs,
    whole_weights,
)
from latticemetric.lattice import Costs, Lattice
from latticemetric.vocabulary import Words

MOST_STEPS = 2**30 - 1
_MOST_BYTES = 2**30


@dataclass(frozen=True)
class WeighedSearch:
    """One lattice, some references, and what their gains weigh against costs.

    Attributes:
        lattice: The lattice.
        label: What each arc counts as: a word number, or ε for ε, ignored words and wildcards.
        shown: What each arc says in the result, which is what makes strings different; ε for ignored words.
        cost: The model's cost.
        references: Counted words of each reference, as numbers.
        shares: What a unit of gain against each of them weighs.
        costs_count: Whether costs are part of the loss, or only decide among strings of equal loss.
        ill: Whether gains add to the loss; if not, they are taken from it.
        gains: The metric's parameters.
    """

    lattice: Lattice
    label: Words
    shown: Words
    cost: Costs
    references: Sequence[Words]
    shares: Sequence[Fraction]
    costs_count: bool
    ill: bool
    gains: Gains


class FoundStrings(NamedTuple):
    """The strings of least loss, in order.

    Attributes:
        paths: The arcs of each one's cheapest path.
        exact: So many of the first are known to be the best.
        bound: No other string has a smaller loss; of no meaning where all are exact.
    """

    paths: list[npt.NDArray[np.int64]]
    exact: int
    bound: Fraction


def strings_of_least_loss(search: WeighedSearch, most: int, steps: int) -> FoundStrings:
    """Distinct strings, at most so many; no more are known to be exact than `steps` prefixes tell."""
    lattice = search.lattice
    cost = finite_costs(search.cost)
    costs = whole_costs(cost, exponent_above(largest_cost(cost)) + lattice.num_states.bit_length())
    weights = whole_weights(
        search.shares,
        costs.unit if search.costs_count else Fraction(0),
        largest_sum=costs.largest() * lattice.num_states,
        largest_gain=_largest_gain(search),
    )
    with small_enough():
        paths, exact, high, low = _native.weighed_strings(
            lattice.source,
            lattice.target,
            search.label,
            search.shown,
            costs.arc,
            costs.final,
            np.isfinite(search.cost.final).astype(np.uint8),
            [reference.tolist() for reference in search.references],
            [halves(weight) for weight in weights.gains],
            halves(weights.cost),
            search.ill,
            *search.gains,
            most=most,
            most_steps=min(steps, MOST_STEPS),
            most_bytes=_MOST_BYTES,
        )
    return FoundStrings([np.array(path, dtype=np.int64) for path in paths], exact, joined(high, low) * weights.unit)


def _largest_gain(search: WeighedSearch) -> int:
    """No gain, nor that of any part of an alignment, is larger in size."""
    order, unit, alpha, beta = search.gains
    words = max(map(len, search.references)) + 1
    return words * (order * unit + abs(beta)) + (search.lattice.num_states + 1) * abs(alpha)
