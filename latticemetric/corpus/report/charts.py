"""Draw a report's charts as SVG: rates of oracle, 1-best and MBR, headroom by length and density, sweeps.

The page's style sheet colours axes, marks and texts by class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import quoteattr

import numpy as np

from latticemetric.corpus.sweep import LengthBin, Sweep
from latticemetric.display.text import two_digits
from latticemetric.drawing.svg import decimal, element
from latticemetric.evaluation.intervals import Interval
from latticemetric.lattice.statistics import MANY

_WIDTH = 360.0
_LEFT, _RIGHT = 50.0, _WIDTH - 20.0
_DIGITS = 1  # decimals of numbers in SVG elements


class Axis:
    """A scale: it maps the values from `low` to `high` to the positions from `begin` to `end`.

    A logarithmic scale maps equal ratios to equal distances; its values must be above 0.
    """

    def __init__(self, low: float, high: float, begin: float, end: float, *, logarithmic: bool = False) -> None:
        self.logarithmic = logarithmic
        self._low, self._high = (math.log(low), math.log(high)) if logarithmic else (low, high)
        self._begin, self._end = begin, end

    def place(self, value: float) -> float:
        """Return the position of a value."""
        at = math.log(value) if self.logarithmic else value
        share = (at - self._low) / (self._high - self._low) if self._high > self._low else 0.5
        return self._begin + share * (self._end - self._begin)


class Paper:
    """A chart as SVG elements. The title describes the chart to readers who cannot see it.

    In all methods, `kind` is the class of an element in the style sheet.
    """

    def __init__(self, title: str, height: float) -> None:
        self.title, self.height = title, height
        self._elements: list[str] = []

    def line(self, x: float, y: float, to_x: float, to_y: float, kind: str) -> None:
        """Draw a straight line."""
        self._add("line", class_=kind, x1=x, y1=y, x2=to_x, y2=to_y)

    def curve(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        """Draw straight lines from point to point."""
        self._add("polyline", class_=f"curve {kind}", points=_joined(points))

    def area(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        """Draw a filled polygon."""
        self._add("polygon", class_=kind, points=_joined(points))

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Draw a filled box."""
        self._add("rect", class_=kind, x=x, y=y, width=width, height=height)

    def dot(self, x: float, y: float, kind: str, radius: float = 4.0) -> None:
        """Draw a mark: a square for the 1-best, a diamond for MBR, otherwise a circle."""
        if "one_best" in kind:
            self.box(x - 0.85 * radius, y - 0.85 * radius, 1.7 * radius, 1.7 * radius, kind)
        elif "mbr" in kind:
            wide = 1.25 * radius
            self.area([(x - wide, y), (x, y - wide), (x + wide, y), (x, y + wide)], kind)
        else:
            self._add("circle", class_=kind, cx=x, cy=y, r=radius)

    def text(self, x: float, y: float, text: str, anchor: str = "middle", kind: str = "") -> None:
        """Write a text; `anchor` is the part of the text at x: `start`, `middle` or `end`."""
        self._add("text", text, class_=kind or None, x=x, y=y, text_anchor=anchor)

    def axis(self, scale: Axis, marks: Sequence[float]) -> None:
        """Draw a horizontal line per mark, with its rate at the left."""
        for mark in marks:
            self.line(_LEFT, scale.place(mark), _RIGHT, scale.place(mark), "grid")
            self.text(_LEFT - 6, scale.place(mark) + 4, _rate_tick(mark), "end")

    def svg(self) -> str:
        """Return the chart as an SVG element."""
        box = f"0 0 {decimal(_WIDTH, _DIGITS)} {decimal(self.height, _DIGITS)}"
        head = f'<svg class="chart" role="img" viewBox="{box}" aria-label={quoteattr(self.title)}>'
        return "".join([head, *self._elements, "</svg>"])

    def _add(self, tag: str, content: str | None = None, **attributes: str | float | None) -> None:
        self._elements.append(element(tag, content, digits=_DIGITS, **attributes))


