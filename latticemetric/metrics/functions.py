"""Metrics made of plain functions of a hypothesis and a reference, as plug-ins and notebooks have them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import single_number
from latticemetric.errors import UsageError, shortened
from latticemetric.frozen import freeze
from latticemetric.metrics.base import Effects, References, Table, TallyMetric, Text, check_flags, paired
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import listed_words

TextFunction: TypeAlias = Callable[..., Any]
"""A function of two texts, a hypothesis and a reference, that returns their score; `None` or NaN if undefined."""


@dataclass(frozen=True)
class FunctionMetric(TallyMetric):
    """A metric that calls a function; see `metric_from_function`.

    Attributes:
        function: The function of a hypothesis and a reference, both strings.
        name: The name of the metric.
        higher_is_better: False if the function counts errors.
        parameters: Further arguments of the function, by name.
    """

    function: TextFunction
    name: str = "function"
    higher_is_better: bool = True
    parameters: Mapping[str, Any] = field(default_factory=dict)

    columns = ("score", "segments")
    is_fraction = False

    def __post_init__(self) -> None:
        check_flags(higher_is_better=self.higher_is_better)
        freeze(self, "parameters")

    def _parameters(self) -> dict[str, str]:
        module, name = (getattr(self.function, key, None) for key in ("__module__", "__qualname__"))
        own = type(self.function).__qualname__ if name is None else name
        called = f"{module}.{own}" if module else str(own)
        return {"function": called, **{name: str(value) for name, value in self.parameters.items()}}

    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return one row per segment: its best score over the references, and 1; zeros if all are undefined."""
        best = max if self.higher_is_better else min
        rows = []
        for hypothesis, several in zip(map(_joined, hypotheses), paired(hypotheses, references), strict=True):
            scores = (self._score(hypothesis, _joined(reference)) for reference in several)
            known = [score for score in scores if score is not None]
            rows.append((best(known), 1.0) if known else (0.0, 0.0))
        return np.array(rows, dtype=np.float64).reshape(-1, 2)

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return Effects.of(up="score", sizes="segments", columns=self.columns)

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the mean score of each row of summed statistics; NaN if no segment has a score."""
        total, segments = np.moveaxis(sums, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(segments > 0, total / segments, np.nan)

    def _score(self, hypothesis: str, reference: str) -> float | None:
        try:
            value = self.function(hypothesis, reference, **self.parameters)
        except Exception as error:  # the function of another package may raise anything
            raise UsageError(
                f"the metric {shortened(self.name)} fails on {shortened(repr(hypothesis))} and "
                f"{shortened(repr(reference))}: {_in_one_line(error)}",
                advice="correct the function",
            ) from error
        if value is None:
            return None
        try:
            number = float(single_number(value))
        except (TypeError, ValueError, OverflowError):
            number = math.inf
        if math.isinf(number) or isinstance(value, str | bytes):
            raise UsageError(
                f"the metric {shortened(self.name)} returns {shortened(repr(value))}",
                advice="return a finite number, or None where there is no score",
            )
        return None if math.isnan(number) else number


@says_new_keywords
def metric_from_function(
    function: TextFunction,
    name: str | None = None,
    *,
    higher_is_better: bool | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> FunctionMetric:
    """Return a metric that calls a function of two strings: a hypothesis and a reference.

    The score of a segment is the best over its references, the score of a corpus the mean over its segments with a
    score. The signature names the function.

    Args:
        function: The function. It returns a number; `None` or NaN if the score is undefined.
        name: The name of the metric; by default, the name of the function.
        higher_is_better: False if the function counts errors; by default, the function's attribute of this name, or
            True.
        parameters: Further arguments of the function, by name; the signature lists them.

    Raises:
        UsageError: The function does not take a hypothesis, a reference and the parameters.

    Examples:
        >>> def same_length(hypothesis, reference):
        ...     return float(len(hypothesis.split()) == len(reference.split()))
        >>> metric = metric_from_function(same_length)
        >>> metric.corpus(["a b", "c d"], ["x y", "z"]).score
        0.5
    """
    given = dict(parameters or {})
    if takes_texts(function) and not takes_texts(function, **given):
        raise UsageError(
            f"metric '{shortened(str(name))}' has no parameter '{next(iter(given))}'",
            advice="leave the parameter out, or choose another metric",
        )
    if not takes_texts(function, **given):
        what = getattr(function, "__name__", type(function).__name__)
        raise UsageError(
            f"{shortened(str(what))} is not a function of a hypothesis and a reference",
            advice="give one that takes two strings",
        )
    if name is None:
        name = str(getattr(function, "__name__", type(function).__name__))
    if not isinstance(name, str) or not name:
        raise UsageError(f"{name!r} is not the name of a metric", advice="give a name like 'length'")
    if higher_is_better is None:
        higher_is_better = bool(getattr(function, "higher_is_better", True))
    return FunctionMetric(function, name, higher_is_better, given)


def takes_texts(function: object, **parameters: Any) -> bool:
    """Check whether something is a function that can be called with two texts and these parameters."""
    if not callable(function) or isinstance(function, type):
        return False
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions of C tell nothing
        return True
    try:
        signature.bind("", "", **parameters)
    except TypeError:
        return False
    return True


def needs_texts(function: object) -> bool:
    """Check whether something is a function that cannot be called without texts, so that it is no factory."""
    if not takes_texts(function):
        return False
    try:
        inspect.signature(function).bind()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return True
    return False


def _joined(text: Text) -> str:
    return text if isinstance(text, str) else " ".join(listed_words(text))


def _in_one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
