"""MBR by n-grams: the path or derivation whose n-grams gain most, by their posteriors in the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.engine.ngrams import TOO_MANY_NGRAMS, ExactGains, derivation_of_ngrams, path_of_ngrams
from latticemetric.errors import InputError
from latticemetric.forest.forest import Forest
from latticemetric.forest.pruning import prune_forest
from latticemetric.frozen import cached_property
from latticemetric.graph import Graph, as_lattice_or_forest, divided
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.lattice.n_best import small_enough
from latticemetric.lattice.pruning import prune
from latticemetric.mbr_decoding.ngram_gain import GainParameters, exact_ngram_gains
from latticemetric.oracle_search.model_paths import longest_string, one_best
from latticemetric.oracle_search.searched_forest import summable
from latticemetric.posterior.ngrams import NgramPosteriors
from latticemetric.posterior.posteriors import posteriors
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

# ---- What n-gram MBR chooses from: the paths of a lattice, or the derivations of a forest ----

Path = npt.NDArray[np.int64]


class Way(NamedTuple):
    """Where a path goes through a lattice, or a derivation through a forest."""

    arcs: tuple[int, ...]
    edges: tuple[int, ...]
    derivation: str | None


class LatticePaths:
    """The paths of a lattice. `searched` is what pruning leaves of it."""

    def __init__(self, lattice: Lattice, beam: float | None, scales: Scales | None, vocabulary: Vocabulary) -> None:
        self.searched, self._arcs = lattice, np.arange(len(lattice.word))
        if beam is not None:
            self.searched, self._arcs = prune(lattice, beam, scales)
        self._lattice, self._cost = lattice, lattice.cost(scales)
        self._searched_cost = self.searched.cost(scales)
        self.numbers = self._renumbered(vocabulary)
        self._longest = longest_string(self.searched)

    def gains(self, counted: NgramPosteriors, parameters: GainParameters) -> ExactGains:
        """Of n-grams and words, with sums that are exact along any path."""
        return exact_ngram_gains(counted, parameters, self._longest)

    def best(self, counted: NgramPosteriors, parameters: GainParameters) -> Path:
        """The path that gains most."""
        gains = self.gains(counted, parameters)
        path = path_of_ngrams(self.searched, self.numbers, self._searched_cost, counted, gains)
        return self._arcs[path]

    def one_best(self) -> Path:
        """The model's own."""
        return one_best(self._lattice, self._cost)

    def words(self, path: Path) -> tuple[str, ...]:
        """What a path says."""
        return self._lattice.words(path.tolist())

    def cost_of(self, path: Path) -> float:
        """What it costs."""
        return self._lattice.cost_of(path, self._cost)

    def way(self, path: Path) -> Way:
        """Where it goes."""
        return Way(tuple(path.tolist()), (), None)

    def _renumbered(self, vocabulary: Vocabulary) -> Words:
        if self.searched.vocabulary == vocabulary:
            return self.searched.word
        numbers, row = np.unique(self.searched.word, return_inverse=True)
        renumbered = numbers_in(vocabulary, numbers, self.searched.vocabulary)
        return renumbered[row]


class ForestDerivations:
    """The derivations of a forest. `searched` is what pruning leaves of it."""

    def __init__(self, forest: Forest, beam: float | None, scales: Scales | None, vocabulary: Vocabulary) -> None:
        self.searched, self._edges = forest, np.arange(len(forest.head))
        if beam is not None:
            self.searched, self._edges = prune_forest(forest, beam, scales)
        self._forest, self._cost = forest, forest.cost(scales)
        self._searched_cost = summable(self.searched, self.searched.cost(scales))
        said = np.unique(self.searched.target.values)
        own = said[said > EPSILON]
        known = numbers_in(vocabulary, own, self.searched.vocabulary)
        self._longest = longest_string(self.searched)
        self._own, self._known = own[known > EPSILON], known[known > EPSILON]

    def gains(self, counted: NgramPosteriors, parameters: GainParameters) -> ExactGains:
        """Of n-grams and words, with sums that are exact over any derivation."""
        return exact_ngram_gains(counted, parameters, self._longest)

    def best(self, counted: NgramPosteriors, parameters: GainParameters) -> Path:
        """The derivation that gains most."""
        gains = self.gains(counted, parameters)
        arrays = self.searched.hypergraph(self._searched_cost)
        edges = derivation_of_ngrams(arrays, self._own, self._known, counted, gains)
        return self._edges[edges]

    def one_best(self) -> Path:
        """The model's own."""
        with small_enough(TOO_MANY_NGRAMS):
            return _native.best_derivation(**self._forest.hypergraph(summable(self._forest, self._cost)))

    def words(self, path: Path) -> tuple[str, ...]:
        """What a derivation says."""
        return self._forest.words(path)

    def cost_of(self, path: Path) -> float:
        """What it costs."""
        return float(self._cost.arc[path].sum() + self._cost.final[self._forest.head[path[0]]])

    def way(self, path: Path) -> Way:
        """How it goes."""
        edges = tuple(path.tolist())
        return Way((), edges, self._forest.tree(edges).bracketed())


