"""MBR by n-grams: find the path or derivation with the largest expected gain of its n-grams.

The gain of a string is a linear approximation of log BLEU (Tromble et al. 2008), with the posteriors of its n-grams.
Posteriors come from the graph, or from another graph, the evidence. `mbr_lattice` returns a lattice with −gain as costs
of its arcs, for other tools to rescore, prune or search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from latticemetric import _native
from latticemetric.cached import cached_property
from latticemetric.engine.native import (
    MOST_ITEMS,
    ExactGains,
    FoundDerivation,
    derivation_of_ngrams,
    path_of_ngrams,
    unit_of_gains,
)
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.forest.pruning import prune_forest
from latticemetric.frozen import Result
from latticemetric.graph import Graph, as_lattice, as_lattice_or_forest, path_fields, plain_path, weights_of_each
from latticemetric.lattice.canonical_order import with_canonical_arcs
from latticemetric.lattice.columns import Column, Steps, Weights, taken
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import TOO_MANY_NGRAMS, small_enough, summable
from latticemetric.lattice.pruning import prune
from latticemetric.mbr_decoding.settings import ByNgrams, decided_by
from latticemetric.memory import most_bytes
from latticemetric.posterior.best import Times, pairs_of, times_along
from latticemetric.posterior.posteriors import ForestPosteriors, NgramPosteriors, NgramsOnDemand, posteriors
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, distinct_words

NgramEvidence: TypeAlias = NgramPosteriors | NgramsOnDemand
"""The n-grams of the evidence: all of them, or those of a forest, counted when a search needs them."""

GAIN = "gain"
"""The name of the score column with −gain as cost."""


@dataclass(frozen=True, repr=False)
class MBR(Result):
    """The result of n-gram MBR.

    If the search of a forest stopped early, `exact` is False: another string may gain more, but none gains more than
    `gain_bound`.

    Attributes:
        words: The string with the largest gain; if not `exact`, the best string that the search found.
        gain: Its gain: θ₀ · words + Σ θₙ · posterior over its n-grams.
        gain_bound: An upper bound of the gain of all strings; if `exact`, the gain.
        exact: True if no string gains more.
        cost: The model's cost of its path or derivation under the given weights.
        arcs: The arcs of its path, as numbered in the given lattice; empty if the lattice was determinized.
        edges: The edges of its derivation in the given forest, in preorder.
        derivation: The tree of these edges, in brackets; `Forest.tree` returns a tree object.
        confidences: For each word, the probability that a path of the evidence has it, at any position.
        one_best: The words of the 1-best.
        by: The settings.
        times: Begin and end of each word, in seconds; `None` if the lattice has no times, or was determinized.
        lattice: The lattice with the gains of arcs, for a run that writes it; otherwise `None`.
    """

    words: tuple[str, ...]
    gain: float
    gain_bound: float
    exact: bool
    cost: float
    arcs: tuple[int, ...]
    edges: tuple[int, ...]
    derivation: str | None
    confidences: tuple[float, ...]
    one_best: tuple[str, ...]
    by: ByNgrams
    times: Times | None = None
    lattice: Lattice | None = None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            one_best (str): The words of the model's own best path.
        """
        return {
            "hypothesis": " ".join(self.words),
            "gain": self.gain,
            "gain_bound": self.gain_bound,
            "exact": self.exact,
            "cost": self.cost,
            **plain_path(self),
            "confidences": list(self.confidences),
            "times": pairs_of(self.times),
            "one_best": " ".join(self.one_best),
            **self.by.asdict(),
        }


class _Best(NamedTuple):
    """The path or derivation with the largest gain; for `bound` and `exact`, see `FoundDerivation`."""

    path: Steps
    bound: float = math.inf
    exact: bool = True


def determinized(graph: Graph, beam: float | None, weights: Weights | None) -> Lattice:
    """Return the smallest lattice with the best path of each string within a beam, as in HiFST."""
    lattice = as_lattice(graph, weights, advice="only lattices can be determinized").determinized(weights)
    return lattice if beam is None else lattice.pruned(beam).determinized()


