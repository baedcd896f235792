"""Pairs, and references of strings, that go through a grammar before anything is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from latticemetric.batch.pairing import Pair
from latticemetric.errors import InputError, placed
from latticemetric.formats.references import Reference, ReferenceWithAlternatives
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.normalization.grammar import Grammar, only_text
from latticemetric.normalization.normalize import normalize
from latticemetric.oracle_search.reference_strings import MOST_STRINGS, distinct_strings, strings_of_references

T = TypeVar("T")
Words = tuple[str, ...]


def normalized_pairs(pairs: Iterable[Pair], grammar: Grammar, scales: Scales | None = None) -> Iterator[Pair]:
    """The same pairs, their references rewritten, their graphs when they are built."""
    for pair in pairs:
        entry = pair.entry and pair.entry._replace(build=partial(_built, pair.entry.build, grammar, scales))
        try:
            references = tuple(normalized_reference(reference, grammar) for reference in pair.references)
        except InputError as error:
            yield replace(pair, problem=pair.problem or error)
        else:
            yield replace(pair, entry=entry, references=references)


def normalized_reference(reference: Reference, grammar: Grammar) -> Reference:
    """A reference rewritten, with all that it may be."""
    with placed(reference.where):
        graph = grammar.reference(reference.graph_or_words)
    text = only_text(graph)
    if text is not None:
        return Reference(text, reference.where)
    plain = grammar.text(reference.words) if reference.graph is None else next(graph.paths()).words
    return ReferenceWithAlternatives(plain, reference.where, graph)


def normalized_sides(
    outputs: Iterable[tuple[str, Iterable[Words]]],
    references: Iterable[tuple[str, Iterable[Words]]],
    grammar: Grammar,
    *,
    graphs: bool = False,
) -> tuple[list[list[Words]], list[list[Any]]]:
    """Texts of systems, and references of each segment: more than there are files, if the grammar says so.

    Args:
        outputs: Systems: what to call them, and a text a segment.
        references: Files of references, likewise.
        grammar: What rewrites them.
        graphs: Whether references with too many readings to be listed stay graphs; else they are refused.
    """
    readings = [normalized_readings(texts, grammar, name, graphs=graphs) for name, texts in references]
    expected = [[words for several in row for words in several] for row in zip(*readings, strict=True)]
    return [normalized_texts(texts, grammar, name) for name, texts in outputs], expected


def normalized_texts(texts: Iterable[Words], grammar: Grammar, name: str) -> list[Words]:
    """Each text of a file rewritten."""
    return [_at(name, number, grammar.text, words) for number, words in enumerate(texts, start=1)]


def normalized_readings(
    texts: Iterable[Words], grammar: Grammar, name: str, *, graphs: bool
) -> list[list[Words | Lattice]]:
    """All that each reference of a file may be: each reading is a reference, or the graph of them if they are many."""

    def found(words: Words) -> list[Words | Lattice]:
        said = normalized_reference(Reference(words, ""), grammar).graph_or_words
        if graphs and isinstance(said, Lattice) and distinct_strings(said, MOST_STRINGS) is None:
            return [said]
        return list(strings_of_references([said]))

    return [_at(name, number, found, words) for number, words in enumerate(texts, start=1)]


def _at(name: str, number: int, rewritten: Callable[[Words], T], words: Words) -> T:
    try:
        return rewritten(words)
    except InputError as error:
        raise InputError(error.what, where=f"{name}, segment {number}", advice=error.advice) from None


def _built(build: Callable[[], Graph], grammar: Grammar, scales: Scales | None) -> Graph:
    return normalize(build(), grammar, scales=scales)
