"""The graph and the references of a pair: built, and checked to be written in the same words."""

from __future__ import annotations

import mmap
import unicodedata
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
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


@contextmanager
def built(pair: Pair) -> Iterator[tuple[Graph, list[GraphReference]]]:
    """Build the graph and the references of a pair; errors without a place get that of the graph.

    Raises:
        InputError: A side is missing, or cannot be used.
    """
    if pair.problem is not None:
        raise pair.problem
    assert pair.entry is not None
    with placed(pair.entry.place):
        graph = pair.entry.build()
        references = pair.graph_references()
        _check_spelling(graph, references)
        _warn_of_forms(pair, graph)
        yield graph, references


def missed(pair: Pair, metric: GRR) -> RecognitionStatistics | None:
    """Return the statistics of a missing graph: all words of its references are deleted."""
    return metric.statistics("", pair.graph_references()) if pair.references else None


def readable(pair: Pair) -> Sequence[tuple[str, ...]]:
    """Return all strings of a failed pair's references; if they are too many, as may be why it failed, one of each."""
    try:
        return strings_of_references(pair.graph_references())
    except InputError:
        return [reference.words for reference in pair.references]


def _check_spelling(graph: Graph, references: Sequence[GraphReference]) -> None:
    """Refuse words against numbers, which never match: a symbol table was forgotten."""
    vocabulary = getattr(graph, "vocabulary", None)  # n-best lists have none: they spell their words
    if vocabulary is None or not vocabulary.is_numeric or _is_silent(graph):
        return
    words = [word for reference in references for word in words_in(reference)]
    if words and not any(word in vocabulary for word in words):
        raise InputError(
            "the graph's words are numbers, and its reference has none",
            advice="give --symbols, the table of its words",
        )


def _is_silent(graph: Graph) -> bool:
    """Check for a lattice without words, which does not show how its words would be written."""
    return isinstance(graph, Lattice) and not graph.word.any()


# Words that look the same may differ: é as one character in references never matches é as two in graphs.
_FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")

# Shared with workers, which are forked: only one of them warns.
_has_warned = mmap.mmap(-1, 1)


def _warn_of_forms(pair: Pair, graph: Graph) -> None:
    """Warn, once in a run, that words of a reference stand in the graph in another Unicode form."""
    words = {word for reference in pair.references for word in reference.words if not word.isascii()}
    if not words or _has_warned[0]:
        return
    known = _words_of(graph)
    alike = [
        word
        for word in words
        if word not in known and any(unicodedata.normalize(form, word) in known for form in _FORMS)
    ]
    if alike:
        _has_warned[0] = 1
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
