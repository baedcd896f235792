"""Convert arguments to n-best lists and references; items may be objects, strings or lists of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from latticemetric.arguments import require_list, require_text
from latticemetric.errors import InputError, UsageError
from latticemetric.lattice.columns import Weights
from latticemetric.nbest import ListColumns, NBest
from latticemetric.vocabulary import listed_words

Words = tuple[str, ...]
AnyList = NBest | Sequence[str | Sequence[str]]


def ranked_texts(nbest: AnyList, weights: Weights | None = None) -> Sequence[str | Sequence[str]]:
    """Return the texts of a list (as strings or words) in the model's order; a list of strings keeps its own order."""
    if isinstance(nbest, NBest):
        return nbest.ranked_texts(weights)
    if isinstance(nbest, str):
        raise UsageError("a single string is given as a list of hypotheses", advice="give several strings, best first")
    if not len(nbest):
        raise InputError("the n-best list is empty", advice="give at least one hypothesis; it may be empty")
    return nbest


def ranked_words(nbest: AnyList, weights: Weights | None = None) -> list[Words]:
    """Return the words of each hypothesis of a list, in the order of `ranked_texts`."""
    return [listed_words(text, "a hypothesis") for text in ranked_texts(nbest, weights)]


def references_of(references: Sequence[Any]) -> list[list[Words]]:
    """Return the references of each list as words.

    Each item has the references of one list: a string, or a list whose items are strings or lists of words.
    """
    return [[listed_words(text, "a reference") for text in several] for several in map(_listed, references)]


def columns_of(lists: Sequence[AnyList], references: Sequence[Any], weights: Weights | None = None) -> ListColumns:
    """Return lists and their references as columns; see `references_of` for the forms of references."""
    hypotheses = [ranked_texts(nbest, weights) for nbest in lists]
    expected = list(map(_listed, references))
    sides = (hypotheses, expected)
    texts, others = (list(chain.from_iterable(side)) for side in sides)
    begin, owner = (np.cumsum([0, *map(len, side)]) for side in sides)
    return ListColumns(texts, begin, others, owner)


def _listed(given: Any) -> Sequence[Any]:
    """Return the references of a list; raise `UsageError` if there are none."""
    if isinstance(given, str):
        return [given]
    require_text(given, "a reference")
    texts = given if isinstance(given, list | tuple) else list(given)
    if not texts:
        raise UsageError("a list has no reference", advice="give at least one; it may be empty")
    return texts


def check_lengths(**sides: Sequence[object] | Mapping[str, object]) -> None:
    """Raise `UsageError` if the arguments have different lengths, or are empty."""
    for name, side in sides.items():
        require_list(side, name)
    lengths = {name: len(side) for name, side in sides.items()}
    if len(set(lengths.values())) > 1:
        what = " and ".join(f"{number} {name}" for name, number in lengths.items())
        raise UsageError(f"there are {what}", advice="give the same number of each")
    if not any(lengths.values()):
        raise UsageError("there are no lists", advice="give at least one")
