"""Turn confidences into tags: a word is BAD if its confidence is below a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.evaluation.word_tags.metrics import TagScores, tag_scores
from latticemetric.evaluation.word_tags.tags import WordTags

THRESHOLDS = tuple(k / 20 for k in range(1, 20))


@dataclass(frozen=True)
class ThresholdScores:
    """The scores at one threshold; words with lower confidence are BAD."""

    threshold: float
    scores: TagScores

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"threshold": self.threshold, **self.scores.asdict()}


@dataclass(frozen=True)
class ConfidenceSweep:
    """A confidence measure at several thresholds.

    Attributes:
        rows: Each threshold's scores, in increasing order.
        best: The threshold with the highest F1-mult (ties: the lowest threshold); `None` if F1-mult is never defined.
    """

    rows: tuple[ThresholdScores, ...]
    best: ThresholdScores | None


def sweep_thresholds(
    gold: WordTags, confidences: npt.ArrayLike, thresholds: Sequence[float] = THRESHOLDS
) -> ConfidenceSweep:
    """Tag words at each threshold by their confidence, and score the tags.

    Args:
        gold: The gold tags.
        confidences: The confidence of each word, one segment after the other.
        thresholds: The thresholds, in any order.

    Examples:
        >>> gold = WordTags.of(["OK BAD OK"])
        >>> found = sweep_thresholds(gold, [0.9, 0.3, 0.6], [0.25, 0.5, 0.75])
        >>> [(row.threshold, row.scores.f1_mult) for row in found.rows]
        [(0.25, 0.0), (0.5, 1.0), (0.75, 0.4444444444444444)]
        >>> found.best.threshold
        0.5
    """
    values = np.asarray(confidences, dtype=np.float64)
    if values.shape != gold.bad.shape:
        raise UsageError(f"{values.size} confidences for {gold.bad.size} words", advice="give one for each word")
    if np.isnan(values).any() or np.isnan(thresholds).any():
        raise UsageError("a confidence or a threshold is NaN; give numbers")
    if not len(thresholds):
        raise UsageError("there are no thresholds", advice="give some, like 0.25, 0.5, 0.75")
    rows = tuple(ThresholdScores(at, tag_scores(gold, gold.replaced(values < at))) for at in sorted(set(thresholds)))
    best = max((row for row in rows if row.scores.f1_mult is not None), key=_f1_mult, default=None)
    return ConfidenceSweep(rows, best)


def _f1_mult(row: ThresholdScores) -> float:
    assert row.scores.f1_mult is not None
    return row.scores.f1_mult
