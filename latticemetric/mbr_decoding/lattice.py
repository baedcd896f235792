"""Lattices whose arcs have gains of n-gram MBR as costs: what other tools may rescore, prune or take the best of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Column, Labels, Lattice, Scales
from latticemetric.mbr_decoding.ngram import MBR, NgramMBR
from latticemetric.mbr_decoding.ngram_gain import GainParameters
from latticemetric.posterior.ngrams import NgramPosteriors

GAIN = "gain"
"""The score column of gains, as costs: −gain."""


class _Unfolded(NamedTuple):
    """Of each new state, which state it was; of each new arc, its ends, which arc it was and what it gains."""

    state: npt.NDArray[np.int32]
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    arc: npt.NDArray[np.int64]
    gain: npt.NDArray[np.float64]


def mbr_lattice(
    graph: Graph,
    *,
    scale: float = 1.0,
    T: float = 10.0,  # noqa: N803  as all papers have it
    p: float = 0.85,
    r: float = 0.72,
    order: int = 4,
    word_penalty: float = 0.0,
    evidence: Graph | None = None,
    prune: float | None = None,
    scales: Scales | None = None,
    gains_only: bool = False,
) -> Lattice:
    """The lattice of a graph with what each arc gains, so that its best path is the answer of `mbr`.

    What a word gains hangs on the words before it: states are told apart by as much of these as matters, no more. Each
    path of the graph (of what `prune` leaves) is there once. Its costs in the column `gain` add up to minus what its
    string gains. Gains are rounded in about the tenth digit, so that sums are exact and strings of the same n-grams
    tie. (Where strings tie, `mbr` takes the one of least model cost; this column alone cannot tell them apart.)

    The graph's own columns are there with scale 0, so that they say nothing of which path is best unless they are
    given a scale. `scales={"gain": 0, "acoustic": 1}` brings back the model's own cost.

    Args:
        graph: A lattice, or an n-best list.
        scale: What costs are multiplied by before they become probabilities.
        T: What n-grams are worth beside words, see `GainParameters`.
        p: Average precision of unigrams.
        r: How much less precise each order is than the one before.
        order: Words of the longest n-grams.
        word_penalty: A further cost of each word.
        evidence: A graph for the posteriors, where it is another one.
        prune: The cost above the best path, before scaling, that graphs are pruned to first.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        gains_only: Whether the graph's own columns and labels are left out: some formats hold one column only.

    Examples:
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a y c"], costs=[0.0, 0.2, 0.2])
        >>> gains = mbr_lattice(lattice)
        >>> gains
        Lattice(8 states, 9 arcs, scores: cost, gain)
        >>> best = min(gains.paths(), key=lambda path: path.cost)
        >>> best.words, round(best.cost, 4)
        (('a', 'b', 'c'), 0.1775)
    """
    parameters = GainParameters(scale, T, p, r, order, word_penalty)
    asked = NgramMBR(as_lattice(graph, scales), evidence, prune, scales)
    return unfolded(asked, asked.posteriors(scale, order), parameters, gains_only=gains_only)


def mbr_with_lattice(
    graph: Graph,
    parameters: GainParameters,
    *,
    evidence: Graph | None = None,
    prune: float | None = None,
    scales: Scales | None = None,
    gains_only: bool = False,
) -> tuple[MBR, Lattice]:
    """The answers of `mbr` and `mbr_lattice`, posteriors computed once."""
    asked = NgramMBR(as_lattice(graph, scales), evidence, prune, scales)
    counted = asked.posteriors(parameters.scale, parameters.order)
    return asked.answer(counted, parameters), unfolded(asked, counted, parameters, gains_only=gains_only)


def unfolded(asked: NgramMBR, counted: NgramPosteriors, parameters: GainParameters, *, gains_only: bool) -> Lattice:
    """The lattice that is searched, with gains."""
    lattice, words = asked.searched
    if GAIN in lattice.scores and not gains_only:
        raise UsageError(f"the lattice has a score column '{GAIN}' already", advice="ask for gains only")
    gains = asked.gains(counted, parameters)
    found = _Unfolded(
        *_native.unfold_gains(
            lattice.source,
            lattice.target,
            words,
            lattice.num_states,
            counted.parent,
            counted.word,
            gains.ngram,
            gains.word,
        )
    )
    # Arcs of a state keep the order they had.
    in_order = np.lexsort((found.arc, found.source))
    found = found._replace(**{name: getattr(found, name)[in_order] for name in ("source", "target", "arc", "gain")})
    return _assembled(lattice, found, gains_only=gains_only)


def _assembled(lattice: Lattice, found: _Unfolded, *, gains_only: bool) -> Lattice:
    final = np.flatnonzero(np.isin(found.state, lattice.final))
    ends = np.searchsorted(lattice.final, found.state[final])
    scores = {} if gains_only else {n: Column(c.arc[found.arc], c.final[ends], 0.0) for n, c in lattice.scores.items()}
    labels = {} if gains_only else lattice.labels
    return Lattice.from_arcs(
        found.source,
        found.target,
        lattice.word[found.arc],
        final=final,
        scores={**scores, GAIN: Column(0.0 - found.gain, np.zeros(len(final)))},
        vocabulary=lattice.vocabulary,
        times=None if lattice.times is None else lattice.times[found.state],
        labels={n: Labels(side.arc[found.arc], side.final[ends], side.vocabulary) for n, side in labels.items()},
    )
