"""Searches for the path or derivation whose n-grams gain most: those of references, or by posteriors in MBR."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.lattice.lattice import Costs, Floats, Lattice
from latticemetric.lattice.n_best import small_enough
from latticemetric.memory import most_bytes
from latticemetric.vocabulary import Words

TOO_MANY_NGRAMS = "prune the forest, choose a lower order, or allow more memory (--max-memory)"

# Sums of whole numbers below 2**53 are exact, so gains are rounded to multiples of a unit: strings of the same n-grams
# tie, as do those whose posteriors differ by their own rounding. The unit is at most 2**-41 of the largest gain that a
# path could have.
_BITS = 42


class ExactGains(NamedTuple):
    """Gains whose sums along a path are exact: of each row of the posteriors, and of a word."""

    ngram: Floats
    word: float

    @classmethod
    def of(cls, ngram: Floats, word: float, largest: float) -> Self:
        """Round gains to a unit that only matters between ties; no path gains or loses more than `largest`."""
        unit = math.ldexp(1.0, max(math.frexp(largest)[1] - _BITS, -1000))
        return cls(np.round(ngram / unit) * unit, round(word / unit) * unit)


class Ngrams(Protocol):
    """A trie with a row an n-gram."""

    @property
    def order(self) -> int:
        """The longest n-grams."""

    @property
    def parent(self) -> Words:
        """The row of each n-gram without its last word."""

    @property
    def word(self) -> Words:
        """The number of the last word of each."""


def path_of_ngrams(
    lattice: Lattice, label: Words, cost: Costs, ngrams: Ngrams, gains: ExactGains
) -> npt.NDArray[np.int64]:
    """Return the arcs of the path whose n-grams gain most; see `latticemetric.engine.ties` for ties.

    Args:
        lattice: The lattice.
        label: The word that each arc counts as, in the numbers of the n-grams.
        cost: The model's cost.
        ngrams: The n-grams.
        gains: The gain of each row.
    """
    return _native.search_ngrams(
        lattice.source,
        lattice.target,
        label,
        cost.arc,
        cost.final,
        ngrams.parent,
        ngrams.word,
        gains.ngram,
        gains.word,
    )


def derivation_of_ngrams(
    forest: dict[str, Any], own: Words, known: Words, ngrams: Ngrams, gains: ExactGains
) -> npt.NDArray[np.int64]:
    """Return the edges of the derivation whose n-grams gain most; see `latticemetric.engine.ties` for ties.

    Args:
        forest: The columns of `Forest.hypergraph`.
        own: Words that the forest and the n-grams share, by the forest's numbers, ascending.
        known: The same words in the numbers of the n-grams.
        ngrams: The n-grams.
        gains: The gain of each row.

    Raises:
        InputError: The search does not fit into memory.
    """
    with small_enough(TOO_MANY_NGRAMS):
        return _native.search_forest_ngrams(
            **forest,
            own=own,
            known=known,
            parent=ngrams.parent,
            ending=ngrams.word,
            gain=gains.ngram,
            word_gain=gains.word,
            order=ngrams.order,
            most_bytes=most_bytes(),
        )
