"""Evaluation of word tags of several systems (with the tables of Logacheva et al. 2016), and of word confidences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import ROUNDING
from latticemetric.evaluation.word_tags.discrimination import SYNTHETIC, Discrimination, discriminate, synthetic_tags
from latticemetric.evaluation.word_tags.metrics import TagScores, scores_of_table, tag_scores, tag_table
from latticemetric.evaluation.word_tags.sampling import RepeatedSampling, repeated_sampling
from latticemetric.evaluation.word_tags.tags import WordTags, check_same_words
from latticemetric.frozen import Frozen
from latticemetric.metrics.base import Table


@dataclass(frozen=True, eq=False)
class TagEvaluation(Frozen):
    """Tags of systems, compared with gold tags.

    Attributes:
        gold: The gold tags.
        tables: Statistics of each system, by name.
    """

    gold: WordTags
    tables: Mapping[str, Table]

    @classmethod
    def of(cls, gold: WordTags, systems: Mapping[str, WordTags], gold_name: str = "gold") -> TagEvaluation:
        """Compare the tags of systems with the gold tags.

        Args:
            gold: The gold tags.
            systems: The tags of each system for the same words, by the system's name.
            gold_name: The name of the gold tags in error messages.
        """
        if not systems:
            raise UsageError("there are no predicted tags", advice="give the tags of at least one system")
        for name, tags in systems.items():
            check_same_words(gold, tags, (gold_name, name))
        return cls(gold, {name: tag_table(gold, tags) for name, tags in systems.items()})

    def scores(self) -> dict[str, TagScores]:
        """Return the scores of each system."""
        return {name: scores_of_table(table) for name, table in self.tables.items()}

    def synthetic_scores(self, seed: int = 0) -> dict[str, TagScores]:
        """Return the scores of each trivial baseline of `synthetic_tags`, for example all words tagged BAD."""
        return {kind: tag_scores(self.gold, synthetic_tags(self.gold, kind, seed)) for kind in SYNTHETIC}

    def discrimination(self, *, alpha: float = 0.05, trials: int | None = None, seed: int = 0) -> list[Discrimination]:
        """Test pairs of systems under each metric, and compare systems with trivial baselines; see `discriminate`."""
        synthetic = {kind: tag_table(self.gold, synthetic_tags(self.gold, kind, seed)) for kind in SYNTHETIC}
        return discriminate(self.tables, synthetic, alpha=alpha, trials=trials, seed=seed)

    def repeated_sampling(self, **parameters: Any) -> RepeatedSampling:
        """Call `repeated_sampling` with these systems and gold tags (table 2 of Logacheva et al. 2016)."""
        return repeated_sampling(tag_table(self.gold, self.gold), list(self.tables.values()), **parameters)


# ---- Confidences: a word is BAD if its confidence is below a threshold ----

THRESHOLDS = tuple(k / 20 for k in range(1, 20))


@dataclass(frozen=True)
class ThresholdScores:
    """The scores at one threshold: words with a confidence below the threshold are BAD."""

    threshold: float
    scores: TagScores

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"threshold": self.threshold, **self.scores.asdict()}


@dataclass(frozen=True)
class ConfidenceSweep:
    """The scores of a confidence measure at several thresholds.

    Attributes:
        rows: The scores at each threshold, in increasing order of thresholds.
        best: The row with the highest F1-mult (ties: the lowest threshold); `None` if F1-mult is never defined.
    """

    rows: tuple[ThresholdScores, ...]
    best: ThresholdScores | None


def sweep_thresholds(
    gold: WordTags, confidences: npt.ArrayLike, thresholds: Sequence[float] = THRESHOLDS
) -> ConfidenceSweep:
    """For each threshold, tag the words with a lower confidence as BAD, and score the tags.

    A confidence that equals the threshold up to rounding is not lower.

    Args:
        gold: The gold tags.
        confidences: The confidence of each word, in one array for all segments.
        thresholds: The thresholds, in any order.

    Examples:
        >>> gold = WordTags.of(["OK BAD OK"])
        >>> found = sweep_thresholds(gold, [0.9, 0.3, 0.6], [0.25, 0.5, 0.75])
        >>> [(row.threshold, row.scores.f1_mult) for row in found.rows]
        [(0.25, 0.0), (0.5, 1.0), (0.75, 0.4444444444444444)]
        >>> found.best.threshold
        0.5
    """
    values = floats(confidences, "confidences", "give one per word")
    if values.shape != gold.bad.shape:
        raise UsageError(f"there are {values.size} confidences for {gold.bad.size} words", advice="give one per word")
    if np.isnan(values).any() or np.isnan(thresholds).any():
        raise UsageError("a confidence or a threshold is NaN", advice="give numbers")
    if not len(thresholds):
        raise UsageError("there are no thresholds", advice="give some, like 0.25, 0.5, 0.75")
    rows = tuple(
        ThresholdScores(at, tag_scores(gold, gold.replaced(values < at * (1 - math.copysign(ROUNDING, at)))))
        for at in sorted(set(thresholds))
    )
    scored = [(row.scores.f1_mult, row) for row in rows if row.scores.f1_mult is not None]
    best = max(scored, key=lambda pair: pair[0], default=(0.0, None))[1]
    return ConfidenceSweep(rows, best)
