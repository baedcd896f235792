"""The inputs and results of searches; all engines share them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.automata.recognition import Gains, require_short
from latticemetric.automata.reference import ReferenceGraph
from latticemetric.automata.spelling import SpelledLattice, Spelling, spelled_lattice
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest
from latticemetric.lattice.lattice import Costs, Lattice
from latticemetric.vocabulary import Words


@dataclass(frozen=True)
class Search:
    """The input of one search: a lattice, a reference and a recognition rate.

    Attributes:
        lattice: The lattice to search.
        label: The word that the metric counts on each arc; ε if the arc has no word, an ignored word or a wildcard.
        is_word: 1 for each arc that adds a word to the result (for the tie rule).
        cost: The model's costs, which decide ties.
        reference: The numbers of the reference words that the metric counts, or a graph of these words.
        gains: The parameters of the recognition rate.
        spelling: The units of the labels, if the metric compares units (such as characters); then the reference
            consists of units, too.
    """

    lattice: Lattice
    label: Words
    is_word: npt.NDArray[np.uint8]
    cost: Costs
    reference: Words | ReferenceGraph
    gains: Gains
    spelling: Spelling | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.reference, ReferenceGraph):
            require_short(len(self.reference), self.gains.order)

    def in_units(self) -> tuple[Search, SpelledLattice]:
        """Return the same search in the lattice of units, and this lattice. The metric must compare units."""
        assert self.spelling is not None
        spelled = spelled_lattice(self.lattice, self.spelling)
        search = replace(
            self,
            lattice=spelled.lattice,
            label=spelled.lattice.word,
            is_word=spelled.of_arcs(self.is_word),
            cost=spelled.cost(self.cost),
            spelling=None,
        )
        return search, spelled


@dataclass(frozen=True)
class ForestSearch:
    """The input of one search: a forest, a reference and a recognition rate.

    Attributes:
        forest: The forest to search.
        target: The target side of each edge, without ignored words and wildcards.
        words: The number of words that each edge adds to the result (for the tie rule).
        cost: The model's costs, which decide ties.
        reference: The numbers of the reference words that the metric counts.
        gains: The parameters of the recognition rate.
    """

    forest: Forest
    target: Ragged
    words: npt.NDArray[np.int64]
    cost: Costs
    reference: Words
    gains: Gains

    def __post_init__(self) -> None:
        require_short(len(self.reference), self.gains.order)


class BestDerivation(NamedTuple):
    """The best derivation by the tie rule.

    Attributes:
        edges: The edges, in the order of `Derivation`.
        gain: The gain, multiplied by `Gains.unit`.
    """

    edges: npt.NDArray[np.int64]
    gain: int
