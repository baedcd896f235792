"""Correlation over groups of segments of similar quality (Coughlin 2003, 2.2 and 2.3).

Each group is scored like a test set. Groups cover the whole range of quality, while the systems of a test set are often
too similar.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.evaluation.coefficients import Floats, moments, pearson_of
from latticemetric.evaluation.correlation import Correlation, PointNames, plain_correlation
from latticemetric.evaluation.intervals import or_none, resampled_sums
from latticemetric.evaluation.systems import SystemTables, as_matrix, snap_ties
from latticemetric.frozen import Frozen, freeze, plain_fields

_Groups = npt.NDArray[np.int64]
_NOWHERE = -1
_MOST_GROUPS = 10_000

SMALL = 100
"""The default size below which a group is small: scores of small groups are noisy (Coughlin 2003)."""


@dataclass(frozen=True)
class Group:
    """Segments of similar quality.

    Attributes:
        value: The value of the group: all values of its segments round to this multiple of the width.
        size: The number of segments.
        small: True if there are too few segments to trust the scores.
        human: The mean of the human scores.
        scores: The value of each metric on these segments; `None` if undefined.
    """

    value: float
    size: int
    small: bool
    human: float
    scores: Mapping[str, float | None]

    def __post_init__(self) -> None:
        freeze(self, "scores")

    @property
    def reason(self) -> str | None:
        """The reason why scores are undefined; `None` if all are defined."""
        undefined = [name for name, score in self.scores.items() if score is None]
        return f"undefined for these segments: {', '.join(undefined)}" if undefined else None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**plain_fields(self), "reason": self.reason}


@dataclass(frozen=True, eq=False)
class Grouping(Frozen):
    """Correlation over groups.

    Attributes:
        width: The distance between the values of neighbouring groups.
        smallest: Groups with fewer segments than this number are small.
        groups: The groups that have segments, in ascending order of their values.
        every: By metric, the correlation over all groups.
        large: By metric, the correlation without small groups.
    """

    width: float
    smallest: int
    groups: tuple[Group, ...]
    every: Mapping[str, Correlation]
    large: Mapping[str, Correlation]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            metrics (Mapping[str, Correlation]): By metric, the correlation over groups; its field `large` is the same
                without small groups.
        """
        return {
            "width": self.width,
            "smallest": self.smallest,
            "groups": [group.asdict() for group in self.groups],
            "metrics": {
                name: found.asdict(rank_intervals=False) | {"large": self.large[name].asdict(rank_intervals=False)}
                for name, found in self.every.items()
            },
        }


