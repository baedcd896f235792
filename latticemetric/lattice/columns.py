"""The columns of lattices and forests: named costs, labels, and the model's cost."""

from __future__ import annotations

import math
import mmap
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import float_array, plain_array
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.frozen import Frozen
from latticemetric.lattice.texts import Texts
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.int32]
Kind = TypeVar("Kind")
Rows = npt.NDArray[np.int64] | slice
Weights = Mapping[str, float]

WORDS = "words"
"""The name of a column that any graph can get: 1 for each word; see `with_word_counts`."""


Steps = npt.NDArray[np.int64]
"""The arcs of a path through a lattice, in order; or the edges of a forest's derivation, in preorder."""


def laid_out(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array in contiguous and aligned memory, as native code needs it; copy it only if necessary."""
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.require(array, requirements=["C", "ALIGNED"])


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make an array contiguous and read-only, and return it; copy it only if necessary."""
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        array = laid_out(array)
        flags = array.flags
    flags.writeable = False
    return array


# Use a table with one row per number only if there are at most this many numbers per value. Otherwise sort: this takes
# more time, but less memory.
_MOST_GAPS = 32


def without_gaps(parts: Sequence[npt.NDArray[Any]]) -> tuple[list[npt.NDArray[np.int32]], npt.NDArray[np.int64]]:
    """Renumber arrays of numbers of at least 0 without gaps, in the same order; return also each old number."""
    most = max(int(part.max(initial=-1)) for part in parts) + 1
    if most > _MOST_GAPS * sum(map(len, parts)):
        names = np.unique(np.concatenate(parts)).astype(np.int64)
        return [np.searchsorted(names, part).astype(np.int32) for part in parts], names
    is_used = np.zeros(most, dtype=np.bool_)
    for part in parts:
        is_used[part] = True
    names = np.flatnonzero(is_used)
    number = np.empty(most, dtype=np.int32)  # only the rows of `names` are read
    number[names] = np.arange(len(names), dtype=np.int32)
    return [number[part] for part in parts], names


@says_new_keywords
@dataclass(frozen=True, eq=False)
class Column(Frozen):
    """The costs (−log probabilities) of one score: a cost per arc and per final state (in forests: per edge and goal).

    `weight` is the default weight of the score in the model's cost. Set it to 0 for a feature that is already part of a
    total.

    Lists and other arrays of numbers become read-only arrays of 64-bit floats.

    Raises:
        InputError: The costs are not flat lists of numbers, or the weight is not a number.
    """

    arc: Floats
    final: Floats
    weight: float = 1.0

    def __post_init__(self) -> None:
        values = vars(self)
        values["arc"], values["final"] = _costs(self.arc), _costs(self.final)
        if type(self.weight) is not float:
            values["weight"] = _own_weight(self.weight)

    @classmethod
    def of_valid(cls, arc: Floats, final: Floats) -> Column:
        """Return a column of costs that are valid: read-only, contiguous arrays of finite 64-bit floats."""
        column = cls.__new__(cls)
        vars(column).update(arc=arc, final=final, weight=1.0)
        return column

    def taken(self, arcs: Rows, ends: Rows) -> Column:
        """Return the column with only these arcs and final states."""
        return Column(frozen(self.arc[arcs]), frozen(self.final[ends]), self.weight)


def _costs(given: Any) -> Floats:
    """Return costs as a read-only array of 64-bit floats; raise `InputError` if they are not a flat list of numbers."""
    if type(given) is np.ndarray and given.dtype == np.float64 and given.ndim == 1:
        flags = given.flags
        if flags.c_contiguous and flags.aligned and not flags.writeable:  # like those of the parsers
            return given
    array = laid_out(_numbers(given))
    if array.ndim != 1:
        raise InputError("a score column needs a flat list of numbers for arcs, and another for final states")
    return frozen(array.copy()) if array.flags.writeable else array  # the caller may still change it


def _own_weight(given: Any) -> float:
    number = _numbers(given)
    if number.ndim or given is None:
        raise InputError("the weight of a score column is not a number")
    return float(number)


def _numbers(given: Any) -> Floats:
    try:
        return float_array(given)
    except (ValueError, TypeError, OverflowError):
        raise InputError("a score column holds values that are not numbers") from None


def checked_columns(scores: Mapping[str, Column] | None) -> dict[str, Column]:
    """Return score columns by name; raise `UsageError` for other values than columns."""
    if scores is not None and not isinstance(scores, Mapping):
        raise UsageError(f"scores is a {type(scores).__name__}", advice="give columns by name, like {'lm': Column(…)}")
    for name, column in (scores or {}).items():
        if not isinstance(name, str):
            raise UsageError(f"the name {name!r} of a score is not a string", advice=f"give '{name}'")
        if not isinstance(column, Column):
            raise UsageError(
                f"score '{name}' is a {type(column).__name__}",
                advice="give a Column, with the costs of arcs (edges) and of final states (goals)",
            )
    return dict(scores or {})


def checked_labels(labels: Mapping[str, Labels] | None) -> dict[str, Labels]:
    """Return labels with arrays of 32-bit word numbers; raise `UsageError` for other values than labels."""
    checked = {}
    for name, side in require_named(labels, "labels", Labels, "Labels, with arrays and a Vocabulary").items():
        arc, final = (word_numbers(part, name) for part in (side.arc, side.final))
        is_plain = arc is side.arc and final is side.final
        checked[name] = side if is_plain else Labels(arc, final, side.vocabulary)
    return checked


def require_named(given: Any, what: str, kind: type[Kind], shown: str) -> Mapping[str, Kind]:
    """Return a mapping from names to objects of a class with a vocabulary; an empty one for `None`.

    Raises:
        UsageError: It is something else. `what` is the argument's name; `shown` says what to give.
    """
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(f"{what} is a {type(given).__name__}", advice=f"give them by name: {shown}")
    for name, side in (given or {}).items():
        if not isinstance(name, str) or not isinstance(side, kind):
            raise UsageError(f"{what} has a {type(side).__name__} with the name {name!r}", advice=f"give {shown}")
        vocabulary = getattr(side, "vocabulary", None)
        if not isinstance(vocabulary, Vocabulary):
            raise UsageError(f"the vocabulary of '{name}' is a {type(vocabulary).__name__}", advice=f"give {shown}")
    return given or {}


def word_numbers(numbers: Any, name: str) -> Words:
    """Return the numbers of a label's texts as an array; raise `UsageError` if they are not a list of integers."""
    array = np.asarray(plain_array(numbers))
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise UsageError(f"the numbers of '{name}' are not one list of integers", advice="give the numbers of texts")
    return array


def checked_vocabulary(vocabulary: Any) -> Vocabulary:
    """Return a vocabulary, by default that of plain numbers; raise `UsageError` for anything else."""
    if vocabulary is None:
        return Vocabulary.numeric()
    if not isinstance(vocabulary, Vocabulary):
        what = f"vocabulary is a {type(vocabulary).__name__}"
        raise UsageError(what, advice="give a Vocabulary, like Vocabulary({1: 'a', 2: 'b'})")
    return vocabulary


@dataclass(frozen=True, eq=False)
class Labels(Frozen):
    """Additional texts of arcs and final states, such as a transducer's input labels or alignments.

    The arrays hold the number of each text in `vocabulary`; 0 means no text. Labels are equal if their texts are equal.
    """

    arc: Words
    final: Words
    vocabulary: Vocabulary

    def taken(self, arcs: Rows, ends: Rows) -> Labels:
        """Return the labels with only these arcs and final states."""
        arc, final, vocabulary = self.arc[arcs], self.final[ends], self.vocabulary
        if isinstance(vocabulary, Texts):  # do not keep the texts of other arcs
            vocabulary, (arc, final) = vocabulary.only(arc, final)
        return Labels(frozen(arc), frozen(final), vocabulary)

    def __eq__(self, other: object) -> bool:
        if super().__eq__(other) is True:
            return True
        if not isinstance(other, Labels):
            return NotImplemented
        ours, theirs = (
            [side.vocabulary.words(numbers) for numbers in (side.arc, side.final)] for side in (self, other)
        )
        return ours == theirs

    __hash__ = Frozen.__hash__


Side = TypeVar("Side", Column, Labels)


def taken(sides: Mapping[str, Side], arcs: Rows, ends: Rows) -> dict[str, Side]:
    """Return all score columns (or all labels) of a graph with only these arcs and final states."""
    if isinstance(arcs, slice) and isinstance(ends, slice):  # slices take all rows
        return dict(sides)
    return {name: side.taken(arcs, ends) for name, side in sides.items()}


class Costs(NamedTuple):
    """The model's cost of each arc (edge), and the final cost of each state (node).

    A state that is not final has an infinite final cost.
    """

    arc: Floats
    final: Floats


WeightsOrCosts: TypeAlias = "Weights | Costs | None"
"""Weights of score columns (`None`: the default weights), or costs that are already summed."""


class FeatureWeights(Mapping[str, float]):
    """Weights of score columns that may be absent from a graph: sparse features, which count 0 where they are absent.

    A plain mapping names columns that each graph must have.

    Args:
        values: The weight of each column. A list of weights belongs to a feature with several values, whose columns
            are `name_0`, `name_1`, …, or `name_1`, `name_2`, … if a graph has no `name_0`.
        whole: True if other columns count 0, as for a decoder's file of weights. By default, they keep their weights.
        typed: The names that a user typed beside a file of weights.

    Examples:
        >>> weights = FeatureWeights({"lm": 0.5, "rare": 2.0})
        >>> weights_under({"lm": 1.0, "words": 1.0}, weights)
        {'lm': 0.5, 'words': 1.0}
        >>> weights_under({"lm": 1.0, "tm_1": 1.0, "tm_2": 1.0}, FeatureWeights({"tm": [0.25, 0.75]}, whole=True))
        {'lm': 0.0, 'tm_1': 0.25, 'tm_2': 0.75}
        >>> weights.unused
        ('rare',)
    """

    def __init__(
        self,
        values: Mapping[str, float | list[float] | tuple[float, ...]],
        *,
        whole: bool = False,
        typed: Collection[str] = (),
    ) -> None:
        check_weights(values)
        self._values = {
            name: tuple(_weight(name, each) for each in value)
            if isinstance(value, list | tuple)
            else _weight(name, value)
            for name, value in (values or {}).items()
        }
        self.whole, self._typed = whole, frozenset(typed)
        self._flat = {
            column: weight
            for name, value in self._values.items()
            for column, weight in self._columns(name, value, {f"{name}_0"})
        }
        self._names = list(self._values)
        # A byte for each name, and one for any graph; forked workers share them.
        self._seen = mmap.mmap(-1, len(self._names) + 1)

    def under(self, own: Mapping[str, float]) -> dict[str, float]:
        """Return the weight of each column, and remember which names graphs have; `own` are the columns' weights."""
        weights = dict.fromkeys(own, 0.0) if self.whole else dict(own)
        self._seen[len(self._names)] = 1
        for number, (name, value) in enumerate(self._values.items()):
            for column, weight in self._columns(name, value, own):
                if column in weights:
                    weights[column] = weight
                    self._seen[number] = 1
        return weights

    @staticmethod
    def _columns(name: str, value: float | tuple[float, ...], own: Container[str]) -> Iterator[tuple[str, float]]:
        if not isinstance(value, tuple):
            yield name, value
        else:
            first = 0 if f"{name}_0" in own else 1
            yield from ((f"{name}_{number}", weight) for number, weight in enumerate(value, start=first))

    @property
    def names(self) -> tuple[str, ...]:
        """The names as they were given; one with a list of weights stands for several columns."""
        return tuple(self._names)

    @property
    def unused(self) -> tuple[str, ...]:
        """The names that no graph had so far; empty before the first graph."""
        if not self._seen[len(self._names)]:
            return ()
        return tuple(name for number, name in enumerate(self._names) if not self._seen[number])

    @property
    def surely_unused(self) -> tuple[str, ...]:
        """The unused names that some graph should have: those that were typed, or all if there is no file."""
        return tuple(name for name in self.unused if not self.whole or name in self._typed)

    def __getitem__(self, name: str) -> float:
        return self._flat[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._flat)

    def __len__(self) -> int:
        return len(self._flat)

    def updated(self, values: Mapping[str, float]) -> FeatureWeights:
        """Return the weights with other values of some columns."""
        return FeatureWeights({**self._values, **values}, whole=self.whole, typed=self._typed | values.keys())

    def __reduce__(self) -> tuple[Any, ...]:
        return _feature_weights, (self._values, self.whole, self._typed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FeatureWeights):
            return NotImplemented
        return (self._values, self.whole) == (other._values, other.whole)

    def __hash__(self) -> int:
        return hash((frozenset(self._values.items()), self.whole))

    def __repr__(self) -> str:
        return f"FeatureWeights({self._values}, whole={self.whole})"


def _feature_weights(
    values: Mapping[str, float | tuple[float, ...]],
    whole: bool,  # noqa: FBT001
    typed: Collection[str],
) -> FeatureWeights:
    return FeatureWeights(values, whole=whole, typed=typed)


def _weight(name: str, given: Any) -> float:
    """Return a weight as a float; raise `UsageError` if it is not a finite number."""
    try:
        weight = math.nan if isinstance(given, str) else float(given)
    except (TypeError, ValueError, OverflowError):
        weight = math.nan
    if not math.isfinite(weight):
        shown = shortened(repr(given) if isinstance(given, str) else str(given))
        raise UsageError(f"the weight of '{name}' is {shown}, not a finite number", advice="give a number like 0.1")
    return weight


def check_weights(weights: Mapping[str, Any] | None) -> None:
    """Raise `UsageError` if weights are not a mapping: a list, for example, or a single number."""
    if weights is not None and not isinstance(weights, Mapping):
        raise UsageError(
            f"weights is a {type(weights).__name__}", advice="give weights by names of scores, like {'lm': 0.5}"
        )


def weights_under(own: Mapping[str, float], weights: Weights | None) -> dict[str, float]:
    """Return the weight of each score column: its own, unless `weights` names another.

    Raises:
        InputError: `weights` names a column that is not in `own`, and is not `FeatureWeights`.
        UsageError: A weight is not a finite number, or `weights` is not a mapping.
    """
    check_weights(weights)
    if isinstance(weights, FeatureWeights):
        return weights.under(own)
    used = dict(own)
    given: Mapping[str, Any] = weights or {}
    require_columns(given, used)
    for name, weight in given.items():
        used[name] = _weight(name, weight)
    return used


def require_columns(names: Iterable[str], columns: Collection[str]) -> None:
    """Raise `InputError` if a name is not among the names of a graph's columns."""
    for name in names:
        if name not in columns:
            raise no_column(name, columns)


def no_column(name: str, columns: Collection[str]) -> InputError:
    """Return the error for a name that is not among the names of a graph's columns."""
    known = ", ".join(columns) or "none"
    advice = f"the columns here are: {known}"
    if name == WORDS:
        advice += "; to count words, give lm.with_word_counts(graph)"
    return InputError(f"there is no score column '{name}'", advice=advice)


def summed_cost(
    scores: Mapping[str, Column], arcs: int, states: int, final: States, weights: Weights | None = None
) -> Costs:
    """Return the weighted sum of a graph's columns.

    The weight of a column is its weight in `weights` or, if `weights` does not name the column, the column's own
    weight. `arcs` and `states` are the counts of arcs and states; `final` lists the final states. For a forest, give
    edges, nodes and goals instead.
    """
    under = weights_under({name: column.weight for name, column in scores.items()}, weights)
    used = {name: weight for name, weight in under.items() if weight != 0}
    columns = [(scores[name].arc, scores[name].final) for name in used]
    arc, ends, can_be_added = _native.total_cost(columns, list(used.values()), arcs, states, final)
    if not can_be_added:
        raise costs_too_large()
    return Costs(arc, ends)


def costs_too_large() -> InputError:
    """Return the error for costs whose sums would overflow."""
    return InputError("the costs are too large to be added up", advice="choose smaller weights")


def check_columns(scores: Mapping[str, Column], labels: Mapping[str, Labels], arcs: int, finals: int) -> None:
    """Raise an error unless columns and labels have one finite value per arc (edge) and final state (goal)."""
    extras: dict[str, Column | Labels] = {**scores, **labels}
    for name, extra in extras.items():
        if len(extra.arc) != arcs or len(extra.final) != finals:
            raise InputError(f"'{name}' does not have one value for every arc and every final state")
    for name, column in scores.items():
        for values in (column.arc, column.final):
            if not _native.are_finite(values):
                raise InputError(f"'{name}' holds a score that is not finite ({values[~np.isfinite(values)][0]})")
        if not math.isfinite(column.weight):
            raise InputError(f"the weight of '{name}' is not finite")
    for side in labels.values():
        side.vocabulary.check(side.arc)
        side.vocabulary.check(side.final)


def is_any_of(symbols: Words, words: Collection[str], vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """Return True for each symbol that is the number of a word in `words`; return False for ε and tails (below 0)."""
    numbers = vocabulary.encode(sorted(words))
    return np.isin(symbols, numbers[numbers > EPSILON])
