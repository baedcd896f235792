"""Lattices as diagrams: a state a circle, an arc a link with its word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from latticemetric.drawing.details import details
from latticemetric.drawing.diagram import CIRCLE, END, LATTICE, Diagram, Link, Vertex, Ways
from latticemetric.drawing.highlights import checked_ways, passing, passing_ends
from latticemetric.drawing.selection import MOST_STATES, Bounds, select_arcs
from latticemetric.lattice import Lattice, Scales

NOTHING = "ε"


def lattice_diagram(
    lattice: Lattice,
    ways: Ways | None = None,
    *,
    title: str = "lattice",
    posteriors: npt.ArrayLike | None = None,
    scores: Sequence[str] = (),
    times: bool = True,
    most_states: int | None = MOST_STATES,
    beam: float | None = None,
    scales: Scales | None = None,
) -> Diagram:
    """A lattice, or the best part of a large one, with some ways through it; see `drawings.draw`."""
    highlighted = checked_ways(ways, len(lattice.word), "arc")
    kept = [arc for arcs in highlighted.values() for arc in arcs]
    arcs, omissions = select_arcs(lattice, kept, Bounds(most_states, beam), scales)
    states = np.unique(np.concatenate([[0], lattice.source[arcs], lattice.target[arcs]])).astype(int).tolist()
    place = {state: number for number, state in enumerate(states)}
    on_arc = passing(highlighted)
    on_state = passing_ends(highlighted, list(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)))
    written = details(len(lattice.word), posteriors, lattice.scores, scores)
    links = tuple(
        Link(
            place[int(lattice.source[arc])],
            place[int(lattice.target[arc])],
            lattice.vocabulary.word(int(lattice.word[arc])) or NOTHING,
            written(arc),
            on_arc.get(arc, ()),
        )
        for arc in arcs.tolist()
    )
    finals = set(lattice.final.tolist())
    seconds = lattice.times if times else None
    vertices = tuple(
        Vertex(
            str(state),
            END if state in finals else CIRCLE,
            "" if seconds is None else f"{seconds[state]:.2f} s",
            on_state.get(state, ()),
        )
        for state in states
    )
    return Diagram(LATTICE, title, vertices, links, tuple(highlighted), omissions=omissions)
