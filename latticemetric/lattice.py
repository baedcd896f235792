"""Lattices: acyclic word graphs with named costs, checked once at the door and then trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError, UsageError
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

if TYPE_CHECKING:
    from latticemetric.lattice_statistics import LatticeStatistics

Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.int32]
Scales = Mapping[str, float]


@dataclass(frozen=True)
class Column:
    """One named score: a cost (−log probability) for every arc and every final state.

    `scale` is its weight in the model's cost unless the user says otherwise: 0 for a feature that a total already
    contains.
    """

    arc: Floats
    final: Floats
    scale: float = 1.0


@dataclass(frozen=True)
class Labels:
    """Text that arcs and final states carry beside words: a transducer's other side, alignments and the like."""

    arc: Words
    final: Words
    vocabulary: Vocabulary


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
        return float(self.arc[np.asarray(arcs, dtype=np.int64)].sum() + self.final[end])


@dataclass(frozen=True, eq=False)
class Lattice:
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

        Raises:
            InputError: The graph is cyclic or empty, or a number or a score is not sane.

        Examples:
            >>> lattice = Lattice.from_arcs([0, 0, 1], [1, 1, 2], [5, 7, 8], final=[2])
            >>> [path.words for path in lattice.paths()]
            [('5', '8'), ('7', '8')]
        """
        draft = cls(
            0,
            _int32(source, "state"),
            _int32(target, "state"),
            _int32(word, "word"),
            _int32(final, "state"),
            scores=dict(scores or {}),
            vocabulary=vocabulary or Vocabulary.numeric(),
            times=None if times is None else np.asarray(times, dtype=np.float64),
            labels=dict(labels or {}),
        )
        _check_columns(draft)
        return _in_order(draft, start)

    @classmethod
    def from_strings(
        cls,
        strings: Iterable[str | Sequence[str]],
        costs: Sequence[float] | None = None,
        column: str = "cost",
    ) -> Lattice:
        """A lattice with one path a string, which shares the start and the end and nothing else.

        Examples:
            >>> Lattice.from_strings(["a b", "a c d"]).statistics().paths
            2
        """
        split = [tuple(s.split()) if isinstance(s, str) else tuple(s) for s in strings]
        vocabulary = Vocabulary.from_words(w for words in split for w in words)
        source, target, word, cost = [], [], [], []
        state = 1
        for number, words in enumerate(split):
            here = 0
            for position, symbol in enumerate(words or ("",)):
                last = position + 1 >= len(words)
                state += not last
                source.append(here)
                here = 1 if last else state
                target.append(here)
                word.append(vocabulary.number(symbol) if symbol else EPSILON)
                cost.append(costs[number] if costs is not None and position == 0 else 0.0)
        scores = {} if costs is None else {column: Column(np.array(cost, dtype=np.float64), np.zeros(1))}
        return cls.from_arcs(source, target, word, final=[1], scores=scores, vocabulary=vocabulary)

    @classmethod
    def from_fst(cls, fst: Any, vocabulary: Vocabulary | None = None, column: str = "weight") -> Lattice:
        """A lattice from a `pynini.Fst`; its weights become one column, its output side the words."""
        from latticemetric.interchange import lattice_from_fst

        return lattice_from_fst(fst, vocabulary, column)

    @classmethod
    def from_networkx(cls, graph: Any) -> Lattice:
        """A lattice from a directed NetworkX graph in the form that `to_networkx` makes."""
        from latticemetric.interchange import lattice_from_networkx

        return lattice_from_networkx(graph)

    def to_fst(self, scales: Scales | None = None, *, symbols: bool = True) -> Any:
        """This lattice as a tropical `pynini.Fst` acceptor, its weights the costs under `scales`."""
        from latticemetric.interchange import lattice_to_fst

        return lattice_to_fst(self, scales, symbols=symbols)

    def to_networkx(self) -> Any:
        """This lattice as a `networkx.MultiDiGraph`; an edge's key is its arc number."""
        from latticemetric.interchange import lattice_to_networkx

        return lattice_to_networkx(self)

    def cost(self, scales: Scales | None = None) -> Costs:
        """The model's cost: the columns, each times its scale, summed.

        Args:
            scales: Column → weight; columns not named keep their own.
        """
        chosen = {name: column.scale for name, column in self.scores.items()}
        for name, scale in (scales or {}).items():
            if name not in chosen:
                known = ", ".join(chosen) or "none"
                raise UsageError(f"there is no score column '{name}' to scale", advice=f"the columns here are: {known}")
            chosen[name] = float(scale)
        arc = np.zeros(len(self.word))
        final = np.full(self.num_states, np.inf)
        final[self.final] = 0.0
        for name, scale in chosen.items():
            if scale != 0:
                arc += scale * self.scores[name].arc
                final[self.final] += scale * self.scores[name].final
        return Costs(arc, final)

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
        from latticemetric.lattice_statistics import lattice_statistics

        return lattice_statistics(self)

    def words(self, arcs: Iterable[int]) -> tuple[str, ...]:
        """The words on some arcs, without ε."""
        return tuple(self.vocabulary.decode(self.word[list(arcs)]))

    def __repr__(self) -> str:
        return f"Lattice({self.num_states} states, {len(self.word)} arcs, scores: {', '.join(self.scores) or 'none'})"


