"""Lattices as diagrams: a state a circle, an arc a link with its word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.drawing.diagram import CIRCLE, END, Diagram, Link, Vertex, Ways
from latticemetric.drawing.selection import MOST_STATES, select_arcs
from latticemetric.errors import UsageError
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
    scales: Scales | None = None,
) -> Diagram:
    """A lattice, or the best part of a large one, with some ways through it.

    Args:
        lattice: The lattice.
        ways: Arcs of each highlighted way.
        title: What it is.
        posteriors: The probability of each arc, written under its word.
        scores: Names of score columns whose costs are written there too.
        times: Whether times are written under states, where the lattice has them.
        most_states: How many states are drawn; `None` for all.
        scales: Weight of each score column in the cost that says which paths are best.
    """
    highlighted = checked_ways(ways or {}, len(lattice.word), "arc")
    kept = [arc for arcs in highlighted.values() for arc in arcs]
    arcs, notes = select_arcs(lattice, kept, most_states, scales)
    states = np.unique(np.concatenate([[0], lattice.source[arcs], lattice.target[arcs]])).astype(int).tolist()
    place = {state: number for number, state in enumerate(states)}
    taken = {arc: number for number, arc in enumerate(arcs.tolist())}
    on_arc, on_state = _passed(lattice, highlighted)
    details = _details(lattice, posteriors, scores)
    links = tuple(
        Link(
            place[int(lattice.source[arc])],
            place[int(lattice.target[arc])],
            lattice.vocabulary.word(int(lattice.word[arc])) or NOTHING,
            details(arc),
            on_arc.get(arc, ()),
        )
        for arc in taken
    )
    finals = set(lattice.final.tolist())
    written = lattice.times if times else None
    vertices = tuple(
        Vertex(
            str(state),
            END if state in finals else CIRCLE,
            "" if written is None else f"{written[state]:.2f} s",
            on_state.get(state, ()),
        )
        for state in states
    )
    return Diagram(title, vertices, links, tuple(highlighted), notes)


def checked_ways(ways: Ways, number: int, thing: str) -> dict[str, tuple[int, ...]]:
    """The ways, if their arcs (or edges) are numbers of some that are there."""
    found = {name: tuple(map(int, arcs)) for name, arcs in ways.items()}
    for name, arcs in found.items():
        for arc in arcs:
            if not 0 <= arc < number:
                raise UsageError(
                    f"'{name}' takes {thing} {arc}, which is not there", advice="highlight ways of the same graph"
                )
    return found


def _passed(lattice: Lattice, ways: Mapping[str, Sequence[int]]) -> tuple[dict[int, Any], dict[int, Any]]:
    """The ways over each arc and each state."""
    on_arc: dict[int, tuple[int, ...]] = {}
    on_state: dict[int, tuple[int, ...]] = {}
    for number, arcs in enumerate(ways.values()):
        for arc in dict.fromkeys(arcs):
            on_arc[arc] = (*on_arc.get(arc, ()), number)
        ends = [[int(lattice.source[arc]), int(lattice.target[arc])] for arc in arcs]
        for state in dict.fromkeys(state for pair in ends for state in pair):
            on_state[state] = (*on_state.get(state, ()), number)
    return on_arc, on_state


def _details(lattice: Lattice, posteriors: npt.ArrayLike | None, scores: Sequence[str]) -> Any:
    """What writes the numbers of an arc."""
    values = None if posteriors is None else np.asarray(posteriors, dtype=np.float64)
    if values is not None and values.shape != lattice.word.shape:
        raise UsageError(f"there are {values.size} posteriors and {len(lattice.word)} arcs")
    for name in scores:
        if name not in lattice.scores:
            known = ", ".join(lattice.scores) or "none"
            raise UsageError(f"there is no score column '{name}'", advice=f"the columns here are: {known}")

    def written(arc: int) -> str:
        parts = [] if values is None else [f"{values[arc]:.2f}"]
        parts += [f"{name} {lattice.scores[name].arc[arc]:.5g}" for name in scores]
        return ", ".join(parts)

    return written
