"""Whether things in a picture are in each other's way."""

from itertools import combinations
from math import hypot

_TOUCHING = 0.01


def overlaps(picture):
    """Pairs of texts and shapes that cover the same place: a text may lie in its own shape, and in no other."""
    boxes = [("shape", shape, shape.rectangle) for shape in picture.shapes]
    boxes += [("text", text, text.rectangle) for text in picture.texts]
    return [
        (one[1], other[1])
        for one, other in combinations(boxes, 2)
        if _meet(one[2], other[2]) and not (one[0] != other[0] and _holds(one[2], other[2]))
    ]


def crossed_texts(picture):
    """Lines that run through texts, or through shapes."""
    found = []
    for curve in picture.curves:
        for point in _points(curve):
            found += [(curve, text) for text in picture.texts if _inside(point, text.rectangle)]
            found += [(curve, shape) for shape in picture.shapes if _enters(point, shape)]
    return found


def outside(picture):
    """What the edge of the picture would cut off."""
    boxes = [thing.rectangle for thing in (*picture.shapes, *picture.texts)]
    boxes += [(p.x, p.y, p.x, p.y) for curve in picture.curves for p in _points(curve)]
    return [box for box in boxes if box[0] < 0 or box[1] < 0 or box[2] > picture.width or box[3] > picture.height]


def _meet(one, other):
    return (
        one.left < other.right - _TOUCHING
        and other.left < one.right - _TOUCHING
        and one.top < other.bottom - _TOUCHING
        and other.top < one.bottom - _TOUCHING
    )


def _holds(shape, text):
    """Whether a text lies inside a shape, sideways: letters may be taller than what is around them by a little."""
    return (
        shape.left <= text.left
        and text.right <= shape.right
        and shape.top - 3 <= text.top
        and text.bottom <= shape.bottom + 3
    )


def _points(curve, steps=12):
    for place in range(0, len(curve.points) - 1, 3):
        a, b, c, d = curve.points[place : place + 4]
        for step in range(steps + 1):
            t = step / steps
            weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
            yield type(a)(*(sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1)))


def _inside(point, rectangle, by=0.5):
    return rectangle.left + by < point.x < rectangle.right - by and rectangle.top + by < point.y < rectangle.bottom - by


def _enters(point, shape):
    if shape.kind in {"circle", "end"}:
        return hypot(point.x - shape.x, point.y - shape.y) < shape.width / 2 - 1
    return _inside(point, shape.rectangle, by=1.5)
