"""Format numbers for the report page."""

from __future__ import annotations

import math

from latticemetric.lattice.statistics import MANY

_LARGE = 100_000


def rate_text(value: float | None) -> str:
    """Write a rate with four decimals; write a dash for an undefined rate."""
    return "–" if value is None else f"{value:.4f}".replace("-", "−")


def span(low: float | None, high: float | None) -> str:
    """Write an interval."""
    return "–" if low is None or high is None else f"{rate_text(low)} … {rate_text(high)}"


def short_number(value: float | None) -> str:
    """Write a count, or a number with three significant digits."""
    if value is None:
        return "–"
    if float(value).is_integer():
        return count(int(value))
    return f"{value:.3g}".replace("-", "−")


def count(value: int) -> str:
    """Write a whole number: large ones in groups of three, very large ones by their power of ten."""
    if abs(value) < _LARGE:
        return str(value).replace("-", "−")
    if abs(value) < 10**7:
        return f"{value:,}".replace(",", "\u202f").replace("-", "−")
    # Counts of paths may be larger than any float.
    power = math.floor(math.log10(abs(value)))
    return f"{value // 10 ** (power - 1) / 10:g} · 10{str(power).translate(_RAISED)}"


def paths(number: int | None) -> str:
    """Write a number of paths; `None` stands for a number too large to count."""
    return count(number) if number is not None else f"over {count(MANY)}"


def amount(value: int, thing: str) -> str:
    """Write a count with its noun: `1 lattice`, `2 lattices`."""
    return f"{count(value)} {thing}" if value == 1 else f"{count(value)} {thing}s"


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
