"""Build the graph and the references of a pair, and check that both use the same kind of words."""

from __future__ import annotations

import mmap
import multiprocessing
import threading
import unicodedata
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal

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
    """Build the graph and the references of a pair; add the graph's place to errors without a place.

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
    """Return the statistics of a missing graph: all words of its references count as deleted."""
    return metric.statistics("", pair.graph_references()) if pair.references else None


def readable(pair: Pair) -> Sequence[tuple[str, ...]]:
    """Return all strings of a failed pair's references; if there are too many, one string per reference."""
    try:
        return strings_of_references(pair.graph_references())
    except InputError:
        return [reference.words for reference in pair.references]


def _check_spelling(graph: Graph, references: Sequence[GraphReference]) -> None:
    """Refuse words on one side and numbers on the other, which never match: a symbol table is missing."""
    vocabulary = getattr(graph, "vocabulary", None)  # n-best lists have no vocabulary: they have words
    if vocabulary is None or not vocabulary.is_numeric or _is_silent(graph):
        return
    words = [word for reference in references for word in words_in(reference)]
    if words and not any(word in vocabulary for word in words):
        raise InputError(
            "the graph's words are numbers, but its reference has no numbers",
            advice="give the symbol table with --symbols",
        )


def _is_silent(graph: Graph) -> bool:
    """Check whether a lattice has no words, and so does not show whether words are numbers."""
    return isinstance(graph, Lattice) and not graph.word.any()


# Words that look the same may differ: é as one character never matches é as two characters.
_FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")


def _lock_of_all_workers() -> Any:
    """Return a lock that this process shares with workers that it forks; on systems that cannot fork, its own."""
    try:
        return multiprocessing.get_context("fork").Lock()
    except (ImportError, OSError, ValueError):
        return threading.Lock()


# Shared with forked workers: who gets the lock warns, and never gives it back. The flag saves the others the search.
_right_to_warn = _lock_of_all_workers()
_has_warned = mmap.mmap(-1, 1)


def _warn_of_forms(pair: Pair, graph: Graph) -> None:
    """Warn once per run if the graph has words of a reference in another Unicode form."""
    words = {word for reference in pair.references for word in reference.words if not word.isascii()}
    if not words or _has_warned[0]:
        return
    known = _words_of(graph)
    alike = [
        word
        for word in words
        if word not in known and any(unicodedata.normalize(form, word) in known for form in _FORMS)
    ]
    if alike and _right_to_warn.acquire(False):  # noqa: FBT003  both kinds of lock take it by position only
        _has_warned[0] = 1
        what = "1 word of the reference is" if len(alike) == 1 else f"{len(alike)} words of the reference are"
        warn(
            pair.place,
            f"{what} in the graph in another Unicode form, and will not match ('{min(alike)}'); "
            "convert both to the same form (uconv -x nfc), here and wherever else",
        )


def _words_of(graph: Graph) -> Container[str]:
    if isinstance(graph, NBest):
        return {word for hypothesis in graph.hypotheses for word in hypothesis.words}
    return graph.vocabulary
