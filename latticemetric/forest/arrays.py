"""The base class of `Forest`: its arrays, its derivations and their costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.forest.columns import NodeLabels, Nodes, Ragged, checked_node_labels, checked_rows
from latticemetric.forest.validation import EdgeColumns, validated
from latticemetric.frozen import Frozen, FrozenDict, notebook
from latticemetric.lattice.columns import (
    Column,
    Costs,
    Labels,
    Steps,
    WeightsOrCosts,
    checked_columns,
    checked_labels,
    checked_vocabulary,
    is_any_of,
    summed_cost,
)
from latticemetric.lattice.n_best import (
    beginning_with,
    cheapest_derivations,
    number_of_strings,
    reported,
    small_enough,
    summable,
)
from latticemetric.lattice.validation import int32_numbers
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, Vocabulary, word_set

MOST_EDGES = 2**18
"""The most edges of one listed or sampled derivation; shared nodes can make a derivation too long for any memory."""


class Derivation(NamedTuple):
    """A complete derivation: its edges, its words, and its cost.

    The edges are in preorder: each edge is followed by the derivations of its tails, in the order of its target side.
    """

    edges: tuple[int, ...]
    words: tuple[str, ...]
    cost: float


class _SubDerivation(NamedTuple):
    """A derivation of a node: its edge, and the derivations of the edge's tails, which other derivations share."""

    edge: int
    tails: tuple[_SubDerivation, ...]
    size: int
    cost: float


