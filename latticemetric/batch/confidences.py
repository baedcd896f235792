"""Evaluate posteriors as a confidence measure: tags predicted by thresholds, against tags by references."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from latticemetric.batch.outcomes import Outcome
from latticemetric.errors import UsageError
from latticemetric.evaluation.word_tags.evaluation import THRESHOLDS, ConfidenceSweep, sweep_thresholds
from latticemetric.evaluation.word_tags.tags import WordTags


@dataclass(frozen=True)
class ConfidenceEvaluation:
    """Scores of predicted tags at each threshold.

    Attributes:
        sweep: Scores by threshold.
        lattices: Lattices that were searched.
        failed: Lattices that failed; they are left out.
        words: Words of the 1-bests.
        bad: Words that are BAD by their references.
    """

    sweep: ConfidenceSweep
    lattices: int
    failed: int
    words: int
    bad: int

    @classmethod
    def of(cls, outcomes: Iterable[Outcome], thresholds: Sequence[float] = ()) -> Self:
        """Evaluate outcomes that have confidences; without thresholds, use the default ones.

        Raises:
            UsageError: No lattice was searched.
        """
        tags, confidences, failed = [], list[float](), 0
        for outcome in outcomes:
            if outcome.oracle is None:
                failed += 1
                continue
            tags.append(outcome.oracle.one_best.tags)
            confidences += outcome.confidences.one_best if outcome.confidences else ()
        if not tags:
            raise UsageError("no lattice could be evaluated")
        gold = WordTags.of(tags)
        sweep = sweep_thresholds(gold, confidences, thresholds or THRESHOLDS)
        return cls(sweep, len(tags), failed, len(gold.bad), int(gold.bad.sum()))