class NgramMBR:
    """A search of a pruned graph, for several settings that prune alike. Posteriors come from the pruned evidence.

    If the settings say `determinize`, both graphs are determinized, so that a string has the probability of its best
    path. Then results have no arcs, since the arcs of the given graph are lost.
    """

    def __init__(
        self, graph: Graph, by: ByNgrams, evidence: Graph | None = None, weights: Weights | None = None
    ) -> None:
        own = as_lattice_or_forest(graph, weights)
        other = own if evidence is None or evidence is graph else as_lattice_or_forest(evidence, weights)
        own_weights, other_weights = weights_of_each(weights, own, other)
        beam, self._determinized = by.beam, by.determinize
        if self._determinized:
            smaller = determinized(own, beam, own_weights)
            own, other = smaller, smaller if other is own else determinized(other, beam, other_weights)
            own_weights = other_weights = beam = None
        self._graph, self._weights = own, own_weights
        # The numbers, before pruning, of the arcs or edges that pruning keeps.
        self._pruned, self._kept = own, np.arange(len(own.head if isinstance(own, Forest) else own.word))
        if beam is not None:
            cut = prune_forest(own, beam, own_weights) if isinstance(own, Forest) else prune(own, beam, own_weights)
            self._pruned, self._kept = cut
        self._evidence, self._evidence_columns = self._pruned, own_weights
        if other is not own:
            self._evidence = other if beam is None else other.pruned(beam, other_weights)
            self._evidence_columns = other_weights
        self._max_words = self._pruned.max_words()

    def posteriors(self, by: ByNgrams) -> NgramEvidence:
        """Compute the n-gram posteriors of the evidence graph; they depend on scale and order only."""
        found = posteriors(self._evidence, posterior_scale=by.posterior_scale, weights=self._evidence_columns)
        if isinstance(found, ForestPosteriors) and isinstance(self._pruned, Forest):
            return found.ngrams_on_demand(by.order)
        return found.ngrams(by.order)

    def gains(self, ngrams: NgramPosteriors, by: ByNgrams) -> ExactGains:
        """Return the gains of n-grams and words, rounded so that sums along paths are exact."""
        factor = np.array([0.0, *by.factors])
        return ExactGains.of(factor[ngrams.lengths] * ngrams.posterior, by.of_word, self._largest_gain(ngrams, by))

    def _longest(self, ngrams: NgramEvidence) -> int:
        """Return the length of the longest n-grams that count: not more words than any string has."""
        longest = int(ngrams.lengths.max()) if isinstance(ngrams, NgramPosteriors) else ngrams.native.order()
        return min(longest, self._max_words)

    def _largest_gain(self, ngrams: NgramEvidence, by: ByNgrams) -> float:
        """Return an upper bound of the absolute gain of a path; n-grams longer than all strings do not count."""
        largest = max(self._max_words, 1) * (math.fsum(by.factors[: self._longest(ngrams)]) + abs(by.of_word))
        if not math.isfinite(largest):
            raise UsageError(
                "gains are too large to be added up", advice="choose larger T, p or r, or a smaller penalty"
            )
        return largest

    def answer(self, ngrams: NgramEvidence, by: ByNgrams) -> MBR:
        """Return the result for the string with the largest gain."""
        graph, best = self._graph, self._best(ngrams, by)
        words = graph.words(best.path)
        known = ngrams if isinstance(ngrams, NgramPosteriors) else ngrams.of_string(words)
        posterior, gain = known.words(), by.of_string(words, known)
        return MBR(
            words=words,
            gain=gain,
            gain_bound=gain if best.exact else max(gain, best.bound),
            exact=best.exact,
            cost=graph.cost_of(best.path, self._weights),
            **({"arcs": (), "edges": (), "derivation": None} if self._determinized else path_fields(graph, best.path)),
            confidences=tuple(posterior.get(word, 0.0) for word in words),
            one_best=self.one_best,
            by=by,
            times=times_along(graph, best.path),
        )

    def lattice(self, ngrams: NgramEvidence, by: ByNgrams, *, gains_only: bool) -> Lattice:
        """Return the pruned lattice of hypotheses with the gain of each arc; see `mbr_lattice`."""
        lattice = self._pruned
        if isinstance(lattice, Forest):
            raise InputError("only lattices can be written with gains", advice="give a lattice or an n-best list")
        assert isinstance(ngrams, NgramPosteriors)
        if GAIN in lattice.scores and not gains_only:
            raise UsageError(
                f"the lattice already has a score column '{GAIN}'",
                advice="choose gains only (gains_only=True)",
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
                *self.gains(ngrams, by),
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
                **{name: replace(column, weight=0.0) for name, column in scores.items()},
                GAIN: Column(0.0 - gain[in_order], np.zeros(len(final))),
            },
            vocabulary=lattice.vocabulary,
            times=None if lattice.times is None else lattice.times[states],
            labels={} if gains_only else taken(lattice.labels, arc, ends),
        )

    def string(self, ngrams: NgramEvidence, by: ByNgrams) -> tuple[tuple[str, ...], bool]:
        """Return the words of the string with the largest gain, and whether this is exact."""
        best = self._best(ngrams, by)
        return self._graph.words(best.path), best.exact

    @cached_property
    def one_best(self) -> tuple[str, ...]:
        """The words of the 1-best."""
        return self._graph.words(self._graph.best_path(self._weights))

    def _best(self, ngrams: NgramEvidence, by: ByNgrams) -> _Best:
        """Return the path with the largest gain, with arc numbers of the graph before pruning."""
        if isinstance(self._native, _native.Forest):
            found = self._best_derivation(self._native, ngrams, by)
            # Gains are rounded to the unit: those of each word and n-gram may be larger by half of it.
            unit = unit_of_gains(self._largest_gain(ngrams, by))
            rounding = unit / 2 * self._max_words * (self._longest(ngrams) + 1)
            return _Best(self._kept[found.edges], found.bound + rounding, found.exact)
        assert isinstance(ngrams, NgramPosteriors)
        assert isinstance(self._pruned, Lattice)
        gains = self.gains(ngrams, by)
        arcs, by_numbers = path_of_ngrams(self._native, ngrams, gains)
        if by_numbers and not self._pruned.ranked and self._pruned.words(arcs) != self.one_best:
            lattice, numbers = self._in_order
            arcs = numbers[path_of_ngrams(lattice, ngrams, gains)[0]]
        return _Best(self._kept[arcs])

    def _best_derivation(self, forest: _native.Forest, ngrams: NgramEvidence, by: ByNgrams) -> FoundDerivation:
        own, known = self._shared_words
        seconds = math.inf if by.seconds is None else by.seconds
        if isinstance(ngrams, NgramPosteriors):
            gains = self.gains(ngrams, by)
            return derivation_of_ngrams(forest, own, known, ngrams, gains, most_items=by.most_items, seconds=seconds)
        unit = unit_of_gains(self._largest_gain(ngrams, by))
        with small_enough(TOO_MANY_NGRAMS):
            found = ngrams.native.search(
                forest,
                own,
                known,
                factor=np.array(by.factors[: max(self._longest(ngrams), 1)]),
                unit=unit,
                word_gain=round(by.of_word / unit) * unit,
                most_items=min(by.most_items, MOST_ITEMS),
                seconds=seconds,
                most_bytes=most_bytes(),
            )
        return FoundDerivation(*found)

    @cached_property
    def _native(self) -> _native.Lattice | _native.Forest:
        """The pruned graph for kernels; of hypotheses of a list that tie, the first wins, not the shortest."""
        cost = self._pruned.cost(self._weights)
        if isinstance(self._pruned, Forest):
            return summable(self._pruned.hypergraph(cost))
        return self._pruned.native(cost, self._numbers, self._pruned.word_counts())

    @cached_property
    def _in_order(self) -> tuple[Any, Steps]:
        """The pruned lattice in canonical order, for kernels, and the number of each arc before."""
        assert isinstance(self._pruned, Lattice)
        lattice, arcs = with_canonical_arcs(self._pruned)
        return lattice.native(lattice.cost(self._weights), self._numbers[arcs], lattice.word_counts()), arcs

    @cached_property
    def _numbers(self) -> Words:
        """The word of each arc, as its number in the vocabulary of the evidence; unknown words are `UNKNOWN`."""
        assert isinstance(self._pruned, Lattice)
        if self._pruned.vocabulary == self._evidence.vocabulary:
            return self._pruned.word
        words, row = np.unique(self._pruned.word, return_inverse=True)
        return _numbers_in(self._evidence.vocabulary, words, self._pruned.vocabulary)[row]

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


