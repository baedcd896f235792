"""Packed forests: acyclic hypergraphs of rules with words and tails, checked once at the door and then trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from latticemetric.forest.derivations import Derivation, all_derivations, words_of
from latticemetric.forest.ragged import (
    Ragged,
    checked_rows,
)
from latticemetric.frozen import Frozen, notebook
from latticemetric.lattice.lattice import Column, Costs, Labels, Lattice, Scales, summed_cost
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

if TYPE_CHECKING:
    from latticemetric.forest.statistics import ForestStatistics
    from latticemetric.forest.trees import DerivationTree

Nodes = npt.NDArray[np.int32]

CATEGORY = "category"
"""The node label that says what kind of thing a node derives: `NP`, `X` and the like."""


@dataclass(frozen=True, eq=False)
class NodeLabels(Frozen):
    """Text at each node: a category, a span and the like; 0 for none."""

    node: Words
    vocabulary: Vocabulary

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> NodeLabels:
        """The labels of nodes 0, 1, …; the empty text is none."""
        return cls(*numbered(texts))


def numbered(texts: Iterable[str]) -> tuple[Words, Vocabulary]:
    """Texts as numbers, 0 for the empty one, and what spells them."""
    rows = list(texts)
    vocabulary = Vocabulary.from_words(text for text in rows if text)
    return np.array([vocabulary.number(text) if text else EPSILON for text in rows], dtype=np.int32), vocabulary


@dataclass(frozen=True, eq=False)
class Forest(Frozen):
    """A forest. Build it with a constructor that checks: `from_edges`, `from_grammar`, `from_lattice`, `from_networkx`.

    Nodes are numbered in topological order, tails before heads; edges are sorted by head, otherwise in the order they
    were given; every node and edge is part of a complete derivation. Arrays are read-only.

    Attributes:
        num_nodes: Number of nodes.
        head: Head node of each edge.
        tails: Tail nodes of each edge, in order; all smaller than its head.
        target: What each edge says: word numbers, and −k where the k-th tail's words stand. Each tail stands once.
        goals: Goal nodes, ascending: a derivation ends in one of them.
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
    ) -> Forest:
        """Checks a forest, drops what no complete derivation uses, and puts it in order.

        Args:
            head: Head node of each edge; any non-negative numbers.
            tails: Tail nodes of each edge.
            target: What each edge says: word numbers (0, ε, is dropped) and −k for its k-th tail.
            goals: Goal nodes, each once.
            scores: Named costs; a column's `final` follows the order of `goals`.
            vocabulary: Spelling of the word numbers; numbers spell themselves where it is not given.
            labels: Further text of edges and goals.
            node_labels: Further text of nodes, indexed by the numbers used here.
            node_name: What an error calls the node of such a number, where it came with another name.

        Raises:
            InputError: The forest is cyclic or empty, a tail is not used exactly once, or a number is not sane.

        Examples:
            >>> forest = Forest.from_edges([0, 1, 1], [[], [0], [0]], [[5], [-1, 6], [6, -1]], goals=[1])
            >>> [derivation.words for derivation in forest.derivations()]
            [('5', '6'), ('6', '5')]
        """
        from latticemetric.forest.validation import enter
        from latticemetric.lattice.validation import int32_numbers

        draft = cls(
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
        return enter(draft, node_name)

    @classmethod
    def from_grammar(cls, grammar: Any, scores: Mapping[str, Column] | None = None) -> Forest:
        """The derivations of an acyclic `nltk.CFG` or `nltk.PCFG`: a node a nonterminal, an edge a production.

        The start is the goal, nonterminals are the nodes' categories (`node_labels["category"]`), terminals the words.
        Probabilities become costs, −log p, of a column `probability`.

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
        from latticemetric.forest.grammar import forest_from_grammar

        return forest_from_grammar(grammar, scores)

    @classmethod
    def from_lattice(cls, lattice: Lattice) -> Forest:
        """The same strings with the same costs as a forest: an edge an arc, and one for the start."""
        from latticemetric.forest.conversion import forest_from_lattice

        return forest_from_lattice(lattice)

    def to_lattice(self) -> Lattice:
        """The same strings with the same costs as a lattice, if this is one: tails all first, or all last.

        Raises:
            InputError: It is none, and says at which edge.
        """
        from latticemetric.forest.conversion import lattice_from_forest

        return lattice_from_forest(self)

    @classmethod
    def from_networkx(cls, graph: Any) -> Forest:
        """A forest from a directed NetworkX graph in the form that `to_networkx` makes; vertices may be named freely.

        Required are `bipartite` of each vertex, `target` of each edge vertex, `tails` of each arc to one, and `goal`
        of a node. Scores that are not there are 0, labels empty.

        Raises:
            InputError: The graph is not of that form, and says at which vertex.
        """
        from latticemetric.forest.networkx import forest_from_networkx

        return forest_from_networkx(graph)

    def to_networkx(self) -> Any:
        """This forest as a bipartite `networkx.DiGraph`: vertices for nodes and for edges, arcs from tails to heads.

        Node k is the vertex `("node", k)`, with `bipartite=0`, `labels` (name → text) and, where it is a goal, `goal`
        (column → cost) and `goal_labels`. Edge k is the vertex `("edge", k)`, with `bipartite=1`, `target` (words,
        and −k where the k-th tail's words stand), `scores` (column → cost) and `labels`. An arc from a node to an edge
        has `tails`, the places among the edge's tails where the node stands: `(1,)`, or `(1, 3)`. The graph has
        `scales` (column → scale).

        Examples:
            >>> forest = Forest.from_edges([0, 1], [[], [0, 0]], [[5], [-1, 6, -2]], goals=[1])
            >>> graph = forest.to_networkx()
            >>> list(graph.edges(data="tails"))
            [(('node', 0), ('edge', 1), (1, 2)), (('edge', 0), ('node', 0), None), (('edge', 1), ('node', 1), None)]
            >>> graph.nodes["edge", 1]["target"]
            (-1, '6', -2)
        """
        from latticemetric.forest.networkx import forest_to_networkx

        return forest_to_networkx(self)

    def words(self, edges: Sequence[int] | npt.NDArray[np.int64]) -> tuple[str, ...]:
        """The words of a derivation, given as its edges in preorder (see `Derivation`)."""
        return words_of(self, edges)

    def cost(self, scales: Scales | None = None) -> Costs:
        """The model's cost of every edge, and of ending in every node (infinite where it is no goal)."""
        return summed_cost(self.scores, len(self.head), self.num_nodes, self.goals, scales)

    def derivations(self, scales: Scales | None = None) -> Iterator[Derivation]:
        """Every complete derivation, goal by goal, edge by edge: for small forests and for tests."""
        return all_derivations(self, scales)

    def tree(self, edges: Iterable[int]) -> DerivationTree:
        """A complete derivation as a tree.

        Args:
            edges: Its edges in preorder, as in `Derivation.edges`.

        Raises:
            UsageError: They are no complete derivation, and says from which one on.

        Examples:
            >>> forest = Forest.from_edges([0, 1, 1], [[], [0], [0]], [[5], [-1, 6], [6, -1]], goals=[1])
            >>> forest.tree([2, 0]).bracketed()
            '(1 6 (0 5))'
        """
        from latticemetric.forest.trees import DerivationTree

        return DerivationTree(self, tuple(edges))

    def pruned(self, beam: float, scales: Scales | None = None) -> Forest:
        """What is part of derivations that cost at most `beam` more than the best one.

        Examples:
            >>> column = Column([1.0, 2.0, 9.0], [0.0])
            >>> forest = Forest.from_edges([0, 0, 0], [[]] * 3, [[5], [6], [7]], goals=[0], scores={"cost": column})
            >>> [derivation.words for derivation in forest.pruned(1.0).derivations()]
            [('5',), ('6',)]
        """
        from latticemetric.forest.pruning import prune_forest

        return prune_forest(self, beam, scales).forest

    def statistics(self) -> ForestStatistics:
        """Sizes: nodes, edges, derivations (exactly), lengths, arity."""
        from latticemetric.forest.statistics import forest_statistics

        return forest_statistics(self)

    def _repr_svg_(self) -> str:
        return str(notebook().graph_svg(self))

    def __repr__(self) -> str:
        return f"Forest({self.num_nodes} nodes, {len(self.head)} edges, scores: {', '.join(self.scores) or 'none'})"
