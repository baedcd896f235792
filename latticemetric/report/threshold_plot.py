"""Scores of a confidence measure, drawn against the threshold."""

from __future__ import annotations

import numpy as np

from latticemetric.evaluation.tags.confidence_sweep import ConfidenceSweep
from latticemetric.evaluation.tags.tag_metrics import TAG_METRICS
from latticemetric.report.drawing import check_plot, save, style

_LINES = {"f1_mult": ("#0b6e99", "-", 2.2), "f1_bad": ("#c05a00", "--", 1.4), "f1_ok": ("#888888", ":", 1.4)}


def draw_thresholds(found: ConfidenceSweep, path: str, measure: str) -> None:
    """Draws F1-mult, and the two scores it is made of, against the threshold.

    Args:
        found: The sweep.
        path: A file that ends in .svg, .png or .pdf.
        measure: What the threshold is of.
    """
    check_plot(path)
    from matplotlib.figure import Figure

    at = [row.threshold for row in found.rows]
    with style():
        figure = Figure(figsize=(5.6, 3.8), layout="constrained")
        panel = figure.subplots()
        for name, (color, line, width) in _LINES.items():
            values = [np.nan if (value := getattr(row.scores, name)) is None else value for row in found.rows]
            panel.plot(at, values, line, color=color, linewidth=width, label=TAG_METRICS[name].label, marker=".")
        if found.best is not None:
            best, value = found.best.threshold, found.best.scores.f1_mult or 0.0
            panel.plot([best], [value], "o", color=_LINES["f1_mult"][0], label=f"best: {value:.4f} at {best:g}")
        panel.set_ylim(-0.02, 1.02)
        panel.set_xlabel(f"{measure}: words below the threshold are BAD")
        panel.grid(visible=True, alpha=0.2)
        figure.legend(loc="outside upper center", ncols=4, frameon=False)
        save(figure, path)
