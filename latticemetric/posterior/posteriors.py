"""Compute posteriors: the probabilities of arcs or edges, words and n-grams of a lattice or forest.

The probability of a path or derivation is exp(−scale · cost), normalised.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, overload

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import checked_posterior_scale, floats, whole_number
from latticemetric.cached import cached_property
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.arrays import MOST_EDGES
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Frozen, Result
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Column, Costs, Floats, Steps, Weights, costs_too_large, frozen
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import TOO_MANY_NGRAMS, small_enough
from latticemetric.memory import most_bytes, shown_size
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

if TYPE_CHECKING:
    from latticemetric.nbest import NBest

_EMPTY, _NONE = 0, -1
_WORD_BITS = 32
_HIGHEST_ORDER = 2**31 - 1
# An n-best list with more arcs is long: its n-grams are counted, without a pass over the list for sixteen of them.
MOST_ARCS = 5_000
_BYTES_OF_NGRAM = 40  # in the arrays of a trie while it is built
_BYTES_OF_SAMPLE, _BYTES_OF_STEP = 200, 48  # while samples are drawn: lists of integers, then arrays


@dataclass(frozen=True, eq=False)
class NgramPosteriors(Mapping[tuple[str, ...], float], Frozen):
    """A mapping of n-grams (tuples of words) to their posteriors, for all n-grams of the graph up to `order` words.

    The arrays are a trie, with one row per n-gram. Row 0 is the empty n-gram, which is not a key of the mapping.

    Attributes:
        order: The length of the longest n-grams.
        vocabulary: Maps word numbers to words.
        parent: The row of each n-gram's prefix, which has all words but the last; −1 for the empty n-gram.
        word: The number of the last word of each n-gram.
        posterior: The probability that a path or derivation has the n-gram at least once.
    """

    order: int
    vocabulary: Vocabulary
    parent: Words
    word: Words
    posterior: Floats

    def words(self) -> dict[str, float]:
        """Return the posteriors of single words."""
        rows = self.parent == _EMPTY
        spelled = self.vocabulary.decode(self.word[rows])
        return dict(zip(spelled, self.posterior[rows].tolist(), strict=True))

    def of_length(self, length: int) -> dict[tuple[str, ...], float]:
        """Return the posteriors of n-grams with `length` words."""
        return {words: posterior for words, posterior in self.items() if len(words) == length}

    @cached_property
    def lengths(self) -> Words:
        """The number of words of each row's n-gram."""
        return frozen(_native.lengths_of_rows(self.parent))

    def rows_in(self, words: Sequence[str]) -> list[int]:
        """Return the row of each n-gram of a string, once per occurrence."""
        numbers = self.vocabulary.encode(words).tolist()
        rows: list[int] = _native.rows_of_string(numbers, self.parent, self.word).tolist()
        return rows

    def __getitem__(self, words: tuple[str, ...]) -> float:
        row = _EMPTY
        for number in self.vocabulary.encode(words).tolist():
            row = self._child(row, number)
        if row in {_EMPTY, _NONE}:
            raise KeyError(words)
        return float(self.posterior[row])

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._spelled)

    def __len__(self) -> int:
        return len(self.parent) - 1

    def _child(self, row: int, number: int) -> int:
        """Return the row of an n-gram extended by one word; −1 if the trie does not have the longer n-gram."""
        keys, rows = self._sorted
        key = row << _WORD_BITS | max(number, 0)
        at = int(np.searchsorted(keys, key))
        return int(rows[at]) if row != _NONE and number > 0 and at < len(keys) and keys[at] == key else _NONE

    @cached_property
    def _sorted(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The sorted keys of (parent, word), and their rows. These two arrays are built faster than a dictionary."""
        keys = self.parent.astype(np.int64) << _WORD_BITS | self.word
        rows = np.argsort(keys)
        return frozen(keys[rows]), frozen(rows)

    @cached_property
    def _spelled(self) -> list[tuple[str, ...]]:
        """The n-grams, sorted by length, then alphabetically."""
        spelled: list[tuple[str, ...]] = [()]
        rows = zip(self.parent[1:].tolist(), self.vocabulary.decode(self.word[1:]), strict=True)
        for parent, word in rows:
            spelled.append((*spelled[parent], word))
        return sorted(spelled[1:], key=lambda ngram: (len(ngram), ngram))

    def __repr__(self) -> str:
        return f"NgramPosteriors({len(self)} n-grams up to order {self.order})"


@dataclass(frozen=True, eq=False)
class NgramsOnDemand(Frozen):
    """The n-grams of a forest, for searches: they are counted as far as a search needs them.

    Attributes:
        order: The length of the longest n-grams.
        vocabulary: Maps word numbers to words.
        native: The counts.
    """

    order: int
    vocabulary: Vocabulary
    native: _native.ForestNgrams

    def of_string(self, words: Sequence[str]) -> NgramPosteriors:
        """Return the posteriors of the n-grams of a string; n-grams that the forest does not have may be left out."""
        with small_enough(TOO_MANY_NGRAMS):
            columns = self.native.posteriors_of(self.vocabulary.encode(words))
        return NgramPosteriors(self.order, self.vocabulary, *columns)

    def __len__(self) -> int:
        """Return the number of n-grams that are counted so far."""
        return self.native.size()


def checked_ngram_order(order: int) -> int:
    """Return the order of n-grams; raise `UsageError` unless it is a whole number from 1 to `_HIGHEST_ORDER`."""
    message, advice = f"n-grams of order {order} cannot be counted", f"choose an order from 1 to {_HIGHEST_ORDER}"
    return whole_number(order, message, advice, most=_HIGHEST_ORDER)


@dataclass(frozen=True, eq=False)
class Distribution(ABC, Frozen):
    """The distribution over the paths or derivations of a graph: exp(−scale · cost), normalised.

    Attributes:
        log_total: Natural logarithm of the sum of exp(−scale · cost) over all paths or derivations.
        transition: The probability of each arc or edge, given its source state or head node.
        ending: The probability of ending in each final state or goal.
    """

    log_total: float
    transition: Floats
    ending: Floats

    @property
    @np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
    def entropy(self) -> float:
        """The entropy of the distribution over paths or derivations, in nats."""
        uses, ending = self._uses
        steps = np.concatenate([self.transition, ending])
        weights = np.concatenate([uses, self.ending])
        taken = weights > 0
        return float(-(weights[taken] * np.log(steps[taken])).sum()) + 0.0

    @abstractmethod
    def ngrams(self, order: int) -> NgramPosteriors:
        """Return the probability of each n-gram of up to `order` words."""

    @property
    @abstractmethod
    def _uses(self) -> tuple[Floats, Floats]:
        """The mean number of uses of each arc or edge, and the probability of each ending.

        In a lattice, an ending is a final state; its probability is conditional on passing the state.
        In a forest, an ending is a goal.
        """

    def words(self) -> dict[str, float]:
        """Return, for each word, the probability that a path has it at least once."""
        return self.ngrams(1).words()

    def of_path(self, steps: Steps, end: int) -> float:
        """Return the probability of a path or derivation, given its steps and the row of its final state or goal.

        It is a product of probabilities, since the difference of two large costs is not exact.
        """
        return product_of(np.append(self.transition[steps], self._uses[1][end]))

    def _expected(self, values: npt.ArrayLike, final_values: npt.ArrayLike | None) -> float:
        total = 0.0
        for weights, given in ((self._uses[0], values), (self.ending, final_values)):
            if given is None:
                continue
            aligned = floats(given, "values")
            if aligned.shape != weights.shape:
                raise UsageError(
                    f"there are {aligned.size} values instead of {len(weights)}",
                    advice="give one value per arc or edge (and per final state or goal), in the graph's order",
                )
            total += float(weights @ aligned)
        return total


def product_of(probabilities: Floats) -> float:
    """Return the product of the probabilities of a path's steps, at most 1."""
    with np.errstate(divide="ignore"):
        return math.exp(min(0.0, math.fsum(np.log(probabilities))))


class _ScoredPath(Protocol):
    """A scored path, as oracles return it; it has arcs (of a lattice) or edges (of a forest)."""

    @property
    def words(self) -> tuple[str, ...]: ...
    @property
    def arcs(self) -> tuple[int, ...]: ...
    @property
    def edges(self) -> tuple[int, ...]: ...


def _another_lattice() -> UsageError:
    return UsageError("the path belongs to another lattice", advice="use the posteriors of the path's own lattice")


def _checked_sampling(count: int, seed: int, what: str) -> tuple[int, int]:
    """Return the number of samples and the seed; raise `UsageError` unless they are whole numbers of at least 0."""
    advice = "give a whole number from 0"
    count = whole_number(count, f"cannot sample {count!r} {what}", advice, least=0)
    _require_room(count, 0)
    return count, whole_number(seed, f"the seed is {seed!r}", advice, least=0)


def _require_room(samples: int, steps: int) -> None:
    """Raise `InputError` unless this number of samples with this number of arcs or edges fits into memory."""
    limit = most_bytes()
    if samples * _BYTES_OF_SAMPLE + steps * _BYTES_OF_STEP > limit:
        raise InputError(
            f"these samples need more than {shown_size(limit)} of memory",
            advice="draw fewer, or allow more memory (limit_memory)",
        )


@dataclass(frozen=True, repr=False, eq=False)
class Posteriors(Result, Distribution):
    """The distribution over the paths of a lattice.

    Attributes:
        lattice: The lattice.
        log_total: Natural logarithm of the sum of exp(−scale · cost) over its paths.
        state: For each state, the probability that a path passes it.
        arc: For each arc, the probability that a path uses it.
        transition: The probability of each arc, given its source state.
        ending: The probability of ending in each final state.
    """

    lattice: Lattice
    state: Floats
    arc: Floats

    @says_new_keywords
    def expected(self, arc_values: npt.ArrayLike, final_values: npt.ArrayLike | None = None) -> float:
        """Return the expected value of a path; a path has the sum of the values of its arcs and final state."""
        return self._expected(arc_values, final_values)

    def ngrams(self, order: int) -> NgramPosteriors:
        """Return, for each n-gram of up to `order` words, the probability that a path has it at least once.

        Raises:
            InputError: The n-grams do not fit into memory; see `limit_memory`.

        Examples:
            >>> lattice = Lattice.from_strings(["a b", "a b a b", "b"], costs=[0.0, 0.0, 0.0])
            >>> for words, posterior in posteriors(lattice).ngrams(2).items():
            ...     print(*words, round(posterior, 3))
            a 0.667
            b 1.0
            a b 0.667
            b a 0.333
        """
        order = checked_ngram_order(order)
        lattice = self.lattice
        if lattice.ranked and len(lattice.word) > MOST_ARCS:
            with small_enough(TOO_MANY_NGRAMS):
                return NgramPosteriors(order, lattice.vocabulary, *self._listed_ngrams(order))
        columns = lattice.source, lattice.target, lattice.word, self.transition, lattice.num_states
        with small_enough(TOO_MANY_NGRAMS):
            return NgramPosteriors(order, lattice.vocabulary, *_native.ngram_posteriors(*columns, order))

    def _listed_ngrams(self, order: int) -> tuple[Words, Words, Floats]:
        """Return the trie of n-grams of an n-best list (`ranked`): for each n-gram, add up the hypotheses that have it.

        In each round, n-grams that are one word longer get the next rows.
        """
        lattice, paths = self.lattice, self.lattice.ranked_paths()
        share = np.array([self.of_path(path, lattice.end_of(path)) for path in paths])
        spelled = [words[words != EPSILON] for words in (lattice.word[path] for path in paths)]
        word = np.concatenate(spelled).astype(np.int64)
        owner = np.repeat(np.arange(len(paths)), [len(words) for words in spelled])
        keys: list[npt.NDArray[np.int64]] = [np.array([_NONE << _WORD_BITS])]
        sums: list[Floats] = [np.ones(1)]
        rows, row = 1, np.full(len(word), _EMPTY)  # the row of the n-gram that begins at each place
        for length in range(min(order, len(word))):
            if rows * _BYTES_OF_NGRAM > most_bytes():
                raise _native.TooLarge("the n-grams of the list do not fit into memory")
            place = np.flatnonzero(owner[: len(word) - length] == owner[length:])
            if not len(place):
                break
            key, found = np.unique(row[place] << _WORD_BITS | word[place + length], return_inverse=True)
            row[place] = rows + found
            once = np.unique(found * len(paths) + owner[place])
            keys.append(key)
            added = np.bincount(once // len(paths), weights=share[once % len(paths)], minlength=len(key))
            sums.append(added.astype(np.float64, copy=False))
            rows += len(key)
        trie = np.concatenate(keys)
        last = trie & ((1 << _WORD_BITS) - 1)
        posterior: Floats = np.minimum(np.concatenate(sums), 1.0)
        return (trie >> _WORD_BITS).astype(np.int32), last.astype(np.int32), posterior

    def to_lattice(self) -> Lattice:
        """Return the lattice with one column, `posterior`: −ln of the probability of each arc and final state.

        Words, states and times stay the same. Probabilities below the smallest normal number, about
        2 · 10⁻³⁰⁸, become this number.

        Examples:
            >>> lattice = Lattice.from_strings(["a b", "a c", "b"], costs=[0.0, 0.0, 0.0])
            >>> posteriors(lattice).to_lattice().scores["posterior"].arc.round(4).tolist()
            [1.0986, 1.0986, 1.0986, 1.0986, 1.0986]
        """
        ending = self.ending if len(self.ending) > 1 else np.ones(1)
        # Costs are always finite, and 0 if rounding makes a probability larger than 1.
        arc, final = (0.0 - np.log(np.clip(part, np.finfo(np.float64).tiny, 1.0)) for part in (self.arc, ending))
        return Lattice.from_arcs(
            self.lattice.source,
            self.lattice.target,
            self.lattice.word,
            final=self.lattice.final,
            scores={"posterior": Column(arc, final)},
            vocabulary=self.lattice.vocabulary,
            times=self.lattice.times,
        )

    def confidences(self, path: _ScoredPath) -> tuple[float, ...]:
        """Return the probability of each word of a scored path.

        In a lattice, the probability of a word is the posterior of its arc. In an n-best list, where hypotheses share
        no arcs, it is the total probability of all hypotheses with the same word at the same position, after a WER
        alignment of each hypothesis with the path. A word on which all hypotheses agree has probability 1.

        Args:
            path: An oracle or a 1-best of this lattice.

        Examples:
            >>> from latticemetric import oracle
            >>> lattice = Lattice.from_arcs([0, 0, 0, 1], [1, 1, 2, 2], [5, 6, 7, 8], final=[2])
            >>> best = oracle(lattice, "6 8", "wer")
            >>> [round(confidence, 3) for confidence in posteriors(lattice).confidences(best)]
            [0.333, 0.667]
            >>> nbest = Lattice.from_strings(["a b c", "a x c", "b c"])
            >>> best = oracle(nbest, "a b c", "wer")
            >>> [round(confidence, 3) for confidence in posteriors(nbest).confidences(best)]
            [0.667, 0.667, 1.0]
        """
        if path.edges:
            raise UsageError(
                "confidences need a path of a lattice, but this is a derivation of a forest",
                advice="use `words()` or `ngrams()` of the posteriors",
            )
        if max(path.arcs, default=-1) >= len(self.arc):
            raise _another_lattice()
        spelled = [(self.lattice.vocabulary.word(int(self.lattice.word[arc])), arc) for arc in path.arcs]
        # Skip ignored words: they are on arcs, but not in the path's `words`.
        known = set(path.words)
        counted = [(word, arc) for word, arc in spelled if word in known]
        if tuple(word for word, _ in counted) != path.words:
            raise _another_lattice()
        if self.lattice.ranked:
            return self._agreement(path.words)
        return tuple(np.minimum(self.arc[[arc for _, arc in counted]], 1.0).tolist())

    def _agreement(self, words: tuple[str, ...]) -> tuple[float, ...]:
        """Return, for each word, the total probability of the hypotheses with the same word at the same position."""
        from latticemetric.metrics.alignment import DELETION, MATCH
        from latticemetric.metrics.recognition import WER

        strings: dict[tuple[str, ...], list[float]] = {}
        for hypothesis in self.lattice.ranked_paths():
            strings.setdefault(self.lattice.words(hypothesis), []).append(float(self.arc[hypothesis[0]]))
        # Add up the probabilities of hypotheses that disagree: the sum is exactly 0 if all agree.
        others: list[list[float]] = [[] for _ in words]
        metric = WER()
        for string, probabilities in strings.items():
            edits = [edit for edit in metric.align(words, string).edits if edit != DELETION]
            for place, edit in enumerate(edits):
                if edit != MATCH:
                    others[place] += probabilities
        return tuple(max(0.0, 1.0 - math.fsum(other)) for other in others)

    def sample(self, count: int, seed: int) -> list[npt.NDArray[np.int64]]:
        """Draw `count` independent paths by their probabilities; return the arcs of each path."""
        count, seed = _checked_sampling(count, seed, "paths")
        lattice, random = self.lattice, np.random.default_rng(seed)
        begin = np.searchsorted(lattice.source, np.arange(lattice.num_states + 1))
        before = np.concatenate([[0.0], np.cumsum(self.transition)])
        paths: list[list[int]] = [[] for _ in range(count)]
        steps = 0
        at, unfinished = np.zeros(count, dtype=np.int64), np.arange(count)
        while len(unfinished):
            # Each unfinished path takes one step: it takes an arc of its state, or ends (number `last`).
            first, last = begin[at], begin[at + 1]
            drawn = np.searchsorted(before, before[first] + random.random(len(at)), side="right") - 1
            goes_on = (drawn < last) & (last > first)
            goes_on |= (last > first) & ~np.isin(at, lattice.final)  # rounding must not end a path in a non-final state
            taken = np.clip(drawn, first, np.maximum(last - 1, first))[goes_on]
            unfinished = unfinished[goes_on]
            steps += len(unfinished)
            _require_room(count, steps)
            for path, arc in zip(unfinished.tolist(), taken.tolist(), strict=True):
                paths[path].append(arc)
            at = lattice.target[taken].astype(np.int64)
        return [np.array(path, dtype=np.int64) for path in paths]

    @property
    def _uses(self) -> tuple[Floats, Floats]:
        state = self.state[self.lattice.final]
        return self.arc, np.divide(self.ending, state, out=np.zeros_like(state), where=state > 0)


@dataclass(frozen=True, repr=False, eq=False)
class ForestPosteriors(Result, Distribution):
    """The distribution over the derivations of a forest.

    In some handmade forests, a derivation uses a node or an edge several times. Then `node` and `edge` are mean numbers
    of uses.

    Attributes:
        forest: The forest.
        log_total: Natural logarithm of the sum of exp(−scale · cost) over its derivations.
        node: For each node, the probability that a derivation uses it.
        edge: For each edge, the probability that a derivation uses it.
        transition: The probability of each edge, given that its head is used.
        ending: The probability of each goal.
    """

    forest: Forest
    node: Floats
    edge: Floats

    @says_new_keywords
    def expected(self, edge_values: npt.ArrayLike, final_values: npt.ArrayLike | None = None) -> float:
        """Return the expected value of a derivation; a derivation has the sum of the values of its edges and goal."""
        return self._expected(edge_values, final_values)

    def ngrams(self, order: int) -> NgramPosteriors:
        """Return, for each n-gram of up to `order` words, the probability that a derivation has it at least once.

        Raises:
            InputError: The n-grams do not fit into memory; see `limit_memory`.

        Examples:
            >>> from latticemetric import Forest
            >>> forest = Forest.from_edges([0, 0, 1], [[], [], [0, 0]], [[5], [6], [-1, 7, -2]], goals=[1])
            >>> for words, posterior in posteriors(forest).ngrams(2).items():
            ...     print(*words, posterior)
            5 0.75
            6 0.75
            7 1.0
            5 7 0.5
            6 7 0.5
            7 5 0.5
            7 6 0.5
        """
        order = checked_ngram_order(order)
        with small_enough(TOO_MANY_NGRAMS):
            columns = _native.forest_ngram_posteriors(*self._for_kernels, order, most_bytes())
        return NgramPosteriors(order, self.forest.vocabulary, *columns)

    def ngrams_on_demand(self, order: int) -> NgramsOnDemand:
        """Return the same n-grams for searches, which count only those that they need.

        Raises:
            InputError: The forest does not fit into memory; see `limit_memory`.
        """
        order = checked_ngram_order(order)
        with small_enough(TOO_MANY_NGRAMS):
            native = _native.ForestNgrams(*self._for_kernels, order, most_bytes())
        return NgramsOnDemand(order, self.forest.vocabulary, native)

    @property
    def _for_kernels(self) -> tuple[_native.Forest, Floats, Floats, Floats]:
        """The forest without costs, and the probabilities of its nodes, edges and goals."""
        forest = self.forest
        ending = np.zeros(forest.num_nodes)
        ending[forest.goals] = self.ending
        final = np.full(forest.num_nodes, np.inf)
        final[forest.goals] = 0.0
        native = forest.native(Costs(np.zeros(len(forest.head)), final))
        return native, self.node, self.transition, ending

    def sample(self, count: int, seed: int) -> list[npt.NDArray[np.int64]]:
        """Draw `count` independent derivations by their probabilities; return their edges in preorder."""
        count, seed = _checked_sampling(count, seed, "derivations")
        forest, random = self.forest, np.random.default_rng(seed)
        goals, ending = forest.goals.tolist(), np.cumsum(self.ending)
        begin: list[int] = np.searchsorted(forest.head, np.arange(forest.num_nodes + 1)).tolist()
        before = np.concatenate([[0.0], np.cumsum(self.transition)])
        below = [
            [tails[-symbol - 1] for symbol in reversed(target) if symbol < 0]
            for tails, target in zip(forest.tails.rows(), forest.target.rows(), strict=True)
        ]
        derivations, steps = [], 0
        for _ in range(count):
            goal = int(np.searchsorted(ending, random.random() * ending[-1], side="right"))
            pending, edges = [goals[min(goal, len(goals) - 1)]], []
            while pending:
                node = pending.pop()
                first, last = begin[node], begin[node + 1]
                drawn = int(np.searchsorted(before, before[first] + random.random(), side="right")) - 1
                edge = min(max(drawn, first), last - 1)
                edges.append(edge)
                pending += below[edge]
                if len(edges) > MOST_EDGES:
                    raise InputError(
                        f"cannot sample from derivations with more than {MOST_EDGES} edges", advice="prune the forest"
                    )
            derivations.append(np.array(edges, dtype=np.int64))
            steps += len(edges)
            _require_room(count, steps)
        return derivations

    @property
    def _uses(self) -> tuple[Floats, Floats]:
        return self.edge, self.ending


@overload
def posteriors(graph: Forest, *, posterior_scale: float = ..., weights: Weights | None = ...) -> ForestPosteriors: ...


@overload
def posteriors(
    graph: Lattice | NBest, *, posterior_scale: float = ..., weights: Weights | None = ...
) -> Posteriors: ...


@says_new_keywords
def posteriors(
    graph: Graph, *, posterior_scale: float = 1.0, weights: Weights | None = None
) -> Posteriors | ForestPosteriors:
    """Compute the posteriors of a graph's arcs or edges, words and n-grams.

    Args:
        graph: A lattice, an n-best list, or a forest.
        posterior_scale: Factor of the costs, before they become probabilities; below 1, it flattens the distribution.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Raises:
        InputError: The costs are too large to be added up.

    Examples:
        >>> lattice = Lattice.from_strings(["a b", "a c", "b"], costs=[0.0, 0.0, 0.0])
        >>> probabilities = posteriors(lattice)
        >>> lattice.vocabulary.decode(lattice.word), probabilities.arc.round(3).tolist()
        (['a', 'a', 'b', 'b', 'c'], [0.333, 0.333, 0.333, 0.333, 0.333])
        >>> round(probabilities.entropy, 4)
        1.0986
    """
    if isinstance(graph, Forest):
        cost = _scaled_cost(graph, posterior_scale, weights)
        log_total, node, transition, ending = _native.inside_outside(graph.native(cost))
        _require_finite(log_total, node)
        return ForestPosteriors(
            log_total=log_total,
            transition=transition,
            ending=ending[graph.goals],
            forest=graph,
            node=node,
            edge=node[graph.head] * transition,
        )
    lattice = as_lattice(graph, weights)
    steps = step_probabilities(lattice, posterior_scale, weights)
    return Posteriors(
        log_total=steps.log_total,
        transition=steps.transition,
        ending=steps.state[lattice.final] * steps.ending[lattice.final],
        lattice=lattice,
        state=steps.state,
        arc=steps.state[lattice.source] * steps.transition,
    )


class StepProbabilities(NamedTuple):
    """Probabilities of the steps along a lattice's paths.

    Attributes:
        log_total: Natural logarithm of the sum of exp(−scale · cost) over its paths.
        state: For each state, the probability that a path passes it.
        transition: The probability of each arc, given its source state.
        ending: The probability of ending in each state, given that a path passes it.
    """

    log_total: float
    state: Floats
    transition: Floats
    ending: Floats


def step_probabilities(lattice: Lattice, posterior_scale: float, weights: Weights | None) -> StepProbabilities:
    """Compute the probabilities of a lattice's steps; see `posteriors`."""
    cost = _scaled_cost(lattice, posterior_scale, weights)
    steps = StepProbabilities(*_native.forward_backward(lattice.native(cost)))
    _require_finite(steps.log_total)
    return steps


def _scaled_cost(graph: Lattice | Forest, posterior_scale: float, weights: Weights | None) -> Costs:
    """Return the cost times `posterior_scale`; raise `InputError` if a cost is infinite. Sums may still overflow."""
    posterior_scale = checked_posterior_scale(posterior_scale)
    cost = graph.cost(weights)
    ends = graph.final if isinstance(graph, Lattice) else graph.goals
    ending = np.full(len(cost.final), np.inf)
    with np.errstate(over="ignore", under="ignore"):
        ending[ends] = cost.final[ends] * posterior_scale
        scaled = Costs(cost.arc * posterior_scale, ending)
    _require_finite(scaled.arc, ending[ends])
    return scaled


def _require_finite(*sums: float | Floats) -> None:
    """Raise `InputError` if a value is not finite."""
    if not all(np.isfinite(values).all() for values in sums):
        raise costs_too_large()
