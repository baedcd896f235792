"""A canvas for plots: lines, areas, texts and images, written as SVG, or as PNG and PDF with matplotlib.

Lengths are in pixels (96 per inch); y grows downwards. SVG needs no packages, and follows dark pages.
"""

from __future__ import annotations

import base64
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import path_text
from latticemetric.drawing.image import figure_of, require_matplotlib
from latticemetric.drawing.picture import SMALL
from latticemetric.drawing.svg import decimal, element, opening, style_sheet
from latticemetric.errors import UsageError
from latticemetric.formats.streams.output import atomic_output

SUFFIXES = (".svg", ".png", ".pdf")

Points = Sequence[tuple[float, float]]
Bytes = npt.NDArray[np.uint8]

# The colour of each role on light and on dark pages; colour-blind readers can distinguish those of Okabe and Ito.
_COLOURS = {
    "ink": ("#1a1a1a", "#e6e6e6"),
    "grid": ("#dddddd", "#4a4a4a"),
    "first": ("#0072b2", "#56b4e9"),
    "second": ("#d55e00", "#f0954a"),
    # on images, whose colours are the same on all pages
    "black": ("#000000", "#000000"),
    "white": ("#ffffff", "#ffffff"),
}


@dataclass(frozen=True)
class Stroke:
    """A line from point to point, or the border of an area.

    Attributes:
        parts: The points of each part; the parts look the same.
        role: The role of the line; `None` draws no line.
        width: Its width.
        dashes: Lengths of dashes and gaps; empty for an unbroken line.
        fill: The role of the area inside; `None` for a line that is not closed.
        opacity: Between 0 and 1.
    """

    parts: Sequence[Points]
    role: str | None
    width: float = 1.0
    dashes: tuple[float, ...] = ()
    fill: str | None = None
    is_closed: bool = False
    opacity: float = 1.0


@dataclass(frozen=True)
class Caption:
    """A text; `anchor` is the part of it at x: `start`, `middle` or `end`. `is_upright` turns it to be read upwards."""

    x: float
    y: float
    text: str
    size: float = SMALL
    anchor: str = "start"
    is_upright: bool = False


@dataclass(frozen=True)
class Raster:
    """An image of few colours.

    Attributes:
        x: The left side.
        y: The upper side.
        width: The width.
        height: The height.
        pixels: The number of each pixel's colour, from the upper row on.
        colours: Red, green, blue and opacity of each colour.
    """

    x: float
    y: float
    width: float
    height: float
    pixels: Bytes
    colours: Bytes


class Canvas:
    """A picture to draw on. The title describes it to readers who cannot see it."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._items: list[Stroke | Caption | Raster] = []

    def add(self, item: Stroke | Caption | Raster) -> None:
        """Draw something, over what is there."""
        self._items.append(item)

    def line(self, points: Points, role: str = "ink", width: float = 1.0, **more: Any) -> None:
        """Draw a line from point to point."""
        self.add(Stroke([points], role, width, **more))

    def text(self, x: float, y: float, text: str, **more: Any) -> None:
        """Write a text."""
        self.add(Caption(x, y, text, **more))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, whose suffix is .svg, .png or .pdf."""
        target = path_text(path)
        check_suffix(target)
        suffix = Path(target).suffix.lower()
        with atomic_output(target) as file:
            if suffix == ".svg":
                file.write(self.svg().encode("utf-8"))
            else:
                self._write_image(file, suffix[1:])

    def svg(self) -> str:
        """Return the picture as an SVG element."""
        style = style_sheet([], coloured=_rules(0), dark=_rules(1))
        lines = opening(self.width, self.height, self.title, style)
        return "\n".join([*lines, *map(_element, self._items), "</svg>"]) + "\n"

    def _write_image(self, file: IO[bytes], image_format: str) -> None:
        with figure_of(self.width, self.height, file, image_format) as axes:
            for order, item in enumerate(self._items):
                _draw(axes, item, order)


