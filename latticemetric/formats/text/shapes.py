"""Bring lattices into the shapes of text formats: confusion networks, and words on nodes instead of arcs."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from latticemetric.errors import InputError, UsageError
from latticemetric.lattice.lattice import Lattice

_STEPS = 4
_SMALLEST = float(np.finfo(np.float64).tiny)


# ---- Confusion networks: columns of words with probabilities ----


def columns_to_write(lattice: Lattice, format_name: str) -> list[list[int]]:
    """Return the arcs of each column; refuse a graph of another shape."""
    last = lattice.num_states - 1
    skipping = np.flatnonzero(lattice.target != lattice.source + 1)
    what = ""
    if lattice.final.tolist() != [last]:
        what = f"several ends: state {lattice.final[0]} is final, too"
    elif skipping.size:
        row = int(skipping[0])
        what = f"an arc from state {lattice.source[row]} to state {lattice.target[row]}"
    elif any(column.final.any() for column in lattice.scores.values()):
        what = "a cost on its end"
    elif any(labels.final.any() for labels in lattice.labels.values()):
        what = "a label on its end"
    if what:
        raise UsageError(
            f"{format_name} holds confusion networks (every arc leads to the next state), but this graph has {what}",
            advice="write another format",
        )
    begin = np.searchsorted(lattice.source, np.arange(last + 1)).tolist()
    return [list(range(begin[k], begin[k + 1])) for k in range(last)]


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


# ---- Words on nodes ----

Key = tuple[int, int]
"""The number of a word, and the number of its label."""

NOTHING: Key = (0, 0)


class WordNodes(NamedTuple):
    """Hold nodes for words; the first nodes are the states."""

    keys: list[Key]  # the word of each node
    state: list[int]  # the state that each node belongs to
    of_arc: list[int]  # the node that has the word of each arc


def word_nodes(
    states: int, near: Sequence[int], far: Sequence[int], keys: Sequence[Key], bare: Collection[int] = ()
) -> WordNodes:
    """Assign a node to the word of every arc: to the end `near`; the nodes of `bare` states have no word.

    If all arcs of a state have the same word, the state's node has this word. Otherwise it has none, and every word
    gets a new node, which the caller links to the state's node. A second arc between the same states with the same
    word also gets a new node, because readers of these formats keep one arc between two nodes.
    """
    copies: dict[tuple[int, int, Key], int] = {}
    groups: dict[int, dict[tuple[Key, int], int]] = {}
    copy_of_arc = []
    for here, there, key in zip(near, far, keys, strict=True):
        copy = copies.get((here, there, key), 0)
        copies[here, there, key] = copy + 1
        groups.setdefault(here, {})[key, copy] = -1
        copy_of_arc.append((key, copy))
    nodes, owner = [NOTHING] * states, list(range(states))
    for here, group in groups.items():
        alone = len(group) == 1 and here not in bare
        for key, copy in group:
            if alone or (key, copy) == (NOTHING, 0):
                group[key, copy] = here
                nodes[here] = key
            else:
                group[key, copy] = len(nodes)
                nodes.append(key)
                owner.append(here)
    return WordNodes(nodes, owner, [groups[here][choice] for here, choice in zip(near, copy_of_arc, strict=True)])
