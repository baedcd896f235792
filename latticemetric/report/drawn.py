"""Sketches laid out, as plain numbers that a page draws from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latticemetric.batch.sketches import DrawnArc, Sketch
from latticemetric.drawing.diagram import FOREST
from latticemetric.drawing.layout import layered_layout
from latticemetric.drawing.picture import Picture, Point, Shape, Text
from latticemetric.drawing.text_width import visible

_SIDES = {"oracle": "oracle", "1-best": "one_best", "mbr": "mbr"}


def drawn(sketch: Sketch) -> dict[str, Any]:
    """Return a sketch with places, for JSON.

    `ways` are the sides in the order of their numbers. A vertex is `[x, y, width, height, shape, text, detail, ways]`,
    a link `[points, ways, label, source, target]`, with points of Bézier curves one after the other, as `Curve` has
    them, and a label `[x, y, text]` or nothing. What is told is `[text, cost, posterior, scores]`: of each link, or
    in forests of each vertex from `edges` on.
    """
    diagram, picture = sketch.diagram, layered_layout(sketch.diagram)
    columns = list(sketch.arcs[0].scores) if sketch.arcs else []
    return {
        "ways": [_SIDES[way] for way in picture.paths],
        "notes": [*diagram.omissions, *diagram.notes],
        "columns": [visible(name) for name in columns],
        "edges": len(diagram.vertices) - len(sketch.arcs) if diagram.kind == FOREST else None,
        "vertices": [
            [
                *_rounded(shape.x, shape.y, shape.width, shape.height),
                *(shape.kind, visible(vertex.text), "" if diagram.kind == FOREST else visible(vertex.detail)),
                list(vertex.paths),
            ]
            for shape, vertex in zip(picture.shapes, diagram.vertices, strict=True)
        ],
        "links": [
            [_flat(curve.points), list(curve.paths), label, link.source, link.target]
            for curve, label, link in zip(picture.curves, _labels(sketch, picture), diagram.links, strict=True)
        ],
        "told": [_told(arc, columns) for arc in sketch.arcs],
        "box": _box(picture),
    }


def _labels(sketch: Sketch, picture: Picture) -> list[list[Any] | None]:
    """Return the label of each link and where it stands: labels come in the order of the links that have one."""
    labels = iter([[*_rounded(text.x, text.y), text.text] for text in picture.texts if text.role == "label"])
    return [next(labels) if link.label else None for link in sketch.diagram.links]


def _told(arc: DrawnArc, columns: Sequence[str]) -> list[Any]:
    posterior = None if arc.posterior is None else float(f"{arc.posterior:.4g}")
    return [
        visible(arc.text),
        float(f"{arc.cost:.6g}"),
        posterior,
        [float(f"{arc.scores[name]:.6g}") for name in columns],
    ]


def _box(picture: Picture) -> list[float]:
    """What the drawing covers, without its legend: the page has its own."""
    covering: list[Shape | Text] = [*picture.shapes, *(text for text in picture.texts if text.role != "note")]
    covered = [thing.rectangle for thing in covering]
    points = [point for curve in picture.curves for point in curve.points]
    left = min([*(one.left for one in covered), *(point.x for point in points)])
    top = min([*(one.top for one in covered), *(point.y for point in points)])
    right = max([*(one.right for one in covered), *(point.x for point in points)])
    bottom = max([*(one.bottom for one in covered), *(point.y for point in points)])
    return _rounded(left, top, right - left, bottom - top)


def _flat(points: Sequence[Point]) -> list[float]:
    return _rounded(*(value for point in points for value in point))


def _rounded(*values: float) -> list[float]:
    return [int(r) if (r := round(value, 1)).is_integer() else r for value in values]
