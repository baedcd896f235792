"""From what parsers return to lattices: errors with their place, words and labels with their vocabularies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.lattice import Labels
from latticemetric.vocabulary import EPSILON, Vocabulary, Words


def parsed(parse: Callable[[bytes], Any], data: bytes, file: str, lines_before: int = 0) -> Any:
    """What a native parser makes of a text; its errors get their file and line."""
    try:
        return parse(data)
    except _native.ParseError as error:
        line, what = error.args
        what, _, advice = what.partition("; ")
        raise FormatError(what, where=f"{file}:{lines_before + line}", advice=advice or None) from None


def spelled(column: tuple[Words, list[str] | None], table: Vocabulary | None) -> tuple[Words, Vocabulary]:
    """A native column of words as numbers of a vocabulary.

    Words that are all written as numbers are numbers, 0 is ε, and a table spells them. Otherwise they are symbols:
    of the table where there is one, else numbered in order of appearance.
    """
    numbers, words = column
    if words is None:
        return numbers, Vocabulary.numeric() if table is None else table
    if table is None:
        return numbers, Vocabulary.from_words(words)
    for word in words:
        if word not in table:
            raise InputError(
                f"'{shortened(word, 40)}' is not in the symbol table", advice="give the table of this graph"
            )
    return np.concatenate([[0], table.encode(words)]).astype(np.int32)[numbers], table


def spelled_texts(texts: Iterable[str], nothing: str, table: Vocabulary | None) -> tuple[Words, Vocabulary]:
    """Words as they stand in a file as numbers of a vocabulary; one text means that there is none."""
    numbers = {nothing: EPSILON}
    words = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int32)
    return spelled((words, list(numbers)[1:]), table)


def labels_of_arcs(texts: Sequence[str], ends: int = 1) -> Labels:
    """Texts of arcs as labels, the empty one as none; final states have none."""
    vocabulary = Vocabulary.from_words(text for text in texts if text)
    numbers = np.array([vocabulary.number(text) if text else EPSILON for text in texts], dtype=np.int32)
    return Labels(numbers, np.zeros(ends, dtype=np.int32), vocabulary)
