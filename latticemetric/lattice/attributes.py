"""Attributes of NetworkX graphs: mappings from names to values, which are checked when they are read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from latticemetric.errors import InputError, shortened


def named_values(value: object, what: str, where: str) -> list[tuple[str, Any]]:
    """Return the items of an attribute that is a mapping from names to values.

    Raises:
        InputError: It is something else. `what` is the attribute's name, and `where` its place, for the message.
    """
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InputError(
            f"'{what}' is {shown(value)}", where=where, advice="give a mapping from names to values, {} for none"
        )
    return list(value.items())


def named_numbers(value: object, what: str, where: str) -> dict[str, float]:
    """Return the items of an attribute that is a mapping from names to finite numbers; see `named_values`."""
    for name, number in named_values(value, what, where):
        if isinstance(number, bool) or not isinstance(number, Real) or not math.isfinite(number):
            raise InputError(f"'{name}' of '{what}' is {shown(number)}, not a finite number", where=where)
    return {name: float(number) for name, number in named_values(value, what, where)}


def shown(part: object) -> str:
    """Return a part of a graph as it appears in a message."""
    return shortened(repr(part), 40)
