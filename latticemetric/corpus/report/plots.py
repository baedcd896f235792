"""Draw plots with matplotlib: agreement with human scores, sweeps, confidence thresholds, calibration.

Lines and marks of different colours also have different dashes, markers or hatches, for prints in black and white.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.corpus.sweep import LengthBin, Sweep
from latticemetric.errors import UsageError, importing
from latticemetric.evaluation.agreement import Agreement
from latticemetric.evaluation.coefficients import Floats, differences, fitted_line
from latticemetric.evaluation.correlation import Correlation
from latticemetric.evaluation.grouping import Grouping
from latticemetric.evaluation.intervals import Interval
from latticemetric.evaluation.word_tags.evaluation import ConfidenceSweep
from latticemetric.evaluation.word_tags.metrics import TAG_METRICS
from latticemetric.formats.streams.output import atomic_output
from latticemetric.likeness import which_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from latticemetric.corpus.calibration import CalibrationReport
    from latticemetric.evaluation.calibration import ReliabilityBin


SUFFIXES = (".svg", ".png", ".pdf")

# Colours of Okabe and Ito, which colour-blind readers can distinguish.
BLUE, ORANGE, GREY, INK = "#0072b2", "#d55e00", "#767676", "#222222"

_DOTS_AN_INCH = 150
_PANEL_WIDTH, _PANEL_HEIGHT, _HEADING = 3.4, 3.2, 0.4  # inches


def check_plot(path: str, *, metrics: int = 1) -> None:
    """Check, before any computation, that a plot can be drawn.

    Args:
        path: The file.
        metrics: How many metrics it should show.

    Raises:
        UsageError: The suffix of the file is not a picture format, or there are several metrics.
        MissingDependencyError: matplotlib is not installed.
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        raise UsageError("the suffix is not a picture format", where=path, advice=f"use one of {', '.join(SUFFIXES)}")
    if metrics > 1:
        raise UsageError("a plot shows the sweep by one metric", where=path, advice="name one, such as wer")
    with importing("plots need matplotlib", advice="pip install 'latticemetric[report]'"):
        import matplotlib as mpl  # noqa: F401


@contextmanager
def saved_figure(path: str, rows: int, columns: int) -> Iterator[Figure]:
    """Provide a figure with room for `rows` × `columns` panels; write it to `path` at the end of the `with` block.

    The suffix of `path` gives the format. Fonts are small, the grid is light, and there are no frames. Equal figures
    give equal files.
    """
    check_plot(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings: dict[str, Any] = {
        "svg.hashsalt": "latticemetric",
        "svg.fonttype": "none",
        "font.size": 8,
        "axes.titlesize": 9,
        "axes.titlecolor": INK,
        "axes.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#e6e6e6",
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.4,
        "lines.markersize": 4.5,
        "figure.titlesize": 10,
        "legend.frameon": False,
    }
    with mpl.rc_context(settings):
        figure = Figure(figsize=(columns * _PANEL_WIDTH, rows * _PANEL_HEIGHT + _HEADING), layout="constrained")
        yield figure
        suffix = Path(path).suffix.lower()
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix, {"Software": None})
        with atomic_output(path) as file:
            figure.savefig(file, format=suffix[1:], dpi=_DOTS_AN_INCH, metadata=undated)


def legend_above(figure: Figure, entries: Mapping[str, Any]) -> None:
    """Put a legend above all panels. `entries` maps each name to its line or mark, or to a tuple of several."""
    from matplotlib.legend_handler import HandlerTuple

    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside upper center",
        ncols=len(entries),
        handler_map={tuple: HandlerTuple(ndivide=None)},
        handlelength=3,
    )


# ---- Scatter plots with fitted lines, one panel per metric ----


