"""Lattices: acyclic word graphs with named costs, checked once at the door and then trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError, UsageError
from latticemetric.frozen import Frozen, notebook
from latticemetric.vocabulary import Vocabulary, Words

if TYPE_CHECKING:
    from latticemetric.lattice.statistics import LatticeStatistics

Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.int32]
Scales = Mapping[str, float]


def laid_out(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as native code reads it: contiguous and aligned; copied only where it is not."""
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.require(array, requirements=["C", "ALIGNED"])


@dataclass(frozen=True, eq=False)
class Column(Frozen):
    """One named score: a cost (−log probability) for every arc and every final state (of a forest: edge and goal).

    `scale` is its weight in the model's cost unless the user says otherwise: 0 for a feature that a total already
    contains.
    """

    arc: Floats
    final: Floats
    scale: float = 1.0

    def __post_init__(self) -> None:
        values = vars(self)
        for name in ("arc", "final"):  # whoever made an array may go on to write in it
            if isinstance(values[name], np.ndarray) and values[name].flags.writeable:
                values[name] = values[name].copy()
        super().__post_init__()

    def as_arrays(self) -> Column:
        """The same with float64 arrays, whatever it was made of."""
        try:
            arc, final = (laid_out(np.asarray(part, dtype=np.float64)) for part in (self.arc, self.final))
        except (ValueError, TypeError):
            raise InputError("a score column holds something else than numbers") from None
        if arc.ndim != 1 or final.ndim != 1:
            raise InputError("a score column is one list of numbers for arcs, and one for final states")
        return Column(arc, final, float(self.scale))


@dataclass(frozen=True, eq=False)
class Labels(Frozen):
    """Text that arcs and final states carry beside words: a transducer's other side, alignments and the like."""

    arc: Words
    final: Words
    vocabulary: Vocabulary


_LARGEST_SUM = float(np.finfo(np.float64).max)


class Path(NamedTuple):
    """A complete path: its arcs, its words without ε, and its cost."""

    arcs: tuple[int, ...]
    words: tuple[str, ...]
    cost: float


class Costs(NamedTuple):
    """The model's cost of every arc, and of ending in every state (infinite where it is not final)."""

    arc: Floats
    final: Floats

    def along(self, arcs: Sequence[int] | npt.NDArray[np.int64], lattice: Lattice) -> float:
        """The cost of a complete path: its arcs, and ending where it ends."""
        end = int(lattice.target[arcs[-1]]) if len(arcs) else 0
        return float(np.add.reduce(self.arc[np.asarray(arcs, dtype=np.int64)]) + self.final[end])


