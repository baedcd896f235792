"""Draws how metrics agree with people."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.evaluation.agreement import Agreement
from latticemetric.evaluation.bootstrap import Interval
from latticemetric.evaluation.coefficients import Floats, differences, fitted_line
from latticemetric.evaluation.correlation import Correlation
from latticemetric.evaluation.grouping import Grouping
from latticemetric.report.scatter import Panel, draw_panels

PlotLevel = Literal["system", "differentials", "segment"]

_HEADINGS = {
    "system": "Systems",
    "differentials": "Differences between pairs of systems",
    "segment": "Segments of all systems",
}


def plot_agreement(agreement: Agreement, path: str, *, level: PlotLevel = "system") -> None:
    """A scatter plot a metric, in one picture.

    Args:
        agreement: What `correlate` found.
        path: The picture, in the format that it ends in: .svg, .png or .pdf.
        level: What a point is: a system, a pair of systems, or a segment of a system.

    Raises:
        MissingDependencyError: There is no matplotlib.
    """
    if level not in get_args(PlotLevel):
        raise UsageError(f"there is no plot of '{level}'", advice=f"choose one of {', '.join(get_args(PlotLevel))}")
    panels = [_panel(agreement, metric, level) for metric in agreement.metrics]
    draw_panels(panels, path, heading=_HEADINGS[level])


def plot_grouping(grouping: Grouping, path: str) -> None:
    """A scatter plot a metric over groups of segments; small groups are hollow triangles (Coughlin 2003, figure 4)."""
    human = np.array([group.human for group in grouping.groups])
    small = np.array([group.small for group in grouping.groups], dtype=bool)
    panels = []
    for metric, found in grouping.every.items():
        scores = [group.scores[metric] for group in grouping.groups]
        values = np.array([np.nan if score is None else score for score in scores])
        panels.append(_plotted(metric, values, human, found, hollow=small))
    note = f"triangles: groups of fewer than {grouping.smallest} segments"
    draw_panels(panels, path, heading="Groups of segments", note=note)


def _panel(agreement: Agreement, metric: str, level: PlotLevel) -> Panel:
    found = agreement.metrics[metric]
    x, y = _numbers(found.scores), _numbers(agreement.human)
    if level == "system":
        return _plotted(metric, x, y, found.system, labels=agreement.systems)
    if level == "differentials":
        return _plotted(metric, differences(x), differences(y), found.differentials.correlation, unit=" difference")
    if found.segment is None:
        raise UsageError("people judged no segments", advice="plot systems or differentials")
    cells = found.segment_scores.ravel(), agreement.human_segments.ravel()
    return _plotted(metric, *cells, found.segment.pooled)


def _plotted(
    metric: str,
    x: Floats,
    y: Floats,
    found: Correlation,
    *,
    unit: str = "",
    labels: tuple[str, ...] = (),
    hollow: npt.NDArray[np.bool_] | None = None,
) -> Panel:
    axes = f"{metric}{unit}", f"human{unit or ' score'}"
    if found.pearson.value is None:
        return Panel(f"{metric}: undefined", x, y, *axes, None, labels, hollow)
    value = f"{found.pearson.value:.3f}".replace("-", "−")
    title = f"{metric}: r = {value}"
    if found.pearson.half_width is not None:
        title += f" ± {found.pearson.half_width:.3f}"
    return Panel(title, x, y, *axes, fitted_line(x, y), labels, hollow)


def _numbers(intervals: tuple[Interval, ...]) -> Floats:
    return np.array([np.nan if one.value is None else one.value for one in intervals])
