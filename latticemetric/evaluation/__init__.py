"""What scores are worth: intervals by resampling, whether a difference is one, whether a metric agrees with people.

Reads scores, never graphs. Everything named here is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from latticemetric.evaluation.agreement import Agreement as Agreement
    from latticemetric.evaluation.coefficients import kendall as kendall
    from latticemetric.evaluation.coefficients import pearson as pearson
    from latticemetric.evaluation.coefficients import spearman as spearman
    from latticemetric.evaluation.comparison import williams as williams
    from latticemetric.evaluation.correlating import correlate as correlate
    from latticemetric.evaluation.grouping import Grouping as Grouping
    from latticemetric.evaluation.grouping import group_segments as group_segments
    from latticemetric.evaluation.people import HumanScores as HumanScores
    from latticemetric.evaluation.people import human_scores as human_scores
    from latticemetric.evaluation.systems import SystemTables as SystemTables
    from latticemetric.evaluation.systems import system_tables as system_tables

_HOME = {
    "Agreement": "agreement",
    "Grouping": "grouping",
    "HumanScores": "people",
    "SystemTables": "systems",
    "correlate": "correlating",
    "group_segments": "grouping",
    "human_scores": "people",
    "kendall": "coefficients",
    "pearson": "coefficients",
    "spearman": "coefficients",
    "system_tables": "systems",
    "williams": "comparison",
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
