"""Plain data: JSON for answers, from which only results and graphs can be built.

Numbers, texts, truth values, `None` and dicts with texts as keys are written as in JSON. Any other value becomes a
list that begins with its kind: `["tuple", 1, 2]`, or `["Alignment", …]` with the fields in order. Only the classes
listed here are written and read. Fields are checked against the annotations of their class, and graphs as if they
came from a file. So a damaged or malicious file causes an error.
"""

from __future__ import annotations

import json
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
from latticemetric.lattice.lattice import Lattice
from latticemetric.nbest import NBest
from latticemetric.vocabulary import Vocabulary

# Module, and its names in journals; `name=class` if the class has another name.
_RESULTS: dict[str, tuple[str, ...]] = {
    "latticemetric.metrics.alignment": ("Alignment",),
    "latticemetric.batch.answers": ("Answer",),
    "latticemetric.batch.margins": ("Extremes=Margins", "Side=MarginKind"),
    "latticemetric.batch.mbr": ("Decoded=MBRAnswer",),
    "latticemetric.batch.outcomes": ("Confidences", "Outcome"),
    "latticemetric.batch.review": ("Review", "Size"),
    "latticemetric.batch.sketches": ("DrawnArc", "Sketch"),
    "latticemetric.batch.string_scores": ("Strings",),
    "latticemetric.batch.sweep": ("Swept",),
    "latticemetric.drawing.diagram": ("Diagram", "Link", "Vertex"),
    "latticemetric.forest.columns": ("NodeLabels", "Ragged"),
    "latticemetric.forest.forest": ("Forest",),
    "latticemetric.lattice.columns": ("Column", "Labels"),
    "latticemetric.lattice.lattice": ("Lattice",),
    "latticemetric.metrics.recognition_statistics": ("RecognitionStatistics",),
    "latticemetric.nbest": ("Hypothesis", "NBest"),
    "latticemetric.mbr_decoding.consensus": ("Consensus",),
    "latticemetric.posterior.listing": ("PosteriorListing",),
    "latticemetric.oracle_search.user_automaton": ("AutomatonOracle", "ValuedPath"),
    "latticemetric.oracle_search.scored_path": ("Oracle", "ScoredPath"),
    "latticemetric.oracle_search.sweep": ("Kept",),
    "latticemetric.oracle_search.margin": ("Fear", "Hope", "Worst"),
}
# Name in journals → (module, class); and the reverse.
_CLASSES = {
    name.partition("=")[0]: (module, name.rpartition("=")[2]) for module, names in _RESULTS.items() for name in names
}
_NAMES = {place: name for name, place in _CLASSES.items()}
_ERRORS = ("LatticeMetricError", "InputError", "FormatError", "UsageError", "MissingDependencyError")
_SCALARS = frozenset({str, int, float, bool, type(None)})
_NUMBERS = frozenset({"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"})
# A table with fewer words is written again: that costs less than to search for it.
_FEWEST_WORDS = 100
_RECENT_TABLES = 4

_Tree = Any
_Check = Callable[[Any], bool]


class NotPlainError(ValueError):
    """The data were not written by `dumps`, or the value cannot be written."""


