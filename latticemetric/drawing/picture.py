"""Pictures: boxes, curves and texts, all with their places. Layouts make them, backends write them.

Lengths are in pixels (of which 96 make an inch), y grows downwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from latticemetric.drawing.text_width import text_width

SIZE, SMALL = 14.0, 11.0
"""Of letters: in labels, and in what stands below them."""

ASCENT, DESCENT = 0.95, 0.3
"""How far letters reach above and below their line, in shares of their size."""


APART = 3.6
"""The distance of the lines of ways that take the same link."""

INSIDE = 3.5
"""The distance of the two rings of an end."""

_HEAD, _SHARP = 7.0, 0.42


class Rectangle(NamedTuple):
    """Left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float


class Point(NamedTuple):
    """A place."""

    x: float
    y: float


@dataclass(frozen=True)
class Shape:
    """A vertex: its kind (see `diagram`), its centre, its size, and the ways that pass it."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    ways: tuple[int, ...] = ()

    @property
    def rectangle(self) -> Rectangle:
        """What it covers."""
        x, y, width, height = self.x, self.y, self.width / 2, self.height / 2
        return Rectangle(x - width, y - height, x + width, y + height)


@dataclass(frozen=True)
class Curve:
    """A line of Bézier curves: where it begins, then three points for each (two that it bends to, one it reaches).

    Attributes:
        points: The points.
        ways: The ways that take it: each is one more line beside the others.
        arrow: Whether its end has a head.
    """

    points: tuple[Point, ...]
    ways: tuple[int, ...] = ()
    arrow: bool = True


@dataclass(frozen=True)
class Text:
    """A text on a line that ends, begins or has its middle at x.

    Attributes:
        x: Where.
        y: Its base line.
        text: The text, as its author wrote it.
        size: Of its letters.
        anchor: `middle` or `start`.
        role: `label`, `state`, `detail`, `title` or `note`.
    """

    x: float
    y: float
    text: str
    size: float = SIZE
    anchor: str = "middle"
    role: str = "label"

    @property
    def rectangle(self) -> Rectangle:
        """What it covers at most."""
        width = text_width(self.text, self.size)
        left = self.x - (width / 2 if self.anchor == "middle" else 0)
        return Rectangle(left, self.y - ASCENT * self.size, left + width, self.y + DESCENT * self.size)


@dataclass(frozen=True)
class Picture:
    """A picture.

    Attributes:
        width: Its width.
        height: Its height.
        title: What it shows, for those who cannot see it.
        ways: Names of the ways that are highlighted in it.
        shapes: Vertices.
        curves: Links.
        texts: Everything written, the legend's texts too.
        samples: Of each way a short line, which the legend shows.
    """

    width: float
    height: float
    title: str
    ways: tuple[str, ...]
    shapes: tuple[Shape, ...]
    curves: tuple[Curve, ...]
    texts: tuple[Text, ...]
    samples: tuple[Curve, ...] = ()


def head_of(curve: Curve) -> tuple[Point, Point, Point]:
    """Return a triangle at a curve's end, turned as the curve arrives; larger where ways are highlighted."""
    end = curve.points[-1]
    before = next((point for point in reversed(curve.points) if point != end), end)
    angle = math.atan2(end.y - before.y, end.x - before.x)
    size = _HEAD + (2.5 if curve.ways else 0.0)
    left, right = (
        Point(end.x - size * math.cos(angle + turn), end.y - size * math.sin(angle + turn))
        for turn in (-_SHARP, _SHARP)
    )
    return end, left, right
