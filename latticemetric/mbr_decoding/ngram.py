"""MBR by n-grams: find the path or derivation with the largest expected gain of its n-grams.

The gain of a string is a linear approximation of log BLEU (Tromble et al. 2008), with the posteriors of its n-grams.
Posteriors come from the graph, or from another graph, the evidence. `mbr_lattice` returns a lattice with −gain as costs
of its arcs, for other tools to rescore, prune or search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.arguments import finite_number, real_number
from latticemetric.cached import cached_property
from latticemetric.engine.native import ExactGains, derivation_of_ngrams, path_of_ngrams
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.forest.pruning import prune_forest
from latticemetric.frozen import Result
from latticemetric.graph import Graph, as_lattice, as_lattice_or_forest, path_fields, plain_path, scales_of_each
from latticemetric.lattice.columns import Column, Costs, Scales, Steps, taken
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import TOO_MANY_NGRAMS, small_enough, summable
from latticemetric.lattice.pruning import prune
from latticemetric.metrics.segments import checked_order
from latticemetric.posterior.best import Times, pairs_of, times_along
from latticemetric.posterior.posteriors import NgramPosteriors, posteriors
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, distinct_words

GAIN = "gain"
"""The name of the score column with −gain as cost."""


@dataclass(frozen=True)
class GainParameters:
    """The parameters of gains. A word has the gain θ₀; each occurrence of an n-gram has the gain θₙ · posterior.

    θ₀ = −1/T − word_penalty and θₙ = 1 / (order · T · p · rⁿ⁻¹), as in Tromble et al. 2008, section 4.

    Attributes:
        scale: Factor of the costs before they become probabilities.
        T: Length (in words) of the hypothesis at which log BLEU is linearised. Without a word penalty, T does not
            change which string has the largest gain.
        p: Average precision of unigrams.
        r: Precision of each order, divided by the precision of the order before.
        order: The length of the longest n-grams.
        word_penalty: An additional cost of each word.
    """

    scale: float = 1.0
    T: float = 10.0
    p: float = 0.85
    r: float = 0.72
    order: int = 4
    word_penalty: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", finite_number(self.scale, "the scale"))
        object.__setattr__(self, "word_penalty", finite_number(self.word_penalty, "the word penalty"))
        for name in ("T", "p", "r"):
            value = getattr(self, name)
            checked = real_number(value, f"{name} is {value!r}", "give a number above 0", least=math.ulp(0))
            object.__setattr__(self, name, float(checked))
        object.__setattr__(self, "order", checked_order(self.order))
        if not math.isfinite(sum(self.factors)):
            raise UsageError(
                f"T = {self.T}, p = {self.p}, r = {self.r} at order {self.order} give infinite gains",
                advice="choose larger values",
            )

    @property
    def of_word(self) -> float:
        """The gain of a word: θ₀, which includes the word penalty."""
        return -1 / self.T - self.word_penalty

    @property
    def factors(self) -> list[float]:
        """The gains of n-grams: θ₁, θ₂, … up to `order`."""
        try:
            return [1 / (self.order * self.T * self.p * self.r**n) for n in range(self.order)]
        except (OverflowError, ZeroDivisionError):
            return [math.inf]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)

    def of_string(self, words: Sequence[str], posteriors: NgramPosteriors) -> float:
        """Return the gain of a string with these n-gram posteriors."""
        factor, rows = [0.0, *self.factors], posteriors.rows_in(words)
        lengths, probable = posteriors.lengths[rows].tolist(), posteriors.posterior[rows].tolist()
        gains = [factor[length] * posterior for length, posterior in zip(lengths, probable, strict=True)]
        return math.fsum([self.of_word * len(words), *gains])


@dataclass(frozen=True, repr=False)
class MBR(Result):
    """The result of n-gram MBR.

    Attributes:
        words: The string with the largest gain.
        gain: Its gain: θ₀ · words + Σ θₙ · posterior over its n-grams.
        cost: The model's cost of its path or derivation under the given scales.
        arcs: The arcs of its path, as numbered in the given lattice; empty if the lattice was determinized.
        edges: The edges of its derivation in the given forest, in preorder.
        derivation: The tree of these edges, in brackets; `Forest.tree` returns a tree object.
        confidences: For each word, the probability that a path of the evidence has it, at any position.
        one_best: The words of the 1-best.
        parameters: The parameters of gains.
        beam: The beam of the pruning; `None` if the graphs were not pruned.
        times: Begin and end of each word, in seconds; `None` if the lattice has no times, or was determinized.
    """

    words: tuple[str, ...]
    gain: float
    cost: float
    arcs: tuple[int, ...]
    edges: tuple[int, ...]
    derivation: str | None
    confidences: tuple[float, ...]
    one_best: tuple[str, ...]
    parameters: GainParameters
    beam: float | None
    times: Times | None = None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "hypothesis": " ".join(self.words),
            "gain": self.gain,
            "cost": self.cost,
            **plain_path(self),
            "confidences": list(self.confidences),
            "times": pairs_of(self.times),
            "one_best": " ".join(self.one_best),
            **self.parameters.asdict(),
            "beam": self.beam,
        }


def determinized(graph: Graph, beam: float | None, scales: Scales | None) -> Lattice:
    """Return the smallest lattice with the best path of each string within a beam, as in HiFST."""
    lattice = as_lattice(graph, scales, advice="only lattices can be determinized").determinized(scales)
    return lattice if beam is None else lattice.pruned(beam).determinized()


class NgramMBR:
    """A search of a pruned graph, for several sets of parameters. Posteriors come from the pruned evidence.

    With `determinize`, both graphs are determinized, so that a string has the probability of its best path. Then
    results have no arcs, since the arcs of the given graph are lost.
    """

    def __init__(
        self,
        graph: Graph,
        evidence: Graph | None,
        beam: float | None,
        scales: Scales | None,
        *,
        determinize: bool = False,
    ) -> None:
        own = as_lattice_or_forest(graph, scales)
        other = own if evidence is None or evidence is graph else as_lattice_or_forest(evidence, scales)
        own_scales, other_scales = scales_of_each(scales, own, other)
        self._given_beam, self._determinized = beam, determinize
        if determinize:
            smaller = determinized(own, beam, own_scales)
            own, other = smaller, smaller if other is own else determinized(other, beam, other_scales)
            own_scales = other_scales = beam = None
        self._graph, self._scales = own, own_scales
        # The numbers, before pruning, of the arcs or edges that pruning keeps.
        self._pruned, self._kept = own, np.arange(len(own.head if isinstance(own, Forest) else own.word))
        if beam is not None:
            cut = prune_forest(own, beam, own_scales) if isinstance(own, Forest) else prune(own, beam, own_scales)
            self._pruned, self._kept = cut
        self._evidence, self._evidence_scales = self._pruned, own_scales
        if other is not own:
            self._evidence = other if beam is None else other.pruned(beam, other_scales)
            self._evidence_scales = other_scales
        self._max_words = self._pruned.max_words()

    def posteriors(self, scale: float, order: int) -> NgramPosteriors:
        """Compute the n-gram posteriors of the evidence graph."""
        return posteriors(self._evidence, scale=scale, scales=self._evidence_scales).ngrams(order)

    def gains(self, ngrams: NgramPosteriors, parameters: GainParameters) -> ExactGains:
        """Return the gains of n-grams and words, rounded so that sums along paths are exact."""
        factor = np.array([0.0, *parameters.factors])
        # Orders that no string has do not count: the largest factors are those of the highest orders.
        orders = min(int(ngrams.lengths.max()), self._max_words)
        largest = max(self._max_words, 1) * (math.fsum(parameters.factors[:orders]) + abs(parameters.of_word))
        if not math.isfinite(largest):
            raise UsageError(
                "gains are too large to be added up", advice="choose larger T, p or r, or a smaller penalty"
            )
        return ExactGains.of(factor[ngrams.lengths] * ngrams.posterior, parameters.of_word, largest)

    def answer(self, ngrams: NgramPosteriors, parameters: GainParameters) -> MBR:
        """Return the result for the string with the largest gain."""
        graph, path = self._graph, self._best(ngrams, parameters)
        words, posterior = graph.words(path), ngrams.words()
        return MBR(
            words=words,
            gain=parameters.of_string(words, ngrams),
            cost=graph.cost_of(path, self._scales),
            **({"arcs": (), "edges": (), "derivation": None} if self._determinized else path_fields(graph, path)),
            confidences=tuple(posterior.get(word, 0.0) for word in words),
            one_best=self.one_best,
            parameters=parameters,
            beam=self._given_beam,
            times=times_along(graph, path),
        )

    def lattice(self, ngrams: NgramPosteriors, parameters: GainParameters, *, gains_only: bool) -> Lattice:
        """Return the pruned lattice of hypotheses with the gain of each arc; see `mbr_lattice`."""
        lattice = self._pruned
        if isinstance(lattice, Forest):
            raise InputError("only lattices can be written with gains", advice="give a lattice or an n-best list")
        if GAIN in lattice.scores and not gains_only:
            raise UsageError(
                f"the lattice already has a score column '{GAIN}'",
                advice="choose gains only (--gains-only, gains_only=True)",
            )
        # Get, for each new state, the old state; and for each new arc, its ends, the old arc and the gain.
        with small_enough(TOO_MANY_NGRAMS):
            states, source, target, arcs, gain = _native.unfold_gains(
                lattice.source,
                lattice.target,
                self._numbers,
                lattice.num_states,
                ngrams.parent,
                ngrams.word,
                *self.gains(ngrams, parameters),
            )
        in_order = np.lexsort((arcs, source))  # sort by state; the arcs of a state keep their order
        arc = arcs[in_order]
        final = np.flatnonzero(np.isin(states, lattice.final))
        ends = np.searchsorted(lattice.final, states[final])
        scores = {} if gains_only else taken(lattice.scores, arc, ends)
        return Lattice.from_arcs(
            source[in_order],
            target[in_order],
            lattice.word[arc],
            final=final,
            scores={
                **{name: replace(column, scale=0.0) for name, column in scores.items()},
                GAIN: Column(0.0 - gain[in_order], np.zeros(len(final))),
            },
            vocabulary=lattice.vocabulary,
            times=None if lattice.times is None else lattice.times[states],
            labels={} if gains_only else taken(lattice.labels, arc, ends),
        )

    def string(self, ngrams: NgramPosteriors, parameters: GainParameters) -> tuple[str, ...]:
        """Return the words of the string with the largest gain."""
        return self._graph.words(self._best(ngrams, parameters))

    @cached_property
    def one_best(self) -> tuple[str, ...]:
        """The words of the 1-best."""
        return self._graph.words(self._graph.best_path(self._scales))

    def _best(self, ngrams: NgramPosteriors, parameters: GainParameters) -> Steps:
        """Return the path with the largest gain, with arc numbers of the graph before pruning."""
        gains = self.gains(ngrams, parameters)
        if isinstance(self._pruned, Forest):
            own, known = self._shared_words
            columns = self._pruned.hypergraph(self._compared_cost)
            return self._kept[derivation_of_ngrams(columns, own, known, ngrams, gains)]
        lattice, counts = self._pruned, self._pruned.is_word()
        if lattice.ranked:  # of hypotheses that tie, the first wins, not the shortest
            counts = np.zeros_like(counts)
        arcs = path_of_ngrams(lattice, self._numbers, self._compared_cost, ngrams, gains, word_counts=counts)
        return self._kept[arcs]

    @cached_property
    def _numbers(self) -> Words:
        """The word of each arc, as its number in the vocabulary of the evidence; unknown words are `UNKNOWN`."""
        assert isinstance(self._pruned, Lattice)
        if self._pruned.vocabulary == self._evidence.vocabulary:
            return self._pruned.word
        words, row = np.unique(self._pruned.word, return_inverse=True)
        return _numbers_in(self._evidence.vocabulary, words, self._pruned.vocabulary)[row]

    @cached_property
    def _compared_cost(self) -> Costs:
        cost = self._pruned.cost(self._scales)
        return summable(self._pruned.hypergraph(cost)) if isinstance(self._pruned, Forest) else cost

    @cached_property
    def _shared_words(self) -> tuple[Words, Words]:
        """The words that are in both the forest and the evidence: their numbers in the forest and in the evidence."""
        assert isinstance(self._pruned, Forest)
        own = distinct_words(self._pruned.target.values)
        known = _numbers_in(self._evidence.vocabulary, own, self._pruned.vocabulary)
        return own[known > EPSILON], known[known > EPSILON]


def _numbers_in(vocabulary: Vocabulary, numbers: Words, spelling: Vocabulary) -> Words:
    """Convert word numbers of the vocabulary `spelling` to numbers of `vocabulary`; unknown words become `UNKNOWN`."""
    if spelling == vocabulary:
        return numbers
    renumbered = vocabulary.encode([spelling.word(number) for number in numbers.tolist()])
    renumbered[numbers == EPSILON] = EPSILON
    return renumbered


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
    beam: float | None = None,
    determinize: bool = False,
    scales: Scales | None = None,
    gains_only: bool = False,
) -> Lattice:
    """Return the graph as a lattice with the cost −gain on each arc, so that its best path is the answer of `mbr`.

    Where gains depend on the words before a state, the state is split by these words. Each path of the graph (pruned by
    `beam`) appears once.

    The column `gain` holds costs. Their sum along a path is −1 times the gain of the path's string. Gains are rounded
    at about the tenth digit, so that sums are exact and strings with the same n-grams tie. Of tied strings, `mbr`
    returns the string with the least model cost; a search by this column alone may return another one.

    The graph's own columns get scale 0. Use `scales={"gain": 0, "acoustic": 1}` to restore the model's own cost.

    Args:
        graph: A lattice, or an n-best list.
        scale: Factor of the costs before they become probabilities.
        T: Length (in words) of the hypothesis at which log BLEU is linearised; see `GainParameters`.
        p: Average precision of unigrams.
        r: Precision of each order, divided by the precision of the order before.
        order: The length of the longest n-grams.
        word_penalty: An additional cost of each word.
        evidence: Another graph that gives the posteriors.
        beam: Drop paths that cost more than the best cost plus `beam`. Costs are compared before `scale` is applied.
        determinize: Determinize first, so that a string has the probability of its best path; needs pynini.
        scales: Weights of score columns in the model's cost; columns that are not named keep their default weight.
        gains_only: Omit the graph's own columns and labels, for formats with only one column.

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
    search = NgramMBR(as_lattice(graph, scales), evidence, beam, scales, determinize=determinize)
    return search.lattice(search.posteriors(scale, order), parameters, gains_only=gains_only)


def mbr_with_lattice(
    graph: Graph,
    parameters: GainParameters,
    *,
    evidence: Graph | None = None,
    beam: float | None = None,
    determinize: bool = False,
    scales: Scales | None = None,
    gains_only: bool = False,
) -> tuple[MBR, Lattice]:
    """Return the results of `mbr` and `mbr_lattice`, with posteriors computed only once."""
    search = NgramMBR(as_lattice(graph, scales), evidence, beam, scales, determinize=determinize)
    ngrams = search.posteriors(parameters.scale, parameters.order)
    return search.answer(ngrams, parameters), search.lattice(ngrams, parameters, gains_only=gains_only)