def hypotheses_of(
    graph: Lattice | Forest, beam: float | None, scales: Scales | None, vocabulary: Vocabulary
) -> LatticePaths | ForestDerivations:
    """The strings to choose from; `vocabulary` is that of the evidence."""
    if isinstance(graph, Forest):
        return ForestDerivations(graph, beam, scales, vocabulary)
    return LatticePaths(graph, beam, scales, vocabulary)


def numbers_in(vocabulary: Vocabulary, numbers: Words, spelling: Vocabulary) -> Words:
    """The numbers that another vocabulary has for words; `UNKNOWN` for those that are strange to it."""
    if spelling == vocabulary:
        return numbers
    renumbered = vocabulary.encode([spelling.word(number) for number in numbers.tolist()])
    renumbered[numbers == EPSILON] = EPSILON
    return renumbered


@dataclass(frozen=True)
class MBR:
    """The answer of n-gram MBR.

    Attributes:
        words: The string that gains most.
        gain: What it gains: θ₀ · words + Σ θₙ · posterior over its n-grams.
        cost: The model's cost of its path or derivation under the scales asked for.
        arcs: The arcs of its path, by their numbers in the lattice that was given.
        edges: Or the edges of its derivation in the forest, in preorder.
        derivation: And the tree that they are, in brackets; `Forest.tree` makes one of them.
        confidences: Of each word of the answer: how probable it is that the evidence says it, somewhere.
        one_best: The words of the model's own best path or derivation.
        parameters: How strings gained.
        beam: The cost that graphs were pruned to, above their best paths; `None` where they were not.
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
        """Plain values, for JSON."""
        return {
            "hypothesis": " ".join(self.words),
            "gain": self.gain,
            "cost": self.cost,
            **self._way(),
            "confidences": list(self.confidences),
            "one_best": " ".join(self.one_best),
            **self.parameters.asdict(),
            "prune": self.beam,
        }

    def _way(self) -> dict[str, Any]:
        """Where it goes through the graph."""
        if self.derivation is None:
            return {"arcs": list(self.arcs)}
        return {"edges": list(self.edges), "derivation": self.derivation}


class NgramMBR:
    """A graph to choose from and the evidence to choose by, pruned: what all parameters have in common."""

    def __init__(self, graph: Graph, evidence: Graph | None, beam: float | None, scales: Scales | None) -> None:
        own = as_lattice_or_forest(graph, scales)
        other = own if evidence is None or evidence is graph else as_lattice_or_forest(evidence, scales)
        own_scales, others = divided(scales, own, other)
        self._beam = beam
        self._hypotheses = hypotheses_of(own, beam, own_scales, other.vocabulary)
        self._evidence, self._evidence_scales = self._hypotheses.searched, own_scales
        if other is not own:
            self._evidence = other if beam is None else other.pruned(beam, others)
            self._evidence_scales = others

    @property
    def searched(self) -> tuple[Lattice, Words]:
        """The lattice to choose from, pruned, and the words of its arcs by the evidence's numbers."""
        if not isinstance(self._hypotheses, LatticePaths):
            raise InputError("only arcs of lattices can be told what they gain")
        return self._hypotheses.searched, self._hypotheses.numbers

    def posteriors(self, scale: float, order: int) -> NgramPosteriors:
        """Of the evidence."""
        return posteriors(self._evidence, scale=scale, scales=self._evidence_scales).ngrams(order)

    def answer(self, counted: NgramPosteriors, parameters: GainParameters) -> MBR:
        """The string that gains most."""
        hypotheses = self._hypotheses
        path = hypotheses.best(counted, parameters)
        words = hypotheses.words(path)
        probable = counted.words()
        return MBR(
            words=words,
            gain=parameters.of_string(words, counted),
            cost=hypotheses.cost_of(path),
            **hypotheses.way(path)._asdict(),
            confidences=tuple(probable.get(word, 0.0) for word in words),
            one_best=self.one_best,
            parameters=parameters,
            beam=self._beam,
        )

    def string(self, counted: NgramPosteriors, parameters: GainParameters) -> tuple[str, ...]:
        """The words of the answer, without what else is said of it."""
        return self._hypotheses.words(self._hypotheses.best(counted, parameters))

    @cached_property
    def one_best(self) -> tuple[str, ...]:
        """The words of the model's own best path or derivation."""
        return self._hypotheses.words(self._hypotheses.one_best())

    def gains(self, counted: NgramPosteriors, parameters: GainParameters) -> ExactGains:
        """Of n-grams and words, with sums that are exact along any path."""
        return self._hypotheses.gains(counted, parameters)
