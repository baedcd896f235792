"""Draw the score of tuned weights for all weights in their ranges: a map of two weights, a step curve of one.

A map has the exact score at the middle of each pixel. Brighter is better, also in print without colours; the scale of
colours is finer near the best score. Borders, where the score of a graph changes, are drawn unless they would hide the
map. A second map shows the surroundings of a small region.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from latticemetric.corpus.report.charts import Axis, amount, decades, score_text, thinned, ticks
from latticemetric.corpus.weight_convention import WrittenWeight, written_weight
from latticemetric.drawing.canvas import Canvas, Points, Raster, Stroke
from latticemetric.drawing.picture import text_width
from latticemetric.errors import UsageError
from latticemetric.lattice.columns import Floats
from latticemetric.tuning.regions import Range

if TYPE_CHECKING:
    from latticemetric.corpus.tuned_weights import TunedWeights
    from latticemetric.tuning.search import ExactSearch

_SIDE, _LEFT, _TOP = 440, 78.0, 34.0
_BAR, _BAR_GAP = 16.0, 22.0
_WIDTH = 640.0
_ZOOM_SIDE = 200
_BELOW = 52.0  # room for ticks and the axis' name below a map
_ROW, _SIZE = 21.0, 11.5
_CURVE_HEIGHT = 230.0

_SMALL = 0.3  # if the surroundings of a region are a smaller share of the ranges, they are shown enlarged
_FINEST_ZOOM = 20  # halvings
_MOST_BORDERS = 20_000
_MOST_INK = 32.0  # the length of borders, in sides of a map, that does not hide it
_WIDE = 5  # if the highest number is so many times the lowest, numbers beside an axis are 1, 2, 5, 10, 20, …
_LEAST_LINK, _LEAST_MARGIN = 20.0, 16.0  # pixels; smaller ones are below the mark
_FINEST_STEP, _LEAST_BETWEEN = 0.25, 26.0  # pixels: of the steps of a curve, and between numbers

# Colours from the worst to the best score: viridis at equal distances; its lightness rises steadily.
_COLOURS = (
    (0x44, 0x01, 0x54),
    (0x47, 0x2C, 0x7A),
    (0x3B, 0x51, 0x8B),
    (0x2C, 0x71, 0x8E),
    (0x21, 0x90, 0x8D),
    (0x27, 0xAD, 0x81),
    (0x5C, 0xC8, 0x63),
    (0xAA, 0xDC, 0x32),
    (0xFD, 0xE7, 0x25),
)
_UNDEFINED = (0x80, 0x80, 0x80)
_MOST_COLOUR = 254  # colour 255 is for undefined scores
_LIGHT_FROM = 0.6  # black lines are seen on these colours, white ones on others


def plot_weights(tuned: TunedWeights, search: ExactSearch, path: str) -> None:
    """Draw the scores of all weights into a file (.svg, .png or .pdf).

    Args:
        tuned: The best weights.
        search: The search that found them.
        path: The file.
    """
    kind = _Curve if len(search.ranges) == 1 else _Map
    kind(tuned, search).canvas().save(path)


class _Scale:
    """The colours of scores: the best is the brightest, the median has the middle colour if most scores are good."""

    def __init__(self, values: Floats, best: float | None, *, higher_is_better: bool) -> None:
        known = values[~np.isnan(values)]
        if best is not None:
            known = np.append(known, best)
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        self.worst, self.best = (low, high) if higher_is_better else (high, low)
        self._power = 1.0
        if self.worst != self.best and 1 / 2 < (middle := float(np.median(self._even(known)))) < 1:
            self._power = math.log(1 / 2) / math.log(middle)

    def _even(self, values: Floats) -> Floats:
        reach = self.best - self.worst
        shares: Floats = (values - self.worst) / reach if reach else np.ones_like(values)
        return np.clip(shares, 0.0, 1.0)

    def shares(self, values: Floats) -> Floats:
        """Return the places of values on the scale, from 0 for the worst to 1 for the best."""
        found: Floats = self._even(values) ** self._power
        return found

    def value(self, share: float) -> float:
        """Return the value at a place."""
        return float(self.worst + (self.best - self.worst) * share ** (1 / self._power))

    def colours_of(self, values: Floats) -> npt.NDArray[np.uint8]:
        """Return the numbers of the colours of values."""
        unknown = np.isnan(values)
        shares = self.shares(np.where(unknown, self.worst, values))
        numbers: npt.NDArray[np.uint8] = np.rint(shares * _MOST_COLOUR).astype(np.uint8)
        numbers[unknown] = _MOST_COLOUR + 1
        return numbers


def _palette() -> npt.NDArray[np.uint8]:
    places = np.linspace(0, 1, _MOST_COLOUR + 1)
    known = np.linspace(0, 1, len(_COLOURS))
    parts = [np.interp(places, known, [colour[k] for colour in _COLOURS]) for k in range(3)]
    colours = np.column_stack([*parts, np.full(len(places), 255)])
    found: npt.NDArray[np.uint8] = np.rint(np.vstack([colours, (*_UNDEFINED, 255)])).astype(np.uint8)
    return found


# ---- Marks ----


def _mark(canvas: Canvas, x: float, y: float, *, is_best: bool) -> None:
    """Draw the mark of the best weights, a diamond, or that of the default weights, a circle."""
    radius, corners = (7.0, 4) if is_best else (5.0, 24)
    turns = [2 * math.pi * k / corners for k in range(corners)]
    points = [(x + radius * math.sin(turn), y - radius * math.cos(turn)) for turn in turns]
    canvas.add(Stroke([points], "black", 1.6, fill="white", is_closed=True))


def _outline(canvas: Canvas, points: Points, dashes: tuple[float, ...] = ()) -> None:
    """Draw the border of an area so that it is seen on all colours: white on black."""
    canvas.add(Stroke([points], "black", 3.6, is_closed=True))
    canvas.add(Stroke([points], "white", 1.6, dashes, is_closed=True))


class _Legend:
    """Rows of a sample and a text."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str]] = []

    def add(self, sample: str, text: str) -> None:
        """Add a row: the name of its sample, and its text."""
        self._rows.append((sample, text))

    @property
    def width(self) -> float:
        """The width in pixels."""
        return 34 + max(text_width(text, _SIZE) for _, text in self._rows)

    @property
    def height(self) -> float:
        """The height in pixels."""
        return _ROW * len(self._rows)

    def draw(self, canvas: Canvas, left: float, top: float) -> None:
        """Draw all rows."""
        for number, (sample, text) in enumerate(self._rows):
            x, y = left + 10, top + _ROW * (number + 0.5)
            canvas.text(left + 28, y + 4, text, size=_SIZE)
            if sample in {"best", "default"}:
                _mark(canvas, x, y, is_best=sample == "best")
            elif sample == "region":
                _outline(canvas, _rectangle(x - 7, y - 5, x + 7, y + 5))
            elif sample == "band":
                canvas.add(Stroke([_rectangle(x - 7, y - 6, x + 7, y + 6)], None, fill="grid", is_closed=True))
            elif sample == "margin":
                _outline(canvas, _rectangle(x - 6, y - 6, x + 6, y + 6), (3.0, 2.0))
            elif sample == "spread":
                canvas.line([(x - 9, y), (x + 9, y)], "second", 4)
            elif sample == "border":
                canvas.line([(x - 9, y), (x + 9, y)], "ink", 0.7)


