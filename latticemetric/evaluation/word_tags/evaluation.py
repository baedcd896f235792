"""Evaluate the tags of several systems: scores, tests, the paper's tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from latticemetric.errors import UsageError
from latticemetric.evaluation.word_tags.discrimination import SYNTHETIC, Discrimination, discriminate, synthetic_tags
from latticemetric.evaluation.word_tags.metrics import TagScores, scores_of_table, tag_scores, tag_table
from latticemetric.evaluation.word_tags.sampling import RepeatedSampling, repeated_sampling
from latticemetric.evaluation.word_tags.tags import WordTags, check_same_words
from latticemetric.frozen import Frozen
from latticemetric.metrics.base import Table


@dataclass(frozen=True, eq=False)
class TagEvaluation(Frozen):
    """Tags of systems against gold tags; each segment is counted once.

    Attributes:
        gold: The gold tags.
        tables: Statistics of each system, by name.
    """

    gold: WordTags
    tables: Mapping[str, Table]

    @classmethod
    def of(cls, gold: WordTags, systems: Mapping[str, WordTags], gold_name: str = "gold") -> TagEvaluation:
        """Compare systems with the gold.

        Args:
            gold: The gold tags.
            systems: Tags of the same words, by name.
            gold_name: The name of the gold in error messages.
        """
        if not systems:
            raise UsageError("there are no predicted tags")
        for name, tags in systems.items():
            check_same_words(gold, tags, (gold_name, name))
        return cls(gold, {name: tag_table(gold, tags) for name, tags in systems.items()})

    def scores(self) -> dict[str, TagScores]:
        """Return the scores of each system."""
        return {name: scores_of_table(table) for name, table in self.tables.items()}

    def synthetic_scores(self, seed: int = 0) -> dict[str, TagScores]:
        """Return the scores of each synthetic labelling."""
        return {kind: tag_scores(self.gold, synthetic_tags(self.gold, kind, seed)) for kind in SYNTHETIC}

    def discrimination(self, *, alpha: float = 0.05, trials: int | None = None, seed: int = 0) -> list[Discrimination]:
        """Return the paper's table 1: discrimination of these systems, and of synthetic labellings."""
        synthetic = {kind: tag_table(self.gold, synthetic_tags(self.gold, kind, seed)) for kind in SYNTHETIC}
        return discriminate(self.tables, synthetic, alpha=alpha, trials=trials, seed=seed)

    def repeated_sampling(self, **parameters: Any) -> RepeatedSampling:
        """Return the paper's table 2, from errors of these systems; for parameters see `repeated_sampling`."""
        return repeated_sampling(tag_table(self.gold, self.gold), list(self.tables.values()), **parameters)
