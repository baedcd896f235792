"""Add a legend below a picture: a sample line, the words and the score of each path; then notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from latticemetric.display.text import display_width, padding, visible
from latticemetric.drawing.diagram import SHADES, Diagram
from latticemetric.drawing.picture import SMALL, Curve, Picture, PlacedText, Position
from latticemetric.metrics.alignment import INSERTION, Alignment

MARGIN = 12.0
_LINE, _SAMPLE, _SPACING = 17.0, 40.0, 26.0


def with_legend(picture: Picture, diagram: Diagram) -> Picture:
    """Return the picture with a margin, and with a legend and notes below it.

    With captions, the legend has one row per path. Without captions, all paths share one row.
    """
    texts, samples = [], []
    x, y = MARGIN, picture.height + MARGIN + _LINE
    rows = diagram.legend()
    for path, name, caption in rows:
        if path is not None:
            begin, end = Position(x, y - 4), Position(x + _SAMPLE, y - 4)
            samples.append(Curve((begin, begin, end, end), (path,), arrow=False))
        shown = " ".join(f"{name}: {caption}".split()) if caption else name
        texts.append(_note(x + _SAMPLE + 8, y, shown))
        if diagram.captions:
            y += _LINE
        else:
            x = texts[-1].rectangle.right + _SPACING
    if rows and not diagram.captions:
        y += _LINE
    if diagram.shading:
        width = _SAMPLE / len(SHADES)
        for shade in range(len(SHADES)):
            begin, end = Position(MARGIN + shade * width, y - 4), Position(MARGIN + (shade + 1) * width, y - 4)
            samples.append(Curve((begin, begin, end, end), arrow=False, shade=shade))
        texts.append(_note(MARGIN + _SAMPLE + 8, y, diagram.shading))
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
            replace(c, points=tuple(Position(x + MARGIN, y + MARGIN) for x, y in c.points)) for c in picture.curves
        ),
        texts=(*(replace(text, x=text.x + MARGIN, y=text.y + MARGIN) for text in picture.texts), *texts),
        samples=tuple(samples),
    )


def _note(x: float, y: float, text: str) -> PlacedText:
    return PlacedText(x, y, visible(text), SMALL, "start", "note")


# ---- Captions: the words of paths, aligned with their reference, and their scores ----


@runtime_checkable
class Worded(Protocol):
    """A path with words, like the answers of MBR decoding."""

    words: tuple[str, ...]


@runtime_checkable
class Scored(Worded, Protocol):
    """A path with a score, like an oracle."""

    numerator: int | float
    denominator: int | float
    alignment: Alignment


def captions_of(paths: Mapping[str, Any]) -> dict[str, str]:
    """Return a caption for each path that has words.

    If all scored paths have the same reference, the reference is the first caption, and the words of the paths are
    aligned with it.
    """
    scored = {name: path for name, path in paths.items() if isinstance(path, Scored)}
    others = {name: path for name, path in paths.items() if name not in scored and isinstance(path, Worded)}
    heading, rows = {}, [" ".join(path.words) for path in scored.values()]
    if len(references := {path.alignment.reference for path in scored.values()}) == 1:
        # Align words below each other. Cells for insertions are before and after each word of the reference.
        cells = [""]
        for word in references.pop():
            cells += [word, ""]
        table = [cells, *(list(_cells(path.alignment)) for path in scored.values())]
        widths = [max(map(display_width, column)) for column in zip(*table, strict=True)]
        heading["reference"], *rows = (
            " ".join(cell + padding(cell, width) for cell, width in zip(row, widths, strict=True) if width)
            for row in table
        )
    captions = {
        name: f"{row}  {path.numerator}/{path.denominator}"
        for (name, path), row in zip(scored.items(), rows, strict=True)
    }
    return heading | captions | {name: " ".join(path.words) for name, path in others.items()}


def _cells(alignment: Alignment) -> Iterator[str]:
    """Yield two texts for each reference word: the words inserted before it, and the word aligned with it.

    Yield the words inserted at the end last.
    """
    inserted: list[str] = []
    for edit, _, hypothesis in alignment.steps():
        if edit == INSERTION:
            inserted.append(hypothesis or "")
        else:
            yield " ".join(inserted)
            inserted = []
            yield hypothesis or ""
    yield " ".join(inserted)