def _joined(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{decimal(x, _DIGITS)},{decimal(y, _DIGITS)}" for x, y in points)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return evenly spaced round numbers that cover the range from `low` to `high`.

    The step from number to number is 1, 2, 2.5 or 5 times a power of ten. It is as small as possible, with at most
    `most` steps in the range.
    """
    reach = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(reach / most))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if reach / (factor * power) <= most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 10) for k in range(first, max(last, first + 1) + 1)]


def decades(low: float, high: float) -> list[float]:
    """Return round numbers (1, 2 or 5 times a power of ten) that cover the range from `low` > 0 to `high`."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    first = max((k for k, step in enumerate(steps) if step <= low * 1.000001), default=0)
    last = next((k for k, step in enumerate(steps) if step >= high * 0.999999), len(steps) - 1)
    return steps[first : max(last, first + 1) + 1]


def thinned(values: Sequence[float], most: int = 7) -> Sequence[float]:
    """Return every k-th value, with the smallest k that leaves up to `most` values."""
    return values[:: max(1, math.ceil(len(values) / most))]


# ---- Charts ----

LABELS = {"oracle": "oracle", "mbr": "MBR", "one_best": "1-best"}

_SWEPT = {"beam": "beam", "density": "arcs for each reference word", "nbest": "strings of an n-best list"}
_WIDE = 20
# Positions of marks are rounded to multiples of this; marks at the same position become one.
_GRAIN = 3.0

Rates = dict[str, list[float]]


@dataclass(frozen=True)
class Chart:
    """A chart with its caption, and a table of the same numbers."""

    title: str
    caption: str
    svg: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def standing_chart(sides: Sequence[tuple[str, Interval]], metric: str, better: str) -> Chart:
    """Draw the rate of each side (oracle, MBR, 1-best) with its interval, on one scale."""
    ends = [end for _, one in sides for end in (one.low, one.high, one.value) if end is not None]
    marks = ticks(min(ends, default=0.0), max(ends, default=1.0))
    axis, height = Axis(marks[0], marks[-1], 62.0, _RIGHT - 12), 38.0 * len(sides) + 34
    paper = Paper(f"Rates of {', '.join(LABELS[side] for side, _ in sides)} with their intervals", height)
    for mark in thinned(marks):
        paper.line(axis.place(mark), 6, axis.place(mark), height - 28, "grid")
        paper.text(axis.place(mark), height - 14, _rate_tick(mark))
    for row, (side, one) in enumerate(sides):
        y = 24 + 38.0 * row
        paper.text(0, y + 4, LABELS[side], "start", "name")
        if one.low is not None and one.high is not None:
            paper.line(axis.place(one.low), y, axis.place(one.high), y, f"reach {side}")
        if one.value is not None:
            paper.dot(axis.place(one.value), y, side)
            paper.text(axis.place(one.value), y - 9, rate_text(one.value), kind="name")
    rows = [(LABELS[side], rate_text(one.value), span(one.low, one.high)) for side, one in sides]
    caption = f"{metric}, {better} is better; lines are confidence intervals"
    return Chart(f"Corpus rates: {metric}", caption, paper.svg(), ("", metric, "interval"), rows)


def rates_chart(rates: Rates, metric: str) -> Chart | None:
    """Draw a histogram of the rates of each side (oracle, MBR, 1-best), one below the other."""
    values = [value for several in rates.values() for value in several]
    if not values:
        return None
    edges = ticks(min(values), max(values), most=16)
    counts = {side: np.histogram(several, edges)[0].tolist() for side, several in rates.items()}
    top, each = max(max(bins) for bins in counts.values()), 62.0
    height = each * len(rates) + 24
    axis = Axis(edges[0], edges[-1], _LEFT, _RIGHT)
    paper = Paper(f"Histograms of {metric}", height)
    for row, (side, bins) in enumerate(counts.items()):
        base = each * (row + 1) - 6
        paper.text(0, base - 4, LABELS[side], "start", "name")
        paper.line(_LEFT, base, _RIGHT, base, "axis")
        for (low, high), size in zip(pairwise(edges), bins, strict=True):
            if size:
                tall = (each - 22) * size / top
                left, right = axis.place(low) + 0.5, axis.place(high) - 0.5
                paper.box(left, base - tall, right - left, tall, f"bar {side}")
                if size == max(bins):
                    paper.text((left + right) / 2, base - tall - 3, str(size))
    for edge in thinned(edges):
        paper.text(axis.place(edge), height - 8, _rate_tick(edge))
    named = [f"{_rate_tick(low)} … {_rate_tick(high)}" for low, high in pairwise(edges)]
    rows = [(name, *(str(bins[k]) for bins in counts.values())) for k, name in enumerate(named)]
    caption = f"utterances by their {metric}; the highest bars show their counts"
    return Chart(f"Rates of utterances: {metric}", caption, paper.svg(), (metric, *(LABELS[s] for s in counts)), rows)


def lengths_chart(bins: Sequence[LengthBin], metric: str) -> Chart | None:
    """Draw oracle and 1-best by reference length; the line between both marks is the headroom."""
    there = [one for one in bins if one.graphs and one.oracle.score is not None and one.one_best.score is not None]
    if not there:
        return None
    scores = [(one.one_best.score or 0.0, one.oracle.score or 0.0) for one in there]
    marks = ticks(min(map(min, scores)), max(map(max, scores)), most=5)
    height = 200.0
    axis = Axis(marks[0], marks[-1], height - 44, 10)
    paper = Paper(f"{metric} of oracle and 1-best by words of the reference", height)
    paper.axis(axis, marks)
    for place, (one, (model, best)) in enumerate(zip(there, scores, strict=True)):
        x = _LEFT + (place + 0.5) * (_RIGHT - _LEFT) / len(there)
        paper.line(x, axis.place(model), x, axis.place(best), "between")
        paper.dot(x, axis.place(model), "one_best")
        paper.dot(x, axis.place(best), "oracle")
        paper.text(x, height - 26, one.label, kind="name")
        paper.text(x, height - 12, f"({one.graphs})")
    rows = [
        (one.label, str(one.graphs), *map(rate_text, (one.oracle.score, one.one_best.score, one.headroom)))
        for one in there
    ]
    header = ("reference words", "utterances", "oracle", "1-best", "headroom")
    caption = f"{metric} by words of the reference (utterances): circles are oracles, squares 1-bests"
    return Chart("Headroom by length", caption, paper.svg(), header, rows)


def density_chart(points: Sequence[tuple[float, float]], metric: str) -> Chart | None:
    """Draw headroom (difference of oracle and 1-best) by density, with one mark per utterance."""
    there = [(density, headroom) for density, headroom in points if density > 0]
    if not there:
        return None
    densities, headrooms = [x for x, _ in there], [y for _, y in there]
    across, up = decades(min(densities), max(densities)), ticks(0.0, max(headrooms), most=5)
    height = 200.0
    x = Axis(across[0], across[-1], _LEFT, _RIGHT, logarithmic=True)
    y = Axis(up[0], up[-1], height - 34, 10)
    paper = Paper("Headroom of utterances by their density", height)
    paper.axis(y, up)
    for mark in thinned(across):
        paper.text(x.place(mark), height - 18, _tick(mark))
    paper.text((_LEFT + _RIGHT) / 2, height - 4, "arcs with a word / words of the reference")
    grains = {(round(x.place(dense) / _GRAIN), round(y.place(gap) / _GRAIN)) for dense, gap in there}
    for column, row in sorted(grains):
        paper.dot(column * _GRAIN, row * _GRAIN, "point oracle", 3.0)
    rows = []
    there.sort()
    cuts = [round(k * len(there) / 4) for k in range(5)]
    for part in (there[low:high] for low, high in pairwise(cuts) if high > low):
        mean = sum(headroom for _, headroom in part) / len(part)
        reach = f"{short_number(part[0][0])} … {short_number(part[-1][0])}"
        rows.append((reach, str(len(part)), rate_text(mean)))
    header = ("density", "utterances", "mean headroom")
    return Chart("Headroom by density", f"headroom by {metric}; each mark is an utterance", paper.svg(), header, rows)


def sweep_chart(found: Sweep, intervals: Sequence[Interval], kind: str, metric: str) -> Chart | None:
    """Draw oracle scores by beam, density or list size (`kind`), and lines for the 1-best and for whole graphs."""
    placed = [(row, one) for row, one in zip(found.rows, intervals, strict=True) if row.kind == kind]
    if not placed:
        return None
    first, whole = found.rows[0], found.rows[-1]
    ends = [end for _, one in placed for end in (one.low, one.high) if end is not None]
    scores = [score for row in (first, whole, *(row for row, _ in placed)) if (score := row.score) is not None]
    marks = ticks(min([*scores, *ends], default=0.0), max([*scores, *ends], default=1.0), most=5)
    height = 200.0
    y = Axis(marks[0], marks[-1], height - 40, 10)
    at = _spread([row.at or 0.0 for row, _ in placed])
    paper = Paper(f"{metric} of oracles by {_SWEPT[kind]}", height)
    paper.axis(y, marks)
    banded = [(at(row.at or 0.0), one) for row, one in placed if one.low is not None and one.high is not None]
    lower = [(x, y.place(one.low or 0.0)) for x, one in banded]
    upper = [(x, y.place(one.high or 0.0)) for x, one in reversed(banded)]
    paper.area([*lower, *upper], "band oracle")
    for side, row, dashes in (("one_best", first, "dashed"), ("oracle", whole, "dotted")):
        if row.score is not None:
            paper.line(_LEFT, y.place(row.score), _RIGHT, y.place(row.score), f"{side} {dashes}")
    points = [(at(row.at or 0.0), y.place(row.score)) for row, _ in placed if row.score is not None]
    paper.curve(points, "oracle")
    for x, place in points:
        paper.dot(x, place, "oracle", 3.0)
    for row, _ in placed:
        paper.text(at(row.at or 0.0), height - 24, _tick(row.at or 0.0))
    paper.text((_LEFT + _RIGHT) / 2, height - 8, _SWEPT[kind])
    caption = f"{metric}; solid: oracle of pruned graphs; dotted: oracle of whole graphs; dashed: 1-best"
    header = (kind, metric, "interval", "graphs with a worse oracle", "density")
    rows = []
    for row, one in zip(found.rows, intervals, strict=True):
        if row.kind in {"one_best", kind, "whole"}:
            name = {"one_best": "1-best", "whole": "whole"}.get(row.kind) or _tick(row.at or 0.0)
            reach = span(one.low, one.high)
            rows.append((name, rate_text(row.score), reach, count(row.lost), short_number(row.density)))
    return Chart(f"Oracles by {kind.replace('nbest', 'n-best list (oracle@k)')}", caption, paper.svg(), header, rows)


def _spread(values: Sequence[float]) -> Callable[[float], float]:
    """Return a function that maps values to horizontal positions.

    The scale is logarithmic if the values are far apart; 0 is then to the left of all other values.
    """
    above = [value for value in values if value > 0]
    begin, end = _LEFT + 12, _RIGHT - 12
    if not above or max(above) < _WIDE * min(above):
        plain = Axis(min(values), max(values), begin, end)
        return plain.place
    room = (end - begin) / len(values) if min(values) <= 0 else 0.0
    wide = Axis(min(above), max(above), begin + room, end, logarithmic=True)
    return lambda value: wide.place(value) if value > 0 else begin


def _tick(value: float) -> str:
    """Return a value of an axis as text: with up to six digits below 10 million, else as in `count`."""
    if abs(value) >= _ROUNDED_FROM:
        return count(round(value))
    return (f"{value:.0f}" if abs(value) >= _LARGE else f"{value:g}").replace("-", "−")


def _rate_tick(rate: float) -> str:
    return f"{_tick(100 * rate)}%"


# ---- Numbers as text ----

_LARGE = 100_000
_ROUNDED_FROM = 10**7


def rate_text(value: float | None) -> str:
    """Return a rate in per cent with two decimals, as on the command line, or a dash for an undefined rate."""
    return "–" if value is None else f"{_decimals(100 * value, 2)}%"


def score_text(value: float | None, *, is_fraction: bool) -> str:
    """Return the score of a metric as text: a rate if it `is_fraction`, else a number with four decimals."""
    return rate_text(value) if is_fraction or value is None else _decimals(value, 4)


def _decimals(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return (text.removeprefix("-") if float(text) == 0 else text).replace("-", "−")


def span(low: float | None, high: float | None) -> str:
    """Return an interval of rates as text, or a dash if an end is undefined."""
    return "–" if low is None or high is None else f"{rate_text(low).removesuffix('%')} … {rate_text(high)}"


def short_number(value: float | None) -> str:
    """Return a number as text: whole numbers as in `count`, others with three digits or one decimal."""
    if value is None:
        return "–"
    if float(value).is_integer() or abs(value) >= _LARGE:
        return count(round(value))
    return (f"{value:.3g}" if abs(value) < 100 else f"{value:.1f}").replace("-", "−")  # noqa: PLR2004


def count(value: int) -> str:
    """Return a whole number as text: 12345, 123 456 or 1.2 · 10⁸."""
    if abs(value) < _LARGE:
        return str(value).replace("-", "−")
    if abs(value) < _ROUNDED_FROM:
        return f"{value:,}".replace(",", "\u202f").replace("-", "−")
    factor, power = two_digits(abs(value))
    return f"{'−' if value < 0 else ''}{factor:g} · {power}"


def paths(number: int | None) -> str:
    """Return a number of paths as text; `None` means that there are too many to count."""
    return count(number) if number is not None else f"over {count(MANY)}"


def amount(value: int, thing: str) -> str:
    """Return a count with its noun: `1 lattice`, `2 lattices`."""
    return f"{count(value)} {thing}" if value == 1 else f"{count(value)} {thing}s"
