"""Charts as small SVG elements: axes, marks and letters, whose colours the page's style chooses by their classes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

WIDTH = 360.0


class Axis:
    """Values on a line from one place to another.

    Args:
        low: The value at the beginning.
        high: The value at the end.
        begin: Where it begins.
        end: Where it ends.
        logarithmic: Whether equal steps are equal ratios; then both values are more than 0.
    """

    def __init__(self, low: float, high: float, begin: float, end: float, *, logarithmic: bool = False) -> None:
        self.logarithmic = logarithmic
        self._low, self._high = (math.log(low), math.log(high)) if logarithmic else (low, high)
        self._begin, self._end = begin, end

    def place(self, value: float) -> float:
        """Where a value stands."""
        at = math.log(value) if self.logarithmic else value
        share = (at - self._low) / (self._high - self._low) if self._high > self._low else 0.5
        return self._begin + share * (self._end - self._begin)


class Paper:
    """Collects the elements of a chart.

    Args:
        title: What it shows, for those who cannot see it.
        height: How high it is; all charts are equally wide.
    """

    def __init__(self, title: str, height: float) -> None:
        self.title, self.height = title, height
        self._parts: list[str] = []

    def line(self, x: float, y: float, to_x: float, to_y: float, kind: str) -> None:
        """A straight line."""
        self._parts.append(f'<line class="{kind}" x1="{_n(x)}" y1="{_n(y)}" x2="{_n(to_x)}" y2="{_n(to_y)}"/>')

    def curve(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        """Points joined by lines."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        self._parts.append(f'<polyline class="curve {kind}" points="{path}"/>')

    def area(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        """What lies inside of some points."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        self._parts.append(f'<polygon class="{kind}" points="{path}"/>')

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """A filled box."""
        self._parts.append(f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"/>')

    def dot(self, x: float, y: float, kind: str, radius: float = 4.0) -> None:
        """A mark: of the 1-best a square, of MBR a diamond, else a circle, so that colour is not all that tells."""
        if "one_best" in kind:
            self.box(x - 0.85 * radius, y - 0.85 * radius, 1.7 * radius, 1.7 * radius, kind)
        elif "mbr" in kind:
            wide = 1.25 * radius
            self.area([(x - wide, y), (x, y - wide), (x + wide, y), (x, y + wide)], kind)
        else:
            self._parts.append(f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"/>')

    def text(self, x: float, y: float, text: str, anchor: str = "middle", kind: str = "") -> None:
        """Letters; they begin, end or have their middle at x."""
        name = f" class={quoteattr(kind)}" if kind else ""
        self._parts.append(f'<text{name} x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(text)}</text>')

    def svg(self) -> str:
        """The element."""
        box = f"0 0 {_n(WIDTH)} {_n(self.height)}"
        head = f'<svg class="chart" role="img" viewBox="{box}" aria-label={quoteattr(self.title)}>'
        return "".join([head, *self._parts, "</svg>"])


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from below `low` to above `high`, one to five times a power of ten apart."""
    reach = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(reach / most))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if reach / (factor * power) <= most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 10) for k in range(first, max(last, first + 1) + 1)]


def decades(low: float, high: float) -> list[float]:
    """One, two and five times powers of ten from below `low` to above `high`, both more than 0."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    first = max((k for k, step in enumerate(steps) if step <= low * 1.000001), default=0)
    last = next((k for k, step in enumerate(steps) if step >= high * 0.999999), len(steps) - 1)
    return steps[first : max(last, first + 1) + 1]


def thinned(values: Sequence[float], most: int = 7) -> Sequence[float]:
    """Some of many values, evenly."""
    return values[:: max(1, math.ceil(len(values) / most))]


def _n(value: float) -> str:
    return f"{value + 0.0:.1f}".removesuffix(".0")
