"""What a reference graph may say, string by string: for what has no search of its own for graphs."""

from __future__ import annotations

from latticemetric.errors import InputError
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphReferences, graphs_of

MOST_READINGS = 64


def readings(reference: Lattice) -> list[tuple[str, ...]]:
    """The distinct strings of a reference, each of which counts as one.

    Raises:
        InputError: There are more than `MOST_READINGS`.
    """
    found = distinct_strings(reference, MOST_READINGS)
    if found is None:
        raise InputError(
            f"a reference allows more than {MOST_READINGS} readings, which this needs one by one",
            advice="give fewer alternatives, or shorter references; oracles of lattices, and scores by wer, wrr, N-grr "
            "and sclite alone, take any number",
        )
    return found


def readings_of(references: GraphReferences) -> tuple[tuple[str, ...], ...]:
    """The words of each reference, and of each reading of a graph."""
    listed = graphs_of(references)
    return tuple(w for one in listed for w in (readings(one) if isinstance(one, Lattice) else [one]))


def distinct_strings(lattice: Lattice, most: int) -> list[tuple[str, ...]] | None:
    """The distinct strings of a lattice; nothing where there are more than so many."""
    # A prefix is a node of a trie: its word, and the prefix before it. No state has more of them than there are
    # strings, since what can follow the one can follow the other.
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
