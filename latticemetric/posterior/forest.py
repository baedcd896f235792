"""Posteriors of the parts of forests: a derivation has the probability exp(−cost), normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.engine.ngrams import TOO_MANY_NGRAMS
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.lattice.lattice import Costs, Floats, Scales
from latticemetric.lattice.n_best import small_enough
from latticemetric.memory import most_bytes
from latticemetric.posterior.distribution import Distribution, require_finite, scaled_cost

if TYPE_CHECKING:
    from latticemetric.posterior.ngrams import NgramPosteriors

_MOST_EDGES = 2**18  # of one derivation: shared nodes can make it too long for any memory


@dataclass(frozen=True, eq=False)
class ForestPosteriors(Distribution):
    """The distribution over the derivations of a forest.

    If a derivation can use a node or an edge several times, as in some forests made by hand, `node` and `edge` are
    the mean numbers of uses.

    Attributes:
        forest: The forest.
        log_total: Logarithm of the sum of exp(−cost) over its derivations.
        node: The probability of using each node.
        edge: The probability of using each edge.
        transition: The probability of each edge, given that its head is used.
        ending: The probability of each goal.
    """

    forest: Forest
    node: Floats
    edge: Floats

    def expected(self, edge_values: npt.ArrayLike, final_values: npt.ArrayLike | None = None) -> float:
        """Return the expected sum of values of a derivation's edges and of its goal."""
        return self._expected(edge_values, final_values)

    def ngrams(self, order: int) -> NgramPosteriors:
        """Return, for each n-gram of up to `order` words, the probability that a derivation has it at least once.

        Raises:
            InputError: The n-grams need more than 2 GiB.

        Examples:
            >>> from latticemetric import Forest
            >>> forest = Forest.from_edges([0, 0, 1], [[], [], [0, 0]], [[5], [6], [-1, 7, -2]], goals=[1])
            >>> for words, posterior in forest_posteriors(forest).ngrams(2).items():
            ...     print(*words, posterior)
            5 0.75
            6 0.75
            7 1.0
            5 7 0.5
            6 7 0.5
            7 5 0.5
            7 6 0.5
        """
        from latticemetric.posterior.ngrams import ngrams_counted

        return ngrams_counted(order, self.forest.vocabulary, self._count)

    def sample(self, count: int, seed: int) -> list[npt.NDArray[np.int64]]:
        """Sample derivations independently with their probabilities; return their edges in preorder."""
        if count < 0:
            raise UsageError(f"cannot sample {count} derivations")
        random, sampler = np.random.default_rng(seed), _Sampler(self)
        return [sampler.derivation(random) for _ in range(count)]

    def _count(self, order: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Floats]:
        forest = self.forest
        ending = np.zeros(forest.num_nodes)
        ending[forest.goals] = self.ending
        final = np.full(forest.num_nodes, np.inf)
        final[forest.goals] = 0.0
        with small_enough(TOO_MANY_NGRAMS):
            return _native.forest_ngram_posteriors(
                **forest.hypergraph(Costs(np.zeros(len(forest.head)), final)),
                node=self.node,
                transition=self.transition,
                ending=ending,
                order=order,
                most_bytes=most_bytes(),
            )

    def _taken(self) -> Floats:
        return self.edge

    def _ending_step(self) -> Floats:
        return self.ending


class _Sampler:
    """Samples edges of nodes by cumulative probabilities."""

    def __init__(self, posteriors: ForestPosteriors) -> None:
        forest = posteriors.forest
        self._goals = forest.goals.tolist()
        self._ending = np.cumsum(posteriors.ending)
        self._begin: list[int] = np.searchsorted(forest.head, np.arange(forest.num_nodes + 1)).tolist()
        self._before = np.concatenate([[0.0], np.cumsum(posteriors.transition)])
        self._tails = [
            [tails[-symbol - 1] for symbol in reversed(target) if symbol < 0]
            for tails, target in zip(forest.tails.rows(), forest.target.rows(), strict=True)
        ]

    def derivation(self, random: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return the edges of one sampled derivation, from a goal down, in preorder."""
        drawn = int(np.searchsorted(self._ending, random.random() * self._ending[-1], side="right"))
        pending, edges = [self._goals[min(drawn, len(self._goals) - 1)]], []
        while pending:
            edge = self._edge(pending.pop(), random.random())
            edges.append(edge)
            pending += self._tails[edge]
            if len(edges) > _MOST_EDGES:
                raise InputError(f"cannot sample from derivations with more than {_MOST_EDGES} edges")
        return np.array(edges, dtype=np.int64)

    def _edge(self, node: int, drawn: float) -> int:
        first, last = self._begin[node], self._begin[node + 1]
        edge = int(np.searchsorted(self._before, self._before[first] + drawn, side="right")) - 1
        return min(max(edge, first), last - 1)


def forest_posteriors(forest: Forest, scale: float = 1.0, scales: Scales | None = None) -> ForestPosteriors:
    """Compute the posteriors of a forest by the inside-outside algorithm; see `posteriors`."""
    cost = scaled_cost(forest, scale, scales)
    log_total, node, transition, ending = _native.inside_outside(**forest.hypergraph(cost))
    require_finite(log_total, cost.arc, node)
    return ForestPosteriors(
        log_total=log_total,
        transition=transition,
        ending=ending[forest.goals],
        forest=forest,
        node=node,
        edge=node[forest.head] * transition,
    )