def check_suffix(path: str) -> None:
    """Raise an error if a picture cannot be written to a file of this name."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError("the suffix is not a picture format", where=path, advice=f"use one of {', '.join(SUFFIXES)}")
    if suffix != ".svg":
        require_matplotlib()


# ---- SVG ----


def _rules(page: int) -> list[str]:
    return [
        rule
        for role, colours in _COLOURS.items()
        for rule in (f".line-{role} {{ stroke: {colours[page]} }}", f".area-{role} {{ fill: {colours[page]} }}")
    ]


def _element(item: Stroke | Caption | Raster) -> str:
    if isinstance(item, Stroke):
        classes = [f"line-{item.role}"] * (item.role is not None) + [f"area-{item.fill}"] * (item.fill is not None)
        return element(
            "path",
            class_=" ".join(classes),
            d="".join(f"M{' '.join(map(_pair, points))}{'Z' * item.is_closed}" for points in item.parts),
            fill=None if item.fill else "none",
            stroke_width=item.width if item.role else None,
            stroke_dasharray=" ".join(map(decimal, item.dashes)) or None,
            stroke_linejoin="round" if item.role else None,
            opacity=item.opacity if item.opacity < 1 else None,
        )
    if isinstance(item, Caption):
        turned = f"rotate(-90 {decimal(item.x)} {decimal(item.y)})" if item.is_upright else None
        return element(
            "text",
            item.text,
            x=item.x,
            y=item.y,
            font_size=item.size,
            text_anchor=item.anchor,
            unicode_bidi="isolate",
            transform=turned,
        )
    data = base64.b64encode(png_of(item.pixels, item.colours)).decode()
    return element(
        "image",
        x=item.x,
        y=item.y,
        width=item.width,
        height=item.height,
        preserveAspectRatio="none",
        style="image-rendering: pixelated",
        href=f"data:image/png;base64,{data}",
    )


def _pair(point: tuple[float, float]) -> str:
    return f"{decimal(point[0])},{decimal(point[1])}"


def png_of(pixels: Bytes, colours: Bytes) -> bytes:
    """Return an image as PNG: the numbers of colours, and red, green, blue and opacity of each colour."""
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), dtype=np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels
    parts = {
        b"IHDR": struct.pack(">2I5B", width, height, 8, 3, 0, 0, 0),
        b"PLTE": colours[:, :3].tobytes(),
        b"tRNS": colours[:, 3].tobytes(),
        b"IDAT": zlib.compress(rows.tobytes(), 9),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts.items()
    )


# ---- matplotlib ----

_POINTS_A_PIXEL = 0.75


def _draw(axes: Any, item: Stroke | Caption | Raster, order: int) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    if isinstance(item, Caption):
        axes.text(
            item.x,
            item.y,
            item.text,
            size=item.size * _POINTS_A_PIXEL,
            ha={"start": "left", "middle": "center", "end": "right"}[item.anchor],
            va="baseline",
            rotation=90 if item.is_upright else 0,
            rotation_mode="anchor",
            color=_COLOURS["ink"][0],
            parse_math=False,
            zorder=order,
        )
    elif isinstance(item, Raster):
        sides = (item.x, item.x + item.width, item.y + item.height, item.y)
        axes.imshow(item.colours[item.pixels], extent=sides, interpolation="nearest", aspect="auto", zorder=order)
    else:
        closing = 1 if item.is_closed else 0
        corners = [point for points in item.parts for point in [*points, *points[:closing]]]
        codes = [
            code
            for points in item.parts
            for code in [
                Outline.MOVETO,
                *[Outline.LINETO] * (len(points) - 1),
                *[Outline.CLOSEPOLY] * closing,
            ]
        ]
        line = {} if item.role is None else {"ec": _COLOURS[item.role][0], "lw": item.width * _POINTS_A_PIXEL}
        # matplotlib measures dashes in line widths.
        dashes = (0, tuple(length / item.width for length in item.dashes)) if item.dashes else "solid"
        area = {"fill": False} if item.fill is None else {"fc": _COLOURS[item.fill][0]}
        style = {"lw": 0, "capstyle": "butt", "joinstyle": "round", **line, **area}
        axes.add_patch(PathPatch(Outline(corners, codes), alpha=item.opacity, ls=dashes, zorder=order, **style))
