"""What a reference graph is taken to say: the reading that a string scores best against."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from latticemetric.automata.ratio import Ratio, Reached, best_ratio
from latticemetric.automata.recognition import Gains
from latticemetric.automata.reference_graph import ReferenceGraph, counted_labels
from latticemetric.automata.reference_search import reached_by
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import Vocabulary


def best_reading(
    candidate: Sequence[str], reference: Lattice, gains: Gains, silent: Collection[str] = ()
) -> tuple[str, ...]:
    """The words of the path of a reference that a string has the best rate against.

    Ties: the path that ends in the smallest state, then the one whose arcs, read from its end, are smallest. With
    alternations, what differs last decides, and earlier alternatives go before later ones.

    Args:
        candidate: The string's counted words.
        reference: The reference.
        gains: The metric's parameters.
        silent: Words that count as none.
    """
    vocabulary = Vocabulary.from_words(candidate)
    # Words that the string lacks match nothing, whichever they are.
    label = counted_labels(reference, vocabulary, silent)
    graph = ReferenceGraph.of_lattice(reference, label, gains.order, backward=True)
    said = ReferenceGraph.of_words(vocabulary.encode(candidate)[::-1], gains.order)
    arcs = best_ratio(partial(_reading_at, graph, said, gains), gains).arcs
    taken = graph.arc[arcs[::-1]]
    return reference.words(taken[taken >= 0].tolist())


def _reading_at(graph: ReferenceGraph, said: ReferenceGraph, gains: Gains, rate: Ratio) -> Reached:
    """The search of a lattice with the sides exchanged, so that its tie rule chooses among readings."""
    arcs = len(graph.word)
    columns = {
        "source": graph.source,
        "target": graph.target,
        "label": graph.word,
        "is_word": np.zeros(arcs, dtype=np.uint8),
        "cost": np.zeros(arcs),
        "final_cost": np.where(graph.final, 0.0, np.inf),
    }
    exchanged = gains._replace(alpha=gains.beta, beta=gains.alpha)
    unsized = replace(said, size=np.zeros_like(said.size))
    return reached_by(columns, graph.size, unsized, exchanged, rate)
