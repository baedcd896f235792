"""MBR by n-grams: find the path or derivation whose n-grams gain most, by their posteriors in the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from latticemetric.engine.ngrams import ExactGains, derivation_of_ngrams, path_of_ngrams
from latticemetric.errors import InputError
from latticemetric.forest.forest import Forest
from latticemetric.forest.pruning import prune_forest
from latticemetric.frozen import cached_property
from latticemetric.graph import Graph, as_lattice_or_forest, scales_of_each
from latticemetric.lattice.columns import Costs, Scales, Steps
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import summable
from latticemetric.lattice.pruning import prune
from latticemetric.mbr_decoding.ngram_gain import GainParameters
from latticemetric.posterior.ngrams import NgramPosteriors
from latticemetric.posterior.posteriors import posteriors
from latticemetric.vocabulary import EPSILON, Vocabulary, Words


@dataclass(frozen=True)
class MBR:
    """The result of n-gram MBR.

    Attributes:
        words: The string with the largest gain.
        gain: Its gain: θ₀ · words + Σ θₙ · posterior over its n-grams.
        cost: The model's cost of its path or derivation under the given scales.
        arcs: The arcs of its path, as numbered in the given lattice.
        edges: The edges of its derivation in the given forest, in preorder.
        derivation: The tree of these edges, in brackets; `Forest.tree` returns a tree object.
        confidences: For each word, the probability that the evidence has it, at any position.
        one_best: The words of the model's own best path or derivation.
        parameters: The parameters of gains.
        beam: The beam of the pruning; `None` if the graphs were not pruned.
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

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        path: dict[str, Any] = {"arcs": list(self.arcs)}
        if self.derivation is not None:
            path = {"edges": list(self.edges), "derivation": self.derivation}
        return {
            "hypothesis": " ".join(self.words),
            "gain": self.gain,
            "cost": self.cost,
            **path,
            "confidences": list(self.confidences),
            "one_best": " ".join(self.one_best),
            **self.parameters.asdict(),
            "prune": self.beam,
        }


class NgramMBR:
    """The pruned graph and the pruned evidence: the part of the search that does not depend on parameters."""

    def __init__(self, graph: Graph, evidence: Graph | None, beam: float | None, scales: Scales | None) -> None:
        own = as_lattice_or_forest(graph, scales)
        other = own if evidence is None or evidence is graph else as_lattice_or_forest(evidence, scales)
        own_scales, other_scales = scales_of_each(scales, own, other)
        self._graph, self._beam, self._scales = own, beam, own_scales
        self._pruned, self._kept = _pruned(own, beam, own_scales)
        self._evidence, self._evidence_scales = self._pruned, own_scales
        if other is not own:
            self._evidence = other if beam is None else other.pruned(beam, other_scales)
            self._evidence_scales = other_scales
        self._max_words = self._pruned.max_words()

    @property
    def lattice(self) -> Lattice:
        """The lattice to choose from, pruned."""
        if isinstance(self._pruned, Forest):
            raise InputError("only arcs of lattices can have gains")
        return self._pruned

    @cached_property
    def numbers(self) -> Words:
        """The words of the lattice's arcs, as numbers of the evidence."""
        lattice = self.lattice
        if lattice.vocabulary == self._evidence.vocabulary:
            return lattice.word
        words, row = np.unique(lattice.word, return_inverse=True)
        return _numbers_in(self._evidence.vocabulary, words, lattice.vocabulary)[row]

    def posteriors(self, scale: float, order: int) -> NgramPosteriors:
        """Compute the n-gram posteriors of the evidence."""
        return posteriors(self._evidence, scale=scale, scales=self._evidence_scales).ngrams(order)

    def gains(self, ngrams: NgramPosteriors, parameters: GainParameters) -> ExactGains:
        """Return the gains of n-grams and words, rounded so that sums along any path are exact."""
        return parameters.of_ngrams(ngrams, self._max_words)

    def answer(self, ngrams: NgramPosteriors, parameters: GainParameters) -> MBR:
        """Return the string with the largest gain, as a result."""
        graph, path = self._graph, self._best(ngrams, parameters)
        words, steps, posterior = graph.words(path), tuple(path.tolist()), ngrams.words()
        is_forest = isinstance(graph, Forest)
        return MBR(
            words=words,
            gain=parameters.of_string(words, ngrams),
            cost=graph.cost_of(path, self._scales),
            arcs=() if is_forest else steps,
            edges=steps if is_forest else (),
            derivation=graph.tree(steps).bracketed() if isinstance(graph, Forest) else None,
            confidences=tuple(posterior.get(word, 0.0) for word in words),
            one_best=self.one_best,
            parameters=parameters,
            beam=self._beam,
        )

    def string(self, ngrams: NgramPosteriors, parameters: GainParameters) -> tuple[str, ...]:
        """Return only the words of the result."""
        return self._graph.words(self._best(ngrams, parameters))

    @cached_property
    def one_best(self) -> tuple[str, ...]:
        """The words of the model's own best path or derivation."""
        return self._graph.words(self._graph.best_path(self._scales))

    def _best(self, ngrams: NgramPosteriors, parameters: GainParameters) -> Steps:
        """Return the path with the largest gain, as numbered in the graph before pruning."""
        gains = self.gains(ngrams, parameters)
        if isinstance(self._pruned, Forest):
            own, known = self._shared_words
            columns = self._pruned.hypergraph(self._compared_cost)
            return self._kept[derivation_of_ngrams(columns, own, known, ngrams, gains)]
        return self._kept[path_of_ngrams(self._pruned, self.numbers, self._compared_cost, ngrams, gains)]

    @cached_property
    def _compared_cost(self) -> Costs:
        cost = self._pruned.cost(self._scales)
        return summable(self._pruned.hypergraph(cost)) if isinstance(self._pruned, Forest) else cost

    @cached_property
    def _shared_words(self) -> tuple[Words, Words]:
        """The words that the forest shares with the evidence: their numbers in the forest, and in the evidence."""
        assert isinstance(self._pruned, Forest)
        symbols = np.unique(self._pruned.target.values)
        own = symbols[symbols > EPSILON]
        known = _numbers_in(self._evidence.vocabulary, own, self._pruned.vocabulary)
        return own[known > EPSILON], known[known > EPSILON]


def _pruned(graph: Lattice | Forest, beam: float | None, scales: Scales | None) -> tuple[Lattice | Forest, Steps]:
    """Return the graph within a beam, and the numbers of the arcs or edges that it keeps."""
    if beam is None:
        return graph, np.arange(len(graph.head if isinstance(graph, Forest) else graph.word))
    return prune_forest(graph, beam, scales) if isinstance(graph, Forest) else prune(graph, beam, scales)


def _numbers_in(vocabulary: Vocabulary, numbers: Words, spelling: Vocabulary) -> Words:
    """Return the numbers of words in another vocabulary; `UNKNOWN` for words that are not in it."""
    if spelling == vocabulary:
        return numbers
    renumbered = vocabulary.encode([spelling.word(number) for number in numbers.tolist()])
    renumbered[numbers == EPSILON] = EPSILON
    return renumbered
