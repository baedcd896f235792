"""Check arguments of public functions: numbers, lists and texts."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from numbers import Complex, Integral, Number, Real
from typing import TYPE_CHECKING, Any

from latticemetric.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Upper limits: more draws do not change the digits that are shown, and nobody reads more strings per graph.
MOST_DRAWS, MOST_STRINGS = 10**6, 10**6
MOST_HALVINGS = 100  # of steps, which are zero long before

_USUAL_TEXTS = {str, list, tuple}
# The items of bytes are numbers; those of dictionaries and sets are keys, or have no order.
_NO_LIST_OF_WORDS = (bytes, bytearray, dict, set, frozenset)


def whole_number(given: object, message: str, advice: str, *, least: int = 1, most: int | None = None) -> int:
    """Check that an argument is an integer from `least` to `most`, and return it as an `int`.

    NumPy integers are accepted, since arrays and data frames contain them. Booleans and floats such as 2.0 are not.

    Raises:
        UsageError: The argument is not an integer, or out of range. The error has this `message` and `advice`.
    """
    is_whole = isinstance(given, Integral) and not isinstance(given, bool)
    number = int(given) if is_whole else least - 1  # type: ignore[call-overload]
    if number < least or (most is not None and number > most):
        raise UsageError(message, advice=advice)
    return number


def real_number(given: object, message: str, advice: str, *, least: float = 0, most: float = math.inf) -> float:
    """Check that an argument is a finite number from `least` to `most`, and return it as an `int` or `float`.

    NumPy numbers are accepted, also as arrays and tensors without dimensions: `float32(0.1)` becomes 0.1, the decimal
    that it shows. Fractions and decimals are, too. Booleans are not.

    Raises:
        UsageError: The argument is not a number, or out of range. The error has this `message` and `advice`.
    """
    single = single_number(given)
    is_real = isinstance(single, Real) or (isinstance(single, Number) and not isinstance(single, Complex))  # a Decimal
    if isinstance(single, bool) or not (is_real and is_finite(single)):
        raise UsageError(message, advice=advice)
    plain: Any = str(single) if hasattr(single, "dtype") else single
    number = int(plain) if isinstance(single, Integral) else float(plain)
    if not least <= number <= most:
        raise UsageError(message, advice=advice)
    return number


def refuse_unused(function: Callable[..., Any], where: str, **given: Any) -> None:
    """Refuse arguments of a function that other arguments leave without effect, unless they have their defaults.

    Args:
        function: The function, whose signature has the defaults.
        where: The condition under which the arguments have no effect, such as `without resamples`.
        given: The values of the arguments, by name.
    """
    import inspect  # takes 5 ms

    parameters = inspect.signature(function).parameters
    for name, value in given.items():
        default = parameters[name].default
        if value is not default and not (type(value) is type(default) and value == default):
            raise UsageError(f"{name} has no effect {where}", advice="leave it out")


def is_finite(given: Any) -> bool:
    """Check whether an argument is a finite number; strings and Booleans are none."""
    try:
        return math.isfinite(given) and not is_boolean(given)
    except (TypeError, OverflowError):
        return False


def is_boolean(given: Any) -> bool:
    """Check whether an argument is True or False, of Python or NumPy."""
    return isinstance(given, bool) or getattr(getattr(given, "dtype", None), "kind", None) == "b"


def is_beyond_floats(given: Any) -> bool:
    """Check whether an argument is infinity, or a number above all finite floats."""
    is_number: bool = isinstance(given, Real) and not is_boolean(given)
    return is_number and not is_finite(given) and bool(given > 0)


def finite_number(given: object, what: str) -> float:
    """Return a number of any type as a float; raise an error if it is not finite. `what` is its name in the error."""
    number = single_number(given)
    if not is_finite(number):
        shown = repr(given) if isinstance(given, str) else given
        raise UsageError(f"{what} is {shown}, not a finite number", advice="give a number like 0.1")
    return float(number)


def checked_posterior_scale(given: object) -> float:
    """Return the factor of costs in posteriors as a float; raise `UsageError` if it is not a finite number ≥ 0."""
    shown = repr(given) if isinstance(given, str) else given
    return float(real_number(given, f"the posterior scale is {shown}", "give a number ≥ 0"))


def single_number(given: Any) -> Any:
    """Return the number in an array or tensor without dimensions; return anything else unchanged."""
    if getattr(given, "shape", None) != () or not hasattr(given, "dtype"):
        return given
    import numpy as np

    return np.asarray(plain_array(given))[()]


def plain_array(given: Any) -> Any:
    """Return a tensor of PyTorch or an array of `numpy.ma` as a plain array; return anything else unchanged.

    A tensor may be on any device, have any type, and need gradients. Masked values become NaN.
    """
    if hasattr(given, "resolve_neg"):
        tensor = given.detach().cpu().resolve_neg()
        try:
            return tensor.numpy()
        except TypeError:  # NumPy has no bfloat16
            return tensor.double().numpy()
    # `numpy.ma` is not imported here, since this takes 10 ms. Another thread may be importing it now: then the module
    # is there without its class.
    masked = sys.modules.get("numpy.ma")
    kind = getattr(masked, "MaskedArray", None)
    if masked is None or kind is None or not isinstance(given, kind):
        return given
    return given.astype(float).filled(math.nan) if masked.is_masked(given) else given.data


def floats(given: Any, name: str, advice: str = "give an array of numbers") -> npt.NDArray[np.float64]:
    """Return an argument as an array of 64-bit floats; see `float_array`.

    Raises:
        UsageError: It holds something else than numbers, or its rows differ in length. `name` is the argument's name.
    """
    try:
        return float_array(given)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name} are not an array of numbers", advice=advice) from None


def numbers_to_try(given: Any, name: str) -> list[float]:
    """Return one number, or an iterable of several, as a list of floats; raise `UsageError` for anything else."""
    several = list(given) if isinstance(given, Iterable) and not hasattr(given, "dtype") else given
    array = floats(several, f"the values of {name}", "give a number, or a list of numbers")
    return [float(value) for value in array.ravel()]


def float_array(given: Any) -> npt.NDArray[np.float64]:
    """Return an argument, such as a tensor, as an array of 64-bit floats; masked values of `numpy.ma` become NaN.

    Texts are refused, even if they spell numbers, as everywhere in Python. Complex numbers and dates are, too.

    Raises:
        TypeError: It holds something else than numbers.
        ValueError: Its rows differ in length.
        OverflowError: It has an integer that no float can hold.
    """
    import numpy as np

    plain = plain_array(given)
    try:
        array = np.asarray(plain)
    except RuntimeError:  # of PyTorch, about a list of tensors that need gradients
        raise TypeError("these are no plain numbers") from None
    kind = array.dtype.kind
    if kind not in "fiubO" or (kind == "O" and any(isinstance(one, str | bytes) for one in array.flat)):
        raise TypeError("these are no numbers")
    return np.asarray(plain if kind == "O" else array, dtype=np.float64)


def require_list(given: object, name: str) -> None:
    """Raise an error if an argument is not a list of items, or has no length; `name` is the argument's name."""
    require_items(given, name)
    if not hasattr(given, "__len__"):
        raise UsageError(f"{name} is a {type(given).__name__}", advice=f"give a list: list({name})")


