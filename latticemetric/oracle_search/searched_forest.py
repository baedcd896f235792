"""A forest as it is searched."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.reference import ReferenceNgrams
from latticemetric.engine.engines import find_forest_engine
from latticemetric.engine.native import BestEdges, HopeDerivation, best_edges
from latticemetric.engine.ngrams import ExactGains, derivation_of_ngrams
from latticemetric.engine.search import ForestSearch, StringSearch
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Costs, Lattice, Scales
from latticemetric.lattice.n_best import small_enough
from latticemetric.metrics.recognition import GRR
from latticemetric.oracle_search.objective import Weighing
from latticemetric.oracle_search.searched import Candidate, Path, Searched
from latticemetric.vocabulary import EPSILON, Words

_LARGEST_SUM = 2.0**32  # rounding beyond that would be to more than a millionth


def summable(forest: Forest, cost: Costs) -> Costs:
    """The costs as derivations are chosen by: rounded so that they add up exactly, whatever the order.

    Which of two derivations is cheaper would otherwise hang on how a search happens to add them up, and derivations
    of equal cost would not tie. The rounding is to one part in 2^52 of the largest sum there can be; where that is
    coarse, since shared nodes make sums without bound, costs stay as they are.
    """
    largest = _native.largest_cost(**forest.hypergraph(cost))
    unit = 2.0 ** (math.frexp(largest)[1] - 52) if largest < _LARGEST_SUM else 0.0
    if unit == 0:
        return cost
    return Costs(*(np.round(costs / unit) * unit for costs in cost))


class SearchedForest(Searched):
    """A forest, with what its edges say without ignored words and wildcards, and how many words each one carries."""

    def __init__(self, forest: Forest, metric: GRR, scales: Scales | None) -> None:
        super().__init__(metric, forest.vocabulary, forest.cost(scales))
        self._forest = forest
        silent = np.isin(forest.target.values, self._numbered(metric.ignore | metric.wildcard))
        self._said = forest.target.only(~silent)
        self._shown = forest.target.only(~np.isin(forest.target.values, self._numbered(metric.ignore)))
        self._word_counts = self._shown.only(self._shown.values > EPSILON).lengths()
        self._rank = np.zeros(0, dtype=np.int64)
        self._choice = summable(forest, self.cost)

    @property
    def graph(self) -> Forest:
        """What is searched."""
        return self._forest

    def one_best(self) -> Path:
        """Least cost; ties: fewest words, smallest edges."""
        with small_enough():
            path: Path = _native.best_derivation(**self._columns(self._choice))
        return path

    def _columns(self, cost: Costs) -> dict[str, Any]:
        return self._forest.hypergraph(cost, words=self._word_counts)

    def hopes(self, weighing: Weighing) -> list[HopeDerivation]:
        """For each reference the derivation of the largest weighed gain less cost, exactly."""
        from latticemetric.engine.native import hope_derivations

        counted = [self.metric.counted(reference) for reference in weighing.references]
        questions = [self._question(self.vocabulary.encode(words)) for words in counted]
        return hope_derivations(questions, weighing.shares, self.cost)

    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Path:
        """Ties: least cost, fewest words, smallest edges."""
        known = np.unique(ngrams.word[ngrams.word > EPSILON])
        arrays = self._forest.hypergraph(self._choice, self._said, self._word_counts)
        return self._path(derivation_of_ngrams(arrays, known, known, ngrams, gains))

    def best_of(self, references: Sequence[Sequence[str]]) -> Forest:
        """All derivations that gain most against any of some references' counted words."""
        from latticemetric.engine.native import best_forest

        encoded = [self.vocabulary.encode(reference) for reference in references]
        return best_forest(self._question(encoded[0]), encoded)

    def best_edges(self, references: Sequence[Sequence[str]]) -> BestEdges:
        """The same, edge by edge."""
        encoded = [self.vocabulary.encode(reference) for reference in references]
        return best_edges(self._question(encoded[0]), encoded)

    def best_strings(self, reference: Sequence[str], most: int) -> list[Candidate]:
        """The best strings against one reference, at most so many: each one's best path in the graph itself."""
        from latticemetric.engine.native import best_strings

        counted = self.metric.counted(reference)
        question = StringSearch(self._question(self.vocabulary.encode(counted)), self._shown, self._rank)
        return [self._candidate(self._path(found.edges), found.gain, counted) for found in best_strings(question, most)]

    def _path(self, edges: npt.NDArray[np.int64]) -> Path:
        """A derivation as a path of the graph that was asked about."""
        return edges

    def _question(self, reference: Words) -> ForestSearch:
        return ForestSearch(self._forest, self._said, self._word_counts, self._choice, reference, self.metric.gains)

    def _search(self, reference: Words, engine: str) -> tuple[Path, int]:
        return find_forest_engine(engine)(self._question(reference))

    def _words(self, path: Path) -> Sequence[str]:
        return self._forest.words(path)

    def _words_of(self, path: Path) -> int:
        return int(self._word_counts[path].sum())

    def _price(self, path: Path) -> float:
        return float(self.cost.arc[path].sum() + self.cost.final[self._forest.head[path[0]]])

    def _compared_cost(self, path: Path) -> float:
        return float(self._choice.arc[path].sum() + self._choice.final[self._forest.head[path[0]]])

    def _scores(self, path: Path) -> Mapping[str, float]:
        row = int(np.searchsorted(self._forest.goals, self._forest.head[path[0]]))
        return {name: float(c.arc[path].sum() + c.final[row]) for name, c in self._forest.scores.items()}

    def _way(self, path: Path) -> dict[str, Any]:
        edges = tuple(path.tolist())
        return {"arcs": (), "edges": edges, "derivation": self._forest.tree(edges).bracketed()}


class SearchedLatticeForest(SearchedForest):
    """A lattice as a forest, for questions that only forests are asked: edges are its arcs, and one for its start.

    Attributes:
        arc_of: The arc that each edge is; −1 for the start.
    """

    def __init__(self, lattice: Lattice, metric: GRR, scales: Scales | None) -> None:
        super().__init__(Forest.from_lattice(lattice), metric, scales)
        # A forest's edges are sorted by head, in the order in which they were given otherwise.
        self.arc_of = np.argsort(np.concatenate([[0], lattice.target]), kind="stable") - 1
        self._rank = self.arc_of

    def _path(self, edges: npt.NDArray[np.int64]) -> Path:
        # From the last arc down to the edge for the start.
        arcs: Path = self.arc_of[edges[-2::-1]]
        return arcs

    def _way(self, path: Path) -> dict[str, Any]:
        return {"arcs": tuple(self._path(path).tolist()), "edges": (), "derivation": None}


def as_searched_forest(graph: Graph, metric: GRR, scales: Scales | None) -> SearchedForest:
    """Any graph as a forest."""
    if isinstance(graph, Forest):
        return SearchedForest(graph, metric, scales)
    return SearchedLatticeForest(as_lattice(graph, scales), metric, scales)