_MOST_COLUMNS = 4
_MOST_LABELS = 25
_LABEL_POINTS = 6
_SPAN_POINTS = 130  # height in points (1/72 inch) between the lowest and the highest value of a panel
_WIDTH_POINTS = 200  # the least width of a panel's axes
_LETTER_POINTS = 0.62 * _LABEL_POINTS  # the width of a letter
_OFFSET = 5  # points between a point and its label
_MARGIN = 0.12
_ROUNDS = 5
_LEAST_COLUMNS = 2
_EDGE = 0.25  # share of a panel's width: a longer label at the left or right edge is on the inner side of its point
_MANY = 200


@dataclass(frozen=True)
class _Panel:
    """A scatter plot of one metric."""

    metric: str
    x: Floats  # the metric's values; a point with NaN is not drawn
    y: Floats  # the human scores
    correlation: Correlation
    unit: str = ""
    labels: Sequence[str] = ()  # the names of the points
    hollow: npt.NDArray[np.bool_] | None = None  # True for points to draw hollow


def _draw_panels(panels: Sequence[_Panel], path: str, heading: str, note: str = "") -> None:
    """Draw panels into one picture."""
    columns = min(_MOST_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    with saved_figure(path, rows, max(_LEAST_COLUMNS, columns)) as figure:
        for k, panel in enumerate(panels, start=1):
            _draw(figure.add_subplot(rows, columns, k), panel)
        figure.suptitle(heading, color=INK)
        if note:
            figure.supxlabel(note, fontsize=7, color=GREY)


def _draw(axes: Axes, panel: _Panel) -> None:
    drawn = ~(np.isnan(panel.x) | np.isnan(panel.y))
    hollow = np.zeros(len(panel.x), dtype=bool) if panel.hollow is None else panel.hollow
    crowd = int(drawn.sum()) > _MANY
    style: dict[str, Any] = {"s": 6 if crowd else 22, "alpha": 0.35 if crowd else 0.9, "edgecolors": BLUE}
    for chosen, colour, marker in ((drawn & ~hollow, BLUE, "o"), (drawn & hollow, "none", "^")):
        linewidths = 0 if crowd and colour != "none" else 0.8
        axes.scatter(
            panel.x[chosen], panel.y[chosen], facecolors=colour, marker=marker, linewidths=linewidths, zorder=3, **style
        )
    pearson, line, title = panel.correlation.pearson, None, f"{panel.metric}: undefined"
    if pearson.value is not None:
        line = fitted_line(panel.x, panel.y)
        value = f"{pearson.value:.3f}".replace("-", "−")
        half_width = "" if pearson.half_width is None else f" ± {pearson.half_width:.3f}"
        title = f"{panel.metric}: r = {value}{half_width}"
    if line is not None and drawn.any():
        ends = np.array([panel.x[drawn].min(), panel.x[drawn].max()])
        axes.plot(ends, line[0] * ends + line[1], color=ORANGE, zorder=1)
    axes.margins(_MARGIN)
    if drawn.any() and 0 < len(panel.labels) <= _MOST_LABELS:
        _label(axes, panel, line, drawn)
    axes.set_title(title)
    axes.set_xlabel(f"{panel.metric}{panel.unit}")
    axes.set_ylabel(f"human{panel.unit or ' score'}")


def _label(axes: Axes, panel: _Panel, line: tuple[float, float] | None, drawn: npt.NDArray[np.bool_]) -> None:
    """Write the names of the drawn points beside them, away from the line and without overlaps."""
    x, y = panel.x[drawn], panel.y[drawn]
    unit = (y.max() - y.min()) / _SPAN_POINTS or 1.0
    shifts = _apart(y / unit) - y / unit
    widths = np.array([_OFFSET + len(text) * _LETTER_POINTS for text in np.asarray(panel.labels)[drawn].tolist()])
    lefts = _to_the_left(x, y, line, widths)
    axes.set_xlim(*_limits(x, widths, lefts))
    for at, height, shift, left, text in zip(x, y, shifts, lefts, np.asarray(panel.labels)[drawn], strict=True):
        axes.annotate(
            str(text).replace("$", r"\$"),
            (float(at), float(height)),
            xytext=(-_OFFSET if left else _OFFSET, shift),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=_LABEL_POINTS,
            color=INK,
            zorder=2,
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.4},
        )


