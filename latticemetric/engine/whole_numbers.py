"""Convert costs and weights to whole numbers, so that sums of gains and costs are exact in any order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError
from latticemetric.lattice.lattice import Costs

_COST_BITS = 61  # of a sum of costs
_VALUE_BITS = 123  # of a value: gains minus costs


class WholeCosts(NamedTuple):
    """Costs as multiples of a unit.

    Attributes:
        arc: The costs of arcs or edges.
        final: The costs of ends; 0 for states or nodes where no path ends.
        unit: The unit.
    """

    arc: npt.NDArray[np.int64]
    final: npt.NDArray[np.int64]
    unit: Fraction

    def is_exact(self, cost: Costs) -> bool:
        """Return True if none of these costs was rounded."""
        pairs = zip((self.arc, self.final), finite_costs(cost), strict=True)
        return all(bool((whole.astype(np.float64) * float(self.unit) == costs).all()) for whole, costs in pairs)

    def largest(self) -> int:
        """Return the largest absolute value."""
        return max(int(np.abs(costs).max(initial=0)) for costs in (self.arc, self.final))


class WholeWeights(NamedTuple):
    """Weights of gains and of costs as multiples of a unit.

    Attributes:
        gains: The weight of one unit of gain, for each reference.
        cost: The weight of one unit of cost.
        unit: The unit.
    """

    gains: list[int]
    cost: int
    unit: Fraction


def finite_costs(cost: Costs) -> Costs:
    """Return the costs, with 0 instead of infinity for ends."""
    return Costs(cost.arc, np.where(np.isfinite(cost.final), cost.final, 0.0))


def largest_cost(cost: Costs) -> float:
    """Return the largest absolute cost of finite costs."""
    return max(float(np.abs(costs).max(initial=0)) for costs in cost)


def whole_costs(cost: Costs, sum_exponent: int) -> WholeCosts:
    """Return finite costs in a unit with exact sums; round them only if 61 bits do not hold the sums.

    Args:
        cost: The costs.
        sum_exponent: Every sum of costs is at most 2 to this power, in absolute value.
    """
    exponent = sum_exponent - _COST_BITS
    whole = [np.round(np.ldexp(costs, -exponent)).astype(np.int64) for costs in cost]
    used = int(np.bitwise_or.reduce(np.concatenate(whole)))
    spare = (used & -used).bit_length() - 1 if used else 0
    return WholeCosts(whole[0] >> spare, whole[1] >> spare, Fraction(2) ** (exponent + spare))


def whole_weights(
    shares: Sequence[Fraction], cost_share: Fraction, *, largest_sum: int, largest_gain: int
) -> WholeWeights:
    """Return weights in a common unit; round them only if 128 bits do not hold the values.

    Args:
        shares: The weight of one unit of gain, for each reference.
        cost_share: The weight of one unit of cost.
        largest_sum: The largest absolute sum of costs, in their unit.
        largest_gain: The largest absolute gain.
    """
    exact = [*shares, cost_share]
    unit = Fraction(1, math.lcm(*(weight.denominator for weight in exact)))
    *gains, cost = (int(weight / unit) for weight in exact)
    largest = cost * largest_sum + 2 * max(gains) * largest_gain
    surplus = max(0, largest.bit_length() - _VALUE_BITS)
    unit *= 2**surplus
    *gains, cost = (round(weight / unit) for weight in exact)
    return WholeWeights(gains, cost, unit)


def halves(value: int) -> tuple[int, int]:
    """Return the high and the low 64 bits: kernels receive numbers of 128 bits in this form."""
    return value >> 64, value & (2**64 - 1)


def joined(high: int, low: int) -> int:
    """Return the number with these two halves."""
    return (high << 64) + low


def exponent_above(largest: float) -> int:
    """Return the exponent of the smallest power of two above `largest`.

    Raises:
        InputError: The number is too large for 64-bit floats.
    """
    if not math.isfinite(largest):
        raise InputError("the costs are too large to be added up", advice="prune the graph, or scale the costs down")
    return math.frexp(largest)[1]
