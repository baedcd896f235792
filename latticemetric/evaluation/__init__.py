"""Evaluation of scores: intervals, significance tests, agreement with people; tags of words against right ones.

Reads scores and tags, never graphs. Everything named here is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from latticemetric.evaluation.agreement import Agreement as Agreement
    from latticemetric.evaluation.agreement import correlate as correlate
    from latticemetric.evaluation.coefficients import kendall as kendall
    from latticemetric.evaluation.coefficients import pearson as pearson
    from latticemetric.evaluation.coefficients import spearman as spearman
    from latticemetric.evaluation.grouping import Grouping as Grouping
    from latticemetric.evaluation.grouping import group_segments as group_segments
    from latticemetric.evaluation.judgments import HumanScores as HumanScores
    from latticemetric.evaluation.judgments import human_scores as human_scores
    from latticemetric.evaluation.significance import williams as williams
    from latticemetric.evaluation.systems import SystemTables as SystemTables
    from latticemetric.evaluation.systems import system_tables as system_tables
    from latticemetric.evaluation.word_tags.discrimination import discriminate as discriminate
    from latticemetric.evaluation.word_tags.discrimination import synthetic_tags as synthetic_tags
    from latticemetric.evaluation.word_tags.evaluation import TagEvaluation as TagEvaluation
    from latticemetric.evaluation.word_tags.metrics import TAG_METRICS as TAG_METRICS
    from latticemetric.evaluation.word_tags.metrics import tag_scores as tag_scores
    from latticemetric.evaluation.word_tags.metrics import tag_table as tag_table
    from latticemetric.evaluation.word_tags.sampling import repeated_sampling as repeated_sampling
    from latticemetric.evaluation.word_tags.tags import WordTags as WordTags
    from latticemetric.evaluation.word_tags.thresholds import sweep_thresholds as sweep_thresholds

_HOME = {
    "Agreement": "agreement",
    "Grouping": "grouping",
    "HumanScores": "judgments",
    "SystemTables": "systems",
    "TAG_METRICS": "word_tags.metrics",
    "TagEvaluation": "word_tags.evaluation",
    "WordTags": "word_tags.tags",
    "correlate": "agreement",
    "discriminate": "word_tags.discrimination",
    "group_segments": "grouping",
    "human_scores": "judgments",
    "kendall": "coefficients",
    "pearson": "coefficients",
    "repeated_sampling": "word_tags.sampling",
    "spearman": "coefficients",
    "sweep_thresholds": "word_tags.thresholds",
    "synthetic_tags": "word_tags.discrimination",
    "system_tables": "systems",
    "tag_scores": "word_tags.metrics",
    "tag_table": "word_tags.metrics",
    "williams": "significance",
}

__all__ = [*_HOME]  # noqa: PLE0604  the names above


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'latticemetric.evaluation' has no attribute '{name}'")
    value = getattr(import_module(f"latticemetric.evaluation.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