@says_new_keywords
def mbr_lattice(
    graph: Graph,
    by: ByNgrams | None = None,
    *,
    evidence: Graph | None = None,
    weights: Weights | None = None,
    gains_only: bool = False,
    **settings: Any,
) -> Lattice:
    """Return the graph as a lattice with the cost −gain on each arc, so that its best path is the answer of `mbr`.

    Where gains depend on the words before a state, the state is split by these words. Each path of the graph (pruned by
    `beam`) appears once.

    The column `gain` holds costs. Their sum along a path is −1 times the gain of the path's string. Gains are rounded
    at about the tenth digit, so that sums are exact and strings with the same n-grams tie. Of tied strings, `mbr`
    returns the string with the least model cost; a search by this column alone may return another one.

    The graph's own columns get weight 0. Use `weights={"gain": 0, "acoustic": 1}` to restore the model's own cost.

    Args:
        graph: A lattice, or an n-best list.
        by: The settings; in its place, keywords can give them.
        evidence: Another graph that gives the posteriors.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.
        gains_only: Omit the graph's own columns and labels, for formats with only one column.
        settings: The settings of `ByNgrams`.

    Examples:
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a y c"], costs=[0.0, 0.2, 0.2])
        >>> gains = mbr_lattice(lattice)
        >>> gains
        Lattice(8 states, 9 arcs, scores: cost, gain)
        >>> best = min(gains.paths(), key=lambda path: path.cost)
        >>> best.words, round(best.cost, 4)
        (('a', 'b', 'c'), 0.1775)
    """
    decision = by_ngrams(by, settings)
    search = NgramMBR(as_lattice(graph, weights), decision, evidence, weights)
    return search.lattice(search.posteriors(decision), decision, gains_only=gains_only)


def mbr_with_lattice(
    graph: Graph,
    by: ByNgrams,
    *,
    evidence: Graph | None = None,
    weights: Weights | None = None,
    gains_only: bool = False,
) -> tuple[MBR, Lattice]:
    """Return the results of `mbr` and `mbr_lattice`, with posteriors computed only once."""
    search = NgramMBR(as_lattice(graph, weights), by, evidence, weights)
    ngrams = search.posteriors(by)
    return search.answer(ngrams, by), search.lattice(ngrams, by, gains_only=gains_only)


def by_ngrams(by: ByNgrams | None, settings: dict[str, Any]) -> ByNgrams:
    """Return the settings of n-gram MBR: an object, or the settings that keywords mean."""
    decision = decided_by("ngram" if by is None else by, settings)
    if not isinstance(decision, ByNgrams):
        raise UsageError(f"these are the settings of MBR by {decision.named}", advice="give ByNgrams(…)")
    return decision
