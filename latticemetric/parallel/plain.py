"""Plain data: write results and graphs as JSON, and read them back without running any code of the file.

Numbers, texts, booleans, `None` and dicts with text keys are written as in JSON. Other values become a list that begins
with the type: `["tuple", 1, 2]`, or `["Alignment", …]` with the fields in order. Only graphs and registered classes can
be written and read. Reading checks fields against the annotations of their class, and checks graphs in the same way as
graphs from other files, so that a damaged or malicious file raises an error.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import types
import typing
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import numpy.typing as npt

from latticemetric import errors
from latticemetric.errors import LatticeMetricError, shortened
from latticemetric.forest.forest import Forest
from latticemetric.formats.streams.output import temporary_files
from latticemetric.frozen import FrozenDict
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.texts import Texts
from latticemetric.nbest import NBest
from latticemetric.vocabulary import Vocabulary

# From name in the data to (module, class), and the reverse. Classes are imported when they are first read.
_CLASSES: dict[str, tuple[str, str]] = {}
_NAMES: dict[tuple[str, str], str] = {}


def register(module: str, *classes: str) -> None:
    """Allow plain data to hold classes of a module: dataclasses or named tuples that only store their fields."""
    for kind in classes:
        _CLASSES[kind] = module, kind
        _NAMES[module, kind] = kind


register("latticemetric.lattice.columns", "Column", "Labels")
register("latticemetric.lattice.lattice", "Lattice")
register("latticemetric.forest.columns", "NodeLabels", "Ragged")
register("latticemetric.forest.forest", "Forest")
register("latticemetric.nbest", "Hypothesis", "NBest")

_ERRORS = ("LatticeMetricError", "InputError", "FormatError", "UsageError", "MissingDependencyError")
_SCALARS = frozenset({str, int, float, bool, type(None)})
_NUMBERS = frozenset({"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"})
# A symbol table with fewer words is written each time: this is faster than to look for it among recent tables.
_FEWEST_WORDS = 100
_RECENT_TABLES = 4
_MOST_IN_MEMORY = 2**24

_Tree = Any
_Check = Callable[[Any], bool]


class NotPlainError(ValueError):
    """The data were not written by `dumps`, or the value cannot be written."""


class PlainData:
    """Writes and reads values. Read them in the order of writing, since a shared symbol table is written only once.

    Args:
        known: Values that the reader has, too, such as the settings of a run: they are written as their position here.

    Examples:
        >>> plain = PlainData()
        >>> plain.dumps(("a", [1, 2.5]))
        b'["tuple","a",["list",1,2.5]]'
        >>> plain.loads(plain.dumps(("a", {1: None})))
        ('a', {1: None})
    """

    def __init__(self, known: Sequence[Any] = ()) -> None:
        self._known = tuple(known)
        self._recent: deque[Vocabulary] = deque(maxlen=_RECENT_TABLES)
        self._tables: list[Vocabulary] = []
        self._numbers: dict[int, int] = {}
        self._writers: dict[type, Callable[[Any], _Tree]] = {
            tuple: partial(self._list, "tuple"),
            list: partial(self._list, "list"),
            dict: self._dict,
            FrozenDict: self._dict,
            np.ndarray: _array,
            Fraction: lambda value: ["Fraction", value.numerator, value.denominator],
        }
        self._readers: dict[str, Callable[..., Any]] = {
            "tuple": lambda *parts: parts if _SCALARS.issuperset(map(type, parts)) else tuple(map(self._value, parts)),
            "list": lambda *parts: list(map(self._value, parts)),
            "dict": lambda *parts: dict(zip(map(self._value, parts[::2]), map(self._value, parts[1::2]), strict=True)),
            "int": lambda text: int(_text(text), 16),
            "array": _read_array,
            "number": lambda kind, data: _read_array(kind, data)[0],
            "Fraction": lambda numerator, denominator: Fraction(self._value(numerator), self._value(denominator)),
            "Vocabulary": _read_vocabulary,
            "Texts": _read_texts,
            "table": self._read_table,
            "error": _read_error,
            "known": self._read_known,
        }
        self._writers |= dict.fromkeys(map(type, self._known), self._position)

    def dumps(self, value: Any) -> bytes:
        """Return a value as JSON without line breaks, in ASCII.

        Raises:
            NotPlainError: The value is, or contains, an object of a class that is not registered.
        """
        tree = self._tree(value)
        write = partial(json.dumps, separators=(",", ":"), check_circular=False)
        try:
            text = write(tree)
        except ValueError:  # Python refuses to write very long integers in base 10
            text = write(_without_long_integers(tree))
        return text.encode("ascii")

    def loads(self, data: bytes) -> Any:
        """Return the value that `dumps` wrote.

        Raises:
            NotPlainError: The data do not come from `dumps`.
        """
        try:
            return self._value(json.loads(data))
        except NotPlainError:
            raise
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise NotPlainError(shortened(f"{type(error).__name__}: {error}")) from None

    def _tree(self, value: Any) -> _Tree:
        kind = type(value)
        if kind in _SCALARS:
            return value
        write = self._writers.get(kind)
        if write is None:
            write = self._writers[kind] = self._writer(kind)
        return write(value)

    def _writer(self, kind: type) -> Callable[[Any], _Tree]:
        if issubclass(kind, np.generic):
            return lambda value: ["number", *_array(np.array([value]))[1:]]
        if issubclass(kind, Texts):
            return lambda value: ["Texts", *_array(value.begin)[1:], *_array(value.values)[1:]]
        if issubclass(kind, Vocabulary):
            return self._vocabulary
        if issubclass(kind, LatticeMetricError):  # write a subclass as its nearest base in `_ERRORS`
            known = next(base.__name__ for base in kind.__mro__ if base.__name__ in _ERRORS)
            return lambda value: ["error", known, value.what, value.where, value.advice]
        name = _NAMES.get((kind.__module__, kind.__name__))
        if name is None:
            raise NotPlainError(f"a {kind.__module__}.{kind.__qualname__} is not plain data")
        names = _field_names(kind)
        get = attrgetter(*names)
        if len(names) == 1:
            return lambda value: [name, self._tree(get(value))]
        return lambda value: [name, *map(self._tree, get(value))]

    def _position(self, value: Any) -> _Tree:
        if value not in self._known:
            raise NotPlainError(f"this {type(value).__name__} is not among the known values")
        return ["known", self._known.index(value)]

    def _list(self, kind: str, values: Sequence[Any]) -> _Tree:
        if _SCALARS.issuperset(map(type, values)):
            return [kind, *values]
        return [kind, *map(self._tree, values)]

    def _dict(self, values: Mapping[Any, Any]) -> _Tree:
        if all(type(key) is str for key in values):
            return {key: self._tree(value) for key, value in values.items()}
        return ["dict", *map(self._tree, chain.from_iterable(values.items()))]

    def _vocabulary(self, value: Vocabulary) -> _Tree:
        if value.is_numeric:
            return ["Vocabulary"]
        if (number := self._numbers.get(id(value))) is not None:
            return ["table", number]
        words = dict(value.items())
        whole = ["Vocabulary", value.is_given, list(words), list(words.values())]
        if len(value) < _FEWEST_WORDS:
            return whole
        if any(value is other for other in self._recent):
            self._numbers[id(value)] = len(self._tables)
            self._tables.append(value)
            return ["table", len(self._tables) - 1, whole]
        self._recent.append(value)
        return whole

    def _value(self, tree: _Tree) -> Any:
        if type(tree) in _SCALARS:
            return tree
        if isinstance(tree, dict):
            return {key: self._value(value) for key, value in tree.items()}
        kind, *parts = tree
        if (read := self._readers.get(kind)) is not None:
            return read(*parts)
        return _rebuilt(kind, [self._value(part) for part in parts])

    def _read_known(self, position: int) -> Any:
        _require(type(position) is int and 0 <= position < len(self._known))
        return self._known[position]

    def _read_table(self, number: int, whole: _Tree = None) -> Vocabulary:
        _require(type(number) is int and 0 <= number <= len(self._tables))
        if whole is not None:
            _require(number == len(self._tables) and whole[0] == "Vocabulary")
            table = _read_vocabulary(*whole[1:])
            self._numbers[id(table)] = number
            self._tables.append(table)
        return self._tables[number]


class GraphSpool:
    """Stores names and graphs until a command writes them at the end; above 16 MB, stores them on disk.

    Iteration reads one graph at a time, in the order of `add`.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_MOST_IN_MEMORY)  # noqa: SIM115  closed by `__del__`
        self._plain = PlainData()
        self._count = 0

    def add(self, name: str, graph: Lattice | Forest | NBest) -> None:
        """Add a graph."""
        with temporary_files():
            self._file.write(self._plain.dumps((name, graph)) + b"\n")
        self._count += 1

    def __del__(self) -> None:
        with contextlib.suppress(OSError):  # `add` has already raised it
            self._file.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple[str, Lattice | Forest | NBest]]:
        with temporary_files():
            self._file.seek(0)
        plain = PlainData()
        for _ in range(self._count):
            yield plain.loads(self._file.readline())


