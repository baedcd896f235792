"""Write pictures as PNG and PDF with matplotlib, with the layout of the SVG."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from latticemetric.drawing.diagram import BOX, BOXES, SHADE_COLOUR, SHADE_WIDTH, SHADES, WORD, PathStyle, path_styles
from latticemetric.drawing.picture import Curve, Picture, Position, Shape, arrow_head, shifted
from latticemetric.errors import UsageError, importing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# ---- Fonts ----

# One font per writing system is enough. The first one comes with matplotlib: pictures with only its letters are the
# same everywhere.
_FAMILIES = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Source Han Sans",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
)
_MISSING = re.compile(r"Glyph (\d+) ")


def installed_families() -> list[str]:
    """Return the installed font families in `_FAMILIES`."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return [name for name in _FAMILIES if name in installed]


@contextmanager
def _one_warning() -> Iterator[None]:
    """Collect the warnings about letters without a font; after the block, give one warning about all these letters."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing = set()
    for warning in caught:
        if found := _MISSING.search(str(warning.message)):
            missing.add(chr(int(found[1])))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if missing:
        letters = "".join(sorted(missing))
        warnings.warn(f"no font has the letters {letters}; install a font that has them, or write SVG", stacklevel=3)


# ---- Pictures ----

_PIXELS_AN_INCH = 96
_POINTS_A_PIXEL = 72 / _PIXELS_AN_INCH
_FINEST, _MOST_PIXELS = 2.0, 8000
"""Limits of images: the number of dots per pixel, and the number of dots of the longer side."""
_INK = "#1a1a1a"


def require_matplotlib() -> None:
    """Raise an error if matplotlib is not installed."""
    advice = "pip install 'latticemetric[report]', or write SVG, which needs no packages"
    with importing("PNG and PDF need matplotlib", advice=advice):
        import matplotlib as mpl  # noqa: F401


def write_image(picture: Picture, file: IO[bytes], image_format: str) -> None:
    """Write a picture as `png` or `pdf`; equal pictures give equal files."""
    with figure_of(picture.width, picture.height, file, image_format) as axes:
        styles = path_styles(picture.paths)
        for curve in (*picture.curves, *picture.samples):
            _draw_curve(axes, curve, styles)
        for shape in picture.shapes:
            for ring in shape.rings if shape.kind != WORD else ():
                _draw_border(axes, shape, *ring)
        for text in picture.texts:
            axes.text(
                text.x,
                text.y,
                text.text,
                size=text.size * _POINTS_A_PIXEL,
                ha={"middle": "center", "start": "left"}[text.anchor],
                va="baseline",
                color=_INK,
                alpha=0.8 if text.role in {"detail", "note"} else 1.0,
                parse_math=False,
            )


@contextmanager
def figure_of(width: float, height: float, file: IO[bytes], image_format: str) -> Iterator[Axes]:
    """Provide axes whose units are pixels, with y downwards; write them to a file at the end of the `with` block."""
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    longest = max(width, height)
    dots = min(_FINEST, _MOST_PIXELS / longest)
    if image_format == "png" and dots < 1 / 2:
        raise UsageError(
            f"a side of the picture has {longest:.0f} pixels, too many for PNG",
            advice="draw fewer states, or write SVG",
        )
    settings = {"font.family": installed_families(), "pdf.fonttype": 42, "text.parse_math": False}
    with _one_warning(), mpl.rc_context(settings):
        figure = Figure(figsize=(width / _PIXELS_AN_INCH, height / _PIXELS_AN_INCH))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        axes.set_autoscale_on(False)
        yield axes
        metadata: dict[str, Any] = {"CreationDate": None} if image_format == "pdf" else {"Software": None}
        figure.savefig(file, format=image_format, dpi=_PIXELS_AN_INCH * dots, metadata=metadata)


def _draw_curve(axes: Axes, curve: Curve, styles: list[PathStyle]) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path as Outline

    codes = [Outline.MOVETO, *[Outline.CURVE4] * (len(curve.points) - 1)]

    def add(points: Sequence[Position], colour: str, width: float, **more: Any) -> None:
        outline = Outline(points, codes)
        axes.add_patch(PathPatch(outline, fill=False, ec=colour, lw=width * _POINTS_A_PIXEL, **more))

    if curve.shade is not None:
        add(curve.points, SHADE_COLOUR, SHADE_WIDTH, alpha=SHADES[curve.shade], capstyle="butt")
    if curve.is_plain:
        add(curve.points, _INK, 1.1, alpha=0.75)
    for path, points in shifted(curve):
        style = styles[path]
        # matplotlib measures dashes in line widths.
        dashes = (0, tuple(length / style.width for length in style.dashes)) if style.dashes else "solid"
        add(points, style.light, style.width, ls=dashes, capstyle="butt")
    if curve.arrow:
        axes.add_patch(Polygon(arrow_head(curve), closed=True, fc=_INK, lw=0))


def _draw_border(axes: Axes, shape: Shape, inside: float, ink: float) -> None:
    from matplotlib.patches import Circle, FancyBboxPatch

    style: dict[str, Any] = {"fill": False, "ec": _INK, "lw": ink * _POINTS_A_PIXEL}
    if shape.kind not in BOXES:
        axes.add_patch(Circle((shape.x, shape.y), shape.width / 2 - inside, **style))
        return
    left, top, right, bottom = shape.rectangle
    corner = 2.0 if shape.kind == BOX else shape.height / 2 - inside
    axes.add_patch(
        FancyBboxPatch(
            (left + inside, top + inside),
            right - left - 2 * inside,
            bottom - top - 2 * inside,
            boxstyle=f"round,pad=0,rounding_size={corner}",
            **style,
        )
    )
