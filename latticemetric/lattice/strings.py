"""Build lattices from strings with costs: one path per string, or with shared beginnings and ends."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.lattice.columns import Column, Floats
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, split_words

if TYPE_CHECKING:
    from latticemetric.lattice.lattice import Lattice

AnyLattice = TypeVar("AnyLattice", bound="Lattice")


def costs_of(costs: Sequence[float] | None, log_probs: Sequence[float] | None) -> Sequence[float] | None:
    """Return the costs of strings, from costs or log probabilities; warn if the costs look like log probabilities."""
    if log_probs is not None:
        if costs is not None:
            raise UsageError("there are costs and log_probs", advice="give one of them")
        return [0.0 - float(log_prob) for log_prob in log_probs]
    if costs is not None and len(set(costs)) > 1 and max(costs) <= 0:
        warnings.warn(
            "no cost is positive: the smallest cost is the best; for log probabilities give log_probs=",
            stacklevel=3,
        )
    return costs


def lattice_of_strings(
    cls: type[AnyLattice], strings: Iterable[str | Sequence[str]], costs: Sequence[float] | None, column: str
) -> AnyLattice:
    """Build a lattice with one path per string, from start state 0 to end state 1; see `Lattice.from_strings`."""
    if isinstance(strings, str):
        raise UsageError("one string is not a list of them", advice="put it into a list")
    split = [tuple(split_words(s)) if isinstance(s, str) else tuple(s) for s in strings]
    if costs is not None and len(costs) != len(split):
        raise UsageError(f"there are {len(split)} strings and {len(costs)} costs or log_probs")
    vocabulary = Vocabulary.from_words(w for words in split for w in words)
    source, target, word, cost = [], [], [], []
    state = 1
    for number, words in enumerate(split):
        here = 0
        for position, symbol in enumerate(words or ("",)):
            last = position + 1 >= len(words)
            state += not last
            source.append(here)
            here = 1 if last else state
            target.append(here)
            word.append(vocabulary.number(symbol) if symbol else EPSILON)
            cost.append(costs[number] if costs is not None and position == 0 else 0.0)
    scores = {} if costs is None else {column: Column(np.array(cost, dtype=np.float64), np.zeros(1))}
    return cls.from_arcs(source, target, word, final=[1], scores=scores, vocabulary=vocabulary)


def minimal_lattice(
    cls: type[AnyLattice], strings: Sequence[Sequence[str]], cost: Floats, *, merge: str, scale: float
) -> AnyLattice:
    """Build a trie, push its costs to the root, and merge states of equal future; see `NBest.determinized`."""
    if merge not in {"sum", "best"}:
        raise UsageError(f"equal strings cannot be merged by '{merge}'", advice="choose 'sum' or 'best'")
    if not (math.isfinite(scale) and scale > 0):
        raise UsageError(f"the scale is {scale}, and not a number above 0", advice="merge by 'best', at any scale")
    vocabulary = Vocabulary.from_words(word for words in strings for word in words)
    begin = np.cumsum([0, *map(len, strings)], dtype=np.int64)
    parent, word, end = _native.string_trie(begin, vocabulary.encode([word for words in strings for word in words]))
    ending = _merged(cost, end, len(parent), merge, scale)
    source, target, label, arc_cost, final, final_cost, start = _native.minimize_trie(parent, word, ending)
    return cls.from_arcs(
        source,
        target,
        label,
        final=final,
        start=start,
        scores={"cost": Column(arc_cost, final_cost)},
        vocabulary=vocabulary,
    )


def _merged(cost: Floats, end: Words, nodes: int, merge: str, scale: float) -> Floats:
    """Return the cost of ending in each node: the least, or −ln of the summed probabilities; infinite elsewhere."""
    least = np.full(nodes, np.inf)
    np.minimum.at(least, end, cost)
    if merge == "best":
        return least
    # Each probability is relative to the best one, so that large costs do not overflow.
    mass = np.zeros(nodes)
    np.add.at(mass, end, np.exp(-scale * (cost - least[end])))
    with np.errstate(divide="ignore"):
        return np.where(mass > 0, least - np.log(mass) / scale, np.inf)
