"""Sentence marks and fillers that decoders write as words: they become ε with a label, and words again on demand.

Decoders of some formats write `<s>`, `!SENT_START` or `<sil>` where they hear no word, and no reference has these. The
readers of such formats turn them into ε and keep the text as the label `mark`. Writers of the same formats write the
label back; formats without marks do not hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from latticemetric.errors import InputError
from latticemetric.formats.streams.once import OnceWarning
from latticemetric.formats.text.fields import (
    NumberedTexts,
    encode_column,
    labels_of_numbered,
    only_texts,
    without_texts,
)
from latticemetric.frozen import FrozenDict
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Labels, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

MARK = "mark"
"""The label of an arc with ε that holds the text of its mark."""

SENTENCE_MARKS = ("<s>", "</s>")
"""The marks of sentence begin and end in most formats."""


def encode_without_marks(
    column: NumberedTexts, nothing: str, marks: Collection[str], table: Vocabulary | None
) -> tuple[Words, Vocabulary, NumberedTexts]:
    """Return the word numbers of numbered texts, their vocabulary, and the marks, with 0 for words.

    The text `nothing` and `marks` are ε; `table` is that of `encode_column`.
    """
    words = without_texts(column, [nothing, *marks])
    return *encode_column(words, table), only_texts(column, marks)


def mark_labels(marks: NumberedTexts) -> dict[str, Labels]:
    """Return the label `mark` of arcs; number 0 means none. Without any mark, return no label."""
    return {MARK: labels_of_numbered(marks)} if marks[0].any() else {}


_WRITTEN = OnceWarning()


def note_marks(lattice: Lattice, format_name: str, is_mark: Callable[[str], bool]) -> None:
    """Say once a run that words of a lattice are marks in the format to write: readers take them for no words."""
    words = [] if _WRITTEN or lattice.vocabulary.is_numeric else lattice.vocabulary.decode(set(lattice.word.tolist()))
    if marks := sorted(filter(is_mark, words)):
        what = f"the words {' and '.join(marks)} mark sentences, and are read back as no words"
        _WRITTEN.write(format_name, f"{what}; keep_marks=True reads them as words")


def without_mark_labels(lattice: Lattice) -> Lattice:
    """Return the lattice without the label `mark`, for formats and questions that know no marks."""
    if MARK not in lattice.labels:
        return lattice
    return replace(lattice, labels=FrozenDict({n: side for n, side in lattice.labels.items() if n != MARK}))


def marks_as_words(graph: Graph) -> Graph:
    """Return the graph with its marks as words.

    Raises:
        InputError: The symbol table of the graph lacks a mark.
    """
    if not isinstance(graph, Lattice) or MARK not in graph.labels:
        return graph
    side, vocabulary = graph.labels[MARK], graph.vocabulary
    marks = [mark for _, mark in side.vocabulary.items()]
    if lacking := [mark for mark in marks if mark not in vocabulary]:
        if vocabulary.is_given:
            raise InputError(
                f"'{lacking[0]}' is not in the symbol table", advice="add it, or read the graph without its marks"
            )
        vocabulary = Vocabulary.from_words([*(word for _, word in vocabulary.items()), *lacking])
    number = np.array([EPSILON, *vocabulary.encode(marks)], dtype=np.int32)
    place = {mark_number: row for row, (mark_number, _) in enumerate(side.vocabulary.items(), start=1)}
    rows = np.array([place.get(value, EPSILON) for value in side.arc.tolist()], dtype=np.int64)
    word = np.where(rows > 0, number[rows], graph.word).astype(np.int32)
    return replace(without_mark_labels(graph), word=word, vocabulary=vocabulary)
