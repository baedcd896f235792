"""Lower-case and tokenize graphs and references before they are scored (`--lowercase`, `--tokenize`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from latticemetric.automata.reference import words_in
from latticemetric.corpus.pairing import Pair, changed_pairs, words_of
from latticemetric.corpus.unseen_words import IGNORED
from latticemetric.errors import InputError, UsageError, placed
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest
from latticemetric.formats.references import Reference
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.preparation import Preparation
from latticemetric.nbest import NBest
from latticemetric.vocabulary import EPSILON, Vocabulary, numbered_words


def prepared_pairs(lattices: Iterable[Pair], preparation: Preparation) -> Iterator[Pair]:
    """Yield the pairs with lower-cased and tokenized texts; graphs are changed when they are parsed."""
    graph = partial(prepared_graph, preparation=preparation)
    return changed_pairs(lattices, graph, partial(prepared_reference, preparation=preparation))


def prepared_entries(entries: Iterable[Entry], preparation: Preparation) -> Iterator[Entry]:
    """Yield the entries of graphs, changed so that each graph is lower-cased and tokenized when it is parsed."""
    return (entry.changed(partial(prepared_graph, preparation=preparation)) for entry in entries)


def prepared_reference(reference: Reference, preparation: Preparation) -> Reference:
    """Lower-case and tokenize a reference and its alternatives."""
    if IGNORED.left:
        IGNORED.add_words(words_in(reference.graph_or_words))
    words = preparation.words(" ".join(reference.words))
    if reference.graph is None:
        return reference._replace(words=words)
    with placed(reference.where):
        return reference._replace(words=words, graph=preparation.graph(reference.graph))


def prepared_graph(graph: Graph, preparation: Preparation) -> Graph:
    """Lower-case, tokenize and remove words of a graph, as `preparation` says.

    In an n-best list, tokenize each hypothesis as a whole. In a lattice, tokenize each word by itself; the first token
    of a word gets the word's scores. A forest can be lower-cased, but not tokenized.

    Examples:
        >>> lattice = Lattice.from_strings(["The cat."], costs=[2.0])
        >>> [(path.words, path.cost) for path in prepared_graph(lattice, Preparation(True, "13a")).paths()]
        [(('the', 'cat', '.'), 2.0)]
    """
    if IGNORED.left:
        IGNORED.add(graph)
    if not preparation.lowercase and preparation.tokenize is None:
        return without_words(graph, preparation.ignore)
    if isinstance(graph, NBest):
        return replace(
            graph, hypotheses=tuple(replace(h, words=preparation.words(" ".join(h.words))) for h in graph.hypotheses)
        )
    if graph.vocabulary.is_numeric:
        raise InputError(
            "the graph has word numbers, which cannot be lower-cased or tokenized",
            advice="give a symbol table with symbols=…",
        )
    return preparation.graph(graph) if isinstance(graph, Lattice) else _prepared_forest(graph, preparation)


def without_words(graph: Graph, words: Collection[str]) -> Graph:
    """Return the graph without these words: arcs of a lattice become ε.

    Examples:
        >>> lattice = Lattice.from_strings(["<s> a </s>"])
        >>> [path.words for path in without_words(lattice, {"<s>", "</s>"}).paths()]
        [('a',)]
    """
    if not words:
        return graph
    if isinstance(graph, NBest):
        kept = (tuple(word for word in h.words if word not in words) for h in graph.hypotheses)
        return replace(
            graph, hypotheses=tuple(replace(h, words=w) for h, w in zip(graph.hypotheses, kept, strict=True))
        )
    if isinstance(graph, Lattice):
        return replace(graph, word=np.where(graph.is_word(words) > 0, graph.word, EPSILON))
    return replace(graph, target=graph.target_without(frozenset(words)))


def _prepared_forest(forest: Forest, preparation: Preparation) -> Forest:
    forest_or = without_words(forest, preparation.ignored_in(words_of(forest)))
    assert isinstance(forest_or, Forest)
    forest = forest_or
    values = forest.target.values
    used, place = numbered_words(np.maximum(values, 0))  # negative values stand for tails
    spelled = forest.vocabulary.decode(used)
    words = [word.lower() if preparation.lowercase else word for word in spelled]
    if preparation.tokenize not in (None, "none") or (
        preparation.tokenize == "none" and any(word.split() != [word] for word in words)
    ):
        raise UsageError("a forest cannot be tokenized", advice="tokenize before parsing, or leave tokenize=… out")
    vocabulary = Vocabulary.from_words(words)
    number = np.array([EPSILON, *map(vocabulary.number, words)], dtype=np.int32)
    lowered = np.where(values > 0, number[place], values).astype(values.dtype)
    return replace(forest, target=Ragged(forest.target.begin, lowered), vocabulary=vocabulary)
