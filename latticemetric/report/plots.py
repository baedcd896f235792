"""What all plots have in common: which files they may be, how they look, and that they are written whole."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latticemetric.errors import MissingDependencyError, UsageError
from latticemetric.formats.writing import atomic_output

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png", ".pdf")

# Okabe and Ito's, which colour-blind people tell apart, too. Whatever differs in colour also differs in its dashes, its
# markers or its hatches: plots are printed in black and white.
BLUE, ORANGE, GREY, INK = "#0072b2", "#d55e00", "#767676", "#222222"

_DOTS_AN_INCH = 150
_PANEL_WIDTH, _PANEL_HEIGHT, _HEADING = 3.4, 3.2, 0.4  # inches


def check_plot(path: str) -> None:
    """Refuses what cannot be drawn, before anything is computed.

    Raises:
        UsageError: The file's name says no format of pictures.
        MissingDependencyError: There is no matplotlib.
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        raise UsageError("the file is to be a picture", where=path, advice=f"end its name in {', '.join(SUFFIXES)}")
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "plots need matplotlib, which is not installed", advice="pip install 'latticemetric[report]'"
        ) from error


def style() -> AbstractContextManager[None]:
    """Small letters, no frames, a light grid, no random ids; letters of all alphabets that fonts have."""
    import matplotlib as mpl

    settings: dict[str, Any] = {
        "svg.hashsalt": "latticemetric",
        "svg.fonttype": "none",
        "font.size": 8,
        "axes.titlesize": 9,
        "axes.titlecolor": INK,
        "axes.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#e6e6e6",
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.4,
        "lines.markersize": 4.5,
        "figure.titlesize": 10,
        "legend.frameon": False,
    }
    return mpl.rc_context(settings)


def new_figure(rows: int, columns: int) -> Figure:
    """A figure with room for so many panels; to be made, filled and saved in our `style`."""
    from matplotlib.figure import Figure

    return Figure(figsize=(columns * _PANEL_WIDTH, rows * _PANEL_HEIGHT + _HEADING), layout="constrained")


def legend_above(figure: Figure, entries: Mapping[str, Any]) -> None:
    """What lines and marks mean, above all panels, where it hides nothing.

    Args:
        figure: Gets the legend.
        entries: What is drawn by its name; several things that mean the same in a tuple.
    """
    from matplotlib.legend_handler import HandlerTuple

    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside upper center",
        ncols=len(entries),
        handler_map={tuple: HandlerTuple(ndivide=None)},
        handlelength=3,
    )


def save(figure: Figure, path: str) -> None:
    """Writes a figure in the format that the file's name ends in; the same figure gives the same file."""
    suffix = Path(path).suffix.lower()
    metadata: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix, {"Software": None})
    with atomic_output(path) as file:
        figure.savefig(file, format=suffix[1:], dpi=_DOTS_AN_INCH, metadata=metadata)