def group_segments(
    scores: Mapping[str, npt.ArrayLike | SystemTables],
    human: npt.ArrayLike,
    by: npt.ArrayLike,
    *,
    width: float = 0.1,
    smallest: int = SMALL,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Grouping:
    """Group segments by a value, score each group like a test set, and correlate over the groups.

    A group has all segments, of any system, whose values round to the same multiple of `width`. Over the groups, the
    scores of each metric are correlated with human scores.

    Args:
        scores: Scores by metric name, as for `correlate`.
        human: The human score of each segment, one row per system; segments with NaN are left out.
        by: The values to group by, such as unigram scores or human scores, one row per system; segments with NaN are
            left out.
        width: The distance between the values of neighbouring groups.
        smallest: Groups with fewer segments than this number are small.
        resamples: The number of resamples; 0: no intervals. Segments keep their groups in all resamples.
        seed: The same seed draws the same segments.
        confidence: The share of resamples inside the interval.

    Examples:
        >>> people = [[1, 1, 4, 4, 2], [3, 2, 4, 3, 1]]
        >>> metric = [[0.1, 0.2, 0.8, 0.9, 0.3], [0.5, 0.4, 0.9, 0.6, 0.2]]
        >>> found = group_segments({"mine": metric}, people, people, width=1, smallest=2, resamples=0)
        >>> [(group.value, group.size, round(group.scores["mine"], 3)) for group in found.groups]
        [(1.0, 3, 0.167), (2.0, 2, 0.35), (3.0, 2, 0.55), (4.0, 3, 0.867)]
        >>> round(found.every["mine"].pearson.value, 3)
        0.991
    """
    judged = as_matrix(human, "human scores")
    member, values = _assigned(as_matrix(by, "the values to group by"), judged, width)
    people = _Grouped.of(SystemTables.of(judged), member, len(values))
    sizes = people.table[..., 1].sum(axis=0).astype(int)
    counted = {name: _Grouped.of(SystemTables.of(given).mixed(), member, len(values)) for name, given in scores.items()}
    means = people.values().tolist()
    columns = {name: one.values().tolist() for name, one in counted.items()}
    groups = [
        Group(value, size, size < smallest, means[k], {name: or_none(column[k]) for name, column in columns.items()})
        for k, (value, size) in enumerate(zip(values.tolist(), sizes.tolist(), strict=True))
    ]

    def correlations(chosen: npt.NDArray[np.bool_]) -> dict[str, Correlation]:
        # A group that is empty in a resample is not a point of this resample.
        y, ys = snap_ties(people.values()[chosen]), people.resampled(resamples, seed)[:, chosen]
        found = {}
        for name, one in counted.items():
            drawn = pearson_of(moments(one.resampled(resamples, seed)[:, chosen], ys).sum(axis=-2))
            x = snap_ties(one.values()[chosen], each=True)
            found[name] = plain_correlation(x, y, drawn, PointNames("group", "groups"), confidence)
        return found

    return Grouping(width, smallest, tuple(groups), correlations(sizes > 0), correlations(sizes >= smallest))


class _Grouped(NamedTuple):
    """A metric's statistics by segment, group and column. Each entry sums the systems whose segment is in the group."""

    scores: SystemTables
    table: Floats

    @classmethod
    def of(cls, scores: SystemTables, member: _Groups, groups: int) -> _Grouped:
        systems, segments, columns = scores.tables.shape
        if (systems, segments) != member.shape:
            raise UsageError(
                f"scores of a metric have shape {(systems, segments)}, but human scores have shape {member.shape}",
                advice="give the same systems and segments, with NaN for missing scores",
            )
        found = np.zeros((segments, groups, columns))
        for table, own in zip(scores.tables, member, strict=True):
            rows = np.flatnonzero(own != _NOWHERE)
            found[rows, own[rows]] += table[rows]
        return cls(scores, found)

    def values(self) -> Floats:
        """Return the value of each group."""
        return self.scores.of_sums(self.table.sum(axis=0))

    def resampled(self, resamples: int, seed: int) -> Floats:
        """Return the value of each group, one row per resample."""
        segments, groups, columns = self.table.shape
        if not resamples:
            return np.zeros((0, groups))
        (sums,) = resampled_sums([self.table.reshape(segments, -1)], resamples, seed)
        return self.scores.of_sums(sums.reshape(-1, groups, columns))


def _assigned(by: Floats, human: Floats, width: float) -> tuple[_Groups, Floats]:
    """Return the group number of each segment (−1: none), one row per system; and the value of each group."""
    if not 0 < width < np.inf:
        raise UsageError(f"the width of groups is {width}", advice="give a width above 0, like 0.1")
    if by.shape != human.shape:
        raise UsageError(
            f"values to group by have shape {by.shape}, but human scores have shape {human.shape}",
            advice="give the same systems and segments, with NaN for missing values",
        )
    there = ~(np.isnan(by) | np.isnan(human))
    if not there.any():
        raise UsageError(
            "no segment has both a human score and a value to group by",
            advice="do not group segments, or add human scores of segments",
        )
    # Round halves up; count values just below a half (by rounding errors) as halves.
    numbers = np.floor(by[there] / width + 0.5 + 1e-9)
    found, member = np.unique(numbers, return_inverse=True)
    if len(found) > _MOST_GROUPS:
        raise UsageError(
            f"width {width:g} gives {len(found)} groups, which are too many", advice="choose a larger width"
        )
    groups = np.full(human.shape, _NOWHERE, dtype=np.int64)
    groups[there] = member
    # Remove rounding errors: 3 × 0.1 becomes 0.3.
    return groups, np.array([float(f"{number * width:.12g}") for number in found])
