"""Immutable results: read-only dictionaries, and base classes with read-only arrays, equality and pickling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from importlib import import_module
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import numpy as np

from latticemetric.errors import UsageError

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenDict(dict[Key, Value]):
    """A read-only dictionary.

    It equals a dictionary with the same items, has a hash if its values have one, and is written by `json.dumps`. Its
    method `copy` returns a dictionary that can be changed.

    Examples:
        >>> scores = FrozenDict({"lm": 1.0})
        >>> scores, scores == {"lm": 1.0}, scores | {"am": 2.0}
        ({'lm': 1.0}, True, {'lm': 1.0, 'am': 2.0})
        >>> scores["lm"] = 2.0
        Traceback (most recent call last):
        TypeError: these values are read-only; change a copy: dict(…)
    """

    __slots__ = ()

    def _refuse(self, *_given: Any, **_named: Any) -> NoReturn:
        raise TypeError("these values are read-only; change a copy: dict(…)")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __copy__(self) -> FrozenDict[Key, Value]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return read_only, (dict(self),)


class Record:
    """Base class of dataclasses whose fields are plain values."""

    def asdict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of plain values, for JSON."""
        return plain_fields(self)


class Frozen:
    """Base class of dataclasses declared with `frozen=True, eq=False`.

    Arrays become read-only views; the caller's array stays writable. Dictionaries become read-only copies. Both stay
    read-only after pickling and copying.

    Two objects are equal if they have the same class and equal fields; arrays are equal if their types, shapes and
    values are equal, and NaN equals NaN.
    """

    def __post_init__(self) -> None:
        values = vars(self)
        for name, value in values.items():
            if isinstance(value, dict | MappingProxyType | np.ndarray):
                values[name] = read_only(value)

    def __getstate__(self) -> dict[str, Any]:
        # Cached properties are not pickled.
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

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


class Brief:
    """Base class of dataclasses with a short `repr`: words, plain values, and the lengths of other fields.

    Declare subclasses with `repr=False`.
    """

    def __repr__(self) -> str:
        shown: list[str] = []
        for name in (f.name for f in fields(self) if not f.name.startswith("_")):  # type: ignore[arg-type]
            value = getattr(self, name)
            if name == "words" and isinstance(value, tuple):
                shown.insert(0, repr(_shortened(" ".join(value))))
            elif isinstance(value, bool | int | float) or (isinstance(value, str) and name != "derivation"):
                shown.append(f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value!r}")
            elif isinstance(value, tuple | Mapping) and len(value) > 1 and name not in _SILENT:
                shown.append(f"{len(value)} {name}")
        return f"{type(self).__name__}({', '.join(shown)})"


class Result(Brief):
    """Base class of results that notebooks show as a table."""

    def _repr_html_(self) -> str:
        return str(notebook().result_html(self))


# Fields whose length `repr` does not show; most of them have one entry per word.
_SILENT = {
    *("arcs", "edges", "confidences", "times", "scores", "reference", "bins", "bin_times", "one_best"),
    *("distribution", "word_mbr"),
}
_LONGEST_TEXT = 60


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def notebook() -> Any:
    """Import and return the module `drawing.notebook`.

    The import is by name, so that the modules of graphs and results do not depend on drawing.
    """
    return import_module(f"{__package__}.drawing.notebook")


def read_only(value: Any) -> Any:
    """Return a read-only view of an array, a read-only copy of a dictionary, and any other value unchanged."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    elif isinstance(value, dict | MappingProxyType) and type(value) is not FrozenDict:
        return FrozenDict({key: read_only(held) for key, held in value.items()})
    return value


def plain_fields(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as `asdict` does, with dictionaries that can be changed."""
    return {name: dict(v) if isinstance(v, FrozenDict) else v for name, v in asdict(record).items()}


def freeze(record: Any, name: str) -> None:
    """Replace the mapping of plain values in a field of a frozen dataclass by a read-only copy."""
    given = getattr(record, name)
    if type(given) is FrozenDict:
        return
    if not isinstance(given, Mapping):
        raise UsageError(f"{name} is a {type(given).__name__}", advice="give values by name, like {'lm': 0.5}")
    object.__setattr__(record, name, FrozenDict(given))


def are_equal(one: Any, other: Any) -> bool:
    """Check whether two field values are equal; NaN equals NaN."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        same_type = type(one) is type(other) and one.dtype == other.dtype
        return same_type and bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(are_equal(value, other[key]) for key, value in one.items())
    if isinstance(one, tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(are_equal, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


def _outline(value: Any) -> Any:
    """Return a key for hashing a field value. The key is quick to compute; equal values have equal keys."""
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, Mapping | tuple):
        return len(value)
    if isinstance(value, int | str):
        return value
    return None
