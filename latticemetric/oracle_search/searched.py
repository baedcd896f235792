"""What can be searched: a graph as a recognition rate reads it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.automata.recognition import ngram_total
from latticemetric.automata.reference import ReferenceNgrams
from latticemetric.engine.ngrams import ExactGains
from latticemetric.forest.forest import Forest
from latticemetric.lattice.lattice import Costs, Lattice
from latticemetric.metrics.base import GraphReference, GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import Merit, merit
from latticemetric.oracle_search.reference_strings import readings
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

Path = npt.NDArray[np.int64]
"""Arcs of a lattice, or edges of a forest."""


class Candidate(NamedTuple):
    """The best path for one reference, and the merit that the search promises."""

    path: Path
    promised: Merit


class Searched(ABC):
    """A lattice or a forest, read as a metric does: without ignored words and wildcards."""

    def __init__(self, metric: GRR, vocabulary: Vocabulary, cost: Costs) -> None:
        self.metric, self.vocabulary, self.cost = metric, vocabulary, cost

    def best(self, reference: GraphReference, engine: str) -> Candidate:
        """The best path against one reference."""
        if isinstance(reference, Lattice):
            return self._best_in(reference, engine)
        counted = self.metric.counted(reference)
        path, gain = self._search(self.vocabulary.encode(counted), engine)
        return self._candidate(path, gain, counted)

    def _best_in(self, reference: Lattice, engine: str) -> Candidate:
        """The best path against a graph: against any of its readings."""
        return self.preferred([self.best(words, engine) for words in readings(reference)])

    def preferred(self, candidates: Sequence[Candidate]) -> Candidate:
        """The best by the tie rule, which asks more of paths than the search did: where there is one, nothing."""
        return candidates[0] if len(candidates) == 1 else min(candidates, key=self.preference)

    def preference(self, candidate: Candidate) -> tuple[Any, ...]:
        """Orders the best paths for several references by the tie rule, a defined rate before none."""
        defined, rate = candidate.promised
        return (not defined, -rate, *self.price(candidate.path))

    def price(self, path: Path) -> tuple[float, int, tuple[int, ...]]:
        """What decides among paths that score alike: cost, words, arcs or edges."""
        return self._compared_cost(path), self._words_of(path), tuple(path.tolist())

    def reported(self, path: Path) -> tuple[str, ...]:
        """The words of a path without those that are ignored."""
        words, ignored = self._words(path), self.metric.ignore
        return tuple(word for word in words if word not in ignored) if ignored else tuple(words)

    def scored(self, path: Path, references: GraphReferences) -> ScoredPath:
        """Scores a path from its words, by the string metric."""
        metric = self.metric
        words = self.reported(path)
        _, statistics, alignment, reference = metric.evaluate(words, references)
        return ScoredPath(
            words=words,
            score=metric.value(statistics),
            numerator=metric.numerator(statistics),
            denominator=metric.denominator(statistics),
            statistics=statistics,
            cost=self._price(path),
            scores=self._scores(path),
            alignment=alignment,
            reference=reference,
            **self._way(path),
        )

    def _candidate(self, path: Path, gain: int, counted: Sequence[str]) -> Candidate:
        return Candidate(path, merit(gain, ngram_total(len(counted), self.metric.order), self.metric.gains))

    @abstractmethod
    def one_best(self) -> Path:
        """The model's own best path."""

    @abstractmethod
    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Path:
        """The path that gains most: by each n-gram as often as it stands there, and by each word."""

    @property
    @abstractmethod
    def graph(self) -> Lattice | Forest:
        """What is searched."""

    @abstractmethod
    def _search(self, reference: Words, engine: str) -> tuple[Path, int]:
        """The best path, and what it gains."""

    @abstractmethod
    def _words(self, path: Path) -> Sequence[str]: ...

    @abstractmethod
    def _words_of(self, path: Path) -> int:
        """How many words stand in the result."""

    @abstractmethod
    def _price(self, path: Path) -> float: ...

    def _compared_cost(self, path: Path) -> float:
        """The cost that paths are compared by."""
        return self._price(path)

    @abstractmethod
    def _scores(self, path: Path) -> Mapping[str, float]: ...

    @abstractmethod
    def _way(self, path: Path) -> dict[str, Any]:
        """The path by the graph's own numbers, as a `ScoredPath` has it."""

    def _numbered(self, words: frozenset[str]) -> Words:
        """The numbers of those words that the graph may say."""
        numbers = self.vocabulary.encode(sorted(words))
        return numbers[numbers > EPSILON]
