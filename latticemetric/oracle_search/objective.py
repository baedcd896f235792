"""The objective of hope and fear: a recognition rate weighed against the model's cost, and its best strings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from latticemetric.automata.recognition import ngram_total
from latticemetric.errors import InputError, UsageError
from latticemetric.metrics.recognition import GRR

# ---- A recognition rate weighed against the model's cost ----

On = Literal["rate", "numerator"]


class Worth(NamedTuple):
    """What the metric makes of a string: its weighed value, and the reference that has it (ties: the first)."""

    value: Fraction
    reference: tuple[str, ...]


@dataclass(frozen=True)
class Weighing:
    """What is weighed.

    Attributes:
        metric: The metric.
        references: Those that compete.
        shares: What a unit of gain against each of them weighs.
        costs_count: Whether costs are weighed too, or only decide among equals.
        ill: Whether strings that score ill are wanted.
    """

    metric: GRR
    references: tuple[tuple[str, ...], ...]
    shares: tuple[Fraction, ...]
    costs_count: bool
    ill: bool

    def worth(self, words: Sequence[str]) -> Worth:
        """What a string is worth, by the string metric."""
        gains = [self.metric.gain(self.metric.statistics(words, [reference])) for reference in self.references]
        values = [gain * share for gain, share in zip(gains, self.shares, strict=True)]
        best = values.index(max(values))
        return Worth(values[best], self.references[best])

    def value(self, worth: Fraction, cost: float) -> float:
        """What is maximised: what is worth something, or not, less the cost."""
        value = (-worth if self.ill else worth) - (Fraction(cost) if self.costs_count else 0)
        try:
            return float(value)
        except OverflowError:
            raise InputError("the weight is too large to be added up", advice="choose a smaller one") from None


def weighed(
    metric: GRR, references: Sequence[Sequence[str]], weight: float | Fraction, on: str, *, ill: bool
) -> Weighing:
    """The metric's rate or numerator times a weight, against costs."""
    if not (math.isfinite(weight) and weight >= 0):
        raise UsageError(f"the weight of {'fear' if ill else 'hope'} is {weight}, and not a number from 0 on")
    if on not in {"rate", "numerator"}:
        raise UsageError(f"the rate or the numerator is weighed, not '{on}'")
    compared = comparable(references, metric) if on == "rate" else references
    shares = [Fraction(weight) / _units(reference, metric, on) for reference in compared]
    return Weighing(metric, tuple(map(tuple, compared)), tuple(shares), costs_count=True, ill=ill)


def worst_first(metric: GRR, references: Sequence[Sequence[str]]) -> Weighing:
    """The rate alone; costs decide among strings that score as ill."""
    compared = comparable(references, metric)
    shares = [1 / Fraction(_units(reference, metric, "rate")) for reference in compared]
    return Weighing(metric, tuple(map(tuple, compared)), tuple(shares), costs_count=False, ill=True)


def comparable(references: Sequence[Sequence[str]], metric: GRR) -> Sequence[Sequence[str]]:
    """A rate that is undefined, for want of words, is none beside those that are not."""
    return [reference for reference in references if metric.counted(reference)] or references


def _units(reference: Sequence[str], metric: GRR, on: str) -> int:
    """How many units of gain make a rate, or a numerator, of one."""
    total = ngram_total(len(metric.counted(reference)), metric.order) if on == "rate" else 1
    return metric.gains.unit * (total or 1)


def rounded_up(value: Fraction) -> float:
    """The least 64-bit number that is no smaller."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)
