"""What stands below a picture: which line is which way, what each says and scores, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from latticemetric.drawing.diagram import Diagram
from latticemetric.drawing.picture import SMALL, Curve, Picture, Point, Shape, Text
from latticemetric.drawing.text_width import visible
from latticemetric.metrics.alignment import INSERTION, Alignment, display_width

# ---- What stands below a picture: which line is which way, and notes ----

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


# ---- What the legend says of ways: their words, under those of the reference where they have one, and their scores
# ----

REFERENCE = "reference"


def captions_of(ways: Mapping[str, Any]) -> dict[str, str]:
    """Return a caption for each way that knows its words; before them the reference, if all ways have the same.

    Args:
        ways: Oracles, scored paths, answers of MBR; arcs alone say nothing.
    """
    scored = {name: way for name, way in ways.items() if hasattr(way, "alignment")}
    said = {name: " ".join(way.words) for name, way in ways.items() if hasattr(way, "words") and name not in scored}
    if len({way.alignment.reference for way in scored.values()}) == 1:
        reference, *rows = _aligned([way.alignment for way in scored.values()])
        counts = dict(zip(scored, rows, strict=True))
        return {
            REFERENCE: reference,
            **{name: f"{row}  {_score(scored[name])}" for name, row in counts.items()},
            **said,
        }
    return {**{name: f"{' '.join(way.words)}  {_score(way)}" for name, way in scored.items()}, **said}


def _score(way: Any) -> str:
    return f"{way.numerator}/{way.denominator}"


def _aligned(alignments: list[Alignment]) -> list[str]:
    """Return the reference, then each candidate, with words that stand for each other below each other."""
    rows = [list(_cells(alignment)) for alignment in alignments]
    words = len(alignments[0].reference)
    # Between two words of the reference there is a cell for what is inserted: in the reference's row it is empty.
    reference = [alignments[0].reference[place // 2] if place % 2 else "" for place in range(2 * words + 1)]
    table = [reference, *rows]
    widths = [max(display_width(row[place]) for row in table) for place in range(2 * words + 1)]
    used = [place for place, width in enumerate(widths) if width]
    return [" ".join(row[place] + " " * (widths[place] - display_width(row[place])) for place in used) for row in table]


def _cells(alignment: Alignment) -> Iterator[str]:
    """What is inserted before each word of the reference, and what stands for it; at last what is inserted last."""
    inserted: list[str] = []
    for edit, _, candidate in alignment.steps():
        if edit == INSERTION:
            inserted.append(candidate or "")
        else:
            yield " ".join(inserted)
            inserted = []
            yield candidate or ""
    yield " ".join(inserted)
