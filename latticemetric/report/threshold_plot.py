"""Scores of a confidence measure, drawn against the threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from latticemetric.evaluation.tags.confidence_sweep import ConfidenceSweep
from latticemetric.evaluation.tags.tag_metrics import TAG_METRICS
from latticemetric.report.plots import BLUE, GREY, ORANGE, check_plot, legend_above, new_figure, save, style

_LINES = {"f1_mult": ("o-", BLUE), "f1_bad": ("s--", ORANGE), "f1_ok": ("^:", GREY)}
_COLUMNS = 2  # one panel, as wide as two


def draw_thresholds(found: ConfidenceSweep, path: str, measure: str) -> None:
    """Draws F1-mult, and the two scores it is made of, against the threshold.

    Args:
        found: The sweep.
        path: A file that ends in .svg, .png or .pdf.
        measure: What the threshold is of.
    """
    check_plot(path)
    at = [row.threshold for row in found.rows]
    with style():
        figure = new_figure(1, _COLUMNS)
        panel = figure.subplots()
        shown = {}
        for name, (line, color) in _LINES.items():
            values = [np.nan if (value := getattr(row.scores, name)) is None else value for row in found.rows]
            (shown[TAG_METRICS[name].label],) = panel.plot(at, values, line, color=color, markersize=3)
        if found.best is not None:
            best, value = found.best.threshold, found.best.scores.f1_mult or 0.0
            ring: dict[str, Any] = {"markersize": 10, "markerfacecolor": "none", "markeredgecolor": BLUE}
            (shown[f"best F1-mult: {value:.4f} at {best:g}"],) = panel.plot([best], [value], "o", **ring)
        panel.set_ylim(-0.02, 1.02)
        panel.set_xlabel(f"{measure}: words below the threshold are BAD")
        panel.set_ylabel("score")
        legend_above(figure, shown)
        save(figure, path)