def require_items(given: object, name: str) -> None:
    """Raise an error for a mapping, a set or a table, whose items are keys, in no order, or names of columns.

    An array of Arrow is refused, too, since its items are not Python's texts; so is an n-best list, which is one graph.
    """
    if isinstance(given, Mapping):
        advice = f"give a list in the order of the other arguments, like list({name}.values())"
    elif isinstance(given, set | frozenset):
        advice = "give a list, since a set has no order"
    elif isinstance(given, bytes | bytearray):
        advice = "give a list"
    elif is_table(given):
        advice = "give one of its columns"
    elif hasattr(given, "to_pylist"):
        advice = f"give a list: {name}.to_pylist()"
    elif is_nbest(given) or not (hasattr(given, "__iter__") or hasattr(given, "__getitem__")):
        advice = "give a list"
    else:
        return
    raise UsageError(f"{name} is a {type(given).__name__}", advice=advice)


def require_numbers(given: object, name: str) -> None:
    """Raise an error if an argument is not a list of items, or is a string; `name` is the argument's name."""
    if isinstance(given, str):
        raise UsageError(f"{name} is a string", advice="give a list of numbers")
    require_items(given, name)


def path_text(given: Any, name: str = "path") -> str:
    """Return a path as a string; raise `UsageError` if it is something else. `name` is the argument's name."""
    if isinstance(given, str | bytes | os.PathLike):
        return os.fsdecode(given)
    what = "missing" if given is None else f"a {type(given).__name__}"
    several = "; a glob like 'lattices/*.slf' names several" if isinstance(given, list | tuple) else ""
    raise UsageError(f"{name} is {what}", advice=f"give one path{several}")


def is_nbest(given: object) -> bool:
    """Check whether an argument is an n-best list: its items are hypotheses, neither texts nor graphs.

    Look at its type only, since `NBest.of_texts` splits its texts when it is asked for hypotheses.
    """
    fields = getattr(type(given), "__dataclass_fields__", ())
    return "hypotheses" in fields and "weights" in fields


def is_table(given: object) -> bool:
    """Check whether an argument is a table of pandas, polars or Arrow, rather than one of its columns."""
    return hasattr(given, "columns") and hasattr(given, "shape")


def is_missing(given: object) -> bool:
    """Check whether an argument stands for a missing value: `None`, NaN, or pandas' NA and NaT."""
    is_nan = isinstance(given, float) and math.isnan(given)
    return given is None or is_nan or type(given).__name__ in ("NAType", "NaTType")


def require_text(given: object, what: str = "a text") -> None:
    """Raise an error if a text is neither a string nor a list of words; `what` is the name of the text."""
    if type(given) in _USUAL_TEXTS:  # as nearly always
        return
    if isinstance(given, _NO_LIST_OF_WORDS):
        advice = "decode it" if isinstance(given, bytes | bytearray) else "give a string or a list of words"
        raise UsageError(f"{what} is a {type(given).__name__}", advice=advice)
    if not hasattr(given, "__iter__") or is_nbest(given):
        shown = "missing" if is_missing(given) else repr(given)
        raise UsageError(f"{what} is {shown}", advice="give a string or a list of words; an empty string has no words")
