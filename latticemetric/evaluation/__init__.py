"""What scores are worth: intervals by resampling, whether a difference is one; tags of words against right ones.

Reads scores and tags, never graphs. Everything named here is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from latticemetric.evaluation.confidence_sweep import sweep_thresholds as sweep_thresholds
    from latticemetric.evaluation.discrimination import discriminate as discriminate
    from latticemetric.evaluation.sampling import repeated_sampling as repeated_sampling
    from latticemetric.evaluation.synthetic_labellings import synthetic_tags as synthetic_tags
    from latticemetric.evaluation.tag_evaluation import TagEvaluation as TagEvaluation
    from latticemetric.evaluation.tag_metrics import TAG_METRICS as TAG_METRICS
    from latticemetric.evaluation.tag_metrics import tag_scores as tag_scores
    from latticemetric.evaluation.tag_statistics import tag_table as tag_table
    from latticemetric.evaluation.word_tags import WordTags as WordTags

_HOME = {
    "TAG_METRICS": "tag_metrics",
    "TagEvaluation": "tag_evaluation",
    "WordTags": "word_tags",
    "discriminate": "discrimination",
    "repeated_sampling": "sampling",
    "sweep_thresholds": "confidence_sweep",
    "synthetic_tags": "synthetic_labellings",
    "tag_scores": "tag_metrics",
    "tag_table": "tag_statistics",
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
