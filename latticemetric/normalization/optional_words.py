"""Rewrite optional words of references as csrfilt does: `(A)` becomes `(B) (C)` where a rule writes `B C` for `A`.

In a graph, an optional word is an ε-arc and a word between the same two states. Before the rules, brackets are put
around the word; to the rules, they are words of their own, as to those of csrfilt. After the rules, each of several
words between brackets may be left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from latticemetric.formats.text.fields import encode_texts
from latticemetric.lattice.lattice import Lattice

_OPEN, _CLOSE = "\ue028", "\ue029"  # for private use: no rule and no transcript has them

_Arc = tuple[int, int, str]


def with_brackets(lattice: Lattice) -> Lattice:
    """Return a graph with brackets around its optional words, without scores; return others unchanged."""
    arcs = _arcs_of(lattice)
    optional = _optional(arcs)
    if not optional:
        return lattice
    found: list[_Arc] = []
    states = lattice.num_states
    for number, (source, target, word) in enumerate(arcs):
        if number in optional:
            found += (source, states, _OPEN), (states, states + 1, word), (states + 1, target, _CLOSE)
            states += 2
        else:
            found.append((source, target, word))
    return _graph(found, lattice)


def without_brackets(lattice: Lattice) -> Lattice:
    """Return a graph without brackets, whose words between brackets may each be left out, without scores."""
    if _OPEN not in lattice.vocabulary:
        return lattice
    arcs = _arcs_of(lattice)
    before, after = _words_inside(arcs, lattice.num_states)
    found: list[_Arc] = []
    for source, target, word in arcs:
        is_bracket = word in (_OPEN, _CLOSE)
        # A single word need not be left out here: the ε-arc beside it is still there.
        if word and not is_bracket and before[source] + after[target] > 0:
            found.append((source, target, ""))
        found.append((source, target, "" if is_bracket else word))
    return _graph(found, lattice)


def _optional(arcs: Iterable[_Arc]) -> frozenset[int]:
    """Return the numbers of optional words; the ε-arc is the first of only two arcs between the states."""
    between: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for number, (source, target, word) in enumerate(arcs):
        between.setdefault((source, target), []).append((number, word))
    pairs = (several for several in between.values() if len(several) == 2)  # noqa: PLR2004
    return frozenset(number for (_, skip), (number, word) in pairs if word and not skip)


def _words_inside(arcs: list[_Arc], num_states: int) -> tuple[list[int], list[int]]:
    """Return, for each state, the most words since the last bracket, and until the next; −1 where there is no bracket.

    States are in topological order.
    """
    before, after = [-1] * num_states, [-1] * num_states
    for source, target, word in arcs:
        if word == _OPEN:
            before[target] = max(before[target], 0)
        elif word != _CLOSE and before[source] >= 0:
            before[target] = max(before[target], before[source] + bool(word))
    for source, target, word in reversed(arcs):
        if word == _CLOSE:
            after[source] = max(after[source], 0)
        elif word != _OPEN and after[target] >= 0:
            after[source] = max(after[source], after[target] + bool(word))
    return before, after


def _arcs_of(lattice: Lattice) -> list[_Arc]:
    """Return the source, target and word of each arc, in the order of the sources."""
    words = lattice.vocabulary.words(lattice.word)
    return list(zip(lattice.source.tolist(), lattice.target.tolist(), words, strict=True))


def _graph(arcs: list[_Arc], like: Lattice) -> Lattice:
    words, vocabulary = encode_texts((word for _, _, word in arcs), "", None)
    source, target, _ = zip(*arcs, strict=True)
    return Lattice.from_arcs(source, target, words, final=like.final, vocabulary=vocabulary)
