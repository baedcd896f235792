"""The 1-bests that kernels find in many lattices, as columns. Objects are made when somebody needs them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.cached import cached_property
from latticemetric.corpus.oracle_columns import COLUMNS, PathColumns
from latticemetric.display.record_columns import Floats, ListColumn
from latticemetric.frozen import FrozenDict
from latticemetric.posterior.best import BestPath


class FoundBest:
    """The 1-bests of many lattices.

    Attributes:
        names: The ids of the lattices.
    """

    def __init__(self, names: list[str], paths: Any, steps: Any, confidences: Any) -> None:
        """Take ids, and what the kernel returns for these lattices."""
        self.names, self._paths = names, PathColumns.of(paths)
        self._steps, self._confidences = ListColumn(*steps), ListColumn(*confidences)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _posteriors(self) -> Floats:
        """The probability of each path, as `product_of` has it."""
        with np.errstate(divide="ignore"):
            logs = np.log(self._steps.values).tolist()
        spans = pairwise(self._steps.begin.tolist())
        return np.array([math.exp(min(0.0, math.fsum(logs[begin:end]))) for begin, end in spans])

    def path(self, row: int) -> BestPath:
        """Return the 1-best of a lattice."""
        text = self._paths.words.at(row)
        cost, *of_columns = self._paths.costs[row].tolist()
        return BestPath(
            words=tuple(text.split(" ")) if text else (),
            cost=cost,
            scores=FrozenDict(zip(COLUMNS, of_columns, strict=True)),
            posterior=float(self._posteriors[row]),
            confidences=tuple(self._confidences.at(row)),
            times=None,
            arcs=tuple(self._paths.arcs.at(row)),
            edges=(),
            derivation=None,
        )

    # ---- All lattices ----

    @cached_property
    def is_written(self) -> npt.NDArray[np.bool_]:
        """True for lattices whose `fields` are those of their records: their costs are finite."""
        finite: npt.NDArray[np.bool_] = np.isfinite(self._paths.costs)
        written: npt.NDArray[np.bool_] = np.logical_and.reduce(finite, axis=1)
        return written

    def fields(self) -> dict[str, Any]:
        """Return the fields of the records as `BestPath.asdict` gives them."""
        costs = np.where(np.isfinite(self._paths.costs), self._paths.costs, 0.0)
        return {
            "hypothesis": self._paths.words,
            "cost": np.ascontiguousarray(costs[:, 0]),
            "scores": {name: np.ascontiguousarray(costs[:, k]) for k, name in enumerate(COLUMNS, start=1)},
            "posterior": self._posteriors,
            "confidences": self._confidences,
            "times": None,
            "arcs": self._paths.arcs,
        }


class BestRow(NamedTuple):
    """The 1-best of one of many lattices."""

    found: FoundBest
    number: int

    def value(self) -> BestPath:
        """Return the 1-best."""
        return self.found.path(self.number)