class PlainData:
    """Writes and reads values. Read them in the order of writing, since a shared symbol table is written only once.

    Examples:
        >>> plain = PlainData()
        >>> plain.dumps(("a", [1, 2.5]))
        b'["tuple","a",["list",1,2.5]]'
        >>> plain.loads(plain.dumps(("a", {1: None})))
        ('a', {1: None})
    """

    def __init__(self) -> None:
        self._recent: deque[Vocabulary] = deque(maxlen=_RECENT_TABLES)
        self._tables: list[Vocabulary] = []
        self._numbers: dict[int, int] = {}
        self._writers: dict[type, Callable[[Any], _Tree]] = {
            tuple: partial(self._list, "tuple"),
            list: partial(self._list, "list"),
            dict: self._dict,
            types.MappingProxyType: self._dict,
            np.ndarray: _array,
            Fraction: lambda value: ["Fraction", value.numerator, value.denominator],
        }
        self._readers: dict[str, Callable[..., Any]] = {
            "tuple": lambda *parts: parts if _SCALARS.issuperset(map(type, parts)) else tuple(map(self._value, parts)),
            "list": lambda *parts: list(map(self._value, parts)),
            "dict": self._read_dict,
            "int": lambda text: int(_text(text), 16),
            "array": _read_array,
            "number": lambda kind, data: _read_array(kind, data)[0],
            "Fraction": lambda numerator, denominator: Fraction(self._value(numerator), self._value(denominator)),
            "Vocabulary": self._read_vocabulary,
            "table": self._read_table,
            "error": _read_error,
        }

    def dumps(self, value: Any) -> bytes:
        """Write a value as bytes without line breaks.

        Raises:
            NotPlainError: The value is, or holds, an object of another class.
        """
        tree = self._tree(value)
        try:
            text = _json(tree)
        except ValueError:  # Python writes very long integers only in base 16
            text = _json(_without_long_integers(tree))
        return text.encode("ascii")

    def loads(self, data: bytes) -> Any:
        """Read a value.

        Raises:
            NotPlainError: `dumps` did not write this.
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
        """Return the writer of a class."""
        if issubclass(kind, np.generic):
            return _number
        if issubclass(kind, Vocabulary):
            return self._vocabulary
        if issubclass(kind, LatticeMetricError):
            return _error
        if (name := _NAMES.get((kind.__module__, kind.__name__))) is not None:
            return partial(self._fields, name, _getter(_field_names(kind)))
        raise NotPlainError(f"a {kind.__module__}.{kind.__qualname__} is not plain data")

    def _list(self, kind: str, values: Sequence[Any]) -> _Tree:
        if _SCALARS.issuperset(map(type, values)):
            return [kind, *values]
        return [kind, *map(self._tree, values)]

    def _dict(self, values: Mapping[Any, Any]) -> _Tree:
        if all(type(key) is str for key in values):
            return {key: self._tree(value) for key, value in values.items()}
        return ["dict", *map(self._tree, chain.from_iterable(values.items()))]

    def _fields(self, kind: str, get: Callable[[Any], tuple[Any, ...]], value: Any) -> _Tree:
        return [kind, *map(self._tree, get(value))]

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

    def _read_dict(self, *parts: _Tree) -> dict[Any, Any]:
        values = list(map(self._value, parts))
        return dict(zip(values[::2], values[1::2], strict=True))

    def _read_vocabulary(self, is_given: Any = None, numbers: Any = None, words: Any = None) -> Vocabulary:
        if is_given is None:
            return Vocabulary.numeric()
        _require(type(is_given) is bool and {int}.issuperset(map(type, numbers)) and {str}.issuperset(map(type, words)))
        vocabulary = Vocabulary(dict(zip(numbers, words, strict=True)))
        vocabulary.is_given = is_given
        return vocabulary

    def _read_table(self, number: int, whole: _Tree = None) -> Vocabulary:
        _require(type(number) is int and 0 <= number <= len(self._tables))
        if whole is not None:
            _require(number == len(self._tables) and whole[0] == "Vocabulary")
            table = self._read_vocabulary(*whole[1:])
            self._numbers[id(table)] = number
            self._tables.append(table)
        return self._tables[number]


def _json(tree: _Tree) -> str:
    return json.dumps(tree, separators=(",", ":"), check_circular=False)


def _without_long_integers(tree: _Tree) -> _Tree:
    if isinstance(tree, list):
        return list(map(_without_long_integers, tree))
    if isinstance(tree, dict):
        return {key: _without_long_integers(value) for key, value in tree.items()}
    return ["int", hex(tree)] if type(tree) is int and tree.bit_length() > 64 else tree  # noqa: PLR2004  a word


def _array(value: npt.NDArray[Any]) -> _Tree:
    kind = value.dtype.newbyteorder("<").str
    if value.ndim != 1 or kind not in _NUMBERS:
        raise NotPlainError(f"an array of {value.ndim} dimensions of {value.dtype} is not plain data")
    return ["array", kind, b64encode(value.astype(kind, copy=False).tobytes()).decode("ascii")]


def _read_array(kind: Any, data: Any) -> npt.NDArray[Any]:
    _require(kind in _NUMBERS)
    return np.frombuffer(b64decode(_text(data), validate=True), kind).copy()


def _number(value: np.generic) -> _Tree:
    return ["number", *_array(np.array([value]))[1:]]


def _error(value: LatticeMetricError) -> _Tree:
    """Write an error as the nearest class that all programs know."""
    kind = next(cls.__name__ for cls in type(value).__mro__ if cls.__name__ in _ERRORS)
    return ["error", kind, value.what, value.where, value.advice]


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
        raise NotPlainError("a value is of another kind than it says")


def _field_names(kind: type) -> tuple[str, ...]:
    named: tuple[str, ...] | None = getattr(kind, "_fields", None)  # of named tuples
    return tuple(field.name for field in fields(kind)) if named is None and is_dataclass(kind) else named or ()


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda value: (get(value),)


def _rebuilt(name: Any, values: list[Any]) -> Any:
    """Build an object of one of the classes that may be read."""
    _require(isinstance(name, str) and name in _CLASSES)
    kind = _class(name)
    checks = _checks(name)
    if len(values) != len(checks):
        raise NotPlainError(f"{name} has {len(checks)} fields, and not {len(values)}")
    for value, (field, accepts) in zip(values, checks.items(), strict=True):
        if not accepts(value):
            raise NotPlainError(f"{name}.{field} is a {type(value).__name__}")
    if kind is Lattice or kind is Forest:
        return _checked_graph(kind(*values))
    return kind(*values)


def _checked_graph(given: Lattice | Forest) -> Lattice | Forest:
    """Build a graph by its constructor, which checks it: native code relies on valid graphs."""
    if isinstance(given, Lattice):
        rest = {name: getattr(given, name) for name in ("final", "scores", "vocabulary", "times", "labels")}
        made = Lattice.from_arcs(given.source, given.target, given.word, **rest, copy=False)
        checked: Lattice | Forest = replace(made, ranked=given.ranked)
    else:
        rest = {name: getattr(given, name) for name in ("goals", "scores", "vocabulary", "labels", "node_labels")}
        checked = Forest.from_edges(given.head, given.tails, given.target, **rest)
    if not all(map(np.array_equal, _structure(checked), _structure(given))):
        raise NotPlainError(f"the {type(given).__name__} is not in order")
    return checked


def _structure(graph: Lattice | Forest) -> Iterator[npt.ArrayLike]:
    if isinstance(graph, Lattice):
        yield from (graph.num_states, graph.source, graph.target, graph.final)
    else:
        yield from (graph.num_nodes, graph.head, graph.tails.begin, graph.tails.values, graph.goals)


@cache
def _class(name: str) -> Any:
    module, kind = _CLASSES[name]
    return getattr(import_module(module), kind)


class _Names(dict[str, Any]):
    """Names in annotations: those imported only for type checkers, and the alias that quotes such names."""

    def __missing__(self, name: str) -> Any:
        if name == "Graph":
            return Lattice | Forest | NBest
        tag = next((key for (_, kind), key in _NAMES.items() if kind == name), None)
        if tag is None:
            raise KeyError(name)
        return _class(tag)


@cache
def _checks(name: str) -> dict[str, _Check]:
    """Return a check for each field of a class, from its annotation."""
    kind = _class(name)
    hints = typing.get_type_hints(kind, localns=_Names())
    return {field: _check(hints[field]) for field in _field_names(kind)}


def _check(hint: Any) -> _Check:
    """Return a check for values of an annotated type.

    Raises:
        TypeError: No check is known for such an annotation.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        check: _Check = _is_anything
    elif origin is None and isinstance(hint, type):
        check = _check_class(hint)
    elif origin is Literal:
        check = arguments.__contains__
    elif origin in {Union, types.UnionType}:
        check = partial(_is_one_of, list(map(_check, arguments)))
    elif origin is np.ndarray:
        check = partial(_is_array, np.dtype(get_args(arguments[1])[0]))
    elif origin in {tuple, list, dict, Mapping}:
        check = _check_container(origin, arguments)
    else:
        raise TypeError(f"no value can be checked against {hint}")
    return check


