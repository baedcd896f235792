"""What stands below a picture: which line is which way, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from latticemetric.drawing.letters import text_width, visible
from latticemetric.drawing.picture import SMALL, Curve, Picture, Point, Shape, Text

MARGIN = 12.0
_LINE, _SAMPLE, _APART = 17.0, 40.0, 26.0


def with_legend(picture: Picture, notes: Sequence[str]) -> Picture:
    """The picture inside a margin, with a legend and notes below it."""
    moved = _moved(picture, MARGIN, MARGIN)
    texts, samples = list(moved.texts), []
    x, y, right = MARGIN, moved.height + MARGIN + _LINE, moved.width + MARGIN
    for way, name in enumerate(picture.ways):
        text = Text(x + _SAMPLE + 8, y, visible(name), SMALL, "start", "note")
        samples.append(_line(x, y - 4, way))
        texts.append(text)
        x = text.rectangle.right + _APART
        right = max(right, text.rectangle.right)
    if picture.ways:
        y += _LINE
    for note in notes:
        texts.append(Text(MARGIN, y, visible(note), SMALL, "start", "note"))
        right = max(right, MARGIN + text_width(visible(note), SMALL))
        y += _LINE
    below = y - _LINE if picture.ways or notes else moved.height
    return replace(moved, width=right + MARGIN, height=below + MARGIN, texts=tuple(texts), samples=tuple(samples))


def _line(x: float, y: float, way: int) -> Curve:
    begin, end = Point(x, y), Point(x + _SAMPLE, y)
    return Curve((begin, begin, end, end), (way,), arrow=False)


def _moved(picture: Picture, x: float, y: float) -> Picture:
    return replace(
        picture,
        shapes=tuple(_at(shape, x, y) for shape in picture.shapes),
        curves=tuple(replace(c, points=tuple(Point(p.x + x, p.y + y) for p in c.points)) for c in picture.curves),
        texts=tuple(replace(text, x=text.x + x, y=text.y + y) for text in picture.texts),
    )


def _at(shape: Shape, x: float, y: float) -> Shape:
    return replace(shape, x=shape.x + x, y=shape.y + y)
