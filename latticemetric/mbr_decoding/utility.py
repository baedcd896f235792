"""Utilities of MBR: functions that score a hypothesis against one string of the evidence as its reference.

A utility is a metric of this package, an external function of pairs of texts, or a matrix of known scores.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats, plain_array, require_items
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.formats.streams.advice import advice_for
from latticemetric.metrics.base import Metric, Text, words_of
from latticemetric.metrics.bleu import BLEU, BLEUSBP
from latticemetric.metrics.chrf import CHRF
from latticemetric.metrics.error_rates import MER, WIL, WIP
from latticemetric.metrics.meteor import METEOR
from latticemetric.metrics.pairs import ScoreRow, score_rows
from latticemetric.metrics.recognition import GRR, computes_by_gains
from latticemetric.metrics.registry import make_metric
from latticemetric.metrics.signature import Signature
from latticemetric.metrics.ter import TER
from latticemetric.metrics.unigram import Unigram
from latticemetric.renamed import says_new_keywords

PairFunction: TypeAlias = Callable[[list[str], list[str]], Sequence[float]]
"""A function of two lists of texts (hypotheses and references) that returns the score of each pair."""

Matrix = npt.NDArray[np.float64]

Utility: TypeAlias = "Metric[Any] | PairFunction | npt.ArrayLike | str | os.PathLike[str]"
"""A metric, a function of pairs, a matrix (one row per hypothesis, one column per reference), or its `.npy` file."""

Range: TypeAlias = tuple[float, float]

_FROM_0_TO_1 = (BLEU, BLEUSBP, CHRF, METEOR, Unigram, MER, WIL, WIP)

# The number of pairs that an external function gets at a time.
_PAIRS_A_CALL = 1 << 14

_String = tuple[str, ...]


class Scorer(Protocol):
    """A scorer of hypotheses against references; both are given as indices into lists of strings."""

    @property
    def name(self) -> str:
        """The name of the utility."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """False if the utility counts errors."""
        ...

    @property
    def limits(self) -> Range:
        """The smallest and the largest possible score."""
        ...

    @property
    def signature(self) -> Signature:
        """The signature of the computation: its name, parameters and version."""
        ...

    def rows(self, hypotheses: Sequence[int], references: Sequence[int]) -> Iterator[ScoreRow]:
        """Yield one row per reference: the score of each hypothesis. Both arguments are lists of indices."""
        ...


@dataclass(frozen=True)
class MetricScorer:
    """A scorer that uses a metric."""

    metric: Metric[Any]
    hypotheses: Sequence[_String]
    references: Sequence[_String]

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self.metric.name

    @property
    def higher_is_better(self) -> bool:
        """True if higher scores are better."""
        return self.metric.higher_is_better

    @property
    def limits(self) -> Range:
        """The smallest and the largest possible score; infinite if unknown."""
        # Compare the class itself: a subclass may compute other scores.
        kind = type(self.metric)
        if isinstance(self.metric, BLEU) and (self.metric.smoothing_value or 0) > 1:
            return 0.0, math.inf  # with `floor`, a precision may exceed 1
        if kind in _FROM_0_TO_1:
            return 0.0, 1.0
        if kind is TER:
            return 0.0, math.inf
        if isinstance(self.metric, GRR) and computes_by_gains(self.metric):
            return self.metric.bounds
        return -math.inf, math.inf

    @property
    def signature(self) -> Signature:
        """The signature of the metric."""
        return self.metric.signature

    def rows(self, hypotheses: Sequence[int], references: Sequence[int]) -> Iterator[ScoreRow]:
        """Yield one row per reference: the score of each hypothesis. Both arguments are lists of indices."""
        candidates, expected = [self.hypotheses[k] for k in hypotheses], [self.references[k] for k in references]
        return score_rows(self.metric, candidates, expected)


@dataclass(frozen=True)
class FunctionScorer:
    """A scorer that calls an external function of texts."""

    function: PairFunction
    hypotheses: Sequence[_String]
    references: Sequence[_String]
    higher_is_better: bool
    limits: Range

    @property
    def name(self) -> str:
        """The name of the function, or of its class."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def signature(self) -> Signature:
        """The name of the function, and the number of references per hypothesis (1)."""
        return Signature(self.name, {"refs": "1"})

    def rows(self, hypotheses: Sequence[int], references: Sequence[int]) -> Iterator[ScoreRow]:
        """Yield one row per reference: the score of each hypothesis. Both arguments are lists of indices."""
        candidates = [" ".join(self.hypotheses[k]) for k in hypotheses]
        together = max(1, _PAIRS_A_CALL // max(1, len(candidates)))
        for first in range(0, len(references), together):
            expected = [" ".join(self.references[k]) for k in references[first : first + together]]
            texts = [text for text in expected for _ in candidates]
            scores = floats(self.function(candidates * len(expected), texts), f"scores of {shortened(self.name)}")
            if scores.shape != (len(texts),):
                raise UsageError(
                    f"the utility {shortened(self.name)} returns scores of shape {scores.shape} for {len(texts)} pairs",
                    advice="return one number for each pair",
                )
            what = f"the utility {shortened(self.name)}"
            _require_scores(scores, self.limits, what, lambda at: shortened(repr(candidates[at % len(candidates)])))
            yield from (ScoreRow(row, exact=True) for row in scores.reshape(len(expected), len(candidates)))


@dataclass(frozen=True, eq=False)
class MatrixScorer:
    """A scorer that looks up scores in a matrix: hypothesis k has row `row[k]`, reference k has column `column[k]`."""

    matrix: Matrix
    row: Sequence[int]
    column: Sequence[int]
    higher_is_better: bool
    limits: Range

    name = "matrix"

    @property
    def signature(self) -> Signature:
        """The signature of scores from a matrix."""
        return Signature(self.name, {"refs": "1"})

    def rows(self, hypotheses: Sequence[int], references: Sequence[int]) -> Iterator[ScoreRow]:
        """Yield one row per reference: the score of each hypothesis. Both arguments are lists of indices."""
        rows = [self.row[k] for k in hypotheses]
        return (ScoreRow(self.matrix[rows, self.column[k]], exact=True) for k in references)


@says_new_keywords
def utility_matrix(
    utility: Metric[Any] | PairFunction | str, hypotheses: Sequence[Text], references: Sequence[Text] | None = None
) -> Matrix:
    """Return a matrix of scores: each hypothesis is scored against each single reference; NaN if undefined.

    Save a matrix with `numpy.save`, and pass it to `mbr` as `utility=`, or to the command line as `--utility-matrix`.

    Args:
        utility: A metric, its name, or a function of two lists of texts of equal length (hypotheses and references)
            that returns the score of each pair.
        hypotheses: Strings, or lists of words; one row each.
        references: Strings, or lists of words; one column each. By default, the hypotheses.

    Examples:
        >>> utility_matrix("wrr", ["a b", "a c", "a"], ["a b", "a"]).tolist()
        [[1.0, 0.0], [0.5, 0.0], [0.5, 1.0]]
        >>> def same_length(hypotheses, references):
        ...     return [float(len(h) == len(r)) for h, r in zip(hypotheses, references, strict=True)]
        >>> utility_matrix(same_length, ["a b", "a c", "a"]).sum(axis=1).tolist()
        [2.0, 2.0, 1.0]
    """
    for name, texts in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(texts, str):
            raise UsageError("a single string is given, but a list of strings is needed", advice="put it into a list")
        if texts is not None or name == "hypotheses":
            require_items(texts, name)
    candidates = [words_of(text) for text in hypotheses]
    expected = candidates if references is None else [words_of(text) for text in references]
    if isinstance(utility, str):
        utility = make_metric(utility)
    scorer: Scorer
    if isinstance(utility, Metric):
        scorer = MetricScorer(utility, candidates, expected)
    elif callable(utility):
        scorer = FunctionScorer(utility, candidates, expected, higher_is_better=True, limits=(-math.inf, math.inf))
    else:
        raise UsageError(
            f"a {type(utility).__name__} is not a utility", advice="give a metric, its name, or a function"
        )
    matrix = np.empty((len(candidates), len(expected)))
    for k, row in enumerate(scorer.rows(range(len(candidates)), range(len(expected)))):
        matrix[:, k] = row.scores
    return matrix


def checked_matrix(given: Any, limits: Range = (-math.inf, math.inf), *, where: str | None = None) -> Matrix:
    """Return the matrix of a utility, given as an array, nested lists, or the name of a `.npy` file.

    Raises:
        InputError: `given` is not a matrix of numbers, or a number is not finite or outside of the limits.
    """
    if isinstance(given, str | os.PathLike):
        where = os.fspath(given)
        given = _read_matrix(where)
    try:
        matrix = np.asarray(plain_array(given))
    except ValueError:  # nested lists of different lengths
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":  # noqa: PLR2004  rows and columns
        raise InputError(
            "the utility is not a matrix of numbers",
            where=where,
            advice="give one row per hypothesis and one column per reference",
        )
    values = matrix.astype(np.float64)
    _require_scores(values, limits, "the matrix", lambda at: f"row {at // values.shape[1]}", where)
    return values


@contextmanager
def opened_matrices(path: str) -> Iterator[Mapping[str, Any]]:
    """Open an `.npz` file with one matrix per id."""
    with _reading(path):
        file = np.load(path, allow_pickle=False)
        if isinstance(file, np.ndarray):
            raise InputError(
                "this file holds a single array", where=path, advice="give an .npz file with one array per graph id"
            )
    with file:
        yield _Matrices(file, path)


class _Matrices(Mapping[str, Any]):
    """The arrays of an open `.npz` file by name; a damaged array raises an error that names the file and the array."""

    def __init__(self, file: Mapping[str, Any], path: str) -> None:
        self._file, self._path = file, path

    def __getitem__(self, name: str) -> Any:
        with _reading(f"{self._path} ({shortened(name)})"):
            return self._file[name]

    def __contains__(self, name: object) -> bool:
        return name in self._file

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __len__(self) -> int:
        return len(self._file)


def _read_matrix(path: str) -> Any:
    with _reading(path):
        found = np.load(path, allow_pickle=False)
        if not isinstance(found, np.ndarray):
            found.close()
            found = np.empty(0, dtype=object)
        return found


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Turn NumPy's errors inside the `with` block into an `InputError` that names the file."""
    try:
        yield
    except OSError as error:
        what = f"the matrix cannot be read: {error.strerror or error}"
        raise InputError(what, where=path, advice=advice_for(path, error)) from None
    except (ValueError, EOFError, MemoryError, SyntaxError, BadZipFile, zlib.error, NotImplementedError) as error:
        advice = "write it with numpy.save (.npy) or numpy.savez (.npz)"
        raise InputError(f"this is not a matrix of NumPy: {shortened(str(error))}", where=path, advice=advice) from None


def _require_scores(
    values: Matrix, limits: Range, what: str, place: Callable[[int], str], where: str | None = None
) -> None:
    """Raise `InputError` if a score is NaN, infinite or outside of the range.

    `PairPruning.certified` relies on this range. `place` returns the place of a score, given its index in `values`.
    """
    flat, (low, high) = values.ravel(), limits
    for wrong, advice in (
        (~np.isfinite(flat), "give finite scores"),
        ((flat < low) | (flat > high), f"give a utility_range that includes all scores, not ({low:g}, {high:g})"),
    ):
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise InputError(f"{what} has the score {flat[at]} ({place(at)})", where=where, advice=advice)


def checked_limits(limits: Range | None) -> Range:
    """Return the range of an external utility; infinite if it is `None`."""
    if limits is None:
        return -math.inf, math.inf
    try:
        low, high = map(float, limits)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low <= high:
        raise UsageError(f"utility_range is {limits!r}", advice="give the smallest and the largest score: (0, 1)")
    return low, high
