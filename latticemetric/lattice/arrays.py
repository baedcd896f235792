"""The base class of `Lattice`: its arrays, its paths and their costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.frozen import Frozen, FrozenDict, notebook
from latticemetric.lattice.columns import (
    Column,
    Costs,
    Floats,
    Labels,
    States,
    Steps,
    Weights,
    WeightsOrCosts,
    checked_columns,
    checked_labels,
    checked_vocabulary,
    is_any_of,
    summed_cost,
    weights_under,
)
from latticemetric.lattice.n_best import (
    beginning_with,
    cheapest_paths,
    cheapest_strings,
    first_of_each,
    number_of_strings,
    reported,
    rounded,
)
from latticemetric.lattice.validation import Columns, checked_start, checked_times, int32_numbers, validated
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, word_set


class Path(NamedTuple):
    """A complete path: its arcs, its words without ε, and its cost."""

    arcs: tuple[int, ...]
    words: tuple[str, ...]
    cost: float


@dataclass(frozen=True, eq=False)
class LatticeArrays(Frozen):
    """The arrays of a lattice, its paths and their costs; see `Lattice`."""

    num_states: int
    source: States
    target: States
    word: Words
    final: States
    scores: Mapping[str, Column]
    vocabulary: Vocabulary
    times: Floats | None = None
    labels: Mapping[str, Labels] = field(default_factory=FrozenDict)
    ranked: bool = False

    @classmethod
    @says_new_keywords
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
    ) -> Self:
        """Build a lattice: check the graph, remove states and arcs that are on no complete path, and sort the others.

        Args:
            source: Source state of each arc. State numbers may be any non-negative integers.
            target: Target state of each arc.
            word: Word number of each arc, 0 for ε.
            final: Final states, each once.
            start: The start state.
            scores: Named costs. The final costs of a column are in the order of the argument `final`.
            vocabulary: Maps word numbers to words; by default, a number is its own word.
            times: Seconds at each state, indexed by the state numbers of `source` and `target`.
            labels: Additional texts of arcs and final states.
            copy: True to copy the arrays. If False, the lattice may use the given arrays: do not change them later.

        Raises:
            InputError: The graph is cyclic or empty, or a number or a score is not valid.

        Examples:
            >>> from latticemetric import Lattice
            >>> lattice = Lattice.from_arcs([0, 0, 1], [1, 1, 2], [5, 7, 8], final=[2])
            >>> [path.words for path in lattice.paths()]
            [('5', '8'), ('7', '8')]
        """
        draft = Columns(
            0,
            int32_numbers(source, "state"),
            int32_numbers(target, "state"),
            int32_numbers(word, "word"),
            int32_numbers(final, "state"),
            scores=checked_columns(scores),
            vocabulary=checked_vocabulary(vocabulary),
            times=checked_times(times),
            labels=checked_labels(labels),
        )
        return cls(*validated(draft, checked_start(start), copy=copy))

    @classmethod
    def of_valid(cls, valid: Columns) -> Self:
        """Return the lattice of columns that `validated` would return as they are."""
        lattice = cls.__new__(cls)
        vars(lattice).update(valid._asdict(), ranked=False)
        return lattice

    @says_new_keywords
    def cost(self, weights: WeightsOrCosts = None) -> Costs:
        """Return the model's costs: the sum of all score columns, each multiplied by its weight.

        Args:
            weights: Weights of score columns; other columns keep their default weight. If these are `Costs` (weighted
                sums), return them unchanged.
        """
        if isinstance(weights, Costs):
            return weights
        return summed_cost(self.scores, len(self.word), self.num_states, self.final, weights)

    @says_new_keywords
    def costed(self, weights: Weights | None) -> tuple[Any, ...]:
        """Return the arguments of kernels that take the arrays of a lattice and its columns, with their weights."""
        used = weights_under({name: column.weight for name, column in self.scores.items()}, weights)
        columns = [(column.arc, column.final) for column in self.scores.values()]
        return (
            self.num_states, self.source, self.target, self.word, self.final, columns, list(used.values()), self.ranked
        )  # fmt: skip

    def is_word(self, ignore: Collection[str] = ()) -> npt.NDArray[np.uint8]:
        """Return 1 for each arc with a word (not ε, and not in `ignore`), and 0 for each other arc."""
        carries: npt.NDArray[np.bool_] = self.word != EPSILON
        if ignore:
            carries &= ~is_any_of(self.word, ignore, self.vocabulary)
        return carries.view(np.uint8)

    @says_new_keywords
    def best_path(self, weights: WeightsOrCosts = None, *, ignore: Collection[str] = ()) -> Steps:
        """Return the arcs of the path with the least cost.

        Of several paths with the least cost, return the one with the fewest words, then the one with the smallest arc
        numbers. In an n-best list (`ranked`), return the first of these paths.

        Args:
            weights: Weight of each score column, or the costs that `cost` returned.
            ignore: Words that do not count when ties are resolved by the number of words.

        Examples:
            >>> from latticemetric import Lattice
            >>> lattice = Lattice.from_strings(["a b", "a c", "d"], costs=[3.0, 1.0, 2.0])
            >>> best = lattice.best_path()
            >>> lattice.words(best), lattice.cost_of(best), lattice.scores_along(best)
            (('a', 'c'), 1.0, {'cost': 1.0})
        """
        cost = self.cost(weights)
        return _native.best_path(self.native(cost, is_word=self.word_counts(word_set(ignore, "ignore"))))

    def native(
        self, cost: Costs, label: Words | None = None, is_word: npt.NDArray[np.uint8] | None = None
    ) -> _native.Lattice:
        """Return the lattice as kernels take it, checked, so that several searches check it once.

        Args:
            cost: The cost of each arc, and of ending in each state.
            label: The word of each arc that kernels compare; 0 if there is none.
            is_word: 1 for each arc that adds a word to the result.
        """
        return _native.Lattice(self.source, self.target, cost.arc, cost.final, label, is_word)

    def word_counts(self, ignore: Collection[str] = ()) -> npt.NDArray[np.uint8]:
        """Return the number of words of each arc (1 or 0), to resolve ties.

        In an n-best list (`ranked`), return 0 for all arcs. Then, only the arc numbers resolve ties: they follow the
        order of the list, so the first path wins.
        """
        return np.zeros(len(self.word), dtype=np.uint8) if self.ranked else self.is_word(ignore)

    @says_new_keywords
    def n_best(
        self, n: int, weights: WeightsOrCosts = None, *, ignore: Collection[str] = (), paths: bool = False
    ) -> list[Steps]:
        """Return the best path of each of the `n` cheapest strings, by ascending cost.

        The list is shorter if the lattice has fewer strings. Ties are resolved as in `best_path`, which returns the
        first of these paths.

        Args:
            n: Number of strings.
            weights: Weight of each score column, or the costs that `cost` returned.
            ignore: Words to ignore: strings that differ only in these words count as equal.
            paths: True to return the `n` cheapest paths; several of these paths may have the same words. The first path
                is the result of `best_path`. Further paths with equal costs are sorted by number of arcs, then by arc
                numbers.

        Examples:
            >>> from latticemetric import Lattice
            >>> lattice = Lattice.from_strings(["a b", "a c", "a b", "d"], costs=[3.0, 2.0, 1.0, 4.0])
            >>> [lattice.words(path) for path in lattice.n_best(2)]
            [('a', 'b'), ('a', 'c')]
            >>> [lattice.words(path) for path in lattice.n_best(3, paths=True)]
            [('a', 'b'), ('a', 'c'), ('a', 'b')]
        """
        n = number_of_strings(n)
        cost, ignored = self.cost(weights), word_set(ignore, "ignore")
        if self.ranked:
            listed = self.ranked_paths(cost)
            return listed[:n] if paths else first_of_each(listed, reported(self.words, ignored), n)
        best = self.best_path(cost, ignore=ignored)
        if n == 1:
            return [best]
        compared = rounded(cost, self.largest_cost(cost))
        if paths:
            return beginning_with(best, cheapest_paths(self.native(compared), n), np.ndarray.tolist, n)
        found = cheapest_strings(self.native(compared, self.word * self.is_word(ignored)), n)
        return beginning_with(best, found, reported(self.words, ignored), n)

    def words(self, path: Iterable[int]) -> tuple[str, ...]:
        """Return the words of the arcs of a path, without ε."""
        return tuple(self.vocabulary.decode(self.word[path if isinstance(path, np.ndarray) else list(path)]))

    @says_new_keywords
    def cost_of(self, path: Sequence[int] | Steps, weights: WeightsOrCosts = None) -> float:
        """Return the cost of a complete path: the costs of its arcs plus the final cost of its last state."""
        cost = self.cost(weights)
        return float(np.add.reduce(cost.arc[np.asarray(path, dtype=np.int64)]) + cost.final[self._end(path)])

    def scores_along(self, path: Sequence[int] | Steps) -> dict[str, float]:
        """Return the sum of each score column along a complete path, by column name."""
        arcs, row = np.asarray(path, dtype=np.int64), self.end_of(path)
        return {name: float(np.add.reduce(c.arc[arcs]) + c.final[row]) for name, c in self.scores.items()}

    def sums_along(self, paths: Sequence[Steps], cost: Costs) -> list[tuple[float, FrozenDict[str, float]]]:
        """Return the cost of each complete path, and its sum of each score column: `cost_of` and `scores_along`."""
        begin = np.zeros(len(paths) + 1, dtype=np.int64)
        np.cumsum([len(path) for path in paths], out=begin[1:])
        columns = [(column.arc, column.final) for column in self.scores.values()]
        sums = _native.sum_paths(self.target, self.final, columns, *cost, begin, np.concatenate(paths))
        return [(total, FrozenDict(zip(self.scores, scores, strict=True))) for total, scores in sums]

    def end_of(self, path: Sequence[int] | Steps) -> int:
        """Return the index, in `final`, of the state where a complete path ends."""
        return int(self.final.searchsorted(self._end(path)))

    def max_words(self) -> int:
        """Return the number of words of the longest string."""
        is_word = self.is_word()
        ends = np.full(self.num_states, np.inf)
        ends[self.final] = 0.0
        longest = _native.best_path(self.native(Costs(-is_word.astype(np.float64), ends), is_word=is_word))
        return int(is_word[longest].sum())

    @says_new_keywords
    def largest_cost(self, weights: WeightsOrCosts = None) -> float:
        """Return the largest sum of absolute costs along any path."""
        return _native.largest_path_cost(self.native(self.cost(weights)))

    @says_new_keywords
    def paths(self, weights: WeightsOrCosts = None) -> Iterator[Path]:
        """Yield every complete path, in lexicographic order of arcs. Use it for small lattices and tests only."""
        cost = self.cost(weights)
        begin = np.searchsorted(self.source, np.arange(self.num_states + 1)).tolist()
        spelling = [self.vocabulary.word(int(w)) for w in self.word]
        arcs: list[int] = []  # one path at a time: a copy at each arc would take quadratic time
        pending: list[tuple[int, int | None]] = [(0, None)]
        while pending:
            length, arc = pending.pop()
            arcs[length:] = [] if arc is None else [arc]
            state = self._end(arcs)
            if np.isfinite(cost.final[state]):
                total = float(sum(cost.arc[arcs]) + cost.final[state])
                yield Path(tuple(arcs), tuple(spelling[a] for a in arcs if spelling[a]), total)
            pending.extend((len(arcs), a) for a in reversed(range(begin[state], begin[state + 1])))

    def _end(self, path: Sequence[int] | Steps) -> int:
        return int(self.target[path[-1]]) if len(path) else 0

    @says_new_keywords
    def ranked_paths(self, weights: WeightsOrCosts = None) -> list[Steps]:
        """Return the paths of an n-best list (`ranked`) by ascending cost; ties keep the list's order."""
        cost = self.cost(weights)
        following = {int(source): arc for arc, source in enumerate(self.source.tolist()) if source}
        paths = []
        for first in np.flatnonzero(self.source == 0).tolist():
            path = [first]
            while (arc := following.get(int(self.target[path[-1]]))) is not None:
                path.append(arc)
            paths.append(np.array(path, dtype=np.int64))
        return sorted(paths, key=lambda path: self.cost_of(path, cost))

    def _repr_svg_(self) -> str:
        return str(notebook().graph_svg(self))

    def __repr__(self) -> str:
        scores = ", ".join(self.scores) or "none"
        return f"{type(self).__name__}({self.num_states} states, {len(self.word)} arcs, scores: {scores})"
