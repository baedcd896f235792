"""What stands below a picture: which line is which way, and notes."""

from __future__ import annotations

from dataclasses import replace

from latticemetric.drawing.diagram import Diagram
from latticemetric.drawing.letters import visible
from latticemetric.drawing.picture import SMALL, Curve, Picture, Point, Shape, Text

MARGIN = 12.0
_LINE, _SAMPLE, _APART = 17.0, 40.0, 26.0


def with_legend(picture: Picture, diagram: Diagram) -> Picture:
    """The picture inside a margin, with a legend and notes below it: a row each if there are captions, else one row."""
    moved = _moved(picture, MARGIN, MARGIN)
    texts, samples = [], []
    x, y = MARGIN, moved.height + MARGIN + _LINE
    rows = diagram.legend()
    for way, name, caption in rows:
        if way is not None:
            samples.append(_line(x, y - 4, way))
        said = " ".join(f"{name}: {caption}".split()) if caption else name
        texts.append(_note(x + _SAMPLE + 8, y, said))
        if diagram.captions:
            y += _LINE
        else:
            x = texts[-1].rectangle.right + _APART
    if rows and not diagram.captions:
        y += _LINE
    for number, note in enumerate((*diagram.omissions, *diagram.notes)):
        texts.append(_note(MARGIN, y + number * _LINE, note))
    right = max([moved.width + MARGIN, *(text.rectangle.right for text in texts)])
    below = max([moved.height + MARGIN, *(text.rectangle.bottom for text in texts)])
    return replace(
        moved,
        width=right + MARGIN,
        height=below + MARGIN,
        texts=(*moved.texts, *texts),
        samples=tuple(samples),
    )


def _note(x: float, y: float, text: str) -> Text:
    return Text(x, y, visible(text), SMALL, "start", "note")


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