def _spelled(whole: _SubDerivation, spell: Sequence[Sequence[int | str]]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the edges and the words of a derivation; `spell` has the reversed target side of each edge, with words."""
    if whole.size > MOST_EDGES:
        raise InputError(f"cannot list derivations with more than {MOST_EDGES} edges", advice="prune the forest")
    edges, words = list[int](), list[str]()
    pending: list[_SubDerivation | str] = [whole]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            words.append(part)
        else:
            edges.append(part.edge)
            pending += [part.tails[-symbol - 1] if isinstance(symbol, int) else symbol for symbol in spell[part.edge]]
    return tuple(edges), tuple(words)


@dataclass(frozen=True, eq=False)
class ForestArrays(Frozen):
    """The arrays of a forest, its derivations and their costs; see `Forest`."""

    num_nodes: int
    head: Nodes
    tails: Ragged
    target: Ragged
    goals: Nodes
    scores: Mapping[str, Column]
    vocabulary: Vocabulary
    labels: Mapping[str, Labels] = field(default_factory=FrozenDict)
    node_labels: Mapping[str, NodeLabels] = field(default_factory=FrozenDict)

    @classmethod
    @says_new_keywords
    def from_edges(
        cls,
        head: npt.ArrayLike,
        tails: Ragged | Iterable[Sequence[int]],
        target: Ragged | Iterable[Sequence[int]],
        *,
        goals: npt.ArrayLike,
        scores: Mapping[str, Column] | None = None,
        vocabulary: Vocabulary | None = None,
        labels: Mapping[str, Labels] | None = None,
        node_labels: Mapping[str, NodeLabels] | None = None,
        node_name: Callable[[int], str] = "node {}".format,
    ) -> Self:
        """Build a forest: check it, remove nodes and edges that are in no complete derivation, and sort the others.

        Args:
            head: Head node of each edge. Node numbers may be any non-negative integers.
            tails: Tail nodes of each edge.
            target: The target side of each edge: word numbers, and −k for the k-th tail. Number 0 (ε) is removed.
            goals: Goal nodes, each once.
            scores: Named costs. The final costs of a column are in the order of the argument `goals`.
            vocabulary: Maps word numbers to words; by default, a number is its own word.
            labels: Additional texts of edges and goals.
            node_labels: Additional texts of nodes, indexed by the node numbers in `head`.
            node_name: Function that returns the name of a node for errors, given its number in `head`.

        Raises:
            InputError: The forest is cyclic or empty, a tail is not used exactly once, or a number is not valid.

        Examples:
            >>> from latticemetric import Forest
            >>> forest = Forest.from_edges([0, 1, 1], [[], [0], [0]], [[5], [-1, 6], [6, -1]], goals=[1])
            >>> [derivation.words for derivation in forest.derivations()]
            [('5', '6'), ('6', '5')]
        """
        draft = EdgeColumns(
            0,
            int32_numbers(head, "head"),
            checked_rows(tails, "tails"),
            checked_rows(target, "target side"),
            int32_numbers(goals, "goal"),
            scores=checked_columns(scores),
            vocabulary=checked_vocabulary(vocabulary),
            labels=checked_labels(labels),
            node_labels=checked_node_labels(node_labels),
        )
        return cls(**validated(draft, node_name)._asdict())

    @says_new_keywords
    def cost(self, weights: WeightsOrCosts = None) -> Costs:
        """Return the model's cost of each edge, and the final cost of each node (infinite if it is not a goal).

        Args:
            weights: Weights of score columns; other columns keep their default weight. If these are `Costs` (weighted
                sums), return them unchanged.
        """
        if isinstance(weights, Costs):
            return weights
        return summed_cost(self.scores, len(self.head), self.num_nodes, self.goals, weights)

    @says_new_keywords
    def best_path(self, weights: WeightsOrCosts = None, *, ignore: Collection[str] = ()) -> Steps:
        """Return the edges, in preorder, of the derivation with the least cost.

        Of several derivations with the least cost, return the one with the fewest words, then the one with the smallest
        edge numbers. Costs are rounded for the comparison, so that their sums are exact in any order.

        Args:
            weights: Weight of each score column, or the costs that `cost` returned.
            ignore: Words that do not count when ties are resolved by the number of words.

        Examples:
            >>> from latticemetric import Column, Forest
            >>> column = Column([1.0, 2.0, 0.5], [0.0])
            >>> forest = Forest.from_edges(
            ...     [0, 0, 1], [[], [], [0]], [[5], [6], [-1, 7]], goals=[1], scores={"tm": column}
            ... )
            >>> best = forest.best_path()
            >>> best.tolist(), forest.words(best), forest.cost_of(best), forest.scores_along(best)
            ([2, 0], ('5', '7'), 1.5, {'tm': 1.5})
        """
        hypergraph = self.hypergraph(self.cost(weights), words=self.word_counts(word_set(ignore, "ignore")))
        with small_enough("prune the forest, or allow more memory (max_memory=…)"):
            return _native.best_derivation(summable(hypergraph))

    @says_new_keywords
    def n_best(
        self, n: int, weights: WeightsOrCosts = None, *, ignore: Collection[str] = (), paths: bool = False
    ) -> list[Steps]:
        """Return the best derivation of each of the `n` cheapest strings, by ascending cost.

        The list is shorter if the forest has fewer strings. Ties are resolved as in `best_path`, which returns the
        first of these derivations.

        Args:
            n: Number of strings.
            weights: Weight of each score column, or the costs that `cost` returned.
            ignore: Words to ignore: strings that differ only in these words count as equal.
            paths: True to return the `n` cheapest derivations; several of these may have the same words. The first
                derivation is the result of `best_path`. Further derivations with equal costs are sorted by number
                of edges, then by edge numbers.

        Examples:
            >>> from latticemetric import Column, Forest
            >>> column = Column([1.0, 2.0, 0.5], [0.0])
            >>> forest = Forest.from_edges(
            ...     [0, 0, 1], [[], [], [0]], [[5], [6], [-1, 7]], goals=[1], scores={"tm": column}
            ... )
            >>> [forest.words(derivation) for derivation in forest.n_best(2)]
            [('5', '7'), ('6', '7')]
        """
        n = number_of_strings(n)
        cost, ignored = self.cost(weights), word_set(ignore, "ignore")
        if paths:
            hypergraph = self.hypergraph(cost, self._edge_symbols())
        else:
            hypergraph = self.hypergraph(cost, self.target_without(ignored))
        best, found = self.best_path(cost, ignore=ignored), cheapest_derivations(hypergraph, n)
        if paths:
            return beginning_with(best, found, np.ndarray.tolist, n)
        return beginning_with(best, found, reported(self.words, ignored), n)

    def _edge_symbols(self) -> Ragged:
        """Return new target sides: a symbol per edge, then its tails. So all derivations have different strings."""
        is_tail = self.target.values < 0
        edge = np.repeat(np.arange(len(self.head)), self.target.lengths())[is_tail]
        begin = np.concatenate([[0], np.cumsum(1 + np.bincount(edge, minlength=len(self.head)))])
        values = np.empty(begin[-1], dtype=np.int32)
        first = np.zeros(len(values), dtype=bool)
        first[begin[:-1]] = True
        values[first] = np.arange(1, len(self.head) + 1)
        values[~first] = self.target.values[is_tail]
        return Ragged(begin, values)

    def words(self, path: Sequence[int] | Steps) -> tuple[str, ...]:
        """Return the words of a derivation, given its edges in preorder (see `Derivation`)."""
        begin, target = self.target.begin, self.target.values
        words: list[str] = []
        pending = [-1]  # symbols still to read, in reverse order; a tail is replaced by the symbols of the next edge
        remaining = iter(path)
        while pending:
            symbol = pending.pop()
            if symbol < 0:
                edge = next(remaining)
                pending += target[begin[edge] : begin[edge + 1]][::-1].tolist()
            else:
                words.append(self.vocabulary.word(symbol))
        return tuple(words)

    @says_new_keywords
    def cost_of(self, path: Sequence[int] | Steps, weights: WeightsOrCosts = None) -> float:
        """Return the cost of a complete derivation: the costs of its edges plus the final cost of its goal."""
        cost, edges = self.cost(weights), np.asarray(path, dtype=np.int64)
        return float(cost.arc[edges].sum() + cost.final[self.head[edges[0]]])

    def scores_along(self, path: Sequence[int] | Steps) -> dict[str, float]:
        """Return the sum of each score column over a complete derivation, by column name."""
        edges, row = np.asarray(path, dtype=np.int64), self.end_of(path)
        return {name: float(c.arc[edges].sum() + c.final[row]) for name, c in self.scores.items()}

    def end_of(self, path: Sequence[int] | Steps) -> int:
        """Return the index, in `goals`, of the goal of a complete derivation."""
        return int(np.searchsorted(self.goals, self.head[path[0]]))

    @says_new_keywords
    def derivations(self, weights: WeightsOrCosts = None) -> Iterator[Derivation]:
        """Yield every complete derivation, sorted by goal and edge. Use it for small forests and tests only.

        Raises:
            InputError: A derivation has more than 262,144 edges.
        """
        edge_cost, final = (part.tolist() for part in self.cost(weights))
        below: list[list[_SubDerivation]] = [[] for _ in range(self.num_nodes)]
        rows = zip(self.head.tolist(), self.tails.rows(), edge_cost, strict=True)
        for edge, (head, tails, own) in enumerate(rows):
            for parts in product(*(below[tail] for tail in tails)):
                size, cost = 1 + sum(part.size for part in parts), sum([own, *(part.cost for part in parts)])
                below[head].append(_SubDerivation(edge, parts, size, cost))
        spell = [
            [symbol if symbol < 0 else self.vocabulary.word(symbol) for symbol in reversed(row)]
            for row in self.target.rows()
        ]
        for goal in self.goals.tolist():
            for part in below[goal]:
                yield Derivation(*_spelled(part, spell), part.cost + final[goal])

    def target_without(self, ignore: Collection[str]) -> Ragged:
        """Return the target sides without the words in `ignore`."""
        return self.target.only(~is_any_of(self.target.values, ignore, self.vocabulary)) if ignore else self.target

    def word_counts(self, ignore: Collection[str] = ()) -> npt.NDArray[np.int64]:
        """Return the number of words of each edge, without the words in `ignore`."""
        return self.target_without(ignore).lengths() - self.tails.lengths()  # target sides contain no ε

    def hypergraph(
        self, cost: Costs, target: Ragged | None = None, words: npt.NDArray[np.int64] | None = None
    ) -> dict[str, Any]:
        """Return the forest's columns, named like the parameters of the kernels.

        Args:
            cost: The cost of each edge, and the final cost of each node.
            target: The symbols of each edge; by default, its target side.
            words: The number of words of each edge; by default, all symbols except tails are words.
        """
        if words is None:
            words = self.word_counts() if target is None else target.counts(target.values > EPSILON)
        target = self.target if target is None else target
        return {
            "head": self.head,
            "tail_begin": self.tails.begin,
            "tail": self.tails.values,
            "target_begin": target.begin,
            "target": target.values,
            "cost": cost.arc,
            "words": words,
            "goal_cost": cost.final,
        }

    def native(
        self, cost: Costs, target: Ragged | None = None, words: npt.NDArray[np.int64] | None = None
    ) -> _native.Forest:
        """Return the forest as kernels take it, checked, so that several searches check it once; see `hypergraph`."""
        return _native.Forest(**self.hypergraph(cost, target, words))

    def _repr_svg_(self) -> str:
        return str(notebook().graph_svg(self))

    def __repr__(self) -> str:
        scores = ", ".join(self.scores) or "none"
        return f"{type(self).__name__}({self.num_nodes} nodes, {len(self.head)} edges, scores: {scores})"
