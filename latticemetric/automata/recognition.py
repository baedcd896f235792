"""The automaton of a recognition rate (Chiang & DeNeefe 2008, section 4), and the search for the best rate.

One reference gives one automaton; several references give the union of their automata.

In this table, r is the reference, n the length of the longest n-grams, α the insertion penalty, β the deletion penalty,
and ★ any word. In state (i, m), the first i reference words have been read, and the last m of them (at most n − 1) were
matches in a row. The number after the colon is the gain:

    match         (i, m) --r_{i+1} : m+1--> (i+1, min(m+1, n−1))      i < |r|
    deletion      (i, m) --ε : −β-------->  (i+1, 0)                  i < |r|
    substitution  (i, m) --★ : 0--------->  (i+1, 0)                  i < |r|
    insertion     (i, m) --★ : −α-------->  (i, 0)                    i ≤ |r|

If the reference is a graph, i is one of its states. An ε-arc from i to j keeps m: it leads from (i, m) to (j, m).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.reference import ReferenceGraph, counted_labels, words_in
from latticemetric.errors import InputError
from latticemetric.lattice.lattice import Lattice
from latticemetric.memory import most_bytes
from latticemetric.vocabulary import EPSILON, STAR, UNKNOWN, Vocabulary, Words

_MOST_WORDS = 2**24 - 1  # of a string that kernels align or search for
_MOST_STATES = 2**31 - 1  # of its automaton, n + 1 at most for each position


class Gains(NamedTuple):
    """The parameters of an n-gram recognition rate as integers: all gains are multiples of `1 / unit`.

    Attributes:
        order: n, the length of the longest n-grams.
        unit: The common denominator of α and β.
        alpha: The insertion penalty α, times `unit`.
        beta: The deletion penalty β, times `unit`.
    """

    order: int
    unit: int
    alpha: int
    beta: int

    @property
    def are_edits(self) -> bool:
        """True if |r| minus the gain is the edit distance, so that kernels for edit distances apply."""
        return self.order == 1 and self.alpha == self.unit and self.beta == 0

    def times(self, factor: int) -> Gains:
        """Return the same parameters in a unit that is smaller by this factor."""
        return Gains(self.order, self.unit * factor, self.alpha * factor, self.beta * factor)

    def bounds(self) -> tuple[Fraction | float, Fraction | float]:
        """Return a lower and an upper bound of gain / size over all pairs of strings; infinite if there is none."""
        alpha, beta = Fraction(self.alpha, self.unit), Fraction(self.beta, self.unit)
        # Each word of the reference adds at most 1 to gain / size if it matches, and at most −β if it is deleted. An
        # alignment may delete all of them, so no best gain is below −β.
        return (
            -math.inf if alpha > 0 else min(Fraction(0), -beta),
            math.inf if alpha < 0 else max(Fraction(1), -beta),
        )

    def of_edits(self) -> list[int]:
        """Return the gain of each edit code, times `unit`.

        Code 0 is no edit. Code k, from 1 to n, is the k-th match in a row. Codes n + 1, n + 2 and n + 3 are deletion,
        substitution and insertion.
        """
        return [0, *(k * self.unit for k in range(1, self.order + 1)), -self.beta, 0, -self.alpha]


def require_short(words: int, order: int = 1) -> None:
    """Raise `InputError` if a reference or string of `words` words is too long for the kernels."""
    most = min(_MOST_WORDS, _MOST_STATES // (order + 1) - 1)
    if words > most:
        lower = ", or choose a lower order" if most < _MOST_WORDS else ""
        what = f"a reference or string of {words:,} words is too long to be aligned; the most are {most:,}"
        raise InputError(what, advice=f"split it into segments{lower}")


class RecognitionAutomaton(NamedTuple):
    """The transitions of the automaton as columns, sorted by source. The start is state 0.

    State i · n + m stands for state i of the reference after m matches in a row; n is the order, and m < n.

    Attributes:
        source: The state where the transition begins.
        target: The state where the transition ends.
        label: A word number, `EPSILON` (reads no word, as in a deletion) or `STAR` (reads any word).
        edit: The edit code, as in `Gains.of_edits`.
        size: The number that the transition adds to the denominator of the rate.
        final: For each state, True if a path may end in it.
    """

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    label: Words
    edit: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    final: npt.NDArray[np.bool_]


def ngram_total(words: int, order: int) -> int:
    """Return the denominator of an n-gram recognition rate: the number of k-grams (k ≤ `order`) of `words` words."""
    orders = min(order, words)
    return orders * words - orders * (orders - 1) // 2


def recognition_automaton(reference: ReferenceGraph, order: int) -> RecognitionAutomaton:
    """Build the automaton of an n-gram recognition rate for one reference.

    A word outside of the vocabulary (`UNKNOWN`) has no match transition.
    """
    n, states = order, len(reference.final)
    arc, run = (grid.ravel() for grid in np.meshgrid(np.arange(len(reference.word)), np.arange(n), indexing="ij"))
    here, onward = reference.source[arc] * n + run, reference.target[arc] * n
    word, size = reference.word[arc], reference.size[arc]
    everywhere = np.arange(states * n)
    silent = word == EPSILON
    known, has_word = ~silent & (word != UNKNOWN), ~silent
    rows = [
        (here[silent], (onward + run)[silent], EPSILON, 0, 0),
        (here[known], (onward + np.minimum(run + 1, n - 1))[known], word[known], (run + 1)[known], size[known]),
        (here[has_word], onward[has_word], EPSILON, n + 1, size[has_word]),
        (here[has_word], onward[has_word], STAR, n + 2, size[has_word]),
        (everywhere, everywhere // n * n, STAR, n + 3, 0),
    ]
    table = [np.concatenate([np.broadcast_to(row[k], row[0].shape) for row in rows]) for k in range(5)]
    by_source = np.argsort(table[0], kind="stable")
    source, target, label, edit, size = (column[by_source].astype(np.int32) for column in table)
    return RecognitionAutomaton(source, target, label, edit, size, np.repeat(reference.final, n))


STAR_SYMBOL = "★"


def compile_references(
    references: Sequence[Sequence[str] | Lattice], gains: Gains, vocabulary: Vocabulary | None, silent: Collection[str]
) -> Any:
    """Build a `pynini.Fst`, a tropical acceptor of a recognition rate for one or more references; cost = −gain.

    For a single string, the weights are as in the paper, and the best path costs −numerator. For a graph or several
    references, the weights of each automaton are divided by the denominator of its reference. A new start state joins
    the automata, and the best path costs −rate. A graph becomes one automaton per string length, since strings of the
    same length have the same denominator. References without words have no rate; they are omitted if other references
    have words.

    Args:
        references: The references.
        gains: The parameters of the rate.
        vocabulary: The numbers of words; `None` to number the references' words.
        silent: Words that the rate ignores.
    """
    # Import late: most searches need no machine of OpenFst.
    from latticemetric.lattice.fst_binary import FstArrays
    from latticemetric.lattice.openfst import fst_from_arrays, symbol_table

    if vocabulary is None:
        vocabulary = Vocabulary.from_words(word for reference in references for word in words_in(reference, silent))
    graphs: list[ReferenceGraph] = []
    for reference in references:
        if isinstance(reference, Lattice):
            label = counted_labels(reference, vocabulary, silent)
            whole = ReferenceGraph.of_lattice(reference, label, gains.order, most=reference.num_states)
            lengths = np.unique(whole.words[whole.final])
            graphs += [whole.ending_in(whole.final & (whole.words == length)) for length in lengths]
        else:
            graphs.append(ReferenceGraph.of_words(vocabulary.encode(words_in(reference, silent)), gains.order))
    divide = len(references) > 1 or isinstance(references[0], Lattice)
    if divide and any(graph.has_words for graph in graphs):
        graphs = [graph for graph in graphs if graph.has_words]
    parts = []
    for graph in graphs:
        automaton, words = recognition_automaton(graph, gains.order), int(graph.words[graph.final].max())
        size = ngram_total(words, gains.order) if divide and words else 1
        weight = -np.array(gains.of_edits(), dtype=np.float64) / (gains.unit * size)
        final, label = np.where(automaton.final, 0.0, np.inf), automaton.label
        parts.append(FstArrays(0, final, automaton.source, automaton.target, label, label, weight[automaton.edit]))
    symbols = symbol_table(vocabulary)
    if symbols is not None:
        symbols = {**symbols, STAR: STAR_SYMBOL}
    # Build the union of the machines; if there are several, add a new start state before them.
    starts = np.cumsum([len(parts) > 1, *(len(part.final) for part in parts[:-1])])
    offset = zip(parts, starts, strict=True)
    rows = [(part.source + start, part.target + start, part.input, part.weight) for part, start in offset]
    finals = [part.final for part in parts]
    if len(parts) > 1:
        rows.insert(0, (np.zeros_like(starts), starts, np.full_like(starts, EPSILON), np.zeros(len(starts))))
        finals.insert(0, np.array([np.inf]))
    source, target, label, weight = map(np.concatenate, zip(*rows, strict=True))
    source, target, label = (column.astype(np.int32) for column in (source, target, label))
    union = FstArrays(0, np.concatenate(finals), source, target, label, label, weight, symbols, symbols)
    return fst_from_arrays(union)


class Ratio(NamedTuple):
    """The gain of a path (times `Gains.unit`), and the denominator of its rate."""

    gain: int
    total: int


class MachinePath(NamedTuple):
    """The best path of a search: its arcs, and the gain and denominator of one of its best alignments."""

    arcs: npt.NDArray[np.int64]
    ratio: Ratio


def path_of_best_rate(search: Callable[[Ratio], MachinePath], gains: Gains) -> MachinePath:
    """Return the path with the best rate, by Dinkelbach's iteration (1967, "On nonlinear fractional programming").

    The rate, gain / denominator, is not a sum over arcs. For a given number λ, gain − λ · denominator is a sum over
    arcs. Find the path with the largest sum, take its rate as the next λ, and repeat. When the largest sum is 0, λ is
    the best rate. All numbers are integers, so the iteration ends at the exact rate, after a few searches.

    Args:
        search: Function of λ, a `Ratio`. It returns the path with the largest sum. Multiplied by λ.total, the sum is an
            integer: (gain of the path) · λ.total − λ.gain · (denominator of the path).
        gains: The parameters of the rate.
    """
    rate = Ratio(gains.unit, 1)  # the rate of a perfect path
    while True:
        best = search(rate)
        gain, total = best.ratio
        if total == 0 or gain * rate.total == rate.gain * total:
            return best  # if one path has the denominator 0, all paths have it
        rate = best.ratio


def best_path_at(graph: _native.Lattice, reference: _native.ReferenceGraph, gains: Gains, rate: Ratio) -> MachinePath:
    """Return the path with the largest gain · rate.total − rate.gain · denominator, by exact native search.

    The denominator is a sum over the arcs of the reference.

    Args:
        graph: The lattice.
        reference: The reference.
        gains: The parameters of the rate.
        rate: The rate λ of this search; see `path_of_best_rate`.
    """
    with _small_enough():
        return _best_path(*_native.search_reference_graph(graph, reference, gains, rate, most_bytes()))


def best_reading(reference: ReferenceGraph, words: Words, gains: Gains) -> MachinePath:
    """Return the path of a reference against which a string has the best rate; of several, the one with the least arcs.

    Search the reference like a lattice, and the string like its reference: deletions and insertions exchange their
    roles. So a long string takes a band (`kernels/search/band_search.hpp`).
    """
    require_short(len(words), gains.order)
    graph = _native.Lattice(
        reference.source,
        reference.target,
        cost=np.zeros(len(reference.word)),
        final_cost=np.where(reference.final, 0.0, np.inf),
        label=reference.word,
        is_word=np.zeros(len(reference.word), dtype=np.uint8),
    )
    exchanged = gains._replace(alpha=gains.beta, beta=gains.alpha)

    def reading_at(rate: Ratio) -> MachinePath:
        with _small_enough():
            return _best_path(*_native.search_at_rate(graph, reference.size, words, exchanged, rate))

    return path_of_best_rate(reading_at, gains)


@contextmanager
def _small_enough() -> Iterator[None]:
    """Turn errors of searches at a rate into `InputError`s."""
    try:
        yield
    except _native.TooLarge as error:
        raise InputError(str(error), advice="prune the lattice, or shorten the reference") from None
    except OverflowError as error:
        raise InputError(str(error), advice="give alpha and beta with fewer digits") from None


def _best_path(arcs: npt.NDArray[np.int64], gain: int, total: int) -> MachinePath:
    return MachinePath(arcs, Ratio(gain, total))
