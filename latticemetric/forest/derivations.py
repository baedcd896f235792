"""The derivations of a forest, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.lattice.lattice import Scales

if TYPE_CHECKING:
    from latticemetric.forest.forest import Forest


class Derivation(NamedTuple):
    """A complete derivation: its edges, its words, and its cost.

    The edges are those of the derivation tree in preorder: each one is followed by those of its tails, in the order
    in which its target side says them.
    """

    edges: tuple[int, ...]
    words: tuple[str, ...]
    cost: float


def words_of(forest: Forest, edges: Sequence[int] | npt.NDArray[np.int64]) -> tuple[str, ...]:
    """See `Forest.words`."""
    begin, target = forest.target.begin, forest.target.values
    words: list[str] = []
    pending = [-1]  # what is still to be said, the next symbol last; a tail is said by the next edge
    remaining = iter(edges)
    while pending:
        said = pending.pop()
        if said < 0:
            edge = next(remaining)
            pending += target[begin[edge] : begin[edge + 1]][::-1].tolist()
        else:
            words.append(forest.vocabulary.word(said))
    return tuple(words)


def all_derivations(forest: Forest, scales: Scales | None) -> Iterator[Derivation]:
    """See `Forest.derivations`."""
    cost = forest.cost(scales)
    found: list[list[Derivation]] = [[] for _ in range(forest.num_nodes)]
    tails, targets = forest.tails.rows(), forest.target.rows()
    for edge, head in enumerate(forest.head.tolist()):
        parts = [[Derivation((edge,), (), float(cost.arc[edge]))]]
        for tail in tails[edge]:
            parts = [[*chosen, sub] for chosen in parts for sub in found[tail]]
        found[head] += [_joined(forest, chosen, targets[edge]) for chosen in parts]
    for goal in forest.goals.tolist():
        for derivation in found[goal]:
            yield derivation._replace(cost=derivation.cost + float(cost.final[goal]))


def _joined(forest: Forest, chosen: list[Derivation], target: list[int]) -> Derivation:
    """A rule's derivation, followed by those of its tails."""
    words = tuple(w for t in target for w in (chosen[-t].words if t < 0 else (forest.vocabulary.word(t),)))
    said = [chosen[0], *(chosen[-t] for t in target if t < 0)]
    edges = tuple(edge for part in said for edge in part.edges)
    return Derivation(edges, words, sum(part.cost for part in chosen))
