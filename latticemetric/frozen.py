"""Frozen dataclasses that hold arrays: read-only, equal by their values, pickled by every protocol.

And properties that are computed once, without a lock.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np


class Frozen:
    """Base of dataclasses declared with `frozen=True, eq=False`.

    Arrays become read-only views: the array that was handed over stays as it is. Dictionaries become read-only views
    of copies. Both stay so in pickles and in copies.

    Two objects are equal where they are of one class and all of their fields are equal: arrays by type, shape and
    numbers, and NaN equals NaN.
    """

    def __post_init__(self) -> None:
        values = vars(self)
        for name, value in values.items():
            if isinstance(value, np.ndarray | dict):
                values[name] = read_only(value)

    def __getstate__(self) -> dict[str, Any]:
        # Cached properties are not pickled.
        state = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {n: dict(v) if isinstance(v, MappingProxyType) else v for n, v in state.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: read_only(value) for name, value in state.items()})

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(are_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.compare)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((type(self), *(_outline(getattr(self, f.name)) for f in fields(self) if f.compare)))  # type: ignore[arg-type]


def notebook() -> Any:
    """Import by name the module that shows graphs and results in notebooks: they do not depend on drawing."""
    return import_module(f"{__package__}.drawing.notebook")


def read_only(value: Any) -> Any:
    """Return an array as a read-only view, a dictionary as one of a copy; anything else as it is."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    elif isinstance(value, dict):
        return MappingProxyType({key: read_only(held) for key, held in value.items()})
    return value


def are_equal(one: Any, other: Any) -> bool:
    """Compare two values of a field; NaN equals NaN."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return type(one) is type(other) and one.dtype == other.dtype and _equal_arrays(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(are_equal(value, other[key]) for key, value in one.items())
    if isinstance(one, tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(are_equal, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


def _equal_arrays(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def _outline(value: Any) -> Any:
    """Return a cheap key that equal values share."""
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, Mapping | tuple):
        return len(value)
    if isinstance(value, int | str):
        return value
    return None


if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property  # noqa: PLC0414  modules import it from here
else:

    class cached_property(functools.cached_property):  # noqa: N801  as the one that it stands for
        """`functools.cached_property` as Python has it from 3.12 on: without a lock.

        Before, all objects of a class share one lock: threads wait for each other though they ask different objects,
        and a process that is forked while a thread computes the property never gets it. Two threads that ask one
        object at the same time may both compute it.
        """

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            """Return the value, or the property itself for the class."""
            if instance is None:
                return self
            values = vars(instance)
            if self.attrname not in values:
                values[self.attrname] = self.func(instance)
            return values[self.attrname]
