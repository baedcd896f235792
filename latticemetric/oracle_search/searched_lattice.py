"""A lattice as it is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from latticemetric.automata.reference import ReferenceGraph, ReferenceNgrams, counted_labels
from latticemetric.engine.engines import find_engine
from latticemetric.engine.native import FoundStrings, WeighedSearch, strings_of_least_loss
from latticemetric.engine.ngrams import ExactGains, path_of_ngrams
from latticemetric.engine.search import Found, Search
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import merit
from latticemetric.oracle_search.model_paths import one_best
from latticemetric.oracle_search.objective import Weighing
from latticemetric.oracle_search.searched import Candidate, Path, Searched
from latticemetric.vocabulary import EPSILON, Words


class SearchedLattice(Searched):
    """A lattice, with what its arcs count as (ε for ignored words and wildcards), and which carry a word at all."""

    def __init__(self, lattice: Lattice, metric: GRR, scales: Scales | None) -> None:
        super().__init__(metric, lattice.vocabulary, lattice.cost(scales))
        self._lattice, self._label = lattice, lattice.word
        is_word = lattice.word != EPSILON
        if metric.ignore:
            is_word &= ~np.isin(lattice.word, self._numbered(metric.ignore))
        if metric.ignore or metric.wildcard:
            silent = np.isin(lattice.word, self._numbered(metric.ignore | metric.wildcard))
            self._label = np.where(silent, EPSILON, lattice.word).astype(np.int32)
        self._is_word = is_word.astype(np.uint8)

    @property
    def graph(self) -> Lattice:
        """What is searched."""
        return self._lattice

    def one_best(self) -> Path:
        """Least cost; ties as in `one_best`."""
        return one_best(self._lattice, self.cost, self._is_word)

    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Path:
        """Ties: least cost, fewest words, smallest arcs."""
        return path_of_ngrams(self._lattice, self._label, self.cost, ngrams, gains)

    def strings(self, weighing: Weighing, most: int, steps: int) -> FoundStrings:
        """The best strings by metric and cost together, at most so many, looked for in so many steps."""
        search = WeighedSearch(
            lattice=self._lattice,
            label=self._label,
            shown=np.where(self._is_word, self._lattice.word, EPSILON).astype(np.int32),
            cost=self.cost,
            references=[self.vocabulary.encode(self.metric.counted(reference)) for reference in weighing.references],
            shares=weighing.shares,
            costs_count=weighing.costs_count,
            ill=weighing.ill,
            gains=self.metric.gains,
        )
        return strings_of_least_loss(search, most, steps)

    def _search(self, reference: Words, engine: str) -> tuple[Path, int]:
        found = self._found(reference, engine)
        return found.arcs, found.gain

    def _best_in(self, reference: Lattice, engine: str) -> Candidate:
        metric = self.metric
        label = counted_labels(reference, self.vocabulary, metric.ignore | metric.wildcard)
        found = self._found(ReferenceGraph.of_lattice(reference, label, metric.order), engine)
        return Candidate(found.arcs, merit(found.gain, found.denominator, metric.gains))

    def _found(self, reference: Words | ReferenceGraph, engine: str) -> Found:
        search = Search(self._lattice, self._label, self._is_word, self.cost, reference, self.metric.gains)
        return find_engine(engine)(search)

    def _words(self, path: Path) -> Sequence[str]:
        return self._lattice.words(path)

    def _words_of(self, path: Path) -> int:
        return int(self._is_word[path].sum())

    def _price(self, path: Path) -> float:
        return self._lattice.cost_of(path, self.cost)

    def _scores(self, path: Path) -> Mapping[str, float]:
        return sums_along(self._lattice, path)

    def _way(self, path: Path) -> dict[str, Any]:
        return {"arcs": tuple(path.tolist()), "edges": (), "derivation": None}


def sums_along(lattice: Lattice, path: Path) -> dict[str, float]:
    """Each named cost of a lattice, summed along a path."""
    end = int(lattice.target[path[-1]]) if len(path) else 0
    row = int(lattice.final.searchsorted(end))
    return {name: float(np.add.reduce(c.arc[path]) + c.final[row]) for name, c in lattice.scores.items()}
