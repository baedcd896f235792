"""Merge states of a lattice that have the same continuations, without changing any path."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric.lattice.columns import taken

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays

AnyLattice = TypeVar("AnyLattice", bound="LatticeArrays")


def minimize(lattice: AnyLattice) -> AnyLattice:
    """Merge states with the same continuations, from the end of a lattice to its start (Revuz 1992).

    Two states have the same continuations if

    - they have the same time;
    - they have the same final scores and labels, or neither state is final;
    - they have the same arcs: equal words, scores, labels and merged target states.

    See `Lattice.minimized`.
    """
    arc, final = (_classes(lattice, side) for side in ("arc", "final"))
    ends = dict(zip(lattice.final.tolist(), final, strict=True))
    times = [0.0] * lattice.num_states if lattice.times is None else lattice.times.tolist()
    begin = np.searchsorted(lattice.source, np.arange(lattice.num_states + 1)).tolist()
    target = lattice.target.tolist()
    merged = list(range(lattice.num_states))
    known: dict[tuple[object, ...], int] = {}
    for state in reversed(range(lattice.num_states)):
        future = sorted((arc[a], merged[target[a]]) for a in range(begin[state], begin[state + 1]))
        merged[state] = known.setdefault((ends.get(state), times[state], *future), state)
    into = np.array(merged, dtype=np.int32)
    arcs = np.flatnonzero(into[lattice.source] == lattice.source)
    rows = np.flatnonzero(into[lattice.final] == lattice.final)
    smaller = type(lattice).from_arcs(
        lattice.source[arcs],
        into[lattice.target[arcs]],
        lattice.word[arcs],
        final=lattice.final[rows],
        start=int(into[0]),
        scores=taken(lattice.scores, arcs, rows),
        vocabulary=lattice.vocabulary,
        times=lattice.times,
        labels=taken(lattice.labels, arcs, rows),
    )
    return replace(smaller, ranked=False)


def _classes(lattice: LatticeArrays, side: str) -> list[int]:
    """Number the arcs (`side` is `arc`) or final states (`final`); equal arcs or states get equal numbers."""
    columns: list[npt.NDArray[np.generic]] = [getattr(column, side) for column in lattice.scores.values()]
    columns += [getattr(labels, side) for labels in lattice.labels.values()]
    if side == "arc":
        columns.append(lattice.word)
    size = len(lattice.word if side == "arc" else lattice.final)
    number = np.zeros(size, dtype=np.int64)
    for column in columns:
        value = np.unique(column, return_inverse=True)[1]
        number = np.unique(number * (value.max(initial=0) + 1) + value, return_inverse=True)[1]
    found: list[int] = number.tolist()
    return found
