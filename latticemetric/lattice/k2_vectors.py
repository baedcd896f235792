"""Convert several lattices to and from one flat array, k2's vector of Fsas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from latticemetric.errors import InputError, UsageError
from latticemetric.lattice.columns import Weights
from latticemetric.lattice.k2 import INPUT, K2Arrays, lattice_of_machine, lattice_to_k2, machines_of
from latticemetric.lattice.lattice import Lattice
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, UNKNOWN, Vocabulary, numbered_words


@says_new_keywords
def lattices_from_k2(
    arcs: Any, scores: Any = None, *, aux_labels: Any = None, vocabulary: Vocabulary | None = None
) -> list[Lattice]:
    """Build one lattice per Fsa from the arrays of a k2 vector of Fsas, or of a single Fsa; see `Lattice.from_k2`.

    Args:
        arcs: The k2 tensor of an Fsa or of a vector of Fsas (`fsa.as_dict()["arcs"]`).
        scores: The score of each arc; by default, the score in `arcs`.
        aux_labels: The words of all arcs, if the labels are not the words.
        vocabulary: Maps word numbers to words.

    Examples:
        >>> several = [Lattice.from_strings(["4 5", "4"]), Lattice.from_strings(["6"])]
        >>> vector = lattices_to_k2(several, vocabulary=Vocabulary.numeric())
        >>> [len(list(lattice.paths())) for lattice in lattices_from_k2(vector.arcs)]
        [2, 1]
    """
    return [lattice_of_machine(Lattice, one) for one in machines_of(arcs, scores, aux_labels, vocabulary)]


@says_new_keywords
def lattices_to_k2(
    lattices: Iterable[Lattice], weights: Weights | None = None, *, vocabulary: Vocabulary | None = None
) -> K2Arrays:
    """Return lattices as the arrays of a k2 vector of Fsas; see `Lattice.to_k2`.

    Build the vector with `k2.Fsa(torch.from_numpy(result.arcs))`.

    Args:
        lattices: The lattices, one per Fsa.
        weights: Weights of score columns in the cost; columns that are not named keep their default weight.
        vocabulary: The numbers of words in the vector; by default, those of the lattices, which must have the same
            vocabulary.

    Raises:
        UsageError: The lattices have different vocabularies, so that a number would be several words.
        InputError: A word is not in `vocabulary`.

    Examples:
        >>> several = [Lattice.from_strings(["a b"]), Lattice.from_strings(["b"])]
        >>> words = Vocabulary.from_words(["a", "b"])
        >>> vector = lattices_to_k2(several, vocabulary=words)
        >>> [path.words for one in lattices_from_k2(vector.arcs, vocabulary=words) for path in one.paths()]
        [('a', 'b'), ('b',)]
    """
    if isinstance(lattices, Lattice) or not isinstance(lattices, Iterable):
        raise UsageError(f"lattices is a {type(lattices).__name__}", advice="give a list of lattices")
    several: list[Any] = list(lattices)
    for one in several:
        if not isinstance(one, Lattice):
            what = f"a {type(one).__name__} is given in place of a lattice"
            raise UsageError(what, advice="give a list of lattices; NBest.to_lattice makes one of an n-best list")
    if vocabulary is not None:
        several = [_renumbered(lattice, vocabulary) for lattice in several]
    _require_one_vocabulary(several)
    found = [lattice_to_k2(lattice, weights) for lattice in several]
    states = np.cumsum([0, *(lattice.num_states + 1 for lattice in several)])
    arcs = np.cumsum([0, *(len(one.arcs) for one in found)])
    parts = [np.array([len(found), 0]), states, arcs, *(one.arcs.ravel() for one in found)]
    aux = None
    if any(one.aux_labels is not None for one in found):
        sides = [one.arcs[:, 2] if one.aux_labels is None else one.aux_labels for one in found]
        aux = np.concatenate(sides).astype(np.int32)
    return K2Arrays(np.concatenate(parts).astype(np.int32), aux)


def _renumbered(lattice: Lattice, vocabulary: Vocabulary) -> Lattice:
    used, place = numbered_words(lattice.word)
    words = lattice.vocabulary.decode(used)
    numbers = vocabulary.encode(words)
    if UNKNOWN in numbers:
        missing = words[int(np.argmax(numbers == UNKNOWN))]
        raise InputError(f"the word '{missing}' is not in the vocabulary", advice="give the words of all lattices")
    return replace(lattice, word=np.append(np.int32(EPSILON), numbers)[place], vocabulary=vocabulary)


def _require_one_vocabulary(lattices: Sequence[Lattice]) -> None:
    """Raise `UsageError` if a number is a word of several vocabularies, or an input label of several."""
    words = [(number, lattice.vocabulary) for number, lattice in enumerate(lattices)]
    sides = [(number, one.labels[INPUT].vocabulary) for number, one in enumerate(lattices) if INPUT in one.labels]
    for what, tables in (("", words), ("of input labels ", sides)):
        for number, table in tables:
            if table != tables[0][1]:
                raise UsageError(
                    f"lattices {tables[0][0]} and {number} have different vocabularies {what}for one vector",
                    advice="read them with one symbol table, or give a vocabulary with the words of all lattices",
                )