def _without_long_integers(tree: _Tree) -> _Tree:
    if isinstance(tree, list):
        return list(map(_without_long_integers, tree))
    if isinstance(tree, dict):
        return {key: _without_long_integers(value) for key, value in tree.items()}
    return ["int", hex(tree)] if type(tree) is int and tree.bit_length() > 64 else tree  # noqa: PLR2004  a machine word


def _array(value: npt.NDArray[Any]) -> _Tree:
    kind = value.dtype.newbyteorder("<").str
    if value.ndim != 1 or kind not in _NUMBERS:
        raise NotPlainError(f"an array of {value.dtype} with {value.ndim} dimensions is not plain data")
    return ["array", kind, b64encode(value.astype(kind, copy=False).tobytes()).decode("ascii")]


def _read_array(kind: Any, data: Any) -> npt.NDArray[Any]:
    _require(kind in _NUMBERS)
    return np.frombuffer(b64decode(_text(data), validate=True), kind).copy()


def _read_vocabulary(is_given: Any = None, numbers: Any = None, words: Any = None) -> Vocabulary:
    if is_given is None:
        return Vocabulary.numeric()
    _require(type(is_given) is bool and {int}.issuperset(map(type, numbers)) and {str}.issuperset(map(type, words)))
    vocabulary = Vocabulary(dict(zip(numbers, words, strict=True)))
    vocabulary.is_given = is_given
    return vocabulary


