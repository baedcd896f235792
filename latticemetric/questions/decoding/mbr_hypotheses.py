"""What n-gram MBR chooses from: the paths of a lattice, or the derivations of a forest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.engine.memory import small_enough
from latticemetric.forest import Forest
from latticemetric.forest_arrays import native_arrays
from latticemetric.forest_pruning import prune_forest
from latticemetric.lattice import Lattice, Scales
from latticemetric.lattice_pruning import prune
from latticemetric.questions.decoding.ngram_gain import ExactGains, GainParameters, exact_gains
from latticemetric.questions.distributions.forest_posteriors import TOO_MANY_NGRAMS
from latticemetric.questions.distributions.ngram_posteriors import NgramPosteriors
from latticemetric.questions.longest_string import longest_string
from latticemetric.questions.ngram_search import derivation_of_ngrams, path_of_ngrams
from latticemetric.questions.one_best import one_best
from latticemetric.questions.oracles.searched_forest import summable
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

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
        return exact_gains(counted, parameters, self._longest)

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
        return self._cost.along(path, self._lattice)

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
        return exact_gains(counted, parameters, self._longest)

    def best(self, counted: NgramPosteriors, parameters: GainParameters) -> Path:
        """The derivation that gains most."""
        gains = self.gains(counted, parameters)
        arrays = native_arrays(self.searched, self._searched_cost)
        edges = derivation_of_ngrams(arrays, self._own, self._known, counted, gains)
        return self._edges[edges]

    def one_best(self) -> Path:
        """The model's own."""
        with small_enough(TOO_MANY_NGRAMS):
            return _native.best_derivation(**native_arrays(self._forest, summable(self._forest, self._cost)))

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
