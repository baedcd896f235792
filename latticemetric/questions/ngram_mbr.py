"""MBR by n-grams: the path of a lattice whose n-grams gain most, by their posteriors in the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Lattice, Scales
from latticemetric.lattice_pruning import prune
from latticemetric.questions.graphs import as_lattice, divided
from latticemetric.questions.ngram_gain import ExactGains, GainParameters, exact_gains
from latticemetric.questions.ngram_posteriors import NgramPosteriors
from latticemetric.questions.posteriors import posteriors
from latticemetric.vocabulary import EPSILON, Vocabulary, Words


@dataclass(frozen=True)
class MBR:
    """The answer of n-gram MBR.

    Attributes:
        words: The string that gains most.
        gain: What it gains: θ₀ · words + Σ θₙ · posterior over its n-grams.
        cost: The model's cost of its path under the scales asked for.
        arcs: The arcs of its path, by their numbers in the lattice that was given.
        confidences: Of each word of the answer: how probable it is that the evidence says it, somewhere.
        one_best: The words of the model's own best path.
        parameters: How strings gained.
        beam: The cost that graphs were pruned to, above their best paths; `None` where they were not.
    """

    words: tuple[str, ...]
    gain: float
    cost: float
    arcs: tuple[int, ...]
    confidences: tuple[float, ...]
    one_best: tuple[str, ...]
    parameters: GainParameters
    beam: float | None

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "hypothesis": " ".join(self.words),
            "gain": self.gain,
            "cost": self.cost,
            "arcs": list(self.arcs),
            "confidences": list(self.confidences),
            "one_best": " ".join(self.one_best),
            **self.parameters.asdict(),
            "prune": self.beam,
        }


class NgramMBR:
    """A graph to choose from and the evidence to choose by, pruned: what all parameters have in common."""

    def __init__(self, graph: Graph, evidence: Graph | None, beam: float | None, scales: Scales | None) -> None:
        lattice = as_lattice(graph, scales)
        other = lattice if evidence is None or evidence is graph else as_lattice(evidence, scales)
        own, others = divided(scales, lattice, other)
        self._beam = beam
        self._cost = lattice.cost(own)
        self._is_word = (lattice.word != EPSILON).astype(np.uint8)
        self._whole, self._lattice, self._arcs = lattice, lattice, np.arange(len(lattice.word))
        if beam is not None:
            self._lattice, self._arcs = prune(lattice, beam, own)
        self._searched_cost = self._lattice.cost(own)
        self._evidence, self._evidence_scales = self._lattice, own
        if other is not lattice:
            self._evidence = other if beam is None else other.pruned(beam, others)
            self._evidence_scales = others
        self._word = _renumbered(self._lattice, self._evidence.vocabulary)
        self._longest = _most_words(self._lattice)

    @property
    def searched(self) -> tuple[Lattice, Words]:
        """The lattice to choose from, pruned, and the words of its arcs by the evidence's numbers."""
        return self._lattice, self._word

    def posteriors(self, scale: float, order: int) -> NgramPosteriors:
        """Of the evidence."""
        return posteriors(self._evidence, scale=scale, scales=self._evidence_scales).ngrams(order)

    def answer(self, counted: NgramPosteriors, parameters: GainParameters) -> MBR:
        """The string that gains most."""
        arcs = self._search(counted, parameters)
        words = self._whole.words(arcs.tolist())
        probable = counted.words()
        return MBR(
            words=words,
            gain=parameters.of_string(words, counted),
            cost=self._cost.along(arcs, self._whole),
            arcs=tuple(arcs.tolist()),
            confidences=tuple(probable.get(word, 0.0) for word in words),
            one_best=self.one_best,
            parameters=parameters,
            beam=self._beam,
        )

    def string(self, counted: NgramPosteriors, parameters: GainParameters) -> tuple[str, ...]:
        """The words of the answer, without what else is said of it."""
        return self._whole.words(self._search(counted, parameters).tolist())

    @cached_property
    def one_best(self) -> tuple[str, ...]:
        """The words of the model's own best path."""
        whole, cost = self._whole, self._cost
        path = _native.best_path(whole.source, whole.target, cost.arc, self._is_word, cost.final)
        return whole.words(path.tolist())

    def gains(self, counted: NgramPosteriors, parameters: GainParameters) -> ExactGains:
        """Of n-grams and words, with sums that are exact along any path."""
        return exact_gains(counted, parameters, self._longest)

    def _search(self, counted: NgramPosteriors, parameters: GainParameters) -> npt.NDArray[np.int64]:
        lattice, cost = self._lattice, self._searched_cost
        gains = self.gains(counted, parameters)
        path = _native.search_ngrams(
            lattice.source,
            lattice.target,
            self._word,
            cost.arc,
            cost.final,
            counted.parent,
            counted.word,
            gains.ngram,
            gains.word,
        )
        return self._arcs[path]


def _most_words(lattice: Lattice) -> int:
    """Words of the longest path."""
    is_word = (lattice.word != EPSILON).astype(np.uint8)
    ends = np.full(lattice.num_states, np.inf)
    ends[lattice.final] = 0.0
    path = _native.best_path(lattice.source, lattice.target, -is_word.astype(np.float64), is_word, ends)
    return int(is_word[path].sum())


def _renumbered(lattice: Lattice, vocabulary: Vocabulary) -> Words:
    """The words of a lattice by the numbers of another vocabulary; `UNKNOWN` for those that are strange to it."""
    if lattice.vocabulary == vocabulary:
        return lattice.word
    numbers, row = np.unique(lattice.word, return_inverse=True)
    words = [lattice.vocabulary.word(number) for number in numbers.tolist()]
    renumbered = vocabulary.encode(words)
    renumbered[numbers == EPSILON] = EPSILON
    return renumbered[row]
