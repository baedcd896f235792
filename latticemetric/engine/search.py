"""The inputs and results of searches, for all engines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.automata.recognition import Gains
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
        label: The word that counts on each arc; ε for ε, ignored words and wildcards.
        is_word: 1 for each arc that adds a word to the result (for the tie rule).
        reference: The reference's words that count, as numbers, or a graph of them.
        spelling: The units of the labels, if the metric compares units (such as characters); then the reference has
            units, too.
    """

    lattice: Lattice
    label: Words
    is_word: npt.NDArray[np.uint8]
    cost: Costs
    reference: Words | ReferenceGraph
    gains: Gains
    spelling: Spelling | None = None

    def in_units(self) -> tuple[Search, SpelledLattice]:
        """If the metric compares units of words, return the search in the lattice of units, and this lattice."""
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
        target: The target side of each edge, without ignored words and wildcards.
        words: The number of words that each edge adds to the result (for the tie rule).
        reference: The reference's words that count, as numbers.
    """

    forest: Forest
    target: Ragged
    words: npt.NDArray[np.int64]
    cost: Costs
    reference: Words
    gains: Gains


class BestDerivation(NamedTuple):
    """The best derivation by the tie rule: its edges as in `Derivation`, its gain in units of `1 / gains.unit`."""

    edges: npt.NDArray[np.int64]
    gain: int
