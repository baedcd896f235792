"""Which part of a large graph is drawn: what lies on its best paths, and the highlighted ways in any case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.lattice import Lattice, Scales
from latticemetric.lattice_pruning import Margins

MOST_STATES = 60
"""How many states or nodes are drawn, unless the user says otherwise."""

Numbers = npt.NDArray[np.int64]


class Selection(NamedTuple):
    """The arcs (or edges) that are drawn, and what a reader has to know about the others."""

    arcs: Numbers
    notes: tuple[str, ...]


def select_arcs(lattice: Lattice, kept: Sequence[int], most_states: int | None, scales: Scales | None) -> Selection:
    """The arcs of a lattice that are drawn.

    Args:
        lattice: The lattice.
        kept: Arcs that are drawn in any case.
        most_states: How many states are drawn, save those of `kept`; `None` for all.
        scales: Weight of each score column in the cost that says which paths are best.
    """
    if most_states is None or lattice.num_states <= checked_most(most_states):
        return Selection(np.arange(len(lattice.word)), ())
    margins = Margins.of(lattice, scales)
    always = np.asarray(sorted(set(kept)), dtype=np.int64)

    def drawn(beam: float) -> Numbers:
        return np.union1d(margins.kept(beam), always)

    def states(arcs: Numbers) -> int:
        return len(np.union1d(lattice.source[arcs], lattice.target[arcs]))

    beam = widest(np.unique(margins.arc.clip(min=0)), lambda beam: states(drawn(beam)) <= most_states)
    arcs = drawn(beam)
    return Selection(
        arcs, (left_out(("states", states(arcs), lattice.num_states), ("arcs", len(arcs), len(lattice.word))),)
    )


def checked_most(most: int) -> int:
    """A number of states that something can be drawn with."""
    if most < 1:
        raise UsageError(f"{most} states are too few for a picture", advice="draw one at least")
    return most


def widest(beams: Sequence[float] | npt.NDArray[np.float64], fits: Callable[[float], bool]) -> float:
    """The largest of ascending beams that fits; the smallest, if none does: the best path is always drawn."""
    low, high = 0, len(beams)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(float(beams[middle])) else (low, middle)
    return float(beams[low])


def left_out(states: tuple[str, int, int], arcs: tuple[str, int, int]) -> str:
    """What is drawn of how much: of each kind its name, how many are drawn, and how many there are."""
    shown = " and ".join(f"{shown} of {of} {name}" for name, shown, of in (states, arcs))
    return f"Shown: {shown}, those of the best {'paths' if states[0] == 'states' else 'derivations'}."