def _to_the_left(x: Floats, y: Floats, line: tuple[float, float] | None, widths: Floats) -> npt.NDArray[np.bool_]:
    """Choose the side of each label, away from the line; long labels stay inside. Return True for left of the point."""
    width = x.max() - x.min() or 1.0
    place = (x - x.min()) / width
    left: npt.NDArray[np.bool_] = place > 1 / 2
    if line is not None:
        slope, intercept = line
        above = (y - slope * x - intercept) * slope > 0  # points above a rising line lie left of it
        long = widths > _WIDTH_POINTS * _EDGE
        left = (above & ~(long & (place < _EDGE))) | (long & (place > 1 - _EDGE))
    return left


def _limits(x: Floats, widths: Floats, lefts: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Return limits of the horizontal axis with room for the labels, whose widths are in points."""
    span = x.max() - x.min() or 1.0
    low, high = x.min() - _MARGIN * span, x.max() + _MARGIN * span
    for _ in range(_ROUNDS):  # wider limits make labels wider in the unit of the axis
        unit = (high - low) / _WIDTH_POINTS
        low = min(low, float((x - widths * unit)[lefts].min(initial=low)))
        high = max(high, float((x + widths * unit)[~lefts].max(initial=high)))
    return low, high


def _apart(heights: Floats) -> Floats:
    """Move labels apart where they would overlap; return the new heights, in points."""
    order = np.argsort(heights, kind="stable")
    step = np.arange(len(heights)) * _LABEL_POINTS * 1.15
    pushed = np.maximum.accumulate(heights[order] - step) + step
    found = np.empty(len(heights))
    found[order] = pushed - (pushed - heights[order]).mean()
    return found


# ---- Agreement of metrics with people ----

PlotLevel = Literal["system", "differentials", "segment"]

_HEADINGS = {
    "system": "Systems",
    "differentials": "Differences between pairs of systems",
    "segment": "Segments of all systems",
}


def plot_agreement(agreement: Agreement, path: str, *, level: PlotLevel = "system") -> None:
    """Draw the agreement of metrics with human scores: one scatter plot per metric, in one picture.

    Args:
        agreement: The result of `correlate`.
        path: The file to write; its name ends in .svg, .png or .pdf.
        level: The kind of points: systems (`system`), pairs of systems (`differentials`), or segments (`segment`).

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    if level not in get_args(PlotLevel):
        raise UsageError(f"there is no plot of '{level}'", advice=which_of(level, get_args(PlotLevel)))
    panels = []
    for metric, one in agreement.metrics.items():
        x, y = _numbers(one.scores), _numbers(agreement.human)
        if level == "system":
            panels.append(_Panel(metric, x, y, one.system, labels=agreement.systems))
        elif level == "differentials":
            pairs = one.differentials.correlation
            panels.append(_Panel(metric, differences(x), differences(y), pairs, " difference"))
        elif one.segment is None:
            raise UsageError("there are no human scores of segments", advice="plot systems or differentials")
        else:
            cells = one.segment_scores.ravel(), agreement.human_segments.ravel()
            panels.append(_Panel(metric, *cells, one.segment.pooled))
    _draw_panels(panels, path, _HEADINGS[level])


def plot_grouping(grouping: Grouping, path: str) -> None:
    """Draw one scatter plot per metric over groups of segments; small groups are hollow triangles (Coughlin 2003)."""
    human = np.array([group.human for group in grouping.groups])
    small = np.array([group.small for group in grouping.groups], dtype=bool)
    panels = [
        _Panel(metric, _floats(group.scores[metric] for group in grouping.groups), human, one, hollow=small)
        for metric, one in grouping.every.items()
    ]
    note = f"triangles: groups of fewer than {grouping.smallest} segments"
    _draw_panels(panels, path, "Groups of segments", note)


def _numbers(intervals: tuple[Interval, ...]) -> Floats:
    return _floats(one.value for one in intervals)


def _floats(values: Iterable[float | None]) -> Floats:
    """Return numbers as an array, with NaN for undefined numbers."""
    return np.array([np.nan if value is None else value for value in values])


# ---- Sweeps: oracles of pruned graphs, and oracles by reference length ----

_AXES = {
    "beam": "pruning beam (cost above the best path's)",
    "density": "density (arcs per reference word)",
    "nbest": "n of n-best (strings)",
}
_BAR = 0.38
# An axis is logarithmic if the ratio of its largest to its smallest value is at least this.
_WIDE = 20
# More ticks would overlap.
_MOST_TICKS = 10


def draw_sweep(found: Sweep, measured: str, path: str, intervals: Sequence[Interval] = ()) -> None:
    """Draw a sweep into a file: one panel per kind of point (beam, density, n-best), and one panel for lengths.

    `measured` is the label of the vertical axis: the metric, and whether higher or lower is better. `intervals`, one
    per row of the sweep, are drawn as bands.
    """
    kinds = [kind for kind in _AXES if any(row.kind == kind for row in found.rows)]
    number = len(kinds) + bool(found.lengths)
    with saved_figure(path, 1, max(number, _LEAST_COLUMNS)) as figure:
        panels = figure.subplots(1, number, sharey=True, squeeze=False)[0]
        drawn: list[dict[str, Any]] = [
            _draw_points(panel, found, kind, intervals) for panel, kind in zip(panels, kinds, strict=False)
        ]
        if found.lengths:
            drawn.append(_draw_lengths(panels[-1], found.lengths))
        first, last = drawn[0], drawn[-1]
        entries = first
        if first.keys() != last.keys():
            # Show entries of the same name side by side.
            both = {name: (one, last[name]) for name, one in first.items() if name in last}
            entries = {**last, **first, **both}
        legend_above(figure, entries)
        panels[0].set_ylabel(measured)


def _draw_points(panel: Any, found: Sweep, kind: str, intervals: Sequence[Interval]) -> dict[str, Any]:
    """Draw the oracle at the points of one kind, with the 1-best and the oracle of whole graphs.

    Return the entries of the legend by name.
    """
    places = [place for place, row in enumerate(found.rows) if row.kind == kind]
    at = [found.rows[place].at or 0 for place in places]
    shown = {}
    scores = _floats(row.score for row in found.rows)
    (shown["oracle"],) = panel.plot(at, scores[places], "o-", color=BLUE, zorder=3)
    if intervals:
        low, high = (_floats(getattr(intervals[place], end) for place in places) for end in ("low", "high"))
        name = f"{intervals[0].confidence:.0%} interval"
        shown[name] = panel.fill_between(at, low, high, color=BLUE, alpha=0.15, linewidth=0)
    shown["1-best"] = panel.axhline(scores[0], linestyle="--", color=GREY)
    shown["oracle of whole graphs"] = panel.axhline(scores[-1], linestyle=":", color=ORANGE)
    _scale(panel, at)
    panel.set_xlabel(_AXES[kind])
    return shown


def _scale(panel: Any, at: Sequence[float]) -> None:
    """Use the values as ticks; if they are far apart, make the axis logarithmic (but linear near 0)."""
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
    """Draw 1-best and oracle side by side, by reference length; return the entries of the legend by name."""
    at = np.arange(len(lengths))
    one_best = _floats(one.one_best.score for one in lengths)
    oracle = _floats(one.oracle.score for one in lengths)
    shown = {
        "oracle": panel.bar(at + _BAR / 2, oracle, _BAR, color=BLUE),
        "1-best": panel.bar(at - _BAR / 2, one_best, _BAR, color="white", edgecolor=GREY, hatch="////"),
    }
    panel.set_xlim(-0.6, len(lengths) - 0.4)  # also show bins without graphs
    panel.set_xticks(at, [f"{one.label}\n({one.graphs})" for one in lengths])
    panel.set_xlabel("words of the reference (graphs)")
    panel.grid(visible=False, axis="x")
    return shown


# ---- Confidence measures: scores by threshold ----

_LINES = {"f1_mult": ("o-", BLUE), "f1_bad": ("s--", ORANGE), "f1_ok": ("^:", GREY)}


def draw_thresholds(found: ConfidenceSweep, path: str, measure: str) -> None:
    """Draw F1-mult and its two factors by the threshold of a confidence measure, into a file."""
    at = [row.threshold for row in found.rows]
    with saved_figure(path, 1, _LEAST_COLUMNS) as figure:
        panel = figure.subplots()
        shown = {}
        for name, (line, color) in _LINES.items():
            values = _floats(getattr(row.scores, name) for row in found.rows)
            (shown[TAG_METRICS[name].label],) = panel.plot(at, values, line, color=color, markersize=3)
        if found.best is not None:
            best, value = found.best.threshold, found.best.scores.f1_mult or 0.0
            ring: dict[str, Any] = {"markersize": 10, "markerfacecolor": "none", "markeredgecolor": BLUE}
            (shown[f"best F1-mult: {value:.4f} at {best:g}"],) = panel.plot([best], [value], "o", **ring)
        panel.set_ylim(-0.02, 1.02)
        panel.set_xlabel(f"{measure}: words below the threshold are BAD")
        panel.set_ylabel("score")
        legend_above(figure, shown)


# ---- Calibration: reliability diagrams ----

_RELIABILITY = {
    "words": ("confidence of a word", "share of right words"),
    "sentences": ("probability of no errors", "share without errors"),
    "errors": ("expected errors", "mean errors"),
}
_MARKS = (("o-", BLUE), ("s--", ORANGE))


def draw_calibration(reports: Mapping[str, CalibrationReport], path: str) -> None:
    """Draw reliability diagrams into a file: predicted against observed values.

    There are up to three diagrams: for confidences of words, probabilities of no errors, and expected numbers of
    errors. Draw at most two `reports`, with their names in the legend; draw intervals only for the first report. On the
    grey diagonal, predictions equal observations.
    """
    first = next(iter(reports.values()))
    kinds = [kind for kind in _RELIABILITY if getattr(first, kind) is not None]
    with saved_figure(path, 1, max(len(kinds), _LEAST_COLUMNS)) as figure:
        panels = figure.subplots(1, len(kinds), squeeze=False)[0]
        shown: dict[str, Any] = {}
        for panel, kind in zip(panels, kinds, strict=True):
            largest = 1.0
            for number, ((name, report), (line, color)) in enumerate(zip(reports.items(), _MARKS, strict=False)):
                bins = [one for one in getattr(report, kind).bins if one.count]
                shown[name] = _draw_bins(panel, bins, line, color, with_intervals=not number)
                ends = [value for one in bins for value in (one.predicted, one.observed.value) if value is not None]
                largest = max([largest, *ends])
            (shown["as predicted"],) = panel.plot([0, largest], [0, largest], "-", color=GREY, linewidth=0.8, zorder=1)
            for set_label, label in zip((panel.set_xlabel, panel.set_ylabel), _RELIABILITY[kind], strict=True):
                set_label(label)
        legend_above(figure, shown)


def _draw_bins(panel: Any, bins: Sequence[ReliabilityBin], line: str, color: str, *, with_intervals: bool) -> Any:
    """Draw the points of a reliability diagram, with their intervals if `with_intervals`; return the drawn line."""
    at, observed = _floats(one.predicted for one in bins), _floats(one.observed.value for one in bins)
    (drawn,) = panel.plot(at, observed, line, color=color, zorder=3)
    if with_intervals:
        low, high = (_floats(getattr(one.observed, end) for one in bins) for end in ("low", "high"))
        panel.vlines(at, low, high, color=color, linewidth=0.8, alpha=0.6, zorder=2)
    return drawn
