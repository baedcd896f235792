"""Strings of a lattice by metric and cost together, in C++ (`kernels/weighed_strings.cpp`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.recognition import Gains
from latticemetric.engine.memory import small_enough
from latticemetric.lattice import Costs, Lattice
from latticemetric.vocabulary import Words

MOST_STEPS = 2**30 - 1
_COST_BITS = 61  # of a sum of costs
_VALUE_BITS = 123  # of a loss
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
    costs, cost_unit = _whole_costs(search.cost, search.lattice)
    weights, cost_weight, unit = _whole_weights(search, cost_unit, costs)
    lattice = search.lattice
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
            [_halves(weight) for weight in weights],
            _halves(cost_weight),
            search.ill,
            *search.gains,
            most=most,
            most_steps=min(steps, MOST_STEPS),
            most_bytes=_MOST_BYTES,
        )
    return FoundStrings([np.array(path, dtype=np.int64) for path in paths], exact, ((high << 64) + low) * unit)


class _WholeCosts(NamedTuple):
    arc: npt.NDArray[np.int64]
    final: npt.NDArray[np.int64]

    def largest(self) -> int:
        return max(int(np.abs(costs).max(initial=0)) for costs in self)


def _whole_costs(cost: Costs, lattice: Lattice) -> tuple[_WholeCosts, Fraction]:
    """Costs in a unit that all sums are exact in, rounded where it is coarser than they are; and that unit."""
    final = np.where(np.isfinite(cost.final), cost.final, 0.0)
    largest = max(float(np.abs(costs).max(initial=0)) for costs in (cost.arc, final))
    exponent = math.frexp(largest)[1] + lattice.num_states.bit_length() - _COST_BITS
    whole = [np.round(np.ldexp(costs, -exponent)).astype(np.int64) for costs in (cost.arc, final)]
    used = int(np.bitwise_or.reduce(np.concatenate(whole)))
    spare = (used & -used).bit_length() - 1 if used else 0
    return _WholeCosts(whole[0] >> spare, whole[1] >> spare), Fraction(2) ** (exponent + spare)


def _whole_weights(search: WeighedSearch, cost_unit: Fraction, costs: _WholeCosts) -> tuple[list[int], int, Fraction]:
    """Weights of gains and of costs in a common unit, rounded only where 128 bits do not hold the losses."""
    exact = [*search.shares, cost_unit if search.costs_count else Fraction(0)]
    unit = Fraction(1, math.lcm(*(weight.denominator for weight in exact)))
    *weights, cost_weight = (int(weight / unit) for weight in exact)
    largest = cost_weight * costs.largest() * search.lattice.num_states + 2 * max(weights) * _largest_gain(search)
    surplus = max(0, largest.bit_length() - _VALUE_BITS)
    unit *= 2**surplus
    *weights, cost_weight = (round(weight / unit) for weight in exact)
    return weights, cost_weight, unit


def _largest_gain(search: WeighedSearch) -> int:
    """No gain, nor that of any part of an alignment, is larger in size."""
    order, unit, alpha, beta = search.gains
    words = max(map(len, search.references)) + 1
    return words * (order * unit + abs(beta)) + (search.lattice.num_states + 1) * abs(alpha)


def _halves(value: int) -> tuple[int, int]:
    """The high and the low 64 bits."""
    return value >> 64, value & (2**64 - 1)
