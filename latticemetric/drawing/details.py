"""Numbers that are written beside words: posteriors and scores of arcs or edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.lattice import Column


def details(
    number: int, posteriors: npt.ArrayLike | None, columns: Mapping[str, Column], scores: Sequence[str]
) -> Callable[[int], str]:
    """What writes the numbers of an arc.

    Args:
        number: How many arcs (or edges) there are.
        posteriors: The probability of each, if it is to be written.
        columns: The graph's score columns.
        scores: The names of those that are to be written.
    """
    values = None if posteriors is None else np.asarray(posteriors, dtype=np.float64)
    if values is not None and values.shape != (number,):
        raise UsageError(f"there are {values.size} posteriors for {number} arcs", advice="give one for each")
    for name in scores:
        if name not in columns:
            known = ", ".join(columns) or "none"
            raise UsageError(f"there is no score column '{name}'", advice=f"the columns here are: {known}")

    def written(arc: int) -> str:
        parts = [] if values is None else [probability(float(values[arc]))]
        return ", ".join([*parts, *(f"{name} {columns[name].arc[arc]:.4g}" for name in scores)])

    return written


def probability(value: float) -> str:
    """A probability as it is written in a picture; what is little is never written as nothing."""
    rounded = f"{min(value, 1.0):.2f}"
    return "<0.01" if value > 0 and rounded == "0.00" else rounded
