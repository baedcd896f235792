"""Pictures as SVG: text stays text, colours follow the reader's, and the same picture is the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from latticemetric.drawing.diagram import BOX, BOXES, END, GOAL, WORD, Look, looks_of
from latticemetric.drawing.picture import APART, INSIDE, Curve, Picture, Point, Shape, Text, head_of
from latticemetric.drawing.text_width import visible

_FONT = "'DejaVu Sans', Verdana, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"
_OURS, _ALONE = "latticemetric", "alone"
_INK, _INK_ON_DARK = "#1a1a1a", "#e6e6e6"


def svg_text(picture: Picture, *, standalone: bool = True) -> str:
    """Return a picture as an SVG element.

    Args:
        picture: The picture.
        standalone: Whether it is a file of its own, with ink that is dark on light ground and light on dark; else it
            has the colour of the text around it.
    """
    size = f'width="{_number(picture.width)}" height="{_number(picture.height)}"'
    box = f'viewBox="0 0 {_number(picture.width)} {_number(picture.height)}"'
    looks = looks_of(picture.ways)
    classes = [_OURS, _ALONE] if standalone else [_OURS]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{" ".join(classes)}" role="img" {size} {box}>',
        f"<title>{escape(visible(picture.title))}</title>",
        f"<style>{_style(looks, standalone=standalone)}</style>",
        *(line for curve in (*picture.curves, *picture.samples) for line in _curve(curve, picture, looks)),
        *(_shape(shape) for shape in picture.shapes if shape.kind != WORD),
        *map(_text, picture.texts),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _style(looks: Sequence[Look], *, standalone: bool) -> str:
    """Rules for this picture's elements only, whatever page it stands in."""
    own = f"svg.{_OURS}"
    ground = [f"{own}.{_ALONE} {{ color: {_INK} }}"] if standalone else []
    dark = [f"{own}.{_ALONE} {{ color: {_INK_ON_DARK} }}"] if standalone else []
    dark += [f"{own} .{_class(look)} {{ stroke: {look.dark} }}" for look in looks]
    rules = [
        f"{own} text {{ font-family: {_FONT}; fill: currentColor; stroke: none; white-space: pre }}",
        f"{own} .detail, {own} .note {{ opacity: 0.8 }}",
        f"{own} .node, {own} .link {{ fill: none; stroke: currentColor }}",
        f"{own} .head {{ fill: currentColor; stroke: none }}",
        *ground,
        *(f"{own} .{_class(look)} {{ fill: none; stroke: {look.light} }}" for look in looks),
        f"@media (prefers-color-scheme: dark) {{ {' '.join(dark)} }}",
    ]
    return "\n".join(["", *dict.fromkeys(rules), ""])


def _class(look: Look) -> str:
    """By its colour, since several pictures may stand on a page, with different ways."""
    return f"way-{look.light[1:]}"


def _curve(curve: Curve, picture: Picture, looks: Sequence[Look]) -> Iterator[str]:
    """Return a plain line, or one beside the other for each way; and a head."""
    if not curve.ways:
        yield f'<path class="link" d="{_path(curve.points)}" stroke-width="1.1" stroke-opacity="0.75"/>'
    for place, way in enumerate(curve.ways):
        shift = APART * (place - (len(curve.ways) - 1) / 2)
        look = looks[way]
        dashes = f' stroke-dasharray="{" ".join(map(_number, look.dashes))}"' if look.dashes else ""
        points = [Point(point.x, point.y + shift) for point in curve.points]
        name = escape(_slug(picture.ways[way]))
        yield (
            f'<path class="{_class(look)} path-{name}" d="{_path(points)}" fill="none" stroke="{look.light}"'
            f' stroke-width="{_number(look.width)}"{dashes}/>'
        )
    if curve.arrow:
        yield f'<path class="head" d="M{" L".join(map(_pair, head_of(curve)))} Z"/>'


def _slug(name: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)


def _path(points: Sequence[Point]) -> str:
    """Straight stretches as lines."""
    parts = [f"M{_pair(points[0])}"]
    for place in range(1, len(points), 3):
        first, second, end = points[place : place + 3]
        straight = first == points[place - 1] and second == end
        parts.append(f"L{_pair(end)}" if straight else f"C{_pair(first)} {_pair(second)} {_pair(end)}")
    return " ".join(parts)


def _shape(shape: Shape) -> str:
    """Return a ring or a box, or two of them, one in the other."""
    outer = _outline(shape, 0.0, 2.6 if shape.ways else 1.2)
    return outer + _outline(shape, INSIDE, 1.2) if shape.kind in {END, GOAL} else outer


def _outline(shape: Shape, inside: float, ink: float) -> str:
    drawn = f'class="node" fill="none" stroke-width="{_number(ink)}"'
    if shape.kind not in BOXES:
        place = f'cx="{_number(shape.x)}" cy="{_number(shape.y)}"'
        return f'<circle {drawn} {place} r="{_number(shape.width / 2 - inside)}"/>'
    left, top, right, bottom = shape.rectangle
    corner = 2.0 if shape.kind == BOX else shape.height / 2 - inside
    return (
        f'<rect {drawn} x="{_number(left + inside)}" y="{_number(top + inside)}"'
        f' width="{_number(right - left - 2 * inside)}" height="{_number(bottom - top - 2 * inside)}"'
        f' rx="{_number(corner)}"/>'
    )


def _text(text: Text) -> str:
    # Letters that are written from right to left do not pull what stands beside them along.
    return (
        f'<text class="{text.role}" x="{_number(text.x)}" y="{_number(text.y)}" font-size="{_number(text.size)}"'
        f' text-anchor="{text.anchor}" unicode-bidi="isolate">{escape(text.text)}</text>'
    )


def _pair(point: Point) -> str:
    return f"{_number(point.x)},{_number(point.y)}"


def _number(value: float) -> str:
    """Two digits are more than an eye sees, and the same on every machine."""
    return f"{value + 0.0:.2f}".rstrip("0").rstrip(".")
