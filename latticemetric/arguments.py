"""Check arguments of public functions: numbers, lists and texts."""

from __future__ import annotations

import math
from numbers import Integral, Real

from latticemetric.errors import UsageError


def whole_number(given: object, message: str, advice: str, *, least: int = 1, most: int | None = None) -> int:
    """Check that an argument is an integer from `least` to `most`, and return it as an `int`.

    NumPy integers are accepted, since arrays and data frames contain them. Booleans and floats such as 2.0 are not.

    Raises:
        UsageError: It is not such an integer. The error has this `message` and `advice`.
    """
    is_whole = isinstance(given, Integral) and not isinstance(given, bool)
    number = int(given) if is_whole else least - 1  # type: ignore[call-overload]
    if number < least or (most is not None and number > most):
        raise UsageError(message, advice=advice)
    return number


def real_number(given: object, message: str, advice: str, *, least: float = 0, most: float = math.inf) -> float:
    """Check that an argument is a finite number from `least` to `most`, and return it as an `int` or `float`.

    NumPy numbers are accepted: `float32(0.1)` becomes 0.1, the decimal that it shows. Booleans are not.

    Raises:
        UsageError: It is not such a number. The error has this `message` and `advice`.
    """
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    number = (int if isinstance(given, Integral) else float)(str(given)) if is_number else math.nan
    if not (math.isfinite(number) and least <= number <= most):
        raise UsageError(message, advice=advice)
    return number


def require_list(given: object, name: str) -> None:
    """Raise an error if an argument has no length (such as a generator); `name` is the argument's name."""
    if not hasattr(given, "__len__"):
        raise UsageError(f"{name} is a {type(given).__name__}", advice=f"give a list: list({name})")


def require_text(given: object, what: str = "a text") -> None:
    """Raise an error if a text is neither a string nor iterable; `what` is the name of the text in the message."""
    if not hasattr(given, "__iter__"):
        shown = "missing" if given is None else repr(given)
        raise UsageError(f"{what} is {shown}", advice="give a string or a list of words; an empty string has no words")
