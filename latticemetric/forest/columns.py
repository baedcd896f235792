"""Columns that only forests have: rows of different lengths, and labels of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import plain_array
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.frozen import Frozen
from latticemetric.lattice.columns import require_named, word_numbers
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

Nodes = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]

CATEGORY = "category"
"""The name of the node label that holds categories such as `NP` and `X`."""

_LIMITS = np.iinfo(np.int32)


@dataclass(frozen=True, eq=False)
class Ragged(Frozen):
    """Rows of different lengths in one array: row e is `values[begin[e] : begin[e + 1]]`."""

    begin: Offsets
    values: npt.NDArray[np.int32]

    @classmethod
    @says_new_keywords
    def from_rows(cls, rows: Iterable[Sequence[int]], what: str = "row") -> Ragged:
        """Pack rows of integers into one array; `what` names a row in errors."""
        kept: list[list[int]] = []
        for number, row in enumerate(rows):
            try:
                kept.append(row if isinstance(row, list) else list(plain_array(row)))
            except TypeError:
                raise _no_row(row, f"{what} {number}") from None
        values = _int32([value for row in kept for value in row])
        if values is None:
            number = next(number for number, row in enumerate(kept) if _int32(row) is None)
            raise _no_row(kept[number], f"{what} {number}")
        lengths = np.fromiter(map(len, kept), dtype=np.int64, count=len(kept))
        return cls(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), values)

    def row(self, number: int) -> list[int]:
        """Return one row as a list."""
        row: list[int] = self.values[self.begin[number] : self.begin[number + 1]].tolist()
        return row

    def rows(self) -> list[list[int]]:
        """Return the rows as lists."""
        begin, values = self.begin.tolist(), self.values.tolist()
        return [values[first:last] for first, last in pairwise(begin)]

    def only(self, kept: npt.NDArray[np.bool_]) -> Ragged:
        """Return the rows with only the values that `kept` marks; `kept` has one entry per value."""
        if kept.all():
            return self
        begin = np.concatenate([[0], np.cumsum(kept)])[self.begin].astype(np.int64)
        return Ragged(begin, self.values[kept])

    def counts(self, marked: npt.NDArray[np.bool_]) -> Offsets:
        """Return the number of marked values in each row; `marked` has one entry per value."""
        return np.diff(np.concatenate([[0], np.cumsum(marked)])[self.begin])

    def lengths(self) -> Offsets:
        """Return the length of each row."""
        return np.diff(self.begin)

    def taken(self, rows: npt.NDArray[np.int64]) -> Ragged:
        """Return the rows with the numbers `rows`, in this order."""
        lengths = self.lengths()[rows]
        begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        within = np.arange(begin[-1]) - np.repeat(begin[:-1], lengths)
        return Ragged(begin, self.values[np.repeat(self.begin[rows], lengths) + within])

    def copied(self) -> Ragged:
        """Return a copy of all rows, in new arrays."""
        return Ragged(self.begin.copy(), self.values.copy())

    def __len__(self) -> int:
        return len(self.begin) - 1


def checked_rows(given: Ragged | Iterable[Sequence[int]], what: str) -> Ragged:
    """Check rows of 32-bit integers, one per edge, and return them packed; `what` names a row in errors."""
    if not isinstance(given, Ragged):
        if not hasattr(given, "__iter__"):
            what = f"the {what} of edges"
            advice = "give one list of integers per edge"
            raise UsageError(f"a {type(given).__name__} is given", where=what, advice=advice)
        return Ragged.from_rows(given, f"the {what} of edge")
    begin, values = np.asarray(given.begin), _int32(given.values)
    if values is None:
        raise InputError("the values are not 32-bit integers", where=f"the {what} of edges")
    are_offsets = begin.ndim == 1 and begin.dtype.kind == "i" and len(begin) > 0
    if not (are_offsets and begin[0] == 0 and begin[-1] == len(values) and (np.diff(begin) >= 0).all()):
        raise InputError(
            "`begin` must start at 0, never decrease, and end at the number of values", where=f"the {what} of edges"
        )
    return Ragged(np.require(begin, np.int64, ["C", "ALIGNED"]), values)


def _no_row(row: object, place: str) -> InputError:
    return InputError(f"{shortened(repr(row), 40)} is not a list of 32-bit integers", where=place)


def _int32(given: npt.ArrayLike) -> npt.NDArray[np.int32] | None:
    """Return a list of 32-bit integers as an array; return `None` if it is anything else."""
    try:
        values = np.asarray(plain_array(given))
    except (ValueError, OverflowError):
        return None
    if values.ndim == 1 and values.size == 0:
        return np.zeros(0, dtype=np.int32)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        return None
    if values.min() < _LIMITS.min or values.max() > _LIMITS.max:
        return None
    return np.require(values, np.int32, ["C", "ALIGNED"])


@dataclass(frozen=True, eq=False)
class NodeLabels(Frozen):
    """A text for each node, such as a category or a span.

    `node` has the number of each node's text in `vocabulary`; 0 means no text.
    """

    node: Words
    vocabulary: Vocabulary

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> NodeLabels:
        """Build labels from the texts of nodes 0, 1, …; an empty text means no label."""
        return cls(*numbered(texts))


def checked_node_labels(labels: Mapping[str, NodeLabels] | None) -> dict[str, NodeLabels]:
    """Return labels of nodes with arrays of word numbers; raise `UsageError` for other values than node labels."""
    checked, shown = {}, "NodeLabels, with an array and a Vocabulary"
    for name, side in require_named(labels, "node_labels", NodeLabels, shown).items():
        node = word_numbers(side.node, name)
        checked[name] = side if node is side.node else NodeLabels(node, side.vocabulary)
    return checked


def numbered(texts: Iterable[str]) -> tuple[Words, Vocabulary]:
    """Number texts: return the number of each (0 for an empty text), and the vocabulary that maps numbers to texts."""
    rows = list(texts)
    vocabulary = Vocabulary.from_words(text for text in rows if text)
    return np.array([vocabulary.number(text) if text else EPSILON for text in rows], dtype=np.int32), vocabulary
