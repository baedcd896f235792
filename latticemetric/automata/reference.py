"""References as automata: one metric automaton a reference, and their union."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from latticemetric.automata.recognition import Gains, ngram_total, recognition_automaton
from latticemetric.automata.reference_graph import ReferenceGraph, counted_labels, words_in
from latticemetric.fst_layout import FstArrays
from latticemetric.interchange import fst_from_arrays
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import EPSILON, STAR, Vocabulary

STAR_SYMBOL = "★"


def compile_references(
    references: Sequence[Sequence[str] | Lattice],
    gains: Gains,
    vocabulary: Vocabulary | None = None,
    silent: Collection[str] = (),
) -> Any:
    """A recognition rate for some references as a tropical acceptor, cost = −gain.

    The automaton of one reference has the weights of the paper's table, so that a best path costs −numerator. With
    several, each one's weights are divided by its own denominator and they are joined at a new start: a best path
    then costs −rate. A graph stands for several, those of one length together. References without words have no
    rate, and are left out where there are others.

    Args:
        references: The words of each, or a graph.
        gains: The metric's parameters.
        vocabulary: Numbers for the words; their own where it is not given.
        silent: Words that count as none.
    """
    if vocabulary is None:
        vocabulary = Vocabulary.from_words(word for reference in references for word in words_in(reference, silent))
    graphs = [graph for reference in references for graph in _by_length(reference, gains.order, vocabulary, silent)]
    divide = len(references) > 1 or isinstance(references[0], Lattice)
    if divide and any(graph.has_words for graph in graphs):
        graphs = [graph for graph in graphs if graph.has_words]
    parts = [_weighted(graph, gains, divide=divide) for graph in graphs]
    symbols = None if vocabulary.is_numeric else {EPSILON: "<eps>", **dict(vocabulary.items()), STAR: STAR_SYMBOL}
    return fst_from_arrays(_union(parts, symbols))


def _by_length(
    reference: Sequence[str] | Lattice, order: int, vocabulary: Vocabulary, silent: Collection[str]
) -> list[ReferenceGraph]:
    """A reference as graphs of strings of one length."""
    if not isinstance(reference, Lattice):
        counted = words_in(reference, silent)
        return [ReferenceGraph.of_words(vocabulary.encode(counted), order)]
    label = counted_labels(reference, vocabulary, silent)
    whole = ReferenceGraph.of_lattice(reference, label, order, most=reference.num_states)
    return [whole.ending_in(whole.final & (whole.words == words)) for words in np.unique(whole.words[whole.final])]


def _weighted(reference: ReferenceGraph, gains: Gains, *, divide: bool) -> FstArrays:
    automaton = recognition_automaton(reference, gains.order)
    words = int(reference.words[reference.final].max())
    size = ngram_total(words, gains.order) if divide and words else 1
    final = np.where(automaton.final, 0.0, np.inf)
    gain = np.array(gains.of_edits(), dtype=np.float64) / (gains.unit * size)
    label = automaton.label
    return FstArrays(0, final, automaton.source, automaton.target, label, label, -gain[automaton.edit])


def _union(parts: Sequence[FstArrays], symbols: dict[int, str] | None) -> FstArrays:
    offsets = np.cumsum([1, *(len(part.final) for part in parts)]) if len(parts) > 1 else np.array([0])
    source = [part.source + offset for part, offset in zip(parts, offsets, strict=False)]
    target = [part.target + offset for part, offset in zip(parts, offsets, strict=False)]
    label, weight, final = [p.input for p in parts], [p.weight for p in parts], [p.final for p in parts]
    if len(parts) > 1:
        starts = offsets[:-1]
        source, target = [np.zeros_like(starts), *source], [starts, *target]
        label, weight = [np.full(len(starts), EPSILON), *label], [np.zeros(len(starts)), *weight]
        final = [np.array([np.inf]), *final]
    labels = np.concatenate(label).astype(np.int32)
    return FstArrays(
        start=0,
        final=np.concatenate(final),
        source=np.concatenate(source).astype(np.int32),
        target=np.concatenate(target).astype(np.int32),
        input=labels,
        output=labels,
        weight=np.concatenate(weight),
        input_symbols=symbols,
        output_symbols=symbols,
    )
