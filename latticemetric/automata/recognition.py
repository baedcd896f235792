"""The automaton of a recognition rate (Chiang & DeNeefe 2008, section 4), laid out as columns.

States are (i, m): i reference words are behind, the last m of them (at most n − 1) matched in a row. ★ stands for any
word:

    match         (i, m) --r_{i+1} : m+1--> (i+1, min(m+1, n−1))      i < |r|
    deletion      (i, m) --ε : −β-------->  (i+1, 0)                  i < |r|
    substitution  (i, m) --★ : 0--------->  (i+1, 0)                  i < |r|
    insertion     (i, m) --★ : −α-------->  (i, 0)                    i ≤ |r|
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.vocabulary import EPSILON, STAR, UNKNOWN, Words


class Gains(NamedTuple):
    """What an n-gram recognition rate counts, in integers: all gains are multiples of `1 / unit`.

    Attributes:
        order: n.
        unit: The common denominator of α and β.
        alpha: α · unit.
        beta: β · unit.
    """

    order: int
    unit: int
    alpha: int
    beta: int

    def of_edits(self) -> list[int]:
        """Gain of each edit code: the k-th match in a row has code k; then deletion, substitution, insertion."""
        return [0, *(k * self.unit for k in range(1, self.order + 1)), -self.beta, 0, -self.alpha]


@dataclass(frozen=True)
class RecognitionAutomaton:
    """Transitions as columns, sorted by source; state (i, m) has number i · n + m, and 0 is the start.

    Attributes:
        states: Number of states, (|r| + 1) · n.
        source: Source state of each transition.
        target: Target state.
        label: A word number, `EPSILON` (deletions) or `STAR`.
        edit: Edit code, see `Gains.of_edits`.
        first_final: The states from here on are final.
    """

    states: int
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    label: Words
    edit: npt.NDArray[np.int32]
    first_final: int


def ngram_total(words: int, order: int) -> int:
    """Σ_k |g_k(r)| for k = 1 … n: the denominator of an n-gram recognition rate."""
    return sum(max(0, words - k) for k in range(order))


def recognition_automaton(reference: Words, order: int) -> RecognitionAutomaton:
    """The automaton of an n-gram recognition rate for one reference.

    A word that the vocabulary lacks (`UNKNOWN`) gets no match transition: nothing can take it.
    """
    n, size = order, len(reference)
    place, run = (grid.ravel() for grid in np.meshgrid(np.arange(size), np.arange(n), indexing="ij"))
    here, onward = place * n + run, (place + 1) * n
    everywhere = np.arange((size + 1) * n)
    known = reference[place] != UNKNOWN
    rows = [
        (
            here[known],
            (onward + np.minimum(run + 1, n - 1))[known],
            reference[place][known],
            (run + 1)[known],
        ),
        (here, onward, EPSILON, n + 1),
        (here, onward, STAR, n + 2),
        (everywhere, everywhere // n * n, STAR, n + 3),
    ]
    columns = [
        np.concatenate([np.broadcast_to(row[k], row[0].shape) for row in rows]).astype(np.int32) for k in range(4)
    ]
    order_by_source = np.argsort(columns[0], kind="stable")
    source, target, label, edit = (column[order_by_source] for column in columns)
    return RecognitionAutomaton((size + 1) * n, source, target, label, edit, size * n)
