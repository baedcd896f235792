"""Lists of strings with costs as lattices where each string has one path."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.lattice import Column, Floats, Lattice
from latticemetric.vocabulary import Vocabulary, Words


def string_lattice(strings: Sequence[Sequence[str]], cost: Floats, *, merge: str, scale: float) -> Lattice:
    """See `NBest.determinized`: a trie, costs pushed to its root, and states that go on alike made one."""
    if merge not in {"sum", "best"}:
        raise UsageError(f"equal strings cannot be merged by '{merge}'", advice="choose 'sum' or 'best'")
    if not (math.isfinite(scale) and scale > 0):
        raise UsageError(f"the scale is {scale}, and not a number above 0", advice="merge by 'best', at any scale")
    vocabulary = Vocabulary.from_words(word for words in strings for word in words)
    begin = np.cumsum([0, *map(len, strings)], dtype=np.int64)
    parent, word, end = _native.string_trie(begin, vocabulary.encode([word for words in strings for word in words]))
    ending = _summed(cost, end, len(parent), scale) if merge == "sum" else _best(cost, end, len(parent))
    source, target, label, arc_cost, final, final_cost, start = _native.minimize_trie(parent, word, ending)
    return Lattice.from_arcs(
        source,
        target,
        label,
        final=final,
        start=start,
        scores={"cost": Column(arc_cost, final_cost)},
        vocabulary=vocabulary,
    )


def _best(cost: Floats, end: Words, nodes: int) -> Floats:
    least = np.full(nodes, np.inf)
    np.minimum.at(least, end, cost)
    return least


def _summed(cost: Floats, end: Words, nodes: int, scale: float) -> Floats:
    """−ln of summed probabilities, by their distance from the best of each: no cost is too large for that."""
    least = _best(cost, end, nodes)
    mass = np.zeros(nodes)
    np.add.at(mass, end, np.exp(-scale * (cost - least[end])))
    with np.errstate(divide="ignore"):
        return np.where(mass > 0, least - np.log(mass) / scale, np.inf)
