"""Write pictures as SVG, reproducibly; text can be selected, and colours follow the reader's settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from latticemetric.display.text import visible
from latticemetric.drawing.diagram import BOX, BOXES, SHADE_COLOUR, SHADE_WIDTH, SHADES, WORD, PathStyle, path_styles
from latticemetric.drawing.picture import Curve, Picture, Position, Shape, arrow_head, shifted

_FONT = "'DejaVu Sans', Verdana, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"
_OURS, _ALONE = "latticemetric", "alone"
_INK, _INK_ON_DARK = "#1a1a1a", "#e6e6e6"


def element(tag: str, content: str | None = None, *, digits: int = 2, **attributes: str | float | None) -> str:
    """Return an XML element as text.

    Underscores in attribute names become hyphens. Attributes that are `None` are omitted.
    """
    begin = f"<{tag}"
    for name, value in attributes.items():
        if value is not None:
            text = value if isinstance(value, str) else decimal(value, digits)
            begin += f" {name.rstrip('_').replace('_', '-')}={quoteattr(text)}"
    return f"{begin}/>" if content is None else f"{begin}>{escape(content)}</{tag}>"


def decimal(value: float, digits: int = 2) -> str:
    """Return a number as text with at most `digits` decimals.

    Two decimals are more precise than the eye can see, and give the same text on every machine.
    """
    return f"{value + 0.0:.{digits}f}".rstrip("0").rstrip(".")


def svg_text(picture: Picture, *, standalone: bool = True) -> str:
    """Return a picture as an SVG element; for `standalone`, see `Drawing.svg`."""
    styles = path_styles(picture.paths)
    lines = [
        *opening(
            picture.width,
            picture.height,
            picture.title,
            _style_sheet(styles, standalone=standalone),
            standalone=standalone,
        ),
        *(line for curve in (*picture.curves, *picture.samples) for line in _curve(curve, picture, styles)),
        *("".join(_border(shape, *ring) for ring in shape.rings) for shape in picture.shapes if shape.kind != WORD),
        # Isolate texts, so that right-to-left text does not reorder its neighbours.
        *(
            element(
                "text",
                text.text,
                class_=text.role,
                x=text.x,
                y=text.y,
                font_size=text.size,
                text_anchor=text.anchor,
                unicode_bidi="isolate",
            )
            for text in picture.texts
        ),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def opening(width: float, height: float, title: str, style: str, *, standalone: bool = True) -> list[str]:
    """Return the first lines of a picture: its size, its description and its style sheet."""
    wide, high = decimal(width), decimal(height)
    size = f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
    classes = f"{_OURS} {_ALONE}" if standalone else _OURS
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{classes}" role="img" {size}>',
        element("title", visible(title)),
        f"<style>{style}</style>",
    ]


def style_sheet(
    rules: Sequence[str], *, coloured: Sequence[str] = (), dark: Sequence[str] = (), standalone: bool = True
) -> str:
    """Return style rules that apply only to pictures of latticemetric, not to other elements of a page.

    Args:
        rules: Rules such as `.head { stroke: none }`.
        coloured: Rules of colours on a light background.
        dark: Rules of colours on a dark background.
        standalone: See `Drawing.svg`.
    """
    own = f"svg.{_OURS}"
    ground, ink = ([f"{own}.{_ALONE} {{ color: {ink} }}"] if standalone else [] for ink in (_INK, _INK_ON_DARK))
    if standalone:  # the ground that fits the ink: what is around the picture may be of the other kind
        ground.append(f"{own}.{_ALONE} {{ color-scheme: light dark; background: Canvas }}")
    everything = [
        f"{own} text {{ font-family: {_FONT}; fill: currentColor; stroke: none; white-space: pre }}",
        f"{own} .detail, {own} .note {{ opacity: 0.8 }}",
        *(f"{own} {rule}" for rule in rules),
        *ground,
        *(f"{own} {rule}" for rule in coloured),
        f"@media (prefers-color-scheme: dark) {{ {' '.join([*ink, *(f'{own} {rule}' for rule in dark)])} }}",
    ]
    return "\n".join(["", *dict.fromkeys(everything), ""])


def _style_sheet(styles: Sequence[PathStyle], *, standalone: bool) -> str:
    return style_sheet(
        [
            f".node, svg.{_OURS} .link {{ fill: none; stroke: currentColor }}",
            ".head { fill: currentColor; stroke: none }",
        ],
        coloured=[f".{_class(style)} {{ fill: none; stroke: {style.light} }}" for style in styles],
        dark=[f".{_class(style)} {{ stroke: {style.dark} }}" for style in styles],
        standalone=standalone,
    )


def _class(style: PathStyle) -> str:
    """Return the CSS class of a style.

    The name of the class contains the colour, since the rules of one picture apply to all pictures of a page.
    """
    return f"way-{style.light[1:]}"


def _curve(curve: Curve, picture: Picture, styles: Sequence[PathStyle]) -> Iterator[str]:
    """Yield the SVG elements of a curve: its shade, a plain line or one parallel line per path, and the arrow head."""
    if curve.shade is not None:
        band: dict[str, Any] = {
            "stroke": SHADE_COLOUR,
            "stroke_width": SHADE_WIDTH,
            "stroke_opacity": SHADES[curve.shade],
        }
        yield element("path", class_="shade", d=_outline(curve.points), fill="none", **band)
    if curve.is_plain:
        yield element("path", class_="link", d=_outline(curve.points), stroke_width=1.1, stroke_opacity=0.75)
    for path, points in shifted(curve):
        style = styles[path]
        name = "".join(c if c.isascii() and c.isalnum() else "-" for c in picture.paths[path])
        yield element(
            "path",
            class_=f"{_class(style)} path-{name}",
            d=_outline(points),
            fill="none",
            stroke=style.light,
            stroke_width=style.width,
            stroke_dasharray=" ".join(map(decimal, style.dashes)) or None,
        )
    if curve.arrow:
        yield element("path", class_="head", d=f"M{' L'.join(map(_pair, arrow_head(curve)))} Z")


def _outline(points: Sequence[Position]) -> str:
    """Return the points of a curve as SVG path data; straight parts become lines."""
    parts = [f"M{_pair(points[0])}"]
    for place in range(1, len(points), 3):
        first, second, end = points[place : place + 3]
        straight = first == points[place - 1] and second == end
        parts.append(f"L{_pair(end)}" if straight else f"C{_pair(first)} {_pair(second)} {_pair(end)}")
    return " ".join(parts)


def _border(shape: Shape, inside: float, ink: float) -> str:
    if shape.kind not in BOXES:
        radius = shape.width / 2 - inside
        return element("circle", class_="node", fill="none", stroke_width=ink, cx=shape.x, cy=shape.y, r=radius)
    left, top, right, bottom = shape.rectangle
    return element(
        "rect",
        class_="node",
        fill="none",
        stroke_width=ink,
        x=left + inside,
        y=top + inside,
        width=right - left - 2 * inside,
        height=bottom - top - 2 * inside,
        rx=2.0 if shape.kind == BOX else shape.height / 2 - inside,
    )


def _pair(point: Position) -> str:
    return f"{decimal(point.x)},{decimal(point.y)}"
