"""Lattices: acyclic word graphs with named costs, checked when they are built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from latticemetric.lattice.arrays import LatticeArrays, Path
from latticemetric.lattice.columns import Column, Costs, Floats, Labels, Scales, States, Steps, Weights
from latticemetric.vocabulary import Vocabulary

if TYPE_CHECKING:
    from latticemetric.lattice.statistics import LatticeStatistics

__all__ = ["Column", "Costs", "Floats", "Labels", "Lattice", "Path", "Scales", "States", "Steps", "Weights"]


class Lattice(LatticeArrays):
    """A lattice. Its constructors check it: `from_arcs`, `from_strings`, `from_fst`, `from_networkx`.

    States are numbered in topological order, and 0 is the start; arcs are sorted by source, then in the order of the
    input; every state lies on a complete path. Arrays are read-only.

    Attributes:
        num_states: Number of states.
        source: Source state of each arc.
        target: Target state of each arc; always larger than the source.
        word: Word number of each arc, 0 for ε.
        final: Final states, ascending.
        scores: Named costs.
        vocabulary: Spelling of the word numbers.
        times: Seconds at each state, if the decoder wrote them.
        labels: Further text of arcs and final states.
        ranked: True for an n-best list: if scores and costs of paths are equal, the first one is chosen.
    """

    @classmethod
    def from_strings(
        cls,
        strings: Iterable[str | Sequence[str]],
        costs: Sequence[float] | None = None,
        column: str = "cost",
        *,
        log_probs: Sequence[float] | None = None,
    ) -> Self:
        """Build a lattice with one path for each string; the paths share only the start and the end.

        Without costs, the strings are in the order of their rank (`ranked`): the first one is the model's best.

        Args:
            strings: Strings that are split at white space, or their words.
            costs: The cost of each string, −log probability: the smallest is the best.
            column: The name of the column of costs.
            log_probs: The log probability of each string, instead of `costs`: the largest is the best.

        Warns:
            UserWarning: No cost is positive, and some differ: they may be log probabilities.

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
    def from_fst(cls, fst: Any, vocabulary: Vocabulary | None = None, column: str = "weight") -> Self:
        """Build a lattice from a `pynini.Fst`: its weights become one column, its output labels the words."""
        from latticemetric.lattice.openfst import fst_to_arrays, lattice_from_arrays

        return lattice_from_arrays(cls, fst_to_arrays(fst), vocabulary, column)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Build a lattice from a directed NetworkX graph of the form that `to_networkx` returns."""
        from latticemetric.lattice.conversion import lattice_from_networkx

        return lattice_from_networkx(cls, graph)

    def to_fst(self, scales: Scales | None = None, *, symbols: bool = True) -> Any:
        """Return this lattice as a tropical `pynini.Fst` acceptor; its weights are the costs under `scales`."""
        from latticemetric.lattice.openfst import fst_from_arrays, lattice_to_arrays

        return fst_from_arrays(lattice_to_arrays(self, scales, symbols=symbols))

    def to_networkx(self) -> Any:
        """Return this lattice as a `networkx.MultiDiGraph`; the key of an edge is its arc number."""
        from latticemetric.lattice.conversion import lattice_to_networkx

        return lattice_to_networkx(self)

    def statistics(self) -> LatticeStatistics:
        """Measure the lattice: states, arcs, paths (exactly), lengths, depth."""
        from latticemetric.lattice.statistics import lattice_statistics

        return lattice_statistics(self)

    def pruned(self, beam: float, scales: Scales | None = None) -> Self:
        """Return the lattice of the paths that cost at most `beam` more than the best one.

        Examples:
            >>> lattice = Lattice.from_strings(["a", "b", "c"], costs=[1.0, 2.0, 9.0])
            >>> [path.words for path in lattice.pruned(1.0).paths()]
            [('a',), ('b',)]
        """
        from latticemetric.lattice.pruning import prune

        return prune(self, beam, scales)[0]

    def determinized(self, scales: Scales | None = None) -> Self:
        """Return the smallest lattice without ε that has one path per string, with the cost of the string's best path.

        The result has one score column. Costs are rounded to 32-bit floats, as in pynini, which must be installed.
        """
        from latticemetric.lattice.openfst import determinize

        return determinize(self, scales)
