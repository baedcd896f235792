"""Put the states and arcs of a lattice into an order that depends on what it says, not on how it is stored.

The tie rule ends with the smallest arc numbers, and so does not need this order. It is for searches whose *score*
depends on where they start, on which of two equal steps they take, or on how a sum was rounded; and for minimum Bayes
risk by n-grams, where only the numbers of arcs may tell two answers apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.frozen import FrozenDict
from latticemetric.lattice.columns import frozen, taken
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays

AnyLattice = TypeVar("AnyLattice", bound="LatticeArrays")


def alphabetical(words: Words, vocabulary: Vocabulary) -> Words:
    """Return the distinct word numbers in the alphabetical order of their words; the first is ε."""
    numbers = np.unique(np.append(words, np.int32(EPSILON)))
    spelled = vocabulary.words(numbers)
    return numbers[sorted(range(len(numbers)), key=lambda k: (spelled[k], k))]


def rows_in(numbers: Words, words: npt.NDArray[np.integer]) -> Words:
    """Return the row of each word in a list of distinct word numbers, which has all of them."""
    order = np.argsort(numbers)
    return order[np.searchsorted(numbers, words, sorter=order)].astype(np.int32)


def in_canonical_order(lattice: AnyLattice) -> AnyLattice:
    """Return the lattice with states and arcs in an order that its words, scores and times decide.

    All arcs go to larger states. Arcs of a state are in the alphabetical order of their words. An n-best list
    (`ranked`) stays as it is, since its order says which hypothesis is better.
    """
    return lattice if lattice.ranked else with_canonical_arcs(lattice)[0]


def with_canonical_arcs(lattice: AnyLattice) -> tuple[AnyLattice, npt.NDArray[np.int64]]:
    """Do the same as `in_canonical_order`; also return the number in `lattice` of each arc."""
    columns = sorted(lattice.scores.items())
    number, arcs = _native.canonical_order(
        lattice.source,
        lattice.target,
        rows_in(alphabetical(lattice.word, lattice.vocabulary), lattice.word),
        lattice.num_states,
        lattice.final,
        [(column.arc, column.final) for _, column in columns],
        lattice.times,
    )
    ends = np.argsort(number[lattice.final])
    ordered = replace(
        lattice,
        source=frozen(number[lattice.source[arcs]]),
        target=frozen(number[lattice.target[arcs]]),
        word=frozen(lattice.word[arcs]),
        final=frozen(number[lattice.final[ends]]),
        scores=FrozenDict(taken(lattice.scores, arcs, ends)),
        times=None if lattice.times is None else frozen(lattice.times[np.argsort(number)]),
        labels=FrozenDict(taken(lattice.labels, arcs, ends)),
    )
    return ordered, arcs
