"""Plots: labels keep away from the fitted line."""

from types import SimpleNamespace

import numpy as np
import pytest

from latticemetric.corpus.report import plots


def labels_on_the_line(figure):
    """The labels of a figure that the line of their panel crosses, and those that leave their panel."""
    backend = pytest.importorskip("matplotlib.backends.backend_agg")
    canvas = backend.FigureCanvasAgg(figure)
    canvas.draw()
    crossed, outside = [], []
    for axes in figure.axes:
        line = axes.transData.transform(np.column_stack(axes.lines[0].get_data()))
        x, y = np.linspace(*line, 500).T
        for text in axes.texts:
            box = text.get_window_extent(canvas.get_renderer())
            if ((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)).any():
                crossed.append(text.get_text())
            if box.x0 < axes.bbox.x0 - 2 or box.x1 > axes.bbox.x1 + 2:
                outside.append(text.get_text())
    return crossed, outside


@pytest.mark.parametrize("sign", [1, -1])
def test_labels_at_the_edges_of_small_panels_are_beside_the_line(sign, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    seen = []
    drawn = plots._draw

    def draw(axes, panel):
        drawn(axes, panel)
        seen.append(axes.figure)

    monkeypatch.setattr(plots, "_draw", draw)
    correlation = SimpleNamespace(pearson=SimpleNamespace(value=0.9 * sign, half_width=None))
    x, y = sign * np.array([0.0, 0.5, 1.0]), np.array([0.05, 0.4, 1.05])  # the line goes through (0, 0) and (±1, 1)
    panel = plots._Panel("wer", x, y, correlation, labels=["system-a", "system-b", "system-c"])
    plots._draw_panels([panel] * 8, str(tmp_path / "plot.png"), "Systems")
    assert labels_on_the_line(seen[-1]) == ([], [])
