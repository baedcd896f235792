"""What all drawings have in common: which files they may be, how they look, and that they are written whole."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latticemetric.errors import MissingDependencyError, UsageError
from latticemetric.formats.writing import atomic_output

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png", ".pdf")

_DOTS_AN_INCH = 150


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
    """Small letters, no frames, no random ids; letters of all alphabets that fonts have."""
    import matplotlib as mpl

    settings: dict[str, Any] = {
        "svg.hashsalt": "latticemetric",
        "svg.fonttype": "none",
        "font.size": 8,
        "axes.titlesize": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    return mpl.rc_context(settings)


def save(figure: Figure, path: str) -> None:
    """Writes a figure in the format that the file's name ends in; the same figure gives the same file."""
    suffix = Path(path).suffix.lower()
    metadata: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix, {"Software": None})
    with atomic_output(path) as file:
        figure.savefig(file, format=suffix[1:], dpi=_DOTS_AN_INCH, metadata=metadata)
