"""Unfold a forest into a lattice with one path per derivation, read from left to right.

A state of the lattice is a stack: the words and nodes that are still to be read. Derivations with the same stack share
the state. A forest is converted without stacks if each edge has at most one tail, and this tail is always the first
symbol of the target side (or always the last).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError
from latticemetric.forest.forest import Forest
from latticemetric.lattice.columns import Column, Floats, Labels
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary

MOST_STATES = 50_000
_OWNER = "owner"


@dataclass(frozen=True, eq=False)
class Unfolded:
    """A lattice of a forest's derivations.

    Attributes:
        lattice: The lattice, with the scores of the forest.
        arc: For each arc, the number of its edge or goal; goals are numbered after all edges. −1 if it has neither.
        final: For each final state, the number of its edge or goal, numbered in the same way. −1 if it has neither.
    """

    lattice: Lattice
    arc: npt.NDArray[np.int64]
    final: npt.NDArray[np.int64]

    def sums(self, arc: Floats, final: Floats, parts: int) -> Floats:
        """Add up the values of arcs and final states by edge and goal; `parts` is the number of edges and goals."""
        owner, values = np.concatenate([self.arc, self.final]), np.concatenate([arc, final])
        sums: Floats = np.bincount(owner[owner >= 0], weights=values[owner >= 0], minlength=parts).astype(np.float64)
        return sums


def unfold(forest: Forest, most: int) -> Unfolded | None:
    """Unfold a forest into a lattice; return `None` if more than `most` states are needed.

    Examples:
        >>> forest = Forest.from_edges([0, 0, 1], [[], [], [0, 0]], [[5], [6], [-1, 7, -2]], goals=[1])
        >>> [path.words for path in unfold(forest, 100).lattice.paths()]
        [('5', '7', '5'), ('5', '7', '6'), ('6', '7', '5'), ('6', '7', '6')]
    """
    linear = _as_lattice(forest)
    return _by_stacks(forest, most) if linear is None else linear


def _as_lattice(forest: Forest) -> Unfolded | None:
    """Convert a forest that is a lattice, with the edge or goal of each arc as label; `None` for other forests."""
    if forest.tails.lengths().max(initial=0) > 1:
        return None
    edges, goals = len(forest.head), len(forest.goals)
    numbers = np.arange(1, edges + goals + 1, dtype=np.int32)
    labels = Labels(numbers[:edges], numbers[edges:], Vocabulary.numeric())
    numbered = Forest.from_edges(
        forest.head,
        forest.tails,
        forest.target,
        goals=forest.goals,
        scores=dict(forest.scores),
        vocabulary=forest.vocabulary,
        labels={_OWNER: labels},
    )
    try:
        lattice = numbered.to_lattice()
    except InputError:  # some words stand before a tail, others after a tail
        return None
    return _unfolded(lattice)


def _unfolded(lattice: Lattice) -> Unfolded:
    owner = lattice.labels[_OWNER]
    return Unfolded(lattice, owner.arc.astype(np.int64) - 1, owner.final.astype(np.int64) - 1)


class _Stack(NamedTuple):
    """A stack: the part of an edge's target side from `symbol` to its end, on top of the stack `below`.

    `symbol` is the index of a symbol in the target sides of all edges.
    """

    symbol: int
    below: int  # the number of a stack


_NOTHING, _START = 0, 1  # numbers of stacks: nothing is left to be read; nothing has been read


class _Stacks:
    """The stacks of a forest, numbered in order of discovery, and the arcs between them."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._begin = forest.target.begin.tolist()
        self._symbols = forest.target.values.tolist()
        self._tails = forest.tails.rows()
        self._edge_of = np.repeat(np.arange(len(forest.head)), forest.target.lengths()).tolist()
        self._first_edge = np.searchsorted(forest.head, np.arange(forest.num_nodes + 1)).tolist()
        self._number: dict[_Stack, int] = {}
        self.stacks: list[_Stack | None] = [None, None]
        self.arcs: list[tuple[int, int, int, int]] = []  # source, target, word, owner + 1

    def start(self) -> None:
        """Add the arcs from the start: one per goal, if there are several goals, and one per edge of each goal."""
        goals = self._forest.goals.tolist()
        for row, goal in enumerate(goals):
            chosen = _START
            if len(goals) > 1:
                chosen = len(self.stacks)
                self.stacks.append(None)
                self.arcs.append((_START, chosen, EPSILON, len(self._forest.head) + row + 1))
            self._derive(chosen, goal, _NOTHING)

    def read(self, at: int) -> None:
        """Add the arcs that leave a stack: one for its first word, or one for each edge of its first node."""
        rest = self.stacks[at]
        if rest is None:
            return
        edge, symbol = self._edge_of[rest.symbol], self._symbols[rest.symbol]
        below = self._stack(rest.symbol + 1, self._begin[edge + 1], rest.below)
        if symbol > EPSILON:
            self.arcs.append((at, below, symbol, 0))
        else:
            self._derive(at, self._tails[edge][-symbol - 1], below)

    def _derive(self, source: int, node: int, below: int) -> None:
        for edge in range(self._first_edge[node], self._first_edge[node + 1]):
            target = self._stack(self._begin[edge], self._begin[edge + 1], below)
            self.arcs.append((source, target, EPSILON, edge + 1))

    def _stack(self, symbol: int, end: int, below: int) -> int:
        """Return the number of the stack with the symbols from `symbol` to `end` on top of another stack."""
        if symbol == end:
            return below
        rest = _Stack(symbol, below)
        found = self._number.setdefault(rest, len(self.stacks))
        if found == len(self.stacks):
            self.stacks.append(rest)
        return found


_MOST_ARCS_EACH = 8


def _by_stacks(forest: Forest, most: int) -> Unfolded | None:
    found = _Stacks(forest)
    found.start()
    at = _START
    while (at := at + 1) < len(found.stacks):
        if len(found.stacks) > most or len(found.arcs) > _MOST_ARCS_EACH * most:
            return None
        found.read(at)
    return _lattice_of(forest, found.arcs)


def _lattice_of(forest: Forest, arcs: list[tuple[int, int, int, int]]) -> Unfolded:
    source, target, word, owner = np.array(arcs, dtype=np.int64).T
    columns = {}
    single = len(forest.goals) == 1
    for name, column in forest.scores.items():
        values = np.concatenate([[0.0], column.arc, np.zeros(1) if single else column.final])
        columns[name] = Column(values[owner], column.final if single else np.zeros(1), column.weight)
    lattice = Lattice.from_arcs(
        source,
        target,
        word,
        start=_START,
        final=[_NOTHING],
        scores=columns,
        vocabulary=forest.vocabulary,
        labels={_OWNER: Labels(owner.astype(np.int32), np.zeros(1, dtype=np.int32), Vocabulary.numeric())},
    )
    return _unfolded(lattice)
