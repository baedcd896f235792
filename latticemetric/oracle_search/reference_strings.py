"""List the strings of reference graphs, for searches and metrics that cannot use a graph."""

from __future__ import annotations

from latticemetric.errors import InputError
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphReferences, graphs_of

MOST_STRINGS = 64


def strings_of_graph(reference: Lattice) -> list[tuple[str, ...]]:
    """Return the distinct strings of a reference graph, to use each of them as a reference.

    Raises:
        InputError: The graph has more than `MOST_STRINGS` strings.
    """
    strings = distinct_strings(reference, MOST_STRINGS)
    if strings is None:
        raise InputError(
            f"a reference has more than {MOST_STRINGS} alternative strings, too many to try one by one",
            advice="give fewer alternatives or shorter references; oracles of lattices, and scores by wer, wrr, "
            "N-grr and sclite, accept any number of alternatives",
        )
    return strings


def strings_of_references(references: GraphReferences) -> tuple[tuple[str, ...], ...]:
    """Return the words of each reference, and of each string of a reference graph."""
    listed = graphs_of(references)
    return tuple(w for one in listed for w in (strings_of_graph(one) if isinstance(one, Lattice) else [one]))


def distinct_strings(lattice: Lattice, most: int) -> list[tuple[str, ...]] | None:
    """Return the distinct strings of a lattice; `None` if there are more than `most`."""
    # Each prefix of a string is a node of a trie, with its last word and the prefix before it. No state has more
    # prefixes than the lattice has strings, since all prefixes of a state have the same continuations.
    parent, word_of, child = [-1], [""], dict[tuple[int, int], int]()
    prefixes: list[dict[int, None]] = [{} for _ in range(lattice.num_states)]
    prefixes[0][0] = None
    arcs = zip(lattice.source.tolist(), lattice.target.tolist(), lattice.word.tolist(), strict=True)
    for source, target, word in arcs:
        for prefix in prefixes[source]:
            node = prefix
            if word:
                node = child.setdefault((prefix, word), len(parent))
                if node == len(parent):
                    parent.append(prefix)
                    word_of.append(lattice.vocabulary.word(word))
            prefixes[target][node] = None
        if len(prefixes[target]) > most:
            return None
    ends = dict.fromkeys(node for state in lattice.final.tolist() for node in prefixes[state])
    if len(ends) > most:
        return None
    strings = []
    for end in ends:
        words, node = [], end
        while node:
            words.append(word_of[node])
            node = parent[node]
        strings.append(tuple(reversed(words)))
    return strings
