"""Write confusion networks as text: columns of words with probabilities."""

from __future__ import annotations

import math

import numpy as np

from latticemetric.errors import InputError, UsageError
from latticemetric.lattice.lattice import Lattice

_STEPS = 4
_SMALLEST = float(np.finfo(np.float64).tiny)


def columns_to_write(lattice: Lattice, format_name: str) -> list[list[int]]:
    """Return the arcs of each column; refuse a graph of another shape."""
    last = lattice.num_states - 1
    if lattice.final.tolist() != [last]:
        _refuse(format_name, f"several ends: state {lattice.final[0]} is final, too")
    skipping = np.flatnonzero(lattice.target != lattice.source + 1)
    if skipping.size:
        row = int(skipping[0])
        _refuse(format_name, f"an arc from state {lattice.source[row]} to state {lattice.target[row]}")
    if any(column.final.any() for column in lattice.scores.values()):
        _refuse(format_name, "a cost on its end")
    if any(labels.final.any() for labels in lattice.labels.values()):
        _refuse(format_name, "a label on its end")
    begin = np.searchsorted(lattice.source, np.arange(last + 1)).tolist()
    return [list(range(begin[k], begin[k + 1])) for k in range(last)]


def _refuse(format_name: str, what: str) -> None:
    raise UsageError(
        f"{format_name} holds confusion networks (every arc leads to the next state), but this graph has {what}",
        advice="write another format",
    )


def cost_of(probability: float) -> float:
    """Return the cost of a probability above 0."""
    return 0.0 - math.log(probability)


def probability_to_write(cost: float) -> str:
    """Write the probability that is read back as this cost; if there is none, write the nearest one."""
    try:
        nearest = math.exp(-cost)
    except OverflowError:
        nearest = math.inf
    if not _SMALLEST <= nearest < math.inf:
        raise InputError(f"no probability that can be written has the cost {cost!r}", advice="write another format")
    # Several numbers may have the same cost: prefer the one with the fewest digits.
    above = below = nearest
    candidates = [float(f"{nearest:.15g}"), nearest]
    for _ in range(_STEPS):
        above, below = math.nextafter(above, math.inf), math.nextafter(below, 0.0)
        candidates += [above, below]
    return repr(next((p for p in candidates if cost_of(p) == cost), nearest))
