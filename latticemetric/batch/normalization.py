"""Rewrite pairs and strings by a grammar before they are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from latticemetric.batch.pairing import Pair
from latticemetric.errors import InputError, placed
from latticemetric.formats.references import Reference
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.normalization.grammar import Grammar, normalize, only_text
from latticemetric.oracle_search.reference_strings import MOST_STRINGS, distinct_strings, strings_of_references

T = TypeVar("T")
Words = tuple[str, ...]


def normalized_pairs(pairs: Iterable[Pair], grammar: Grammar, scales: Scales | None = None) -> Iterator[Pair]:
    """Rewrite the references of each pair at once, and the graph when it is parsed."""
    for pair in pairs:
        entry = pair.entry and pair.entry._replace(build=partial(_built, pair.entry.build, grammar, scales))
        try:
            references = tuple(normalized_reference(reference, grammar) for reference in pair.references)
        except InputError as error:
            yield replace(pair, problem=pair.problem or error)
        else:
            yield replace(pair, entry=entry, references=references)


def normalized_reference(reference: Reference, grammar: Grammar) -> Reference:
    """Rewrite a reference; if the grammar has alternatives, the result is a graph."""
    with placed(reference.where):
        graph = grammar.reference(reference.graph_or_words)
    text = only_text(graph)
    if text is not None:
        return Reference(text, reference.where)
    plain = grammar.text(reference.words) if reference.graph is None else next(graph.paths()).words
    return Reference(plain, reference.where, graph)


def normalized_sides(
    outputs: Iterable[tuple[str, Iterable[Words]]],
    references: Iterable[tuple[str, Iterable[Words]]],
    grammar: Grammar,
    *,
    graphs: bool = False,
) -> tuple[list[list[Words]], list[list[Any]]]:
    """Rewrite the texts of systems and the references of each segment; alternatives become further references.

    Args:
        outputs: Name and texts of each system, one text per segment.
        references: Name and texts of each file of references.
        grammar: The grammar.
        graphs: True to keep a reference as a graph if it has too many strings to list; else refuse the reference.
    """

    def strings(words: Words) -> list[Any]:
        reference = normalized_reference(Reference(words, ""), grammar).graph_or_words
        if graphs and isinstance(reference, Lattice) and distinct_strings(reference, MOST_STRINGS) is None:
            return [reference]
        return list(strings_of_references([reference]))

    per_file = [_each(name, texts, strings) for name, texts in references]
    expected = [[words for several in row for words in several] for row in zip(*per_file, strict=True)]
    return [_each(name, texts, grammar.text) for name, texts in outputs], expected


def _each(name: str, texts: Iterable[Words], rewrite: Callable[[Words], T]) -> list[T]:
    """Rewrite each text of a file; add the file and the segment to errors."""
    rewritten = []
    for number, words in enumerate(texts, start=1):
        try:
            rewritten.append(rewrite(words))
        except InputError as error:
            raise InputError(error.what, where=f"{name}, segment {number}", advice=error.advice) from None
    return rewritten


def _built(build: Callable[[], Graph], grammar: Grammar, scales: Scales | None) -> Graph:
    return normalize(build(), grammar, scales=scales)