def _read_texts(begin_kind: Any, begin: Any, kind: Any, values: Any) -> Texts:
    _require(begin_kind == "<i8" and kind in {"|u1", "<i4"})
    texts = Texts(_read_array(begin_kind, begin), _read_array(kind, values))
    texts.items()  # raises an error if rows are not in order, or not UTF-8
    return texts


def _read_error(kind: Any, what: Any, where: Any, advice: Any) -> LatticeMetricError:
    _require(kind in _ERRORS)
    made: LatticeMetricError = getattr(errors, kind)(
        _text(what), where=where and _text(where), advice=advice and _text(advice)
    )
    return made


def _text(value: Any) -> str:
    _require(type(value) is str)
    return str(value)


def _require(is_so: bool) -> None:  # noqa: FBT001  a condition
    if not is_so:
        raise NotPlainError("a value does not have the type named at its beginning")


def _field_names(kind: type) -> tuple[str, ...]:
    named: tuple[str, ...] | None = getattr(kind, "_fields", None)  # of named tuples
    return tuple(field.name for field in fields(kind)) if named is None and is_dataclass(kind) else named or ()


def _rebuilt(name: Any, values: list[Any]) -> Any:
    """Return an object of a registered class, from the class's name in the data and the values of its fields."""
    _require(isinstance(name, str) and name in _CLASSES)
    kind, checks = _class(name), _checks(name)
    if len(values) != len(checks):
        raise NotPlainError(f"{name} has {len(checks)} fields, not {len(values)}")
    for value, (field, accepts) in zip(values, checks.items(), strict=True):
        if not accepts(value):
            raise NotPlainError(f"{name}.{field} has the wrong type {type(value).__name__}")
    if kind is Lattice or kind is Forest:
        return _checked_graph(kind(*values))
    return kind(*values)


