"""Exact arithmetic of recognition rates: 0.1 is one tenth, not the double beside it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import lcm

from latticemetric.automata.recognition import Gains
from latticemetric.errors import UsageError, shortened
from latticemetric.metrics.base import plain_number

Penalty = int | float | str | Fraction

_FINEST_UNIT = 10**17
_LARGEST_PENALTY = 10**18
_MOST_DIGITS = 20


def exact_gains(order: int, alpha: Fraction, beta: Fraction) -> Gains:
    """The gains of a recognition rate as integers over a common denominator."""
    unit = lcm(alpha.denominator, beta.denominator)
    if unit > _FINEST_UNIT or max(abs(alpha), abs(beta)) * unit > _LARGEST_PENALTY:
        raise UsageError(
            f"alpha {plain_number(alpha)} and beta {plain_number(beta)} are too fine or too large for exact scores",
            advice="give at most 16 significant digits",
        )
    return Gains(order, unit, int(alpha * unit), int(beta * unit))


def exact_penalty(value: Penalty, name: str) -> Fraction:
    """The number as it is written: 0.1 means one tenth, not the double beside it."""
    try:
        if isinstance(value, str) and "/" not in value and abs(Decimal(value).adjusted()) > _MOST_DIGITS:
            raise UsageError(f"{name} is {shortened(value)}, too fine or too large for exact scores")
        return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError, InvalidOperation):
        raise UsageError(f"{name} is {shortened(repr(value))}, not a finite number") from None


Merit = tuple[bool, Fraction]
"""A rate to be compared: larger is better, and a defined one beats none (which ranks by its numerator)."""


def merit(gain: int, denominator: int, gains: Gains) -> Merit:
    """The merit of a gain in units of `1 / gains.unit`."""
    return (denominator > 0, Fraction(gain, gains.unit * (denominator or 1)))
