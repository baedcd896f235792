"""Rewrite pairs and strings by a grammar before they are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

from latticemetric.corpus.pairing import Pair, changed_pairs
from latticemetric.errors import InputError, placed
from latticemetric.formats.references import Reference
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.normalization.grammar import Grammar, normalize, only_text
from latticemetric.oracle_search.reference_strings import MOST_STRINGS, distinct_strings, strings_of_references

T = TypeVar("T")
Text = Lattice | tuple[str, ...]


def normalized_pairs(lattices: Iterable[Pair], grammar: Grammar, weights: Weights) -> Iterator[Pair]:
    """Yield the pairs with texts rewritten by the grammar; graphs are rewritten when they are parsed."""
    graph = partial(_normalized_graph, grammar=grammar, weights=weights)
    return changed_pairs(lattices, graph, partial(normalized_reference, grammar=grammar))


def normalized_entries(entries: Iterable[Entry], grammar: Grammar, weights: Weights) -> Iterator[Entry]:
    """Yield the entries of graphs, changed so that each graph is rewritten by the grammar when it is parsed."""
    return (entry.changed(partial(_normalized_graph, grammar=grammar, weights=weights)) for entry in entries)


def _normalized_graph(graph: Graph, grammar: Grammar, weights: Weights) -> Lattice:
    return normalize(as_lattice(graph, weights), grammar)


def normalized_reference(reference: Reference, grammar: Grammar) -> Reference:
    """Rewrite a reference by the grammar; if this gives several texts, the result is a graph."""
    with placed(reference.where):
        graph = grammar.reference(reference.graph_or_words)
    text = only_text(graph)
    if text is not None:
        return reference._replace(words=text, graph=None)
    own = reference.graph is None and not grammar.reference_rules
    plain = grammar.text(reference.words) if own else next(graph.paths()).words
    return reference._replace(words=plain, graph=graph)


def normalized_sides(
    outputs: Iterable[tuple[str, Iterable[Text]]],
    references: Iterable[tuple[str, Iterable[Text]]],
    grammar: Grammar,
    *,
    graphs: bool = False,
    output_graphs: bool = False,
) -> tuple[list[list[Any]], list[list[Any]]]:
    """Rewrite outputs and references; each alternative of a reference becomes a reference.

    Return the texts of each system, and the references of each segment.

    Args:
        outputs: The name and the texts of each system, one text per segment.
        references: The name and the texts of each reference file.
        grammar: The grammar.
        graphs: If a reference has too many strings: True to keep the reference as a graph, False to raise an error.
        output_graphs: True to keep outputs and references with alternatives as graphs. If False, an output with
            alternatives is an error.
    """

    def strings(text: Text) -> list[Any]:
        given = Reference((), "", text) if isinstance(text, Lattice) else Reference(text, "")
        reference = normalized_reference(given, grammar).graph_or_words
        if isinstance(reference, Lattice) and (
            output_graphs or (graphs and distinct_strings(reference, MOST_STRINGS) is None)
        ):
            return [reference]
        return list(strings_of_references([reference]))

    per_file = [_each(name, texts, strings) for name, texts in references]
    expected = [[words for several in row for words in several] for row in zip(*per_file, strict=True)]

    def output(text: Text) -> Text:
        if not output_graphs and isinstance(text, Lattice):
            raise InputError("the output has alternatives", advice='use metric="sclite", which supports alternatives')
        return grammar.text(text) if isinstance(text, tuple) and not output_graphs else grammar.hypothesis(text)

    return [_each(name, texts, output) for name, texts in outputs], expected


def _each(name: str, texts: Iterable[Text], rewrite: Callable[[Text], T]) -> list[T]:
    """Rewrite each text of a file; add the file and the segment to errors."""
    rewritten = []
    for number, words in enumerate(texts, start=1):
        try:
            rewritten.append(rewrite(words))
        except InputError as error:
            raise InputError(error.what, where=f"{name}, segment {number}", advice=error.advice) from None
    return rewritten