@dataclass(frozen=True, eq=False)
class Lattice(Frozen):
    """A lattice. Build it with a constructor that checks: `from_arcs`, `from_strings`, `from_fst`, `from_networkx`.

    States are numbered in topological order and 0 is the start; arcs are sorted by source, otherwise in the order
    they were given; every state lies on a complete path. Arrays are read-only.

    Attributes:
        num_states: Number of states.
        source: Source state of each arc.
        target: Target state of each arc; always larger than the source.
        word: Word number of each arc, 0 for ε.
        final: Final states, ascending.
        scores: Named costs.
        vocabulary: Spelling of the word numbers.
        times: Seconds at each state, where the decoder wrote them.
        labels: Further text of arcs and final states.
        ranked: Whether it is an n-best list: of paths that cost the same, the model's best is the first one.
    """

    num_states: int
    source: States
    target: States
    word: Words
    final: States
    scores: Mapping[str, Column]
    vocabulary: Vocabulary
    times: Floats | None = None
    labels: Mapping[str, Labels] = field(default_factory=lambda: MappingProxyType({}))
    ranked: bool = False

    @classmethod
    def from_arcs(
        cls,
        source: npt.ArrayLike,
        target: npt.ArrayLike,
        word: npt.ArrayLike,
        *,
        final: npt.ArrayLike,
        start: int = 0,
        scores: Mapping[str, Column] | None = None,
        vocabulary: Vocabulary | None = None,
        times: npt.ArrayLike | None = None,
        labels: Mapping[str, Labels] | None = None,
        copy: bool = True,
    ) -> Lattice:
        """Checks a graph, drops what no complete path uses, and puts it in order.

        Args:
            source: Source state of each arc; any non-negative numbers.
            target: Target state of each arc.
            word: Word number of each arc, 0 for ε.
            final: Final states, each once.
            start: The start state.
            scores: Named costs; a column's `final` follows the order of `final`.
            vocabulary: Spelling of the word numbers; numbers spell themselves where it is not given.
            times: Seconds at each state, indexed by the numbers used here.
            labels: Further text of arcs and final states.
            copy: Whether arrays that are kept as they are get copied; without it, do not change them afterwards.

        Raises:
            InputError: The graph is cyclic or empty, or a number or a score is not sane.

        Examples:
            >>> lattice = Lattice.from_arcs([0, 0, 1], [1, 1, 2], [5, 7, 8], final=[2])
            >>> [path.words for path in lattice.paths()]
            [('5', '8'), ('7', '8')]
        """
        from latticemetric.lattice.validation import enter, int32_numbers

        draft = cls(
            0,
            int32_numbers(source, "state"),
            int32_numbers(target, "state"),
            int32_numbers(word, "word"),
            int32_numbers(final, "state"),
            scores={name: column.as_arrays() for name, column in (scores or {}).items()},
            vocabulary=Vocabulary.numeric() if vocabulary is None else vocabulary,
            times=None if times is None else np.asarray(times, dtype=np.float64),
            labels=dict(labels or {}),
        )
        return enter(draft, start, copy=copy)

    @classmethod
    def from_strings(
        cls,
        strings: Iterable[str | Sequence[str]],
        costs: Sequence[float] | None = None,
        column: str = "cost",
        *,
        log_probs: Sequence[float] | None = None,
    ) -> Lattice:
        """A lattice with one path a string, which shares the start and the end and nothing else.

        Args:
            strings: Strings that are split at white space, or their words.
            costs: The cost of each string, −log probability: the smallest is the best.
            column: What the column of costs is called.
            log_probs: Instead of costs, the log probability of each string: the largest is the best.

        Warns:
            UserWarning: No cost is positive, and some differ: they may be log probabilities.

        Examples:
            >>> Lattice.from_strings(["a b", "a c d"]).statistics().paths
            2
            >>> lattice = Lattice.from_strings(["a b", "a c"], log_probs=[-2.0, -0.5])
            >>> min(lattice.paths(), key=lambda path: path.cost).words
            ('a', 'c')
        """
        from latticemetric.lattice.strings import costs_of, lattice_of_strings

        return lattice_of_strings(strings, costs_of(costs, log_probs), column)

    @classmethod
    def from_fst(cls, fst: Any, vocabulary: Vocabulary | None = None, column: str = "weight") -> Lattice:
        """A lattice from a `pynini.Fst`; its weights become one column, its output side the words."""
        from latticemetric.lattice.openfst import lattice_from_fst

        return lattice_from_fst(fst, vocabulary, column)

    @classmethod
    def from_networkx(cls, graph: Any) -> Lattice:
        """A lattice from a directed NetworkX graph in the form that `to_networkx` makes."""
        from latticemetric.lattice.networkx import lattice_from_networkx

        return lattice_from_networkx(graph)

    def to_fst(self, scales: Scales | None = None, *, symbols: bool = True) -> Any:
        """This lattice as a tropical `pynini.Fst` acceptor, its weights the costs under `scales`."""
        from latticemetric.lattice.openfst import lattice_to_fst

        return lattice_to_fst(self, scales, symbols=symbols)

    def to_networkx(self) -> Any:
        """This lattice as a `networkx.MultiDiGraph`; an edge's key is its arc number."""
        from latticemetric.lattice.networkx import lattice_to_networkx

        return lattice_to_networkx(self)

    def cost(self, scales: Scales | None = None) -> Costs:
        """The model's cost: the columns, each times its scale, summed.

        Args:
            scales: Column → weight; columns not named keep their own.
        """
        return summed_cost(self.scores, len(self.word), self.num_states, self.final, scales)

    def paths(self, scales: Scales | None = None) -> Iterator[Path]:
        """Every complete path, in lexicographic order of arcs: for small lattices and for tests."""
        cost = self.cost(scales)
        begin = np.searchsorted(self.source, np.arange(self.num_states + 1)).tolist()
        spelling = [self.vocabulary.word(int(w)) for w in self.word]
        pending: list[tuple[int, ...]] = [()]
        while pending:
            arcs = pending.pop()
            state = int(self.target[arcs[-1]]) if arcs else 0
            if np.isfinite(cost.final[state]):
                total = float(sum(cost.arc[list(arcs)]) + cost.final[state])
                yield Path(arcs, tuple(spelling[a] for a in arcs if spelling[a]), total)
            pending.extend((*arcs, a) for a in reversed(range(begin[state], begin[state + 1])))

    def statistics(self) -> LatticeStatistics:
        """Sizes: states, arcs, paths (exactly), lengths, depth."""
        from latticemetric.lattice.statistics import lattice_statistics

        return lattice_statistics(self)

    def pruned(self, beam: float, scales: Scales | None = None) -> Lattice:
        """What lies on paths that cost at most `beam` more than the best one.

        Examples:
            >>> lattice = Lattice.from_strings(["a", "b", "c"], costs=[1.0, 2.0, 9.0])
            >>> [path.words for path in lattice.pruned(1.0).paths()]
            [('a',), ('b',)]
        """
        from latticemetric.lattice.pruning import prune

        return prune(self, beam, scales).lattice

    def determinized(self, scales: Scales | None = None) -> Lattice:
        """The smallest lattice without ε where each string has one path, which costs what its best path did.

        Needs pynini, whose costs are 32-bit floats: they come back rounded, as one column.
        """
        from latticemetric.lattice.openfst import determinize

        return determinize(self, scales)

    def words(self, arcs: Iterable[int]) -> tuple[str, ...]:
        """The words on some arcs, without ε."""
        return tuple(self.vocabulary.decode(self.word[arcs if isinstance(arcs, np.ndarray) else list(arcs)]))

    def _repr_svg_(self) -> str:
        return str(notebook().graph_svg(self))

    def __repr__(self) -> str:
        return f"Lattice({self.num_states} states, {len(self.word)} arcs, scores: {', '.join(self.scores) or 'none'})"


def summed_cost(
    scores: Mapping[str, Column], arcs: int, states: int, final: States, scales: Scales | None = None
) -> Costs:
    """The columns of a graph (or a forest), each times its scale, summed; `final` are the states that may end."""
    chosen = {name: column.scale for name, column in scores.items()}
    for name, scale in (scales or {}).items():
        if name not in chosen:
            known = ", ".join(chosen) or "none"
            raise InputError(f"there is no score column '{name}' to scale", advice=f"the columns here are: {known}")
        if not np.isfinite(scale):
            raise UsageError(f"the scale of '{name}' is {scale}, not a finite number")
        chosen[name] = float(scale)
    arc = np.zeros(arcs)
    ends = np.full(states, np.inf)
    ends[final] = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for name, scale in chosen.items():
            if scale != 0:
                arc += scale * scores[name].arc
                ends[final] += scale * scores[name].final
    # No path costs more than as many times the largest cost as there are arcs, and its end.
    most = _LARGEST_SUM / (len(arc) + 1)
    if not all(np.maximum.reduce(np.abs(costs), initial=0.0) <= most for costs in (arc, ends[final])):
        raise InputError("the costs are too large to be added up", advice="choose smaller scales")
    return Costs(arc, ends)
