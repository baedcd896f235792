"""Whether things in a picture are in each other's way."""

import numpy as np

_TOUCHING = 0.01
_STEPS = 12


def overlaps(picture):
    """Pairs of texts and shapes that cover the same place: a text may lie in its own shape, and in no other."""
    things = [*picture.shapes, *picture.texts]
    left, top, right, bottom = np.array([thing.rectangle for thing in things]).T
    meet = (left[:, None] < right - _TOUCHING) & (top[:, None] < bottom - _TOUCHING)
    meet &= meet.T
    pairs = np.argwhere(np.triu(meet, 1)).tolist()
    shapes = len(picture.shapes)
    return [(things[a], things[b]) for a, b in pairs if not (a < shapes <= b and _holds(things[a], things[b]))]


def crossed_texts(picture):
    """Lines that run through texts, or through shapes."""
    found = []
    texts = np.array([text.rectangle for text in picture.texts]).reshape(-1, 4)
    for curve in picture.curves:
        x, y = _points(curve).T
        hit = _inside(x, y, texts, by=0.5)
        found += [(curve, picture.texts[number]) for number in np.flatnonzero(hit)]
    round_ = [shape for shape in picture.shapes if shape.kind in {"circle", "end"}]
    boxes = [shape for shape in picture.shapes if shape.kind not in {"circle", "end"}]
    for curve in picture.curves:
        x, y = _points(curve).T
        found += [(curve, s) for s in round_ if (np.hypot(x - s.x, y - s.y) < s.width / 2 - 1).any()]
        hit = _inside(x, y, np.array([shape.rectangle for shape in boxes]).reshape(-1, 4), by=1.5)
        found += [(curve, boxes[number]) for number in np.flatnonzero(hit)]
    return found


def outside(picture):
    """What the edge of the picture would cut off."""
    boxes = [thing.rectangle for thing in (*picture.shapes, *picture.texts)]
    for curve in picture.curves:
        points = _points(curve)
        boxes.append((*points.min(axis=0), *points.max(axis=0)))
    return [box for box in boxes if min(box) < 0 or box[2] > picture.width or box[3] > picture.height]


def _holds(shape, text):
    """Whether a text lies inside a shape, sideways: letters may be taller than what is around them by a little."""
    outer, inner = shape.rectangle, text.rectangle
    sideways = outer.left <= inner.left and inner.right <= outer.right
    return sideways and outer.top - 3 <= inner.top and inner.bottom <= outer.bottom + 3


def _points(curve):
    """Points on a curve."""
    points = np.array(curve.points)
    parts = np.stack([points[place : place + 4] for place in range(0, len(points) - 1, 3)])
    t = np.linspace(0, 1, _STEPS)[:, None]
    weights = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    return np.einsum("sk,pkd->psd", weights, parts).reshape(-1, 2)


def _inside(x, y, boxes, *, by):
    """Of each box, whether any of the points lies in it, by so much."""
    left, top, right, bottom = boxes.T
    x, y = x[:, None], y[:, None]
    return ((left + by < x) & (x < right - by) & (top + by < y) & (y < bottom - by)).any(axis=0)
