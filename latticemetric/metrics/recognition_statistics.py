"""Statistics of recognition rates: matches of each length, substitutions, deletions and insertions.

Arithmetic is exact: 0.1 is one tenth, not the nearest double.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import lcm
from operator import add
from typing import Any, NamedTuple, Self

import numpy as np

from latticemetric import _native
from latticemetric.arguments import is_boolean, single_number
from latticemetric.automata.recognition import Gains
from latticemetric.errors import UsageError, shortened


@dataclass(frozen=True)
class RecognitionStatistics:
    """Counts of an optimal alignment.

    Attributes:
        matches: Numbers of matching k-grams, M_1 … M_n.
        substitutions: Number of reference words aligned with another word.
        deletions: Number of reference words aligned with no word.
        insertions: Number of hypothesis words aligned with no word.
        reference_ngrams: Numbers of k-grams of the reference, |g_1(r)| … |g_n(r)|.
    """

    matches: tuple[int, ...]
    substitutions: int
    deletions: int
    insertions: int
    reference_ngrams: tuple[int, ...]

    @classmethod
    def zero(cls, order: int) -> Self:
        """Return zero counts."""
        return cls((0,) * order, 0, 0, 0, (0,) * order)

    @classmethod
    def of_edits(cls, edits: str, order: int) -> Self:
        """Return the statistics of an alignment, given as one letter per edit: C (match), S, D or I."""
        return cls(*_native.count_edits(edits, order))

    @classmethod
    def of_columns(cls, counts: Sequence[int]) -> Self:
        """Build statistics from counts in the order of the metric's `columns`."""
        order = (len(counts) - 3) // 2
        substitutions, deletions, insertions = counts[order : order + 3]
        return cls(tuple(counts[:order]), substitutions, deletions, insertions, tuple(counts[order + 3 :]))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            tuple(map(add, self.matches, other.matches)),
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
            tuple(map(add, self.reference_ngrams, other.reference_ngrams)),
        )

    @property
    def errors(self) -> int:
        """The sum of substitutions, deletions and insertions."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def reference_words(self) -> int:
        """The number of reference words, |r|."""
        return self.matches[0] + self.substitutions + self.deletions

    @property
    def hypothesis_words(self) -> int:
        """The number of hypothesis words, |c|."""
        return self.matches[0] + self.substitutions + self.insertions

    def as_columns(self) -> list[int]:
        """Return the counts in the order of the metric's `columns`."""
        return [*self.matches, self.substitutions, self.deletions, self.insertions, *self.reference_ngrams]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "matches": self.matches[0],
            "ngram_matches": list(self.matches),
            "substitutions": self.substitutions,
            "deletions": self.deletions,
            "insertions": self.insertions,
            "reference_words": self.reference_words,
            "hypothesis_words": self.hypothesis_words,
        }


# ---- Exact arithmetic ----

Penalty = int | float | str | Fraction

FINEST_UNIT = 10**17
_LARGEST_PENALTY = 10**18
_MOST_DIGITS = 20


def exact_gains(order: int, alpha: Fraction, beta: Fraction) -> Gains:
    """Return the parameters of a recognition rate; α and β become integers over a common denominator."""
    unit = lcm(alpha.denominator, beta.denominator)
    if unit > FINEST_UNIT or max(abs(alpha), abs(beta)) * unit > _LARGEST_PENALTY:
        raise UsageError(
            f"alpha {exact_text(alpha)} and beta {exact_text(beta)} have too many digits for exact scores",
            advice="give at most 16 significant digits",
        )
    return Gains(order, unit, int(alpha * unit), int(beta * unit))


def exact_penalty(value: Penalty, name: str) -> Fraction:
    """Return a penalty as an exact fraction: 0.1 means one tenth, not the nearest float."""
    value = single_number(value)
    no_number = UsageError(
        f"{name} is {shortened(repr(value))}, not a finite number", advice="give a number like 0.5 or 1/3"
    )
    if is_boolean(value):
        raise no_number
    try:
        digits = abs(Decimal(value).adjusted()) if isinstance(value, str) and "/" not in value else 0
        if digits <= _MOST_DIGITS:
            return Fraction(str(value)) if isinstance(value, float | np.floating) else Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError, InvalidOperation):
        raise no_number from None
    raise UsageError(
        f"{name} is {shortened(str(value))}, which has too many digits for exact scores",
        advice="give at most 16 significant digits",
    )


class RateMap(NamedTuple):
    """The affine map from gains to rates, rate = offset + scale · gain / size, with its integers.

    Attributes:
        offset: The rate without gain.
        scale: The factor of gain / size, not 0.
        unit: Numerators of rates are whole multiples of 1 / unit.
        size_units: `offset` times `unit`.
        gain_units: What one unit of gain (see `Gains`) adds to a numerator, times `unit`.
    """

    offset: Fraction
    scale: Fraction
    unit: int
    size_units: int
    gain_units: int

    @classmethod
    def of(cls, offset: Fraction, scale: Fraction, unit: int) -> Self:
        """Return the map for gains in multiples of 1 / `unit`."""
        if not scale:
            raise UsageError("the scale of a rate is 0", advice="give 1, or -1 if lower rates are better")
        each = scale / unit
        common = lcm(offset.denominator, each.denominator)
        return cls(offset, scale, common, int(offset * common), int(each * common))

    def units(self, gain: int, size: int) -> int:
        """Return the numerator of a rate, times `unit`; `gain` is in units of `Gains`."""
        return self.size_units * size + self.gain_units * gain

    def numerator(self, gain: int, size: int) -> int | float:
        """Return the numerator of a rate: an integer if it is whole."""
        units = self.units(gain, size)
        return units / self.unit if units % self.unit else units // self.unit

    def rate(self, ratio: Fraction | float) -> Fraction | float:
        """Return the rate of gain / size."""
        return self.offset + self.scale * ratio

    def merit(self) -> tuple[Fraction, Fraction]:
        """Return offset and scale of the rate if higher is better, otherwise of 1 − rate: larger is better."""
        return (self.offset, self.scale) if self.scale > 0 else (1 - self.offset, -self.scale)


def exact_text(value: Fraction) -> str:
    """Return a fraction as a decimal number, or as a quotient if it has endless decimals.

    Examples:
        >>> [exact_text(Fraction(text)) for text in ("0.10", "2/3", "-1e3")]
        ['0.1', '2/3', '-1000']
    """
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        digits = max(digits, power)
    if rest > 1:
        return str(value)
    number = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{number[:-digits]}.{number[-digits:]}" if digits else f"{sign}{number}"


Merit = tuple[bool, Fraction]
"""A rate as a sort key: larger is better. Undefined rates rank below defined rates, ordered by their numerators."""


def merit(gain: int, denominator: int, gains: Gains) -> Merit:
    """Return `gain / denominator` as a sort key. `gain` is in units of `1 / gains.unit`."""
    return (denominator > 0, Fraction(gain, gains.unit * (denominator or 1)))
