"""Statistics of several systems under one metric, in a single array for fast resampling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats
from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats
from latticemetric.evaluation.intervals import TabledMetric
from latticemetric.frozen import Frozen
from latticemetric.metrics.base import Metric, References, Table, Text

_SYSTEMS_SEGMENTS_COLUMNS = 3


@dataclass(frozen=True)
class MeanOfSegments:
    """A metric whose value is the mean of its segments' values: a trained metric or human scores."""

    higher_is_better: bool = True

    def values(self, sums: Table) -> Floats:
        """Return, for each row (sum of values, number of values), the mean; NaN if the number is 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = sums[..., 0] / sums[..., 1]
        return found


@dataclass(frozen=True, eq=False)
class SystemTables(Frozen):
    """A metric's statistics for the same segments of several systems.

    Attributes:
        metric: Computes values from sums of rows. If it has no attribute `higher_is_better`, higher values are better.
        tables: Statistics by system, segment and column.
    """

    metric: TabledMetric
    tables: Table

    def __post_init__(self) -> None:
        if self.tables.ndim != _SYSTEMS_SEGMENTS_COLUMNS:
            raise UsageError(
                f"tables have shape {self.tables.shape}, not three dimensions",
                advice="give an array of systems × segments × columns",
            )
        super().__post_init__()

    @classmethod
    def of(cls, scores: npt.ArrayLike | SystemTables) -> SystemTables:
        """Make tables from segment scores, one row per system. If `scores` are tables already, return them unchanged.

        The value of a system is the mean of its segment scores.
        """
        if isinstance(scores, SystemTables):
            return scores
        values = as_matrix(scores, "scores")
        there = ~np.isnan(values)
        columns = [np.where(there, values, 0.0), there.astype(np.float64)]
        return cls(MeanOfSegments(), np.stack(columns, axis=-1))

    @property
    def higher_is_better(self) -> bool:
        """True if higher values are better."""
        return bool(getattr(self.metric, "higher_is_better", True))

    def signed(self, values: Floats) -> Floats:
        """Return scores so that higher is better: error rates get a minus sign."""
        return values if self.higher_is_better else 0.0 - values  # not -0.0

    def of_segments(self) -> Floats:
        """Return the sentence scores, one row per system; NaN where undefined."""
        return self.of_sums(self.tables)

    def of_systems(self) -> Floats:
        """Return the value of each system; NaN if undefined."""
        return self.of_sums(self.tables.sum(axis=1))

    def of_sums(self, sums: Table) -> Floats:
        """Return the metric's value for each row of summed statistics."""
        return np.asarray(self.metric.values(sums), dtype=np.float64)

    def mixed(self) -> SystemTables:
        """Return the tables to sum over segments of several systems."""
        return self

    def tied(self, values: Floats) -> Floats:
        """Make values of systems (along the last axis) equal if they differ only by rounding errors."""
        return snap_ties(values, self._averaged())

    def _averaged(self) -> Floats | None:
        """Return the scores whose means are the values of systems; `None` if the values are not means."""
        return self.of_segments().ravel() if isinstance(self.metric, MeanOfSegments) else None


@dataclass(frozen=True, eq=False)
class GivenTables(SystemTables):
    """Scores that another program computed with a metric: of segments, of whole systems, or of both.

    The score of a whole system is the same in all resamples, unless it is the mean of the system's segment scores.
    """

    @classmethod
    def given(cls, segments: Floats | None, systems: Floats | None, shape: tuple[int, int]) -> SystemTables:
        """Make tables of scores. If all given scores of systems are the means of their segment scores, use the means.

        Args:
            segments: One row per system; NaN or `None` if missing.
            systems: The score of each system; NaN or `None` if missing.
            shape: The numbers of systems and segments.
        """
        own = np.full(shape, np.nan) if segments is None else as_matrix(segments, "scores")
        plain, there = SystemTables.of(own), ~np.isnan(own)
        if systems is None:
            return plain
        systems = floats(systems, "scores of systems")
        is_given = ~np.isnan(systems)
        if np.allclose(plain.of_systems()[is_given], systems[is_given], rtol=_SAME_MEAN, atol=0):
            return plain
        whole = np.broadcast_to(systems[:, None], shape)
        return cls(MeanOfSegments(), np.stack([np.where(there, own, 0.0), there, whole, np.ones(shape)], axis=-1))

    def of_segments(self) -> Floats:
        """Return the sentence scores, one row per system; NaN where undefined."""
        return self.metric.values(self.tables)

    def of_sums(self, sums: Table) -> Floats:
        """Return the score of each system. The scores are the same in every resample."""
        return self.metric.values(sums[..., 2:])

    def mixed(self) -> SystemTables:
        """Return the tables of segment scores: a score of a whole system says nothing about some of its segments."""
        return SystemTables(self.metric, self.tables[..., :2])

    def _averaged(self) -> None:
        return None


