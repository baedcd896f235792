"""Evaluate scores: intervals, significance tests, agreement with human scores; and tags of words.

This package reads scores and tags, never graphs. Each name is imported at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "Agreement": "agreement",
    "Grouping": "grouping",
    "HumanScores": "human",
    "SystemTables": "systems",
    "TAG_METRICS": "word_tags.metrics",
    "TagEvaluation": "word_tags.evaluation",
    "WordTags": "word_tags.tags",
    "correlate": "agreement",
    "discriminate": "word_tags.discrimination",
    "group_segments": "grouping",
    "human_scores": "human",
    "kendall": "coefficients",
    "pearson": "coefficients",
    "repeated_sampling": "word_tags.sampling",
    "spearman": "coefficients",
    "sweep_thresholds": "word_tags.evaluation",
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
