"""Search spaces of derivations: those of a forest, or those of a lattice that is searched as a forest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from latticemetric.automata.reference import ReferenceNgrams
from latticemetric.engine.engines import find_forest_engine
from latticemetric.engine.native import search_strings
from latticemetric.engine.ngrams import ExactGains, derivation_of_ngrams
from latticemetric.engine.search import ForestSearch, StringSearch
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Scales, Steps
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import summable
from latticemetric.metrics.recognition import GRR
from latticemetric.oracle_search.search_space import Candidate, SearchSpace
from latticemetric.vocabulary import EPSILON, Words


class ForestSpace(SearchSpace):
    """The derivations of a forest."""

    def __init__(self, forest: Forest, metric: GRR, scales: Scales | None) -> None:
        cost = forest.cost(scales)
        self.graph: Forest = forest
        super().__init__(metric, cost, summable(forest.hypergraph(cost)), forest.word_counts(metric.ignore))
        self._said = forest.target_without(metric.ignore | metric.wildcard)
        self._shown = forest.target_without(metric.ignore)
        self._rank = np.zeros(0, dtype=np.int64)

    def search_for(self, reference: Sequence[str]) -> ForestSearch:
        """Return the input of the search for the best derivation against one reference."""
        return self._forest_search(self.encoded(reference))

    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Steps:
        """Return the derivation with the largest gain."""
        known = np.unique(ngrams.word[ngrams.word > EPSILON])
        columns = self.graph.hypergraph(self.compared_cost, self._said, self.word_counts)
        return self._path(derivation_of_ngrams(columns, known, known, ngrams, gains))

    def best_strings(self, reference: Sequence[str], n: int) -> list[Candidate]:
        """Return the `n` best strings against one reference, each with its best path in the original graph."""
        search = StringSearch(self.search_for(reference), self._shown, self._rank)
        return [self.candidate(self._path(best.edges), best.gain, reference) for best in search_strings(search, n)]

    def _path(self, edges: npt.NDArray[np.int64]) -> Steps:
        """Return a derivation as a path of the original graph."""
        return edges

    def _forest_search(self, reference: Words) -> ForestSearch:
        return ForestSearch(self.graph, self._said, self.word_counts, self.compared_cost, reference, self.metric.gains)

    def _search(self, reference: Words, engine: str) -> tuple[Steps, int]:
        return find_forest_engine(engine)(self._forest_search(reference))


class LatticeAsForest(ForestSpace):
    """The paths of a lattice, searched as a forest: one edge per arc, and one for the start.

    Attributes:
        arc_of: The arc of each edge; −1 for the start.
    """

    def __init__(self, lattice: Lattice, metric: GRR, scales: Scales | None) -> None:
        super().__init__(Forest.from_lattice(lattice), metric, scales)
        # A forest's edges are sorted by head, then in the order of the input.
        self.arc_of = np.argsort(np.concatenate([[0], lattice.target]), kind="stable") - 1
        self._rank = self.arc_of

    def _path(self, edges: npt.NDArray[np.int64]) -> Steps:
        # A derivation lists the last arc first and the start's edge last.
        arcs: Steps = self.arc_of[edges[-2::-1]]
        return arcs


def as_forest_space(graph: Graph, metric: GRR, scales: Scales | None) -> ForestSpace:
    """Return any graph as a search space of derivations."""
    if isinstance(graph, Forest):
        return ForestSpace(graph, metric, scales)
    return LatticeAsForest(as_lattice(graph, scales), metric, scales)
