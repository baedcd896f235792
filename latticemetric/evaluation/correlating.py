"""Correlating metrics with people: statistics are made once, segments are resampled, all is said of each resample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.evaluation.agreement import Agreement, MetricAgreement
from latticemetric.evaluation.bootstrap import Interval, interval
from latticemetric.evaluation.coefficients import Floats
from latticemetric.evaluation.comparison import Strength, compare_all
from latticemetric.evaluation.correlation import Points, correlation, differentials, moment_tables, segment_correlation
from latticemetric.evaluation.resampling import resampled_sums
from latticemetric.evaluation.systems import SystemTables, as_matrix, tied


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
    """Correlates metrics with human scores.

    Args:
        scores: By the metric's name: either a value a segment, a row a system (NaN where there is none), where a
            system's value is the mean of its segments'; or the statistics that `system_tables` makes, where it comes
            from their sums. More is taken to be better, unless the metric of the statistics says otherwise.
        human: People's score of each segment, a row a system; NaN where nobody judged.
        system_human: Their scores of whole systems; otherwise these are the means of their segments'. They stay as
            they are in all resamples.
        systems: Names of the systems.
        resamples: How many test sets are drawn, with replacement; all metrics share them. 0: no intervals.
        seed: The same seed draws the same segments.
        confidence: The share of resamples that intervals hold.
        workers: Metrics that are resampled at once, in threads.

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
        raise UsageError("there is no metric to correlate", advice="give one at least")
    tables = {name: SystemTables.of(given) for name, given in scores.items()}
    people = _people(as_matrix(human, "human scores"), system_human, systems, tables)
    run = _Run(people, resamples, seed, confidence)
    with ThreadPoolExecutor(max(1, workers)) as pool:
        measured = dict(zip(tables, pool.map(partial(_measured, run=run), tables.values()), strict=True))
    over_segments = {name: one.segment for name, one in measured.items() if one.segment}
    return Agreement(
        people.names,
        _intervals(people.values, run.human(), confidence),
        people.segments,
        {name: one.agreement for name, one in measured.items()},
        compare_all({name: one.system for name, one in measured.items()}, people.values, confidence),
        compare_all(over_segments, None, confidence),
        resamples,
        seed,
        confidence,
    )


class _People(NamedTuple):
    """What people said.

    Attributes:
        names: Of the systems.
        segments: A score a segment, a row a system.
        tables: The same as statistics; `None` where systems have scores of their own.
        values: A score a system.
    """

    names: tuple[str, ...]
    segments: Floats
    tables: SystemTables | None
    values: Floats


class _Run(NamedTuple):
    """What all metrics share."""

    people: _People
    resamples: int
    seed: int
    confidence: float

    def human(self) -> Floats:
        """People's score of each system, a row a resample."""
        if self.people.tables is None:
            return np.broadcast_to(self.people.values, (self.resamples, len(self.people.names)))
        (values,) = self.draw(self.people.tables)
        return values

    def draw(self, one: SystemTables, *others: Floats) -> list[Floats]:
        """Values of each system, a row a resample; and likewise the sums of the rows of other tables.

        The same seed gives everybody the same resamples.
        """
        systems, segments, columns = one.tables.shape
        if not self.resamples:
            return [np.zeros((0, systems)), *(table[:0] for table in others)]
        # A row a segment, the systems' columns side by side: one product of matrices for all of them.
        rows = one.tables.transpose(1, 0, 2).reshape(segments, -1)
        sums, *rest = resampled_sums([rows, *others], self.resamples, self.seed)
        return [one.of_sums(sums.reshape(-1, systems, columns)), *rest]


class _Measured(NamedTuple):
    """One metric's agreement, and what its comparison with others needs."""

    agreement: MetricAgreement
    system: Strength
    segment: Strength | None


def _people(
    judged: Floats,
    system_human: npt.ArrayLike | None,
    systems: Sequence[str] | None,
    tables: Mapping[str, SystemTables],
) -> _People:
    names = tuple(systems) if systems is not None else tuple(str(k + 1) for k in range(len(judged)))
    if len(names) != len(judged):
        raise UsageError(f"{len(names)} names of systems, and human scores of {len(judged)}")
    for metric, one in tables.items():
        if one.tables.shape[:2] != judged.shape:
            raise UsageError(
                f"{metric} has scores of {_sizes(one.tables)}, and people's are of {_sizes(judged)}",
                advice="give the same systems and segments, with NaN where something is missing",
            )
    if system_human is None:
        own = SystemTables.of(judged)
        return _People(names, judged, own, own.of_systems())
    given = np.asarray(system_human, dtype=np.float64)
    if given.shape != (len(names),) or np.isinf(given).any():
        raise UsageError(f"human scores of systems of shape {given.shape}", advice=f"give {len(names)} finite numbers")
    return _People(names, judged, None, given)


def _sizes(array: npt.NDArray[Any]) -> str:
    return f"{array.shape[0]} systems × {array.shape[1]} segments"


def _measured(one: SystemTables, *, run: _Run) -> _Measured:
    """Everything about one metric."""
    people, confidence = run.people, run.confidence
    cells, scores = one.of_segments(), one.of_systems()
    drawn_scores, within, pool = run.draw(one, *moment_tables(cells, people.segments))
    x, y, *samples = map(tied, (scores, people.values, drawn_scores, run.human()))
    points = Points("system", "systems", people.names)
    system, drawn = correlation(x, y, (samples[0], samples[1]), points, confidence)
    sign = 1.0 if one.higher_is_better else -1.0
    segment, over_segments = None, None
    if not np.isnan(people.segments).all():
        segment, means = segment_correlation(cells, people.segments, (within, pool), people.names, confidence)
        over_segments = Strength(sign * _number(segment.pearson.value), sign * means, None)
    agreement = MetricAgreement(
        _intervals(scores, drawn_scores, confidence),
        system,
        differentials(x, y, (samples[0], samples[1]), people.names, sign=sign, confidence=confidence),
        segment,
        cells,
        one.higher_is_better,
    )
    return _Measured(agreement, Strength(sign * _number(system.pearson.value), sign * drawn, sign * x), over_segments)


def _intervals(values: Floats, samples: Floats, confidence: float) -> tuple[Interval, ...]:
    return tuple(interval(value, drawn, confidence) for value, drawn in zip(values.tolist(), samples.T, strict=True))


def _number(value: float | None) -> float:
    return np.nan if value is None else value
