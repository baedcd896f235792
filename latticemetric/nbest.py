"""N-best lists: hypotheses with their scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from latticemetric.errors import InputError, UsageError
from latticemetric.lattice.columns import Column, Scales, check_columns, summed_cost
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, split_words

_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class Hypothesis:
    """One entry of the list: words and named costs (−log probability).

    Attributes:
        words: The words; a string is split at white space.
        scores: The costs, by name.
    """

    words: tuple[str, ...]
    scores: Mapping[str, float]

    def __post_init__(self) -> None:
        given: Any = self.words
        if not isinstance(given, tuple):
            words = split_words(given) if isinstance(given, str) else given
            object.__setattr__(self, "words", tuple(words))


@dataclass(frozen=True)
class NBest:
    """Hypotheses in the order of the list, best first. If costs are equal, the first hypothesis is the model's best.

    Attributes:
        hypotheses: The hypotheses, at least one.
        scales: Weight of each named cost in the model's cost; 1 for costs that are not named here.
    """

    hypotheses: tuple[Hypothesis, ...]
    scales: Mapping[str, float]

    def __post_init__(self) -> None:
        if not self.hypotheses:
            raise InputError("the n-best list is empty")

    def to_lattice(self, keep: Collection[str] | None = None) -> Lattice:
        """Return a lattice with one path per hypothesis, in the list's order; the first arc of a path has the costs.

        If a hypothesis lacks a score, the cost is 0.

        Args:
            keep: Names of scores to keep as columns, in addition to those with a scale other than 0. Default: all.
        """
        if isinstance(keep, str):
            raise UsageError("keep is a string", advice=f"give a list of score names: {[keep]}")
        vocabulary = Vocabulary.from_words(word for h in self.hypotheses for word in h.words)
        chains = [vocabulary.encode(h.words) if h.words else np.array([EPSILON]) for h in self.hypotheses]
        lengths = np.array([len(chain) for chain in chains])
        first = np.cumsum(lengths) - lengths
        # Arc a of all chains leads to state a + 1; the last arc of each chain leads to the common end.
        source = np.arange(lengths.sum())
        target = source + 1
        source[first] = 0
        end = int(lengths.sum()) + 1
        target[first + lengths - 1] = end
        names = [name for name in self.score_names() if keep is None or name in keep or self.scales.get(name, 1.0) != 0]
        if len(names) * len(source) > _MOST_CELLS:
            raise InputError(
                f"{len(names)} scores of {len(source)} words are too many for columns",
                advice="name the scores that you need in keep=",
            )
        columns = {}
        for name in names:
            cost = np.zeros(len(source))
            cost[first] = [h.scores.get(name, 0.0) for h in self.hypotheses]
            columns[name] = Column(cost, np.zeros(1), self.scales.get(name, 1.0))
        word = np.concatenate(chains).astype(np.int32)
        lattice = Lattice.from_arcs(source, target, word, final=[end], scores=columns, vocabulary=vocabulary)
        return replace(lattice, ranked=True)

    def determinized(
        self, scales: Scales | None = None, *, merge: Literal["sum", "best"] = "sum", scale: float = 1.0
    ) -> Lattice:
        """Return the smallest lattice with one path per string; its column `cost` is the model's cost.

        `to_lattice` has one path per hypothesis, even for hypotheses with equal words. Here, these share one path. With
        `sum`, the path is as probable as all of them together, so posteriors stay the same; with `best`, it has the
        cost of the best of them, as in `Lattice.determinized`.

        Costs are 64-bit floats; their only error is the rounding of some sums. Strings share beginnings, and they share
        ends if their costs allow it.

        Args:
            scales: Weight of each score in the model's cost; other scores keep their own scale.
            merge: `sum` or `best`.
            scale: The scale of later posteriors: probabilities are summed at this scale. The costs here are not
                multiplied by it. It has no effect if all strings differ.

        Examples:
            >>> hypotheses = [(("a", "b"), 1.0), (("c", "b"), 2.0), (("a", "b"), 1.5)]
            >>> nbest = NBest(tuple(Hypothesis(words, {"total": cost}) for words, cost in hypotheses), {})
            >>> [(path.words, round(path.cost, 4)) for path in nbest.determinized().paths()]
            [(('a', 'b'), 0.5259), (('c', 'b'), 2.0)]
            >>> nbest.determinized()
            Lattice(3 states, 3 arcs, scores: cost)
        """
        from latticemetric.lattice.conversion import minimal_lattice

        columns = {}
        for name in self.score_names():
            values = np.array([h.scores.get(name, 0.0) for h in self.hypotheses], dtype=np.float64)
            columns[name] = Column(values, np.zeros(1), self.scales.get(name, 1.0))
        check_columns(columns, {}, len(self), 1)
        costs = summed_cost(columns, len(self), 1, np.zeros(1, dtype=np.int32), scales).arc
        return minimal_lattice(Lattice, [h.words for h in self.hypotheses], costs, merge=merge, scale=scale)

    def score_names(self) -> list[str]:
        """Return the names of all scores of all hypotheses."""
        return list(dict.fromkeys(name for h in self.hypotheses for name in h.scores))

    def __len__(self) -> int:
        return len(self.hypotheses)
