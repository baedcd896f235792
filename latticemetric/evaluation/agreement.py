"""Correlate metrics with human scores over systems, over pairs of systems and over segments; compare metrics.

The statistics of all segments are computed once. A resample draws segments and computes all values from their
statistics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats
from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats
from latticemetric.evaluation.correlation import (
    Correlation,
    Differentials,
    PointNames,
    SegmentCorrelation,
    correlation,
    differentials,
    moment_tables,
    segment_correlation,
)
from latticemetric.evaluation.intervals import (
    Interval,
    PairedBootstrap,
    Values,
    difference_columns,
    interval_of,
    or_none,
    paired_bootstrap_of,
    resampled_sums,
)
from latticemetric.evaluation.significance import Williams, williams
from latticemetric.evaluation.systems import GivenTables, SystemTables, as_matrix, snap_matrix, snap_ties
from latticemetric.frozen import Frozen

NO_HUMAN_SCORE = "nobody judged it"
NO_SCORE = "the metric is undefined for its output"
"""Reasons in results: why a system has no human score, and why it has no metric score."""

NO_SEGMENTS = "there are no human scores of segments"
"""Reason in results: why there is no correlation over segments."""


@dataclass(frozen=True, eq=False)
class MetricAgreement(Frozen):
    """Agreement of one metric with human scores.

    Attributes:
        scores: The metric's value for each system.
        system: Correlation over systems.
        differentials: Correlation over pairs of systems.
        segment: Correlation over segments; `None` if no segment has a human score.
        segment_scores: The metric's value for each segment, one row per system; NaN if undefined.
        higher_is_better: False if lower scores are better. Scores keep their sign, so the correlations of a good error
            rate are negative. Only `Differentials.agreement` corrects the direction.
    """

    scores: tuple[Interval, ...]
    system: Correlation
    differentials: Differentials
    segment: SegmentCorrelation | None
    segment_scores: Floats
    higher_is_better: bool


@dataclass(frozen=True)
class MetricComparison:
    """A comparison of two metrics by their Pearson correlations with the same human scores.

    Attributes:
        first: The name of the first metric.
        second: The name of the second metric.
        bootstrap: The interval and the p-value of the difference; `None` without resamples.
        difference: The second metric's Pearson's r minus the first's; the sign of r is changed where lower scores are
            better. `None` if one is undefined.
        williams: Williams' test over systems; `None` for segments, which are not independent points.
    """

    first: str
    second: str
    difference: float | None
    bootstrap: PairedBootstrap | None
    williams: Williams | None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            **difference_columns(self.bootstrap),
            "williams": self.williams.asdict() if self.williams else None,
        }


@dataclass(frozen=True, eq=False)
class Agreement(Frozen):
    """Agreement of metrics with human scores.

    Attributes:
        systems: Names of the systems; pairs of systems are made in this order.
        human: The human score of each system.
        human_segments: The human score of each segment, one row per system; NaN if nobody judged the segment.
        metrics: The agreement of each metric, by its name.
        system_comparisons: Comparisons of each metric with each later metric, by correlations over systems.
        segment_comparisons: Comparisons of the same metrics, by correlations over segments, averaged over systems.
        resamples: The number of resamples.
        seed: The seed of the resamples.
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
        """Return plain values, for JSON.

        Fields:
            segments (int): Number of segments in the test set.
            human (Mapping[str, _scored]): By system, the human score, and `judged_segments`, the number of its judged
                segments.
            scores (Mapping[str, _scored]): By metric and system, the metric's score.
            system (Mapping[str, Correlation]): By metric, correlation over systems.
            differentials (Mapping[str, Differentials]): By metric, correlation over pairs of systems.
            segment (Mapping[str, SegmentCorrelation]): By metric, correlation over segments; only `pearson` (null) and
                `reason` if no segment was judged.
            comparisons (Mapping[str, MetricComparison]): `system` and `segment`: arrays of comparisons of each metric
                with each later one.
        """
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
    """Return a score with its interval, for JSON.

    Fields:
        score (float | None): The score of the whole test set.
        low (float | None): The lower end of the interval of the score; `None` without resamples.
        high (float | None): The upper end.
        half_width (float | None): Half of the interval's width.
        reason (str | None): Why there is no score.
    """
    values = {"score": found.value, "low": found.low, "high": found.high, "half_width": found.half_width}
    return {**values, "reason": why_not if found.value is None else None}