# The relative difference up to which two scores of a system are equal: files contain rounded scores.
_SAME_MEAN = 1e-5
_ROUNDING = 1e-12


def snap_ties(values: Floats, made_of: Floats | None = None, *, each: bool = False) -> Floats:
    """Make values equal if they differ only by rounding errors, so that they share a rank.

    Nearly equal values along the last axis are replaced by the smallest of them. The largest value determines the
    rounding errors. If `values` are differences or means, `made_of` gives the values that were subtracted or averaged:
    their size determines the rounding errors. With `each`, every value determines its own rounding error, so that one
    very large value does not make small values equal.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=-1)
    sizes = np.abs(np.nan_to_num(ascending if made_of is None else made_of))
    if each:
        slack = _ROUNDING * np.maximum(sizes[..., 1:], sizes[..., :-1])
    else:
        slack = _ROUNDING * sizes.max(axis=-1, keepdims=True, initial=0.0)
    begins = np.ones(values.shape, dtype=bool)
    begins[..., 1:] = ~(np.diff(ascending, axis=-1) <= slack)
    first = np.maximum.accumulate(np.where(begins, np.arange(values.shape[-1]), 0), axis=-1)
    found = np.empty(values.shape)
    np.put_along_axis(found, order, np.take_along_axis(ascending, first, axis=-1), axis=-1)
    return found


def snap_matrix(values: Floats, made_of: Floats | None = None, *, each: bool = False) -> Floats:
    """Make values equal if they differ only by rounding errors, anywhere in a matrix; see `snap_ties`."""
    flat = snap_ties(values.ravel(), None if made_of is None else made_of.ravel(), each=each)
    return flat.reshape(values.shape)


def system_tables(
    outputs: Sequence[Sequence[Text]],
    references: Sequence[References],
    metrics: Iterable[Metric[Any]],
    *,
    workers: int = 1,
) -> dict[str, SystemTables]:
    """Return the statistics of all systems under all metrics, by the metric's name.

    Args:
        outputs: For each system, one text per segment.
        references: The references of each segment.
        metrics: The metrics.
        workers: The number of threads; metrics that count in C++ run in parallel.
    """
    listed = list(metrics)
    tasks = [(metric, output) for metric in listed for output in outputs]
    with ThreadPoolExecutor(max(1, workers)) as pool:
        tables = pool.map(lambda task: task[0].table(task[1], references), tasks)
        return {metric.name: SystemTables(metric, np.stack([next(tables) for _ in outputs])) for metric in listed}


def missing_scores(name: str, tables: SystemTables, systems: Sequence[str]) -> tuple[str, ...]:
    """Return notes on the systems that lack scores of a metric, if others have them: of segments, or of the system."""
    cells = tables.of_segments()
    lacking, size = np.isnan(cells).sum(axis=1), cells.shape[1]
    notes = [
        f"{name}: {count} of {size} segments of {system} have no score"
        for system, count in zip(systems, lacking.tolist(), strict=True)
        if count and not (lacking == size).all()
    ]
    without = np.isnan(tables.of_systems())
    if without.any() and not without.all():
        left_out = ", ".join(systems[k] for k in np.flatnonzero(without).tolist())
        notes.append(f"{name}: no score of the whole system: {left_out}; ranks by systems compare only the others")
    return tuple(notes)


def as_matrix(values: npt.ArrayLike, what: str) -> Floats:
    """Return scores as a matrix, one row per system and one column per segment.

    Raise `UsageError` if `values` is not a matrix, is empty, or has infinite values. `what` names the scores in the
    message.
    """
    matrix = floats(values, what, "give an array of systems × segments")
    if matrix.ndim != _SYSTEMS_SEGMENTS_COLUMNS - 1:
        raise UsageError(
            f"{what} have shape {matrix.shape}, not two dimensions", advice="give an array of systems × segments"
        )
    if not matrix.size:
        raise UsageError(f"{what} have shape {matrix.shape}", advice="give at least one system and one segment")
    if np.isinf(matrix).any():
        raise UsageError(f"some {what} are infinite", advice="use NaN for missing values")
    return matrix
