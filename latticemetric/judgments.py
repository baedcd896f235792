"""Human judgments of system outputs, as columns with one row per judgment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats, plain_array
from latticemetric.errors import InputError, UsageError
from latticemetric.frozen import Frozen

WHOLE_SYSTEM = -1
"""The segment number of a judgment of a whole system."""


@dataclass(frozen=True, eq=False)
class Judgments(Frozen):
    """Human judgments of system outputs; each row has the scores that one judge gave.

    Attributes:
        systems: Names of the systems.
        segments: Number of segments.
        judges: Names of the judges.
        columns: The kinds of scores: `adequacy`, `fluency`, …
        system: The index of each row's system in `systems`.
        segment: The segment number of each row, from 0; `WHOLE_SYSTEM` (−1) for a judgment of a whole system.
        judge: The index of each row's judge in `judges`.
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
        plain: dict[str, Any] = {name: _integers(getattr(self, name), name) for name in ("system", "segment", "judge")}
        plain |= {name: tuple(getattr(self, name)) for name in ("systems", "judges", "columns")}
        for name, value in {**plain, "scores": floats(self.scores, "scores")}.items():
            object.__setattr__(self, name, value)
        rows = len(self.system)
        if not rows:
            raise InputError("there are no judgments")
        if {len(self.segment), len(self.judge), len(self.scores)} != {rows}:
            raise UsageError("the columns of judgments differ in length")
        for what, numbers, least, names in (
            ("system", self.system, 0, len(self.systems)),
            ("segment", self.segment, WHOLE_SYSTEM, self.segments),
            ("judge", self.judge, 0, len(self.judges)),
        ):
            if numbers.min() < least or numbers.max() >= names:
                wrong = numbers.min() if numbers.min() < least else numbers.max()
                raise UsageError(f"a judgment has {what} number {wrong}, outside {least} … {names - 1}")
        if self.scores.shape != (rows, len(self.columns)):
            raise UsageError(f"scores have shape {self.scores.shape}, not {(rows, len(self.columns))}")
        super().__post_init__()
        if np.isinf(self.scores).any():
            raise InputError(
                "a score of a judgment is infinite", advice="give a finite number, or NaN for a missing score"
            )

    def select(self, columns: Sequence[str]) -> Judgments:
        """Return all rows with only these columns of scores; raise an error for an unknown column or no columns."""
        unknown = [name for name in columns if name not in self.columns]
        if unknown or not columns:
            raise UsageError(
                f"there is no score column '{unknown[0]}'" if unknown else "no score column is given",
                advice=f"choose among {', '.join(self.columns)}",
            )
        scores = self.scores[:, [self.columns.index(name) for name in columns]]
        return replace(self, columns=tuple(columns), scores=scores)


def _integers(given: npt.ArrayLike, name: str) -> npt.NDArray[np.int64]:
    """Return the numbers of a column as integers; raise `UsageError` if they are something else."""
    array = np.asarray(plain_array(given))
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise UsageError(f"the numbers of a {name} are not one list of integers", advice="give one per judgment")
    return array.astype(np.int64, copy=False)
