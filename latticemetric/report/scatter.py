"""Scatter plots with fitted lines, a panel a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from latticemetric.report.plots import BLUE, GREY, INK, ORANGE, check_plot, new_figure, save, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

_MOST_COLUMNS = 4
_MOST_LABELS = 25
_LABEL_POINTS = 6
_SPAN_POINTS = 130  # of a panel's height, what lies between the lowest and the highest point
_LEAST_COLUMNS = 2
_EDGE = 0.2  # of a panel's width: labels of points so close to a side go to the other
_MANY = 200


@dataclass(frozen=True)
class Panel:
    """Points of one metric.

    Attributes:
        title: Above the panel.
        x: The metric's values; NaN leaves a point out.
        y: People's.
        x_label: Below it.
        y_label: Beside it.
        line: Slope and intercept of the fitted line; `None` where there is none.
        labels: Of points; may be empty.
        hollow: Which points are drawn hollow; `None`: none.
    """

    title: str
    x: Floats
    y: Floats
    x_label: str
    y_label: str
    line: tuple[float, float] | None = None
    labels: Sequence[str] = ()
    hollow: npt.NDArray[np.bool_] | None = None


def draw_panels(panels: Sequence[Panel], path: str, *, heading: str, note: str = "") -> None:
    """Draws panels into one picture, in the format that the file's name ends in.

    The same panels give the same file.
    """
    check_plot(path)
    columns = min(_MOST_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    with style():
        figure = new_figure(rows, max(_LEAST_COLUMNS, columns))
        for k, panel in enumerate(panels, start=1):
            _draw(figure.add_subplot(rows, columns, k), panel)
        figure.suptitle(heading, color=INK)
        if note:
            figure.supxlabel(note, fontsize=7, color=GREY)
        save(figure, path)


def _draw(axes: Axes, panel: Panel) -> None:
    there = ~(np.isnan(panel.x) | np.isnan(panel.y))
    hollow = np.zeros(len(panel.x), dtype=bool) if panel.hollow is None else panel.hollow
    crowd = int(there.sum()) > _MANY
    style: dict[str, Any] = {"s": 6 if crowd else 22, "alpha": 0.35 if crowd else 0.9, "edgecolors": BLUE}
    for chosen, colour, marker in ((there & ~hollow, BLUE, "o"), (there & hollow, "none", "^")):
        linewidths = 0 if crowd and colour != "none" else 0.8
        axes.scatter(
            panel.x[chosen], panel.y[chosen], facecolors=colour, marker=marker, linewidths=linewidths, zorder=3, **style
        )
    if panel.line is not None and there.any():
        ends = np.array([panel.x[there].min(), panel.x[there].max()])
        axes.plot(ends, panel.line[0] * ends + panel.line[1], color=ORANGE, zorder=1)
    if there.any() and 0 < len(panel.labels) <= _MOST_LABELS:
        _label(axes, panel, there)
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.margins(0.12)


def _label(axes: Axes, panel: Panel, there: npt.NDArray[np.bool_]) -> None:
    """Names beside points, on the side that the line is not on; none over another."""
    x, y = panel.x[there], panel.y[there]
    unit = (y.max() - y.min()) / _SPAN_POINTS or 1.0
    shifts = _apart(y / unit) - y / unit
    lefts = _to_the_left(x, y, panel.line)
    for at, height, shift, left, text in zip(x, y, shifts, lefts, np.asarray(panel.labels)[there], strict=True):
        axes.annotate(
            str(text).replace("$", r"\$"),
            (float(at), float(height)),
            xytext=(-5 if left else 5, shift),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=_LABEL_POINTS,
            color=INK,
            zorder=2,
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.4},
        )


def _to_the_left(x: Floats, y: Floats, line: tuple[float, float] | None) -> npt.NDArray[np.bool_]:
    """Whether a label is better left of its point: away from the line, and inside."""
    width = x.max() - x.min() or 1.0
    place = (x - x.min()) / width
    left: npt.NDArray[np.bool_] = place > 1 / 2
    if line is not None:
        slope, intercept = line
        above = (y - slope * x - intercept) * slope > 0  # of a rising line, what is above lies left
        left = (above & (place >= _EDGE)) | (place > 1 - _EDGE)
    return left


def _apart(heights: Floats) -> Floats:
    """The same heights, those that are too close for two labels pushed apart."""
    order = np.argsort(heights, kind="stable")
    step = np.arange(len(heights)) * _LABEL_POINTS * 1.15
    pushed = np.maximum.accumulate(heights[order] - step) + step
    found = np.empty(len(heights))
    found[order] = pushed - (pushed - heights[order]).mean()
    return found
