"""Student's t distribution, as far as tests with whole degrees of freedom need it."""

from __future__ import annotations

import math

from latticemetric.errors import UsageError


def two_sided_p(t: float, degrees: int) -> float:
    """The probability of a value at least as far from 0 (Abramowitz & Stegun 1964, 26.7.3 and 26.7.4: finite sums).

    Args:
        t: The value.
        degrees: Degrees of freedom.

    Examples:
        >>> round(two_sided_p(12.706, 1), 3), round(two_sided_p(2.228, 10), 3)
        (0.05, 0.05)
    """
    if degrees < 1:
        raise UsageError(f"{degrees} degrees of freedom", advice="a t test needs one at least")
    angle = math.atan(abs(t) / math.sqrt(degrees))
    squared = math.cos(angle) ** 2
    odd = degrees % 2
    # Each term is the one before times cos²θ and a ratio of neighbouring numbers.
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for k in range(3 if odd else 2, degrees + 1, 2):
        total += term
        term *= squared * (k - 1) / k
    inside = 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
    return min(1.0, max(0.0, 1 - inside))