def _check_sizes(tables: Mapping[str, SystemTables], judged: Floats, names: Sequence[str]) -> None:
    """Raise `UsageError` if human scores, names and metric scores differ in the number of systems or segments."""
    if len(names) != len(judged):
        raise UsageError(
            f"systems has {len(names)} names, but there are human scores for {len(judged)} systems",
            advice="give one name per system",
        )
    for metric, one in tables.items():
        sizes = [f"{array.shape[0]} systems × {array.shape[1]} segments" for array in (one.tables, judged)]
        if sizes[0] != sizes[1]:
            raise UsageError(
                f"{metric} has scores of {sizes[0]}, but there are human scores of {sizes[1]}",
                advice="give the same systems and segments, with NaN where something is missing",
            )


def _check_system_human(values: Floats, systems: int) -> None:
    """Raise `UsageError` if human scores of systems are infinite, or not one per system."""
    if values.shape != (systems,):
        raise UsageError(
            f"system_human has shape {values.shape}, not ({systems},)",
            advice="give one number per system",
        )
    if np.isinf(values).any():
        raise UsageError("system_human has infinite values", advice="use NaN for missing values")


def correlate(
    scores: Mapping[str, npt.ArrayLike | SystemTables],
    human: npt.ArrayLike,
    *,
    system_human: npt.ArrayLike | None = None,
    systems: Sequence[str] | None = None,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    workers: int = 1,
) -> Agreement:
    """Correlate metrics with human scores.

    Args:
        scores: For each metric, a matrix of segment scores, or its tables from `system_tables`. A matrix has one row
            per system and one column per segment; NaN means missing, and higher scores are better. The value of a
            system is the mean of its row. With tables, the metric computes the value of a system from summed
            statistics. The metric's `higher_is_better` says which scores are better.
        human: The human score of each segment, one row per system; NaN if nobody judged the segment.
        system_human: Human scores of whole systems, the same in all resamples. Default: means of `human`.
        systems: Names of the systems; default: numbers from 1.
        resamples: The number of resamples; 0: no intervals. All metrics use the same resamples.
        seed: The same seed draws the same segments.
        confidence: The share of resamples inside an interval.
        workers: The number of metrics to resample at once, in threads.

    Examples:
        >>> people = [[1, 2, 3, 4], [2, 4, 3, 5], [4, 4, 5, 5]]
        >>> metric = [[0.1, 0.3, 0.2, 0.6], [0.2, 0.5, 0.5, 0.7], [0.6, 0.5, 0.8, 0.9]]
        >>> found = correlate({"mine": metric}, people).metrics["mine"]
        >>> round(found.system.pearson.value, 4), found.differentials.agreement.value
        (0.9974, 1.0)
        >>> round(found.segment.pearson.value, 4), round(found.segment.pooled.pearson.value, 4)
        (0.9082, 0.9258)
    """
    if not scores:
        raise UsageError("there is no metric to correlate", advice="give at least one")
    tables = {name: SystemTables.of(given) for name, given in scores.items()}
    judged = as_matrix(human, "human scores")
    names = tuple(systems) if systems is not None else tuple(str(k + 1) for k in range(len(judged)))
    _check_sizes(tables, judged, names)
    own = SystemTables.of(judged) if system_human is None else None
    values = floats(system_human, "human scores of systems") if own is None else own.of_systems()
    if own is None:
        _check_system_human(values, len(names))
    run = _Ratings(names, judged, values, own, resamples, seed, confidence)
    with ThreadPoolExecutor(max(1, workers)) as pool:
        agreements, over_systems, over_segments = zip(*pool.map(run.measure, tables.values()), strict=True)
    of_segments = {name: one for name, one in zip(tables, over_segments, strict=True) if one}
    return Agreement(
        names,
        _intervals(values, run.human(), confidence),
        judged,
        dict(zip(tables, agreements, strict=True)),
        compare_all(dict(zip(tables, over_systems, strict=True)), values, confidence),
        compare_all(of_segments, None, confidence),
        resamples,
        seed,
        confidence,
    )


