"""Rewrite optional words of references as csrfilt does: `(A)` becomes `(B) (C)` where a rule writes `B C` for `A`.

In a graph, an optional word is an ε-arc and a word between the same two states. Before the rules, these are replaced by
the word between brackets; to the rules, brackets are words of their own, as to those of csrfilt. After the rules, each
word between brackets may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from latticemetric.formats.text.fields import encode_texts
from latticemetric.lattice.lattice import Lattice

_OPEN, _CLOSE = "\ue028", "\ue029"  # for private use: no rule and no transcript has them
_PARTS = re.compile(f"([{_OPEN}{_CLOSE}])")

_Arc = tuple[int, int, str]


def with_brackets(lattice: Lattice) -> Lattice:
    """Return a graph with brackets around its optional words, without scores; return others unchanged."""
    arcs = _arcs_of(lattice)
    optional = _optional(arcs)
    if not optional:
        return lattice
    skips = set(optional.values())
    found = [(*arc[:2], [_OPEN, arc[2], _CLOSE] if k in optional else [arc[2]]) for k, arc in enumerate(arcs)]
    return _graph([arc for k, arc in enumerate(found) if k not in skips], lattice)


def without_brackets(lattice: Lattice) -> Lattice:
    """Return a graph without brackets, in which words between brackets may be left out, without scores."""
    arcs = _arcs_of(lattice)
    if not any(_PARTS.search(word) for _, _, word in arcs):
        return lattice
    # A rule may have joined a bracket with a word.
    parts = ([part for part in _PARTS.split(word) if part] or [""] for _, _, word in arcs)
    lattice = _graph([(*arc[:2], words) for arc, words in zip(arcs, parts, strict=True)], lattice)
    arcs = _arcs_of(lattice)
    inside = {0: False}
    found: list[tuple[int, int, list[str]]] = []
    for source, target, word in arcs:
        inside[target] = word == _OPEN or (inside[source] and word != _CLOSE)
        is_word = word not in ("", _OPEN, _CLOSE)
        if is_word and inside[source]:
            found.append((source, target, [""]))
        found.append((source, target, [word if is_word else ""]))
    return _graph(found, lattice)


def _optional(arcs: Iterable[_Arc]) -> dict[int, int]:
    """Return the numbers of optional words and of the ε-arcs beside them.

    The ε-arc is the first of only two arcs between the states.
    """
    between: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for number, (source, target, word) in enumerate(arcs):
        between.setdefault((source, target), []).append((number, word))
    pairs = (several for several in between.values() if len(several) == 2)  # noqa: PLR2004
    return {number: skip for (skip, nothing), (number, word) in pairs if word and not nothing}


def _arcs_of(lattice: Lattice) -> list[_Arc]:
    """Return the source, target and word of each arc, in the order of the sources, which is topological."""
    words = lattice.vocabulary.words(lattice.word)
    return list(zip(lattice.source.tolist(), lattice.target.tolist(), words, strict=True))


def _graph(chains: Iterable[tuple[int, int, list[str]]], like: Lattice) -> Lattice:
    """Return the graph of some chains of words, with the final states of another graph."""
    arcs: list[_Arc] = []
    states = like.num_states
    for source, target, words in chains:
        stops = [source, *range(states, states + len(words) - 1), target]
        states += len(words) - 1
        arcs += zip(stops, stops[1:], words, strict=False)
    numbers, vocabulary = encode_texts((word for _, _, word in arcs), "", None)
    sources, targets, _ = zip(*arcs, strict=True)
    return Lattice.from_arcs(sources, targets, numbers, final=like.final, vocabulary=vocabulary)
