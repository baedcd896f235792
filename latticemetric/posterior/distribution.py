"""The common base class of distributions over paths of a lattice and over derivations of a forest."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Frozen
from latticemetric.lattice.lattice import Costs, Floats, Lattice, Scales

if TYPE_CHECKING:
    from latticemetric.posterior.ngrams import NgramPosteriors


@dataclass(frozen=True, eq=False)
class Distribution(ABC, Frozen):
    """Probabilities exp(−cost), normalised.

    Attributes:
        log_total: Logarithm of the sum of exp(−cost).
        transition: The probability of each arc or edge, given its source state or head node.
        ending: The probability of ending in each final state or goal.
    """

    log_total: float
    transition: Floats
    ending: Floats

    @property
    def entropy(self) -> float:
        """The entropy of the distribution over paths or derivations, in nats."""
        steps = np.concatenate([self.transition, self._ending_step()])
        weights = np.concatenate([self._taken(), self.ending])
        taken = weights > 0
        return float(-(weights[taken] * np.log(steps[taken])).sum()) + 0.0

    @abstractmethod
    def ngrams(self, order: int) -> NgramPosteriors:
        """Return the probability of each n-gram of up to `order` words."""

    @abstractmethod
    def _taken(self) -> Floats:
        """Return the mean number of uses of each arc or edge."""

    @abstractmethod
    def _ending_step(self) -> Floats:
        """Return the probability of each ending, given its state; for goals, the probability of choosing the goal."""

    def words(self) -> dict[str, float]:
        """Return, for each word, the probability that a path has it at least once."""
        return self.ngrams(1).words()

    def _expected(self, values: npt.ArrayLike, final_values: npt.ArrayLike | None) -> float:
        total = _weighed_sum(self._taken(), values)
        return total if final_values is None else total + _weighed_sum(self.ending, final_values)


def _weighed_sum(weights: Floats, values: npt.ArrayLike) -> float:
    aligned = np.asarray(values, dtype=np.float64)
    if aligned.shape != weights.shape:
        raise UsageError(f"there are {aligned.size} values", advice=f"give {len(weights)}, in the graph's order")
    return float(weights @ aligned)


def scaled_cost(graph: Lattice | Forest, scale: float, scales: Scales | None) -> Costs:
    """Return the model's cost times `scale`. Costs may be infinite: check results with `require_finite`."""
    if not math.isfinite(scale):
        raise UsageError(f"the scale is {scale}, not a finite number")
    cost = graph.cost(scales)
    ends = graph.final if isinstance(graph, Lattice) else graph.goals
    ending = np.full(len(cost.final), np.inf)
    with np.errstate(over="ignore"):
        ending[ends] = cost.final[ends] * scale
        return Costs(cost.arc * scale, ending)


def require_finite(*sums: float | Floats) -> None:
    """Raise an error if sums of costs are not finite."""
    if not all(np.isfinite(values).all() for values in sums):
        raise InputError("the costs are too large to be added up", advice="choose smaller scales")