def _checked_graph(given: Lattice | Forest) -> Lattice | Forest:
    """Make a graph again with the public constructor, which checks the graph: native code needs valid graphs."""
    if isinstance(given, Lattice):
        rest = {name: getattr(given, name) for name in ("final", "scores", "vocabulary", "times", "labels")}
        made = Lattice.from_arcs(given.source, given.target, given.word, **rest, copy=False)
        checked: Lattice | Forest = replace(made, ranked=given.ranked)
        structure = attrgetter("num_states", "source", "target", "final")
    else:
        rest = {name: getattr(given, name) for name in ("goals", "scores", "vocabulary", "labels", "node_labels")}
        checked = Forest.from_edges(given.head, given.tails, given.target, **rest)
        structure = attrgetter("num_nodes", "head", "tails.begin", "tails.values", "goals")
    if not all(map(np.array_equal, structure(checked), structure(given))):
        raise NotPlainError(f"the columns of the {type(given).__name__} are not in their canonical order")
    return checked


@cache
def _class(name: str) -> Any:
    module, kind = _CLASSES[name]
    return getattr(import_module(module), kind)


class _Names(dict[str, Any]):
    """Resolves the names of annotations that modules import only for type checkers, and the alias `Graph`."""

    def __missing__(self, name: str) -> Any:
        if name == "Graph":
            return Lattice | Forest | NBest
        return _class(next((key for (_, kind), key in _NAMES.items() if kind == name), name))


@cache
def _checks(name: str) -> dict[str, _Check]:
    """Return a check for each field of a class, from its annotation."""
    kind = _class(name)
    hints = typing.get_type_hints(kind, localns=_Names())
    return {field: _check(hints[field]) for field in _field_names(kind)}


def _check(hint: Any) -> _Check:
    """Return a check for values of an annotated type.

    Raises:
        TypeError: There is no check for such an annotation.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in {int, float}:  # integers are accepted as floats, as in type checkers
        kinds = (int, np.integer) if hint is int else (float, int, np.number)
        return lambda value: isinstance(value, kinds) and value is not True and value is not False
    if hint is Any or (origin is None and isinstance(hint, type)):
        return lambda value: hint is Any or isinstance(value, hint)
    if origin is Literal:
        return arguments.__contains__
    if origin in {Union, types.UnionType}:
        checks = list(map(_check, arguments))
        return lambda value: any(check(value) for check in checks)
    if hasattr(origin, "__value__"):  # an alias with parameters, as NDArray is from NumPy 2.5
        hint = origin.__value__[arguments]
        origin, arguments = get_origin(hint), get_args(hint)
    if origin is np.ndarray:
        number = np.dtype(get_args(arguments[1])[0])
        return lambda value: isinstance(value, np.ndarray) and value.dtype == number
    if origin in {tuple, list, dict, Mapping}:
        return _check_container(origin, arguments)
    raise TypeError(f"no value can be checked against {hint}")


def _check_container(origin: Any, arguments: tuple[Any, ...]) -> _Check:
    if origin is tuple and arguments[-1] is not Ellipsis:
        each = list(map(_check, arguments))
        return lambda value: (
            type(value) is tuple and len(value) == len(each) and all(f(v) for f, v in zip(each, value, strict=True))
        )
    if origin in {tuple, list}:
        every = _check_each(arguments[0])
        return lambda value: type(value) is origin and every(value)
    key, content = map(_check_each, arguments)
    return lambda value: type(value) is dict and key(value) and content(value.values())


def _check_each(hint: Any) -> Callable[[Iterable[Any]], bool]:
    """Return a check for all values of an iterable; values of a builtin type are checked in one step."""
    check, plain = _check(hint), {float: {float, int}}.get(hint, {hint})
    return lambda values: plain.issuperset(map(type, values)) or all(map(check, values))
