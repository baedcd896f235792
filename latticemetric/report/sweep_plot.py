"""The oracle drawn against what is kept of graphs, and against the length of references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latticemetric.batch.sweep_totals import LengthBin, Sweep, SweepRow
from latticemetric.evaluation.bootstrap import Interval
from latticemetric.report.plots import BLUE, GREY, ORANGE, check_plot, legend_above, new_figure, save, style

_AXES = {
    "beam": "pruning beam (cost above the best path's)",
    "density": "density (arcs per reference word)",
    "nbest": "n of n-best (strings)",
}
_BAR = 0.38
_LEAST_COLUMNS = 2  # for the legend
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
    kinds = [kind for kind in _AXES if any(row.kind == kind for row in found.rows)]
    number = len(kinds) + bool(found.lengths)
    with style():
        figure = new_figure(1, max(number, _LEAST_COLUMNS))
        panels = figure.subplots(1, number, sharey=True, squeeze=False)[0]
        drawn: list[dict[str, Any]] = [
            _draw_points(panel, found, kind, intervals) for panel, kind in zip(panels, kinds, strict=False)
        ]
        if found.lengths:
            drawn.append(_draw_lengths(panels[-1], found.lengths))
        legend_above(figure, _together(drawn))
        panels[0].set_ylabel(measured)
        save(figure, path)


def _together(drawn: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What means the same in panels of points and in the one of lengths, side by side in the legend."""
    first, last = drawn[0], drawn[-1]
    if first.keys() == last.keys():
        return first
    return {
        name: (first[name], last[name]) if name in first and name in last else one
        for name, one in {**last, **first}.items()
    }


def _draw_points(panel: Any, found: Sweep, kind: str, intervals: Sequence[Interval]) -> dict[str, Any]:
    """The oracle at the points of one kind, between the 1-best and the oracle of whole graphs; what is what."""
    places = [place for place, row in enumerate(found.rows) if row.kind == kind]
    at = [found.rows[place].at or 0 for place in places]
    shown = {}
    (shown["oracle"],) = panel.plot(at, [_score(found.rows[place]) for place in places], "o-", color=BLUE, zorder=3)
    if intervals:
        low, high = ([_number(getattr(intervals[p], end)) for p in places] for end in ("low", "high"))
        name = f"{intervals[0].confidence:.0%} interval"
        shown[name] = panel.fill_between(at, low, high, color=BLUE, alpha=0.15, linewidth=0)
    shown["1-best"] = panel.axhline(_score(found.rows[0]), linestyle="--", color=GREY)
    shown["oracle of whole graphs"] = panel.axhline(_score(found.rows[-1]), linestyle=":", color=ORANGE)
    _scale(panel, at)
    panel.set_xlabel(_AXES[kind])
    return shown


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


def _draw_lengths(panel: Any, lengths: Sequence[LengthBin]) -> dict[str, Any]:
    """1-best and oracle side by side; what is between them is the headroom."""
    at = np.arange(len(lengths))
    one_best = [_number(one.one_best.score) for one in lengths]
    oracle = [_number(one.oracle.score) for one in lengths]
    shown = {
        "oracle": panel.bar(at + _BAR / 2, oracle, _BAR, color=BLUE),
        "1-best": panel.bar(at - _BAR / 2, one_best, _BAR, color="white", edgecolor=GREY, hatch="////"),
    }
    panel.set_xlim(-0.6, len(lengths) - 0.4)  # bins without graphs, too
    panel.set_xticks(at, [f"{one.label}\n({one.graphs})" for one in lengths])
    panel.set_xlabel("words of the reference (graphs)")
    panel.grid(visible=False, axis="x")
    return shown


def _score(row: SweepRow) -> float:
    return _number(row.score)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
