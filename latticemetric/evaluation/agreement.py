"""What is known of how metrics agree with people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from latticemetric.evaluation.bootstrap import Interval
from latticemetric.evaluation.coefficients import Floats
from latticemetric.evaluation.comparison import MetricComparison
from latticemetric.evaluation.correlation import Correlation, Differentials, SegmentCorrelation
from latticemetric.frozen import Frozen

NO_HUMAN_SCORE = "nobody judged it"
NO_SCORE = "the metric is undefined for its output"
"""Why a system has no score: people's, a metric's."""

NO_SEGMENTS = "people judged no segments"
"""Why nothing is said of segments."""


@dataclass(frozen=True, eq=False)
class MetricAgreement(Frozen):
    """How one metric agrees with people.

    Attributes:
        scores: Its value for each system.
        system: Correlation over systems.
        differentials: Over pairs of systems.
        segment: Over segments; `None` where none was judged.
        segment_scores: Its value for each segment, a row a system; NaN where it is undefined.
        higher_is_better: Which way it points. Coefficients are of its values as they are; `agreement` minds it.
    """

    scores: tuple[Interval, ...]
    system: Correlation
    differentials: Differentials
    segment: SegmentCorrelation | None
    segment_scores: Floats
    higher_is_better: bool


@dataclass(frozen=True, eq=False)
class Agreement(Frozen):
    """How metrics agree with people.

    Attributes:
        systems: Names of the systems.
        human: People's score of each system.
        human_segments: Of each segment, a row a system; NaN where nobody judged.
        metrics: By metric.
        system_comparisons: Whether metrics differ over systems, each with each one after it.
        segment_comparisons: Likewise over segments, on average over systems.
        resamples: How many were drawn.
        seed: Of the resamples.
        confidence: The share of resamples inside an interval.
    """

    systems: tuple[str, ...]
    human: tuple[Interval, ...]
    human_segments: Floats
    metrics: Mapping[str, MetricAgreement]
    system_comparisons: tuple[MetricComparison, ...]
    segment_comparisons: tuple[MetricComparison, ...]
    resamples: int
    seed: int
    confidence: float

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        judged = (~np.isnan(self.human_segments)).sum(axis=1).tolist()
        human = {
            name: {**_scored(one, NO_HUMAN_SCORE), "judged_segments": number}
            for name, one, number in zip(self.systems, self.human, judged, strict=True)
        }
        scores = {
            metric: {name: _scored(one, NO_SCORE) for name, one in zip(self.systems, found.scores, strict=True)}
            for metric, found in self.metrics.items()
        }
        return {
            "systems": list(self.systems),
            "segments": self.human_segments.shape[1],
            "resamples": self.resamples,
            "seed": self.seed,
            "confidence": self.confidence,
            "human": human,
            "scores": scores,
            "system": {metric: found.system.asdict() for metric, found in self.metrics.items()},
            "differentials": {metric: found.differentials.asdict() for metric, found in self.metrics.items()},
            "segment": {
                metric: found.segment.asdict() if found.segment else {"pearson": None, "reason": NO_SEGMENTS}
                for metric, found in self.metrics.items()
            },
            "comparisons": {
                "system": [one.asdict() for one in self.system_comparisons],
                "segment": [one.asdict() for one in self.segment_comparisons],
            },
        }


def _scored(found: Interval, why_not: str) -> dict[str, Any]:
    values = {"score": found.value, "low": found.low, "high": found.high, "half_width": found.half_width}
    return {**values, "reason": why_not if found.value is None else None}
