"""Packed forests: acyclic hypergraphs of rules with words and tails, checked when they are built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from latticemetric import _native
from latticemetric.forest.arrays import ForestArrays
from latticemetric.forest.columns import CATEGORY, NodeLabels, Nodes
from latticemetric.lattice.columns import Column, Costs, Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.forest.statistics import ForestStatistics
    from latticemetric.forest.trees import DerivationTree

__all__ = ["CATEGORY", "Forest", "NodeLabels", "Nodes"]

_MANY = 2**60  # shared nodes can make strings longer than a 64-bit integer can count


@says_new_keywords
class Forest(ForestArrays):
    """A forest. To build and check it, call `from_edges`, `from_grammar`, `from_lattice` or `from_networkx`.

    Nodes are numbered in topological order, tails before heads. Edges are sorted by head; edges with the same head keep
    the order of the input. Every node and edge is part of a complete derivation. Arrays are read-only.

    Attributes:
        num_nodes: Number of nodes.
        head: Head node of each edge.
        tails: Tail nodes of each edge, in order; all smaller than its head.
        target: The target side of each edge: word numbers, and −k for the words of the k-th tail. It uses each tail
            exactly once.
        goals: Goal nodes, ascending. A complete derivation derives one of the goals.
        scores: Named costs. In each column, `arc` has a value for each edge, and `final` has a value for each goal.
        vocabulary: Maps word numbers to words.
        labels: Additional texts of edges (`arc`) and goals (`final`): source sides, alignments and others.
        node_labels: Additional texts of nodes.
    """

    @classmethod
    @says_new_keywords
    def from_grammar(cls, grammar: Any, scores: Mapping[str, Column] | None = None) -> Self:
        """Build a forest of the derivations of an acyclic `nltk.CFG` or `nltk.PCFG`.

        Nonterminals become nodes, productions become edges, and terminals become words. The start symbol becomes the
        goal. The names of nonterminals become the categories of nodes (`node_labels["category"]`). Probabilities become
        costs (−log p) in the score column `probability`.

        Args:
            grammar: The grammar. Its terminals must be strings.
            scores: Additional costs. In each column, `arc` has one value per production of `grammar.productions()`, and
                `final` has one value, for the goal.

        Raises:
            InputError: The grammar is cyclic, derives nothing, or has a production with probability 0.

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
        """Build a forest with the strings and costs of a lattice: one edge per arc, and one for the start."""
        from latticemetric.forest.conversion import forest_from_lattice

        return forest_from_lattice(cls, lattice)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Build a forest from a directed NetworkX graph of the form that `to_networkx` returns.

        Vertices may have any names. The graph needs these attributes: `bipartite` for each vertex, `target` for each
        edge vertex, `tails` for each arc to an edge vertex, and `goal` for at least one node. Missing scores become 0,
        and missing labels become empty.

        Raises:
            InputError: The graph does not have this form; the error names a vertex.
        """
        from latticemetric.forest.conversion import forest_from_networkx

        return forest_from_networkx(cls, graph)

    def to_lattice(self) -> Lattice:
        """Convert this forest to a lattice with the same strings and costs.

        Each edge may have at most one tail. The tail must come first in all target sides, or last in all target sides.

        Raises:
            InputError: The forest cannot become a lattice; the error names an edge.
        """
        from latticemetric.forest.conversion import lattice_from_forest

        return lattice_from_forest(self)

    def to_networkx(self) -> Any:
        """Return this forest as a bipartite `networkx.DiGraph`: its nodes and its edges become vertices.

        Arcs lead from tails to the edge, and from the edge to its head. Attributes:

        - Node n is the vertex `("node", n)`, with `bipartite=0` and `labels` (name → text). A goal also has `goal`
          (column → final cost) and `goal_labels`.
        - Edge e is the vertex `("edge", e)`, with `bipartite=1`, `target`, `scores` (column → cost) and `labels`. In
          `target`, texts are words, and −k stands for the words of the k-th tail.
        - An arc from a node to an edge has `tails`: the positions, from 1, at which this node is a tail of this edge.
          For example, `(1, 3)` means that the node is the first tail and also the third.
        - The graph has `weights` (column → weight).

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

    @says_new_keywords
    def pruned(self, beam: float | None = None, weights: Weights | None = None, *, nbest: int | None = None) -> Self:
        """Return the forest of all derivations that cost at most `beam` more than the best one.

        Args:
            beam: Largest difference from the best cost. Give either `beam` or `nbest`.
            weights: Weights of score columns in the model's cost; other columns keep their default weight.
            nbest: Number of best strings to keep; the narrowest possible beam is used.

        Examples:
            >>> from latticemetric import Column
            >>> column = Column([1.0, 2.0, 9.0], [0.0])
            >>> forest = Forest.from_edges([0, 0, 0], [[]] * 3, [[5], [6], [7]], goals=[0], scores={"cost": column})
            >>> [derivation.words for derivation in forest.pruned(1.0).derivations()]
            [('5',), ('6',)]
        """
        from latticemetric.forest.pruning import prune_forest
        from latticemetric.lattice.pruning import beam_of_strings, require_one

        require_one(beam=beam, nbest=nbest)
        if nbest is not None:
            beam = beam_of_strings([self.cost_of(path, weights) for path in self.n_best(nbest, weights)])
        assert beam is not None
        return prune_forest(self, beam, weights)[0]

    def statistics(self) -> ForestStatistics:
        """Return the size of the forest: numbers of nodes, edges and derivations (exact), lengths, arity and more."""
        from latticemetric.forest.statistics import forest_statistics

        return forest_statistics(self)

    def max_words(self) -> int:
        """Return the number of words of the longest string, but at most 2**60."""
        costless = Costs(np.zeros(len(self.head)), np.zeros(self.num_nodes))
        return int(min(_native.most_words(self.native(costless)), _MANY))
