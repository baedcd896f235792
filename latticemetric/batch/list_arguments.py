"""Convert n-best lists and references from arguments: objects, strings or lists of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from latticemetric.errors import InputError, UsageError
from latticemetric.lattice.columns import Scales
from latticemetric.nbest import NBest
from latticemetric.vocabulary import split_words

Words = tuple[str, ...]
AnyList = NBest | Sequence[str | Sequence[str]]


def ranked_texts(nbest: AnyList, scales: Scales | None = None) -> list[str | Words]:
    """Return the hypotheses of a list in the model's order; strings keep their order.

    Equal words give equal texts: strings have single spaces between words.
    """
    if isinstance(nbest, NBest):
        return [hypothesis.words for hypothesis in nbest.ranking(scales)]
    if isinstance(nbest, str):
        raise UsageError("a single string is given as a list of hypotheses", advice="give several strings, best first")
    if not len(nbest):
        raise InputError("the n-best list is empty")
    if all(isinstance(text, str) for text in nbest):
        return [_single_spaced(str(text)) for text in nbest]
    return [words_of(text) for text in nbest]


def _single_spaced(text: str) -> str:
    """Return a text with single spaces between words; most texts already have them."""
    is_plain = text.isprintable() and "  " not in text and not text.startswith(" ") and not text.endswith(" ")
    return text if is_plain else " ".join(split_words(text))


def ranked_words(nbest: AnyList, scales: Scales | None = None) -> list[Words]:
    """Return the words of each hypothesis of a list in the model's order; a list of strings keeps its order."""
    return [words_of(text) for text in ranked_texts(nbest, scales)]


def words_of(text: str | Sequence[str]) -> Words:
    """Return the words of a text; a string is split at white space."""
    return tuple(split_words(text)) if isinstance(text, str) else tuple(text)


def references_of(references: Sequence[Any]) -> list[list[Words]]:
    """Return the references of each list as words. A single reference is a string, or a list with one list of words."""
    found = []
    for given in references:
        texts = [given] if isinstance(given, str) else list(given)
        if not texts:
            raise UsageError("a list has no reference")
        found.append([words_of(text) for text in texts])
    return found


def check_lengths(**sides: Sequence[object] | Mapping[str, object]) -> None:
    """Refuse arguments of different lengths, and empty ones."""
    lengths = {name: len(side) for name, side in sides.items()}
    if len(set(lengths.values())) > 1:
        what = " and ".join(f"{number} {name}" for name, number in lengths.items())
        raise UsageError(f"there are {what}", advice="give as many of each")
    if not any(lengths.values()):
        raise UsageError("there are no lists")
