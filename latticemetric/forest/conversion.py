"""Convert forests to lattices (where possible) and lattices to forests.

A lattice is a forest whose edges have at most one tail (the source state), at the beginning of their target sides. If
all tails are at the end, the forest is a mirror image: its paths start at its goals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError
from latticemetric.forest.columns import Ragged
from latticemetric.lattice.columns import Column, Labels
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import EPSILON

if TYPE_CHECKING:
    from latticemetric.forest.forest import Forest

AnyForest = TypeVar("AnyForest", bound="Forest")


def forest_from_lattice(cls: type[AnyForest], lattice: Lattice) -> AnyForest:
    """Build a forest with a node per state, an edge per arc, and an edge without tails and words for the start."""
    arcs = len(lattice.word)
    tails = Ragged(np.concatenate([[0, 0], np.arange(1, arcs + 1)]).astype(np.int64), lattice.source)
    target = np.stack([np.full(arcs, -1, dtype=np.int32), lattice.word], axis=1).ravel()
    begin = np.concatenate([[0, 0], 2 * np.arange(1, arcs + 1)]).astype(np.int64)
    return cls.from_edges(
        np.concatenate([[0], lattice.target]),
        tails,
        Ragged(begin, target),
        goals=lattice.final,
        scores={n: Column(np.concatenate([[0.0], c.arc]), c.final, c.scale) for n, c in lattice.scores.items()},
        vocabulary=lattice.vocabulary,
        labels={
            n: Labels(np.concatenate([[0], x.arc]).astype(np.int32), x.final, x.vocabulary)
            for n, x in lattice.labels.items()
        },
    )


class _Arcs:
    """Arcs of a lattice to build. `owner` is the edge or goal that gives an arc its scores, if any."""

    def __init__(self, forest: Forest) -> None:
        self.source: list[int] = []
        self.target: list[int] = []
        self.word: list[int] = []
        self.owner: list[int] = []
        self._nobody = len(forest.head) + len(forest.goals)
        self._next = forest.num_nodes + 2

    def add(self, source: int, target: int, words: list[int], owner: int) -> None:
        """Add a chain of arcs; the first one has the costs. The owner is an edge, or a goal after all edges."""
        chain = [source, *range(self._next, self._next + len(words) - 1), target]
        self._next += len(chain) - 2
        self.source += chain[:-1]
        self.target += chain[1:]
        self.word += words or [EPSILON]
        self.owner += [owner, *[self._nobody] * (len(chain) - 2)]

    def values(self, arc: npt.NDArray[Any], final: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the arcs' values, from the values of one column of the forest."""
        nothing = np.zeros(1, dtype=arc.dtype)
        return np.concatenate([arc, final, nothing])[np.array(self.owner, dtype=np.int64)]


def lattice_from_forest(forest: Forest) -> Lattice:
    """Build a lattice with a state per node, and arcs for the words of each edge; see `Forest.to_lattice`."""
    arcs = _Arcs(forest)
    start, final = (_add_forwards if _tails_are_first(forest) else _add_backwards)(forest, arcs)
    ends_are_goals = len(final) == len(forest.goals) and final == forest.goals.tolist()

    def ends(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return column if ends_are_goals else np.zeros(1, dtype=column.dtype)

    return Lattice.from_arcs(
        arcs.source,
        arcs.target,
        arcs.word,
        start=start,
        final=final,
        scores={n: Column(arcs.values(c.arc, c.final), ends(c.final), c.scale) for n, c in forest.scores.items()},
        vocabulary=forest.vocabulary,
        labels={n: Labels(arcs.values(x.arc, x.final), ends(x.final), x.vocabulary) for n, x in forest.labels.items()},
    )


def _tails_are_first(forest: Forest) -> bool:
    """Return True if all tails come before words; if False, all tails come last. Raise an error if they are mixed."""
    arity = forest.tails.lengths()
    if arity.max(initial=0) > 1:
        raise _no_lattice(forest, int(np.argmax(arity > 1)), f"has {arity[arity > 1][0]} tails")
    linear = np.flatnonzero(arity == 1)
    begin, target = forest.target.begin, forest.target.values
    first, last = target[begin[linear]] < EPSILON, target[begin[linear + 1] - 1] < EPSILON
    if not first.all() and not last.all():
        odd = linear[~first][0] if not (first | last)[~first][0] else linear[~last][0]
        raise _no_lattice(forest, int(odd), "has words before its tail, and others have words after theirs")
    return bool(first.all())


def _no_lattice(forest: Forest, edge: int, why: str) -> InputError:
    return InputError(
        f"the forest is not a lattice: edge {edge}, of node {forest.head[edge]}, {why}",
        advice="only forests whose tails all come first, or all last, are lattices",
    )


def _add_forwards(forest: Forest, arcs: _Arcs) -> tuple[int, list[int]]:
    """Add paths from edges without tails to goals."""
    start = forest.num_nodes
    silent = _silent_start(forest)
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), strict=True)
    for edge, (head, tails, target) in enumerate(rows):
        if edge == silent:
            start = head
        elif tails:
            arcs.add(tails[0], head, target[1:], edge)
        else:
            arcs.add(forest.num_nodes, head, target, edge)
    return start, forest.goals.tolist()


def _silent_start(forest: Forest) -> int | None:
    """Return the edge that only marks the start: the only edge without tails, and without words and costs."""
    leaves = np.flatnonzero(forest.tails.lengths() == 0)
    if len(leaves) != 1 or forest.target.lengths()[leaves[0]] or (forest.head == forest.head[leaves[0]]).sum() > 1:
        return None
    edge = int(leaves[0])
    sides: list[Column | Labels] = [*forest.scores.values(), *forest.labels.values()]
    return None if any(side.arc[edge] for side in sides) else edge


def _add_backwards(forest: Forest, arcs: _Arcs) -> tuple[int, list[int]]:
    """Add paths from goals to edges without tails."""
    start, end = forest.num_nodes, forest.num_nodes + 1
    for number, goal in enumerate(forest.goals.tolist()):
        arcs.add(start, goal, [], len(forest.head) + number)
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), strict=True)
    for edge, (head, tails, target) in enumerate(rows):
        arcs.add(head, tails[0] if tails else end, target[:-1] if tails else target, edge)
    return start, [end]