class _Ratings(NamedTuple):
    """Human scores and parameters, for all metrics."""

    names: tuple[str, ...]  # names of systems
    segments: Floats  # human scores of segments, one row per system
    values: Floats  # human scores of systems
    tables: SystemTables | None  # statistics of human scores; `None` with `system_human`
    resamples: int
    seed: int
    confidence: float

    def human(self) -> Floats:
        """Return the human score of each system, one row per resample."""
        if self.tables is None:
            return np.broadcast_to(self.values, (self.resamples, len(self.names)))
        (values,) = self.draw(self.tables)
        return values

    def draw(self, one: SystemTables, *others: Floats) -> list[Floats]:
        """Draw resamples; return the value of each system, then the sums of each table in `others`.

        All arrays have one row per resample; the first array has one column per system. All metrics have the same
        resamples, since all calls use the same seed.
        """
        systems, segments, columns = one.tables.shape
        if not self.resamples:
            return [np.zeros((0, systems)), *(table[:0] for table in others)]
        # One row per segment, with the columns of all systems side by side: one matrix product serves all systems.
        rows = one.tables.transpose(1, 0, 2).reshape(segments, -1)
        sums, *rest = resampled_sums([rows, *others], self.resamples, self.seed)
        return [one.of_sums(sums.reshape(-1, systems, columns)), *rest]

    def measure(self, one: SystemTables) -> tuple[MetricAgreement, Strength, Strength | None]:
        """Return a metric's agreement, and its Pearson coefficients over systems and over segments.

        `compare_all` compares the coefficients of metrics. The coefficient over segments is `None` if no segment has a
        human score.
        """
        cells, scores = one.of_segments(), one.of_systems()
        tied, people = snap_matrix(cells, each=True), snap_matrix(self.segments)
        drawn_scores, within, pool = self.draw(one, *moment_tables(tied, people))
        tie = snap_ties if self.tables is None else self.tables.tied
        x, y, both = one.tied(scores), tie(self.values), (one.tied(drawn_scores), tie(self.human()))
        sign = 1.0 if one.higher_is_better else -1.0
        system, drawn = correlation(x, y, both, PointNames("system", "systems", self.names), self.confidence)
        pairs = differentials(x, y, both, self.names, sign=sign, confidence=self.confidence)
        segment, over_segments = None, None
        if not np.isnan(self.segments).all():
            sums = within, pool
            segment, means = segment_correlation(tied, people, sums, self.names, self.confidence)
            over_segments = Strength.of(segment.pearson, means, sign)
        intervals = _intervals(scores, drawn_scores, self.confidence)
        agreement = MetricAgreement(intervals, system, pairs, segment, cells, one.higher_is_better)
        # Given scores of systems are the same in all resamples, so resamples cannot compare them.
        strength = Strength.of(system.pearson, drawn[:0] if isinstance(one, GivenTables) else drawn, sign, sign * x)
        return agreement, strength, over_segments


def _intervals(values: Floats, samples: Floats, confidence: float) -> tuple[Interval, ...]:
    return tuple(interval_of(value, drawn, confidence) for value, drawn in zip(values.tolist(), samples.T, strict=True))


# ---- Comparison of metrics ----


class Strength(NamedTuple):
    """A metric's coefficient, multiplied by −1 if lower scores are better."""

    value: float  # on the test set; NaN if undefined
    samples: Values  # in each resample
    scores: Floats | None  # of each point, higher is better; `None` if Williams' test does not apply

    @classmethod
    def of(cls, found: Interval, samples: Values, sign: float, scores: Floats | None = None) -> Strength:
        """Multiply a coefficient by `sign`, which is −1 if lower scores are better, otherwise 1."""
        return cls(sign * (math.nan if found.value is None else found.value), sign * samples, scores)


def compare_all(
    strengths: Mapping[str, Strength], human: Floats | None, confidence: float
) -> tuple[MetricComparison, ...]:
    """Compare each metric with each later one.

    `human` gives the human scores of systems for Williams' test; `None` leaves the test out.
    """
    found = []
    for (first, one), (second, other) in combinations(strengths.items(), 2):
        difference = other.value - one.value
        resampled = None
        if len(one.samples) and len(other.samples):
            resampled = paired_bootstrap_of(difference, other.samples - one.samples, confidence)
        tested = None
        if human is not None and one.scores is not None and other.scores is not None:
            tested = williams(one.scores, other.scores, human)
        found.append(MetricComparison(first, second, or_none(difference), resampled, tested))
    return tuple(found)