def _int32(values: npt.ArrayLike, what: str) -> npt.NDArray[np.int32]:
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype=np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{what} numbers must be one list of integers")
    low, high = array.min(), array.max()
    if low < 0 or high >= np.iinfo(np.int32).max:
        raise InputError(f"{what} number {low if low < 0 else high} is outside 0 … {np.iinfo(np.int32).max - 1}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _check_columns(draft: Lattice) -> None:
    arcs, finals = len(draft.source), len(draft.final)
    if not arcs == len(draft.target) == len(draft.word):
        raise InputError("source, target and word differ in length")
    if len(np.unique(draft.final)) != finals:
        raise InputError("a state is final twice")
    if finals == 0:
        raise InputError("the lattice is empty: it has no final state")
    extras: dict[str, Column | Labels] = {**draft.scores, **draft.labels}
    for name, extra in extras.items():
        if len(extra.arc) != arcs or len(extra.final) != finals:
            raise InputError(f"'{name}' does not have one value for every arc and every final state")
    for name, column in draft.scores.items():
        _check_finite(name, column)
    draft.vocabulary.check(draft.word)
    for labels in draft.labels.values():
        labels.vocabulary.check(labels.arc)
        labels.vocabulary.check(labels.final)


def _check_finite(name: str, column: Column) -> None:
    for values in (column.arc, column.final):
        if not np.isfinite(values).all():
            raise InputError(f"'{name}' holds a score that is not finite ({values[~np.isfinite(values)][0]})")
    if not np.isfinite(column.scale):
        raise InputError(f"the scale of '{name}' is not finite")


def _in_order(draft: Lattice, start: int) -> Lattice:
    """Renumbers states topologically, trims, sorts arcs by source, and freezes the arrays."""
    source, target, final, begin, times = _dense_states(draft, start)
    is_final = np.zeros(max(int(a.max(initial=0)) for a in (source, target, final)) + 1, dtype=np.uint8)
    is_final = np.concatenate([is_final, np.zeros(max(0, begin + 1 - len(is_final)), dtype=np.uint8)])
    is_final[final] = 1
    rank, kept, on_cycle = _native.order_states(source, target, begin, is_final)
    if on_cycle >= 0:
        name = on_cycle if source is draft.source else int(_state_names(draft, start)[on_cycle])
        raise InputError(f"the graph is cyclic: state {name} can be reached from itself", advice="a lattice is acyclic")
    if kept == 0:
        raise InputError("the lattice is empty: no final state can be reached from the start")
    if times is not None:
        times = _per_state(times, rank, kept)
    rows = np.flatnonzero((rank[source] >= 0) & (rank[target] >= 0))
    rows = rows[np.argsort(rank[source[rows]], kind="stable")]
    ends = np.flatnonzero(rank[final] >= 0)
    ends = ends[np.argsort(rank[final[ends]])]
    return Lattice(
        num_states=kept,
        source=_frozen(rank[source[rows]]),
        target=_frozen(rank[target[rows]]),
        word=_frozen(draft.word[rows]),
        final=_frozen(rank[final[ends]]),
        scores=MappingProxyType(
            {n: Column(_frozen(c.arc[rows]), _frozen(c.final[ends]), float(c.scale)) for n, c in draft.scores.items()}
        ),
        vocabulary=draft.vocabulary,
        times=None if times is None else _frozen(times),
        labels=MappingProxyType(
            {n: Labels(_frozen(c.arc[rows]), _frozen(c.final[ends]), c.vocabulary) for n, c in draft.labels.items()}
        ),
    )


def _state_names(draft: Lattice, start: int) -> npt.NDArray[np.int32]:
    return np.unique(np.concatenate([draft.source, draft.target, draft.final, _int32([start], "state")]))


def _dense_states(draft: Lattice, start: int) -> tuple[States, States, States, int, Floats | None]:
    """The same graph with state numbers that leave no large gaps, so that tables by state stay small."""
    highest = max(int(a.max(initial=0)) for a in (draft.source, draft.target, draft.final))
    if start < 0:
        raise InputError("the lattice is empty: it has no start state")
    if max(highest, start) <= 2 * (len(draft.source) + len(draft.final)) + 2:
        return draft.source, draft.target, draft.final, start, draft.times
    names = _state_names(draft, start)
    source, target, final = (
        np.searchsorted(names, a).astype(np.int32) for a in (draft.source, draft.target, draft.final)
    )
    times = draft.times
    if times is not None and len(times) > names[-1]:
        times = times[names]
    return source, target, final, int(np.searchsorted(names, start)), times


def _per_state(times: Floats, rank: States, kept: int) -> Floats:
    used = np.flatnonzero(rank >= 0)
    if len(times) <= used[-1]:
        raise InputError("there are not as many times as states")
    ordered = np.empty(kept)
    ordered[rank[used]] = times[used]
    if not np.isfinite(ordered).all():
        raise InputError("a state's time is not finite")
    return ordered


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
