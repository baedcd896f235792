"""Parameters of a report, and the intervals of its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from latticemetric.evaluation.intervals import Interval, bootstrap, paired_bootstrap


@dataclass(frozen=True)
class ReportOptions:
    """Parameters of a report.

    Only the `most_graphs` graphs with the most headroom (gain of the oracle over the 1-best) are drawn. `speakers` has
    the speaker of each id; by default, ids contain the speaker (see `groups_of`).
    """

    title: str = "lattices"
    most_graphs: int = 100
    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95
    settings: tuple[tuple[str, str], ...] = ()
    speakers: Mapping[str, str] | None = None

    def interval(self, metric: Any, table: Any) -> Interval:
        """Return a corpus value with its confidence interval; `table` has the statistics, one row per graph."""
        return self._shown(bootstrap(metric, table, **self.resampling), len(table))

    def difference(self, metric: Any, first: Any, second: Any) -> Interval:
        """Return the second corpus value minus the first, with a confidence interval from paired resamples."""
        return self._shown(paired_bootstrap(metric, first, second, **self.resampling).difference, len(first))

    @property
    def resampling(self) -> dict[str, Any]:
        """The arguments of `bootstrap`: resamples (at least one), seed and confidence."""
        return {"resamples": max(1, self.resamples), "seed": self.seed, "confidence": self.confidence}

    def _shown(self, found: Interval, graphs: int) -> Interval:
        """Remove the interval if there are no resamples, or only one graph: resampling needs several graphs."""
        return found if self.resamples and graphs > 1 else replace(found, low=None, high=None, half_width=None)
