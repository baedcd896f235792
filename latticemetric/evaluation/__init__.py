"""Evaluation of scores: intervals, significance tests, agreement with human scores, and word-level tags.

This package reads scores and tags, never graphs. Each name is imported at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "agreement": ("Agreement", "correlate"),
    "calibration": ("ErrorCalibration", "EventCalibration", "ReliabilityBin", "error_calibration", "event_calibration"),
    "coefficients": ("kendall", "pearson", "spearman"),
    "grouping": ("Grouping", "group_segments"),
    "human": ("HumanScores", "human_scores"),
    "metric_tests": ("MetricTask", "MetricTest", "RankTable", "of_groups", "permutation_test", "rank_metrics"),
    "pairwise": (
        "agreement_on",
        "averaged",
        "calibrated",
        "kendall_like",
        "pairwise_accuracy",
        "pairwise_p",
        "soft_pairwise_accuracy",
        "tau",
    ),
    "significance": ("williams",),
    "systems": ("SystemTables", "system_tables"),
    "word_tags.discrimination": ("discriminate", "synthetic_tags"),
    "word_tags.evaluation": ("TagEvaluation", "sweep_thresholds"),
    "word_tags.metrics": ("TAG_METRICS", "tag_scores", "tag_table"),
    "word_tags.sampling": ("repeated_sampling",),
    "word_tags.tags": ("WordTags",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [*_HOME]  # noqa: PLE0604  the names above


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'latticemetric.evaluation' has no attribute '{name}'")
    value = getattr(import_module(f"latticemetric.evaluation.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