def _rectangle(left: float, top: float, right: float, bottom: float) -> list[tuple[float, float]]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _number(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


class _Plot:
    """A picture of one weight or of two."""

    def __init__(self, tuned: TunedWeights, search: ExactSearch) -> None:
        self.tuned, self.search, self.metric = tuned, search, tuned.metric
        self.title = f"{self.metric.name} of {amount(tuned.graphs, 'graph')}, best strings at all weights"
        self.legend = _Legend()
        self.written = {one.name: written_weight(one.name, tuned.convention) for one in search.ranges}
        self.best = [tuned.best.weights[one.name] for one in search.ranges]
        self.default = [tuned.default.weights[one.name] for one in search.ranges]

    def score(self, value: float | None) -> str:
        """Return a score as text."""
        return score_text(value, is_fraction=self.metric.is_fraction)

    def weights(self, weights: Iterable[float]) -> str:
        """Return weights as text."""
        written = [self.written[one.name] for one in self.search.ranges]
        return ", ".join(f"{one.name} {_number(one.number(w))}" for one, w in zip(written, weights, strict=True))

    @property
    def default_is_inside(self) -> bool:
        """True if the default weights are in their ranges."""
        return all(one.low <= weight <= one.high for one, weight in zip(self.search.ranges, self.default, strict=True))

    def add_scores(self) -> None:
        """Add the best and the default score to the legend, and the score to expect."""
        tuned, outside = self.tuned, "" if self.default_is_inside else " (not in the ranges)"
        self.legend.add("best", f"best {self.score(tuned.best.score)} at {self.weights(self.best)}")
        self.legend.add(
            "default" if self.default_is_inside else "",
            f"default {self.score(tuned.default.score)} at {self.weights(self.default)}{outside}",
        )
        if tuned.held_out is not None:
            self.legend.add("", f"held out {self.score(tuned.held_out)}")

    def add_spread(self) -> None:
        """Add the spread of the best weights on resamples to the legend."""
        spans = []
        for one in self.search.ranges:
            if (span := self.spread_of(one)) is not None:
                low, high = map(_number, self.written[one.name].ends(*span))
                spans.append(f"{self.written[one.name].name} {low} … {high}")
        if spans:
            self.legend.add("spread", f"best on resamples: {', '.join(spans)}")

    def spread_of(self, one: Range) -> tuple[float, float] | None:
        """Return the ends of the spread of a weight, if they are known."""
        span = self.tuned.spread.get(one.name)
        return None if span is None or span.low is None or span.high is None else (span.low, span.high)

    @property
    def margin_text(self) -> str:
        """The margin in words."""
        return f"margin: {100 * self.tuned.margin:.2g}% of the range" + "s" * (len(self.search.ranges) > 1)


def _marks_within(one: Range, written: WrittenWeight, axis: Axis, most: int = 6) -> Iterator[tuple[float, str]]:
    """Yield the places of the numbers beside an axis, and the numbers."""
    low, high = written.ends(float(one.low), float(one.high))
    is_wide = written.is_inverse and high > _WIDE * low
    marks = decades(low, high) if is_wide else ticks(low, high, most)
    numbers = thinned([mark for mark in marks if low <= mark <= high], most + 1)
    places = [axis.place(1 / number if written.is_inverse else number) for number in numbers]
    last = -math.inf
    for number, at in zip(numbers, places, strict=True):
        beside = min(abs(at - last), abs(at - places[-1]) or math.inf)
        if beside >= _LEAST_BETWEEN or at == places[-1]:
            yield at, _number(number)
            last = at


def _axis_name(written: WrittenWeight) -> str:
    return f"{written.name} (distances are those of 1 / {written.name})" if written.is_inverse else written.name


# ---- Two weights ----


class _Frame:
    """A map of a part of the ranges, at its place on the canvas."""

    def __init__(self, canvas: Canvas, ranges: Sequence[Range], left: float, top: float, side: float) -> None:
        self.canvas, self.ranges = canvas, ranges
        self.left, self.top, self.side = left, top, side
        first, second = ranges
        self.x = Axis(float(first.low), float(first.high), left, left + side)
        self.y = Axis(float(second.low), float(second.high), top + side, top)

    def place(self, point: Sequence[float]) -> tuple[float, float]:
        """Return the place of two weights."""
        return self.x.place(point[0]), self.y.place(point[1])

    def is_inside(self, point: Sequence[float]) -> bool:
        """True if the weights are in this part."""
        return all(one.low <= weight <= one.high for one, weight in zip(self.ranges, point, strict=True))

    def draw_values(self, values: Floats, scale: _Scale, palette: npt.NDArray[np.uint8]) -> None:
        """Draw the scores of a grid."""
        pixels = scale.colours_of(values).T[::-1]
        self.canvas.add(Raster(self.left, self.top, self.side, self.side, np.ascontiguousarray(pixels), palette))

    def draw_borders(self, borders: Floats, values: Floats, scale: _Scale) -> None:
        """Draw borders: black lines on light colours, white lines on dark ones."""
        n = len(values)
        middles = borders.mean(axis=1)
        at = np.clip((_shares(middles, self.ranges) * n).astype(int), 0, n - 1)
        is_light = scale.colours_of(values)[at[:, 0], at[:, 1]] >= _LIGHT_FROM * _MOST_COLOUR
        for role, some in (("black", borders[is_light]), ("white", borders[~is_light])):
            parts = [[self.place(end) for end in one] for one in some.tolist()]
            if parts:
                self.canvas.add(Stroke(parts, role, 0.7, opacity=0.55))

    def draw_frame(self, written: Mapping[str, WrittenWeight], *, names: bool) -> None:
        """Draw the frame, numbers, and the names of both weights."""
        canvas, bottom, right = self.canvas, self.top + self.side, self.left + self.side
        canvas.add(Stroke([_rectangle(self.left, self.top, right, bottom)], "ink", 1.0, is_closed=True))
        first, second = self.ranges
        most = 6 if names else 3
        for x, text in _marks_within(first, written[first.name], self.x, most):
            canvas.line([(x, bottom), (x, bottom + 5)])
            canvas.text(x, bottom + 18, text, anchor="middle")
        for y, text in _marks_within(second, written[second.name], self.y, most):
            canvas.line([(self.left - 5, y), (self.left, y)])
            canvas.text(self.left - 8, y + 4, text, anchor="end")
        if names:
            across, up = (_axis_name(written[one.name]) for one in self.ranges)
            canvas.text(self.left + self.side / 2, bottom + 37, across, anchor="middle", size=13.0)
            canvas.text(16, self.top + self.side / 2, up, anchor="middle", size=13.0, is_upright=True)


class _Map(_Plot):
    def __init__(self, tuned: TunedWeights, search: ExactSearch) -> None:
        super().__init__(tuned, search)
        self.values = search.grid(_SIDE)
        self.scale = _Scale(self.values, tuned.best.score, higher_is_better=self.metric.higher_is_better)
        self.palette = _palette()
        self.borders = search.borders(_MOST_BORDERS + 1)
        self.zoom = _surroundings(tuned, search.ranges)

    def canvas(self) -> Canvas:
        """Return the picture."""
        borders_drawn = self._are_few(self.search.ranges)
        self.add_scores()
        self.legend.add("region", "the best region: no string changes inside")
        self.legend.add("margin", self.margin_text)
        self.add_spread()
        if len(self.borders):
            self.legend.add("border" if borders_drawn else "", self._about_borders(is_drawn=borders_drawn))
        below, zoom_values = _TOP + _SIDE + _BELOW, None
        legend_left = _LEFT - 60
        if self.zoom is not None:
            zoom_values = self._zoomed(self.zoom)
        if zoom_values is not None:
            legend_left = _LEFT + _ZOOM_SIDE + 24
        width = max(_WIDTH, legend_left + self.legend.width + 12)
        height = below + max(self.legend.height, 0 if zoom_values is None else _ZOOM_SIDE + 48) + 12
        canvas = Canvas(width, height, f"{self.title}: the best score is {self.score(self.tuned.best.score)}")
        canvas.text(_LEFT, _TOP - 13, self.title, size=13.0)
        whole = _Frame(canvas, self.search.ranges, _LEFT, _TOP, _SIDE)
        self._draw(whole, self.values, borders_drawn=borders_drawn)
        self._draw_bar(canvas)
        if zoom_values is not None and self.zoom is not None:
            part = _Frame(canvas, self.zoom, _LEFT, below + 20, _ZOOM_SIDE)
            self._draw_link(canvas, whole, part)
            self._draw(part, zoom_values, borders_drawn=self._are_few(self.zoom), is_zoom=True)
        self.legend.draw(canvas, legend_left, below + (0 if zoom_values is None else 16))
        return canvas

    def _about_borders(self, *, is_drawn: bool) -> str:
        number = len(self.borders)
        if is_drawn:
            return "lines: a string and its score change"
        count = f"more than {_MOST_BORDERS}" if number > _MOST_BORDERS else str(number)
        return f"borders where scores change: {count}, too many to draw"

    def _are_few(self, ranges: Sequence[Range]) -> bool:
        """Return whether borders leave the colours of a part visible."""
        if len(self.borders) > _MOST_BORDERS:
            return False
        steps = np.diff(_within(self.borders, ranges), axis=1)[:, 0] / _widths(ranges)
        return bool(np.hypot(*steps.T).sum() <= _MOST_INK)

    def _zoomed(self, ranges: Sequence[Range]) -> Floats | None:
        try:
            return self.search.grid(2 * _ZOOM_SIDE, ranges)
        except UsageError:  # bounds with too many digits
            return None

    def _draw(self, frame: _Frame, values: Floats, *, borders_drawn: bool, is_zoom: bool = False) -> None:
        canvas, tuned = frame.canvas, self.tuned
        frame.draw_values(values, self.scale, self.palette)
        if borders_drawn:
            frame.draw_borders(_within(self.borders, frame.ranges), values, self.scale)
        frame.draw_frame(self.written, names=not is_zoom)
        _outline(canvas, [frame.place(corner) for corner in tuned.region])
        reach = [tuned.margin * float(one.width) for one in self.search.ranges]
        low, high = (
            frame.place([weight + sign * step for weight, step in zip(self.best, reach, strict=True)])
            for sign in (-1, 1)
        )
        if high[0] - low[0] > _LEAST_MARGIN:
            _outline(canvas, _rectangle(low[0], high[1], high[0], low[1]), (3.0, 2.0))
        if frame.is_inside(self.default):
            _mark(canvas, *frame.place(self.default), is_best=False)
        _mark(canvas, *frame.place(self.best), is_best=True)
        if not is_zoom:
            self._draw_spread(frame)

    def _draw_spread(self, frame: _Frame) -> None:
        first, second = (self.spread_of(one) for one in frame.ranges)
        bottom = frame.top + frame.side
        if first is not None:
            frame.canvas.line([(frame.x.place(end), bottom + 2.5) for end in first], "second", 4)
        if second is not None:
            frame.canvas.line([(frame.left - 2.5, frame.y.place(end)) for end in second], "second", 4)

    def _draw_bar(self, canvas: Canvas) -> None:
        left = _LEFT + _SIDE + _BAR_GAP
        column = np.arange(_MOST_COLOUR, -1, -1, dtype=np.uint8)[:, None]
        canvas.add(Raster(left, _TOP, _BAR, _SIDE, column, self.palette))
        canvas.add(Stroke([_rectangle(left, _TOP, left + _BAR, _TOP + _SIDE)], "ink", 1.0, is_closed=True))
        for share in np.linspace(0, 1, 9).tolist():
            y = _TOP + _SIDE * (1 - share)
            canvas.line([(left + _BAR, y), (left + _BAR + 5, y)])
            canvas.text(left + _BAR + 8, y + 4, self.score(self.scale.value(share)))
        canvas.text(left, _TOP + _SIDE + 18, "worst")
        canvas.text(left, _TOP - 13, "best")

    def _draw_link(self, canvas: Canvas, whole: _Frame, part: _Frame) -> None:
        """Show which part is enlarged."""
        first, second = part.ranges
        left, top = whole.place((float(first.low), float(second.high)))
        right, bottom = whole.place((float(first.high), float(second.low)))
        canvas.text(part.left, part.top - 8, "around the best weights")
        if right - left < _LEAST_LINK:
            return
        canvas.add(Stroke([_rectangle(left, top, right, bottom)], "black", 2.6, is_closed=True))
        canvas.add(Stroke([_rectangle(left, top, right, bottom)], "white", 1.0, is_closed=True))


def _widths(ranges: Sequence[Range]) -> Floats:
    return np.array([float(one.width) for one in ranges])


def _shares(points: Floats, ranges: Sequence[Range]) -> Floats:
    """Return points as shares of the ranges."""
    found: Floats = (points - [float(one.low) for one in ranges]) / _widths(ranges)
    return found


def _within(borders: Floats, ranges: Sequence[Range]) -> Floats:
    """Return the parts of borders inside of ranges."""
    from_, step = borders[:, 0], borders[:, 1] - borders[:, 0]
    begin, end = np.zeros(len(borders)), np.ones(len(borders))
    for k, one in enumerate(ranges):
        with np.errstate(divide="ignore", invalid="ignore"):
            at = np.column_stack([(float(bound) - from_[:, k]) / step[:, k] for bound in (one.low, one.high)])
        is_flat = step[:, k] == 0
        is_inside = (from_[:, k] >= float(one.low)) & (from_[:, k] <= float(one.high))
        at[is_flat] = np.where(is_inside[is_flat, None], [0.0, 1.0], [2.0, 2.0])
        begin, end = np.maximum(begin, at.min(axis=1)), np.minimum(end, at.max(axis=1))
    left = begin < end
    found: Floats = np.stack([from_ + begin[:, None] * step, from_ + end[:, None] * step], axis=1)[left]
    return found


def _surroundings(tuned: TunedWeights, ranges: Sequence[Range]) -> list[Range] | None:
    """Return the ranges around the best weights in a small region; `None` if the region is seen as it is."""
    best = _shares(np.array([tuned.best.weights[one.name] for one in ranges]), ranges)
    extent = float(np.ptp(_shares(np.array(tuned.region), ranges), axis=0).max())
    reach = min(3 * extent, 24 * tuned.margin)  # a long region is shown in part
    if reach >= _SMALL:
        return None
    parts = 2 ** min(_FINEST_ZOOM, 2 - math.ceil(math.log2(reach)))  # the part is 4 / parts wide
    corner = np.clip(np.rint(best * parts) - 2, 0, parts - 4).astype(int).tolist()
    return [
        Range(one.name, one.low + one.width * Fraction(k, parts), one.low + one.width * Fraction(k + 4, parts))
        for one, k in zip(ranges, corner, strict=True)
    ]


# ---- One weight ----


class _Curve(_Plot):
    def canvas(self) -> Canvas:
        """Return the picture."""
        (one,) = self.search.ranges
        ends, values = self.search.steps()
        self.add_scores()
        self.legend.add("band", f"the best region: no string changes; {self.margin_text}")
        self.add_spread()
        top, bottom, right = _TOP, _TOP + _CURVE_HEIGHT, _WIDTH - 20
        canvas = Canvas(
            max(_WIDTH, 18 + self.legend.width + 12),
            bottom + _BELOW + self.legend.height + 12,
            f"{self.title}: the best score is {self.score(self.tuned.best.score)}",
        )
        canvas.text(_LEFT, _TOP - 13, self.title, size=13.0)
        x = Axis(float(one.low), float(one.high), _LEFT, right)
        known = values[~np.isnan(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        marks = ticks(low, high, 5)
        y = Axis(marks[0], marks[-1], bottom, top)
        (region_low,), (region_high,) = self.tuned.region
        canvas.add(
            Stroke(
                [_rectangle(x.place(region_low), top, x.place(region_high), bottom)], None, fill="grid", is_closed=True
            )
        )
        for mark in marks:
            canvas.line([(_LEFT, y.place(mark)), (right, y.place(mark))], "grid")
            canvas.text(_LEFT - 8, y.place(mark) + 4, self.score(mark), anchor="end")
        written = self.written[one.name]
        for at, text in _marks_within(one, written, x):
            canvas.line([(at, bottom), (at, bottom + 5)])
            canvas.text(at, bottom + 18, text, anchor="middle")
        canvas.text((_LEFT + right) / 2, bottom + 37, _axis_name(written), anchor="middle", size=13.0)
        canvas.line([(_LEFT, bottom), (right, bottom)])
        if (spread := self.spread_of(one)) is not None:
            canvas.line([(x.place(end), bottom + 2.5) for end in spread], "second", 4)
        for points in _staircases(x.place(float(one.low)), np.array([x.place(end) for end in ends]), values):
            canvas.line([(at, y.place(score)) for at, score in points], "first", 1.8)
        for weights, score, is_best in (
            (self.default, self.tuned.default.score, False),
            (self.best, self.tuned.best.score, True),
        ):
            if score is not None and (is_best or self.default_is_inside):
                _mark(canvas, x.place(weights[0]), y.place(score), is_best=is_best)
        self.legend.draw(canvas, 18, bottom + _BELOW)
        return canvas


def _staircases(begin: float, ends: Floats, values: Floats) -> Iterator[list[tuple[float, float]]]:
    """Yield the steps of a curve; it is interrupted where values are undefined.

    Of steps that are too narrow to be seen, draw the lowest and the highest.
    """
    points: list[tuple[float, float]] = []
    low = high = math.nan
    for end, value in zip(ends.tolist(), values.tolist(), strict=True):
        if math.isnan(value):
            if points:
                yield points
            points, begin, low, high = [], end, math.nan, math.nan
            continue
        low, high = min(value, low), max(value, high)
        if end - begin < _FINEST_STEP and end != ends[-1]:
            continue
        points += [(begin, low), (begin, high)] if low != high else []
        points += [(begin, value), (end, value)]
        begin, low, high = end, math.nan, math.nan
    if points:
        yield points
