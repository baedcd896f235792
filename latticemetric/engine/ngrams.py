"""Search for the path or derivation whose n-grams gain most: n-grams of references, or by posteriors in MBR."""

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

# Sums of whole numbers below 2**53 are exact, so gains are rounded to multiples of a unit: strings with the same
# n-grams tie, and so do strings whose posteriors differ only by rounding. The unit is at most 2**-41 of the largest
# possible gain of a path.
_BITS = 42


class ExactGains(NamedTuple):
    """Gains with exact sums along any path: one for each row of the posteriors, and one for a word."""

    ngram: Floats
    word: float

    @classmethod
    def of(cls, ngram: Floats, word: float, largest: float) -> Self:
        """Round gains to a unit that matters only between ties; `largest` bounds the absolute gain of any path."""
        unit = math.ldexp(1.0, max(math.frexp(largest)[1] - _BITS, -1000))
        return cls(np.round(ngram / unit) * unit, round(word / unit) * unit)


class _Ngrams(Protocol):
    """A trie with one row per n-gram: its parent, without its last word, and this word; and the longest length."""

    @property
    def order(self) -> int: ...
    @property
    def parent(self) -> Words: ...
    @property
    def word(self) -> Words: ...


def path_of_ngrams(
    lattice: Lattice, label: Words, cost: Costs, ngrams: _Ngrams, gains: ExactGains
) -> npt.NDArray[np.int64]:
    """Return the arcs of the path whose n-grams gain most; for ties, see `latticemetric.engine.ties`.

    `label` is the word as which each arc is counted, in the numbers of the n-grams.
    """
    return _native.search_ngrams(
        lattice.source, lattice.target, label, cost.arc, cost.final, ngrams.parent, ngrams.word, *gains
    )


def derivation_of_ngrams(
    forest: dict[str, Any], own: Words, known: Words, ngrams: _Ngrams, gains: ExactGains
) -> npt.NDArray[np.int64]:
    """Return the edges of the derivation whose n-grams gain most; for ties, see `latticemetric.engine.ties`.

    `forest` has the columns of `Forest.hypergraph`. `own` are the words that the forest and the n-grams share, as
    numbers of the forest, ascending; `known` are the same words in the numbers of the n-grams.
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
