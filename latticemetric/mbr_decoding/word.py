"""MBR by words: find the words with the least expected number of word errors (edit distance).

Xu, Povey, Mangu & Zhu, "Minimum Bayes Risk decoding and system combination based on a recursion for edit distance",
Computer Speech and Language 25 (2011), as implemented in Kaldi's `lattice-mbr-decode`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import checked_posterior_scale
from latticemetric.cached import cached_property
from latticemetric.frozen import Result
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.canonical_order import alphabetical, in_canonical_order, rows_in
from latticemetric.lattice.columns import Costs, Floats, Weights, weights_under
from latticemetric.lattice.lattice import Lattice
from latticemetric.posterior.best import Times, pairs_of
from latticemetric.vocabulary import EPSILON, Words

FOR_FORESTS = "MBR by n-grams or by a metric takes any forest"
"""The advice of errors about a forest that cannot be converted to a lattice."""

# Probabilities that differ by less than this count as equal, since sums over paths have rounding errors.
TIE = 1e-9


@dataclass(frozen=True, repr=False)
class WordMBR(Result):
    """The hypothesis with the least expected edit distance from a lattice's paths, among the hypotheses tried.

    Attributes:
        words: The words.
        risk: A tight upper bound of the expected number of word errors of `words`.
        confidences: The probability of each word at its position.
        one_best: The words of the 1-best, where the search starts.
        one_best_risk: A tight upper bound of the expected number of word errors of `one_best`.
        iterations: Number of hypotheses tried.
        times: Mean begin and end of each word over the paths that have it at this position, in seconds; `None` if the
            lattice has no times.
    """

    words: tuple[str, ...]
    risk: float
    confidences: tuple[float, ...]
    one_best: tuple[str, ...]
    one_best_risk: float
    iterations: int
    times: Times | None = None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            one_best (str): The words of the model's own best path, where the search starts.
        """
        return {
            "hypothesis": " ".join(self.words),
            "risk": self.risk,
            "confidences": list(self.confidences),
            "times": pairs_of(self.times),
            "one_best": " ".join(self.one_best),
            "one_best_risk": self.one_best_risk,
            "iterations": self.iterations,
        }


def word_mbr(graph: Graph, *, posterior_scale: float = 1.0, weights: Weights | None = None) -> WordMBR:
    """Decode for minimum Bayes risk under word error rate.

    The search starts from the 1-best, puts the most probable word into each position, and repeats this until nothing
    changes. If several words are equally probable in a position, the search keeps the current word if it is one of
    them; otherwise, it prefers the empty word, then the first word in alphabetical order.

    The numbers of states, arcs and words decide nothing. If paths with different words have the least cost and the
    fewest words, `one_best` is the first of them in an order of states and arcs that words, scores and times decide.

    Args:
        graph: A lattice, or an n-best list.
        posterior_scale: Factor of the costs, before they become probabilities; below 1, it flattens the distribution.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Examples:
        >>> lattice = Lattice.from_strings(["a b c", "a d e", "a d f"], costs=[0.0, 0.1, 0.2])
        >>> best = word_mbr(lattice)
        >>> best.words, best.one_best, round(best.risk, 3), round(best.one_best_risk, 3)
        (('a', 'd', 'c'), ('a', 'b', 'c'), 1.0, 1.266)
    """
    one_best, best, iterations = search_words(Aligner.of(graph, posterior_scale, weights))
    return WordMBR(best.words, best.risk, best.confidences, one_best.words, one_best.risk, iterations, best.times)


@dataclass(frozen=True, eq=False)
class AlignedHypothesis:
    """Words aligned with all paths of a lattice; their risk is the expected edit distance.

    The columns `word`, `place`, `mass`, `begin` and `end` have one row per position and aligned word, sorted by
    position, then by word.

    Attributes:
        lattice: The lattice.
        numbers: The word numbers of the lattice, in alphabetical order; the first is ε. `positions` and `word` hold
            indices into this array.
        positions: The hypothesis's word at each position; ε in gaps between words.
        risk: A tight upper bound of the expected edit distance.
        word: For each row, the aligned word.
        place: For each row, the position.
        mass: For each row, the probability that the position is aligned with the word.
        begin: For each row, the sum of begin time (seconds) · probability; empty if the lattice has no times.
        end: For each row, the sum of end time (seconds) · probability; empty if the lattice has no times.
    """

    lattice: Lattice
    numbers: Words
    positions: Words
    risk: float
    word: Words
    place: Words
    mass: Floats
    begin: Floats
    end: Floats

    @property
    def spoken(self) -> npt.NDArray[np.int64]:
        """The positions that have words."""
        return np.flatnonzero(self.positions)

    @property
    def words(self) -> tuple[str, ...]:
        """The words."""
        return tuple(self.lattice.vocabulary.decode(self.numbers[self.positions]))

    @property
    def confidences(self) -> tuple[float, ...]:
        """The probability of each word."""
        return tuple(np.minimum(self.own(self.mass)[self.spoken], 1.0).tolist())

    @property
    def times(self) -> Times | None:
        """Mean begin and end of the arcs that are aligned with each word and have it; `None` without times.

        For a word that no path has in its position, of all arcs that are aligned with it.
        """
        if not len(self.begin):
            return None
        own, columns = self.own(self.mass), (self.begin, self.end)
        met, mass = own > 0, self.sums(self.mass)
        begin, end = (np.where(met, self.own(one), self.sums(one)) / np.where(met, own, mass) for one in columns)
        return times_in_order(begin[self.spoken], end[self.spoken])

    @cached_property
    def first(self) -> npt.NDArray[np.int64]:
        """The first row of each position. Each position has a row, since every path is aligned with it."""
        return np.searchsorted(self.place, np.arange(len(self.positions)))

    @cached_property
    def largest(self) -> Floats:
        """The largest probability of each position."""
        return np.maximum.reduceat(self.mass, self.first)

    def own(self, column: Floats) -> Floats:
        """Return the value of a column for each position's own word; 0 if no path is aligned with this word."""
        rows = np.flatnonzero(self.word == self.positions[self.place])
        values = np.zeros(len(self.positions))
        values[self.place[rows]] = column[rows]
        return values

    def sums(self, column: Floats) -> Floats:
        """Return the sum of a column over the rows of each position."""
        sums = np.zeros(len(self.positions))
        np.add.at(sums, self.place, column)
        return sums

    def most_probable(self) -> Words:
        """Return the most probable word of each position; ties: its own word, then the first row."""
        enough = self.largest - TIE
        rows = np.flatnonzero(self.mass >= enough[self.place])
        best = self.word[rows[np.searchsorted(self.place[rows], np.arange(len(self.positions)))]]
        return np.where(self.own(self.mass) >= enough, self.positions, best).astype(np.int32)


