"""What an engine is asked, and what it answers."""

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
        label: What each arc counts as: a word number, or ε for ε, ignored words and wildcards.
        is_word: 1 for each arc that carries a word in the result (the tie rule counts them).
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


class Found(NamedTuple):
    """The best path: its arcs, and its gain in units of `1 / gains.unit` with its denominator.

    Ties are resolved: best rate, then least cost, then fewest words, then the lexicographically smallest arcs.
    """

    arcs: npt.NDArray[np.int64]
    gain: int
    denominator: int


@dataclass(frozen=True)
class ForestSearch:
    """One forest, one reference, one recognition rate.

    Attributes:
        forest: The forest.
        said: What each edge says, as the metric reads it: word numbers, and −k where the k-th tail's words stand;
            ignored words and wildcards are left out.
        words: How many words of each edge stand in the result (the tie rule counts them).
        cost: The model's cost.
        reference: The reference's counted words, as numbers.
        gains: The metric's parameters.
    """

    forest: Forest
    said: Ragged
    words: npt.NDArray[np.int64]
    cost: Costs
    reference: Words
    gains: Gains


@dataclass(frozen=True)
class StringSearch:
    """A search for strings, each of which has many derivations.

    Attributes:
        search: The forest, the reference and the recognition rate.
        shown: What makes strings different: what each edge says, as it is reported, without ignored words.
        rank: Where derivations are paths, edges are compared by these numbers along the paths; empty where edges are
            compared by their own, in preorder.
    """

    search: ForestSearch
    shown: Ragged
    rank: npt.NDArray[np.int64]


class FoundDerivation(NamedTuple):
    """The best derivation: its edges as in `Derivation`, and its gain in units of `1 / gains.unit`.

    Ties are resolved: best gain, then least cost, then fewest words, then the lexicographically smallest edges.
    """

    edges: npt.NDArray[np.int64]
    gain: int


# ---- When a search does not fit into memory ----


def require_memory(size: int) -> None:
    """Refuse what would take more bytes than one search may: OpenFst ends the process that has no memory for it."""
    most = most_bytes()
    if size > most:
        raise over_budget(most)
