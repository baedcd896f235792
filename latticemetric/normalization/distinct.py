"""Determinize the texts of a lattice in the order of its arcs, so that the first alternative of a rule stays first."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import EPSILON

# Beyond this number of sets of states, the kernel that determinizes lattices takes less memory.
_MOST_SETS = 100_000
_END = -1

_States = tuple[int, ...]


def distinct_texts(lattice: Lattice) -> Lattice:
    """Return the lattice without scores, with one path per text.

    Texts are in the order of their first paths, as far as texts with an equal beginning can share its arcs. Very large
    results have another order.

    Examples:
        >>> lattice = Lattice.from_strings(["b c", "a", "b", "a", "b c d"])
        >>> [path.words for path in distinct_texts(lattice).paths()]
        [('b', 'c'), ('b', 'c', 'd'), ('b',), ('a',)]
    """
    rows = _rows(lattice)
    if rows is None:
        return _without_scores(_without_scores(lattice).determinized())
    arcs, final, end = [], [], len(rows)
    for state, row in enumerate(rows):
        for place, (word, target) in enumerate(row):
            if word != _END:
                arcs.append((state, target, word))
            elif place:  # an arc without a word, since the texts of earlier arcs come first
                arcs.append((state, end, EPSILON))
            else:
                final.append(state)
    if any(target == end for _, target, _ in arcs):
        final.append(end)
    columns = np.array(arcs, dtype=np.int64).reshape(-1, 3).T
    return Lattice.from_arcs(*columns, final=final, start=end - 1, vocabulary=lattice.vocabulary)


def _rows(lattice: Lattice) -> list[tuple[tuple[int, int], ...]] | None:
    """Return the arcs of each state of the result, as pairs of word and target; the last state is the start.

    The word `_END` says that a text ends there. Return `None` if there are too many states.
    """
    following = _Following(lattice)
    numbers: dict[_States, int] = {}
    rows: dict[tuple[tuple[int, int], ...], int] = {}
    known: dict[_States, dict[int, _States]] = {}
    pending: list[_States] = [(0,)]
    while pending:
        states = pending[-1]
        if states not in known:
            known[states] = following.words(states)
            if len(known) > _MOST_SETS:
                return None
        targets = known[states]
        unknown = [after for after in targets.values() if after and after not in numbers]
        pending += unknown
        if not unknown:
            pending.pop()
            row = tuple((word, numbers[after] if after else _END) for word, after in targets.items())
            numbers[states] = rows.setdefault(row, len(rows))
    return list(rows)


class _Following:
    """The words that follow sets of states of a lattice."""

    def __init__(self, lattice: Lattice) -> None:
        begin = np.searchsorted(lattice.source, np.arange(lattice.num_states + 1)).tolist()
        arcs = list(zip(lattice.word.tolist(), lattice.target.tolist(), strict=True))
        self._arcs = [arcs[first:last][::-1] for first, last in pairwise(begin)]
        self._final = set(lattice.final.tolist())

    def words(self, states: _States) -> dict[int, _States]:
        """Return the words that may follow, in the order of the arcs, and the states after each of them.

        If a text may end, one of the words is `_END`, with no states.
        """
        found: dict[int, dict[int, None]] = {}
        seen = set[int]()
        pending = [(EPSILON, state) for state in reversed(states)]
        while pending:
            word, state = pending.pop()
            if word != EPSILON:
                found.setdefault(word, {})[state] = None
            elif state not in seen:
                seen.add(state)
                if state in self._final:
                    found.setdefault(_END, {})
                pending += self._arcs[state]
        return {word: tuple(after) for word, after in found.items()}


def _without_scores(lattice: Lattice) -> Lattice:
    return Lattice.from_arcs(
        lattice.source, lattice.target, lattice.word, final=lattice.final, vocabulary=lattice.vocabulary
    )
