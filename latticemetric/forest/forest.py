"""Packed forests: acyclic hypergraphs of rules with words and tails, checked when they are built."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.forest.columns import CATEGORY, NodeLabels, Nodes, Ragged, checked_rows
from latticemetric.forest.validation import Columns, validated
from latticemetric.frozen import Frozen, notebook
from latticemetric.lattice.columns import Column, Costs, Labels, Scales, Steps, Weights, is_any_of, summed_cost
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import cheapest_derivations, check_number, first_of_each, small_enough, summable
from latticemetric.lattice.validation import int32_numbers
from latticemetric.vocabulary import EPSILON, Vocabulary, word_set

if TYPE_CHECKING:
    from latticemetric.forest.statistics import ForestStatistics
    from latticemetric.forest.trees import DerivationTree

__all__ = ["CATEGORY", "Forest", "NodeLabels", "Nodes"]

_MANY = 2**60  # shared nodes can make strings longer than any number can count


class Derivation(NamedTuple):
    """A complete derivation: its edges, its words, and its cost.

    The edges are in preorder: each edge is followed by the edges of its tails, in the order of its target
    side.
    """

    edges: tuple[int, ...]
    words: tuple[str, ...]
    cost: float


@dataclass(frozen=True, eq=False)
class Forest(Frozen):
    """A forest. Its constructors check it: `from_edges`, `from_grammar`, `from_lattice`, `from_networkx`.

    Nodes are numbered in topological order, tails before heads; edges are sorted by head, then in the order of the
    input; every node and edge is part of a complete derivation. Arrays are read-only.

    Attributes:
        num_nodes: Number of nodes.
        head: Head node of each edge.
        tails: Tail nodes of each edge, in order; all smaller than its head.
        target: The target side of each edge: word numbers; −k stands for the words of the k-th tail, used exactly once.
        goals: Goal nodes, ascending: each derivation ends in one of them.
        scores: Named costs; a column's `arc` has a value for each edge, its `final` one for each goal.
        vocabulary: Spelling of the word numbers.
        labels: Further text of edges (`arc`) and goals (`final`): source sides, alignments and the like.
        node_labels: Further text of nodes.
    """

    num_nodes: int
    head: Nodes
    tails: Ragged
    target: Ragged
    goals: Nodes
    scores: Mapping[str, Column]
    vocabulary: Vocabulary
    labels: Mapping[str, Labels] = field(default_factory=lambda: MappingProxyType({}))
    node_labels: Mapping[str, NodeLabels] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
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
        """Build a forest: check it, drop the parts that no complete derivation uses, and sort the rest.

        Args:
            head: Head node of each edge; any non-negative numbers.
            tails: Tail nodes of each edge.
            target: The target side of each edge: word numbers (0, ε, is dropped), and −k for its k-th tail.
            goals: Goal nodes, each once.
            scores: Named costs; a column's `final` follows the order of `goals`.
            vocabulary: Spelling of the word numbers; by default, each number is its own spelling.
            labels: Further text of edges and goals.
            node_labels: Further text of nodes, indexed by the numbers used here.
            node_name: Function from a node number used here to the name of the node in errors.

        Raises:
            InputError: The forest is cyclic or empty, a tail is not used exactly once, or a number is not valid.

        Examples:
            >>> from latticemetric import Forest
            >>> forest = Forest.from_edges([0, 1, 1], [[], [0], [0]], [[5], [-1, 6], [6, -1]], goals=[1])
            >>> [derivation.words for derivation in forest.derivations()]
            [('5', '6'), ('6', '5')]
        """
        draft = Columns(
            0,
            int32_numbers(head, "head"),
            checked_rows(tails, "tails"),
            checked_rows(target, "target side"),
            int32_numbers(goals, "goal"),
            scores={name: column.as_arrays() for name, column in (scores or {}).items()},
            vocabulary=Vocabulary.numeric() if vocabulary is None else vocabulary,
            labels=dict(labels or {}),
            node_labels=dict(node_labels or {}),
        )
        return cls(**validated(draft, node_name)._asdict())

    @classmethod
    def from_grammar(cls, grammar: Any, scores: Mapping[str, Column] | None = None) -> Self:
        """Build a forest of the derivations of an acyclic `nltk.CFG` or `nltk.PCFG`.

        Nonterminals become nodes, productions edges, and terminals words. The grammar's start becomes the goal;
        nonterminals also give the nodes' categories (`node_labels["category"]`).
        Probabilities become costs, −log p, in a column `probability`.

        Args:
            grammar: The grammar; its terminals are texts.
            scores: Further costs: a column's `arc` follows `grammar.productions()`, its `final` has one value.

        Raises:
            InputError: The grammar is cyclic, derives nothing, or has a production without a probability.

        Examples:
            >>> import nltk
            >>> grammar = nltk.PCFG.fromstring(["S -> 'the' N [1.0]", "N -> 'cat' [0.25] | 'dog' [0.75]"])
            >>> for derivation in Forest.from_grammar(grammar).derivations():
            ...     print(" ".join(derivation.words), round(derivation.cost, 4))
            the cat 1.3863
            the dog 0.2877
        """
        from latticemetric.forest.conversion import forest_from_grammar

        return forest_from_grammar(cls, grammar, scores)

    @classmethod
    def from_lattice(cls, lattice: Lattice) -> Self:
        """Build a forest of the same strings and costs: one edge per arc, and one for the start."""
        from latticemetric.forest.conversion import forest_from_lattice

        return forest_from_lattice(cls, lattice)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Build a forest from a directed NetworkX graph as `to_networkx` returns it; vertices may have any names.

        The graph needs `bipartite` for each vertex, `target` for each edge vertex, `tails` for each arc to an edge
        vertex, and `goal` for at least one node. Missing scores are 0, missing labels are empty.

        Raises:
            InputError: The graph does not have that form; the error names a vertex.
        """
        from latticemetric.forest.conversion import forest_from_networkx

        return forest_from_networkx(cls, graph)

    def cost(self, scales: Weights = None) -> Costs:
        """Return the model's cost of each edge, and of ending in each node (infinite if it is not a goal).

        Args:
            scales: Column → weight; other columns keep their own scale. `Costs`, already summed, are returned as is.
        """
        if isinstance(scales, Costs):
            return scales
        return summed_cost(self.scores, len(self.head), self.num_nodes, self.goals, scales)

    def best_path(self, scales: Weights = None, *, ignore: Collection[str] = ()) -> Steps:
        """Return the edges, in preorder, of the derivation of least cost.

        If several derivations cost the same, return the one with the fewest words, then the one with the smallest edge
        numbers. For the comparison, costs are rounded so that their sums are exact in any order.

        Args:
            scales: Weight of each score column, or the costs that `cost` returned.
            ignore: Words that are not counted as words.

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
        hypergraph = self.hypergraph(self.cost(scales), words=self.word_counts(ignore))
        cost = summable(hypergraph)
        with small_enough("prune the forest, or allow more memory (--max-memory)"):
            return _native.best_derivation(**{**hypergraph, "cost": cost.arc, "goal_cost": cost.final})

    def n_best(self, n: int, scales: Weights = None, *, ignore: Collection[str] = ()) -> list[Steps]:
        """Return the cheapest derivation of each of the `n` cheapest strings, cheapest first.

        The list is shorter if the forest has fewer strings. Ties are resolved as in `best_path`, which returns the
        first of these derivations.

        Args:
            n: Number of strings.
            scales: Weight of each score column, or the costs that `cost` returned.
            ignore: Words that are not counted as words: strings that differ only in them are the same.

        Examples:
            >>> from latticemetric import Column, Forest
            >>> column = Column([1.0, 2.0, 0.5], [0.0])
            >>> forest = Forest.from_edges(
            ...     [0, 0, 1], [[], [], [0]], [[5], [6], [-1, 7]], goals=[1], scores={"tm": column}
            ... )
            >>> [forest.words(derivation) for derivation in forest.n_best(2)]
            [('5', '7'), ('6', '7')]
        """
        check_number(n)
        cost, ignored = self.cost(scales), word_set(ignore, "ignore")
        hypergraph = self.hypergraph(cost, self.target_without(ignored))
        paths = [
            self.best_path(cost, ignore=ignored),
            *cheapest_derivations(hypergraph, np.zeros(0, dtype=np.int64), n),
        ]
        return first_of_each(paths, self.words, ignored, n)

    def words(self, path: Sequence[int] | Steps) -> tuple[str, ...]:
        """Return the words of a derivation; give its edges in preorder (see `Derivation`)."""
        begin, target = self.target.begin, self.target.values
        words: list[str] = []
        pending = [-1]  # symbols still to read, the next one last; at a tail, read the next edge
        remaining = iter(path)
        while pending:
            symbol = pending.pop()
            if symbol < 0:
                edge = next(remaining)
                pending += target[begin[edge] : begin[edge + 1]][::-1].tolist()
            else:
                words.append(self.vocabulary.word(symbol))
        return tuple(words)

    def cost_of(self, path: Sequence[int] | Steps, scales: Weights = None) -> float:
        """Return the cost of a complete derivation: its edges plus ending in its goal."""
        cost, edges = self.cost(scales), np.asarray(path, dtype=np.int64)
        return float(cost.arc[edges].sum() + cost.final[self.head[edges[0]]])

    def scores_along(self, path: Sequence[int] | Steps) -> dict[str, float]:
        """Return the sum of each named cost over a complete derivation."""
        edges = np.asarray(path, dtype=np.int64)
        row = int(np.searchsorted(self.goals, self.head[edges[0]]))
        return {name: float(c.arc[edges].sum() + c.final[row]) for name, c in self.scores.items()}

    def derivations(self, scales: Weights = None) -> Iterator[Derivation]:
        """Yield every complete derivation, goal by goal, edge by edge. Use it for small forests and tests only."""
        cost = self.cost(scales)
        derivations: list[list[Derivation]] = [[] for _ in range(self.num_nodes)]
        tails, targets = self.tails.rows(), self.target.rows()
        for edge, head in enumerate(self.head.tolist()):
            parts = [[Derivation((edge,), (), float(cost.arc[edge]))]]
            for tail in tails[edge]:
                parts = [[*part, below] for part in parts for below in derivations[tail]]
            derivations[head] += [self._joined(part, targets[edge]) for part in parts]
        for goal in self.goals.tolist():
            for derivation in derivations[goal]:
                yield derivation._replace(cost=derivation.cost + float(cost.final[goal]))

    def target_without(self, ignore: Collection[str]) -> Ragged:
        """Return the target sides without the words in `ignore`."""
        return self.target.only(~is_any_of(self.target.values, ignore, self.vocabulary))

    def word_counts(self, ignore: Collection[str] = ()) -> npt.NDArray[np.int64]:
        """Return the number of words of each edge, without the words in `ignore`."""
        symbols = self.target_without(ignore)
        return symbols.only(symbols.values > EPSILON).lengths()

    def hypergraph(
        self, cost: Costs, target: Ragged | None = None, words: npt.NDArray[np.int64] | None = None
    ) -> dict[str, Any]:
        """Return the forest's columns, named as the kernels' parameters.

        Args:
            cost: The cost of each edge, and of ending in each node.
            target: The symbols of each edge, if they differ from its target side.
            words: The number of words of each edge, if some of these symbols do not count.
        """
        target = self.target if target is None else target
        return {
            "head": self.head,
            "tail_begin": self.tails.begin,
            "tail": self.tails.values,
            "said_begin": target.begin,
            "said": target.values,
            "cost": cost.arc,
            "words": target.only(target.values > EPSILON).lengths() if words is None else words,
            "goal_cost": cost.final,
        }

    def to_lattice(self) -> Lattice:
        """Return a lattice of the same strings and costs. All tails must come first, or all last, in target sides.

        Raises:
            InputError: The forest is not a lattice; the error names an edge.
        """
        from latticemetric.forest.conversion import lattice_from_forest

        return lattice_from_forest(self)

    def to_networkx(self) -> Any:
        """Return this forest as a bipartite `networkx.DiGraph`: vertices for nodes and edges, arcs from tails to heads.

        Node k is the vertex `("node", k)`, with `bipartite=0`, `labels` (name → text) and, if it is a goal, `goal`
        (column → cost) and `goal_labels`. Edge k is the vertex `("edge", k)`, with `bipartite=1`, `target` (words,
        and −k for the words of the k-th tail), `scores` (column → cost) and `labels`. An arc from a node to an edge
        has `tails`, the positions of the node among the edge's tails: `(1,)`, or `(1, 3)`. The graph has
        `scales` (column → scale).

        Examples:
            >>> forest = Forest.from_edges([0, 1], [[], [0, 0]], [[5], [-1, 6, -2]], goals=[1])
            >>> graph = forest.to_networkx()
            >>> list(graph.edges(data="tails"))
            [(('node', 0), ('edge', 1), (1, 2)), (('edge', 0), ('node', 0), None), (('edge', 1), ('node', 1), None)]
            >>> graph.nodes["edge", 1]["target"]
            (-1, '6', -2)
        """
        from latticemetric.forest.conversion import forest_to_networkx

        return forest_to_networkx(self)

    def tree(self, edges: Iterable[int]) -> DerivationTree:
        """Return a complete derivation as a tree.

        Args:
            edges: The derivation's edges in preorder, as in `Derivation.edges`.

        Raises:
            UsageError: The edges are not a complete derivation; the error names the first edge that does not fit.

        Examples:
            >>> forest = Forest.from_edges([0, 1, 1], [[], [0], [0]], [[5], [-1, 6], [6, -1]], goals=[1])
            >>> forest.tree([2, 0]).bracketed()
            '(1 6 (0 5))'
        """
        from latticemetric.forest.trees import DerivationTree

        return DerivationTree(self, tuple(edges))

    def pruned(self, beam: float, scales: Scales | None = None) -> Self:
        """Return the forest of the derivations that cost at most `beam` more than the best one.

        Examples:
            >>> from latticemetric import Column
            >>> column = Column([1.0, 2.0, 9.0], [0.0])
            >>> forest = Forest.from_edges([0, 0, 0], [[]] * 3, [[5], [6], [7]], goals=[0], scores={"cost": column})
            >>> [derivation.words for derivation in forest.pruned(1.0).derivations()]
            [('5',), ('6',)]
        """
        from latticemetric.forest.pruning import prune_forest

        return prune_forest(self, beam, scales)[0]

    def statistics(self) -> ForestStatistics:
        """Measure the forest: nodes, edges, derivations (exactly), lengths, arity."""
        from latticemetric.forest.statistics import forest_statistics

        return forest_statistics(self)

    def max_words(self) -> int:
        """Return the number of words of the longest string, or 2**60 if it is larger."""
        longest = self.statistics().longest
        return _MANY if longest is None else min(longest, _MANY)

    def _joined(self, parts: list[Derivation], target: list[int]) -> Derivation:
        """Join an edge with derivations of its tails."""
        words = tuple(w for t in target for w in (parts[-t].words if t < 0 else (self.vocabulary.word(t),)))
        ordered = [parts[0], *(parts[-t] for t in target if t < 0)]
        edges = tuple(edge for part in ordered for edge in part.edges)
        return Derivation(edges, words, sum(part.cost for part in parts))

    def _repr_svg_(self) -> str:
        return str(notebook().graph_svg(self))

    def __repr__(self) -> str:
        scores = ", ".join(self.scores) or "none"
        return f"{type(self).__name__}({self.num_nodes} nodes, {len(self.head)} edges, scores: {scores})"
