"""Move words from arcs to nodes, for formats with words on nodes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

Key = tuple[int, int]
"""The number of a word, and the number of its label."""

NOTHING: Key = (0, 0)


class WordNodes(NamedTuple):
    """Hold nodes for words; the first nodes are the states.

    Attributes:
        keys: The word of each node.
        state: The state that each node belongs to.
        of_arc: The node that has the word of each arc.
    """

    keys: list[Key]
    state: list[int]
    of_arc: list[int]


def word_nodes(
    states: int, near: Sequence[int], far: Sequence[int], keys: Sequence[Key], bare: Collection[int] = ()
) -> WordNodes:
    """Assign a node to the word of every arc.

    If all arcs of a state have the same word, the state's node has this word. Otherwise it has none, and every word
    gets a new node, which the caller links to the state's node. A second arc between the same states with the same
    word also gets a new node, because readers of these formats keep one arc between two nodes.

    Args:
        states: The number of states.
        near: For each arc, the end whose node gets the word.
        far: The other end of each arc.
        keys: The word of each arc.
        bare: States whose nodes must have no word.
    """
    copies: dict[tuple[int, int, Key], int] = {}
    groups: dict[int, dict[tuple[Key, int], int]] = {}
    copy_of_arc = []
    for here, there, key in zip(near, far, keys, strict=True):
        copy = copies.get((here, there, key), 0)
        copies[here, there, key] = copy + 1
        groups.setdefault(here, {})[key, copy] = -1
        copy_of_arc.append((key, copy))
    nodes, owner = [NOTHING] * states, list(range(states))
    for here, group in groups.items():
        alone = len(group) == 1 and here not in bare
        for key, copy in group:
            if alone or (key, copy) == (NOTHING, 0):
                group[key, copy] = here
                nodes[here] = key
            else:
                group[key, copy] = len(nodes)
                nodes.append(key)
                owner.append(here)
    return WordNodes(nodes, owner, [groups[here][choice] for here, choice in zip(near, copy_of_arc, strict=True)])
