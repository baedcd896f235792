"""Search spaces: the paths of a lattice, or the derivations of a forest, prepared for a recognition rate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from latticemetric.automata.recognition import ngram_total
from latticemetric.automata.reference import ReferenceGraph, ReferenceNgrams, counted_labels
from latticemetric.engine.engines import find_engine
from latticemetric.engine.ngrams import ExactGains, path_of_ngrams
from latticemetric.engine.search import BestPath, Search
from latticemetric.engine.ties import TieKey
from latticemetric.forest.forest import Forest
from latticemetric.lattice.columns import Costs, Scales, Steps, is_any_of
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphReference, GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import Merit, merit
from latticemetric.oracle_search.reference_strings import strings_of_graph
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.vocabulary import EPSILON, Words


class Candidate(NamedTuple):
    """The best path for one reference, and the merit that the search computed for it."""

    path: Steps
    promised: Merit


class SearchSpace(ABC):
    """A lattice or a forest without ignored words and wildcards.

    Attributes:
        graph: The graph.
        metric: The recognition rate.
        cost: The model's cost of its arcs or edges.
        compared_cost: The same cost, in the form that ties compare.
        word_counts: The number of words of the result on each arc or edge.
    """

    graph: Lattice | Forest

    def __init__(self, metric: GRR, cost: Costs, compared_cost: Costs, word_counts: Any) -> None:
        self.metric, self.cost, self.compared_cost, self.word_counts = metric, cost, compared_cost, word_counts

    def best(self, reference: GraphReference, engine: str = "auto") -> Candidate:
        """Return the best path against one reference."""
        if isinstance(reference, Lattice):
            return self._best_in(reference, engine)
        path, gain = self._search(self.encoded(reference), engine)
        return self.candidate(path, gain, reference)

    def preferred(self, candidates: Sequence[Candidate]) -> Candidate:
        """Return the best candidate by the tie rule; a single one needs no comparison."""
        return candidates[0] if len(candidates) == 1 else min(candidates, key=self.preference)

    def preference(self, candidate: Candidate) -> tuple[Any, ...]:
        """Return the sort key of the best paths for several references; a defined rate sorts before none."""
        defined, rate = candidate.promised
        return (not defined, -rate, self.tie_key(candidate.path))

    def tie_key(self, path: Steps) -> TieKey:
        """Return the sort key among paths with the same score."""
        cost = self.graph.cost_of(path, self.compared_cost)
        return TieKey(cost, int(self.word_counts[path].sum()), tuple(path.tolist()))

    def reported(self, path: Steps) -> tuple[str, ...]:
        """Return the words of a path, without ignored words."""
        words, ignored = self.graph.words(path), self.metric.ignore
        return tuple(word for word in words if word not in ignored) if ignored else words

    def scored(self, path: Steps, references: GraphReferences) -> ScoredPath:
        """Score a path by its words, with the string metric."""
        metric, words, steps = self.metric, self.reported(path), tuple(path.tolist())
        _, statistics, alignment, reference = metric.evaluate(words, references)
        is_forest = isinstance(self.graph, Forest)
        return ScoredPath(
            words=words,
            score=metric.value(statistics),
            numerator=metric.numerator(statistics),
            denominator=metric.denominator(statistics),
            statistics=statistics,
            cost=self.graph.cost_of(path, self.cost),
            scores=self.graph.scores_along(path),
            arcs=() if is_forest else steps,
            edges=steps if is_forest else (),
            derivation=self.graph.tree(steps).bracketed() if isinstance(self.graph, Forest) else None,
            alignment=alignment,
            reference=reference,
        )

    def one_best(self) -> Steps:
        """Return the model's own best path."""
        return self.graph.best_path(self.cost, ignore=self.metric.ignore)

    def encoded(self, reference: Sequence[str]) -> Words:
        """Return the counted words of a reference as numbers of the graph."""
        return self.graph.vocabulary.encode(self.metric.counted(reference))

    def candidate(self, path: Steps, gain: int, reference: Sequence[str]) -> Candidate:
        """Return a path with its merit, from its gain against one reference."""
        total = ngram_total(len(self.metric.counted(reference)), self.metric.order)
        return Candidate(path, merit(gain, total, self.metric.gains))

    def _best_in(self, reference: Lattice, engine: str) -> Candidate:
        """Return the best path against any string of a reference graph."""
        return self.preferred([self.best(words, engine) for words in strings_of_graph(reference)])

    @abstractmethod
    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Steps:
        """Return the path with the largest gain. Each occurrence of an n-gram, and each word, adds to the gain."""

    @abstractmethod
    def _search(self, reference: Words, engine: str) -> tuple[Steps, int]:
        """Return the best path and its gain."""


class LatticeSpace(SearchSpace):
    """The paths of a lattice.

    Attributes:
        label: The word as which each arc is counted; ε for ignored words and wildcards.
    """

    def __init__(self, lattice: Lattice, metric: GRR, scales: Scales | None) -> None:
        cost = lattice.cost(scales)
        super().__init__(metric, cost, cost, lattice.is_word(metric.ignore))
        self.graph: Lattice = lattice
        self.label = lattice.word
        if silent := metric.ignore | metric.wildcard:
            self.label = self._without(is_any_of(lattice.word, silent, lattice.vocabulary))

    @property
    def shown(self) -> Words:
        """The word of each arc in the result; ε for ignored words."""
        return self._without(self.word_counts == 0)

    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Steps:
        """Return the path with the largest gain."""
        return path_of_ngrams(self.graph, self.label, self.cost, ngrams, gains)

    def _without(self, silent: Any) -> Words:
        return np.where(silent, EPSILON, self.graph.word).astype(np.int32)

    def _search(self, reference: Words, engine: str) -> tuple[Steps, int]:
        best = self._engine_best(reference, engine)
        return best.arcs, best.gain

    def _best_in(self, reference: Lattice, engine: str) -> Candidate:
        metric = self.metric
        label = counted_labels(reference, self.graph.vocabulary, metric.ignore | metric.wildcard)
        best = self._engine_best(ReferenceGraph.of_lattice(reference, label, metric.order), engine)
        return Candidate(best.arcs, merit(best.gain, best.denominator, metric.gains))

    def _engine_best(self, reference: Words | ReferenceGraph, engine: str) -> BestPath:
        search = Search(self.graph, self.label, self.word_counts, self.cost, reference, self.metric.gains)
        return find_engine(engine)(search)
