"""Human judgments of systems' outputs, as columns with one row per judgment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError, UsageError
from latticemetric.frozen import Frozen

WHOLE_SYSTEM = -1
"""The segment number of a judgment of a whole system."""


@dataclass(frozen=True, eq=False)
class Judgments(Frozen):
    """Rows of scores; each row comes from one judge.

    Attributes:
        systems: Names of the systems.
        segments: The number of segments.
        judges: Names of the judges.
        columns: The kinds of scores: `adequacy`, `fluency`, …
        system: The system of each row.
        segment: The segment of each row, or `WHOLE_SYSTEM`.
        judge: The judge of each row.
        scores: One row per judgment, one column per kind of score; NaN if missing.
    """

    systems: tuple[str, ...]
    segments: int
    judges: tuple[str, ...]
    columns: tuple[str, ...]
    system: npt.NDArray[np.int64]
    segment: npt.NDArray[np.int64]
    judge: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        rows = len(self.system)
        if not rows:
            raise InputError("there are no judgments")
        if {len(self.segment), len(self.judge), len(self.scores)} != {rows}:
            raise UsageError("the columns of judgments differ in length")
        for numbers, least, names in (
            (self.system, 0, len(self.systems)),
            (self.segment, WHOLE_SYSTEM, self.segments),
            (self.judge, 0, len(self.judges)),
        ):
            if numbers.min() < least or numbers.max() >= names:
                raise UsageError(f"a judgment has the index {numbers.max()}, but there are only {names} names")
        if self.scores.shape != (rows, len(self.columns)):
            raise UsageError(f"scores have shape {self.scores.shape}, not {(rows, len(self.columns))}")
        super().__post_init__()
        if np.isinf(self.scores).any():
            raise InputError(
                "a score of a judgment is infinite", advice="give a finite number, or NaN for a missing score"
            )

    def select(self, columns: Sequence[str]) -> Judgments:
        """Return the same rows with only these columns of scores."""
        unknown = [name for name in columns if name not in self.columns]
        if unknown or not columns:
            raise UsageError(
                f"there is no column '{unknown[0]}' of scores" if unknown else "no column of scores is named",
                advice=f"choose among {', '.join(self.columns)}",
            )
        scores = self.scores[:, [self.columns.index(name) for name in columns]]
        return replace(self, columns=tuple(columns), scores=scores)
