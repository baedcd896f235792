"""Lattices: acyclic word graphs with named costs, checked when they are built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from latticemetric.lattice.arrays import LatticeArrays, Path
from latticemetric.lattice.columns import Column, Costs, Floats, Labels, States, Steps, Weights, WeightsOrCosts
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import Vocabulary

if TYPE_CHECKING:
    from latticemetric.lattice.k2 import K2Arrays
    from latticemetric.lattice.statistics import LatticeStatistics

__all__ = ["Column", "Costs", "Floats", "Labels", "Lattice", "Path", "States", "Steps", "Weights", "WeightsOrCosts"]


@says_new_keywords
class Lattice(LatticeArrays):
    """A lattice. To build and check it, call `from_arcs`, `from_strings`, `from_fst`, `from_k2` or `from_networkx`.

    States are numbered in topological order, and 0 is the start. Arcs are sorted by source, then in the order of the
    input. Every state lies on a complete path. Arrays are read-only.

    Attributes:
        num_states: Number of states.
        source: Source state of each arc.
        target: Target state of each arc; always larger than the source.
        word: Word number of each arc, 0 for ε.
        final: Final states, ascending.
        scores: Named costs.
        vocabulary: Maps word numbers to words.
        times: Seconds at each state, if the decoder wrote them.
        labels: Additional texts of arcs and final states.
        ranked: True for an n-best list: among paths with equal score and equal cost, the first path wins.
    """

    @classmethod
    @says_new_keywords
    def from_strings(
        cls,
        strings: Iterable[str | Sequence[str]],
        costs: Iterable[float] | None = None,
        column: str = "cost",
        *,
        log_probs: Iterable[float] | None = None,
    ) -> Self:
        """Build a lattice with one path for each string; the paths share only the start and the end.

        If there are no costs, the first string is the 1-best (see the attribute `ranked`).

        Args:
            strings: Strings (split at white space), or sequences of words.
            costs: The cost of each string (−log probability): numbers, an array, a series or a tensor. The smallest
                cost is the best.
            column: The name of the score column for the costs.
            log_probs: The log probability of each string, instead of `costs`. The largest is the best.

        Warns:
            UserWarning: All `costs` are 0 or negative, and not all are equal: they may be log probabilities.

        Examples:
            >>> Lattice.from_strings(["a b", "a c d"]).statistics().paths
            2
            >>> lattice = Lattice.from_strings(["a b", "a c"], log_probs=[-2.0, -0.5])
            >>> min(lattice.paths(), key=lambda path: path.cost).words
            ('a', 'c')
        """
        from latticemetric.lattice.conversion import costs_of, lattice_of_strings

        return lattice_of_strings(cls, strings, costs_of(costs, log_probs), column)

    @classmethod
    @says_new_keywords
    def from_fst(cls, fst: Any, vocabulary: Vocabulary | None = None, column: str = "weight") -> Self:
        """Build a lattice from a `pynini.Fst`.

        Weights become the score column `column`, and output labels become words. `vocabulary` replaces the symbol table
        of the FST.
        """
        from latticemetric.lattice.openfst import fst_to_arrays, lattice_from_arrays

        return lattice_from_arrays(cls, fst_to_arrays(fst), vocabulary, column)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Build a lattice from a directed NetworkX graph of the form that `to_networkx` returns."""
        from latticemetric.lattice.conversion import lattice_from_networkx

        return lattice_from_networkx(cls, graph)

    @classmethod
    @says_new_keywords
    def from_k2(
        cls, arcs: Any, scores: Any = None, *, aux_labels: Any = None, vocabulary: Vocabulary | None = None
    ) -> Self:
        """Build a lattice from the arrays of a k2 Fsa; k2 itself is not needed.

        Scores are log probabilities; the score column `score` has the negated values. Arcs into k2's final state are
        removed, and their source states become final, as in [k2's text](formats/k2.md). But all arcs
        into the final state stay if one of them has a word, or if two of them leave the same state.

        Args:
            arcs: Int32 rows of source, target, label and the bits of the score (`fsa.as_dict()["arcs"]`), as a PyTorch
                tensor or an array.
            scores: The score of each arc (`fsa.scores`); by default, the score in `arcs`.
            aux_labels: The words of the arcs, if the labels are not the words.
            vocabulary: Maps word numbers to words; by default, a number is its own word.

        Examples:
            >>> import numpy as np
            >>> arcs = np.array([[0, 1, 5, 0], [0, 1, 7, 0], [1, 2, -1, 0]], dtype=np.int32)
            >>> lattice = Lattice.from_k2(arcs, scores=[-0.5, -1.0, 0.0])
            >>> [(path.words, path.cost) for path in lattice.paths()]
            [(('5',), 0.5), (('7',), 1.0)]
        """
        from latticemetric.lattice.k2 import lattice_from_k2

        return lattice_from_k2(cls, arcs, scores, aux_labels, vocabulary)

    @says_new_keywords
    def to_k2(self, weights: Weights | None = None) -> K2Arrays:
        """Return this lattice as the arrays of a k2 Fsa.

        Build the Fsa with `k2.Fsa(torch.from_numpy(result.arcs))`. If `result.aux_labels` is not `None`, convert it in
        the same way, and give it as the second argument.

        Word numbers become the labels. If the lattice has labels named `input`, these become the labels instead, and
        word numbers become the aux labels. Scores are the negated costs under `weights`, in single precision.

        Examples:
            >>> Lattice.from_strings(["5", "7"]).to_k2().arcs[:, :3].tolist()
            [[0, 1, 1], [0, 1, 2], [1, 2, -1]]
        """
        from latticemetric.lattice.k2 import lattice_to_k2

        return lattice_to_k2(self, weights)

    @says_new_keywords
    def to_fst(self, weights: Weights | None = None, *, symbols: bool = True) -> Any:
        """Return this lattice as a `pynini.Fst` with tropical weights: the costs under `weights`.

        Words become the output labels. The lattice's labels named `input` become the input labels; if there are none,
        words become the input labels, too. If `symbols` is true, the FST has symbol tables.
        """
        from latticemetric.lattice.openfst import fst_from_arrays, lattice_to_arrays

        return fst_from_arrays(lattice_to_arrays(self, weights, symbols=symbols))

    def to_networkx(self) -> Any:
        """Return this lattice as a `networkx.MultiDiGraph`; the key of an edge is its arc number."""
        from latticemetric.lattice.conversion import lattice_to_networkx

        return lattice_to_networkx(self)

    def statistics(self) -> LatticeStatistics:
        """Return the size of the lattice: numbers of states, arcs and paths (exact), path lengths, depth and more."""
        from latticemetric.lattice.statistics import lattice_statistics

        return lattice_statistics(self)

    @says_new_keywords
    def pruned(
        self,
        beam: float | None = None,
        weights: Weights | None = None,
        *,
        density: float | None = None,
        nbest: int | None = None,
    ) -> Self:
        """Return the lattice of all paths that cost at most `beam` more than the best one.

        Args:
            beam: Largest difference from the best cost. Give exactly one of `beam`, `density` and `nbest`.
            weights: Weights of score columns in the model's cost; other columns keep their default weight.
            density: Largest density of the result; the widest possible beam is used. The density is the number of arcs
                with a word, divided by the number of words of the 1-best.
            nbest: Number of best strings to keep; the narrowest possible beam is used.

        Examples:
            >>> lattice = Lattice.from_strings(["a", "b", "c"], costs=[1.0, 2.0, 9.0])
            >>> [path.words for path in lattice.pruned(1.0).paths()]
            [('a',), ('b',)]
            >>> lattice.pruned(nbest=2) == lattice.pruned(density=2) == lattice.pruned(1.0)
            True
        """
        from latticemetric.lattice.pruning import chosen_beam, prune

        return prune(self, chosen_beam(self, beam, weights, density=density, nbest=nbest), weights)[0]

    @says_new_keywords
    def determinized(self, weights: Weights | None = None) -> Self:
        """Return the smallest lattice without ε and with one path per string: the best path of each string.

        The result has one score column. The best string keeps its cost. To merge states, what each arc adds to the cost
        of the best path is rounded to a multiple of 2⁻¹⁴: the cost of another string may change by 0.00003 for each arc
        of a path, and for its end. If costs differ by more than 2⁴⁶, multiples are larger, and as fine as these costs.

        Arcs are sorted by source and word. Their order depends on strings and costs alone, not on the numbers of the
        states of this lattice. The result may have exponentially many states: prune first.

        Examples:
            >>> lattice = Lattice.from_strings(["a b", "c b", "a b"], costs=[1.0, 2.0, 0.5])
            >>> lattice.determinized()
            Lattice(3 states, 3 arcs, scores: cost)
            >>> [(path.words, path.cost) for path in lattice.determinized().paths()]
            [(('a', 'b'), 0.5), (('c', 'b'), 2.0)]
        """
        from latticemetric.lattice.determinization import determinize

        return determinize(self, weights)

    def minimized(self) -> Self:
        """Merge all states that have the same continuations, and return the smaller lattice.

        All paths keep their words, scores, times and labels. `determinized` makes smaller lattices, but keeps only the
        best path of each string, and only one score column.

        Examples:
            >>> lattice = Lattice.from_strings(["a c d", "b c d"], costs=[1.0, 2.0])
            >>> lattice.num_states, lattice.minimized().num_states
            (6, 4)
        """
        from latticemetric.lattice.minimization import minimize

        return minimize(self)
