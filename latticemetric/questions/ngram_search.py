"""The path or derivation whose n-grams gain most: of a reference in oracles, of posteriors in MBR."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.engine.memory import small_enough
from latticemetric.lattice import Costs, Lattice
from latticemetric.memory import most_bytes
from latticemetric.questions.decoding.ngram_gain import ExactGains
from latticemetric.questions.distributions.forest_posteriors import TOO_MANY_NGRAMS
from latticemetric.vocabulary import Words


class Ngrams(Protocol):
    """A trie with a row an n-gram."""

    @property
    def order(self) -> int:
        """Words of the longest."""

    @property
    def parent(self) -> Words:
        """The row of each one without its last word."""

    @property
    def word(self) -> Words:
        """The number of its last word."""


def path_of_ngrams(
    lattice: Lattice, label: Words, cost: Costs, ngrams: Ngrams, gains: ExactGains
) -> npt.NDArray[np.int64]:
    """Its arcs. Ties: least cost, fewest words, smallest arcs.

    Args:
        lattice: The lattice.
        label: What each arc counts as, by the numbers that the n-grams have.
        cost: The model's cost.
        ngrams: What gains.
        gains: How much, a row.
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
    """Its edges, in preorder. Ties: least cost, fewest words, smallest edges.

    Args:
        forest: As `native_arrays` hands it over.
        own: Words that the forest and the n-grams share, by the forest's numbers, ascending.
        known: The same words by the numbers that the n-grams have.
        ngrams: What gains.
        gains: How much, a row.

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
