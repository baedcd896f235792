"""N-best lists: some hypotheses with their scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from latticemetric.errors import InputError
from latticemetric.lattice import Column, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary

_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class Hypothesis:
    """One entry: its words, and its named costs (−log probability)."""

    words: tuple[str, ...]
    scores: Mapping[str, float]


@dataclass(frozen=True)
class NBest:
    """Hypotheses in the order of the list.

    Attributes:
        hypotheses: At least one.
        scales: Weight of each named cost in the model's cost; 1 where it is not named.
    """

    hypotheses: tuple[Hypothesis, ...]
    scales: Mapping[str, float]

    def __post_init__(self) -> None:
        if not self.hypotheses:
            raise InputError("the n-best list is empty")

    def to_lattice(self, keep: Collection[str] | None = None) -> Lattice:
        """One path a hypothesis, in the list's order; its costs stand on its first arc.

        Hypotheses that lack a score have cost 0 there.

        Args:
            keep: Scores that become columns beside those that count (whose scale is not 0); without it, all do.
        """
        vocabulary = Vocabulary.from_words(word for h in self.hypotheses for word in h.words)
        chains = [vocabulary.encode(h.words) if h.words else np.array([EPSILON]) for h in self.hypotheses]
        lengths = np.array([len(chain) for chain in chains])
        first = np.cumsum(lengths) - lengths
        # Arc a of all chains leads to state a + 1, except that the last of a chain leads to the common end.
        source = np.arange(lengths.sum())
        target = source + 1
        source[first] = 0
        end = int(lengths.sum()) + 1
        target[first + lengths - 1] = end
        names = [name for name in self.score_names() if keep is None or name in keep or self.scales.get(name, 1.0) != 0]
        if len(names) * len(source) > _MOST_CELLS:
            raise InputError(
                f"{len(names)} scores of {len(source)} words are too many for columns",
                advice="keep those that you need",
            )
        columns = {}
        for name in names:
            cost = np.zeros(len(source))
            cost[first] = [h.scores.get(name, 0.0) for h in self.hypotheses]
            columns[name] = Column(cost, np.zeros(1), self.scales.get(name, 1.0))
        word = np.concatenate(chains).astype(np.int32)
        return Lattice.from_arcs(source, target, word, final=[end], scores=columns, vocabulary=vocabulary)

    def score_names(self) -> list[str]:
        """All scores that any hypothesis has."""
        return list(dict.fromkeys(name for h in self.hypotheses for name in h.scores))

    def __len__(self) -> int:
        return len(self.hypotheses)
