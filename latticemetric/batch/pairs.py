"""The graph and the references of a pair: built, and checked to be written in the same words."""

from __future__ import annotations

import mmap
import unicodedata
from collections.abc import Container, Sequence
from typing import Final, Literal

from latticemetric.automata.reference import words_in
from latticemetric.batch.pairing import Pair
from latticemetric.errors import InputError, placed
from latticemetric.formats.streams.stream import warn
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphReference
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.nbest import NBest
from latticemetric.oracle_search.reference_strings import strings_of_references


def built(pair: Pair) -> tuple[Graph, list[GraphReference]]:
    """The graph of a pair, and what its references say.

    Raises:
        InputError: A side is missing, or cannot be used.
    """
    if pair.problem is not None:
        raise pair.problem
    assert pair.entry is not None
    with placed(pair.entry.place):
        graph = pair.entry.build()
        references = pair.said()
        _check_spelling(graph, references)
    warn_of_forms(pair, graph)
    return graph, references


def missed(pair: Pair, metric: GRR) -> RecognitionStatistics | None:
    """A missing graph says nothing: its reference's words count as deletions."""
    return metric.statistics("", pair.said()) if pair.references else None


def readable(pair: Pair) -> Sequence[tuple[str, ...]]:
    """What a failed pair's references may say; the first of it where that is too much, and may be why it failed."""
    try:
        return strings_of_references(pair.said())
    except InputError:
        return [reference.words for reference in pair.references]


def _check_spelling(graph: Graph, references: Sequence[GraphReference]) -> None:
    """Words against numbers never match: that is a forgotten symbol table, not a bad lattice."""
    vocabulary = getattr(graph, "vocabulary", None)  # n-best lists have none: they spell their words
    if vocabulary is None or not vocabulary.is_numeric or _says_nothing(graph):
        return
    words = [word for reference in references for word in words_in(reference)]
    if words and not any(word in vocabulary for word in words):
        raise InputError(
            "the graph's words are numbers, and its reference has none",
            advice="give --symbols, the table of its words",
        )


def _says_nothing(graph: Graph) -> bool:
    """Check whether a lattice has no words: it does not show how its words would be written."""
    return isinstance(graph, Lattice) and not graph.word.any()


# Words that look the same and are not: é as one character in references, as two in graphs, matches nothing.
_FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")

# Shared with workers, which are forked: one of them says it, and none again.
_said = mmap.mmap(-1, 1)


def warn_of_forms(pair: Pair, graph: Graph) -> None:
    """Says once, of the first graph that this happens to, that a reference's words stand there in another form."""
    words = {word for reference in pair.references for word in reference.words if not word.isascii()}
    if not words or _said[0]:
        return
    known = _words_of(graph)
    alike = [
        word
        for word in words
        if word not in known and any(unicodedata.normalize(form, word) in known for form in _FORMS)
    ]
    if alike:
        _said[0] = 1
        what = "1 word of the reference is" if len(alike) == 1 else f"{len(alike)} words of the reference are"
        warn(
            pair.place,
            f"{what} in the graph in another Unicode form, and will not match ('{min(alike)}'); "
            "bring both to one form (uconv -x nfc), here and wherever else",
        )


def _words_of(graph: Graph) -> Container[str]:
    if isinstance(graph, NBest):
        return {word for hypothesis in graph.hypotheses for word in hypothesis.words}
    return graph.vocabulary
