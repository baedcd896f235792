"""Add a legend below a picture: a sample line, the words and the score of each path; and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from latticemetric.display import display_width, padding, visible
from latticemetric.drawing.diagram import Diagram
from latticemetric.drawing.picture import SMALL, Curve, Picture, PlacedText, Point
from latticemetric.metrics.alignment import INSERTION, Alignment

MARGIN = 12.0
_LINE, _SAMPLE, _SPACING = 17.0, 40.0, 26.0


def with_legend(picture: Picture, diagram: Diagram) -> Picture:
    """Add a margin, and below it a legend and notes. With captions, the legend has one row per path, else one row."""
    texts, samples = [], []
    x, y = MARGIN, picture.height + MARGIN + _LINE
    rows = diagram.legend()
    for path, name, caption in rows:
        if path is not None:
            begin, end = Point(x, y - 4), Point(x + _SAMPLE, y - 4)
            samples.append(Curve((begin, begin, end, end), (path,), arrow=False))
        shown = " ".join(f"{name}: {caption}".split()) if caption else name
        texts.append(_note(x + _SAMPLE + 8, y, shown))
        if diagram.captions:
            y += _LINE
        else:
            x = texts[-1].rectangle.right + _SPACING
    if rows and not diagram.captions:
        y += _LINE
    for number, note in enumerate((*diagram.omissions, *diagram.notes)):
        texts.append(_note(MARGIN, y + number * _LINE, note))
    right = max([picture.width + MARGIN, *(text.rectangle.right for text in texts)])
    below = max([picture.height + MARGIN, *(text.rectangle.bottom for text in texts)])
    return replace(
        picture,
        width=right + MARGIN,
        height=below + MARGIN,
        shapes=tuple(replace(shape, x=shape.x + MARGIN, y=shape.y + MARGIN) for shape in picture.shapes),
        curves=tuple(
            replace(c, points=tuple(Point(x + MARGIN, y + MARGIN) for x, y in c.points)) for c in picture.curves
        ),
        texts=(*(replace(text, x=text.x + MARGIN, y=text.y + MARGIN) for text in picture.texts), *texts),
        samples=tuple(samples),
    )


def _note(x: float, y: float, text: str) -> PlacedText:
    return PlacedText(x, y, visible(text), SMALL, "start", "note")


# ---- Captions: the words of paths, aligned with their reference, and their scores ----

REFERENCE = "reference"


def captions_of(paths: Mapping[str, Any]) -> dict[str, str]:
    """Return a caption for each path that has words. If all scored paths share one reference, put it first.

    Args:
        paths: Oracles, scored paths or MBR answers, by name; plain arcs get no caption.
    """
    scored = {name: path for name, path in paths.items() if hasattr(path, "alignment")}
    unscored = {
        name: " ".join(path.words) for name, path in paths.items() if hasattr(path, "words") and name not in scored
    }
    if len({path.alignment.reference for path in scored.values()}) == 1:
        reference, *rows = _aligned([path.alignment for path in scored.values()])
        heading = {REFERENCE: reference}
    else:
        heading, rows = {}, [" ".join(path.words) for path in scored.values()]
    captions = {
        name: f"{row}  {path.numerator}/{path.denominator}"
        for (name, path), row in zip(scored.items(), rows, strict=True)
    }
    return heading | captions | unscored


def _aligned(alignments: list[Alignment]) -> list[str]:
    """Write the reference, then each candidate, with aligned words below each other."""
    rows = [list(_cells(alignment)) for alignment in alignments]
    words = len(alignments[0].reference)
    # Around each word of the reference are cells for insertions; they are empty in the reference's row.
    reference = [alignments[0].reference[place // 2] if place % 2 else "" for place in range(2 * words + 1)]
    table = [reference, *rows]
    widths = [max(display_width(row[place]) for row in table) for place in range(2 * words + 1)]
    used = [place for place, width in enumerate(widths) if width]
    return [" ".join(row[place] + padding(row[place], widths[place]) for place in used) for row in table]


def _cells(alignment: Alignment) -> Iterator[str]:
    """Yield the insertions before each reference word, and the word aligned with it; then the last insertions."""
    inserted: list[str] = []
    for edit, _, candidate in alignment.steps():
        if edit == INSERTION:
            inserted.append(candidate or "")
        else:
            yield " ".join(inserted)
            inserted = []
            yield candidate or ""
    yield " ".join(inserted)
