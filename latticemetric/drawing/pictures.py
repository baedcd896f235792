"""Pictures of graphs as text: what pages and notebooks take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from latticemetric.drawing.diagram import Ways
from latticemetric.drawing.lattice_diagram import lattice_diagram
from latticemetric.drawing.layered import layered
from latticemetric.drawing.selection import MOST_STATES
from latticemetric.drawing.svg_writing import svg_text
from latticemetric.lattice import Lattice, Scales


def svg(
    graph: Lattice,
    ways: Ways | None = None,
    *,
    title: str = "lattice",
    posteriors: npt.ArrayLike | None = None,
    scores: Sequence[str] = (),
    times: bool = True,
    most_states: int | None = MOST_STATES,
    scales: Scales | None = None,
    standalone: bool = False,
) -> str:
    """A lattice as the text of an SVG element, which is the same for the same lattice.

    Args:
        graph: The lattice.
        ways: Names of highlighted ways and their arcs, like `{"oracle": best.arcs, "1-best": best.one_best.arcs}`.
            `oracle`, `1-best` and `mbr` have looks of their own.
        title: What it is, for those who cannot see it.
        posteriors: The probability of each arc, written under its word.
        scores: Names of score columns whose costs are written there too.
        times: Whether times are written under states, where the lattice has them.
        most_states: How many states are drawn, those of the best paths; `None` for all. The picture says what is left
            out.
        scales: Weight of each score column in the cost that says which paths are best.
        standalone: Whether it is to be a file: then ink is dark on light ground, and light on dark. Otherwise it has
            the colour of the page's text.
    """
    diagram = lattice_diagram(
        graph,
        ways,
        title=title,
        posteriors=posteriors,
        scores=scores,
        times=times,
        most_states=most_states,
        scales=scales,
    )
    return svg_text(layered(diagram), standalone=standalone)
