"""Build lattices with the gains of n-gram MBR as costs of arcs, for other tools to rescore, prune or search."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Column, Scales, taken
from latticemetric.lattice.lattice import Lattice
from latticemetric.mbr_decoding.ngram import MBR, NgramMBR
from latticemetric.mbr_decoding.ngram_gain import GainParameters
from latticemetric.posterior.ngrams import NgramPosteriors

GAIN = "gain"
"""The name of the score column of gains, as costs: −gain."""


class _Unfolded(NamedTuple):
    """The old state of each new state; and the end, the old arc and the gain of each new arc."""

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
    """Return the graph's lattice with the gain of each arc as a cost: its best path is the answer of `mbr`.

    The gain of a word depends on the words before it, so states are split by those of these words that matter. Each
    path of the graph (pruned by `prune`) appears once. Its costs in the column `gain` sum to minus its string's gain,
    rounded in about the tenth digit, so that sums are exact and strings with the same n-grams tie. (If strings tie,
    `mbr` returns the one of least model cost; this column alone cannot do that.)

    The graph's own columns get scale 0. Use `scales={"gain": 0, "acoustic": 1}` to restore the model's own cost.

    Args:
        graph: A lattice, or an n-best list.
        scale: Factor of the costs, before they become probabilities.
        T: The weight of words against n-grams; see `GainParameters`.
        p: Average precision of unigrams.
        r: Ratio of the precision of each order to that of the order before.
        order: The longest n-grams.
        word_penalty: An additional cost of each word.
        evidence: Another graph for the posteriors.
        prune: Prune the graphs first to paths that cost at most this much more than the best one, before scaling.
        scales: Weight of each score column in the model's cost; other columns keep their own.
        gains_only: Leave out the graph's own columns and labels, since some formats hold only one column.

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
    search = NgramMBR(as_lattice(graph, scales), evidence, prune, scales)
    return _unfolded(search, search.posteriors(scale, order), parameters, gains_only=gains_only)


def mbr_with_lattice(
    graph: Graph,
    parameters: GainParameters,
    *,
    evidence: Graph | None = None,
    prune: float | None = None,
    scales: Scales | None = None,
    gains_only: bool = False,
) -> tuple[MBR, Lattice]:
    """Return the results of `mbr` and `mbr_lattice`, with posteriors computed only once."""
    search = NgramMBR(as_lattice(graph, scales), evidence, prune, scales)
    ngrams = search.posteriors(parameters.scale, parameters.order)
    return search.answer(ngrams, parameters), _unfolded(search, ngrams, parameters, gains_only=gains_only)


def _unfolded(search: NgramMBR, ngrams: NgramPosteriors, parameters: GainParameters, *, gains_only: bool) -> Lattice:
    """Return the lattice of the search, with gains."""
    lattice = search.lattice
    if GAIN in lattice.scores and not gains_only:
        raise UsageError(f"the lattice has a score column '{GAIN}' already", advice="ask for gains only")
    gains = search.gains(ngrams, parameters)
    unfolded = _Unfolded(
        *_native.unfold_gains(
            lattice.source,
            lattice.target,
            search.numbers,
            lattice.num_states,
            ngrams.parent,
            ngrams.word,
            gains.ngram,
            gains.word,
        )
    )
    # Arcs of a state keep their order.
    in_order = np.lexsort((unfolded.arc, unfolded.source))
    arc = unfolded.arc[in_order]
    final = np.flatnonzero(np.isin(unfolded.state, lattice.final))
    ends = np.searchsorted(lattice.final, unfolded.state[final])
    scores = {} if gains_only else taken(lattice.scores, arc, ends)
    return Lattice.from_arcs(
        unfolded.source[in_order],
        unfolded.target[in_order],
        lattice.word[arc],
        final=final,
        scores={
            **{name: replace(column, scale=0.0) for name, column in scores.items()},
            GAIN: Column(0.0 - unfolded.gain[in_order], np.zeros(len(final))),
        },
        vocabulary=lattice.vocabulary,
        times=None if lattice.times is None else lattice.times[unfolded.state],
        labels={} if gains_only else taken(lattice.labels, arc, ends),
    )
