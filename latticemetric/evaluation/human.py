"""Human scores of segments and systems, computed from judgments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats
from latticemetric.evaluation.systems import snap_matrix
from latticemetric.frozen import Frozen
from latticemetric.judgments import WHOLE_SYSTEM, Judgments

Combination = Literal["sum", "mean"]

# Sets of columns that are combined into one score. With other columns, the user has to choose one column.
_BELONG_TOGETHER = ({"adequacy", "fluency"},)


@dataclass(frozen=True, eq=False)
class HumanScores(Frozen):
    """Human scores, to compare metrics with.

    Attributes:
        systems: Names of the systems.
        segment: Scores of segments: one row per system, one column per segment; NaN if nobody judged it.
        system: Scores that people or a campaign gave to whole systems; NaN if missing. `None` if all are missing; then
            the score of a system is the mean of its segment scores.
        notes: Notes for the reader, on missing judgments or scores, and on judges whose scores in a column are all
            equal.
    """

    systems: tuple[str, ...]
    segment: Floats
    system: Floats | None
    notes: tuple[str, ...] = ()


def human_scores(judgments: Judgments, *, combine: Combination = "sum", normalize_judges: bool = False) -> HumanScores:
    """Compute human scores: average over judges, then combine the columns (Lavie et al. 2004, section 3.1).

    Args:
        judgments: The judgments; their columns are adequacy and fluency, or one column of any name.
        combine: How to combine several columns: by their `sum` or their `mean`.
        normalize_judges: First standardise each judge's scores in each column to mean 0 and variance 1. If all scores
            of a judge in a column are equal, they become 0.

    Raises:
        UsageError: There are several columns other than adequacy and fluency.
    """
    if combine not in get_args(Combination):
        raise UsageError(f"columns of scores cannot be combined by '{combine}'", advice="choose sum or mean")
    if len(judgments.columns) > 1 and set(judgments.columns) not in _BELONG_TOGETHER:
        raise UsageError(
            f"judgments have several columns of scores: {', '.join(judgments.columns)}",
            advice="choose one of them with human_scores=…",
        )
    notes = _missing_judgments(judgments)
    if normalize_judges:
        judgments, indifferent = _normalized(judgments)
        notes += [f"all scores of judge {name} in a column are equal: they become 0" for name in indifferent]
    # Average over judges, by system, segment and column. WHOLE_SYSTEM is -1: scores of whole systems come last.
    shape = (len(judgments.systems), judgments.segments + 1, len(judgments.columns))
    sums, counts = np.zeros(shape), np.zeros(shape)
    there = ~np.isnan(judgments.scores)
    np.add.at(sums, (judgments.system, judgments.segment), np.where(there, judgments.scores, 0.0))
    np.add.at(counts, (judgments.system, judgments.segment), there)
    with np.errstate(invalid="ignore"):
        scores: Floats = sums / counts
    together = scores.sum(axis=-1) if combine == "sum" else scores.mean(axis=-1)
    # Means of the same scores in another order differ by rounding, but they are ties.
    segments, whole = snap_matrix(together[:, :-1], judgments.scores), together[:, WHOLE_SYSTEM]
    by_people = not np.isnan(whole).all()
    missing = np.isnan(whole) if by_people else np.isnan(together[:, :-1]).all(axis=-1)
    if missing.any() and not missing.all():
        names = ", ".join(judgments.systems[k] for k in np.flatnonzero(missing))
        notes.append(f"{names}: no human score; leave these systems out to correlate the others")
    return HumanScores(judgments.systems, segments, whole if by_people else None, tuple(notes))


def _normalized(judgments: Judgments) -> tuple[Judgments, list[str]]:
    """Standardise each judge's scores; also return the judges whose scores are all equal in some column."""
    found = judgments.scores.copy()
    indifferent = []
    for number, name in enumerate(judgments.judges):
        rows = judgments.judge == number
        if not rows.any():
            continue
        scores = found[rows]
        there = ~np.isnan(scores)
        count = np.maximum(1, there.sum(axis=0))
        centred = np.where(there, scores - np.where(there, scores, 0.0).sum(axis=0) / count, 0.0)
        deviation = np.sqrt((centred**2).sum(axis=0) / count)
        constant = np.where(there, scores, -np.inf).max(axis=0) <= np.where(there, scores, np.inf).min(axis=0)
        standard = np.where(constant, 0.0, centred / np.where(constant, 1.0, deviation))
        found[rows] = np.where(there, standard, np.nan)
        if (constant & there.any(axis=0)).any():
            indifferent.append(name)
    return replace(judgments, scores=found), indifferent


def _missing_judgments(judgments: Judgments) -> list[str]:
    """Return a note for each system with unjudged segments; return no notes if no segment is judged."""
    judged = np.zeros((len(judgments.systems), judgments.segments + 1), dtype=bool)
    complete = ~np.isnan(judgments.scores).any(axis=-1)
    judged[judgments.system[complete], judgments.segment[complete]] = True
    counts = judged[:, :-1].sum(axis=-1)
    if not counts.any():
        return []
    return [
        f"{name}: {judgments.segments - count} of {judgments.segments} segments have no judgment"
        for name, count in zip(judgments.systems, counts.tolist(), strict=True)
        if count < judgments.segments
    ]
