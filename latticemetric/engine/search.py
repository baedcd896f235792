"""The inputs and the results of searches, common to all engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.automata.recognition import Gains
from latticemetric.automata.reference import ReferenceGraph
from latticemetric.lattice.lattice import Costs, Lattice
from latticemetric.memory import most_bytes, over_budget
from latticemetric.vocabulary import Words

if TYPE_CHECKING:
    from latticemetric.forest.columns import Ragged
    from latticemetric.forest.forest import Forest


@dataclass(frozen=True)
class Search:
    """One lattice, one reference, one recognition rate.

    Attributes:
        lattice: The lattice.
        label: The word as which each arc is counted; ε for ε, ignored words and wildcards.
        is_word: 1 for each arc with a word in the result (for the tie rule).
        cost: The model's cost.
        reference: The reference's counted words, as numbers; or a graph of them.
        gains: The metric's parameters.
    """

    lattice: Lattice
    label: Words
    is_word: npt.NDArray[np.uint8]
    cost: Costs
    reference: Words | ReferenceGraph
    gains: Gains


class BestPath(NamedTuple):
    """The best path: its arcs, its gain in units of `1 / gains.unit`, and its denominator.

    Ties are resolved by the tie rule (`latticemetric.engine.ties`).
    """

    arcs: npt.NDArray[np.int64]
    gain: int
    denominator: int


@dataclass(frozen=True)
class ForestSearch:
    """One forest, one reference, one recognition rate.

    Attributes:
        forest: The forest.
        target: The target side of each edge, without ignored words and wildcards.
        words: The number of words of each edge in the result (for the tie rule).
        cost: The model's cost.
        reference: The reference's counted words, as numbers.
        gains: The metric's parameters.
    """

    forest: Forest
    target: Ragged
    words: npt.NDArray[np.int64]
    cost: Costs
    reference: Words
    gains: Gains


@dataclass(frozen=True)
class StringSearch:
    """A search for the best strings, each of which may have many derivations.

    Attributes:
        search: The forest, the reference and the recognition rate.
        shown: The target side of each edge without ignored words; it distinguishes strings.
        rank: If derivations are paths, the numbers by which edges are compared along the paths; empty if edges are
            compared by their own numbers, in preorder.
    """

    search: ForestSearch
    shown: Ragged
    rank: npt.NDArray[np.int64]


class BestDerivation(NamedTuple):
    """The best derivation: its edges as in `Derivation`, and its gain in units of `1 / gains.unit`.

    Ties are resolved by the tie rule (`latticemetric.engine.ties`).
    """

    edges: npt.NDArray[np.int64]
    gain: int


def require_memory(size: int) -> None:
    """Raise an error if a search needs more bytes than allowed: OpenFst ends the process if memory runs out."""
    most = most_bytes()
    if size > most:
        raise over_budget(most)
