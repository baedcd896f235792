"""Check arguments of callers: texts and numbers."""

from __future__ import annotations

import math
from numbers import Integral, Real

from latticemetric.errors import UsageError


def whole_number(given: object, message: str, advice: str, *, least: int = 1, most: int | None = None) -> int:
    """Return an integer from `least` to `most` as an `int`; raise an error for anything else, such as True or 2.0.

    NumPy's integers are taken, too: numbers from arrays and data frames are of its types.
    """
    is_whole = isinstance(given, Integral) and not isinstance(given, bool)
    number = int(given) if is_whole else least - 1  # type: ignore[call-overload]
    if number < least or (most is not None and number > most):
        raise UsageError(message, advice=advice)
    return number


def real_number(given: object, message: str, advice: str, *, least: float = 0, most: float = math.inf) -> float:
    """Return a finite number from `least` to `most` as an `int` or `float`; raise an error for anything else.

    NumPy's numbers are taken, too, as the decimals that they show.
    """
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    number = (int if isinstance(given, Integral) else float)(str(given)) if is_number else math.nan
    if not (math.isfinite(number) and least <= number <= most):
        raise UsageError(message, advice=advice)
    return number


def require_list(given: object, name: str) -> None:
    """Raise an error if an argument has no length, like a generator; `name` is its name."""
    if not hasattr(given, "__len__"):
        raise UsageError(f"{name} is a {type(given).__name__}", advice=f"give a list: list({name})")


def require_text(given: object, what: str = "a text") -> None:
    """Raise an error unless a text is a string, or can be a list of words; `what` names it in the message."""
    if not hasattr(given, "__iter__"):
        shown = "missing" if given is None else repr(given)
        raise UsageError(f"{what} is {shown}", advice="give a string or a list of words; an empty string has no words")