def _is_anything(_: Any) -> bool:
    return True


def _is_one_of(checks: list[_Check], value: Any) -> bool:
    return any(check(value) for check in checks)


def _is_array(kind: np.dtype[Any], value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == kind


def _check_class(kind: type) -> _Check:
    if kind is float:  # integers are accepted as floats, as in type checkers
        return lambda value: isinstance(value, (float, int, np.number)) and value is not True and value is not False
    if kind is int:
        return lambda value: isinstance(value, (int, np.integer)) and value is not True and value is not False
    return lambda value: isinstance(value, kind)


def _check_container(origin: Any, arguments: tuple[Any, ...]) -> _Check:
    if origin is tuple and arguments[-1] is not Ellipsis:
        each = list(map(_check, arguments))
        return lambda value: (
            type(value) is tuple and len(value) == len(each) and all(f(v) for f, v in zip(each, value, strict=True))
        )
    checks = [_check_each(argument) for argument in arguments if argument is not Ellipsis]
    if origin in {tuple, list}:
        return lambda value: type(value) is origin and checks[0](value)
    key, content = checks
    return lambda value: type(value) is dict and key(value) and content(value.values())


def _check_each(hint: Any) -> Callable[[Iterable[Any]], bool]:
    """Return a check for all values of an iterable; builtin types are checked at once."""
    check, plain = _check(hint), {float: {float, int}}.get(hint, {hint})
    return lambda values: plain.issuperset(map(type, values)) or all(map(check, values))