def times_in_order(begin: Floats, end: Floats) -> Times:
    """Return the nearest non-decreasing times (isotonic regression), since mean times may decrease.

    Adjacent times that decrease are pooled; each time of a pool becomes the pool's mean.
    """
    pools: list[tuple[float, int]] = []
    for time in np.stack([begin, end], axis=1).ravel().tolist():
        mean, size = time, 1
        while pools and pools[-1][0] > mean:
            before, length = pools.pop()
            mean, size = (before * length + mean * size) / (length + size), size + length
        pools.append((mean, size))
    ordered = [mean for mean, size in pools for _ in range(size)]
    return tuple(zip(ordered[::2], ordered[1::2], strict=True))


class Aligner(NamedTuple):
    """A lattice, and a function that aligns words with all of its paths.

    Attributes:
        lattice: The lattice, in canonical order.
        cost: The model's cost of its arcs and final states.
        numbers: The word numbers of the lattice, in alphabetical order; the first is ε.
        align: A function that aligns positions (indices into `numbers`) with all paths.
    """

    lattice: Lattice
    cost: Costs
    numbers: Words
    align: Callable[[Words], AlignedHypothesis]

    @classmethod
    def of(cls, graph: Graph, posterior_scale: float, weights: Weights | None) -> Self:
        """Return the aligner of a lattice or n-best list."""
        posterior_scale = checked_posterior_scale(posterior_scale)
        lattice = in_canonical_order(as_lattice(graph, weights, advice=FOR_FORESTS))
        under = weights_under({name: column.weight for name, column in lattice.scores.items()}, weights)
        scaled = lattice.cost({name: posterior_scale * weight for name, weight in under.items()})
        numbers = alphabetical(lattice.word, lattice.vocabulary)
        return cls(lattice, lattice.cost(weights), numbers, _alignment(lattice, scaled, numbers))

    def aligned(self, words: npt.NDArray[np.integer]) -> AlignedHypothesis:
        """Align words, given as word numbers of the lattice; skip ε."""
        return self.align(_with_gaps(rows_in(self.numbers, words)))


def search_words(
    aligner: Aligner, start: Sequence[str] | None = None
) -> tuple[AlignedHypothesis, AlignedHypothesis, int]:
    """Improve the 1-best until nothing changes; return the 1-best, the best hypothesis, and the number of tries.

    With `start`, the search starts from these words instead of the 1-best. The words must be in the lattice.
    """
    lattice = aligner.lattice
    first = lattice.word[lattice.best_path(aligner.cost)] if start is None else lattice.vocabulary.encode(start)
    one_best = aligner.aligned(first)
    best, latest, seen = one_best, one_best, {one_best.positions.tobytes()}
    # Stop at a hypothesis that was tried before. The risk may rise a little, since a removed position adds up to 1e-5,
    # so the hypotheses may repeat in a cycle.
    while (following := _with_gaps(latest.most_probable())).tobytes() not in seen:
        seen.add(following.tobytes())
        latest = aligner.align(following)
        if latest.risk < best.risk - TIE:
            best = latest
    return one_best, best, len(seen)


def _alignment(lattice: Lattice, cost: Costs, numbers: Words) -> Callable[[Words], AlignedHypothesis]:
    """Return a function that aligns a hypothesis with all paths.

    A hypothesis has a word or ε at each of its positions, as an index into `numbers`.
    """
    states, times = lattice.num_states, np.empty(0) if lattice.times is None else lattice.times
    order = np.argsort(lattice.target, kind="stable")
    source, target, word = (column[order] for column in (lattice.source, lattice.target, lattice.word))
    arc_cost = cost.arc[order]
    if lattice.final.tolist() != [states - 1] or cost.final[-1] != 0:
        # If there are several final states, or final costs, add arcs to a new final state without cost, as Kaldi does.
        source = np.append(source, lattice.final)
        target = np.append(target, np.full_like(lattice.final, states))
        word = np.append(word, np.full_like(lattice.final, EPSILON))
        arc_cost = np.append(arc_cost, cost.final[lattice.final])
        times = np.append(times, times[lattice.final].max()) if len(times) else times
        states += 1
    label = rows_in(numbers, word)
    share = _native.incoming_shares(source, target, arc_cost, states)

    def align(positions: Words) -> AlignedHypothesis:
        met = _native.mbr_statistics(source, target, label, share, times, states, len(numbers), positions)
        return AlignedHypothesis(lattice, numbers, positions, *met)

    return align


def _with_gaps(rows: npt.NDArray[np.integer]) -> Words:
    """Return the positions of a hypothesis: its words, and ε before, between and after them."""
    words = rows[rows != 0]
    positions = np.zeros(2 * len(words) + 1, dtype=np.int32)
    positions[1::2] = words
    return positions
