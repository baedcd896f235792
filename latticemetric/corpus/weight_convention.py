"""Weights as toolkits write them. Nothing here imports NumPy.

Kaldi's `score.sh` divides acoustic costs by LMWT and adds WIP for each word:
`lattice-scale --inv-acoustic-scale=LMWT`, then `lattice-add-penalty --word-ins-penalty=WIP`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from latticemetric.errors import UsageError

_MOST_DIGITS, _MOST_PLACES = 17, 40
_DIGITS_OF_ENDS = 12
_MOST_OF_RANGE = Decimal("0.95")


@dataclass(frozen=True)
class WrittenWeight:
    """The weight of a score column as a toolkit writes it.

    Attributes:
        name: The name of the weight.
        column: The name of the column.
        is_inverse: True if the weight is written as its inverse, 1 / weight.
    """

    name: str
    column: str
    is_inverse: bool = False

    def number(self, weight: float) -> float:
        """Return the written number of a weight, the shortest one that means it.

        Examples:
            >>> KALDI["LMWT"].number(1 / 12), KALDI["WIP"].number(-0.5)
            (12.0, -0.5)
        """
        if not self.is_inverse:
            return weight
        if not weight:
            return math.inf
        exact = 1 / Fraction(weight)
        shorter = (round(exact, places) for places in range(_MOST_PLACES))
        return float(next((short for short in shorter if short and float(1 / short) == weight), exact))

    def ends(self, low: float, high: float) -> tuple[float, float]:
        """Return the lower and the upper end of a range of weights, as written."""
        if not self.is_inverse:
            return low, high
        first, last = (float(f"{1 / weight:.{_DIGITS_OF_ENDS}g}") for weight in (high, low))
        return first, last

    def shown_range(self, low: float, high: float) -> str:
        """Return a range of weights as text, rounded to numbers inside of the range.

        Examples:
            >>> KALDI["LMWT"].shown_range(0.0512345, 0.0698765), KALDI["WIP"].shown_range(-1.0, -0.89512)
            ('LMWT 14.4 … 19.5', 'WIP -1 … -0.9')
        """
        first, last = (Decimal(f"{end:.{_DIGITS_OF_ENDS}g}") for end in self.ends(low, high))
        for digits in range(_MOST_DIGITS):
            step = Decimal(1).scaleb(-digits)
            inner = first.quantize(step, ROUND_CEILING), last.quantize(step, ROUND_FLOOR)
            if inner[1] - inner[0] >= (last - first) * _MOST_OF_RANGE:
                break
        return f"{self.name} {short_text(float(inner[0]))} … {short_text(float(inner[1]))}"

    def range_of(self, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        """Return the range of weights of a written range."""
        if not self.is_inverse:
            return low, high
        if low <= 0:
            what = f"the range of {self.name} begins at {float(low):g}"
            raise UsageError(what, advice="give a number above 0")
        return 1 / high, 1 / low


def short_text(number: float) -> str:
    """Return the shortest text of a number that is read as the same number.

    Examples:
        >>> short_text(12.0), short_text(0.3)
        ('12', '0.3')
    """
    return repr(number + 0.0).removesuffix(".0")


KALDI = {"LMWT": WrittenWeight("LMWT", "acoustic", is_inverse=True), "WIP": WrittenWeight("WIP", "words")}
"""The weights of Kaldi's scripts by name."""

Convention = str

_CONVENTIONS: Mapping[str, Mapping[str, WrittenWeight]] = {"columns": {}, "kaldi": KALDI}
CONVENTIONS = tuple(_CONVENTIONS)
"""The conventions for writing weights: by columns, or as Kaldi's scripts do."""


def written_weight(column: str, convention: Convention) -> WrittenWeight:
    """Return how the weight of a column is written.

    Examples:
        >>> written_weight("acoustic", "kaldi").name, written_weight("acoustic", "columns").name
        ('LMWT', 'acoustic')
    """
    known = (one for one in _CONVENTIONS[convention].values() if one.column == column)
    return next(known, WrittenWeight(column, column))


def column_ranges(
    ranges: Mapping[str, tuple[Fraction, Fraction]], convention: Convention
) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the ranges of the weights of columns from ranges as they are written.

    Examples:
        >>> column_ranges({"LMWT": (Fraction(5), Fraction(20)), "WIP": (Fraction(0), Fraction(1))}, "kaldi")
        {'acoustic': (Fraction(1, 20), Fraction(1, 5)), 'words': (Fraction(0, 1), Fraction(1, 1))}
    """
    written = _CONVENTIONS[convention]
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for name, ends in ranges.items():
        if (known := written_weight(name, convention)).name != name:
            raise UsageError(f"Kaldi's scripts have no weight '{name}'", advice=f"vary {known.name}")
        if name in KALDI and convention == "columns":
            raise UsageError(f"{name} is a weight of Kaldi's scripts", advice='give convention="kaldi"')
        one = written.get(name, WrittenWeight(name, name))
        found[one.column] = one.range_of(*ends)
    return found
