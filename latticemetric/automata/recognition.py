"""The automaton of a recognition rate (Chiang & DeNeefe 2008, section 4), laid out as columns.

States are (i, m): i reference words are behind, the last m of them (at most n − 1) matched in a row. ★ stands for any
word:

    match         (i, m) --r_{i+1} : m+1--> (i+1, min(m+1, n−1))      i < |r|
    deletion      (i, m) --ε : −β-------->  (i+1, 0)                  i < |r|
    substitution  (i, m) --★ : 0--------->  (i+1, 0)                  i < |r|
    insertion     (i, m) --★ : −α-------->  (i, 0)                    i ≤ |r|

Where the reference is a graph, i is a state of it, and ε-arcs keep m: they lead from (i, m) to (i', m).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.automata.reference_graph import ReferenceGraph
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
        """Gain of each edit code: 0 is none, the k-th match in a row has k; then deletion, substitution, insertion."""
        return [0, *(k * self.unit for k in range(1, self.order + 1)), -self.beta, 0, -self.alpha]


@dataclass(frozen=True)
class RecognitionAutomaton:
    """Transitions as columns, sorted by source; state (i, m) has number i · n + m, and 0 is the start.

    Attributes:
        source: Source state of each transition.
        target: Target state.
        label: A word number, `EPSILON` (deletions) or `STAR`.
        edit: Edit code, see `Gains.of_edits`.
        size: What it adds to the denominator.
        final: Whether a path may end, a state.
    """

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    label: Words
    edit: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    final: npt.NDArray[np.bool_]


def ngram_total(words: int, order: int) -> int:
    """Σ_k |g_k(r)| for k = 1 … n: the denominator of an n-gram recognition rate."""
    return sum(max(0, words - k) for k in range(order))


def recognition_automaton(reference: ReferenceGraph, order: int) -> RecognitionAutomaton:
    """The automaton of an n-gram recognition rate for one reference.

    A word that the vocabulary lacks (`UNKNOWN`) gets no match transition: nothing can take it.
    """
    n, states = order, len(reference.final)
    arc, run = (grid.ravel() for grid in np.meshgrid(np.arange(len(reference.word)), np.arange(n), indexing="ij"))
    here, onward = reference.source[arc] * n + run, reference.target[arc] * n
    word, size = reference.word[arc], reference.size[arc]
    everywhere = np.arange(states * n)
    silent = word == EPSILON
    known, said = ~silent & (word != UNKNOWN), ~silent
    rows = [
        (here[silent], (onward + run)[silent], EPSILON, 0, 0),
        (here[known], (onward + np.minimum(run + 1, n - 1))[known], word[known], (run + 1)[known], size[known]),
        (here[said], onward[said], EPSILON, n + 1, size[said]),
        (here[said], onward[said], STAR, n + 2, size[said]),
        (everywhere, everywhere // n * n, STAR, n + 3, 0),
    ]
    source, target, label, edit, gained = (
        np.concatenate([np.broadcast_to(row[k], row[0].shape) for row in rows]).astype(np.int32) for k in range(5)
    )
    by_source = np.argsort(source, kind="stable")
    return RecognitionAutomaton(
        source[by_source],
        target[by_source],
        label[by_source],
        edit[by_source],
        gained[by_source],
        np.repeat(reference.final, n),
    )
