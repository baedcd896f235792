"""Pictures: shapes, curves and texts with positions. Layouts make pictures; `svg` and `image` write them.

Lengths are in pixels (96 per inch); y grows downwards.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from latticemetric.drawing.diagram import END, GOAL

SIZE, SMALL = 14.0, 11.0
"""The font size of labels, and the font size of details below labels, in pixels."""

ASCENT, DESCENT = 0.95, 0.3
"""The height of text above its base line, and below it, divided by the font size."""

LINE_SPACING = 3.6
"""The distance between the lines of paths through the same link."""

_RING_SPACING = 3.5
"""The distance between the two rings of a final state."""

_HEAD, _SHARP = 7.0, 0.42

# Upper bounds of letter widths as shares of the font size. DejaVu Sans, the widest common sans-serif font, fits in.
_CLASSES = {
    0.42: " !',./:;()[]\\|IJijlft-",
    0.56: '"*_`?rscszL',
    0.66: "ESbdghnpquFkvxyPTYaoe$0123456789{}K",
    0.80: "&AVBRXZCUHNDGOQ",
    0.86: "w#+<=>^~",
    1.02: "MmW%@",
}
_WIDTH = {letter: width for width, letters in _CLASSES.items() for letter in letters}
_WIDTH["\ufdfd"] = 10.0  # a whole phrase in one character
_WIDE, _LATIN, _OTHER = 1.05, 1.12, 1.25
_END_OF_LATIN = 0x180


def text_width(text: str, size: float) -> float:
    """Return an upper bound of the width of a text in common fonts, in pixels; `size` is the font size."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    known = _WIDTH.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    return _LATIN if ord(letter) < _END_OF_LATIN else _OTHER


class Rectangle(NamedTuple):
    """A rectangle, given by the positions of its sides."""

    left: float
    top: float
    right: float
    bottom: float


class Position(NamedTuple):
    """A position in a picture."""

    x: float
    y: float


@dataclass(frozen=True)
class Shape:
    """A vertex with its shape (`kind`, see `diagram`), its centre (`x`, `y`), its size, and the paths through it."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    paths: tuple[int, ...] = ()

    @property
    def rectangle(self) -> Rectangle:
        """The area of the vertex."""
        x, y, width, height = self.x, self.y, self.width / 2, self.height / 2
        return Rectangle(x - width, y - height, x + width, y + height)

    @property
    def rings(self) -> list[tuple[float, float]]:
        """The outlines of the shape, the outer one first: the distance from the shape's edge, and the line width."""
        outer = (0.0, 2.6 if self.paths else 1.2)
        return [outer, (_RING_SPACING, 1.2)] if self.kind in {END, GOAL} else [outer]


@dataclass(frozen=True)
class Curve:
    """A line of Bézier curves.

    Attributes:
        points: The start, then three points per curve: two control points and the end.
        paths: The highlighted paths along the line; each is drawn as a separate, parallel line.
        arrow: True to draw an arrow head at the end.
        shade: The band of colour under the line (an index in `SHADES`); `None` if there is none.
    """

    points: tuple[Position, ...]
    paths: tuple[int, ...] = ()
    arrow: bool = True
    shade: int | None = None

    @property
    def is_plain(self) -> bool:
        """True if a plain line is drawn: for links without highlighted paths, but not for samples of shades."""
        return not self.paths and (self.arrow or self.shade is None)


@dataclass(frozen=True)
class PlacedText:
    """A text with its position.

    Attributes:
        x: Position of the start or middle of the text, depending on `anchor`.
        y: Position of the base line.
        text: The text.
        size: The size of the font.
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
        """The largest area that the text may cover."""
        width = text_width(self.text, self.size)
        left = self.x - (width / 2 if self.anchor == "middle" else 0)
        return Rectangle(left, self.y - ASCENT * self.size, left + width, self.y + DESCENT * self.size)


@dataclass(frozen=True)
class Picture:
    """A diagram with all positions, to be written as SVG, PNG or PDF.

    Attributes:
        width: The width in pixels.
        height: The height in pixels.
        title: A description, for readers who cannot see the picture.
        paths: Names of the highlighted paths.
        shapes: The vertices.
        curves: The links.
        texts: All texts, including the legend's.
        samples: The legend's samples: a short line for each path, and a band for each shade.
    """

    width: float
    height: float
    title: str
    paths: tuple[str, ...]
    shapes: tuple[Shape, ...]
    curves: tuple[Curve, ...]
    texts: tuple[PlacedText, ...]
    samples: tuple[Curve, ...] = ()


def shifted(curve: Curve) -> Iterator[tuple[int, list[Position]]]:
    """Yield the number of each highlighted path along a curve, and the points of the path's own, parallel line."""
    for place, path in enumerate(curve.paths):
        shift = LINE_SPACING * (place - (len(curve.paths) - 1) / 2)
        yield path, [Position(x, y + shift) for x, y in curve.points]


def arrow_head(curve: Curve) -> tuple[Position, Position, Position]:
    """Return the triangle at the end of a curve, in the curve's direction; larger for highlighted paths."""
    end = curve.points[-1]
    before = next((point for point in reversed(curve.points) if point != end), end)
    angle = math.atan2(end.y - before.y, end.x - before.x)
    size = _HEAD + (2.5 if curve.paths else 0.0)
    left, right = (
        Position(end.x - size * math.cos(angle + turn), end.y - size * math.sin(angle + turn))
        for turn in (-_SHARP, _SHARP)
    )
    return end, left, right
