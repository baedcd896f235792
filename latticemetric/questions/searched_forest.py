"""A forest as it is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from latticemetric import _native
from latticemetric.engine.search import ForestSearch, find_forest_engine
from latticemetric.forest import Forest
from latticemetric.lattice import Scales
from latticemetric.metrics.recognition import GRR
from latticemetric.questions.searched import Path, Searched
from latticemetric.vocabulary import EPSILON, Words


class SearchedForest(Searched):
    """A forest, with what its edges say without ignored words and wildcards, and how many words each one carries."""

    def __init__(self, forest: Forest, metric: GRR, scales: Scales | None) -> None:
        super().__init__(metric, forest.vocabulary, forest.cost(scales))
        self._forest = forest
        silent = np.isin(forest.target.values, self._numbered(metric.ignore | metric.wildcard))
        self._said = forest.target.only(~silent)
        carries = (forest.target.values > EPSILON) & ~np.isin(forest.target.values, self._numbered(metric.ignore))
        self._word_counts = forest.target.only(carries).lengths()

    def one_best(self) -> Path:
        """Least cost; ties: fewest words, smallest edges."""
        forest, cost = self._forest, self.cost
        path: Path = _native.best_derivation(
            forest.head,
            forest.tails.begin,
            forest.tails.values,
            forest.target.begin,
            forest.target.values,
            cost.arc,
            self._word_counts,
            cost.final,
        )
        return path

    def _search(self, reference: Words, engine: str) -> tuple[Path, int]:
        gains = self.metric.gains
        return find_forest_engine(engine)(
            ForestSearch(self._forest, self._said, self._word_counts, self.cost, reference, gains)
        )

    def _words(self, path: Path) -> Sequence[str]:
        return self._forest.words(path)

    def _words_of(self, path: Path) -> int:
        return int(self._word_counts[path].sum())

    def _price(self, path: Path) -> float:
        return float(self.cost.arc[path].sum() + self.cost.final[self._forest.head[path[0]]])

    def _scores(self, path: Path) -> Mapping[str, float]:
        row = int(np.searchsorted(self._forest.goals, self._forest.head[path[0]]))
        return {name: float(c.arc[path].sum() + c.final[row]) for name, c in self._forest.scores.items()}

    def _numbers(self, path: Path) -> dict[str, tuple[int, ...]]:
        return {"arcs": (), "edges": tuple(path.tolist())}
