"""Build the JSON data that the scripts of the report page read: utterances, alignments, drawings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latticemetric.batch.review import MBR, ONE_BEST, ORACLE, DrawnArc, MBRAnswer, Review, Sketch
from latticemetric.display import visible
from latticemetric.drawing.diagram import FOREST
from latticemetric.drawing.layout import layered_layout
from latticemetric.drawing.picture import Picture, PlacedText, Point, Shape
from latticemetric.metrics.alignment import INSERTION, Alignment
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.report.figures import paths

# The largest whole number that scripts hold exactly; large enough for sorting.
_LARGEST = 2**53
_COUNTS = ("matches", "substitutions", "deletions", "insertions")


def utterance(review: Review) -> dict[str, Any]:
    """Return one utterance, without its drawing.

    References are lists of words. A side has all its `words`, and its alignment: `edits`, with the counted words of
    both sides.
    """
    common: dict[str, Any] = {"id": visible(review.name), "references": [_shown(words) for words in review.references]}
    if review.oracle is None:
        return {**common, "error": visible(str(review.problem))}
    best, size = review.oracle, review.size
    assert size is not None
    sides = {ORACLE: _side(best), ONE_BEST: _side(best.one_best)}
    if review.mbr is not None:
        sides[MBR] = _side(review.mbr) | {"method": review.mbr.method, "apart": review.mbr.distance}
    item = {
        **common,
        "length": review.swept.length,
        "headroom": headroom(review),
        "density": density(review),
        "kind": size.kind,
        "states": size.states,
        "arcs": size.arcs,
        "paths": paths(size.paths),
        "best_paths": [min(review.best_paths or _LARGEST, _LARGEST), paths(review.best_paths)],
        "exact": best.exact,
        "sides": sides,
    }
    if review.mbr_problem is not None:
        item["mbr_problem"] = visible(str(review.mbr_problem))
    return item if review.scores is None else {**item, "scores": review.scores}


def headroom(review: Review) -> float | None:
    """Return the difference between the rates of a graph's oracle and 1-best."""
    if review.oracle is None or review.oracle.score is None or review.oracle.one_best.score is None:
        return None
    return abs(review.oracle.score - review.oracle.one_best.score)


def density(review: Review) -> float | None:
    """Return the number of arcs with words per reference word of a lattice, as in sweeps."""
    whole = review.swept.kept[-1].word_arcs if review.swept.kept else None
    return whole / review.swept.length if whole is not None and review.swept.length else None


def _side(path: ScoredPath | MBRAnswer) -> dict[str, Any]:
    counts = path.statistics.asdict()
    side = {
        "score": path.score,
        "fraction": [path.numerator, path.denominator],
        "counts": [counts[name] for name in _COUNTS],
        "words": _shown(path.words),
        **_aligned(path.alignment, path.words),
    }
    return {**side, "cost": path.cost} if isinstance(path, ScoredPath) else side


def _aligned(alignment: Alignment, words: tuple[str, ...]) -> dict[str, Any]:
    """Return edits, the reference words without an equal match, and the counted words if not all count (`said`)."""
    expected = [r or "" for edit, r, c in alignment.steps() if edit != INSERTION and r != c]
    counted = {} if alignment.candidate == words else {"said": _shown(alignment.candidate)}
    return {"edits": alignment.edits, "expected": _shown(expected), **counted}


def _shown(words: list[str] | tuple[str, ...]) -> list[str]:
    return [visible(word) for word in words]


# ---- Drawings ----

_SIDES = {"oracle": "oracle", "1-best": "one_best", "mbr": "mbr"}


def drawing(sketch: Sketch) -> dict[str, Any]:
    """Lay out a sketch; return its data.

    `ways` are the sides of the highlighted paths, in the order of their numbers. A vertex is
    `[x, y, width, height, shape, text, detail, paths]`. A link is `[points, paths, label, source, target]`, with the
    points of `Curve` in one list, and a label `[x, y, text]` or `None`. `told` holds
    `[text, cost, posterior, scores]` of each link; in forests, of each vertex from number `edges` on.
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
    """Return the label of each link with its position; the picture's labels are in the order of the labelled links."""
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
    """Return the area of a drawing without its legend, since the page has a separate one."""
    covering: list[Shape | PlacedText] = [*picture.shapes, *(text for text in picture.texts if text.role != "note")]
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
