"""The automaton of a recognition rate (Chiang & DeNeefe 2008, section 4), as columns.

One reference gives one automaton; several references give the union of their automata.

In state (i, m), i reference words are read, and the last m of them (at most n − 1) matched in a row. ★ stands for any
word:

    match         (i, m) --r_{i+1} : m+1--> (i+1, min(m+1, n−1))      i < |r|
    deletion      (i, m) --ε : −β-------->  (i+1, 0)                  i < |r|
    substitution  (i, m) --★ : 0--------->  (i+1, 0)                  i < |r|
    insertion     (i, m) --★ : −α-------->  (i, 0)                    i ≤ |r|

If the reference is a graph, i is one of its states, and ε-arcs keep m: they lead from (i, m) to (i', m).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.automata.reference import ReferenceGraph, counted_labels, words_in
from latticemetric.lattice.fst_binary import FstArrays
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.openfst import fst_from_arrays
from latticemetric.vocabulary import EPSILON, STAR, UNKNOWN, Vocabulary, Words


class Gains(NamedTuple):
    """The parameters of an n-gram recognition rate in integers: all gains are multiples of `1 / unit`.

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
        """Return the gain of each edit code: code 0 is no edit, k the k-th match in a row; then follow D, S and I."""
        return [0, *(k * self.unit for k in range(1, self.order + 1)), -self.beta, 0, -self.alpha]


@dataclass(frozen=True)
class RecognitionAutomaton:
    """Transitions as columns, sorted by source; state (i, m) has number i · n + m, and 0 is the start.

    Attributes:
        source: Source state of each transition.
        target: Target state.
        label: A word number, `EPSILON` (deletions) or `STAR`.
        edit: Edit code, see `Gains.of_edits`.
        size: The part of each transition in the denominator.
        final: True for each state in which a path may end.
    """

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    label: Words
    edit: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    final: npt.NDArray[np.bool_]


def ngram_total(words: int, order: int) -> int:
    """Return Σ_k |g_k(r)| for k = 1 … n: the denominator of an n-gram recognition rate."""
    return sum(max(0, words - k) for k in range(order))


def recognition_automaton(reference: ReferenceGraph, order: int) -> RecognitionAutomaton:
    """Build the automaton of an n-gram recognition rate for one reference.

    A word that is not in the vocabulary (`UNKNOWN`) gets no match transition.
    """
    n, states = order, len(reference.final)
    arc, run = (grid.ravel() for grid in np.meshgrid(np.arange(len(reference.word)), np.arange(n), indexing="ij"))
    here, onward = reference.source[arc] * n + run, reference.target[arc] * n
    word, size = reference.word[arc], reference.size[arc]
    everywhere = np.arange(states * n)
    silent = word == EPSILON
    known, spoken = ~silent & (word != UNKNOWN), ~silent
    rows = [
        (here[silent], (onward + run)[silent], EPSILON, 0, 0),
        (here[known], (onward + np.minimum(run + 1, n - 1))[known], word[known], (run + 1)[known], size[known]),
        (here[spoken], onward[spoken], EPSILON, n + 1, size[spoken]),
        (here[spoken], onward[spoken], STAR, n + 2, size[spoken]),
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


STAR_SYMBOL = "★"


def compile_references(
    references: Sequence[Sequence[str] | Lattice],
    gains: Gains,
    vocabulary: Vocabulary | None = None,
    silent: Collection[str] = (),
) -> Any:
    """Build a tropical acceptor of a recognition rate for one or more references, cost = −gain.

    The automaton of one reference has the weights of the paper's table, so a best path costs −numerator. With several
    references, each one's weights are divided by its own denominator, and a new start state joins them: a best path
    costs −rate. A graph is split into one reference per string length. References without words have no rate, and
    are left out if there are others.

    Args:
        references: The words of each reference, or a graph.
        gains: The metric's parameters.
        vocabulary: Numbers of the words; by default, a new vocabulary.
        silent: Words that do not count.
    """
    if vocabulary is None:
        vocabulary = Vocabulary.from_words(word for reference in references for word in words_in(reference, silent))
    graphs = [graph for reference in references for graph in _by_length(reference, gains.order, vocabulary, silent)]
    divide = len(references) > 1 or isinstance(references[0], Lattice)
    if divide and any(graph.has_words for graph in graphs):
        graphs = [graph for graph in graphs if graph.has_words]
    parts = [_weighted(graph, gains, divide=divide) for graph in graphs]
    symbols = None if vocabulary.is_numeric else {EPSILON: "<eps>", **dict(vocabulary.items()), STAR: STAR_SYMBOL}
    return fst_from_arrays(_union(parts, symbols))


def _by_length(
    reference: Sequence[str] | Lattice, order: int, vocabulary: Vocabulary, silent: Collection[str]
) -> list[ReferenceGraph]:
    """Split a reference into one graph per string length."""
    if not isinstance(reference, Lattice):
        counted = words_in(reference, silent)
        return [ReferenceGraph.of_words(vocabulary.encode(counted), order)]
    label = counted_labels(reference, vocabulary, silent)
    whole = ReferenceGraph.of_lattice(reference, label, order, most=reference.num_states)
    return [whole.ending_in(whole.final & (whole.words == words)) for words in np.unique(whole.words[whole.final])]


def _weighted(reference: ReferenceGraph, gains: Gains, *, divide: bool) -> FstArrays:
    automaton = recognition_automaton(reference, gains.order)
    words = int(reference.words[reference.final].max())
    size = ngram_total(words, gains.order) if divide and words else 1
    final = np.where(automaton.final, 0.0, np.inf)
    gain = np.array(gains.of_edits(), dtype=np.float64) / (gains.unit * size)
    label = automaton.label
    return FstArrays(0, final, automaton.source, automaton.target, label, label, -gain[automaton.edit])


def _union(parts: Sequence[FstArrays], symbols: dict[int, str] | None) -> FstArrays:
    offsets = np.cumsum([1, *(len(part.final) for part in parts)]) if len(parts) > 1 else np.array([0])
    source = [part.source + offset for part, offset in zip(parts, offsets, strict=False)]
    target = [part.target + offset for part, offset in zip(parts, offsets, strict=False)]
    label, weight, final = [p.input for p in parts], [p.weight for p in parts], [p.final for p in parts]
    if len(parts) > 1:
        starts = offsets[:-1]
        source, target = [np.zeros_like(starts), *source], [starts, *target]
        label, weight = [np.full(len(starts), EPSILON), *label], [np.zeros(len(starts)), *weight]
        final = [np.array([np.inf]), *final]
    labels = np.concatenate(label).astype(np.int32)
    return FstArrays(
        start=0,
        final=np.concatenate(final),
        source=np.concatenate(source).astype(np.int32),
        target=np.concatenate(target).astype(np.int32),
        input=labels,
        output=labels,
        weight=np.concatenate(weight),
        input_symbols=symbols,
        output_symbols=symbols,
    )
