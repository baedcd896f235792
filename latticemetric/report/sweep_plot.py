"""The oracle drawn against what is kept of graphs, and against the length of references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latticemetric.batch.sweep_totals import LengthBin, Sweep, SweepRow
from latticemetric.evaluation.bootstrap import Interval
from latticemetric.report.drawing import check_plot, save, style

_AXES = {"beam": "pruning beam", "density": "density: arcs per reference word", "nbest": "n of n-best"}
_ORACLE, _ONE_BEST, _WHOLE = "#0b6e99", "#888888", "#c05a00"
# From here on, numbers are drawn by their logarithms.
_WIDE = 20
# More of them would be written over each other.
_MOST_TICKS = 10


def draw_sweep(found: Sweep, measured: str, path: str, intervals: Sequence[Interval] = ()) -> None:
    """Draws a sweep into a file: a panel for each kind of point, and one for lengths.

    Args:
        found: The sweep.
        measured: What, and which way is better.
        path: A file that ends in .svg, .png or .pdf.
        intervals: Those of the sweep's rows, where there are any: drawn as bands.
    """
    check_plot(path)
    from matplotlib.figure import Figure

    kinds = [kind for kind in _AXES if any(row.kind == kind for row in found.rows)]
    number = len(kinds) + bool(found.lengths)
    with style():
        figure = Figure(figsize=(1 + 4 * number, 3.8), layout="constrained")
        panels = figure.subplots(1, number, sharey=True, squeeze=False)[0]
        for panel, kind in zip(panels, kinds, strict=False):
            _draw_points(panel, found, kind, intervals)
        if found.lengths:
            _draw_lengths(panels[-1], found.lengths)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
        panels[0].set_ylabel(measured)
        save(figure, path)


def _draw_points(panel: Any, found: Sweep, kind: str, intervals: Sequence[Interval]) -> None:
    """The oracle at the points of one kind, between the 1-best and the oracle of whole graphs."""
    places = [place for place, row in enumerate(found.rows) if row.kind == kind]
    at = [found.rows[place].at or 0 for place in places]
    if intervals:
        low, high = ([_number(getattr(intervals[p], end)) for p in places] for end in ("low", "high"))
        panel.fill_between(at, low, high, color=_ORACLE, alpha=0.15, linewidth=0)
    panel.plot(at, [_score(found.rows[place]) for place in places], "o-", color=_ORACLE, label="oracle")
    panel.axhline(_score(found.rows[0]), linestyle="--", color=_ONE_BEST, label="1-best")
    panel.axhline(_score(found.rows[-1]), linestyle=":", color=_WHOLE, label="oracle of whole graphs")
    _scale(panel, at)
    panel.set_xlabel(_AXES[kind])
    panel.grid(visible=True, alpha=0.2)


def _scale(panel: Any, at: Sequence[float]) -> None:
    """Logarithms where numbers are far apart (up to the first one above 0 they cannot be); the numbers themselves."""
    least = min((number for number in at if number > 0), default=0)
    if least and max(at) >= _WIDE * least:
        if at[0] > 0:
            panel.set_xscale("log")
        else:
            panel.set_xscale("symlog", linthresh=least, linscale=0.5)
            panel.set_xlim(-least / 4, 1.25 * max(at))
    if len(at) <= _MOST_TICKS:
        panel.set_xticks(at, [f"{number:g}" for number in at])
    panel.minorticks_off()


def _draw_lengths(panel: Any, lengths: Sequence[LengthBin]) -> None:
    """1-best and oracle side by side; what is between them is the headroom."""
    at = np.arange(len(lengths))
    width = 0.38
    scores = {
        "1-best": ([one.one_best.score for one in lengths], -width / 2, _ONE_BEST),
        "oracle": ([one.oracle.score for one in lengths], width / 2, _ORACLE),
    }
    for label, (values, shift, color) in scores.items():
        panel.bar(at + shift, [_number(value) for value in values], width, label=label, color=color)
    panel.set_xticks(at, [f"{one.label}\n({one.graphs})" for one in lengths])
    panel.set_xlabel("words of the reference (graphs)")
    panel.grid(visible=True, axis="y", alpha=0.2)
    panel.set_axisbelow(True)


def _score(row: SweepRow) -> float:
    return _number(row.score)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
