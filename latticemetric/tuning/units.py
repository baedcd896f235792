"""Costs as whole numbers of units, so that paths are compared exactly at any weights.

A column has a unit, the same for all graphs: a power of ten if all its values are short decimals, else a power of two.
A sum of columns with weights has the largest unit that measures all its terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.lattice.columns import Floats

Whole = npt.NDArray[np.int64]

_MOST_PLACES = 9
_MOST_BITS = 60
_SAMPLE = 1000
# Doubles hold smaller whole numbers exactly.
_LARGEST_DOUBLE = 2.0**53
_MOST_WHOLE = 2**62


@dataclass(frozen=True)
class CostColumn:
    """The costs of all graphs in one column.

    Attributes:
        values: The costs.
        largest: The largest sum of absolute costs of a path.
        unit: The costs are whole numbers of this unit; `None` if there is none that fits.
    """

    values: Floats
    largest: float
    unit: Fraction | None

    @classmethod
    def of(cls, values: Floats, largest: float) -> CostColumn:
        """Return a column with the unit of its costs."""
        return cls(values, largest, _decimal_unit(values) or _binary_unit(values))

    def counted(self, unit: Fraction) -> Whole:
        """Return the costs as whole numbers of the column's unit, or of a part of it."""
        assert self.unit is not None
        return np.rint(self.values * float(1 / self.unit)).astype(np.int64) * int(self.unit / unit)


@dataclass(frozen=True)
class CountedCosts:
    """Costs as whole numbers of a unit.

    Attributes:
        numbers: The numbers.
        unit: The unit.
        largest: No path has a larger sum of absolute costs, in units.
        is_exact: False if costs are rounded to the unit.
    """

    numbers: Whole
    unit: Fraction
    largest: float
    is_exact: bool

    def not_coarser_than(self, unit: Fraction, bits: int) -> CountedCosts:
        """Return the costs in smaller units, as near to `unit` as sums along a path with fewer bits allow.

        The ratio of both units then has few digits: it is 1, or changes by a power of two.
        """
        ratio, most = self.unit / unit, int(2**bits / max(self.largest, 1))
        parts = int(ratio) if ratio.denominator == 1 and ratio <= most else _power_of_two(min(int(ratio), most))
        if parts <= 1:
            return self
        return replace(self, numbers=self.numbers * parts, unit=self.unit / parts, largest=self.largest * parts)


def weighted_sum(
    terms: Sequence[tuple[CostColumn, Fraction]],
    size: int,
    bits: int,
    largest_sum: Callable[[Floats], float],
    *,
    rounded: bool = False,
) -> CountedCosts:
    """Return the sum of columns, each with its weight, in units.

    Args:
        terms: The columns and their weights.
        size: The number of costs.
        bits: Sums along a path have fewer bits.
        largest_sum: Returns the largest sum of absolute costs of a path.
        rounded: True to round costs to a power of two.
    """
    terms = [(column, weight) for column, weight in terms if weight and column.largest]
    if not terms:
        return CountedCosts(np.zeros(size, dtype=np.int64), Fraction(1), 0, is_exact=True)
    if (unit := None if rounded else _common_unit(terms)) is not None:
        # Sums are added in order, so a term may be larger than the sum.
        most = sum(abs(weight) * Fraction(column.largest) for column, weight in terms) / unit
        if most < 2**bits:
            return CountedCosts(_below(_summed(terms, unit), bits), unit, float(most), is_exact=True)
    values = np.zeros(size)
    for column, weight in terms:
        values += float(weight) * column.values
    largest = largest_sum(values)
    if unit is not None and most < _MOST_WHOLE and Fraction(largest) / unit < 2**bits:
        return CountedCosts(_below(_summed(terms, unit), bits), unit, largest / float(unit), is_exact=True)
    shift = min(_MOST_BITS, bits - math.frexp(largest)[1])
    numbers = _below(np.rint(np.ldexp(values, shift)), bits)
    return CountedCosts(numbers, Fraction(2) ** -shift, math.ldexp(largest, shift), is_exact=False)


def _below(numbers: npt.NDArray[Any], bits: int) -> Whole:
    """Return numbers with fewer bits. Only costs that no path has are changed."""
    below: Whole = np.clip(numbers, -(2**bits) + 1, 2**bits - 1).astype(np.int64)
    return below


def _power_of_two(number: int) -> int:
    """Return the largest power of two that is not larger; 0 for 0."""
    return (1 << number.bit_length()) // 2


def _summed(terms: Sequence[tuple[CostColumn, Fraction]], unit: Fraction) -> Whole:
    numbers = np.zeros(len(terms[0][0].values), dtype=np.int64)
    for column, weight in terms:
        numbers += column.counted(unit / abs(weight)) * (1 if weight > 0 else -1)
    return numbers


def _common_unit(terms: Sequence[tuple[CostColumn, Fraction]]) -> Fraction | None:
    """Return the largest number of which all terms are whole multiples."""
    found = Fraction(0)
    for column, weight in terms:
        if column.unit is None:
            return None
        one = column.unit * abs(weight)
        shared = found.denominator * one.denominator
        found = Fraction(math.gcd(found.numerator * one.denominator, one.numerator * found.denominator), shared)
    return found


def _decimal_unit(values: Floats) -> Fraction | None:
    """Return the largest power of ten, at most 1, of which all values are multiples; `None` if they are too long."""
    places = 0
    for part in (values[:_SAMPLE], values):
        while not _has_places(part, places):
            places += 1
            if places > _MOST_PLACES:
                return None
    return Fraction(1, 10**places)


def _has_places(values: Floats, places: int) -> bool:
    whole = np.rint(values * 10.0**places)
    if np.abs(whole).max(initial=0) >= _LARGEST_DOUBLE:
        return False
    return bool(np.array_equal(whole / 10.0**places, values))


def _binary_unit(values: Floats) -> Fraction | None:
    """Return the largest power of two, at most 1, of which all values are multiples; `None` if they are too long."""
    parts, exponents = np.frexp(values[values != 0])
    whole = np.ldexp(parts, 53).astype(np.int64)
    bits = int((53 - exponents - (np.frexp((whole & -whole).astype(np.float64))[1] - 1)).max(initial=0))
    if bits > _MOST_BITS or np.abs(values).max(initial=0) * 2.0**bits >= _LARGEST_DOUBLE:
        return None
    return Fraction(1, 2**bits)


def as_written(number: float) -> Fraction:
    """Return a number as it is written: 0.1 is a tenth."""
    return Fraction(Decimal(repr(number)))
